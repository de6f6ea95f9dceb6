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

/*
 * The bf16 nearest to each of the two, ties to even; not for NaN with high payload bits. The half of each
 * fp32 that is rounded away is looked at for both together: more than a tie, or a tie next to an odd number,
 * is above 0x8000 once the last bit of the other half is put to its end.
 */
static inline narrow narrow_of_wide(const wide *pair)
{
#if defined(__AVX512BW__)
    const __m512i even = (__m512i)pair[0], odd = (__m512i)pair[1];
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000), last = _mm512_set1_epi16(1);
    /* mask ? second : third */
    __m512i kept = _mm512_ternarylogic_epi32(upper, odd, _mm512_srli_epi32(even, 16), 0xca);
    __m512i lost = _mm512_ternarylogic_epi32(upper, _mm512_slli_epi32(odd, 16), even, 0xca);
    lost = _mm512_ternarylogic_epi32(lost, kept, last, 0xf8); /* lost | (kept & last) */
    __mmask32 up = _mm512_cmpgt_epu16_mask(lost, _mm512_set1_epi16((short)0x8000));
    return (narrow)_mm512_mask_add_epi16(kept, up, kept, last);
#else
    return (narrow)(wide_to_bf16(pair[0]) >> 16 | (wide_to_bf16(pair[1]) & 0xffff0000));
#endif
}

/* Every NaN as the canonical one. */
static inline narrow narrow_canonical(narrow value)
{
    return narrow_choose(narrow_below(narrow_of(0xff00), value + value), narrow_of(0x7fc0), value);
}

#endif
