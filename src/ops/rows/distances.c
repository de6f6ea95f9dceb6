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

/* How differences are put together: that of p = 0, 1, 2, infinite and of others. */
enum distance { COUNTED, ADDED, SQUARED, GREATEST, POWERS };

static inline __attribute__((always_inline)) doubles with_difference(enum distance way, doubles sum,
                                                                     doubles difference)
{
    const doubles size = absolute(difference);
    switch (way) {
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
                sum[r][0] = with_difference(way, sum[r][0], here - left);
                sum[r][1] = with_difference(way, sum[r][1], here - right);
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

static inline __attribute__((always_inline)) void find_tile(const double *row, const double *column,
                                                            size_t length, double p, double *to)
{
    if (p == 2) {
        tile(SQUARED, row, column, length, to);
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
 * for all rows of the first. */
distances_function AT_LEVEL(distances);
void AT_LEVEL(distances)(const struct distances *plan, const void *first, const void *second, void *result,
                         double *room)
{
    const size_t length = plan->length, width = (size_t)TILES * TILE_COLUMNS;
    double *row = room, *column = room + TILE_ROWS * length;
    if (length > 0)
        memset(room, 0, (TILE_ROWS + width) * length * sizeof *room);
    for (size_t c = 0; c < plan->across; c += width) {
        const size_t columns = plan->across - c < width ? plan->across - c : width;
        for (size_t i = 0; i < columns; i++) {
            double *to = column + i / TILE_COLUMNS * TILE_COLUMNS * length + i % TILE_COLUMNS;
            widen_row(plan->dtype, second, c + i, length, row);
            for (size_t k = 0; k < length; k++)
                to[k * TILE_COLUMNS] = row[k];
        }
        for (size_t r = 0; r < plan->rows; r += TILE_ROWS) {
            const size_t rows = plan->rows - r < TILE_ROWS ? plan->rows - r : TILE_ROWS;
            for (size_t i = 0; i < rows; i++)
                widen_row(plan->dtype, first, r + i, length, row + i * length);
            for (size_t t = 0; t < columns; t += TILE_COLUMNS) {
                const size_t some = columns - t < TILE_COLUMNS ? columns - t : TILE_COLUMNS;
                double value[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(64), uninitialized));
                find_tile(row, column + t * length, length, plan->p, value);
                for (size_t i = 0; i < rows; i++)
                    round_row(plan->dtype, value + i * TILE_COLUMNS,
                              (char *)result + ((r + i) * plan->across + c + t) * bytes_of(plan->dtype),
                              some);
            }
        }
    }
}

#endif
