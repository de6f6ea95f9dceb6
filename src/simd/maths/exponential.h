/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * e^x, 2^x, e^x - 1, sinh x and cosh x. With a whole k and |r| <= ln 2 / 2, e^x is 2^k e^r, and e^r = 1 + r +
 * r^2 / 2 + r^3 E(r), where only the terms behind r, a sixth of it at most, are rounded to doubles.
 */
#ifndef BELAY_SIMD_MATHS_EXPONENTIAL_H
#define BELAY_SIMD_MATHS_EXPONENTIAL_H

#include "simd/maths/series.h"

/* 2^power (1 + m). */
struct power_of_e {
    struct pair m;
    doubles power;
};

static const double maths_ln2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* ln 2 in three parts, of which two have 42 bits: their products with |k| < 2^11 are exact. */
static const double maths_ln2_part[] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76000p-45, 0x1.cc01f97b57a08p-87};

/* e^r - 1 for |r| <= ln 2 / 2. */
static inline struct pair power_rest(struct pair r)
{
    /* scripts/maths_polynomials.sollya: exponential, 2^-61.2. */
    static const double coefficient[] = {0x1.5555555555556p-3,  0x1.5555555555554p-5,  0x1.1111111110709p-7,
                                         0x1.6c16c16c179fep-10, 0x1.a01a01a90438dp-13, 0x1.a01a019c4e292p-16,
                                         0x1.71de0a3401c0cp-19, 0x1.27e4f8293c7dep-22, 0x1.af3f1d1634e16p-26,
                                         0x1.1f3e5ee4a3368p-29};
    doubles x = r.high, tail = x * x * (0.5 + x * POLYNOMIAL(x, coefficient));
    return renormalize(x, tail + (r.low + r.low * x));
}

/* e^x for |x| <= 800; of NaN m is NaN. */
static inline struct power_of_e power_of_e(struct pair x)
{
    doubles k = nearest_whole(x.high * 0x1.71547652b82fep0);
    /* Exact: the two are nearly as large. */
    struct pair r = two_sum(x.high - k * maths_ln2_part[0], -k * maths_ln2_part[1]);
    r = renormalize(r.high, r.low + (x.low - k * maths_ln2_part[2])); /* x.low may be large beside r */
    return (struct power_of_e){power_rest(r), k};
}

/* 1 + m, times 2^exponent. */
static inline doubles power_value(struct pair m, doubles exponent)
{
    struct pair sum = renormalize(broadcast(1), m.high);
    return scaled_by(sum.high + (sum.low + m.low), exponent);
}

/* e^x within 1 ulp. At 800 it is infinite, at -800 it is 0, and what lies beyond is as these. */
static inline doubles maths_exp(doubles x)
{
    struct pair limited = {at_least(at_most(x, 800), -800), broadcast(0)};
    struct power_of_e e = power_of_e(limited);
    return power_value(e.m, e.power);
}

/* 2^x = 2^k e^(f ln 2) with f = x - k, which is exact, |f| <= 1/2, and ln 2 as a pair. */
static inline doubles maths_exp2(doubles x)
{
    doubles limited = at_least(at_most(x, 1200), -1200), k = nearest_whole(limited), rest = limited - k;
    struct pair r = exact_product(rest, broadcast(maths_ln2[0]));
    r.low += rest * maths_ln2[1];
    return power_value(power_rest(r), k);
}

/* 2^k ((1 - 2^-k) + m); below -60 it is -1. */
static inline doubles maths_expm1(doubles x)
{
    struct pair limited = {at_least(at_most(x, 800), -60), broadcast(0)};
    struct power_of_e e = power_of_e(limited);
    struct pair whole = two_sum(broadcast(1), -whole_power(at_least(-e.power, -1000)));
    struct pair sum = two_sum(whole.high, e.m.high);
    return keep_zero(x, scaled_by(sum.high + (sum.low + (whole.low + e.m.low)), e.power));
}

/* (e^|x| + sign e^-|x|) / 2, for sign = -1 where |x| >= 1. */
static inline doubles half_sum_of_powers(doubles x, double sign)
{
    struct pair limited = {at_most(absolute(x), 800), broadcast(0)};
    struct power_of_e e = power_of_e(limited);
    struct pair one = renormalize(broadcast(1), e.m.high);
    doubles inverse = whole_power(at_least(-2 * e.power, -1000)) / one.high;
    struct pair sum = two_sum(one.high, sign * inverse);
    return scaled_by(sum.high + (sum.low + (one.low + e.m.low)), e.power - 1);
}

/* cosh x = (e^|x| + e^-|x|) / 2: nothing cancels. */
static inline doubles maths_cosh(doubles x)
{
    return half_sum_of_powers(x, 1);
}

/* sinh x: below 1 a series, x + x^3 S(x^2), as e^x - e^-x cancels there; beyond that (e^|x| - e^-|x|) / 2. */
static inline doubles maths_sinh(doubles x)
{
    /* scripts/maths_polynomials.sollya: sinh, 2^-60.4. */
    static const double coefficient[] = {0x1.5555555555555p-3,  0x1.11111111111d9p-7,  0x1.a01a019ff8236p-13,
                                         0x1.71de3a7de0352p-19, 0x1.ae6424ea2ee69p-26, 0x1.6144eac70498cp-33,
                                         0x1.98c01cbde4cfcp-41, 0x1.d9ba54a794609p-47};
    doubles square = x * x, small = x + x * square * POLYNOMIAL(square, coefficient);
    return choose(absolute(x) < 1, keep_zero(x, small), with_sign_of(half_sum_of_powers(x, -1), x));
}

#endif
