/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self / (1 + e^-self).
 *
 * The exact value rounded once for every finite self; fp32 at the default accuracy is within 1 unit in the
 * last place. +inf gives itself; -inf gives NaN, as -inf / inf is.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/logistic.h"
#include "simd/logistic_bf16.h"
#include "simd/logistic_fp32.h"
#include "simd/logistic_reach.h"
#include "simd/map.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * logistic(input[0]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)value, (void)prepared;
    struct pair result = pair_multiply((struct pair){input[0], broadcast(0)}, pair_logistic(input[0]));
    return round_to_odd(result.high, result.low);
}

/* In 16 bits both ways give the exact value rounded once, for each of the 65,536 arguments. */
static INLINE_IF_FUSED wide fast(const wide *input, const void *prepared, struct doubts *doubts)
{
    (void)prepared;
    return wide_silu(input[0], doubts);
}

/* fp32: within 0.93 units in the last place. */
REACH_EVALUATION(silu, reach_silu)

static const struct evaluation silu_narrow = {
    .inputs = 1, .estimate = estimate, .settle = settle, .fast = fast};
SEGMENTS_EVALUATION(silu, narrow_silu_of_bf16)
static const struct evaluation silu_exact = {.inputs = 1, .estimate = estimate, .settle = settle};

MAP_WIDE_KERNEL(run_fp32, ARITHMETIC_FP32, silu_reach, NULL)
MAP_KERNEL(run_exact_fp32, ARITHMETIC_FP32, silu_exact, NULL)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, silu_narrow, NULL)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, silu_bf16, "")

KERNELS(silu) = {
    .run = {[ACCURACY_DEFAULT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_exact_fp32,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16}},
};

#else

/* The contract. */
#include "aclnnop/aclnn_silu.h"
#include "ops/check.h"

enum { SELF, OUT };

KERNEL_LEVELS(silu);
static const struct elementwise elementwise = {silu_kernels, .cost_ps = {240, 1300}, .cost_16_bits_ps = 120};

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnSilu, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), .stem = "silu",
         PARAMETERS(parameters), .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise),
         .infer = elementwise_infer_like, .plan = elementwise_plan_plain);

#endif
