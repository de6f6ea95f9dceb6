/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the gradient of a weight is cut into tiles, runs of them and tasks. Tiles and runs fix its bits.
 */
#include "ops/contraction/sizes.h"
#include "ops/convolution/weight_gradient.h"

enum {
    TILE_POSITIONS = 1024,     /* their planes and a block of lanes stay in the second cache */
    RUNS = 32,                 /* at most, so that threads have enough to do */
    PARTIAL_NUMBERS = 1 << 24, /* and where their sums take no more than so many numbers */
};

static bool is_contiguous(const struct weight_gradient *plan)
{
    const struct weight *out = &plan->out;
    const int64_t steps = (int64_t)plan->steps;
    return kernel_steps_lie_together(&plan->geometry, out) && out->large == steps &&
           out->small == steps * plan->geometry.large_channels;
}

/* Whether the small side is read where it lies: its positions in the planes' order, and no block of them, where there
 * are blocks, in two images. */
static bool small_is_direct(const struct weight_gradient *plan)
{
    const struct side *small = &plan->small;
    const struct planes *planes = &plan->of_small;
    bool is_in_order = small->dtype == ACL_FLOAT &&
                       (plan->is_single || planes->images == 1 || planes->image % CONTRACTION_BLOCK == 0);
    int64_t stride = 1;
    for (uint32_t i = CONVOLUTION_AXES; i-- > 0; stride *= planes->axis[i].count)
        is_in_order = is_in_order && (planes->axis[i].count == 1 || small->axis[i] == stride);
    return is_in_order;
}

/* Whether channels are turned once for all steps of the kernel: where they fill panels, and sums are put in their order
 * once for several runs. */
static bool is_turned(const struct weight_gradient *plan)
{
    return plan->steps > 1 && plan->runs > 1 && plan->is_contiguous && !plan->is_exact && !plan->is_single &&
           plan->channels % weight_gradient_panel(plan) == 0 &&
           (uint64_t)plan->geometry.large_channels % plan->channels == 0 && plan->of_large.span <= INT32_MAX;
}

/* By the sizes alone, since tiles and runs decide which sums there are. */
static void choose_tiles(struct weight_gradient *plan)
{
    const struct geometry *geometry = &plan->geometry;
    int64_t size[CONVOLUTION_AXES];
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        size[i] = geometry->axis[i].small;
    planes_of_side(size, &plan->of_small);
    planes_of_large(geometry, &plan->of_large);
    const uint64_t positions = planes_positions(&plan->of_small);
    const uint64_t rows = (uint64_t)plan->of_small.axis[plan->of_small.cut].count;
    uint64_t images = TILE_POSITIONS / positions, some = rows;
    if (images == 0)
        some = divide_up(TILE_POSITIONS, positions / rows);
    images = images == 0 ? 1 : images;
    planes_choose_tile(&plan->of_small, geometry->batch, images, some);
    planes_choose_tile(&plan->of_large, geometry->batch, images, some);
    const uint64_t numbers = (uint64_t)geometry->groups * weight_gradient_rows(plan) *
                             (uint64_t)geometry->large_channels * plan->steps;
    const uint64_t most = least(RUNS, 1 + PARTIAL_NUMBERS / (numbers + 1));
    plan->tiles = plan->of_small.tiles_batch * plan->of_small.tiles_rows;
    plan->tiles_of_run = divide_up(plan->tiles, most);
    plan->runs = divide_up(plan->tiles, plan->tiles_of_run);
}

LEVEL_TABLE(const struct contraction_kernels, contraction_kernels_of, contraction_kernels);

void weight_gradient_prepare(struct weight_gradient *plan, enum isa_level level, uint32_t threads)
{
    const struct geometry *geometry = &plan->geometry;
    const uint64_t all = (uint64_t)geometry->large_channels;
    plan->contraction = contraction_kernels_of[level];
    plan->kernels = convolution_kernels_of(level);
    plan->is_single = all == 1 && geometry->small_channels == 1;
    plan->transfer = transfer_of(level);
    plan->steps = (uint64_t)kernel_steps(geometry);
    plan->is_contiguous = is_contiguous(plan);
    plan->channels = plan->steps < WEIGHT_GRADIENT_LANES ? WEIGHT_GRADIENT_LANES / plan->steps : 1;
    plan->channel_parts = divide_up(all, plan->channels);
    plan->channels = divide_up(all, plan->channel_parts);
    plan->lanes = round_up(plan->channels * plan->steps, weight_gradient_panel(plan));
    const uint32_t most =
        plan->is_exact ? plan->contraction->rows_exact_max : plan->contraction->rows_direct_max;
    plan->rows_at_once =
        (uint32_t)divide_up(weight_gradient_rows(plan), divide_up(weight_gradient_rows(plan), most));
    if (geometry->batch == 0) {
        plan->slots = 0;
        return;
    }
    choose_tiles(plan);
    plan->small_is_direct = small_is_direct(plan);
    plan->is_turned = is_turned(plan);
    plan->units = units_for_threads((uint64_t)geometry->groups * plan->runs * plan->channel_parts,
                                    weight_gradient_rows(plan) >= threads * plan->rows_at_once ? threads : 1);
    plan->tasks = tasks_of_units(&plan->units);
    plan->slots = (uint32_t)least(threads, plan->tasks);
    const uint64_t products = planes_positions(&plan->of_small) * (uint64_t)geometry->batch *
                              (uint64_t)geometry->groups * weight_gradient_rows(plan) * plan->lanes *
                              plan->channel_parts;
    plan->cost_ns = plan->contraction->vector_lanes > 4 ? products / 12 : products * 2;
}
