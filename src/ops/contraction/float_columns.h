/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Columns of floats whose steps lie side by side, against a single row on the left, by vectors of 512 bits: 8
 * steps of two times 8 columns change places at once. Loads are what such a product waits for where its columns
 * lie in a cache, and these take half as many as 4 steps of 8 columns in 256 bits.
 */
#ifndef BELAY_OPS_CONTRACTION_FLOAT_COLUMNS_H
#define BELAY_OPS_CONTRACTION_FLOAT_COLUMNS_H

#include "ops/contraction/half_columns.h"

#if defined(__AVX512F__)
enum { FLOATS_ARE_PAIRED = 1 };

static ALWAYS_INLINE __m512 load_8_steps(const unsigned char *from0, const unsigned char *from1)
{
    return _mm512_castpd_ps(_mm512_insertf64x4(
        _mm512_castps_pd(_mm512_castps256_ps512(_mm256_loadu_ps((const float *)(const void *)from0))),
        _mm256_castps_pd(_mm256_loadu_ps((const float *)(const void *)from1)), 1));
}

static ALWAYS_INLINE __m512 join_low(__m512 a, __m512 b)
{
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

static ALWAYS_INLINE __m512 join_high(__m512 a, __m512 b)
{
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

/* As turn_half_steps. */
static ALWAYS_INLINE void turn_float_steps(const unsigned char *const *column0, size_t offset0,
                                           const unsigned char *const *column1, size_t offset1, __m512 *step)
{
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    const __m512i second = _mm512_setr_epi32(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
    __m512 a[8], b[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        a[i] = load_8_steps(column0[i] + offset0, column1[i] + offset1);
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) { /* steps of two columns */
        b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) { /* of four: step s and step s + 4 */
        a[i] = join_low(b[i], b[i + 2]);
        a[i + 1] = join_high(b[i], b[i + 2]);
        a[i + 2] = join_low(b[i + 1], b[i + 3]);
        a[i + 3] = join_high(b[i + 1], b[i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) { /* and of all eight */
        step[i] = _mm512_permutex2var_ps(a[i], first, a[i + 4]);
        step[i + 4] = _mm512_permutex2var_ps(a[i], second, a[i + 4]);
    }
}

/* As add_half_steps, in order. */
static ALWAYS_INLINE struct half_floats add_float_steps(struct half_floats sums, const float *left0,
                                                        const float *left1,
                                                        const unsigned char *const *column0, size_t offset0,
                                                        const unsigned char *const *column1, size_t offset1)
{
    __m512 step[HALF_STEPS];
    turn_float_steps(column0, offset0, column1, offset1, step);
#pragma GCC unroll 8
    for (int k = 0; k < HALF_STEPS; k++) {
        const __m512 left = _mm512_set1_ps(left0[k]);
        sums.both = _mm512_fmadd_ps(
            left0 == left1 ? left : _mm512_mask_broadcastss_ps(left, 0xff00, _mm_load_ss(left1 + k)), step[k],
            sums.both);
    }
    return sums;
}
#else
enum { FLOATS_ARE_PAIRED = 0 };
#endif

#endif
