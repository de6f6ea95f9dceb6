/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of attention whose keys are chosen one by one: which sequence a row is of, which keys it may see, and where
 * a key of a sequence lies: in a batch, among packed ones, or in blocks that a table names. Lengths are tensors,
 * which are read when the work runs.
 */
#ifndef BELAY_OPS_ATTENTION_CHOSEN_KEYS_H
#define BELAY_OPS_ATTENTION_CHOSEN_KEYS_H

#include "ops/check.h"
#include "ops/loops/row_tasks.h"

enum chosen_layout { KEYS_BY_BATCH, KEYS_PACKED, KEYS_IN_BLOCKS };

/* The places of what all functions of this kind have; NULL lengths are whole. */
struct chosen_places {
    uint8_t query, key, lengths, key_lengths, table, layout, key_layout, mode;
    bool has_rows_of_bytes; /* keys are in another form than queries, which the function checks */
};

struct chosen_keys {
    struct chosen_places at;
    uint64_t batches, rows, key_rows; /* of a batch, of all packed ones, or of a block */
    uint64_t all_rows, heads, key_heads, depth, columns, blocks;
    bool is_packed, is_causal;
    enum chosen_layout layout;
};

/* A row within its sequence. */
struct chosen_row {
    uint64_t batch, first_key;
    int64_t row, rows, keys, seen; /* seen: keys before this one may be */
    bool is_none;                  /* of no sequence */
};

aclnnStatus chosen_read(const struct call *call, const struct chosen_places *places,
                        struct chosen_keys *keys);

/* For the start of work: lengths and blocks are there. */
int chosen_check(const struct task *task, const struct chosen_keys *keys);

/* So many more keys than any sequence has are none. */
uint64_t chosen_most(const struct chosen_keys *keys);

struct chosen_row chosen_row_of(const struct task *task, const struct chosen_keys *keys, uint64_t number);

/* Where the rows, or the keys, of a sequence are that are by batch or packed; the last packed one has all that are
 * left. rows: of a batch, or of all. */
void chosen_range(const struct task *task, const struct chosen_keys *keys, unsigned lengths, uint64_t batch,
                  uint64_t rows, uint64_t *begin, uint64_t *end);

/* The number of a row's key among all of the tensor. */
uint64_t chosen_key(const struct task *task, const struct chosen_keys *keys, const struct chosen_row *row,
                    uint64_t key);

#endif
