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

enum { LIMITS = 3, NARROW_LIMITS = 2 };

struct doubts {
    enum arithmetic dtype;      /* a constant: what the results are for */
    bool is_careful;            /* a constant: NaN from NaN is no doubt, and is made canonical */
    int extreme;                /* a constant: see struct evaluation */
    wide_bits differing;        /* not 0 where a result is not settled */
    flags unsure;               /* or set there */
    bool unsure_asked;          /* a constant */
    wide_bits least;            /* the least of what must not be small, as magnitude_order() */
    uint32_t smallest;          /* a constant: the bits of what is not small */
    wide_bits greatest[LIMITS]; /* what must not be above a limit, see doubt_above() */
    uint32_t limit[LIMITS];     /* constants; 0: none */
    wide sum;                   /* of what must not be NaN */
    bool sum_asked;             /* a constant */
    /* Of 16 bits, before they are widened: the least magnitude, with 0 above all, of what must not be below
     * the limit of the same index, and the greatest of what must not be above one; asked: constants. */
    narrow narrow_least[NARROW_LIMITS], narrow_greatest;
    uint16_t narrow_limit[NARROW_LIMITS], narrow_greatest_limit;
    bool narrow_asked[NARROW_LIMITS], narrow_greatest_asked;
};

/* 2^-50: products of two such factors are far from the end of fp32, where their last bits would be lost. */
static const uint32_t smallest_factor = 0x26800000;

static inline struct doubts no_doubts(enum arithmetic dtype, bool is_careful)
{
    return (struct doubts){.dtype = dtype,
                           .is_careful = is_careful,
                           .least = wide_bits_of(UINT32_MAX),
                           .smallest = smallest_factor,
                           .narrow_least = {narrow_of(UINT16_MAX), narrow_of(UINT16_MAX)}};
}

/*
 * Magnitudes in their order but with 0 above all: what is 0 is exact. (Not less 1, which would be all bits
 * set: gcc makes those of a register that some processors then wait for.)
 */
static inline wide_bits magnitude_order(wide value)
{
    return ((wide_bits)value + (wide_bits)value) - 2;
}

static inline void doubt_small(struct doubts *doubts, wide value)
{
    doubts->least = wide_lesser(doubts->least, magnitude_order(value));
}

/* The same with another end, a constant: small is what has bits below smallest, in all calls. */
static inline void doubt_below(struct doubts *doubts, wide value, uint32_t smallest)
{
    doubt_small(doubts, value);
    doubts->smallest = smallest;
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
    if (doubts->is_careful)
        difference = wide_choose(expected_nan, wide_of(0), difference);
    doubts->differing |= (wide_bits)difference;
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
    doubts->narrow_limit[which] = limit;
    doubts->narrow_asked[which] = true;
}

/* Doubts all above the limit. */
static inline void doubt_narrow_above(struct doubts *doubts, narrow value, uint16_t limit)
{
    doubts->narrow_greatest = narrow_greater(doubts->narrow_greatest, value + value);
    doubts->narrow_greatest_limit = limit;
    doubts->narrow_greatest_asked = true;
}

/* What doubt_narrow_below() would doubt. */
static inline bool narrow_has_below(narrow value, uint16_t limit)
{
    return narrow_any(narrow_below(value + value - 2, narrow_of((uint16_t)(2 * limit - 2))));
}

static inline __attribute__((always_inline)) bool narrow_doubtful(struct doubts doubts)
{
    narrow_flags doubtful = narrow_below(narrow_of(0), narrow_of(0));
#pragma GCC unroll 2
    for (int i = 0; i < NARROW_LIMITS; i++)
        if (doubts.narrow_asked[i])
            doubtful |=
                narrow_below(doubts.narrow_least[i], narrow_of((uint16_t)(2 * doubts.narrow_limit[i] - 2)));
    if (doubts.narrow_greatest_asked)
        doubtful |=
            narrow_below(narrow_of((uint16_t)(2 * doubts.narrow_greatest_limit)), doubts.narrow_greatest);
    return narrow_any(doubtful) || (doubts.sum_asked && wide_any_flag(wide_is_nan(doubts.sum)));
}

/* Not 0 in the lanes that are in doubt but for what flags tell. */
static inline __attribute__((always_inline)) wide_bits doubtful_bits(struct doubts doubts)
{
    const wide_bits smallest = wide_bits_of(2 * doubts.smallest - 2);
    wide_bits doubtful = doubts.differing | (wide_bits)(wide_lesser(doubts.least, smallest) != smallest);
#pragma GCC unroll 4
    for (int i = 0; i < LIMITS; i++)
        if (doubts.limit[i]) {
            const wide_bits limit = wide_bits_of(doubts.limit[i]);
            doubtful |= (wide_bits)(wide_greater_bits(doubts.greatest[i], limit) != limit);
        }
    return doubtful;
}

static inline __attribute__((always_inline)) bool doubtful(struct doubts doubts)
{
    return wide_any(doubtful_bits(doubts)) || (doubts.sum_asked && wide_any_flag(wide_is_nan(doubts.sum))) ||
           (doubts.unsure_asked && wide_any_flag(doubts.unsure));
}

static inline __attribute__((always_inline)) flags doubtful_lanes(struct doubts doubts)
{
    flags lanes = ~wide_equal_bits(doubtful_bits(doubts), wide_bits_of(0));
    if (doubts.sum_asked)
        lanes |= wide_is_nan(doubts.sum);
    if (doubts.unsure_asked)
        lanes |= doubts.unsure;
    return lanes;
}

#endif
