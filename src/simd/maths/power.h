/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x^y = e^(y ln x), whose exponent may be 745: ln x is known to some 2^-68 of itself, so that the product
 * errs by less than 2^-57.
 */
#ifndef BELAY_SIMD_MATHS_POWER_H
#define BELAY_SIMD_MATHS_POWER_H

#include "simd/maths/logarithm.h"
#include "simd/maths/simple.h"
#include "simd/maths/short.h"

/*
 * ln x for positive finite x = 2^k m. With s = (m - 1) / (m + 1), |s| < 0.1716, ln m = 2 s (1 + z/3 + z^2/5 +
 * ...) with z = s^2 < 2^-5: terms up to z^2 are pairs, those behind, 2^-18 of the whole, doubles.
 */
static inline struct pair fine_logarithm(doubles x)
{
    static const double coefficient[] = {1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                         1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27};
    static const double third[] = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    static const double fifth[] = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    struct split_number split = split_number(x);
    struct pair s =
        quotient_of_pairs((struct pair){split.m - 1, broadcast(0)}, two_sum(split.m, broadcast(1)));
    struct pair z = pair_multiply(s, s);
    doubles square = z.high * z.high, tail = square * z.high * POLYNOMIAL(z.high, coefficient);
    struct pair sum = pair_multiply(z, pair_of(fifth[0], fifth[1]));
    sum = pair_multiply(z, pair_add(sum, pair_of(third[0], third[1])));
    sum = pair_add(sum, (struct pair){tail, broadcast(0)});
    struct pair m = pair_multiply(s, pair_add(sum, pair_of(1, 0)));
    struct pair power = two_sum(split.k * maths_ln2_part[0], split.k * maths_ln2_part[1]);
    power.low += split.k * maths_ln2_part[2];
    return pair_add(power, pair_scale(m, broadcast(2)));
}

/* Whether x is a whole number; infinities are. */
static inline longs is_whole(doubles x)
{
    return maths_trunc(x) == x;
}

/* value = |x|^y for ordinary numbers, and otherwise as C99 has it: 1 for y = 0 and x = 1, whatever the other
 * is. */
static inline doubles power_limits(doubles x, doubles y, doubles value)
{
    const double infinity = (double)INFINITY;
    const doubles one = broadcast(1), zero = broadcast(0);
    doubles size = absolute(x);
    longs is_odd = is_whole(y) & ~is_whole(y * 0.5) & (absolute(y) < 0x1p53);
    longs is_negative = (longs)(sign_bit(x) != 0);
    doubles far = choose(y > 0, broadcast(infinity), zero), near = choose(y > 0, zero, broadcast(infinity));
    value = choose(size == 0, near, choose(size == infinity, far, value));
    value = choose(absolute(y) == infinity, choose(size > 1, far, near), value);
    value = choose(size == 1, one, value); /* whatever the power, an infinite one, too */
    value = negate_where(is_negative & is_odd, value);
    longs is_outside = (x < 0) & (size < infinity) & ~is_whole(y);
    value = choose(is_outside | (x != x) | (y != y), broadcast((double)NAN), value);
    return choose((y == 0) | (x == 1), one, value);
}

/* |x|^y = e^(y ln |x|), with the product in a pair, which errs by less than 2^-57 up to 745, the largest
 * exponent. Exponents beyond 800 give 0 or infinity, as 800 does. */
static inline doubles power_of(doubles x, doubles y)
{
    const doubles one = broadcast(1);
    doubles size = absolute(x);
    struct pair l = fine_logarithm(choose((size > 0) & (size < (double)INFINITY), size, one));
    doubles about = y * l.high;
    longs is_moderate = (absolute(about) < 800) & (absolute(y) < 0x1p1000);
    struct pair product = pair_multiply((struct pair){choose(is_moderate, y, one), broadcast(0)}, l);
    product.high = choose(is_moderate, product.high, with_sign_of(broadcast(800), about));
    product.low = choose(is_moderate, product.low, broadcast(0));
    struct power_of_e e = power_of_e(product);
    return power_limits(x, y, power_value(e.m, e.power));
}

/* A value of 26 bits is what nearly is one: ties of 16 bits stay ties. */
static __attribute__((noinline)) doubles power_settled_on_26_bits(doubles x, doubles y)
{
    doubles value = power_of(x, y), near = leading(value, 26);
    longs is_near = absolute(value - near) <= absolute(value) * 0x1p-51;
    return choose(is_near & (absolute(value) < (double)INFINITY), near, value);
}

/* x^y for FLOAT and 16 bits: the error is 2^-31, so that next to a value of 13 bits, which may be a tie, the
 * longer way decides. */
static inline doubles short_power_of(doubles x, doubles y)
{
    const double infinity = (double)INFINITY;
    doubles size = absolute(x), value = short_exp2(y * short_log2(size));
    longs is_ordinary = (x > 0) & (size < infinity) & (absolute(y) < infinity);
    longs is_near = absolute(value - leading(value, 13)) <= value * 0x1p-30;
    is_near &= (value > 0x1p-300) & (value < 0x1p300);
    if (__builtin_expect(any(~is_ordinary), 0))
        value = power_limits(x, y, value);
    if (__builtin_expect(any(is_near), 0))
        value = choose(is_near, power_settled_on_26_bits(x, y), value);
    return value;
}

/* The exponents that programs use most are rounded once. */
static inline __attribute__((always_inline)) doubles pow_by(doubles x, doubles y,
                                                            doubles (*power)(doubles x, doubles y))
{
    if (!any(y != 2))
        return x * x;
    doubles value = any((y != 1) & (y != -1) & (y != 0.5)) ? power(x, y) : x;
    if (any(y == 0.5)) {
        doubles root = square_root(choose(x == -(double)INFINITY, -x, x)) + 0; /* of -0 it is +0 */
        value = choose(y == 0.5, root, value);
    }
    value = choose(y == 2, x * x, value);
    value = choose(y == 1, x, value);
    return any(y == -1) ? choose(y == -1, 1 / x, value) : value;
}

/* x^y of fp64. */
static inline doubles maths_pow(doubles x, doubles y)
{
    return pow_by(x, y, power_of);
}

/* x^y of fp32 and 16 bits. */
static inline doubles short_pow(doubles x, doubles y)
{
    return pow_by(x, y, short_power_of);
}

#endif
