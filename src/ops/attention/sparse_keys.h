/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of attention whose keys their indices name: what SparseFlashAttention, its gradients and its form with
 * quantised keys have in common.
 */
#ifndef BELAY_OPS_ATTENTION_SPARSE_KEYS_H
#define BELAY_OPS_ATTENTION_SPARSE_KEYS_H

#include "ops/attention/chosen_keys.h"
#include "ops/attention/over_keys.h"

struct sparse {
    struct chosen_keys keys;
    struct over_keys over;
    uint64_t chosen, block, group; /* block: keys that an index stands for; group: heads of a head of keys */
    uint8_t indices, sinks, out;   /* places */
    uint8_t maximum, sum;          /* 0 where there are none */
    bool has_sinks;
    uint8_t d_out; /* of gradients: their first input */
};

/* The shape of a tensor but for its last dim, which is found, or is to be *last where that is not negative. */
aclnnStatus sparse_check_like(const struct call *call, unsigned parameter, unsigned other, int64_t *last);

/* queryRope and keyRope: both or none. */
aclnnStatus sparse_check_ropes(const struct call *call, struct sparse *sparse);

/* sparseIndices and sparseBlockSize, once the keys have been read. */
aclnnStatus sparse_check_indices(const struct call *call, struct sparse *sparse, int64_t block, int64_t mode);

/* The shape of statistics. */
struct shape sparse_statistics_shape(const struct sparse *sparse);
uint64_t sparse_statistics_at(const struct sparse *sparse, uint64_t number, uint64_t key_head, uint64_t g);

/* The keys that the row's indices name, up to the first negative one: their numbers in the sequence, and those of
 * the head's rows in the tensor. */
uint64_t sparse_find_keys(const struct task *task, uint64_t number, uint64_t key_head,
                          const struct chosen_row *row, uint64_t *index, uint64_t *place);

/* The plan of a forward pass. */
aclnnStatus sparse_plan(const struct call *call, const struct sparse *sparse);

#endif
