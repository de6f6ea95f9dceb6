/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Writing results, through the caches or past them, and asking for inputs ahead of those that stream.
 */
#ifndef BELAY_SIMD_VECTOR_WRITE_H
#define BELAY_SIMD_VECTOR_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/*
 * Writes a vector. With streams it is written past the caches, and target is aligned to its bytes; whoever
 * asked for that calls put_fence when all is written. bytes is a constant where this is inlined.
 */
static inline __attribute__((always_inline)) void put(void *target, const void *from, size_t bytes,
                                                      bool non_temporal)
{
    if (!non_temporal) {
        memcpy(target, from, bytes);
        return;
    }
#if defined(__AVX512F__)
    if (bytes == 64) {
        _mm512_stream_si512((__m512i *)target, _mm512_loadu_si512(from));
        return;
    }
#endif
#if defined(__AVX2__)
    if (bytes == 32) {
        _mm256_stream_si256((__m256i *)target, _mm256_loadu_si256((const __m256i *)from));
        return;
    }
#endif
#if defined(__x86_64__)
    if (bytes == 16) {
        _mm_stream_si128((__m128i *)target, _mm_loadu_si128((const __m128i *)from));
        return;
    }
    if (bytes == 8) {
        long long bits;
        memcpy(&bits, from, sizeof bits);
        _mm_stream_si64((long long *)target, bits);
        return;
    }
    if (bytes == 4) {
        int bits;
        memcpy(&bits, from, sizeof bits);
        _mm_stream_si32((int *)target, bits);
        return;
    }
#endif
    memcpy(target, from, bytes);
}

/* Orders what was written past the caches before whatever tells other threads of it. */
static inline void put_fence(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* How many bytes ahead inputs are asked for. */
enum { STREAM_AHEAD = 4096 };

/* How far ahead to ask in a loop that has no time for a look at each place: nothing where no more bytes are read soon,
 * so that what is asked for is what is read. */
static inline __attribute__((always_inline)) size_t stream_ahead(size_t soon)
{
    return soon > STREAM_AHEAD ? STREAM_AHEAD : 0;
}

/* Asks for bytes of an input from an offset on, unless that is behind its end (SIZE_MAX: nobody knows it): of
 * a page that was never touched the processor looks for the place each time, which takes as long as a short
 * call. The last line may be behind the end: so it is no pointer. */
static inline __attribute__((always_inline)) void ask_for(const void *input, size_t offset, size_t bytes,
                                                          size_t end)
{
    if (offset >= end)
        return;
    for (size_t line = 0; line < bytes; line += 64)
        __builtin_prefetch((const char *)((uintptr_t)input + offset + line));
}

#endif
