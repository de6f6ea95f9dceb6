/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum of smooth L1 of elements whose bits lie farther apart than those of a double, up to 84 places: each
 * is two numbers, a multiple of a unit in the middle and what is left of it. With s = s1 + s0 and c = c1 + c0
 * the lesser of s and beta, which is a multiple of the unit,
 *
 *     c (2 s - c) = c1 (2 s1 - c1) + 2 c1 s0 + c0 s0
 *
 * since c0 is s0 or 0, and c1 is s1 where it is s0. Sums of each of the three products have windows of their
 * own.
 */
#ifndef BELAY_SIMD_SMOOTH_L1_LIMBS_H
#define BELAY_SIMD_SMOOTH_L1_LIMBS_H

#include "simd/smooth_l1_windows.h"

enum { LIMB_PRODUCTS = 3, LIMB_BITS = 42 };

/* Sets of sums: as few as have room, as in SETS. */
#if defined(__AVX2__)
enum { LIMB_SETS = 1 };
#else
enum { LIMB_SETS = 2 };
#endif

/* Elements lie below 2^highest, and between the unit, 2^unit, and 2^highest are LIMB_BITS places at most. */
struct limbs {
    struct windows product[LIMB_PRODUCTS];
    int highest, unit;
};

static inline struct limbs no_limbs(void)
{
    return (struct limbs){.highest = INT_MIN / 2};
}

static inline void give_limbs(struct limbs *limbs, struct exact_sum *sum)
{
    for (int j = 0; j < LIMB_PRODUCTS; j++)
        give_windows(&limbs->product[j], sum);
}

/* Whether differences of this span can be added, for which the unit may change. */
static inline bool limbs_have_room(struct limbs *limbs, struct span span, double beta, struct exact_sum *sum)
{
    if (limbs->product[0].looks == LOOKS_MAX)
        give_limbs(limbs, sum);
    if (span.highest <= limbs->highest && limbs->unit - span.lowest <= LIMB_BITS)
        return true;
    if (!(beta > 0))
        return false;
    const int of_beta = span_of(beta).lowest, half = span.lowest + (span.highest - span.lowest + 1) / 2,
              unit = half < of_beta ? half : of_beta;
    if (span.highest - unit > LIMB_BITS || unit - span.lowest > LIMB_BITS)
        return false;
    give_limbs(limbs, sum);
    limbs->highest = unit + LIMB_BITS;
    limbs->unit = unit;
    /* A place more: numbers may be rounded up to the next power of two. */
    limbs->product[0].highest = 2 * limbs->highest + 1;
    limbs->product[1].highest = limbs->highest + unit + 2;
    limbs->product[2].highest = 2 * unit + 1;
    return true;
}

/* Adds a * b to two windows. */
static inline void add_product(doubles a, doubles b, doubles *first, doubles *second)
{
    doubles sum = about_sum(a, b, *first), part = sum - *first;
    *first = sum;
    *second += product_rest(a, b, part);
}

/* count elements, a multiple of PAIR_LANES and at most LOOK. */
static inline __attribute__((always_inline)) void
add_in_limbs(enum arithmetic dtype, const char *const *source, size_t count, double beta, struct limbs *limbs)
{
    const doubles middle = broadcast(1.5 * power_of_2(52 + limbs->unit));
    doubles shift[LIMB_PRODUCTS][2], sum[LIMB_SETS][LIMB_PRODUCTS][2];
    for (int j = 0; j < LIMB_PRODUCTS; j++)
        for (int window = 0; window < 2; window++) {
            /* c1 s0 counts twice: its windows are given for what is twice as much. */
            shift[j][window] = window_shift(limbs->product[j].highest - (j == 1), window);
            for (int k = 0; k < LIMB_SETS; k++)
                sum[k][j][window] = shift[j][window];
        }
    for (size_t i = 0; i < count; i += PAIR_LANES) {
        floats x[PARTS], t[PARTS];
        load_both(dtype, source, i, x, t);
#pragma GCC unroll 4
        for (int k = 0; k < PARTS; k++) {
            const doubles a = doubles_of(x[k]), b = doubles_of(t[k]);
            const doubles a1 = (a + middle) - middle, b1 = (b + middle) - middle;
            const doubles d1 = a1 - b1, d0 = (a - a1) - (b - b1);
            const doubles s1 = absolute(d1), s0 = (doubles)((ulongs)d0 ^ sign_bit(d1));
            /* The sign of a sum is right however it is rounded. Where s1 is 0 that of s0 may be wrong, and s
             * is not above beta. */
            const longs is_inner = (s1 - beta) + s0 < 0;
            const doubles c1 = choose(is_inner, s1, broadcast(beta)), c0 = choose(is_inner, s0, broadcast(0));
            doubles(*product)[2] = sum[k % LIMB_SETS];
            add_product(c1, product_rest(broadcast(2), s1, c1), &product[0][0], &product[0][1]);
            add_product(c1, s0, &product[1][0], &product[1][1]);
            add_product(c0, s0, &product[2][0], &product[2][1]);
        }
    }
    for (int j = 0; j < LIMB_PRODUCTS; j++) {
        for (int k = 0; k < LIMB_SETS; k++)
            for (int window = 0; window < 2; window++)
                limbs->product[j].units[window] += (longs)sum[k][j][window] - (longs)shift[j][window];
        limbs->product[j].looks++;
    }
}

#endif
