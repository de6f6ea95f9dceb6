/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * fp32 results that know on which side of them the exact number lies: rounded to odd, so that whatever has a
 * bit less, a tie of 16 bits or a multiple of one, compares with them as with the exact number.
 */
#ifndef BELAY_SIMD_ODD_H
#define BELAY_SIMD_ODD_H

#include "simd/wide.h"

#if defined(__AVX512F__)
#define CUTS_PRODUCTS 1
#else
#define CUTS_PRODUCTS 0
#endif

/* a + b and a * b cut towards zero where that costs nothing, and rounded to nearest at other levels. */
static inline wide wide_cut_sum(wide a, wide b)
{
#if defined(__AVX512F__)
    return (wide)_mm512_add_round_ps((__m512)a, (__m512)b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
    return a + b;
#endif
}

static inline wide wide_cut_product(wide a, wide b)
{
#if defined(__AVX512F__)
    return (wide)_mm512_mul_round_ps((__m512)a, (__m512)b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
    return a * b;
#endif
}

/*
 * What wide_cut_sum() or wide_cut_product() gave, and the sign of what it lost or 0, as one odd number. NaN
 * and infinities stay as they are.
 */
static inline wide wide_odd(wide cut, wide lost)
{
#if defined(__AVX512F__)
    __mmask16 inexact = _mm512_cmp_ps_mask((__m512)lost, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    return (wide)_mm512_mask_or_epi32((__m512i)cut, inexact, (__m512i)cut, _mm512_set1_epi32(1));
#else
    return wide_round_to_odd(cut, lost);
#endif
}

/* The same for finite numbers that lost no -0; infinities become NaN. */
static inline wide wide_odd_finite(wide cut, wide lost)
{
#if defined(__AVX512F__)
    return (wide)((wide_bits)cut | wide_lesser((wide_bits)lost, wide_bits_of(1)));
#else
    return wide_round_to_odd(cut, lost);
#endif
}

/* value, but never closer to 0 than least; the sign stays. 0 and NaN may become any such number. */
static inline wide wide_keep_off_zero(wide value, float least)
{
    return wide_with_sign_of(wide_greatest(wide_absolute(value), wide_of(least)), value);
}

#if defined(__AVX512F__)
enum { ROUND_DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC };
enum { ROUND_UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC };
enum { ROUND_TO_ZERO = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };

/* Of the two floats around a number the odd one; where it is one of them, both are. */
static inline wide wide_odd_bound(__m512 floor, __m512 ceiling)
{
    __mmask16 floor_is_odd = _mm512_test_epi32_mask((__m512i)floor, _mm512_set1_epi32(1));
    return (wide)_mm512_mask_mov_ps(ceiling, floor_is_odd, floor);
}
#endif

/* a * b, where either or the result may be subnormal: a fused sum with -0, for which some processors that are
 * slow with subnormal products take no longer. */
static inline wide wide_any_product(wide a, wide b)
{
    return fused(a, b, wide_of(-0.0F));
}

/* The same rounded to odd, however little is left of it. */
static inline wide wide_any_odd_product(wide a, wide b)
{
#if defined(__AVX512F__)
    /* The floor of a product that is 0 is -0, which is not odd: the ceiling has the right sign. */
    const __m512 zero = _mm512_set1_ps(-0.0F);
    return wide_odd_bound(_mm512_fmadd_round_ps((__m512)a, (__m512)b, zero, ROUND_DOWN),
                          _mm512_fmadd_round_ps((__m512)a, (__m512)b, zero, ROUND_UP));
#else
    /* Doubles have the product, and the sign of what it loses. */
    doubles first[2], second[2];
    doubles_of_wide(a, first);
    doubles_of_wide(b, second);
    first[0] *= second[0];
    first[1] *= second[1];
    wide value = wide_of_doubles(first);
    doubles_of_wide(value, second);
    for (int i = 0; i < 2; i++) {
        doubles rest = first[i] - second[i];
        second[i] = choose(rest == 0, rest, with_sign_of(broadcast(1), rest));
    }
    wide side = wide_of_doubles(second);
    return wide_choose(wide_not_finite(a) | wide_not_finite(b), value, wide_round_to_odd(value, side));
#endif
}

/*
 * a - b * c rounded to odd, where a and b have 22 bits and c has 11, or b * c is a float; infinities and NaN
 * as they come. A 0 has either sign.
 */
static inline wide wide_odd_rest(wide a, wide b, wide c)
{
#if defined(__AVX512F__)
    return wide_odd_bound(_mm512_fnmadd_round_ps((__m512)b, (__m512)c, (__m512)a, ROUND_DOWN),
                          _mm512_fnmadd_round_ps((__m512)b, (__m512)c, (__m512)a, ROUND_UP));
#else
    /* What the two lose has few bits together: where the difference is small, it loses nothing. */
    wide product = b * c, rest = fused_minus(b, c, product);
    struct wide_pair difference = wide_difference(a, product);
    rest = difference.low - rest;
    rest = wide_choose(wide_is_nan(rest), wide_of(0), rest); /* where something overflowed */
    wide value = difference.high + rest;
    return wide_round_to_odd(value, (difference.high - value) + rest);
#endif
}

/* a - b rounded to odd, for numbers of 16 bits; infinities and NaN as they come. */
static inline wide wide_odd_difference(wide a, wide b)
{
#if defined(__AVX512F__)
    /* What a cut difference lost is at least as much as the last bit of one of the two, which then shows. */
    wide cut = wide_cut_sum(a, -b);
    __mmask16 a_is_off = _mm512_cmp_ps_mask((__m512)(cut + b), (__m512)a, _CMP_NEQ_OQ);
    __mmask16 b_is_off = _mm512_cmp_ps_mask((__m512)(a - cut), (__m512)b, _CMP_NEQ_OQ);
    const __m512i one = _mm512_set1_epi32(1);
    __m512i odd = _mm512_mask_or_epi32((__m512i)cut, a_is_off, (__m512i)cut, one);
    return (wide)_mm512_mask_or_epi32(odd, b_is_off, odd, one);
#else
    struct wide_pair difference = wide_difference(a, b);
    return wide_round_to_odd(difference.high, difference.low);
#endif
}

#if defined(__AVX512F__)
/* Rounded to odd what is not negative, by its floor and its ceiling: the next float, or the same one. */
static inline wide wide_odd_of_bounds(__m512 floor, __m512 ceiling)
{
    /* floor | (ceiling & 1) */
    return (wide)_mm512_ternarylogic_epi32((__m512i)floor, (__m512i)ceiling, _mm512_set1_epi32(1), 0xf8);
}
#endif

/* |a - b| rounded to odd, as a number that is not negative but for -0; infinities and NaN as they come. */
static inline wide wide_odd_distance(wide a, wide b)
{
#if defined(__AVX512F__)
    /* Of an unordered pair these give the second. */
    __m512 greater = _mm512_max_ps((__m512)a, (__m512)b), lesser = _mm512_min_ps((__m512)b, (__m512)a);
    const __m512 one = _mm512_set1_ps(1);
    return wide_odd_of_bounds(_mm512_fmsub_round_ps(greater, one, lesser, ROUND_TO_ZERO),
                              _mm512_fmsub_round_ps(greater, one, lesser, ROUND_UP));
#else
    return wide_absolute(wide_odd_difference(a, b));
#endif
}

/* c - a * b cut towards zero, or rounded to nearest. */
static inline wide wide_cut_fused_from(wide a, wide b, wide c)
{
#if defined(__AVX512F__)
    return (wide)_mm512_fnmadd_round_ps((__m512)a, (__m512)b, (__m512)c, ROUND_TO_ZERO);
#else
    return fused_from(a, b, c);
#endif
}

/* a * b rounded to odd, of numbers that are not negative; where CUTS_PRODUCTS they may be -0, no result is.
 */
static inline wide wide_odd_product(wide a, wide b)
{
#if defined(__AVX512F__)
    const __m512 zero = _mm512_setzero_ps();
    return wide_odd_of_bounds(_mm512_fmadd_round_ps((__m512)a, (__m512)b, zero, ROUND_TO_ZERO),
                              _mm512_fmadd_round_ps((__m512)a, (__m512)b, zero, ROUND_UP));
#else
    wide product = a * b;
    return wide_round_to_odd(product, fused_minus(a, b, product));
#endif
}

/* value where the flag is not set, elsewhere this magnitude with its sign. */
static inline wide wide_magnitude_where(flags flag, wide magnitude, wide value)
{
#if defined(__AVX512F__)
    const __m512i sign = _mm512_set1_epi32((int)0x80000000);
    /* (value & sign) | magnitude */
    return (wide)_mm512_mask_ternarylogic_epi32((__m512i)value, flag, sign, (__m512i)magnitude, 0xea);
#else
    return wide_choose(flag, wide_with_sign_of(magnitude, value), value);
#endif
}

/*
 * value * power / 3, rounded once: the inverse to 48 bits errs by less than what lies between a third of a
 * float and the nearest tie, a sixth of a unit. A third of an infinity is one.
 */
static inline wide wide_third(wide value, float power)
{
    const float high = 0x1.555554p-2F, low = 0x1.555556p-26F; /* of one sign: no infinity meets another */
    return fused(value, wide_of(power * high), value * (power * low));
}

#endif
