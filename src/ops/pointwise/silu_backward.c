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
#include "simd/vector/kernel.h"

struct swish_parameters {
    double beta; /* of fp32 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/gradient_fp32.h"
#include "simd/maths/logistic.h"
#include "simd/loops/map.h"
#include "ops/pointwise/silu_gradient.h"

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

static const struct derivative_reach silu_reach = {SILU_SEGMENTS_END, 0x41b00000 /* 22 */};

static INLINE_IF_FUSED vector silu_fast(WAY)
{
    const vector x = input[1];
    struct vector_pair phi = silu_phi_pair(vector_absolute(x), vector_of(0), false);
    struct vector_pair derivative = derivative_of(phi, vector_greater(x, vector_of(0)));
    return vector_gradient(input[0], x, silu_reach, derivative, unsettled);
}

static INLINE_IF_FUSED vector fast(WAY)
{
    const struct swish_parameters *parameters = prepared;
    const vector beta = vector_of((float)parameters->beta), y = input[1] * beta;
    const vector rest = vector_times_sign(fused_minus(input[1], beta, y), y);
    struct vector_pair phi = silu_phi_pair(vector_absolute(y), rest, true);
    struct vector_pair derivative = derivative_of(phi, vector_greater(y, vector_of(0)));
    return vector_gradient(input[0], y, silu_reach, derivative, unsettled);
}

static const struct swish_parameters one = {1};
MAP_KERNELS(silu_backward, (.inputs = 2, .doubles = estimate, .settle = settle, .constant = &one, .pairs = 2),
            (.fast = silu_fast, .fast_decides = true), (.fast = silu_fast, .lanes16 = silu_quick_16),
            (.fast = silu_fast, .lanes16 = silu_quick_16))
KERNELS(silu_backward) = {MAP_ULP_RUNS(silu_backward, NULL)};
MAP_KERNELS(swish_backward, (.inputs = 2, .doubles = estimate, .settle = settle, .pairs = 2),
            (.fast = fast, .fast_decides = true), (.fast = fast), (.fast = fast))
KERNELS(swish_backward) = {MAP_ULP_RUNS(swish_backward, NULL)};

#else

/* The contract. */
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_swish_backward.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

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

GRADIENT(aclnnSiluBackward, self, OUT, gradInput, silu_backward, dtypes_fp32_fp16_bf16, promise_fp32_ulp1,
         infer);

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
    const struct elementwise *elementwise =
        parameters.beta == 1 ? &silu_backward_elementwise : &swish_backward_elementwise;
    return elementwise_plan_of(call, elementwise, result->computed, result->computed, &parameters,
                               sizeof parameters);
}

FUNCTION_WITH(aclnnSwishBackward,
              ((IN, gradOutput, &dtypes_fp32_fp16_bf16), (IN, self, &dtypes_fp32_fp16_bf16),
               (SCALAR, betaOptional, &dtypes_reals, .is_optional = true),
               (OUT, gradInput, &dtypes_fp32_fp16_bf16)),
              POINTWISE_FUNCTION(swish_backward, promise_fp32_ulp1, infer_swish, plan));

#endif
