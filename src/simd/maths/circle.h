/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * sin x, cos x and tan x of any size. An angle is a whole number of right angles and a rest of half of one at
 * most, whose sine r + r^3 S(r^2) and cosine 1 - r^2 / 2 + r^4 C(r^2) take turns.
 */
#ifndef BELAY_SIMD_MATHS_CIRCLE_H
#define BELAY_SIMD_MATHS_CIRCLE_H

#include "simd/maths/series.h"

/* Below this an angle is reduced in doubles: its products with the parts of a right angle are exact. */
static const double maths_small_angle = 0x1p19;

/* An angle as right angles, of which only the low bits are right, and a rest. */
struct angle {
    struct pair rest;
    longs whole;
};

/* 2 / pi behind 64 bits of 0, which small angles begin with. */
static const uint64_t two_by_pi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/* The 64 bits of 2 / pi from this one on. */
static inline uint64_t two_by_pi_bits(unsigned first)
{
    const unsigned word = first / 64, shift = first % 64;
    return shift == 0 ? two_by_pi[word] : two_by_pi[word] << shift | two_by_pi[word + 1] >> (64 - shift);
}

/*
 * The number of right angles nearest to a finite x >= 1/2, modulo 4, and what is left, of a right angle, as
 * the sum of two doubles. Of x = m 2^s with an integer m, all bits of 2 / pi that m 2^s makes multiples of 4
 * are left out (Payne and Hanek), and so is what lies 192 bits behind: less than 2^-137 of a right angle,
 * when no double lies nearer than 2^-62 to a multiple.
 */
static inline int64_t count_right_angles(double x, double *high, double *low)
{
    __extension__ typedef unsigned __int128 vector_natural;
    __extension__ typedef __int128 wide_integer;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t m = (bits & (UINT64_MAX >> 12)) | UINT64_C(1) << 52;
    const unsigned first = (unsigned)((int)(bits >> 52) - 1075 + 62);
    /* 192 bits of the product, two of which are before the point. */
    const vector_natural last = (vector_natural)m * two_by_pi_bits(first + 128);
    const vector_natural middle = (vector_natural)m * two_by_pi_bits(first + 64) + (last >> 64);
    const uint64_t leading = m * two_by_pi_bits(first) + (uint64_t)(middle >> 64);
    vector_natural fraction = (vector_natural)leading << 64 | (uint64_t)middle;
    fraction = fraction << 2 | (uint64_t)last >> 62;
    const wide_integer rest = (wide_integer)fraction; /* more than half is negative */
    *high = (double)rest;
    *low = (double)(rest - (wide_integer)*high) * 0x1p-128;
    *high *= 0x1p-128;
    return (int64_t)((leading + (UINT64_C(1) << 61)) >> 62);
}

/* In integers, lane by lane. */
static __attribute__((noinline)) struct angle reduce_large_angle(doubles x, longs is_large,
                                                                 struct angle angle)
{
    const struct pair right_angle = pair_of(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
    struct pair part = {broadcast(0), broadcast(0)};
    for (int i = 0; i < LANES; i++) {
        const double size = __builtin_fabs(x[i]);
        double high = 0, low = 0;
        if (!is_large[i] || !(size < (double)INFINITY))
            continue;
        const int64_t whole = count_right_angles(size, &high, &low);
        angle.whole[i] = x[i] < 0 ? -whole : whole;
        part.high[i] = x[i] < 0 ? -high : high;
        part.low[i] = x[i] < 0 ? -low : low;
    }
    part = pair_multiply(part, right_angle);
    angle.rest.high = choose(is_large, part.high, angle.rest.high);
    angle.rest.low = choose(is_large, part.low, angle.rest.low);
    return angle;
}

static inline struct angle reduce_angle(doubles x)
{
    /* pi / 2: 32 bits, 31, 31 and 53. Doubles of this size are no nearer to its multiples than 2^-62. */
    static const double part[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                  0x1.b839a252049c1p-104};
    doubles k = nearest_whole(x * 0x1.45f306dc9c883p-1);
    struct pair first = two_sum(x - k * part[0], -k * part[1]);
    struct pair second = two_sum(first.high, -k * part[2]);
    struct angle angle = {two_sum(second.high, first.low + (second.low - k * part[3])), low_bits_of_whole(k)};
    longs is_large = ~(absolute(x) < maths_small_angle);
    if (__builtin_expect(any(is_large), 0))
        angle = reduce_large_angle(x, is_large, angle);
    return angle;
}

/* sin r of a rest, |r| <= pi / 4, as r + r^3 p(r^2) in a pair. */
static inline struct pair circle_sine(struct pair r)
{
    /* scripts/maths_polynomials.sollya: sine, 2^-60.9. */
    static const double coefficient[] = {-0x1.5555555555555p-3, 0x1.111111111101fp-7,  -0x1.a01a019fe8dfep-13,
                                         0x1.71de3a10dc51fp-19, -0x1.ae63f909cfa3p-26, 0x1.60e68fae7f559p-33,
                                         -0x1.8dbcc418b639ap-41};
    doubles square = r.high * r.high, tail = r.high * square * POLYNOMIAL(square, coefficient);
    return renormalize(r.high, tail + r.low * (1 - 0.5 * square));
}

/* cos r of a rest, |r| <= pi / 4, as 1 - r^2 / 2 + r^4 C(r^2): the first two terms are exact in a pair, and
 * the last is below a fortieth of the whole. */
static inline struct pair circle_cosine(struct pair r)
{
    /* scripts/maths_polynomials.sollya: cosine, 2^-63.2. */
    static const double coefficient[] = {
        0x1.5555555555555p-5,  -0x1.6c16c16c16a34p-10, 0x1.a01a019fb8553p-16, -0x1.27e4faefe20f2p-22,
        0x1.1eecd79325772p-29, -0x1.92a88e1cefb35p-37, 0x1.35cc9706f6352p-45};
    struct pair half = exact_product(r.high, 0.5 * r.high), sum = renormalize(broadcast(1), -half.high);
    doubles square = r.high * r.high, tail = square * square * POLYNOMIAL(square, coefficient);
    return renormalize(sum.high, tail + (sum.low - half.low - r.high * r.low));
}

/* The sine of the angle and quarters more right angles. */
static inline doubles circle_value(doubles x, int64_t quarters)
{
    struct angle angle = reduce_angle(x);
    longs whole = angle.whole + quarters;
    struct pair sine = circle_sine(angle.rest), cosine = circle_cosine(angle.rest);
    longs is_odd = (whole & 1) != 0;
    doubles value = choose(is_odd, cosine.high + cosine.low, sine.high + sine.low);
    value = negate_where((whole & 2) != 0, value);
    return choose(absolute(x) < (double)INFINITY, value, broadcast((double)NAN));
}

/* sin x; -0 stays -0, and of infinities it is NaN. */
static inline doubles maths_sin(doubles x)
{
    return keep_zero(x, circle_value(x, 0));
}

/* cos x = sin (x + pi / 2), by one more right angle. */
static inline doubles maths_cos(doubles x)
{
    return circle_value(x, 1);
}

/* tan x = sin x / cos x of the rest, or -cos / sin where the right angles are odd, as a quotient of pairs.
 * Below 2^-28 it is x: x^3 / 3 is less than half a unit. */
static inline doubles maths_tan(doubles x)
{
    struct angle angle = reduce_angle(x);
    struct pair sine = circle_sine(angle.rest), cosine = circle_cosine(angle.rest);
    longs is_odd = (angle.whole & 1) != 0;
    struct pair above = {choose(is_odd, -cosine.high, sine.high), choose(is_odd, -cosine.low, sine.low)};
    struct pair below = {choose(is_odd, sine.high, cosine.high), choose(is_odd, sine.low, cosine.low)};
    struct pair quotient = quotient_of_pairs(above, below);
    doubles value = choose(absolute(x) < 0x1p-28, x, quotient.high + quotient.low);
    return choose(absolute(x) < (double)INFINITY, value, broadcast((double)NAN));
}

/* sin(pi x) / (pi x), where pi x is exact: what is taken from x are whole numbers and halves. */
static inline doubles maths_sinc(doubles x)
{
    const struct pair pi = pair_of(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53);
    doubles size = absolute(x), even = 2 * ((size * 0.5 + 0x1p52) - 0x1p52);
    doubles left = choose(size < 0x1p53, size - even, broadcast(0)), quarters = nearest_whole(2 * left);
    doubles rest = left - 0.5 * quarters;
    struct pair angle = exact_product(rest, pi.high), all = exact_product(size, pi.high);
    angle.low += rest * pi.low;
    all.low += size * pi.low;
    longs whole = low_bits_of_whole(quarters), is_odd = (whole & 1) != 0;
    struct pair sine = circle_sine(angle), cosine = circle_cosine(angle);
    struct pair above = {choose(is_odd, cosine.high, sine.high), choose(is_odd, cosine.low, sine.low)};
    struct pair quotient = quotient_of_pairs(above, all);
    doubles value = negate_where((whole & 2) != 0, quotient.high + quotient.low);
    value = choose((rest == 0) & ~is_odd, broadcast(0), value); /* whole numbers */
    value = choose(absolute(x) < 0x1p-30, broadcast(1), value);
    return choose(absolute(x) < (double)INFINITY, value, broadcast((double)NAN));
}

#endif
