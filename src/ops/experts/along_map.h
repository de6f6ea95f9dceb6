/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows along a map: copies of rows, and sums of rows with weights, in DOUBLE in the order of their terms and
 * rounded once. Threads share the rows of the result.
 */
#ifndef BELAY_OPS_EXPERTS_ALONG_MAP_H
#define BELAY_OPS_EXPERTS_ALONG_MAP_H

#include "ops/experts/experts.h"

/* Row i of `to` is row source[i] of `from`, both in their dtype; 0 where that is negative. */
struct row_copies {
    const struct port *from, *to;
    void *const *address;
    const int64_t *source;
    uint64_t rows, width, cost_ns;
};
void copy_rows(const struct row_copies *copies);

/* A row of one of the sources times a weight, and times the elements of another row where factor is not -1. */
struct term {
    double weight;
    int64_t row, factor_row;
    int32_t source, factor;
};

/* Row i of `to` is the sum of terms begin[i] up to begin[i + 1]; without any it is 0. */
struct row_sums {
    const struct port *source, *to; /* the sources in DOUBLE, indexed as terms do */
    void *const *address;
    const uint64_t *begin;
    const struct term *term;
    uint64_t rows, width, cost_ns;
};
void sum_rows(const struct row_sums *sums);

/* The sum of the products of two rows' elements: 8 sums side by side, added in order. */
double multiply_rows(const struct port *a, uint64_t row_a, const struct port *b, uint64_t row_b,
                     void *const *address, uint64_t width);

#endif
