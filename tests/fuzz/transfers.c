/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: copies by rows, in batches and under conditions.
 */
#include <string.h>

#include "fuzz/sides.h"

enum { BATCH_MOST = 4, ATTRIBUTES_MOST = 5 };

struct rows {
    struct side to, from;
    uint64_t to_pitch, from_pitch, width, height;
};

static uint64_t draw_pitch(struct world *world, uint64_t width)
{
    uint32_t choice = draw(world, 32);
    if (choice < 12)
        return width;
    if (choice < 22)
        return width + draw(world, 12);
    if (choice < 26 || choice > 29)
        return 64;
    static const uint64_t extremes[] = {UINT64_MAX, (UINT64_MAX >> 1) + 1, UINT64_C(1) << 58};
    return choice < 29 ? extremes[choice - 26] : width - 1;
}

/* From the first byte of the first row to the last one of the last. */
static uint64_t span_of(const struct rows *rows, uint64_t pitch)
{
    uint64_t bytes;
    if (rows->height == 0 || __builtin_mul_overflow(rows->height - 1, pitch, &bytes) ||
        __builtin_add_overflow(bytes, rows->width, &bytes))
        return UINT64_MAX;
    return bytes;
}

static uint64_t draw_length(struct world *world)
{
    static const uint64_t lengths[] = {8,   1,  2,  3, 4, 7, 5, 16, 0, UINT64_MAX, 40000, 512,
                                       100, 64, 33, 6, 1, 2, 3, 4,  5, 6,          7,     12};
    return lengths[draw(world, sizeof lengths / sizeof lengths[0])];
}

static bool draw_rows(struct world *world, struct rows *rows)
{
    rows->width = draw_length(world);
    rows->height = draw_length(world);
    rows->to_pitch = draw_pitch(world, rows->width);
    rows->from_pitch = draw_pitch(world, rows->width);
    return draw_side(world, span_of(rows, rows->to_pitch), &rows->to) &&
           draw_side(world, span_of(rows, rows->from_pitch), &rows->from);
}

static int expect_rows(struct world *world, const struct rows *rows, uint32_t kind, aclrtStream stream,
                       bool is_async)
{
    if (rows->width == 0 || rows->height == 0)
        return 0;
    if (rows->to.at == NULL || rows->from.at == NULL || rows->width > rows->to_pitch ||
        rows->width > rows->from_pitch || kind < ACL_MEMCPY_HOST_TO_DEVICE || kind > ACL_MEMCPY_DEFAULT)
        return 100000;
    int status = expect_stream(world, is_async ? stream : NULL);
    if (status != 0)
        return status;
    if (!rows->to.fits || !rows->from.fits)
        return 107000;
    bool to_device = is_on_device(&rows->to), from_device = is_on_device(&rows->from);
    if (is_async)
        return expect_kind(kind, to_device, from_device);
    return to_device != from_device && kind != ACL_MEMCPY_DEVICE_TO_DEVICE ? 0 : 207000;
}

/* Whether rows of the one side may lie on rows of the other. */
static bool rows_meet(const struct rows *rows)
{
    if (rows->to.block != rows->from.block)
        return false;
    uint64_t to = rows->to.offset, from = rows->from.offset, pitch = rows->to_pitch;
    if (to + span_of(rows, pitch) <= from || from + span_of(rows, rows->from_pitch) <= to)
        return false;
    uint64_t distance = (to < from ? from - to : to - from) % pitch;
    return pitch != rows->from_pitch || distance < rows->width || pitch - distance < rows->width;
}

/* The contract does not say what rows hold that meet: they are taken as they are found. */
static void take_rows(const struct rows *rows, aclrtStream stream)
{
    DEMAND(aclrtSynchronizeStream(stream) == 0, "the stream of the rows");
    for (uint64_t row = 0; row < rows->height; row++) {
        uint64_t begin = row * rows->to_pitch;
        DEMAND(aclrtMemcpy(rows->to.block->shadow + rows->to.offset + begin, rows->width,
                           behind(rows->to.at, begin), rows->width, ACL_MEMCPY_DEVICE_TO_HOST) == 0,
               "row %llu", (unsigned long long)row);
    }
}

void step_rows(struct world *world)
{
    struct rows rows = {0};
    uint32_t kind = draw(world, 16);
    kind = kind > 7 ? ACL_MEMCPY_DEFAULT : kind;
    bool is_async = draw(world, 2);
    aclrtStream stream = draw_stream(world);
    if (!draw_rows(world, &rows))
        return;
    int expected = expect_rows(world, &rows, kind, stream, is_async);
    bool is_work = expected == 0 && rows.width > 0 && rows.height > 0;
    if (is_work && is_async)
        follow(world, stream);
    else if (is_work)
        settle(world);
    int status = is_async ? aclrtMemcpy2dAsync(rows.to.at, rows.to_pitch, rows.from.at, rows.from_pitch,
                                               rows.width, rows.height, (aclrtMemcpyKind)kind, stream)
                          : aclrtMemcpy2d(rows.to.at, rows.to_pitch, rows.from.at, rows.from_pitch,
                                          rows.width, rows.height, (aclrtMemcpyKind)kind);
    DEMAND(status == expected, "rows of kind %u gave %d and not %d", kind, status, expected);
    if (!is_work)
        return;
    if (rows_meet(&rows)) {
        take_rows(&rows, stream);
        return;
    }
    for (uint64_t row = 0; row < rows.height; row++)
        memcpy(rows.to.block->shadow + rows.to.offset + row * rows.to_pitch,
               rows.from.block->shadow + rows.from.offset + row * rows.from_pitch, rows.width);
}

struct batch {
    struct side to[BATCH_MOST], from[BATCH_MOST];
    void *targets[BATCH_MOST], *sources[BATCH_MOST];
    size_t most[BATCH_MOST], sizes[BATCH_MOST];
    size_t count, attribute_count;
    aclrtMemcpyBatchAttr attributes[ATTRIBUTES_MOST];
    size_t indexes[ATTRIBUTES_MOST];
};

static bool draw_batch(struct world *world, struct batch *batch)
{
    batch->count = draw(world, 8) == 0 ? 0 : 1 + draw(world, BATCH_MOST);
    for (size_t i = 0; i < batch->count; i++) {
        struct side *to = &batch->to[i], *from = &batch->from[i];
        uint64_t bytes = draw_count(world);
        if (!draw_side(world, bytes, to) || !draw_side(world, bytes, from))
            return false;
        /* Whether an address that is copied to itself is looked up is open. */
        batch->sizes[i] = to->at == from->at && to->at != NULL && !to->fits ? 0 : bytes;
        batch->most[i] = bytes > 0 && draw(world, 16) == 1 ? bytes - 1 : bytes;
        batch->targets[i] = to->at;
        batch->sources[i] = from->at;
    }
    batch->attribute_count = draw(world, 8) < 5 ? 1 : draw(world, ATTRIBUTES_MOST + 1);
    for (size_t i = 0; i < ATTRIBUTES_MOST; i++) {
        static const int types[] = {0, 1, 2, 3, 4, 1, 0, 1, 0, 1, 0, 1, 0, 1, 5, -1};
        batch->attributes[i].dstLoc.type = (aclrtMemLocationType)types[draw(world, 16)];
        batch->attributes[i].srcLoc.id = draw(world, 3);
        batch->indexes[i] = draw(world, 12) == 1 ? draw(world, 5) : i;
    }
    return true;
}

static bool attributes_are_good(const struct batch *batch)
{
    for (size_t i = 0; i < batch->attribute_count; i++) {
        size_t index = batch->indexes[i];
        if (index >= batch->count || (i == 0 ? index != 0 : index <= batch->indexes[i - 1]) ||
            (unsigned)batch->attributes[i].dstLoc.type > ACL_MEM_LOCATION_TYPE_HOST_NUMA)
            return false;
    }
    return batch->count > 0 && batch->attribute_count > 0;
}

/* Also finds the copy that is refused. */
static int expect_batch(const struct world *world, const struct batch *batch, size_t *refused)
{
    *refused = SIZE_MAX;
    if (!attributes_are_good(batch))
        return 100000;
    if (world->current < 0)
        return 107002;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->sizes[i] == 0)
            continue;
        *refused = i;
        if (batch->targets[i] == NULL || batch->sources[i] == NULL)
            return 100000;
        if (batch->sizes[i] > batch->most[i] || !batch->to[i].fits || !batch->from[i].fits)
            return 107000;
    }
    *refused = SIZE_MAX;
    return 0;
}

static void batch_without(struct batch *batch, uint32_t missing)
{
    size_t failed_at = 77;
    int status = aclrtMemcpyBatch(missing == 0 ? NULL : batch->targets, missing == 1 ? NULL : batch->most,
                                  missing == 2 ? NULL : batch->sources, missing == 3 ? NULL : batch->sizes,
                                  batch->count, missing == 4 ? NULL : batch->attributes,
                                  missing == 5 ? NULL : batch->indexes, batch->attribute_count,
                                  missing == 6 ? NULL : &failed_at);
    DEMAND(status == 100000, "a batch without its array %u gave %d", missing, status);
}

static void copy_batch(struct world *world)
{
    struct batch batch = {0};
    uint32_t missing = draw(world, 64);
    if (!draw_batch(world, &batch))
        return;
    if (missing > 0 && missing <= 7) {
        batch_without(&batch, missing - 1);
        return;
    }
    size_t refused, failed_at = 77;
    int expected = expect_batch(world, &batch, &refused);
    if (expected == 0)
        settle(world);
    int status = aclrtMemcpyBatch(batch.targets, batch.most, batch.sources, batch.sizes, batch.count,
                                  batch.attributes, batch.indexes, batch.attribute_count, &failed_at);
    DEMAND(status == expected, "%zu copies gave %d and not %d", batch.count, status, expected);
    DEMAND(failed_at == refused, "copy %zu is refused and not %zu", failed_at, refused);
    for (size_t i = 0; status == 0 && i < batch.count; i++)
        if (batch.sizes[i] > 0)
            memmove(batch.to[i].block->shadow + batch.to[i].offset,
                    batch.from[i].block->shadow + batch.from[i].offset, batch.sizes[i]);
}

static int expect_copy(struct world *world, const struct side *to, const struct side *from, uint64_t count,
                       uint64_t most, uint32_t kind, aclrtStream stream)
{
    if (count == 0)
        return 0;
    if (to->at == NULL || from->at == NULL || kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
        return 100000;
    if (count > most)
        return 107000;
    if (to->at == from->at)
        return 0;
    int status = expect_stream(world, stream);
    if (status != 0)
        return status;
    return to->fits && from->fits ? expect_kind(kind, is_on_device(to), is_on_device(from)) : 107000;
}

static void copy_under_condition(struct world *world)
{
    uint64_t count = draw_count(world), most = count;
    uint32_t choice = draw(world, 16), kind = draw(world, 16);
    if (choice == 1 && count > 0)
        most--;
    if (choice == 2 && count < UINT64_MAX)
        most++; /* there need not be as much room */
    kind = kind > 8 ? ACL_MEMCPY_DEFAULT : kind;
    aclrtStream stream = draw_stream(world);
    struct side to, from;
    if (!draw_side(world, count, &to) || !draw_side(world, count, &from))
        return;
    int expected = expect_copy(world, &to, &from, count, most, kind, stream);
    bool is_work = expected == 0 && count > 0 && to.at != from.at;
    if (is_work)
        follow(world, stream);
    int status = aclrtMemcpyAsyncWithCondition(to.at, most, from.at, count, (aclrtMemcpyKind)kind, stream);
    DEMAND(status == expected, "copy of kind %u gave %d and not %d", kind, status, expected);
    if (is_work)
        memmove(to.block->shadow + to.offset, from.block->shadow + from.offset, count);
}

static void give_cache_hint(struct world *world)
{
    static const int types[] = {0, 1, 2, 3, 0, 1, 2, 3, -1, 4, INT32_MIN, INT32_MAX};
    uint64_t size = draw_count(world);
    int type = types[draw(world, 12)];
    aclrtStream stream = draw_stream(world);
    struct side side;
    if (!draw_side(world, size, &side))
        return;
    int expected = side.at == NULL || size == 0 ? 100000
                   : type < 0 || type > 3       ? 107000
                                                : expect_stream(world, stream);
    int status = aclrtCmoAsync(side.at, size, (aclrtCmoType)type, stream);
    DEMAND(status == expected, "hint %d gave %d and not %d", type, status, expected);
}

void step_batch(struct world *world)
{
    uint32_t choice = draw(world, 8);
    if (choice < 3)
        copy_batch(world);
    else if (choice < 7)
        copy_under_condition(world);
    else
        give_cache_hint(world);
}
