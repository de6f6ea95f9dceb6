/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * fp32 results that know on which side of them the exact number lies: rounded to odd, so that whatever has a
 * bit less, a tie of 16 bits or a multiple of one, compares with them as with the exact number.
 */
#ifndef BELAY_SIMD_ODD_H
#define BELAY_SIMD_ODD_H

#include "simd/vector_fp32.h"

#if defined(__AVX512F__)
#define CUTS_PRODUCTS 1
#else
#define CUTS_PRODUCTS 0
#endif

/* a + b and a * b cut towards zero where that costs nothing, and rounded to nearest at other levels. */
static inline vector vector_cut_sum(vector a, vector b)
{
#if defined(__AVX512F__)
    return (vector)_mm512_add_round_ps((__m512)a, (__m512)b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
    return a + b;
#endif
}

static inline vector vector_cut_product(vector a, vector b)
{
#if defined(__AVX512F__)
    return (vector)_mm512_mul_round_ps((__m512)a, (__m512)b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
    return a * b;
#endif
}

/*
 * What vector_cut_sum() or vector_cut_product() gave, and the sign of what it lost or 0, as one odd number.
 * NaN and infinities stay as they are.
 */
static inline vector vector_odd(vector cut, vector lost)
{
#if defined(__AVX512F__)
    __mmask16 inexact = _mm512_cmp_ps_mask((__m512)lost, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    return (vector)_mm512_mask_or_epi32((__m512i)cut, inexact, (__m512i)cut, _mm512_set1_epi32(1));
#else
    return vector_round_to_odd(cut, lost);
#endif
}

/* The same for finite numbers that lost no -0; infinities become NaN. */
static inline vector vector_odd_finite(vector cut, vector lost)
{
#if defined(__AVX512F__)
    return (vector)((vector_bits)cut | vector_lesser((vector_bits)lost, vector_bits_of(1)));
#else
    return vector_round_to_odd(cut, lost);
#endif
}

/* value, but never closer to 0 than least; the sign stays. 0 and NaN may become any such number. */
static inline vector vector_keep_off_zero(vector value, float least)
{
    return vector_with_sign_of(vector_greatest(vector_absolute(value), vector_of(least)), value);
}

#if defined(__AVX512F__)
enum { ROUND_DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC };
enum { ROUND_UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC };
enum { ROUND_TO_ZERO = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };

/* Of the two floats around a number the odd one; where it is one of them, both are. */
static inline vector vector_odd_bound(__m512 floor, __m512 ceiling)
{
    __mmask16 floor_is_odd = _mm512_test_epi32_mask((__m512i)floor, _mm512_set1_epi32(1));
    return (vector)_mm512_mask_mov_ps(ceiling, floor_is_odd, floor);
}
#endif

/* a * b, where either or the result may be subnormal: a fused sum with -0, for which some processors that are
 * slow with subnormal products take no longer. */
static inline vector vector_any_product(vector a, vector b)
{
    return fused(a, b, vector_of(-0.0F));
}

/* The same rounded to odd, however little is left of it. */
static inline vector vector_any_odd_product(vector a, vector b)
{
#if defined(__AVX512F__)
    /* The floor of a product that is 0 is -0, which is not odd: the ceiling has the right sign. */
    const __m512 zero = _mm512_set1_ps(-0.0F);
    return vector_odd_bound(_mm512_fmadd_round_ps((__m512)a, (__m512)b, zero, ROUND_DOWN),
                            _mm512_fmadd_round_ps((__m512)a, (__m512)b, zero, ROUND_UP));
#else
    /* Doubles have the product, and the sign of what it loses. */
    doubles first[2], second[2];
    doubles_of_vector(a, first);
    doubles_of_vector(b, second);
    first[0] *= second[0];
    first[1] *= second[1];
    vector value = vector_of_doubles(first);
    doubles_of_vector(value, second);
    for (int i = 0; i < 2; i++) {
        doubles rest = first[i] - second[i];
        second[i] = choose(rest == 0, rest, with_sign_of(broadcast(1), rest));
    }
    vector side = vector_of_doubles(second);
    return vector_choose(vector_not_finite(a) | vector_not_finite(b), value,
                         vector_round_to_odd(value, side));
#endif
}

/*
 * a - b * c rounded to odd, where a and b have 22 bits and c has 11, or b * c is a float; infinities and NaN
 * as they come. A 0 has either sign.
 */
static inline vector vector_odd_rest(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return vector_odd_bound(_mm512_fnmadd_round_ps((__m512)b, (__m512)c, (__m512)a, ROUND_DOWN),
                            _mm512_fnmadd_round_ps((__m512)b, (__m512)c, (__m512)a, ROUND_UP));
#else
    /* What the two lose has few bits together: where the difference is small, it loses nothing. */
    vector product = b * c, rest = fused_minus(b, c, product);
    struct vector_pair difference = vector_difference(a, product);
    rest = difference.low - rest;
    rest = vector_choose(vector_is_nan(rest), vector_of(0), rest); /* where something overflowed */
    vector value = difference.high + rest;
    return vector_round_to_odd(value, (difference.high - value) + rest);
#endif
}

/* a - b rounded to odd, for numbers of 16 bits; infinities and NaN as they come. */
static inline vector vector_odd_difference(vector a, vector b)
{
#if defined(__AVX512F__)
    /* What a cut difference lost is at least as much as the last bit of one of the two, which then shows. */
    vector cut = vector_cut_sum(a, -b);
    __mmask16 a_is_off = _mm512_cmp_ps_mask((__m512)(cut + b), (__m512)a, _CMP_NEQ_OQ);
    __mmask16 b_is_off = _mm512_cmp_ps_mask((__m512)(a - cut), (__m512)b, _CMP_NEQ_OQ);
    const __m512i one = _mm512_set1_epi32(1);
    __m512i odd = _mm512_mask_or_epi32((__m512i)cut, a_is_off, (__m512i)cut, one);
    return (vector)_mm512_mask_or_epi32(odd, b_is_off, odd, one);
#else
    struct vector_pair difference = vector_difference(a, b);
    return vector_round_to_odd(difference.high, difference.low);
#endif
}

#if defined(__AVX512F__)
/* Rounded to odd what is not negative, by its floor and its ceiling: the next float, or the same one. */
static inline vector vector_odd_of_bounds(__m512 floor, __m512 ceiling)
{
    /* floor | (ceiling & 1) */
    return (vector)_mm512_ternarylogic_epi32((__m512i)floor, (__m512i)ceiling, _mm512_set1_epi32(1), 0xf8);
}
#endif

/* |a - b| rounded to odd, as a number that is not negative but for -0; infinities and NaN as they come. */
static inline vector vector_odd_distance(vector a, vector b)
{
#if defined(__AVX512F__)
    /* Of an unordered pair these give the second. */
    __m512 greater = _mm512_max_ps((__m512)a, (__m512)b), lesser = _mm512_min_ps((__m512)b, (__m512)a);
    const __m512 one = _mm512_set1_ps(1);
    return vector_odd_of_bounds(_mm512_fmsub_round_ps(greater, one, lesser, ROUND_TO_ZERO),
                                _mm512_fmsub_round_ps(greater, one, lesser, ROUND_UP));
#else
    return vector_absolute(vector_odd_difference(a, b));
#endif
}

/* c - a * b cut towards zero, or rounded to nearest. */
static inline vector vector_cut_fused_from(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fnmadd_round_ps((__m512)a, (__m512)b, (__m512)c, ROUND_TO_ZERO);
#else
    return fused_from(a, b, c);
#endif
}

/* a * b rounded to odd, of numbers that are not negative; where CUTS_PRODUCTS they may be -0, no result is.
 */
static inline vector vector_odd_product(vector a, vector b)
{
#if defined(__AVX512F__)
    const __m512 zero = _mm512_setzero_ps();
    return vector_odd_of_bounds(_mm512_fmadd_round_ps((__m512)a, (__m512)b, zero, ROUND_TO_ZERO),
                                _mm512_fmadd_round_ps((__m512)a, (__m512)b, zero, ROUND_UP));
#else
    vector product = a * b;
    return vector_round_to_odd(product, fused_minus(a, b, product));
#endif
}

/* value where the flag is not set, elsewhere this magnitude with its sign. */
static inline vector vector_magnitude_where(flags flag, vector magnitude, vector value)
{
#if defined(__AVX512F__)
    const __m512i sign = _mm512_set1_epi32((int)0x80000000);
    /* (value & sign) | magnitude */
    return (vector)_mm512_mask_ternarylogic_epi32((__m512i)value, flag, sign, (__m512i)magnitude, 0xea);
#else
    return vector_choose(flag, vector_with_sign_of(magnitude, value), value);
#endif
}

/*
 * value * power / 3, rounded once: the inverse to 48 bits errs by less than what lies between a third of a
 * float and the nearest tie, a sixth of a unit. A third of an infinity is one.
 */
static inline vector vector_third(vector value, float power)
{
    const float high = 0x1.555554p-2F, low = 0x1.555556p-26F; /* of one sign: no infinity meets another */
    return fused(value, vector_of(power * high), value * (power * low));
}

#endif
