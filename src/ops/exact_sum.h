/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums without any rounding: a number in fixed point that is wide enough for every product of two differences
 * of fp32 and for 2^63 of them. Integers add up to the same in any order, so that neither threads nor vectors
 * nor layouts show in the result.
 */
#ifndef BELAY_OPS_EXACT_SUM_H
#define BELAY_OPS_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bin k counts multiples of 2^(32 k + LOWEST). The least product is 2^-298, the largest sum below 2^324. */
enum { EXACT_SUM_LOWEST = -320, EXACT_SUM_BINS = 22 };

struct exact_sum {
    int64_t bin[EXACT_SUM_BINS]; /* of any size and sign until exact_sum_carry */
    uint64_t added;              /* numbers since the last carry; each changes a bin by less than 2^32 */
    uint64_t counted;            /* what the operator counts beside the sum */
    bool is_infinite, is_nan;    /* a term was; those are not in the bins */
};

/* Brings every bin but the highest, which has the sign, to 0 .. 2^32 - 1. */
static inline void exact_sum_carry(struct exact_sum *sum)
{
    int64_t carry = 0;
    for (int k = 0; k < EXACT_SUM_BINS - 1; k++) {
        int64_t value = sum->bin[k] + carry;
        sum->bin[k] = value & 0xffffffff;
        carry = value >> 32;
    }
    sum->bin[EXACT_SUM_BINS - 1] += carry;
    sum->added = 0;
}

/* Adds significand * 2^exponent, or subtracts it; its bits lie above 2^LOWEST and below 2^(LOWEST + 32 BINS).
 */
static inline void exact_sum_add_scaled(struct exact_sum *sum, uint64_t significand, int exponent,
                                        bool is_negative)
{
    if (exponent < EXACT_SUM_LOWEST) { /* the bits below are zeros */
        significand >>= EXACT_SUM_LOWEST - exponent;
        exponent = EXACT_SUM_LOWEST;
    }
    unsigned place = (unsigned)(exponent - EXACT_SUM_LOWEST), shift = place % 32;
    __extension__ unsigned __int128 shifted = (unsigned __int128)significand << shift;
    for (unsigned k = place / 32; shifted != 0; k++, shifted >>= 32) {
        int64_t piece = (int64_t)((uint64_t)shifted & 0xffffffff);
        sum->bin[k] += is_negative ? -piece : piece;
    }
    if (++sum->added >= UINT64_C(1) << 30)
        exact_sum_carry(sum);
}

/* Adds so many multiples of 2^exponent. */
__extension__ static inline void exact_sum_add_units(struct exact_sum *sum, __int128 units, int exponent)
{
    const bool is_negative = units < 0;
    const unsigned __int128 size = (unsigned __int128)(is_negative ? -units : units);
    exact_sum_add_scaled(sum, (uint64_t)size, exponent, is_negative);
    exact_sum_add_scaled(sum, (uint64_t)(size >> 64), exponent + 64, is_negative);
}

/* Adds a finite number. */
static inline void exact_sum_add(struct exact_sum *sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1), field = bits >> 52 & 0x7ff;
    if (field != 0) /* what is subnormal is 0: it would lie far below the lowest bin */
        exact_sum_add_scaled(sum, fraction | UINT64_C(1) << 52, (int)field - 1075, bits >> 63);
}

#endif
