/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * g s'(x) of silu: in fp32 within 0.86 units in the last place, and for 16 bits with a few units of error,
 * which count only next to a tie.
 */
#ifndef BELAY_SIMD_SILU_GRADIENT_H
#define BELAY_SIMD_SILU_GRADIENT_H

#include "simd/evaluation.h"
#include "simd/gradient_fp32.h"
#include "simd/odd.h"
#include "simd/silu_derivative.h"

/* Beyond this the segments end. */
static const float end_of_segments = 20;

/* Ordinary numbers are not beyond the segments, and their gradients neither 0, infinite, NaN, nor below
 * 2^-50: products of two such factors are far from the end of fp32. */
static inline __attribute__((always_inline)) vector silu_quick(vector g, vector x,
                                                               struct unsettled *unsettled)
{
    const uint32_t infinity = 0x7f800000, least = smallest_factor, end = 0x41a00000;
    vector size = vector_absolute(x);
    unsettled_above(unsettled, (vector_bits)size, end);
    unsettled_above(unsettled, (vector_bits)g + (vector_bits)g - 2 * least, 2 * (infinity - least) - 1);
    struct vector_pair derivative = derivative_of(silu_phi_pair(size), vector_greater(x, vector_of(0)));
    return fused(g, derivative.high, g * derivative.low);
}

/* 1 - s'(x) for x > 20 as products in fp32 need it. */
static inline vector missing_above(vector x)
{
    const float limit = 0x1.449c58p4F;
    return vector_choose(vector_greater(x, vector_of(limit)), vector_of(0x1p-40F), vector_of(0x1.28p-25F));
}

/*
 * Any number, by the same steps as the quick way, so with the same bits. A gradient is taken up or down so
 * far that nothing but the result is small or large. Above 20 s'(x) is 1 and at most 0.66 * 2^-24: the
 * product is within 0.58 units in the last place, and an infinity where the exact one rounds to one.
 */
static inline __attribute__((always_inline)) vector silu_any(vector g, vector x)
{
    const vector end = vector_of(end_of_segments);
    flags is_raised = vector_greater(vector_of(1), vector_absolute(g)), is_above = vector_greater(x, end);
    flags is_tail = vector_greater(-end, x), positive = vector_greater(x, vector_of(0));
    vector power = vector_choose(is_raised, vector_of(96), vector_of(-16));
    /* A fused sum: some processors take long for a product of a subnormal number. */
    vector factor =
        fused(g, vector_choose(is_raised, vector_of(0x1p96F), vector_of(0x1p-16F)), vector_of(-0.0F));
    const vector size = vector_least(vector_of(200), gradient_size(g, x));
    struct far_phi phi = {.exponent = vector_of(0)};
    if (vector_any_flag(is_tail))
        phi = silu_far_pair(size, vector_of(0), false, is_tail);
    else
        phi.value = silu_phi_pair(size);
    struct vector_pair derivative = derivative_of(phi.value, positive);
    vector slope = vector_choose(is_above, vector_of(1), derivative.high + derivative.low);
    vector value = fused(factor, derivative.high, factor * derivative.low);
    value = vector_scaled(value, phi.exponent - power);
    value = vector_choose(is_above, fused(g, missing_above(x), g), value);
    /* What an infinite g or NaN gives, and the sign of a product that became 0. */
    vector plain = vector_absolute(g) + slope + (x - x);
    value = vector_choose(vector_not_finite(g) | vector_not_finite(x), plain, vector_absolute(value));
    return (vector)((vector_bits)value | (((vector_bits)g ^ (vector_bits)slope) & 0x80000000));
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
        unsettled_above(unsettled, (vector_bits)b, 0x41a00000);
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

/* Any number of 16 bits. */
static VECTOR_WAY silu_any_16(WAY)
{
    const bool is_bf16 = unsettled->dtype == ARITHMETIC_BF16;
    const vector g = input[0], x = input[1], size = vector_absolute(x);
    flags is_tail = vector_greater(vector_of(-end_of_segments), x);
    const vector last = vector_of(is_bf16 ? 188 : 60); /* from there on all is 0 */
    vector_ints exponent;
    vector phi =
        silu_far_phi(vector_least(vector_choose(is_tail, last, vector_of(20)), size), is_tail, &exponent);
    phi = vector_choose(vector_greater(x, vector_of(0)), 1 - phi, phi);
    vector value;
    if (is_bf16) {
        /* In two steps: their product may be less than any float. Where the first loses bits, the result is
         * 0. */
        vector_ints half = exponent >> 1;
        value =
            vector_any_product(vector_any_product(g, silu_power(half)) * phi, silu_power(exponent - half));
    } else {
        value = g * (phi * silu_power(exponent));
    }
    unsettled_tie(unsettled, value, ANY_UNITS);
    return vector_choose(vector_not_finite(x), x - x, value);
}

#endif
