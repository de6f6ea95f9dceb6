/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * tanh in fp32, within 0.6 units in the last place: n / (2 - n) with n = 1 - e^-2|x|, both in pairs of
 * floats.
 */
#ifndef BELAY_SIMD_TANH_FP32_H
#define BELAY_SIMD_TANH_FP32_H

#include "simd/logistic_fp32.h"

/* The bits of the greatest |x| where 1 - 2^k has 24 bits, and an end where tanh is 1. */
enum { TANH_NEAR = 0x41040000 };
static const float tanh_end = 16;

static inline __attribute__((always_inline)) wide wide_tanh(wide x, struct doubts *doubts)
{
    const bool is_far = doubts->path == PATH_ANY;
    wide size = wide_absolute(x);
    if (is_far)
        size = wide_least(wide_of(tanh_end), size);
    else
        doubt_above(doubts, 0, (wide_bits)size, TANH_NEAR);
    /* r_rest is not above 2^-29 |k|, of a part 2^k. */
    struct wide_exponential e = wide_exponential(2 * size, wide_of(0));
    wide power = power_of_sum(e.sum), one = 1 - power;
    wide n = fused_from(power, e.m, one);
    wide n_low = fused_from(power, m_rest(e), fused_from(power, e.m, one - n));
    if (is_far)
        n_low += (1 - one) - power;
    wide sum = 2 - n, sum_low = (2 - sum) - n - n_low;
    struct wide_quotient result = wide_quotient(n, n_low, sum, sum_low);
    return wide_with_sign_of(fused(result.remainder, result.inverse, result.quotient), x);
}

#endif
