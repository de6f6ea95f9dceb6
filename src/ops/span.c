/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements of views by their row-major numbers.
 */
#include "ops/span.h"

#include <string.h>

#include "tensor/dtype.h"

/* Adds an axis inside the others; it becomes part of the last one where both are as one. */
static void add_axis(struct span *span, int64_t size, int64_t stride)
{
    if (size == 1)
        return;
    uint32_t last = span->axis_count - 1;
    if (span->axis_count > 0 && span->stride[last] == size * stride) {
        span->size[last] *= size;
        span->stride[last] = stride;
        return;
    }
    span->size[span->axis_count] = size;
    span->stride[span->axis_count++] = stride;
}

struct span span_of(const struct tensor_view *view, uint32_t fastest)
{
    struct span span = {.count = (uint64_t)view->count, .bytes = dtype_bytes(view->dtype)};
    if (view->count == 0)
        return span_contiguous(0, span.bytes);
    for (uint32_t i = 0; i < view->rank; i++)
        if (i != fastest)
            add_axis(&span, view->shape[i], view->stride[i]);
    if (fastest < view->rank)
        add_axis(&span, view->shape[fastest], view->stride[fastest]);
    if (span.axis_count == 0) {
        span.axis_count = 1;
        span.size[0] = span.stride[0] = 1;
    }
    return span;
}

struct span span_contiguous(uint64_t count, uint32_t bytes)
{
    return (struct span){
        .count = count, .axis_count = 1, .bytes = bytes, .size = {(int64_t)count}, .stride = {1}};
}

int64_t span_place(const struct span *span, uint64_t number)
{
    int64_t place = 0;
    for (uint32_t k = span->axis_count; k-- > 0; number /= (uint64_t)span->size[k])
        place += (int64_t)(number % (uint64_t)span->size[k]) * span->stride[k];
    return place;
}

/* A place in a span, which pieces along the last axis move on. */
struct place {
    int64_t index[OPERAND_RANK_MAX];
    int64_t offset;
};

static struct place place_at(const struct span *span, uint64_t at)
{
    struct place place = {.offset = 0};
    for (uint32_t k = span->axis_count; k-- > 0;) {
        uint64_t size = (uint64_t)span->size[k];
        place.index[k] = (int64_t)(k > 0 ? at % size : at);
        place.offset += place.index[k] * span->stride[k];
        at = k > 0 ? at / size : 0;
    }
    return place;
}

/* The longest part of the next count elements that the last two axes describe, the rest of a row or whole
 * rows; moves on behind it and tells where it begins. */
static int64_t next_block(const struct span *span, struct place *place, uint64_t count, struct block *block)
{
    const uint32_t last = span->axis_count - 1;
    const uint64_t size = (uint64_t)span->size[last], left = size - (uint64_t)place->index[last];
    const int64_t begin = place->offset;
    *block = (struct block){
        .rows = 1, .columns = count < left ? count : left, .column_stride = span->stride[last]};
    int64_t steps = (int64_t)block->columns;
    uint32_t k = last;
    if (last > 0 && left == size && count > size) {
        k = last - 1;
        const uint64_t rows = (uint64_t)(span->size[k] - place->index[k]);
        block->rows = count / size < rows ? count / size : rows;
        block->row_stride = span->stride[k];
        steps = (int64_t)block->rows;
    }
    place->index[k] += steps;
    place->offset += steps * span->stride[k];
    for (; k > 0 && place->index[k] == span->size[k]; k--) {
        place->offset += span->stride[k - 1] - span->size[k] * span->stride[k];
        place->index[k] = 0;
        place->index[k - 1]++;
    }
    return begin * span->bytes;
}

void span_read(const struct span *span, const struct transfer *transfer, const void *first, uint64_t at,
               void *to, uint64_t count)
{
    struct block block;
    unsigned char *target = to;
    if (span_is_contiguous(span) && count > 0) {
        memcpy(to, (const unsigned char *)first + at * span->bytes, (size_t)count * span->bytes);
        return;
    }
    struct place place = place_at(span, at);
    for (uint64_t some; count > 0; count -= some, target += some * span->bytes) {
        const unsigned char *source = (const unsigned char *)first + next_block(span, &place, count, &block);
        some = block.rows * block.columns;
        if (block.rows == 1 && block.column_stride == 1)
            memcpy(target, source, (size_t)some * span->bytes);
        else
            transfer->gather(target, source, &block, span->bytes);
    }
}

void span_write(const struct span *span, const struct transfer *transfer, void *first, uint64_t at,
                const void *from, uint64_t count)
{
    struct block block;
    const unsigned char *source = from;
    if (span_is_contiguous(span) && count > 0) {
        memcpy((unsigned char *)first + at * span->bytes, from, (size_t)count * span->bytes);
        return;
    }
    struct place place = place_at(span, at);
    for (uint64_t some; count > 0; count -= some, source += some * span->bytes) {
        unsigned char *target = (unsigned char *)first + next_block(span, &place, count, &block);
        some = block.rows * block.columns;
        if (block.rows == 1 && block.column_stride == 1)
            memcpy(target, source, (size_t)some * span->bytes);
        else
            transfer->scatter(target, &block, source, span->bytes);
    }
}

bool spans_agree(const struct span *a, const struct span *b)
{
    bool agree = a->bytes == b->bytes && a->axis_count == b->axis_count;
    for (uint32_t k = 0; agree && k < a->axis_count; k++)
        agree = a->size[k] == b->size[k] && a->stride[k] == b->stride[k];
    return agree;
}
