/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The best experts of each row: what plans hold, and how they run.
 */
#ifndef BELAY_OPS_EXPERTS_GATING_H
#define BELAY_OPS_EXPERTS_GATING_H

#include "ops/experts/experts.h"
#include "ops/experts/scores.h"
#include "simd/loops/rows_kernel.h"

/* What is read, then what is written. */
enum part { X, BIAS, KEYS, TABLE, Y, CHOSEN, SCORES, PARTS };
/* And of the gradient. */
enum back_part { BACK_SCORES, BACK_Y, BACK_CHOSEN, BACK_X };

struct gating_plan {
    struct ports ports;
    rows_function *score; /* of a row in doubles */
    enum score choice;    /* its parameter; of the softmax true, that numbers are short */
    bool normalises, sums_two;
    uint64_t rows, experts, k, groups, groups_kept, keys;
    double factor, eps;
    uint64_t shares, cost_ns; /* threads at most, which have memory of their own */
};

size_t gating_work_bytes(const void *plan);
int gating_run(const void *plan, void *const *address, void *scratch);
int gating_backward_run(const void *plan, void *const *address, void *scratch);

#endif
