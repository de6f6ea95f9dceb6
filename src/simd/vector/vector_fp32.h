/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole registers of floats with a fused multiply-add, and what the fast ways in fp32 are made of. Levels
 * without that instruction do the same in doubles, exactly but slowly.
 */
#ifndef BELAY_SIMD_VECTOR_VECTOR_FP32_H
#define BELAY_SIMD_VECTOR_VECTOR_FP32_H

#include <string.h>

#include "simd/vector/exact.h"
#include "simd/vector/rounding.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { VECTOR_LANES = 2 * LANES };

typedef float vector __attribute__((vector_size(VECTOR_LANES * 4)));
typedef uint32_t vector_bits __attribute__((vector_size(VECTOR_LANES * 4)));
typedef int32_t vector_ints __attribute__((vector_size(VECTOR_LANES * 4)));

/* One of three expressions; the others are not even read. flags: one truth per lane. */
#if defined(__AVX512F__)
#define BY_LEVEL(avx512, avx2, other) (avx512)
typedef __mmask16 flags;
#elif defined(__AVX2__)
#define BY_LEVEL(avx512, avx2, other) (avx2)
typedef vector_ints flags;
#else
#define BY_LEVEL(avx512, avx2, other) (other)
typedef vector_ints flags;
#endif

#if defined(__FMA__) || defined(__aarch64__)
#define FUSED_IS_FAST 1
#else
#define FUSED_IS_FAST 0
#endif

/* How a function is defined that is made of fused products: where each of these is a call, a copy of it for
 * every loop would be no faster than one that all call, only tens of kilobytes larger. */
#if FUSED_IS_FAST
#define INLINE_IF_FUSED inline __attribute__((always_inline))
#else
#define INLINE_IF_FUSED __attribute__((noinline))
#endif

/* One number in all lanes: bits, integers or a float. */
static inline vector_bits vector_bits_of(uint32_t value)
{
    return (vector_bits){0} + value;
}

static inline vector_ints vector_ints_of(int32_t value)
{
    return (vector_ints){0} + value;
}

static inline vector vector_of(float value)
{
    uint32_t bits; /* 0 + value would be a sum of floats, which turns -0 into 0 */
    memcpy(&bits, &value, sizeof bits);
    return (vector)vector_bits_of(bits);
}

/* The first half of a register as doubles and the second, and back: through memory, which gcc makes of plain
 * copies, what is read would wait for what is written. */
static inline void doubles_of_vector(vector value, doubles *part)
{
    floats half[2];
    memcpy(half, &value, sizeof half);
    part[0] =
        doubles_of(BY_LEVEL((floats)_mm512_castps512_ps256(value), _mm256_castps256_ps128(value), half[0]));
    part[1] = doubles_of(
        BY_LEVEL((floats)_mm512_extractf32x8_ps(value, 1), _mm256_extractf128_ps(value, 1), half[1]));
}

/* Both halves rounded to floats, in one register. */
static inline vector vector_of_doubles(const doubles *part)
{
    const floats half[2] = {floats_of(part[0]), floats_of(part[1])};
    vector value;
    memcpy(&value, half, sizeof value);
    return BY_LEVEL(_mm512_insertf32x8(_mm512_castps256_ps512((__m256)half[0]), (__m256)half[1], 1),
                    _mm256_set_m128(half[1], half[0]), value);
}

/*
 * a * b + c, rounded once, without the instruction. The product is exact in doubles. Rounding the sum to
 * double and then to float goes wrong only where the double is a tie, or has fewer bits to lose because it is
 * tiny: then it is rounded to odd first.
 */
static inline doubles fused_doubles_to_odd(doubles a, doubles b, doubles c)
{
    doubles product = a * b, sum = product + c;
    longs tie = ((longs)sum & 0x1fffffff) == 0x10000000;
    if (__builtin_expect(!any(tie | (absolute(sum) < 0x1p-125)), 1))
        return sum;
    doubles rest = two_sum(product, c).low;
    return round_to_odd(sum, choose(rest == rest, rest, broadcast(0)));
}

/* a * b + c rounded once, in two halves, for levels that have no instruction for it. */
static __attribute__((noinline, unused)) vector fused_by_doubles(vector a, vector b, vector c)
{
    doubles first[2], second[2], addend[2];
    doubles_of_vector(a, first);
    doubles_of_vector(b, second);
    doubles_of_vector(c, addend);
    first[0] = fused_doubles_to_odd(first[0], second[0], addend[0]);
    first[1] = fused_doubles_to_odd(first[1], second[1], addend[1]);
    return vector_of_doubles(first);
}

/* a * b + c, a * b - c and c - a * b, each rounded once: compilers do not always find the latter two from the
 * first and a sign. */
#if defined(__aarch64__)
#define FUSED_OF(a, b, c) vfmaq_f32(c, a, b)
#else
#define FUSED_OF(a, b, c) fused_by_doubles(a, b, c)
#endif

static inline vector fused(vector a, vector b, vector c)
{
    return (vector)BY_LEVEL(_mm512_fmadd_ps(a, b, c), _mm256_fmadd_ps(a, b, c), FUSED_OF(a, b, c));
}

static inline vector fused_minus(vector a, vector b, vector c)
{
    return (vector)BY_LEVEL(_mm512_fmsub_ps(a, b, c), _mm256_fmsub_ps(a, b, c), FUSED_OF(a, b, -c));
}

static inline vector fused_from(vector a, vector b, vector c)
{
    return (vector)BY_LEVEL(_mm512_fnmadd_ps(a, b, c), _mm256_fnmadd_ps(a, b, c), FUSED_OF(-a, b, c));
}

/* Flags of the lanes where a > b, a = b, a is NaN, or a is 0 of either sign. No comparison with NaN holds. */
static inline flags vector_greater(vector a, vector b)
{
    return BY_LEVEL(_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), a > b, a > b);
}

static inline flags vector_equal(vector a, vector b)
{
    return BY_LEVEL(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), a == b, a == b);
}

static inline flags vector_is_nan(vector a)
{
    return BY_LEVEL(_mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), a != a, a != a);
}

/* One of the two is NaN. */
static inline flags vector_are_unordered(vector a, vector b)
{
    return BY_LEVEL(_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), (a != a) | (b != b), (a != a) | (b != b));
}

static inline flags vector_is_0(vector a)
{
    return vector_equal(a, vector_of(0));
}

/* Flags of the lanes where a < b, of signed integers. */
static inline flags vector_less_ints(vector_ints a, vector_ints b)
{
    return BY_LEVEL(_mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b), a < b, a < b);
}

/* Unsigned: a > limit. Sums, as compilers join these with what a was made by. */
static inline flags vector_above(vector_bits a, uint32_t limit)
{
    return vector_less_ints(vector_ints_of((int32_t)(limit + 0x80000000)), (vector_ints)(a + 0x80000000));
}

/* Infinite or NaN. */
static inline flags vector_not_finite(vector value)
{
    return vector_less_ints(vector_ints_of(0x7f7fffff), (vector_ints)((vector_bits)value & 0x7fffffff));
}

static inline bool vector_any(vector_bits bits)
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

static inline bool vector_any_flag(flags flag)
{
    return BY_LEVEL(flag != 0, vector_any((vector_bits)flag), vector_any((vector_bits)flag));
}

/* yes where the flag is set, no elsewhere. */
static inline vector vector_choose(flags flag, vector yes, vector no)
{
    return (vector)BY_LEVEL(_mm512_mask_mov_ps(no, flag, yes), _mm256_blendv_ps(no, yes, (__m256)flag),
                            (flag & (vector_ints)yes) | (~flag & (vector_ints)no));
}

/* The lesser and the greater, unsigned. */
static inline vector_bits vector_lesser(vector_bits a, vector_bits b)
{
    return (vector_bits)BY_LEVEL(_mm512_min_epu32((__m512i)a, (__m512i)b),
                                 _mm256_min_epu32((__m256i)a, (__m256i)b),
                                 ((vector_bits)(a < b) & a) | ((vector_bits)(a >= b) & b));
}

/* The lesser and the greater; b where they are unordered. */
static inline vector vector_least(vector a, vector b)
{
    return BY_LEVEL(_mm512_min_ps(a, b), _mm256_min_ps(a, b), vector_choose(b > a, a, b));
}

static inline vector vector_greatest(vector a, vector b)
{
    return BY_LEVEL(_mm512_max_ps(a, b), _mm256_max_ps(a, b), vector_choose(a > b, a, b));
}

/* table[index] lane by lane, where no instruction permutes a table that is in registers. */
static inline vector lookup_by_lanes(const float *table, vector_bits index)
{
    vector value;
    for (int i = 0; i < VECTOR_LANES; i++)
        value[i] = table[index[i]];
    return value;
}

/* table[index] of a table of 16; only the low four bits of index count. On AVX2 these are two tables of
 * eight, of which bit 3 chooses. */
static inline vector vector_lookup_16(const float *table, vector_bits index)
{
#if defined(__AVX512F__)
    return _mm512_permutexvar_ps((__m512i)index, _mm512_load_ps(table));
#elif defined(__AVX2__)
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(_mm256_load_ps(table), (__m256i)index),
                            _mm256_permutevar8x32_ps(_mm256_load_ps(table + 8), (__m256i)index),
                            (__m256)(index << 28));
#else
    return lookup_by_lanes(table, index & 15);
#endif
}

/* Entries of a table of 32, by the low five bits of an index. */
static inline vector vector_lookup(const float *table, vector_bits index)
{
#if defined(__AVX512F__)
    return _mm512_permutex2var_ps(_mm512_load_ps(table), (__m512i)index, _mm512_load_ps(table + 16));
#elif defined(__AVX2__)
    return vector_choose((vector_ints)(index << 27), vector_lookup_16(table + 16, index),
                         vector_lookup_16(table, index));
#else
    return lookup_by_lanes(table, index & 31);
#endif
}

/* The value without its sign bit, of a NaN too. */
static inline vector vector_absolute(vector value)
{
    return (vector)((vector_bits)value & 0x7fffffff);
}

/* value with the sign bit set where that of sign is. */
static inline vector vector_with_sign_of(vector value, vector sign)
{
    return (vector)((vector_bits)value | ((vector_bits)sign & 0x80000000));
}

/* value with the opposite sign where sign is negative. */
static inline vector vector_times_sign(vector value, vector sign)
{
    return (vector)((vector_bits)value ^ ((vector_bits)sign & 0x80000000));
}

/* |value| with the sign of the other. */
static inline vector vector_signed_as(vector value, vector sign)
{
    return vector_with_sign_of(vector_absolute(value), sign);
}

/* value cut to [-limit, limit]; NaN stays NaN. */
static inline vector vector_clamp(vector value, vector limit)
{
    return vector_greatest(-limit, vector_least(limit, value));
}

/* Every NaN as the canonical one. */
static inline vector vector_canonical(vector value)
{
    return vector_choose(vector_is_nan(value), (vector)vector_bits_of(0x7fc00000), value);
}

/* value * 2^exponent, rounded once; exponent: whole numbers, up to 500 and down to -500. */
static inline vector vector_scaled(vector value, vector exponent)
{
#if defined(__AVX512F__)
    return _mm512_scalef_ps(value, exponent);
#else
    /* Doubles have room for all of these. */
    doubles part[2], power[2];
    doubles_of_vector(value, part);
    doubles_of_vector(exponent, power);
    for (int i = 0; i < 2; i++)
        part[i] *= power_of_two((longs)(power[i] + 0x1.8p52)); /* in the low bits */
    return vector_of_doubles(part);
#endif
}

/* a - b exactly as the sum of a rounded difference and a rest, for numbers whose difference is one. No rest
 * is -0. */
struct vector_pair {
    vector high, low;
};

/* a - b as a pair: what the difference loses is exact (D. E. Knuth, The Art of Computer Programming 2,
 * 4.2.2). */
static inline struct vector_pair vector_difference(vector a, vector b)
{
    vector high = a - b, part = a - high;
    return (struct vector_pair){high, (a - (high + part)) + (part - b)};
}

/*
 * value where side is 0, otherwise the odd one of the two floats around the exact number, which lies on
 * side's side of value, less than a unit in the last place away: see round_to_odd() in
 * simd/vector/rounding.h.
 */
static inline vector vector_round_to_odd(vector value, vector side)
{
    /* +1 for away from zero, -1 for towards it. */
    vector_ints step = (vector_ints)((vector_bits)value ^ (vector_bits)side) >> 31 | 1;
#if defined(__AVX512F__)
    __mmask16 inexact = _mm512_cmp_ps_mask(side, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    __mmask16 change = _mm512_mask_testn_epi32_mask(inexact, (__m512i)value, _mm512_set1_epi32(1));
    return (vector)_mm512_mask_add_epi32((__m512i)value, change, (__m512i)value, (__m512i)step);
#else
    vector_ints inexact = (side < 0) | (side > 0), even = ((vector_ints)value & 1) - 1;
    return (vector)((vector_ints)value + (step & inexact & even));
#endif
}

#endif
