/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * s'(y) with y = beta self, which is exact in doubles, s'(y) = p (1 + y (1 - p)) and
 * p = 1 / (1 + e^-y): aclnnSwishBackward, without a factor beta, and aclnnSiluBackward, whose beta is 1.
 *
 * Every finite y gives the exact value rounded once, at the root near y = -1.27846454 and in the far tail
 * too; fp32 at the default accuracy is within 1 unit in the last place instead. y = +-inf or NaN, so that
 * beta = 0 with an infinite self too, gives NaN. An infinite gradient with a finite y gives an infinity with
 * the sign of s'(y).
 */
#include "simd/kernel.h"

struct swish_parameters {
    double beta; /* of fp32 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/logistic.h"
#include "simd/map.h"
#include "simd/silu_gradient.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    const struct swish_parameters *parameters = prepared;
    return input[0] * silu_derivative(parameters->beta * input[1]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    const struct swish_parameters *parameters = prepared;
    struct pair derivative = pair_silu_derivative(parameters->beta * input[1]);
    struct pair result = pair_multiply((struct pair){input[0], broadcast(0)}, derivative);
    return round_to_odd(result.high, result.low);
}

static INLINE_IF_FUSED vector silu_fast_fp32(WAY)
{
    return unsettled->path == PATH_QUICK ? silu_quick(input[0], input[1], unsettled)
                                         : silu_any(input[0], input[1]);
}

static INLINE_IF_FUSED vector fast(WAY)
{
    const struct swish_parameters *parameters = prepared;
    const vector beta = vector_of((float)parameters->beta);
    vector y = input[1] * beta, rest = fused_minus(input[1], beta, y), size = vector_absolute(y);
    rest = vector_times_sign(rest, y);
    const flags positive = vector_greater(y, vector_of(0));
    if (unsettled->path == PATH_QUICK) {
        struct vector_pair phi = silu_phi_pair_of(size, rest, true);
        return vector_gradient(input, size, 0x41a00000 /* 20 */, derivative_of(phi, positive), unsettled);
    }
    const vector end = vector_of(200); /* from there on the derivative is 0 or 1 */
    rest = vector_choose(vector_greater(end, size), rest, vector_of(0));
    size = vector_least(end, gradient_size(input[0], y));
    struct far_phi phi = silu_far_pair(size, rest, true, vector_greater(size, vector_of(end_of_segments)));
    vector value = vector_gradient_any(input[0], phi, positive, unsettled);
    return vector_choose(vector_not_finite(input[1]) | vector_not_finite(beta), vector_of(NAN), value);
}

static const struct swish_parameters one = {1};
static const struct evaluation silu_exact = {
    .inputs = 2, .estimate = estimate, .settle = settle, .constant = &one};
static const struct evaluation silu_fp32 = {
    .inputs = 2, .fast = silu_fast_fp32, .fast_decides = true, .pairs = 2};
static const struct evaluation silu_16 = {.inputs = 2,
                                          .estimate = estimate,
                                          .settle = settle,
                                          .fast = silu_any_16,
                                          .lanes16 = silu_quick_16,
                                          .constant = &one,
                                          .pairs = 2};
static const struct evaluation swish_fp32 = {.inputs = 2, .fast = fast, .fast_decides = true, .pairs = 2};
static const struct evaluation swish_16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast, .pairs = 2};
static const struct evaluation swish_exact = {.inputs = 2, .estimate = estimate, .settle = settle};

MAP_KERNELS(silu_backward, silu_fp32, silu_exact, silu_16, silu_16);

/* Of swish: another kernel, or silu's. */
#define SWISH_KERNEL(name, silu, dtype, other)                                                     \
    MAP_KERNEL(name##_of_beta, dtype, other)                                                       \
    static void name(const void *const *input, void *output, size_t count, const void *parameters, \
                     bool non_temporal)                                                            \
    {                                                                                              \
        bool is_silu = ((const struct swish_parameters *)parameters)->beta == 1;                   \
        (is_silu ? silu : name##_of_beta)(input, output, count, parameters, non_temporal);         \
    }
SWISH_KERNEL(swish_of_fp32, map_silu_backward_fp32, ARITHMETIC_FP32, swish_fp32)
MAP_KERNEL(swish_exact_fp32, ARITHMETIC_FP32, swish_exact)
SWISH_KERNEL(swish_of_fp16, map_silu_backward_fp16, ARITHMETIC_FP16, swish_16)
SWISH_KERNEL(swish_of_bf16, map_silu_backward_bf16, ARITHMETIC_BF16, swish_16)
KERNELS(swish_backward) = FLOAT_KERNELS(swish_of_fp32, swish_exact_fp32, swish_of_fp16, swish_of_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_swish_backward.h"
#include "ops/pointwise/contract.h"
#include "ops/pointwise/elementwise.h"

POINTWISE(silu_backward, 300, 2000, 0);
POINTWISE(swish_backward, 280, 1800, 480);

enum { GRAD_OUTPUT, SELF, BETA };

/* Dtypes and shapes are equal, except that Ascend950 promotes and broadcasts; a promoted gradInput is FLOAT.
 */
static aclnnStatus infer_same(const struct call *call, struct result *result)
{
    TRY(check_same_dtype(call, SELF, GRAD_OUTPUT, "Ascend950 promotes them"));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_same_shape(call, SELF, GRAD_OUTPUT, "Ascend950 broadcasts them"));
    result_like(result, call, GRAD_OUTPUT);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_common(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    TRY(check_promotion(call, inputs, 2, &result->computed));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_EQUAL);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, SELF));
    return call->settings->product == PRODUCT_950 ? infer_common(call, result) : infer_same(call, result);
}

GRADIENT(aclnnSiluBackward, self, aclTensor, gradInput, silu_backward, dtypes_fp32_fp16_bf16,
         promise_fp32_ulp1, infer);

static aclnnStatus infer_swish(const struct call *call, struct result *result)
{
    double beta;
    TRY(check_optional_fp32(call, BETA, 1, &beta));
    return elementwise_infer_alike(call, result);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct swish_parameters parameters;
    TRY(check_optional_fp32(call, BETA, 1, &parameters.beta));
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter aclnnSwishBackward_parameters[] = {
    READ("gradOutput", &dtypes_fp32_fp16_bf16),
    READ("self", &dtypes_fp32_fp16_bf16),
    SCALAR("betaOptional", &dtypes_castable_to_fp32, .is_optional = true),
    WRITTEN("gradInput", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnSwishBackward,
         (const aclTensor *gradOutput, const aclTensor *self, const aclScalar *betaOptional,
          aclTensor *gradInput),
         (ARG(gradOutput), ARG(self), ARG(betaOptional), ARG(gradInput)),
         POINTWISE_FUNCTION(aclnnSwishBackward, swish_backward, promise_fp32_ulp1, infer_swish, plan));

#endif
