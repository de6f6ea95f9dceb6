/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of contraction over tiles, blocks, rows and columns. Within a tile the right operand is packed a
 * block at a time, and the left one a panel of a few rows at a time, which meets all panels of the block
 * while it is in the nearest cache.
 */
#include <string.h>

#include "ops/contraction/sizes.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"

/* Memory that a run takes from its stack rather than from its caller. */
enum { STACK_BYTES = 40 * 1024 };

/* So small an operand may be in a cache since the last call; larger ones are weights, which others push out. */
enum { NEAR_BYTES = 4 << 20 };

/* A run: the plan and the addresses of its matrices. */
struct run {
    const struct contraction *plan;
    const unsigned char *left, *right, *self;
    unsigned char *out, *scratch;
};

/* A tile in work: element (0, 0) of its batch's matrices, what it covers, and the memory of its thread. */
struct work {
    const unsigned char *left, *right, *self;
    unsigned char *out;
    uint64_t row, column;
    uint32_t rows, columns;
    unsigned char *right_block, *left_panel, *sums;
    uint32_t ready_rows;  /* of this block: so many have been looked at as pairs, or widened */
    uint32_t ready_from;  /* the row that the panel of widened ones begins with */
    bool has_quick_pairs; /* until something of it forbids that; the right block is packed so */
};

static size_t slot_bytes(const struct contraction *plan)
{
    return (size_t)plan->right_bytes + plan->panel_bytes + plan->sums_bytes;
}

static int64_t batch_bytes(const struct contraction *plan, const struct contraction_matrix *matrix,
                           uint64_t batch)
{
    int64_t offset = 0;
    uint32_t axis = plan->batch_axes;
    for (; axis > 1; batch /= plan->batch_size[axis]) {
        axis--;
        offset += (int64_t)(batch % plan->batch_size[axis]) * matrix->batch_stride[axis];
    }
    if (axis > 0) /* without a division, which takes as long as rows of a small matrix do */
        offset += (int64_t)batch * matrix->batch_stride[0];
    return offset * (int64_t)matrix->bytes;
}

static int64_t element_bytes(const struct contraction_matrix *matrix, uint64_t i, uint64_t j)
{
    return ((int64_t)i * matrix->stride[0] + (int64_t)j * matrix->stride[1]) * (int64_t)matrix->bytes;
}

/* Piece by piece of a matrix, and panel by panel, since a piece has fewer steps than they. */
void contraction_pack_joined(const struct contraction *plan, const struct contraction_panel *panel)
{
    const uint64_t steps = plan->depth / plan->joined;
    for (uint32_t i = 0; i < panel->lanes; i += panel->width) {
        struct contraction_panel piece = *panel;
        piece.lane += i;
        piece.lanes = (uint32_t)least(panel->width, panel->lanes - i);
        piece.to += (size_t)i * panel->depth;
        for (uint64_t at = panel->first; at < panel->first + panel->depth; at += piece.depth) {
            piece.matrix = panel->matrix + (int64_t)(at / steps) * panel->operand->batch_stride[0] *
                                               (int64_t)panel->operand->bytes;
            piece.first = at % steps;
            piece.depth = (uint32_t)least(steps - piece.first, panel->first + panel->depth - at);
            plan->kernels->pack(plan, &piece);
            piece.to += (size_t)piece.depth * panel->width;
        }
    }
}

static void pack(const struct contraction *plan, contraction_pack *own, const struct contraction_panel *panel)
{
    (own != NULL ? own : plan->kernels->pack)(plan, panel);
}

/* How many columns are computed together where `left` of them are left of the tile. */
static uint32_t next_columns(const struct contraction *plan, uint32_t left)
{
    if (plan->is_wide && left >= plan->kernels->vector_lanes)
        return left & ~(plan->kernels->vector_lanes - 1);
    return (uint32_t)least(panel_columns(plan), left);
}

/* Whether columns are read where they lie: whole vectors, of a power of two, of a direct right operand. */
static bool columns_are_direct(const struct contraction *plan, uint32_t columns)
{
    return plan->right.is_direct && (columns & (plan->kernels->vector_lanes - 1)) == 0;
}

/* The block of the tile's columns, or those behind the last whole vector of a direct right operand. A tile that
 * meets what the products of pairs may not have goes on without them. */
static void pack_right(const struct contraction *plan, struct work *work, uint64_t first, uint32_t depth)
{
    uint32_t begin = 0;
    if (plan->right.is_direct)
        while (begin < work->columns && columns_are_direct(plan, next_columns(plan, work->columns - begin)))
            begin += next_columns(plan, work->columns - begin);
    if (begin == work->columns)
        return;
    const struct contraction_panel panel = {
        .operand = &plan->right,
        .matrix = work->right,
        .lane = work->column + begin,
        .first = first,
        .lanes = work->columns - begin,
        .width = panel_columns(plan),
        .depth = depth,
        .to = (float *)(void *)work->right_block,
    };
    if (work->has_quick_pairs)
        work->has_quick_pairs = plan->kernels->pack_pairs(&panel);
    if (!work->has_quick_pairs)
        pack(plan, plan->pack_right, &panel);
}

/* Whether rows from i on may be multiplied as pairs where they lie; those that follow are looked at with them, as
 * many as stay in the nearest cache. */
static bool rows_are_ordinary(const struct contraction *plan, struct work *work, uint32_t i, uint32_t rows,
                              uint64_t first, uint32_t depth)
{
    enum { NEAR = 4096 };
    if (i + rows <= work->ready_rows)
        return true;
    const uint32_t most = NEAR / depth > rows ? NEAR / depth : rows;
    const struct contraction_panel panel = {
        .operand = &plan->left,
        .matrix = work->left,
        .lane = work->row + i,
        .first = first,
        .lanes = (uint32_t)least(most, work->rows - i),
        .depth = depth,
    };
    work->ready_rows = i + panel.lanes;
    return plan->kernels->are_ordinary(&panel);
}

/* The step's left side: rows from i on of the tile. */
static void take_left(const struct contraction *plan, struct work *work, uint32_t i, uint32_t rows,
                      uint64_t first, struct contraction_step *step)
{
    const struct contraction_matrix *left = &plan->left;
    if (left->is_direct) {
        step->left = (const float *)(const void *)(work->left + element_bytes(left, work->row + i, first));
        step->left_lane = left->stride[0];
        step->left_step = left->stride[1];
        return;
    }
    struct contraction_panel panel = {
        .operand = left,
        .matrix = work->left,
        .lane = work->row + i,
        .first = first,
        .lanes = rows,
        .width = (uint32_t)(plan->left_is_widened ? round_up(step->depth, plan->kernels->vector_lanes)
                                                  : round_up(rows, plan->kernels->lane_block)),
        .depth = step->depth,
        .to = (float *)(void *)work->left_panel,
    };
    if (plan->left_is_widened) {
        if (i >= work->ready_rows) {
            panel.lanes = (uint32_t)least(plan->widened_rows, work->rows - i);
            plan->kernels->widen(&panel);
            work->ready_from = i;
            work->ready_rows = i + panel.lanes;
        }
        step->left = panel.to + (size_t)(i - work->ready_from) * panel.width;
        step->left_lane = panel.width;
        step->left_step = 1;
        return;
    }
    if (work->has_quick_pairs && plan->left_is_pairs &&
        rows_are_ordinary(plan, work, i, rows, first, step->depth)) {
        step->depth /= 2;
        step->left = (const float *)(const void *)(work->left + element_bytes(left, work->row + i, first));
        step->left_lane = left->stride[0];
        return;
    }
    if (work->has_quick_pairs && !plan->left_is_pairs && plan->kernels->pack_pairs(&panel)) {
        step->depth = (step->depth + 1) / 2;
    } else {
        pack(plan, plan->pack_left, &panel);
        if (work->has_quick_pairs) {
            work->has_quick_pairs = false;
            pack_right(plan, work, first, step->depth);
        }
    }
    step->left = panel.to;
    step->left_lane = 1;
    step->left_step = panel.width;
}

static void take_right(const struct contraction *plan, const struct work *work, uint32_t j, uint32_t columns,
                       uint64_t first, struct contraction_step *step)
{
    const struct contraction_matrix *right = &plan->right;
    if (columns_are_direct(plan, columns)) {
        step->right =
            (const float *)(const void *)(work->right + element_bytes(right, work->column + j, first));
        step->right_step = right->stride[1];
        return;
    }
    step->right =
        (const float *)(const void *)work->right_block + (right->is_direct ? 0 : (size_t)j * step->depth);
    step->right_step = panel_columns(plan);
}

/* What becomes of a step's sums: rows from i on by columns from j on of the tile. */
static void finish(const struct contraction *plan, const struct work *work, uint32_t i, uint32_t rows,
                   uint32_t j, uint32_t columns, const struct contraction_step *step)
{
    const uint64_t row = work->row + i, column = work->column + j;
    const struct contraction_tile tile = {
        .sums = step->sums,
        .sums_step = step->sums_step,
        .rows = rows,
        .columns = columns,
        .self = plan->has_self ? work->self + element_bytes(&plan->self, row, column) : NULL,
        .out = work->out + element_bytes(&plan->out, row, column),
    };
    plan->kernels->finish(plan, &tile);
}

static bool right_is_near(const struct contraction *plan)
{
    return plan->columns * plan->depth * plan->right.bytes <= NEAR_BYTES;
}

/* Rows from i on by all columns, along one block; finished where it is the last one. */
static void run_rows(const struct contraction *plan, struct work *work, uint32_t i, uint64_t first,
                     uint32_t depth, struct contraction_step *step)
{
    const struct contraction_kernels *kernels = plan->kernels;
    const uint32_t rows = (uint32_t)least(plan->rows_at_once, work->rows - i);
    const bool is_last = first + depth >= plan->depth, is_alone = contraction_is_one_block(plan);
    const size_t number = plan->is_exact ? sizeof(double) : sizeof(float);
    step->left_lane = 1;
    step->depth = depth;
    step->adds = first > 0;
    if (depth > 0)
        take_left(plan, work, i, rows, first, step);
    contraction_multiply *const(*multiply)[14] =
        work->has_quick_pairs  ? (plan->left_is_pairs ? kernels->direct_pairs : kernels->pairs)
        : plan->is_exact       ? kernels->exact
        : step->left_lane == 1 ? kernels->packed
                               : kernels->direct;
    const bool is_done = is_last && plan->results_are_sums &&
                         (work->has_quick_pairs ? plan->out.dtype == ACL_BF16 && !plan->has_self
                                                : plan->out.dtype != ACL_BF16);
    for (uint32_t j = 0, columns; j < work->columns; j += columns) {
        columns = next_columns(plan, work->columns - j);
        if (depth > 0)
            take_right(plan, work, j, columns, first, step);
        step->sums = work->sums + (is_alone ? 0 : ((size_t)i * (size_t)step->sums_step + j) * number);
        step->columns = columns;
        step->out = is_done ? work->out + element_bytes(&plan->out, work->row + i, work->column + j) : NULL;
        if (is_done && plan->has_self)
            step->self = work->self + element_bytes(&plan->self, work->row + i, work->column + j);
        if (plan->is_wide && columns_are_direct(plan, columns))
            kernels->wide(step);
        else if (plan->right_is_halves && columns_are_direct(plan, columns))
            kernels->direct_halves[columns > kernels->vector_lanes ? 1 : 0][rows - 1](step);
        else
            multiply[columns > kernels->vector_lanes ? 1 : 0][rows - 1](step);
        if (is_last && !is_done)
            finish(plan, work, i, rows, j, columns, step);
    }
}

/* The few rows as consecutive floats: packed as if their steps were lanes. */
static const float *take_rows(const struct contraction *plan, const struct work *work)
{
    struct contraction_matrix row = plan->left;
    if (work->rows == 1 && row.dtype == ACL_FLOAT && row.stride[1] == 1)
        return (const float *)(const void *)work->left;
    row.stride[0] = row.stride[1];
    row.stride[1] = 0;
    struct contraction_panel panel = {.operand = &row, .depth = 1, .to = (float *)(void *)work->left_panel};
    for (uint32_t i = 0; i < work->rows; i++) {
        panel.matrix = work->left + element_bytes(&plan->left, i, 0);
        for (panel.lane = 0; panel.lane < plan->depth; panel.lane += panel.lanes, panel.to += panel.lanes) {
            panel.lanes = (uint32_t)least(plan->depth - panel.lane, CONTRACTION_BLOCK);
            panel.width = panel.lanes;
            plan->kernels->pack(plan, &panel);
        }
    }
    return (const float *)(const void *)work->left_panel;
}

/* Steps of a row's columns, which lie in groups, side by side: as many as a block has for each column. Groups
 * that follow are asked for. */
static void join_groups(const struct contraction_matrix *right, const unsigned char *from, uint32_t columns,
                        uint32_t depth, unsigned char *to)
{
    enum { USUAL = 32, AHEAD = 4 }; /* bytes of a group; how many groups ahead */
    const size_t bytes = (size_t)right->group * right->bytes, column_bytes = CONTRACTION_BLOCK * right->bytes;
    const int64_t group_bytes = right->group_stride * (int64_t)right->bytes;
    for (uint32_t k = 0; k < depth; k += right->group, from += group_bytes, to += bytes) {
        const uintptr_t ahead = (uintptr_t)from + AHEAD * (uintptr_t)group_bytes;
        for (uint32_t i = 0; i < columns; i++) {
            __builtin_prefetch((const void *)(ahead + i * bytes));
            if (bytes == USUAL)
                memcpy(to + i * column_bytes, from + i * bytes, USUAL);
            else
                memcpy(to + i * column_bytes, from + i * bytes, bytes);
        }
    }
}

/* A row by columns whose steps lie in groups: block by block, whose sums are added in order. */
static void multiply_groups_across(const struct contraction *plan, const struct contraction_row *row,
                                   unsigned char *joined)
{
    const int64_t block_bytes =
        CONTRACTION_BLOCK / plan->right.group * plan->right.group_stride * (int64_t)plan->right.bytes;
    const unsigned char *from = row->right;
    float of_block[ROW_COLUMNS];
    struct contraction_row block = *row;
    block.right = joined;
    block.column_bytes = CONTRACTION_BLOCK * (int64_t)plan->right.bytes;
    for (uint64_t first = 0; first < row->depth; first += CONTRACTION_BLOCK, from += block_bytes) {
        block.left = row->left + first;
        block.depth = least(CONTRACTION_BLOCK, row->depth - first);
        block.sums = first == 0 ? row->sums : of_block;
        join_groups(&plan->right, from, row->columns, (uint32_t)block.depth, joined);
        plan->kernels->across(&block);
        for (uint32_t i = 0; first > 0 && i < row->columns; i++)
            row->sums[i] += of_block[i];
    }
}

static void run_rows_across(const struct contraction *plan, const struct work *work)
{
    struct contraction_row row = {
        .left = take_rows(plan, work),
        .column_bytes = plan->right.stride[0] * (int64_t)plan->right.bytes,
        .dtype = plan->right.dtype,
        .takes_pairs = plan->takes_pairs,
        .is_near = right_is_near(plan),
        .rows = work->rows,
        .depth = plan->depth,
        .sums = (float *)(void *)work->sums,
    };
    const struct contraction_step sums = {.sums = work->sums, .sums_step = ROW_COLUMNS};
    for (uint32_t j = 0; j < work->columns; j += row.columns) {
        row.columns = (uint32_t)least(ROW_COLUMNS, work->columns - j);
        row.right = work->right + element_bytes(&plan->right, work->column + j, 0);
        row.lane = work->column + j;
        if (plan->multiply_row != NULL)
            plan->multiply_row(plan, &row);
        else if (plan->right.group > 0)
            multiply_groups_across(plan, &row, work->right_block);
        else
            plan->kernels->across(&row);
        finish(plan, work, 0, work->rows, j, row.columns, &sums);
    }
}

static void run_tile(void *context, uint64_t index, unsigned char *memory)
{
    const struct run *run = context;
    const struct contraction *plan = run->plan;
    uint64_t across = 0, down = 0, batch = index;
    if (plan->tiles_across * plan->tiles_down > 1) {
        across = index % plan->tiles_across;
        down = index / plan->tiles_across % plan->tiles_down;
        batch = index / plan->tiles_across / plan->tiles_down;
    }
    struct work work = {
        .left = plan->depth > 0 ? run->left + batch_bytes(plan, &plan->left, batch) : NULL,
        .right = plan->depth > 0 ? run->right + batch_bytes(plan, &plan->right, batch) : NULL,
        .self = plan->has_self ? run->self + batch_bytes(plan, &plan->self, batch) : NULL,
        .out = run->out + batch_bytes(plan, &plan->out, batch),
        .row = down * plan->tile_rows,
        .column = across * plan->tile_columns,
        .right_block = memory,
        .left_panel = memory + plan->right_bytes,
        .sums = memory + plan->right_bytes + plan->panel_bytes,
        .has_quick_pairs = plan->has_quick_pairs,
    };
    work.rows = (uint32_t)least(plan->tile_rows, plan->rows - work.row);
    work.columns = (uint32_t)least(plan->tile_columns, plan->columns - work.column);
    if (plan->is_across) {
        run_rows_across(plan, &work);
        return;
    }
    struct contraction_step step = {
        .sums_step = contraction_is_one_block(plan) ? panel_columns(plan)
                                                    : (int64_t)round_up(work.columns, panel_columns(plan)),
        .takes_pairs = plan->takes_pairs,
        .dtype = plan->right.dtype,
        .is_near = right_is_near(plan),
        .out_bytes = plan->out.stride[0] * (int64_t)plan->out.bytes,
        .self_bytes = plan->self.stride[0] * (int64_t)plan->self.bytes,
        .out_dtype = plan->out.dtype,
    };
    uint64_t first = 0;
    do {
        uint32_t depth = (uint32_t)least(CONTRACTION_BLOCK, plan->depth - first);
        work.ready_rows = 0;
        if (depth > 0)
            pack_right(plan, &work, first, depth);
        for (uint32_t i = 0; i < work.rows; i += plan->rows_at_once)
            run_rows(plan, &work, i, first, depth, &step);
        first += depth;
    } while (first < plan->depth);
}

/* Elements of self that are the output's are read just before they are written, in one task. */
void contraction_may_be_in_place(const struct contraction *plan, struct executor_content *content)
{
    const struct contraction_matrix *self = &plan->self, *out = &plan->out;
    if (plan->has_self && self->dtype == out->dtype &&
        memcmp(self->stride, out->stride, sizeof self->stride) == 0 &&
        memcmp(self->batch_stride, out->batch_stride, plan->batch_axes * sizeof(int64_t)) == 0)
        operands_may_be(content, self->address, out->address);
}

size_t contraction_work_bytes(const void *plan_bytes)
{
    const struct contraction *plan = (const struct contraction *)plan_bytes;
    size_t bytes = plan->slots * slot_bytes(plan);
    return bytes <= STACK_BYTES ? 0 : bytes;
}

static void run_tiles(struct run *run)
{
    const struct task_memory memory = {run->scratch, slot_bytes(run->plan), run->plan->slots};
    tasks_run_in_memory(run_tile, run, run->plan->tile_count, &memory, run->plan->cost_ns);
}

static __attribute__((noinline)) void run_on_stack(struct run *run)
{
    _Alignas(64) unsigned char memory[STACK_BYTES] __attribute__((uninitialized));
    run->scratch = memory;
    run_tiles(run);
}

static const unsigned char *first_of(const struct contraction_matrix *operand, void *const *address)
{
    const unsigned char *memory = address[operand->address];
    return operand->first == 0 ? memory : memory + operand->first * (int64_t)operand->bytes;
}

int contraction_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct contraction *plan = (const struct contraction *)plan_bytes;
    struct run run = {.plan = plan,
                      .left = first_of(&plan->left, address),
                      .right = first_of(&plan->right, address),
                      .self = plan->has_self ? address[plan->self.address] : NULL,
                      .out = address[plan->out.address],
                      .scratch = scratch};
    if (plan->plain != NULL)
        plan->plain(plan, &(const struct contraction_places){run.left, run.right, run.self, run.out});
    else if (contraction_work_bytes(plan) == 0)
        run_on_stack(&run);
    else
        run_tiles(&run);
    return 0;
}
