/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The losses of indexers: what a call asks for, once it has been read, and the work.
 */
#ifndef BELAY_OPS_ATTENTION_INDEXER_LOSSES_H
#define BELAY_OPS_ATTENTION_INDEXER_LOSSES_H

#include "ops/attention/over_keys.h"

/* Where a function has what; keyIndex and weights follow queryIndex, key query, sum maximum, and keyRope queryRope. */
struct loss_form {
    uint8_t query, indexer, chosen, maximum, index_maximum, rope, lengths, scale, layout, sinks, out;
    bool is_loss;
};

struct losses {
    struct over_keys over; /* of attention */
    const struct loss_form *form;
    uint64_t rows, keys, sequences; /* of all */
    uint64_t heads, depth;          /* of the indexer */
    uint64_t all_heads, key_heads, group, own_rows, most_keys, chosen;
    bool is_packed, is_causal, has_sinks;
};

/* A sequence: behind one another in the numbers of the plan. */
struct losses_sequence {
    int64_t row, rows, key, keys;
};

/* Tasks of sequences: of statistics, and of losses with their gradients; and the room of each. */
void losses_take_statistics(const struct task *task, uint64_t b);
int losses_start(struct task *task);
void losses_take_sequence(const struct task *task, uint64_t b);
uint64_t losses_room(const struct losses *losses);

#endif
