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

/* By no more than what is left of the last axis. */
static void advance(const struct span *span, struct place *place, int64_t steps)
{
    uint32_t k = span->axis_count - 1;
    place->index[k] += steps;
    place->offset += steps * span->stride[k];
    for (; k > 0 && place->index[k] == span->size[k]; k--) {
        place->offset += span->stride[k - 1] - span->size[k] * span->stride[k];
        place->index[k] = 0;
        place->index[k - 1]++;
    }
}

static uint64_t piece_at(const struct span *span, const struct place *place, uint64_t count)
{
    uint32_t last = span->axis_count - 1;
    uint64_t left = (uint64_t)(span->size[last] - place->index[last]);
    return left < count ? left : count;
}

void span_read(const struct span *span, const struct transfer *transfer, const void *first, uint64_t at,
               void *to, uint64_t count)
{
    struct place place = place_at(span, at);
    unsigned char *target = (unsigned char *)to;
    const int64_t stride = span->stride[span->axis_count - 1];
    while (count > 0) {
        uint64_t piece = piece_at(span, &place, count);
        const unsigned char *source = (const unsigned char *)first + place.offset * span->bytes;
        const struct block block = {
            .rows = 1, .columns = (size_t)piece, .row_stride = 0, .column_stride = stride};
        if (stride == 1)
            memcpy(target, source, (size_t)piece * span->bytes);
        else
            transfer->gather(target, source, &block, span->bytes);
        target += piece * span->bytes;
        count -= piece;
        advance(span, &place, (int64_t)piece);
    }
}

void span_write(const struct span *span, const struct transfer *transfer, void *first, uint64_t at,
                const void *from, uint64_t count)
{
    struct place place = place_at(span, at);
    const unsigned char *source = (const unsigned char *)from;
    const int64_t stride = span->stride[span->axis_count - 1];
    while (count > 0) {
        uint64_t piece = piece_at(span, &place, count);
        unsigned char *target = (unsigned char *)first + place.offset * span->bytes;
        const struct block block = {
            .rows = 1, .columns = (size_t)piece, .row_stride = 0, .column_stride = stride};
        if (stride == 1)
            memcpy(target, source, (size_t)piece * span->bytes);
        else
            transfer->scatter(target, &block, source, span->bytes);
        source += piece * span->bytes;
        count -= piece;
        advance(span, &place, (int64_t)piece);
    }
}

bool spans_agree(const struct span *a, const struct span *b)
{
    bool agree = a->bytes == b->bytes && a->axis_count == b->axis_count;
    for (uint32_t k = 0; agree && k < a->axis_count; k++)
        agree = a->size[k] == b->size[k] && a->stride[k] == b->stride[k];
    return agree;
}
