/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Logarithms. x = 2^k m with m from sqrt(1/2) to sqrt(2), f = m - 1, s = f / (2 + f): ln m = f - f^2 / 2 + s
 * (f^2 / 2
 * + s^2 L(s^2)), whose last term, a twentieth of the whole at most, is the only one that is rounded to
 * doubles.
 */
#ifndef BELAY_SIMD_MATHS_LOGARITHM_H
#define BELAY_SIMD_MATHS_LOGARITHM_H

#include "simd/maths/exponential.h"

/* ln x = k ln 2 + m. */
struct logarithm {
    struct pair m;
    doubles k;
};

/* x = 2^k m, for positive finite x. */
struct split_number {
    doubles m, k;
};

/* m is from sqrt(1/2) to sqrt(2), so that around 1, where ln x is 0, k is 0 and nothing cancels. */
static inline struct split_number split_number(doubles x)
{
    longs is_subnormal = x < 0x1p-1022;
    ulongs bits = (ulongs)choose(is_subnormal, x * 0x1p54, x);
    /* The exponent's bits as those of 2^52 and more. */
    doubles k = (doubles)(bits >> 52 | 0x4330000000000000) - (0x1p52 + 1023);
    doubles m = (doubles)((bits & 0xfffffffffffff) | 0x3ff0000000000000);
    longs is_above = m > 0x1.6a09e667f3bcdp+0;
    k = k + choose(is_above, broadcast(1), broadcast(0));
    return (struct split_number){choose(is_above, m * 0.5, m),
                                 k - choose(is_subnormal, broadcast(54), broadcast(0))};
}

/* ln (1 + f). */
static inline struct pair logarithm_rest(struct pair f)
{
    /* scripts/maths_polynomials.sollya: logarithm, 2^-65.6. */
    static const double coefficient[] = {0x1.5555555555555p-1, 0x1.9999999999d59p-2, 0x1.249249242ee1bp-2,
                                         0x1.c71c725c5ee56p-3, 0x1.745cdb7521fa2p-3, 0x1.3b215933c2fc5p-3,
                                         0x1.0f4a1544c3517p-3, 0x1.1023b86d5d38dp-3};
    doubles s = f.high / (2 + f.high), square = s * s;
    struct pair half = exact_product(f.high, 0.5 * f.high), sum = renormalize(f.high, -half.high);
    doubles tail = s * (half.high + square * POLYNOMIAL(square, coefficient));
    /* f.low / (1 + f.high), of which few bits matter. */
    doubles low = f.low * ((1 - s) / (1 + s));
    return renormalize(sum.high, tail + (sum.low - half.low + low));
}

/* ln x = k ln 2 + ln m for a positive finite x. */
static inline struct logarithm logarithm_of(doubles x)
{
    struct split_number split = split_number(x);
    return (struct logarithm){logarithm_rest((struct pair){split.m - 1, broadcast(0)}), split.k};
}

/* m * factor + k * unit, where unit[0] has 42 bits: then its product with k is exact. */
static inline doubles logarithm_value(struct logarithm l, const double *factor, const double *unit)
{
    struct pair m = l.m;
    if (factor) {
        m = exact_product(l.m.high, broadcast(factor[0]));
        m.low += l.m.high * factor[1] + l.m.low * factor[0];
    }
    struct pair sum = two_sum(l.k * unit[0], m.high);
    return sum.high + (sum.low + (m.low + l.k * unit[1]));
}

/* value, but the limits at the ends of the domain of ln x. */
static inline doubles logarithm_limits(doubles x, doubles value)
{
    const double infinity = (double)INFINITY;
    value = choose(x == 0, broadcast(-infinity), value);
    value = choose(x == infinity, x, value);
    return choose(x >= 0, value, broadcast((double)NAN));
}

/* ln x within 1 ulp; -infinity at 0, NaN below. */
static inline doubles maths_log(doubles x)
{
    return logarithm_limits(x, logarithm_value(logarithm_of(x), NULL, maths_ln2_part));
}

/* log2 x = k + ln m / ln 2: whole for powers of 2. */
static inline doubles maths_log2(doubles x)
{
    static const double factor[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}, unit[] = {1, 0};
    return logarithm_limits(x, logarithm_value(logarithm_of(x), factor, unit));
}

/* log10 x = k log10 2 + ln m / ln 10, with log10 2 in parts whose first has 42 bits. */
static inline doubles maths_log10(doubles x)
{
    static const double factor[] = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
    static const double unit[] = {0x1.34413509f7800p-2, 0x1.fef311f12b358p-46};
    return logarithm_limits(x, logarithm_value(logarithm_of(x), factor, unit));
}

/* ln (1 + t) for finite t > -1: what 1 + t loses goes into f, where it is not too small beside m to matter.
 */
static inline doubles logarithm_of_1_and(struct pair t)
{
    struct pair sum = two_sum(broadcast(1), t.high);
    struct split_number split = split_number(sum.high);
    doubles power = whole_power(at_most(-split.k, 1000));
    doubles lost = choose(split.k < 100, sum.low * power, broadcast(0));
    struct pair f = two_sum(split.m - 1, lost);
    f.low += choose(split.k < 100, t.low * power, broadcast(0));
    return logarithm_value((struct logarithm){logarithm_rest(f), split.k}, NULL, maths_ln2_part);
}

/* ln (1 + x), of all of x where that is small. */
static inline doubles maths_log1p(doubles x)
{
    doubles value = logarithm_of_1_and((struct pair){x, broadcast(0)});
    return keep_zero(x, logarithm_limits(choose(x == (double)INFINITY, x, 1 + x), value));
}

#endif
