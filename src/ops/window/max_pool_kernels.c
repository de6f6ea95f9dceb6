/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inner loops of max_pool2d_with_mask.c, compiled once for each instruction-set level.
 */
#include "ops/window/max_pool_kernels.h"

#ifdef KERNEL_PASS
#include <string.h>

#include "simd/vector/level_table.h"
#include "simd/vector/vector_memory.h"

static inline vector_ints load_ints(const void *from)
{
    vector_ints value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void store_chosen(void *to, vector_ints takes, vector_ints value)
{
    value = (takes & value) | (~takes & load_ints(to));
    memcpy(to, &value, sizeof value);
}

/* Elements of 2 bytes are widened. */
static inline __attribute__((always_inline)) vector_ints load_bits(const unsigned char *from, uint32_t bytes)
{
    vector_halves half;
    if (bytes == 4)
        return load_ints(from);
    memcpy(&half, from, sizeof half);
    return __builtin_convertvector(half, vector_ints);
}

/* The first of equal elements stays, the last NaN goes on. */
static inline __attribute__((always_inline)) void meet_by(const unsigned char *element, uint32_t bytes,
                                                          uint32_t infinity, int32_t place, size_t count,
                                                          const struct windows_met *met)
{
    const vector_ints none = {0}, of_nan = none + INT32_MAX;
    const int32_t size_bits = bytes == 4 ? INT32_MAX : INT16_MAX;
    for (size_t i = 0; i < count; i += VECTOR_LANES) {
        const vector_ints bits = load_bits(element + i * bytes, bytes), size = bits & size_bits,
                          negative = size != bits, is_nan = size > (int32_t)infinity,
                          order = (is_nan & of_nan) | (~is_nan & ((size ^ negative) - negative)),
                          takes = (order > load_ints(met->order + i)) | is_nan;
        store_chosen(met->order + i, takes, order);
        store_chosen(met->value + i, takes, bits);
        store_chosen(met->place + i, takes, none + place);
    }
}

static void meet(const void *element, uint32_t bytes, uint32_t infinity, int32_t place, size_t count,
                 const struct windows_met *met)
{
    if (bytes == 4)
        meet_by(element, 4, infinity, place, count, met);
    else
        meet_by(element, 2, infinity, place, count, met);
}

static void mark(const int32_t *place_of, int32_t place, size_t bytes, unsigned char *bits)
{
    for (size_t i = 0; i < bytes; i++, place_of += 8) {
#if defined(__AVX2__)
        const __m256i is_there = _mm256_cmpeq_epi32(
            _mm256_loadu_si256((const __m256i *)(const void *)place_of), _mm256_set1_epi32(place));
        bits[i] |= (unsigned char)_mm256_movemask_ps(_mm256_castsi256_ps(is_there));
#else
        for (unsigned k = 0; k < 8; k++)
            bits[i] |= (unsigned char)((place_of[k] == place) << k);
#endif
    }
}

extern const struct max_pool_kernels AT_LEVEL(max_pool_kernels);
const struct max_pool_kernels AT_LEVEL(max_pool_kernels) = {.meet = meet, .mark = mark};

#endif
