/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kernels over rows are made of: sums in an order that the length fixes, greatest elements,
 * and e^x. No operation is fused, so that every level gives the same bits.
 */
#ifndef BELAY_SIMD_LOOPS_ROW_H
#define BELAY_SIMD_LOOPS_ROW_H

#include "simd/loops/rows_kernel.h"
#include "simd/vector/canonical.h"
#include "simd/vector/memory.h"

/*
 * Lane i of a sum takes the terms i, i + ROW_LANES, ...; then the lanes are added by halves. Terms of ROW_TERMS vectors
 * are made together, eight where there are registers for them: while a step of one waits for the step before it, the
 * processor takes those of the others.
 */
enum {
    ROW_LANES = 32,
    ROW_VECTORS = ROW_LANES / LANES,
    ROW_TERMS = LANES == 8 ? 8 : 4,
    ROW_TIMES = ROW_TERMS / ROW_VECTORS, /* how often these fill all lanes: 0 where they are a part of them */
};

static inline __attribute__((always_inline)) size_t row_least(size_t count)
{
    return count < LANES ? count : LANES;
}

/* Elements from the i-th on, of which there are so many left; other lanes are 0. */
static inline __attribute__((always_inline)) doubles row_load(enum arithmetic dtype, const void *row,
                                                              size_t i, size_t left)
{
    const char *source = (const char *)row + i * bytes_of(dtype);
    if (__builtin_expect(left >= LANES, 1))
        return load(dtype, source);
    _Alignas(64) char padded[LANES * sizeof(double)] = {0};
    memcpy(padded, source, left * bytes_of(dtype));
    return load(dtype, padded);
}

/* Numbers, or with may_be_nan any values. */
static inline __attribute__((always_inline)) void row_store(enum arithmetic dtype, void *row, size_t i,
                                                            doubles value, size_t left, bool may_be_nan)
{
    char *target = (char *)row + i * bytes_of(dtype);
    const size_t bytes = row_least(left) * bytes_of(dtype);
    if (dtype == ARITHMETIC_FP64) {
        value = !may_be_nan ? value : canonical_doubles(value);
        __builtin_expect(left >= LANES, 1) ? memcpy(target, &value, sizeof value)
                                           : memcpy(target, &value, bytes);
        return;
    }
    const floats rounded = floats_of(value);
    const uints bits = !may_be_nan
                           ? (uints)rounded
                           : choose_uints(rounded != rounded, (uints){0} + 0x7fc00000, (uints)rounded);
    __builtin_expect(left >= LANES, 1) ? memcpy(target, &bits, sizeof bits) : memcpy(target, &bits, bytes);
}

/* All bits of the first lanes. */
static inline longs row_lanes(size_t count)
{
    longs index;
    for (int i = 0; i < LANES; i++)
        index[i] = i;
    return index < (longs){0} + (int64_t)count;
}

/* Adds the terms of whole vectors of elements, from i on, to as many lanes, or to all lanes in turn; all are made before
 * the first is written, so that the compiler may mix their steps. */
static inline __attribute__((always_inline)) void row_add_terms(enum arithmetic dtype, const void *x,
                                                                size_t i, size_t vectors, double *terms,
                                                                doubles (*term)(doubles x, double parameter),
                                                                double parameter, doubles *lane)
{
    doubles value[ROW_TERMS] __attribute__((uninitialized));
#pragma GCC unroll 16
    for (size_t k = 0; k < vectors; k++)
        value[k] = term(row_load(dtype, x, i + k * LANES, LANES), parameter);
#pragma GCC unroll 16
    for (size_t k = 0; k < vectors; k++) {
        if (terms != NULL)
            memcpy(terms + i + k * LANES, &value[k], sizeof value[k]);
        lane[k % ROW_VECTORS] += value[k];
    }
}

/* The same for so many times ROW_LANES elements, whose places in the next row are asked for: there may be none, so that
 * they are no pointers. */
static inline __attribute__((always_inline)) void
row_add_lanes(enum arithmetic dtype, const void *x, size_t count, size_t i, size_t times, double *terms,
              doubles (*term)(doubles x, double parameter), double parameter, doubles *lane)
{
    const size_t vectors = times * ROW_VECTORS, at_once = vectors < ROW_TERMS ? vectors : ROW_TERMS;
    for (size_t line = 0; line < times * ROW_LANES * bytes_of(dtype); line += 64)
        __builtin_prefetch((const void *)((uintptr_t)x + (count + i) * bytes_of(dtype) + line));
#pragma GCC unroll 4
    for (size_t k = 0; k < vectors; k += at_once)
        row_add_terms(dtype, x, i + k * LANES, at_once, terms, term, parameter, lane + k % ROW_VECTORS);
}

/* The sum of term(x, parameter) over the row; the terms go to `terms`, unless that is NULL. */
static inline __attribute__((always_inline)) double row_sum(enum arithmetic dtype, const void *x,
                                                            size_t count, double *terms,
                                                            doubles (*term)(doubles x, double parameter),
                                                            double parameter)
{
    doubles lane[ROW_VECTORS];
    for (int k = 0; k < ROW_VECTORS; k++)
        lane[k] = broadcast(0);
    size_t i = 0;
    for (; ROW_TIMES > 1 && i + (size_t)ROW_TIMES * ROW_LANES <= count; i += (size_t)ROW_TIMES * ROW_LANES)
        row_add_lanes(dtype, x, count, i, ROW_TIMES, terms, term, parameter, lane);
    for (; i + ROW_LANES <= count; i += ROW_LANES)
        row_add_lanes(dtype, x, count, i, 1, terms, term, parameter, lane);
    for (size_t k = 0; k < ROW_VECTORS && i + k * LANES < count; k++) {
        const size_t left = count - i - k * LANES;
        const doubles value = term(row_load(dtype, x, i + k * LANES, left), parameter);
        if (terms != NULL)
            memcpy(terms + i + k * LANES, &value, row_least(left) * sizeof(double));
        lane[k] += choose(row_lanes(left), value, broadcast(0));
    }
    for (int half = ROW_VECTORS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] += lane[k + half];
    for (size_t half = LANES / 2; half > 0; half /= 2)
        lane[0] += (doubles)upper_half((longs)lane[0], half);
    return lane[0][0];
}

/* y = term(x, parameter) over a row of doubles; see row_store. */
static inline __attribute__((always_inline)) void row_map(enum arithmetic dtype, void *y, const double *x,
                                                          size_t count,
                                                          doubles (*term)(doubles x, double parameter),
                                                          double parameter, bool may_be_nan)
{
    for (size_t i = 0; i < count; i += LANES) {
        const doubles value = term(row_load(ARITHMETIC_FP64, x, i, count - i), parameter);
        row_store(dtype, y, i, value, count - i, may_be_nan);
    }
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

/* The greater of each lane; b where either is NaN. */
static inline doubles row_greater(doubles a, doubles b)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (doubles)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return choose(a > b, a, b);
#endif
}

static inline floats row_greater_floats(floats a, floats b)
{
#if defined(__AVX512F__)
    return (floats)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__AVX2__)
    return (floats)_mm_max_ps((__m128)a, (__m128)b);
#else
    return (floats)choose_uints(a > b, (uints)a, (uints)b);
#endif
}

/* The greatest element that is no NaN; -inf if there is none. Of -0 and 0 it is either. */
static inline __attribute__((always_inline)) double row_greatest(enum arithmetic dtype, const void *x,
                                                                 size_t count)
{
    doubles greatest = broadcast(-__builtin_inf());
    size_t i = 0;
    if (dtype == ARITHMETIC_FP32) {
        floats most[4];
        for (size_t k = 0; k < 4; k++)
            most[k] = (floats){0} - __builtin_inff();
        for (; i + (size_t)4 * LANES <= count; i += (size_t)4 * LANES)
#pragma GCC unroll 4
            for (size_t k = 0; k < 4; k++) {
                floats value;
                memcpy(&value, (const float *)x + i + k * LANES, sizeof value);
                most[k] = row_greater_floats(value, most[k]);
            }
        greatest = doubles_of(
            row_greater_floats(row_greater_floats(most[0], most[1]), row_greater_floats(most[2], most[3])));
    }
    for (; i + LANES <= count; i += LANES)
        greatest = row_greater(row_load(dtype, x, i, LANES), greatest);
    if (i < count) {
        const doubles value = row_load(dtype, x, i, count - i);
        greatest = row_greater(choose(row_lanes(count - i), value, greatest), greatest);
    }
    for (size_t half = LANES / 2; half > 0; half /= 2)
        greatest = row_greater(greatest, (doubles)upper_half((longs)greatest, half));
    return greatest[0];
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

/* e^x for x <= 0 of 24 bits or NaN, where 24 bits of the result count, as 2^(power + f): (2^f - 1) / f is a
 * polynomial that meets it in the zeros of a Chebyshev polynomial over |f| <= 1/2, which leaves 2^-33 of the
 * result. Below 2^-290, which is less than any 24 bits, it is that. */
static inline doubles row_exp_short(doubles x)
{
    const double integers = 0x1.8p52;
    const doubles exponent = row_greater(broadcast(-290), x * 0x1.71547652b82fep0);
    const doubles shifted = exponent + integers, f = exponent - (shifted - integers);
    const doubles square = f * f;
    const doubles even =
        ((square * 0x1.443fffc90db59p-13 + 0x1.3b2a1b7152befp-7) * square + 0x1.ebfbe045f4d3cp-3) * square +
        1;
    const doubles odd =
        ((square * 0x1.00a58fe9cededp-16 + 0x1.5d879e9389bb0p-10) * square + 0x1.c6b08d8857470p-5) * square +
        0x1.62e42fefa3923p-1;
    /* Times 2^power, whose low bits are those of the sum; of NaN they are 0. */
    return (doubles)((ulongs)(even + f * odd) + ((ulongs)shifted << 52));
}

#endif
