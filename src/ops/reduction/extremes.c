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

REDUCE_LEVELS(amax);
REDUCE_LEVELS(amin);
REDUCE_LEVELS(sum);

static const struct reduction greatest = {amax_reduce_kernels, .element_ps = 60};
static const struct reduction least = {amin_reduce_kernels, .element_ps = 60};
static const struct reduction any = {sum_reduce_kernels, .element_ps = 60};

enum { SELF, OUT };
enum { DIM = 1, KEEP_DIM, TRUTH };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    if (call->tensor[SELF].count == 0)
        return refuse(call, "self has no elements; one or more are expected");
    result->computed = call_dtype(call, SELF);
    result_add(result, result->computed, DTYPE_ANY)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned self = SELF;
    const struct shape shape = shape_of(&call->tensor[SELF]);
    return reduce_plan(call, call->function->of_family, &self, 1, &shape, ALL_AXES, result->computed, NULL,
                       0);
}

static aclnnStatus infer_truth(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    result->computed = ACL_BOOL;
    return reduce_infer(call, result, DTYPE_ANY, false);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers_bool),
    [OUT] = WRITTEN("out", &dtypes_floats_integers_bool),
};

static const struct parameter truth_parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers_bool),
    [DIM] = {"dim", .kind = PARAMETER_INT_ARRAY, .sample = "1"},
    [KEEP_DIM] = USUAL("keepdim", BOOL, "false"),
    [TRUTH] = WRITTEN("out", &dtypes_uint8_bool),
};

FUNCTION(aclnnMax, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), .stem = "max",
         PARAMETERS(parameters), .promise = &promise_exact, REDUCTION(&greatest), .infer = infer,
         .plan = plan);

FUNCTION(aclnnMin, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), .stem = "min",
         PARAMETERS(parameters), .promise = &promise_exact, REDUCTION(&least), .infer = infer, .plan = plan);

FUNCTION(aclnnAny, (const aclTensor *self, const aclIntArray *dim, bool keepdim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepdim), ARG(out)), .stem = "any", PARAMETERS(truth_parameters),
         .promise = &promise_exact, REDUCTION(&any), .infer = infer_truth, .plan = reduce_plan_usual);

FUNCTION(aclnnAll, (const aclTensor *self, const aclIntArray *dim, bool keepdim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepdim), ARG(out)), .stem = "all", PARAMETERS(truth_parameters),
         .promise = &promise_exact, REDUCTION(&least), .infer = infer_truth, .plan = reduce_plan_usual);
