/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The copies of the roofline, compiled once per width: ROOFLINE_BYTES is the width of a vector in bytes and
 * ROOFLINE_TABLE the name of the table that this file defines.
 */
#include <stdbool.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "roofline.h"

/* Literals, because the lists of lanes below are chosen by them. */
#if ROOFLINE_BYTES == 64
#define LANES_OF_2 32
#define LANES_OF_4 16
#define LANES_OF_8 8
#elif ROOFLINE_BYTES == 32
#define LANES_OF_2 16
#define LANES_OF_4 8
#define LANES_OF_8 4
#else
#define LANES_OF_2 8
#define LANES_OF_4 4
#define LANES_OF_8 2
#endif

typedef unsigned char vector __attribute__((vector_size(ROOFLINE_BYTES)));

static inline vector load(const unsigned char *source)
{
    vector value;
    memcpy(&value, source, sizeof value);
    return value;
}

static inline void store(unsigned char *out, vector value, bool is_streaming)
{
#if defined(__x86_64__)
    if (is_streaming) {
#if ROOFLINE_BYTES == 64
        _mm512_stream_si512((void *)out, (__m512i)value);
#elif ROOFLINE_BYTES == 32
        _mm256_stream_si256((__m256i *)(void *)out, (__m256i)value);
#else
        _mm_stream_si128((__m128i *)(void *)out, (__m128i)value);
#endif
        return;
    }
#endif
    (void)is_streaming;
    memcpy(out, &value, sizeof value);
}

/* Four vectors at a time: the loads of all sources come before the stores. */
enum { STEP = 4 };

static inline unsigned char byte_of(const unsigned char *const *source, size_t at, int sources)
{
    unsigned char value = source[0][sources ? at : at % ROOFLINE_BYTES];
    for (int k = 1; k < sources; k++)
        value ^= source[k][at];
    return value;
}

/* copies of the result lie one behind the other. */
static inline void copy(const unsigned char *const *source, unsigned char *out, size_t bytes, int sources,
                        int copies, bool is_streaming)
{
    size_t at = 0;
    /* Streaming stores must be aligned; where there is a second copy, both are or neither is. */
    while (is_streaming && at < bytes && ((uintptr_t)out + at) % ROOFLINE_BYTES != 0) {
        for (int c = 0; c < copies; c++)
            out[(size_t)c * bytes + at] = byte_of(source, at, sources);
        at++;
    }
    vector repeated = {0};
    if (sources == 0)
        repeated = load(source[0]);
    for (; at + STEP * ROOFLINE_BYTES <= bytes; at += STEP * ROOFLINE_BYTES) {
        vector value[STEP];
        for (int i = 0; i < STEP; i++)
            value[i] = sources ? load(source[0] + at + (size_t)i * ROOFLINE_BYTES) : repeated;
        for (int k = 1; k < sources; k++)
            for (int i = 0; i < STEP; i++)
                value[i] ^= load(source[k] + at + (size_t)i * ROOFLINE_BYTES);
        for (int c = 0; c < copies; c++)
            for (int i = 0; i < STEP; i++)
                store(out + (size_t)c * bytes + at + (size_t)i * ROOFLINE_BYTES, value[i], is_streaming);
    }
    for (; at < bytes; at++)
        for (int c = 0; c < copies; c++)
            out[(size_t)c * bytes + at] = byte_of(source, at, sources);
#if defined(__x86_64__)
    if (is_streaming)
        _mm_sfence();
#endif
}

/* All words are combined, so that nothing can be left out. */
static inline void read(const unsigned char *const *source, unsigned char *out, size_t bytes, int sources)
{
    vector sum[STEP] = {{0}};
    size_t at = 0;
    for (; at + STEP * ROOFLINE_BYTES <= bytes; at += STEP * ROOFLINE_BYTES)
        for (int k = 0; k < sources; k++)
            for (int i = 0; i < STEP; i++)
                sum[i] ^= load(source[k] + at + (size_t)i * ROOFLINE_BYTES);
    vector total = sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
    memset(out, 0, 8);
    for (size_t i = 0; i < ROOFLINE_BYTES; i++)
        out[i % 8] ^= total[i];
    for (; at < bytes; at++)
        for (int k = 0; k < sources; k++)
            out[at % 8] ^= source[k][at];
}

static void fill(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 0, 1, false);
}

static void copy_1(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 1, 1, false);
}

static void copy_2(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 2, 1, false);
}

static void copy_3(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 3, 1, false);
}

static void copy_4(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 4, 1, false);
}

static void twice(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 1, 2, false);
}

static void four_times(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 1, 4, false);
}

static void stream_fill(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 0, 1, true);
}

static void stream_1(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 1, 1, true);
}

static void stream_2(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 2, 1, true);
}

static void stream_3(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 3, 1, true);
}

static void stream_4(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 4, 1, true);
}

static void stream_twice(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 1, 2, bytes % ROOFLINE_BYTES == 0);
}

static void stream_four_times(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 1, 4, bytes % ROOFLINE_BYTES == 0);
}

static void read_1(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    read(source, out, bytes, 1);
}

static void read_2(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    read(source, out, bytes, 2);
}

static void read_3(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    read(source, out, bytes, 3);
}

static void read_4(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    read(source, out, bytes, 4);
}

/* Which lanes of two vectors a shuffle takes: halves interleaved, and even elements (roofline_move.h). */
/* clang-format off */
#define ZIP_LOW_2 0, 2
#define ZIP_HIGH_2 1, 3
#define EVEN_2 0, 3
#define ZIP_LOW_4 0, 4, 1, 5
#define ZIP_HIGH_4 2, 6, 3, 7
#define EVEN_4 0, 2, 5, 7
#define ZIP_LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define ZIP_HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN_8 0, 2, 4, 6, 9, 11, 13, 15
#define ZIP_LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define ZIP_HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
#define ZIP_LOW_32 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47
#define ZIP_HIGH_32 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63
#define EVEN_32 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63
/* clang-format on */
#define NAME_WITH(name, lanes) name##_##lanes
#define ZIP_LOW(lanes)         NAME_WITH(ZIP_LOW, lanes)
#define ZIP_HIGH(lanes)        NAME_WITH(ZIP_HIGH, lanes)
#define EVEN(lanes)            NAME_WITH(EVEN, lanes)

#define ELEMENT    uint16_t
#define LANES      LANES_OF_2
#define BLOCK_TYPE block_2
#define TRANSPOSE  transpose_2
#define THIN       thin_2
#include "roofline_move.h"

#define ELEMENT    uint32_t
#define LANES      LANES_OF_4
#define BLOCK_TYPE block_4
#define TRANSPOSE  transpose_4
#define THIN       thin_4
#include "roofline_move.h"

#define ELEMENT    uint64_t
#define LANES      LANES_OF_8
#define BLOCK_TYPE block_8
#define TRANSPOSE  transpose_8
#define THIN       thin_8
#include "roofline_move.h"

#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)

extern const struct roofline_kernels ROOFLINE_TABLE;
const struct roofline_kernels ROOFLINE_TABLE = {
    {TEXT(ROOFLINE_BITS) "-bit", TEXT(ROOFLINE_BITS) "-bit streaming"},
    {{fill, stream_fill}, {copy_1, stream_1}, {copy_2, stream_2}, {copy_3, stream_3}, {copy_4, stream_4}},
    {{twice, stream_twice}, {four_times, stream_four_times}},
    {NULL, read_1, read_2, read_3, read_4},
    {transpose_2, transpose_4, transpose_8},
    {thin_2, thin_4, thin_8},
};
