/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * g s'(x) of silu for blocks of fp16 or bf16: in fp32 with a few units of error, and only where that is far
 * enough from a tie. What tells is looked at in lanes of 16 bits, the halves of the results, two registers at
 * a time.
 */
#ifndef BELAY_SIMD_SILU_NARROW_H
#define BELAY_SIMD_SILU_NARROW_H

#include "simd/late.h"
#include "simd/narrow.h"
#include "simd/silu_derivative.h"

/* How many units in the last place of fp32 the quick result may be off: no pair of numbers rounds wrongly
 * that is farther from a tie. */
enum { QUICK_UNITS = 1 };

/* The low bits that rounding to the dtype cuts off normal numbers. */
static inline int bits_cut(enum arithmetic dtype)
{
    return dtype == ARITHMETIC_BF16 ? 16 : 13;
}

/* Above no_tie() where a value is within some units of a tie: shifted up, that comes out highest. */
static inline wide_bits distance_of_tie(wide value, enum arithmetic dtype, uint32_t units)
{
    const int cut = bits_cut(dtype);
    return ((wide_bits)value - ((1U << (cut - 1)) + units + 1)) << (32 - cut);
}

static inline uint32_t no_tie(enum arithmetic dtype, uint32_t units)
{
    return 0U - ((2 * units + 2) << (32 - bits_cut(dtype)));
}

/* What a block knows of all its elements. Of twice the high halves of what must be in range the greatest, and
 * the least less 1, so that 0 is none. */
struct silu_doubts {
    wide_bits segments; /* the bits that are set in any, see silu_segments_beyond() */
    narrow least, greatest;
    narrow tie; /* above silu_no_tie() if any is near one */
};

/* The results for fp16, the gradients for bf16, whose products are far from subnormal then. */
static inline uint32_t silu_least(enum arithmetic dtype)
{
    return dtype == ARITHMETIC_BF16 ? 0x1c800000 : 0x38800000; /* 2^-70, 2^-14 */
}

static inline narrow silu_no_tie(enum arithmetic dtype)
{
    return narrow_of((uint16_t)(no_tie(dtype, QUICK_UNITS) >> 16));
}

/* The high halves of both registers, and the low ones; as bf16 has them in memory. */
static inline narrow high_halves(const wide *pair)
{
#if defined(__AVX512F__)
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000); /* mask ? second : third */
    return (narrow)_mm512_ternarylogic_epi32(upper, (__m512i)pair[1], _mm512_srli_epi32((__m512i)pair[0], 16),
                                             0xca);
#else
    return (narrow)((wide_bits)pair[0] >> 16 | ((wide_bits)pair[1] & 0xffff0000));
#endif
}

static inline narrow low_halves(const wide *pair)
{
#if defined(__AVX512F__)
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000);
    return (narrow)_mm512_ternarylogic_epi32(upper, _mm512_slli_epi32((__m512i)pair[1], 16), (__m512i)pair[0],
                                             0xca);
#else
    return (narrow)((wide_bits)pair[1] << 16 | ((wide_bits)pair[0] & 0xffff));
#endif
}

static inline wide silu_quick_product(wide g, wide x, wide_bits *segments)
{
    wide b = wide_absolute(x), sum = silu_segment_sum(b), phi = silu_phi_of(b, (wide_bits)sum);
    *segments |= (wide_bits)sum;
    return g * wide_choose(wide_greater(x, wide_of(0)), 1 - phi, phi);
}

static inline bool silu_doubtful(enum arithmetic dtype, struct silu_doubts doubts)
{
    const uint16_t least = (uint16_t)(2 * (silu_least(dtype) >> 16) - 1);
    narrow_flags doubtful = narrow_below(doubts.least, narrow_of(least));
    doubtful |= narrow_below(narrow_of(0xfeff), doubts.greatest);
    doubtful |= narrow_below(silu_no_tie(dtype), doubts.tie);
#if defined(__AVX512F__)
    return doubtful != 0 || wide_any(silu_segments_beyond(doubts.segments));
#else
    return wide_any((wide_bits)doubtful | silu_segments_beyond(doubts.segments));
#endif
}

/* The lanes, or more, that make a block doubtful. */
static inline flags silu_unsure(enum arithmetic dtype, wide g, wide x, wide result)
{
    wide_ints size = (wide_ints)wide_absolute(dtype == ARITHMETIC_BF16 ? g : result);
    flags unsure = wide_less_ints(size, wide_ints_of((int32_t)silu_least(dtype)));
    unsure &= wide_less_ints(wide_ints_of(0), size);
    unsure |= wide_less_ints(wide_ints_of(0x7f7fffff), size);
    unsure |= wide_less_ints(wide_ints_of(0x41a07fff), (wide_ints)wide_absolute(x)); /* 20.0625 */
    return unsure | wide_less_ints(wide_ints_of((int32_t)(no_tie(dtype, QUICK_UNITS) >> 1)),
                                   (wide_ints)(distance_of_tie(result, dtype, QUICK_UNITS) >> 1));
}

enum { SILU_BLOCK_PAIRS = 4 };

/* Keeps for later what is in doubt of a block's results; false if that is too much. */
static inline __attribute__((always_inline)) bool silu_keep(enum arithmetic dtype, const char *const *source,
                                                            size_t offset, wide (*result)[2],
                                                            struct late *late)
{
    uint32_t lanes[2 * SILU_BLOCK_PAIRS] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < SILU_BLOCK_PAIRS; i++) {
        const size_t at = offset + (size_t)i * sizeof(narrow);
        wide g[2] __attribute__((uninitialized)), x[2] __attribute__((uninitialized));
        load_pair(dtype, source[0] + at, g);
        load_pair(dtype, source[1] + at, x);
#pragma GCC unroll 2
        for (int k = 0; k < 2; k++)
            lanes[2 * i + k] = late_lanes(silu_unsure(dtype, g[k], x[k], result[i][k]));
    }
    return late_keep(late, dtype, 2, source, offset, lanes, 2 * SILU_BLOCK_PAIRS);
}

/* See block in struct evaluation. */
static inline __attribute__((always_inline)) bool silu_block(enum arithmetic dtype, const char *const *source,
                                                             char *target, size_t offset, struct late *late,
                                                             bool streams)
{
    struct silu_doubts doubts = {.least = narrow_of(UINT16_MAX)};
    wide result[SILU_BLOCK_PAIRS][2] __attribute__((uninitialized));
    narrow rounded[SILU_BLOCK_PAIRS] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < SILU_BLOCK_PAIRS; i++) {
        const size_t at = offset + (size_t)i * sizeof(narrow);
        wide g[2] __attribute__((uninitialized)), x[2] __attribute__((uninitialized));
        load_pair(dtype, source[0] + at, g);
        load_pair(dtype, source[1] + at, x);
#pragma GCC unroll 2
        for (int k = 0; k < 2; k++)
            result[i][k] = silu_quick_product(g[k], x[k], &doubts.segments);
        narrow high = high_halves(result[i]), low = low_halves(result[i]);
        narrow twice = dtype == ARITHMETIC_BF16 ? narrow_load(source[0] + at) : high;
        twice += twice;
        doubts.least = narrow_lesser(doubts.least, twice - 1);
        doubts.greatest = narrow_greater(doubts.greatest, twice);
        const int cut = bits_cut(dtype);
        const narrow tie = narrow_of((uint16_t)((1U << (cut - 1)) + QUICK_UNITS + 1));
        doubts.tie = narrow_greater(doubts.tie, (low - tie) << (16 - cut));
        rounded[i] = high + (low >> 15); /* of bf16, where there is no tie */
    }
    if (__builtin_expect(silu_doubtful(dtype, doubts), 0) && !silu_keep(dtype, source, offset, result, late))
        return false;
#pragma GCC unroll 4
    for (int i = 0; i < SILU_BLOCK_PAIRS; i++) {
        const size_t at = offset + (size_t)i * sizeof(narrow);
        if (dtype == ARITHMETIC_BF16)
            put(target + at, &rounded[i], sizeof(narrow), streams);
        else
            store_pair(dtype, target + at, result[i], streams);
    }
    return true;
}

#endif
