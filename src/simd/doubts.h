/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the fast ways in fp32 leave in doubt: gathered with few instructions, asked once for several vectors,
 * and then computed again in doubles.
 */
#ifndef BELAY_SIMD_DOUBTS_H
#define BELAY_SIMD_DOUBTS_H

#include "ops/pointwise/elementwise.h"
#include "simd/narrow.h"
#include "simd/wide.h"

enum { LIMITS = 3, NARROW_LIMITS = 3 };

/* The two ways to compute: see struct evaluation. */
enum path { PATH_QUICK, PATH_ANY };

struct doubts {
    enum arithmetic dtype; /* a constant: what the results are for */
    enum path path;        /* a constant; of any number NaN from NaN is no doubt, and is made canonical */
    wide_bits differing;   /* not 0 where a result is not settled */
    bool differing_asked;  /* a constant */
    flags unsure;          /* or set there */
    bool unsure_asked;     /* a constant */
    wide_bits least;       /* the least of what must not be small, as magnitude_order() */
    uint32_t smallest;     /* a constant: the bits of what is not small; 0: not asked */
    wide_bits greatest[LIMITS]; /* what must not be above a limit, see doubt_above() */
    uint32_t limit[LIMITS];     /* constants; 0: none */
    wide sum;                   /* of what must not be NaN */
    bool sum_asked;             /* a constant */
    /* Of lanes of 16 bits: the least magnitude, with 0 above all, of what must not be below the limit of the
     * same index, and the greatest of what must not be above one; limits are constants, 0: none. */
    narrow narrow_least[NARROW_LIMITS], narrow_greatest[NARROW_LIMITS];
    uint16_t narrow_lower_limit[NARROW_LIMITS], narrow_limit[NARROW_LIMITS];
};

/* 2^-50: products of two such factors are far from the end of fp32, where their last bits would be lost. */
static const uint32_t smallest_factor = 0x26800000;

static inline struct doubts no_doubts(enum arithmetic dtype, enum path path)
{
    return (struct doubts){
        .dtype = dtype,
        .path = path,
        .least = wide_bits_of(UINT32_MAX),
        .narrow_least = {narrow_of(UINT16_MAX), narrow_of(UINT16_MAX), narrow_of(UINT16_MAX)}};
}

/*
 * Magnitudes in their order but with 0 above all: what is 0 is exact. (Not less 1, which would be all bits
 * set: gcc makes those of a register that some processors then wait for.)
 */
static inline wide_bits magnitude_order(wide value)
{
    return ((wide_bits)value + (wide_bits)value) - 2;
}

static inline void doubt_differing(struct doubts *doubts, wide_bits difference)
{
    doubts->differing |= difference;
    doubts->differing_asked = true;
}

/* Small is what has bits below smallest, a constant, the same in all calls; 0 is not. */
static inline void doubt_below(struct doubts *doubts, wide value, uint32_t smallest)
{
    doubts->least = wide_lesser(doubts->least, magnitude_order(value));
    doubts->smallest = smallest;
}

static inline void doubt_small(struct doubts *doubts, wide value)
{
    doubt_below(doubts, value, smallest_factor);
}

static inline void doubt_flagged(struct doubts *doubts, flags flag)
{
    doubts->unsure |= flag;
    doubts->unsure_asked = true;
}

/* Not 0 where the value is infinite or NaN, except for a NaN that is expected. */
static inline void doubt_infinite(struct doubts *doubts, wide value, flags expected_nan)
{
    wide difference = value - value;
    if (doubts->path == PATH_ANY)
        difference = wide_choose(expected_nan, wide_of(0), difference);
    doubt_differing(doubts, (wide_bits)difference);
}

/* Unsigned. Each which has one limit, a constant. */
static inline void doubt_above(struct doubts *doubts, int which, wide_bits value, uint32_t limit)
{
    doubts->greatest[which] = wide_greater_bits(doubts->greatest[which], value);
    doubts->limit[which] = limit;
}

static inline void doubt_nan(struct doubts *doubts, wide value)
{
    doubts->sum += value;
    doubts->sum_asked = true;
}

/* limit: of the magnitude's bits, the same in all calls with this which. */
static inline void doubt_narrow_below(struct doubts *doubts, int which, narrow value, uint16_t limit)
{
    doubts->narrow_least[which] = narrow_lesser(doubts->narrow_least[which], value + value - 2);
    doubts->narrow_lower_limit[which] = limit;
}

/* Unsigned. */
static inline void doubt_narrow_above(struct doubts *doubts, int which, narrow value, uint16_t limit)
{
    doubts->narrow_greatest[which] = narrow_greater(doubts->narrow_greatest[which], value);
    doubts->narrow_limit[which] = limit;
}

/* Lanes of 16 bits in doubt, but for what is asked in registers of fp32. */
static inline __attribute__((always_inline)) narrow_flags narrow_doubtful(struct doubts doubts)
{
    narrow_flags doubtful = (narrow_flags){0};
#pragma GCC unroll 4
    for (int i = 0; i < NARROW_LIMITS; i++) {
        if (doubts.narrow_lower_limit[i])
            doubtful |= narrow_below(doubts.narrow_least[i],
                                     narrow_of((uint16_t)(2 * doubts.narrow_lower_limit[i] - 2)));
        if (doubts.narrow_limit[i])
            doubtful |= narrow_below(narrow_of(doubts.narrow_limit[i]), doubts.narrow_greatest[i]);
    }
    return doubtful;
}

/* Not 0 in the lanes that are in doubt but for what flags tell. */
static inline __attribute__((always_inline)) wide_bits doubtful_bits(struct doubts doubts)
{
    wide_bits doubtful = doubts.differing;
    if (doubts.smallest) {
        const wide_bits smallest = wide_bits_of(2 * doubts.smallest - 2);
        doubtful |= (wide_bits)(wide_lesser(doubts.least, smallest) != smallest);
    }
#pragma GCC unroll 4
    for (int i = 0; i < LIMITS; i++)
        if (doubts.limit[i]) {
            const wide_bits limit = wide_bits_of(doubts.limit[i]);
            doubtful |= (wide_bits)(wide_greater_bits(doubts.greatest[i], limit) != limit);
        }
    return doubtful;
}

/* A constant: whether doubtful_bits() tells anything. */
static inline __attribute__((always_inline)) bool has_bits(struct doubts doubts)
{
    return doubts.differing_asked || doubts.smallest || doubts.limit[0] || doubts.limit[1] || doubts.limit[2];
}

/* Whether any lane of a block is in doubt. */
static inline __attribute__((always_inline)) bool doubtful(struct doubts doubts)
{
    return (has_bits(doubts) && wide_any(doubtful_bits(doubts))) || narrow_any(narrow_doubtful(doubts)) ||
           (doubts.sum_asked && wide_any_flag(wide_is_nan(doubts.sum))) ||
           (doubts.unsure_asked && wide_any_flag(doubts.unsure));
}

static inline __attribute__((always_inline)) flags doubtful_lanes(struct doubts doubts)
{
    flags lanes = (flags){0};
    if (has_bits(doubts))
        lanes = ~wide_equal_bits(doubtful_bits(doubts), wide_bits_of(0));
    if (doubts.sum_asked)
        lanes |= wide_is_nan(doubts.sum);
    if (doubts.unsure_asked)
        lanes |= doubts.unsure;
    return lanes;
}

/* One bit per lane. */
static inline uint32_t lanes_of(flags flag)
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

/* Those of both registers of a pair, in the order of memory, in which bf16 come from both in turn: see
 * load_pair(). */
static inline uint32_t lanes_of_pair(enum arithmetic dtype, const flags *flag)
{
    const uint32_t first = lanes_of(flag[0]), second = lanes_of(flag[1]);
    if (dtype != ARITHMETIC_BF16)
        return first | second << WIDE_LANES;
    uint32_t lanes = 0;
    for (int i = 0; (first | second) >> i != 0; i++)
        lanes |= (first >> i & 1) << 2 * i | (second >> i & 1) << (2 * i + 1);
    return lanes;
}

#endif
