/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Registers of floats, one or two, from and to memory of fp32, fp16 or bf16.
 */
#ifndef BELAY_SIMD_VECTOR_VECTOR_MEMORY_H
#define BELAY_SIMD_VECTOR_VECTOR_MEMORY_H

#include "simd/vector/memory.h"
#include "simd/vector/vector_fp32.h"
#include "simd/vector/write.h"

enum { PAIR_LANES = 2 * VECTOR_LANES };

typedef uint16_t vector_halves __attribute__((vector_size(VECTOR_LANES * 2)));

#if defined(__AVX512BW__)
static const __mmask32 upper_halves = 0xaaaaaaaa; /* of the lanes of 32 bits */
#endif

static inline vector vector_from_fp16(vector_halves bits)
{
#if defined(__AVX512F__)
    vector value = (vector)_mm512_cvtph_ps((__m256i)bits);
    FORGET_ORIGIN(value);
    return value;
#elif defined(__AVX2__)
    vector value = (vector)_mm256_cvtph_ps((__m128i)bits);
    FORGET_ORIGIN(value);
    return value;
#elif defined(__aarch64__)
    return (vector)vcvt_f32_f16((float16x4_t)bits);
#else
    halves part[2];
    floats value[2];
    vector whole;
    memcpy(part, &bits, sizeof bits);
    for (int i = 0; i < 2; i++)
        value[i] = fp16_values(part[i]);
    memcpy(&whole, value, sizeof whole);
    return whole;
#endif
}

/* Rounded to nearest, ties to even. */
static inline vector_halves vector_to_fp16(vector value)
{
#if defined(__AVX512F__)
    return (vector_halves)_mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT);
#elif defined(__AVX2__)
    return (vector_halves)_mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT);
#elif defined(__aarch64__)
    return (vector_halves)vcvt_f16_f32((float32x4_t)value);
#else
    floats part[2];
    vector_halves whole;
    memcpy(part, &value, sizeof value);
    for (int i = 0; i < 2; i++) {
        doubles exact = doubles_of(part[i]);
        halves bits = __builtin_convertvector(round_bits(ARITHMETIC_FP16, exact), halves);
        memcpy((char *)&whole + (size_t)i * sizeof bits, &bits, sizeof bits);
    }
    return whole;
#endif
}

/* PAIR_LANES elements. For bf16 the first register has those with even indices and the second the others. */
static inline __attribute__((always_inline)) void load_pair(enum arithmetic dtype, const char *source,
                                                            vector *pair)
{
    if (dtype == ARITHMETIC_FP32) {
        memcpy(&pair[0], source, sizeof(vector));
        memcpy(&pair[1], source + sizeof(vector), sizeof(vector));
    } else if (dtype == ARITHMETIC_FP16) {
        vector_halves half[2];
        memcpy(&half[0], source, sizeof *half);
        memcpy(&half[1], source + sizeof *half, sizeof *half);
        pair[0] = vector_from_fp16(half[0]);
        pair[1] = vector_from_fp16(half[1]);
    } else {
        vector_bits both;
        memcpy(&both, source, sizeof both);
        pair[0] = (vector)(both << 16);
        pair[1] = (vector)(both & 0xffff0000);
    }
}

/* In the high half, the bits of the bf16 nearest to value, ties to even; not for NaN with high payload bits.
 */
static inline vector_bits vector_to_bf16(vector value)
{
    vector_bits bits = (vector_bits)value;
    return bits + 0x7fff + (bits >> 16 & 1);
}

/*
 * Two registers rounded to bf16, those of the first one in the lower halves. The half of each fp32 that is
 * rounded away is looked at for both together: more than a tie, or a tie next to an odd number, is above
 * 0x8000 once the last bit of the other half is put to its end.
 */
static inline vector_bits pair_to_bf16(const vector *pair)
{
#if defined(__AVX512BW__)
    const __m512i even = (__m512i)pair[0], odd = (__m512i)pair[1];
    const __m512i last = _mm512_set1_epi16(1);
    __m512i kept = _mm512_mask_blend_epi16(upper_halves, _mm512_srli_epi32(even, 16), odd);
    __m512i lost = _mm512_mask_blend_epi16(upper_halves, even, _mm512_slli_epi32(odd, 16));
    lost = _mm512_ternarylogic_epi32(lost, kept, last, 0xf8); /* lost | (kept & last) */
    __mmask32 up = _mm512_cmpgt_epu16_mask(lost, _mm512_set1_epi16((short)0x8000));
    return (vector_bits)_mm512_mask_add_epi16(kept, up, kept, last);
#else
    return vector_to_bf16(pair[0]) >> 16 | (vector_to_bf16(pair[1]) & 0xffff0000);
#endif
}

/* non_temporal: see put. */
static inline __attribute__((always_inline)) void store_pair(enum arithmetic dtype, char *target,
                                                             const vector *pair, bool non_temporal)
{
    if (dtype == ARITHMETIC_FP32) {
        put(target, &pair[0], sizeof(vector), non_temporal);
        put(target + sizeof(vector), &pair[1], sizeof(vector), non_temporal);
    } else if (dtype == ARITHMETIC_FP16) {
        vector_halves half[2] = {vector_to_fp16(pair[0]), vector_to_fp16(pair[1])};
        put(target, &half[0], sizeof *half, non_temporal);
        put(target + sizeof *half, &half[1], sizeof *half, non_temporal);
    } else {
        vector_bits both = pair_to_bf16(pair);
        put(target, &both, sizeof both, non_temporal);
    }
}

/* A register of 16-bit numbers as floats. */
static inline __attribute__((always_inline)) vector vector_from_16_bits(enum arithmetic dtype,
                                                                        vector_halves bits)
{
    if (dtype == ARITHMETIC_FP16)
        return vector_from_fp16(bits);
    return (vector)((vector_bits)BY_LEVEL(_mm512_cvtepu16_epi32((__m256i)bits),
                                          _mm256_cvtepu16_epi32((__m128i)bits),
                                          __builtin_convertvector(bits, vector_bits))
                    << 16);
}

/* Rounded to 16 bits; not for NaN with high payload bits. */
static inline __attribute__((always_inline)) vector_halves vector_to_16_bits(enum arithmetic dtype,
                                                                             vector value)
{
    if (dtype == ARITHMETIC_FP16)
        return vector_to_fp16(value);
    vector_bits bits = vector_to_bf16(value) >> 16;
    return (vector_halves)BY_LEVEL(
        _mm512_cvtepi32_epi16((__m512i)bits),
        _mm_packus_epi32(_mm256_castsi256_si128((__m256i)bits), _mm256_extracti128_si256((__m256i)bits, 1)),
        __builtin_convertvector(bits, vector_halves));
}

/* NaN as there is but one of each dtype. */
static inline vector_halves canonical_16_bits(enum arithmetic dtype, vector_halves bits)
{
    const uint16_t infinity = dtype == ARITHMETIC_FP16 ? 0x7c00 : 0x7f80;
    const uint16_t nan = dtype == ARITHMETIC_FP16 ? 0x7e00 : 0x7fc0;
    vector_halves is_nan = (vector_halves)((bits & 0x7fff) > infinity);
    return (bits & ~is_nan) | (is_nan & nan);
}

#endif
