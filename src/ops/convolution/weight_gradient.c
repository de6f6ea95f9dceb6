/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A task has some channels of the large side, with all steps of the kernel, by all channels of the small side
 * of the group, for a run of tiles. The elements of a position are packed as lanes; the small side's are read
 * from its planes, or where they lie.
 */
#include "ops/convolution/weight_gradient.h"

#include <string.h>

#include "ops/contraction/sizes.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"
#include "tensor/dtype.h"

/* Rows of planes that are turned together: those of a task where a kernel has two steps. */
enum { LANES_MOST = WEIGHT_GRADIENT_LANES / 2 };

struct run {
    const struct weight_gradient *plan;
    const unsigned char *small, *large;
    unsigned char *out;
    int64_t *place;         /* of each lane in the large side's planes */
    unsigned char *partial; /* sums: group, run of tiles, part of channels, row, lane */
};

/* Sums of tasks are doubles, or else floats. */
static bool has_doubles(const struct weight_gradient *plan)
{
    return plan->is_exact || plan->is_single;
}

static size_t number_bytes(const struct weight_gradient *plan)
{
    return has_doubles(plan) ? sizeof(double) : sizeof(float);
}

/* The sums of a task. */
static unsigned char *partial_of(const struct run *run, uint64_t group, uint64_t part_run, uint64_t part)
{
    const struct weight_gradient *plan = run->plan;
    const uint64_t number = (group * plan->runs + part_run) * plan->channel_parts + part;
    return run->partial + number * weight_gradient_rows(plan) * plan->lanes * number_bytes(plan);
}

/* Tabulates where each lane's elements lie, as terms.c does for a convolution from large to small. */
static void tabulate(const struct run *run)
{
    const struct weight_gradient *plan = run->plan;
    const struct planes *planes = &plan->of_large;
    for (uint64_t lane = 0; lane < plan->channels * plan->steps; lane++) {
        uint64_t rest = lane % plan->steps;
        int64_t plane = 0, shift = 0, of_axis = 1;
        for (uint32_t i = CONVOLUTION_AXES; i-- > 0;) {
            const struct convolution_axis *axis = &plan->geometry.axis[i];
            const int64_t k = (int64_t)(rest % (uint64_t)axis->kernel);
            rest /= (uint64_t)axis->kernel;
            plane += k % planes->axis[i].phases * of_axis;
            of_axis *= planes->axis[i].phases;
            shift +=
                (floor_quotient(k * axis->dilation - axis->padding, axis->stride) - planes->axis[i].first) *
                planes->pitch[i];
        }
        run->place[lane] = ((int64_t)(lane / plan->steps) * planes->planes + plane) * planes->floats + shift;
    }
}

/* The memory of a thread. */
struct slot {
    float *large, *turned, *small, *block;
    unsigned char *sums; /* of a task that finishes them itself */
};

static size_t large_bytes(const struct weight_gradient *plan)
{
    return whole_lines(planes_floats(&plan->of_large, plan->channels) * sizeof(float));
}

/* The same, of each place all channels side by side. */
static size_t turned_bytes(const struct weight_gradient *plan)
{
    return plan->is_turned ? large_bytes(plan) : 0;
}

static size_t small_bytes(const struct weight_gradient *plan)
{
    if (plan->small_is_direct)
        return 0;
    return whole_lines(planes_floats(&plan->of_small, weight_gradient_rows(plan)) * sizeof(float));
}

/* A panel; or the lanes of sums of a group of one channel on each side. */
static size_t block_bytes(const struct weight_gradient *plan)
{
    return plan->is_single ? whole_lines(plan->steps * CONVOLUTION_LANES * sizeof(double))
                           : whole_lines(weight_gradient_panel(plan) * CONTRACTION_BLOCK * sizeof(float));
}

/* There is one run alone, whose sums are finished where they were added up. */
static bool finishes_at_once(const struct weight_gradient *plan)
{
    return plan->runs == 1 && plan->is_contiguous && !plan->is_single;
}

static size_t sums_bytes(const struct weight_gradient *plan)
{
    return whole_lines(weight_gradient_rows(plan) * plan->lanes * number_bytes(plan));
}

static size_t slot_bytes(const struct weight_gradient *plan)
{
    return large_bytes(plan) + turned_bytes(plan) + small_bytes(plan) + block_bytes(plan) +
           (finishes_at_once(plan) ? sums_bytes(plan) : 0);
}

/* A task in work on a tile. */
struct work {
    const struct run *run;
    struct slot slot;
    struct planes_tile tile;
    uint64_t group, part, channels; /* those that the part has */
    uint64_t row, end_row;          /* channels of the small side */
    unsigned char *sums;
    bool adds;
};

/* Positions of a row side by side, from one of the tile on, and where they are in the large planes. */
static struct convolution_span span_at(const struct work *work, int64_t position, int64_t end)
{
    const struct planes *small = &work->run->plan->of_small, *large = &work->run->plan->of_large;
    int64_t rest = position % small->image, last = 0;
    int64_t column = position / small->image * large->image;
    for (uint32_t i = 0; i < CONVOLUTION_AXES; rest %= small->pitch[i], i++) {
        last = rest / small->pitch[i];
        column += last * large->pitch[i];
    }
    const int64_t size = small->cut + 1 == CONVOLUTION_AXES ? (int64_t)work->tile.rows
                                                            : small->axis[CONVOLUTION_AXES - 1].count;
    return (struct convolution_span){column, size - last < end - position ? size - last : end - position};
}

static const unsigned char *channel_of(const unsigned char *first, const struct side *side, uint64_t channel)
{
    return first + (int64_t)channel * side->channel * (int64_t)side->bytes;
}

/* The small side's first channel of the group. */
static const unsigned char *small_of(const struct work *work)
{
    const struct weight_gradient *plan = work->run->plan;
    return channel_of(work->run->small, &plan->small, work->group * weight_gradient_rows(plan));
}

/* Its element at a position of the tile: where it lies, or in its planes. */
static const float *small_at(const struct work *work, int64_t position)
{
    const struct weight_gradient *plan = work->run->plan;
    const struct planes *planes = &plan->of_small;
    if (!plan->small_is_direct)
        return work->slot.small + position;
    return (const float *)(const void *)small_of(work) +
           ((int64_t)work->tile.image + position / planes->image) * plan->small.batch +
           position % planes->image + (int64_t)work->tile.row * plan->small.axis[planes->cut];
}

/* All channels of the small side, from its first one's place on, by the lanes that a step has. */
static void multiply_rows(const struct work *work, contraction_multiply *const *multiply,
                          struct contraction_step *step, const float *small, uint64_t lane)
{
    const struct weight_gradient *plan = work->run->plan;
    for (uint64_t row = work->row, some; row < work->end_row; row += some) {
        some = least(plan->rows_at_once, work->end_row - row);
        step->left = small + (int64_t)row * step->left_lane;
        step->sums = work->sums + (row * plan->lanes + lane) * number_bytes(plan);
        multiply[some - 1](step);
    }
}

/* The positions of some spans by all lanes, where places are turned: a step of the kernel is a shift of all
 * channels. */
static void multiply_turned(const struct work *work, struct contraction_step *step, const float *small,
                            const struct convolution_span *span, uint32_t spans)
{
    const struct weight_gradient *plan = work->run->plan;
    const int64_t channels = (int64_t)plan->channels, width = weight_gradient_panel(plan);
    int64_t place[CONTRACTION_BLOCK] __attribute__((uninitialized));
    uint32_t positions = 0;
    for (uint32_t i = 0; i < spans; i++)
        for (int64_t j = 0; j < span[i].count; j++)
            place[positions++] = (span[i].from + j) * channels;
    step->place = place;
    step->right_vector = step->sums_vector = plan->contraction->vector_lanes;
    for (uint64_t k = 0; k < plan->steps; k++)
        for (int64_t channel = 0; channel < channels; channel += width) {
            step->right = work->slot.turned + work->run->place[k] * channels + channel;
            multiply_rows(work, plan->contraction->direct_placed, step, small,
                          k * plan->channels + (uint64_t)channel);
        }
}

static void multiply_block(const struct work *work, int64_t first, int64_t behind)
{
    const struct weight_gradient *plan = work->run->plan;
    const uint32_t width = weight_gradient_panel(plan);
    const uint64_t lanes = work->channels * plan->steps;
    struct convolution_span span[CONTRACTION_BLOCK] __attribute__((uninitialized));
    uint32_t spans = 0;
    for (int64_t at = first; at < behind; at += span[spans++].count)
        span[spans] = span_at(work, at, behind);
    const float *small = small_at(work, first);
    const int64_t lane_stride = plan->small_is_direct ? plan->small.channel : plan->of_small.floats;
    struct contraction_step step = {
        .left_lane = lane_stride,
        .left_step = 1,
        .right_step = width,
        .depth = (uint32_t)(behind - first),
        .columns = width,
        .takes_pairs = plan->small.dtype == ACL_BF16 && plan->large.dtype == ACL_BF16,
        .adds = work->adds,
        .sums_step = (int64_t)plan->lanes,
    };
    if (plan->is_turned) {
        multiply_turned(work, &step, small, span, spans);
        return;
    }
    contraction_multiply *const *multiply =
        (plan->is_exact ? plan->contraction->exact
                        : plan->contraction->direct)[width / plan->contraction->vector_lanes - 1];
    for (uint64_t lane = 0; lane < lanes; lane += width) {
        step.right = work->slot.block;
        plan->kernels->pack_lanes(&(const struct convolution_lanes){
            .planes = work->slot.large,
            .place = work->run->place + lane,
            .lanes = (uint32_t)least(width, lanes - lane),
            .width = width,
            .span = span,
            .spans = spans,
            .to = work->slot.block,
        });
        multiply_rows(work, multiply, &step, small, lane);
    }
}

/* Of all channels those of each place side by side. */
static void turn_planes(const struct work *work)
{
    const struct weight_gradient *plan = work->run->plan;
    const struct planes *planes = &plan->of_large;
    const float *row[LANES_MOST] __attribute__((uninitialized));
    for (int64_t plane = 0; plane < planes->planes; plane++) {
        for (uint64_t i = 0; i < plan->channels; i++)
            row[i] = work->slot.large + ((int64_t)i * planes->planes + plane) * planes->floats;
        plan->kernels->turn(&(const struct convolution_turn){
            .row = row,
            .steps = (uint32_t)planes->span,
            .width = (uint32_t)plan->channels,
            .to = work->slot.turned + plane * planes->floats * (int64_t)plan->channels,
        });
    }
}

static void fill_planes(const struct work *work)
{
    const struct weight_gradient *plan = work->run->plan;
    const uint64_t all = (uint64_t)plan->geometry.large_channels;
    const uint64_t large = work->group * all + work->part * plan->channels;
    planes_fill(&plan->of_large, &work->tile, &plan->large, channel_of(work->run->large, &plan->large, large),
                work->channels, plan->transfer, work->slot.large);
    if (!plan->small_is_direct)
        planes_fill(&plan->of_small, &work->tile, &plan->small, small_of(work), weight_gradient_rows(plan),
                    plan->transfer, work->slot.small);
    if (plan->is_turned)
        turn_planes(work);
}

/* Rows of positions from one on that lie equally far apart in planes of both sides. */
static int64_t lines_at(const struct work *work, int64_t position)
{
    const struct planes *small = &work->run->plan->of_small;
    const uint32_t axis = CONVOLUTION_AXES - 2;
    if (small->cut > axis)
        return 1;
    const int64_t size = small->cut == axis ? (int64_t)work->tile.rows : small->axis[axis].count;
    return size - position % small->image % small->pitch[axis - 1] / small->pitch[axis];
}

/* All products of a tile, of one channel on each side, into the lanes of their sums. */
static void multiply_tile(const struct work *work, double *lanes)
{
    const struct weight_gradient *plan = work->run->plan;
    const uint32_t axis = CONVOLUTION_AXES - 2;
    for (int64_t at = 0, some; at < work->tile.columns; at += some) {
        const struct convolution_span span = span_at(work, at, work->tile.columns);
        const int64_t lines = lines_at(work, at);
        some = lines * span.count;
        plan->kernels->multiply_up(&(const struct convolution_lines){.left = small_at(work, at),
                                                                     .right = work->slot.large + span.from,
                                                                     .left_line = plan->of_small.pitch[axis],
                                                                     .right_line = plan->of_large.pitch[axis],
                                                                     .lines = (size_t)lines,
                                                                     .count = (size_t)span.count,
                                                                     .shift = work->run->place,
                                                                     .shifts = plan->steps},
                                   lanes);
    }
}

static void add_lanes(const double *lanes, uint64_t steps, double *sums)
{
    for (uint64_t k = 0; k < steps; k++) {
        double lane[CONVOLUTION_LANES];
        memcpy(lane, lanes + k * CONVOLUTION_LANES, sizeof lane);
        for (int half = CONVOLUTION_LANES / 2; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                lane[i] += lane[i + half];
        sums[k] = lane[0];
    }
}

/* The sums of the only run, to the gradient. */
static void finish_task(const struct work *work)
{
    const struct weight_gradient *plan = work->run->plan;
    const uint64_t all = (uint64_t)plan->geometry.large_channels;
    const uint64_t channel =
        (work->group * weight_gradient_rows(plan) + work->row) * all + work->part * plan->channels;
    plan->kernels->finish(&(const struct convolution_sums){
        .sums = work->sums + work->row * plan->lanes * number_bytes(plan),
        .sums_step = (int64_t)plan->lanes,
        .rows = (uint32_t)(work->end_row - work->row),
        .columns = (uint32_t)(work->channels * plan->steps),
        .is_exact = plan->is_exact,
        .dtype = plan->out.dtype,
        .out = work->run->out + channel * plan->steps * plan->out.bytes,
        .row_stride = (int64_t)(all * plan->steps),
        .column_stride = 1,
    });
}

static void run_task(void *context, uint64_t task, unsigned char *memory)
{
    const struct run *run = context;
    const struct weight_gradient *plan = run->plan;
    unsigned char *const small = memory + large_bytes(plan) + turned_bytes(plan);
    const struct task_unit unit = unit_of_task(&plan->units, task);
    const uint64_t number = unit.number, rows = weight_gradient_rows(plan),
                   row_blocks = divide_up(rows, plan->rows_at_once);
    struct work work = {
        .run = run,
        .slot = {.large = (float *)(void *)memory,
                 .turned = (float *)(void *)(memory + large_bytes(plan)),
                 .small = (float *)(void *)small,
                 .block = (float *)(void *)(small + small_bytes(plan)),
                 .sums = small + small_bytes(plan) + block_bytes(plan)},
        .part = number % plan->channel_parts,
        .group = number / plan->channel_parts / plan->runs,
        .row = row_blocks * unit.part / unit.parts * plan->rows_at_once,
        .end_row = least(rows, row_blocks * (unit.part + 1) / unit.parts * plan->rows_at_once),
    };
    const uint64_t part_run = number / plan->channel_parts % plan->runs;
    work.channels =
        least(plan->channels, (uint64_t)plan->geometry.large_channels - work.part * plan->channels);
    work.sums = finishes_at_once(plan) ? work.slot.sums : partial_of(run, work.group, part_run, work.part);
    const uint64_t end = least((part_run + 1) * plan->tiles_of_run, plan->tiles);
    double *const lanes = (double *)(void *)work.slot.block; /* where nothing is packed */
    if (plan->is_single)
        memset(lanes, 0, plan->steps * CONVOLUTION_LANES * sizeof *lanes);
    for (uint64_t tile = part_run * plan->tiles_of_run; tile < end; tile++) {
        work.tile = planes_tile_at(&plan->of_small, plan->geometry.batch, tile);
        fill_planes(&work);
        if (plan->is_single) {
            multiply_tile(&work, lanes);
            continue;
        }
        for (int64_t first = 0, behind; first < work.tile.columns; first = behind) {
            behind =
                first + CONTRACTION_BLOCK < work.tile.columns ? first + CONTRACTION_BLOCK : work.tile.columns;
            multiply_block(&work, first, behind);
            work.adds = true;
        }
    }
    if (plan->is_single)
        add_lanes(lanes, plan->steps, (double *)(void *)work.sums);
    else if (finishes_at_once(plan))
        finish_task(&work);
}

/* Some lanes, from one on, that are step by step of the kernel, to where each channel has its steps. */
static void put_turned(const struct weight_gradient *plan, const unsigned char *lanes, uint64_t first,
                       uint64_t count, unsigned char *to)
{
    uint64_t k = first / plan->channels, channel = first % plan->channels;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t place = channel * plan->steps + k;
        if (plan->out.bytes == sizeof(float))
            memcpy(to + place * sizeof(float), lanes + i * sizeof(float), sizeof(float));
        else
            memcpy(to + place * sizeof(uint16_t), lanes + i * sizeof(uint16_t), sizeof(uint16_t));
        channel = channel + 1 < plan->channels ? channel + 1 : 0;
        k += channel == 0;
    }
}

/* Some lanes of a row from the sums of all runs, in order, to the gradient. */
static void finish_lanes(const struct run *run, uint64_t group, uint64_t row, uint64_t part, uint64_t first,
                         uint64_t count)
{
    const struct weight_gradient *plan = run->plan;
    const struct weight *out = &plan->out;
    double total[CONVERT_MAX] __attribute__((uninitialized));
    unsigned char result[CONVERT_MAX * sizeof(float)] __attribute__((uninitialized));
    const size_t distance =
        plan->channel_parts * weight_gradient_rows(plan) * plan->lanes; /* from run to run */
    const unsigned char *sums =
        partial_of(run, group, 0, part) + (row * plan->lanes + first) * number_bytes(plan);
    if (plan->runs == 0)
        memset(total, 0, count * sizeof total[0]);
    else if (!has_doubles(plan))
        plan->kernels->add_runs((const float *)(const void *)sums, distance, plan->runs, count, total);
    for (uint64_t part_run = 0; part_run < plan->runs && has_doubles(plan); part_run++) {
        const double *doubles = (const double *)(const void *)sums + part_run * distance;
        for (uint64_t i = 0; i < count; i++)
            total[i] = part_run == 0 ? doubles[i] : total[i] + doubles[i];
    }
    plan->transfer->convert(total, ACL_DOUBLE, result, out->dtype, count);
    const uint64_t channel =
        (group * weight_gradient_rows(plan) + row) * (uint64_t)plan->geometry.large_channels +
        part * plan->channels;
    if (plan->is_turned) {
        put_turned(plan, result, first, count, run->out + channel * plan->steps * out->bytes);
        return;
    }
    if (plan->is_contiguous) {
        memcpy(run->out + (channel * plan->steps + first) * out->bytes, result, (size_t)count * out->bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t rest = (first + i) % plan->steps;
        int64_t place = (int64_t)(group * weight_gradient_rows(plan) + row) * out->small +
                        (int64_t)(part * plan->channels + (first + i) / plan->steps) * out->large;
        for (uint32_t k = CONVOLUTION_AXES; k-- > 0;) {
            const uint64_t size = (uint64_t)plan->geometry.axis[k].kernel;
            place += (int64_t)(rest % size) * out->axis[k];
            rest /= size;
        }
        memcpy(run->out + place * (int64_t)out->bytes, result + i * out->bytes, out->bytes);
    }
}

static void finish_row(void *context, uint64_t row)
{
    const struct run *run = (const struct run *)context;
    const struct weight_gradient *plan = run->plan;
    const uint64_t all = (uint64_t)plan->geometry.large_channels;
    for (uint64_t part = 0; part < plan->channel_parts; part++) {
        const uint64_t lanes = least(plan->channels, all - part * plan->channels) * plan->steps;
        for (uint64_t first = 0; first < lanes; first += CONVERT_MAX)
            finish_lanes(run, row / weight_gradient_rows(plan), row % weight_gradient_rows(plan), part, first,
                         least(CONVERT_MAX, lanes - first));
    }
}

static size_t place_bytes(const struct weight_gradient *plan)
{
    return whole_lines(plan->channels * plan->steps * sizeof(int64_t));
}

static size_t partial_bytes(const struct weight_gradient *plan)
{
    if (finishes_at_once(plan))
        return 0;
    const uint64_t sums = weight_gradient_rows(plan) * plan->lanes * plan->channel_parts * plan->runs;
    return whole_lines((uint64_t)plan->geometry.groups * sums * number_bytes(plan));
}

size_t weight_gradient_work_bytes(const struct weight_gradient *plan)
{
    return place_bytes(plan) + partial_bytes(plan) + plan->slots * slot_bytes(plan);
}

void weight_gradient_run(const struct weight_gradient *plan, void *const *address, const unsigned char *small,
                         const unsigned char *large, unsigned char *scratch)
{
    struct run run = {.plan = plan,
                      .small = small,
                      .large = large,
                      .out = address[plan->out.address],
                      .place = (int64_t *)(void *)scratch,
                      .partial = scratch + place_bytes(plan)};
    if (plan->tasks > 0) {
        tabulate(&run);
        const struct task_memory memory = {run.partial + partial_bytes(plan), slot_bytes(plan), plan->slots};
        tasks_run_in_memory(run_task, &run, plan->tasks, &memory, plan->cost_ns);
    }
    if (finishes_at_once(plan))
        return;
    const uint64_t rows = weight_gradient_rows(plan) * (uint64_t)plan->geometry.groups;
    tasks_run(finish_row, &run, rows, 1,
              rows * plan->steps * (uint64_t)plan->geometry.large_channels * (plan->runs + 8) / 2);
}
