/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gelu in fp32: x / (1 + e^-v), v = 2 sqrt(2/pi) (x + 0.044715 x^3), as silu within 0.9 units in the last
 * place.
 */
#ifndef BELAY_SIMD_GELU_FP32_H
#define BELAY_SIMD_GELU_FP32_H

#include "simd/logistic_fp32.h"

/* The bits of a number below which |v| is less than 16, and where fp32 has the limits in any case. */
enum { GELU_NEAR = 0x40980000 };
static const float gelu_end = 14;

/* size (linear + factor size^2) to some 2^-45, where linear is 2 sqrt(2/pi). */
static inline struct vector_pair gelu_sum(vector size, float factor, float factor_rest)
{
    /* In 17 bits so that what is left of the sum is a float. */
    const vector linear = vector_of(0x1.9884p0F), linear_rest = vector_of(0x1.4cf50ep-18F);
    const vector cubic = vector_of(factor), cubic_rest = vector_of(factor_rest);
    vector square = size * size, square_rest = fused_minus(size, size, square);
    vector sum = fused(cubic, square, linear), rest = fused(cubic, square, linear - sum);
    rest += fused(cubic, square_rest, fused(cubic_rest, square, linear_rest));
    vector high = size * sum;
    return (struct vector_pair){high, fused(size, rest, fused_minus(size, sum, high))};
}

/* |v| of size = |x|: the factor is linear times 0.044715. */
static inline struct vector_pair gelu_argument(vector size)
{
    return gelu_sum(size, 0x1.2444f2p-4F, 0x1.49b16ap-29F);
}

static inline __attribute__((always_inline)) vector vector_gelu(vector x, struct unsettled *unsettled)
{
    vector size = vector_absolute(x);
    if (unsettled->path == PATH_QUICK) {
        unsettled_above(unsettled, (vector_bits)size, GELU_NEAR);
        unsettled_below(unsettled, x, SILU_TIE_END);
    } else {
        size = vector_least(vector_of(gelu_end), size);
    }
    struct vector_pair v = gelu_argument(size);
    return vector_silu_of(x, v.high, v.low, unsettled);
}

#endif
