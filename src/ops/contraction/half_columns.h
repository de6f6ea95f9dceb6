/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Columns of halves whose steps lie side by side: 8 steps of 16 columns change places as words, while they are
 * half as long as floats. They become floats where they meet the sums of a single row, or go into a panel.
 */
#ifndef BELAY_OPS_CONTRACTION_HALF_COLUMNS_H
#define BELAY_OPS_CONTRACTION_HALF_COLUMNS_H

#include "ops/contraction/vectors.h"

#if defined(__AVX2__)
enum { HALF_STEPS = 8 };

/* Floats of two times 8 columns: sums of them, or a step. */
struct half_floats {
#if defined(__AVX512F__)
    __m512 both;
#else
    __m256 part[2];
#endif
};

static ALWAYS_INLINE struct half_floats no_half_floats(void)
{
#if defined(__AVX512F__)
    return (struct half_floats){_mm512_setzero_ps()};
#else
    return (struct half_floats){{_mm256_setzero_ps(), _mm256_setzero_ps()}};
#endif
}

static ALWAYS_INLINE __m256 part_of_half_floats(struct half_floats sums, int part)
{
#if defined(__AVX512F__)
    return part == 0 ? _mm512_castps512_ps256(sums.both)
                     : _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(sums.both), 1));
#else
    return sums.part[part];
#endif
}

/* A step of two times 8 columns. */
static ALWAYS_INLINE struct half_floats floats_of_halves(__m256i step, aclDataType dtype)
{
#if defined(__AVX512F__)
    return (struct half_floats){
        dtype == ACL_FLOAT16 ? _mm512_cvtph_ps(step)
                             : _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(step), 16))};
#else
    struct half_floats wide;
    for (int i = 0; i < 2; i++) {
        const __m128i half = i == 0 ? _mm256_castsi256_si128(step) : _mm256_extracti128_si256(step, 1);
        wide.part[i] = dtype == ACL_FLOAT16
                           ? _mm256_cvtph_ps(half)
                           : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
    }
    return wide;
#endif
}

/* One step of 16 columns onto their sums; each 8 of them have a left element of their own. */
static ALWAYS_INLINE struct half_floats add_half_step(struct half_floats sums, const float *left0,
                                                      const float *left1, __m256i step, aclDataType dtype)
{
    const struct half_floats right = floats_of_halves(step, dtype);
#if defined(__AVX512F__)
    const __m512 left = left0 == left1
                            ? _mm512_set1_ps(*left0)
                            : _mm512_mask_broadcastss_ps(_mm512_set1_ps(*left0), 0xff00, _mm_load_ss(left1));
    sums.both = _mm512_fmadd_ps(left, right.both, sums.both);
#else
    for (int i = 0; i < 2; i++)
        sums.part[i] = _mm256_fmadd_ps(_mm256_set1_ps(i == 0 ? *left0 : *left1), right.part[i], sums.part[i]);
#endif
    return sums;
}

/*
 * 8 steps of 8 columns beginning at an offset and of 8 at another: other columns, or the same ones in the next
 * block.
 */
static ALWAYS_INLINE void turn_half_steps(const unsigned char *const *column0, size_t offset0,
                                          const unsigned char *const *column1, size_t offset1, __m256i *step)
{
    __m256i a[8], b[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        a[i] = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(column0[i] + offset0))),
            _mm_loadu_si128((const __m128i *)(const void *)(column1[i] + offset1)), 1);
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) { /* words of two columns */
        b[i] = _mm256_unpacklo_epi16(a[i], a[i + 1]);
        b[i + 1] = _mm256_unpackhi_epi16(a[i], a[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) { /* pairs of four */
        a[i] = _mm256_unpacklo_epi32(b[i], b[i + 2]);
        a[i + 1] = _mm256_unpackhi_epi32(b[i], b[i + 2]);
        a[i + 2] = _mm256_unpacklo_epi32(b[i + 1], b[i + 3]);
        a[i + 3] = _mm256_unpackhi_epi32(b[i + 1], b[i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) { /* and all eight of a step, and of the next one */
        step[2 * i] = _mm256_unpacklo_epi64(a[i], a[i + 4]);
        step[2 * i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 4]);
    }
}

/* Such steps onto their sums, in order, or of each two the second one first. */
static ALWAYS_INLINE struct half_floats add_half_steps(struct half_floats sums, const float *left0,
                                                       const float *left1,
                                                       const unsigned char *const *column0, size_t offset0,
                                                       const unsigned char *const *column1, size_t offset1,
                                                       aclDataType dtype, bool takes_pairs)
{
    __m256i step[HALF_STEPS];
    turn_half_steps(column0, offset0, column1, offset1, step);
#pragma GCC unroll 8
    for (int i = 0; i < HALF_STEPS; i++) {
        const int k = takes_pairs ? i ^ 1 : i;
        sums = add_half_step(sums, left0 + k, left1 + k, step[k], dtype);
    }
    return sums;
}
#endif

#endif
