/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Which inputs of SiluBackward are extreme, as its careful ways are told, and what their steps in integers
 * lose.
 */
#ifndef BELAY_SIMD_SILU_EXTREME_H
#define BELAY_SIMD_SILU_EXTREME_H

#include "simd/evaluation.h"
#include "simd/silu_wide.h"

/* What the ways may doubt, each with its limit: see doubt_above(). */
enum ordinary { ARGUMENT, MAGNITUDE, TIE };

/* What the careful ways are told of their inputs: no result below 2^-126 unless it is 0; or any, but |x| <=
 * 20; or every x below -20; or every x above 20 (for 16 bits, 19); or anything. In each of them any may be
 * NaN. */
enum extreme { NOTHING_EXTREME, SMALL, FAR, BELOW, ABOVE, ANYTHING = EXTREME_LAST };

static inline int extreme(enum arithmetic dtype, wide (*input)[INPUTS_MAX], int vectors)
{
    const wide end = wide_of(end_of_segments), infinity = (wide)wide_bits_of(0x7f800000);
    wide_bits small = wide_bits_of(UINT32_MAX);
    wide least = infinity, greatest = -infinity;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; i++) {
        greatest = wide_greatest(input[i][1], greatest); /* no NaN */
        least = wide_least(input[i][1], least);
        small = wide_lesser(small, magnitude_order(input[i][0]));
    }
    const wide_bits smallest = wide_bits_of(2 * smallest_factor - 1);
    if (wide_any_flag(wide_greater(greatest, end) | wide_greater(-end, least))) {
        /* The least x that counts: one above 20 in fp32, where every way gives the same bits. */
        const wide all = wide_of(dtype == ARITHMETIC_FP32 ? 0x1.400002p4F : 19);
        if (!wide_any_flag(wide_greater(greatest, -all)))
            return BELOW;
        return wide_any_flag(wide_greater(all, least)) ? FAR : ABOVE;
    }
    if (dtype != ARITHMETIC_FP16 && wide_any((wide_bits)(wide_lesser(small, smallest) != smallest)))
        return SMALL;
    return NOTHING_EXTREME;
}

/* The sign of g s'(x), and what an infinite g or NaN gives, which the steps in integers lose. */
static inline wide completed(wide result, wide g, wide x, wide slope, const struct doubts *doubts)
{
    wide_ints magnitude = (wide_ints)wide_absolute(g), greatest = magnitude;
    if (doubts->extreme != NOTHING_EXTREME)
        greatest = wide_greatest_ints(greatest, (wide_ints)wide_absolute(x));
    wide other = (wide)magnitude + slope;
    if (doubts->extreme >= FAR)
        other += x - x;
    result = wide_choose(wide_less_ints(wide_ints_of(0x7f7fffff), greatest), other, wide_absolute(result));
    return (wide)((wide_bits)result | (((wide_bits)g ^ (wide_bits)slope) & 0x80000000));
}

#endif
