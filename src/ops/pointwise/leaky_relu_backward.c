/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = gradOutput where self > 0, gradOutput * negativeSlope elsewhere.
 *
 * +-0 and NaN in self take the slope branch. selfIsResult changes nothing but the check of the slope's sign.
 */
#include "simd/kernel.h"

struct leaky_relu_backward_parameters {
    double slope; /* rounded to fp32 unless the arithmetic is fp64 */
};

#ifdef KERNEL_PASS

/* The maths. */
enum { INPUTS = 2 };
#include "simd/leaky.h"

KERNELS(leaky_relu_backward) = LEAKY_KERNELS;

#else

/* The contract. */
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "ops/check.h"
#include "ops/scalar.h"

enum { GRAD_OUTPUT, SELF, NEGATIVE_SLOPE, SELF_IS_RESULT, OUT };

KERNEL_LEVELS(leaky_relu_backward);
static const struct elementwise elementwise = {leaky_relu_backward_kernels, .cost_ps = {70, 70},
                                               .cost_16_bits_ps = 45};

/* With the forward result in place of self, only a slope of 0 or more lets the sign of self be told. */
static aclnnStatus check_slope(const struct call *call)
{
    if (call->argument[SELF_IS_RESULT].boolean && scalar_is_negative(&call->scalar[NEGATIVE_SLOPE]))
        return fail(
            ACLNN_ERR_PARAM_INVALID,
            "aclnnLeakyReluBackward: negativeSlope is negative and selfIsResult true; a slope of 0 or "
            "more, or selfIsResult false, is expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, NEGATIVE_SLOPE));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_slope(call));
    TRY(check_promotion(call, inputs, 2, &result->computed));
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_CASTABLE);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct scalar_value *slope = &call->scalar[NEGATIVE_SLOPE];
    struct leaky_relu_backward_parameters parameters = {
        .slope = result->computed == ACL_DOUBLE ? scalar_to_fp64(slope) : scalar_to_fp32(slope),
    };
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_floats),
    [SELF] = READ("self", &dtypes_floats),
    [NEGATIVE_SLOPE] = SCALAR("negativeSlope", &dtypes_real_scalars, .usual = "0.01"),
    [SELF_IS_RESULT] = USUAL("selfIsResult", BOOL, "false"),
    [OUT] = WRITTEN("out", &dtypes_float_results),
};

FUNCTION(aclnnLeakyReluBackward,
         (const aclTensor *gradOutput, const aclTensor *self, const aclScalar *negativeSlope,
          bool selfIsResult, aclTensor *out),
         (ARG(gradOutput), ARG(self), ARG(negativeSlope), ARG(selfIsResult), ARG(out)),
         .stem = "leaky_relu_backward", PARAMETERS(parameters), .promise = &promise_exact,
         ELEMENTWISE(&elementwise), .infer = infer, .plan = plan);

#endif
