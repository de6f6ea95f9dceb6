/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A quantised operand of a contraction: element (lane, step) stands for (element + offset) scale, each
 * operation in FLOAT, where scale and offset are those of the lane and of the group that the step is in.
 */
#ifndef BELAY_OPS_CONTRACTION_QUANTISED_H
#define BELAY_OPS_CONTRACTION_QUANTISED_H

#include "ops/contraction/contraction.h"
#include "tensor/tensor.h"

/* Scales or offsets: strides from lane to lane and from group to group, 0 where one stands for all. */
struct quantised_factor {
    aclDataType dtype;          /* FLOAT16 or BFLOAT16 */
    const unsigned char *first; /* set by the run; NULL: there is none */
    int64_t lane, group;
};

/* Steps that share a factor, by what is said: 0 for all of them; and how many groups of so many there are. */
static inline int64_t quantised_group(int64_t said, int64_t depth)
{
    return said > 0 ? said : depth > 0 ? depth : 1;
}

static inline int64_t quantised_groups(int64_t said, int64_t depth)
{
    const int64_t group = quantised_group(said, depth);
    return depth / group + (depth % group != 0);
}

/* One for all, one for each lane, (lanes) or (1, lanes), or (parts, lanes). */
static inline bool quantised_factor_fits(const struct tensor_view *view, int64_t parts, int64_t lanes)
{
    const bool is_row = view->rank == 1 || (view->rank == 2 && view->shape[0] == 1);
    return (is_row && (view->count == 1 || view->shape[view->rank - 1] == lanes)) ||
           (view->rank == 2 && view->shape[0] == parts && view->shape[1] == lanes);
}

/* The plan of such a product begins with a contraction, whose packing finds the rest. Strides are those of
 * the contraction's matrix. */
struct quantised {
    struct contraction product;
    bool is_in_halves; /* INT4, two to a byte, the first in the low half; else INT8 */
    uint32_t first;    /* INT4: of the first byte's two, the one that is element (0, 0) */
    uint32_t
        lanes_packed; /* lanes that follow one another within the stride of a lane: 8 of an INT32, or 1 */
    uint64_t group;   /* steps that share a scale; at least 1 */
    struct quantised_factor scale, offset;
};

/* The fewest steps for which a row is multiplied with a scale; with fewer the operand is packed. */
enum { ROW_GROUP_LEAST = 16 };

/* Whether multiply_quantised_row can take it: columns that begin with a byte and have their steps side by
 * side, and scales for whole words of 32 bits. */
static inline bool quantised_row_is_whole(const struct quantised *plan)
{
    const int64_t *stride = plan->product.right.stride;
    const bool begins_bytes = !plan->is_in_halves || (plan->first == 0 && stride[0] % 2 == 0);
    const bool has_words =
        plan->group >= plan->product.depth || (plan->group % 8 == 0 && plan->group >= ROW_GROUP_LEAST);
    return plan->lanes_packed == 1 && stride[1] == 1 && begins_bytes && has_words;
}

#endif
