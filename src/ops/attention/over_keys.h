/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of a head's row over keys that are listed one by one, in doubles: scores, their exponentials, sums of
 * values, and gradients. A row, a key and a value of a head are named by their number among all rows of their
 * tensor's last dim; which keys a row has is the caller's.
 */
#ifndef BELAY_OPS_ATTENTION_OVER_KEYS_H
#define BELAY_OPS_ATTENTION_OVER_KEYS_H

#include "ops/loops/row_tasks.h"

struct over_keys {
    uint8_t query, key, value, query_rope, key_rope; /* the places of tensors; ropes where rope is not 0 */
    uint64_t depth, rope, wide; /* elements of query and key, of more of them, of value */
    double scale;
    /* Keys as bytes: so many bytes of a row, of which the first are INT8 or FLOAT8 numbers, with a FLOAT scale for
     * each tile at the end, and the last of depth elements of the query's dtype between. Values are the numbers. */
    uint64_t row_bytes, tile, numbers;
};

static inline uint64_t over_keys_whole(const struct over_keys *of)
{
    return of->depth + of->rope;
}

/* So many consecutive rows of the query; and a key, or a value, in doubles. */
void over_keys_queries(const struct task *task, const struct over_keys *of, uint64_t row, uint64_t count,
                       double *query);
void over_keys_key(const struct task *task, const struct over_keys *of, uint64_t place, double *key);
void over_keys_value(const struct task *task, const struct over_keys *of, uint64_t place, double *value);

/* score[g * step + j] of each of a group of queries with key j. key: room for one. */
void over_keys_scores(const struct task *task, const struct over_keys *of, const double *query,
                      uint64_t group, const uint64_t *place, uint64_t count, double *key, double *score,
                      uint64_t step);

/* Exponentials of scores less the greatest, in their place. sink: the number of one more score, or NULL, which is
 * in the greatest and in the sum. -INFINITY is hidden. */
void over_keys_weigh(const struct task *task, const double *sink, double *score, uint64_t count,
                     double *greatest, double *sum);

/* The statistics of a row, each STATISTIC_REPEATS times: the greatest score, and in the next output the sum; of a row
 * that sees nothing the numbers that are furthest from those. */
void over_keys_statistics(const struct task *task, unsigned maximum, uint64_t row, bool is_none,
                          double greatest, double sum);

/* out[g] = the sum of values times weight[g * step + j]. value: room for one. */
void over_keys_values(const struct task *task, const struct over_keys *of, const double *weight,
                      uint64_t group, const uint64_t *place, uint64_t count, double *value, double *out,
                      uint64_t step);

/* A row of a gradient: what the forward pass left of it. */
struct over_keys_row {
    const double *query, *d_out; /* d_out: wide */
    double greatest, sum, delta; /* delta: of d_out times out, summed */
};

/* Adds to d_query, and to the gradients of the keys of the row, whose numbers within them are in index. score: of
 * all keys, as over_keys_scores has them; hidden ones are -INFINITY. key, value: room for one each. */
void over_keys_gradients(const struct task *task, const struct over_keys *of, const struct over_keys_row *row,
                         const uint64_t *place, const uint64_t *index, uint64_t count, double *score,
                         double *key, double *value, double *d_query, double *d_keys, double *d_values);

#endif
