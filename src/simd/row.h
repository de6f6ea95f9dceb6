/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kernels over rows of doubles are made of: sums in an order that the length fixes, greatest elements,
 * and e^x. No operation is fused, so that every level gives the same bits.
 */
#ifndef BELAY_SIMD_ROW_H
#define BELAY_SIMD_ROW_H

#include "ops/rows/rows_kernel.h"
#include "simd/memory.h"

/* Lane i of a sum takes the terms i, i + ROW_LANES, ...; then the lanes are added by halves. */
enum { ROW_LANES = 32 };

static inline doubles row_load(const double *source, size_t count)
{
    doubles value = {0};
    if (count >= LANES)
        memcpy(&value, source, sizeof value);
    else
        memcpy(&value, source, count * sizeof(double));
    return value;
}

static inline void row_store(double *target, doubles value, size_t count)
{
    if (count >= LANES)
        memcpy(target, &value, sizeof value);
    else
        memcpy(target, &value, count * sizeof(double));
}

static inline longs row_lanes(size_t count)
{
    longs index;
    for (int i = 0; i < LANES; i++)
        index[i] = i;
    return index < (longs){0} + (int64_t)count;
}

/* The sum of term(x, parameter) over the row. */
static inline __attribute__((always_inline)) double
row_sum(const double *x, size_t count, doubles (*term)(doubles x, double parameter), double parameter)
{
    enum { VECTORS = ROW_LANES / LANES };
    doubles lane[VECTORS];
    for (int k = 0; k < VECTORS; k++)
        lane[k] = broadcast(0);
    size_t i = 0;
    for (; i + ROW_LANES <= count; i += ROW_LANES)
#pragma GCC unroll 16
        for (size_t k = 0; k < VECTORS; k++)
            lane[k] += term(row_load(x + i + k * LANES, LANES), parameter);
    for (size_t k = 0; k < VECTORS && i + k * LANES < count; k++) {
        const size_t left = count - i - k * LANES;
        doubles value = term(row_load(x + i + k * LANES, left), parameter);
        lane[k] += choose(row_lanes(left), value, broadcast(0));
    }
    for (int half = VECTORS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] += lane[k + half];
    double sum[LANES];
    memcpy(sum, lane, sizeof sum);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            sum[k] += sum[k + half];
    return sum[0];
}

/* y = term(x, parameter) over the row. */
static inline __attribute__((always_inline)) void row_map(double *y, const double *x, size_t count,
                                                          doubles (*term)(doubles x, double parameter),
                                                          double parameter)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        row_store(y + i, term(row_load(x + i, LANES), parameter), LANES);
    if (i < count)
        row_store(y + i, term(row_load(x + i, count - i), parameter), count - i);
}

static inline doubles row_itself(doubles x, double parameter)
{
    (void)parameter;
    return x;
}

/* (x - mean)^2 */
static inline doubles row_square(doubles x, double mean)
{
    const doubles distance = x - mean;
    return distance * distance;
}

/* The greatest element that is no NaN; -inf if there is none. */
static inline double row_greatest(const double *x, size_t count)
{
    const double least = -__builtin_inf();
    doubles greatest[4] = {broadcast(least), broadcast(least), broadcast(least), broadcast(least)};
    size_t i = 0;
    for (; i + (size_t)4 * LANES <= count; i += (size_t)4 * LANES)
        for (size_t k = 0; k < 4; k++) {
            const doubles value = row_load(x + i + k * LANES, LANES);
            greatest[k] = choose(value > greatest[k], value, greatest[k]);
        }
    double result = least;
    for (int k = 0; k < 4; k++)
        for (int lane = 0; lane < LANES; lane++)
            result = greatest[k][lane] > result ? greatest[k][lane] : result;
    for (; i < count; i++)
        result = x[i] > result ? x[i] : result;
    return result;
}

/* e^r for |r| <= ln 2 / 2: Taylor's polynomial, whose next term is below 2^-57. */
static inline doubles row_exp_rest(doubles r)
{
    const doubles square = r * r, fourth = square * square, eighth = fourth * fourth;
    const doubles low = (1.0 / 2 + r * (1.0 / 6)) + square * (1.0 / 24 + r * (1.0 / 120));
    const doubles middle = (1.0 / 720 + r * (1.0 / 5040)) + square * (1.0 / 40320 + r * (1.0 / 362880));
    const doubles high =
        (1.0 / 3628800 + r * (1.0 / 39916800)) + square * (1.0 / 479001600 + r * (1.0 / 6227020800));
    return 1 + (r + square * (low + fourth * middle + eighth * high));
}

/* e^(high + low) for high <= 0, or NaN, and low far less; 1 ulp, and half of the least number more below
 * 2^-1022. */
static inline doubles row_exp(doubles high, doubles low)
{
    const double integers = 0x1.8p52; /* the last place of what is added to it is 1 */
    const ulongs bias = (ulongs){0} + 1023;
    high = choose(high < -800, broadcast(-800), high); /* which is 0 too; NaN stays */
    const doubles power = (high * 0x1.71547652b82fep0 + integers) - integers;
    /* ln 2 in two parts, of which the first has 42 bits: its product with the power is exact. */
    const doubles r = (high - power * 0x1.62e42fefa3800p-1) + (low - power * 0x1.ef35793c76730p-45);
    /* 2^power in two factors, neither of which is subnormal. */
    const doubles first = power * 0.5 + integers, second = (power - (first - integers)) + integers;
    const doubles by_first = (doubles)(((ulongs)first + bias) << 52);
    const doubles by_second = (doubles)(((ulongs)second + bias) << 52);
    return row_exp_rest(r) * by_first * by_second;
}

/* e^x for x <= 0 of 24 bits or NaN, where 24 bits of the result count: the next term of the polynomial is
 * below 2^-32. Below -200, where no 24 bits have a number so small, it is e^-200. */
static inline doubles row_exp_short(doubles x)
{
    const double integers = 0x1.8p52;
    x = choose(x < -200, broadcast(-200), x);
    const doubles shifted = x * 0x1.71547652b82fep0 + integers;
    const doubles r = x - (shifted - integers) * 0x1.62e42fefa39efp-1;
    const doubles square = r * r, fourth = square * square;
    const doubles low = (1.0 / 2 + r * (1.0 / 6)) + square * (1.0 / 24 + r * (1.0 / 120));
    const doubles high = (1.0 / 720 + r * (1.0 / 5040)) + square * (1.0 / 40320);
    const doubles rest = 1 + (r + square * (low + fourth * high));
    /* Times 2^power, whose low bits are those of the sum; of NaN they are 0. */
    return (doubles)((ulongs)rest + ((ulongs)shifted << 52));
}

#endif
