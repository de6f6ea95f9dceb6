/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 / (1 + e^-z) of doubles and of complex numbers in plain arithmetic: no fused operations but where they
 * are exact, so that every level computes the same.
 */
#ifndef BELAY_OPS_POINTWISE_LOGISTIC_FP64_H
#define BELAY_OPS_POINTWISE_LOGISTIC_FP64_H

#include "simd/loops/complex.h"
#include "simd/maths/circle.h"
#include "simd/maths/exponential.h"

/* e^-|x| = 2^power (1 + m), where a size of 800, beyond which results no longer change, stands for more; NaN
 * stays. */
static inline struct power_of_e power_below_1(doubles x)
{
    return power_of_e((struct pair){-at_most(absolute(x), 800), broadcast(0)});
}

/* Within 2 units in the last place: what the sums 1 + m and 1 + e^-size lose is made up for, so that only the
 * errors of m, the quotient and the last sum are left, of about a half each. */
static inline doubles logistic_fp64(doubles y)
{
    const struct power_of_e part = power_below_1(y);
    struct pair significand = renormalize(broadcast(1), part.m.high);
    significand.low += part.m.low;
    doubles e = scaled_by(significand.high, part.power), sum = 1 + e;
    doubles lost = ((1 - sum) + e) + scaled_by(significand.low, part.power);
    longs is_negative = y < 0;
    doubles quotient = choose(is_negative, significand.high, broadcast(1)) / sum;
    quotient += (choose(is_negative, significand.low, broadcast(0)) - quotient * lost) / sum;
    return scaled_by(quotient, choose(is_negative, part.power, broadcast(0)));
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
    const doubles a = number[REAL], b = number[IMAGINARY], turn = absolute(b), none = broadcast(0);
    const double infinity = (double)INFINITY;
    const struct power_of_e part = power_below_1(a);
    doubles significand = 1 + part.m.high, e = scaled_by(significand, part.power);
    doubles power = scaled_by(broadcast(1), part.power), n = part.m.high * power + (power - 1);

    longs is_turn_finite = turn < infinity;
    struct angle half = reduce_angle(choose(is_turn_finite, turn * 0.5, none));
    struct pair s = circle_sine(half.rest), c = circle_cosine(half.rest);
    doubles sine = s.high + s.low, cosine = c.high + c.low;
    longs is_odd = (half.whole & 1) != 0; /* odd right angles turn sine and cosine around */
    doubles product = choose(turn < tiny_angle, turn, 2 * (sine * cosine));
    product = negate_where(is_odd ^ (longs)(sign_bit(b) != 0), product);
    cosine = choose(is_odd, sine, cosine);
    doubles square = 2 * (cosine * cosine), d = n * n + 2 * (e * square);

    doubles above = e * square - n, below = significand * (n + square);
    result[REAL] = scaled_by(choose(a > 0, above, below) / d, choose(a <= 0, part.power, none));
    result[IMAGINARY] = choose(b == 0, b, scaled_by(significand * product / d, part.power));
    /* Far out on the real axis the angle does not matter; elsewhere it does. */
    longs is_limit = (absolute(a) == infinity) & ~is_turn_finite;
    longs is_nan = (~is_turn_finite | (a != a)) & ~is_limit;
    doubles limit = choose(a > 0, broadcast(1), none), nan = broadcast((double)NAN);
    result[REAL] = choose(is_nan, nan, choose(is_limit, limit, result[REAL]));
    result[IMAGINARY] = choose(is_nan & (b != 0), nan, choose(is_limit, none, result[IMAGINARY]));
}

#endif
