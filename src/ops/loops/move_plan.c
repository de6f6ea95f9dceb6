/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of functions that move elements: the axes of each part, and how the work is cut into tiles.
 */
#include "ops/cache_size.h"
#include "ops/loops/move.h"
#include "ops/operands.h"
#include "base/error.h"
#include "tensor/dtype.h"

/*
 * Bytes of a tile: of runs that lie side by side in both memories; of blocks that go through a buffer, whose
 * rows are as long as a pair of cache lines where they are turned; and what a thread takes at once.
 */
enum { RUN_BYTES = 1 << 18, BLOCK_BYTES = 8192, TURNED_ROW_BYTES = 128, SHARE_BYTES = 1 << 16 };

/* Picoseconds for a byte that is moved from and to caches or memory, and for an element of a block. */
enum { CACHED_BYTE_PS = 20, BYTE_PS = 60, ELEMENT_PS = 200 };

/* No last cache is smaller. */
enum { STREAMS_MIN = 1 << 20 };

static int64_t distance(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

uint32_t move_merge(struct move_axis *axis, uint32_t count)
{
    uint32_t kept = 0, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct move_axis next = axis[i];
        if (next.size == 1)
            continue;
        uint32_t place = kept++;
        for (; place > 0 && distance(axis[place - 1].to) < distance(next.to); place--)
            axis[place] = axis[place - 1];
        axis[place] = next;
    }
    for (uint32_t i = 1; i < kept; i++) {
        struct move_axis *outer = &axis[last];
        const struct move_axis inner = axis[i];
        const uint64_t size = (uint64_t)inner.size; /* size * stride <= reach + stride < 2^64 */
        if ((uint64_t)outer->from == (uint64_t)inner.from * size &&
            (uint64_t)outer->to == (uint64_t)inner.to * size)
            *outer = (struct move_axis){outer->size * inner.size, inner.from, inner.to};
        else
            axis[++last] = inner;
    }
    return kept == 0 ? 0 : last + 1;
}

/* Where what is written side by side does not lie so, the axis that does becomes that of the rows: both can
 * be followed then, in blocks. */
static bool turn(struct move_part *part)
{
    uint32_t last = part->axis_count - 1;
    if (part->axis[last].to != 1 || distance(part->axis[last].from) == 1)
        return false;
    for (uint32_t i = last; i-- > 0;) {
        if (part->axis[i].from != 1)
            continue;
        struct move_axis rows = part->axis[i];
        for (; i + 1 < last; i++)
            part->axis[i] = part->axis[i + 1];
        part->axis[last - 1] = rows;
        return true;
    }
    return false;
}

static int64_t at_most(int64_t size, int64_t most)
{
    return size < most ? size : most > 0 ? most : 1;
}

static int64_t pieces(int64_t size, int64_t piece)
{
    return (size - 1) / piece + 1;
}

uint64_t move_tile(struct move_part *part, uint32_t bytes, bool converts)
{
    part->axis_count = move_merge(part->axis, part->axis_count);
    while (part->axis_count < 2) { /* in front, where strides do not count */
        part->axis[1] = part->axis[0];
        if (part->axis_count == 0)
            part->axis[1] = (struct move_axis){1, 1, 1};
        part->axis[0] = (struct move_axis){1, 0, 0};
        part->axis_count = 2;
    }
    bool is_turned = turn(part);
    const struct move_axis *columns = &part->axis[part->axis_count - 1], *rows = columns - 1;
    bool is_run = columns->from == 1 && columns->to == 1 && !converts;
    int64_t elements = (is_run ? RUN_BYTES : BLOCK_BYTES) / bytes;
    int64_t longest = is_turned ? TURNED_ROW_BYTES / bytes : elements;
    part->tile_columns = at_most(columns->size, longest);
    part->tile_rows = at_most(rows->size, elements / part->tile_columns);
    int64_t tiles = pieces(columns->size, part->tile_columns) * pieces(rows->size, part->tile_rows);
    for (uint32_t i = 0; i + 2 < part->axis_count; i++)
        tiles *= part->axis[i].size;
    return (uint64_t)tiles;
}

static uint64_t elements_of(const struct move_part *part)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < part->axis_count; i++)
        count *= (uint64_t)part->axis[i].size;
    return count;
}

aclnnStatus move_begin(const struct call *call, uint32_t parts, aclDataType through, aclDataType result,
                       struct executor_content **content, struct move_plan **plan)
{
    void *made;
    TRY(call_begin(call, sizeof **plan + parts * sizeof(struct move_part), content, &made));
    *plan = made;
    **plan = (struct move_plan){
        .transfer = transfer_of(call->settings->isa), .through = through, .result = result};
    return ACLNN_SUCCESS;
}

struct move_part *move_add(struct move_plan *plan, uint32_t from, uint32_t to, aclDataType dtype)
{
    struct move_part *part = &move_parts(plan)[plan->part_count++];
    part->from = from;
    part->to = to;
    part->dtype = dtype;
    part->axis_count = 0;
    part->from_first = part->to_first = 0;
    part->is_zeros = false;
    return part;
}

struct move_part *move_add_zeros(struct move_plan *plan, uint32_t to)
{
    struct move_part *part = move_add(plan, to, to, plan->through);
    part->is_zeros = true;
    return part;
}

void move_add_axis(struct move_part *part, int64_t size, int64_t from, int64_t to)
{
    part->axis[part->axis_count++] = (struct move_axis){size, from, to};
}

/* Whether every element of the part stays where it is, if both operands are one. */
static bool stays(const struct move_plan *plan, const struct move_part *part)
{
    if (part->dtype != plan->through || plan->through != plan->result || part->from_first != part->to_first)
        return false;
    for (uint32_t i = 0; i < part->axis_count; i++)
        if (part->axis[i].from != part->axis[i].to && part->axis[i].size > 1)
            return false;
    return true;
}

/* An input may be the output that all of its parts go to, if they stay there: no other part writes to them.
 */
static void let_be_in_place(const struct move_plan *plan, struct executor_content *content)
{
    const struct move_part *part = move_parts(plan);
    for (uint32_t i = 0; i < plan->part_count; i++)
        if (!part[i].is_zeros && stays(plan, &part[i]))
            operands_may_be(content, part[i].from, part[i].to);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        struct executor_operand *from = &content->operand[part[i].from];
        if (!part[i].is_zeros && (!stays(plan, &part[i]) || (from->may_be & (from->may_be - 1)) != 0))
            from->may_be = 0;
    }
}

void move_finish(const struct call *call, struct executor_content *content, struct move_plan *plan)
{
    uint64_t bytes = 0, in_blocks = 0;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        struct move_part *part = &move_parts(plan)[i];
        uint32_t from_bytes = dtype_bytes(part->dtype), to_bytes = dtype_bytes(plan->result);
        bool converts = part->dtype != plan->through || plan->through != plan->result;
        uint32_t widest = from_bytes > to_bytes ? from_bytes : to_bytes;
        widest = converts && dtype_bytes(plan->through) > widest ? dtype_bytes(plan->through) : widest;
        part->first_tile = plan->tile_count;
        plan->tile_count += move_tile(part, widest, converts);
        bytes += elements_of(part) * (from_bytes + to_bytes);
        const struct move_axis *columns = &part->axis[part->axis_count - 1];
        in_blocks += converts || columns->from != 1 || columns->to != 1 ? elements_of(part) : 0;
    }
    plan->streams = bytes >= STREAMS_MIN && bytes >= last_cache_bytes() / 4 * 3;
    plan->cost_ns = (bytes * (plan->streams ? BYTE_PS : CACHED_BYTE_PS) + in_blocks * ELEMENT_PS) / 1000;
    uint64_t tile_bytes = plan->tile_count > 0 ? bytes / plan->tile_count : 1;
    plan->tiles_at_once = tile_bytes < SHARE_BYTES ? SHARE_BYTES / (tile_bytes > 0 ? tile_bytes : 1) : 1;
    content->cost_ns = plan->cost_ns;
    content->is_idle = plan->tile_count == 0;
    let_be_in_place(plan, content);
    call_finish(call, content);
}
