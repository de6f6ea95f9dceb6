/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How a correlation is cut into blocks of channels, tiles of positions and tasks. Nothing of it changes a bit of the
 * results.
 */
#include "ops/contraction/sizes.h"
#include "ops/convolution/terms.h"

enum {
    TILE_FLOATS = 64 * 1024,       /* of planes: they stay in the second cache while they are read */
    TILE_FLOATS_MOST = 256 * 1024, /* where that many give the packed weight more to do each time it passes */
    TILE_COLUMNS = 2048,           /* most positions of a tile of several images */
    PACKED_FLOATS_MOST = 1024 * 1024, /* of planes that are read once for each block of terms */
    FEW_POSITIONS = 256,              /* of all passes and images */
    TASKS_PER_THREAD = 4,
};

/* Images and rows of a tile whose planes stay in the second cache. */
static void choose_near_tile(struct correlation *plan, uint64_t *images, uint64_t *rows)
{
    struct planes *planes = &plan->planes;
    const int64_t batch = plan->geometry.batch;
    planes_choose_tile(planes, batch, 1, *rows);
    *images = TILE_FLOATS / planes_floats(planes, plan->terms);
    while (*images * (uint64_t)planes->image < CORRELATION_COLUMNS && *images < (uint64_t)batch &&
           (*images + 1) * planes_floats(planes, plan->terms) <= TILE_FLOATS_MOST)
        ++*images;
    *images = least(*images, 1 + TILE_COLUMNS / (uint64_t)planes->image);
    while (*images < 2 && *rows > 1 && planes_floats(planes, plan->terms) > TILE_FLOATS) {
        *rows = (*rows + 1) / 2;
        planes_choose_tile(planes, batch, 1, *rows);
    }
    *images = *images < 1 ? 1 : *images;
}

/* Those of a tile whose positions are packed together, or nearly so: parts of all that are about equal. */
static void choose_packed_tile(struct correlation *plan, uint64_t *images, uint64_t *rows)
{
    struct planes *planes = &plan->planes;
    const uint64_t batch = (uint64_t)plan->geometry.batch, positions = planes_positions(planes);
    const uint64_t of_row = positions / *rows, most = CORRELATION_PACKED_COLUMNS / of_row;
    *images = positions > CORRELATION_PACKED_COLUMNS
                  ? 1
                  : divide_up(batch, divide_up(batch, CORRELATION_PACKED_COLUMNS / positions));
    if (positions > CORRELATION_PACKED_COLUMNS) {
        const uint64_t parts = divide_up(*rows, most < 2 ? 1 : most);
        *rows = divide_up(*rows, parts);
    }
    planes_choose_tile(planes, (int64_t)batch, *images, *rows);
    while ((*images > 1 || *rows > 1) && planes_floats(planes, plan->terms) > PACKED_FLOATS_MOST) {
        uint64_t *part = *images > 1 ? images : rows;
        *part = (*part + 1) / 2;
        planes_choose_tile(planes, (int64_t)batch, *images, *rows);
    }
}

/* Tasks that take parts of the channels take about as many. */
static void share_channels(struct correlation *plan)
{
    plan->row_blocks = round_up(plan->row_blocks, plan->block_tiles);
    plan->rows_at_once = (uint32_t)divide_up(plan->channels, plan->row_blocks);
    plan->row_blocks = divide_up(plan->channels, plan->rows_at_once);
    plan->blocks_at_once = divide_up(plan->row_blocks, plan->block_tiles);
}

/* Positions in planes are not parted. */
static struct task_units units_of(const struct correlation *plan, uint64_t count, uint32_t threads)
{
    return units_for_threads(count, plan->is_packed ? threads : 1);
}

/* Tasks are as large as the caches allow; there are more of them where threads have nothing to do. */
static void choose_tasks(struct correlation *plan, uint32_t threads)
{
    struct planes *planes = &plan->planes;
    const int64_t batch = plan->geometry.batch;
    const uint64_t count = (uint64_t)planes->axis[planes->cut].count,
                   groups = (uint64_t)plan->geometry.groups;
    const uint64_t wanted = threads > 1 ? (uint64_t)threads * TASKS_PER_THREAD : 1;
    uint64_t images, rows = count;
    plan->blocks_at_once = plan->row_blocks;
    const uint64_t most = plan->has_weight_in_place ? CORRELATION_BLOCKS_IN_PLACE : CORRELATION_BLOCKS;
    if (plan->is_packed)
        plan->blocks_at_once = divide_up(plan->row_blocks, divide_up(plan->row_blocks, most));
    if (plan->is_packed)
        choose_packed_tile(plan, &images, &rows);
    else
        choose_near_tile(plan, &images, &rows);
    for (;;) {
        planes_choose_tile(planes, batch, images, rows);
        plan->block_tiles = divide_up(plan->row_blocks, plan->blocks_at_once);
        plan->units =
            units_of(plan, groups * planes->tiles_batch * planes->tiles_rows * plan->block_tiles, threads);
        plan->tasks = tasks_of_units(&plan->units);
        if (plan->units.count >= wanted)
            break;
        if (planes->images > 1)
            images = (planes->images + 1) / 2;
        else if (rows > 1 && planes_positions(planes) / count * rows > 2 * CORRELATION_COLUMNS)
            rows = (rows + 1) / 2;
        else if (plan->blocks_at_once > 1 && (!plan->is_packed || plan->tasks < threads))
            plan->blocks_at_once = (plan->blocks_at_once + 1) / 2;
        else
            break;
    }
    share_channels(plan);
    plan->slots = (uint32_t)least(threads, plan->tasks);
}

/* Floats of several blocks of channels by few positions, which meet each of them too seldom to pack it for. */
static bool has_weight_in_place(const struct correlation *plan)
{
    const uint64_t positions = planes_positions(&plan->planes), batch = (uint64_t)plan->geometry.batch;
    return !plan->is_exact && plan->weight.dtype == ACL_FLOAT &&
           plan->channels > plan->contraction->rows_max && plan->passes <= FEW_POSITIONS &&
           positions <= FEW_POSITIONS && batch <= FEW_POSITIONS &&
           positions * batch * plan->passes <= FEW_POSITIONS;
}

LEVEL_TABLE(const struct contraction_kernels, contraction_kernels_of, contraction_kernels);

void correlation_prepare(struct correlation *plan, enum isa_level level, uint32_t threads)
{
    const struct geometry *geometry = &plan->geometry;
    plan->contraction = contraction_kernels_of[level];
    plan->kernels = convolution_kernels_of(level);
    plan->transfer = transfer_of(level);
    plan->channels = (uint64_t)(plan->is_spread ? geometry->large_channels : geometry->small_channels);
    plan->terms = (uint64_t)(plan->is_spread ? geometry->small_channels : geometry->large_channels);
    plan->steps = plan->terms;
    plan->passes = 1;
    if (plan->is_spread)
        planes_of_small(geometry, &plan->planes);
    else
        planes_of_large(geometry, &plan->planes);
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++) {
        plan->steps *= (uint64_t)geometry->axis[i].kernel;
        plan->passes *= (uint64_t)passes_along(plan, i);
    }
    plan->has_weight_in_place = has_weight_in_place(plan);
    const uint32_t most = plan->is_exact              ? plan->contraction->rows_exact_max
                          : plan->has_weight_in_place ? plan->contraction->rows_direct_max
                                                      : plan->contraction->rows_max;
    plan->row_blocks = divide_up(plan->channels, most);
    plan->rows_at_once = (uint32_t)divide_up(plan->channels, plan->row_blocks);
    plan->row_blocks = divide_up(plan->channels, plan->rows_at_once);
    plan->is_packed = plan->row_blocks > 1;
    const uint64_t sums = planes_positions(&plan->planes) * (uint64_t)geometry->batch *
                          (uint64_t)geometry->groups * plan->channels;
    plan->cost_ns =
        plan->contraction->vector_lanes > 4 ? sums * plan->steps / 16 + sums / 4 : sums * plan->steps * 2;
    choose_tasks(plan, threads);
}
