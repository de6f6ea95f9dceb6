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
 * for fp16 the least less 1, so that 0 is none. */
struct silu_doubts {
    wide_bits segments; /* the bits that are set in any, see silu_segments_beyond() */
    narrow least, greatest;
    narrow tie; /* above silu_no_tie() if any is near one */
};

/* Results of fp16 below this have ties at other places. Those of bf16 do not: fp32 is as coarse there. */
static const uint32_t silu_least = 0x38800000; /* 2^-14 */

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

/* a * b: where that is subnormal, some processors take longer for a product than for a sum. */
static inline wide silu_multiply(wide a, wide b)
{
    return fused(a, b, wide_of(-0.0F));
}

static inline wide silu_quick_product(enum arithmetic dtype, wide g, wide x, wide_bits *segments)
{
    wide b = wide_absolute(x), sum = silu_segment_sum(b), phi = silu_phi_of(b, (wide_bits)sum);
    *segments |= (wide_bits)sum;
    phi = wide_choose(wide_greater(x, wide_of(0)), 1 - phi, phi);
    return dtype == ARITHMETIC_BF16 ? silu_multiply(g, phi) : g * phi;
}

/* The lanes of a pair of registers, as narrow ones, that have doubts in any pair. */
static inline uint32_t silu_doubtful(enum arithmetic dtype, struct silu_doubts doubts)
{
    narrow_flags doubtful = narrow_below(narrow_of(0xfeff), doubts.greatest);
    doubtful |= narrow_below(silu_no_tie(dtype), doubts.tie);
    if (dtype == ARITHMETIC_FP16)
        doubtful |= narrow_below(doubts.least, narrow_of((uint16_t)(2 * (silu_least >> 16) - 1)));
    wide_bits beyond = silu_segments_beyond(doubts.segments);
#if defined(__AVX512F__)
    const __m512i wide_lanes = _mm512_movm_epi32(_mm512_test_epi32_mask((__m512i)beyond, (__m512i)beyond));
    return narrow_lanes(doubtful | _mm512_movepi16_mask(wide_lanes));
#else
    return narrow_lanes(doubtful | (narrow)(beyond != 0));
#endif
}

/* Of blocks: NaN, infinite numbers, x above 20 and subnormal results of fp16 are no doubt for the second, nor
 * any x for the third. */
enum silu_care { QUICK, CAREFUL, FARTHEST };

/* How many units in the last place of fp32 the results of these two may be off. */
enum { TIE_UNITS = 4 };

/* The fp16 nearest to both ends of what the exact result may be. */
static inline void silu_round_ends(wide value, wide_halves *low, wide_halves *high)
{
    *low = wide_to_fp16(value * (1 - TIE_UNITS * 0x1p-24F));
    *high = wide_to_fp16(value * (1 + TIE_UNITS * 0x1p-24F));
}

static inline flags silu_careful_unsure(enum arithmetic dtype, wide x, wide result, enum silu_care care)
{
    flags unsure;
    if (dtype == ARITHMETIC_FP16) {
        wide_halves low, high;
        silu_round_ends(result, &low, &high);
        unsure = ~wide_equal_bits(__builtin_convertvector(low ^ high, wide_bits), wide_bits_of(0));
    } else {
        unsure = wide_less_ints(wide_ints_of((int32_t)(no_tie(dtype, TIE_UNITS) >> 1)),
                                (wide_ints)(distance_of_tie(result, dtype, TIE_UNITS) >> 1));
    }
    if (care == CAREFUL)
        unsure |= wide_greater(wide_of(-20), x) & ~wide_not_finite(x);
    return unsure;
}

enum { SILU_BLOCK_PAIRS = 4 };

/* Keeps for later what is in doubt of a block's results; false if that is too much. */
static inline __attribute__((always_inline)) bool silu_keep(enum arithmetic dtype, const char *const *source,
                                                            size_t offset, wide (*result)[2],
                                                            enum silu_care care, struct late *late)
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
            lanes[2 * i + k] = late_lanes(silu_careful_unsure(dtype, x[k], result[i][k], care));
    }
    return late_keep(late, dtype, 2, source, offset, lanes, 2 * SILU_BLOCK_PAIRS);
}

/* The products of a constant number of pairs, and those of bf16 rounded; the lanes that are in doubt, see
 * silu_doubtful(). */
static inline __attribute__((always_inline)) uint32_t silu_quick_pairs(enum arithmetic dtype,
                                                                       const char *const *source,
                                                                       size_t offset, int pairs,
                                                                       wide (*result)[2], narrow *rounded)
{
    struct silu_doubts doubts = {.least = narrow_of(UINT16_MAX)};
#pragma GCC unroll 4
    for (int i = 0; i < pairs; i++) {
        const size_t at = offset + (size_t)i * sizeof(narrow);
        wide g[2] __attribute__((uninitialized)), x[2] __attribute__((uninitialized));
        load_pair(dtype, source[0] + at, g);
        load_pair(dtype, source[1] + at, x);
#pragma GCC unroll 2
        for (int k = 0; k < 2; k++)
            result[i][k] = silu_quick_product(dtype, g[k], x[k], &doubts.segments);
        narrow high = high_halves(result[i]), low = low_halves(result[i]);
        narrow twice = dtype == ARITHMETIC_BF16 ? narrow_load(source[0] + at) : high;
        twice += twice;
        if (dtype == ARITHMETIC_FP16)
            doubts.least = narrow_lesser(doubts.least, twice - 1);
        doubts.greatest = narrow_greater(doubts.greatest, twice);
        const int cut = bits_cut(dtype);
        const narrow tie = narrow_of((uint16_t)((1U << (cut - 1)) + QUICK_UNITS + 1));
        doubts.tie = narrow_greater(doubts.tie, (low - tie) << (16 - cut));
        rounded[i] = high + (low >> 15); /* of bf16, where there is no tie */
    }
    return silu_doubtful(dtype, doubts);
}

/* See block in struct evaluation. */
static inline __attribute__((always_inline)) uint32_t silu_block(enum arithmetic dtype,
                                                                 const char *const *source, char *target,
                                                                 size_t offset, const void *prepared,
                                                                 bool streams)
{
    (void)prepared;
    wide result[SILU_BLOCK_PAIRS][2] __attribute__((uninitialized));
    narrow rounded[SILU_BLOCK_PAIRS] __attribute__((uninitialized));
    const uint32_t lanes = silu_quick_pairs(dtype, source, offset, SILU_BLOCK_PAIRS, result, rounded);
#pragma GCC unroll 4
    for (int i = 0; i < SILU_BLOCK_PAIRS; i++) {
        const size_t at = offset + (size_t)i * sizeof(narrow);
        if (dtype == ARITHMETIC_BF16)
            put(target + at, &rounded[i], sizeof(narrow), streams);
        else
            store_pair(dtype, target + at, result[i], streams);
    }
    return lanes;
}

/* The fp16 nearest to both, in one register: a ragged end is read again as a whole, which takes long where it
 * was written in parts. */
static inline narrow silu_halves(const wide *pair)
{
    const wide_halves half[2] = {wide_to_fp16(pair[0]), wide_to_fp16(pair[1])};
#if defined(__AVX512F__)
    return (narrow)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)half[0]), (__m256i)half[1], 1);
#else
    narrow both;
    memcpy(&both, half, sizeof both);
    return both;
#endif
}

/* See few in struct evaluation. */
static inline __attribute__((always_inline)) bool silu_few(enum arithmetic dtype, const char *const *source,
                                                           char *target, size_t offset, int pairs)
{
    wide result[2][2] __attribute__((uninitialized));
    narrow rounded[2] __attribute__((uninitialized));
    if (silu_quick_pairs(dtype, source, offset, pairs, result, rounded))
        return false;
#pragma GCC unroll 2
    for (int i = 0; i < pairs; i++) {
        if (dtype == ARITHMETIC_FP16)
            rounded[i] = silu_halves(result[i]);
        put(target + offset + (size_t)i * sizeof(narrow), &rounded[i], sizeof(narrow), false);
    }
    return true;
}

static inline __attribute__((always_inline)) bool silu_pair(enum arithmetic dtype, const char *const *source,
                                                            char *target, size_t offset)
{
    return silu_few(dtype, source, target, offset, 1);
}

static inline __attribute__((always_inline)) bool
silu_two_pairs(enum arithmetic dtype, const char *const *source, char *target, size_t offset)
{
    return silu_few(dtype, source, target, offset, 2);
}

/* For all numbers but infinite x and NaN. */
static inline __attribute__((always_inline)) wide silu_careful_product(enum arithmetic dtype, wide g, wide x,
                                                                       enum silu_care care)
{
    wide size = wide_absolute(x);
    flags positive = wide_greater(x, wide_of(0));
    if (care == CAREFUL) {
        wide phi = silu_phi(wide_least(wide_of(20), size));
        return silu_multiply(g, wide_choose(positive, 1 - phi, phi));
    }
    flags is_tail = wide_greater(wide_of(-20), x);
    const wide last = wide_of(dtype == ARITHMETIC_FP16 ? 60 : 188); /* from there on all is 0 */
    wide_ints exponent;
    wide phi = silu_far_phi(wide_least(wide_choose(is_tail, last, wide_of(20)), size), is_tail, &exponent);
    phi = wide_choose(positive, 1 - phi, phi);
    if (dtype == ARITHMETIC_FP16)
        return g * (phi * silu_power(exponent));
    /* In two steps: their product may be less than any float. Where the first loses bits, the result is 0. */
    wide_ints half = exponent >> 1;
    return silu_multiply(silu_multiply(g, silu_power(half)) * phi, silu_power(exponent - half));
}

/* NaN where there is one or x is infinite. */
static inline narrow silu_completed(enum arithmetic dtype, narrow g, narrow x, narrow result)
{
    const uint16_t infinity = dtype == ARITHMETIC_BF16 ? 0xff00 : 0xf800; /* twice */
    narrow_flags is_nan = narrow_below(narrow_of((uint16_t)(infinity - 1)), x + x);
    is_nan |= narrow_below(narrow_of(infinity), g + g);
    return narrow_choose(is_nan, narrow_of(dtype == ARITHMETIC_BF16 ? 0x7fc0 : 0x7e00), result);
}

static inline __attribute__((always_inline)) bool silu_careful_block(enum arithmetic dtype,
                                                                     const char *const *source, char *target,
                                                                     size_t offset, enum silu_care care,
                                                                     struct late *late, bool streams)
{
    /* Of x the bits of the first number below -20 and those of -infinity. */
    const uint16_t below = dtype == ARITHMETIC_BF16 ? 0xc1a1 : 0xcd01;
    const uint16_t end = dtype == ARITHMETIC_BF16 ? 0xff80 : 0xfc00;
    narrow farthest = narrow_of(UINT16_MAX), tie = narrow_of(0);
    wide result[SILU_BLOCK_PAIRS][2] __attribute__((uninitialized));
    narrow rounded[SILU_BLOCK_PAIRS] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < SILU_BLOCK_PAIRS; i++) {
        const size_t at = offset + (size_t)i * sizeof(narrow);
        const narrow all_x = narrow_load(source[1] + at);
        wide g[2] __attribute__((uninitialized)), x[2] __attribute__((uninitialized));
        load_pair(dtype, source[0] + at, g);
        load_pair(dtype, source[1] + at, x);
#pragma GCC unroll 2
        for (int k = 0; k < 2; k++)
            result[i][k] = silu_careful_product(dtype, g[k], x[k], care);
        if (care == CAREFUL)
            farthest = narrow_lesser(farthest, all_x - below);
        if (dtype == ARITHMETIC_FP16) {
            wide_halves low[2], high[2];
            silu_round_ends(result[i][0], &low[0], &high[0]);
            silu_round_ends(result[i][1], &low[1], &high[1]);
            narrow others;
            memcpy(&rounded[i], low, sizeof low);
            memcpy(&others, high, sizeof high);
            tie |= rounded[i] ^ others;
        } else {
            narrow low = low_halves(result[i]);
            tie = narrow_greater(tie, low - (0x8000 + TIE_UNITS + 1));
            rounded[i] = high_halves(result[i]) + (low >> 15); /* no tie */
        }
        rounded[i] = silu_completed(dtype, narrow_load(source[0] + at), all_x, rounded[i]);
    }
    const uint16_t limit = dtype == ARITHMETIC_BF16 ? (uint16_t)(no_tie(dtype, TIE_UNITS) >> 16) : 0;
    narrow_flags doubtful = narrow_below(narrow_of(limit), tie);
    if (care == CAREFUL)
        doubtful |= narrow_below(farthest, narrow_of((uint16_t)(end - below)));
#if defined(__AVX512F__)
    const bool any = doubtful != 0;
#else
    const bool any = wide_any((wide_bits)doubtful);
#endif
    if (__builtin_expect(any, 0) && !silu_keep(dtype, source, offset, result, care, late))
        return false;
#pragma GCC unroll 4
    for (int i = 0; i < SILU_BLOCK_PAIRS; i++)
        put(target + offset + (size_t)i * sizeof(narrow), &rounded[i], sizeof(narrow), streams);
    return true;
}

/* Apart from the quick way: compilers do worse with much at a time. */
static __attribute__((noinline)) bool silu_careful_fp16(const char *const *source, char *target,
                                                        size_t offset, struct late *late, bool streams)
{
    return silu_careful_block(ARITHMETIC_FP16, source, target, offset, CAREFUL, late, streams);
}

static __attribute__((noinline)) bool silu_farthest_fp16(const char *const *source, char *target,
                                                         size_t offset, struct late *late, bool streams)
{
    return silu_careful_block(ARITHMETIC_FP16, source, target, offset, FARTHEST, late, streams);
}

static __attribute__((noinline)) bool silu_careful_bf16(const char *const *source, char *target,
                                                        size_t offset, struct late *late, bool streams)
{
    return silu_careful_block(ARITHMETIC_BF16, source, target, offset, CAREFUL, late, streams);
}

static __attribute__((noinline)) bool silu_farthest_bf16(const char *const *source, char *target,
                                                         size_t offset, struct late *late, bool streams)
{
    return silu_careful_block(ARITHMETIC_BF16, source, target, offset, FARTHEST, late, streams);
}

/* See other_block in struct evaluation. */
static __attribute__((noinline)) bool silu_other_block(enum arithmetic dtype, const char *const *source,
                                                       char *target, size_t offset, int *care,
                                                       struct late *late, bool streams)
{
    if (*care < FARTHEST) {
        *care = CAREFUL;
        if (dtype == ARITHMETIC_FP16 ? silu_careful_fp16(source, target, offset, late, streams)
                                     : silu_careful_bf16(source, target, offset, late, streams))
            return true;
    }
    if (*care <= FARTHEST) {
        *care = FARTHEST;
        if (dtype == ARITHMETIC_FP16 ? silu_farthest_fp16(source, target, offset, late, streams)
                                     : silu_farthest_bf16(source, target, offset, late, streams))
            return true;
    }
    *care = FARTHEST + 1;
    return false;
}

#endif
