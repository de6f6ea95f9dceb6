/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * tanh in fp32, within 0.6 units in the last place: n / (2 - n) with n = 1 - e^-2|x|, both in pairs of
 * floats.
 */
#ifndef BELAY_SIMD_MATHS_TANH_FP32_H
#define BELAY_SIMD_MATHS_TANH_FP32_H

#include "simd/maths/exponential_fp32_pair.h"
#include "simd/maths/unsettled.h"

/* The bits of the greatest |x| where 1 - 2^k has 24 bits, and an end where tanh is 1. */
enum { TANH_NEAR = 0x41040000 };
static const float tanh_end = 16;

static inline __attribute__((always_inline)) vector vector_tanh(vector x, struct unsettled *unsettled)
{
    const bool is_far = unsettled->path == PATH_ANY;
    vector size = vector_absolute(x);
    if (is_far)
        size = vector_least(vector_of(tanh_end), size);
    else
        unsettled_above(unsettled, (vector_bits)size, TANH_NEAR);
    /* r_rest is not above 2^-29 |k|, of a part 2^k. */
    struct vector_exponential e = vector_exponential(2 * size, vector_of(0));
    vector power = power_of_sum(e.sum), one = 1 - power;
    vector n = fused_from(power, e.m, one);
    vector n_low = fused_from(power, m_rest(e), fused_from(power, e.m, one - n));
    if (is_far)
        n_low += (1 - one) - power;
    vector sum = 2 - n, sum_low = (2 - sum) - n - n_low;
    struct vector_quotient result = vector_quotient(n, n_low, sum, sum_low);
    return vector_with_sign_of(fused(result.remainder, result.inverse, result.quotient), x);
}

#endif
