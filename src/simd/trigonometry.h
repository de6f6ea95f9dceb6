/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sine and cosine of doubles of any size, within 1 unit in the last place, in plain arithmetic: an angle
 * is taken apart into right angles and a rest of half of one at most, in integers where it is larger.
 */
#ifndef BELAY_SIMD_TRIGONOMETRY_H
#define BELAY_SIMD_TRIGONOMETRY_H

#include "simd/exact.h"

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

/* An angle as right angles and a rest. */
struct angle {
    struct pair rest;
    longs whole;
};

/* For finite angles of 0 or more. */
static inline struct angle angle_of(doubles x)
{
    struct angle angle = {.rest = {x, broadcast(0)}, .whole = (longs){0}};
    const struct pair right_angle = pair_of(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
    longs is_large = x > right_angle.high * 0.5;
    if (!any(is_large))
        return angle;
    struct pair part = {broadcast(0), broadcast(0)};
    for (int i = 0; i < LANES; i++) {
        double high, low;
        if (!is_large[i])
            continue;
        angle.whole[i] = count_right_angles(x[i], &high, &low);
        part.high[i] = high;
        part.low[i] = low;
    }
    struct pair rest = pair_multiply(part, right_angle);
    angle.rest.high = choose(is_large, rest.high, x);
    angle.rest.low = choose(is_large, rest.low, broadcast(0));
    return angle;
}

/* Of a rest r of half a right angle at most: r - r^3 / 3! + ... + r^17 / 17!, with what is left out below
 * 2^-62 of it. */
static inline doubles sine_of(struct pair rest)
{
    static const double coefficient[] = {
        0x1.952c77030ad4ap-49, -0x1.ae7f3e733b81fp-41, 0x1.6124613a86d09p-33, -0x1.ae64567f544e4p-26,
        0x1.71de3a556c734p-19, -0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7,  -0x1.5555555555555p-3};
    doubles r = rest.high, square = r * r;
    doubles cubic = r * (square * polynomial(square, coefficient, 8));
    return r + (cubic + rest.low * (1 - 0.5 * square));
}

/* 1 - r^2 / 2! + ... + r^16 / 16!, where 1 - r^2 / 2 keeps what it loses. */
static inline doubles cosine_of(struct pair rest)
{
    static const double coefficient[] = {
        0x1.ae7f3e733b81fp-45, -0x1.93974a8c07c9dp-37, 0x1.1eed8eff8d898p-29, -0x1.27e4fb7789f5cp-22,
        0x1.a01a01a01a01ap-16, -0x1.6c16c16c16c17p-10, 0x1.5555555555555p-5};
    doubles r = rest.high, square = r * r, half = 0.5 * square, most = 1 - half;
    doubles quartic = square * (square * polynomial(square, coefficient, 7));
    return most + (((1 - most) - half) + (quartic - r * rest.low));
}

#endif
