/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the C functions tell the kinds of attention that have no parameters in C++.
 */
#ifndef BELAY_ATB_ATTENTION_H
#define BELAY_ATB_ATTENTION_H

#include "atb/operation.h"

struct prefix_encoder_param {
    int32_t mask;
    int64_t heads, key_heads;
    float scale;
};

struct latent_param {
    int64_t heads, key_heads;
    float scale;
    int32_t mask, calculation, cache;
};

struct ring_param {
    int64_t heads, key_heads;
    float scale;
    int32_t kernel, mask, layout, calculation;
};

/* The sequences of a call, and what each side has of them. */
struct sequences {
    uint64_t count;
    int64_t *queries, *keys; /* lengths */
};

void end_sequences(struct sequences *sequences);

enum { SEES_ALL = 0, SEES_CAUSAL = 3 };

struct attended {
    struct operand query, key, value, out; /* [tokens, heads, elements], or [blocks, rows, heads, elements] */
    const struct operand *table;           /* NULL: keys lie as queries do */
    const struct operand *query_rope, *key_rope; /* NULL, or more elements of each head */
    aclTensor *lse;        /* NULL, or [tokens, heads, 1]: the logarithm of the sum of each row */
    aclTensor *out_tensor; /* NULL, or what is written in the place of out */
    int64_t heads, key_heads;
    double scale;
    int mode;
};

/* The calls that compute it; and the checks before it, which give all operands their heads. */
int32_t attention_check(struct setup *setup, struct attended *of);
int32_t attention_add(struct setup *setup, const struct attended *of, const struct sequences *sequences);

extern const struct kind kind_prefix_encoder, kind_latent, kind_ring;

#endif
