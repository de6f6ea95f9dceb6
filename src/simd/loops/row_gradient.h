/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the gradients of normalised rows share. With n = (x - mean) rstd and h = gradient factor, that of the
 * input is
 *
 *     rstd (h - mean of h - n mean of h n)
 */
#ifndef BELAY_SIMD_LOOPS_ROW_GRADIENT_H
#define BELAY_SIMD_LOOPS_ROW_GRADIENT_H

#include "simd/loops/row_moments.h"

/* What the gradient of one row, or of a part of it, is made of. */
struct row_gradient {
    const void *gradient, *x;
    double mean, rstd;
};

/* Two sums over a row: of h = g factor, and of h n, n being the normalised element. */
struct row_sums {
    double h, hn;
};

static inline __attribute__((always_inline)) doubles
row_normal(enum arithmetic dtype, const struct row_gradient *row, size_t i, size_t left)
{
    return (row_load(dtype, row->x, i, left) - row->mean) * row->rstd;
}

/* Adds to some elements of the sums over rows, which may be NULL. */
static inline __attribute__((always_inline)) void row_add(double *sums, size_t i, doubles value, size_t left)
{
    if (sums != NULL)
        row_store(ARITHMETIC_FP64, sums, i, row_load(ARITHMETIC_FP64, sums, i, left) + value, left, false);
}

/* What sums over a row are made of, and what is added to sums over rows. */
struct row_gradient_terms {
    const struct row_gradient *row;
    const void *factor; /* NULL: 1 */
    double *sums_of_normal, *sums_of_gradient;
};

static inline __attribute__((always_inline)) void row_gradient_take(enum arithmetic dtype,
                                                                    const struct row_gradient_terms *terms,
                                                                    size_t i, size_t left, doubles *h_lane,
                                                                    doubles *hn_lane)
{
    const doubles gradient = row_load(dtype, terms->row->gradient, i, left);
    const doubles normal = row_normal(dtype, terms->row, i, left);
    row_add(terms->sums_of_normal, i, gradient * normal, left);
    row_add(terms->sums_of_gradient, i, gradient, left);
    const doubles h = terms->factor != NULL ? gradient * row_load(dtype, terms->factor, i, left) : gradient;
    const doubles hn = h * normal; /* of 0 behind the end, where n may be infinite */
    *h_lane += h;
    *hn_lane += left >= LANES ? hn : choose(row_lanes(left), hn, broadcast(0));
}

/* The sums of h and h n, in the order of row_sum. */
static inline __attribute__((always_inline)) struct row_sums
row_gradient_sums(enum arithmetic dtype, const struct row_gradient_terms *terms, size_t count)
{
    enum { VECTORS = ROW_LANES / LANES };
    doubles h_lane[VECTORS], hn_lane[VECTORS];
    size_t i = 0;
    for (int k = 0; k < VECTORS; k++)
        h_lane[k] = hn_lane[k] = broadcast(0);
    for (; i + ROW_LANES <= count; i += ROW_LANES)
#pragma GCC unroll 16
        for (size_t k = 0; k < VECTORS; k++)
            row_gradient_take(dtype, terms, i + k * LANES, LANES, &h_lane[k], &hn_lane[k]);
    for (size_t k = 0; k < VECTORS && i + k * LANES < count; k++)
        row_gradient_take(dtype, terms, i + k * LANES, count - i - k * LANES, &h_lane[k], &hn_lane[k]);
    return (struct row_sums){row_fold(h_lane), row_fold(hn_lane)};
}

static inline __attribute__((always_inline)) void row_gradient_store_few(enum arithmetic dtype, void *result,
                                                                         const struct row_gradient *row,
                                                                         const void *factor, double number,
                                                                         double scale, struct row_sums mean,
                                                                         size_t i, size_t left)
{
    const doubles gradient = row_load(dtype, row->gradient, i, left);
    const doubles h = gradient * (factor != NULL ? row_load(dtype, factor, i, left) : broadcast(number));
    const doubles rest = h - mean.h - row_normal(dtype, row, i, left) * mean.hn;
    row_store(dtype, result, i, rest * scale, left, true);
}

/* The gradient of the input, given the means of h and h n; h = gradient factor[i], or gradient times a number
 * if that is NULL; scale is rstd, or that times a number. */
static inline __attribute__((always_inline)) void
row_gradient_store(enum arithmetic dtype, void *result, const struct row_gradient *row, const void *factor,
                   double number, double scale, struct row_sums mean, size_t count)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        row_gradient_store_few(dtype, result, row, factor, number, scale, mean, i, LANES);
    if (i < count)
        row_gradient_store_few(dtype, result, row, factor, number, scale, mean, i, count - i);
}

#endif
