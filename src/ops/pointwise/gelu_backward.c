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
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/gelu.h"
#include "ops/pointwise/gelu_derivative.h"
#include "simd/maths/gradient_fp32.h"
#include "simd/loops/map.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    return input[0] * gelu_derivative(input[1]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    struct pair g = {input[0], broadcast(0)}, result = pair_multiply(g, pair_gelu_derivative(input[1]));
    return round_to_odd(result.high, result.low);
}

static INLINE_IF_FUSED vector fast(WAY)
{
    static const struct derivative_reach reach = {0x40970000 /* 4.71875 */, 0x40c00000 /* 6 */};
    const vector x = input[1];
    struct vector_pair phi = gelu_phi_pair(vector_absolute(x));
    struct vector_pair derivative = derivative_of(phi, vector_greater(x, vector_of(0)));
    return vector_gradient(input[0], x, reach, derivative, unsettled);
}

MAP_KERNELS(gelu_backward, (.inputs = 2, .doubles = estimate, .settle = settle, .pairs = 2),
            (.fast = fast, .fast_decides = true), (.fast = fast), (.fast = fast))
KERNELS(gelu_backward) = {MAP_ULP_RUNS(gelu_backward, NULL)};

#else

/* The contract. */
#include "aclnnop/aclnn_gelu_backward.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

POINTWISE(gelu_backward, 240, 6500, 800);

GRADIENT(aclnnGeluBackward, self, CONST_OUT, gradInput, gelu_backward, dtypes_fp32_fp16_bf16,
         promise_fp32_ulp1, elementwise_infer_together);

#endif
