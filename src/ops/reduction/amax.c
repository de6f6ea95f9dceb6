/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the greatest, or the least, self along some dims. NaN if one of them is; +0 is greater than -0, true
 * than false. Of nothing there is no greatest: a result of no elements is refused.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/reduce_extremes.h"

EXTREMES(amax, false, UINT64_C(0xfff0000000000000), UINT64_C(0x8000000000000000)) /* -inf, INT64_MIN */
EXTREMES(amin, true, UINT64_C(0x7ff0000000000000), UINT64_C(0x7fffffffffffffff))  /* inf, INT64_MAX */

#else

/* The contract. */
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "ops/check.h"
#include "ops/reduction/reduce.h"

enum { SELF, DIM, KEEP_DIM, OUT };

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
    [SELF] = READ("self", &dtypes_real_scalars),
    [DIM] = {"dim", .kind = PARAMETER_INT_ARRAY, .sample = "1"},
    [KEEP_DIM] = USUAL("keepDim", BOOL, "false"),
    [OUT] = WRITTEN("out", &dtypes_real_scalars),
};

FUNCTION(aclnnAmax, (const aclTensor *self, const aclIntArray *dim, bool keepDim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepDim), ARG(out)), .stem = "amax", PARAMETERS(parameters),
         .promise = &promise_exact, REDUCTION(&amax_reduction), .infer = infer, .plan = reduce_plan_usual);

FUNCTION(aclnnAmin, (const aclTensor *self, const aclIntArray *dim, bool keepDim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepDim), ARG(out)), .stem = "amin", PARAMETERS(parameters),
         .promise = &promise_exact, REDUCTION(&amin_reduction), .infer = infer, .plan = reduce_plan_usual);

#endif
