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
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/gelu.h"
#include "ops/pointwise/gelu_fp32.h"
#include "simd/maths/logistic16.h"
#include "simd/loops/map.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    return input[0] * gelu_factor(input[0]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    struct pair x = {input[0], broadcast(0)}, result = pair_multiply(x, pair_gelu_factor(input[0]));
    return round_to_odd(result.high, result.low);
}

/* 16 bits, any number: the exact value rounded once, for each of the 65,536 arguments. */
static INLINE_IF_FUSED vector fast_16(WAY)
{
    vector value = logistic16_function(logistic16_gelu, 0x40980000 /* 4.75 */, input[0], unsettled);
    return logistic16_above_tie(unsettled->dtype, value, input[0]);
}

static INLINE_IF_FUSED vector fast(WAY)
{
    return vector_gelu(input[0], unsettled);
}

MAP_KERNELS(gelu, (.inputs = 1, .doubles = estimate, .settle = settle), (.fast = fast, .fast_decides = true),
            (.fast = fast_16), (.fast = fast_16))
KERNELS(gelu) = {MAP_ULP_RUNS(gelu, NULL)};

#else

/* The contract. */
#include "aclnnop/aclnn_gelu.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

POINTWISE(gelu, 290, 3000, 160);

ONE_TENSOR(aclnnGelu, OUT, gelu, dtypes_fp32_fp16_bf16, dtypes_fp32_fp16_bf16, promise_fp32_ulp1,
           elementwise_infer_ranked);

#endif
