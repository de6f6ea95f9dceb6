/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the fast ways in fp32 leave in doubt: gathered with few instructions, asked once for several vectors,
 * and then computed again in doubles.
 */
#ifndef BELAY_SIMD_DOUBTS_H
#define BELAY_SIMD_DOUBTS_H

#include "ops/elementwise.h"
#include "simd/narrow.h"
#include "simd/wide.h"

enum { LIMITS = 3 };

struct doubts {
    enum arithmetic dtype;      /* a constant: what the results are for */
    bool is_careful;            /* a constant: NaN from NaN is no doubt, and is made canonical */
    int extreme;                /* a constant: see struct evaluation */
    wide_bits differing;        /* not 0 where a result is not settled */
    wide_bits least;            /* the least of what must not be small, as magnitude_order() */
    wide_bits greatest[LIMITS]; /* what must not be above a limit, see doubt_above() */
    uint32_t limit[LIMITS];     /* constants; 0: none */
    wide sum;                   /* of what must not be NaN */
    /* Of bf16, before it is widened: magnitudes in their order, those that must not be small with 0 above
     * all, and those that must not be NaN. */
    narrow narrow_least, narrow_greatest;
    narrow narrow_least_term; /* the like for what must not be below narrow_limit */
    uint16_t narrow_limit;
};

static inline struct doubts no_doubts(enum arithmetic dtype, bool is_careful)
{
    return (struct doubts){.dtype = dtype,
                           .is_careful = is_careful,
                           .least = wide_bits_of(UINT32_MAX),
                           .narrow_least = narrow_of(UINT16_MAX),
                           .narrow_least_term = narrow_of(UINT16_MAX)};
}

/* 2^-50: products of two such factors are far from the end of fp32, where their last bits would be lost. */
static const uint32_t smallest_factor = 0x26800000;

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
}

static inline void doubt_narrow_small(struct doubts *doubts, narrow value)
{
    doubts->narrow_least = narrow_lesser(doubts->narrow_least, value + value - 2);
}

/* limit: of the magnitude's bits, the same in all calls. */
static inline void doubt_narrow_below(struct doubts *doubts, narrow value, uint16_t limit)
{
    doubts->narrow_least_term = narrow_lesser(doubts->narrow_least_term, value + value - 2);
    doubts->narrow_limit = limit;
}

static inline void doubt_narrow_nan(struct doubts *doubts, narrow value)
{
    doubts->narrow_greatest = narrow_greater(doubts->narrow_greatest, value + value);
}

/* What doubt_narrow_below() and doubt_narrow_small() would doubt. */
static inline bool narrow_has_below(narrow value, uint16_t limit)
{
    const narrow least = narrow_of((uint16_t)(2 * limit));
    return wide_any((wide_bits)narrow_choose(narrow_below(value + value - 2, least), least, narrow_of(0)));
}

static inline bool narrow_has_small(narrow value)
{
    return narrow_has_below(value, smallest_factor >> 16);
}

static inline __attribute__((always_inline)) bool narrow_doubtful(struct doubts doubts)
{
    const narrow smallest = narrow_of((2 * smallest_factor - 2) >> 16), infinity = narrow_of(0xff00);
    const narrow limit = narrow_of((uint16_t)(2 * doubts.narrow_limit));
    return wide_any((wide_bits)(narrow_lesser(doubts.narrow_least, smallest) ^ smallest) |
                    (wide_bits)(narrow_lesser(doubts.narrow_least_term, limit) ^ limit) |
                    (wide_bits)(narrow_greater(doubts.narrow_greatest, infinity) ^ infinity));
}

static inline __attribute__((always_inline)) bool doubtful(struct doubts doubts)
{
    const wide_bits smallest = wide_bits_of(2 * smallest_factor - 2);
    wide_bits doubtful = doubts.differing | (wide_bits)(wide_lesser(doubts.least, smallest) != smallest);
#pragma GCC unroll 4
    for (int i = 0; i < LIMITS; i++)
        if (doubts.limit[i]) {
            const wide_bits limit = wide_bits_of(doubts.limit[i]);
            doubtful |= (wide_bits)(wide_greater_bits(doubts.greatest[i], limit) != limit);
        }
    return wide_any(doubtful) || wide_any_flag(wide_is_nan(doubts.sum));
}

#endif
