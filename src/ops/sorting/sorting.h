/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of the functions that sort along a dim: every row of it becomes numbers whose order is that of the
 * elements, and these are sorted, stably, with the places that they came from.
 *
 * What writes few elements of a row need not sort all of it. The median of nothing is NaN.
 *
 * NaNs are greater than every number and equal among themselves, -0 equals +0, BOOL is 0 or 1. Values are the
 * elements' own bits. The result of a stable sort is one alone, so that neither blocks nor threads show.
 */
#ifndef BELAY_OPS_SORTING_SORTING_H
#define BELAY_OPS_SORTING_SORTING_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/call.h"

enum { SORTING_NONE = -1 };
#define SORTING_WHOLE UINT32_MAX

/* What is written of a row that is in its order. */
enum sorting_choice {
    SORTING_FIRST,      /* the first ones, as many as are kept */
    SORTING_NUMBER,     /* one, by its number */
    SORTING_MEDIAN,     /* the lower one of those in the middle; the first NaN if there is one */
    SORTING_NAN_MEDIAN, /* the same of those that are not NaN, unless all are */
};

/* What a function sorts, by its parameters. */
struct sorting_request {
    unsigned self;
    int values, indices; /* outputs, or SORTING_NONE */
    uint32_t dim;        /* of self, 0 where it has none; SORTING_WHOLE: all elements are one row */
    uint64_t kept;       /* of every row, so many are written */
    enum sorting_choice choice;
    uint64_t number;    /* from 0 on */
    bool loses_dim;     /* outputs lack the dim, of which one element is kept */
    bool is_descending; /* equal elements keep their order all the same */
};

/* Rows have fewer elements than this: their numbers are 32 bits. */
#define SORTING_LENGTH_END (INT64_C(1) << 32)

aclnnStatus sorting_plan(const struct call *call, const struct sorting_request *request);
size_t sorting_work_bytes(const void *plan);
int sorting_run(const void *plan, void *const *address, void *scratch);

#define SORTING \
    .family = FAMILY_SORTING, .operation.run = sorting_run, .operation.work_bytes = sorting_work_bytes

#endif
