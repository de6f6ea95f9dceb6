/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self / (1 + e^-y) with y = beta self, which is exact in doubles: aclnnSwish, and aclnnSilu, whose
 * beta is 1.
 *
 * Every finite y gives the exact value rounded once; fp32 at the default accuracy is within 1 unit in the
 * last place. beta = 0 gives self / 2 for every self. beta = +-inf gives the limit, self or self * 0, and NaN
 * at self = 0. What the formula makes of an infinite self: self where y = +inf, NaN where y = -inf, as -inf /
 * inf is. beta = NaN gives NaN.
 */
#include "simd/kernel.h"

struct swish_parameters {
    double beta; /* of fp32 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/logistic.h"
#include "simd/logistic16.h"
#include "simd/logistic_reach.h"
#include "simd/map.h"
#include "simd/swish_fp32.h"

/* 0 for beta = 0 also where self is infinite. */
static inline doubles argument_of(doubles x, const struct swish_parameters *parameters)
{
    return parameters->beta == 0 ? broadcast(0) : parameters->beta * x;
}

/* At y = -inf the factor is 0. */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    return input[0] * logistic(argument_of(input[0], prepared));
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    struct pair factor = pair_logistic(argument_of(input[0], prepared));
    struct pair result = pair_multiply((struct pair){input[0], broadcast(0)}, factor);
    return round_to_odd(result.high, result.low);
}

static INLINE_IF_FUSED vector fast(WAY)
{
    const struct swish_parameters *parameters = prepared;
    return vector_swish(input[0], (float)parameters->beta, unsettled);
}

/* Of beta = 1 in 16 bits, any number: the exact value rounded once, for each of the 65,536 arguments. */
static INLINE_IF_FUSED vector silu_fast_16(WAY)
{
    vector value = logistic16_function(logistic16_silu, LOGISTIC16_END, input[0], unsettled);
    return logistic16_above_tie(unsettled->dtype, value, input[0]);
}

/* And in fp32, within 0.93 units in the last place. */
static INLINE_IF_FUSED vector silu_fast_fp32(WAY)
{
    return reach_silu(input[0], unsettled);
}

static const struct swish_parameters one = {1};
static const struct evaluation silu_fp32 = {.inputs = 1, .fast = silu_fast_fp32, .fast_decides = true};
static const struct evaluation silu_16 = {
    .inputs = 1, .estimate = estimate, .settle = settle, .fast = silu_fast_16, .constant = &one};
static const struct evaluation silu_exact = {
    .inputs = 1, .estimate = estimate, .settle = settle, .constant = &one};
static const struct evaluation swish_fp32 = {.inputs = 1, .fast = fast, .fast_decides = true};
static const struct evaluation swish_16 = {.inputs = 1, .estimate = estimate, .settle = settle, .fast = fast};
static const struct evaluation swish_exact = {.inputs = 1, .estimate = estimate, .settle = settle};

MAP_KERNELS(silu, silu_fp32, silu_exact, silu_16, silu_16);

/* Swish: another kernel, or silu's. */
#define SWISH_KERNEL(name, silu, dtype, other)                                                     \
    MAP_KERNEL(name##_of_beta, dtype, other)                                                       \
    static void name(const void *const *input, void *output, size_t count, const void *parameters, \
                     bool non_temporal)                                                            \
    {                                                                                              \
        bool is_silu = ((const struct swish_parameters *)parameters)->beta == 1;                   \
        (is_silu ? silu : name##_of_beta)(input, output, count, parameters, non_temporal);         \
    }
SWISH_KERNEL(swish_of_fp32, map_silu_fp32, ARITHMETIC_FP32, swish_fp32)
SWISH_KERNEL(swish_of_fp16, map_silu_fp16, ARITHMETIC_FP16, swish_16)
SWISH_KERNEL(swish_of_bf16, map_silu_bf16, ARITHMETIC_BF16, swish_16)
MAP_KERNEL(swish_exact_fp32, ARITHMETIC_FP32, swish_exact)
KERNELS(swish) = FLOAT_KERNELS(swish_of_fp32, swish_exact_fp32, swish_of_fp16, swish_of_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_swish.h"
#include "ops/pointwise/contract.h"
#include "ops/pointwise/elementwise.h"

POINTWISE(silu, 240, 1300, 120);
POINTWISE(swish, 260, 1300, 0);

ONE_TENSOR(aclnnSilu, aclTensor, silu, dtypes_fp32_fp16_bf16, dtypes_fp32_fp16_bf16, promise_fp32_ulp1,
           elementwise_infer_like);

enum { BETA = 1 };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    double beta;
    TRY(check_optional_fp32(call, BETA, 1, &beta));
    return elementwise_infer_ranked(call, result);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct swish_parameters parameters;
    TRY(check_optional_fp32(call, BETA, 1, &parameters.beta));
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter aclnnSwish_parameters[] = {
    READ("self", &dtypes_fp32_fp16_bf16),
    SCALAR("betaOptional", &dtypes_castable_to_fp32, .is_optional = true),
    WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnSwish, (const aclTensor *self, const aclScalar *betaOptional, aclTensor *out),
         (ARG(self), ARG(betaOptional), ARG(out)),
         POINTWISE_FUNCTION(aclnnSwish, swish, promise_fp32_ulp1, infer, plan));

#endif
