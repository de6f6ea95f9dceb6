/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A register of 16-bit lanes: what can be asked of bf16 while one register still holds PAIR_LANES of them,
 * and the way to fp32 and back.
 */
#ifndef BELAY_SIMD_NARROW_H
#define BELAY_SIMD_NARROW_H

#include "simd/wide_memory.h"

typedef uint16_t narrow __attribute__((vector_size(PAIR_LANES * 2)));

#if defined(__AVX512BW__)
typedef __mmask32 narrow_flags;
#else
typedef narrow narrow_flags;
#endif

static inline narrow narrow_of(uint16_t value)
{
    return (narrow){0} + value;
}

/* Unsigned. */
static inline narrow_flags narrow_below(narrow a, narrow b)
{
#if defined(__AVX512BW__)
    return _mm512_cmplt_epu16_mask((__m512i)a, (__m512i)b);
#else
    return (narrow)(a < b);
#endif
}

static inline narrow narrow_choose(narrow_flags flag, narrow yes, narrow no)
{
#if defined(__AVX512BW__)
    return (narrow)_mm512_mask_mov_epi16((__m512i)no, flag, (__m512i)yes);
#else
    return (flag & yes) | (~flag & no);
#endif
}

static inline bool narrow_any(narrow_flags flag)
{
#if defined(__AVX512BW__)
    return flag != 0;
#else
    return wide_any((wide_bits)flag);
#endif
}

static inline narrow narrow_lesser(narrow a, narrow b)
{
#if defined(__AVX512BW__)
    return (narrow)_mm512_min_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (narrow)_mm256_min_epu16((__m256i)a, (__m256i)b);
#else
    return narrow_choose(narrow_below(a, b), a, b);
#endif
}

static inline narrow narrow_greater(narrow a, narrow b)
{
#if defined(__AVX512BW__)
    return (narrow)_mm512_max_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (narrow)_mm256_max_epu16((__m256i)a, (__m256i)b);
#else
    return narrow_choose(narrow_below(a, b), b, a);
#endif
}

static inline narrow narrow_load(const char *source)
{
    narrow value;
    memcpy(&value, source, sizeof value);
    return value;
}

/* The elements with even indices and the others. */
static inline void wide_of_bf16(narrow value, wide *pair)
{
    pair[0] = (wide)((wide_bits)value << 16);
    pair[1] = (wide)((wide_bits)value & 0xffff0000);
}

/* The bf16 nearest to each of the two, ties to even; not for NaN with high payload bits. */
static inline narrow narrow_of_wide(const wide *pair)
{
    return (narrow)pair_to_bf16(pair);
}

/* The same for what lies on no tie, and may have been cut towards zero. */
static inline narrow narrow_of_wide_off_ties(const wide *pair)
{
    wide_bits even = ((wide_bits)pair[0] + 0x8000) >> 16, odd = (wide_bits)pair[1] + 0x8000;
#if defined(__AVX512BW__)
    return (narrow)_mm512_mask_blend_epi16(upper_halves, (__m512i)even, (__m512i)odd);
#else
    return (narrow)(even | (odd & 0xffff0000));
#endif
}

/* value with the canonical NaN where source is NaN. */
static inline narrow narrow_nan_where(enum arithmetic dtype, narrow source, narrow value)
{
    const uint16_t infinity = dtype == ARITHMETIC_FP16 ? 0xf800 : 0xff00;
    const uint16_t nan = dtype == ARITHMETIC_FP16 ? 0x7e00 : 0x7fc0;
    return narrow_choose(narrow_below(narrow_of(infinity), source + source), narrow_of(nan), value);
}

/* Every NaN as the canonical one. */
static inline narrow narrow_canonical(enum arithmetic dtype, narrow value)
{
    return narrow_nan_where(dtype, value, value);
}

/* The two halves of fp16 as fp32, in their order, and back, rounded to nearest, ties to even. */
static inline void wide_of_fp16(narrow value, wide *pair)
{
#if defined(__AVX512BW__)
    pair[0] = wide_from_fp16((wide_halves)_mm512_castsi512_si256((__m512i)value));
    pair[1] = wide_from_fp16((wide_halves)_mm512_extracti64x4_epi64((__m512i)value, 1));
#elif defined(__AVX2__)
    pair[0] = wide_from_fp16((wide_halves)_mm256_castsi256_si128((__m256i)value));
    pair[1] = wide_from_fp16((wide_halves)_mm256_extracti128_si256((__m256i)value, 1));
#else
    wide_halves half[2];
    memcpy(half, &value, sizeof half);
    pair[0] = wide_from_fp16(half[0]);
    pair[1] = wide_from_fp16(half[1]);
#endif
}

static inline narrow narrow_fp16_of_wide(const wide *pair)
{
    const wide_halves half[] = {wide_to_fp16(pair[0]), wide_to_fp16(pair[1])};
#if defined(__AVX512BW__)
    return (narrow)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)half[0]), (__m256i)half[1], 1);
#elif defined(__AVX2__)
    return (narrow)_mm256_set_m128i((__m128i)half[1], (__m128i)half[0]);
#else
    narrow value;
    memcpy(&value, half, sizeof value);
    return value;
#endif
}

/* The high halves of both registers, and the low ones; as bf16 has them in memory. */
static inline narrow high_halves(const wide *pair)
{
#if defined(__AVX512F__)
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000); /* mask ? second : third */
    return (narrow)_mm512_ternarylogic_epi32(upper, (__m512i)pair[1], _mm512_srli_epi32((__m512i)pair[0], 16),
                                             0xca);
#else
    return (narrow)((wide_bits)pair[0] >> 16 | ((wide_bits)pair[1] & 0xffff0000));
#endif
}

static inline narrow low_halves(const wide *pair)
{
#if defined(__AVX512F__)
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000);
    return (narrow)_mm512_ternarylogic_epi32(upper, _mm512_slli_epi32((__m512i)pair[1], 16), (__m512i)pair[0],
                                             0xca);
#else
    return (narrow)((wide_bits)pair[1] << 16 | ((wide_bits)pair[0] & 0xffff));
#endif
}

#endif
