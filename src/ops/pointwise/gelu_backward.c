/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * g'(self) with g(x) = 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): the gradient
 * of aclnnGelu, the exact value rounded once for every finite self; fp32 at the default accuracy is within 1
 * unit in the last place.
 *
 * self = +inf gives the gradient, self = -inf gradient * 0. It is a real multiplication: inf * 0 is NaN, and
 * a finite negative gradient times 0 is -0.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/gelu.h"
#include "simd/gelu_derivative.h"
#include "simd/gradient_fp32.h"
#include "simd/map.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * gelu_derivative(input[1]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)value, (void)prepared;
    struct pair g = {input[0], broadcast(0)}, result = pair_multiply(g, pair_gelu_derivative(input[1]));
    return round_to_odd(result.high, result.low);
}

static INLINE_IF_FUSED vector fast(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    (void)prepared;
    vector size = vector_absolute(input[1]);
    struct vector_pair derivative =
        derivative_of(gelu_phi_pair(size), vector_greater(input[1], vector_of(0)));
    return vector_gradient(input, size, 0x40970000 /* 4.71875 */, derivative, unsettled);
}

static const struct evaluation gelu_fp32 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast, .fast_decides = true, .pairs = 2};
static const struct evaluation gelu_16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast, .pairs = 2};
static const struct evaluation gelu_exact = {.inputs = 2, .estimate = estimate, .settle = settle};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, gelu_fp32)
MAP_KERNEL(run_exact_fp32, ARITHMETIC_FP32, gelu_exact)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, gelu_16)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, gelu_16)

KERNELS(gelu_backward) = FLOAT_KERNELS(run_fp32, run_exact_fp32, run_fp16, run_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_gelu_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, SELF, GRAD_INPUT };

KERNEL_LEVELS(gelu_backward);
static const struct elementwise elementwise = {gelu_backward_kernels, .cost_ps = {240, 6500},
                                               .cost_16_bits_ps = 800};

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_fp32_fp16_bf16),
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [GRAD_INPUT] = WRITTEN("gradInput", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnGeluBackward, (const aclTensor *gradOutput, const aclTensor *self, const aclTensor *gradInput),
         (ARG(gradOutput), ARG(self), ARG(gradInput)), .stem = "gelu_backward", PARAMETERS(parameters),
         .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise), .infer = elementwise_infer_together,
         .plan = elementwise_plan_plain);

#endif
