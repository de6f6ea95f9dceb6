/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logistic function and what is made of it, for 16 bits: fp32 without what its roundings lose, for any
 * number. With one argument there are no more than 65,536 results, and constants were searched for with which
 * each is the exact value rounded once; nothing but the sweep over all of them says so, for these very steps.
 * scripts/logistic_narrow.c searches.
 */
#ifndef BELAY_SIMD_LOGISTIC_NARROW_H
#define BELAY_SIMD_LOGISTIC_NARROW_H

#include "simd/doubts.h"

/* e^-r for |r| <= ln 2 / 2: 1 - r + square r^2 + ... */
struct narrow_series {
    float one, square, cube, fourth, fifth, sixth;
};

/* By its values at Chebyshev's nodes, of degree 6; and of degree 5, moved where that was wrong. */
static const struct narrow_series narrow_series = {
    1, 0x1p-1F, -0x1.555404p-3F, 0x1.5554acp-5F, -0x1.126faap-7F, 0x1.6d7536p-10F};
static const struct narrow_series narrow_sigmoid_series = {
    1, 0x1.fffd0ap-2F, -0x1.55547cp-3F, 0x1.576368p-5F, -0x1.123db2p-7F, 0};
static const struct narrow_series narrow_gelu_series = {1 + 0x1p-23F,   0x1.fffd0ap-2F,  -0x1.55547cp-3F,
                                                        0x1.576314p-5F, -0x1.123d84p-7F, 0};

/* The bits of the greatest magnitudes whose exponentials and results need no scale. */
enum { LOGISTIC_NARROW = 0x42a00000, TANH_NARROW = 0x42200000 };

/* e^-b = power e^-r 2^rest, where rest is not 0 only where is_far, a constant, is set. */
struct narrow_exponential {
    wide power, r, slope; /* e^-r = 1 + r slope */
    wide rest;
};

/* A sum whose last place is 1, so that its low bits are the exponent field of 2^k. */
static const float narrow_exponent = 0x1.8p23F + 127;

static inline wide narrow_power(wide exponent)
{
    return (wide)((wide_bits)exponent << 23);
}

/* r for e^-(b + what was lost of it) = 2^k e^-r; lost: NULL for nothing. */
static inline __attribute__((always_inline)) struct narrow_exponential
narrow_exponential_of(wide b, const wide *lost, struct narrow_series series, bool is_far)
{
    wide sum = fused_from(b, wide_of(0x1.715476p0F), wide_of(narrow_exponent)), near = sum;
    if (is_far)
        near = wide_least(wide_of(narrow_exponent + 100), wide_greatest(wide_of(narrow_exponent - 100), sum));
    wide r = fused(sum - narrow_exponent, wide_of(0x1.62e43p-1F), b), slope = wide_of(series.fifth);
    if (lost)
        r += *lost;
    if (series.sixth > 0)
        slope = fused(r, wide_of(series.sixth), slope);
    slope = fused(r, slope, wide_of(series.fourth));
    slope = fused(r, slope, wide_of(series.cube));
    slope = fused(r, slope, wide_of(series.square));
    slope = fused(r, slope, wide_of(-1));
    return (struct narrow_exponential){narrow_power(near), r, slope, sum - near};
}

/* There |rest| is 127, and 2^-|rest| as narrow_power() has it 0: all results beyond are 0, or NaN. */
static const float narrow_end = 157.3F;

/* x / (1 + e^-x) */
static inline __attribute__((always_inline)) wide narrow_silu(wide x, bool is_far)
{
    /* Where x is 64 or more the result is x. */
    wide b = is_far ? wide_least(wide_of(64), wide_greatest(wide_of(-narrow_end), x)) : x;
    struct narrow_exponential e = narrow_exponential_of(b, NULL, narrow_series, is_far);
    wide quotient = x / fused(fused(e.r, e.slope, wide_of(1)), e.power, wide_of(1));
    return is_far ? quotient * narrow_power(narrow_exponent - e.rest) : quotient;
}

/*
 * Of a silu or gelu, which are x / 2 and a bit where x is small: that bit decides ties of subnormal numbers,
 * and is lost in others. 0 keeps its sign.
 */
static inline wide narrow_above_tie(enum arithmetic dtype, wide value, wide x)
{
    return wide_with_sign_of(value + wide_of(dtype == ARITHMETIC_FP16 ? 0x1p-37F : 0x1p-140F), x);
}

/*
 * x / (1 + e^-y) for y = beta x up to 16 in magnitude, which is rounded, and what that lost. In units of the
 * last place of fp32 r, e^-r, the divisor and the quotient lose at most a half each, or one where the
 * result's significand is the larger; no more than 2.3 were found, and a tie within NARROW_SWISH_UNITS is a
 * doubt.
 */
enum { NARROW_SWISH_UNITS = 4 };

static inline __attribute__((always_inline)) wide narrow_swish(wide x, wide y, float beta)
{
    const wide lost = fused_minus(x, wide_of(beta), y);
    struct narrow_exponential e = narrow_exponential_of(y, &lost, narrow_series, false);
    return x / fused(fused(e.r, e.slope, wide_of(1)), e.power, wide_of(1));
}

/* numerator / (1 + e^-b), times e^-b where negative. */
static inline __attribute__((always_inline)) wide narrow_product(wide numerator, wide b, flags negative,
                                                                 struct narrow_series series, bool is_far)
{
    if (is_far)
        b = wide_least(wide_of(narrow_end), b);
    struct narrow_exponential e = narrow_exponential_of(b, NULL, series, is_far);
    wide u = fused(e.r, e.slope, wide_of(series.one));
    wide value = numerator * wide_choose(negative, u * e.power, wide_of(1)) / fused(u, e.power, wide_of(1));
    wide rest =
        is_far ? wide_choose(negative, narrow_power(narrow_exponent + e.rest), wide_of(1)) : wide_of(1);
    return is_far ? value * rest : value;
}

/* 1 / (1 + e^-y): of a |y| that is a little smaller, for what y / 4 leaves out of ties around 0. */
static inline __attribute__((always_inline)) wide narrow_sigmoid(wide y, bool is_far)
{
    flags negative = wide_greater(wide_of(0), y);
    wide rest = wide_choose(negative, wide_of(0x1p-23F), wide_of(0x1.ap-23F));
    return narrow_product(wide_of(1), wide_absolute(y) - rest, negative, narrow_sigmoid_series, is_far);
}

/* x / (1 + e^-v), v = 2 sqrt(2/pi) (x + 0.044715 x^3) */
static inline __attribute__((always_inline)) wide narrow_gelu(wide x, bool is_far)
{
    const wide linear = wide_of(0x1.988458p0F), cubic = wide_of(0x1.2444f2p-4F), shift = wide_of(-0x1.cp-26F);
    wide size = wide_absolute(x), v = fused(size, fused(size * size, cubic, linear), shift);
    return narrow_product(x, v, wide_greater(wide_of(0), x), narrow_gelu_series, is_far);
}

/* n / (2 - n) with n = 1 - e^-2|x| */
static inline __attribute__((always_inline)) wide narrow_tanh(wide x, bool is_far)
{
    wide size = is_far ? wide_least(wide_of(40), wide_absolute(x)) : wide_absolute(x);
    struct narrow_exponential e = narrow_exponential_of(size + size, NULL, narrow_series, is_far);
    wide n = fused_from(e.power, e.r * e.slope, 1 - e.power);
    return wide_with_sign_of(n * (1 / (2 - n)), x);
}

/*
 * Such a function of x for any number of 16 bits: the quick way has what is far in doubt. Otherwise a
 * register in which nothing is takes the same steps.
 */
static inline __attribute__((always_inline)) wide narrow_function(wide (*function)(wide x, bool is_far),
                                                                  uint32_t end, wide x, struct doubts *doubts)
{
    const wide_bits size = (wide_bits)wide_absolute(x);
    if (doubts->path == PATH_QUICK)
        doubt_above(doubts, 0, size, end);
    else if (wide_any((wide_bits)(wide_greater_bits(size, wide_bits_of(end)) != end)))
        return function(x, true);
    return function(x, false);
}

#endif
