/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of products of doubles in two windows: what there is to the sum of smooth L1 of ordinary elements.
 */
#ifndef BELAY_SIMD_SMOOTH_L1_WINDOWS_H
#define BELAY_SIMD_SMOOTH_L1_WINDOWS_H

#include <limits.h>

#include "ops/exact_sum.h"
#include "simd/exceptions.h"
#include "simd/map.h"
#include "simd/smooth_l1_fixed.h"

/* Of a number that is not 0. */
static inline struct span span_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    return (struct span){exponent - 52 + __builtin_ctzll(bits | UINT64_C(1) << 52), exponent + 1};
}

/*
 * Sums in windows of doubles: what is added to the first is a multiple of its unit, and so on, and the last
 * takes what is left. Each has room for 2^9 numbers per lane, LOOK elements in two lanes.
 */
enum { WINDOW_BITS = 43, TWO_WINDOWS = 86 };

/* 1.5 * 2^52 units of the window: the last bit of a sum with it is a unit. */
static inline doubles window_shift(int highest, int window)
{
    return broadcast(1.5 * power_of_2(52 + highest - (window + 1) * WINDOW_BITS));
}

/* Two windows that go on from look to look, in units below 2^highest; those of one look are below 2^53. */
struct windows {
    longs units[2];
    int highest;
    unsigned looks;
};

enum { LOOKS_MAX = 512 };

static inline struct windows no_windows(void)
{
    return (struct windows){.highest = INT_MIN / 2};
}

static __attribute__((noinline)) void give_windows(struct windows *windows, struct exact_sum *sum)
{
    if (windows->looks == 0)
        return;
    for (int k = 0; k < 2; k++) {
        __extension__ __int128 units = 0;
        for (int i = 0; i < LANES; i++)
            units += windows->units[k][i];
        exact_sum_add_units(sum, units, windows->highest - (k + 1) * WINDOW_BITS);
    }
    windows->units[0] = windows->units[1] = (longs){0};
    windows->looks = 0;
}

/* s and w of a lane; counts those that are not less than beta. */
struct factors {
    doubles size, by;
};

static inline __attribute__((always_inline)) struct factors factors_of(doubles x, doubles t, double beta,
                                                                       double outer, longs *counted)
{
    const doubles size = absolute(x - t);
#if defined(__AVX512F__)
    __mmask8 is_outer = _mm512_cmp_pd_mask((__m512d)size, _mm512_set1_pd(beta), _CMP_NLT_UQ);
    *counted =
        (longs)_mm512_mask_add_epi64((__m512i)*counted, is_outer, (__m512i)*counted, _mm512_set1_epi64(1));
    return (struct factors){size,
                            (doubles)_mm512_mask_mov_pd((__m512d)size, is_outer, _mm512_set1_pd(outer))};
#else
    longs inner = size < beta;
    *counted -= ~inner;
    return (struct factors){size, choose(inner, size, broadcast(outer))};
#endif
}

enum { PARTS = PAIR_LANES / LANES };

/* The four parts of a pair of registers, LANES elements each. */
static inline __attribute__((always_inline)) void load_parts(enum arithmetic dtype, const char *source,
                                                             floats *part)
{
    if (dtype == ARITHMETIC_FP32) { /* straight from memory: parts of a register would go through the stack */
#pragma GCC unroll 4
        for (int k = 0; k < PARTS; k++)
            memcpy(&part[k], source + (size_t)k * sizeof *part, sizeof *part);
        return;
    }
    wide pair[2];
    load_pair(dtype, source, pair);
    memcpy(part, pair, sizeof pair);
}

/* The parts of both inputs from element i on; what the next look is to read is asked for. */
static inline __attribute__((always_inline)) void load_both(enum arithmetic dtype, const char *const *source,
                                                            size_t i, floats *x, floats *t)
{
    load_parts(dtype, source[0] + i * bytes_of(dtype), x);
    load_parts(dtype, source[1] + i * bytes_of(dtype), t);
    ask_for_next(dtype, source, i);
}

/* Sums of a window that do not wait for one another, as many as there are registers for. At most 2^8 numbers
 * of a look go to each: below 2^51 units. */
#if defined(__AVX512F__)
enum { SETS = 4 };
#else
enum { SETS = 2 };
#endif

/* count elements, a multiple of PAIR_LANES; counted: by lane. */
static inline __attribute__((always_inline)) void add_in_two(enum arithmetic dtype, const char *const *source,
                                                             size_t count, double beta, double outer,
                                                             struct windows *windows, longs *counted)
{
    const doubles shift[2] = {window_shift(windows->highest, 0), window_shift(windows->highest, 1)};
    doubles first[SETS], second[SETS];
#pragma GCC unroll 4
    for (int k = 0; k < SETS; k++) {
        first[k] = shift[0];
        second[k] = shift[1];
    }
    for (size_t i = 0; i < count; i += PAIR_LANES) {
        floats x[PARTS], t[PARTS];
        load_both(dtype, source, i, x, t);
#pragma GCC unroll 4
        for (int k = 0; k < PARTS; k++) {
            struct factors f = factors_of(doubles_of(x[k]), doubles_of(t[k]), beta, outer, counted);
            /* What the first takes is a multiple of its unit, and all that is left is a double. */
            doubles sum = about_sum(f.size, f.by, first[k % SETS]), part = sum - first[k % SETS];
            first[k % SETS] = sum;
            second[k % SETS] += product_rest(f.size, f.by, part);
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < SETS; k++) {
        windows->units[0] += (longs)first[k] - (longs)shift[0];
        windows->units[1] += (longs)second[k] - (longs)shift[1];
    }
    windows->looks++;
}

#if defined(__AVX512F__)

/*
 * The same without a look at the elements before and without a count: with c the lesser of s and beta, c (2 s
 * - c) is s w, less beta^2 where s is not below beta. Each operation is exact or raises an exception, but for
 * the one that adds to the first window, which raises none; and sums only grow. False, and nothing added, if
 * something was rounded or there was no room.
 */
static inline bool add_exactly(const char *const *source, size_t count, double beta, struct windows *windows)
{
    const __m512d bound = _mm512_set1_pd(beta), two = _mm512_set1_pd(2);
    const doubles shift[2] = {window_shift(windows->highest, 0), window_shift(windows->highest, 1)};
    doubles first[SETS], second[SETS];
#pragma GCC unroll 4
    for (int k = 0; k < SETS; k++) {
        first[k] = shift[0];
        second[k] = shift[1];
    }
    forget_exceptions();
    for (size_t i = 0; i < count; i += PAIR_LANES) {
        floats x[PARTS], t[PARTS];
        load_both(ARITHMETIC_FP32, source, i, x, t);
#pragma GCC unroll 4
        for (int k = 0; k < PARTS; k++) {
            /* The lesser magnitude, with the sign of d; of NaN beta, but then the factor is NaN. */
            const __m512d d = (__m512d)(doubles_of(x[k]) - doubles_of(t[k]));
            const __m512d lesser = _mm512_range_pd(d, bound, 2), by = _mm512_fmsub_pd(two, d, lesser);
            const doubles sum = (doubles)_mm512_fmadd_round_pd(lesser, by, (__m512d)first[k],
                                                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
            const doubles part = sum - first[k];
            first[k] = sum;
            second[k] += (doubles)_mm512_fmsub_pd(lesser, by, (__m512d)part);
        }
    }
    ulongs beyond = {0}; /* where the exponent is another one */
#pragma GCC unroll 4
    for (int k = 0; k < SETS; k++) {
        COMPUTE_HERE(first[k]);
        COMPUTE_HERE(second[k]);
        beyond |= (ulongs)first[k] ^ (ulongs)shift[0];
    }
    if (exceptions_raised() || any((longs)(beyond >> 52) != 0))
        return false;
#pragma GCC unroll 4
    for (int k = 0; k < SETS; k++) {
        windows->units[0] += (longs)first[k] - (longs)shift[0];
        windows->units[1] += (longs)second[k] - (longs)shift[1];
    }
    windows->looks++;
    return true;
}

#else

/* Without operations that raise no exceptions. */
static inline bool add_exactly(const char *const *source, size_t count, double beta, struct windows *windows)
{
    (void)source, (void)count, (void)beta, (void)windows;
    return false;
}

#endif

#endif
