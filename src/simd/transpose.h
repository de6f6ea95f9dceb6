/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Transposes small blocks of elements in registers.
 */
#ifndef BELAY_SIMD_TRANSPOSE_H
#define BELAY_SIMD_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Parts of 16 bytes in a register, as far as these blocks use it. */
#if defined(__AVX2__)
enum { PARTS = 2 };
#else
enum { PARTS = 1 };
#endif

typedef uint16_t packed_2 __attribute__((vector_size(16)));
typedef uint32_t part_4 __attribute__((vector_size(16)));
typedef uint64_t part_8 __attribute__((vector_size(16)));
typedef uint32_t packed_4 __attribute__((vector_size(16 * PARTS)));
typedef uint64_t packed_8 __attribute__((vector_size(16 * PARTS)));

/* A block for elements of 2, 4 or 8 bytes is this many lines high, and each of them this many places long. */
#define TRANSPOSE_LINES(bytes)  ((bytes) == 2 ? 8 : 16 / (bytes)*PARTS)
#define TRANSPOSE_PLACES(bytes) (16 / (bytes))

/* The elements of a and b in turn, within each part: those of its lower half, those of its upper half. */
static inline packed_2 low_2(packed_2 a, packed_2 b)
{
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline packed_2 high_2(packed_2 a, packed_2 b)
{
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

#if defined(__AVX2__)
static inline packed_4 low_4(packed_4 a, packed_4 b)
{
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}

static inline packed_4 high_4(packed_4 a, packed_4 b)
{
    return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}

static inline packed_8 low_8(packed_8 a, packed_8 b)
{
    return __builtin_shufflevector(a, b, 0, 4, 2, 6);
}

static inline packed_8 high_8(packed_8 a, packed_8 b)
{
    return __builtin_shufflevector(a, b, 1, 5, 3, 7);
}
#else
static inline packed_4 low_4(packed_4 a, packed_4 b)
{
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}

static inline packed_4 high_4(packed_4 a, packed_4 b)
{
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

static inline packed_8 low_8(packed_8 a, packed_8 b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}

static inline packed_8 high_8(packed_8 a, packed_8 b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}
#endif

/* A register of parts from lines that lie so many bytes apart. */
static inline __attribute__((always_inline)) packed_4 load_4(const unsigned char *from, ptrdiff_t apart)
{
    part_4 part[PARTS];
    for (int i = 0; i < PARTS; i++)
        memcpy(&part[i], from + i * apart, sizeof part[i]);
#if defined(__AVX2__)
    return __builtin_shufflevector(part[0], part[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return part[0];
#endif
}

static inline __attribute__((always_inline)) packed_8 load_8(const unsigned char *from, ptrdiff_t apart)
{
    part_8 part[PARTS];
    for (int i = 0; i < PARTS; i++)
        memcpy(&part[i], from + i * apart, sizeof part[i]);
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
    packed_2 line[8], turned[8];
    for (int j = 0; j < 8; j++)
        memcpy(&line[j], from + j * from_stride, sizeof line[j]);
    for (int round = 0; round < 3; round++) {
        for (int j = 0; j < 4; j++) {
            turned[2 * j] = low_2(line[j], line[j + 4]);
            turned[2 * j + 1] = high_2(line[j], line[j + 4]);
        }
        memcpy(line, turned, sizeof line);
    }
    for (int i = 0; i < 8; i++)
        memcpy(to + i * to_stride, &line[i], sizeof line[i]);
}

static inline __attribute__((always_inline)) void
transpose_4(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride)
{
    packed_4 line[4], turned[4];
    for (int j = 0; j < 4; j++)
        line[j] = load_4(from + j * from_stride, 4 * from_stride);
    for (int round = 0; round < 2; round++) {
        for (int j = 0; j < 2; j++) {
            turned[2 * j] = low_4(line[j], line[j + 2]);
            turned[2 * j + 1] = high_4(line[j], line[j + 2]);
        }
        memcpy(line, turned, sizeof line);
    }
    for (int i = 0; i < 4; i++)
        memcpy(to + i * to_stride, &line[i], sizeof line[i]);
}

static inline __attribute__((always_inline)) void
transpose_8(unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride)
{
    packed_8 line[2];
    for (int j = 0; j < 2; j++)
        line[j] = load_8(from + j * from_stride, 2 * from_stride);
    const packed_8 turned[2] = {low_8(line[0], line[1]), high_8(line[0], line[1])};
    for (int i = 0; i < 2; i++)
        memcpy(to + i * to_stride, &turned[i], sizeof turned[i]);
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
