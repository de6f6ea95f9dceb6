/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Loops over the elements of several views at once: axes with a stride for each view, merged where no view
 * tells the difference, and a walk over them. Every family's plan has one, or several.
 */
#ifndef BELAY_OPS_NEST_H
#define BELAY_OPS_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/transfer.h"
#include "tensor/tensor.h"

enum { NEST_VIEWS_MAX = 6 };

struct nest_axis {
    int64_t size;                   /* 0 only where the count is 0 */
    int64_t stride[NEST_VIEWS_MAX]; /* elements; 0 where a view repeats */
};

/* The last axis is the fastest. Without axes there is one element, or none if the count is 0. */
struct nest {
    uint32_t view_count, axis_count;
    uint64_t count;                         /* elements of the walk */
    struct nest_axis axis[TENSOR_RANK_MAX]; /* last: a nest is copied no further than it is filled in */
};

/* A nest of one element, with strides for so many views. */
void nest_begin(struct nest *nest, uint32_t view_count);

/* Adds an axis inside those that there are, unless its size is 1: one stride for each view. */
void nest_add(struct nest *nest, int64_t size, const int64_t *stride);

/* The nest over all dims of a shape, in their order, to which the views broadcast; a view that is NULL is one
 * element. */
void nest_of_views(struct nest *nest, uint32_t rank, const int64_t *shape,
                   const struct tensor_view *const *view, uint32_t view_count);

/* A view's nest in row-major order, dim `fastest` moved behind the others unless it has no such dim. */
void nest_of_rows(struct nest *nest, const struct tensor_view *view, uint32_t fastest);

/* The stride of a view along a dim of a shape that it broadcasts to: 0 where it repeats. */
int64_t nest_stride(const struct tensor_view *view, uint32_t rank, uint32_t dim);

/* Puts the axes in the order of falling strides of one view: a walk of elements whose order does not matter
 * then goes through that view's memory from its beginning to its end. */
void nest_sort(struct nest *nest, uint32_t by_view);

/* Makes one axis of neighbours that every view takes the same way as one: whatever is contiguous in all views
 * has a single axis in the end. The order of the walk stays. */
void nest_merge(struct nest *nest);

/* The bytes that hold what is filled in. */
size_t nest_bytes(const struct nest *nest);

/* Copies it behind a plan of so many bytes, which become more, and tells where: for nest_in. */
uint32_t nest_append(const struct nest *nest, void *plan, size_t *bytes);

static inline const struct nest *nest_in(const void *plan, uint32_t offset)
{
    return (const struct nest *)(const void *)((const unsigned char *)plan + offset);
}

/* Whether a view's elements lie in the order of the walk, without gaps. */
bool nest_is_linear(const struct nest *nest, uint32_t view);

/* The last axis, of size 1 where there is none. */
struct nest_axis nest_inner(const struct nest *nest);

/* Takes the last axis out, for a walk over rows; a nest without axes gives one of size 1. */
struct nest_axis nest_take_inner(struct nest *nest);

/* A place in the walk: an index for each axis, and where each view is, in elements from its first. */
struct nest_place {
    int64_t offset[NEST_VIEWS_MAX];
    int64_t index[TENSOR_RANK_MAX];
};

/* The place of the element with this number in the walk, which is less than the count. */
struct nest_place nest_place_at(const struct nest *nest, uint64_t position);

/* Sets the offsets to what follows from the indices. */
void nest_place_find(const struct nest *nest, struct nest_place *place);

/* Moves on by steps of the last axis. Past the last element the place is the first one again. */
void nest_advance(const struct nest *nest, struct nest_place *place, uint64_t steps);

/* What is left of the last axis from the place on: 1 without axes. */
static inline int64_t nest_left(const struct nest *nest, const struct nest_place *place)
{
    return nest->axis_count == 0 ? 1
                                 : nest->axis[nest->axis_count - 1].size - place->index[nest->axis_count - 1];
}

/* Brings so many elements of a view, whose first one is at `first`, side by side, or takes them there: from a
 * place on, in the order of the walk. */
void nest_gather(const struct nest *nest, uint32_t view, struct nest_place place,
                 const struct transfer *transfer, const void *first, uint32_t bytes, void *to, size_t count);
void nest_scatter(const struct nest *nest, uint32_t view, struct nest_place place,
                  const struct transfer *transfer, void *first, uint32_t bytes, const void *from,
                  size_t count);

#endif
