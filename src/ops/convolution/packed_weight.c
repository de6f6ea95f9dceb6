/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Packs weights: a block of channels by some terms as they are needed, or by all of them beforehand.
 */
#include "ops/convolution/packed_weight.h"

#include <string.h>

#include "ops/contraction/sizes.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"

enum { LANES_MOST = 16 };

uint32_t weight_lanes(const struct correlation *plan)
{
    return (uint32_t)round_up(plan->rows_at_once, plan->contraction->lane_block);
}

uint32_t weight_rows(const struct correlation *plan, uint64_t block)
{
    return (uint32_t)least(plan->rows_at_once, plan->channels - block * plan->rows_at_once);
}

/* Elements from channel to channel of the output, and of the input. */
static int64_t row_stride(const struct correlation *plan)
{
    return plan->is_spread ? plan->weight.large : plan->weight.small;
}

static int64_t term_stride(const struct correlation *plan)
{
    return plan->is_spread ? plan->weight.small : plan->weight.large;
}

/* The first element of a block of channels. */
static const unsigned char *first_of(const struct packed_weight *weight, uint64_t group, uint64_t block)
{
    const struct correlation *plan = weight->plan;
    const int64_t place = (int64_t)(group * (uint64_t)plan->geometry.small_channels) * plan->weight.small +
                          (int64_t)(block * plan->rows_at_once) * row_stride(plan);
    return weight->weight + place * (int64_t)plan->weight.bytes;
}

/* Where each channel of a block has its floats; lanes behind the last one are like it, and nobody reads them. */
static void find_rows(const struct packed_weight *weight, uint64_t group, uint64_t block, const float **row)
{
    const struct correlation *plan = weight->plan;
    const uint32_t rows = weight_rows(plan, block);
    const float *from = (const float *)(const void *)first_of(weight, group, block);
    for (uint32_t i = 0; i < weight_lanes(plan); i++)
        row[i] = from + (i < rows ? i : rows - 1) * row_stride(plan);
}

/* Elements of 16 bits become floats. */
static void pack_narrow(const struct correlation *plan, const unsigned char *from, const int64_t *place,
                        int64_t stride, uint32_t rows, uint32_t depth, float *to)
{
    unsigned char gathered[CONVERT_MAX * sizeof(uint16_t)] __attribute__((uninitialized));
    const uint32_t width = weight_lanes(plan), at_once = CONVERT_MAX / width;
    memset(gathered, 0, sizeof gathered);
    for (uint32_t term = 0, some; term < depth; term += some, to += (size_t)some * width) {
        some = depth - term < at_once ? depth - term : at_once;
        for (uint32_t k = 0; k < some; k++)
            for (uint32_t i = 0; i < rows; i++)
                memcpy(gathered + (k * width + i) * 2, from + (place[term + k] + i * stride) * 2, 2);
        plan->transfer->convert(gathered, plan->weight.dtype, to, ACL_FLOAT, (size_t)some * width);
    }
}

/* How many terms from one on have weights side by side. */
static uint32_t terms_together(const int64_t *place, uint32_t most)
{
    uint32_t count = 1;
    while (count < most && place[count] == place[count - 1] + 1)
        count++;
    return count;
}

/* Whether there are floats, and the steps of the kernel lie side by side, in their order. */
static bool steps_lie_together(const struct correlation *plan)
{
    return plan->weight.dtype == ACL_FLOAT && kernel_steps_lie_together(&plan->geometry, &plan->weight) &&
           kernel_steps(&plan->geometry) <= CONTRACTION_BLOCK;
}

static uint32_t steps_of(const struct correlation *plan)
{
    return (uint32_t)(plan->steps / plan->terms);
}

/* The weights of the terms from first on by a block of channels: those of a term side by side. */
static void pack_terms(const struct packed_weight *weight, uint64_t group, uint64_t block, uint64_t first,
                       uint32_t depth, float *to)
{
    const struct correlation *plan = weight->plan;
    const uint32_t width = weight_lanes(plan), rows = weight_rows(plan, block);
    const int64_t *place = weight->terms.weight_place + first;
    if (plan->weight.dtype != ACL_FLOAT) {
        pack_narrow(plan, first_of(weight, group, block), place, row_stride(plan), rows, depth, to);
        return;
    }
    const float *row[LANES_MOST];
    find_rows(weight, group, block, row);
    for (uint32_t k = 0, some; k < depth; k += some) {
        some = terms_together(place + k, depth - k);
        plan->kernels->turn(
            &(const struct convolution_turn){.row = row,
                                             .place = place[k],
                                             .ahead = (uint64_t)place[k] + rows * (uint64_t)row_stride(plan),
                                             .steps = some,
                                             .width = width,
                                             .to = to + (size_t)k * width});
    }
}

static float *packed_block(const struct packed_weight *weight, uint64_t group, uint64_t block)
{
    const struct correlation *plan = weight->plan;
    return weight->packed + (group * plan->row_blocks + block) * plan->steps * weight_lanes(plan);
}

/* Where each step of the kernel has its place, and how much further that of the next channel is. Steps that no pass
 * takes are behind those of the passes. */
static void find_places(const struct packed_weight *weight, int64_t *first, int64_t *on)
{
    const struct correlation *plan = weight->plan;
    const int64_t width = weight_lanes(plan);
    int64_t behind = (int64_t)weight->terms.pass_first[plan->passes] * width;
    for (uint32_t k = 0; k < steps_of(plan); k++)
        first[k] = -1;
    for (uint64_t pass = 0; pass < plan->passes; pass++) {
        const uint64_t begin = weight->terms.pass_first[pass];
        const uint64_t taken = (weight->terms.pass_first[pass + 1] - begin) / plan->terms;
        for (uint64_t i = 0; i < taken; i++) {
            const int64_t k = weight->terms.weight_place[begin + i];
            first[k] = (int64_t)(begin + i) * width;
            on[k] = (int64_t)taken * width;
        }
    }
    for (uint32_t k = 0; k < steps_of(plan); k++)
        if (first[k] < 0) {
            first[k] = behind;
            on[k] = width;
            behind += (int64_t)plan->terms * width;
        }
}

/* A block of channels by all terms of all passes: each channel of the input is read once. */
static void pack_steps(const struct packed_weight *weight, uint64_t group, uint64_t block)
{
    const struct correlation *plan = weight->plan;
    const float *row[LANES_MOST];
    int64_t first[CONTRACTION_BLOCK], on[CONTRACTION_BLOCK] __attribute__((uninitialized));
    find_rows(weight, group, block, row);
    find_places(weight, first, on);
    plan->kernels->turn_channels(&(const struct convolution_turned_channels){
        .row = row,
        .distance = term_stride(plan),
        .channels = (int64_t)plan->terms,
        .steps = steps_of(plan),
        .width = weight_lanes(plan),
        .first = first,
        .on = on,
        .to = packed_block(weight, group, block),
    });
}

static void pack_block(void *context, uint64_t number)
{
    const struct packed_weight *weight = (const struct packed_weight *)context;
    const struct correlation *plan = weight->plan;
    const uint64_t group = number / plan->row_blocks, block = number % plan->row_blocks;
    if (steps_lie_together(plan)) {
        pack_steps(weight, group, block);
        return;
    }
    const uint64_t terms = weight->terms.pass_first[plan->passes];
    for (uint64_t term = 0, some; term < terms; term += some) {
        some = least(CONTRACTION_BLOCK, terms - term);
        pack_terms(weight, group, block, term, (uint32_t)some,
                   packed_block(weight, group, block) + term * weight_lanes(plan));
    }
}

/* Several passes take parts of what lies side by side; or several tiles take all of it. */
static bool is_packed_beforehand(const struct correlation *plan)
{
    return plan->steps > 0 && !plan->has_weight_in_place &&
           (plan->passes > 1 || plan->planes.tiles_batch * plan->planes.tiles_rows > 1);
}

size_t weight_packed_bytes(const struct correlation *plan)
{
    const uint64_t lanes = (uint64_t)plan->geometry.groups * plan->row_blocks * weight_lanes(plan);
    return is_packed_beforehand(plan) ? lines_of_rows(lanes, plan->steps, sizeof(float)) : 0;
}

void weight_pack(struct packed_weight *weight)
{
    const struct correlation *plan = weight->plan;
    const uint64_t blocks = (uint64_t)plan->geometry.groups * plan->row_blocks;
    if (is_packed_beforehand(plan))
        tasks_run(pack_block, weight, blocks, 1, blocks * plan->rows_at_once * plan->steps);
}

int64_t weight_distance(const struct correlation *plan)
{
    return plan->has_weight_in_place ? row_stride(plan) : 1;
}

const float *weight_take(const struct packed_weight *weight, uint64_t group, uint64_t block, uint64_t first,
                         uint32_t depth, float *room)
{
    if (weight->plan->has_weight_in_place)
        return (const float *)(const void *)first_of(weight, group, block);
    if (is_packed_beforehand(weight->plan))
        return packed_block(weight, group, block) + first * weight_lanes(weight->plan);
    pack_terms(weight, group, block, first, depth, room);
    return room;
}
