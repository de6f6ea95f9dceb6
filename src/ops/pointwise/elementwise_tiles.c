/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Walks an elementwise plan in the order of its axes, in tiles that are parts of rows or several rows.
 */
#include "ops/pointwise/elementwise_walk.h"

/* A row at least this long gets tiles of its own, so that it can be passed in place; shorter ones are packed
 * together. */
enum { ROW_MIN = 256 };

struct place place_at(const struct elementwise_plan *plan, uint64_t position)
{
    struct place place __attribute__((uninitialized));
    uint32_t k = plan->axis_count; /* not 0 */
    do {
        uint64_t size = (uint64_t)plan->axis[--k].size;
        place.index[k] = (int64_t)(position % size);
        position /= size;
    } while (k > 0);
    return place;
}

void place_advance(const struct elementwise_plan *plan, struct place *place, int64_t steps)
{
    uint32_t k = plan->axis_count - 1;
    place->index[k] += steps;
    for (; k > 0 && place->index[k] >= plan->axis[k].size; k--) {
        int64_t carry = place->index[k] / plan->axis[k].size;
        place->index[k] -= carry * plan->axis[k].size;
        place->index[k - 1] += carry;
    }
}

unsigned char *walk_element(const struct walk *walk, uint32_t operand, const struct place *place)
{
    const struct elementwise_plan *plan = walk->plan;
    int64_t offset = 0;
    for (uint32_t k = 0; k < plan->axis_count; k++)
        offset += place->index[k] * plan->axis[k].stride[operand];
    return walk->first[operand] + offset * (int64_t)plan->operand[operand].bytes;
}

/*
 * The longest part of the next count elements that the last two axes describe: the rest of a row, or whole
 * rows. Returns its elements.
 */
static size_t next_block(const struct elementwise_plan *plan, uint32_t operand, const struct place *place,
                         size_t count, struct block *block)
{
    uint32_t last = plan->axis_count - 1;
    uint64_t size = (uint64_t)plan->axis[last].size, left = size - (uint64_t)place->index[last];
    block->rows = 1;
    block->row_stride = 0;
    block->columns = count < left ? count : (size_t)left;
    block->column_stride = plan->axis[last].stride[operand];
    if (last > 0 && left == size && count > size) {
        uint64_t rows = (uint64_t)(plan->axis[last - 1].size - place->index[last - 1]);
        block->rows = count / size < rows ? count / size : (size_t)rows;
        block->row_stride = plan->axis[last - 1].stride[operand];
    }
    return block->rows * block->columns;
}

void walk_gather(const struct walk *walk, uint32_t operand, struct place place, unsigned char *to,
                 size_t count)
{
    const struct elementwise_plan *plan = walk->plan;
    uint32_t bytes = plan->operand[operand].bytes;
    while (count > 0) {
        struct block block __attribute__((uninitialized));
        size_t length = next_block(plan, operand, &place, count, &block);
        plan->transfer->gather(to, walk_element(walk, operand, &place), &block, bytes);
        to += length * bytes;
        count -= length;
        place_advance(plan, &place, (int64_t)length);
    }
}

static void scatter(const struct walk *walk, struct place place, const unsigned char *from, size_t count)
{
    const struct elementwise_plan *plan = walk->plan;
    uint32_t bytes = plan->operand[OUTPUT].bytes;
    while (count > 0) {
        struct block block __attribute__((uninitialized));
        size_t length = next_block(plan, OUTPUT, &place, count, &block);
        plan->transfer->scatter(walk_element(walk, OUTPUT, &place), &block, from, bytes);
        from += length * bytes;
        count -= length;
        place_advance(plan, &place, (int64_t)length);
    }
}

/* Whether the tile's elements of an operand lie side by side. */
static bool is_contiguous(const struct elementwise_plan *plan, uint32_t operand, bool is_in_row)
{
    return plan->operand[operand].is_linear ||
           (is_in_row && plan->axis[plan->axis_count - 1].stride[operand] == 1);
}

const void *tile_convert(const struct walk *walk, struct tiles *tiles, uint32_t input, const void *source,
                         size_t count)
{
    const struct elementwise_plan *plan = walk->plan;
    aclDataType dtype = plan->operand[input].dtype;
    if (dtype == plan->arithmetic)
        return source;
    plan->transfer->convert(source, dtype, tiles->operand[input], plan->arithmetic, count);
    return tiles->operand[input];
}

const void *tile_fetch(const struct walk *walk, struct tiles *tiles, uint32_t input,
                       const struct place *place, size_t count, bool is_in_row)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *operand = &plan->operand[input];
    bool is_same_dtype = operand->dtype == plan->arithmetic;
    const unsigned char *source;
    if (is_contiguous(plan, input, is_in_row)) {
        source = walk_element(walk, input, place);
    } else {
        unsigned char *packed = is_same_dtype ? tiles->operand[input] : tiles->stage;
        walk_gather(walk, input, *place, packed, count);
        source = packed;
    }
    return tile_convert(walk, tiles, input, source, count);
}

/* Takes the tile of results from its buffer to the output. */
static void store(const struct walk *walk, struct tiles *tiles, const struct place *place, size_t count,
                  bool is_in_row)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *output = &plan->operand[OUTPUT];
    bool is_packed = is_contiguous(plan, OUTPUT, is_in_row);
    const unsigned char *source = tiles->operand[OUTPUT];
    if (output->dtype != plan->result) {
        unsigned char *target = is_packed ? walk_element(walk, OUTPUT, place) : tiles->stage;
        plan->transfer->convert(source, plan->result, target, output->dtype, count);
        source = target;
    }
    if (!is_packed)
        scatter(walk, *place, source, count);
}

/* Elements of a tile: as many as its buffers hold. */
size_t tile_elements(const struct elementwise_plan *plan)
{
    size_t elements = TILE_BYTES / plan->arithmetic_bytes;
    elements = elements < CONVERT_MAX ? elements : (size_t)CONVERT_MAX;
    for (uint32_t i = 0; i < OPERANDS; i++)
        if ((i < plan->input_count || i == OUTPUT) && STAGE_BYTES / plan->operand[i].bytes < elements)
            elements = STAGE_BYTES / plan->operand[i].bytes;
    return elements;
}

/*
 * Whether rows are long and the kernel can take every operand's as it lies, or as one element that is
 * repeated: the way of the layouts that programs use most.
 */
static bool has_plain_rows(const struct elementwise_plan *plan)
{
    const struct axis *row = &plan->axis[plan->axis_count - 1];
    if (row->size < ROW_MIN)
        return false;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        bool is_repeated = i != OUTPUT && row->stride[i] == 0;
        if ((i < plan->input_count || i == OUTPUT) &&
            (plan->operand[i].dtype != kernel_dtype(plan, i) || (row->stride[i] != 1 && !is_repeated)))
            return false;
    }
    return true;
}

/* Moves on to the beginning of the next row; whether that is the next one of the same matrix. */
static bool next_row(const struct elementwise_plan *plan, struct place *place)
{
    const uint32_t last = plan->axis_count - 1;
    place->index[last] = 0;
    for (uint32_t k = last; k-- > 0;) {
        if (++place->index[k] < plan->axis[k].size)
            return k + 1 == last;
        place->index[k] = 0;
    }
    return false;
}

/* A longer tile would take the first cache from what streams past it. */
enum { ROW_TILE_BYTES = 2 * TILE_BYTES };

/* How an input goes to the kernel row by row: from where it lies, or from a tile of its own. */
enum row_source { AS_IT_LIES, ONE_ELEMENT, ELEMENT_OF_ROW, SAME_ROW };

/* Rows, and the tiles that inputs need for them. */
struct row_walk {
    const struct walk *walk;
    enum row_source kind[INPUTS_MAX];
    bool is_filled[INPUTS_MAX]; /* and stays so */
    unsigned char *tile[INPUTS_MAX];
    size_t capacity; /* elements of each tile */
    size_t together; /* rows that one call of the kernel takes, 1 unless all that has no tile is linear */
};

static enum row_source row_source_of(const struct elementwise_plan *plan, uint32_t input)
{
    uint32_t last = plan->axis_count - 1;
    if (plan->operand[input].is_constant)
        return ONE_ELEMENT;
    if (plan->axis[last].stride[input] == 0)
        return ELEMENT_OF_ROW;
    return last == 1 && plan->axis[0].stride[input] == 0 ? SAME_ROW : AS_IT_LIES;
}

/* Inputs share the memory of all tiles: with longer ones the kernel is called less often. */
static void prepare_rows(struct row_walk *rows, const struct walk *walk, struct tiles *tiles)
{
    const struct elementwise_plan *plan = walk->plan;
    const uint64_t columns = (uint64_t)plan->axis[plan->axis_count - 1].size;
    bool is_linear = plan->axis_count == 2 && plan->operand[OUTPUT].is_linear;
    uint32_t packed = 0;
    rows->walk = walk;
    for (uint32_t i = 0; i < plan->input_count; i++) {
        rows->kind[i] = row_source_of(plan, i);
        rows->is_filled[i] = false;
        packed += rows->kind[i] != AS_IT_LIES;
        is_linear = is_linear && (rows->kind[i] != AS_IT_LIES || plan->operand[i].is_linear);
    }
    const size_t share = OPERANDS * TILE_BYTES / (packed < 3 && packed > 0 ? packed : OPERANDS);
    /* Not from operand[0], which is only the first of them. */
    unsigned char *const memory = (unsigned char *)tiles->operand;
    for (uint32_t i = 0, k = 0; i < plan->input_count; i++)
        rows->tile[i] = memory + (rows->kind[i] == AS_IT_LIES ? 0 : k++ * share);
    rows->capacity = (share < ROW_TILE_BYTES ? share : ROW_TILE_BYTES) / plan->arithmetic_bytes;
    if (packed == 0) /* nothing is repeated: a row is as long as it is */
        rows->capacity = SIZE_MAX;
    rows->together = is_linear && columns <= rows->capacity ? (size_t)(rows->capacity / columns) : 1;
}

/* Where the kernel finds so many rows of the input, of so many columns, that begin at first. */
static const unsigned char *fetch_rows(struct row_walk *rows, uint32_t input, const unsigned char *first,
                                       size_t count, size_t columns)
{
    const struct elementwise_plan *plan = rows->walk->plan;
    const enum row_source kind = rows->kind[input];
    if (kind == AS_IT_LIES || (kind == SAME_ROW && count == 1))
        return first;
    struct block block = {.rows = count, .columns = columns};
    if (kind == ONE_ELEMENT)
        block = (struct block){.rows = 1, .columns = rows->capacity};
    else if (kind == SAME_ROW) /* all that there may ever be */
        block = (struct block){.rows = rows->together, .columns = columns, .column_stride = 1};
    else if (count > 1)
        block.row_stride = plan->axis[0].stride[input];
    if (!rows->is_filled[input])
        plan->transfer->gather(rows->tile[input], first, &block, plan->arithmetic_bytes);
    rows->is_filled[input] = kind != ELEMENT_OF_ROW;
    return rows->tile[input];
}

/* The addresses of all operands' elements at a place. */
static void find_rows(const struct walk *walk, const struct place *place, unsigned char **first)
{
    for (uint32_t i = 0; i < walk->plan->input_count; i++)
        first[i] = walk_element(walk, i, place);
    first[OUTPUT] = walk_element(walk, OUTPUT, place);
}

/* From the beginning of a row to that of the next one, where both are of one matrix. */
static void advance_rows(const struct elementwise_plan *plan, unsigned char **first)
{
    const struct axis *axis = &plan->axis[plan->axis_count - 2];
    for (uint32_t i = 0; i < plan->input_count; i++)
        first[i] += axis->stride[i] * (int64_t)plan->operand[i].bytes;
    first[OUTPUT] += axis->stride[OUTPUT] * (int64_t)plan->operand[OUTPUT].bytes;
}

/* Several rows, or a part of one, as long as tiles hold, with nothing to work out from one to the next. */
static void walk_rows(const struct walk *walk, struct tiles *tiles, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    struct row_walk rows __attribute__((uninitialized));
    struct place place = place_at(plan, begin);
    unsigned char *first[OPERANDS] __attribute__((uninitialized));
    const uint32_t last = plan->axis_count - 1;
    const uint64_t columns = (uint64_t)plan->axis[last].size;
    prepare_rows(&rows, walk, tiles);
    find_rows(walk, &place, first);
    while (begin < end) {
        const bool is_whole = place.index[last] == 0;
        uint64_t left = columns - (uint64_t)place.index[last], count = 1;
        if (rows.together > 1 && is_whole && end - begin >= 2 * columns) {
            count = (end - begin) / columns;
            count = count < rows.together ? count : rows.together;
        }
        left = left < end - begin ? left : end - begin;
        const unsigned char *source[INPUTS_MAX] __attribute__((uninitialized));
        size_t step[INPUTS_MAX] __attribute__((uninitialized));
        size_t width = left < rows.capacity ? (size_t)left : rows.capacity;
        for (uint32_t i = 0; i < plan->input_count; i++) {
            source[i] = fetch_rows(&rows, i, first[i], (size_t)count, width);
            step[i] = plan->axis[last].stride[i] == 0 ? 0 : plan->arithmetic_bytes;
        }
        unsigned char *target = first[OUTPUT];
        left *= count;
        begin += left;
        while (left > 0) {
            size_t length = left < rows.capacity ? (size_t)left : rows.capacity;
            walk_kernel(walk, (const void *const *)source, target, length);
            for (uint32_t i = 0; i < plan->input_count; i++)
                source[i] += length * step[i];
            target += length * plan->arithmetic_bytes;
            left -= length;
        }
        place.index[0] += (int64_t)count - 1; /* 0, unless the rows are of axis 0 */
        if (next_row(plan, &place) && is_whole && count == 1)
            advance_rows(plan, first);
        else
            find_rows(walk, &place, first);
    }
}

void walk_tiles(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct axis *row = &plan->axis[plan->axis_count - 1];
    struct tiles tiles __attribute__((uninitialized));
    if (has_plain_rows(plan)) {
        walk_rows(walk, &tiles, begin, end);
        return;
    }
    struct place place = place_at(plan, begin);
    const void *source[INPUTS_MAX];
    size_t tile = tile_elements(plan);

    /* An input that is one element fills its buffer once for all tiles. */
    size_t most = end - begin < tile ? (size_t)(end - begin) : tile;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (plan->operand[i].is_constant)
            source[i] = tile_fetch(walk, &tiles, i, &place, most, false);

    while (begin < end) {
        size_t count = end - begin < tile ? (size_t)(end - begin) : tile;
        uint64_t left = (uint64_t)(row->size - place.index[plan->axis_count - 1]);
        if (row->size >= ROW_MIN && count > left)
            count = (size_t)left;
        bool is_in_row = count <= left;

        for (uint32_t i = 0; i < plan->input_count; i++)
            if (!plan->operand[i].is_constant)
                source[i] = tile_fetch(walk, &tiles, i, &place, count, is_in_row);

        if (plan->operand[OUTPUT].dtype == plan->result && is_contiguous(plan, OUTPUT, is_in_row)) {
            walk_kernel(walk, source, walk_element(walk, OUTPUT, &place), count);
        } else {
            plan->kernel(source, tiles.operand[OUTPUT], count, plan->parameters, false);
            store(walk, &tiles, &place, count, is_in_row);
        }
        place_advance(plan, &place, (int64_t)count);
        begin += count;
    }
}
