/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that take the elements along a dim one after the other, in their order: a scan writes something
 * for each of them, others what is left behind the last one. What they have in mind is a state of two words
 * for each line, that is, for each place in the other dims. The order of a line is that of its elements, and
 * lines know nothing of each other, so that neither layouts nor threads show.
 */
#ifndef BELAY_OPS_SCAN_H
#define BELAY_OPS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/call.h"
#include "simd/level_table.h"

/* Lines that are walked side by side; elements of all of them at a time. */
enum { SCAN_WIDTH = 64, SCAN_PIECE = 1024, SCAN_NONE = -1 };

/* Some elements of lines that lie side by side. */
struct scan_piece {
    const void *input; /* element i of line k is at i * step + k */
    void *output;      /* where there is one for each: at i * output_step + k */
    int64_t step, output_step;
    size_t length, width; /* elements of each line, lines */
    int64_t first;        /* the number of the first element along its line */
    int64_t *state;       /* SCAN_WIDTH words, then as many second ones */
    bool begins;          /* the state means nothing yet */
    bool is_exclusive;    /* what is written for an element does not take it in */
    bool is_least;        /* of extremes */
};
typedef void scan_kernel(const struct scan_piece *piece);

/* By the dtype that elements are converted to: FLOAT, DOUBLE, INT32 or INT64. Complex numbers are two lines
 * of doubles. */
struct scan_kernels {
    scan_kernel *fp32, *fp64, *int32, *int64;
};

/* What becomes of the lines. */
enum scan_kind {
    SCAN_VALUES, /* the kernel's output: values, of the dtype that elements were converted to */
    SCAN_PLACES, /* the kernel's output: indices in INT64; values are self's elements there */
    SCAN_LAST,   /* one index for a line, its state's second word; the element there. The first word tells
                    which of two parts of a line counts: the greater one, of equal ones the former */
};

/* What a function asks of the loop, by its parameters. */
struct scan_request {
    enum scan_kind kind;
    const struct scan_kernels *const *kernels; /* by level */
    unsigned self;
    int values, indices;         /* outputs, or SCAN_NONE */
    uint32_t dim;                /* of self, 0 where it has none */
    aclDataType cast, computed;  /* elements are converted to the first, that to the second */
    bool is_reversed;            /* from the last element to the first one */
    bool is_exclusive, is_least; /* for the kernel */
    uint32_t element_ps;         /* picoseconds for an element */
};

/* The end of phase 1, of a self with elements. */
aclnnStatus scan_plan(const struct call *call, const struct scan_request *request);

/* The dim that an argument, which has been checked, names; 0 where there is none. */
uint32_t scan_dim(const struct call *call, unsigned self, int64_t dim);

size_t scan_scratch_bytes(const void *plan, void *const *address);
int scan_run(const void *plan, void *const *address, void *scratch);

#define SCAN .family = FAMILY_SCAN, .operation.run = scan_run, .operation.scratch_bytes = scan_scratch_bytes

/* The definition of a level's table, in a kernel pass: `SCAN_KERNELS(sums) = {...};`. The rest of the file
 * declares `sums_scan_kernels[ISA_LEVELS]` by SCAN_LEVELS(sums). */
#define SCAN_KERNELS(stem)                                  \
    extern const struct scan_kernels AT_LEVEL(stem##_scan); \
    const struct scan_kernels AT_LEVEL(stem##_scan)
#define SCAN_LEVELS(stem) LEVEL_TABLE(const struct scan_kernels, stem##_scan_kernels, stem##_scan)

#endif
