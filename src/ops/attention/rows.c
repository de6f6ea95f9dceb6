/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of attention's tensors as floats, and the keys and values of a block, which few rows meet where they lie.
 */
#include "ops/attention/walk.h"

#include <string.h>

#include "ops/contraction/sizes.h"

/* Floats of 8 bits. */
static void read_codes(const struct attention *plan, const unsigned char *from,
                       const struct attention_view *view, uint32_t count, float *to)
{
    const aclDataType dtype = view->operand.dtype;
    if (view->element == 1)
        plan->transfer->convert(from, dtype, to, ACL_FLOAT, count);
    for (uint32_t e = 0; view->element != 1 && e < count; e++)
        plan->transfer->convert(from + (int64_t)e * view->element, dtype, to + e, ACL_FLOAT, 1);
}

/* The scale that a row of a quantised operand has with its neighbours; 1 of others. */
static float block_scale(const struct attention_work *work, enum attention_tensor tensor, uint64_t head,
                         uint64_t row)
{
    static const uint8_t blocks[] = {
        [QUERY] = QUERY_BLOCKS, [KEY] = KEY_BLOCKS, [VALUE] = VALUE_BLOCKS, [DY] = DY_BLOCKS};
    const bool is_of_keys = tensor == KEY || tensor == VALUE;
    float scale;
    if ((!is_of_keys && tensor != QUERY && tensor != DY) || !attention_has(work->plan, blocks[tensor]))
        return 1;
    memcpy(&scale,
           attention_row(work, blocks[tensor], head, row / (is_of_keys ? SCALED_KEYS : SCALED_QUERIES)),
           sizeof scale);
    return scale;
}

/* The elements of a row, from tiles if they lie in some. */
static void read_elements_of(const struct attention_work *work, enum attention_tensor tensor, uint64_t head,
                             uint64_t row, uint32_t depth, float *to)
{
    const struct attention_view *view = attention_view_at(work, tensor);
    const unsigned char *from = attention_row(work, tensor, head, row);
    const uint32_t tile = view->tile == 0 ? depth : view->tile;
    const bool is_int8 = view->operand.dtype == ACL_INT8, is_coded = !is_int8 && view->operand.bytes == 1;
    for (uint32_t k = 0; k < depth; k += tile, from += view->tile_step * (int64_t)view->operand.bytes)
        if (is_int8)
            for (uint32_t e = 0; e < least(tile, depth - k); e++)
                to[k + e] = (float)((const int8_t *)from)[(int64_t)e * view->element];
        else if (is_coded)
            read_codes(work->plan, from, view, (uint32_t)least(tile, depth - k), to + k);
        else
            work->plan->kernels->read(from, view->operand.dtype, view->element,
                                      (uint32_t)least(tile, depth - k), to + k);
}

/* The scales of a head's elements, and the offsets behind them, if keys or values have any. */
static const float *read_scales(const struct attention_work *work, enum attention_tensor tensor,
                                uint64_t head, uint32_t depth)
{
    const enum attention_tensor scale = tensor == KEY ? KEY_SCALE : VALUE_SCALE;
    float *to = work->room.scales;
    if ((tensor != KEY && tensor != VALUE) || !attention_has(work->plan, scale))
        return NULL;
    memset(to + depth, 0, depth * sizeof *to);
    for (unsigned i = 0; i < 2 && attention_has(work->plan, scale + i); i++)
        read_elements_of(work, scale + i, head, 0, depth, to + i * depth);
    return to;
}

/* Rows of elements side by side, floats of 16 or 32 bits: as many at once as a page has. */
static void read_plain_rows(const struct attention_work *work, enum attention_tensor tensor, uint64_t head,
                            uint64_t row, uint32_t count, uint32_t depth, float *to)
{
    const uint64_t page = attention_is_of_keys(tensor) ? work->plan->page : 0;
    const struct attention_view *view = attention_view_at(work, tensor);
    for (uint64_t end = row + count, some; row < end;
         row += some, to += some * whole_vectors(work->plan, depth)) {
        some = page > 0 ? least(end - row, page - row % page) : end - row;
        work->plan->kernels->read_rows(attention_row(work, tensor, head, row),
                                       view->row * (int64_t)view->operand.bytes, view->operand.dtype,
                                       (uint32_t)some, depth, to, whole_vectors(work->plan, depth));
    }
}

void attention_read_rows(const struct attention_work *work, enum attention_tensor tensor,
                         enum attention_tensor more, uint64_t head, uint64_t row, uint32_t count, float *to)
{
    const struct attention *plan = work->plan;
    const uint32_t depth = tensor == VALUE || tensor == DY ? plan->value_depth : plan->depth;
    const uint32_t more_depth = more == tensor ? 0 : plan->rope_depth,
                   padded = whole_vectors(plan, depth + more_depth);
    const float *scale = read_scales(work, tensor, head, depth);
    const bool has_blocks = attention_has(plan, QUERY_BLOCKS);
    const struct attention_view *view = attention_view_at(work, tensor);
    if (view->element == 1 && view->tile == 0 && view->operand.bytes > 1 && scale == NULL && !has_blocks &&
        more_depth == 0) {
        read_plain_rows(work, tensor, head, row, count, depth, to);
        return;
    }
    for (uint32_t i = 0; i < count; i++, to += padded) {
        read_elements_of(work, tensor, head, row + i, depth, to);
        for (uint32_t k = 0; scale != NULL && k < depth; k++)
            to[k] = (to[k] + scale[depth + k]) * scale[k];
        const float block = has_blocks ? block_scale(work, tensor, head, row + i) : 1;
        for (uint32_t k = 0; has_blocks && k < depth; k++)
            to[k] *= block;
        if (more_depth > 0)
            read_elements_of(work, more, head, row + i, more_depth, to + depth);
        for (uint32_t k = depth + more_depth; k < padded; k++)
            to[k] = 0;
    }
}

/* Rows of the block where they lie, if they are whole vectors of floats, else in the room. */
static const float *take(const struct attention_work *work, enum attention_tensor tensor,
                         enum attention_tensor more, uint32_t depth, float *room, int64_t *step)
{
    const struct attention_view *view = attention_view_at(work, tensor);
    const uint64_t head = work->head / work->plan->group, row = work->sequence.key + work->key;
    if (view->operand.dtype == ACL_FLOAT && view->element == 1 && more == tensor && work->plan->page == 0 &&
        depth % work->plan->products->vector_lanes == 0) {
        *step = view->row;
        return (const float *)(const void *)attention_row(work, tensor, head, row);
    }
    *step = whole_vectors(work->plan, depth);
    attention_read_rows(work, tensor, more, head, row, work->keys, room);
    return room;
}

/*
 * Whether the block's rows of keys or values are halves that so few rows of the query meet that a copy of them
 * as floats would take longer than their products.
 */
static bool take_few(const struct attention_work *work, enum attention_tensor tensor,
                     enum attention_tensor more, uint32_t depth, uint32_t multiple, struct attention_few *few)
{
    const struct attention *plan = work->plan;
    const struct attention_view *view = attention_view_at(work, tensor);
    const uint64_t row = work->sequence.key + work->key;
    const aclDataType dtype = view->operand.dtype;
    few->from = NULL;
    if (plan->kernels->score_few == NULL || plan->is_gradient || work->rows > ATTENTION_FEW ||
        (dtype != ACL_FLOAT16 && dtype != ACL_BF16) || plan->tensor[QUERY].operand.dtype != dtype ||
        view->element != 1 || view->tile != 0 || more != tensor || depth % multiple != 0 ||
        (plan->page > 0 && row % plan->page + work->keys > plan->page))
        return false;
    *few = (struct attention_few){
        .from = attention_row(work, tensor, work->head / plan->group, row),
        .row_bytes = view->row * (int64_t)view->operand.bytes,
        .head_bytes = view->head * (int64_t)view->operand.bytes,
        .dtype = dtype,
        .rows = work->rows,
        .keys = work->keys,
        .depth = depth,
        .query = work->room.query_panels,
        .query_step = attention_panel_width(plan),
        .scores = work->room.scores,
        .step = plan->row_step,
        .sums = work->room.sums,
        .sums_step = depth,
    };
    return true;
}

void attention_take_keys(struct attention_work *work)
{
    const struct attention *plan = work->plan;
    const enum attention_tensor more = plan->rope_depth > 0 ? KEY_ROPE : KEY;
    const uint32_t depth = plan->depth + plan->rope_depth;
    if (!take_few(work, KEY, more, depth, ATTENTION_FEW_STEPS, &work->few_keys))
        work->key_rows = take(work, KEY, more, depth, work->room.key_rows, &work->key_step);
    if (!take_few(work, VALUE, VALUE, plan->value_depth, plan->products->vector_lanes, &work->few_values))
        work->value_rows =
            take(work, VALUE, VALUE, plan->value_depth, work->room.value_rows, &work->value_step);
}
