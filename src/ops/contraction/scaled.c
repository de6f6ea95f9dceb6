/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How products of small numbers run: the right side is packed once, its scales are read, and tasks take tiles
 * of the rows.
 */
#include "ops/contraction/scaled.h"

#include <string.h>

#include "ops/contraction/float_product.h"
#include "ops/contraction/int8_product.h"
#include "simd/vector/level_table.h"
#include "tensor/scratch.h"

LEVEL_TABLE(int8_dots, dots, int8_dots);
LEVEL_TABLE(float_dots, dots_of_floats, float_dots);

enum { MULTIPLIED_PER_NS = 8, FLOATS_PER_NS = 2, PACKED_PER_NS = 2, PACK_STEPS = 64 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t multiplied_per_ns(const struct scaled *scaled)
{
    return scaled->is_float ? FLOATS_PER_NS : MULTIPLIED_PER_NS;
}

/* Bytes of an operand's number, as it is multiplied. */
static size_t number_bytes(const struct scaled *scaled)
{
    return scaled->is_float ? sizeof(float) : sizeof(int8_t);
}

uint64_t scaled_cost_ns(const struct scaled *scaled, uint64_t rows)
{
    return scaled->columns * scaled->depth / PACKED_PER_NS +
           rows * scaled->columns * scaled->depth / multiplied_per_ns(scaled) + 1000;
}

/* Bytes of each kind of memory. */
static size_t room_bytes(const struct scaled *scaled)
{
    return lines_of(scaled->depth, scaled->columns * number_bytes(scaled));
}

static size_t by_columns(const struct scaled *scaled, size_t bytes)
{
    return whole_lines(scaled->columns * bytes);
}

static size_t by_parts(const struct scaled *scaled, bool is_needed, size_t bytes)
{
    return is_needed ? lines_of(scaled->parts, scaled->columns * bytes) : 0;
}

static size_t slot_bytes(const struct scaled *scaled)
{
    return lines_of(scaled->depth, INT8_ROWS * number_bytes(scaled)) +
           lines_of(scaled->parts, INT8_ROWS * sizeof(double));
}

size_t scaled_work_bytes(const struct scaled *scaled)
{
    return room_bytes(scaled) + by_parts(scaled, true, sizeof(double)) +
           by_parts(scaled, scaled->has_offsets, sizeof(double)) +
           by_parts(scaled, scaled->shift != 0, sizeof(int32_t)) + 3 * by_columns(scaled, sizeof(double)) +
           whole_lines(SCALED_ROWS * scaled->columns * sizeof(double)) +
           (size_t)scaled->threads * slot_bytes(scaled);
}

static void *take(unsigned char **memory, size_t bytes)
{
    void *taken = *memory;
    *memory += bytes;
    return taken;
}

void scaled_use_memory(struct scaled_work *work, const struct scaled *scaled, void *const *address,
                       void *scratch)
{
    unsigned char *memory = scratch;
    *work = (struct scaled_work){.scaled = scaled, .address = address};
    work->room = take(&memory, room_bytes(scaled));
    work->scale = take(&memory, by_parts(scaled, true, sizeof(double)));
    work->offset = take(&memory, by_parts(scaled, scaled->has_offsets, sizeof(double)));
    work->right_sums = take(&memory, by_parts(scaled, scaled->shift != 0, sizeof(int32_t)));
    work->bias = take(&memory, by_columns(scaled, sizeof(double)));
    work->end = take(&memory, by_columns(scaled, sizeof(double)));
    work->last = take(&memory, by_columns(scaled, sizeof(double)));
    work->value = take(&memory, whole_lines(SCALED_ROWS * scaled->columns * sizeof(double)));
    work->memory =
        (struct task_memory){.first = memory, .bytes = slot_bytes(scaled), .slots = scaled->threads};
}

/* Steps of a column of the right side, or of a row of the left one. */
static void read_steps(const struct scaled_work *work, const struct numbers *numbers, uint64_t lane,
                       uint64_t first, uint64_t steps, void *to)
{
    if (work->scaled->is_float)
        numbers_read_floats(numbers, work->scaled->transfer, work->address, lane, first, steps, to);
    else
        numbers_read(numbers, work->address, lane, first, steps, to);
}

static const void *column_at(const struct scaled_work *work, uint64_t column, uint64_t step)
{
    return (const unsigned char *)work->packed +
           (column * work->scaled->depth + step) * number_bytes(work->scaled);
}

/* Some columns of the right side, a few steps at a time: they may be next to one another there. */
static void pack_columns(void *context, uint64_t task)
{
    const struct scaled_work *work = context;
    const struct scaled *scaled = work->scaled;
    const uint64_t first = task * INT8_COLUMNS, end = least(first + INT8_COLUMNS, scaled->columns);
    for (uint64_t k = 0; work->packed == work->room && k < scaled->depth; k += PACK_STEPS)
        for (uint64_t j = first; j < end; j++)
            read_steps(work, &work->product->right, j, k, least(PACK_STEPS, scaled->depth - k),
                       (void *)(uintptr_t)column_at(work, j, k));
    for (uint64_t part = 0; scaled->shift != 0 && part < scaled->parts; part++)
        for (uint64_t j = first; j < end; j++) {
            const uint64_t begin = part * scaled->part;
            const int8_t *column = column_at(work, j, 0);
            int64_t sum = 0;
            for (uint64_t k = begin; k < least(begin + scaled->part, scaled->depth); k++)
                sum += column[k];
            work->right_sums[part * scaled->columns + j] = (int32_t)sum;
        }
}

static void read_or_set(const struct scaled_work *work, const struct factors *factors, double otherwise,
                        uint64_t part, double *to)
{
    const uint64_t columns = work->scaled->columns;
    if (factors->is_given)
        factors_read(factors, work->scaled->transfer, work->address, part, 0, columns, to);
    for (uint64_t j = 0; !factors->is_given && j < columns; j++)
        to[j] = otherwise;
}

void scaled_begin(struct scaled_work *work, const struct scaled_product *product)
{
    const struct scaled *scaled = work->scaled;
    const uint64_t columns = scaled->columns;
    work->product = product;
    work->packed = scaled->is_float ? NULL : numbers_direct(&product->right, work->address, scaled->depth);
    if (work->packed == NULL)
        work->packed = work->room;
    if (work->packed == work->room || scaled->shift != 0)
        tasks_run(pack_columns, work, (columns + INT8_COLUMNS - 1) / INT8_COLUMNS, 1,
                  columns * scaled->depth / PACKED_PER_NS);
    for (uint64_t part = 0; part < scaled->parts; part++) {
        double *scale = work->scale + part * columns;
        read_or_set(work, &product->columns, 1, part, scale);
        if (product->outer_columns.is_given) { /* the memory of what is read last */
            read_or_set(work, &product->outer_columns, 1, part / product->outer, work->end);
            for (uint64_t j = 0; j < columns; j++)
                scale[j] *= work->end[j];
        }
        if (scaled->has_offsets)
            read_or_set(work, &product->offset, 0, part, work->offset + part * columns);
    }
    read_or_set(work, &product->bias, 0, 0, work->bias);
    if (scaled->has_last)
        read_or_set(work, &product->last, 1, 0, work->last);
    if (scaled->has_bits_at_end && !product->end.is_given)
        factors_read_offsets(&product->columns, work->address, 0, columns, work->end);
    else
        read_or_set(work, &product->end, 0, 0, work->end);
}

/* Rows of x, their scales and sums by parts, and the values of a tile. */
struct tile {
    uint64_t row, column, rows, columns;
    const void *left;
    const double *left_sums;
    double scale[INT8_ROWS], value[INT8_ROWS][INT8_COLUMNS];
    double sums[INT8_ROWS][INT8_COLUMNS];
};

static void multiply_part(const struct scaled_work *work, uint64_t part, struct tile *tile)
{
    const struct scaled *scaled = work->scaled;
    const uint64_t first = part * scaled->part, steps = least(scaled->part, scaled->depth - first);
    for (uint64_t j = 0; scaled->is_float && j < tile->columns; j++) {
        double some[INT8_ROWS];
        dots_of_floats[scaled->isa]((const float *)tile->left + first, (size_t)scaled->depth,
                                    column_at(work, tile->column + j, first), (size_t)steps, some);
        for (int i = 0; i < INT8_ROWS; i++)
            tile->sums[i][j] = some[i];
    }
    for (uint64_t j = 0; !scaled->is_float && j < tile->columns; j++) {
        int32_t some[INT8_ROWS];
        dots[scaled->isa]((const int8_t *)tile->left + first, (size_t)scaled->depth,
                          column_at(work, tile->column + j, first), (size_t)steps, some);
        for (int i = 0; i < INT8_ROWS; i++)
            tile->sums[i][j] = some[i];
    }
}

/* The values that a part adds. */
static void scale_part(const struct scaled_work *work, uint64_t part, struct tile *tile)
{
    const struct scaled *scaled = work->scaled;
    const uint64_t at = part * scaled->columns + tile->column;
    const struct scaled_product *product = work->product;
    const bool has_whole_bias = scaled->bias_place == BIAS_OF_SUMS;
    for (uint64_t i = 0; i < tile->rows; i++) {
        double own = 1, outer = 1;
        if (scaled->rows_have_parts && product->rows.is_given)
            factors_read(&product->rows, scaled->transfer, work->address, part, tile->row + i, 1, &own);
        if (product->outer_rows.is_given)
            factors_read(&product->outer_rows, scaled->transfer, work->address, part / product->outer,
                         tile->row + i, 1, &outer);
        own *= outer;
        for (uint64_t j = 0; j < tile->columns; j++) {
            double sum = tile->sums[i][j], more = 0;
            if (scaled->shift != 0)
                sum -= (double)scaled->shift * (double)work->right_sums[at + j];
            if (scaled->has_offsets)
                more = work->offset[at + j] * tile->left_sums[i * scaled->parts + part];
            if (scaled->offsets_are_scaled)
                sum -= more;
            if (has_whole_bias)
                sum += work->bias[tile->column + j];
            double value = sum * work->scale[at + j];
            if (scaled->rows_have_parts)
                value *= own;
            if (scaled->has_offsets && !scaled->offsets_are_scaled)
                value += more;
            tile->value[i][j] = part == 0 ? value : tile->value[i][j] + value;
        }
    }
}

static void finish_tile(const struct scaled_work *work, struct tile *tile)
{
    const struct scaled *scaled = work->scaled;
    const double *bias = work->bias + tile->column, *end = work->end + tile->column;
    for (uint64_t i = 0; i < tile->rows; i++) {
        double *to = work->value + (tile->row + i - work->first_row) * scaled->columns + tile->column;
        for (uint64_t j = 0; scaled->is_whole && j < tile->columns; j++)
            to[j] = (double)(int32_t)((uint32_t)(int32_t)tile->sums[i][j] + (uint32_t)(int32_t)bias[j]);
        for (uint64_t j = 0; !scaled->is_whole && j < tile->columns; j++) {
            double value = tile->value[i][j];
            if (scaled->bias_place == BIAS_OF_PARTS)
                value += bias[j];
            if (!scaled->rows_have_parts)
                value *= tile->scale[i];
            if (scaled->has_last)
                value *= work->last[tile->column + j];
            if (scaled->bias_place == BIAS_LAST)
                value += bias[j];
            to[j] = value + end[j];
        }
    }
}

static void read_left(const struct scaled_work *work, struct tile *tile, unsigned char *memory)
{
    const struct scaled *scaled = work->scaled;
    const size_t row_bytes = (size_t)scaled->depth * number_bytes(scaled);
    const int8_t *left = (const int8_t *)memory;
    double *sums = (double *)(void *)(memory + whole_lines(row_bytes * INT8_ROWS));
    memset(memory + tile->rows * row_bytes, 0, (INT8_ROWS - tile->rows) * row_bytes);
    for (uint64_t i = 0; i < tile->rows; i++) {
        read_steps(work, &work->product->left, tile->row + i, 0, scaled->depth, memory + i * row_bytes);
        tile->scale[i] = 1;
        if (work->product->rows.is_given && !scaled->rows_have_parts)
            factors_read(&work->product->rows, scaled->transfer, work->address, 0, tile->row + i, 1,
                         &tile->scale[i]);
        for (uint64_t part = 0; scaled->has_offsets && part < scaled->parts; part++) {
            const uint64_t end = least((part + 1) * scaled->part, scaled->depth);
            int64_t sum = 0;
            for (uint64_t k = part * scaled->part; k < end; k++)
                sum += left[i * scaled->depth + k];
            sums[i * scaled->parts + part] = (double)sum;
        }
    }
    tile->left = memory;
    tile->left_sums = sums;
}

static void multiply_tile(void *context, uint64_t task, unsigned char *memory)
{
    const struct scaled_work *work = context;
    const struct scaled *scaled = work->scaled;
    const uint64_t across = (scaled->columns - 1) / INT8_COLUMNS + 1;
    const uint64_t row = task / across * INT8_ROWS, column = task % across * INT8_COLUMNS;
    struct tile tile __attribute__((uninitialized));
    tile.row = work->first_row + row;
    tile.column = column;
    tile.rows = least(work->rows - row, INT8_ROWS);
    tile.columns = least(scaled->columns - column, INT8_COLUMNS);
    read_left(work, &tile, memory);
    if (scaled->parts == 0) /* of no steps */
        memset(tile.value, 0, sizeof tile.value);
    for (uint64_t part = 0; part < scaled->parts; part++) {
        multiply_part(work, part, &tile);
        if (!scaled->is_whole)
            scale_part(work, part, &tile);
    }
    finish_tile(work, &tile);
}

void scaled_multiply(struct scaled_work *work, uint64_t first_row, uint64_t rows)
{
    const struct scaled *scaled = work->scaled;
    work->first_row = first_row;
    work->rows = rows;
    if (rows == 0 || scaled->columns == 0)
        return;
    const uint64_t tiles = ((rows - 1) / INT8_ROWS + 1) * ((scaled->columns - 1) / INT8_COLUMNS + 1);
    tasks_run_in_memory(multiply_tile, work, tiles, &work->memory,
                        rows * scaled->columns * scaled->depth / multiplied_per_ns(scaled));
}
