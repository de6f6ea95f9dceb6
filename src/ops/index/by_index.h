/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of functions with a tensor of indices: elements or slices are read from where the indices say, or
 * written there, into a copy of a tensor or in place. A function says which places its positions have; the
 * order of passes and what is already in place are the loop's.
 */
#ifndef BELAY_OPS_INDEX_BY_INDEX_H
#define BELAY_OPS_INDEX_BY_INDEX_H

#include "ops/index/index.h"
#include "ops/index/index_lines.h"
#include "ops/span.h"

/* What is done with the tensor that is indexed. */
enum by_index_kind {
    BY_INDEX_READ, /* self[positions] becomes out */
    BY_INDEX_PUT,  /* out is self, then source is put there: the last one of several wins */
    BY_INDEX_SUM   /* the same, but added, or what walk.sum_kind says */
};

struct by_index {
    enum by_index_kind kind;
    bool has_self;   /* otherwise out begins as zeros */
    bool is_in_self; /* self and out are of one layout: where their addresses agree nothing is copied */
    bool has_source; /* otherwise it is the value */
    bool is_flat;    /* indices are row-major numbers of the indexed tensor */
    struct operand self, source, out, index;
    struct span self_span, out_span;
    struct shape positions;
    struct index_walk walk; /* but for addresses and offsets */
    _Alignas(16) unsigned char value[16];
    struct index_entry entry; /* the index */
    struct index_lines lines; /* a width of 0: it is not done by lines */
    const int64_t *given;     /* an array of indices, instead of a tensor: a copy follows the plan */

    /* Further columns of it, each into a dim of its own: their number, the elements from one to the next, and
     * size and step of the dims. */
    uint32_t columns;
    int64_t column_stride, column_size[OPERAND_RANK_MAX], column_step[OPERAND_RANK_MAX];
};

/* A parameter that does not exist. */
enum { BY_INDEX_NONE = PARAMETERS_MAX };

/* The beginning of a plan; self and source may be BY_INDEX_NONE. Positions have the index's shape, unless the
 * function says otherwise. Axes are the function's to add. */
struct by_index by_index_of(const struct call *call, enum by_index_kind kind, unsigned self, unsigned source,
                            unsigned out);

/* The index, whose values are into a dim of the indexed tensor. */
struct index_entry *by_index_set(struct by_index *plan, const struct call *call, unsigned index, int64_t size,
                                 int64_t step);

/* Has single elements, of which the index names places along a dim of out, done by lines (index_lines.h) where
 * that can be. Called when the positions are in the plan, and what is done with them. */
void by_index_set_lines(struct by_index *plan, const struct call *call, unsigned index, unsigned source,
                        unsigned out, uint32_t dim);

/* by_index_set() for an array of indices, which are known to be legal. */
struct index_entry *by_index_set_array(struct by_index *plan, const struct call *call, unsigned index,
                                       int64_t size, int64_t step);

/* The end of phase 1. */
aclnnStatus by_index_finish(const struct call *call, struct by_index *plan);

size_t by_index_work_bytes(const void *plan);
int by_index_run(const void *plan, void *const *address, void *scratch);

/* An index's dtype, which one without elements may have as it likes, and its rank. */
aclnnStatus by_index_check(const struct call *call, unsigned index);

/* Indices with elements are into a dim that has some. */
aclnnStatus by_index_check_size(const struct call *call, unsigned index, unsigned self, int64_t size);

/* In the description of a function: its family and how it runs. */
#define BY_INDEX \
    .family = FAMILY_INDEX, .operation.work_bytes = by_index_work_bytes, .operation.run = by_index_run

#endif
