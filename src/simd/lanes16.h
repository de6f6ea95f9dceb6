/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A register of 16-bit lanes: what can be asked of bf16 while one register still holds PAIR_LANES of them,
 * and the way to fp32 and back.
 */
#ifndef BELAY_SIMD_LANES16_H
#define BELAY_SIMD_LANES16_H

#include "simd/vector_memory.h"

typedef uint16_t lanes16 __attribute__((vector_size(PAIR_LANES * 2)));

#if defined(__AVX512BW__)
typedef __mmask32 lanes16_flags;
#else
typedef lanes16 lanes16_flags;
#endif

static inline lanes16 lanes16_of(uint16_t value)
{
    return (lanes16){0} + value;
}

/* Unsigned. */
static inline lanes16_flags lanes16_below(lanes16 a, lanes16 b)
{
#if defined(__AVX512BW__)
    return _mm512_cmplt_epu16_mask((__m512i)a, (__m512i)b);
#else
    return (lanes16)(a < b);
#endif
}

static inline lanes16 lanes16_choose(lanes16_flags flag, lanes16 yes, lanes16 no)
{
#if defined(__AVX512BW__)
    return (lanes16)_mm512_mask_mov_epi16((__m512i)no, flag, (__m512i)yes);
#else
    return (flag & yes) | (~flag & no);
#endif
}

static inline bool lanes16_any(lanes16_flags flag)
{
#if defined(__AVX512BW__)
    return flag != 0;
#else
    return vector_any((vector_bits)flag);
#endif
}

static inline lanes16 lanes16_lesser(lanes16 a, lanes16 b)
{
#if defined(__AVX512BW__)
    return (lanes16)_mm512_min_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (lanes16)_mm256_min_epu16((__m256i)a, (__m256i)b);
#else
    return lanes16_choose(lanes16_below(a, b), a, b);
#endif
}

static inline lanes16 lanes16_greater(lanes16 a, lanes16 b)
{
#if defined(__AVX512BW__)
    return (lanes16)_mm512_max_epu16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (lanes16)_mm256_max_epu16((__m256i)a, (__m256i)b);
#else
    return lanes16_choose(lanes16_below(a, b), b, a);
#endif
}

static inline lanes16 lanes16_load(const char *source)
{
    lanes16 value;
    memcpy(&value, source, sizeof value);
    return value;
}

/* The elements with even indices and the others. */
static inline void vector_of_bf16(lanes16 value, vector *pair)
{
    pair[0] = (vector)((vector_bits)value << 16);
    pair[1] = (vector)((vector_bits)value & 0xffff0000);
}

/* The bf16 nearest to each of the two, ties to even; not for NaN with high payload bits. */
static inline lanes16 lanes16_of_wide(const vector *pair)
{
    return (lanes16)pair_to_bf16(pair);
}

/* The same for what lies on no tie, and may have been cut towards zero. */
static inline lanes16 lanes16_of_wide_off_ties(const vector *pair)
{
    vector_bits even = ((vector_bits)pair[0] + 0x8000) >> 16, odd = (vector_bits)pair[1] + 0x8000;
#if defined(__AVX512BW__)
    return (lanes16)_mm512_mask_blend_epi16(upper_halves, (__m512i)even, (__m512i)odd);
#else
    return (lanes16)(even | (odd & 0xffff0000));
#endif
}

/* value with the canonical NaN where source is NaN. */
static inline lanes16 lanes16_nan_where(enum arithmetic dtype, lanes16 source, lanes16 value)
{
    const uint16_t infinity = dtype == ARITHMETIC_FP16 ? 0xf800 : 0xff00;
    const uint16_t nan = dtype == ARITHMETIC_FP16 ? 0x7e00 : 0x7fc0;
    return lanes16_choose(lanes16_below(lanes16_of(infinity), source + source), lanes16_of(nan), value);
}

/* Every NaN as the canonical one. */
static inline lanes16 lanes16_canonical(enum arithmetic dtype, lanes16 value)
{
    return lanes16_nan_where(dtype, value, value);
}

/* The two halves of fp16 as fp32, in their order, and back, rounded to nearest, ties to even. */
static inline void vector_of_fp16(lanes16 value, vector *pair)
{
#if defined(__AVX512BW__)
    pair[0] = vector_from_fp16((vector_halves)_mm512_castsi512_si256((__m512i)value));
    pair[1] = vector_from_fp16((vector_halves)_mm512_extracti64x4_epi64((__m512i)value, 1));
#elif defined(__AVX2__)
    pair[0] = vector_from_fp16((vector_halves)_mm256_castsi256_si128((__m256i)value));
    pair[1] = vector_from_fp16((vector_halves)_mm256_extracti128_si256((__m256i)value, 1));
#else
    vector_halves half[2];
    memcpy(half, &value, sizeof half);
    pair[0] = vector_from_fp16(half[0]);
    pair[1] = vector_from_fp16(half[1]);
#endif
}

static inline lanes16 lanes16_fp16_of_wide(const vector *pair)
{
    const vector_halves half[] = {vector_to_fp16(pair[0]), vector_to_fp16(pair[1])};
#if defined(__AVX512BW__)
    return (lanes16)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)half[0]), (__m256i)half[1], 1);
#elif defined(__AVX2__)
    return (lanes16)_mm256_set_m128i((__m128i)half[1], (__m128i)half[0]);
#else
    lanes16 value;
    memcpy(&value, half, sizeof value);
    return value;
#endif
}

/* The high halves of both registers, and the low ones; as bf16 has them in memory. */
static inline lanes16 high_halves(const vector *pair)
{
#if defined(__AVX512F__)
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000); /* mask ? second : third */
    return (lanes16)_mm512_ternarylogic_epi32(upper, (__m512i)pair[1],
                                              _mm512_srli_epi32((__m512i)pair[0], 16), 0xca);
#else
    return (lanes16)((vector_bits)pair[0] >> 16 | ((vector_bits)pair[1] & 0xffff0000));
#endif
}

static inline lanes16 low_halves(const vector *pair)
{
#if defined(__AVX512F__)
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000);
    return (lanes16)_mm512_ternarylogic_epi32(upper, _mm512_slli_epi32((__m512i)pair[1], 16),
                                              (__m512i)pair[0], 0xca);
#else
    return (lanes16)((vector_bits)pair[1] << 16 | ((vector_bits)pair[0] & 0xffff));
#endif
}

#endif
