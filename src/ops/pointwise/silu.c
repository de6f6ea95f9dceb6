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
#include "simd/logistic16.h"
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

/* 16 bits, any number: the exact value rounded once, for each of the 65,536 arguments. */
static INLINE_IF_FUSED vector fast_16(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    (void)prepared;
    vector value = logistic16_function(logistic16_silu, LOGISTIC16_END, input[0], unsettled);
    return logistic16_above_tie(unsettled->dtype, value, input[0]);
}

/* Within 0.93 units in the last place. */
static INLINE_IF_FUSED vector fast_fp32(const vector *input, const void *prepared,
                                        struct unsettled *unsettled)
{
    (void)prepared;
    return reach_silu(input[0], unsettled);
}

static const struct evaluation silu_fp32 = {.inputs = 1, .fast = fast_fp32, .fast_decides = true};
static const struct evaluation silu_16 = {
    .inputs = 1, .estimate = estimate, .settle = settle, .fast = fast_16};
static const struct evaluation silu_exact = {.inputs = 1, .estimate = estimate, .settle = settle};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, silu_fp32)
MAP_KERNEL(run_exact_fp32, ARITHMETIC_FP32, silu_exact)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, silu_16)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, silu_16)

KERNELS(silu) = FLOAT_KERNELS(run_fp32, run_exact_fp32, run_fp16, run_bf16);

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
