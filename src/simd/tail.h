/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The ragged end of an array, to and from a buffer that a kernel can take as a whole. Small operators are
 * nothing but such an end, so that it must not cost more than a kernel does.
 */
#ifndef BELAY_SIMD_TAIL_H
#define BELAY_SIMD_TAIL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512BW__)
#include <immintrin.h>

/* The bytes of the register at this offset that belong to the rest. */
static inline __mmask64 tail_mask(size_t bytes, size_t offset)
{
    size_t left = bytes > offset ? bytes - offset : 0;
    return left >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << left) - 1;
}
#else
/* Two copies of a fixed size that overlap, of the largest size that fits. bytes is even and not 0. */
static inline void copy_tail(char *to, const char *from, size_t bytes)
{
    if (bytes >= 16) {
        for (size_t offset = 0; offset + 16 <= bytes; offset += 16)
            memcpy(to + offset, from + offset, 16);
        memcpy(to + bytes - 16, from + bytes - 16, 16);
    } else if (bytes >= 8) {
        memcpy(to, from, 8);
        memcpy(to + bytes - 8, from + bytes - 8, 8);
    } else if (bytes >= 4) {
        memcpy(to, from, 4);
        memcpy(to + bytes - 4, from + bytes - 4, 4);
    } else {
        memcpy(to, from, 2);
    }
}
#endif

#if defined(__AVX512BW__)
/* A register full of the element, whose bytes are a constant. */
static inline __attribute__((always_inline)) __m512i tail_element(const char *from, size_t bytes)
{
    uint64_t whole;
    uint32_t half;
    uint16_t quarter;
    if (bytes == 8) {
        memcpy(&whole, from, sizeof whole);
        return _mm512_set1_epi64((long long)whole);
    }
    if (bytes == 4) {
        memcpy(&half, from, sizeof half);
        return _mm512_set1_epi32((int)half);
    }
    memcpy(&quarter, from, sizeof quarter);
    return _mm512_set1_epi16((short)quarter);
}
#endif

/* Fills the buffer of this size, a constant, with the rest and its first element behind it: no other one
 * could be something that a kernel takes longer for. element_bytes: a constant. */
static inline __attribute__((always_inline)) void fetch_tail(char *buffer, size_t size, const char *from,
                                                             size_t bytes, size_t element_bytes)
{
#if defined(__AVX512BW__)
    const __m512i first = tail_element(from, element_bytes);
    /* No byte outside of the mask is touched. Unrolled, so that the kernel takes its inputs from registers.
     */
#pragma GCC unroll 4
    for (size_t offset = 0; offset < size; offset += 64)
        _mm512_storeu_si512(buffer + offset,
                            _mm512_mask_loadu_epi8(first, tail_mask(bytes, offset), from + offset));
#else
    for (size_t offset = 0; offset < size; offset += element_bytes)
        memcpy(buffer + offset, from, element_bytes);
    copy_tail(buffer, from, bytes);
#endif
}

static inline __attribute__((always_inline)) void put_tail(char *to, const char *buffer, size_t size,
                                                           size_t bytes)
{
#if defined(__AVX512BW__)
    /* Unrolled for the same reason. */
#pragma GCC unroll 4
    for (size_t offset = 0; offset < size; offset += 64)
        if (offset < bytes)
            _mm512_mask_storeu_epi8(to + offset, tail_mask(bytes, offset),
                                    _mm512_loadu_si512(buffer + offset));
#else
    (void)size;
    copy_tail(to, buffer, bytes);
#endif
}

#endif
