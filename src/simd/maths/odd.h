/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * fp32 results that know on which side of them the exact number lies: rounded to odd, so that whatever has a
 * bit less, a tie of 16 bits or a multiple of one, compares with them as with the exact number. A floor and a
 * ceiling give that at once: of two neighbours one is odd, and where they are one number it is exact.
 */
#ifndef BELAY_SIMD_MATHS_ODD_H
#define BELAY_SIMD_MATHS_ODD_H

#include "simd/vector/vector_fp32.h"

#if defined(__AVX512F__)
enum { CUTS_PRODUCTS = 1 };
enum { ROUND_DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC };
enum { ROUND_UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC };
enum { ROUND_TO_ZERO = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };

/* The odd one of two neighbours. Where zeros cancel it is the ceiling, +0, as the floor, -0, is even. */
static inline vector vector_odd_bound(__m512 floor, __m512 ceiling)
{
    __mmask16 floor_is_odd = _mm512_test_epi32_mask((__m512i)floor, _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(ceiling, floor_is_odd, floor);
}
#else
enum { CUTS_PRODUCTS = 0 };
#endif

/* a + b, a * b and c - a * b cut towards zero where that costs nothing, and rounded to nearest elsewhere. */
static inline vector vector_cut_sum(vector a, vector b)
{
    return BY_LEVEL(_mm512_add_round_ps(a, b, ROUND_TO_ZERO), a + b, a + b);
}

static inline vector vector_cut_product(vector a, vector b)
{
    return BY_LEVEL(_mm512_mul_round_ps(a, b, ROUND_TO_ZERO), a * b, a * b);
}

static inline vector vector_cut_fused_from(vector a, vector b, vector c)
{
    return BY_LEVEL(_mm512_fnmadd_round_ps(a, b, c, ROUND_TO_ZERO), fused_from(a, b, c), fused_from(a, b, c));
}

/*
 * What such a cut gave, and the sign of what it lost or 0, as one odd number. NaN and infinities stay as they
 * are.
 */
static inline vector vector_odd(vector cut, vector lost)
{
#if defined(__AVX512F__)
    __mmask16 inexact = _mm512_cmp_ps_mask(lost, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    return (vector)_mm512_mask_or_epi32((__m512i)cut, inexact, (__m512i)cut, _mm512_set1_epi32(1));
#else
    return vector_round_to_odd(cut, lost);
#endif
}

/* value, but never closer to 0 than least; the sign stays. 0 and NaN may become any such number. */
static inline vector vector_keep_off_zero(vector value, float least)
{
    return vector_with_sign_of(vector_greatest(vector_absolute(value), vector_of(least)), value);
}

/* a * b, where either or the result may be subnormal: a fused sum with -0, for which some processors that are
 * slow with subnormal products take no longer. */
static inline vector vector_any_product(vector a, vector b)
{
    return fused(a, b, vector_of(-0.0F));
}

/* a * b rounded to odd, however little is left of it. */
static inline vector vector_any_odd_product(vector a, vector b)
{
#if defined(__AVX512F__)
    const vector zero = vector_of(-0.0F);
    return vector_odd_bound(_mm512_fmadd_round_ps(a, b, zero, ROUND_DOWN),
                            _mm512_fmadd_round_ps(a, b, zero, ROUND_UP));
#else
    /* Doubles have the product, and the sign of what it loses: NaN where the product overflows. */
    doubles product[2], rest[2];
    doubles_of_vector(a, product);
    doubles_of_vector(b, rest);
    for (int i = 0; i < 2; i++)
        product[i] *= rest[i];
    vector value = vector_of_doubles(product);
    doubles_of_vector(value, rest);
    for (int i = 0; i < 2; i++)
        rest[i] =
            choose(product[i] == rest[i], broadcast(0), with_sign_of(broadcast(1), product[i] - rest[i]));
    vector side =
        vector_choose(vector_not_finite(a) | vector_not_finite(b), vector_of(0), vector_of_doubles(rest));
    return vector_round_to_odd(value, side);
#endif
}

/* a * b rounded to odd, for a product whose rest a * b - fl(a * b) is a float. */
static inline vector vector_odd_product(vector a, vector b)
{
    return BY_LEVEL(vector_any_odd_product(a, b), vector_round_to_odd(a * b, fused_minus(a, b, a * b)),
                    vector_round_to_odd(a * b, fused_minus(a, b, a * b)));
}

/*
 * a - b * c rounded to odd, where a and b have 22 bits and c has 11, or b * c is a float; infinities and NaN
 * as they come. A 0 has either sign.
 */
static inline vector vector_odd_rest(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return vector_odd_bound(_mm512_fnmadd_round_ps(b, c, a, ROUND_DOWN),
                            _mm512_fnmadd_round_ps(b, c, a, ROUND_UP));
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
    return vector_odd_bound(_mm512_sub_round_ps(a, b, ROUND_DOWN), _mm512_sub_round_ps(a, b, ROUND_UP));
#else
    struct vector_pair difference = vector_difference(a, b);
    return vector_round_to_odd(difference.high, difference.low);
#endif
}

#endif
