/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loops over tokens of a mixture of experts: what their plans hold, and how they run.
 */
#ifndef BELAY_OPS_INDEX_MOE_TOKENS_H
#define BELAY_OPS_INDEX_MOE_TOKENS_H

#include "ops/operands.h"
#include "ops/port.h"

/* What a plan reads and writes: rows of tokens or of sums, numbers, factors of these. */
enum part { ROWS, MORE_ROWS, NUMBERS, PROBS, OUT, OTHER_OUT, PARTS };

struct tokens_plan {
    struct port port[PARTS];
    bool is_there[PARTS];
    uint64_t tokens, top_k, width; /* n is tokens * top_k */
    uint64_t permuted;             /* rows */
    uint64_t cost_ns;
};

static inline uint64_t count_of(const struct tokens_plan *plan)
{
    return plan->tokens * plan->top_k;
}

size_t moe_work_bytes(const void *plan);
int moe_run_permute(const void *plan, void *const *address, void *scratch);
int moe_run_unpermute(const void *plan, void *const *address, void *scratch);
int moe_run_unpermute_grad(const void *plan, void *const *address, void *scratch);

#endif
