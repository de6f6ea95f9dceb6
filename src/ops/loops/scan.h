/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that take the elements along a dim one after the other, in their order: a scan writes something
 * for each of them, others what is left behind the last one. What they have in mind is a state of two words
 * for each line, that is, for each place in the other dims. The order of a line is that of its elements, and
 * lines know nothing of each other, so that neither layouts nor threads show.
 */
#ifndef BELAY_OPS_LOOPS_SCAN_H
#define BELAY_OPS_LOOPS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/call.h"
#include "simd/loops/scan_kernel.h"

enum { SCAN_NONE = -1 };

/* What becomes of the lines. */
enum scan_kind {
    SCAN_VALUES, /* the kernel's output: values, of the dtype that elements were converted to */
    SCAN_PLACES, /* the kernel's output: an int32_t for each, the element of the piece whose place it takes,
                    or -1 for that of the last one before; its state's second words are not its own */
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
    bool takes_rows;             /* the kernels take lines of which each lies in one piece */
    uint32_t element_ps;         /* picoseconds for an element */
};

/* The end of phase 1, of a self with elements. */
aclnnStatus scan_plan(const struct call *call, const struct scan_request *request);

/* The dim that an argument, which has been checked, names; 0 where there is none. */
uint32_t scan_dim(const struct call *call, unsigned self, int64_t dim);

size_t scan_work_bytes(const void *plan);
int scan_run(const void *plan, void *const *address, void *scratch);

#define SCAN .family = FAMILY_SCAN, .operation.run = scan_run, .operation.work_bytes = scan_work_bytes

#endif
