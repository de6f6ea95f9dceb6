/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The powers that norms add up, and the roots of their sums.
 */
#ifndef BELAY_SIMD_MATHS_NORM_POWER_H
#define BELAY_SIMD_MATHS_NORM_POWER_H

#include <math.h>

#include "simd/maths/logarithm.h"

/* e^t for a product t = ln x * p, or a quotient, that may be beyond the doubles. */
static inline doubles limited_power(struct pair t)
{
    const double end = 800;
    longs is_inside = absolute(t.high) < end;
    struct pair limited = {choose(is_inside, t.high, at_least(at_most(t.high, end), -end)),
                           choose(is_inside, t.low, broadcast(0))};
    struct power_of_e e = power_of_e(limited);
    return power_value(e.m, e.power);
}

/* ln x for positive finite x. */
static inline struct pair whole_logarithm(doubles x)
{
    struct logarithm l = logarithm_of(x);
    struct pair sum = two_sum(l.k * maths_ln2_part[0], l.m.high);
    return renormalize(sum.high, sum.low + (l.m.low + l.k * maths_ln2_part[1]));
}

/* x^p for x that is not negative and a p that is neither 0 nor infinite. */
static inline doubles norm_power(doubles x, double p)
{
    const double infinity = (double)INFINITY;
    struct pair l = whole_logarithm(x), t = exact_product(l.high, broadcast(p));
    t.low += l.low * p;
    doubles value = limited_power(t);
    value = choose(x == 0, broadcast(p > 0 ? 0 : infinity), value);
    value = choose(x == infinity, broadcast(p > 0 ? infinity : 0), value);
    return choose(x >= 0, value, broadcast((double)NAN));
}

/* sum^(1/p) of a positive finite sum. */
static inline double norm_root_of(double sum, double p)
{
    const struct pair by = {broadcast(p), broadcast(0)};
    return limited_power(quotient_of_pairs(whole_logarithm(broadcast(sum)), by))[0];
}

#endif
