/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * asin x, acos x and atan x, by series around 0 to which quotients and square roots take all arguments.
 */
#ifndef BELAY_SIMD_MATHS_ARC_H
#define BELAY_SIMD_MATHS_ARC_H

#include <math.h>

#include "simd/maths/series.h"

static const double maths_pi[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* The angle of a real number: pi below 0. */
static inline doubles maths_angle_v2(doubles x)
{
    return choose(x < 0, broadcast(maths_pi[0]), choose(x == x, broadcast(0), x));
}

/*
 * atan |x| = base + atan u: u = |x| below tan(pi/8), (|x| - 1) / (|x| + 1) to tan(3 pi/8) with a base of
 * pi/4, and -1 / |x| with pi/2 beyond. atan u = u + u^3 A(u^2), where |u| < 0.4143.
 */
static inline doubles maths_atan(doubles x)
{
    /* scripts/maths_polynomials.sollya: arc_tangent, 2^-62.9. */
    static const double coefficient[] = {-0x1.5555555555555p-2, 0x1.99999999997c5p-3,  -0x1.249249247a67cp-3,
                                         0x1.c71c71b4f7298p-4,  -0x1.745d1362c988fp-4, 0x1.3b132c36c8531p-4,
                                         -0x1.11054bd26db65p-4, 0x1.e074d3077b995p-5,  -0x1.9fc89e14101c8p-5,
                                         0x1.12ed2bd68f3a4p-5,  0x1.d0048ad7873abp-6,  -0x1.96ebc96c7f55bp-3,
                                         0x1.b88c7216c6a4dp-2,  -0x1.87916a8780818p-2};
    const doubles zero = broadcast(0), one = broadcast(1);
    doubles size = at_most(absolute(x), 0x1p60);
    longs is_middle = size > 0x1.a82799p-2, is_far = size > 0x1.3504f3p+1;
    struct pair below = two_sum(size, one), above = two_sum(size, -one);
    above.high = choose(is_far, -one, choose(is_middle, above.high, size));
    above.low = choose(is_middle & ~is_far, above.low, zero);
    below.high = choose(is_far, size, choose(is_middle, below.high, one));
    below.low = choose(is_middle & ~is_far, below.low, zero);
    struct pair u = quotient_of_pairs(above, below);
    doubles base =
        choose(is_far, broadcast(maths_pi[0] / 2), choose(is_middle, broadcast(maths_pi[0] / 4), zero));
    doubles rest =
        choose(is_far, broadcast(maths_pi[1] / 2), choose(is_middle, broadcast(maths_pi[1] / 4), zero));
    doubles square = u.high * u.high, tail = u.high * square * POLYNOMIAL(square, coefficient);
    struct pair sum = two_sum(base, u.high);
    doubles value = sum.high + (sum.low + (tail + (u.low * (1 - square) + rest)));
    return with_sign_of(absolute(value), x);
}

/* atan(|y| / |x|), or pi less that where x is negative, with the sign of y. */
static inline doubles maths_atan2(doubles y, doubles x)
{
    const double infinity = (double)INFINITY;
    doubles above = absolute(y), across = absolute(x);
    longs is_left = (longs)(sign_bit(x) != 0);
    doubles ratio = above / across;
    ratio = choose((above == infinity) & (across == infinity), broadcast(1), ratio);
    ratio = choose((above == 0) & (across == 0), broadcast(0), ratio);
    doubles angle = maths_atan(ratio);
    doubles left = (maths_pi[0] - angle) + maths_pi[1];
    doubles value = with_sign_of(choose(is_left, left, angle), y);
    return choose((y != y) | (x != x), broadcast((double)NAN), value);
}

/* asin s of a pair from 0 to 1/2: s + s^3 B(s^2). */
static inline struct pair arc_sine_of_small(struct pair s)
{
    /* scripts/maths_polynomials.sollya: arc_sine, 2^-62.6. */
    static const double coefficient[] = {0x1.5555555555555p-3,  0x1.33333333334b7p-4, 0x1.6db6db6d96755p-5,
                                         0x1.f1c71c85d5e59p-6,  0x1.6e8b9f6b519e4p-6, 0x1.1c4f25e7d100cp-6,
                                         0x1.c98ba0f745c46p-7,  0x1.7b38d75aea111p-7, 0x1.39b3af816c40dp-7,
                                         0x1.399c678d5476p-7,   0x1.1af3bc8ddbb63p-9, 0x1.61a54295339e6p-6,
                                         -0x1.67de4244d39ecp-6, 0x1.ffbe4a99c14acp-6};
    doubles square = s.high * s.high, tail = s.high * square * POLYNOMIAL(square, coefficient);
    return renormalize(s.high, tail + s.low * (1 + 0.5 * square));
}

/* asin |x| where |x| <= 1/2; elsewhere asin of sqrt((1 - |x|) / 2), which is half of acos |x|. */
static inline struct pair arc_sine_part(doubles x, longs is_large)
{
    doubles size = absolute(x), half = (1 - size) * 0.5, root = square_root(half); /* 1 - size is exact */
    doubles lost = product_rest(root, root, root * root) + (root * root - half);
    doubles low = choose(root == 0, broadcast(0), -lost / (2 * root));
    return arc_sine_of_small(
        (struct pair){choose(is_large, root, size), choose(is_large, low, broadcast(0))});
}

/* pi/2 - 2 asin(...) for large ones. */
static inline doubles maths_asin(doubles x)
{
    longs is_large = absolute(x) > 0.5;
    struct pair part = arc_sine_part(x, is_large);
    struct pair sum = two_sum(broadcast(maths_pi[0] / 2), -2 * part.high);
    doubles large = sum.high + (sum.low + (maths_pi[1] / 2 - 2 * part.low));
    doubles value = with_sign_of(choose(is_large, large, part.high + part.low), x);
    return choose(absolute(x) <= 1, value, broadcast((double)NAN));
}

/* pi/2 - asin x near 0, 2 asin(...) near 1 and pi less that near -1. */
static inline doubles maths_acos(doubles x)
{
    longs is_large = absolute(x) > 0.5, is_negative = x < 0;
    struct pair part = arc_sine_part(x, is_large);
    doubles high = choose(is_large, 2 * part.high, negate_where(~is_negative, part.high));
    doubles low = choose(is_large, 2 * part.low, negate_where(~is_negative, part.low));
    high = negate_where(is_large & is_negative, high);
    low = negate_where(is_large & is_negative, low);
    doubles scale = choose(is_large, choose(is_negative, broadcast(1), broadcast(0)), broadcast(0.5));
    struct pair sum = two_sum(scale * maths_pi[0], high);
    doubles value = sum.high + (sum.low + (low + scale * maths_pi[1]));
    return choose(absolute(x) <= 1, value, broadcast((double)NAN));
}

#endif
