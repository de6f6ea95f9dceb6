/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Correctly rounded quotients in fp32 arithmetic.
 */
#ifndef BELAY_SIMD_QUOTIENT_H
#define BELAY_SIMD_QUOTIENT_H

#include "simd/doubts.h"

/* A divisor to 48 bits, and about its inverse. */
struct wide_divisor {
    float high, low, inverse;
    bool is_exact; /* and low is 0 */
};

/* is_exact: the divisor has not been rounded to become a double. */
static inline struct wide_divisor wide_divisor_of(double divisor, bool is_exact)
{
    float high = (float)divisor, low = (float)(divisor - (double)high);
    return (struct wide_divisor){high, low, (float)(1 / divisor), is_exact && low == 0};
}

/* divisor * quotient - product, without rounding where quotient is near the exact one. */
static inline wide excess_of(wide quotient, wide product, struct wide_divisor divisor)
{
    wide excess = fused_minus(wide_of(divisor.high), quotient, product);
    return divisor.is_exact ? excess : fused(wide_of(divisor.low), quotient, excess);
}

/*
 * a * (b.high + b.low) / divisor, where b.low is at most a unit in the last place of b.high. The quotient is
 * corrected by its remainder, known to 2^-20 of a unit at least. For fp32 a result that a change of twice
 * that could change is in doubt. For 16 bits the product has 52 bits at most, or is nearly so short, and then
 * the remainder of the corrected quotient, which is off by less than a unit, is exact. All this takes a
 * product of 2^-100 or more, or none at all: the caller reports small factors. What overflows is in doubt.
 */
static inline wide multiply_divide(wide a, struct wide_pair b, struct wide_divisor divisor,
                                   struct doubts *doubts)
{
    wide product = a * b.high;
    wide rest = fused(a, b.low, fused_minus(a, b.high, product));
    wide quotient = product * divisor.inverse;
    wide excess = excess_of(quotient, product, divisor) - rest;
    wide result, difference;
    if (doubts->dtype == ARITHMETIC_FP32) {
        /* The exact result lies between two before they are rounded. Subtracting keeps the sign of a zero. */
        result = fused_from(excess, wide_of(divisor.inverse * (1 - 0x1p-18F)), quotient);
        difference = result - fused_from(excess, wide_of(divisor.inverse * (1 + 0x1p-18F)), quotient);
    } else {
        result = fused_from(excess, wide_of(divisor.inverse), quotient);
        excess = excess_of(result, product, divisor) - rest;
        difference = result - result;
        if (!divisor.is_exact) {
            flags tiny = wide_greater(wide_absolute(product) * 0x1p-44F, wide_absolute(excess));
            difference = wide_choose(tiny, wide_of(1), difference);
        }
        result = wide_round_to_odd(result, -excess);
    }
    if (doubts->is_careful)
        difference = wide_choose(wide_is_nan(product), wide_of(0), difference);
    doubts->differing |= (wide_bits)difference; /* NaN where the result is infinite or NaN */
    return result;
}

#endif
