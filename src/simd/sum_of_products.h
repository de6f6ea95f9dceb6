/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * addend +- (x0 * y0 + x1 * y1) and quotients of such sums, of doubles and rounded once: in pairs of doubles
 * where these are sure, lane by lane in long sums elsewhere.
 */
#ifndef BELAY_SIMD_SUM_OF_PRODUCTS_H
#define BELAY_SIMD_SUM_OF_PRODUCTS_H

#include "simd/exact.h"
#include "simd/long_sum.h"
#include "simd/rounding.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

/* What can be multiplied three times without a part that overflows or loses bits, or is 0. */
static inline longs is_ordinary(doubles value)
{
    doubles magnitude = absolute(value);
    return ((magnitude > 0x1p-200) & (magnitude < 0x1p200)) | (magnitude == 0);
}

/* Lane by lane where it is not sure. */
static inline __attribute__((always_inline)) doubles
sum_where_unsure(longs sure, doubles value, doubles addend, double sign, const doubles *x, const doubles *y)
{
    for (int i = 0; i < LANES; i++)
        if (sure[i] == 0) {
            const double first[2] = {x[0][i], x[1][i]}, second[2] = {y[0][i], y[1][i]};
            value[i] = long_sum_of_products(addend[i], sign, first, second);
        }
    return value;
}

/* The nearest doubles to addend + sign * (x0 * y0 + x1 * y1); sign is 1 or -1. */
static inline doubles sum_of_products(doubles addend, double sign, const doubles *x, const doubles *y)
{
    /* The sign comes after the sum of the products: one that cancels is +0 before. */
    struct pair first = two_product(x[0], y[0]), second = two_product(x[1], y[1]);
    struct pair products = two_sum(first.high, second.high), sum = two_sum(addend, sign * products.high);
    doubles lost = products.low + (first.low + second.low), low = sum.low + sign * lost;
    doubles error =
        (absolute(sum.low) + absolute(products.low)) + (absolute(first.low) + absolute(second.low));
    error *= 0x1p-50;
    doubles up = sum.high + (low + error), down = sum.high + (low - error);
    longs sure = is_ordinary(addend) & is_ordinary(x[0]) & is_ordinary(y[0]) & is_ordinary(x[1]) &
                 is_ordinary(y[1]) & (up == down);
    doubles value = choose(error == 0, sum.high, up); /* where nothing was lost a zero keeps its sign */
    if (__builtin_expect(any(~sure), 0))
        return sum_where_unsure(sure, value, addend, sign, x, y);
    return value;
}

/* Of numbers of fp32: doubles that round to fp32 as the exact sums do. */
static inline doubles odd_sum_of_products(doubles addend, double sign, const doubles *x, const doubles *y)
{
    struct pair products = two_sum(x[0] * y[0], x[1] * y[1]), sum = two_sum(addend, sign * products.high);
    struct pair low = two_sum(sum.low, sign * products.low), total = two_sum(sum.high, low.high);
    doubles side = choose(total.low == 0, low.low, total.low);
    /* NaN where there is an infinity; and where nothing was lost a zero keeps its sign */
    return choose(absolute(low.high) > 0, round_to_odd(total.high, side), sum.high);
}

static inline __attribute__((always_inline)) doubles quotient_where_unsure(longs sure, doubles value,
                                                                           const doubles *x, const doubles *y,
                                                                           doubles c, doubles d,
                                                                           struct float_format format)
{
    for (int i = 0; i < LANES; i++)
        if (sure[i] == 0) {
            const double first[2] = {x[0][i], x[1][i]}, second[2] = {y[0][i], y[1][i]};
            value[i] = long_quotient(first, second, c[i], d[i], format);
        }
    return value;
}

/* (x0 * y0 + x1 * y1) / (c * c + d * d), the nearest doubles. */
static inline doubles quotient_of_products(const doubles *x, const doubles *y, doubles c, doubles d)
{
    static const struct float_format fp64 = {53, -1074};
    struct pair first = two_product(x[0], y[0]), second = two_product(x[1], y[1]);
    struct pair sum = two_sum(first.high, second.high);
    struct pair over = renormalize(sum.high, sum.low + (first.low + second.low));
    doubles terms = absolute(first.high) + absolute(second.high);
    struct pair under = pair_add(two_product(c, c), two_product(d, d));
    doubles quotient = over.high / under.high;
    struct pair product = two_product(quotient, under.high);
    doubles rest = ((over.high - product.high) - product.low) + (over.low - quotient * under.low);
    struct pair result = two_sum(quotient, rest / under.high);
    /* Terms that nearly cancel leave an error that is too large. */
    doubles error = absolute(result.high) * 0x1p-78;
    doubles up = result.high + (result.low + error), down = result.high + (result.low - error);
    longs sure = is_ordinary(x[0]) & is_ordinary(y[0]) & is_ordinary(x[1]) & is_ordinary(y[1]) &
                 is_ordinary(c) & is_ordinary(d) & (up == down) & (absolute(sum.high) > terms * 0x1p-20);
    if (__builtin_expect(any(~sure), 0))
        return quotient_where_unsure(sure, up, x, y, c, d, fp64);
    return up;
}

/* The same of numbers of fp32, the nearest of which are returned. */
static inline doubles fp32_quotient_of_products(const doubles *x, const doubles *y, doubles c, doubles d)
{
    static const struct float_format fp32 = {24, -149};
    doubles quotient = (x[0] * y[0] + x[1] * y[1]) / (c * c + d * d);
    struct pair sum = two_sum(x[0] * y[0], x[1] * y[1]);
    floats down = floats_of(quotient * (1 - ESTIMATE_ERROR)), up = floats_of(quotient * (1 + ESTIMATE_ERROR));
    longs sure = widen((ints)(down == up)) | (quotient != quotient) | ((sum.high == 0) & (sum.low == 0));
    doubles value = choose(quotient == 0, quotient, doubles_of(up));
    if (__builtin_expect(any(~sure), 0))
        return quotient_where_unsure(sure, value, x, y, c, d, fp32);
    return value;
}

/* a * b + c, rounded once. */
static inline doubles fused_doubles(doubles a, doubles b, doubles c)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
    return (doubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    const doubles x[2] = {a, broadcast(-0.0)}, y[2] = {b, broadcast(0)};
    return sum_of_products(c, 1, x, y);
#endif
}

#endif
