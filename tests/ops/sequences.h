/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows and keys of sequences, by batch, packed or with keys in blocks, for trials of functions that choose keys.
 * Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_SEQUENCES_H
#define BELAY_TESTS_OPS_SEQUENCES_H

#include "ops/trial.h"

enum { SEQUENCES = 3, KEYS_MAX = 24, COUNT_MAX = 8 };

/* Rows and keys of sequences: by batch, packed, or keys in blocks. */
struct sequences {
    bool is_packed, has_blocks, is_causal, has_lengths;
    int64_t rows, keys, block, columns, blocks, heads, key_heads;
    int64_t length[SEQUENCES], key_length[SEQUENCES], table[SEQUENCES * KEYS_MAX];
};

static inline struct sequences draw(void)
{
    struct sequences of = {.is_packed = random_below(2) == 0,
                           .has_blocks = random_below(2) == 0,
                           .is_causal = random_below(3) > 0,
                           .block = 1 + random_below(4),
                           .key_heads = 1 + random_below(2)};
    of.heads = of.key_heads * (1 + random_below(3));
    of.has_lengths = of.is_packed || of.has_blocks || random_below(2) == 0;
    of.columns = 1 + random_below(4);
    of.blocks = SEQUENCES * of.columns + 1;
    of.rows = 1 + random_below(4);
    of.keys = of.has_blocks ? of.columns * of.block : 1 + random_below(9);
    for (int b = 0; b < SEQUENCES; b++) {
        of.length[b] = of.has_lengths ? random_below(of.rows + 1) : of.rows;
        of.key_length[b] = of.has_lengths ? random_below(of.keys + 1) : of.keys;
        for (int64_t k = 0; k < of.columns; k++)
            of.table[b * of.columns + k] = (b * of.columns + k) * 2 % of.blocks;
    }
    return of;
}

static inline int64_t sum_of(const int64_t *number, int count)
{
    int64_t sum = 0;
    for (int b = 0; b < count; b++)
        sum += number[b];
    return sum;
}

static inline void give_rows(struct trial *trial, const struct sequences *of, const char *name,
                             aclDataType dtype, int64_t heads, int64_t depth)
{
    const int64_t all = sum_of(of->length, SEQUENCES) + 1;
    if (depth < 0)
        give(trial, name, dtype, of->is_packed ? 2 : 3,
             of->is_packed ? DIMS(all, heads) : DIMS(SEQUENCES, of->rows, heads), 1);
    else
        give(trial, name, dtype, of->is_packed ? 3 : 4,
             of->is_packed ? DIMS(all, heads, depth) : DIMS(SEQUENCES, of->rows, heads, depth), 1);
}

static inline void give_keys(struct trial *trial, const struct sequences *of, const char *name,
                             aclDataType dtype, int64_t depth)
{
    const bool is_packed = of->is_packed && !of->has_blocks;
    give(trial, name, dtype, is_packed ? 3 : 4,
         of->has_blocks ? DIMS(of->blocks, of->block, of->key_heads, depth)
         : is_packed    ? DIMS(sum_of(of->key_length, SEQUENCES), of->key_heads, depth)
                        : DIMS(SEQUENCES, of->keys, of->key_heads, depth),
         1);
}

static inline void give_lengths(struct trial *trial, const struct sequences *of, const char *key_lengths)
{
    int64_t number[SEQUENCES], keys[SEQUENCES];
    for (int b = 0; b < SEQUENCES; b++) {
        number[b] = of->is_packed ? sum_of(of->length, b + 1) : of->length[b];
        keys[b] = of->is_packed && !of->has_blocks ? sum_of(of->key_length, b + 1) : of->key_length[b];
    }
    if (of->has_lengths) {
        give_numbers(trial, "actualSeqLengthsQueryOptional", ACL_INT32, 1, DIMS(SEQUENCES), number);
        give_numbers(trial, key_lengths, ACL_INT32, 1, DIMS(SEQUENCES), keys);
    }
    if (of->has_blocks)
        give_numbers(trial, "blockTableOptional", ACL_INT32, 2, DIMS(SEQUENCES, of->columns), of->table);
    give_value(trial, trial_has(trial, "layoutQuery") ? "layoutQuery" : "layout",
               argument_of_pointer(of->is_packed ? "TND" : "BSND"));
    give_value(trial, "sparseMode", argument_of_integer(of->is_causal ? 3 : 0));
}

static inline const char *keys_of(const struct sequences *of)
{
    return of->has_blocks ? "PA_BSND" : of->is_packed ? "TND" : "BSND";
}

/* The number of a row, or of a key, among all of its tensor. */
static inline int64_t row_at(const struct sequences *of, int b, int64_t row)
{
    return of->is_packed ? sum_of(of->length, b) + row : b * of->rows + row;
}

static inline int64_t key_at(const struct sequences *of, int b, int64_t key)
{
    return of->has_blocks  ? of->table[b * of->columns + key / of->block] * of->block + key % of->block
           : of->is_packed ? sum_of(of->key_length, b) + key
                           : b * of->keys + key;
}

static inline int64_t seen_by(const struct sequences *of, int b, int64_t row)
{
    const int64_t last = of->is_causal ? row + of->key_length[b] - of->length[b] : of->key_length[b] - 1;
    return last < -1 ? 0 : last + 1 > of->key_length[b] ? of->key_length[b] : last + 1;
}

static inline double product(const struct trial *trial, const char *a, int64_t row, const char *b,
                             int64_t key, int64_t depth)
{
    double sum = 0;
    for (int64_t e = 0; e < depth; e++)
        sum += at(trial, a, row * depth + e) * at(trial, b, key * depth + e);
    return sum;
}

#endif
