/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest and the least of all elements: NaN if one is, +0 is greater than -0; of nothing there is none.
 * Whether all or any along some dims are true: NaN is; of nothing all are, and none is.
 */
#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_min.h"
#include "ops/check.h"
#include "ops/loops/reduce.h"
#include "ops/signature.h"

REDUCE_LEVELS(amax);
REDUCE_LEVELS(amin);
REDUCE_LEVELS(sum);

static const struct reduction greatest = {amax_reduce_kernels, .element_ps = 60};
static const struct reduction least = {amin_reduce_kernels, .element_ps = 60};
static const struct reduction any = {sum_reduce_kernels, .element_ps = 60};

#define MAX(X, of) X(of, IN, self, &dtypes_floats_integers_bool) X(of, OUT, out, &dtypes_floats_integers_bool)
SIGNATURE(MAX)
#define ANY(X, of)                                \
    X(of, IN, self, &dtypes_floats_integers_bool) \
    X(of, INTS, dim, .sample = "1")               \
    X(of, BOOL, keepdim, .usual = "false")        \
    X(of, OUT, out, &dtypes_uint8_bool)
SIGNATURE(ANY)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, MAX_self));
    TRY(check_rank(call, MAX_self));
    if (call->tensor[MAX_self].count == 0)
        return refuse(call, "self has no elements; one or more are expected");
    result->computed = call_dtype(call, MAX_self);
    result_add(result, result->computed, DTYPE_ANY)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned self = MAX_self;
    const struct shape shape = shape_of(&call->tensor[MAX_self]);
    return reduce_plan(call, call->function->of_family, &self, 1, &shape, ALL_AXES, result->computed, NULL,
                       0);
}

static aclnnStatus infer_truth(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, MAX_self));
    result->computed = ACL_BOOL;
    return reduce_infer(call, result, DTYPE_ANY, false);
}

FUNCTION_OF(aclnnMax, MAX, .stem = "max", .promise = &promise_exact, REDUCTION(&greatest), .infer = infer,
            .plan = plan);

FUNCTION_OF(aclnnMin, MAX, .stem = "min", .promise = &promise_exact, REDUCTION(&least), .infer = infer,
            .plan = plan);

FUNCTION_OF(aclnnAny, ANY, .stem = "any", .promise = &promise_exact, REDUCTION(&any), .infer = infer_truth,
            .plan = reduce_plan_usual);

FUNCTION_OF(aclnnAll, ANY, .stem = "all", .promise = &promise_exact, REDUCTION(&least), .infer = infer_truth,
            .plan = reduce_plan_usual);
