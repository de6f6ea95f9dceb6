/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Transposes blocks whose lines are whole cache lines (half ones for elements of 2 bytes), so that each cache
 * line is touched once: where their distance is a power of two the first cache cannot keep many of them.
 */
#ifndef BELAY_SIMD_TRANSPOSE_WIDE_H
#define BELAY_SIMD_TRANSPOSE_WIDE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include <immintrin.h>

enum { HAS_TRANSPOSE_WIDE = 1 };

/* A block is this many lines high, and each of them this many places long. */
#define TRANSPOSE_WIDE(bytes) ((bytes) == 8 ? 8 : 16)

/*
 * Registers that hold, in each part of 16 bytes, one element of each of some lines; parts go to the line of
 * their element: part p of register g * distance becomes part g of register p * distance.
 */
static inline __attribute__((always_inline)) void exchange_parts(__m512i *line, int distance)
{
    __m512i low = _mm512_shuffle_i32x4(line[0], line[distance], 0x88);
    __m512i high = _mm512_shuffle_i32x4(line[0], line[distance], 0xdd);
    __m512i other_low = _mm512_shuffle_i32x4(line[2 * distance], line[3 * distance], 0x88);
    __m512i other_high = _mm512_shuffle_i32x4(line[2 * distance], line[3 * distance], 0xdd);
    line[0] = _mm512_shuffle_i32x4(low, other_low, 0x88);
    line[distance] = _mm512_shuffle_i32x4(high, other_high, 0x88);
    line[2 * distance] = _mm512_shuffle_i32x4(low, other_low, 0xdd);
    line[3 * distance] = _mm512_shuffle_i32x4(high, other_high, 0xdd);
}

static inline __attribute__((always_inline)) void
transpose_wide_4(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride)
{
    __m512i line[16] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int group = 0; group < 16; group += 4) {
        const unsigned char *first = from + group * from_stride;
        __m512i a = _mm512_loadu_si512(first), b = _mm512_loadu_si512(first + from_stride);
        __m512i c = _mm512_loadu_si512(first + 2 * from_stride);
        __m512i d = _mm512_loadu_si512(first + 3 * from_stride);
        __m512i ac = _mm512_unpacklo_epi32(a, c), bd = _mm512_unpacklo_epi32(b, d);
        __m512i high_ac = _mm512_unpackhi_epi32(a, c), high_bd = _mm512_unpackhi_epi32(b, d);
        line[group] = _mm512_unpacklo_epi32(ac, bd);
        line[group + 1] = _mm512_unpackhi_epi32(ac, bd);
        line[group + 2] = _mm512_unpacklo_epi32(high_ac, high_bd);
        line[group + 3] = _mm512_unpackhi_epi32(high_ac, high_bd);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        exchange_parts(line + i, 4);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        _mm512_storeu_si512(to + i * to_stride, line[i]);
}

static inline __attribute__((always_inline)) void
transpose_wide_8(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride)
{
    __m512i line[8] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int group = 0; group < 8; group += 2) {
        const unsigned char *first = from + group * from_stride;
        __m512i a = _mm512_loadu_si512(first), b = _mm512_loadu_si512(first + from_stride);
        line[group] = _mm512_unpacklo_epi64(a, b);
        line[group + 1] = _mm512_unpackhi_epi64(a, b);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
        exchange_parts(line + i, 2);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        _mm512_storeu_si512(to + i * to_stride, line[i]);
}

/* Line j interleaved with line j + 4, three times, sorts the places of eight lines to registers. */
static inline __attribute__((always_inline)) void
transpose_wide_2(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride)
{
    __m256i half[2][8] __attribute__((uninitialized));
#pragma GCC unroll 2
    for (int group = 0; group < 2; group++) {
        __m256i line[8] __attribute__((uninitialized)), turned[8] __attribute__((uninitialized));
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++)
            line[j] = _mm256_loadu_si256((const __m256i_u *)(from + (8 * group + j) * from_stride));
#pragma GCC unroll 3
        for (int round = 0; round < 3; round++) {
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) {
                turned[2 * j] = _mm256_unpacklo_epi16(line[j], line[j + 4]);
                turned[2 * j + 1] = _mm256_unpackhi_epi16(line[j], line[j + 4]);
            }
            memcpy(line, turned, sizeof line);
        }
        memcpy(half[group], line, sizeof line);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        __m256i near = _mm256_permute2x128_si256(half[0][i], half[1][i], 0x20);
        __m256i far = _mm256_permute2x128_si256(half[0][i], half[1][i], 0x31);
        _mm256_storeu_si256((__m256i_u *)(to + i * to_stride), near);
        _mm256_storeu_si256((__m256i_u *)(to + (8 + i) * to_stride), far);
    }
}

/* Element i of line j goes to place j of line i; strides in bytes. bytes is a constant where this is inlined.
 */
static inline __attribute__((always_inline)) void transpose_wide(unsigned char *to, ptrdiff_t to_stride,
                                                                 const unsigned char *from,
                                                                 ptrdiff_t from_stride, size_t bytes)
{
    if (bytes == 2)
        transpose_wide_2(to, to_stride, from, from_stride);
    else if (bytes == 4)
        transpose_wide_4(to, to_stride, from, from_stride);
    else
        transpose_wide_8(to, to_stride, from, from_stride);
}
#else
enum { HAS_TRANSPOSE_WIDE = 0 };
#define TRANSPOSE_WIDE(bytes) 1

static inline void transpose_wide(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from,
                                  ptrdiff_t from_stride, size_t bytes)
{
    (void)to, (void)to_stride, (void)from, (void)from_stride, (void)bytes;
}
#endif

#endif
