/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the greatest, or the least, self along some dims. NaN if one of them is; +0 is greater than -0, true
 * than false. Of nothing there is no greatest: a result of no elements is refused.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "ops/reduction/reduce_extremes.h"

EXTREMES(amax, false, UINT64_C(0xfff0000000000000), UINT64_C(0x8000000000000000)) /* -inf, INT64_MIN */
EXTREMES(amin, true, UINT64_C(0x7ff0000000000000), UINT64_C(0x7fffffffffffffff))  /* inf, INT64_MAX */

#else

/* The contract. */
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_max_v2.h"
#include "ops/check.h"
#include "ops/loops/reduce.h"
#include "ops/signature.h"

#define AMAX(X, of)                               \
    X(of, IN, self, &dtypes_floats_integers_bool) \
    X(of, INTS, dim, .sample = "1")               \
    X(of, BOOL, keepDim, .usual = "false")        \
    X(of, OUT, out, &dtypes_floats_integers_bool)
SIGNATURE(AMAX)
#define MAX_V2(X, of)                                     \
    X(of, IN, self, &dtypes_floats_integers_bool)         \
    X(of, INTS, dims, .is_optional = true, .sample = "1") \
    X(of, BOOL, keepDims, .usual = "false")               \
    X(of, BOOL, noopWithEmptyDims, .usual = "false")      \
    X(of, OUT, out, &dtypes_floats_integers_bool)
SIGNATURE(MAX_V2)

REDUCE_LEVELS(amax);
REDUCE_LEVELS(amin);

static const struct reduction amax_reduction = {amax_reduce_kernels, .element_ps = 60};
static const struct reduction amin_reduction = {amin_reduce_kernels, .element_ps = 60};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, AMAX_self));
    result->computed = call_dtype(call, AMAX_self);
    return reduce_infer(call, result, DTYPE_EQUAL, true);
}

FUNCTION_OF(aclnnAmax, AMAX, .stem = "amax", .promise = &promise_exact, REDUCTION(&amax_reduction),
            .infer = infer, .plan = reduce_plan_usual);

FUNCTION_OF(aclnnAmin, AMAX, .stem = "amin", .promise = &promise_exact, REDUCTION(&amin_reduction),
            .infer = infer, .plan = reduce_plan_usual);

/* Whether no dims stand for none. */
static bool keeps_all(const struct call *call)
{
    return call->argument[MAX_V2_noopWithEmptyDims].boolean &&
           (!call_has(call, AMAX_dim) || call->values[AMAX_dim].count == 0);
}

static aclnnStatus infer_v2(const struct call *call, struct result *result)
{
    if (!keeps_all(call))
        return infer(call, result);
    TRY(check_dtype(call, AMAX_self));
    TRY(check_rank(call, AMAX_self));
    result_like(result, call, AMAX_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_v2(const struct call *call, const struct result *result)
{
    const unsigned self = AMAX_self;
    const struct shape shape = shape_of(&call->tensor[AMAX_self]);
    if (!keeps_all(call))
        return reduce_plan_usual(call, result);
    return reduce_plan(call, call->function->of_family, &self, 1, &shape, 0, result->computed, NULL, 0);
}

FUNCTION_OF(aclnnMaxV2, MAX_V2, .stem = "max_v2", .promise = &promise_exact, REDUCTION(&amax_reduction),
            .infer = infer_v2, .plan = plan_v2);

#endif
