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

#include "simd/doubts.h"
#include "simd/logistic_narrow.h"

/* Beyond this e^-b times the greatest number of fp32 is 0. */
static const float logistic_end = 200;

/* The bits of the greatest |y| for the near way: its powers of 2, 2^-23 and more, leave room for pairs. */
enum { LOGISTIC_NEAR = 0x41800000 };

/* e^-(b + rest) = 2^k e^-r (1 - r_rest) for 0 <= b <= 200, |rest| <= 2^-17: m is e^-r - 1, |m| < 0.42,
 * rounded, and m_rest() what that leaves; relative errors of 1 + m + m_rest below 2^-29. */
struct wide_exponential {
    wide m, r_rest;
    wide r, square, curvature; /* m = r^2 curvature - r */
    wide sum;                  /* its last place is 1: its low bits are k + 127, the exponent field of 2^k */
};

static const float exponent_sum = 0x1.8p23F + 127;

static inline wide power_of_sum(wide sum)
{
    return (wide)((wide_bits)sum << 23);
}

static inline struct wide_exponential wide_exponential(wide b, wide rest)
{
    wide sum = fused_from(b, wide_of(0x1.715476p0F), wide_of(exponent_sum)), k = sum - exponent_sum;
    /* r = b + k ln 2: ln 2 in a part with 21 bits, so that what it leaves of b is exact, and another. */
    wide r = fused(k, wide_of(0x1.62e43p-1F), b), r_rest = fused(k, wide_of(-0x1.05c61p-29F), rest);
    wide curvature = fused_from(r, wide_of(0x1.a27408p-13F), wide_of(0x1.6d515ep-10F));
    curvature = fused_from(r, curvature, wide_of(0x1.110feep-7F));
    curvature = fused_from(r, curvature, wide_of(0x1.5554e4p-5F));
    curvature = fused_from(r, curvature, wide_of(0x1.555556p-3F));
    curvature = fused_from(r, curvature, wide_of(0x1p-1F));
    wide square = r * r;
    return (struct wide_exponential){fused(square, curvature, -r), r_rest, r, square, curvature, sum};
}

/* Exact but for the roundings of the square and the last step. */
static inline wide m_rest(struct wide_exponential e)
{
    return fused(e.square, e.curvature, -e.r - e.m);
}

/* (high + low) / (divisor + divisor_low) is quotient + remainder * inverse, as the rounded quotient is not
 * all of it. Both times power[0] * power[1]. */
struct wide_quotient {
    wide quotient, remainder, inverse, power[2];
};

static inline struct wide_quotient wide_quotient(wide high, wide low, wide divisor, wide divisor_low)
{
    wide inverse = 1 / divisor, quotient = high * inverse;
    wide remainder = fused_from(quotient, divisor, high) + fused_from(quotient, divisor_low, low);
    return (struct wide_quotient){quotient, remainder, inverse, {wide_of(1), wide_of(1)}};
}

/* 1 / (1 + e^-y) where |y| is b + rest; far out times 2^exponent, -64 to 64. */
static inline __attribute__((always_inline)) struct wide_quotient
wide_logistic(wide b, wide rest, flags negative, wide exponent, bool is_far)
{
    struct wide_exponential e = wide_exponential(is_far ? wide_least(wide_of(logistic_end), b) : b, rest);
    /* e^-r: what m was rounded by is most of the error. */
    wide high = 1 + e.m, low = fused_from(e.r_rest, high, (1 - high) + e.m);
    wide near = is_far ? wide_greatest(wide_of(exponent_sum - 100), e.sum) : e.sum;
    wide power = power_of_sum(near), sum = fused(high, power, wide_of(1));
    wide sum_low = fused(low, power, fused(high, power, 1 - sum));
    /* Below 0 it is e^y / (1 + e^y); far out the power is left to the end. */
    high = wide_choose(negative, is_far ? high : high * power, wide_of(1));
    low = wide_choose(negative, is_far ? low : low * power, wide_of(0));
    struct wide_quotient result = wide_quotient(high, low, sum, sum_low);
    if (is_far) {
        wide rest_of_exponent = wide_choose(negative, e.sum - near, wide_of(0)) + exponent;
        result.power[0] = wide_choose(negative, power, wide_of(1));
        result.power[1] = power_of_sum(wide_greatest(wide_of(-126), rest_of_exponent) + exponent_sum);
    }
    return result;
}

static inline flags wide_negative(wide value)
{
    return wide_greater(wide_of(0), value);
}

/* x / (1 + e^-y) where |y| is b + rest; NaN where y is, and for finite x and infinite y. */
static inline __attribute__((always_inline)) wide wide_product_with_logistic(wide x, wide b, wide rest,
                                                                             flags negative, bool is_far)
{
    wide exponent = wide_of(0);
    if (is_far) {
        /* A small x would be lost in the end, and with a large one steps might overflow. */
        wide size = wide_absolute(x);
        flags small = wide_greater(wide_of(0x1p-60F), size), large = wide_greater(size, wide_of(0x1p60F));
        exponent = wide_choose(small, wide_of(-64), wide_choose(large, wide_of(64), exponent));
        x *= wide_choose(small, wide_of(0x1p64F), wide_choose(large, wide_of(0x1p-64F), wide_of(1)));
    }
    struct wide_quotient p = wide_logistic(b, rest, negative, exponent, is_far);
    wide value = fused(x, p.quotient, x * (p.remainder * p.inverse));
    /* Only the last product is inexact, or the result is 0. */
    return is_far ? value * p.power[0] * p.power[1] : value;
}

/* Bits of |x|, 2^-125, below which x / 2 is all of silu that fp32 has, but for the side of a tie. */
enum { SILU_TIE_END = 0x01000000 };

/* x / 2 for a small x of fp32, and of odd subnormal numbers the half that is away from 0 where up is 1. */
static inline wide tiny_half(wide x, wide_ints up)
{
    return wide_with_sign_of((wide)(((wide_ints)wide_absolute(x) + up) >> 1), x);
}

/* x / (1 + e^-y), |y| = b + rest, for a y with the sign of x that is 0 and infinite where x is: NaN for -inf.
 */
static inline __attribute__((always_inline)) wide wide_silu_of(wide x, wide b, wide rest,
                                                               struct doubts *doubts)
{
    const bool is_far = doubts->path == PATH_ANY;
    flags negative = wide_negative(x);
    wide value = wide_product_with_logistic(x, b, rest, negative, is_far);
    if (!is_far)
        return value;
    /* There halves of odd subnormal numbers are ties, which lie below the exact result, x / 2 + c x^2. */
    flags is_tiny = wide_less_ints((wide_ints)wide_absolute(x), wide_ints_of(SILU_TIE_END));
    value = wide_choose(is_tiny, tiny_half(x, ~((wide_ints)x >> 31) & 1), value);
    return wide_choose(wide_not_finite(x), wide_choose(negative, x - x, x), value);
}

#endif
