/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x / (1 + e^-(beta x)) in fp32, within 0.9 units in the last place: as silu, of a product in two floats. In
 * 16 bits, where |beta x| is below 16, without what most of its roundings lose, and with a test for ties.
 */
#ifndef BELAY_SIMD_SWISH_FP32_H
#define BELAY_SIMD_SWISH_FP32_H

#include "simd/logistic_fp32.h"
#include "simd/ties.h"

/* For beta = 0, x / 2; where beta x is -infinity, x 0; NaN where it is NaN. */
static inline __attribute__((always_inline)) wide wide_swish(wide x, float beta, struct doubts *doubts)
{
    const bool is_far = doubts->path == PATH_ANY;
    wide y = x * beta;
    if (is_far && beta == 0)
        y = wide_of(0); /* of infinities too */
    wide b = wide_absolute(y);
    const bool is_16 = doubts->dtype != ARITHMETIC_FP32;
    const wide_bits end = wide_bits_of(LOGISTIC_NEAR);
    /* With beta = 0 an infinite x is not seen in y. */
    const bool is_near = is_far && beta != 0 && !wide_any(wide_greater_bits((wide_bits)b, end) ^ end);
    if (is_16 && (!is_far || is_near)) {
        if (!is_far)
            doubt_above(doubts, 0, (wide_bits)b, LOGISTIC_NEAR);
        wide value = narrow_swish(x, y, beta);
        doubt_tie(doubts, value, NARROW_SWISH_UNITS * (is_far ? 2 : 1));
        if (doubts->dtype == ARITHMETIC_BF16)
            doubt_below(doubts, value, 0x00800000);
        return value;
    }
    wide rest = fused_minus(x, wide_of(beta), y);
    rest = (wide)((wide_bits)rest ^ ((wide_bits)y & 0x80000000));
    flags negative = wide_negative(y);
    if (is_far)
        rest = wide_choose(wide_greater(wide_of(logistic_end), b), rest, wide_of(0));
    else {
        doubt_above(doubts, 0, (wide_bits)b, LOGISTIC_NEAR);
        doubt_small(doubts, x);
    }
    wide value = wide_product_with_logistic(x, b, rest, negative, is_far);
    if (is_far) {
        /* x / 2 + y x / 4, of which fp32 has the half, and the sign of the rest: ties as those of silu. */
        flags tiny = wide_greater(wide_of(0x1p-125F), wide_absolute(x)) & wide_greater(wide_of(0x1p-26F), b);
        wide_ints up = ~((wide_ints)(x * (beta < 0 ? -1.0F : 1.0F)) >> 31) & 1;
        if (doubts->dtype == ARITHMETIC_FP32 && beta != 0)
            value = wide_choose(tiny, tiny_half(x, up), value);
        wide last = wide_choose(wide_is_nan(y), y, wide_choose(negative, x - x, x));
        value = wide_choose(wide_not_finite(x), last, value);
    }
    if (doubts->dtype != ARITHMETIC_FP32) {
        doubt_tie(doubts, value, 2);
        doubt_subnormal(doubts, value, x);
    }
    return value;
}

#endif
