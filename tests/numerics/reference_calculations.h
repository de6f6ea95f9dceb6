/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The two references of sums, products and quotients, and what they start from.
 */
#ifndef BELAY_TESTS_NUMERICS_REFERENCE_CALCULATIONS_H
#define BELAY_TESTS_NUMERICS_REFERENCE_CALCULATIONS_H

#include "numerics/reference.h"

uint64_t reference_integer_calculations(const struct task *task, const uint64_t *input);
uint64_t reference_mpfr_calculations(const struct task *task, const uint64_t *input);

/* self + alpha * other, self * other or self / other. */
struct calculation {
    enum reference_operator stem; /* ADD, MUL or DIV */
    double self, other, alpha;
};

static inline struct calculation calculation_of(const struct task *task, const uint64_t *input)
{
    const struct format *format = &formats[task->dtype];
    const bool is_scalar = has_scalar(task->stem);
    const enum reference_operator stem = is_scalar ? task->stem - ADDS + ADD : task->stem;
    const double alpha = is_scalar ? (double)task->beta : task->slope;
    return (struct calculation){
        .stem = stem == SUB ? ADD : stem,
        .self = value_of(format, input[0]),
        .other = is_scalar ? task->slope : value_of(format, input[1]),
        .alpha = stem == SUB ? -alpha : alpha,
    };
}

#endif
