/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the arguments of an attention say: which layout, how many of what, and which sequences.
 */
#ifndef BELAY_OPS_ATTENTION_GEOMETRY_H
#define BELAY_OPS_ATTENTION_GEOMETRY_H

#include "ops/attention/attention.h"
#include "ops/check.h"
#include "ops/sizes.h"

/* Those from NTD on are of inference alone; TILES are keys in pages whose elements lie in tiles (FRACTAL_NZ). */
enum attention_layout {
    LAYOUT_BSH,
    LAYOUT_SBH,
    LAYOUT_BNSD,
    LAYOUT_BSND,
    LAYOUT_TND,
    LAYOUT_NTD,
    LAYOUT_NSD,
    LAYOUT_NBSD,
    LAYOUT_TILES,
    ATTENTION_LAYOUTS
};

/* Sequences one after another, without a dim for them. */
static inline bool attention_layout_is_packed(enum attention_layout layout)
{
    return layout == LAYOUT_TND || layout == LAYOUT_NTD;
}

struct attention_geometry {
    enum attention_layout layout;
    int64_t batches, heads, key_heads, rows, keys; /* of TND rows and keys are those of all sequences */
    int64_t depth, rope_depth, value_depth;
    int64_t tile;    /* elements of one, in TILES */
    int64_t repeats; /* of each statistic */
};

/* The parameters of a call by what they are; NOWHERE where its function has none. */
unsigned attention_parameter(const struct call *call, enum attention_tensor tensor);

static inline const struct attention_form *attention_form_of(const struct call *call)
{
    return (const struct attention_form *)call->function->of_family;
}

/* Given, and with elements. */
static inline bool attention_was_given(const struct call *call, unsigned parameter)
{
    return parameter != NOWHERE && call_has_elements(call, parameter);
}

/* The values of an array, none where it is absent. */
static inline uint64_t attention_numbers(const struct call *call, unsigned parameter, const int64_t **value)
{
    if (parameter == NOWHERE || !call_has(call, parameter))
        return 0;
    *value = call->values[parameter].value.int64;
    return call->values[parameter].count;
}

/* What follows `numbers` in all functions. */
enum { SCALE_VALUE, KEEP_PROB, PRE_TOKENS, NEXT_TOKENS, HEAD_NUM, INPUT_LAYOUT };
static inline const union argument *attention_argument(const struct call *call, unsigned number)
{
    const struct attention_form *form = attention_form_of(call);
    return &call->argument[form->numbers + number - (form->is_quantised && number > KEEP_PROB ? 1U : 0U)];
}

static inline double attention_keep(const struct call *call)
{
    return attention_form_of(call)->is_quantised ? 1 : attention_argument(call, KEEP_PROB)->fp64;
}

static inline int64_t attention_mode(const struct call *call)
{
    return call->argument[attention_form_of(call)->sparse_mode].int64;
}

/* The checks of all tensors' shapes. */
aclnnStatus attention_geometry_of(const struct call *call, struct attention_geometry *geometry);

/* Where a layout has batch, head, row and element among its dims; heads may be in one dim with elements. */
enum attention_dim { DIM_BATCH, DIM_HEAD, DIM_ROW, DIM_ELEMENT, DIMS_OF_HEAD };
bool attention_has_joint_heads(enum attention_layout layout);
uint32_t attention_rank(enum attention_layout layout);

/* The size of that dim; 1 of a batch that the layout does not have. */
int64_t attention_size(const struct tensor_view *view, enum attention_layout layout, enum attention_dim dim);

/* The shape of a tensor with so many elements in a head. */
struct shape attention_shape(const struct attention_geometry *geometry, int64_t heads, int64_t rows,
                             int64_t depth);

/* A head is no longer than plans can say. */
aclnnStatus attention_check_depths(const struct call *call, const struct attention_geometry *geometry);

/* The shape of softmaxMax and softmaxSum. */
struct shape attention_statistics_shape(const struct attention_geometry *geometry);

/* A tensor of this layout by batch, head, row and element. */
struct attention_view attention_view_in(const struct tensor_view *view, uint32_t address,
                                        enum attention_layout layout, int64_t heads);

/* One that broadcasts to batches, heads, rows, keys, as the last of these. */
struct attention_view attention_view_of_scores(const struct tensor_view *view, uint32_t address);

/* What hides scores by their places: sparseMode, preTokens, nextTokens, prefix. */
struct attention_window {
    int64_t mode, pre, next;
    bool has_mask; /* without one nothing is hidden */
    uint64_t prefixes;
    const int64_t *prefix;
};
struct attention_window attention_window_of(const struct call *call);

/* What rows see of a sequence with so many rows and keys. */
void attention_bounds(const struct attention_window *window, uint64_t number, bool is_first, bool is_last,
                      struct attention_sequence *sequence);

/* Where sequences end that lie one after another. */
struct attention_ends {
    uint64_t count;
    const int64_t *row, *key;
};

/* How many sequences, and they themselves where there is room: those, and what is behind the last one. */
uint64_t attention_packed_sequences(const struct attention_window *window,
                                    const struct attention_geometry *geometry,
                                    const struct attention_ends *ends, struct attention_sequence *sequence);

/* The parts of TND, or a prefix of each batch; none otherwise. */
uint64_t attention_sequences(const struct call *call, const struct attention_geometry *geometry,
                             struct attention_sequence *sequence);

/* The end of phase 1, once operands, sequences and scores are known: kernels, tasks and their cost. Where
 * there are no sequences rows and keys are those of each batch. */
void attention_set_tasks(const struct call *call, struct attention *plan);

#endif
