/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x / (1 + e^-(beta x)) in fp32, within 0.9 units in the last place: as silu, of a product in two floats.
 */
#ifndef BELAY_SIMD_SWISH_FP32_H
#define BELAY_SIMD_SWISH_FP32_H

#include "simd/logistic_fp32.h"
#include "simd/wide_memory.h"

/*
 * In doubt where numbers within a unit in the last place of value do not all round to the same in 16 bits.
 * Where not is_careful no value is below 2^-100 unless it is 0; otherwise x_is_0 tells where it is exact.
 */
static inline void doubt_tie(struct doubts *doubts, wide value, wide x)
{
    if (doubts->dtype == ARITHMETIC_FP16) {
        wide_halves low = wide_to_fp16(value * (1 - 0x1p-23F)), high = wide_to_fp16(value * (1 + 0x1p-23F));
        doubts->differing |= __builtin_convertvector(low ^ high, wide_bits);
        return;
    }
    /* Shifted up, what lies next to a tie comes out highest. */
    doubt_above(doubts, 1, ((wide_bits)value - 0x8002) << 16, 0U - (4U << 16));
    if (doubts->is_careful) {
        flags subnormal = wide_greater(wide_of(0x1p-126F), wide_absolute(value));
        doubts->differing |= (wide_bits)wide_choose(subnormal, wide_absolute(x), wide_of(0));
    }
}

/* For beta = 0, x / 2; where beta x is -infinity, x 0; NaN where it is NaN. */
static inline __attribute__((always_inline)) wide wide_swish(wide x, float beta, struct doubts *doubts)
{
    const bool is_far = doubts->is_careful;
    wide y = x * beta;
    if (is_far && beta == 0)
        y = wide_of(0); /* of infinities too */
    wide b = wide_absolute(y), rest = fused_minus(x, wide_of(beta), y);
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
        wide end = wide_choose(wide_is_nan(y), y, wide_choose(negative, x - x, x));
        value = wide_choose(wide_not_finite(x), end, value);
    }
    if (doubts->dtype != ARITHMETIC_FP32)
        doubt_tie(doubts, value, x);
    return value;
}

#endif
