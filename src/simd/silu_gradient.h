/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * g s'(x) of silu for 16 bits, with a few units of error, which count only next to a tie.
 */
#ifndef BELAY_SIMD_SILU_GRADIENT_H
#define BELAY_SIMD_SILU_GRADIENT_H

#include "simd/evaluation.h"
#include "simd/gradient_fp32.h"
#include "simd/odd.h"
#include "simd/silu_derivative.h"

/* The bits of 20, where the segments end. */
enum { SILU_SEGMENTS_END = 0x41a00000 };

/* The low bits that rounding to the dtype cuts off normal numbers. */
static inline int bits_cut(enum arithmetic dtype)
{
    return dtype == ARITHMETIC_BF16 ? 16 : 13;
}

/* How many units in the last place of fp32 the results may be off: no pair of numbers rounds wrongly that is
 * farther from a tie, as the sweep over all pairs says. */
enum { QUICK_UNITS = 1 };

/*
 * 16 bits, PAIR_LANES at a time: in doubt are x above 20, gradients that are infinite or NaN, results of fp16
 * that are so small that their ties are at other places, and what is next to a tie. Those of bf16 have them
 * at the same places: fp32 is as coarse there.
 */
static LANES_WAY silu_quick_16(WAY_16)
{
    const bool is_bf16 = unsettled->dtype == ARITHMETIC_BF16;
    const int cut = bits_cut(unsettled->dtype), up = 16 - cut;
    const uint16_t tie = (uint16_t)((1U << (cut - 1)) + QUICK_UNITS + 1);
    vector g[2], x[2], value[2];
    load_pair(unsettled->dtype, source[0], g);
    load_pair(unsettled->dtype, source[1], x);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        vector b = vector_absolute(x[i]);
        unsettled_above(unsettled, (vector_bits)b, SILU_SEGMENTS_END);
        vector phi = silu_phi_of(b, silu_segment(b));
        phi = vector_choose(vector_greater(x[i], vector_of(0)), 1 - phi, phi);
        value[i] = is_bf16 ? vector_any_product(g[i], phi) : g[i] * phi;
    }
    lanes16 high = high_halves(value), low = low_halves(value),
            finite = is_bf16 ? lanes16_load(source[0]) : high;
    unsettled_lanes16_above(unsettled, finite + finite, 0xfeff);
    if (!is_bf16)
        unsettled_lanes16_below(unsettled, high, 0x3880); /* 2^-14 */
    unsettled_lanes16_above(unsettled, (low - tie) << up,
                            (uint16_t)(0x10000 - ((2 * QUICK_UNITS + 2) << up)));
    return is_bf16 ? high + (low >> 15) : lanes16_of_vectors(ARITHMETIC_FP16, value); /* there is no tie */
}

#endif
