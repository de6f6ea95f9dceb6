/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What phase 1 of a rows function works out and its walk follows.
 */
#ifndef BELAY_OPS_ROWS_ROWS_PLAN_H
#define BELAY_OPS_ROWS_ROWS_PLAN_H

#include "ops/nest.h"
#include "ops/rows/rows.h"
#include "ops/transfer.h"

enum { ROWS_OPERANDS_MAX = ROWS_INPUTS_MAX + ROWS_OUTPUTS_MAX };

/* A tensor: inputs come first. */
struct rows_operand {
    aclDataType dtype;
    uint32_t bytes;   /* of an element */
    uint32_t address; /* its index among the addresses of phase 2 */
    bool is_given;
    bool is_shared;      /* every row is the same */
    uint8_t same_view;   /* of an input: a bit for each output that lies as it does, if the addresses agree */
    uint32_t outer, row; /* bytes from the plan's beginning to its nests: over the rows, and within one */
    int64_t extent;      /* elements from the first to the last */
    uint64_t count;      /* elements of a row */
};

/* Threads share batches: so many rows that follow one another. */
struct rows_plan {
    rows_function *kernel;
    const struct transfer *transfer;
    uint32_t inputs, operands;
    uint64_t rows, count; /* and elements of a row */
    uint64_t batch, batches;
    uint64_t shares;       /* parts with memory of their own, where a batch has no room on the stack; or 0 */
    uint64_t memory_bytes; /* of a batch */
    uint64_t cost_ns, batch_ns; /* predicted on one thread */
    struct rows_operand operand[ROWS_OPERANDS_MAX];
    unsigned char parameters[ROWS_PARAMETER_BYTES];
};

static inline const struct nest *rows_nest(const struct rows_plan *plan, uint32_t offset)
{
    return (const struct nest *)(const void *)((const unsigned char *)plan + offset);
}

#endif
