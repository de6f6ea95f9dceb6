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
#include "simd/vector/kernel.h"

struct swish_parameters {
    double beta; /* of fp32 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/logistic.h"
#include "simd/maths/logistic16.h"
#include "simd/maths/logistic_reach.h"
#include "simd/loops/map.h"

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

/* y in two floats. With beta = 0, x / 2; NaN where y is, and for an infinite x and y = -infinity. */
static INLINE_IF_FUSED vector fast(WAY)
{
    const struct swish_parameters *parameters = prepared;
    const vector x = input[0], beta = vector_of((float)parameters->beta), y = x * beta;
    if (unsettled->path == PATH_QUICK) {
        unsettled_small(unsettled, x);
        unsettled_nan(unsettled, x);
    }
    if (parameters->beta == 0)
        return x * 0.5F;
    const vector rest = vector_times_sign(fused_minus(x, beta, y), y);
    vector value = logistic_times(x, y, rest, true, unsettled);
    if (unsettled->dtype != ARITHMETIC_FP32) {
        unsettled_tie(unsettled, value, 2);
        unsettled_subnormal(unsettled, value, x);
    }
    return value;
}

/* silu with beta = 1 in 16 bits, of any number: the exact value rounded once, which was tried for each of the
 * 65,536 arguments. */
static INLINE_IF_FUSED vector silu_fast_16(WAY)
{
    vector value = logistic16_function(logistic16_silu, LOGISTIC16_END, input[0], unsettled);
    return logistic16_above_tie(unsettled->dtype, value, input[0]);
}

static INLINE_IF_FUSED vector silu_fast_fp32(WAY)
{
    return logistic_times(input[0], input[0], vector_of(0), false, unsettled);
}

static const struct swish_parameters one = {1};
MAP_KERNELS(silu, (.inputs = 1, .doubles = estimate, .settle = settle, .constant = &one, .pairs = 2),
            (.fast = silu_fast_fp32, .fast_decides = true), (.fast = silu_fast_16), (.fast = silu_fast_16))
KERNELS(silu) = {MAP_ULP_RUNS(silu, NULL)};
MAP_KERNELS(swish, (.inputs = 1, .doubles = estimate, .settle = settle), (.fast = fast, .fast_decides = true),
            (.fast = fast), (.fast = fast))
KERNELS(swish) = {MAP_ULP_RUNS(swish, NULL)};

#else

/* The contract. */
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_swish.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

POINTWISE(silu, 240, 1300, 120);
POINTWISE(swish, 260, 1300, 0);

ONE_TENSOR(aclnnSilu, OUT, silu, dtypes_fp32_fp16_bf16, dtypes_fp32_fp16_bf16, promise_fp32_ulp1,
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
    const struct elementwise *elementwise = parameters.beta == 1 ? &silu_elementwise : &swish_elementwise;
    return elementwise_plan_of(call, elementwise, result->computed, result->computed, &parameters,
                               sizeof parameters);
}

FUNCTION_WITH(aclnnSwish,
              ((IN, self, &dtypes_fp32_fp16_bf16), (SCALAR, betaOptional, &dtypes_reals, .is_optional = true),
               (OUT, out, &dtypes_fp32_fp16_bf16)),
              POINTWISE_FUNCTION(swish, promise_fp32_ulp1, infer, plan));

#endif
