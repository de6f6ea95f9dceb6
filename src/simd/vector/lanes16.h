/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A register of 16-bit lanes: what can be asked of bf16 and fp16 while one register still holds PAIR_LANES of
 * them, and the way to fp32 and back.
 */
#ifndef BELAY_SIMD_VECTOR_LANES16_H
#define BELAY_SIMD_VECTOR_LANES16_H

#include "simd/vector/vector_memory.h"

typedef uint16_t lanes16 __attribute__((vector_size(PAIR_LANES * 2)));

#if defined(__AVX512BW__)
typedef __mmask32 lanes16_flags;
#else
typedef lanes16 lanes16_flags;
#endif

/* One number in all lanes of 16 bits. */
static inline lanes16 lanes16_of(uint16_t value)
{
    return (lanes16){0} + value;
}

/* Unsigned. */
static inline lanes16_flags lanes16_below(lanes16 a, lanes16 b)
{
    return BY_LEVEL(_mm512_cmplt_epu16_mask((__m512i)a, (__m512i)b), (lanes16)(a < b), (lanes16)(a < b));
}

/* yes in the lanes that are flagged, no in the others. */
static inline lanes16 lanes16_choose(lanes16_flags flag, lanes16 yes, lanes16 no)
{
    return (lanes16)BY_LEVEL(_mm512_mask_mov_epi16((__m512i)no, flag, (__m512i)yes),
                             (flag & yes) | (~flag & no), (flag & yes) | (~flag & no));
}

/* Whether any lane is flagged. */
static inline bool lanes16_any(lanes16_flags flag)
{
    return BY_LEVEL(flag != 0, vector_any((vector_bits)flag), vector_any((vector_bits)flag));
}

static inline lanes16 lanes16_load(const char *source)
{
    lanes16 value;
    memcpy(&value, source, sizeof value);
    return value;
}

/* PAIR_LANES elements as fp32: of bf16 those with even indices and the others, of fp16 the two halves. */
static inline __attribute__((always_inline)) void vectors_of_lanes16(enum arithmetic dtype, lanes16 value,
                                                                     vector *pair)
{
    load_pair(dtype, (const char *)&value, pair);
}

/* Back, rounded to nearest, ties to even; no NaN of bf16 with high payload bits. */
static inline __attribute__((always_inline)) lanes16 lanes16_of_vectors(enum arithmetic dtype,
                                                                        const vector *pair)
{
    if (dtype == ARITHMETIC_BF16)
        return (lanes16)pair_to_bf16(pair);
    const vector_halves half[] = {vector_to_fp16(pair[0]), vector_to_fp16(pair[1])};
    lanes16 value;
    memcpy(&value, half, sizeof value);
    return (lanes16)BY_LEVEL(
        _mm512_inserti64x4(_mm512_castsi256_si512((__m256i)half[0]), (__m256i)half[1], 1),
        _mm256_set_m128i((__m128i)half[1], (__m128i)half[0]), value);
}

/* The lower halves of 32-bit lanes from one register, the upper ones from another. */
static inline lanes16 lanes16_of_halves(vector_bits lower, vector_bits upper)
{
    return (lanes16)BY_LEVEL(_mm512_mask_blend_epi16(upper_halves, (__m512i)lower, (__m512i)upper),
                             _mm256_blend_epi16((__m256i)lower, (__m256i)upper, 0xaa),
                             (lower & 0xffff) | (upper & 0xffff0000));
}

/* The high halves of both registers, and the low ones; as bf16 has them in memory. */
static inline lanes16 high_halves(const vector *pair)
{
    return lanes16_of_halves((vector_bits)pair[0] >> 16, (vector_bits)pair[1]);
}

static inline lanes16 low_halves(const vector *pair)
{
    return lanes16_of_halves((vector_bits)pair[0], (vector_bits)pair[1] << 16);
}

/* To bf16 of what lies on no tie, and may have been cut towards zero. */
static inline lanes16 lanes16_off_ties(const vector *pair)
{
    return lanes16_of_halves(((vector_bits)pair[0] + 0x8000) >> 16, (vector_bits)pair[1] + 0x8000);
}

/* value with the canonical NaN where source is NaN. */
static inline lanes16 lanes16_nan_where(enum arithmetic dtype, lanes16 source, lanes16 value)
{
    const uint16_t infinity = dtype == ARITHMETIC_FP16 ? 0xf800 : 0xff00;
    const uint16_t nan = dtype == ARITHMETIC_FP16 ? 0x7e00 : 0x7fc0;
    return lanes16_choose(lanes16_below(lanes16_of(infinity), source + source), lanes16_of(nan), value);
}

#endif
