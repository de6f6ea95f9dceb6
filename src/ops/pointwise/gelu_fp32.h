/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gelu in fp32: x / (1 + e^-v), v = 2 sqrt(2/pi) (x + 0.044715 x^3), within 0.9 units in the last place.
 */
#ifndef BELAY_OPS_POINTWISE_GELU_FP32_H
#define BELAY_OPS_POINTWISE_GELU_FP32_H

#include "simd/maths/exponential_fp32_pair.h"
#include "simd/maths/odd.h"
#include "simd/maths/unsettled.h"

/* The bits of a number below which |v| is less than 16, and beyond which fp32 has x or 0. */
enum { GELU_NEAR = 0x40980000 };
static const float gelu_end = 11.25F;

/* |v| of size = |x| to some 2^-45. */
static inline struct vector_pair gelu_argument(vector size)
{
    /* 2 sqrt(2/pi) in 17 bits so that what is left of the sum is a float, and that times 0.044715. */
    const vector linear = vector_of(0x1.9884p0F), linear_rest = vector_of(0x1.4cf50ep-18F);
    const vector cubic = vector_of(0x1.2444f2p-4F), cubic_rest = vector_of(0x1.49b16ap-29F);
    vector square = size * size, square_rest = fused_minus(size, size, square);
    vector sum = fused(cubic, square, linear), rest = fused(cubic, square, linear - sum);
    rest += fused(cubic, square_rest, fused(cubic_rest, square, linear_rest));
    vector high = size * sum;
    return (struct vector_pair){high, fused(size, rest, fused_minus(size, sum, high))};
}

/* With the exponential of |v|: x / (1 + e) or x e / (1 + e), in pairs of floats. NaN for -inf. */
static inline __attribute__((always_inline)) vector vector_gelu(vector x, struct unsettled *unsettled)
{
    const bool is_far = unsettled->path == PATH_ANY;
    const flags negative = vector_greater(vector_of(0), x);
    vector size = vector_absolute(x);
    const flags is_beyond = vector_greater(size, vector_of(gelu_end));
    if (is_far)
        size =
            vector_choose(is_beyond, vector_of(0), size); /* some processors are slow with what underflows */
    else {
        unsettled_above(unsettled, (vector_bits)size, GELU_NEAR);
        unsettled_below(unsettled, x, 0x01000000);
    }
    struct vector_pair v = gelu_argument(size);
    struct vector_exponential e = vector_exponential(v.high, v.low);
    /* e^-r: what m was rounded by is most of the error. */
    vector high = 1 + e.m, low = fused_from(e.r_rest, high, (1 - high) + e.m);
    vector near = is_far ? vector_greatest(vector_of(exponent_sum - 100), e.sum) : e.sum;
    vector power = power_of_sum(near);
    vector sum = fused(high, power, vector_of(1)), sum_low = fused(low, power, fused(high, power, 1 - sum));
    /* Far out the power is left to the end. */
    high = vector_choose(negative, is_far ? high : high * power, vector_of(1));
    low = vector_choose(negative, is_far ? low : low * power, vector_of(0));
    struct vector_quotient p = vector_quotient(high, low, sum, sum_low);
    vector value = fused(x, p.quotient, x * (p.remainder * p.inverse));
    if (!is_far)
        return value;
    vector rest = power_of_sum(e.sum - near + exponent_sum);
    value = vector_choose(negative, vector_any_product(value * power, rest), value);
    /* Halves of odd subnormal numbers are ties, which lie below the exact result. */
    const flags is_tiny = vector_greater(vector_of(0x1p-125F), vector_absolute(x));
    value = vector_choose(is_tiny, tiny_half(x, ~((vector_ints)x >> 31) & 1), value);
    return vector_choose(is_beyond, vector_choose(negative, x * 0, x), value);
}

#endif
