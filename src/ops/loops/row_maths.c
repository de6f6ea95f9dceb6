/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of rows of doubles, compiled once for each instruction-set level.
 */
#include "ops/loops/row_maths.h"

#ifdef KERNEL_PASS
#include "simd/loops/row.h"
#include "simd/maths/arc.h"
#include "simd/maths/circle.h"
#include "simd/maths/error_function.h"
#include "simd/maths/exponential.h"
#include "simd/maths/logarithm.h"
#include "simd/maths/logistic.h"
#include "simd/vector/level_table.h"

static inline __attribute__((always_inline)) void map_row(double *x, uint64_t count,
                                                          doubles (*function)(doubles))
{
    for (uint64_t i = 0; i < count; i += LANES)
        row_store(ARITHMETIC_FP64, x, i, function(row_load(ARITHMETIC_FP64, x, i, count - i)), count - i,
                  true);
}

static void exponential(double *x, uint64_t count)
{
    map_row(x, count, maths_exp);
}

static void logarithm(double *x, uint64_t count)
{
    map_row(x, count, maths_log);
}

static void logistic_of_row(double *x, uint64_t count)
{
    map_row(x, count, logistic);
}

static void error_complement(double *x, uint64_t count)
{
    map_row(x, count, maths_erfc);
}

static void arctangent(double *x, uint64_t count)
{
    map_row(x, count, maths_atan);
}

static void sine(double *x, uint64_t count)
{
    map_row(x, count, maths_sin);
}

static void cosine(double *x, uint64_t count)
{
    map_row(x, count, maths_cos);
}

static void tangent(double *x, uint64_t count)
{
    map_row(x, count, maths_tan);
}

/* 16 sums side by side, whatever the vectors' length is, and merged by halves. */
static double dot(const double *x, const double *y, uint64_t count)
{
    enum { SUMS = 16, VECTORS = SUMS / LANES };
    doubles lane[VECTORS];
    for (int k = 0; k < VECTORS; k++)
        lane[k] = broadcast(0);
    for (uint64_t i = 0; i < count; i += SUMS)
        for (uint64_t k = 0; k < VECTORS && i + k * LANES < count; k++) {
            const uint64_t at = i + k * LANES;
            const doubles product =
                row_load(ARITHMETIC_FP64, x, at, count - at) * row_load(ARITHMETIC_FP64, y, at, count - at);
            lane[k] += choose(row_lanes(count - at), product, broadcast(0));
        }
    for (int half = VECTORS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] += lane[k + half];
    for (size_t half = LANES / 2; half > 0; half /= 2)
        lane[0] += (doubles)upper_half((longs)lane[0], half);
    return lane[0][0];
}

static void add_scaled(double *sums, const double *x, double factor, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += LANES)
        row_store(ARITHMETIC_FP64, sums, i,
                  row_load(ARITHMETIC_FP64, sums, i, count - i) +
                      row_load(ARITHMETIC_FP64, x, i, count - i) * broadcast(factor),
                  count - i, true);
}

static void turn_halves(const double *x, const double *cosine, const double *sine, uint64_t half, double *to)
{
    for (uint64_t i = 0; i < half; i += LANES) {
        const uint64_t left = half - i;
        const doubles a = row_load(ARITHMETIC_FP64, x, i, left),
                      b = row_load(ARITHMETIC_FP64, x + half, i, left),
                      first = a * row_load(ARITHMETIC_FP64, cosine, i, left) -
                              b * row_load(ARITHMETIC_FP64, sine, i, left),
                      second = b * row_load(ARITHMETIC_FP64, cosine + half, i, left) +
                               a * row_load(ARITHMETIC_FP64, sine + half, i, left);
        row_store(ARITHMETIC_FP64, to, i, first, left, true);
        row_store(ARITHMETIC_FP64, to + half, i, second, left, true);
    }
}

extern const struct row_maths AT_LEVEL(row_maths);
const struct row_maths AT_LEVEL(row_maths) = {.exponential = exponential,
                                              .logarithm = logarithm,
                                              .logistic = logistic_of_row,
                                              .error_complement = error_complement,
                                              .arctangent = arctangent,
                                              .sine = sine,
                                              .cosine = cosine,
                                              .tangent = tangent,
                                              .dot = dot,
                                              .turn_halves = turn_halves,
                                              .add_scaled = add_scaled};

#endif
