/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Walks a turned plan, in which operands do not agree on the axis along which elements lie side by side: in
 * squares of two such axes, so that each operand is read or written in pieces of whole cache lines, and
 * turned while it is in the first cache.
 */
#include "ops/pointwise/elementwise_walk.h"

/* Bytes of a piece of a column axis: two cache lines, which are fetched together. */
enum { PIECE_BYTES = 128, LINE_BYTES = 64 };

/* Bytes of an output that lies across from which on it is written by rows. */
enum { TURNED_OUT_MIN = 4 << 20 };

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

static bool is_operand(const struct elementwise_plan *plan, uint32_t index)
{
    return index < plan->input_count || index == OUTPUT;
}

/* Whether the rows of an operand's squares lie in memory as a kernel takes them. */
static bool has_rows(const struct elementwise_plan *plan, uint32_t index)
{
    return plan->axis[plan->column_axis].stride[index] == 1;
}

/*
 * Whether rows are passed to the kernel one by one, where they lie: then operands that have rows need no
 * tiles, and the others more of them. Long tiles of an output that lies across suit memory; caches suit
 * small ones better, where the distance of its lines is a power of two.
 */
static bool is_by_rows(const struct elementwise_plan *plan)
{
    const struct walk_operand *output = &plan->operand[OUTPUT];
    if (!has_rows(plan, OUTPUT) && (uint64_t)output->extent * output->bytes < TURNED_OUT_MIN)
        return false;
    for (uint32_t i = 0; i < OPERANDS; i++)
        if (is_operand(plan, i) && plan->operand[i].dtype != kernel_dtype(plan, i))
            return false;
    return true;
}

/* Operands that need a tile of a whole square when rows are passed one by one. */
static uint32_t packed_count(const struct elementwise_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < OPERANDS; i++)
        count += is_operand(plan, i) && !has_rows(plan, i) && !plan->operand[i].is_constant;
    return count;
}

/*
 * By rows: as many as there are elements in a cache line, so that what lies across is read or written in
 * whole lines, and long ones. Otherwise pieces of PIECE_BYTES each way.
 */
static struct grid grid_of(const struct elementwise_plan *plan)
{
    uint64_t row_size = (uint64_t)plan->axis[plan->row_axis].size;
    uint64_t column_size = (uint64_t)plan->axis[plan->column_axis].size;
    struct grid grid;
    if (is_by_rows(plan)) {
        uint32_t packed = packed_count(plan);
        uint64_t elements = OPERANDS * TILE_BYTES / (packed < 3 ? packed : OPERANDS) / plan->arithmetic_bytes;
        grid.rows = at_most(row_size, LINE_BYTES / plan->arithmetic_bytes);
        grid.columns = at_most(elements / grid.rows, TILE_BYTES / plan->arithmetic_bytes);
        grid.columns = at_most(column_size, grid.columns);
    } else {
        uint64_t elements = tile_elements(plan);
        grid.columns = at_most(column_size, PIECE_BYTES / plan->arithmetic_bytes);
        grid.rows = at_most(row_size, elements / grid.columns);
        grid.columns = at_most(column_size, elements / grid.rows); /* few rows leave room for longer ones */
    }
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

uint64_t square_elements(const struct elementwise_plan *plan)
{
    struct grid grid = grid_of(plan);
    return grid.rows * grid.columns;
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

/* A square on a thread's way: its place, the part of the grid's square that there is, and the next one. */
struct square {
    const struct walk *walk;
    struct grid grid;
    struct place place, next;
    size_t rows, columns;
};

static void enter_square(struct square *square, uint64_t number, uint64_t end)
{
    const struct elementwise_plan *plan = square->walk->plan;
    const struct axis *row = &plan->axis[plan->row_axis], *column = &plan->axis[plan->column_axis];
    uint64_t next = number + 1 < end ? number + 1 : number;
    square->rows = at_most(square->grid.rows, (uint64_t)(row->size - square->place.index[plan->row_axis]));
    square->columns =
        at_most(square->grid.columns, (uint64_t)(column->size - square->place.index[plan->column_axis]));
    square->next = square_place(plan, &square->grid, next);
}

static bool is_packed(const struct block *block)
{
    return block->column_stride == 1 && (block->rows == 1 || block->row_stride == (int64_t)block->columns);
}

static struct block block_of(const struct elementwise_plan *plan, uint32_t operand, size_t rows,
                             size_t columns)
{
    return (struct block){.rows = rows,
                          .columns = columns,
                          .row_stride = plan->axis[plan->row_axis].stride[operand],
                          .column_stride = plan->axis[plan->column_axis].stride[operand]};
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
    bool is_same_dtype = output->dtype == plan->result;
    if (is_same_dtype && is_packed(block)) {
        walk_kernel(walk, source, target, count);
        return;
    }
    const unsigned char *result = tiles->operand[OUTPUT];
    plan->kernel(source, tiles->operand[OUTPUT], count, plan->parameters, false);
    if (!is_same_dtype) {
        unsigned char *converted = is_packed(block) ? target : tiles->stage;
        plan->transfer->convert(result, plan->result, converted, output->dtype, count);
        result = converted;
    }
    if (!is_packed(block))
        plan->transfer->scatter(target, block, result, output->bytes);
}

/*
 * The cache lines of an operand's square: pieces that lie side by side, so far apart, of so many bytes.
 * Bytes are counted from the line in which they begin.
 */
struct pieces {
    uintptr_t first;
    size_t count;
    int64_t step, length;
    bool is_written;
};

static struct pieces pieces_of(const struct walk *walk, uint32_t operand, const struct place *place,
                               const struct block *block)
{
    int64_t bytes = walk->plan->operand[operand].bytes;
    bool is_turned = block->row_stride < block->column_stride;
    return (struct pieces){.first = (uintptr_t)walk_element(walk, operand, place),
                           .count = is_turned ? block->columns : block->rows,
                           .step = (is_turned ? block->column_stride : block->row_stride) * bytes,
                           .length = (int64_t)(is_turned ? block->rows : block->columns) * bytes,
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

/* Squares in tiles, with conversions. */
static void walk_packed(struct square *square, struct tiles *tiles, uint64_t begin, uint64_t end)
{
    const struct walk *walk = square->walk;
    const struct elementwise_plan *plan = walk->plan;
    const struct grid *grid = &square->grid;
    const void *source[INPUTS_MAX];

    /* An input that is one element fills its buffer once for all squares. */
    for (uint32_t i = 0; i < plan->input_count; i++) {
        struct block block = block_of(plan, i, grid->rows, grid->columns);
        if (plan->operand[i].is_constant)
            source[i] = fetch_square(walk, tiles, i, &square->place, &block);
    }
    for (; begin < end; begin++, square->place = square->next) {
        enter_square(square, begin, end);
        for (uint32_t i = 0; i < plan->input_count; i++) {
            struct block block = block_of(plan, i, square->rows, square->columns);
            if (!plan->operand[i].is_constant)
                source[i] = fetch_square(walk, tiles, i, &square->place, &block);
        }
        for (uint32_t i = 0; i < plan->input_count; i++) {
            struct block block = block_of(plan, i, grid->rows, grid->columns);
            if (plan->operand[i].is_constant)
                continue;
            const struct pieces pieces = pieces_of(walk, i, &square->next, &block);
            prefetch_pieces(&pieces, 0, pieces.count);
        }
        struct block block = block_of(plan, OUTPUT, square->rows, square->columns);
        compute_square(walk, tiles, source, &square->place, &block);
    }
}

/* Where an operand's rows begin, and how far apart they are in bytes. */
struct rows {
    unsigned char *first;
    int64_t step;
};

/*
 * What is asked for while a square is computed: of inputs the next square, of the output this one. Rows are
 * long enough for the processor to foresee them in a cache, but not in memory.
 */
static uint32_t find_pieces(const struct square *square, struct pieces *pieces)
{
    const struct elementwise_plan *plan = square->walk->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        struct block block = block_of(plan, i, square->grid.rows, square->grid.columns);
        bool is_foreseen = has_rows(plan, i) && (i == OUTPUT || !plan->streams);
        if (is_operand(plan, i) && !plan->operand[i].is_constant && !is_foreseen)
            pieces[count++] =
                pieces_of(square->walk, i, i == OUTPUT ? &square->place : &square->next, &block);
    }
    return count;
}

/* A square row by row; what has no rows has been brought to a tile, or is taken from one at the end. */
static void compute_rows(const struct square *square, const struct rows *rows)
{
    const struct walk *walk = square->walk;
    const struct elementwise_plan *plan = walk->plan;
    const bool has_tile = !has_rows(plan, OUTPUT);
    const void *source[INPUTS_MAX] __attribute__((uninitialized));
    struct pieces pieces[OPERANDS] __attribute__((uninitialized));
    const uint32_t piece_count = find_pieces(square, pieces);
    for (size_t row = 0; row < square->rows; row++) {
        for (uint32_t i = 0; i < piece_count; i++)
            prefetch_pieces(&pieces[i], pieces[i].count * row / square->rows,
                            pieces[i].count * (row + 1) / square->rows);
        for (uint32_t i = 0; i < plan->input_count; i++)
            source[i] = rows[i].first + (int64_t)row * rows[i].step;
        unsigned char *target = rows[OUTPUT].first + (int64_t)row * rows[OUTPUT].step;
        if (has_tile)
            plan->kernel(source, target, square->columns, plan->parameters, false);
        else
            walk_kernel(walk, source, target, square->columns);
    }
}

static void walk_by_rows(struct square *square, struct tiles *tiles, uint64_t begin, uint64_t end)
{
    const struct walk *walk = square->walk;
    const struct elementwise_plan *plan = walk->plan;
    uint32_t bytes = plan->arithmetic_bytes, packed = packed_count(plan);
    size_t share = OPERANDS * TILE_BYTES / (packed < 3 ? packed : OPERANDS);
    unsigned char *tile = tiles->operand[0], *row_of_one = tiles->stage;
    struct rows rows[OPERANDS] __attribute__((uninitialized));
    unsigned char *own[OPERANDS] = {NULL};
    for (uint32_t i = 0; i < OPERANDS; i++) {
        if (!is_operand(plan, i) || has_rows(plan, i))
            continue;
        if (plan->operand[i].is_constant) { /* a row of it serves all rows of all squares */
            struct block block = {.rows = 1, .columns = square->grid.columns};
            plan->transfer->gather(row_of_one, walk->first[i], &block, bytes);
            rows[i] = (struct rows){row_of_one, 0};
            row_of_one += TILE_BYTES;
        } else {
            own[i] = tile;
            tile += share;
        }
    }
    for (; begin < end; begin++, square->place = square->next) {
        enter_square(square, begin, end);
        for (uint32_t i = 0; i < OPERANDS; i++) {
            if (!is_operand(plan, i) || plan->operand[i].is_constant)
                continue;
            unsigned char *element = walk_element(walk, i, &square->place);
            struct block block = block_of(plan, i, square->rows, square->columns);
            if (own[i] == NULL) {
                rows[i] = (struct rows){element, block.row_stride * bytes};
                continue;
            }
            rows[i] = (struct rows){own[i], (int64_t)(square->columns * bytes)};
            if (i != OUTPUT)
                plan->transfer->gather(own[i], element, &block, bytes);
        }
        compute_rows(square, rows);
        if (own[OUTPUT] != NULL) {
            struct block block = block_of(plan, OUTPUT, square->rows, square->columns);
            plan->transfer->scatter(walk_element(walk, OUTPUT, &square->place), &block, own[OUTPUT], bytes);
        }
    }
}

void walk_squares(const struct walk *walk, uint64_t begin, uint64_t end)
{
    struct tiles tiles __attribute__((uninitialized));
    struct square square __attribute__((uninitialized));
    square.walk = walk;
    square.grid = grid_of(walk->plan);
    square.place = square_place(walk->plan, &square.grid, begin);
    if (is_by_rows(walk->plan))
        walk_by_rows(&square, &tiles, begin, end);
    else
        walk_packed(&square, &tiles, begin, end);
}
