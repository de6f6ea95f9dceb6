/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers that are computed on. None of them may be much slower than normal ones.
 */
#ifndef BELAY_BENCH_DATA_H
#define BELAY_BENCH_DATA_H

#include "workload.h"

enum data_set {
    DATA_NORMAL,        /* all operands N(0, 1) */
    DATA_WIDE,          /* 3 N(0, 1) */
    DATA_UNIFORM,       /* uniform over -20 to 20 */
    DATA_TIES,          /* multiples of 1/8: results lie between two numbers of the dtype often */
    DATA_ZERO_GRADIENT, /* gradient 0 */
    DATA_SUBNORMAL,     /* gradients below the smallest normal number of the dtype */
    DATA_NAN,           /* half of the inputs are NaN */
    DATA_CONSTANT,      /* one value everywhere */
    DATA_FAR,      /* x (of one input that one) uniform over -100 to 100: where exp overflows or underflows */
    DATA_MIXED,    /* half of the gradients as in DATA_SUBNORMAL */
    DATA_INFINITE, /* half of the gradients infinite */
    DATA_SETS,
    /* For operators in place, which get their own results again: from 3 up, combined with 1 and -1, so that
     * these stay ordinary numbers however often that happens. */
    DATA_IN_PLACE = DATA_SETS,
    /* For exact sums: from 1 down to e^-40, of either sign. */
    DATA_SCATTERED
};

const char *data_set_name(enum data_set data_set);

/* Fills the storage of all operands of a workload; outputs get zeros, so that their pages are there. */
void data_fill(const struct workload *workload, enum data_set data_set);

#endif
