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

static inline void copy(const unsigned char *const *source, unsigned char *out, size_t bytes, int sources,
                        bool is_streaming)
{
    size_t at = 0;
    /* Streaming stores must be aligned. */
    while (is_streaming && at < bytes && ((uintptr_t)out + at) % ROOFLINE_BYTES != 0) {
        unsigned char value = source[0][at];
        for (int k = 1; k < sources; k++)
            value ^= source[k][at];
        out[at++] = value;
    }
    for (; at + STEP * ROOFLINE_BYTES <= bytes; at += STEP * ROOFLINE_BYTES) {
        vector value[STEP];
        for (int i = 0; i < STEP; i++)
            value[i] = load(source[0] + at + (size_t)i * ROOFLINE_BYTES);
        for (int k = 1; k < sources; k++)
            for (int i = 0; i < STEP; i++)
                value[i] ^= load(source[k] + at + (size_t)i * ROOFLINE_BYTES);
        for (int i = 0; i < STEP; i++)
            store(out + at + (size_t)i * ROOFLINE_BYTES, value[i], is_streaming);
    }
    for (; at + ROOFLINE_BYTES <= bytes; at += ROOFLINE_BYTES) {
        vector value = load(source[0] + at);
        for (int k = 1; k < sources; k++)
            value ^= load(source[k] + at);
        store(out + at, value, is_streaming);
    }
    for (; at < bytes; at++) {
        unsigned char value = source[0][at];
        for (int k = 1; k < sources; k++)
            value ^= source[k][at];
        out[at] = value;
    }
#if defined(__x86_64__)
    if (is_streaming)
        _mm_sfence();
#endif
}

static void copy_1(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 1, false);
}

static void copy_2(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 2, false);
}

static void copy_3(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 3, false);
}

static void stream_1(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 1, true);
}

static void stream_2(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 2, true);
}

static void stream_3(const unsigned char *const *source, unsigned char *out, size_t bytes)
{
    copy(source, out, bytes, 3, true);
}

#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)

extern const struct roofline_kernels ROOFLINE_TABLE;
const struct roofline_kernels ROOFLINE_TABLE = {
    {TEXT(ROOFLINE_BITS) "-bit", TEXT(ROOFLINE_BITS) "-bit streaming"},
    {{copy_1, stream_1}, {copy_2, stream_2}, {copy_3, stream_3}},
};
