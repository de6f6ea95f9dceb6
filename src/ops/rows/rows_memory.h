/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The memory that a batch of rows is brought together in: doubles of each operand, one after the other, and
 * behind them room for elements of other dtypes that lie apart.
 */
#ifndef BELAY_OPS_ROWS_ROWS_MEMORY_H
#define BELAY_OPS_ROWS_ROWS_MEMORY_H

#include "ops/rows/rows_plan.h"

/* As much as a stack that is not known to be large may hold. */
enum { ROWS_STACK_BYTES = 48 << 10 };

/* Bytes of an operand in a batch, in whole lines. */
static inline uint64_t rows_operand_bytes(const struct rows_plan *plan, const struct rows_operand *operand)
{
    const uint64_t rows = operand->is_shared ? 1 : plan->batch;
    return operand->is_given ? (rows * operand->count * sizeof(double) + 63) & ~UINT64_C(63) : 0;
}

static inline uint64_t rows_raw_bytes(const struct rows_plan *plan)
{
    return (plan->batch * (plan->count > 0 ? plan->count : 1) * sizeof(double) + 63) & ~UINT64_C(63);
}

static inline uint64_t rows_memory_bytes(const struct rows_plan *plan)
{
    uint64_t bytes = rows_raw_bytes(plan);
    for (uint32_t i = 0; i < plan->operands; i++)
        bytes += rows_operand_bytes(plan, &plan->operand[i]);
    return bytes;
}

#endif
