/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The factor p(v) = 1 / (1 + e^-v) of gelu and the derivative of x p(v), where v = 2 sqrt(2/pi) (x + 0.044715
 * x^3): (1 + tanh(v/2)) / 2 is p(v). To some 2^-48 in doubles, around the derivative's root too, and some
 * 2^-95 in pairs.
 */
#ifndef BELAY_SIMD_MATHS_GELU_H
#define BELAY_SIMD_MATHS_GELU_H

#include <math.h>

#include "simd/maths/exponential_pair.h"

/* 2 sqrt(2/pi), that times 0.044715, and three times that. */
static const double gelu_linear[] = {0x1.9884533d43651p+0, -0x1.cbc0d30ebfd15p-54};
static const double gelu_cubic[] = {0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c70p-61};
static const double gelu_square[] = {0x1.b6676bf7450f0p-3, 0x1.bba7351828aabp-57};

/*
 * |x|, but neither so large nor so small that the results of narrower dtypes would not be the same: e^-v(14)
 * is below 2^-314, and near 0 both functions are 1/2 + c x, so that a smaller x only decides to which side
 * half of an odd subnormal goes. NaN stays NaN.
 */
static inline doubles gelu_size(doubles x)
{
    doubles size = absolute(keep_off_zero(x, 0x1p-40));
    return choose(size > 14, broadcast(14), size);
}

/* size (linear + factor size^2); the square of a number of 24 bits is a double. */
static inline struct pair gelu_polynomial(doubles size, const double *factor)
{
    struct pair square = {size * size, broadcast(0)};
    struct pair sum = pair_multiply(pair_of(factor[0], factor[1]), square);
    sum = pair_add(pair_of(gelu_linear[0], gelu_linear[1]), sum);
    return pair_multiply((struct pair){size, broadcast(0)}, sum);
}

/* e^-v = power (1 + m). */
struct gelu_exponential {
    doubles power, m;
};

/* e^-v for the pair v: its low part goes into r. */
static inline struct gelu_exponential gelu_exponential(struct pair v)
{
    struct binary_power power = nearest_power(-v.high);
    doubles r = (-v.high - power.exponent * ln2_part[0]) - (power.exponent * ln2_part[1] + v.low);
    return (struct gelu_exponential){power.value, exp_minus_1(r)};
}

/* p(v(x)); exactly 0 for -inf. */
static inline doubles gelu_factor(doubles x)
{
    struct gelu_exponential part = gelu_exponential(gelu_polynomial(gelu_size(x), gelu_cubic));
    doubles e = part.power * (1 + part.m);
    doubles p = choose(x < 0, e, broadcast(1)) / (1 + e);
    return choose(x == -(double)INFINITY, broadcast(0), p);
}

/* e^-v in a pair. */
static inline struct pair pair_gelu_exponential(struct pair v)
{
    struct pair z = pair_negate(v);
    struct binary_power power = nearest_power(z.high);
    struct pair m = pair_exp_minus_1(pair_remainder(z, power));
    return pair_scale(pair_add(pair_of(1, 0), m), power.value);
}

/* yes where the mask is set, no elsewhere. */
static inline struct pair pair_choose(longs mask, struct pair yes, struct pair no)
{
    return (struct pair){choose(mask, yes.high, no.high), choose(mask, yes.low, no.low)};
}

/* p(v) = 1 / (1 + e^-v), as e^-|v| / (1 + e^-|v|) below 0, so that no exponential is large. */
static inline struct pair pair_gelu_factor(doubles x)
{
    const struct pair one = pair_of(1, 0);
    struct pair e = pair_gelu_exponential(gelu_polynomial(gelu_size(x), gelu_cubic));
    return pair_divide(pair_choose(x < 0, e, one), pair_add(one, e));
}

/*
 * With e = e^-|v| and s = |x| v'(x) the derivative is e (1 + e - s) / (1 + e)^2 for x < 0 and (1 + e + e s) /
 * (1 + e)^2 for x >= 0.
 */
static inline struct pair pair_gelu_derivative(doubles x)
{
    const struct pair one = pair_of(1, 0);
    doubles size = gelu_size(x);
    struct pair slope = gelu_polynomial(size, gelu_square);
    struct pair e = pair_gelu_exponential(gelu_polynomial(size, gelu_cubic)), sum = pair_add(one, e);
    struct pair below = pair_multiply(e, pair_add(sum, pair_negate(slope)));
    struct pair above = pair_add(sum, pair_multiply(e, slope));
    struct pair result = pair_divide(pair_choose(x < 0, below, above), pair_multiply(sum, sum));
    return pair_choose(x == 0, pair_of(0.5, 0), result);
}

/* Below this 1 + e - s has not enough bits left in doubles. */
static const double gelu_near_root = 0x1p-6;

/* 1 for +inf, 0 for -inf. */
static inline doubles gelu_derivative(doubles x)
{
    doubles size = gelu_size(x);
    struct pair slope = gelu_polynomial(size, gelu_square);
    struct gelu_exponential part = gelu_exponential(gelu_polynomial(size, gelu_cubic));
    doubles e = part.power * (1 + part.m);
    /* Around the root, where the power is 1/4, the first three terms add up exactly. */
    doubles rest = ((1 + part.power) - slope.high) + (part.power * part.m - slope.low);
    doubles numerator = choose(x < 0, e * rest, 1 + (e + e * slope.high));
    doubles derivative = numerator / ((1 + e) * (1 + e));
    longs near_root = (x < 0) & (absolute(rest) < gelu_near_root);
    if (__builtin_expect(any(near_root), 0))
        derivative = choose(near_root, pair_gelu_derivative(x).high, derivative);
    derivative = choose(x == 0, broadcast(0.5), derivative);
    derivative = choose(x == (double)INFINITY, broadcast(1), derivative);
    return choose(x == -(double)INFINITY, broadcast(0), derivative);
}

#endif
