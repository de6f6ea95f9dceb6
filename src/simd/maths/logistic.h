/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logistic function p(y) = 1 / (1 + e^-y) and the derivative of y p(y), to some 2^-49 in doubles and some
 * 2^-97 in pairs.
 */
#ifndef BELAY_SIMD_MATHS_LOGISTIC_H
#define BELAY_SIMD_MATHS_LOGISTIC_H

#include <math.h>

#include "simd/maths/exponential_pair.h"

/*
 * |y|, but neither so large nor so small that the results of narrower dtypes would not be the same: beyond
 * 300 they are those at 300, as e^-300 times the largest fp32 is far below half of the smallest one. Near 0
 * both functions are 1/2 + c y, so that a smaller y only decides to which side half of an odd subnormal goes.
 * NaN stays NaN.
 */
static inline doubles logistic_argument(doubles y)
{
    doubles size = absolute(keep_off_zero(y, 0x1p-40));
    return choose(size > 300, broadcast(300), size);
}

/* p(y); exactly 0 for -inf. */
static inline doubles logistic(doubles y)
{
    doubles z = -logistic_argument(y);
    struct binary_power power = nearest_power(z);
    doubles r = (z - power.exponent * ln2_part[0]) - power.exponent * ln2_part[1];
    doubles e = power.value * (1 + exp_minus_1(r));
    doubles p = choose(y < 0, e, broadcast(1)) / (1 + e);
    return choose(y == -(double)INFINITY, broadcast(0), p);
}

static inline struct pair pair_logistic(doubles y)
{
    const struct pair one = pair_of(1, 0), z = {-logistic_argument(y), broadcast(0)};
    struct binary_power power = nearest_power(z.high);
    struct pair m = pair_exp_minus_1(pair_remainder(z, power));
    struct pair e = pair_scale(pair_add(one, m), power.value);
    struct pair numerator = {choose(y < 0, e.high, one.high), choose(y < 0, e.low, one.low)};
    return pair_divide(numerator, pair_add(one, e));
}

/*
 * With phi(b) = s'(-b) the derivative s'(y) is phi(-y) for y < 0 and 1 - phi(y) for y >= 0, and phi(b) = E n
 * / (1 + E)^2 with E = e^-b and n = 1 - b + E, which vanishes at the root: -b = y0. From y0 all is measured,
 * so that nothing cancels: with z = -b - y0 = k ln 2 + r and m = e^r - 1, E = -(1 + y0) 2^k (1 + m) because
 * e^y0 = -(1 + y0), n = z - (1 + y0) (2^k m + (2^k - 1)), where the last term is exactly 0 for k = 0, around
 * the root.
 */
static const double silu_root[] = {-0x1.474973c84120bp+0, -0x1.f8d74bc9ac154p-54, -0x1.44a50180ba780p-108};
static const double silu_exp_root[] = {0x1.1d25cf210482ep-2, -0x1.ca2d0d94faaecp-60};

/* s'(y) for s(y) = y p(y); NaN for infinities. */
static inline doubles silu_derivative(doubles y)
{
    /* The sum's low part counts: e^z must be right to the last bits where z is large. */
    struct pair z = two_sum(-logistic_argument(y), broadcast(-silu_root[0]));
    doubles low = z.low - silu_root[1], whole = z.high + low;
    struct binary_power power = nearest_power(whole);
    doubles r = (z.high - power.exponent * ln2_part[0]) + (low - power.exponent * ln2_part[1]);
    doubles m = exp_minus_1(r);
    doubles e = silu_exp_root[0] * (power.value * (1 + m));
    doubles n = whole + silu_exp_root[0] * (power.value * m + (power.value - 1));
    doubles phi = e * n / ((1 + e) * (1 + e));
    doubles derivative = choose(y < 0, phi, 1 - phi);
    derivative = choose(y == 0, broadcast(0.5), derivative);
    /* inf - inf and NaN - NaN are NaN. */
    return derivative + (y - y);
}

/* The derivative of silu in pairs, for finite y. */
static inline struct pair pair_silu_derivative(doubles y)
{
    const struct pair one = pair_of(1, 0), e_root = pair_of(silu_exp_root[0], silu_exp_root[1]);
    struct pair z = two_sum(-logistic_argument(y), broadcast(-silu_root[0]));
    z = pair_add(z, pair_of(-silu_root[1], -silu_root[2]));
    struct binary_power power = nearest_power(z.high);
    struct pair m = pair_exp_minus_1(pair_remainder(z, power));
    struct pair scaled = pair_scale(m, power.value);
    struct pair e = pair_multiply(e_root, pair_add(scaled, (struct pair){power.value, broadcast(0)}));
    struct pair n = pair_add(z, pair_multiply(e_root, pair_add(scaled, two_sum(power.value, broadcast(-1)))));
    struct pair sum = pair_add(one, e);
    struct pair phi = pair_divide(pair_multiply(e, n), pair_multiply(sum, sum));
    struct pair other = pair_add(one, pair_negate(phi));
    struct pair derivative = {choose(y < 0, phi.high, other.high), choose(y < 0, phi.low, other.low)};
    derivative.high = choose(y == 0, broadcast(0.5), derivative.high);
    derivative.low = choose(y == 0, broadcast(0), derivative.low);
    return derivative;
}

#endif
