/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens along a map of tokens and experts: what a plan holds, and how it runs.
 */
#ifndef BELAY_OPS_EXPERTS_ROUTING_MAP_H
#define BELAY_OPS_EXPERTS_ROUTING_MAP_H

#include "ops/experts/experts.h"

/* What is read, then what is written. */
enum map_part {
    ROWS,
    MAP,
    PROBS,
    SLOTS,
    TOKENS,
    PERMUTED,
    OUT_ROWS,
    OUT_PROBS,
    OUT_SLOTS,
    OUT_TOKENS,
    PARTS
};

enum mapping { THERE, THERE_GRAD, BACK, BACK_GRAD };

struct map_plan {
    struct ports ports;
    enum mapping mapping;
    bool is_padded;
    uint64_t tokens, experts, slots, width;
    uint64_t each; /* slots of a token, or, where it is padded, of an expert */
    uint64_t cost_ns;
};

size_t map_work_bytes(const void *plan);
int map_run(const void *plan, void *const *address, void *scratch);

#endif
