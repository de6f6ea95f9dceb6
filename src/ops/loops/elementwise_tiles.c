/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Walks an elementwise plan in the order of its axes, in tiles that are parts of rows or several rows.
 */
#include "ops/loops/elementwise_walk.h"

/* A row at least this long gets tiles of its own, so that it can be passed in place; shorter ones are packed
 * together. */
enum { ROW_MIN = 256 };

/* Whether the tile's elements of an operand lie side by side. */
static bool is_contiguous(const struct elementwise_plan *plan, uint32_t operand, bool is_in_row)
{
    return plan->operand[operand].is_linear ||
           (is_in_row && plan->nest.axis[plan->nest.axis_count - 1].stride[operand] == 1);
}

/* The tile of an input as the kernel wants it, in place or brought to its buffer: count elements from a place
 * on, all of one row if is_in_row. */
static const void *fetch(const struct walk *walk, struct tiles *tiles, uint32_t input,
                         const struct nest_place *place, size_t count, bool is_in_row)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *operand = &plan->operand[input];
    const bool is_same_dtype = operand->dtype == plan->arithmetic;
    const void *source = walk_element(walk, input, place);
    if (!is_contiguous(plan, input, is_in_row)) {
        unsigned char *packed = is_same_dtype ? tiles->operand[input] : tiles->stage;
        nest_gather(&plan->nest, input, *place, plan->transfer, walk->first[input], operand->bytes, packed,
                    count);
        source = packed;
    }
    if (is_same_dtype)
        return source;
    plan->transfer->convert(source, operand->dtype, tiles->operand[input], plan->arithmetic, count);
    return tiles->operand[input];
}

/* Takes the tile of results from its buffer to the output. */
static void store(const struct walk *walk, struct tiles *tiles, const struct nest_place *place, size_t count,
                  bool is_in_row)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *output = &plan->operand[OUTPUT];
    bool is_packed = is_contiguous(plan, OUTPUT, is_in_row);
    const unsigned char *source = tiles->operand[OUTPUT];
    if (output->dtype != plan->result) {
        unsigned char *target = is_packed ? walk_element(walk, OUTPUT, place) : tiles->stage;
        plan->transfer->convert(source, plan->result, target, output->dtype, count);
        source = target;
    }
    if (!is_packed)
        nest_scatter(&plan->nest, OUTPUT, *place, plan->transfer, walk->first[OUTPUT], output->bytes, source,
                     count);
}

size_t tile_elements(const struct elementwise_plan *plan)
{
    size_t elements = TILE_BYTES / plan->arithmetic_bytes;
    elements = elements < CONVERT_MAX ? elements : (size_t)CONVERT_MAX;
    for (uint32_t i = 0; i < OPERANDS; i++)
        if ((i < plan->input_count || i == OUTPUT) && STAGE_BYTES / plan->operand[i].bytes < elements)
            elements = STAGE_BYTES / plan->operand[i].bytes;
    return elements;
}

/* Whether rows are long, and every operand's lie as the kernel takes them: the layout that programs use most.
 */
static bool has_plain_rows(const struct elementwise_plan *plan)
{
    const struct nest_axis *row = &plan->nest.axis[plan->nest.axis_count - 1];
    bool is_plain = row->size >= ROW_MIN;
    for (uint32_t i = 0; i < OPERANDS; i++)
        is_plain = is_plain && ((i >= plan->input_count && i != OUTPUT) ||
                                (row->stride[i] == 1 && plan->operand[i].dtype == kernel_dtype(plan, i)));
    return is_plain;
}

void walk_tiles(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct nest_axis *row = &plan->nest.axis[plan->nest.axis_count - 1];
    struct tiles tiles __attribute__((uninitialized));
    struct nest_place place = nest_place_at(&plan->nest, begin);
    const void *source[WALK_INPUTS_MAX];
    const uint64_t tile = has_plain_rows(plan) ? UINT64_MAX : tile_elements(plan);

    /* An input that is one element fills its buffer once for all tiles. */
    const uint64_t most = end - begin < tile ? end - begin : tile;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (plan->operand[i].is_constant)
            source[i] = fetch(walk, &tiles, i, &place, (size_t)most, false);

    while (begin < end) {
        uint64_t count = end - begin < tile ? end - begin : tile;
        const uint64_t left = (uint64_t)nest_left(&plan->nest, &place);
        if (row->size >= ROW_MIN && count > left)
            count = left;
        const bool is_in_row = count <= left;

        for (uint32_t i = 0; i < plan->input_count; i++)
            if (!plan->operand[i].is_constant)
                source[i] = fetch(walk, &tiles, i, &place, (size_t)count, is_in_row);

        if (plan->operand[OUTPUT].dtype == plan->result && is_contiguous(plan, OUTPUT, is_in_row)) {
            walk_kernel(walk, source, walk_element(walk, OUTPUT, &place), (size_t)count);
        } else {
            plan->kernel(source, tiles.operand[OUTPUT], (size_t)count, plan->parameters, false);
            store(walk, &tiles, &place, (size_t)count, is_in_row);
        }
        nest_advance(&plan->nest, &place, count);
        begin += count;
    }
}
