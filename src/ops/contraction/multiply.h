/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The innermost loop of contraction: a few rows of the left matrix times one panel of the right one, along
 * one block of the common dim, with all sums in registers.
 *
 * Each sum is a chain of fused multiply-adds in increasing order of the common dim that begins at +0. How
 * many rows and columns are computed together, and how they lie in memory, changes nothing about it.
 */
#ifndef BELAY_OPS_CONTRACTION_MULTIPLY_H
#define BELAY_OPS_CONTRACTION_MULTIPLY_H

#include "ops/contraction/contraction.h"
#include "ops/contraction/vectors.h"

/*
 * Rows at a time. Sums take two registers a row, beside two of the right panel and one of the left; 14 * 2 +
 * 3 of 32 registers, 6 * 2 + 3 of 16. Without an instruction for it a fused multiply-add takes all registers.
 * Doubles take twice as many.
 */
#if defined(__AVX512F__)
enum { ROWS_MAX = 14, ROWS_DIRECT = 8, ROWS_EXACT = 6 };
#elif defined(__AVX2__)
enum { ROWS_MAX = 6, ROWS_DIRECT = 6, ROWS_EXACT = 2 };
#elif defined(__aarch64__)
enum { ROWS_MAX = 8, ROWS_DIRECT = 8, ROWS_EXACT = 6 };
#else
enum { ROWS_MAX = 2, ROWS_DIRECT = 2, ROWS_EXACT = 2 };
#endif

/* left_lane is the step's, or a constant: compiled for either. */
static ALWAYS_INLINE void multiply(const struct contraction_step *step, int64_t left_lane, int rows,
                                   int vectors)
{
    const float *left = step->left, *right = (const float *)step->right;
    const int64_t left_step = step->left_step, right_step = step->right_step;
    vector sum[ROWS_MAX][2];
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sum[i][v] = (vector){0};

    for (uint32_t k = step->depth; k > 0; k--) {
        vector column[2];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            column[v] = load_floats(right + v * VECTOR_LANES);
#pragma GCC unroll 14
        for (int i = 0; i < rows; i++) {
            vector row = vector_of(left[i * left_lane]);
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++)
                sum[i][v] = fused(row, column[v], sum[i][v]);
        }
        left += left_step;
        right += right_step;
    }

    float *to = (float *)step->sums;
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) {
            float *place = to + v * VECTOR_LANES;
            store_floats(place, step->adds ? load_floats(place) + sum[i][v] : sum[i][v]);
        }
        to += step->sums_step;
    }
}

/* The same in doubles, for BELAY_ACCURACY=exact. */
static ALWAYS_INLINE void multiply_doubles(const struct contraction_step *step, int64_t left_lane, int rows,
                                           int vectors)
{
    enum { DOUBLES = VECTOR_LANES / 2 };
    const float *left = step->left, *right = (const float *)step->right;
    const int64_t left_step = step->left_step, right_step = step->right_step;
    doubles sum[ROWS_EXACT][4];
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int v = 0; v < 2 * vectors; v++)
            sum[i][v] = (doubles){0};

    for (uint32_t k = step->depth; k > 0; k--) {
        doubles column[4];
#pragma GCC unroll 4
        for (int v = 0; v < 2 * vectors; v++)
            column[v] = load_as_doubles(right + v * DOUBLES);
#pragma GCC unroll 6
        for (int i = 0; i < rows; i++) {
            doubles row = broadcast((double)left[i * left_lane]);
#pragma GCC unroll 4
            for (int v = 0; v < 2 * vectors; v++)
                sum[i][v] = fused_doubles(row, column[v], sum[i][v]);
        }
        left += left_step;
        right += right_step;
    }

    double *to = (double *)step->sums;
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (int v = 0; v < 2 * vectors; v++) {
            double *place = to + v * DOUBLES;
            store_doubles(place, step->adds ? load_doubles(place) + sum[i][v] : sum[i][v]);
        }
        to += step->sums_step;
    }
}

/* Rows of consecutive elements, as packed panels have them; rows apart; and the exact form of both. */
#define MULTIPLY_ROWS(rows, vectors)                                                  \
    static void multiply_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                 \
        multiply(step, 1, rows, vectors);                                             \
    }
#define MULTIPLY_DIRECT(rows, vectors)                                                       \
    static void multiply_direct_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                        \
        multiply(step, step->left_lane, rows, vectors);                                      \
    }
#define MULTIPLY_EXACT(rows, vectors)                                                       \
    static void multiply_exact_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                       \
        multiply_doubles(step, step->left_lane, rows, vectors);                             \
    }
#define ENTRY_ROWS(rows, vectors)   [vectors - 1][rows - 1] = multiply_##rows##_rows_##vectors,
#define ENTRY_DIRECT(rows, vectors) [vectors - 1][rows - 1] = multiply_direct_##rows##_rows_##vectors,
#define ENTRY_EXACT(rows, vectors)  [vectors - 1][rows - 1] = multiply_exact_##rows##_rows_##vectors,

#define FOR_ROW(rows, X) X(rows, 1) X(rows, 2)
#define FOR_2_ROWS(X)    FOR_ROW(1, X) FOR_ROW(2, X)
#define FOR_6_ROWS(X)    FOR_2_ROWS(X) FOR_ROW(3, X) FOR_ROW(4, X) FOR_ROW(5, X) FOR_ROW(6, X)
#define FOR_8_ROWS(X)    FOR_6_ROWS(X) FOR_ROW(7, X) FOR_ROW(8, X)
#define FOR_14_ROWS(X) \
    FOR_8_ROWS(X)      \
    FOR_ROW(9, X) FOR_ROW(10, X) FOR_ROW(11, X) FOR_ROW(12, X) FOR_ROW(13, X) FOR_ROW(14, X)
#if defined(__AVX512F__)
#define FOR_ROWS(X)        FOR_14_ROWS(X)
#define FOR_DIRECT_ROWS(X) FOR_8_ROWS(X)
#define FOR_EXACT_ROWS(X)  FOR_6_ROWS(X)
#elif defined(__AVX2__)
#define FOR_ROWS(X)        FOR_6_ROWS(X)
#define FOR_DIRECT_ROWS(X) FOR_6_ROWS(X)
#define FOR_EXACT_ROWS(X)  FOR_2_ROWS(X)
#elif defined(__aarch64__)
#define FOR_ROWS(X)        FOR_8_ROWS(X)
#define FOR_DIRECT_ROWS(X) FOR_8_ROWS(X)
#define FOR_EXACT_ROWS(X)  FOR_6_ROWS(X)
#else
#define FOR_ROWS(X)        FOR_2_ROWS(X)
#define FOR_DIRECT_ROWS(X) FOR_2_ROWS(X)
#define FOR_EXACT_ROWS(X)  FOR_2_ROWS(X)
#endif

FOR_ROWS(MULTIPLY_ROWS)
FOR_DIRECT_ROWS(MULTIPLY_DIRECT)
FOR_EXACT_ROWS(MULTIPLY_EXACT)

#endif
