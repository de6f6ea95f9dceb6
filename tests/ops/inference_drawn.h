/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A call of attention for inference, drawn from its description: the tensors of any strides, lists, tables and lengths
 * that the description names. The tests of its results and those of calls that are refused make theirs so.
 */
#ifndef BELAY_TESTS_OPS_INFERENCE_DRAWN_H
#define BELAY_TESTS_OPS_INFERENCE_DRAWN_H

#include "ops/check.h"
#include "ops/layout.h"

#define F32 ACL_FLOAT
#define F16 ACL_FLOAT16
#define B16 ACL_BF16
enum mask_kind { NO_MASK, MASK_OF_PAIRS, MASK_OF_BATCHES, MASK_OF_KEYS, MASK_OF_ALL };
enum { BATCHES_MAX = 4 };

struct inference_case {
    const char *api, *layout;
    aclDataType dtype;
    int64_t batches, heads, key_heads, rows, keys, depth, value_depth, rope;
    enum mask_kind mask;
    int64_t mode, pre, next;
    bool has_pse, has_lse, has_members;
    int64_t row_lengths, row_length[BATCHES_MAX], key_lengths, key_length[BATCHES_MAX];
    int64_t page, padding; /* padding: 0, none; p + 1 */
    /* So many keys at the end pse hides from every row; each row sees one less than the row behind it. */
    int64_t unseen;
    bool joins_heads_of_pages, has_sink, has_tiles, has_int8_keys;
    bool is_plain; /* nothing lies otherwise than it comes */
};

#define FUSED "aclnnFusedInferAttentionScore"
#define FAR   .pre = 65535, .next = 65535

struct drawn {
    const struct inference_case *of;
    struct layout query, out, pse, mask, lse, table, padding, query_rope, key_rope, sink;
    struct layout key[BATCHES_MAX], value[BATCHES_MAX], scale[4];
    int64_t members, pages;
};

/* Whether rows of all batches follow each other. */
bool is_packed(const struct inference_case *of);

/* The layout of the input or of the output, of one or of two joined by a line; valid until the next call. */
const char *layout_of(const struct inference_case *of, bool is_output);

/* That of the keys and values: of pages where there are such. */
const char *layout_of_keys(const struct inference_case *of);

/* Where an element lies: of batch, head, row, element, and how many heads there are. */
int64_t index_of(const char *layout, const struct layout *tensor, const int64_t *at);

double number(const struct layout *layout, int64_t index);

/* Of the caller, who releases it. */
struct drawn draw(const struct inference_case *of);
void release_drawn(struct drawn *drawn);

/* The argument of a parameter, by its name. */
union argument argument_named(const struct drawn *drawn, const struct parameter *parameter);

#endif
