/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = 0.5 self (1 + tanh(sqrt(2/pi) (self + 0.044715 self^3))), the constants as they are written: the
 * exact value rounded once for every finite self.
 *
 * That is self / (1 + e^-v) with twice the tanh's argument for v. fp32 at the default accuracy is within 1
 * unit in the last place. +inf gives itself; -inf gives NaN, as -inf
 * * 0 is.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/gelu.h"
#include "simd/gelu_fp32.h"
#include "simd/map.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * gelu_factor(input[0]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)value, (void)prepared;
    struct pair x = {input[0], broadcast(0)}, result = pair_multiply(x, pair_gelu_factor(input[0]));
    return round_to_odd(result.high, result.low);
}

/* 16 bits, any number: the exact value rounded once, for each of the 65,536 arguments. */
static INLINE_IF_FUSED vector fast_16(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    (void)prepared;
    vector value = logistic16_function(logistic16_gelu, 0x40980000 /* 4.75 */, input[0], unsettled);
    return logistic16_above_tie(unsettled->dtype, value, input[0]);
}

/* Within 0.9 units in the last place. */
static INLINE_IF_FUSED vector fast(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    (void)prepared;
    return vector_gelu(input[0], unsettled);
}

static const struct evaluation gelu = {.inputs = 1, .fast = fast, .fast_decides = true};
static const struct evaluation gelu_16 = {
    .inputs = 1, .estimate = estimate, .settle = settle, .fast = fast_16};
static const struct evaluation gelu_exact = {.inputs = 1, .estimate = estimate, .settle = settle};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, gelu)
MAP_KERNEL(run_exact_fp32, ARITHMETIC_FP32, gelu_exact)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, gelu_16)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, gelu_16)

KERNELS(gelu) = FLOAT_KERNELS(run_fp32, run_exact_fp32, run_fp16, run_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_gelu.h"
#include "ops/check.h"

enum { SELF, OUT };

KERNEL_LEVELS(gelu);
static const struct elementwise elementwise = {gelu_kernels, .cost_ps = {290, 3000}, .cost_16_bits_ps = 160};

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnGelu, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), .stem = "gelu",
         PARAMETERS(parameters), .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise),
         .infer = elementwise_infer_ranked, .plan = elementwise_plan_plain);

#endif
