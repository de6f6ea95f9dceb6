/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of the functions that sort along a dim: every row of it becomes numbers whose order is that of the
 * elements, and these are sorted, stably, with the places that they came from.
 *
 * NaNs are greater than every number and equal among themselves, -0 equals +0, BOOL is 0 or 1. Values are the
 * elements' own bits. The result of a stable sort is one alone, so that neither blocks nor threads show.
 */
#ifndef BELAY_OPS_SORTING_H
#define BELAY_OPS_SORTING_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/call.h"

enum { SORTING_NONE = -1 };

/* What a function sorts, by its parameters. */
struct sorting_request {
    unsigned self;
    int values, indices; /* outputs, or SORTING_NONE */
    uint32_t dim;        /* of self, 0 where it has none */
    uint64_t kept;       /* of every row, the first so many are written */
    bool is_descending;  /* equal elements keep their order all the same */
};

/* Rows have fewer elements than this: their numbers are 32 bits. */
#define SORTING_LENGTH_END (INT64_C(1) << 32)

aclnnStatus sorting_plan(const struct call *call, const struct sorting_request *request);
size_t sorting_scratch_bytes(const void *plan, void *const *address);
int sorting_run(const void *plan, void *const *address, void *scratch);

#define SORTING \
    .family = FAMILY_SORTING, .operation.run = sorting_run, .operation.scratch_bytes = sorting_scratch_bytes

#endif
