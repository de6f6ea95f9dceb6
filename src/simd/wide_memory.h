/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two registers of floats from and to memory of fp32, fp16 or bf16.
 */
#ifndef BELAY_SIMD_WIDE_MEMORY_H
#define BELAY_SIMD_WIDE_MEMORY_H

#include "simd/memory.h"
#include "simd/wide.h"
#include "simd/write.h"

enum { PAIR_LANES = 2 * WIDE_LANES };

typedef uint16_t wide_halves __attribute__((vector_size(WIDE_LANES * 2)));

#if defined(__AVX512BW__)
static const __mmask32 upper_halves = 0xaaaaaaaa; /* of the lanes of 32 bits */
#endif

static inline wide wide_from_fp16(wide_halves bits)
{
#if defined(__AVX512F__)
    wide value = (wide)_mm512_cvtph_ps((__m256i)bits);
    FORGET_ORIGIN(value);
    return value;
#elif defined(__AVX2__)
    wide value = (wide)_mm256_cvtph_ps((__m128i)bits);
    FORGET_ORIGIN(value);
    return value;
#elif defined(__aarch64__)
    return (wide)vcvt_f32_f16((float16x4_t)bits);
#else
    halves part[2];
    floats value[2];
    wide whole;
    memcpy(part, &bits, sizeof bits);
    for (int i = 0; i < 2; i++)
        value[i] = fp16_values(part[i]);
    memcpy(&whole, value, sizeof whole);
    return whole;
#endif
}

/* Rounded to nearest, ties to even. */
static inline wide_halves wide_to_fp16(wide value)
{
#if defined(__AVX512F__)
    return (wide_halves)_mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT);
#elif defined(__AVX2__)
    return (wide_halves)_mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT);
#elif defined(__aarch64__)
    return (wide_halves)vcvt_f16_f32((float32x4_t)value);
#else
    floats part[2];
    wide_halves whole;
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
                                                            wide *pair)
{
    if (dtype == ARITHMETIC_FP32) {
        memcpy(&pair[0], source, sizeof(wide));
        memcpy(&pair[1], source + sizeof(wide), sizeof(wide));
    } else if (dtype == ARITHMETIC_FP16) {
        wide_halves half[2];
        memcpy(&half[0], source, sizeof *half);
        memcpy(&half[1], source + sizeof *half, sizeof *half);
        pair[0] = wide_from_fp16(half[0]);
        pair[1] = wide_from_fp16(half[1]);
    } else {
        wide_bits both;
        memcpy(&both, source, sizeof both);
        pair[0] = (wide)(both << 16);
        pair[1] = (wide)(both & 0xffff0000);
    }
}

/* In the high half, the bits of the bf16 nearest to value, ties to even; not for NaN with high payload bits.
 */
static inline wide_bits wide_to_bf16(wide value)
{
    wide_bits bits = (wide_bits)value;
    return bits + 0x7fff + (bits >> 16 & 1);
}

/*
 * Of two registers, the first in the lower halves. The half of each fp32 that is rounded away is looked at
 * for both together: more than a tie, or a tie next to an odd number, is above 0x8000 once the last bit of
 * the other half is put to its end.
 */
static inline wide_bits pair_to_bf16(const wide *pair)
{
#if defined(__AVX512BW__)
    const __m512i even = (__m512i)pair[0], odd = (__m512i)pair[1];
    const __m512i last = _mm512_set1_epi16(1);
    __m512i kept = _mm512_mask_blend_epi16(upper_halves, _mm512_srli_epi32(even, 16), odd);
    __m512i lost = _mm512_mask_blend_epi16(upper_halves, even, _mm512_slli_epi32(odd, 16));
    lost = _mm512_ternarylogic_epi32(lost, kept, last, 0xf8); /* lost | (kept & last) */
    __mmask32 up = _mm512_cmpgt_epu16_mask(lost, _mm512_set1_epi16((short)0x8000));
    return (wide_bits)_mm512_mask_add_epi16(kept, up, kept, last);
#else
    return wide_to_bf16(pair[0]) >> 16 | (wide_to_bf16(pair[1]) & 0xffff0000);
#endif
}

/* streams: see put. */
static inline __attribute__((always_inline)) void store_pair(enum arithmetic dtype, char *target,
                                                             const wide *pair, bool streams)
{
    if (dtype == ARITHMETIC_FP32) {
        put(target, &pair[0], sizeof(wide), streams);
        put(target + sizeof(wide), &pair[1], sizeof(wide), streams);
    } else if (dtype == ARITHMETIC_FP16) {
        wide_halves half[2] = {wide_to_fp16(pair[0]), wide_to_fp16(pair[1])};
        put(target, &half[0], sizeof *half, streams);
        put(target + sizeof *half, &half[1], sizeof *half, streams);
    } else {
        wide_bits both = pair_to_bf16(pair);
        put(target, &both, sizeof both, streams);
    }
}

#endif
