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
        int64_t stride[NEST_VIEWS_MAX] = {0};
        for (uint32_t i = 0; i < view_count; i++)
            stride[i] = view[i] != NULL ? nest_stride(view[i], rank, dim) : 0;
        nest_add(nest, shape[dim], stride);
    }
}

void nest_of_rows(struct nest *nest, const struct tensor_view *view, uint32_t fastest)
{
    nest_begin(nest, 1);
    for (uint32_t dim = 0; dim < view->rank; dim++)
        if (dim != fastest)
            nest_add(nest, view->shape[dim], &view->stride[dim]);
    if (fastest < view->rank)
        nest_add(nest, view->shape[fastest], &view->stride[fastest]);
    nest_merge(nest);
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
        const int64_t size = nest->axis[last].size;
        const bool is_one = is_mergeable(nest, &nest->axis[last], &nest->axis[next]);
        last += !is_one;
        nest->axis[last] = nest->axis[next];
        nest->axis[last].size *= is_one ? size : 1; /* at most count */
    }
    nest->axis_count = last + 1;
}

size_t nest_bytes(const struct nest *nest)
{
    return offsetof(struct nest, axis) + nest->axis_count * sizeof nest->axis[0];
}

uint32_t nest_append(const struct nest *nest, void *plan, size_t *bytes)
{
    const uint32_t offset = (uint32_t)*bytes;
    memcpy((unsigned char *)plan + offset, nest, nest_bytes(nest));
    *bytes += nest_bytes(nest);
    return offset;
}

bool nest_is_linear(const struct nest *nest, uint32_t view)
{
    int64_t contiguous = 1;
    for (uint32_t k = nest->axis_count; k-- > 0; contiguous *= nest->axis[k].size)
        if (nest->axis[k].stride[view] != contiguous)
            return false;
    return true;
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

void nest_place_find(const struct nest *nest, struct nest_place *place)
{
    memset(place->offset, 0, sizeof place->offset);
    for (uint32_t k = 0; k < nest->axis_count; k++)
        for (uint32_t i = 0; i < nest->view_count; i++)
            place->offset[i] += place->index[k] * nest->axis[k].stride[i];
}

struct nest_place nest_place_at(const struct nest *nest, uint64_t position)
{
    struct nest_place place __attribute__((uninitialized));
    for (uint32_t k = nest->axis_count; k-- > 0;) {
        const uint64_t size = (uint64_t)nest->axis[k].size;
        place.index[k] = (int64_t)(position % size);
        position /= size;
    }
    nest_place_find(nest, &place);
    return place;
}

void nest_advance(const struct nest *nest, struct nest_place *place, uint64_t steps)
{
    for (uint32_t k = nest->axis_count; k-- > 0 && steps > 0;) {
        const struct nest_axis *axis = &nest->axis[k];
        const uint64_t next = (uint64_t)place->index[k] + steps, size = (uint64_t)axis->size;
        const uint64_t carry = next < size          ? 0
                               : next - size < size ? 1
                                                    : next / size; /* most often a row's end */
        const int64_t moved = (int64_t)(steps - carry * size);
        place->index[k] += moved;
        for (uint32_t i = 0; i < nest->view_count; i++)
            place->offset[i] += moved * axis->stride[i];
        steps = carry;
    }
}

/*
 * The longest part of the next count elements that the last two axes describe: the rest of a row, or whole
 * rows. Returns its elements.
 */
static size_t next_block(const struct nest *nest, uint32_t view, const struct nest_place *place, size_t count,
                         struct block *block)
{
    const uint32_t last = nest->axis_count - 1;
    *block = (struct block){.rows = 1, .columns = 1, .column_stride = 1};
    if (nest->axis_count == 0)
        return 1;
    const uint64_t size = (uint64_t)nest->axis[last].size, left = size - (uint64_t)place->index[last];
    block->columns = count < left ? count : (size_t)left;
    block->column_stride = nest->axis[last].stride[view];
    if (last > 0 && left == size && count > size) {
        const uint64_t rows = (uint64_t)(nest->axis[last - 1].size - place->index[last - 1]);
        block->rows = count / size < rows ? count / size : (size_t)rows;
        block->row_stride = nest->axis[last - 1].stride[view];
    }
    return block->rows * block->columns;
}

void nest_gather(const struct nest *nest, uint32_t view, struct nest_place place,
                 const struct transfer *transfer, const void *first, uint32_t bytes, void *to, size_t count)
{
    unsigned char *target = to;
    for (size_t length; count > 0; count -= length, target += length * bytes) {
        struct block block;
        length = next_block(nest, view, &place, count, &block);
        transfer->gather(target, (const unsigned char *)first + place.offset[view] * (int64_t)bytes, &block,
                         bytes);
        nest_advance(nest, &place, length);
    }
}

void nest_scatter(const struct nest *nest, uint32_t view, struct nest_place place,
                  const struct transfer *transfer, void *first, uint32_t bytes, const void *from,
                  size_t count)
{
    const unsigned char *source = from;
    for (size_t length; count > 0; count -= length, source += length * bytes) {
        struct block block;
        length = next_block(nest, view, &place, count, &block);
        transfer->scatter((unsigned char *)first + place.offset[view] * (int64_t)bytes, &block, source,
                          bytes);
        nest_advance(nest, &place, length);
    }
}
