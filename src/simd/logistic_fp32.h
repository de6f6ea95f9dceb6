/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logistic function 1 / (1 + e^-y) and what is made of it by one exponential and one division in pairs of
 * floats: within 0.86 units in the last place. Half of one is the last rounding. The rounding of m below,
 * 2^-26 where e^-r is 0.7 or more, counts for up to 0.36 where the exponential is as large as the result; all
 * else is below 2^-29. Where results are subnormal, 1 unit.
 *
 * Where is_far is not set, a constant, |y| has to be small enough that no step is subnormal; where both ways
 * serve they give the same bits. scripts/logistic_fp32.sollya prints the coefficients.
 */
#ifndef BELAY_SIMD_LOGISTIC_FP32_H
#define BELAY_SIMD_LOGISTIC_FP32_H

#include <math.h>

#include "simd/unsettled.h"
#include "simd/logistic16.h"

/* Beyond this e^-b times the greatest number of fp32 is 0. */
static const float logistic_end = 200;

/* The bits of the greatest |y| for the near way: its powers of 2, 2^-23 and more, leave room for pairs. */
enum { LOGISTIC_NEAR = 0x41800000 };

/* e^-(b + rest) = 2^k e^-r (1 - r_rest) for 0 <= b <= 200, |rest| <= 2^-17: m is e^-r - 1, |m| < 0.42,
 * rounded, and m_rest() what that leaves; relative errors of 1 + m + m_rest below 2^-29. */
struct vector_exponential {
    vector m, r_rest;
    vector r, square, curvature; /* m = r^2 curvature - r */
    vector sum; /* its last place is 1: its low bits are k + 127, the exponent field of 2^k */
};

static const float exponent_sum = 0x1.8p23F + 127;

static inline vector power_of_sum(vector sum)
{
    return (vector)((vector_bits)sum << 23);
}

static inline struct vector_exponential vector_exponential(vector b, vector rest)
{
    vector sum = fused_from(b, vector_of(0x1.715476p0F), vector_of(exponent_sum)), k = sum - exponent_sum;
    /* r = b + k ln 2: ln 2 in a part with 21 bits, so that what it leaves of b is exact, and another. */
    vector r = fused(k, vector_of(0x1.62e43p-1F), b), r_rest = fused(k, vector_of(-0x1.05c61p-29F), rest);
    vector curvature = fused_from(r, vector_of(0x1.a27408p-13F), vector_of(0x1.6d515ep-10F));
    curvature = fused_from(r, curvature, vector_of(0x1.110feep-7F));
    curvature = fused_from(r, curvature, vector_of(0x1.5554e4p-5F));
    curvature = fused_from(r, curvature, vector_of(0x1.555556p-3F));
    curvature = fused_from(r, curvature, vector_of(0x1p-1F));
    vector square = r * r;
    return (struct vector_exponential){fused(square, curvature, -r), r_rest, r, square, curvature, sum};
}

/* Exact but for the roundings of the square and the last step. */
static inline vector m_rest(struct vector_exponential e)
{
    return fused(e.square, e.curvature, -e.r - e.m);
}

/* (high + low) / (divisor + divisor_low) is quotient + remainder * inverse, as the rounded quotient is not
 * all of it. Both times power[0] * power[1]. */
struct vector_quotient {
    vector quotient, remainder, inverse, power[2];
};

static inline struct vector_quotient vector_quotient(vector high, vector low, vector divisor,
                                                     vector divisor_low)
{
    vector inverse = 1 / divisor, quotient = high * inverse;
    vector remainder = fused_from(quotient, divisor, high) + fused_from(quotient, divisor_low, low);
    return (struct vector_quotient){quotient, remainder, inverse, {vector_of(1), vector_of(1)}};
}

/* 1 / (1 + e^-y) where |y| is b + rest; far out times 2^exponent, -64 to 64. */
static inline __attribute__((always_inline)) struct vector_quotient
vector_logistic(vector b, vector rest, flags negative, vector exponent, bool is_far)
{
    struct vector_exponential e =
        vector_exponential(is_far ? vector_least(vector_of(logistic_end), b) : b, rest);
    /* e^-r: what m was rounded by is most of the error. */
    vector high = 1 + e.m, low = fused_from(e.r_rest, high, (1 - high) + e.m);
    vector near = is_far ? vector_greatest(vector_of(exponent_sum - 100), e.sum) : e.sum;
    vector power = power_of_sum(near), sum = fused(high, power, vector_of(1));
    vector sum_low = fused(low, power, fused(high, power, 1 - sum));
    /* Below 0 it is e^y / (1 + e^y); far out the power is left to the end. */
    high = vector_choose(negative, is_far ? high : high * power, vector_of(1));
    low = vector_choose(negative, is_far ? low : low * power, vector_of(0));
    struct vector_quotient result = vector_quotient(high, low, sum, sum_low);
    if (is_far) {
        vector rest_of_exponent = vector_choose(negative, e.sum - near, vector_of(0)) + exponent;
        result.power[0] = vector_choose(negative, power, vector_of(1));
        result.power[1] = power_of_sum(vector_greatest(vector_of(-126), rest_of_exponent) + exponent_sum);
    }
    return result;
}

static inline flags vector_negative(vector value)
{
    return vector_greater(vector_of(0), value);
}

/* x / (1 + e^-y) where |y| is b + rest; NaN where y is, and for finite x and infinite y. */
static inline __attribute__((always_inline)) vector
vector_product_with_logistic(vector x, vector b, vector rest, flags negative, bool is_far)
{
    vector exponent = vector_of(0);
    if (is_far) {
        /* A small x would be lost in the end, and with a large one steps might overflow. */
        vector size = vector_absolute(x);
        flags small = vector_greater(vector_of(0x1p-60F), size),
              large = vector_greater(size, vector_of(0x1p60F));
        exponent = vector_choose(small, vector_of(-64), vector_choose(large, vector_of(64), exponent));
        x *=
            vector_choose(small, vector_of(0x1p64F), vector_choose(large, vector_of(0x1p-64F), vector_of(1)));
    }
    struct vector_quotient p = vector_logistic(b, rest, negative, exponent, is_far);
    vector value = fused(x, p.quotient, x * (p.remainder * p.inverse));
    /* Only the last product is inexact, or the result is 0. */
    return is_far ? value * p.power[0] * p.power[1] : value;
}

/* Bits of |x|, 2^-125, below which x / 2 is all of silu that fp32 has, but for the side of a tie. */
enum { SILU_TIE_END = 0x01000000 };

/* x / (1 + e^-y), |y| = b + rest, for a y with the sign of x that is 0 and infinite where x is: NaN for -inf.
 */
static inline __attribute__((always_inline)) vector vector_silu_of(vector x, vector b, vector rest,
                                                                   struct unsettled *unsettled)
{
    const bool is_far = unsettled->path == PATH_ANY;
    flags negative = vector_negative(x);
    vector value = vector_product_with_logistic(x, b, rest, negative, is_far);
    if (!is_far)
        return value;
    /* There halves of odd subnormal numbers are ties, which lie below the exact result, x / 2 + c x^2. */
    flags is_tiny = vector_less_ints((vector_ints)vector_absolute(x), vector_ints_of(SILU_TIE_END));
    value = vector_choose(is_tiny, tiny_half(x, ~((vector_ints)x >> 31) & 1), value);
    return vector_choose(vector_not_finite(x), vector_choose(negative, x - x, x), value);
}

#endif
