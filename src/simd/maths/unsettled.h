/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the fast ways in fp32 leave in doubt, and what is then computed again in doubles.
 */
#ifndef BELAY_SIMD_MATHS_UNSETTLED_H
#define BELAY_SIMD_MATHS_UNSETTLED_H

#include "simd/vector/kernels.h"
#include "simd/vector/lanes16.h"
#include "simd/vector/vector_fp32.h"

/* The two ways to compute: see struct formula. */
enum path { PATH_QUICK, PATH_ANY };

struct unsettled {
    enum arithmetic dtype; /* a constant: what the results are for */
    enum path path;        /* a constant; of any number NaN from NaN is no doubt, and is made canonical */
    flags lanes;           /* that are in doubt, of all registers */
    vector_bits differing; /* and those that are not 0 here */
    lanes16_flags lanes16; /* and of registers of 16-bit lanes */
};

/* 2^-50: products of two such factors are far from the end of fp32, where their last bits would be lost. */
static const uint32_t smallest_factor = 0x26800000;

/* Nothing is in doubt yet. */
static inline struct unsettled all_settled(enum arithmetic dtype, enum path path)
{
    return (struct unsettled){.dtype = dtype, .path = path};
}

static inline void unsettled_flagged(struct unsettled *unsettled, flags flag)
{
    unsettled->lanes |= flag;
}

/* In doubt where a bit is set. */
static inline void unsettled_differing(struct unsettled *unsettled, vector_bits difference)
{
    unsettled->differing |= difference;
}

/* In doubt where the bits are above a limit, unsigned. */
static inline void unsettled_above(struct unsettled *unsettled, vector_bits value, uint32_t limit)
{
    unsettled->lanes |= vector_above(value, limit);
}

/* Whose magnitude is below that with the bits smallest, but not 0, which is exact. */
static inline flags vector_is_below(vector value, uint32_t smallest)
{
    /* 0 comes last. (Not 1 less, all bits set: some processors wait for the register that gcc makes those
     * of.) */
    const vector_bits order = (vector_bits)value + (vector_bits)value - 2;
    return vector_less_ints((vector_ints)(order + 0x80000000),
                            vector_ints_of((int32_t)(2 * smallest - 2 + 0x80000000)));
}

/* In doubt where a magnitude's bits are below smallest, but for 0. */
static inline void unsettled_below(struct unsettled *unsettled, vector value, uint32_t smallest)
{
    unsettled->lanes |= vector_is_below(value, smallest);
}

static inline void unsettled_small(struct unsettled *unsettled, vector value)
{
    unsettled_below(unsettled, value, smallest_factor);
}

/* In doubt where the value is NaN. */
static inline void unsettled_nan(struct unsettled *unsettled, vector value)
{
    unsettled->lanes |= vector_is_nan(value);
}

/* unsettled_below() and unsettled_above() for magnitudes and bits of 16-bit lanes. */
static inline void unsettled_lanes16_below(struct unsettled *unsettled, lanes16 value, uint16_t smallest)
{
    unsettled->lanes16 |= lanes16_below(value + value - 2, lanes16_of((uint16_t)(2 * smallest - 2)));
}

static inline void unsettled_lanes16_above(struct unsettled *unsettled, lanes16 value, uint16_t limit)
{
    unsettled->lanes16 |= lanes16_below(lanes16_of(limit), value);
}

/* Flags of all lanes that are in doubt, for whatever reason. */
static inline flags unsettled_lanes(struct unsettled unsettled)
{
    return unsettled.lanes | vector_above(unsettled.differing, 0);
}

/* Whether any lane of a block is in doubt. */
static inline __attribute__((always_inline)) bool any_unsettled(struct unsettled unsettled)
{
    return BY_LEVEL(unsettled.lanes != 0 || vector_any(unsettled.differing),
                    vector_any((vector_bits)unsettled.lanes | unsettled.differing),
                    vector_any((vector_bits)unsettled.lanes | unsettled.differing)) ||
           lanes16_any(unsettled.lanes16);
}

/*
 * In doubt where a value that is not exact lies within some units in the last place of a tie of 16 bits, so
 * that it may round otherwise than the exact one. Small results have their ties at other places: of fp16 the
 * quick way has them in doubt, but for 0, which is exact, and of any number both ends of what the exact
 * result may be are rounded; of bf16 unsettled_subnormal() tells.
 */
static inline void unsettled_tie(struct unsettled *unsettled, vector value, uint32_t units)
{
    const bool is_fp16 = unsettled->dtype == ARITHMETIC_FP16;
    if (is_fp16 && unsettled->path == PATH_ANY) {
        const float error = (float)units * 0x1p-24F;
        vector_halves low = vector_to_fp16(value * (1 - error)), high = vector_to_fp16(value * (1 + error));
        unsettled_differing(unsettled, __builtin_convertvector(low ^ high, vector_bits));
        return;
    }
    /* Shifted up, what lies next to a tie comes out highest. */
    const uint32_t tie = is_fp16 ? 0x1000 : 0x8000, shift = is_fp16 ? 19 : 16;
    unsettled_above(unsettled, ((vector_bits)value - (tie + units + 1)) << shift,
                    0U - ((2 * units + 2) << shift));
    if (is_fp16)
        unsettled_below(unsettled, value, 0x38800000); /* 2^-14 */
}

/* In doubt where a value for bf16 is subnormal, so that its error may be more units, and x is not 0. */
static inline void unsettled_subnormal(struct unsettled *unsettled, vector value, vector x)
{
    unsettled_flagged(unsettled,
                      vector_greater(vector_of(0x1p-126F), vector_absolute(value)) & ~vector_is_0(x));
}

/* x / 2 for a small x of fp32, and of odd subnormal numbers the half that is away from 0 where up is 1. */
static inline vector tiny_half(vector x, vector_ints up)
{
    return vector_with_sign_of((vector)(((vector_ints)vector_absolute(x) + up) >> 1), x);
}

/* x / 2 for any finite x, by its bits: ties of subnormal numbers go up. */
static inline vector vector_half_up(vector x)
{
    vector_ints size = (vector_ints)vector_absolute(x);
    vector normal = (vector)(((vector_bits)x) - 0x00800000);
    return vector_choose(vector_less_ints(size, vector_ints_of(0x01000000)),
                         tiny_half(x, ~((vector_ints)x >> 31) & 1), normal);
}

/* One bit per lane. */
static inline uint32_t lanes_of(flags flag)
{
#if defined(__AVX2__)
    return (uint32_t)BY_LEVEL(flag, _mm256_movemask_ps((__m256)flag), 0);
#else
    uint32_t lanes = 0;
    for (int i = 0; i < VECTOR_LANES; i++)
        lanes |= (uint32_t)(flag[i] & 1) << i;
    return lanes;
#endif
}

/* The flagged lanes of both registers of a pair, in the order of memory, in which bf16 come from both in
 * turn: see load_pair(). */
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
