/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Correctly rounded quotients in fp32 arithmetic.
 */
#ifndef BELAY_SIMD_QUOTIENT_H
#define BELAY_SIMD_QUOTIENT_H

#include "simd/doubts.h"
#include "simd/odd.h"

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

/* For fp32, without a product that could lose bits: the exact result lies between two before they are
 * rounded. Subtracting keeps the sign of a zero. */
static inline __attribute__((always_inline)) wide
ordinary_quotient(wide a, struct wide_pair b, struct wide_divisor divisor, wide *difference)
{
    wide product = a * b.high, rest = fused(a, b.low, fused_minus(a, b.high, product));
    wide quotient = product * divisor.inverse, excess = excess_of(quotient, product, divisor) - rest;
    wide result = fused_from(excess, wide_of(divisor.inverse * (1 - 0x1p-18F)), quotient);
    *difference = result - fused_from(excess, wide_of(divisor.inverse * (1 + 0x1p-18F)), quotient);
    return result;
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
    wide product = a * b.high, result, difference;
    if (doubts->dtype == ARITHMETIC_FP32) {
        result = ordinary_quotient(a, b, divisor, &difference);
    } else {
        wide rest = fused(a, b.low, fused_minus(a, b.high, product)), quotient = product * divisor.inverse;
        wide excess = excess_of(quotient, product, divisor) - rest;
        result = fused_from(excess, wide_of(divisor.inverse), quotient);
        excess = excess_of(result, product, divisor) - rest;
        difference = result - result;
        if (!divisor.is_exact) {
            flags tiny = wide_greater(wide_absolute(product) * 0x1p-44F, wide_absolute(excess));
            difference = wide_choose(tiny, wide_of(1), difference);
        }
        result = wide_round_to_odd(result, -excess);
    }
    if (doubts->path == PATH_ANY)
        difference = wide_choose(wide_is_nan(product), wide_of(0), difference);
    doubt_differing(doubts, (wide_bits)difference); /* NaN where the result is infinite or NaN */
    return result;
}

/* What multiply_divide_any() takes up, and how far. */
static const float largest_scaled = 0x1p20F, scale_up = 0x1p62F;

/*
 * a * b / divisor with a result that may be subnormal, and the change that a change of its remainder makes. A
 * factor that is not large is scaled, and the result rounded in the scale: the quotient starts as a multiple
 * of the least number above place, whose last place that number is, and so the correction is rounded to
 * multiples of it, too.
 */
static inline __attribute__((always_inline)) wide
scaled_quotient(wide a, struct wide_pair b, struct wide_divisor divisor, wide *difference)
{
    const wide normal = wide_of(0x1p-126F * scale_up);
    flags is_small = wide_less_ints((wide_ints)wide_absolute(a), (wide_ints)wide_of(largest_scaled));
    wide raised = wide_any_product(a, wide_choose(is_small, wide_of(scale_up), wide_of(1)));
    wide factor = wide_choose(is_small, wide_of(1 / scale_up), wide_of(1));
    wide product = raised * b.high;
    wide rest = fused(raised, b.low, fused_minus(raised, b.high, product));
    /* Not less than all that are subnormal: what turns out not to be is in doubt. */
    const float limit = 0x1p-126F * scale_up * (1 + 0x1p-21F);
    flags is_tiny = wide_greater(wide_of(limit * divisor.high), wide_absolute(product));
    flags is_subnormal = is_tiny & is_small;
    wide place = wide_with_sign_of(wide_choose(is_subnormal, normal, wide_of(0)), product);
    wide start = fused(product, wide_of(divisor.inverse), place);
    wide excess = excess_of(start - place, product, divisor) - rest;
    wide result = fused_from(excess, wide_of(divisor.inverse * (1 - 0x1p-18F)), start);
    *difference = result - fused_from(excess, wide_of(divisor.inverse * (1 + 0x1p-18F)), start);
    wide_ints count = (wide_ints)((wide_bits)result - (wide_bits)place);
    flags is_normal = is_subnormal & wide_less_ints(wide_ints_of(0x007fffff), count);
    *difference = wide_choose((is_tiny & ~is_small) | is_normal, wide_of(1), *difference);
    return wide_choose(is_subnormal, wide_with_sign_of((wide)count, product), result * factor);
}

/* multiply_divide() for fp32 and an a of any size, where |b / divisor| is at most 2. */
static inline __attribute__((always_inline)) wide
multiply_divide_any(wide a, struct wide_pair b, struct wide_divisor divisor, struct doubts *doubts)
{
    const wide_bits smallest = wide_bits_of(2 * smallest_factor - 2);
    const wide_bits least = wide_lesser(magnitude_order(a), magnitude_order(b.high));
    const flags is_special = wide_not_finite(a) | wide_not_finite(b.high);
    wide result, difference;
    if (wide_any(wide_lesser(least, smallest) ^ smallest))
        result = scaled_quotient(a, b, divisor, &difference);
    else
        result = ordinary_quotient(a, b, divisor, &difference);
    doubt_differing(doubts, (wide_bits)wide_choose(is_special, wide_of(0), difference));
    return wide_choose(is_special, wide_any_product(a, b.high), result);
}

#endif
