/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Families of operators beyond the first: each has its references, its judge and its draws in files of its
 * own, so that what has been proved of one stays known when another one is added (fingerprints.sh). Here is
 * what every program needs that runs kernels; family_judge.h has the rest.
 */
#ifndef BELAY_TESTS_NUMERICS_FAMILY_H
#define BELAY_TESTS_NUMERICS_FAMILY_H

#include "numerics/draw.h"
#include "numerics/reference.h"

/* Arrays are by stem - first. */
struct family {
    enum reference_operator first;
    int count;
    const int *inputs; /* one, or two: gradient and self */
    const bool *has_slope;
    /* Changes some of the inputs that have been drawn to what is hard. */
    void (*draw)(struct generator *generator, const struct task *task, uint64_t *input);
};

/* NULL for the first family. */
const struct family *family_of(enum reference_operator stem);

extern const struct family activations, calculations;

/* What the kernels of calculations get: PARAMETER_BYTES at most. */
void calculation_parameters(const struct task *task, void *parameters);

#endif
