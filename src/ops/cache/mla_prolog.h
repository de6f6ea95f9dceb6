/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comes before latent attention: the sizes and choices of a call, which its checks find and its run reads.
 */
#ifndef BELAY_OPS_CACHE_MLA_PROLOG_H
#define BELAY_OPS_CACHE_MLA_PROLOG_H

#include "ops/cache/slots.h"

/* The places that both versions have in common; cacheIndex and the caches change theirs. */
enum mla_place {
    MLA_TOKENS,
    MLA_DOWN, /* weightDq */
    MLA_UP,   /* weightUqQr */
    MLA_KEYS, /* weightUk */
    MLA_KEPT, /* weightDkvKr */
    MLA_GAMMA,
    MLA_KEPT_GAMMA,
    MLA_SINE,
    MLA_COSINE,
    MLA_TOKEN_SCALE = 12,
    MLA_DOWN_SCALE,
    MLA_UP_SCALE,
    MLA_KEPT_SCALE,
    MLA_CACHE_SCALE, /* quantScaleCkv, quantScaleCkr */
    MLA_TURNED_CACHE_SCALE,
    MLA_SMOOTH,
    MLA_LENGTHS, /* of V3 */
    MLA_CLIP
};

/* Weights in INT8: none; that from the latent query up, whose rows are quantised; tokens and all of them. */
enum mla_weights { MLA_PLAIN, MLA_UP_QUANTISED, MLA_ALL_QUANTISED };
/* Caches in INT8: none; kvCache by one scale, and queries by head; both by element. */
enum mla_caches { MLA_PLAIN_CACHES, MLA_CACHE_BY_ONE, MLA_CACHES_BY_ELEMENT };

struct mla {
    uint64_t tokens, batch_tokens; /* batch_tokens: of a batch; all where there are none */
    uint64_t width, latent, heads, depth, turned, kept;
    double epsilon[2], query_scale, kept_scale;
    enum mla_weights weights;
    enum mla_caches caches;
    uint8_t index, cache[2], outputs;
    bool has_index, by_blocks, is_packed, has_lengths, has_norm; /* has_norm: V3 has outputs for it */
    uint64_t block_numbers, sequences;                           /* of cacheIndex, of actualSeqLen */
    aclDataType dtype;                                           /* of what is not quantised */
    struct slots slots[2];
};

aclnnStatus mla_read(const struct call *call, struct mla *mla);

/* Tokens that a task takes together. */
enum { MLA_TASK_TOKENS = 8 };

int mla_start(struct task *task);
void mla_take_tokens(const struct task *task, uint64_t number);
uint64_t mla_room(const struct mla *mla);

#endif
