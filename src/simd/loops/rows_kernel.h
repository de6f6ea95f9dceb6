/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of functions that compute row by row.
 */
#ifndef BELAY_SIMD_LOOPS_ROWS_KERNEL_H
#define BELAY_SIMD_LOOPS_ROWS_KERNEL_H

#include <stddef.h>

#include "simd/vector/level_table.h"

enum { ROWS_INPUTS_MAX = 8, ROWS_OUTPUTS_MAX = 5, ROWS_PARAMETER_BYTES = 64 };

/*
 * Computes one row: inputs and outputs of count elements side by side, or of one element where the function's
 * plan says so; NULL for what was not given. Where the plan says that an output is a sum over rows, it is
 * doubles that the kernel adds to. An output may lie exactly where an input does, and is written after that
 * was read, element by element; else nothing overlaps. NaN are stored as the canonical one. room has count
 * doubles. Results must have the same bits on every level, and of both kernels the same doubles before they
 * are rounded: sums in a fixed order, no fused operations.
 */
typedef void rows_function(const void *const *input, void *const *output, size_t count, double *room,
                           const void *parameters);

/* Makes of rows of floats that lie side by side others that do, in the bits that the function of one row gives
 * each: where steps of a row wait for one another, those of several rows need not. */
typedef void rows_together_function(const float *input, float *output, size_t rows, size_t count,
                                    const void *parameters);

/* `ROWS_KERNELS(softmax, body)` in a kernel pass: of doubles and of floats, made of one inlined body, whose
 * first argument is the dtype. `ROWS_LEVELS(softmax);` in the contract declares `softmax_rows[ISA_LEVELS]`
 * and `softmax_rows_fp32`. */
#define ROWS_KERNEL(stem, body, dtype)                                                             \
    rows_function AT_LEVEL(stem);                                                                  \
    void AT_LEVEL(stem)(const void *const *input, void *const *output, size_t count, double *room, \
                        const void *parameters)                                                    \
    {                                                                                              \
        body(dtype, input, output, count, room, parameters);                                       \
    }
#define ROWS_KERNELS(stem, body)                   \
    ROWS_KERNEL(stem##_row, body, ARITHMETIC_FP64) \
    ROWS_KERNEL(stem##_row_fp32, body, ARITHMETIC_FP32)
#define ROWS_LEVELS(stem)                                \
    LEVEL_TABLE(rows_function, stem##_rows, stem##_row); \
    LEVEL_TABLE(rows_function, stem##_rows_fp32, stem##_row_fp32)

#endif
