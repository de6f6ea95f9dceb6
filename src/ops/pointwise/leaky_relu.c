/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self where self > 0, self * negativeSlope elsewhere.
 *
 * +-0 and NaN take the slope branch: 0 keeps or changes its sign with the slope's, 0 times an infinite slope
 * is NaN. The slope may be negative. In place, selfRef is self and out.
 */
#include "simd/kernel.h"

struct leaky_relu_parameters {
    double slope; /* rounded to fp32 unless the arithmetic is fp64 */
};

#ifdef KERNEL_PASS

/* The maths. */
enum { INPUTS = 1 };
#include "simd/leaky.h"

KERNELS(leaky_relu) = LEAKY_KERNELS;

#else

/* The contract. */
#include "aclnnop/aclnn_leaky_relu.h"
#include "ops/check.h"
#include "ops/scalar.h"

enum { SELF, NEGATIVE_SLOPE, OUT };

KERNEL_LEVELS(leaky_relu);
static const struct elementwise elementwise = {leaky_relu_kernels, .cost_ps = {50, 50}};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, NEGATIVE_SLOPE));
    TRY(check_rank(call, SELF));
    result_like(result, call, SELF);
    result->output[0].dtype_rule = DTYPE_CASTABLE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct scalar_value *slope = &call->scalar[NEGATIVE_SLOPE];
    struct leaky_relu_parameters parameters = {
        .slope = result->computed == ACL_DOUBLE ? scalar_to_fp64(slope) : scalar_to_fp32(slope),
    };
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_floats),
    [NEGATIVE_SLOPE] = SCALAR("negativeSlope", &dtypes_real_scalars, .usual = "0.01"),
    [OUT] = WRITTEN("out", &dtypes_float_results),
};

FUNCTION(aclnnLeakyRelu, (const aclTensor *self, const aclScalar *negativeSlope, aclTensor *out),
         (ARG(self), ARG(negativeSlope), ARG(out)), .stem = "leaky_relu", PARAMETERS(parameters),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = infer, .plan = plan);

static const struct parameter in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_floats),
    [NEGATIVE_SLOPE] = SCALAR("negativeSlope", &dtypes_real_scalars, .usual = "0.01"),
};

FUNCTION(aclnnInplaceLeakyRelu, (aclTensor * selfRef, const aclScalar *negativeSlope),
         (ARG(selfRef), ARG(negativeSlope)), .stem = "leaky_relu", PARAMETERS(in_place),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = infer, .plan = plan);

#endif
