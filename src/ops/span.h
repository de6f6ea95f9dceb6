/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A view whose elements are read and written by their numbers in row-major order, any number at a time: for
 * loops that work on contiguous pieces. One dim may be made the fastest, so that each of its rows is a piece.
 */
#ifndef BELAY_OPS_SPAN_H
#define BELAY_OPS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/transfer.h"
#include "tensor/tensor.h"

struct span {
    uint64_t count;                   /* elements */
    uint32_t axis_count;              /* 1 at least; neighbours that are as one are merged */
    uint32_t bytes;                   /* of an element */
    int64_t size[OPERAND_RANK_MAX];   /* the last axis is the fastest */
    int64_t stride[OPERAND_RANK_MAX]; /* elements */
};

enum { SPAN_AS_IT_IS = OPERAND_RANK_MAX };

/* A view's span, of rank 8 at most; dim `fastest` is behind the others unless it is SPAN_AS_IT_IS. */
struct span span_of(const struct tensor_view *view, uint32_t fastest);

/* The span of count elements that lie one behind the other. */
struct span span_contiguous(uint64_t count, uint32_t bytes);

static inline bool span_is_contiguous(const struct span *span)
{
    return span->axis_count == 1 && (span->stride[0] == 1 || span->size[0] == 1);
}

/* Where the element with a number lies: elements from the first. */
int64_t span_place(const struct span *span, uint64_t number);

/* Copies elements from their number at on; first is the view's first element. */
void span_read(const struct span *span, const struct transfer *transfer, const void *first, uint64_t at,
               void *to, uint64_t count);
void span_write(const struct span *span, const struct transfer *transfer, void *first, uint64_t at,
                const void *from, uint64_t count);

/* Whether both have each element in the same place, where their first ones have one address. */
bool spans_agree(const struct span *a, const struct span *b);

#endif
