/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The innermost loop of contraction: a few rows of the left matrix times one panel of the right one, along
 * one block of the common dim, with all sums in registers.
 *
 * Each sum is a chain of fused multiply-adds that begins at +0, in increasing order of the common dim, or, where
 * a step takes pairs, with the second of each two first. How many rows and columns are computed together, and how
 * they lie in memory, changes nothing about it.
 */
#ifndef BELAY_OPS_CONTRACTION_MULTIPLY_H
#define BELAY_OPS_CONTRACTION_MULTIPLY_H

#include "ops/contraction/contraction.h"
#include "ops/contraction/element.h"

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

/* The sums of a step's last block, which are its results: the last vector may have less columns. */
static ALWAYS_INLINE void store_rows(const struct contraction_step *step, int rows, int vectors,
                                     vector (*sum)[2], aclDataType dtype)
{
    const int64_t bytes = VECTOR_LANES * (dtype == ACL_FLOAT ? 4 : 2);
    const uint32_t last = step->columns - (uint32_t)(vectors - 1) * VECTOR_LANES;
    const bool adds = step->adds;
    const int64_t sums_step = step->sums_step, out_bytes = step->out_bytes, self_bytes = step->self_bytes;
    const float *earlier = (const float *)step->sums;
    const unsigned char *self = step->self;
    unsigned char *to = step->out;
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) {
            const uint32_t count = v + 1 < vectors ? VECTOR_LANES : last;
            vector value = sum[i][v];
            if (adds)
                value = load_floats(earlier + v * VECTOR_LANES) + value;
            if (self != NULL)
                value += read_elements(self + v * VECTOR_LANES * 4, ACL_FLOAT, 1, count);
            store_results(to + v * bytes, dtype, vector_canonical(value), count);
        }
        self = self != NULL ? self + self_bytes : NULL;
        earlier += sums_step;
        to += out_bytes;
    }
}

/* What stands in tables: where a step finds its columns, and its rows as well. */
enum places { NO_PLACES, RIGHT_PLACES, ALL_PLACES };

/* Adds the products of all steps. Everything but the step and the sums is a constant; left_lane may be the step's. */
static ALWAYS_INLINE void add_products(const struct contraction_step *step, int64_t left_lane, int rows,
                                       int vectors, enum places places, aclDataType columns_dtype,
                                       bool takes_pairs, vector (*sum)[2])
{
    const int64_t bytes = columns_dtype == ACL_FLOAT ? 4 : 2;
    const bool has_places = places != NO_PLACES, has_left_places = places == ALL_PLACES;
    const int64_t left_step = has_left_places ? 0 : step->left_step,
                  right_step = has_places ? 0 : step->right_step * bytes;
    const int64_t right_vector = (has_places ? step->right_vector : VECTOR_LANES) * bytes;
    const int64_t *offset = has_places ? step->place + takes_pairs : NULL;
    const int64_t *left_offset = has_left_places ? step->left_place + takes_pairs : NULL;
    const float *left = step->left + (takes_pairs ? left_step : 0);
    const unsigned char *right = (const unsigned char *)step->right + (takes_pairs ? right_step : 0);
    /* To the next step; of pairs one back and three on by turns. */
    int64_t left_on = takes_pairs ? -left_step : left_step, right_on = takes_pairs ? -right_step : right_step,
            offset_on = takes_pairs ? -1 : 1;
    const uint32_t lone = takes_pairs ? step->depth % 2 : 0;

    for (uint32_t some = step->depth - lone, rest = lone;; some = rest, rest = 0) {
        for (uint32_t k = some; k > 0; k--) {
            vector column[2];
            const unsigned char *from = has_places ? right + *offset * bytes : right;
            const float *rows_from = has_left_places ? left + *left_offset : left;
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++)
                column[v] = load_elements(from + v * right_vector, columns_dtype);
#pragma GCC unroll 14
            for (int i = 0; i < rows; i++) {
                vector row = vector_of(rows_from[i * left_lane]);
#pragma GCC unroll 2
                for (int v = 0; v < vectors; v++)
                    sum[i][v] = fused(row, column[v], sum[i][v]);
                /* Rows that are read ahead would take registers of sums, which then wait for memory. */
                if (has_places)
                    __asm__ volatile("" ::: "memory");
            }
            left += left_on;
            left_on = 2 * left_step - left_on;
            if (has_left_places)
                left_offset += offset_on;
            if (has_places) {
                offset += offset_on;
                offset_on = 2 - offset_on;
            } else {
                right += right_on;
                right_on = 2 * right_step - right_on;
            }
        }
        if (rest == 0)
            break;
        left -= left_step;
        right -= right_step;
        if (has_left_places)
            left_offset--;
        if (has_places)
            offset--;
    }
}

/* left_lane is the step's, or a constant: compiled for either; and so is what has places, or columns of 16 bits. */
static ALWAYS_INLINE void multiply(const struct contraction_step *step, int64_t left_lane, int rows,
                                   int vectors, enum places places, aclDataType columns_dtype)
{
    const bool has_places = places != NO_PLACES;
    const int64_t sums_vector = has_places ? step->sums_vector : VECTOR_LANES;
    vector sum[ROWS_MAX][2] __attribute__((uninitialized));
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sum[i][v] = (vector){0};

    if (step->takes_pairs)
        add_products(step, left_lane, rows, vectors, places, columns_dtype, true, sum);
    else
        add_products(step, left_lane, rows, vectors, places, columns_dtype, false, sum);

    if (!has_places && step->out != NULL) {
        if (step->out_dtype == ACL_FLOAT)
            store_rows(step, rows, vectors, sum, ACL_FLOAT);
        else
            store_rows(step, rows, vectors, sum, ACL_FLOAT16);
        return;
    }
    float *to = (float *)step->sums;
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) {
            float *place = to + v * sums_vector;
            store_floats(place, step->adds ? load_floats(place) + sum[i][v] : sum[i][v]);
        }
        to += step->sums_step;
    }
}

/*
 * One row by whole panels whose steps' columns lie where a table says: a chain of dependent sums takes several at a
 * time to hide its latency.
 */
enum { VECTORS_OF_ROW = 4 };

static ALWAYS_INLINE void multiply_row_vectors(const struct contraction_step *step, uint32_t column,
                                               int vectors)
{
    const uint32_t depth = step->depth;
    const float *right = step->right + column;
    float *to = (float *)step->sums + column;
    vector sum[VECTORS_OF_ROW];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        sum[v] = (vector){0};
    for (uint32_t i = 0; i < depth; i++) {
        const uint32_t k = step->takes_pairs && (i ^ 1) < depth ? i ^ 1 : i;
        const vector row = vector_of(step->left[k * step->left_step]);
        const float *from = right + step->place[k];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[v] = fused(row, load_floats(from + v * VECTOR_LANES), sum[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
        float *place = to + v * VECTOR_LANES;
        store_floats(place, step->adds ? load_floats(place) + sum[v] : sum[v]);
    }
}

static void multiply_placed_row(const struct contraction_step *step)
{
    enum { ALL = VECTORS_OF_ROW * VECTOR_LANES };
    uint32_t column = 0;
    for (; column + ALL <= step->columns; column += ALL)
        multiply_row_vectors(step, column, VECTORS_OF_ROW);
    for (; column < step->columns; column += 2 * VECTOR_LANES)
        multiply_row_vectors(step, column, 2);
}

/* multiply() in doubles, for BELAY_ACCURACY=exact. */
static ALWAYS_INLINE void multiply_doubles(const struct contraction_step *step, int64_t left_lane, int rows,
                                           int vectors, bool has_places)
{
    const int64_t *offset = step->place;
    enum { DOUBLES = VECTOR_LANES / 2 };
    const float *left = step->left, *right = (const float *)step->right;
    const int64_t left_step = step->left_step, right_step = step->right_step;
    const int64_t right_vector = has_places ? step->right_vector : VECTOR_LANES,
                  sums_vector = has_places ? step->sums_vector : VECTOR_LANES;
    doubles sum[ROWS_EXACT][4];
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int v = 0; v < 2 * vectors; v++)
            sum[i][v] = (doubles){0};

    for (uint32_t k = step->depth; k > 0; k--) {
        doubles column[4];
        const float *from = has_places ? right + *offset++ : right;
#pragma GCC unroll 4
        for (int v = 0; v < 2 * vectors; v++)
            column[v] = load_as_doubles(from + v / 2 * right_vector + v % 2 * DOUBLES);
#pragma GCC unroll 6
        for (int i = 0; i < rows; i++) {
            doubles row = broadcast((double)left[i * left_lane]);
#pragma GCC unroll 4
            for (int v = 0; v < 2 * vectors; v++)
                sum[i][v] = fused_doubles(row, column[v], sum[i][v]);
        }
        left += left_step;
        right += has_places ? 0 : right_step;
    }

    double *to = (double *)step->sums;
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 4
        for (int v = 0; v < 2 * vectors; v++) {
            double *place = to + v / 2 * sums_vector + v % 2 * DOUBLES;
            store_doubles(place, step->adds ? load_doubles(place) + sum[i][v] : sum[i][v]);
        }
        to += step->sums_step;
    }
}

/* Rows of consecutive elements, as packed panels have them; rows apart; and the exact form of both. */
#define MULTIPLY_ROWS(rows, vectors)                                                  \
    static void multiply_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                 \
        multiply(step, 1, rows, vectors, NO_PLACES, ACL_FLOAT);                       \
    }
#define MULTIPLY_DIRECT(rows, vectors)                                                       \
    static void multiply_direct_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                        \
        multiply(step, step->left_lane, rows, vectors, NO_PLACES, ACL_FLOAT);                \
    }
/* Rows apart by columns of FLOAT16, which become floats where they meet their sums. */
#define MULTIPLY_HALVES(rows, vectors)                                                       \
    static void multiply_halves_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                        \
        multiply(step, step->left_lane, rows, vectors, NO_PLACES, ACL_FLOAT16);              \
    }
#define MULTIPLY_EXACT(rows, vectors)                                                       \
    static void multiply_exact_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                       \
        multiply_doubles(step, step->left_lane, rows, vectors, false);                      \
    }
/* Kernels of two vectors anywhere, whose steps' columns lie where a table says; and their rows where another does. */
#define MULTIPLY_PLACED(rows, vectors)                                                       \
    static void multiply_placed_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                        \
        multiply(step, 1, rows, vectors, RIGHT_PLACES, ACL_FLOAT);                           \
    }
#define MULTIPLY_DIRECT_PLACED(rows, vectors)                                                       \
    static void multiply_direct_placed_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                               \
        multiply(step, step->left_lane, rows, vectors, RIGHT_PLACES, ACL_FLOAT);                    \
    }
#define MULTIPLY_SPREAD(rows, vectors)                                                       \
    static void multiply_spread_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                        \
        multiply(step, step->left_lane, rows, vectors, ALL_PLACES, ACL_FLOAT);               \
    }
#define MULTIPLY_PLACED_EXACT(rows, vectors)                                                       \
    static void multiply_placed_exact_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                              \
        multiply_doubles(step, 1, rows, vectors, true);                                            \
    }
#define ENTRY_PLACED(rows, vectors)        [rows - 1] = multiply_placed_##rows##_rows_##vectors,
#define ENTRY_DIRECT_PLACED(rows, vectors) [rows - 1] = multiply_direct_placed_##rows##_rows_##vectors,
#define ENTRY_SPREAD(rows, vectors)        [vectors - 1][rows - 1] = multiply_spread_##rows##_rows_##vectors,
#define ENTRY_PLACED_EXACT(rows, vectors)  [rows - 1] = multiply_placed_exact_##rows##_rows_##vectors,
#define ENTRY_ROWS(rows, vectors)          [vectors - 1][rows - 1] = multiply_##rows##_rows_##vectors,
#define ENTRY_DIRECT(rows, vectors)        [vectors - 1][rows - 1] = multiply_direct_##rows##_rows_##vectors,
#define ENTRY_HALVES(rows, vectors)        [vectors - 1][rows - 1] = multiply_halves_##rows##_rows_##vectors,
#define ENTRY_EXACT(rows, vectors)         [vectors - 1][rows - 1] = multiply_exact_##rows##_rows_##vectors,

#define FOR_2_ROWS(X, v)  X(1, v) X(2, v)
#define FOR_6_ROWS(X, v)  FOR_2_ROWS(X, v) X(3, v) X(4, v) X(5, v) X(6, v)
#define FOR_8_ROWS(X, v)  FOR_6_ROWS(X, v) X(7, v) X(8, v)
#define FOR_14_ROWS(X, v) FOR_8_ROWS(X, v) X(9, v) X(10, v) X(11, v) X(12, v) X(13, v) X(14, v)
#if defined(__AVX512F__)
#define FOR_ROWS(X, v)        FOR_14_ROWS(X, v)
#define FOR_DIRECT_ROWS(X, v) FOR_8_ROWS(X, v)
#define FOR_EXACT_ROWS(X, v)  FOR_6_ROWS(X, v)
#elif defined(__AVX2__)
#define FOR_ROWS(X, v)        FOR_6_ROWS(X, v)
#define FOR_DIRECT_ROWS(X, v) FOR_6_ROWS(X, v)
#define FOR_EXACT_ROWS(X, v)  FOR_2_ROWS(X, v)
#elif defined(__aarch64__)
#define FOR_ROWS(X, v)        FOR_8_ROWS(X, v)
#define FOR_DIRECT_ROWS(X, v) FOR_8_ROWS(X, v)
#define FOR_EXACT_ROWS(X, v)  FOR_6_ROWS(X, v)
#else
#define FOR_ROWS(X, v)        FOR_2_ROWS(X, v)
#define FOR_DIRECT_ROWS(X, v) FOR_2_ROWS(X, v)
#define FOR_EXACT_ROWS(X, v)  FOR_2_ROWS(X, v)
#endif

FOR_ROWS(MULTIPLY_ROWS, 1)
FOR_ROWS(MULTIPLY_ROWS, 2)
FOR_DIRECT_ROWS(MULTIPLY_DIRECT, 1)
FOR_DIRECT_ROWS(MULTIPLY_DIRECT, 2)
#if defined(__AVX512F__)
FOR_DIRECT_ROWS(MULTIPLY_HALVES, 1)
FOR_DIRECT_ROWS(MULTIPLY_HALVES, 2)
#endif
FOR_EXACT_ROWS(MULTIPLY_EXACT, 1)
FOR_EXACT_ROWS(MULTIPLY_EXACT, 2)
FOR_ROWS(MULTIPLY_PLACED, 2)
FOR_DIRECT_ROWS(MULTIPLY_DIRECT_PLACED, 2)
FOR_DIRECT_ROWS(MULTIPLY_SPREAD, 1)
FOR_DIRECT_ROWS(MULTIPLY_SPREAD, 2)
FOR_EXACT_ROWS(MULTIPLY_PLACED_EXACT, 2)

#endif
