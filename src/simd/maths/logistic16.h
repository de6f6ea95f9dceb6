/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logistic function and what is made of it, for 16 bits: fp32 without what its roundings lose, for any
 * number. With one argument there are no more than 65,536 results, and constants were searched for with which
 * each is the exact value rounded once; nothing but the sweep over all of them says so, for these very steps.
 * scripts/logistic_narrow.c searches.
 */
#ifndef BELAY_SIMD_MATHS_LOGISTIC16_H
#define BELAY_SIMD_MATHS_LOGISTIC16_H

#include "simd/maths/odd.h"
#include "simd/maths/unsettled.h"

/* e^-r for |r| <= ln 2 / 2: 1 - r + square r^2 + ... */
struct logistic16_series {
    float one, square, cube, fourth, fifth, sixth;
};

/* By its values at Chebyshev's nodes, of degree 6; and of degree 5, moved where that was wrong. */
static const struct logistic16_series logistic16_series = {
    1, 0x1p-1F, -0x1.555404p-3F, 0x1.5554acp-5F, -0x1.126faap-7F, 0x1.6d7536p-10F};
static const struct logistic16_series logistic16_sigmoid_series = {
    1, 0x1.fffd0ap-2F, -0x1.55547cp-3F, 0x1.576368p-5F, -0x1.123db2p-7F, 0};
static const struct logistic16_series logistic16_gelu_series = {
    1 + 0x1p-23F, 0x1.fffd0ap-2F, -0x1.55547cp-3F, 0x1.576314p-5F, -0x1.123d84p-7F, 0};

/* The bits of the greatest magnitudes whose exponentials and results need no scale. */
enum { LOGISTIC16_END = 0x42a00000, TANH16_END = 0x42200000 };

/* e^-b = power e^-r 2^rest, where rest is not 0 only where is_far, a constant, is set. */
struct logistic16_exponential {
    vector power, r, slope; /* e^-r = 1 + r slope */
    vector rest;
};

/* A sum whose last place is 1, so that its low bits are the exponent field of 2^k. */
static const float logistic16_exponent = 0x1.8p23F + 127;

static inline vector logistic16_power(vector exponent)
{
    return (vector)((vector_bits)exponent << 23);
}

/* r for e^-b = 2^k e^-r. */
static inline __attribute__((always_inline)) struct logistic16_exponential
logistic16_exponential_of(vector b, struct logistic16_series series, bool is_far)
{
    vector sum = fused_from(b, vector_of(0x1.715476p0F), vector_of(logistic16_exponent)), near = sum;
    if (is_far)
        near = vector_least(vector_of(logistic16_exponent + 100),
                            vector_greatest(vector_of(logistic16_exponent - 100), sum));
    vector r = fused(sum - logistic16_exponent, vector_of(0x1.62e43p-1F), b), slope = vector_of(series.fifth);
    if (series.sixth > 0)
        slope = fused(r, vector_of(series.sixth), slope);
    slope = fused(r, slope, vector_of(series.fourth));
    slope = fused(r, slope, vector_of(series.cube));
    slope = fused(r, slope, vector_of(series.square));
    slope = fused(r, slope, vector_of(-1));
    return (struct logistic16_exponential){logistic16_power(near), r, slope, sum - near};
}

/* There |rest| is 127, and 2^-|rest| as logistic16_power() has it 0: all results beyond are 0, or NaN. */
static const float logistic16_end = 157.3F;

/* x / (1 + e^-x) */
static inline __attribute__((always_inline)) vector logistic16_silu(vector x, bool is_far)
{
    /* Where x is 64 or more the result is x. */
    vector b = is_far ? vector_least(vector_of(64), vector_greatest(vector_of(-logistic16_end), x)) : x;
    struct logistic16_exponential e = logistic16_exponential_of(b, logistic16_series, is_far);
    vector quotient = x / fused(fused(e.r, e.slope, vector_of(1)), e.power, vector_of(1));
    return is_far ? vector_any_product(quotient, logistic16_power(logistic16_exponent - e.rest)) : quotient;
}

/*
 * A silu or gelu is x / 2 and a bit more where x is small: that bit decides ties of subnormal numbers, and is
 * lost in others. 0 keeps its sign.
 */
static inline vector logistic16_above_tie(enum arithmetic dtype, vector value, vector x)
{
    return vector_with_sign_of(value + vector_of(dtype == ARITHMETIC_FP16 ? 0x1p-37F : 0x1p-140F), x);
}

/* numerator / (1 + e^-b), times e^-b where negative. */
static inline __attribute__((always_inline)) vector
logistic16_product(vector numerator, vector b, flags negative, struct logistic16_series series, bool is_far)
{
    if (is_far)
        b = vector_least(vector_of(logistic16_end), b);
    struct logistic16_exponential e = logistic16_exponential_of(b, series, is_far);
    vector u = fused(e.r, e.slope, vector_of(series.one));
    vector value =
        numerator * vector_choose(negative, u * e.power, vector_of(1)) / fused(u, e.power, vector_of(1));
    vector rest = is_far
                      ? vector_choose(negative, logistic16_power(logistic16_exponent + e.rest), vector_of(1))
                      : vector_of(1);
    return is_far ? vector_any_product(value, rest) : value;
}

/* 1 / (1 + e^-y): of a |y| that is a little smaller, for what y / 4 leaves out of ties around 0. */
static inline __attribute__((always_inline)) vector logistic16_sigmoid(vector y, bool is_far)
{
    flags negative = vector_greater(vector_of(0), y);
    vector rest = vector_choose(negative, vector_of(0x1p-23F), vector_of(0x1.ap-23F));
    return logistic16_product(vector_of(1), vector_absolute(y) - rest, negative, logistic16_sigmoid_series,
                              is_far);
}

/* x / (1 + e^-v), v = 2 sqrt(2/pi) (x + 0.044715 x^3) */
static inline __attribute__((always_inline)) vector logistic16_gelu(vector x, bool is_far)
{
    const vector linear = vector_of(0x1.988458p0F), cubic = vector_of(0x1.2444f2p-4F),
                 shift = vector_of(-0x1.cp-26F);
    vector size = vector_absolute(x), v = fused(size, fused(size * size, cubic, linear), shift);
    return logistic16_product(x, v, vector_greater(vector_of(0), x), logistic16_gelu_series, is_far);
}

/* n / (2 - n) with n = 1 - e^-2|x| */
static inline __attribute__((always_inline)) vector logistic16_tanh(vector x, bool is_far)
{
    vector size = is_far ? vector_least(vector_of(40), vector_absolute(x)) : vector_absolute(x);
    struct logistic16_exponential e = logistic16_exponential_of(size + size, logistic16_series, is_far);
    vector n = fused_from(e.power, e.r * e.slope, 1 - e.power);
    return vector_with_sign_of(n * (1 / (2 - n)), x);
}

/*
 * Such a function of x for any number of 16 bits: the quick way has what is far in doubt. Otherwise a
 * register in which nothing is takes the same steps.
 */
static inline __attribute__((always_inline)) vector
logistic16_function(vector (*function)(vector x, bool is_far), uint32_t end, vector x,
                    struct unsettled *unsettled)
{
    const vector_bits size = (vector_bits)vector_absolute(x);
    if (unsettled->path == PATH_QUICK)
        unsettled_above(unsettled, size, end);
    else if (vector_any_flag(vector_above(size, end)))
        return function(x, true);
    return function(x, false);
}

#endif
