/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The second pass of functions that move elements by indices: slices to or from the places that were found.
 */
#include <string.h>

#include "ops/index/index.h"
#include "ops/element_bytes.h"
#include "runtime/streams/workers.h"

/* Bytes of a slice that are moved at once, and of what threads take at once; picoseconds for a byte and for a
 * place that is looked up. */
enum { PIECE_BYTES = 1 << 16, SHARE_BYTES = 1 << 16, BYTE_PS = 60, PLACE_PS = 2000 };

/* Where what is written is indexed, threads take parts of it, and each looks through all offsets. */
enum { BUCKETS = 16 };

void index_add_position(struct index_walk *walk, int64_t size, int64_t stride)
{
    walk->position[walk->position_count++] = (struct move_axis){.size = size, .to = stride};
}

void index_add_slice(struct index_walk *walk, int64_t size, int64_t from, int64_t to)
{
    walk->slice[walk->slice_count++] = (struct move_axis){size, from, to};
}

/* Positions keep their order: it decides between those with one offset. */
static void merge_positions(struct index_walk *walk)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < walk->position_count; i++) {
        const struct move_axis axis = walk->position[i];
        struct move_axis *outer = kept > 0 ? &walk->position[kept - 1] : NULL;
        if (axis.size == 1)
            continue;
        if (outer != NULL && (uint64_t)outer->to == (uint64_t)axis.to * (uint64_t)axis.size)
            *outer = (struct move_axis){.size = outer->size * axis.size, .to = axis.to};
        else
            walk->position[kept++] = axis;
    }
    if (kept == 0)
        walk->position[kept++] = (struct move_axis){.size = 1};
    walk->position_count = kept;
}

void index_arrange(struct index_walk *walk)
{
    merge_positions(walk);
    walk->slice_count = move_merge(walk->slice, walk->slice_count);
}

int64_t index_place(const struct index_walk *walk, uint64_t position)
{
    int64_t place = 0;
    for (uint32_t i = walk->position_count; i-- > 1;) {
        place += (int64_t)(position % (uint64_t)walk->position[i].size) * walk->position[i].to;
        position /= (uint64_t)walk->position[i].size;
    }
    return place + (int64_t)position * walk->position[0].to;
}

int64_t index_slice(const struct index_walk *walk, uint64_t number, int64_t *from, int64_t *to)
{
    const struct move_axis *first = &walk->slice[walk->inner];
    int64_t begin = (int64_t)(number % walk->pieces) * walk->piece;
    int64_t size = walk->inner < walk->slice_count ? first->size - begin : 1;
    *from = walk->inner < walk->slice_count ? begin * first->from : 0;
    *to = walk->inner < walk->slice_count ? begin * first->to : 0;
    number /= walk->pieces;
    for (uint32_t i = walk->inner; i-- > 0;) {
        const struct move_axis *axis = &walk->slice[i];
        int64_t index = (int64_t)(number % (uint64_t)axis->size);
        number /= (uint64_t)axis->size;
        *from += index * axis->from;
        *to += index * axis->to;
    }
    return size < walk->piece ? size : walk->piece;
}

/* Elements at places that are count steps apart, or at offsets. */
struct elements {
    unsigned char *to;
    const unsigned char *from;
    int64_t to_stride, from_stride, count;
    const int64_t *offset;
    int64_t begin, end; /* of offsets that count */
};

static inline __attribute__((always_inline)) void copy_strided(const void *work, size_t bytes)
{
    const struct elements *own = work;
    unsigned char *to = own->to;
    const unsigned char *from = own->from;
    const int64_t to_step = own->to_stride * (int64_t)bytes, from_step = own->from_stride * (int64_t)bytes;
    for (int64_t i = 0, count = own->count; i < count; i++)
        memcpy(to + i * to_step, from + i * from_step, bytes);
}

/* Takes for each position its one element, where that is all there is to a slice. */
static inline __attribute__((always_inline)) void take_elements(const void *work, size_t bytes)
{
    const struct elements *own = work;
    unsigned char *to = own->to;
    const unsigned char *from = own->from;
    const int64_t *offset = own->offset, to_step = own->to_stride * (int64_t)bytes;
    for (int64_t i = 0, count = own->count; i < count; i++)
        memcpy(to + i * to_step, from + offset[i] * (int64_t)bytes, bytes);
}

/* Puts the one element of each position whose offset counts. */
static inline __attribute__((always_inline)) void put_elements(const void *work, size_t bytes)
{
    const struct elements *own = work;
    unsigned char *to = own->to;
    const unsigned char *from = own->from;
    const int64_t *offset = own->offset, from_step = own->from_stride * (int64_t)bytes, begin = own->begin,
                  end = own->end;
    for (int64_t i = 0, count = own->count; i < count; i++)
        if (offset[i] >= begin && offset[i] < end)
            memcpy(to + offset[i] * (int64_t)bytes, from + i * from_step, bytes);
}

static void copy_slice(const struct index_walk *walk, uint32_t axis, int64_t size, unsigned char *to,
                       const unsigned char *from)
{
    const struct move_axis *along = &walk->slice[axis];
    const int64_t bytes = walk->bytes;
    if (axis + 1 < walk->slice_count) {
        for (int64_t i = 0; i < size; i++)
            copy_slice(walk, axis + 1, walk->slice[axis + 1].size, to + i * along->to * bytes,
                       from + i * along->from * bytes);
    } else if (along->to == 1 && along->from == 1) {
        memcpy(to, from, (size_t)(size * bytes));
    } else {
        const struct elements elements = {
            .to = to, .from = from, .to_stride = along->to, .from_stride = along->from, .count = size};
        by_element_bytes(copy_strided, &elements, walk->bytes);
    }
}

/* Where a share of the work lies. */
struct share {
    const unsigned char *from;
    unsigned char *to;
    int64_t size;       /* of the piece */
    int64_t begin, end; /* of offsets that count */
};

/* Positions that lie side by side in the tensor that is not indexed. */
static void move_row(const struct index_walk *walk, const struct share *share, const int64_t *offset,
                     int64_t place, int64_t stride, int64_t count)
{
    const int64_t bytes = walk->bytes;
    const unsigned char *from = share->from + (walk->puts ? place * bytes : 0);
    unsigned char *to = share->to + (walk->puts ? 0 : place * bytes);
    if (walk->inner == walk->slice_count) {
        const struct elements elements = {.to = to,
                                          .from = from,
                                          .to_stride = stride,
                                          .from_stride = stride,
                                          .count = count,
                                          .offset = offset,
                                          .begin = share->begin,
                                          .end = share->end};
        if (walk->puts)
            by_element_bytes(put_elements, &elements, walk->bytes);
        else
            by_element_bytes(take_elements, &elements, walk->bytes);
    } else {
        for (int64_t i = 0; i < count; i++) {
            if (offset[i] < share->begin || offset[i] >= share->end)
                continue;
            int64_t direct = i * stride * bytes, indexed = offset[i] * bytes;
            copy_slice(walk, walk->inner, share->size, to + (walk->puts ? indexed : direct),
                       from + (walk->puts ? direct : indexed));
        }
    }
}

static void move_positions(const struct index_walk *walk, const struct share *share, uint64_t position,
                           uint64_t count)
{
    const struct move_axis *along = &walk->position[walk->position_count - 1];
    while (count > 0) {
        uint64_t left = (uint64_t)along->size - position % (uint64_t)along->size;
        left = left < count ? left : count;
        const int64_t place = index_place(walk, position);
        if (walk->reader != NULL)
            index_reader_take(walk->reader, position, left, share->from,
                              share->to + place * (int64_t)walk->bytes, along->to, walk->bytes);
        else
            move_row(walk, share, walk->offset + position, place, along->to, (int64_t)left);
        position += left;
        count -= left;
    }
}

/* Numbers of the work: shares of positions, or of places, in pieces in outer axes. */
static void move_share(void *context, uint64_t begin, uint64_t end)
{
    const struct index_walk *walk = context;
    const uint64_t parts = walk->shares * walk->buckets;
    const int64_t width = (int64_t)(walk->extent / walk->buckets) + 1;
    for (uint64_t number = begin; number < end; number++) {
        int64_t from, to;
        struct share share = {.size = index_slice(walk, number / parts, &from, &to)};
        uint64_t part = number % parts, bucket = part % walk->buckets, positions = part / walk->buckets;
        uint64_t first = walk->count / walk->shares * positions;
        uint64_t count = positions + 1 < walk->shares ? walk->count / walk->shares : walk->count - first;
        share.from = walk->from + from * (int64_t)walk->bytes;
        share.to = walk->to + to * (int64_t)walk->bytes;
        share.begin = walk->buckets > 1 ? (int64_t)bucket * width : 0;
        share.end = walk->buckets > 1 ? share.begin + width : INT64_MAX;
        move_positions(walk, &share, first, count);
    }
}

/* Decides which axes of a slice are walked outside of the positions: those that lie further apart in the
 * tensor that is not indexed. Returns the bytes of the slice that is left. */
static uint64_t cut_slices(struct index_walk *walk)
{
    int64_t apart = walk->position[walk->position_count - 1].to;
    uint64_t bytes = walk->bytes;
    walk->inner = 0;
    walk->outer = 1;
    for (; walk->inner < walk->slice_count; walk->inner++) {
        const struct move_axis *axis = &walk->slice[walk->inner];
        if (apart == 0 || (walk->puts ? axis->from : axis->to) <= apart)
            break;
        walk->outer *= (uint64_t)axis->size;
    }
    for (uint32_t i = walk->inner + 1; i < walk->slice_count; i++)
        bytes *= (uint64_t)walk->slice[i].size;
    bool is_one = walk->inner == walk->slice_count;
    int64_t size = is_one ? 1 : walk->slice[walk->inner].size;
    int64_t piece = (int64_t)(PIECE_BYTES / bytes);
    walk->piece = piece < 1 ? 1 : piece < size ? piece : size;
    walk->pieces = (uint64_t)((size - 1) / walk->piece + 1);
    return bytes * (uint64_t)size;
}

/* More of them than threads would only look through the offsets again. */
uint64_t index_buckets(void)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return 1;
    return settings->thread_count < BUCKETS ? settings->thread_count : BUCKETS;
}

void index_move(struct index_walk *walk)
{
    index_arrange(walk);
    const uint64_t bytes = cut_slices(walk), units = walk->outer * walk->pieces;
    const uint64_t moved = bytes * walk->outer * walk->count;
    const uint64_t cost_ns = (moved * BYTE_PS + walk->outer * walk->count * PLACE_PS) / 1000;
    walk->shares = walk->buckets = 1;
    if (!workers_pay(cost_ns)) {
        move_share(walk, 0, units);
        return;
    }
    uint64_t worth = moved / SHARE_BYTES + walk->count * walk->outer / SHARE_BYTES * 8 + 1;
    uint64_t wanted = worth / units; /* parts of each, so that there are as many as pay */
    if (walk->puts)
        walk->buckets = units >= BUCKETS || wanted < 2 ? 1 : index_buckets();
    else
        walk->shares = wanted < 1 ? 1 : wanted < walk->count ? wanted : walk->count;
    workers_run(move_share, walk, units * walk->shares * walk->buckets, walk->puts ? 1 : 8);
}
