/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the operands of a workload lie in memory.
 */
#ifndef BELAY_BENCH_LAYOUT_H
#define BELAY_BENCH_LAYOUT_H

#include "workload.h"

enum layout {
    LAYOUT_CONTIGUOUS,
    LAYOUT_MERGED,         /* three axes in another order, the same for all: contiguous in the end */
    LAYOUT_SCALAR,         /* the gradient is one element, repeated */
    LAYOUT_ROW,            /* the gradient is one row, repeated */
    LAYOUT_COLUMN,         /* the gradient is one column, repeated */
    LAYOUT_TRANSPOSED,     /* self is transposed */
    LAYOUT_TRANSPOSED_OUT, /* the result is written transposed */
    LAYOUT_SLICED,         /* all are the left columns of a wider matrix */
    LAYOUT_SPARSE,         /* self is every other element of a row */
    LAYOUT_UNALIGNED,      /* all begin one element behind an aligned address */
    LAYOUT_ZERO_D,         /* all have rank 0: one element without axes */
    LAYOUTS
};

const char *layout_name(enum layout layout);

/* Sets the views of all operands for count elements; count is a power of 4 of at least 64 except for
 * LAYOUT_CONTIGUOUS and LAYOUT_UNALIGNED, and 1 for LAYOUT_ZERO_D. */
void layout_apply(struct workload *workload, enum layout layout);

#endif
