/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What plans of CtcLoss and its gradient say, and what computes a sample by one.
 */
#ifndef BELAY_OPS_SCAN_CTC_H
#define BELAY_OPS_SCAN_CTC_H

#include <stddef.h>

#include "simd/vector/level_table.h"

/* previous begins with two states that nothing leads from; skips is 0 where its second last one counts. */
struct ctc_kernels {
    void (*step)(const double *previous, const double *skips, const double *own, double *next, size_t states);
    void (*exponentials)(double *value, size_t count);
};

#ifndef KERNEL_PASS

#include "ops/loops/plane_walk.h"

/* The parameters of the planes, which are samples; their tables are the lengths of the input and of the
 * targets. */
struct ctc {
    const struct ctc_kernels *kernels;
    uint64_t times, classes, states; /* states: of logAlpha, at least 2 maxTarget + 1 */
    uint64_t labels;                 /* that the targets have for each sample, or for all */
    aclDataType dtype, target_dtype;
    bool are_joined, zero_infinity;
    int64_t blank;
};

/* The room that a sample needs. */
size_t ctc_room_bytes(const struct ctc *ctc);

/* logProbs and targets; the loss and logAlpha. */
plane_function ctc_run_forward;
/* gradOut, logProbs, negLogLikelihood, logAlpha and targets; the gradient. */
plane_function ctc_run_backward;
plane_explain ctc_tell_target;

#endif

#endif
