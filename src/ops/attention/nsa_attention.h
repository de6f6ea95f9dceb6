/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention over compressed keys, or over blocks of keys that were chosen by it: what a call asks for, once it has been
 * read, and the work.
 */
#ifndef BELAY_OPS_ATTENTION_NSA_ATTENTION_H
#define BELAY_OPS_ATTENTION_NSA_ATTENTION_H

#include "ops/attention/over_keys.h"

/* Where a function has what; key and value follow the query, which is the first. */
struct nsa_form {
    uint8_t mask, chosen_mask, table, lengths, key_lengths, block_lengths, scale, heads, layout, window,
        block, page, maximum, out, indices; /* maximum: without pages */
    bool has_pages, chooses;                /* else it is given the indices */
};

struct nsa {
    struct over_keys over;
    const struct nsa_form *form;
    uint64_t rows, sequences, heads, key_heads, group;
    uint64_t block, count, parts, windows; /* a block of keys: parts of it, windows that begin in one */
    uint64_t page, pages, columns, most_keys, most_blocks;
    uint64_t mask_columns, chosen_columns; /* 0: there is no mask */
};

/* A sequence: behind one another in the numbers of the plan. */
struct nsa_sequence {
    int64_t row, rows, key, keys, blocks;
};

/* A task is a row and a head of keys, with all heads of its group; over so many keys at most, and its room. */
int nsa_start(struct task *task);
void nsa_take(const struct task *task, uint64_t number);
uint64_t nsa_most(const struct nsa *nsa);
uint64_t nsa_room(const struct nsa *nsa);

#endif
