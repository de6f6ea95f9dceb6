/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the greatest, or the least, self along some dims. NaN if one of them is; +0 is greater than -0, true
 * than false. Of nothing there is no greatest: a result of no elements is refused.
 */
#ifdef KERNEL_PASS

/* The maths of the greatest; extremes.c has that of the least. */
#include "simd/reduce.h"

static inline longs greater_float(longs a, longs b)
{
    const doubles x = (doubles)a, y = (doubles)b;
    const doubles equal = (doubles)(a & b); /* -0 where both are, +0 of others */
    const doubles greater = choose(x > y, x, choose(x == y, equal, y));
    return (longs)choose(x != x, x, greater);
}

static inline longs greater_integer(longs a, longs b)
{
    const longs is_a = a > b;
    return (a & is_a) | (b & ~is_a);
}

static inline longs take_float(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return greater_float(state, input[0]);
}

static inline longs take_integer(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return greater_integer(state, input[0]);
}

static const struct reduce_steps floats_steps = {take_float, greater_float, 1};
static const struct reduce_steps integers_steps = {take_integer, greater_integer, 1};

REDUCE_FLOATS(amax, floats_steps)
REDUCE_INTEGERS(amax, integers_steps)

#define MINUS_INFINITY UINT64_C(0xfff0000000000000) /* as a double's bits */
#define LEAST_INTEGER  UINT64_C(0x8000000000000000)

REDUCE_KERNELS(amax) = {
    .of = {REDUCE_FLOAT_KERNELS(amax, MINUS_INFINITY), REDUCE_INTEGER_KERNELS(amax, LEAST_INTEGER)}};

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
