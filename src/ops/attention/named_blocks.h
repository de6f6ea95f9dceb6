/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention whose rows see whole blocks of keys: those that a list names for each row, or those that a mask of
 * blocks of rows by blocks of keys has; and its gradients.
 */
#ifndef BELAY_OPS_ATTENTION_NAMED_BLOCKS_H
#define BELAY_OPS_ATTENTION_NAMED_BLOCKS_H

#include "ops/attention/over_keys.h"
#include "ops/check.h"

enum { NO_PLACE = UINT8_MAX };

/* A function's of_family: where it has what. */
struct named_form {
    bool is_gradient, by_mask;
    uint8_t query, names, lengths, scale, heads, layout, mode, block,
        outputs;                      /* key and value follow query */
    uint8_t out, d_out, maximum, sum; /* of gradients; by mask sum is lse */
    uint8_t refused[2], lse_flag;     /* by mask */
};

struct named {
    struct over_keys over;
    const struct named_form *form;
    uint64_t sequences, rows, keys;          /* rows, keys: of all packed ones, or of a batch */
    uint64_t most_rows, most_keys;           /* of a sequence */
    uint64_t heads, key_heads, lists, group; /* lists: of keys for each row, of so many heads each */
    uint64_t chosen, block_rows, block_keys, row_blocks, key_blocks;
    bool is_packed, is_causal;
};

/* A sequence: behind one another in the numbers of the plan. */
struct named_sequence {
    int64_t row, rows, key, keys; /* where it begins, among packed ones */
};

aclnnStatus named_read(const struct call *call, struct named *named);
aclnnStatus named_infer(const struct call *call, struct result *result);
aclnnStatus named_plan(const struct call *call, const struct result *result);

void named_take_row(const struct task *task, uint64_t number);
void named_take_sequence(const struct task *task, uint64_t number);
uint64_t named_room(const struct named *named);

#endif
