/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Walks a transposed plan, in which operands do not agree on the axis along which elements lie side by side:
 * in tiles of rows along the axis that most bytes lie along. A tile is as many rows high as a cache line has
 * elements, so that what lies across is read or written in whole lines. Operands that have no such rows, or
 * another dtype, go through memory of their own; the others are used where they lie, row by row.
 */
#include "ops/loops/elementwise_walk.h"

enum { LINE_BYTES = 64 };

/* The axis along which an operand's elements lie closest. */
static uint32_t nearest_axis(const struct elementwise_plan *plan, uint32_t operand)
{
    uint32_t nearest = plan->nest.axis_count - 1;
    for (uint32_t k = plan->nest.axis_count; k-- > 0;) {
        int64_t stride = plan->nest.axis[k].stride[operand], least = plan->nest.axis[nearest].stride[operand];
        if (stride != 0 && (least == 0 || stride < least))
            nearest = k;
    }
    return nearest;
}

void transpose_tiles_find(struct elementwise_plan *plan)
{
    uint64_t votes[TENSOR_RANK_MAX] = {0};
    const struct nest_axis *last = &plan->nest.axis[plan->nest.axis_count - 1];
    for (uint32_t i = 0; i < OPERANDS; i++)
        if ((i < plan->input_count || i == OUTPUT) && last->stride[i] != 0)
            votes[nearest_axis(plan, i)] += plan->operand[i].bytes;
    uint32_t first = plan->nest.axis_count - 1, second = plan->nest.axis_count;
    for (uint32_t k = plan->nest.axis_count; k-- > 0;)
        if (votes[k] > votes[first])
            first = k;
    for (uint32_t k = plan->nest.axis_count; k-- > 0;)
        if (k != first && votes[k] > 0 && (second == plan->nest.axis_count || votes[k] > votes[second]))
            second = k;
    plan->is_transposed = second < plan->nest.axis_count;
    plan->column_axis = first;
    plan->row_axis = second;
}

/* The sizes of a tile, and how many of them cover the two axes. */
struct grid {
    uint64_t rows, columns;
    uint64_t row_count, column_count;
};

static uint64_t at_most(uint64_t value, uint64_t bound)
{
    return value < bound ? value : bound;
}

static bool is_operand(const struct elementwise_plan *plan, uint32_t index)
{
    return index < plan->input_count || index == OUTPUT;
}

/* Whether the rows of an operand lie in memory as a kernel takes them. */
static bool has_rows(const struct elementwise_plan *plan, uint32_t index)
{
    return plan->nest.axis[plan->column_axis].stride[index] == 1 &&
           plan->operand[index].dtype == kernel_dtype(plan, index);
}

/* Bytes that each operand without such rows has for a tile. */
static size_t share_bytes(const struct elementwise_plan *plan)
{
    size_t count = 0;
    for (uint32_t i = 0; i < OPERANDS; i++)
        count += is_operand(plan, i) && !has_rows(plan, i);
    return OPERANDS * TILE_BYTES / (count < 3 ? count : OPERANDS) / LINE_BYTES * LINE_BYTES;
}

static struct grid grid_of(const struct elementwise_plan *plan)
{
    const uint64_t row_size = (uint64_t)plan->nest.axis[plan->row_axis].size;
    const uint64_t column_size = (uint64_t)plan->nest.axis[plan->column_axis].size;
    uint64_t elements = share_bytes(plan) / plan->arithmetic_bytes;
    for (uint32_t i = 0; i < OPERANDS; i++)
        if (is_operand(plan, i) && plan->operand[i].dtype != kernel_dtype(plan, i))
            elements = at_most(elements, tile_elements(plan)); /* what is converted goes through the stage */
    const uint64_t height = at_most(row_size, LINE_BYTES / plan->arithmetic_bytes);
    struct grid grid;
    grid.columns = at_most(elements / height, TILE_BYTES / plan->arithmetic_bytes);
    grid.columns = at_most(column_size, grid.columns);
    grid.rows = at_most(row_size, grid.columns < column_size ? height : elements / grid.columns);
    grid.row_count = (row_size - 1) / grid.rows + 1;
    grid.column_count = (column_size - 1) / grid.columns + 1;
    return grid;
}

uint64_t transpose_tile_count(const struct elementwise_plan *plan)
{
    struct grid grid = grid_of(plan);
    uint64_t count = grid.row_count * grid.column_count;
    for (uint32_t k = 0; k < plan->nest.axis_count; k++)
        if (k != plan->row_axis && k != plan->column_axis)
            count *= (uint64_t)plan->nest.axis[k].size;
    return count;
}

uint64_t transpose_tile_elements(const struct elementwise_plan *plan)
{
    struct grid grid = grid_of(plan);
    return grid.rows * grid.columns;
}

/* The first element of a tile; tiles follow one another along the column axis first. */
static struct nest_place tile_place(const struct elementwise_plan *plan, const struct grid *grid,
                                    uint64_t number)
{
    struct nest_place place __attribute__((uninitialized));
    place.index[plan->column_axis] = (int64_t)(number % grid->column_count * grid->columns);
    number /= grid->column_count;
    place.index[plan->row_axis] = (int64_t)(number % grid->row_count * grid->rows);
    number /= grid->row_count;
    for (uint32_t k = plan->nest.axis_count; k-- > 0;) {
        if (k == plan->row_axis || k == plan->column_axis)
            continue;
        place.index[k] = (int64_t)(number % (uint64_t)plan->nest.axis[k].size);
        number /= (uint64_t)plan->nest.axis[k].size;
    }
    nest_place_find(&plan->nest, &place);
    return place;
}

/* A tile on a thread's way: its place, the part of it that there is, and the place of the next one. */
struct tile {
    const struct walk *walk;
    struct grid grid;
    struct nest_place place, next;
    size_t rows, columns;
};

static void enter_tile(struct tile *tile, uint64_t number, uint64_t end)
{
    const struct elementwise_plan *plan = tile->walk->plan;
    const struct nest_axis *row = &plan->nest.axis[plan->row_axis],
                           *column = &plan->nest.axis[plan->column_axis];
    tile->rows = at_most(tile->grid.rows, (uint64_t)(row->size - tile->place.index[plan->row_axis]));
    tile->columns =
        at_most(tile->grid.columns, (uint64_t)(column->size - tile->place.index[plan->column_axis]));
    tile->next = tile_place(plan, &tile->grid, number + 1 < end ? number + 1 : number);
}

static struct block block_of(const struct elementwise_plan *plan, uint32_t operand, size_t rows,
                             size_t columns)
{
    return (struct block){.rows = rows,
                          .columns = columns,
                          .row_stride = plan->nest.axis[plan->row_axis].stride[operand],
                          .column_stride = plan->nest.axis[plan->column_axis].stride[operand]};
}

/* Brings a block of an input to memory as the kernel wants it. */
static void fetch(const struct walk *walk, struct tiles *tiles, uint32_t input, const unsigned char *element,
                  const struct block *block, unsigned char *to)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *operand = &plan->operand[input];
    const bool converts = operand->dtype != plan->arithmetic;
    plan->transfer->gather(converts ? tiles->stage : to, element, block, operand->bytes);
    if (converts)
        plan->transfer->convert(tiles->stage, operand->dtype, to, plan->arithmetic,
                                block->rows * block->columns);
}

/* Takes results to a block of the output. */
static void store(const struct walk *walk, struct tiles *tiles, unsigned char *element,
                  const struct block *block, const unsigned char *from)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *output = &plan->operand[OUTPUT];
    if (output->dtype != plan->result) {
        plan->transfer->convert(from, plan->result, tiles->stage, output->dtype,
                                block->rows * block->columns);
        from = tiles->stage;
    }
    plan->transfer->scatter(element, block, from, output->bytes);
}

/*
 * The cache lines of an operand's tile: pieces that lie side by side, so far apart, of so many bytes. Bytes
 * are counted from the line in which they begin.
 */
struct pieces {
    uintptr_t first;
    size_t count;
    int64_t step, length;
    bool is_written;
};

static struct pieces pieces_of(const struct walk *walk, uint32_t operand, const struct nest_place *place,
                               const struct block *block)
{
    int64_t bytes = walk->plan->operand[operand].bytes;
    bool is_across = block->row_stride < block->column_stride;
    return (struct pieces){.first = (uintptr_t)walk_element(walk, operand, place),
                           .count = is_across ? block->columns : block->rows,
                           .step = (is_across ? block->column_stride : block->row_stride) * bytes,
                           .length = (int64_t)(is_across ? block->rows : block->columns) * bytes,
                           .is_written = operand == OUTPUT};
}

/*
 * Asks for pieces before they are needed: they lie far apart, which no processor foresees. An address past
 * the operand's end is harmless.
 */
static void prefetch_pieces(const struct pieces *pieces, size_t begin, size_t end)
{
    for (size_t j = begin; j < end; j++)
        for (int64_t at = 0; at < pieces->length; at += LINE_BYTES) {
            const void *line = (const void *)(pieces->first + (uintptr_t)((int64_t)j * pieces->step + at));
            if (pieces->is_written)
                __builtin_prefetch(line, 1, 2);
            else
                __builtin_prefetch(line, 0, 2);
        }
}

/*
 * What is asked for while a tile is computed: of inputs the next tile, of the output this one. Rows are long
 * enough for the processor to foresee them in a cache, but not in memory.
 */
static uint32_t find_pieces(const struct tile *tile, struct pieces *pieces)
{
    const struct elementwise_plan *plan = tile->walk->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        struct block block = block_of(plan, i, tile->grid.rows, tile->grid.columns);
        bool is_foreseen = has_rows(plan, i) && (i == OUTPUT || !plan->non_temporal);
        if (is_operand(plan, i) && !plan->operand[i].is_constant && !is_foreseen)
            pieces[count++] = pieces_of(tile->walk, i, i == OUTPUT ? &tile->place : &tile->next, &block);
    }
    return count;
}

/* Where an operand's rows begin, and how far apart they are in bytes. */
struct rows {
    unsigned char *first;
    int64_t step;
};

/* Calls the kernel for each row of a tile. */
static void compute_rows(const struct tile *tile, const struct rows *rows, bool is_output_in_place)
{
    const struct walk *walk = tile->walk;
    const struct elementwise_plan *plan = walk->plan;
    const void *source[WALK_INPUTS_MAX] __attribute__((uninitialized));
    struct pieces pieces[OPERANDS] __attribute__((uninitialized));
    const uint32_t piece_count = find_pieces(tile, pieces);
    for (size_t row = 0; row < tile->rows; row++) {
        for (uint32_t i = 0; i < piece_count; i++)
            prefetch_pieces(&pieces[i], pieces[i].count * row / tile->rows,
                            pieces[i].count * (row + 1) / tile->rows);
        for (uint32_t i = 0; i < plan->input_count; i++)
            source[i] = rows[i].first + (int64_t)row * rows[i].step;
        unsigned char *target = rows[OUTPUT].first + (int64_t)row * rows[OUTPUT].step;
        if (is_output_in_place)
            walk_kernel(walk, source, target, tile->columns);
        else
            plan->kernel(source, target, tile->columns, plan->parameters, false);
    }
}

void walk_transpose_tiles(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    const size_t share = share_bytes(plan);
    const uint32_t bytes = plan->arithmetic_bytes;
    struct tiles tiles __attribute__((uninitialized));
    struct tile tile __attribute__((uninitialized));
    struct rows rows[OPERANDS] __attribute__((uninitialized));
    unsigned char *own[OPERANDS] = {NULL}, *memory = (unsigned char *)tiles.operand;
    tile.walk = walk;
    tile.grid = grid_of(plan);
    tile.place = tile_place(plan, &tile.grid, begin);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        if (!is_operand(plan, i) || has_rows(plan, i))
            continue;
        own[i] = memory;
        memory += share;
        if (plan->operand[i].is_constant) { /* a row of it serves all rows of all tiles */
            struct block block = {.rows = 1, .columns = tile.grid.columns};
            fetch(walk, &tiles, i, walk->first[i], &block, own[i]);
            rows[i] = (struct rows){own[i], 0};
        }
    }
    for (; begin < end; begin++, tile.place = tile.next) {
        enter_tile(&tile, begin, end);
        for (uint32_t i = 0; i < OPERANDS; i++) {
            if (!is_operand(plan, i) || plan->operand[i].is_constant)
                continue;
            unsigned char *element = walk_element(walk, i, &tile.place);
            struct block block = block_of(plan, i, tile.rows, tile.columns);
            if (own[i] == NULL) {
                rows[i] = (struct rows){element, block.row_stride * bytes};
                continue;
            }
            rows[i] = (struct rows){own[i], (int64_t)(tile.columns * bytes)};
            if (i != OUTPUT)
                fetch(walk, &tiles, i, element, &block, own[i]);
        }
        compute_rows(&tile, rows, own[OUTPUT] == NULL);
        if (own[OUTPUT] != NULL) {
            struct block block = block_of(plan, OUTPUT, tile.rows, tile.columns);
            store(walk, &tiles, walk_element(walk, OUTPUT, &tile.place), &block, own[OUTPUT]);
        }
    }
}
