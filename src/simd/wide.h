/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole registers of floats with a fused multiply-add, and what the fast ways in fp32 are made of. Levels
 * without that instruction do the same in doubles, exactly but slowly.
 */
#ifndef BELAY_SIMD_WIDE_H
#define BELAY_SIMD_WIDE_H

#include <string.h>

#include "simd/exact.h"
#include "simd/rounding.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { WIDE_LANES = 2 * LANES };

typedef float wide __attribute__((vector_size(WIDE_LANES * 4)));
typedef uint32_t wide_bits __attribute__((vector_size(WIDE_LANES * 4)));
typedef int32_t wide_ints __attribute__((vector_size(WIDE_LANES * 4)));

#if defined(__FMA__) || defined(__aarch64__)
#define FUSED_IS_FAST 1
#else
#define FUSED_IS_FAST 0
#endif

/* One truth per lane. */
#if defined(__AVX512F__)
typedef __mmask16 flags;
#else
typedef wide_ints flags;
#endif

static inline wide_bits wide_bits_of(uint32_t value)
{
    return (wide_bits){0} + value;
}

static inline wide wide_of(float value)
{
    uint32_t bits; /* 0 + value would be a sum of floats, which turns -0 into 0 */
    memcpy(&bits, &value, sizeof bits);
    return (wide)wide_bits_of(bits);
}

/* a * b + c, rounded once. */
static inline wide fused(wide a, wide b, wide c)
{
#if defined(__AVX512F__)
    return (wide)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (wide)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    /* The product is exact in doubles; the sum is rounded to odd there, so that rounding it again is
     * harmless. */
    floats part[3][2], result[2];
    memcpy(part[0], &a, sizeof a);
    memcpy(part[1], &b, sizeof b);
    memcpy(part[2], &c, sizeof c);
    for (int i = 0; i < 2; i++) {
        doubles product =
            __builtin_convertvector(part[0][i], doubles) * __builtin_convertvector(part[1][i], doubles);
        struct pair sum = two_sum(product, __builtin_convertvector(part[2][i], doubles));
        doubles odd = round_to_odd(sum.high, choose(sum.low == sum.low, sum.low, broadcast(0)));
        result[i] = __builtin_convertvector(odd, floats);
    }
    wide whole;
    memcpy(&whole, result, sizeof whole);
    return whole;
#endif
}

/* a * b - c and c - a * b: compilers do not always find these from fused() and a sign. */
static inline wide fused_minus(wide a, wide b, wide c)
{
#if defined(__AVX512F__)
    return (wide)_mm512_fmsub_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (wide)_mm256_fmsub_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return fused(a, b, -c);
#endif
}

static inline wide fused_from(wide a, wide b, wide c)
{
#if defined(__AVX512F__)
    return (wide)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (wide)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return fused(-a, b, c);
#endif
}

static inline flags wide_greater(wide a, wide b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
#else
    return (flags)(a > b);
#endif
}

static inline flags wide_equal(wide a, wide b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ);
#else
    return (flags)(a == b);
#endif
}

static inline flags wide_is_nan(wide a)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_UNORD_Q);
#else
    return (flags)(a != a);
#endif
}

/* yes where the flag is set, no elsewhere. */
static inline wide wide_choose(flags flag, wide yes, wide no)
{
#if defined(__AVX512F__)
    return (wide)_mm512_mask_mov_ps((__m512)no, flag, (__m512)yes);
#elif defined(__AVX2__)
    return (wide)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)flag);
#else
    return (wide)((flag & (wide_ints)yes) | (~flag & (wide_ints)no));
#endif
}

static inline bool wide_any(wide_bits bits)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)bits, (__m512i)bits) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)bits, (__m256i)bits);
#else
    uint64_t half[2];
    memcpy(half, &bits, sizeof half);
    return (half[0] | half[1]) != 0;
#endif
}

static inline wide_bits wide_lesser(wide_bits a, wide_bits b)
{
#if defined(__AVX512F__)
    return (wide_bits)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (wide_bits)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
    wide_bits less = (wide_bits)(a < b);
    return (less & a) | (~less & b);
#endif
}

static inline wide wide_absolute(wide value)
{
    return (wide)((wide_bits)value & 0x7fffffff);
}

/* value cut to [-limit, limit]; NaN stays NaN. */
static inline wide wide_clamp(wide value, wide limit)
{
#if defined(__AVX512F__)
    /* Of an unordered pair these give the second. */
    value = (wide)_mm512_min_ps((__m512)limit, (__m512)value);
    return (wide)_mm512_max_ps((__m512)(-limit), (__m512)value);
#elif defined(__AVX2__)
    value = (wide)_mm256_min_ps((__m256)limit, (__m256)value);
    return (wide)_mm256_max_ps((__m256)(-limit), (__m256)value);
#else
    value = wide_choose(wide_greater(value, limit), limit, value);
    return wide_choose(wide_greater(-limit, value), -limit, value);
#endif
}

/* Every NaN as the canonical one. */
static inline wide wide_canonical(wide value)
{
    return wide_choose(wide_is_nan(value), (wide)wide_bits_of(0x7fc00000), value);
}

/* a - b exactly as the sum of a rounded difference and a rest, for numbers whose difference is one. */
struct wide_pair {
    wide high, low;
};

static inline struct wide_pair wide_difference(wide a, wide b)
{
    wide high = a - b, part = high - a;
    return (struct wide_pair){high, (a - (high - part)) - (b + part)};
}

/* A divisor of 48 bits and about its inverse. */
struct wide_divisor {
    float high, low, inverse;
};

static inline struct wide_divisor wide_divisor_of(double divisor)
{
    float high = (float)divisor;
    return (struct wide_divisor){high, (float)(divisor - (double)high), (float)(1 / divisor)};
}

/* What makes the results of several vectors doubtful: gathered with few instructions, asked once. */
struct doubts {
    bool nan_is_expected; /* a constant: NaN from NaN is no doubt, and is made canonical */
    wide_bits differing;  /* not 0 where a result is not settled */
    wide_bits least;      /* the least of what must not be small, as magnitude_order() */
};

/*
 * a * (b.high + b.low) / divisor, rounded once, where b.low is at most a unit in the last place of b.high.
 * The quotient is corrected by its remainder, which is known to 2^-20 of a unit at least; a result that a
 * change of twice that could change is in doubt. This takes a product of 2^-100 or more, or none at all: the
 * caller reports small factors. What overflows is in doubt.
 */
static inline wide multiply_divide(wide a, struct wide_pair b, struct wide_divisor divisor,
                                   struct doubts *doubts)
{
    wide product = a * b.high;
    wide rest = fused(a, b.low, fused_minus(a, b.high, product));
    wide quotient = product * divisor.inverse;
    wide excess = fused_minus(wide_of(divisor.high), quotient, product);
    if (divisor.low != 0)
        excess = fused(wide_of(divisor.low), quotient, excess);
    excess -= rest;
    /* Subtracted, not added: a zero keeps its sign. The exact result lies between these two before rounding.
     */
    wide low = fused_from(excess, wide_of(divisor.inverse * (1 - 0x1p-18F)), quotient);
    wide high = fused_from(excess, wide_of(divisor.inverse * (1 + 0x1p-18F)), quotient);
    wide difference = low - high; /* NaN where either is infinite or NaN */
    if (doubts->nan_is_expected)
        difference = wide_choose(wide_is_nan(product), wide_of(0), difference);
    doubts->differing |= (wide_bits)difference;
    return low;
}

static const uint32_t smallest_factor = 0x26800000; /* 2^-50 */

/* Magnitudes in their order but with 0 above all: what is 0 is exact. */
static inline wide_bits magnitude_order(wide value)
{
    return ((wide_bits)value + (wide_bits)value) - 1;
}

static inline void doubt_small(struct doubts *doubts, wide value)
{
    doubts->least = wide_lesser(doubts->least, magnitude_order(value));
}

static inline bool doubtful(struct doubts doubts)
{
    wide_bits bound = wide_bits_of(2 * smallest_factor - 1);
    return wide_any(doubts.differing | (wide_bits)(wide_lesser(doubts.least, bound) != bound));
}

#endif
