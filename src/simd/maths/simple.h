/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Roots, whole numbers, signs and what is told of a number: all exact or rounded once, in doubles.
 */
#ifndef BELAY_SIMD_MATHS_SIMPLE_H
#define BELAY_SIMD_MATHS_SIMPLE_H

#include "simd/maths/series.h"

/* 1 where the mask is set, 0 elsewhere. */
static inline doubles truth(longs mask)
{
    return (doubles)(mask & (longs)broadcast(1));
}

static inline doubles maths_abs(doubles x)
{
    return absolute(x);
}

static inline doubles maths_neg(doubles x)
{
    return -x;
}

static inline doubles maths_square(doubles x)
{
    return x * x;
}

/* 1 / x, rounded once. */
static inline doubles maths_reciprocal(doubles x)
{
    return 1 / x;
}

static inline doubles maths_sqrt(doubles x)
{
    return square_root(x);
}

/* y = 1 / s corrected by what s lacks of the root and y of the inverse; both are exact once x is far from
 * the ends of the range. */
static inline doubles maths_rsqrt(doubles x)
{
    longs is_small = x < 0x1p-500;
    doubles far = choose(is_small, x * 0x1p300, x);
    longs is_large = far > 0x1p700;
    far = choose(is_large, far * 0x1p-400, far);
    doubles root = square_root(far), value = 1 / root, square = root * root, one = value * root;
    doubles root_lost = product_rest(root, root, square) + (square - far); /* s^2 - x */
    doubles rest = (1 - one) - product_rest(value, root, one);
    doubles better = value + value * (rest + 0.5 * root_lost * value * value);
    value = choose((x > 0) & (x < (double)INFINITY), better, value);
    return value * choose(is_small, broadcast(0x1p150), choose(is_large, broadcast(0x1p-200), broadcast(1)));
}

/* To nearest, ties to even: beyond 2^52 all are whole. */
static inline doubles whole_size(doubles x)
{
    doubles size = absolute(x);
    return choose(size < 0x1p52, (size + 0x1p52) - 0x1p52, size);
}

/* The nearest whole number, ties to even, with the sign of x: -0.4 gives -0. */
static inline doubles maths_round(doubles x)
{
    return with_sign_of(whole_size(x), x);
}

/* The nearest whole number, less 1 where that is above x; -0 stays -0. */
static inline doubles maths_floor(doubles x)
{
    doubles whole = maths_round(x);
    return with_sign_of(absolute(whole - truth(whole > x)), x);
}

/* The nearest whole number, and 1 more where that is below x; from -1 to 0 it is -0. */
static inline doubles maths_ceil(doubles x)
{
    doubles whole = maths_round(x);
    return with_sign_of(absolute(whole + truth(whole < x)), x);
}

/* The whole number between 0 and x, with the sign of x. */
static inline doubles maths_trunc(doubles x)
{
    doubles whole = whole_size(x);
    return with_sign_of(whole - truth(whole > absolute(x)), x);
}

/* 0 for NaN and for zeros of both signs. */
static inline doubles maths_sign(doubles x)
{
    return truth(x > 0) - truth(x < 0);
}

/* 1 for finite numbers, 0 for infinities and NaN. */
static inline doubles maths_isfinite(doubles x)
{
    return truth(absolute(x) < (double)INFINITY);
}

/* 1 for infinities of either sign; the two functions below are for one sign each. */
static inline doubles maths_is_inf(doubles x)
{
    return truth(absolute(x) == (double)INFINITY);
}

static inline doubles maths_isposinf(doubles x)
{
    return truth(x == (double)INFINITY);
}

static inline doubles maths_isneginf(doubles x)
{
    return truth(x == -(double)INFINITY);
}

/* x less the whole number between 0 and x, which is exact. */
static inline doubles maths_frac(doubles x)
{
    doubles rest = x - maths_trunc(x);
    return rest + 0; /* +0 for whole numbers; infinities give NaN */
}

#endif
