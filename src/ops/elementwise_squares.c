/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Walks a turned plan, in which operands do not agree on the axis along which elements lie side by side: in
 * squares of two such axes, so that each operand is read or written in pieces of whole cache lines, and
 * turned while it is in the first cache.
 */
#include "ops/elementwise_walk.h"

/* Bytes of a piece of a column axis: two cache lines, which are fetched together. */
enum { PIECE_BYTES = 128, LINE_BYTES = 64 };

/* The axis along which an operand's elements lie closest. */
static uint32_t nearest_axis(const struct elementwise_plan *plan, uint32_t operand)
{
    uint32_t nearest = plan->axis_count - 1;
    for (uint32_t k = plan->axis_count; k-- > 0;) {
        int64_t stride = plan->axis[k].stride[operand], least = plan->axis[nearest].stride[operand];
        if (stride != 0 && (least == 0 || stride < least))
            nearest = k;
    }
    return nearest;
}

void squares_find(struct elementwise_plan *plan)
{
    uint64_t votes[TENSOR_RANK_MAX] = {0};
    const struct axis *last = &plan->axis[plan->axis_count - 1];
    for (uint32_t i = 0; i < OPERANDS; i++)
        if ((i < plan->input_count || i == OUTPUT) && last->stride[i] != 0)
            votes[nearest_axis(plan, i)] += plan->operand[i].bytes;
    uint32_t first = plan->axis_count - 1, second = plan->axis_count;
    for (uint32_t k = plan->axis_count; k-- > 0;)
        if (votes[k] > votes[first])
            first = k;
    for (uint32_t k = plan->axis_count; k-- > 0;)
        if (k != first && votes[k] > 0 && (second == plan->axis_count || votes[k] > votes[second]))
            second = k;
    plan->is_turned = second < plan->axis_count;
    plan->column_axis = first;
    plan->row_axis = second;
}

/* The sizes of a square, and how many of them cover the two axes. */
struct grid {
    uint64_t rows, columns;
    uint64_t row_count, column_count;
};

static uint64_t at_most(uint64_t value, uint64_t bound)
{
    return value < bound ? value : bound;
}

static struct grid grid_of(const struct elementwise_plan *plan)
{
    uint64_t row_size = (uint64_t)plan->axis[plan->row_axis].size;
    uint64_t column_size = (uint64_t)plan->axis[plan->column_axis].size;
    uint64_t elements = tile_elements(plan);
    struct grid grid;
    grid.columns = at_most(column_size, PIECE_BYTES / plan->arithmetic_bytes);
    grid.rows = at_most(row_size, elements / grid.columns);
    grid.columns = at_most(column_size, elements / grid.rows); /* few rows leave room for longer ones */
    grid.row_count = (row_size - 1) / grid.rows + 1;
    grid.column_count = (column_size - 1) / grid.columns + 1;
    return grid;
}

uint64_t square_count(const struct elementwise_plan *plan)
{
    struct grid grid = grid_of(plan);
    uint64_t count = grid.row_count * grid.column_count;
    for (uint32_t k = 0; k < plan->axis_count; k++)
        if (k != plan->row_axis && k != plan->column_axis)
            count *= (uint64_t)plan->axis[k].size;
    return count;
}

/* The first element of a square; squares follow one another along the column axis first. */
static struct place square_place(const struct elementwise_plan *plan, const struct grid *grid,
                                 uint64_t number)
{
    struct place place __attribute__((uninitialized));
    place.index[plan->column_axis] = (int64_t)(number % grid->column_count * grid->columns);
    number /= grid->column_count;
    place.index[plan->row_axis] = (int64_t)(number % grid->row_count * grid->rows);
    number /= grid->row_count;
    for (uint32_t k = plan->axis_count; k-- > 0;) {
        if (k == plan->row_axis || k == plan->column_axis)
            continue;
        place.index[k] = (int64_t)(number % (uint64_t)plan->axis[k].size);
        number /= (uint64_t)plan->axis[k].size;
    }
    return place;
}

static bool is_packed(const struct block *block)
{
    return block->column_stride == 1 && (block->rows == 1 || block->row_stride == (int64_t)block->columns);
}

static const void *fetch_square(const struct walk *walk, struct tiles *tiles, uint32_t input,
                                const struct place *place, const struct block *block)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *operand = &plan->operand[input];
    const unsigned char *source = walk_element(walk, input, place);
    if (!is_packed(block)) {
        unsigned char *packed = operand->dtype == plan->arithmetic ? tiles->operand[input] : tiles->stage;
        plan->transfer->gather(packed, source, block, operand->bytes);
        source = packed;
    }
    return tile_convert(walk, tiles, input, source, block->rows * block->columns);
}

static void compute_square(const struct walk *walk, struct tiles *tiles, const void *const *source,
                           const struct place *place, const struct block *block)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *output = &plan->operand[OUTPUT];
    unsigned char *target = walk_element(walk, OUTPUT, place);
    size_t count = block->rows * block->columns;
    bool is_same_dtype = output->dtype == plan->arithmetic;
    if (is_same_dtype && is_packed(block)) {
        walk_kernel(walk, source, target, count);
        return;
    }
    const unsigned char *result = tiles->operand[OUTPUT];
    plan->kernel(source, tiles->operand[OUTPUT], count, plan->parameters, false);
    if (!is_same_dtype) {
        unsigned char *converted = is_packed(block) ? target : tiles->stage;
        plan->transfer->convert(result, plan->arithmetic, converted, output->dtype, count);
        result = converted;
    }
    if (!is_packed(block))
        plan->transfer->scatter(target, block, result, output->bytes);
}

static struct block block_of(const struct elementwise_plan *plan, uint32_t operand, size_t rows,
                             size_t columns)
{
    return (struct block){.rows = rows,
                          .columns = columns,
                          .row_stride = plan->axis[plan->row_axis].stride[operand],
                          .column_stride = plan->axis[plan->column_axis].stride[operand]};
}

/*
 * Asks for the cache lines of an input's square before they are needed: they lie far apart, which no
 * processor foresees. An address past the input's end is harmless.
 */
static void prefetch_square(const struct walk *walk, uint32_t input, const struct place *place,
                            const struct block *block)
{
    int64_t bytes = walk->plan->operand[input].bytes;
    bool is_turned = block->row_stride < block->column_stride;
    int64_t lines = (int64_t)(is_turned ? block->columns : block->rows);
    int64_t length = (int64_t)(is_turned ? block->rows : block->columns) * bytes;
    int64_t step = (is_turned ? block->column_stride : block->row_stride) * bytes;
    uintptr_t first = (uintptr_t)walk_element(walk, input, place);
    for (int64_t j = 0; j < lines; j++)
        for (int64_t place_in_line = 0; place_in_line < length; place_in_line += LINE_BYTES)
            __builtin_prefetch((const void *)(first + (uintptr_t)(j * step + place_in_line)), 0, 2);
}

void walk_squares(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct grid grid = grid_of(plan);
    struct tiles tiles __attribute__((uninitialized));
    const void *source[INPUTS_MAX];
    const struct axis *row = &plan->axis[plan->row_axis], *column = &plan->axis[plan->column_axis];

    /* An input that is one element fills its buffer once for all squares. */
    struct place place = square_place(plan, &grid, begin);
    for (uint32_t i = 0; i < plan->input_count; i++) {
        struct block block = block_of(plan, i, grid.rows, grid.columns);
        if (plan->operand[i].is_constant)
            source[i] = fetch_square(walk, &tiles, i, &place, &block);
    }
    for (; begin < end; begin++) {
        place = square_place(plan, &grid, begin);
        size_t rows = at_most(grid.rows, (uint64_t)(row->size - place.index[plan->row_axis]));
        size_t columns = at_most(grid.columns, (uint64_t)(column->size - place.index[plan->column_axis]));
        for (uint32_t i = 0; i < plan->input_count; i++) {
            struct block block = block_of(plan, i, rows, columns);
            if (!plan->operand[i].is_constant)
                source[i] = fetch_square(walk, &tiles, i, &place, &block);
        }
        struct place next = square_place(plan, &grid, begin + 1 < end ? begin + 1 : begin);
        for (uint32_t i = 0; i < plan->input_count; i++) {
            struct block block = block_of(plan, i, grid.rows, grid.columns);
            if (!plan->operand[i].is_constant)
                prefetch_square(walk, i, &next, &block);
        }
        struct block block = block_of(plan, OUTPUT, rows, columns);
        compute_square(walk, &tiles, source, &place, &block);
    }
}
