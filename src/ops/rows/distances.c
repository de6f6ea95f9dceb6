/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loops of distances.h, for each instruction-set level.
 */
#include "ops/rows/distances.h"

#ifdef KERNEL_PASS

#include "simd/maths/simple.h"
#include "simd/vector/rounding.h"
#include "simd/loops/row_norm.h"

/* How differences are put together: that of p = 0, 1, 2 and infinite; and products. */
enum distance { COUNTED, ADDED, SQUARED, GREATEST, MULTIPLIED };

static inline __attribute__((always_inline)) doubles with_pair(enum distance way, doubles sum, doubles here,
                                                               doubles there)
{
    const doubles difference = here - there, size = absolute(difference);
    switch (way) {
    case MULTIPLIED: /* rounded once either way: doubles have the product of two floats */
        return about_sum(here, there, sum);
    case COUNTED:
        return sum + is_not_0(difference, 0);
    case ADDED:
        return sum + size;
    case SQUARED:
        return sum + difference * difference;
    default:
        return choose((size > sum) | (size != size), size, sum); /* NaN stays */
    }
}

/* row: elements of TILE_ROWS rows, column: of TILE_COLUMNS rows of the other matrix, all first elements
 * first. Two vectors of sums for each row fit into the registers of every level. */
static inline __attribute__((always_inline)) void tile(enum distance way, const double *row,
                                                       const double *column, size_t length, double *to)
{
    for (size_t at = 0; at < TILE_COLUMNS; at += (size_t)2 * LANES) {
        doubles sum[TILE_ROWS][2];
#pragma GCC unroll 4
        for (size_t r = 0; r < TILE_ROWS; r++)
            sum[r][0] = sum[r][1] = broadcast(0);
        for (size_t k = 0; k < length; k++) {
            doubles left, right;
            memcpy(&left, column + k * TILE_COLUMNS + at, sizeof left);
            memcpy(&right, column + k * TILE_COLUMNS + at + LANES, sizeof right);
#pragma GCC unroll 4
            for (size_t r = 0; r < TILE_ROWS; r++) {
                const doubles here = broadcast(row[r * length + k]);
                sum[r][0] = with_pair(way, sum[r][0], here, left);
                sum[r][1] = with_pair(way, sum[r][1], here, right);
            }
        }
#pragma GCC unroll 4
        for (size_t r = 0; r < TILE_ROWS; r++) {
            memcpy(to + r * TILE_COLUMNS + at, &sum[r][0], sizeof sum[r][0]);
            memcpy(to + r * TILE_COLUMNS + at + LANES, &sum[r][1], sizeof sum[r][1]);
        }
    }
}

/* Distances of other p. The powers are of differences over the greatest one: they neither overflow nor
 * vanish. */
static __attribute__((noinline)) void tile_of_powers(const double *row, const double *column, size_t length,
                                                     double p, double *to)
{
    tile(GREATEST, row, column, length, to);
    for (size_t r = 0; r < TILE_ROWS; r++)
        for (size_t at = 0; at < TILE_COLUMNS; at += LANES, to += LANES) {
            doubles most, sum = broadcast(0);
            memcpy(&most, to, sizeof most);
            for (size_t k = 0; k < length; k++) {
                doubles there;
                memcpy(&there, column + k * TILE_COLUMNS + at, sizeof there);
                sum += norm_power(absolute(broadcast(row[r * length + k]) - there) / most, p);
            }
            for (int i = 0; i < LANES; i++)
                if (to[i] > 0 && to[i] < (double)INFINITY)
                    to[i] *= norm_root_of(sum[i], p);
        }
}

/* The sum of squares of a row, of either matrix: the same one, so that a distance is the same both ways. Its
 * elements go in turn into as many lanes as a tile has columns, which are then added by halves. */
static double sum_of_squares(const double *row, size_t length)
{
    enum { VECTORS = TILE_COLUMNS / LANES };
    doubles sum[VECTORS];
    double lane[TILE_COLUMNS] __attribute__((aligned(64)));
    size_t done = 0;
    for (size_t i = 0; i < VECTORS; i++)
        sum[i] = broadcast(0);
    for (; done + TILE_COLUMNS <= length; done += TILE_COLUMNS)
#pragma GCC unroll 8
        for (size_t i = 0; i < VECTORS; i++) {
            doubles x;
            memcpy(&x, row + done + i * LANES, sizeof x);
            sum[i] = about_sum(x, x, sum[i]);
        }
    memcpy(lane, sum, sizeof lane);
    for (size_t i = 0; done + i < length; i++)
        lane[i] += row[done + i] * row[done + i];
    for (size_t half = TILE_COLUMNS / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

/* Up to this length squares of distances are a^2 + b^2 - 2ab, a third of the steps that squares of differences
 * take, where that is at least length 2^-11 of a^2 + b^2: then what its sums lose is less than 2^-40 of it. */
enum { PRODUCTS_LENGTH = 1024 };

static void tile_of_squares(const double *row, const double *column, size_t length, const double *row_sum,
                            const double *column_sum, double *to)
{
    const double least = (double)length * 0x1p-11;
    double exact[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(64), uninitialized));
    longs cancels[TILE_ROWS * TILE_COLUMNS / LANES], any_cancels = {0};
    if (length > PRODUCTS_LENGTH) {
        tile(SQUARED, row, column, length, to);
        return;
    }
    tile(MULTIPLIED, row, column, length, to);
    for (size_t i = 0; i < TILE_ROWS * TILE_COLUMNS; i += LANES) {
        doubles product, there;
        memcpy(&product, to + i, sizeof product);
        memcpy(&there, column_sum + i % TILE_COLUMNS, sizeof there);
        const doubles both = broadcast(row_sum[i / TILE_COLUMNS]) + there, square = both - 2 * product;
        cancels[i / LANES] = ~(square >= least * both); /* and what is no number */
        any_cancels |= cancels[i / LANES];
        memcpy(to + i, &square, sizeof square);
    }
    if (!any(any_cancels))
        return;
    tile(SQUARED, row, column, length, exact);
    for (size_t i = 0; i < TILE_ROWS * TILE_COLUMNS; i += LANES) {
        doubles square, other;
        memcpy(&square, to + i, sizeof square);
        memcpy(&other, exact + i, sizeof other);
        square = choose(cancels[i / LANES], other, square);
        memcpy(to + i, &square, sizeof square);
    }
}

static inline __attribute__((always_inline)) void find_tile(const double *row, const double *column,
                                                            size_t length, const double *row_sum,
                                                            const double *column_sum, double p, double *to)
{
    if (p == 2) {
        tile_of_squares(row, column, length, row_sum, column_sum, to);
        for (size_t i = 0; i < TILE_ROWS * TILE_COLUMNS; i += LANES) {
            doubles square;
            memcpy(&square, to + i, sizeof square);
            square = square_root(square);
            memcpy(to + i, &square, sizeof square);
        }
    } else if (p == 1)
        tile(ADDED, row, column, length, to);
    else if (p == 0)
        tile(COUNTED, row, column, length, to);
    else if (p == (double)INFINITY)
        tile(GREATEST, row, column, length, to);
    else
        tile_of_powers(row, column, length, p, to);
}

static inline __attribute__((always_inline)) void widen_some(enum arithmetic dtype, const void *from,
                                                             size_t count, double *to)
{
    for (size_t i = 0; i < count; i += LANES)
        row_store(ARITHMETIC_FP64, to, i, row_load(dtype, from, i, count - i), count - i, false);
}

static void widen_row(enum arithmetic dtype, const void *matrix, size_t row, size_t length, double *to)
{
    const char *from = (const char *)matrix + row * length * bytes_of(dtype);
    if (dtype == ARITHMETIC_FP32)
        widen_some(ARITHMETIC_FP32, from, length, to);
    else if (dtype == ARITHMETIC_FP16)
        widen_some(ARITHMETIC_FP16, from, length, to);
    else
        widen_some(ARITHMETIC_BF16, from, length, to);
}

static inline __attribute__((always_inline)) void round_all(enum arithmetic dtype, const double *from,
                                                            char *to, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        char bits[LANES * sizeof(float)] __attribute__((uninitialized));
        doubles value;
        memcpy(&value, from + i, sizeof value);
        store(dtype, bits, canonical_bits(dtype, round_bits(dtype, value)), false);
        if (count - i >= LANES)
            memcpy(to + i * bytes_of(dtype), bits, LANES * bytes_of(dtype));
        else
            memcpy(to + i * bytes_of(dtype), bits, (count - i) * bytes_of(dtype));
    }
}

/* Rounds count distances, as many as a row of a tile has, or fewer. */
static void round_row(enum arithmetic dtype, const double *from, char *to, size_t count)
{
    if (dtype == ARITHMETIC_FP32)
        round_all(ARITHMETIC_FP32, from, to, count);
    else if (dtype == ARITHMETIC_FP16)
        round_all(ARITHMETIC_FP16, from, to, count);
    else
        round_all(ARITHMETIC_BF16, from, to, count);
}

/* Room: TILE_ROWS rows, then so many tiles of rows of the second matrix, by columns: they stay in the cache
 * for all rows of the first. Behind them are the sums of their squares. */
distances_function AT_LEVEL(distances);
void AT_LEVEL(distances)(const struct distances *plan, const void *first, const void *second, void *result,
                         double *room)
{
    const size_t length = plan->length, width = (size_t)TILES * TILE_COLUMNS;
    const bool takes_sums = plan->p == 2 && length <= PRODUCTS_LENGTH;
    double *row = room, *column = room + TILE_ROWS * length, *column_sum = column + width * length;
    double *row_sum = column_sum + width;
    memset(room, 0, distances_room(plan->rows, length));
    for (size_t c = 0; c < plan->across; c += width) {
        const size_t columns = plan->across - c < width ? plan->across - c : width;
        for (size_t i = 0; i < columns; i++) {
            double *to = column + i / TILE_COLUMNS * TILE_COLUMNS * length + i % TILE_COLUMNS;
            widen_row(plan->dtype, second, c + i, length, row);
            for (size_t k = 0; k < length; k++)
                to[k * TILE_COLUMNS] = row[k];
            if (takes_sums)
                column_sum[i] = sum_of_squares(row, length);
        }
        for (size_t r = 0; r < plan->rows; r += TILE_ROWS) {
            const size_t rows = plan->rows - r < TILE_ROWS ? plan->rows - r : TILE_ROWS;
            for (size_t i = 0; i < rows; i++) {
                widen_row(plan->dtype, first, r + i, length, row + i * length);
                if (c == 0 && takes_sums)
                    row_sum[r + i] = sum_of_squares(row + i * length, length);
            }
            for (size_t t = 0; t < columns; t += TILE_COLUMNS) {
                const size_t some = columns - t < TILE_COLUMNS ? columns - t : TILE_COLUMNS;
                double value[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(64), uninitialized));
                find_tile(row, column + t * length, length, row_sum + r, column_sum + t, plan->p, value);
                for (size_t i = 0; i < rows; i++)
                    round_row(plan->dtype, value + i * TILE_COLUMNS,
                              (char *)result + ((r + i) * plan->across + c + t) * bytes_of(plan->dtype),
                              some);
            }
        }
    }
}

#endif
