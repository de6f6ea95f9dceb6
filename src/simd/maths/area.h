/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * asinh x, acosh x and atanh x by ln (1 + t), with t in pairs: |x| + x^2 / (1 + sqrt(1 + x^2)), x - 1 +
 * sqrt((x - 1)^2 + 2 (x - 1)), and 2 |x| / (1 - |x|). Beyond 2^30 the first two are ln 2x.
 */
#ifndef BELAY_SIMD_MATHS_AREA_H
#define BELAY_SIMD_MATHS_AREA_H

#include "simd/maths/logarithm.h"

/* The square root of a pair; of 0 it is 0. */
static inline struct pair root_of_pair(struct pair x)
{
    doubles root = square_root(x.high);
    struct pair square = exact_product(root, root);
    doubles rest = ((x.high - square.high) - square.low + x.low) / (2 * root);
    return renormalize(root, choose(root > 0, rest, broadcast(0)));
}

/* ln 2x = ln x + ln 2, by one more for k, so that 2x need not be a double. */
static inline doubles logarithm_of_twice(doubles x)
{
    struct logarithm l = logarithm_of(x);
    l.k = l.k + 1;
    return logarithm_value(l, NULL, maths_ln2_part);
}

/* asinh x = ln (|x| + sqrt(x^2 + 1)) with the sign of x. The sum under the logarithm is 1 + t with t = |x| +
 * x^2 / (1 + sqrt(1 + x^2)), which cancels nowhere. Below 2^-28 the next term, x^3 / 6, is less than half a
 * unit. */
static inline doubles maths_asinh(doubles x)
{
    doubles size = absolute(x), limited = at_most(size, 0x1p30);
    struct pair square = exact_product(limited, limited), sum = two_sum(broadcast(1), square.high);
    sum = renormalize(sum.high, sum.low + square.low);
    struct pair root = root_of_pair(sum), below = two_sum(broadcast(1), root.high);
    below.low += root.low;
    struct pair quotient = quotient_of_pairs(square, below), t = two_sum(limited, quotient.high);
    t = renormalize(t.high, t.low + quotient.low);
    doubles value = choose(size > 0x1p30, logarithm_of_twice(size), logarithm_of_1_and(t));
    value = choose(size < 0x1p-28, size, value); /* less by a sixth of its cube */
    value = choose(size < (double)INFINITY, value, size);
    return with_sign_of(value, x);
}

/* acosh x = ln (x + sqrt(x^2 - 1)) = ln (1 + t) with u = x - 1 and t = u + sqrt(u^2 + 2 u), whose terms are
 * all positive. Below 1 it is NaN. */
static inline doubles maths_acosh(doubles x)
{
    struct pair u = two_sum(at_most(x, 0x1p30), broadcast(-1)), square = exact_product(u.high, u.high);
    square.low += 2 * u.high * u.low;
    struct pair sum = two_sum(square.high, 2 * u.high);
    sum = renormalize(sum.high, sum.low + (square.low + 2 * u.low));
    struct pair root = root_of_pair(sum), t = two_sum(u.high, root.high);
    t = renormalize(t.high, t.low + (u.low + root.low));
    doubles value = choose(x > 0x1p30, logarithm_of_twice(x), logarithm_of_1_and(t));
    value = choose(x == (double)INFINITY, x, value);
    return choose(x >= 1, value, broadcast((double)NAN));
}

/* atanh x = ln ((1 + x) / (1 - x)) / 2 = ln (1 + 2 x / (1 - x)) / 2 for |x| with the sign of x; infinite at
 * 1, NaN beyond. */
static inline doubles maths_atanh(doubles x)
{
    const doubles infinity = broadcast((double)INFINITY);
    doubles size = absolute(x);
    struct pair above = {2 * size, broadcast(0)};
    doubles value = 0.5 * logarithm_of_1_and(quotient_of_pairs(above, two_sum(broadcast(1), -size)));
    value = choose(size < 0x1p-28, size, choose(size == 1, infinity, value));
    return with_sign_of(choose(size <= 1, value, broadcast((double)NAN)), x);
}

#endif
