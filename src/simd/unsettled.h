/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the fast ways in fp32 leave in doubt: gathered with few instructions, asked once for several vectors,
 * and then computed again in doubles.
 */
#ifndef BELAY_SIMD_UNSETTLED_H
#define BELAY_SIMD_UNSETTLED_H

#include "ops/pointwise/elementwise.h"
#include "simd/lanes16.h"
#include "simd/vector_fp32.h"

enum { LIMITS = 3, LANES16_LIMITS = 3 };

/* The two ways to compute: see struct evaluation. */
enum path { PATH_QUICK, PATH_ANY };

struct unsettled {
    enum arithmetic dtype; /* a constant: what the results are for */
    enum path path;        /* a constant; of any number NaN from NaN is no doubt, and is made canonical */
    vector_bits differing; /* not 0 where a result is not settled */
    bool differing_asked;  /* a constant */
    flags unsure;          /* or set there */
    bool unsure_asked;     /* a constant */
    vector_bits least;     /* the least of what must not be small, as magnitude_order() */
    uint32_t smallest;     /* a constant: the bits of what is not small; 0: not asked */
    vector_bits greatest[LIMITS]; /* what must not be above a limit, see unsettled_above() */
    uint32_t limit[LIMITS];       /* constants; 0: none */
    vector sum;                   /* of what must not be NaN */
    bool sum_asked;               /* a constant */
    /* Of lanes of 16 bits: the least magnitude, with 0 above all, of what must not be below the limit of the
     * same index, and the greatest of what must not be above one; limits are constants, 0: none. */
    lanes16 lanes16_least[LANES16_LIMITS], lanes16_greatest[LANES16_LIMITS];
    uint16_t lanes16_lower_limit[LANES16_LIMITS], lanes16_limit[LANES16_LIMITS];
};

/* 2^-50: products of two such factors are far from the end of fp32, where their last bits would be lost. */
static const uint32_t smallest_factor = 0x26800000;

static inline struct unsettled all_settled(enum arithmetic dtype, enum path path)
{
    return (struct unsettled){
        .dtype = dtype,
        .path = path,
        .least = vector_bits_of(UINT32_MAX),
        .lanes16_least = {lanes16_of(UINT16_MAX), lanes16_of(UINT16_MAX), lanes16_of(UINT16_MAX)}};
}

/*
 * Magnitudes in their order but with 0 above all: what is 0 is exact. (Not less 1, which would be all bits
 * set: gcc makes those of a register that some processors then wait for.)
 */
static inline vector_bits magnitude_order(vector value)
{
    return ((vector_bits)value + (vector_bits)value) - 2;
}

static inline void unsettled_differing(struct unsettled *unsettled, vector_bits difference)
{
    unsettled->differing |= difference;
    unsettled->differing_asked = true;
}

/* Small is what has bits below smallest, a constant, the same in all calls; 0 is not. */
static inline void unsettled_below(struct unsettled *unsettled, vector value, uint32_t smallest)
{
    unsettled->least = vector_lesser(unsettled->least, magnitude_order(value));
    unsettled->smallest = smallest;
}

static inline void unsettled_small(struct unsettled *unsettled, vector value)
{
    unsettled_below(unsettled, value, smallest_factor);
}

static inline void unsettled_flagged(struct unsettled *unsettled, flags flag)
{
    unsettled->unsure |= flag;
    unsettled->unsure_asked = true;
}

/* Not 0 where the value is infinite or NaN, except for a NaN that is expected. */
static inline void unsettled_infinite(struct unsettled *unsettled, vector value, flags expected_nan)
{
    vector difference = value - value;
    if (unsettled->path == PATH_ANY)
        difference = vector_choose(expected_nan, vector_of(0), difference);
    unsettled_differing(unsettled, (vector_bits)difference);
}

/* Unsigned. Each which has one limit, a constant. */
static inline void unsettled_above(struct unsettled *unsettled, int which, vector_bits value, uint32_t limit)
{
    unsettled->greatest[which] = vector_greater_bits(unsettled->greatest[which], value);
    unsettled->limit[which] = limit;
}

static inline void unsettled_nan(struct unsettled *unsettled, vector value)
{
    unsettled->sum += value;
    unsettled->sum_asked = true;
}

/* limit: of the magnitude's bits, the same in all calls with this which. */
static inline void unsettled_lanes16_below(struct unsettled *unsettled, int which, lanes16 value,
                                           uint16_t limit)
{
    unsettled->lanes16_least[which] = lanes16_lesser(unsettled->lanes16_least[which], value + value - 2);
    unsettled->lanes16_lower_limit[which] = limit;
}

/* Unsigned. */
static inline void unsettled_lanes16_above(struct unsettled *unsettled, int which, lanes16 value,
                                           uint16_t limit)
{
    unsettled->lanes16_greatest[which] = lanes16_greater(unsettled->lanes16_greatest[which], value);
    unsettled->lanes16_limit[which] = limit;
}

/* Lanes of 16 bits in doubt, but for what is asked in registers of fp32. */
static inline __attribute__((always_inline)) lanes16_flags unsettled_lanes16(struct unsettled unsettled)
{
    lanes16_flags any_unsettled = (lanes16_flags){0};
#pragma GCC unroll 4
    for (int i = 0; i < LANES16_LIMITS; i++) {
        if (unsettled.lanes16_lower_limit[i])
            any_unsettled |= lanes16_below(unsettled.lanes16_least[i],
                                           lanes16_of((uint16_t)(2 * unsettled.lanes16_lower_limit[i] - 2)));
        if (unsettled.lanes16_limit[i])
            any_unsettled |=
                lanes16_below(lanes16_of(unsettled.lanes16_limit[i]), unsettled.lanes16_greatest[i]);
    }
    return any_unsettled;
}

/* Not 0 in the lanes that are in doubt but for what flags tell. */
static inline __attribute__((always_inline)) vector_bits unsettled_bits(struct unsettled unsettled)
{
    vector_bits any_unsettled = unsettled.differing;
    if (unsettled.smallest) {
        const vector_bits smallest = vector_bits_of(2 * unsettled.smallest - 2);
        any_unsettled |= (vector_bits)(vector_lesser(unsettled.least, smallest) != smallest);
    }
#pragma GCC unroll 4
    for (int i = 0; i < LIMITS; i++)
        if (unsettled.limit[i]) {
            const vector_bits limit = vector_bits_of(unsettled.limit[i]);
            any_unsettled |= (vector_bits)(vector_greater_bits(unsettled.greatest[i], limit) != limit);
        }
    return any_unsettled;
}

/* A constant: whether unsettled_bits() tells anything. */
static inline __attribute__((always_inline)) bool has_bits(struct unsettled unsettled)
{
    return unsettled.differing_asked || unsettled.smallest || unsettled.limit[0] || unsettled.limit[1] ||
           unsettled.limit[2];
}

/* Whether any lane of a block is in doubt. */
static inline __attribute__((always_inline)) bool any_unsettled(struct unsettled unsettled)
{
    return (has_bits(unsettled) && vector_any(unsettled_bits(unsettled))) ||
           lanes16_any(unsettled_lanes16(unsettled)) ||
           (unsettled.sum_asked && vector_any_flag(vector_is_nan(unsettled.sum))) ||
           (unsettled.unsure_asked && vector_any_flag(unsettled.unsure));
}

static inline __attribute__((always_inline)) flags unsettled_lanes(struct unsettled unsettled)
{
    flags lanes = (flags){0};
    if (has_bits(unsettled))
        lanes = ~vector_equal_bits(unsettled_bits(unsettled), vector_bits_of(0));
    if (unsettled.sum_asked)
        lanes |= vector_is_nan(unsettled.sum);
    if (unsettled.unsure_asked)
        lanes |= unsettled.unsure;
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
    for (int i = 0; i < VECTOR_LANES; i++)
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
        return first | second << VECTOR_LANES;
    uint32_t lanes = 0;
    for (int i = 0; (first | second) >> i != 0; i++)
        lanes |= (first >> i & 1) << 2 * i | (second >> i & 1) << (2 * i + 1);
    return lanes;
}

#endif
