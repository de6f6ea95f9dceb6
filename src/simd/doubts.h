/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the fast ways in fp32 leave in doubt: gathered with few instructions, asked once for several vectors,
 * and then computed again in doubles.
 */
#ifndef BELAY_SIMD_DOUBTS_H
#define BELAY_SIMD_DOUBTS_H

#include "ops/elementwise.h"
#include "simd/wide.h"
#include "simd/wide_memory.h"

struct doubts {
    enum arithmetic dtype; /* a constant: what the results are for */
    bool is_careful;       /* a constant: NaN from NaN is no doubt, and is made canonical */
    wide_bits differing;   /* not 0 where a result is not settled */
    wide_bits least;       /* the least of what must not be small, as magnitude_order() */
    wide_bits nearest;     /* the least of what must not be near a tie, see doubt_near_tie() */
};

static inline struct doubts no_doubts(enum arithmetic dtype, bool is_careful)
{
    const wide_bits greatest = wide_bits_of(UINT32_MAX);
    return (struct doubts){dtype, is_careful, wide_bits_of(0), greatest, greatest};
}

/* 2^-50: products of two such factors are far from the end of fp32, where their last bits would be lost. */
static const uint32_t smallest_factor = 0x26800000;

/* Magnitudes in their order but with 0 above all: what is 0 is exact. */
static inline wide_bits magnitude_order(wide value)
{
    return ((wide_bits)value + (wide_bits)value) - 1;
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

/* How many units in the last place of fp32 a value may be off that is rounded to 16 bits. */
enum { TIE_UNITS = 4 };

/*
 * value is off by at most TIE_UNITS units: is it clear which 16 bits it rounds to? Returns a value that
 * rounds as the exact one does if it is.
 */
static inline wide doubt_near_tie(struct doubts *doubts, wide value)
{
    if (doubts->dtype == ARITHMETIC_BF16) {
        /* The low half of fp32 is what is rounded away. */
        wide_bits distance = ((wide_bits)value - (0x8000 - TIE_UNITS)) << 16;
        doubts->nearest = wide_lesser(doubts->nearest, distance);
        return value;
    }
    /* The place of a tie depends on the exponent where results are subnormal: round both ends. */
    wide low = value * (1 - TIE_UNITS * 0x1p-24F), high = value * (1 + TIE_UNITS * 0x1p-24F);
    wide_halves difference = wide_to_fp16(low) ^ wide_to_fp16(high);
    doubts->differing |= __builtin_convertvector(difference, wide_bits);
    return low;
}

static inline bool doubtful(struct doubts doubts)
{
    const wide_bits smallest = wide_bits_of(2 * smallest_factor - 1);
    const wide_bits distance = wide_bits_of((2 * TIE_UNITS + 1) << 16);
    return wide_any(doubts.differing | (wide_bits)(wide_lesser(doubts.least, smallest) != smallest) |
                    (wide_bits)(wide_lesser(doubts.nearest, distance) != distance));
}

#endif
