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

enum { SELF, DIM, KEEP_DIM, OUT, NOOP = OUT, OUT_V2 };

REDUCE_LEVELS(amax);
REDUCE_LEVELS(amin);

static const struct reduction amax_reduction = {amax_reduce_kernels, .element_ps = 60};
static const struct reduction amin_reduction = {amin_reduce_kernels, .element_ps = 60};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    result->computed = call_dtype(call, SELF);
    return reduce_infer(call, result, DTYPE_EQUAL, true);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers_bool),
    [DIM] = {"dim", .kind = PARAMETER_INT_ARRAY, .sample = "1"},
    [KEEP_DIM] = USUAL("keepDim", BOOL, "false"),
    [OUT] = WRITTEN("out", &dtypes_floats_integers_bool),
};

FUNCTION(aclnnAmax, (const aclTensor *self, const aclIntArray *dim, bool keepDim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepDim), ARG(out)), .stem = "amax", PARAMETERS(parameters),
         .promise = &promise_exact, REDUCTION(&amax_reduction), .infer = infer, .plan = reduce_plan_usual);

FUNCTION(aclnnAmin, (const aclTensor *self, const aclIntArray *dim, bool keepDim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepDim), ARG(out)), .stem = "amin", PARAMETERS(parameters),
         .promise = &promise_exact, REDUCTION(&amin_reduction), .infer = infer, .plan = reduce_plan_usual);

/* Whether no dims stand for none. */
static bool keeps_all(const struct call *call)
{
    return call->argument[NOOP].boolean && (!call_has(call, DIM) || call->values[DIM].count == 0);
}

static aclnnStatus infer_v2(const struct call *call, struct result *result)
{
    if (!keeps_all(call))
        return infer(call, result);
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    result_like(result, call, SELF);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_v2(const struct call *call, const struct result *result)
{
    const unsigned self = SELF;
    const struct shape shape = shape_of(&call->tensor[SELF]);
    if (!keeps_all(call))
        return reduce_plan_usual(call, result);
    return reduce_plan(call, call->function->of_family, &self, 1, &shape, 0, result->computed, NULL, 0);
}

static const struct parameter parameters_v2[] = {
    [SELF] = READ("self", &dtypes_floats_integers_bool),
    [DIM] = {"dims", .kind = PARAMETER_INT_ARRAY, .is_optional = true, .sample = "1"},
    [KEEP_DIM] = USUAL("keepDims", BOOL, "false"),
    [NOOP] = USUAL("noopWithEmptyDims", BOOL, "false"),
    [OUT_V2] = WRITTEN("out", &dtypes_floats_integers_bool),
};

FUNCTION(aclnnMaxV2,
         (const aclTensor *self, const aclIntArray *dims, bool keepDims, bool noopWithEmptyDims,
          aclTensor *out),
         (ARG(self), ARG(dims), ARG(keepDims), ARG(noopWithEmptyDims), ARG(out)), .stem = "max_v2",
         PARAMETERS(parameters_v2), .promise = &promise_exact, REDUCTION(&amax_reduction), .infer = infer_v2,
         .plan = plan_v2);

#endif
