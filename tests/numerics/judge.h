/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Judges results by the million: a double within 2^-40 of the exact value decides all but those results whose
 * rounding interval ends closer than that. Those are compared in 128-bit integers, and what does not fit them
 * goes to the integer reference.
 */
#ifndef BELAY_TESTS_NUMERICS_JUDGE_H
#define BELAY_TESTS_NUMERICS_JUDGE_H

#include <stddef.h>

#include "numerics/reference.h"

/* What has been tried, and the result that was furthest off. */
struct verdict {
    uint64_t tried, wrong;
    uint64_t exact;        /* how many the doubles left undecided */
    double greatest_error; /* of the wrong ones, in units of the last place */
    uint64_t input[INPUTS_MAX], got, wanted;
};

struct judge {
    struct task task;
    /* For the 16-bit dtypes: value_of() of every number and the upper end of its rounding interval. */
    double *value, *upper_end;
    double *factor; /* silu, 16 bits: s'(x) of every x */
};

void judge_init(struct judge *judge, const struct task *task);
void judge_release(struct judge *judge);

/* Adds count results to the verdict. input[i] and output are arrays of the dtype's bits. */
void judge_results(const struct judge *judge, const void *const *input, const void *output, size_t count,
                   struct verdict *verdict);

/* Adds the second to the first. */
void verdict_add(struct verdict *sum, const struct verdict *part);

#endif
