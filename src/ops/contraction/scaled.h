/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices of small numbers, whole ones or floats of 8 and 4 bits, whose sums are scaled: what all
 * functions of such products compute, of which each names what it has. The common dim may be in parts, each
 * with scales of its own. A value is
 *
 *     the sum over the parts of (sums of x w, less shift times those of w, less offsets times those of x;
 *     plus a bias of whole numbers) times the columns' scales (times the rows', where parts have some), plus
 *     offsets times the sums of x; plus a bias; times the rows' scale; plus a bias; plus an offset
 *
 * where whatever is not given is left out. Sums are exact in INT32 but for what goes beyond it, which wraps;
 * all behind them is in DOUBLE in this order, and rounded by whoever takes the values.
 */
#ifndef BELAY_OPS_CONTRACTION_SCALED_H
#define BELAY_OPS_CONTRACTION_SCALED_H

#include "base/processor.h"
#include "ops/contraction/numbers.h"
#include "ops/loops/tasks.h"

enum bias_place { BIAS_OF_SUMS, BIAS_OF_PARTS, BIAS_LAST };

/* Rows whose values are in memory at a time. */
enum { SCALED_ROWS = 64 };

/* One product: rows of left by rows of right, which are the columns of the result. */
struct scaled_product {
    struct numbers left, right;
    struct factors columns, rows; /* scales; the rows' by their lane and, of parts, by these */
    struct factors offset;        /* by parts and columns, within a part's brackets or behind its scale */
    struct factors bias, end;     /* by columns */
    struct factors last;          /* scales by columns behind the parts */
    /* Scales of so many parts at once, beside those of each; of rows where rows have parts. */
    struct factors outer_columns, outer_rows;
    uint64_t outer;
};

/* What all products of a call have in common. */
struct scaled {
    const struct transfer *transfer;
    enum isa_level isa;
    uint64_t threads, columns, depth;
    uint64_t parts, part; /* of the common dim, and the steps of each but the last */
    int32_t shift;        /* taken from each x */
    enum bias_place bias_place;
    bool rows_have_parts, offsets_are_scaled, has_offsets;
    bool has_bits_at_end; /* packed scales carry the offsets at the end */
    bool has_last;
    bool is_float; /* small floats; no shift and no offsets by parts then */
    bool is_whole; /* values are the sums and the bias themselves, which wrap */
};

struct scaled_work {
    const struct scaled *scaled;
    const struct scaled_product *product;
    void *const *address;
    const void *packed; /* INT8 or FLOAT */
    struct task_memory memory;
    void *room;
    double *scale, *offset, *bias, *end, *last; /* by parts and columns; by columns */
    int32_t *right_sums;
    double *value; /* of the rows that were multiplied last, one behind the other */
    uint64_t first_row, rows;
};

size_t scaled_work_bytes(const struct scaled *scaled);
/* Divides memory; then a product begins, and its rows are multiplied, SCALED_ROWS at most at a time. */
void scaled_use_memory(struct scaled_work *work, const struct scaled *scaled, void *const *address,
                       void *scratch);
void scaled_begin(struct scaled_work *work, const struct scaled_product *product);
void scaled_multiply(struct scaled_work *work, uint64_t first_row, uint64_t rows);

/* The predicted time of so many rows on one thread. */
uint64_t scaled_cost_ns(const struct scaled *scaled, uint64_t rows);

#endif
