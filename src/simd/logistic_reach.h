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

/* n(b) for b > 12.75: (high + low) power[0] power[1]; and e^-b but for its last bits, not below 2^-100. */
struct logistic_tail {
    wide high, low, exponential, power[2];
};

static inline __attribute__((always_inline)) struct logistic_tail logistic_tail(wide b)
{
    struct wide_exponential e = wide_exponential(wide_least(wide_of(logistic_end), b), wide_of(0));
    wide sum = wide_greatest(wide_of(exponent_sum - 100), e.sum), power = power_of_sum(sum);
    wide high = 1 + e.m, exponential = high * power;
    wide low = fused_from(high, exponential, fused_from(e.r_rest, high, (1 - high) + e.m));
    wide rest = power_of_sum(wide_greatest(wide_of(-126), e.sum - sum) + exponent_sum);
    return (struct logistic_tail){high, low, exponential, {power, rest}};
}

/* Both for a |y| above 12.75, infinite or NaN: 1 - n or n, and x (1 - n) or x n, where only the last product
 * is inexact. */
static inline __attribute__((always_inline)) wide tail_sigmoid(wide y, flags positive)
{
    struct logistic_tail n = logistic_tail(wide_absolute(y));
    wide value = wide_choose(positive, 1 - n.exponential, (n.high + n.low) * n.power[0] * n.power[1]);
    return wide_choose(wide_is_nan(y), wide_of(NAN), value);
}

static inline __attribute__((always_inline)) wide tail_silu(wide x, flags positive)
{
    struct logistic_tail n = logistic_tail(wide_absolute(x));
    wide factor = wide_greatest(wide_of(-logistic_end), x) * n.power[0]; /* from there on all is 0 */
    wide below = fused(factor, n.high, factor * n.low) * n.power[1];
    wide value = wide_choose(positive, fused_from(x, n.exponential, x), below);
    return wide_choose(wide_not_finite(x), wide_choose(positive, x, wide_of(NAN)), value);
}

/* Whether a number's bits are above those of the last segment's end, as NaN's are. */
static inline flags is_beyond_segments(wide b)
{
    return wide_less_ints(wide_ints_of(LOGISTIC_SEGMENTS_END), (wide_ints)b);
}

/* The quick way is for |y| in the first 16 segments. */

/* 1 / (1 + e^-y) */
static inline __attribute__((always_inline)) wide reach_sigmoid(wide y, struct doubts *doubts)
{
    const bool is_near = doubts->path == PATH_QUICK;
    wide b = wide_absolute(y);
    flags positive = wide_greater(y, wide_of(0)), is_beyond = is_beyond_segments(b);
    wide value = segments_sigmoid(b, positive, is_near);
    if (is_near)
        doubt_above(doubts, 0, (wide_bits)b, LOGISTIC_SEGMENTS_NEAR);
    else if (wide_any_flag(is_beyond))
        value = wide_choose(is_beyond, tail_sigmoid(y, positive), value);
    return value;
}

/* x / (1 + e^-x); NaN for -inf. Of a tiny x it is x / 2 but for the side of a tie. */
static inline __attribute__((always_inline)) wide reach_silu(wide x, struct doubts *doubts)
{
    const bool is_near = doubts->path == PATH_QUICK;
    const uint32_t tiny_end = SILU_TIE_END;
    wide b = wide_absolute(x);
    flags positive = wide_greater(x, wide_of(0));
    wide value = segments_silu(x, b, positive, is_near);
    if (is_near) {
        doubt_above(doubts, 0, (wide_bits)b - tiny_end, LOGISTIC_SEGMENTS_NEAR - tiny_end);
        return value;
    }
    const wide_bits last_tiny = wide_bits_of(tiny_end - 2);
    flags is_tiny = wide_equal_bits(wide_greater_bits((wide_bits)b - 1, last_tiny), last_tiny);
    flags is_beyond = is_beyond_segments(b);
    if (wide_any_flag(is_tiny | is_beyond)) {
        value = wide_choose(is_beyond, tail_silu(x, positive), value);
        value = wide_choose(is_tiny, tiny_half(x, ~((wide_ints)x >> 31) & 1), value);
    }
    return value;
}

#endif
