/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A run has two stages: the weight is packed, with tables of where each term of a sum is found; then tasks
 * fill planes of a tile of the input and compute all or some channels of the output from them.
 */
#include "ops/convolution/correlation.h"

#include <string.h>

#include "ops/contraction/sizes.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"

enum {
    TILE_FLOATS = 64 * 1024,       /* of planes: they stay in the second cache while all channels use them */
    TILE_FLOATS_MOST = 256 * 1024, /* where that many give the packed weight more to do each time it passes */
    TILE_COLUMNS = 2048,           /* most positions of a tile of several images */
    COLUMNS = 256, /* positions whose sums are computed together, and stay in the nearest cache */
    TASKS_PER_THREAD = 4,
};

/* The steps of the kernel along an axis that take part in a pass. */
struct taps {
    int64_t count, first, step;
};

/* Shared by all threads of a run. */
struct run {
    const struct correlation *plan;
    const unsigned char *in, *weight;
    unsigned char *out;
    uint64_t *pass_first;  /* the first term of each pass, and behind the last */
    int64_t *weight_place; /* of each term: elements from the weight's first of its channel */
    int64_t *plane_place;  /* and floats from the planes' first */
    float *bias, *packed;
};

static struct taps taps_of(const struct correlation *plan, uint32_t number, int64_t pass)
{
    const struct convolution_axis *axis = &plan->geometry.axis[number];
    struct taps taps = {.count = axis->kernel, .first = 0, .step = 1};
    if (!plan->is_spread)
        return taps;
    int64_t period = 1;
    while (period < axis->stride && period < axis->kernel && period * axis->dilation % axis->stride != 0)
        period++;
    taps.step = period;
    while (taps.first < period && taps.first < axis->kernel &&
           floor_remainder(pass + axis->padding - taps.first * axis->dilation, axis->stride) != 0)
        taps.first++;
    taps.count =
        taps.first < period && taps.first < axis->kernel ? (axis->kernel - 1 - taps.first) / period + 1 : 0;
    return taps;
}

/* Passes along an axis: no more than the output has elements. */
static int64_t passes_along(const struct correlation *plan, uint32_t number)
{
    const struct convolution_axis *axis = &plan->geometry.axis[number];
    return !plan->is_spread ? 1 : axis->stride < axis->large ? axis->stride : axis->large;
}

static void split_pass(const struct correlation *plan, uint64_t pass, int64_t *along)
{
    for (uint32_t i = CONVOLUTION_AXES; i-- > 0;) {
        const uint64_t passes = (uint64_t)passes_along(plan, i);
        along[i] = (int64_t)(pass % passes);
        pass /= passes;
    }
}

/* Along an axis: which plane step k of the kernel reads in a pass, and its shift there. */
static void find_step(const struct correlation *plan, uint32_t number, int64_t pass, int64_t k,
                      int64_t *phase, int64_t *shift)
{
    const struct convolution_axis *axis = &plan->geometry.axis[number];
    const struct planes_axis *planes = &plan->planes.axis[number];
    if (plan->is_spread) {
        *phase = 0;
        *shift = floor_quotient(pass + axis->padding - k * axis->dilation, axis->stride) - planes->first;
    } else {
        *phase = k % planes->phases;
        *shift = floor_quotient(k * axis->dilation - axis->padding, axis->stride) - planes->first;
    }
}

/* Where one step along an axis leads: elements of the weight, planes, and floats of a plane. */
struct place {
    int64_t weight, plane, shift;
};

static struct place place_along(const struct correlation *plan, uint32_t axis, int64_t pass, int64_t k)
{
    int64_t phase, shift;
    find_step(plan, axis, pass, k, &phase, &shift);
    int64_t planes = phase;
    for (uint32_t i = axis + 1; i < CONVOLUTION_AXES; i++)
        planes *= plan->planes.axis[i].phases;
    return (struct place){k * plan->weight.axis[axis], planes, shift * plan->planes.pitch[axis]};
}

/* The tables of a pass, from a term on; the term behind them. */
static uint64_t tabulate_pass(const struct run *run, uint64_t pass, uint64_t term)
{
    const struct correlation *plan = run->plan;
    const int64_t stride = plan->is_spread ? plan->weight.small : plan->weight.large;
    const uint64_t begin = term;
    int64_t along[CONVOLUTION_AXES];
    struct taps taps[CONVOLUTION_AXES];
    split_pass(plan, pass, along);
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        taps[i] = taps_of(plan, i, along[i]);
    if (plan->terms == 0)
        return term;
    for (int64_t a = 0; a < taps[0].count; a++)
        for (int64_t b = 0; b < taps[1].count; b++)
            for (int64_t c = 0; c < taps[2].count; c++, term++) {
                const struct place of_a = place_along(plan, 0, along[0], taps[0].first + a * taps[0].step),
                                   of_b = place_along(plan, 1, along[1], taps[1].first + b * taps[1].step),
                                   of_c = place_along(plan, 2, along[2], taps[2].first + c * taps[2].step);
                run->weight_place[term] = of_a.weight + of_b.weight + of_c.weight;
                run->plane_place[term] = (of_a.plane + of_b.plane + of_c.plane) * plan->planes.floats +
                                         of_a.shift + of_b.shift + of_c.shift;
            }
    const uint64_t steps = term - begin, terms = steps * plan->terms;
    const int64_t channel = plan->planes.planes * plan->planes.floats;
    for (uint64_t i = steps; i < terms; i++) {
        run->weight_place[begin + i] = run->weight_place[begin + i - steps] + stride;
        run->plane_place[begin + i] = run->plane_place[begin + i - steps] + channel;
    }
    return begin + terms;
}

static void tabulate(const struct run *run)
{
    uint64_t term = 0;
    for (uint64_t pass = 0; pass < run->plan->passes; pass++) {
        run->pass_first[pass] = term;
        term = tabulate_pass(run, pass, term);
    }
    run->pass_first[run->plan->passes] = term;
}

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

/* Channels of the output in the packed weight, for each group: whole blocks. */
static uint64_t packed_rows(const struct correlation *plan)
{
    return plan->row_blocks * plan->rows_at_once;
}

/* One block of channels of a group by all terms: the channels of a term side by side. */
static void pack_block(void *context, uint64_t number)
{
    const struct run *run = context;
    const struct correlation *plan = run->plan;
    const uint64_t group = number / plan->row_blocks, block = number % plan->row_blocks;
    const uint32_t width = plan->rows_at_once;
    const uint64_t row = block * width, rows = least(width, plan->channels - row);
    const int64_t stride = plan->is_spread ? plan->weight.large : plan->weight.small;
    const int64_t of_group = (int64_t)(group * (uint64_t)plan->geometry.small_channels) * plan->weight.small;
    const uint32_t bytes = plan->weight.bytes;
    const unsigned char *first = run->weight + (of_group + (int64_t)row * stride) * (int64_t)bytes;
    float *to = run->packed + (group * packed_rows(plan) + row) * plan->steps;
    unsigned char gathered[CONVERT_MAX * sizeof(float)] __attribute__((uninitialized));
    const uint64_t at_once = CONVERT_MAX / width, terms = run->pass_first[plan->passes];
    memset(gathered, 0, sizeof gathered);
    for (uint64_t term = 0, some; term < terms; term += some, to += some * width) {
        some = least(at_once, terms - term);
        for (uint64_t k = 0; k < some; k++) {
            const unsigned char *from = first + run->weight_place[term + k] * (int64_t)bytes;
            for (uint64_t i = 0; i < rows; i++) {
                const unsigned char *element = from + (int64_t)i * stride * (int64_t)bytes;
                if (bytes == 4)
                    memcpy(to + k * width + i, element, 4);
                else
                    memcpy(gathered + (k * width + i) * 2, element, 2);
            }
            for (uint64_t i = rows; i < width && bytes == 4; i++)
                to[k * width + i] = 0;
        }
        if (bytes == 2)
            plan->transfer->convert(gathered, plan->weight.dtype, to, ACL_FLOAT, some * width);
    }
}

/* A task in work. */
struct work {
    const struct run *run;
    struct planes_tile tile;
    uint64_t group, first_block, end_block;
    float *planes;
    unsigned char *sums;
};

/* What a pass computes of a tile. */
struct pass_work {
    uint64_t number, first, terms;
    int64_t along[CONVOLUTION_AXES], count[CONVOLUTION_AXES]; /* its positions within the tile */
};

/* Rows of positions from a column on, each of which goes to the output as it is. */
static void finish(const struct work *work, const struct pass_work *pass, uint64_t row, uint32_t rows,
                   int64_t column, int64_t columns)
{
    const struct correlation *plan = work->run->plan;
    const struct planes *planes = &plan->planes;
    const struct side *out = &plan->out;
    const size_t number = plan->is_exact ? sizeof(double) : sizeof(float);
    const uint64_t channel = work->group * plan->channels + row;
    struct convolution_sums sums = {
        .sums_step = COLUMNS,
        .bias = plan->has_bias ? work->run->bias + channel : NULL,
        .rows = rows,
        .is_exact = plan->is_exact,
        .dtype = out->dtype,
        .row_stride = out->channel,
    };
    int64_t step[CONVOLUTION_AXES];
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        step[i] = plan->is_spread ? plan->geometry.axis[i].stride : 1;
    sums.column_stride = out->axis[2] * step[2];
    for (int64_t at = column, next; at < column + columns; at = next) {
        int64_t rest = at % planes->image, j[CONVOLUTION_AXES];
        const int64_t image = at / planes->image;
        for (uint32_t i = 0; i < CONVOLUTION_AXES; rest %= planes->pitch[i], i++)
            j[i] = rest / planes->pitch[i];
        next = at - j[2] + planes->pitch[1];
        int64_t count = pass->count[2] - j[2];
        count = count < column + columns - at ? count : column + columns - at;
        if (j[0] >= pass->count[0] || j[1] >= pass->count[1] || count <= 0)
            continue;
        int64_t place =
            (int64_t)(work->tile.image + (uint64_t)image) * out->batch + (int64_t)channel * out->channel;
        for (uint32_t i = 0; i < CONVOLUTION_AXES; i++) {
            const int64_t index = j[i] + (i == planes->cut ? (int64_t)work->tile.row : 0);
            place += (index * step[i] + pass->along[i]) * out->axis[i];
        }
        sums.sums = work->sums + (size_t)(at - column) * number;
        sums.columns = (uint32_t)count;
        sums.out = work->run->out + place * (int64_t)out->bytes;
        plan->kernels->finish(&sums);
    }
}

/* A block of channels by some columns. */
static void compute(const struct work *work, const struct pass_work *pass, uint64_t block, int64_t column,
                    int64_t columns)
{
    const struct correlation *plan = work->run->plan;
    const uint64_t row = block * plan->rows_at_once;
    const uint32_t rows = (uint32_t)least(plan->rows_at_once, plan->channels - row);
    const int64_t panel = 2 * (int64_t)plan->contraction->vector_lanes;
    const size_t number = plan->is_exact ? sizeof(double) : sizeof(float);
    contraction_multiply *multiply =
        (plan->is_exact ? plan->contraction->placed_exact : plan->contraction->placed)[rows - 1];
    const float *left = work->run->packed + (work->group * packed_rows(plan) + row) * plan->steps +
                        pass->first * plan->rows_at_once;
    if (pass->terms == 0)
        memset(work->sums, 0, (size_t)rows * COLUMNS * number);
    for (uint64_t first = 0, depth; first < pass->terms; first += depth) {
        depth = least(CONTRACTION_BLOCK, pass->terms - first);
        struct contraction_step step = {
            .left = left + first * plan->rows_at_once,
            .left_step = plan->rows_at_once,
            .place = work->run->plane_place + pass->first + first,
            .depth = (uint32_t)depth,
            .takes_pairs = plan->in.dtype == ACL_BF16 && plan->weight.dtype == ACL_BF16,
            .adds = first > 0,
            .sums_step = COLUMNS,
        };
        for (int64_t j = 0; j < columns; j += panel) {
            step.right = work->planes + column + j;
            step.sums = work->sums + (size_t)j * number;
            multiply(&step);
        }
    }
    finish(work, pass, row, rows, column, columns);
}

static void run_pass(const struct work *work, uint64_t number)
{
    const struct correlation *plan = work->run->plan;
    struct pass_work pass = {.number = number, .first = work->run->pass_first[number]};
    pass.terms = work->run->pass_first[number + 1] - pass.first;
    split_pass(plan, number, pass.along);
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++) {
        const struct convolution_axis *axis = &plan->geometry.axis[i];
        pass.count[i] = plan->is_spread ? (axis->large - 1 - pass.along[i]) / axis->stride + 1 : axis->small;
        if (i == plan->planes.cut)
            pass.count[i] -= (int64_t)work->tile.row;
        if (i == plan->planes.cut && pass.count[i] > (int64_t)work->tile.rows)
            pass.count[i] = (int64_t)work->tile.rows;
    }
    for (int64_t column = 0; column < work->tile.columns; column += COLUMNS) {
        const int64_t rest = work->tile.columns - column, columns = rest < COLUMNS ? rest : COLUMNS;
        for (uint64_t block = work->first_block; block < work->end_block; block++)
            compute(work, &pass, block, column, columns);
    }
}

static size_t slot_planes_bytes(const struct correlation *plan)
{
    return whole_lines(planes_floats(&plan->planes, plan->terms) * sizeof(float));
}

/* The last vector of sums is read whole. */
static size_t slot_bytes(const struct correlation *plan)
{
    const uint64_t sums = (uint64_t)plan->rows_at_once * COLUMNS + 16;
    return slot_planes_bytes(plan) + whole_lines(sums * (plan->is_exact ? sizeof(double) : sizeof(float)));
}

static void run_task(void *context, uint64_t number, unsigned char *memory)
{
    const struct run *run = context;
    const struct correlation *plan = run->plan;
    const uint64_t tiles = plan->planes.tiles_batch * plan->planes.tiles_rows;
    struct work work = {
        .run = run,
        .tile = planes_tile_at(&plan->planes, plan->geometry.batch, number % tiles),
        .group = number / tiles / plan->block_tiles,
        .first_block = number / tiles % plan->block_tiles * plan->blocks_at_once,
        .planes = (float *)(void *)memory,
        .sums = memory + slot_planes_bytes(plan),
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
        .passes = whole_lines((plan->passes + 1) * sizeof(uint64_t)),
        .terms = whole_lines(plan->steps * sizeof(int64_t)),
        .bias = plan->has_bias ? whole_lines(groups * plan->channels * sizeof(float)) : 0,
        .packed = whole_lines(groups * packed_rows(plan) * plan->steps * sizeof(float)),
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
    struct run run = {
        .plan = plan, .in = in, .weight = address[plan->weight.address], .out = address[plan->out.address]};
    run.pass_first = (uint64_t *)(void *)scratch;
    run.weight_place = (int64_t *)(void *)(scratch += parts.passes);
    run.plane_place = (int64_t *)(void *)(scratch += parts.terms);
    run.bias = (float *)(void *)(scratch += parts.terms);
    run.packed = (float *)(void *)(scratch += parts.bias);
    tabulate(&run);
    if (plan->has_bias)
        read_bias(&run, address[plan->bias.address]);
    const uint64_t blocks = (uint64_t)plan->geometry.groups * plan->row_blocks;
    tasks_run(pack_block, &run, plan->steps > 0 ? blocks : 0, 1, blocks * plan->rows_at_once * plan->steps);
    const struct task_memory memory = {scratch + parts.packed, slot_bytes(plan), plan->slots};
    tasks_run_in_memory(run_task, &run, plan->tasks, &memory, plan->cost_ns);
}

/* Tasks are as large as the cache allows; there are more of them where threads have nothing to do. */
static void choose_tasks(struct correlation *plan, uint32_t threads)
{
    struct planes *planes = &plan->planes;
    const int64_t batch = plan->geometry.batch;
    const uint64_t count = (uint64_t)planes->axis[planes->cut].count,
                   groups = (uint64_t)plan->geometry.groups;
    const uint64_t wanted = threads > 1 ? (uint64_t)threads * TASKS_PER_THREAD : 1;
    uint64_t images = (uint64_t)batch, rows = count;
    plan->blocks_at_once = plan->row_blocks;
    planes_choose_tile(planes, batch, 1, rows);
    images = TILE_FLOATS / planes_floats(planes, plan->terms);
    while (images * (uint64_t)planes->image < COLUMNS && images < (uint64_t)batch &&
           (images + 1) * planes_floats(planes, plan->terms) <= TILE_FLOATS_MOST)
        images++;
    images = least(images, 1 + TILE_COLUMNS / (uint64_t)planes->image);
    while (images < 2 && rows > 1 && planes_floats(planes, plan->terms) > TILE_FLOATS) {
        rows = (rows + 1) / 2;
        planes_choose_tile(planes, batch, 1, rows);
    }
    images = images < 1 ? 1 : images;
    for (;;) {
        planes_choose_tile(planes, batch, images, rows);
        plan->block_tiles = divide_up(plan->row_blocks, plan->blocks_at_once);
        plan->tasks = groups * planes->tiles_batch * planes->tiles_rows * plan->block_tiles;
        if (plan->tasks >= wanted)
            break;
        if (planes->images > 1)
            images = (planes->images + 1) / 2;
        else if (rows > 1 && planes_positions(planes) / count * rows > 2 * COLUMNS)
            rows = (rows + 1) / 2;
        else if (plan->blocks_at_once > 1)
            plan->blocks_at_once = (plan->blocks_at_once + 1) / 2;
        else
            break;
    }
    plan->slots = (uint32_t)least(threads, plan->tasks);
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
    const uint32_t most = plan->is_exact ? plan->contraction->rows_exact_max : plan->contraction->rows_max;
    plan->row_blocks = divide_up(plan->channels, most);
    plan->rows_at_once = (uint32_t)divide_up(plan->channels, plan->row_blocks);
    plan->row_blocks = divide_up(plan->channels, plan->rows_at_once);
    const uint64_t sums = planes_positions(&plan->planes) * (uint64_t)geometry->batch *
                          (uint64_t)geometry->groups * plan->channels;
    plan->cost_ns =
        plan->contraction->vector_lanes > 4 ? sums * plan->steps / 16 + sums / 4 : sums * plan->steps * 2;
    choose_tasks(plan, threads);
}
