/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 / (1 + e^-z) of doubles and of complex numbers, in pairs, for results of fp64: with an exponent of their
 * own, as they may be subnormal.
 */
#ifndef BELAY_SIMD_LOGISTIC_FP64_H
#define BELAY_SIMD_LOGISTIC_FP64_H

#include <math.h>

#include "simd/cosine_sum.h"
#include "simd/exponential.h"
#include "simd/rounding.h"

/* 2^exponent for exponents of -1022 to 1023. */
static inline doubles power_of_two(longs exponent)
{
    return (doubles)((exponent + 1023) << 52);
}

/* value times 2^exponent. */
struct scaled_pair {
    struct pair value;
    longs exponent;
};

/* value times 2^exponent, exactly or rounded once; no exponent is below -2000. */
static inline doubles scale(doubles value, longs exponent)
{
    longs is_low = exponent < -1000, last = (is_low & -1000) | (~is_low & exponent);
    /* Where the first product is subnormal the second is 0. */
    return value * power_of_two(exponent - last) * power_of_two(last);
}

/*
 * Rounded once. The high part is that of a normal result; a subnormal one is rounded to its units here, where
 * the low part decides what the high part alone would call a tie.
 */
static inline doubles round_scaled(struct scaled_pair scaled)
{
    longs least = -1074 - scaled.exponent, is_far = least < -900;
    doubles unit = power_of_two((is_far & -900) | (~is_far & least));
    doubles size = absolute(scaled.value.high), low = scaled.value.low;
    low = choose(scaled.value.high < 0, -low, low);
    /* The last place of 2^52 units is one. */
    doubles whole = (size + unit * 0x1p52) - unit * 0x1p52, rest = size - whole;
    longs is_other = (absolute(rest) == unit * 0.5) & (low != 0) & ((low < 0) == (rest < 0));
    whole = choose(is_other, whole + 2 * rest, whole);
    longs is_small = (size < unit * 0x1p52) & ~is_far;
    return scale(choose(is_small, with_sign_of(whole, scaled.value.high), scaled.value.high),
                 scaled.exponent);
}

/* The same as a double that rounds to fp32 as the exact number does, where that is not below 2^-1000. */
static inline doubles odd_scaled(struct scaled_pair scaled)
{
    doubles odd = round_to_odd(scaled.value.high, scaled.value.low);
    return scale(choose(scaled.value.high == 0, scaled.value.high, odd), scaled.exponent);
}

/* e^-size = (1 + m) 2^exponent, and 2^exponent again where it is not less than 2^-1000. */
struct scaled_exponential {
    struct pair m;
    longs exponent;
    doubles power;
};

static inline struct scaled_exponential scaled_exponential(doubles size)
{
    struct pair z = {-size, broadcast(0)};
    struct binary_power power = nearest_power(z.high);
    longs exponent = __builtin_convertvector(power.exponent, longs), is_low = exponent < -1000;
    longs limited = (is_low & -1000) | (~is_low & exponent);
    return (struct scaled_exponential){pair_exp_minus_1(pair_remainder(z, power)), exponent,
                                       power_of_two(limited)};
}

static inline struct pair choose_pair(longs mask, struct pair yes, struct pair no)
{
    return (struct pair){choose(mask, yes.high, no.high), choose(mask, yes.low, no.low)};
}

/*
 * 1/2 + y/4 - y^3/48 for |y| < 2^-26, where the last term, far below what pairs have, only decides ties: the
 * low part is taken as one unit of its last place less or more.
 */
static inline struct pair logistic_near_0(doubles y)
{
    struct pair sum = two_sum(broadcast(0.5), y * 0.25);
    doubles unit = with_sign_of(absolute(sum.low) * 0x1p-52, y);
    return renormalize(sum.high, sum.low - unit);
}

/* A pair squared, but for some 2^-103 of it. */
static inline struct pair about_square(struct pair a)
{
    doubles square = a.high * a.high;
    return renormalize(square, about_sum(2 * a.high, a.low, product_rest(a.high, a.high, square)));
}

/* e^r for |r| <= ln 2 / 2, relative error below 2^-65: e^s with s = r / 16, squared four times. Its terms
 * from s^3 / 6 on, below 2^-19, are the only ones that are rounded to doubles: 2^-69 of e^s, 16 times that of
 * e^r. */
static inline struct pair about_exp(struct pair r)
{
    const struct pair s = pair_scale(r, broadcast(0x1p-4));
    doubles square = s.high * s.high, square_rest = product_rest(s.high, s.high, square);
    doubles terms = about_sum(s.high, broadcast(0x1.71de3a556c734p-19), broadcast(0x1.a01a01a01a01ap-16));
    terms = about_sum(s.high, terms, broadcast(0x1.a01a01a01a01ap-13));
    terms = about_sum(s.high, terms, broadcast(0x1.6c16c16c16c17p-10));
    terms = about_sum(s.high, terms, broadcast(0x1.1111111111111p-7));
    terms = about_sum(s.high, terms, broadcast(0x1.5555555555555p-5));
    terms = about_sum(s.high, terms, broadcast(0x1.5555555555555p-3));
    terms *= square * s.high;
    struct pair sum = two_sum(s.high, square * 0.5), more = two_sum(broadcast(1), sum.high);
    doubles low = about_sum(s.high, s.low, square_rest * 0.5) + s.low;
    struct pair exponential = two_sum(more.high, terms + (more.low + (sum.low + low)));
    for (int i = 0; i < 4; i++)
        exponential = about_square(exponential);
    return exponential;
}

/*
 * p(y) as a double, nearly always: pairs of which only what rounding needs is exact. *is_settled tells of
 * which lanes a change by 2^-63, four times what they err by, would not change the rounding. Others, and NaN
 * and all beyond 600, are pair_logistic_fp64()'s.
 */
static inline doubles quick_logistic_fp64(doubles y, longs *is_settled)
{
    doubles size = absolute(y);
    longs is_near = size < 600;
    struct binary_power power = nearest_power(-choose(is_near, size, broadcast(0)));
    doubles k = power.exponent;
    struct pair r = two_sum(-size - k * ln2_part[0], -k * ln2_part[1]);
    r.low -= k * ln2_part[2];
    struct pair e = about_exp(r), above = choose_pair(y < 0, e, pair_of(1, 0));
    struct pair below = pair_scale(e, power.value);
    below = two_sum(broadcast(1), below.high);
    below.low += e.low * power.value;
    doubles quotient = above.high / below.high, product = quotient * below.high;
    doubles rest = (above.high - product) - product_rest(quotient, below.high, product);
    rest = (rest + above.low) - quotient * below.low;
    struct pair value = renormalize(quotient, rest / below.high);
    doubles error = value.high * 0x1p-63;
    *is_settled = is_near & (value.high + (value.low + error) == value.high) &
                  (value.high + (value.low - error) == value.high);
    return value.high * choose(y < 0, power.value, broadcast(1));
}

/* Of any double; beyond 800 results are those at 800. */
static inline struct scaled_pair pair_logistic_fp64(doubles y)
{
    const struct pair one = pair_of(1, 0);
    doubles size = absolute(y);
    struct scaled_exponential e = scaled_exponential(choose(size > 800, broadcast(800), size));
    struct pair significand = pair_add(one, e.m), sum = pair_add(one, pair_scale(significand, e.power));
    struct pair value = pair_divide(choose_pair(y < 0, significand, one), sum);
    value = choose_pair(y == -(double)INFINITY, pair_of(0, 0), value);
    value = choose_pair(size < 0x1p-26, logistic_near_0(y), value);
    return (struct scaled_pair){value, (y < 0) & e.exponent}; /* an exponent of 0 near 0 */
}

struct scaled_complex {
    struct scaled_pair real, imaginary;
};

/* Numbers of this size are their own sines, to more than pairs have. */
static const double tiny_angle = 0x1p-500;
enum { TINY_SCALE = 540 };

/* n + 2 c^2 = e^-size + cos turn, as they are called below, where it has lost too many bits. */
static __attribute__((noinline)) struct pair settle_cosine_sum(struct pair sum, longs is_lost, doubles size,
                                                               doubles turn)
{
    for (int i = 0; i < LANES; i++) {
        double high, low;
        if (!is_lost[i])
            continue;
        exponential_plus_cosine(size[i], turn[i], &high, &low);
        sum.high[i] = high;
        sum.low[i] = low;
    }
    return renormalize(sum.high, sum.low);
}

/* What n + 2 c^2 may lose of n in pairs. */
static const double cosine_sum_lost = 0x1p-36;

/*
 * 1 / (1 + e^-(a + b i)): with e = e^-|a|, n = e - 1, and the sine s and the cosine c of b / 2, the
 * imaginary part is 2 e s c / d with d = n^2 + 4 e c^2, and the real part e (n + 2 c^2) / d for a <= 0 and
 * (2 e c^2 - n) / d for a > 0. Only n + 2 c^2, which is e + cos b, cancels.
 */
static inline struct scaled_complex pair_complex_logistic(doubles a, doubles b)
{
    const struct pair one = pair_of(1, 0);
    const double infinity = (double)INFINITY;
    doubles size = absolute(a), turn = absolute(b);
    size = choose(size > 800, broadcast(800), size);
    struct scaled_exponential part = scaled_exponential(size);
    struct pair significand = pair_add(one, part.m), e = pair_scale(significand, part.power);
    struct pair n = pair_add(pair_scale(part.m, part.power), two_sum(part.power, broadcast(-1)));

    longs is_turn_finite = turn < infinity, is_tiny = turn < tiny_angle;
    struct angle half = angle_of(choose(is_turn_finite, turn * 0.5, broadcast(0)));
    struct pair sine = pair_sine(half.rest), cosine = pair_cosine(half.rest);
    struct pair scaled_turn = {turn * 0x1p539, broadcast(0)};
    longs is_odd = (half.whole & 1) != 0;
    struct pair product = pair_multiply(choose_pair(is_tiny, scaled_turn, sine), cosine);
    longs is_negative = is_odd ^ (longs)(sign_bit(b) != 0);
    product = choose_pair(is_negative, pair_negate(product), product);
    struct pair c = choose_pair(is_odd, sine, cosine), square = pair_scale(pair_multiply(c, c), broadcast(2));

    struct pair d = pair_add(pair_multiply(n, n), pair_scale(pair_multiply(e, square), broadcast(2)));
    struct pair cosine_sum = pair_add(n, square);
    longs is_lost =
        (absolute(cosine_sum.high) < absolute(n.high) * cosine_sum_lost) & (a < 0) & is_turn_finite;
    if (__builtin_expect(any(is_lost), 0))
        cosine_sum = settle_cosine_sum(cosine_sum, is_lost, size, turn);
    struct pair below = pair_multiply(significand, cosine_sum);
    struct pair above = pair_add(pair_multiply(e, square), pair_negate(n));
    struct scaled_complex result = {
        .real = {pair_divide(choose_pair(a > 0, above, below), d), (a <= 0) & part.exponent},
        .imaginary = {pair_divide(pair_scale(pair_multiply(significand, product), broadcast(2)), d),
                      part.exponent - (is_tiny & TINY_SCALE)},
    };
    /* Near 0 it is b/4 (1 - a^2/4 + b^2/12), of which the sign of what pairs do not have decides halves of
     * subnormal numbers. */
    doubles quarter = choose(is_tiny, turn * 0x1p538, turn * 0.25);
    doubles side = choose(turn > 0x1.bb67ae8584caap0 * absolute(a), quarter, -quarter) * 0x1p-90;
    longs is_near_0 = (turn < 0x1p-100) & (size < 0x1p-40);
    longs is_below_0 = (longs)(sign_bit(b) != 0);
    const struct pair near_0 = {negate_where(is_below_0, quarter), negate_where(is_below_0, side)};
    result.imaginary.value = choose_pair(is_near_0, near_0, result.imaginary.value);
    result.imaginary.value = choose_pair(b == 0, (struct pair){b, broadcast(0)}, result.imaginary.value);
    /* Far out on the real axis the angle does not matter; elsewhere it does. */
    longs is_far = size == 800, is_nan = ~is_turn_finite | (a != a);
    const struct pair limit = {choose(a > 0, broadcast(1), broadcast(0)), broadcast(0)};
    const struct pair nan = pair_of((double)NAN, 0);
    is_far &= absolute(a) == infinity;
    result.real.value = choose_pair(is_nan, nan, result.real.value);
    result.real.value = choose_pair(is_far & ~is_turn_finite, limit, result.real.value);
    result.imaginary.value = choose_pair(is_nan & (b != 0), nan, result.imaginary.value);
    result.imaginary.value = choose_pair(is_far & ~is_turn_finite, pair_of(0, 0), result.imaginary.value);
    return result;
}

#endif
