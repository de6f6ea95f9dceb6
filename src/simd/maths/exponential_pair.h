/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * e^y - 1 as a double and as a pair, by y = k ln 2 + r with |r| <= ln 2 / 2. It keeps its relative accuracy
 * around y = 0, which is what formulas with roots need.
 */
#ifndef BELAY_SIMD_MATHS_EXPONENTIAL_PAIR_H
#define BELAY_SIMD_MATHS_EXPONENTIAL_PAIR_H

#include "simd/vector/exact.h"

/* ln 2: the first two parts have 42 bits, so that products with |k| < 2^11 are exact. */
static const double ln2_part[] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76800p-45, -0x1.9ff0342542fc3p-90};

/* k, and 2^k. */
struct binary_power {
    doubles exponent, value;
};

/* k = y / ln 2 to nearest, for |y| < 700. */
static inline struct binary_power nearest_power(doubles y)
{
    /* The sum's last place is 1, so its low bits are k; shifted left, all but the exponent field is gone. */
    const double integers = 0x1.8p52;
    doubles sum = y * 0x1.71547652b82fep0 + integers;
    ulongs bias = (ulongs){0} + 1023;
    return (struct binary_power){sum - integers, (doubles)(((ulongs)sum + bias) << 52)};
}

/* e^r - 1 for |r| <= ln 2 / 2, relative error below 2^-52. The polynomial's own is 2^-59.9 (minimax, Sollya).
 */
static inline doubles exp_minus_1(doubles r)
{
    const doubles square = r * r, fourth = square * square;
    doubles low = about_sum(r, broadcast(0x1.5555555555556p-3), broadcast(0x1p-1));
    doubles next = about_sum(r, broadcast(0x1.111111111070bp-7), broadcast(0x1.5555555555556p-5));
    doubles third = about_sum(r, broadcast(0x1.a01a01a902376p-13), broadcast(0x1.6c16c16c15f3fp-10));
    doubles high = about_sum(r, broadcast(0x1.71de0a3cd29b2p-19), broadcast(0x1.a01a01a89ffa7p-16));
    doubles last = about_sum(r, broadcast(0x1.af3f0667c11e7p-26), broadcast(0x1.27e4d64ca46d3p-22));
    last = about_sum(square, broadcast(0x1.1f7c9e1156c58p-29), last);
    low = about_sum(square, next, low);
    third = about_sum(square, high, third);
    return about_sum(square, about_sum(fourth, about_sum(fourth, last, third), low), r);
}

/* y - k ln 2. */
static inline struct pair pair_remainder(struct pair y, struct binary_power power)
{
    struct pair rest = pair_add(y, (struct pair){-power.exponent * ln2_part[0], broadcast(0)});
    rest = pair_add(rest, (struct pair){-power.exponent * ln2_part[1], broadcast(0)});
    return pair_add(rest, (struct pair){-power.exponent * ln2_part[2], broadcast(0)});
}

/* e^r - 1 for |r| <= ln 2 / 2, relative error below 2^-98. */
static inline struct pair pair_exp_minus_1(struct pair r)
{
    /* 1 / 11!, 1 / 10!, ... 1 / 2!: with |r| < 2^-9.5 after the halvings, what is left out is below 2^-110.
     */
    static const double coefficient[][2] = {
        {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
        {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
        {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
        {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
        {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
        {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
        {0x1.1111111111111p-7, 0x1.1111111111111p-63},
        {0x1.5555555555555p-5, 0x1.5555555555555p-59},
        {0x1.5555555555555p-3, 0x1.5555555555555p-57},
        {0x1p-1, 0},
        {1, 0},
    };
    const int halvings = 8;
    struct pair small = pair_scale(r, broadcast(0x1p-8)), sum = pair_of(coefficient[0][0], coefficient[0][1]);
    for (int i = 1; i < (int)(sizeof coefficient / sizeof *coefficient); i++)
        sum = pair_add(pair_multiply(sum, small), pair_of(coefficient[i][0], coefficient[i][1]));
    struct pair result = pair_multiply(sum, small);
    /* e^2s - 1 = (e^s - 1) (2 + (e^s - 1)). */
    for (int i = 0; i < halvings; i++)
        result = pair_multiply(result, pair_add(pair_of(2, 0), result));
    return result;
}

#endif
