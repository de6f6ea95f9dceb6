/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Transposes small blocks of elements in registers.
 */
#ifndef BELAY_OPS_TRANSPOSE_H
#define BELAY_OPS_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A register of 16 bytes, and one of the widest that two instructions transpose: PARTS times as many. */
#if defined(__AVX2__)
enum { PARTS = 2 };
#else
enum { PARTS = 1 };
#endif
typedef uint16_t part_of_2 __attribute__((vector_size(16)));
typedef uint32_t part_of_4 __attribute__((vector_size(16)));
typedef uint64_t part_of_8 __attribute__((vector_size(16)));
typedef uint32_t wide_of_4 __attribute__((vector_size(16 * PARTS)));
typedef uint64_t wide_of_8 __attribute__((vector_size(16 * PARTS)));

/* The elements of two registers in turn: of their lower halves, of each part of 16 bytes where there are
 * several, and of their upper ones. */
static inline part_of_2 low_of_2(part_of_2 a, part_of_2 b)
{
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline part_of_2 high_of_2(part_of_2 a, part_of_2 b)
{
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline wide_of_4 low_of_4(wide_of_4 a, wide_of_4 b)
{
#if defined(__AVX2__)
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
#else
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#endif
}

static inline wide_of_4 high_of_4(wide_of_4 a, wide_of_4 b)
{
#if defined(__AVX2__)
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
#else
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

static inline wide_of_8 low_of_8(wide_of_8 a, wide_of_8 b)
{
#if defined(__AVX2__)
    return __builtin_shufflevector(a, b, 0, 4, 2, 6);
#else
    return __builtin_shufflevector(a, b, 0, 2);
#endif
}

static inline wide_of_8 high_of_8(wide_of_8 a, wide_of_8 b)
{
#if defined(__AVX2__)
    return __builtin_shufflevector(a, b, 1, 5, 3, 7);
#else
    return __builtin_shufflevector(a, b, 1, 3);
#endif
}

/* A block for elements of 2, 4 or 8 bytes is this many lines high, and each of them this many places long. */
static inline size_t transpose_lines(size_t bytes)
{
    return bytes == 2 ? 8 : 16 / bytes * PARTS;
}

static inline size_t transpose_places(size_t bytes)
{
    return 16 / bytes;
}

/* 16 bytes of line j in each part, of line j + 4 or j + 2 in the second one: made in a register, as one that
 * is put together in memory has to wait for both stores. */
static inline __attribute__((always_inline)) wide_of_4 read_4(const unsigned char *from,
                                                              ptrdiff_t from_stride, int j)
{
    part_of_4 part[PARTS];
    for (int i = 0; i < PARTS; i++)
        memcpy(&part[i], from + (j + i * 4) * from_stride, sizeof part[i]);
#if defined(__AVX2__)
    return __builtin_shufflevector(part[0], part[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return part[0];
#endif
}

static inline __attribute__((always_inline)) wide_of_8 read_8(const unsigned char *from,
                                                              ptrdiff_t from_stride, int j)
{
    part_of_8 part[PARTS];
    for (int i = 0; i < PARTS; i++)
        memcpy(&part[i], from + (j + i * 2) * from_stride, sizeof part[i]);
#if defined(__AVX2__)
    return __builtin_shufflevector(part[0], part[1], 0, 1, 2, 3);
#else
    return part[0];
#endif
}

/* Interleaving line j with line j + half of them, once for each halving, sorts the places to the lines. */
static inline __attribute__((always_inline)) void
transpose_2(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride)
{
    enum { PLACES = 8 };
    part_of_2 line[PLACES], turned[PLACES];
    for (int j = 0; j < PLACES; j++)
        memcpy(&line[j], from + j * from_stride, sizeof line[j]);
    for (int round = 1; round < PLACES; round *= 2) {
        for (int j = 0; j < PLACES / 2; j++) {
            turned[2 * j] = low_of_2(line[j], line[j + PLACES / 2]);
            turned[2 * j + 1] = high_of_2(line[j], line[j + PLACES / 2]);
        }
        memcpy(line, turned, sizeof line);
    }
    for (int i = 0; i < PLACES; i++)
        memcpy(to + i * to_stride, &line[i], sizeof line[i]);
}

static inline __attribute__((always_inline)) void
transpose_4(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride)
{
    enum { PLACES = 4 };
    wide_of_4 line[PLACES], turned[PLACES];
    for (int j = 0; j < PLACES; j++)
        line[j] = read_4(from, from_stride, j);
    for (int round = 1; round < PLACES; round *= 2) {
        for (int j = 0; j < PLACES / 2; j++) {
            turned[2 * j] = low_of_4(line[j], line[j + PLACES / 2]);
            turned[2 * j + 1] = high_of_4(line[j], line[j + PLACES / 2]);
        }
        memcpy(line, turned, sizeof line);
    }
    for (int i = 0; i < PLACES; i++)
        memcpy(to + i * to_stride, &line[i], sizeof line[i]);
}

static inline __attribute__((always_inline)) void
transpose_8(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride)
{
    const wide_of_8 line[2] = {read_8(from, from_stride, 0), read_8(from, from_stride, 1)};
    const wide_of_8 turned[2] = {low_of_8(line[0], line[1]), high_of_8(line[0], line[1])};
    memcpy(to, &turned[0], sizeof turned[0]);
    memcpy(to + to_stride, &turned[1], sizeof turned[1]);
}

/* Element i of line j goes to place j of line i; strides in bytes. bytes is a constant where this is inlined.
 */
static inline __attribute__((always_inline)) void transpose(unsigned char *to, ptrdiff_t to_stride,
                                                            const unsigned char *from, ptrdiff_t from_stride,
                                                            size_t bytes)
{
    if (bytes == 2)
        transpose_2(to, to_stride, from, from_stride);
    else if (bytes == 4)
        transpose_4(to, to_stride, from, from_stride);
    else
        transpose_8(to, to_stride, from, from_stride);
}

#endif
