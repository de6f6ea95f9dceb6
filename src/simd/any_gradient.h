/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * multiply_divide() for blocks of fp32 with ordinary gradients beside subnormal ones, or beside infinite ones
 * and NaN. All take the same steps, and only those that are needed for some are masked.
 */
#ifndef BELAY_SIMD_ANY_GRADIENT_H
#define BELAY_SIMD_ANY_GRADIENT_H

#include "simd/quotient.h"

/* What subnormal gradients are multiplied by, and the least normal number in that scale. */
static const float any_raise = 0x1p122F, any_place = 0x1p-4F;

/* Subnormal gradients are at most this many of the least float, as in multiply_divide_counts(). */
static const uint32_t any_most_counts = 0x00555555;

static inline flags any_is_subnormal(wide value)
{
#if defined(__AVX512F__)
    return _mm512_testn_epi32_mask((__m512i)value, _mm512_set1_epi32(0x7f800000));
#else
    return wide_equal_bits((wide_bits)value & 0x7f800000, wide_bits_of(0));
#endif
}

static inline flags any_is_infinite(wide value)
{
#if defined(__AVX512DQ__)
    return _mm512_fpclass_ps_mask((__m512)value, 0x18); /* both infinities */
#else
    return wide_equal_bits((wide_bits)value & 0x7fffffff, wide_bits_of(0x7f800000));
#endif
}

static inline flags any_unordered(wide a, wide b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q);
#else
    return wide_is_nan(a) | wide_is_nan(b);
#endif
}

/*
 * g raised where it is small; what its quotient starts with, so that the last place is that of subnormal
 * numbers there; and what comes of that. Compilers do not find these masks by themselves.
 */
static inline wide any_raised(flags is_small, wide g)
{
    /* A fused sum: some processors take long for a product of a subnormal number. */
#if defined(__AVX512F__)
    return (wide)_mm512_mask_fmadd_ps((__m512)g, is_small, _mm512_set1_ps(any_raise), _mm512_set1_ps(-0.0F));
#else
    return wide_choose(is_small, fused(g, wide_of(any_raise), wide_of(-0.0F)), g);
#endif
}

static inline wide any_start(flags is_small, wide product)
{
#if defined(__AVX512F__)
    const __m512i sign = _mm512_set1_epi32((int)0x80000000), place = (__m512i)_mm512_set1_ps(any_place);
    return (wide)_mm512_mask_ternarylogic_epi32(sign, is_small, (__m512i)product, place, 0xea);
#else
    return wide_choose(is_small, wide_with_sign_of(wide_of(any_place), product), wide_of(-0.0F));
#endif
}

static inline wide any_counts(flags is_small, wide result, wide start, wide product)
{
#if defined(__AVX512F__)
    const __m512i sign = _mm512_set1_epi32((int)0x80000000);
    __m512i counts = _mm512_mask_sub_epi32((__m512i)result, is_small, (__m512i)result, (__m512i)start);
    return (wide)_mm512_mask_ternarylogic_epi32(counts, is_small, (__m512i)product, sign, 0xf8);
#else
    wide counts = wide_with_sign_of((wide)((wide_bits)result - (wide_bits)start), product);
    return wide_choose(is_small, counts, result);
#endif
}

/* Which of them a block may have: blocks with both kinds are rare, and either takes its time. */
enum any_kind { ANY_SMALL = 3, ANY_SPECIAL };

/*
 * |b / divisor| is at most 3/2. In doubt are gradients between those whose results are all subnormal and
 * those that multiply_divide() takes, and all that overflows. *whole: the product.
 */
static inline __attribute__((always_inline)) wide multiply_divide_any(wide g, struct wide_pair b,
                                                                      struct wide_divisor divisor,
                                                                      wide *whole, struct doubts *doubts)
{
    const bool has_small = doubts->extreme == ANY_SMALL;
    const flags is_small = any_is_subnormal(g);
    wide a = g, place = wide_of(-0.0F);
    if (has_small) {
        /* 0 and what is so small comes out above all. */
        wide_bits order = ((wide_bits)g + (wide_bits)g) - 2 * (any_most_counts + 1);
        doubts->least = wide_lesser(doubts->least, order);
        a = any_raised(is_small, g);
    } else {
        doubt_small(doubts, g);
    }
    wide product = a * b.high, rest = fused(a, b.low, fused_minus(a, b.high, product));
    wide start = product * divisor.inverse, quotient = start;
    if (has_small) {
        place = any_start(is_small, product);
        start = fused(product, wide_of(divisor.inverse), place);
        quotient = start - place;
    }
    wide excess = excess_of(quotient, product, divisor) - rest;
    wide result = fused_from(excess, wide_of(divisor.inverse * (1 - 0x1p-18F)), start);
    wide difference = result - fused_from(excess, wide_of(divisor.inverse * (1 + 0x1p-18F)), start);
    *whole = product;
    if (has_small) {
        doubts->differing |= (wide_bits)difference;
        return any_counts(is_small, result, place, product);
    }
    const flags is_nan = any_unordered(product, b.low), is_infinite = any_is_infinite(g);
    doubts->differing |= (wide_bits)wide_choose(is_nan | is_infinite, wide_of(0), difference);
    result = wide_choose(is_infinite, product, result);
    return wide_choose(is_nan, (wide)wide_bits_of(0x7fc00000), result);
}

#endif
