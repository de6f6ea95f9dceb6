/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of functions that go along lines of elements (ops/loops/scan.h).
 */
#ifndef BELAY_SIMD_LOOPS_SCAN_KERNEL_H
#define BELAY_SIMD_LOOPS_SCAN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/vector/level_table.h"

/* Lines that are walked side by side; elements of all of them at a time. */
enum { SCAN_WIDTH = 64, SCAN_PIECE = 1024 };

/* Some elements of lines that lie side by side, or, for kernels that take such, of rows. */
struct scan_piece {
    const void *input; /* element i of line k is at i * step + k * line_step */
    void *output;      /* where there is one for each: at i * output_step + k * output_line_step */
    int64_t step, output_step, line_step, output_line_step; /* the latter two 1 but for rows */
    size_t length, width;                                   /* elements of each line, lines */
    int64_t first;     /* the number of the first element along its line */
    int64_t *state;    /* SCAN_WIDTH words, then as many second ones */
    bool begins;       /* the state means nothing yet */
    bool is_exclusive; /* what is written for an element does not take it in */
    bool is_least;     /* of extremes */
};
typedef void scan_kernel(const struct scan_piece *piece);

/* By the dtype that elements are converted to: FLOAT, DOUBLE, INT32 or INT64. Complex numbers are two lines
 * of doubles. */
struct scan_kernels {
    scan_kernel *fp32, *fp64, *int32, *int64;
};

/* The definition of a level's table, in a kernel pass: `SCAN_KERNELS(sums) = {...};`. The rest of the file
 * declares `sums_scan_kernels[ISA_LEVELS]` by SCAN_LEVELS(sums). */
#define SCAN_KERNELS(stem)                                  \
    extern const struct scan_kernels AT_LEVEL(stem##_scan); \
    const struct scan_kernels AT_LEVEL(stem##_scan)
#define SCAN_LEVELS(stem) LEVEL_TABLE(const struct scan_kernels, stem##_scan_kernels, stem##_scan)

#endif
