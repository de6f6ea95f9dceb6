/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of functions that move elements: tile by tile over all parts, shared out to threads. A tile is a
 * number of rows of columns; what lies side by side in both memories is copied as it lies, everything else
 * goes through buffers on the stack.
 */
#include <string.h>

#include "ops/loops/move.h"
#include "runtime/streams/workers.h"
#include "simd/loops/move.h"
#include "tensor/dtype.h"

/* A buffer is as large as a tile that goes through it (move_plan.c). */
enum { BUFFER_BYTES = 8192, LINE_BYTES = 64, STREAM_MIN = 4096 };

struct move_walk {
    const struct move_plan *plan;
    const struct move_part *part;
    uint32_t part_count;
    uint64_t tile_count, tiles_at_once;
    void *const *address;
};

/* A place among the tiles of a part. */
struct tile {
    int64_t index[MOVE_AXES_MAX]; /* of the outer axes; then the first row and column */
    const unsigned char *from;    /* at the outer axes' place */
    unsigned char *to;
};

/* One run past the caches: whole lines stream. */
static void copy_run(unsigned char *to, const unsigned char *from, size_t bytes, bool streams)
{
    static const struct copy_parameters in_bytes = {1};
    if (to == from)
        return;
    if (!streams || bytes < STREAM_MIN) {
        memcpy(to, from, bytes);
        return;
    }
    size_t head = -(uintptr_t)to % LINE_BYTES, body = (bytes - head) / LINE_BYTES * LINE_BYTES;
    const void *source = from + head;
    memcpy(to, from, head);
    copy_elements(&source, to + head, body, &in_bytes, true);
    memcpy(to + head + body, from + head + body, bytes - head - body);
}

/* Elements side by side, which become those of the result; the buffer where they are then. */
static const unsigned char *convert(const struct move_walk *walk, const struct move_part *part,
                                    const unsigned char *elements, unsigned char (*buffer)[BUFFER_BYTES],
                                    size_t count)
{
    const struct move_plan *plan = walk->plan;
    if (part->dtype != plan->through) {
        plan->transfer->convert(elements, part->dtype, buffer[0], plan->through, count);
        elements = buffer[0];
    }
    if (plan->through != plan->result) {
        plan->transfer->convert(elements, plan->through, buffer[1], plan->result, count);
        elements = buffer[1];
    }
    return elements;
}

static void copy_tile(const struct move_walk *walk, const struct move_part *part, const unsigned char *from,
                      unsigned char *to, const struct block *source, const struct block *target)
{
    _Alignas(64) unsigned char gathered[BUFFER_BYTES] __attribute__((uninitialized));
    _Alignas(64) unsigned char converted[2][BUFFER_BYTES] __attribute__((uninitialized));
    const struct transfer *transfer = walk->plan->transfer;
    const uint32_t read = dtype_bytes(part->dtype), written = dtype_bytes(walk->plan->result);
    const int64_t columns = (int64_t)source->columns;
    bool converts = part->dtype != walk->plan->through || walk->plan->through != walk->plan->result;
    bool is_dense = source->column_stride == 1 && (source->rows == 1 || source->row_stride == columns);
    bool becomes_dense = target->column_stride == 1 && (target->rows == 1 || target->row_stride == columns);
    if (!converts && source->column_stride == 1 && target->column_stride == 1) {
        for (size_t row = 0; row < source->rows; row++)
            copy_run(to + (ptrdiff_t)row * target->row_stride * (ptrdiff_t)written,
                     from + (ptrdiff_t)row * source->row_stride * (ptrdiff_t)read, source->columns * read,
                     walk->plan->streams);
    } else if (!converts && becomes_dense) {
        transfer->gather(to, from, source, read);
    } else if (!converts && is_dense) {
        transfer->scatter(to, target, from, written);
    } else {
        const unsigned char *elements = from;
        if (!is_dense) {
            transfer->gather(gathered, from, source, read);
            elements = gathered;
        }
        elements = convert(walk, part, elements, converted, source->rows * source->columns);
        transfer->scatter(to, target, elements, written);
    }
}

/* Where the outer axes of a part are at one of its tiles. */
static void find_tile(const struct move_walk *walk, const struct move_part *part, uint64_t number,
                      struct tile *tile)
{
    const uint32_t last = part->axis_count - 1;
    const struct move_axis *columns = &part->axis[last], *rows = columns - 1;
    const uint64_t across = (uint64_t)((columns->size - 1) / part->tile_columns + 1);
    const uint64_t down = (uint64_t)((rows->size - 1) / part->tile_rows + 1);
    tile->index[last] = (int64_t)(number % across) * part->tile_columns;
    tile->index[last - 1] = (int64_t)(number / across % down) * part->tile_rows;
    uint64_t outer = number / across / down;
    static const _Alignas(16) unsigned char zeros[16];
    int64_t from = part->from_first, to = part->to_first;
    for (uint32_t i = last - 1; i-- > 0; outer /= (uint64_t)part->axis[i].size) {
        tile->index[i] = (int64_t)(outer % (uint64_t)part->axis[i].size);
        from += tile->index[i] * part->axis[i].from;
        to += tile->index[i] * part->axis[i].to;
    }
    const unsigned char *first = part->is_zeros ? zeros : walk->address[part->from];
    tile->from = first + from * (int64_t)dtype_bytes(part->dtype);
    tile->to = (unsigned char *)walk->address[part->to] + to * (int64_t)dtype_bytes(walk->plan->result);
}

/* The next tile, of a part that has one. */
static void next_tile(const struct move_walk *walk, const struct move_part *part, struct tile *tile)
{
    const uint32_t last = part->axis_count - 1;
    const int64_t read = dtype_bytes(part->dtype), written = dtype_bytes(walk->plan->result);
    tile->index[last] += part->tile_columns;
    if (tile->index[last] < part->axis[last].size)
        return;
    tile->index[last] = 0;
    tile->index[last - 1] += part->tile_rows;
    if (tile->index[last - 1] < part->axis[last - 1].size)
        return;
    tile->index[last - 1] = 0;
    for (uint32_t i = last - 1; i-- > 0;) {
        const struct move_axis *axis = &part->axis[i];
        tile->from += axis->from * read;
        tile->to += axis->to * written;
        if (++tile->index[i] < axis->size)
            return;
        tile->from -= axis->size * axis->from * read;
        tile->to -= axis->size * axis->to * written;
        tile->index[i] = 0;
    }
}

static void move_tiles(const struct move_walk *walk, const struct move_part *part, uint64_t first,
                       uint64_t count)
{
    const uint32_t last = part->axis_count - 1;
    const struct move_axis *columns = &part->axis[last], *rows = columns - 1;
    struct tile tile __attribute__((uninitialized));
    find_tile(walk, part, first, &tile);
    for (; count > 0; count--) {
        int64_t row = tile.index[last - 1], column = tile.index[last];
        int64_t row_count = rows->size - row, column_count = columns->size - column;
        struct block source = {
            (size_t)(row_count < part->tile_rows ? row_count : part->tile_rows),
            (size_t)(column_count < part->tile_columns ? column_count : part->tile_columns), rows->from,
            columns->from};
        struct block target = {source.rows, source.columns, rows->to, columns->to};
        copy_tile(walk, part,
                  tile.from + (row * rows->from + column * columns->from) * (int64_t)dtype_bytes(part->dtype),
                  tile.to +
                      (row * rows->to + column * columns->to) * (int64_t)dtype_bytes(walk->plan->result),
                  &source, &target);
        if (count > 1)
            next_tile(walk, part, &tile);
    }
}

/* The last part whose first tile is not behind this one; parts without tiles share theirs with the next. */
static uint32_t part_of(const struct move_walk *walk, uint64_t tile)
{
    uint32_t low = 0, high = walk->part_count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (walk->part[middle].first_tile <= tile)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void move_share(void *context, uint64_t begin, uint64_t end)
{
    const struct move_walk *walk = context;
    uint64_t tile = begin * walk->tiles_at_once, last = end * walk->tiles_at_once;
    last = last < walk->tile_count ? last : walk->tile_count;
    for (uint32_t i = part_of(walk, tile); tile < last; i++) {
        uint64_t next = i + 1 < walk->part_count ? walk->part[i + 1].first_tile : walk->tile_count;
        uint64_t count = (next < last ? next : last) - tile;
        if (count > 0)
            move_tiles(walk, &walk->part[i], tile - walk->part[i].first_tile, count);
        tile += count;
    }
    if (walk->plan->streams)
        put_fence();
}

int move_run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct move_plan *plan = plan_memory;
    struct move_walk walk = {.plan = plan,
                             .part = move_parts(plan),
                             .part_count = plan->part_count,
                             .tile_count = plan->tile_count,
                             .tiles_at_once = plan->tiles_at_once,
                             .address = address};
    (void)scratch;
    if (!workers_pay(plan->cost_ns))
        walk.tiles_at_once = plan->tile_count;
    workers_share(move_share, &walk, (plan->tile_count - 1) / walk.tiles_at_once + 1, 4, plan->cost_ns);
    return 0;
}
