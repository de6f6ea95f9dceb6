/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements of each dtype from memory to doubles, and bits back. All of these conversions are exact.
 */
#ifndef BELAY_SIMD_VECTOR_MEMORY_H
#define BELAY_SIMD_VECTOR_MEMORY_H

#include <stddef.h>
#include <string.h>

#include "simd/vector/kernels.h"
#include "simd/vector/vector.h"
#include "simd/vector/write.h"

/* The bytes of an element of a dtype of floats. */
static inline size_t bytes_of(enum arithmetic dtype)
{
    return dtype == ARITHMETIC_FP64 ? 8 : dtype == ARITHMETIC_FP32 ? 4 : 2;
}

/* The values of fp16, all of which fp32 has. */
static inline floats fp16_values(halves bits)
{
#if defined(__AVX512F__)
    floats value = (floats)_mm256_cvtph_ps((__m128i)bits);
    FORGET_ORIGIN(value);
    return value;
#elif defined(__AVX2__)
    floats value = (floats)_mm_cvtph_ps(_mm_cvtsi64_si128((long long)bits));
    FORGET_ORIGIN(value);
    return value;
#else
    /* The fields where fp32 has them, then 2^112 to mend the exponent; 31 stays the highest one. */
    uints wide = __builtin_convertvector(bits, uints);
    uints magnitude = (wide & 0x7fff) << 13;
    uints finite = (uints)((floats)magnitude * 0x1p112f);
    ints special = magnitude >= 0x7c00u << 13;
    return (floats)(choose_uints(special, magnitude | 0x7f800000, finite) | (wide & 0x8000) << 16);
#endif
}

/* gcc makes four instructions of a conversion of vectors where one does. */
static inline uints extended(halves bits)
{
#if defined(__AVX512F__)
    return (uints)_mm256_cvtepu16_epi32((__m128i)bits);
#elif defined(__AVX2__)
    return (uints)_mm_cvtepu16_epi32(_mm_cvtsi64_si128((long long)bits));
#else
    return __builtin_convertvector(bits, uints);
#endif
}

/* LANES elements. */
static inline doubles load(enum arithmetic dtype, const void *source)
{
    if (dtype == ARITHMETIC_FP64) {
        doubles value;
        memcpy(&value, source, sizeof value);
        return value;
    }
    if (dtype == ARITHMETIC_FP32) {
        floats value;
        memcpy(&value, source, sizeof value);
        return doubles_of(value);
    }
    halves bits;
    memcpy(&bits, source, sizeof bits);
    if (dtype == ARITHMETIC_FP16)
        return doubles_of(fp16_values(bits));
    return doubles_of((floats)(extended(bits) << 16));
}

/* The low 16 or all 32 bits of each lane; non_temporal: see put. */
static inline __attribute__((always_inline)) void store(enum arithmetic dtype, void *target, uints bits,
                                                        bool non_temporal)
{
    if (dtype == ARITHMETIC_FP32) {
        put(target, &bits, sizeof bits, non_temporal);
        return;
    }
    halves lanes16 = __builtin_convertvector(bits, halves);
    put(target, &lanes16, sizeof lanes16, non_temporal);
}

#endif
