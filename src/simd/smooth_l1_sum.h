/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The exact sum of smooth L1: of s w with s = |self - target|, and w = s where s < beta, 2 beta elsewhere (1
 * for beta = 0, which nothing is less than). Elements are mostly so close to one another in size that two
 * doubles per lane hold their sum (in 16 bits two integers); as they lie farther apart it takes six, or more,
 * up to fourteen. Those of a look with an infinity or NaN are added one by one.
 */
#ifndef BELAY_SIMD_SMOOTH_L1_SUM_H
#define BELAY_SIMD_SMOOTH_L1_SUM_H

#include <limits.h>
#include <math.h>

#include "ops/exact_sum.h"
#include "simd/exceptions.h"
#include "simd/map.h"
#include "simd/smooth_l1_fixed.h"
#include "simd/smooth_l1_limbs.h"
#include "simd/smooth_l1_windows.h"

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

static inline void add_lanes(struct exact_sum *sum, doubles value)
{
    for (int i = 0; i < LANES; i++)
        if (value[i] != 0)
            exact_sum_add(sum, value[i]);
}

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

/*
 * As many windows as there may be bits. Each has room for all numbers of a look, five of an element, of
 * which a lane of two has 2^9 elements and one of eight 2^7: sums are below 2^53 units.
 */
#if defined(__AVX512F__)
enum { SCATTERED_BITS = 43 };
#elif defined(__AVX2__)
enum { SCATTERED_BITS = 42 };
#else
enum { SCATTERED_BITS = 41 };
#endif
enum { SCATTERED_WINDOWS = 14 };

struct scattered {
    int windows;
    doubles shift[SCATTERED_WINDOWS], sum[SCATTERED_WINDOWS];
};

/* The terms of a product of pairs, from the greatest on. */
enum { WHOLE, REST, CROSS, CROSS_REST, SQUARE, TERMS };

/* Takes what the window holds of so many terms, a constant. */
static inline __attribute__((always_inline)) void fill_window(struct scattered *scattered, int window,
                                                              doubles *term, int terms)
{
    const doubles shift = scattered->shift[window];
    doubles sum = broadcast(0);
#pragma GCC unroll 5
    for (int j = 0; j < terms; j++) {
        doubles part = (term[j] + shift) - shift;
        term[j] -= part;
        sum += part;
    }
    scattered->sum[window] += sum;
}

/* All TERMS, or the first two. Rest and cross are below 2^-52 of the first window, which is nothing there,
 * and what comes after them is below 2^-104, nothing in the second. The last window takes what is left. */
static inline __attribute__((always_inline)) void add_scattered(struct scattered *scattered, doubles *term,
                                                                int terms)
{
    const int last = scattered->windows - 1;
    if (last > 0)
        fill_window(scattered, 0, term, 1);
    if (last > 1)
        fill_window(scattered, 1, term, terms > 2 ? 3 : 2);
    for (int k = 2; k < last; k++)
        fill_window(scattered, k, term, terms);
    doubles sum = broadcast(0);
#pragma GCC unroll 5
    for (int j = 0; j < terms; j++)
        sum += term[j];
    scattered->sum[last] += sum;
}

/*
 * The same for any finite elements, whose differences need not be doubles: every product of (high + low) with
 * itself or 2 beta. low, what the lesser of self and target does not share with their difference, has 24 bits
 * at most, as 2 beta has: its square, and its product with 2 beta, are doubles.
 */
static inline __attribute__((always_inline)) void add_in_many(enum arithmetic dtype,
                                                              const char *const *source, size_t count,
                                                              double beta, double outer, struct span product,
                                                              struct exact_sum *total, longs *counted)
{
    const doubles zero = broadcast(0);
    struct scattered scattered;
    scattered.windows = (product.highest - product.lowest + SCATTERED_BITS - 1) / SCATTERED_BITS;
    for (int k = 0; k < scattered.windows; k++) {
        scattered.shift[k] = broadcast(1.5 * power_of_2(52 + product.highest - (k + 1) * SCATTERED_BITS));
        scattered.sum[k] = zero;
    }
    for (size_t i = 0; i < count; i += PAIR_LANES) {
        floats x[PARTS], t[PARTS];
        load_parts(dtype, source[0] + i * bytes_of(dtype), x);
        load_parts(dtype, source[1] + i * bytes_of(dtype), t);
        for (int k = 0; k < PARTS; k++) {
            const doubles input[2] = {doubles_of(x[k]), doubles_of(t[k])};
            struct distance d = measure(input, beta);
            *counted -= ~d.inner;
            doubles by = choose(d.inner, d.size.high, broadcast(outer)), term[TERMS];
            term[WHOLE] = d.size.high * by;
            term[REST] = product_rest(d.size.high, by, term[WHOLE]);
            if (!any(d.size.low != 0)) {
                add_scattered(&scattered, term, CROSS);
                continue;
            }
            doubles low = choose(d.inner, 2 * d.size.low, d.size.low);
            term[CROSS] = low * by;
            term[CROSS_REST] = product_rest(low, by, term[CROSS]);
            term[SQUARE] = choose(d.inner, d.size.low * d.size.low, zero);
            add_scattered(&scattered, term, TERMS);
        }
    }
    for (int k = 0; k < scattered.windows; k++)
        add_lanes(total, scattered.sum[k]);
}

/* What goes on from look to look. */
struct running {
    struct windows windows;
    struct fixed_sum fixed;
    struct limbs limbs;
    longs counted;
    bool may_trust;  /* exceptions tell */
    bool is_trusted; /* the last elements were added exactly, by what was known of those before */
};

/* Fewer elements are looked at: to find out whether exceptions tell takes a twentieth of the time of LOOK. */
enum { TRUST_MIN = 2 * LOOK };

/* At most LOOK elements, a multiple of PAIR_LANES; false, and nothing added, if one is not finite or beta is
 * not. */
static inline __attribute__((always_inline)) bool add_quickly(enum arithmetic dtype,
                                                              const char *const *source, size_t count,
                                                              double beta, struct running *running,
                                                              struct exact_sum *sum)
{
    struct windows *windows = &running->windows;
    if (running->is_trusted && dtype == ARITHMETIC_FP32 && windows->looks == LOOKS_MAX)
        give_windows(windows, sum);
    if (running->is_trusted)
        running->is_trusted = dtype == ARITHMETIC_FP32
                                  ? add_exactly(source, count, beta, windows)
                                  : fixed_add(dtype, source, count, false, &running->fixed);
    if (running->is_trusted)
        return true;
    struct span span;
    if (beta == (double)INFINITY || !find_span(dtype, source, count, &span))
        return false;
    /* A difference has one place more, and must be a double. */
    span.highest++;
    if (dtype != ARITHMETIC_FP32 && fixed_has_room(&running->fixed, span, sum)) {
        running->is_trusted = running->may_trust;
        return fixed_add(dtype, source, count, true, &running->fixed);
    }
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
    if (width > TWO_WINDOWS || span.highest - span.lowest > 53) {
        if (limbs_have_room(&running->limbs, span, beta, sum))
            add_in_limbs(dtype, source, count, beta, &running->limbs);
        else
            add_in_many(dtype, source, count, beta, outer, product, sum, &running->counted);
        return true;
    }
    if (product.highest > windows->highest || product.lowest < windows->highest - TWO_WINDOWS ||
        windows->looks == LOOKS_MAX) {
        give_windows(windows, sum);
        /* A place more, so that a greater element does not change it at once. */
        windows->highest = product.highest + (width < TWO_WINDOWS);
    }
    if (dtype == ARITHMETIC_FP32 && running->may_trust && beta > 0) {
        running->is_trusted = add_exactly(source, count, beta, windows);
        if (running->is_trusted)
            return true;
    }
    add_in_two(dtype, source, count, beta, outer, windows, &running->counted);
    return true;
}

/* Adds s w of every element to the sum, and counts those that are not less than beta. */
static inline __attribute__((always_inline)) void smooth_l1_add(enum arithmetic dtype,
                                                                const void *const *input, size_t count,
                                                                double beta, struct exact_sum *sum)
{
    const size_t bytes = bytes_of(dtype);
    const char *source[2] = {input[0], input[1]};
    struct running running = {.windows = no_windows(),
                              .fixed = no_fixed_sum(beta),
                              .limbs = no_limbs(),
                              .may_trust = count >= TRUST_MIN && exceptions_tell()};
    char last[2][PAIR_LANES * sizeof(float)] = {{0}};
    while (count > 0) {
        size_t part = count < LOOK ? count / PAIR_LANES * PAIR_LANES : LOOK;
        if (part ==
            0) { /* zeros are neither in the sum nor counted, but for beta = 0, which counts nothing */
            for (int j = 0; j < 2; j++)
                source[j] = memcpy(last[j], source[j], count * bytes);
            part = count = PAIR_LANES;
        }
        if (!add_quickly(dtype, source, part, beta, &running, sum))
            add_slowly(dtype, source, part, beta, sum);
        for (int j = 0; j < 2; j++)
            source[j] += part * bytes;
        count -= part;
    }
    give_windows(&running.windows, sum);
    give_fixed(&running.fixed, sum);
    give_limbs(&running.limbs, sum);
    for (int i = 0; i < LANES; i++)
        sum->counted += (uint64_t)running.counted[i];
}

#endif
