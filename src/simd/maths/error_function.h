/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * erf x and erfc x. Below 1/2 erf x = x + x (2 / sqrt(pi) - 1 + x^2 Q(x^2)); beyond, erfc x = e^(-x^2) W(t) /
 * (1 + 2 x) with t = (x - 4) / (x + 4), where W is between 1 and 1.4.
 */
#ifndef BELAY_SIMD_MATHS_ERROR_FUNCTION_H
#define BELAY_SIMD_MATHS_ERROR_FUNCTION_H

#include "simd/maths/exponential.h"

/* erf x for |x| < 1/2 as x + x (2 / sqrt(pi) - 1 + x^2 Q(x^2)): what is rounded is an eighth of the whole. */
static inline struct pair erf_of_small(doubles x)
{
    /* scripts/maths_polynomials.sollya: erf, 2^-56. */
    static const double coefficient[] = {
        -0x1.812746b0379e7p-2,  0x1.ce2f21a042c8ep-4,   -0x1.b82ce3129137bp-6,
        0x1.565bcd1147c0ap-8,   -0x1.c02db4ea2e44ap-11, 0x1.f9a344bc4059bp-14,
        -0x1.f4d0988e5ccf2p-17, 0x1.b8f10990626aap-20,  -0x1.450345ebbc086p-23};
    doubles square = x * x;
    return renormalize(x, x * (0x1.06eba8214db69p-3 + square * POLYNOMIAL(square, coefficient)));
}

/* For x from 1/2 to 28, times 2^power of the result's: erfc x = value 2^power. */
static inline struct pair erfc_of_large(doubles x, doubles *power)
{
    /* scripts/maths_polynomials.sollya: erfc, 2^-61.2; the first is what the constant lacks. */
    static const double constant = 0x1.3ba5916e9fd7fp0;
    static const double coefficient[] = {
        -0x1.a9e5feeffd08ap-55, -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd7a9p-7,   0x1.16ecefcfa535cp-4,
        -0x1.9ddb23c3e9038p-4,  0x1.7fee004e12d35p-4,   -0x1.0fb06dfe4a47ep-4,  0x1.3079edf671156p-5,
        -0x1.09623884df85ap-6,  0x1.49c6728bd714dp-8,   -0x1.8d4a9a1260a2fp-11, -0x1.a1df2a008de6fp-13,
        0x1.3be03f8f9b25cp-13,  -0x1.9958abdb4a566p-16, -0x1.7884d24bda36ap-17, 0x1.7f2245a1a3324p-18,
        0x1.397ed60af7c54p-22,  -0x1.baba3b4819e5fp-21, 0x1.4aa543dad857bp-24,  0x1.d66154e424074p-24,
        -0x1.50f13dd04f9a8p-26, -0x1.e1444e8e830dep-27, 0x1.45835fb66979cp-29,  0x1.6a1aee6a8f59ap-30};
    /* W', to some 2^-7 */
    static const double slope[] = {-0x1.141592p-3, 0x1.5a9b5ap-4, 0x1.9e8d5p-4, -0x1.81feep-1, 0x1.9ef5p-1};
    struct pair square = exact_product(x, x);
    struct power_of_e e = power_of_e(pair_negate(square));
    *power = e.power;
    struct pair t = quotient_of_pairs(two_sum(x, broadcast(-4)), two_sum(x, broadcast(4)));
    doubles rest = POLYNOMIAL(t.high, coefficient) + t.low * POLYNOMIAL(t.high, slope);
    struct pair w = renormalize(broadcast(constant), rest);
    struct pair scaled = quotient_of_pairs(w, two_sum(2 * x, broadcast(1)));
    struct pair one = renormalize(broadcast(1), e.m.high);
    one.low += e.m.low;
    struct pair product = exact_product(one.high, scaled.high);
    product.low += one.high * scaled.low + one.low * scaled.high;
    return product;
}

/* NaN stays NaN. */
static inline doubles erf_argument(doubles x)
{
    return at_least(at_most(absolute(x), 28), 0.5);
}

/* erf x: beyond 1/2 it is 1 - erfc |x| with the sign of x, where the pair of erfc makes up for what cancels.
 * */
static inline doubles maths_erf(doubles x)
{
    doubles power;
    struct pair small = erf_of_small(x), rest = erfc_of_large(erf_argument(x), &power);
    power = whole_power(at_least(power, -1000)); /* below that it does not matter */
    struct pair large = two_sum(broadcast(1), -rest.high * power);
    doubles value = large.high + (large.low - rest.low * power);
    value = choose(absolute(x) < 0.5, keep_zero(x, small.high + small.low), with_sign_of(value, x));
    return choose(x == x, value, x);
}

/* erfc x: 1 - erf x around 0, 2 - erfc |x| below, and its own value above, down to subnormal numbers. */
static inline doubles maths_erfc(doubles x)
{
    doubles power;
    struct pair small = erf_of_small(x), rest = erfc_of_large(erf_argument(x), &power);
    doubles far = scaled_by(rest.high + rest.low, power);
    power = whole_power(at_least(power, -1000));
    struct pair two = two_sum(broadcast(2), -rest.high * power), one = two_sum(broadcast(1), -small.high);
    doubles value = choose(x < 0, two.high + (two.low - rest.low * power), far);
    value = choose(absolute(x) < 0.5, one.high + (one.low - small.low), value);
    return choose(x == x, value, x);
}

#endif
