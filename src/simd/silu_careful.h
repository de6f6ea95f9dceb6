/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * SiluBackward in 16 bits for any gradient and any x: the careful way, and the thorough one for what is in
 * doubt even then. What ordinary blocks take is simd/silu_narrow.h.
 */
#ifndef BELAY_SIMD_SILU_CAREFUL_H
#define BELAY_SIMD_SILU_CAREFUL_H

#include "simd/exact.h"
#include "simd/silu_extreme.h"
#include "simd/silu_narrow.h"
#include "simd/small_product.h"

/* g s'(x) is value + rest, |rest| at most about half a unit of value, both times 2^exponent. */
struct scaled {
    wide value, rest;
    wide_ints exponent;
    wide slope; /* has the sign of s'(x) */
};

/* A gradient as fraction * 2^exponent, 1 <= |fraction| < 2; for 0 with an exponent below all others. */
struct gradient {
    wide fraction;
    wide_ints exponent;
};

static inline bool has_small_results(const struct doubts *doubts)
{
    return doubts->dtype != ARITHMETIC_FP16 && doubts->extreme != NOTHING_EXTREME;
}

/* In integers: arithmetic with subnormal numbers is slow. Where no result is small, g itself. */
static inline struct gradient gradient_of(wide g, const struct doubts *doubts)
{
    if (!has_small_results(doubts))
        return (struct gradient){g, wide_ints_of(0)};
#if defined(__AVX512F__)
    __m512 exponent = _mm512_max_ps(_mm512_getexp_ps((__m512)g), _mm512_set1_ps(-276)); /* not that of 0 */
    wide fraction = (wide)_mm512_getmant_ps((__m512)g, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
    return (struct gradient){fraction, (wide_ints)_mm512_cvttps_epi32(exponent)};
#else
    wide magnitude = wide_absolute(g);
    flags subnormal = wide_less_ints((wide_ints)magnitude, wide_ints_of(0x00800000));
    magnitude = wide_choose(subnormal, wide_from_ints((wide_ints)magnitude), magnitude);
    wide fraction = wide_with_sign_of((wide)(((wide_bits)magnitude & 0x007fffff) | 0x3f800000), g);
    wide_ints exponent = (wide_ints)magnitude >> 23;
    exponent -= (wide_ints)wide_choose(subnormal, (wide)wide_bits_of(127 + 149), (wide)wide_bits_of(127));
    return (struct gradient){fraction, exponent};
#endif
}

/* For every finite g and x. Where there are small results, 2^-40 < |value| < 4, elsewhere exponent = 0. */
static inline __attribute__((always_inline)) struct scaled scaled_product(wide g, wide x,
                                                                          const struct doubts *doubts)
{
    const bool has_small = has_small_results(doubts);
    struct gradient gradient = gradient_of(g, doubts);
    wide size = wide_absolute(x), fraction = gradient.fraction, b = size;
    wide_ints exponent = gradient.exponent;
    if (doubts->extreme >= FAR)
        b = wide_least(wide_of(end_of_segments), size);
    struct wide_pair phi = silu_phi_pair(b);
    if (doubts->extreme >= FAR) {
        flags beyond = wide_greater(size, wide_of(end_of_segments));
        struct silu_tail tail =
            silu_tail_pair(wide_least(wide_of(doubts->dtype == ARITHMETIC_FP16 ? 60 : 200), size));
        /* Above the segments phi(b) is only compared with 1. */
        wide power = silu_power(wide_greatest_ints(tail.exponent, wide_ints_of(-90)));
        if (has_small) {
            flags below = wide_greater(wide_of(-end_of_segments), x);
            exponent += (wide_ints)wide_choose(below, (wide)tail.exponent, wide_of(0));
            power = wide_choose(below, wide_of(1), power);
        }
        phi.high = wide_choose(beyond, tail.value.high * power, phi.high);
        phi.low = wide_choose(beyond, tail.value.low * power, phi.low);
    }
    struct wide_pair derivative = derivative_of(phi, wide_greater(x, wide_of(0)));
    wide small = fraction * derivative.low, value = fused(fraction, derivative.high, small);
    wide rest = fused_minus(fraction, derivative.high, value) + small;
    return (struct scaled){value, rest, exponent, derivative.high + derivative.low};
}

/* s'(x) within about three units, times 2^exponent for x < -20 where there are small results. */
static inline wide about_derivative(wide x, wide_ints *exponent, const struct doubts *doubts)
{
    wide size = wide_absolute(x);
    if (doubts->extreme < FAR)
        return silu_phi(size);
    flags below = wide_greater(wide_of(-end_of_segments), x);
    struct silu_tail tail = silu_tail(wide_least(wide_of(doubts->dtype == ARITHMETIC_FP16 ? 60 : 200), size));
    if (doubts->extreme == BELOW)
        below = wide_all();
    if (has_small_results(doubts))
        *exponent += (wide_ints)wide_choose(below, (wide)tail.exponent, wide_of(0));
    else
        tail.value.high *= silu_power(tail.exponent);
    /* Above the segments so little is missing of 1 that g s'(x) is next to g, which is no tie. */
    return wide_choose(below, tail.value.high, silu_phi(wide_least(wide_of(end_of_segments), size)));
}

/* 16 bits: as silu_block(), for all numbers. */
static inline __attribute__((always_inline)) wide careful_narrow(wide g, wide x, struct doubts *doubts)
{
    if (doubts->extreme == ABOVE)
        return product_above(g, x);
    wide_ints exponent = wide_ints_of(0);
    flags positive = wide_greater(x, wide_of(0));
    if (doubts->extreme == BELOW)
        positive = ~wide_all();
    wide phi = about_derivative(x, &exponent, doubts);
    struct raised gradient = {g, wide_bits_of(0)};
    if (has_small_results(doubts))
        gradient = raised_gradient(g, exponent, doubts->extreme >= FAR);
    wide factor = gradient.factor, slope = wide_choose(positive, wide_of(1), phi);
    wide value = wide_choose(positive, fused_from(factor, phi, factor), factor * phi);
    if (doubts->dtype == ARITHMETIC_FP16) {
        /* The place of a tie depends on the exponent where results are subnormal: round both ends. */
        wide_halves low = wide_to_fp16(value * (1 - TIE_UNITS * 0x1p-24F));
        wide_halves high = wide_to_fp16(value * (1 + TIE_UNITS * 0x1p-24F));
        doubts->differing |= __builtin_convertvector(low ^ high, wide_bits);
        return completed(value, g, x, slope, doubts);
    }
    if (has_small_results(doubts))
        value = lowered(value, gradient.scale, -149, doubts->extreme >= FAR);
    doubt_above(doubts, TIE, distance_of_tie(value, ARITHMETIC_BF16, TIE_UNITS),
                no_tie(ARITHMETIC_BF16, TIE_UNITS));
    return completed(value, g, x, slope, doubts);
}

/*
 * The product as a float rounded to odd, which then rounds to 16 bits as the exact one does. In doubt where
 * that is next to a tie but not on a side of it that the error of the pair leaves certain.
 */
static inline __attribute__((always_inline)) wide thorough_narrow(wide g, wide x, struct doubts *doubts)
{
    const int cut = bits_cut(doubts->dtype);
    struct scaled product = scaled_product(g, x, doubts);
    wide_bits bits = (wide_bits)product.value;
    flags unsure =
        wide_greater(wide_absolute(product.value) * (0.4F * 0x1p-24F), wide_absolute(product.rest));
    /* s'(0) is exact. */
    unsure &= wide_greater(wide_absolute(x), wide_of(0));
    product.value = wide_round_to_odd(product.value, product.rest);
    const bool has_small = doubts->dtype == ARITHMETIC_BF16 && doubts->extreme != NOTHING_EXTREME;
    wide result = product.value;
    if (has_small)
        result = lowered(product.value, scale_of(product.exponent), -133, true);
    /* Subnormal results have ties at more places. */
    const wide smallest = wide_of(doubts->dtype == ARITHMETIC_BF16 ? 0x1p-126F : 0x1p-14F);
    flags tie = wide_equal_bits(bits << (32 - cut), wide_bits_of(1U << 31));
    flags small_tie = wide_equal_bits(bits << (33 - cut), wide_bits_of(0));
    if (doubts->dtype == ARITHMETIC_FP16 || has_small)
        tie |= small_tie & wide_less_ints((wide_ints)wide_absolute(result), (wide_ints)smallest);
    doubts->differing |= (wide_bits)wide_choose(unsure & tie, wide_of(1), wide_of(0));
    return completed(result, g, x, product.slope, doubts);
}

static inline __attribute__((always_inline)) wide fast_narrow(const wide *input, const void *prepared,
                                                              struct doubts *doubts)
{
    (void)prepared;
    return doubts->extreme == ANYTHING ? thorough_narrow(input[0], input[1], doubts)
                                       : careful_narrow(input[0], input[1], doubts);
}

#endif
