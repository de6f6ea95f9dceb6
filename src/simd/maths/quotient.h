/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Correctly rounded quotients in fp32 arithmetic.
 */
#ifndef BELAY_SIMD_MATHS_QUOTIENT_H
#define BELAY_SIMD_MATHS_QUOTIENT_H

#include "simd/maths/unsettled.h"
#include "simd/maths/odd.h"

/* A divisor to 48 bits, and about its inverse. */
struct vector_divisor {
    float high, low, inverse;
    bool is_exact; /* and low is 0 */
};

/* is_exact: the divisor has not been rounded to become a double. */
static inline struct vector_divisor vector_divisor_of(double divisor, bool is_exact)
{
    float high = (float)divisor, low = (float)(divisor - (double)high);
    return (struct vector_divisor){high, low, (float)(1 / divisor), is_exact && low == 0};
}

/* divisor * quotient - product, without rounding where quotient is near the exact one. */
static inline vector excess_of(vector quotient, vector product, struct vector_divisor divisor)
{
    vector excess = fused_minus(vector_of(divisor.high), quotient, product);
    return divisor.is_exact ? excess : fused(vector_of(divisor.low), quotient, excess);
}

/* For fp32, without a product that could lose bits: the exact result lies between two before they are
 * rounded. Subtracting keeps the sign of a zero. */
static inline __attribute__((always_inline)) vector
ordinary_quotient(vector a, struct vector_pair b, struct vector_divisor divisor, vector *difference)
{
    vector product = a * b.high, rest = fused(a, b.low, fused_minus(a, b.high, product));
    vector quotient = product * divisor.inverse, excess = excess_of(quotient, product, divisor) - rest;
    vector result = fused_from(excess, vector_of(divisor.inverse * (1 - 0x1p-18F)), quotient);
    *difference = result - fused_from(excess, vector_of(divisor.inverse * (1 + 0x1p-18F)), quotient);
    return result;
}

/*
 * a * (b.high + b.low) / divisor, where b.low is at most a unit in the last place of b.high. The quotient is
 * corrected by its remainder, known to 2^-20 of a unit at least. For fp32 a result that a change of twice
 * that could change is in doubt. For 16 bits the product has 52 bits at most, or is nearly so short, and then
 * the remainder of the corrected quotient, which is off by less than a unit, is exact. All this takes a
 * product of 2^-100 or more, or none at all: the caller reports small factors. What overflows is in doubt.
 */
static inline vector multiply_divide(vector a, struct vector_pair b, struct vector_divisor divisor,
                                     struct unsettled *unsettled)
{
    vector product = a * b.high, result, difference;
    if (unsettled->dtype == ARITHMETIC_FP32) {
        result = ordinary_quotient(a, b, divisor, &difference);
    } else {
        vector rest = fused(a, b.low, fused_minus(a, b.high, product)), quotient = product * divisor.inverse;
        vector excess = excess_of(quotient, product, divisor) - rest;
        result = fused_from(excess, vector_of(divisor.inverse), quotient);
        excess = excess_of(result, product, divisor) - rest;
        difference = result - result;
        if (!divisor.is_exact) {
            flags tiny = vector_greater(vector_absolute(product) * 0x1p-44F, vector_absolute(excess));
            difference = vector_choose(tiny, vector_of(1), difference);
        }
        result = vector_round_to_odd(result, -excess);
    }
    if (unsettled->path == PATH_ANY)
        difference = vector_choose(vector_is_nan(product), vector_of(0), difference);
    unsettled_differing(unsettled, (vector_bits)difference); /* NaN where the result is infinite or NaN */
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
static inline __attribute__((always_inline)) vector
scaled_quotient(vector a, struct vector_pair b, struct vector_divisor divisor, vector *difference)
{
    const vector normal = vector_of(0x1p-126F * scale_up);
    flags is_small =
        vector_less_ints((vector_ints)vector_absolute(a), (vector_ints)vector_of(largest_scaled));
    vector raised = vector_any_product(a, vector_choose(is_small, vector_of(scale_up), vector_of(1)));
    vector factor = vector_choose(is_small, vector_of(1 / scale_up), vector_of(1));
    vector product = raised * b.high;
    vector rest = fused(raised, b.low, fused_minus(raised, b.high, product));
    /* Not less than all that are subnormal: what turns out not to be is in doubt. */
    const float limit = 0x1p-126F * scale_up * (1 + 0x1p-21F);
    flags is_tiny = vector_greater(vector_of(limit * divisor.high), vector_absolute(product));
    flags is_subnormal = is_tiny & is_small;
    vector place = vector_with_sign_of(vector_choose(is_subnormal, normal, vector_of(0)), product);
    vector start = fused(product, vector_of(divisor.inverse), place);
    vector excess = excess_of(start - place, product, divisor) - rest;
    vector result = fused_from(excess, vector_of(divisor.inverse * (1 - 0x1p-18F)), start);
    *difference = result - fused_from(excess, vector_of(divisor.inverse * (1 + 0x1p-18F)), start);
    vector_ints count = (vector_ints)((vector_bits)result - (vector_bits)place);
    flags is_normal = is_subnormal & vector_less_ints(vector_ints_of(0x007fffff), count);
    *difference = vector_choose((is_tiny & ~is_small) | is_normal, vector_of(1), *difference);
    return vector_choose(is_subnormal, vector_with_sign_of((vector)count, product), result * factor);
}

/* multiply_divide() for fp32 and an a of any size, where |b / divisor| is at most 2. */
static inline __attribute__((always_inline)) vector multiply_divide_any(vector a, struct vector_pair b,
                                                                        struct vector_divisor divisor,
                                                                        struct unsettled *unsettled)
{
    const flags is_small = vector_is_below(a, smallest_factor) | vector_is_below(b.high, smallest_factor);
    const flags is_special = vector_not_finite(a) | vector_not_finite(b.high);
    vector result, difference;
    if (vector_any_flag(is_small))
        result = scaled_quotient(a, b, divisor, &difference);
    else
        result = ordinary_quotient(a, b, divisor, &difference);
    unsettled_differing(unsettled, (vector_bits)vector_choose(is_special, vector_of(0), difference));
    return vector_choose(is_special, vector_any_product(a, b.high), result);
}

#endif
