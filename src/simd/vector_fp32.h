/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole registers of floats with a fused multiply-add, and what the fast ways in fp32 are made of. Levels
 * without that instruction do the same in doubles, exactly but slowly.
 */
#ifndef BELAY_SIMD_VECTOR_FP32_H
#define BELAY_SIMD_VECTOR_FP32_H

#include <string.h>

#include "simd/exact.h"
#include "simd/rounding.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { VECTOR_LANES = 2 * LANES };

typedef float vector __attribute__((vector_size(VECTOR_LANES * 4)));
typedef uint32_t vector_bits __attribute__((vector_size(VECTOR_LANES * 4)));
typedef int32_t vector_ints __attribute__((vector_size(VECTOR_LANES * 4)));

#if defined(__FMA__) || defined(__aarch64__)
#define FUSED_IS_FAST 1
#else
#define FUSED_IS_FAST 0
#endif

/* Of a function that is made of fused products: where each of these is a call, a copy of it for every loop
 * would be no faster than one that all call, only tens of kilobytes larger. */
#if FUSED_IS_FAST
#define INLINE_IF_FUSED inline __attribute__((always_inline))
#else
#define INLINE_IF_FUSED __attribute__((noinline))
#endif

/* One truth per lane. */
#if defined(__AVX512F__)
typedef __mmask16 flags;
#else
typedef vector_ints flags;
#endif

static inline vector_bits vector_bits_of(uint32_t value)
{
    return (vector_bits){0} + value;
}

static inline vector vector_of(float value)
{
    uint32_t bits; /* 0 + value would be a sum of floats, which turns -0 into 0 */
    memcpy(&bits, &value, sizeof bits);
    return (vector)vector_bits_of(bits);
}

/* a * b + c, rounded once. */
static inline vector fused(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    /* The product is exact in doubles. Rounding the sum to double and then to float goes wrong only where the
     * double is a tie, or has fewer bits to lose because it is tiny: then it is rounded to odd first. */
    floats part[3][2], result[2];
    memcpy(part[0], &a, sizeof a);
    memcpy(part[1], &b, sizeof b);
    memcpy(part[2], &c, sizeof c);
    for (int i = 0; i < 2; i++) {
        doubles product = doubles_of(part[0][i]) * doubles_of(part[1][i]), addend = doubles_of(part[2][i]);
        doubles sum = product + addend;
        longs tie = ((longs)sum & 0x1fffffff) == 0x10000000;
        if (__builtin_expect(any(tie | (absolute(sum) < 0x1p-125)), 0)) {
            doubles rest = two_sum(product, addend).low;
            sum = round_to_odd(sum, choose(rest == rest, rest, broadcast(0)));
        }
        result[i] = floats_of(sum);
    }
    vector whole;
    memcpy(&whole, result, sizeof whole);
    return whole;
#endif
}

/* a * b - c and c - a * b: compilers do not always find these from fused() and a sign. */
static inline vector fused_minus(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fmsub_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fmsub_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return fused(a, b, -c);
#endif
}

static inline vector fused_from(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    return (vector)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vector)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return fused(-a, b, c);
#endif
}

static inline flags vector_greater(vector a, vector b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
#else
    return (flags)(a > b);
#endif
}

static inline flags vector_equal(vector a, vector b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ);
#else
    return (flags)(a == b);
#endif
}

static inline flags vector_equal_bits(vector_bits a, vector_bits b)
{
#if defined(__AVX512F__)
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
#else
    return (flags)(a == b);
#endif
}

static inline flags vector_is_nan(vector a)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)a, _CMP_UNORD_Q);
#else
    return (flags)(a != a);
#endif
}

/* Signed. */
static inline flags vector_less_ints(vector_ints a, vector_ints b)
{
#if defined(__AVX512F__)
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
#else
    return (flags)(a < b);
#endif
}

/* Of flagged lanes those that are not 0. */
static inline flags vector_flagged_not_0(flags flag, vector value)
{
#if defined(__AVX512F__)
    return _mm512_mask_cmp_ps_mask(flag, (__m512)value, _mm512_setzero_ps(), _CMP_NEQ_UQ);
#else
    return flag & (flags)(value != 0);
#endif
}

/* Infinite or NaN. */
static inline flags vector_not_finite(vector value)
{
    return vector_less_ints((vector_ints){0} + 0x7f7fffff, (vector_ints)((vector_bits)value & 0x7fffffff));
}

static inline vector_ints vector_ints_of(int32_t value)
{
    return (vector_ints){0} + value;
}

/* Exact below 2^24. */
static inline vector vector_from_ints(vector_ints value)
{
#if defined(__AVX512F__)
    return (vector)_mm512_cvtepi32_ps((__m512i)value);
#elif defined(__AVX2__)
    return (vector)_mm256_cvtepi32_ps((__m256i)value);
#else
    return __builtin_convertvector(value, vector);
#endif
}

/* yes where the flag is set, no elsewhere. */
static inline vector vector_choose(flags flag, vector yes, vector no)
{
#if defined(__AVX512F__)
    return (vector)_mm512_mask_mov_ps((__m512)no, flag, (__m512)yes);
#elif defined(__AVX2__)
    return (vector)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)flag);
#else
    return (vector)((flag & (vector_ints)yes) | (~flag & (vector_ints)no));
#endif
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
#if defined(__AVX512F__)
    return flag != 0;
#else
    return vector_any((vector_bits)flag);
#endif
}

static inline vector_bits vector_lesser(vector_bits a, vector_bits b)
{
#if defined(__AVX512F__)
    return (vector_bits)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (vector_bits)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
    vector_bits less = (vector_bits)(a < b);
    return (less & a) | (~less & b);
#endif
}

static inline vector_bits vector_greater_bits(vector_bits a, vector_bits b)
{
#if defined(__AVX512F__)
    return (vector_bits)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (vector_bits)_mm256_max_epu32((__m256i)a, (__m256i)b);
#else
    vector_bits less = (vector_bits)(a < b);
    return (less & b) | (~less & a);
#endif
}

/* The lesser; b where they are unordered. */
static inline vector vector_least(vector a, vector b)
{
#if defined(__AVX512F__)
    return (vector)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (vector)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return vector_choose(vector_greater(b, a), a, b);
#endif
}

/* The greater; b where they are unordered. */
static inline vector vector_greatest(vector a, vector b)
{
#if defined(__AVX512F__)
    return (vector)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (vector)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return vector_choose(vector_greater(a, b), a, b);
#endif
}

/* What is made of value is computed after the other: scheduling it first would keep it in a register until
 * it is needed. */
#if defined(__AVX2__)
#define COMPUTE_AFTER(value, other) __asm__("" : "+v"(value) : "v"(other))
#else
#define COMPUTE_AFTER(value, other) ((void)0)
#endif

/* Whether a table of 32 is looked up by one instruction. */
#if defined(__AVX512F__)
#define LOOKUP_IS_FAST 1
#else
#define LOOKUP_IS_FAST 0
#endif

/* table[index] of a table of 16; only the low four bits of index count. */
static inline vector vector_lookup_16(const float *table, vector_bits index)
{
#if defined(__AVX512F__)
    return (vector)_mm512_permutexvar_ps((__m512i)index, _mm512_load_ps(table));
#elif defined(__AVX2__)
    /* Two tables of eight; bit 3 chooses between them. */
    __m256i lane = (__m256i)index;
    return (vector)_mm256_blendv_ps(_mm256_permutevar8x32_ps(_mm256_load_ps(table), lane),
                                    _mm256_permutevar8x32_ps(_mm256_load_ps(table + 8), lane),
                                    (__m256)_mm256_slli_epi32(lane, 28));
#else
    vector value;
    for (int i = 0; i < VECTOR_LANES; i++)
        value[i] = table[index[i] & 15];
    return value;
#endif
}

/* The same of a table of 32, and five bits. */
static inline vector vector_lookup(const float *table, vector_bits index)
{
#if defined(__AVX512F__)
    return (vector)_mm512_permutex2var_ps(_mm512_load_ps(table), (__m512i)index, _mm512_load_ps(table + 16));
#elif defined(__AVX2__)
    return (vector)_mm256_blendv_ps((__m256)vector_lookup_16(table, index),
                                    (__m256)vector_lookup_16(table + 16, index),
                                    (__m256)_mm256_slli_epi32((__m256i)index, 27));
#else
    vector value;
    for (int i = 0; i < VECTOR_LANES; i++)
        value[i] = table[index[i] & 31];
    return value;
#endif
}

static inline vector vector_absolute(vector value)
{
    return (vector)((vector_bits)value & 0x7fffffff);
}

/* value with the sign bit set where that of sign is. */
static inline vector vector_with_sign_of(vector value, vector sign)
{
#if defined(__AVX512F__)
    /* first | (second & third) */
    return (vector)_mm512_ternarylogic_epi32((__m512i)value, (__m512i)sign,
                                             _mm512_set1_epi32((int)0x80000000), 0xf8);
#else
    return (vector)((vector_bits)value | ((vector_bits)sign & 0x80000000));
#endif
}

/* |value| with the sign of the other. */
static inline vector vector_signed_as(vector value, vector sign)
{
#if defined(__AVX512F__)
    /* mask ? second : third */
    return (vector)_mm512_ternarylogic_epi32(_mm512_set1_epi32((int)0x80000000), (__m512i)sign,
                                             (__m512i)value, 0xca);
#else
    return vector_with_sign_of(vector_absolute(value), sign);
#endif
}

/* value cut to [-limit, limit]; NaN stays NaN. */
static inline vector vector_clamp(vector value, vector limit)
{
#if defined(__AVX512F__)
    /* Of an unordered pair these give the second. */
    value = (vector)_mm512_min_ps((__m512)limit, (__m512)value);
    return (vector)_mm512_max_ps((__m512)(-limit), (__m512)value);
#elif defined(__AVX2__)
    value = (vector)_mm256_min_ps((__m256)limit, (__m256)value);
    return (vector)_mm256_max_ps((__m256)(-limit), (__m256)value);
#else
    value = vector_choose(vector_greater(value, limit), limit, value);
    return vector_choose(vector_greater(-limit, value), -limit, value);
#endif
}

/* value cut to [-limit, limit], and low where |value| is not greater; NaN becomes a number, and low NaN. */
static inline vector vector_clamp_part(vector value, vector limit, vector *low)
{
#if defined(__AVX512DQ__)
    __m512 cut = _mm512_range_ps((__m512)value, (__m512)limit, 0x2); /* the lesser magnitude, value's sign */
    __mmask16 is_inner = _mm512_cmp_ps_mask(cut, (__m512)value, _CMP_EQ_UQ);
    *low = (vector)_mm512_maskz_mov_ps(is_inner, (__m512)*low);
    return (vector)cut;
#else
    *low = vector_choose(vector_greater(vector_absolute(value), limit), vector_of(0), *low);
    return vector_clamp(value, limit);
#endif
}

/* Every NaN as the canonical one. */
static inline vector vector_canonical(vector value)
{
    return vector_choose(vector_is_nan(value), (vector)vector_bits_of(0x7fc00000), value);
}

/* The first half of a register as doubles and the second, and back. */
static inline void doubles_of_vector(vector value, doubles *part)
{
#if defined(__AVX512F__)
    part[0] = (doubles)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)value));
    part[1] = (doubles)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)value, 1));
#elif defined(__AVX2__)
    part[0] = (doubles)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)value));
    part[1] = (doubles)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)value, 1));
#else
    floats half[2];
    memcpy(half, &value, sizeof half);
    part[0] = doubles_of(half[0]);
    part[1] = doubles_of(half[1]);
#endif
}

static inline vector vector_of_doubles(const doubles *part)
{
#if defined(__AVX512F__)
    return (vector)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)part[0])),
                                      _mm512_cvtpd_ps((__m512d)part[1]), 1);
#elif defined(__AVX2__)
    return (vector)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)part[1]), _mm256_cvtpd_ps((__m256d)part[0]));
#else
    const floats half[2] = {floats_of(part[0]), floats_of(part[1])};
    vector value;
    memcpy(&value, half, sizeof value);
    return value;
#endif
}

/* value * 2^exponent, rounded once; exponent: whole numbers, up to 500 and down to -500. */
static inline vector vector_scaled(vector value, vector exponent)
{
#if defined(__AVX512F__)
    return (vector)_mm512_scalef_ps((__m512)value, (__m512)exponent);
#else
    /* Doubles have room for all of these. */
    doubles part[2], power[2];
    doubles_of_vector(value, part);
    doubles_of_vector(exponent, power);
    for (int i = 0; i < 2; i++) {
        longs whole = (longs)(power[i] + 0x1.8p52); /* in the low bits */
        part[i] *= (doubles)((whole + 1023) << 52);
    }
    return vector_of_doubles(part);
#endif
}

/* a - b exactly as the sum of a rounded difference and a rest, for numbers whose difference is one. No rest
 * is -0. */
struct vector_pair {
    vector high, low;
};

static inline struct vector_pair vector_difference(vector a, vector b)
{
    vector high = a - b, part = a - high;
    return (struct vector_pair){high, (a - (high + part)) + (part - b)};
}

/*
 * value where side is 0, otherwise the odd one of the two floats around the exact number, which lies on
 * side's side of value, less than a unit in the last place away: see round_to_odd() in simd/rounding.h.
 */
static inline vector vector_round_to_odd(vector value, vector side)
{
    /* +1 for away from zero, -1 for towards it. */
    vector_ints step = (vector_ints)((vector_bits)value ^ (vector_bits)side) >> 31 | 1;
#if defined(__AVX512F__)
    __mmask16 inexact = _mm512_cmp_ps_mask((__m512)side, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    __mmask16 change = _mm512_mask_testn_epi32_mask(inexact, (__m512i)value, _mm512_set1_epi32(1));
    return (vector)_mm512_mask_add_epi32((__m512i)value, change, (__m512i)value, (__m512i)step);
#else
    vector_ints inexact = (side < 0) | (side > 0), even = ((vector_ints)value & 1) - 1;
    return (vector)((vector_ints)value + (step & inexact & even));
#endif
}

#endif
