/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tasks fill planes of a tile of the input and compute all or some channels of the output from them. Positions are
 * computed by vectors. Where several blocks of channels share them, those that have a gap of the planes between their
 * positions are packed without it, and the others are read in the planes; one block reads all of them there, gaps
 * too. The weight is packed as it is needed, a block of channels by a block of terms, and then meets all positions;
 * where these are few it is read where it lies. Where threads have no equal numbers of tiles, several take a part each
 * of a tile's positions, so that each packs others.
 */
#include "ops/convolution/correlation_work.h"

#include <string.h>

#include "ops/contraction/sizes.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"

enum {
    PIECES = 32,                              /* of a panel: a position each, at most */
    VECTORS = CORRELATION_PACKED_COLUMNS / 4, /* of a part: 4 lanes each, at least */
};

static void read_bias(const struct run *run, const unsigned char *from)
{
    const struct bias *bias = &run->plan->bias;
    const uint64_t count = run->plan->channels * (uint64_t)run->plan->geometry.groups;
    for (uint64_t i = 0; i < count; i++) {
        int64_t place = 0, rest = (int64_t)i;
        for (uint32_t k = bias->rank; k-- > 0; rest /= bias->size[k])
            place += rest % bias->size[k] * bias->stride[k];
        const unsigned char *element = from + place * (int64_t)bias->bytes;
        if (bias->dtype == ACL_FLOAT)
            memcpy(&run->bias[i], element, sizeof(float));
        else
            run->plan->transfer->convert(element, bias->dtype, &run->bias[i], ACL_FLOAT, 1);
    }
}

static uint32_t panel_lanes(const struct correlation *plan)
{
    return 2 * plan->contraction->vector_lanes;
}

static int64_t column_of(const struct work *work, const struct positions *positions)
{
    const struct planes *planes = &work->run->plan->planes;
    int64_t column = positions->image * planes->image;
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        column += positions->along[i] * planes->pitch[i];
    return column;
}

/* Positions that are computed together, as vectors: first those that are read in the planes. */
struct part {
    int64_t position, columns;
    uint32_t vectors, in_planes;
    uint8_t number[VECTORS];
    int64_t column[VECTORS]; /* of those in planes */
};

/* Vectors go by twos, but for a last one that is packed. */
static void find_vectors(const struct work *work, const struct pass_work *pass, struct part *part)
{
    const int64_t lanes = work->run->plan->contraction->vector_lanes;
    uint8_t packed[VECTORS] __attribute__((uninitialized));
    uint32_t packed_count = 0;
    part->in_planes = 0;
    part->vectors = (uint32_t)divide_up((uint64_t)part->columns, (uint64_t)lanes);
    for (uint32_t i = 0; i < part->vectors; i++) {
        const int64_t at = i * lanes, count = at + lanes < part->columns ? lanes : part->columns - at;
        const struct positions first = positions_at(pass, part->position + at),
                               last = positions_at(pass, part->position + at + count - 1);
        const int64_t column = column_of(work, &first);
        if (column_of(work, &last) - column != count - 1) {
            packed[packed_count++] = (uint8_t)i;
            continue;
        }
        part->column[part->in_planes] = column;
        part->number[part->in_planes++] = (uint8_t)i;
    }
    part->in_planes -= part->in_planes % 2;
    if (part->vectors > part->in_planes + packed_count)
        packed[packed_count++] = part->number[part->in_planes];
    memcpy(part->number + part->in_planes, packed, packed_count);
}

/* What the terms from first on take for some vectors: a panel at most. */
static void pack_right(const struct work *work, const struct pass_work *pass, const struct part *part,
                       const uint8_t *number, uint32_t vectors, uint64_t first, uint32_t depth)
{
    const int64_t lanes = work->run->plan->contraction->vector_lanes;
    struct convolution_piece piece[PIECES] __attribute__((uninitialized));
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < vectors; i++) {
        const int64_t begin = number[i] * lanes,
                      end = begin + lanes < part->columns ? begin + lanes : part->columns;
        for (int64_t at = begin, some; at < end; at += some) {
            const struct positions positions = positions_at(pass, part->position + at);
            some = positions.count < end - at ? positions.count : end - at;
            piece[pieces++] =
                (struct convolution_piece){column_of(work, &positions), (uint32_t)(i * lanes + at - begin)};
        }
    }
    work->run->plan->kernels->pack_columns(work->planes, work->run->weight.terms.plane_place + first, depth,
                                           piece, pieces, work->right);
}

static struct contraction_step step_of(const struct work *work, uint64_t first, uint32_t depth)
{
    const struct correlation *plan = work->run->plan;
    return (struct contraction_step){
        .left_lane = weight_distance(plan),
        .left_step = weight_lanes(plan),
        .right_step = panel_lanes(plan),
        .depth = depth,
        .columns = panel_lanes(plan),
        .right_vector = plan->contraction->vector_lanes,
        .sums_vector = plan->contraction->vector_lanes,
        .takes_pairs = plan->in.dtype == ACL_BF16 && plan->weight.dtype == ACL_BF16,
        .adds = first > 0,
    };
}

/* A block of channels by some columns of the planes. */
static void compute_in_planes(const struct work *work, const struct pass_work *pass, uint64_t block,
                              int64_t column, int64_t columns)
{
    const struct correlation *plan = work->run->plan;
    const uint32_t rows = weight_rows(plan, block);
    contraction_multiply *multiply =
        (plan->is_exact ? plan->contraction->placed_exact : plan->contraction->placed)[rows - 1];
    if (pass->terms == 0)
        memset(work->sums, 0, (size_t)(rows * columns_at_once(plan)) * number_bytes(plan));
    for (uint64_t first = 0, depth; first < pass->terms; first += depth) {
        depth = least(CONTRACTION_BLOCK, pass->terms - first);
        struct contraction_step step = step_of(work, first, (uint32_t)depth);
        step.place = work->run->weight.terms.plane_place + pass->first + first;
        step.sums_step = columns_at_once(plan);
        step.left =
            weight_take(&work->run->weight, work->group, block, pass->first + first, step.depth, work->left);
        if (rows == 1 && !plan->is_exact) {
            step.right = work->planes + column;
            step.sums = work->sums;
            step.columns = (uint32_t)round_up((uint64_t)columns, panel_lanes(plan));
            plan->contraction->placed_row(&step);
            continue;
        }
        for (int64_t j = 0; j < columns; j += panel_lanes(plan)) {
            step.right = work->planes + column + j;
            step.sums = work->sums + (size_t)j * number_bytes(plan);
            multiply(&step);
        }
    }
    correlation_finish_columns(work, pass, block * plan->rows_at_once, rows, column, columns);
}

/* All channels of the task by one or two vectors of some terms. */
static void multiply_vectors(const struct work *work, contraction_multiply *const *multiply,
                             struct contraction_step *step, const float *const *left, unsigned char *sums)
{
    const struct correlation *plan = work->run->plan;
    const size_t block_bytes = plan->rows_at_once * (size_t)step->sums_step * number_bytes(plan);
    for (uint64_t block = work->first_block; block < work->end_block; block++, sums += block_bytes) {
        step->left = *left++;
        step->sums = sums;
        multiply[weight_rows(plan, block) - 1](step);
    }
}

/* All channels of the task by some positions and some terms. */
static void multiply_part(const struct work *work, const struct pass_work *pass, const struct part *part,
                          uint64_t first, struct contraction_step *step, const float *const *left)
{
    const struct correlation *plan = work->run->plan;
    const struct contraction_kernels *kernels = plan->contraction;
    contraction_multiply *const *placed = plan->has_weight_in_place ? kernels->spread[1]
                                          : plan->is_exact          ? kernels->placed_exact
                                                                    : kernels->placed;
    contraction_multiply *const *single = plan->has_weight_in_place ? kernels->spread[0]
                                          : plan->is_exact          ? kernels->exact[0]
                                                                    : kernels->packed[0];
    const int64_t lanes = plan->contraction->vector_lanes;
    const uint8_t *number = part->number;
    for (uint32_t i = 0; i < part->vectors; i += 2, number += 2) {
        const uint32_t vectors = i + 1 < part->vectors ? 2 : 1;
        step->right = work->right;
        step->place = work->run->right_place;
        step->right_vector = lanes;
        step->sums_vector = vectors == 2 ? (number[1] - number[0]) * lanes : lanes;
        if (i < part->in_planes) {
            step->right = work->planes + part->column[i];
            step->place = work->run->weight.terms.plane_place + pass->first + first;
            step->right_vector = part->column[i + 1] - part->column[i];
        } else {
            pack_right(work, pass, part, number, vectors, pass->first + first, step->depth);
        }
        multiply_vectors(work, vectors == 2 ? placed : single, step, left,
                         work->sums + (size_t)(number[0] * lanes) * number_bytes(plan));
    }
}

/* All channels of the task by some positions: the weights of a block of terms stay in the second cache, and a panel
 * of what they meet in the nearest. */
static void compute_packed(const struct work *work, const struct pass_work *pass, int64_t position,
                           int64_t columns)
{
    const struct correlation *plan = work->run->plan;
    const int64_t sums_step = (int64_t)round_up((uint64_t)columns, panel_lanes(plan));
    const size_t block_bytes = plan->rows_at_once * (size_t)sums_step * number_bytes(plan);
    const float *left[CORRELATION_BLOCKS_IN_PLACE] __attribute__((uninitialized));
    struct part part __attribute__((uninitialized));
    uint64_t first = 0;
    part.position = position;
    part.columns = columns;
    find_vectors(work, pass, &part);
    do {
        const uint32_t depth = (uint32_t)least(CONTRACTION_BLOCK, pass->terms - first);
        struct contraction_step step = step_of(work, first, depth);
        step.sums_step = sums_step;
        step.left_place = work->run->weight.terms.weight_place + pass->first + first;
        for (uint64_t block = work->first_block, i = 0; block < work->end_block; block++, i++)
            left[i] = weight_take(&work->run->weight, work->group, block, pass->first + first, depth,
                                  work->left + i * depth * weight_lanes(plan));
        multiply_part(work, pass, &part, first, &step, left);
        first += depth;
    } while (first < pass->terms);
    for (uint64_t block = work->first_block; block < work->end_block; block++)
        correlation_finish_packed(work, pass, block * plan->rows_at_once, weight_rows(plan, block), position,
                                  columns, work->sums + (block - work->first_block) * block_bytes, sums_step);
}

/* Positions from one on, as many at once as there is room for. */
static void compute_positions(const struct work *work, const struct pass_work *pass, int64_t begin,
                              int64_t end)
{
    const uint64_t count = (uint64_t)(end - begin), parts = divide_up(count, CORRELATION_PACKED_COLUMNS);
    const int64_t most =
        parts == 0 ? 1 : (int64_t)round_up(divide_up(count, parts), panel_lanes(work->run->plan));
    for (int64_t at = begin; at < end; at += most)
        compute_packed(work, pass, at, end - at < most ? end - at : most);
}

/* A part has as many whole panels of all channels as the others, and of what is left over some channels. */
static void compute_part(const struct work *work, const struct pass_work *pass, int64_t positions)
{
    const int64_t panel = panel_lanes(work->run->plan), parts = (int64_t)work->parts,
                  each = work->parts == 1 ? positions : positions / (panel * parts) * panel;
    const uint64_t blocks = work->end_block - work->first_block;
    struct work rest = *work;
    compute_positions(work, pass, (int64_t)work->part * each, (int64_t)(work->part + 1) * each);
    rest.end_block = work->first_block + blocks * (work->part + 1) / work->parts;
    rest.first_block = work->first_block + blocks * work->part / work->parts;
    if (rest.first_block < rest.end_block)
        compute_positions(&rest, pass, parts * each, positions);
}

static void run_pass(const struct work *work, uint64_t number)
{
    const struct correlation *plan = work->run->plan;
    struct pass_work pass = {.number = number, .first = work->run->weight.terms.pass_first[number]};
    pass.terms = work->run->weight.terms.pass_first[number + 1] - pass.first;
    split_pass(plan, number, pass.along);
    int64_t positions = (int64_t)work->tile.images;
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++) {
        const struct convolution_axis *axis = &plan->geometry.axis[i];
        pass.count[i] = plan->is_spread ? (axis->large - 1 - pass.along[i]) / axis->stride + 1 : axis->small;
        if (i == plan->planes.cut)
            pass.count[i] -= (int64_t)work->tile.row;
        if (i == plan->planes.cut && pass.count[i] > (int64_t)work->tile.rows)
            pass.count[i] = (int64_t)work->tile.rows;
        positions *= pass.count[i] > 0 ? pass.count[i] : 0;
    }
    if (plan->is_packed) {
        compute_part(work, &pass, positions);
        return;
    }
    const int64_t most = columns_at_once(plan);
    for (int64_t column = 0; column < work->tile.columns; column += most) {
        const int64_t rest = work->tile.columns - column, columns = rest < most ? rest : most;
        for (uint64_t block = work->first_block; block < work->end_block; block++)
            compute_in_planes(work, &pass, block, column, columns);
    }
}

static size_t planes_bytes(const struct correlation *plan)
{
    return whole_lines(planes_floats(&plan->planes, plan->terms) * sizeof(float));
}

static size_t left_bytes(const struct correlation *plan)
{
    const uint64_t lanes = weight_lanes(plan) * (plan->is_packed ? plan->blocks_at_once : 1);
    if (plan->has_weight_in_place)
        return 0;
    return whole_lines(lanes * CONTRACTION_BLOCK * sizeof(float));
}

/* Positions that are computed together: in whole panels. */
static uint64_t columns_most(const struct correlation *plan)
{
    const uint64_t positions = plan->planes.images * plan->planes.rows * planes_positions(&plan->planes) /
                               (uint64_t)plan->planes.axis[plan->planes.cut].count;
    return plan->is_packed ? round_up(least(CORRELATION_PACKED_COLUMNS, positions), panel_lanes(plan))
                           : (uint64_t)columns_at_once(plan);
}

/* The last vector that is packed may reach beyond its panel. */
static size_t right_bytes(const struct correlation *plan)
{
    return plan->is_packed ? whole_lines((panel_lanes(plan) * CONTRACTION_BLOCK + 16) * sizeof(float)) : 0;
}

/* The last vector of sums is read whole. */
static size_t slot_bytes(const struct correlation *plan)
{
    const uint64_t rows = plan->rows_at_once * (plan->is_packed ? plan->blocks_at_once : 1);
    return planes_bytes(plan) + left_bytes(plan) + right_bytes(plan) +
           whole_lines((rows * columns_most(plan) + 16) * number_bytes(plan));
}

static void run_task(void *context, uint64_t task, unsigned char *memory)
{
    const struct run *run = context;
    const struct correlation *plan = run->plan;
    const uint64_t tiles = plan->planes.tiles_batch * plan->planes.tiles_rows;
    const struct task_unit unit = unit_of_task(&plan->units, task);
    const uint64_t number = unit.number;
    struct work work = {
        .run = run,
        .tile = planes_tile_at(&plan->planes, plan->geometry.batch, number % tiles),
        .part = unit.part,
        .parts = unit.parts,
        .group = number / tiles / plan->block_tiles,
        .first_block = number / tiles % plan->block_tiles * plan->blocks_at_once,
        .planes = (float *)(void *)memory,
        .left = (float *)(void *)(memory + planes_bytes(plan)),
        .right = (float *)(void *)(memory + planes_bytes(plan) + left_bytes(plan)),
        .sums = memory + planes_bytes(plan) + left_bytes(plan) + right_bytes(plan),
    };
    work.end_block = least(work.first_block + plan->blocks_at_once, plan->row_blocks);
    const int64_t channel = (int64_t)(work.group * plan->terms) * plan->in.channel;
    planes_fill(&plan->planes, &work.tile, &plan->in, run->in + channel * (int64_t)plan->in.bytes,
                plan->terms, plan->transfer, work.planes);
    for (uint64_t pass = 0; pass < plan->passes; pass++)
        run_pass(&work, pass);
}

/* The parts of scratch, in their order. */
struct parts {
    size_t passes, terms, bias, packed, slots;
};

static struct parts parts_of(const struct correlation *plan)
{
    const uint64_t groups = (uint64_t)plan->geometry.groups;
    return (struct parts){
        .passes = lines_of(plan->passes + 1, sizeof(uint64_t)),
        .terms = lines_of(plan->steps, sizeof(int64_t)),
        .bias = plan->has_bias ? lines_of_rows(groups, plan->channels, sizeof(float)) : 0,
        .packed = weight_packed_bytes(plan),
        .slots = plan->slots * slot_bytes(plan),
    };
}

size_t correlation_work_bytes(const void *plan)
{
    const struct parts parts = parts_of(plan);
    return parts.passes + 2 * parts.terms + parts.bias + parts.packed + parts.slots;
}

void correlation_run(const struct correlation *plan, void *const *address, const unsigned char *in,
                     unsigned char *scratch)
{
    const struct parts parts = parts_of(plan);
    struct run run = {.plan = plan, .in = in, .out = address[plan->out.address]};
    run.weight = (struct packed_weight){
        .plan = plan,
        .terms = {.pass_first = (uint64_t *)(void *)scratch,
                  .weight_place = (int64_t *)(void *)(scratch + parts.passes),
                  .plane_place = (int64_t *)(void *)(scratch + parts.passes + parts.terms)},
        .weight = address[plan->weight.address],
        .packed = (float *)(void *)(scratch + parts.passes + 2 * parts.terms + parts.bias),
    };
    run.bias = (float *)(void *)(scratch + parts.passes + 2 * parts.terms);
    scratch += parts.passes + 2 * parts.terms + parts.bias + parts.packed;
    for (int64_t i = 0; i < CONTRACTION_BLOCK; i++)
        run.right_place[i] = i * panel_lanes(plan);
    terms_tabulate(plan, &run.weight.terms);
    if (plan->has_bias)
        read_bias(&run, address[plan->bias.address]);
    weight_pack(&run.weight);
    const struct task_memory memory = {scratch, slot_bytes(plan), plan->slots};
    tasks_run_in_memory(run_task, &run, plan->tasks, &memory, plan->cost_ns);
}
