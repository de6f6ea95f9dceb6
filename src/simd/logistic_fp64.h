/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 / (1 + e^-z) of doubles and of complex numbers in plain arithmetic: no fused operations, so that every
 * level computes the same.
 */
#ifndef BELAY_SIMD_LOGISTIC_FP64_H
#define BELAY_SIMD_LOGISTIC_FP64_H

#include <math.h>

#include "simd/complex.h"
#include "simd/exponential.h"
#include "simd/trigonometry.h"

/* e^-size = (1 + rest) 2^exponent, with |rest| < 0.42. */
struct scaled_exponential {
    doubles rest;
    longs exponent;
};

/* For sizes up to 800, where e^-size is far below the least double. 1 / n! from n = 14 down to 2: what is
 * left out is below 2^-62 for |r| <= ln 2 / 2. */
static inline struct scaled_exponential scaled_exponential(doubles size)
{
    static const double coefficient[] = {0x1.93974a8c07c9dp-37,
                                         0x1.6124613a86d09p-33,
                                         0x1.1eed8eff8d898p-29,
                                         0x1.ae64567f544e4p-26,
                                         0x1.27e4fb7789f5cp-22,
                                         0x1.71de3a556c734p-19,
                                         0x1.a01a01a01a01ap-16,
                                         0x1.a01a01a01a01ap-13,
                                         0x1.6c16c16c16c17p-10,
                                         0x1.1111111111111p-7,
                                         0x1.5555555555555p-5,
                                         0x1.5555555555555p-3,
                                         0x1p-1};
    /* The last place of this sum is 1, so that its low bits are the nearest integer. */
    const doubles integers = broadcast(0x1.8p52), sum = size * -0x1.71547652b82fep0 + integers;
    const doubles k = sum - integers;
    const doubles r = (-size - k * ln2_part[0]) - k * ln2_part[1];
    const int count = (int)(sizeof coefficient / sizeof *coefficient);
    return (struct scaled_exponential){r + r * r * polynomial(r, coefficient, count),
                                       (longs)sum - (longs)integers};
}

/* Sizes beyond which results no longer change; NaN stays. */
static inline doubles limited(doubles size)
{
    return choose(size > 800, broadcast(800), size);
}

/* Within 2 units in the last place: what the sums 1 + rest and 1 + e^-size lose is made up for, so that only
 * the errors of the rest, the quotient and the last sum are left, of about a half each. */
static inline doubles logistic_fp64(doubles y)
{
    struct scaled_exponential part = scaled_exponential(limited(absolute(y)));
    doubles high = 1 + part.rest, low = part.rest - (high - 1);
    doubles e = scale(high, part.exponent), sum = 1 + e;
    doubles lost = ((1 - sum) + e) + scale(low, part.exponent);
    longs is_negative = y < 0;
    doubles quotient = choose(is_negative, high, broadcast(1)) / sum;
    quotient += (choose(is_negative, low, broadcast(0)) - quotient * lost) / sum;
    return scale(quotient, is_negative & part.exponent);
}

/* Below this a double is its own sine. */
static const double tiny_angle = 0x1p-28;

/*
 * 1 / (1 + e^-(a + b i)): with e = e^-|a|, n = e - 1, and the sine s and the cosine c of b / 2, the
 * imaginary part is 2 e s c / d with d = n^2 + 4 e c^2, and the real part e (n + 2 c^2) / d for a <= 0 and
 * (2 e c^2 - n) / d for a > 0. Only n + 2 c^2, which is e + cos b, cancels, and |n| + 2 c^2 is at most three
 * times sqrt(d): each part is within 2^-50 of the number's absolute value.
 */
static inline void complex_logistic(const doubles *number, doubles *result)
{
    const doubles a = number[REAL], b = number[IMAGINARY], turn = absolute(b);
    const double infinity = (double)INFINITY;
    struct scaled_exponential part = scaled_exponential(limited(absolute(a)));
    doubles significand = 1 + part.rest, e = scale(significand, part.exponent);
    doubles power = scale(broadcast(1), part.exponent), n = part.rest * power + (power - 1);

    longs is_turn_finite = turn < infinity;
    struct angle half = angle_of(choose(is_turn_finite, turn * 0.5, broadcast(0)));
    doubles sine = sine_of(half.rest), cosine = cosine_of(half.rest);
    longs is_odd = (half.whole & 1) != 0; /* odd right angles turn sine and cosine around */
    doubles product = choose(turn < tiny_angle, turn, 2 * (sine * cosine));
    product = negate_where(is_odd ^ (longs)(sign_bit(b) != 0), product);
    doubles c = choose(is_odd, sine, cosine), square = 2 * (c * c), d = n * n + 2 * (e * square);

    doubles above = e * square - n, below = significand * (n + square);
    result[REAL] = scale(choose(a > 0, above, below) / d, (a <= 0) & part.exponent);
    result[IMAGINARY] = choose(b == 0, b, scale(significand * product / d, part.exponent));
    /* Far out on the real axis the angle does not matter; elsewhere it does. */
    longs is_limit = (absolute(a) == infinity) & ~is_turn_finite;
    longs is_nan = (~is_turn_finite | (a != a)) & ~is_limit;
    doubles limit = choose(a > 0, broadcast(1), broadcast(0)), nan = broadcast((double)NAN);
    result[REAL] = choose(is_nan, nan, choose(is_limit, limit, result[REAL]));
    result[IMAGINARY] = choose(is_nan & (b != 0), nan, choose(is_limit, broadcast(0), result[IMAGINARY]));
}

#endif
