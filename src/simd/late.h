/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Single elements of 16 bits that the quick way was not sure of: kept until there are enough of them for a
 * vector, and written over what it gave. So a block with a few of them costs little more than one without.
 */
#ifndef BELAY_SIMD_LATE_H
#define BELAY_SIMD_LATE_H

#include "simd/wide_memory.h"

/* A block with more of them is better computed again. */
enum { LATE_OF_BLOCK = PAIR_LANES * 3 / 8 };

/* Inputs are copied: the results may be written to the same memory. */
struct late {
    unsigned count; /* at most PAIR_LANES - LATE_OF_BLOCK between blocks */
    size_t offset[PAIR_LANES];
    uint16_t input[INPUTS_MAX][PAIR_LANES];
};

/* One bit per lane. */
static inline uint32_t late_lanes(flags flag)
{
#if defined(__AVX512F__)
    return flag;
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)flag);
#else
    uint32_t lanes = 0;
    for (int i = 0; i < WIDE_LANES; i++)
        lanes |= (uint32_t)(flag[i] & 1) << i;
    return lanes;
#endif
}

/* Those of both registers of a pair in turn, as struct narrow has its elements of bf16. */
static inline uint32_t late_lanes_of_pair(const flags *flag)
{
    const uint32_t first = late_lanes(flag[0]), second = late_lanes(flag[1]);
#if defined(__BMI2__)
    return _pdep_u32(first, 0x55555555) | _pdep_u32(second, 0xaaaaaaaa);
#else
    uint32_t lanes = 0;
    for (int i = 0; i < WIDE_LANES; i++)
        lanes |= (first >> i & 1) << 2 * i | (second >> i & 1) << (2 * i + 1);
    return lanes;
#endif
}

/* The byte offset in its pair of a lane of register i: see load_pair. */
static inline size_t late_place(enum arithmetic dtype, int i, unsigned lane)
{
    return 2 * (dtype == ARITHMETIC_BF16 ? 2 * lane + (unsigned)i : (unsigned)(i * WIDE_LANES) + lane);
}

/* lanes[i]: of the i-th register of a block at offset. False, and nothing is kept, if those are many. */
static inline bool late_keep(struct late *late, enum arithmetic dtype, int inputs, const char *const *source,
                             size_t offset, const uint32_t *lanes, int registers)
{
    int sum = 0;
    for (int i = 0; i < registers; i++)
        sum += __builtin_popcount(lanes[i]);
    if (sum > LATE_OF_BLOCK)
        return false;
    for (int i = 0; i < registers; i++)
        for (uint32_t rest = lanes[i]; rest != 0; rest &= rest - 1) {
            size_t at = offset + (size_t)(i / 2) * PAIR_LANES * 2 +
                        late_place(dtype, i % 2, (unsigned)__builtin_ctz(rest));
            for (int j = 0; j < inputs; j++)
                memcpy(&late->input[j][late->count], source[j] + at, 2);
            late->offset[late->count++] = at;
        }
    return true;
}

/* The elements of all pairs of a block in these lanes, as those of struct narrow: as late_keep(). */
static inline bool late_keep_lanes(struct late *late, enum arithmetic dtype, int inputs,
                                   const char *const *source, size_t offset, uint32_t lanes, int pairs)
{
    if (__builtin_popcount(lanes) * pairs > LATE_OF_BLOCK)
        return false;
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        size_t at = offset + late_place(dtype, lane % 2, lane / 2);
        for (int i = 0; i < pairs; i++, at += PAIR_LANES * 2) {
            for (int j = 0; j < inputs; j++)
                memcpy(&late->input[j][late->count], source[j] + at, 2);
            late->offset[late->count++] = at;
        }
    }
    return true;
}

#endif
