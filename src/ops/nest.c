/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Axes of several views: how they are collected, sorted, merged and walked.
 */
#include "ops/nest.h"

#include <string.h>

void nest_begin(struct nest *nest, uint32_t view_count)
{
    nest->view_count = view_count;
    nest->axis_count = 0;
    nest->count = 1;
}

void nest_add(struct nest *nest, int64_t size, const int64_t *stride)
{
    nest->count *= (uint64_t)size;
    if (size == 1)
        return;
    struct nest_axis *axis = &nest->axis[nest->axis_count++];
    axis->size = size;
    memcpy(axis->stride, stride, nest->view_count * sizeof stride[0]);
}

int64_t nest_stride(const struct tensor_view *view, uint32_t rank, uint32_t dim)
{
    const uint32_t missing = rank - view->rank;
    return dim < missing || view->shape[dim - missing] == 1 ? 0 : view->stride[dim - missing];
}

void nest_of_views(struct nest *nest, uint32_t rank, const int64_t *shape,
                   const struct tensor_view *const *view, uint32_t view_count)
{
    nest_begin(nest, view_count);
    for (uint32_t dim = 0; dim < rank; dim++) {
        int64_t stride[NEST_VIEWS_MAX];
        for (uint32_t i = 0; i < view_count; i++)
            stride[i] = nest_stride(view[i], rank, dim);
        nest_add(nest, shape[dim], stride);
    }
}

void nest_sort(struct nest *nest, uint32_t by_view)
{
    for (uint32_t k = 1; k < nest->axis_count; k++) {
        const struct nest_axis axis = nest->axis[k];
        uint32_t place = k;
        for (; place > 0 && nest->axis[place - 1].stride[by_view] < axis.stride[by_view]; place--)
            nest->axis[place] = nest->axis[place - 1];
        nest->axis[place] = axis;
    }
}

static bool is_mergeable(const struct nest *nest, const struct nest_axis *outer,
                         const struct nest_axis *inner)
{
    /* size * stride <= reach + stride < 2^64 */
    bool is_equal = true;
    for (uint32_t i = 0; is_equal && i < nest->view_count; i++)
        is_equal = (uint64_t)outer->stride[i] == (uint64_t)inner->stride[i] * (uint64_t)inner->size;
    return is_equal;
}

void nest_merge(struct nest *nest)
{
    if (nest->axis_count == 0 || nest->count == 0)
        return;
    uint32_t last = 0;
    for (uint32_t next = 1; next < nest->axis_count; next++) {
        if (is_mergeable(nest, &nest->axis[last], &nest->axis[next])) {
            int64_t size = nest->axis[last].size * nest->axis[next].size; /* at most count */
            nest->axis[last] = nest->axis[next];
            nest->axis[last].size = size;
        } else {
            nest->axis[++last] = nest->axis[next];
        }
    }
    nest->axis_count = last + 1;
}

size_t nest_bytes(const struct nest *nest)
{
    return offsetof(struct nest, axis) + nest->axis_count * sizeof nest->axis[0];
}

struct nest_axis nest_inner(const struct nest *nest)
{
    return nest->axis_count > 0 ? nest->axis[nest->axis_count - 1] : (struct nest_axis){.size = 1};
}

struct nest_axis nest_take_inner(struct nest *nest)
{
    const struct nest_axis inner = nest_inner(nest);
    if (nest->axis_count > 0)
        nest->axis_count--;
    nest->count = 1;
    for (uint32_t k = 0; k < nest->axis_count; k++)
        nest->count *= (uint64_t)nest->axis[k].size;
    return inner;
}

struct nest_place nest_place_at(const struct nest *nest, uint64_t position)
{
    struct nest_place place __attribute__((uninitialized));
    memset(place.offset, 0, sizeof place.offset);
    for (uint32_t k = nest->axis_count; k-- > 0;) {
        const struct nest_axis *axis = &nest->axis[k];
        place.index[k] = (int64_t)(position % (uint64_t)axis->size);
        position /= (uint64_t)axis->size;
        for (uint32_t i = 0; i < nest->view_count; i++)
            place.offset[i] += place.index[k] * axis->stride[i];
    }
    return place;
}

void nest_advance(const struct nest *nest, struct nest_place *place, int64_t steps)
{
    for (uint32_t k = nest->axis_count; k-- > 0; steps = 1) {
        const struct nest_axis *axis = &nest->axis[k];
        place->index[k] += steps;
        for (uint32_t i = 0; i < nest->view_count; i++)
            place->offset[i] += steps * axis->stride[i];
        if (place->index[k] < axis->size)
            return;
        place->index[k] = 0;
        for (uint32_t i = 0; i < nest->view_count; i++)
            place->offset[i] -= axis->size * axis->stride[i];
    }
}
