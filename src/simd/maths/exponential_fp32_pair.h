/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * e^-b and quotients in fp32, with what their rounding leaves. scripts/logistic_fp32.sollya prints the
 * coefficients.
 */
#ifndef BELAY_SIMD_MATHS_EXPONENTIAL_FP32_PAIR_H
#define BELAY_SIMD_MATHS_EXPONENTIAL_FP32_PAIR_H

#include "simd/vector/vector_fp32.h"

/* Beyond this e^-b times the greatest number of fp32 is 0. */
static const float exponential_end = 200;

/* e^-(b + rest) = 2^k e^-r (1 - r_rest) for 0 <= b <= 200, |rest| <= 2^-17: m is e^-r - 1, |m| < 0.42,
 * rounded, and m_rest() what that leaves; relative errors of 1 + m + m_rest below 2^-29. */
struct vector_exponential {
    vector m, r_rest;
    vector r, square, curvature; /* m = r^2 curvature - r */
    vector sum; /* its last place is 1: its low bits are k + 127, the exponent field of 2^k */
};

static const float exponent_sum = 0x1.8p23F + 127;

/* 2^k from the sum's low bits, which are the exponent field. */
static inline vector power_of_sum(vector sum)
{
    return (vector)((vector_bits)sum << 23);
}

/* k is -b / ln 2 to nearest, and r = b + k ln 2, |r| <= ln 2 / 2; m is r^2 curvature - r, with coefficients
 * that scripts/logistic_fp32.sollya finds. */
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

/* (high + low) / (divisor + divisor_low) is quotient + remainder * inverse. */
struct vector_quotient {
    vector quotient, remainder, inverse;
};

/* By the inverse: the remainder is what the quotient leaves of the dividend, and takes in both low parts. */
static inline struct vector_quotient vector_quotient(vector high, vector low, vector divisor,
                                                     vector divisor_low)
{
    vector inverse = 1 / divisor, quotient = high * inverse;
    vector remainder = fused_from(quotient, divisor, high) + fused_from(quotient, divisor_low, low);
    return (struct vector_quotient){quotient, remainder, inverse};
}

#endif
