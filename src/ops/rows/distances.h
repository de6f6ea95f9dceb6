/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Distances of rows in tiles of some rows of one matrix and some of another, whose elements are laid side by
 * side: a lane of a vector is a pair of rows, and adds up in the order of their elements.
 */
#ifndef BELAY_OPS_ROWS_DISTANCES_H
#define BELAY_OPS_ROWS_DISTANCES_H

#include <stddef.h>
#include <stdint.h>

#include "simd/vector/kernels.h"
#include "simd/vector/level_table.h"

/* Distances of some rows of one matrix from all of another, side by side, of floats of 16 or 32 bits. */
struct distances;
typedef void distances_function(const struct distances *plan, const void *first, const void *second,
                                void *result, double *room);
struct distances {
    distances_function *function;
    enum arithmetic dtype;
    size_t rows, across, length;
    double p;
};

enum { TILE_ROWS = 4, TILE_COLUMNS = 16, TILES = 4 };

/* Room for rows in DOUBLE, of the first matrix and of the second one, and for the sums of the squares of both. */
static inline uint64_t distances_room(size_t rows, size_t length)
{
    return (TILE_ROWS * length + TILES * TILE_COLUMNS * (length + 1) + rows + TILE_ROWS) * sizeof(double);
}

#endif
