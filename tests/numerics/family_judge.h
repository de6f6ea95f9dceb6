/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What judges the operators of a family (family.h).
 */
#ifndef BELAY_TESTS_NUMERICS_FAMILY_JUDGE_H
#define BELAY_TESTS_NUMERICS_FAMILY_JUDGE_H

#include <stddef.h>

#include <mpfr.h>

#include "numerics/reference.h"

struct family_judge {
    uint64_t (*integer)(const struct task *task, const uint64_t *input);
    uint64_t (*mpfr)(const struct task *task, const uint64_t *input);
    /* Results to 2^-43, or NaN where nothing is known; a single input is both g and x. No fp64. */
    void (*approximate)(const struct task *task, const double *g, const double *x, size_t count,
                        double *value);
    /* NULL without any: whether the operator is the product of the gradient and a factor of x; and that, of
     * 200 bits, rounded towards 0: true if it is exact. */
    bool (*has_factor)(enum reference_operator stem);
    bool (*factor)(mpfr_t result, enum reference_operator stem, double x);
};

/* NULL for the first family. */
const struct family_judge *family_judge_of(enum reference_operator stem);

extern const struct family_judge activations_judge, calculations_judge;

#endif
