/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The exact sum of smooth L1: of s w with s = |self - target|, and w = s where s < beta, 2 beta elsewhere (1
 * for beta = 0, which nothing is less than). Nearly all elements are so close to one another in size that a
 * few doubles per lane hold their sum; others are added one by one.
 */
#ifndef BELAY_SIMD_SMOOTH_L1_SUM_H
#define BELAY_SIMD_SMOOTH_L1_SUM_H

#include <math.h>

#include "ops/exact_sum.h"
#include "simd/map.h"

/* |self - target| exactly, and whether it is less than beta. */
struct distance {
    struct pair size;
    longs inner;
};

static inline struct distance measure(const doubles *input, double beta)
{
    struct pair d = two_sum(input[0], -input[1]);
    struct pair size = {absolute(d.high), negate_where(d.high < 0, d.low)};
    size.low = choose(size.high < (double)INFINITY, size.low, broadcast(0)); /* inf - inf inside two_sum */
    /* Rounding is monotone: only where high is beta itself does low decide. */
    longs inner = (size.high < beta) | ((size.high == beta) & (size.low < 0));
    return (struct distance){size, inner};
}

/* a * b - product, which is a double, for factors that are far from the ends of the range. */
static inline doubles product_rest(doubles a, doubles b, doubles product)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)product);
#elif defined(__FMA__)
    return (doubles)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)product);
#else
    (void)product;
    return two_product(a, b).low;
#endif
}

static inline void add_lanes(struct exact_sum *sum, doubles value)
{
    for (int i = 0; i < LANES; i++)
        exact_sum_add(sum, value[i]);
}

/* 2^exponent, for a normal number. */
static inline double power_of_2(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Elements that one look at their exponents serves. */
enum { LOOK = 1024 };

/* Any elements at all, one vector after the other. */
static __attribute__((noinline)) void add_slowly(enum arithmetic dtype, const char *const *source,
                                                 size_t count, double beta, struct exact_sum *sum)
{
    const double outer = beta > 0 ? 2 * beta : 1;
    const size_t bytes = bytes_of(dtype);
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i < LANES ? count - i : LANES;
        char padded[2][LANES * sizeof(double)] = {{0}};
        doubles input[2];
        for (int j = 0; j < 2; j++) {
            memcpy(padded[j], source[j] + i * bytes, left * bytes);
            input[j] = load(dtype, padded[j]);
        }
        struct distance d = measure(input, beta);
        longs special = ~(d.size.high < (double)INFINITY);
        for (size_t k = 0; k < left; k++) {
            sum->is_nan =
                sum->is_nan || d.size.high[k] != d.size.high[k] || (special[k] && beta == (double)INFINITY);
            sum->is_infinite = sum->is_infinite || special[k];
            sum->counted += !d.inner[k] && !special[k];
        }
        const doubles zero = broadcast(0);
        doubles high = choose(special, zero, d.size.high), low = choose(special, zero, d.size.low);
        /* Padding is 0 like any other 0. */
        if (beta == (double)INFINITY)
            continue;
        doubles by_high = choose(d.inner, high, broadcast(outer)), by_low = choose(d.inner, low, zero);
        const struct pair product[] = {two_product(high, by_high), two_product(high, by_low),
                                       two_product(low, by_high)};
        for (int k = 0; k < 3; k++) {
            add_lanes(sum, product[k].high);
            add_lanes(sum, product[k].low);
        }
        add_lanes(sum, low * by_low);
    }
}

/* The places of the bits: a number's are those from lowest on and below highest. */
struct span {
    int lowest, highest;
};

static inline struct span span_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    return (struct span){exponent - 52 + __builtin_ctzll(bits | UINT64_C(1) << 52), exponent + 1};
}

/* Where the magnitudes of two registers lie: the least of what is not 0, and the greatest, inverted. */
struct look {
    wide_bits least, greatest_inverse;
};

static inline void look_at(struct look *look, const wide *pair)
{
    for (int i = 0; i < 2; i++) {
        look->least = wide_lesser(look->least, magnitude_order(pair[i]));
        look->greatest_inverse = wide_lesser(look->greatest_inverse, ~((wide_bits)pair[i] & 0x7fffffff));
    }
}

/* The places of all bits of the elements; false where one is infinite or NaN, or all are 0. */
static inline bool find_span(enum arithmetic dtype, const struct look *look, struct span *span)
{
    uint32_t least = UINT32_MAX, greatest = 0;
    for (int i = 0; i < WIDE_LANES; i++) {
        least = look->least[i] < least ? look->least[i] : least;
        greatest = ~look->greatest_inverse[i] > greatest ? ~look->greatest_inverse[i] : greatest;
    }
    if (greatest == 0 || greatest >= 0x7f800000)
        return false;
    const int fraction_bits = dtype == ARITHMETIC_FP32 ? 23 : dtype == ARITHMETIC_FP16 ? 10 : 7;
    int field = (int)((least + 1) >> 24);
    /* Subnormal numbers of fp32 and bf16 have the places of the least normal ones. */
    span->lowest = (field > 0 ? field : 1) - 127 - fraction_bits;
    span->highest = (int)(greatest >> 23) - 126;
    return true;
}

/*
 * Sums in windows of doubles: what is added to the first is a multiple of its unit, and so on, and the last
 * takes what is left. Each has room for 2^9 numbers per lane, LOOK elements in two lanes.
 */
enum { WINDOW_BITS = 43, TWO_WINDOWS = 86, THREE_WINDOWS = 128 };

struct windows {
    doubles sum[3];
    doubles shift[2]; /* 1.5 * 2^52 units: what is added and subtracted is rounded to a unit */
    longs outer;
};

static inline __attribute__((always_inline)) void add_products(struct windows *windows, doubles x, doubles t,
                                                               double beta, double outer, bool has_three)
{
    doubles size = absolute(x - t);
    longs inner = size < beta;
    doubles by = choose(inner, size, broadcast(outer));
    windows->outer += ~inner;
    doubles product = size * by, rest = product_rest(size, by, product);
    doubles part = (product + windows->shift[0]) - windows->shift[0];
    windows->sum[0] += part;
    product -= part;
    if (!has_three) {
        windows->sum[1] += product;
        windows->sum[1] += rest;
        return;
    }
    part = (product + windows->shift[1]) - windows->shift[1];
    windows->sum[1] += part;
    windows->sum[2] += product - part;
    part = (rest + windows->shift[1]) - windows->shift[1];
    windows->sum[1] += part;
    windows->sum[2] += rest - part;
}

/* count elements, a multiple of PAIR_LANES. */
static inline __attribute__((always_inline)) void add_in_windows(enum arithmetic dtype,
                                                                 const char *const *source, size_t count,
                                                                 double beta, double outer, bool has_three,
                                                                 struct windows *windows)
{
    for (size_t i = 0; i < count; i += PAIR_LANES) {
        wide x[2], t[2];
        load_pair(dtype, source[0] + i * bytes_of(dtype), x);
        load_pair(dtype, source[1] + i * bytes_of(dtype), t);
        for (int k = 0; k < 2; k++) {
            floats part[2][2];
            memcpy(part[0], &x[k], sizeof x[k]);
            memcpy(part[1], &t[k], sizeof t[k]);
            for (int j = 0; j < 2; j++)
                add_products(windows, doubles_of(part[0][j]), doubles_of(part[1][j]), beta, outer, has_three);
        }
    }
}

/* At most LOOK elements, a multiple of PAIR_LANES; false, and nothing added, if their bits lie too far apart.
 */
static inline __attribute__((always_inline)) bool add_quickly(enum arithmetic dtype,
                                                              const char *const *source, size_t count,
                                                              double beta, struct exact_sum *sum)
{
    struct look look = {wide_bits_of(UINT32_MAX), wide_bits_of(UINT32_MAX)};
    for (int j = 0; j < 2; j++)
        for (size_t i = 0; i < count; i += PAIR_LANES) {
            wide pair[2];
            load_pair(dtype, source[j] + i * bytes_of(dtype), pair);
            look_at(&look, pair);
        }
    struct span span;
    if (beta == (double)INFINITY || !find_span(dtype, &look, &span))
        return false;
    /* A difference has one place more, and must be a double. */
    span.highest++;
    if (span.highest - span.lowest > 53)
        return false;
    const double outer = beta > 0 ? 2 * beta : 1;
    const struct span by = span_of(outer);
    struct span product = {2 * span.lowest, 2 * span.highest};
    if (beta == 0 || span.highest >= by.highest - 1) { /* beta may be reached */
        product.lowest = beta == 0 || span.lowest > by.lowest ? span.lowest + by.lowest : 2 * span.lowest;
        product.highest = span.highest + (span.highest > by.highest && beta > 0 ? by.highest : span.highest);
        product.highest =
            product.highest > span.highest + by.highest ? product.highest : span.highest + by.highest;
    }
    const int width = product.highest - product.lowest;
    if (width > THREE_WINDOWS)
        return false;
    struct windows windows = {.outer = (longs){0}};
    for (int i = 0; i < 2; i++)
        windows.shift[i] = broadcast(1.5 * power_of_2(52 + product.highest - (i + 1) * WINDOW_BITS));
    if (width <= TWO_WINDOWS)
        add_in_windows(dtype, source, count, beta, outer, false, &windows);
    else
        add_in_windows(dtype, source, count, beta, outer, true, &windows);
    for (int i = 0; i < 3; i++)
        add_lanes(sum, windows.sum[i]);
    for (int i = 0; i < LANES; i++)
        sum->counted += (uint64_t)-windows.outer[i];
    return true;
}

/* Adds s w of every element to the sum, and counts those that are not less than beta. */
static inline __attribute__((always_inline)) void smooth_l1_add(enum arithmetic dtype,
                                                                const void *const *input, size_t count,
                                                                double beta, struct exact_sum *sum)
{
    const size_t bytes = bytes_of(dtype);
    const char *source[2] = {input[0], input[1]};
    while (count > 0) {
        size_t part = count < LOOK ? count / PAIR_LANES * PAIR_LANES : LOOK;
        if (part == 0 || !add_quickly(dtype, source, part, beta, sum)) {
            part = part > 0 ? part : count;
            add_slowly(dtype, source, part, beta, sum);
        }
        for (int j = 0; j < 2; j++)
            source[j] += part * bytes;
        count -= part;
    }
}

#endif
