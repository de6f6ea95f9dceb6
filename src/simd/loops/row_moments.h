/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The mean of a row, and its variance divided by the number of elements: of nothing 0 and NaN.
 *
 * With any shift near the mean, variance = (sum of (x - shift)^2 - (sum of (x - shift))^2 / n) / n takes one
 * pass. The shift is the mean of the first s elements: from the mean of all it is no farther than
 * sqrt(n / s) standard deviations, so that the difference loses no more than the factor 1 + n / s, which is
 * 1025 at most, of what the sums have in doubles. Longer rows take two passes, and so do those with numbers
 * that are not finite, or too large to be squared.
 */
#ifndef BELAY_SIMD_LOOPS_ROW_MOMENTS_H
#define BELAY_SIMD_LOOPS_ROW_MOMENTS_H

#include <math.h>

#include "simd/loops/row.h"

enum { ROW_SHIFT_ELEMENTS = 64, ROW_ONE_PASS_MAX = 1 << 16 };

/* The mean of a row, and the mean of (x - mean)^2. */
struct row_moments {
    double mean, variance;
};

struct row_moment_lanes {
    doubles sum[ROW_LANES / LANES], distance[ROW_LANES / LANES], square[ROW_LANES / LANES];
};

/* Lanes of a sum, added by halves. */
static inline __attribute__((always_inline)) double row_fold(doubles *lane)
{
    for (int half = ROW_LANES / LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] += lane[k + half];
    for (size_t half = LANES / 2; half > 0; half /= 2)
        lane[0] += (doubles)upper_half((longs)lane[0], half);
    return lane[0][0];
}

/* Takes LANES elements or fewer into lane k of the three sums: of x, of d = x - shift and of d^2. */
static inline __attribute__((always_inline)) void row_moments_take(enum arithmetic dtype, const void *x,
                                                                   double shift, size_t i, size_t left,
                                                                   size_t k, struct row_moment_lanes *lanes)
{
    const doubles value = row_load(dtype, x, i, left);
    doubles distance = value - shift;
    if (left < LANES)
        distance = choose(row_lanes(left), distance, broadcast(0));
    lanes->sum[k] += value;
    lanes->distance[k] += distance;
    lanes->square[k] += distance * distance;
}

/*
 * In one pass about a shift s, the mean of the first elements: with d = x - s the variance is (sum of d^2 -
 * (sum of d)^2 / n) / n, which cancels little as s is near the mean (T. F. Chan, G. H. Golub, R. J. LeVeque,
 * Algorithms for Computing the Sample Variance, 1983). Long rows, and those whose squares overflow, take two
 * passes.
 */
static inline __attribute__((always_inline)) struct row_moments row_moments(enum arithmetic dtype,
                                                                            const void *x, size_t count)
{
    enum { VECTORS = ROW_LANES / LANES };
    const double n = (double)count;
    if (count == 0)
        return (struct row_moments){0, (double)NAN};
    if (count <= ROW_ONE_PASS_MAX) {
        const size_t first = count < ROW_SHIFT_ELEMENTS ? count : ROW_SHIFT_ELEMENTS;
        const double shift = row_sum(dtype, x, first, NULL, row_itself, 0) / (double)first;
        struct row_moment_lanes lanes;
        size_t i = 0;
        for (size_t k = 0; k < VECTORS; k++)
            lanes.sum[k] = lanes.distance[k] = lanes.square[k] = broadcast(0);
        for (; i + ROW_LANES <= count; i += ROW_LANES)
#pragma GCC unroll 16
            for (size_t k = 0; k < VECTORS; k++)
                row_moments_take(dtype, x, shift, i + k * LANES, LANES, k, &lanes);
        for (size_t k = 0; k < VECTORS && i + k * LANES < count; k++)
            row_moments_take(dtype, x, shift, i + k * LANES, count - i - k * LANES, k, &lanes);
        const double distance = row_fold(lanes.distance), square = row_fold(lanes.square);
        const double variance = (square - distance * distance / n) / n;
        if (variance < (double)INFINITY)
            return (struct row_moments){row_fold(lanes.sum) / n, variance > 0 ? variance : 0};
    }
    const double mean = row_sum(dtype, x, count, NULL, row_itself, 0) / n;
    return (struct row_moments){mean, row_sum(dtype, x, count, NULL, row_square, mean) / n};
}

/* One element of what has one for a row, or a number where it was not given. */
static inline __attribute__((always_inline)) double row_single(enum arithmetic dtype, const void *row,
                                                               double otherwise)
{
    return row != NULL ? row_load(dtype, row, 0, 1)[0] : otherwise;
}

static inline __attribute__((always_inline)) void row_store_single(enum arithmetic dtype, void *row,
                                                                   double value)
{
    if (row != NULL)
        row_store(dtype, row, 0, broadcast(value), 1, true);
}

/* y = (x - mean) rstd weight + bias, of elements of their own or, where those are NULL, numbers. */
struct row_scale {
    double mean, rstd, weight, bias;
    const void *weights, *biases;
};

static inline __attribute__((always_inline)) void row_normalise_few(enum arithmetic dtype, void *y,
                                                                    const void *x,
                                                                    const struct row_scale *scale, size_t i,
                                                                    size_t left)
{
    doubles value = (row_load(dtype, x, i, left) - scale->mean) * scale->rstd;
    value *= scale->weights != NULL ? row_load(dtype, scale->weights, i, left) : broadcast(scale->weight);
    value += scale->biases != NULL ? row_load(dtype, scale->biases, i, left) : broadcast(scale->bias);
    row_store(dtype, y, i, value, left, true);
}

/* (x - mean) rstd weight + bias, in this order, each step rounded in doubles. */
static inline __attribute__((always_inline)) void row_normalise(enum arithmetic dtype, void *y, const void *x,
                                                                const struct row_scale *scale, size_t count)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        row_normalise_few(dtype, y, x, scale, i, LANES);
    if (i < count)
        row_normalise_few(dtype, y, x, scale, i, count - i);
}

#endif
