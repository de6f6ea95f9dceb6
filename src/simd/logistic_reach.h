/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 / (1 + e^-y) and x / (1 + e^-x) in fp32, within 0.93 units in the last place: by segments up to 12.75,
 * and beyond that, where n = 1 / (1 + e^b) is e^-b (1 - e^-b) but for 2^-36 of it, by an exponential. There
 * is no division.
 */
#ifndef BELAY_SIMD_LOGISTIC_REACH_H
#define BELAY_SIMD_LOGISTIC_REACH_H

#include <math.h>

#include "simd/logistic_fp32.h"
#include "simd/logistic_segments.h"
#include "simd/odd.h"

/* n(b) for b > 12.75: (high + low) power[0] power[1]; and e^-b but for its last bits, not below 2^-100. */
struct logistic_tail {
    vector high, low, exponential, power[2];
};

static inline __attribute__((always_inline)) struct logistic_tail logistic_tail(vector b)
{
    struct vector_exponential e = vector_exponential(vector_least(vector_of(logistic_end), b), vector_of(0));
    vector sum = vector_greatest(vector_of(exponent_sum - 100), e.sum), power = power_of_sum(sum);
    vector high = 1 + e.m, exponential = high * power;
    vector low = fused_from(high, exponential, fused_from(e.r_rest, high, (1 - high) + e.m));
    vector rest = power_of_sum(vector_greatest(vector_of(-126), e.sum - sum) + exponent_sum);
    return (struct logistic_tail){high, low, exponential, {power, rest}};
}

/* Both for a finite |y| above 12.75: 1 - n or n, and x (1 - n) or x n, where only the last product
 * is inexact. */
static inline __attribute__((always_inline)) vector tail_sigmoid(vector y, flags positive)
{
    struct logistic_tail n = logistic_tail(vector_absolute(y));
    vector below = vector_any_product((n.high + n.low) * n.power[0], n.power[1]);
    return vector_choose(positive, 1 - n.exponential, below);
}

static inline __attribute__((always_inline)) vector tail_silu(vector x, flags positive)
{
    struct logistic_tail n = logistic_tail(vector_absolute(x));
    vector factor = vector_greatest(vector_of(-logistic_end), x) * n.power[0]; /* from there on all is 0 */
    vector below = vector_any_product(fused(factor, n.high, factor * n.low), n.power[1]);
    return vector_choose(positive, fused_from(x, n.exponential, x), below);
}

/* Above the last segment's end, but finite: segments of NaN are NaN, and infinities have their limits. */
static inline flags is_beyond_segments(vector b)
{
    const uint32_t least = LOGISTIC_SEGMENTS_END + 1, infinity = 0x7f800000;
    return ~vector_above((vector_bits)b - least, infinity - 1 - least);
}

/* The quick way is for |y| in the first 16 segments. */

/* 1 / (1 + e^-y) */
static inline __attribute__((always_inline)) vector reach_sigmoid(vector y, struct unsettled *unsettled)
{
    const bool is_near = unsettled->path == PATH_QUICK;
    vector b = vector_absolute(y);
    flags positive = vector_greater(y, vector_of(0));
    vector value = segments_sigmoid(b, positive, is_near);
    if (is_near) {
        unsettled_above(unsettled, (vector_bits)b, LOGISTIC_SEGMENTS_NEAR);
        return value;
    }
    flags is_beyond = is_beyond_segments(b);
    if (vector_any_flag(is_beyond))
        value = vector_choose(is_beyond, tail_sigmoid(y, positive), value);
    vector limit = vector_choose(positive, vector_of(1), vector_of(0));
    return vector_choose(vector_equal(b, vector_of(INFINITY)), limit, value);
}

/* x / (1 + e^-x); NaN for -inf. Of a tiny x it is x / 2 but for the side of a tie. */
static inline __attribute__((always_inline)) vector reach_silu(vector x, struct unsettled *unsettled)
{
    const bool is_near = unsettled->path == PATH_QUICK;
    const uint32_t tiny_end = SILU_TIE_END;
    vector size = vector_absolute(x), y = x;
    const flags is_tiny = vector_greater((vector)vector_ints_of((int32_t)tiny_end), size);
    if (!is_near)
        y = vector_choose(is_tiny, vector_of(1), x); /* some processors are slow with subnormal steps */
    vector b = vector_absolute(y);
    flags positive = vector_greater(y, vector_of(0));
    vector value = segments_silu(y, b, positive, is_near);
    if (is_near) {
        unsettled_above(unsettled, (vector_bits)size - tiny_end, LOGISTIC_SEGMENTS_NEAR - tiny_end);
        return value;
    }
    flags is_beyond = is_beyond_segments(b);
    if (vector_any_flag(is_beyond))
        value = vector_choose(is_beyond, tail_silu(y, positive), value);
    value = vector_choose(vector_equal(b, vector_of(INFINITY)), vector_choose(positive, x, vector_of(NAN)),
                          value);
    return vector_choose(is_tiny, tiny_half(x, ~((vector_ints)x >> 31) & 1), value);
}

#endif
