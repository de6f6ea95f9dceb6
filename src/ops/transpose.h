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

/* Parts of 16 bytes in a register of elements of 4 and 8 bytes; and LOW, HIGH: the elements of two registers
 * in turn, within each part those of their lower and of their upper halves; WHOLE: of the parts. */
#if defined(__AVX2__)
enum { PARTS = 2 };
#define LOW_4(a, b)    __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_4(a, b)   __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define WHOLE_4(parts) __builtin_shufflevector(parts[0], parts[1], 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW_8(a, b)    __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define HIGH_8(a, b)   __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define WHOLE_8(parts) __builtin_shufflevector(parts[0], parts[1], 0, 1, 2, 3)
#else
enum { PARTS = 1 };
#define LOW_4(a, b)    __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_4(a, b)   __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define WHOLE_4(parts) (parts[0])
#define LOW_8(a, b)    __builtin_shufflevector(a, b, 0, 2)
#define HIGH_8(a, b)   __builtin_shufflevector(a, b, 1, 3)
#define WHOLE_8(parts) (parts[0])
#endif
#define LOW_2(a, b)    __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(a, b)   __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define WHOLE_2(parts) (parts[0])

/* A block for elements of 2, 4 or 8 bytes is this many lines high, and each of them this many places long. */
#define TRANSPOSE_LINES(bytes)  ((bytes) == 2 ? 8 : 16 / (bytes)*PARTS)
#define TRANSPOSE_PLACES(bytes) (16 / (bytes))

/* Interleaving line j with line j + half of them, once for each halving, sorts the places to the lines. */
#define TRANSPOSE(bytes, element, parts)                                                          \
    static inline __attribute__((always_inline)) void transpose_##bytes(                          \
        unsigned char *to, ptrdiff_t to_stride, const unsigned char *from, ptrdiff_t from_stride) \
    {                                                                                             \
        enum { PLACES = TRANSPOSE_PLACES(bytes) };                                                \
        typedef element part __attribute__((vector_size(16)));                                    \
        typedef element packed __attribute__((vector_size(16 * (parts))));                        \
        packed line[PLACES], turned[PLACES];                                                      \
        for (int j = 0; j < PLACES; j++) {                                                        \
            part lines[parts];                                                                    \
            for (int i = 0; i < (parts); i++)                                                     \
                memcpy(&lines[i], from + (j + i * PLACES) * from_stride, sizeof lines[i]);        \
            line[j] = WHOLE_##bytes(lines);                                                       \
        }                                                                                         \
        for (int round = 1; round < PLACES; round *= 2) {                                         \
            for (int j = 0; j < PLACES / 2; j++) {                                                \
                turned[2 * j] = LOW_##bytes(line[j], line[j + PLACES / 2]);                       \
                turned[2 * j + 1] = HIGH_##bytes(line[j], line[j + PLACES / 2]);                  \
            }                                                                                     \
            memcpy(line, turned, sizeof line);                                                    \
        }                                                                                         \
        for (int i = 0; i < PLACES; i++)                                                          \
            memcpy(to + i * to_stride, &line[i], sizeof line[i]);                                 \
    }

TRANSPOSE(2, uint16_t, 1)
TRANSPOSE(4, uint32_t, PARTS)
TRANSPOSE(8, uint64_t, PARTS)

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
