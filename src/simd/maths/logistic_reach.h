/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x / (1 + e^-y) in fp32, within 0.95 units in the last place, of which sigmoid, silu and swish are
 * made: by segments up to |y| = 12.75, and beyond that, where n = 1 / (1 + e^b) is e^-b (1 - e^-b) but for
 * 2^-36 of it, by an exponential. There is no division. Where results are subnormal, 1 unit.
 */
#ifndef BELAY_SIMD_MATHS_LOGISTIC_REACH_H
#define BELAY_SIMD_MATHS_LOGISTIC_REACH_H

#include <math.h>

#include "simd/maths/exponential_fp32_pair.h"
#include "simd/maths/logistic_segments.h"
#include "simd/maths/odd.h"
#include "simd/maths/unsettled.h"

/* Whether one product with a power is needed: with a shift, or where the first one of two might be subnormal,
 * and so rounded. */
static inline bool is_scaled_once(vector x, flags is_large)
{
    return vector_any_flag(is_large | vector_greater(vector_of(0x1p-20F), vector_absolute(x)));
}

/* For a finite |y| = b + rest above 12.75: x (1 - n) or x n, where only the last product is inexact. */
static inline __attribute__((always_inline)) vector logistic_tail(vector x, vector b, vector rest,
                                                                  flags positive)
{
    /* From there on x e^-b is 0. It is not computed: some processors are slow with what underflows. */
    const flags is_large = vector_greater(vector_absolute(x), vector_of(512));
    const vector end = vector_choose(is_large, vector_of(exponential_end), vector_of(112));
    const flags is_inside = vector_greater(end, b);
    struct vector_exponential e = vector_exponential(vector_choose(is_inside, b, vector_of(0)),
                                                     vector_choose(is_inside, rest, vector_of(0)));
    vector sum = vector_greatest(vector_of(exponent_sum - 100), e.sum), power = power_of_sum(sum);
    vector high = 1 + e.m, exponential = high * power;
    vector low = fused_from(high, exponential, fused_from(e.r_rest, high, (1 - high) + e.m));
    vector above = vector_choose(is_inside, fused_from(x, exponential, x), x);
    vector factor = vector_choose(is_inside & ~positive, x, vector_of(0));
    const vector shift = vector_choose(is_large, vector_of(64), vector_of(0)); /* a sum might overflow */
    factor *= vector_choose(is_large, vector_of(0x1p-64F), vector_of(1));
    vector below = fused(factor, high, factor * low);
    if (BY_LEVEL(true, is_scaled_once(x, is_large), is_scaled_once(x, is_large)))
        below = vector_scaled(below, e.sum - exponent_sum + shift);
    else
        below = vector_any_product(below * power, power_of_sum(e.sum - sum + exponent_sum));
    return vector_choose(positive, above, vector_choose(is_inside, below, x * 0));
}

/* Above the last segment's end, but finite: segments of NaN are NaN, and infinities have their limits. */
static inline flags is_beyond_segments(vector b)
{
    const uint32_t least = LOGISTIC_SEGMENTS_END + 1, infinity = 0x7f800000;
    return ~vector_above((vector_bits)b - least, infinity - 1 - least);
}

/*
 * x / (1 + e^-y), |y| being b + rest, at most half a unit of b, or b if has_rest, a constant, is not set; x,
 * or x 0, where y is infinite. The quick way is for a b whose bits are not above quick_end, one of the two
 * ends of segments, and for products that are not subnormal.
 */
static inline __attribute__((always_inline)) vector logistic_times(vector x, vector y, vector rest,
                                                                   bool has_rest, struct unsettled *unsettled)
{
    const bool is_quick = unsettled->path == PATH_QUICK;
    const vector b = vector_absolute(y);
    const flags positive = vector_greater(y, vector_of(0));
    const flags is_small = vector_greater(vector_of(0x1p-60F), vector_absolute(x));
    /* There halves of odd subnormal numbers are ties, which lie on the side that y tells. */
    const flags is_tiny =
        vector_greater(vector_of(0x1p-125F), vector_absolute(x)) & vector_greater(vector_of(0x1p-26F), b);
    const vector half = tiny_half(x, ~((vector_ints)y >> 31) & 1);
    if (is_quick) {
        unsettled_above(unsettled, (vector_bits)b, LOGISTIC_SEGMENTS_QUICK);
        unsettled_below(unsettled, x, 0x01000000);
    } else
        x *= vector_choose(is_small, vector_of(0x1p64F), vector_of(1));
    struct logistic_segment n = logistic_segment(b, rest, has_rest, is_quick);
    vector value = fused_minus(x, vector_choose(positive, 1 - n.c0, n.c0), vector_times_sign(x, y) * n.q);
    if (has_rest) /* a 0 of another sign than y's */
        value = vector_with_sign_of(value, x);
    if (is_quick)
        return value;
    const flags is_beyond = is_beyond_segments(b);
    if (vector_any_flag(is_beyond))
        value = vector_choose(is_beyond, logistic_tail(x, b, rest, positive), value);
    value = vector_choose(vector_equal(b, vector_of(INFINITY)), vector_choose(positive, x, x * 0), value);
    if (vector_any_flag(is_small))
        value = vector_any_product(value, vector_choose(is_small, vector_of(0x1p-64F), vector_of(1)));
    return vector_choose(is_tiny, half, value);
}

#endif
