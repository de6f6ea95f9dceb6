/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What phase 1 of a rows function works out and its walk follows.
 */
#ifndef BELAY_OPS_LOOPS_ROWS_PLAN_H
#define BELAY_OPS_LOOPS_ROWS_PLAN_H

#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/loops/rows.h"

enum { ROWS_OPERANDS_MAX = ROWS_INPUTS_MAX + ROWS_OUTPUTS_MAX };

/* A tensor: inputs come first. */
struct rows_operand {
    struct operand at;
    bool is_given;
    bool is_shared;      /* every row is the same */
    bool is_direct;      /* rows lie as the kernel takes them */
    bool is_sums;        /* what kernels add up */
    uint32_t outer, row; /* its nests, behind the plan: over the rows, and within one */
    uint64_t count;      /* elements of a row */
    uint64_t first_sum;  /* of sums: their place among those of a block */
};

/* Threads share units: batches, so many rows that are brought together, or, where there are sums, blocks of
 * rows, whose number follows from the shape alone: each has sums of its own, which are added in order. */
struct rows_plan {
    rows_function *kernel;
    rows_together_function *together; /* where all rows lie side by side; or NULL */
    const struct transfer *transfer;
    aclDataType carried; /* what kernels see: FLOAT or DOUBLE */
    uint32_t carried_bytes;
    uint32_t inputs, operands;
    bool is_roomless;
    uint64_t rows, count; /* and elements of a row */
    uint64_t batch;
    uint64_t unit, units;  /* rows of a unit */
    uint64_t sums, period; /* doubles of a block's sums, and rows after which their parts begin again */
    uint64_t shares; /* of units, with memory of their own, where a batch has no room on the stack; or 0 */
    uint64_t memory_bytes;     /* of a batch */
    uint64_t cost_ns, unit_ns; /* predicted on one thread */
    struct rows_operand operand[ROWS_OPERANDS_MAX];
    unsigned char parameters[ROWS_PARAMETER_BYTES];
};

/*
 * The memory that a batch of rows is brought together in: each operand that is not direct, one after the
 * other, then the kernel's room, and behind them room for elements of other dtypes that lie apart.
 */

/* The most that a stack may hold which is not known to be large. */
enum { ROWS_STACK_BYTES = 48 << 10 };

/* Bytes of an operand in a batch, in whole lines. */
static inline uint64_t rows_operand_bytes(const struct rows_plan *plan, const struct rows_operand *operand)
{
    const uint64_t rows = operand->is_shared ? 1 : plan->batch;
    return operand->is_given && !operand->is_direct && !operand->is_sums
               ? whole_lines(rows * operand->count * plan->carried_bytes)
               : 0;
}

static inline uint64_t rows_room_bytes(const struct rows_plan *plan)
{
    return plan->is_roomless ? 0 : whole_lines(plan->count * sizeof(double));
}

static inline uint64_t rows_raw_bytes(const struct rows_plan *plan)
{
    uint64_t most = plan->batch * (plan->count > 0 ? plan->count : 1);
    for (uint32_t i = 0; i < plan->operands; i++)
        if (plan->operand[i].is_shared && plan->operand[i].count > most)
            most = plan->operand[i].count;
    return plan->carried == ACL_FLOAT ? 0 : whole_lines(most * sizeof(double));
}

static inline uint64_t rows_memory_bytes(const struct rows_plan *plan)
{
    uint64_t bytes = rows_room_bytes(plan) + rows_raw_bytes(plan);
    for (uint32_t i = 0; i < plan->operands; i++)
        bytes += rows_operand_bytes(plan, &plan->operand[i]);
    return bytes;
}

#endif
