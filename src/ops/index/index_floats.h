/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of FLOAT elements by index, for each instruction-set level.
 */
#ifndef BELAY_OPS_INDEX_INDEX_FLOATS_H
#define BELAY_OPS_INDEX_INDEX_FLOATS_H

#include <stddef.h>

#include "simd/vector/level_table.h"

/* A row of FLOAT elements side by side, to which others are added, each times a factor. */
enum { INDEX_ROWS = 16 };
struct index_rows {
    unsigned char *to;
    const unsigned char *from[INDEX_ROWS];
    size_t rows, count; /* others; elements of each */
    double factor;
};

/* Sums are in doubles. */
struct index_floats {
    void (*add)(const unsigned char *from, double factor, double *sums, size_t count);
    void (*add_rows)(const struct index_rows *rows);
};

#endif
