/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * g s'(x) of silu: in fp32 within 0.86 units in the last place, and for 16 bits with a few units of error,
 * which count only next to a tie.
 */
#ifndef BELAY_SIMD_SILU_GRADIENT_H
#define BELAY_SIMD_SILU_GRADIENT_H

#include "simd/gradient_fp32.h"
#include "simd/odd.h"
#include "simd/silu_derivative.h"

/* Beyond this the segments end. */
static const float end_of_segments = 20;

/* Ordinary numbers are not beyond the segments, and their gradients neither 0, infinite, NaN, nor below
 * 2^-50: products of two such factors are far from the end of fp32. */
static inline __attribute__((always_inline)) wide silu_quick(wide g, wide x, struct doubts *doubts)
{
    const uint32_t infinity = 0x7f800000, least = smallest_factor, end = 0x41a00000;
    wide size = wide_absolute(x);
    doubt_above(doubts, 0, (wide_bits)size, end);
    doubt_above(doubts, 1, (wide_bits)g + (wide_bits)g - 2 * least, 2 * (infinity - least) - 1);
    struct wide_pair derivative = derivative_of(silu_phi_pair(size), wide_greater(x, wide_of(0)));
    return fused(g, derivative.high, g * derivative.low);
}

/* 1 - s'(x) for x > 20 as products in fp32 need it. */
static inline wide missing_above(wide x)
{
    const float limit = 0x1.449c58p4F;
    return wide_choose(wide_greater(x, wide_of(limit)), wide_of(0x1p-40F), wide_of(0x1.28p-25F));
}

/* |x|, but for subnormal gradients so great that a smaller x still decides to which side half the smallest
 * number goes; no less would, and with more it would be seen in other results. */
static inline wide silu_size(wide g, wide x)
{
    wide size = wide_absolute(x);
    flags subnormal = wide_less_ints((wide_ints)wide_absolute(g), wide_ints_of(0x00800000));
    subnormal &= wide_greater(size, wide_of(0));
    return wide_choose(subnormal, wide_greatest(wide_of(0x1.4p-24F), size), size);
}

/*
 * Any number, by the same steps as the quick way, so with the same bits. A gradient is taken up or down so
 * far that nothing but the result is small or large. Above 20 s'(x) is 1 and at most 0.66 * 2^-24: the
 * product is within 0.58 units in the last place, and an infinity where the exact one rounds to one.
 */
static inline __attribute__((always_inline)) wide silu_any(wide g, wide x)
{
    const wide end = wide_of(end_of_segments);
    flags is_raised = wide_greater(wide_of(1), wide_absolute(g)), is_above = wide_greater(x, end);
    flags is_tail = wide_greater(-end, x), positive = wide_greater(x, wide_of(0));
    wide power = wide_choose(is_raised, wide_of(96), wide_of(-16));
    /* A fused sum: some processors take long for a product of a subnormal number. */
    wide factor = fused(g, wide_choose(is_raised, wide_of(0x1p96F), wide_of(0x1p-16F)), wide_of(-0.0F));
    struct silu_far phi = silu_far_pair(wide_least(wide_of(200), silu_size(g, x)), is_tail);
    struct wide_pair derivative = derivative_of(phi.value, positive);
    wide slope = wide_choose(is_above, wide_of(1), derivative.high + derivative.low);
    wide value = fused(factor, derivative.high, factor * derivative.low);
    value = wide_scaled(value, phi.exponent - power);
    value = wide_choose(is_above, fused(g, missing_above(x), g), value);
    /* What an infinite g or NaN gives, and the sign of a product that became 0. */
    wide plain = wide_absolute(g) + slope + (x - x);
    value = wide_choose(wide_not_finite(g) | wide_not_finite(x), plain, wide_absolute(value));
    return (wide)((wide_bits)value | (((wide_bits)g ^ (wide_bits)slope) & 0x80000000));
}

/* The low bits that rounding to the dtype cuts off normal numbers. */
static inline int bits_cut(enum arithmetic dtype)
{
    return dtype == ARITHMETIC_BF16 ? 16 : 13;
}

/* How many units in the last place of fp32 the results for 16 bits may be off: for the quick way no pair of
 * numbers rounds wrongly that is farther from a tie, as the sweep over all pairs says. */
enum { QUICK_UNITS = 1, ANY_UNITS = 4 };

/*
 * 16 bits, PAIR_LANES at a time: in doubt are x above 20, gradients that are infinite or NaN, results of fp16
 * that are so small that their ties are at other places, and what is next to a tie. Those of bf16 have them
 * at the same places: fp32 is as coarse there.
 */
static inline __attribute__((always_inline)) narrow silu_quick_16(const char *const *source,
                                                                  const void *prepared, struct doubts *doubts)
{
    const bool is_bf16 = doubts->dtype == ARITHMETIC_BF16;
    const int cut = bits_cut(doubts->dtype), up = 16 - cut;
    const uint16_t tie = (uint16_t)((1U << (cut - 1)) + QUICK_UNITS + 1);
    wide g[2], x[2], value[2];
    (void)prepared;
    load_pair(doubts->dtype, source[0], g);
    load_pair(doubts->dtype, source[1], x);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        wide b = wide_absolute(x[i]);
        doubt_above(doubts, 0, (wide_bits)b, 0x41a00000);
        wide phi = silu_phi_of(b, silu_segment(b));
        phi = wide_choose(wide_greater(x[i], wide_of(0)), 1 - phi, phi);
        value[i] = is_bf16 ? wide_any_product(g[i], phi) : g[i] * phi;
    }
    narrow high = high_halves(value), low = low_halves(value),
           finite = is_bf16 ? narrow_load(source[0]) : high;
    doubt_narrow_above(doubts, 0, finite + finite, 0xfeff);
    if (!is_bf16)
        doubt_narrow_below(doubts, 0, high, 0x3880); /* 2^-14 */
    doubt_narrow_above(doubts, 1, (low - tie) << up, (uint16_t)(0x10000 - ((2 * QUICK_UNITS + 2) << up)));
    return is_bf16 ? high + (low >> 15) : narrow_fp16_of_wide(value); /* there is no tie */
}

/* Any number of 16 bits. */
static inline __attribute__((always_inline)) wide silu_any_16(const wide *input, const void *prepared,
                                                              struct doubts *doubts)
{
    const bool is_bf16 = doubts->dtype == ARITHMETIC_BF16;
    const wide g = input[0], x = input[1], size = wide_absolute(x);
    flags is_tail = wide_greater(wide_of(-end_of_segments), x);
    const wide last = wide_of(is_bf16 ? 188 : 60); /* from there on all is 0 */
    wide_ints exponent;
    (void)prepared;
    wide phi = silu_far_phi(wide_least(wide_choose(is_tail, last, wide_of(20)), size), is_tail, &exponent);
    phi = wide_choose(wide_greater(x, wide_of(0)), 1 - phi, phi);
    wide value;
    if (is_bf16) {
        /* In two steps: their product may be less than any float. Where the first loses bits, the result is
         * 0. */
        wide_ints half = exponent >> 1;
        value = wide_any_product(wide_any_product(g, silu_power(half)) * phi, silu_power(exponent - half));
    } else {
        value = g * (phi * silu_power(exponent));
    }
    doubt_tie(doubts, value, ANY_UNITS);
    return wide_choose(wide_not_finite(x), x - x, value);
}

#endif
