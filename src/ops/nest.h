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

#include "tensor/tensor.h"

enum { NEST_VIEWS_MAX = 8 };

struct nest_axis {
    int64_t size;                   /* never 1; 0 only where the count is 0 */
    int64_t stride[NEST_VIEWS_MAX]; /* elements; 0 where a view repeats */
};

/* The last axis is the fastest. Without axes there is one element, or none if the count is 0. */
struct nest {
    uint32_t view_count, axis_count;
    uint64_t count; /* elements of the walk */
    struct nest_axis
        axis[TENSOR_RANK_MAX]; /* last, so that a nest is copied no further than it is filled in */
};

/* A nest of one element, with strides for so many views. */
void nest_begin(struct nest *nest, uint32_t view_count);

/* Adds an axis inside those that there are, one stride for each view. */
void nest_add(struct nest *nest, int64_t size, const int64_t *stride);

/* The nest over all dims of a shape, in their order, to which the views broadcast: at most NEST_VIEWS_MAX. */
void nest_of_views(struct nest *nest, uint32_t rank, const int64_t *shape,
                   const struct tensor_view *const *view, uint32_t view_count);

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

/* Moves on by steps along the last axis, by no more than what is left of it; from its end to the next ones'.
 * Past the last element the place is the first one again. */
void nest_advance(const struct nest *nest, struct nest_place *place, int64_t steps);

/* What is left of the last axis from the place on: 1 without axes. */
static inline int64_t nest_left(const struct nest *nest, const struct nest_place *place)
{
    return nest->axis_count == 0 ? 1
                                 : nest->axis[nest->axis_count - 1].size - place->index[nest->axis_count - 1];
}

#endif
