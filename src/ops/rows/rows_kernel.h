/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of functions that compute row by row.
 */
#ifndef BELAY_OPS_ROWS_ROWS_KERNEL_H
#define BELAY_OPS_ROWS_ROWS_KERNEL_H

#include <stddef.h>

#include "ops/level_table.h"

enum { ROWS_INPUTS_MAX = 4, ROWS_OUTPUTS_MAX = 3, ROWS_PARAMETER_BYTES = 64 };

/*
 * Computes one row in doubles: inputs and outputs of count elements side by side, or of one element where the
 * function's plan says so; NULL for what was not given. Nothing overlaps. Results must have the same bits on
 * every level: sums in a fixed order, no fused operations.
 */
typedef void rows_function(const double *const *input, double *const *output, size_t count,
                           const void *parameters);

/* `ROWS_KERNEL(softmax)(input, output, count, parameters) {...}` in a kernel pass; `ROWS_LEVELS(softmax);`
 * in the contract declares `softmax_rows[ISA_LEVELS]`. */
#define ROWS_KERNEL(stem)               \
    rows_function AT_LEVEL(stem##_row); \
    void AT_LEVEL(stem##_row)
#define ROWS_LEVELS(stem) LEVEL_TABLE(rows_function, stem##_rows, stem##_row)

#endif
