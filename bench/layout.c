/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Strides of each layout.
 */
#include "layout.h"

/* Columns that a sliced operand leaves out: rows do not begin at multiples of a line then. */
enum { SLICE_REST = 24 };

const char *layout_name(enum layout layout)
{
    static const char *const name[LAYOUTS] = {"contiguous", "merged",     "scalar",         "row",
                                              "column",     "transposed", "transposed_out", "sliced",
                                              "sparse",     "unaligned",  "zero_d"};
    return name[layout];
}

static struct view matrix(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride)
{
    struct view view = {.rank = 2, .shape = {rows, columns}, .stride = {row_stride, column_stride}};
    view.storage = 1 + (rows - 1) * row_stride + (columns - 1) * column_stride;
    return view;
}

static int64_t square_side(int64_t count)
{
    int64_t side = 1;
    while (side * side < count)
        side *= 2;
    return side;
}

static struct view view_of(enum layout layout, enum operand operand, int64_t count)
{
    int64_t side = square_side(count);
    switch (layout) {
    case LAYOUT_MERGED: {
        /* Axes of 8, side / 8 and side, of which the first is the fastest. */
        struct view view = {.rank = 3, .shape = {8, side / 8, side}, .stride = {1, 8 * side, 8}};
        view.storage = count;
        return view;
    }
    case LAYOUT_SCALAR:
        return operand == FIRST ? matrix(side, side, 0, 0) : matrix(side, side, side, 1);
    case LAYOUT_ROW:
        return operand == FIRST ? matrix(side, side, 0, 1) : matrix(side, side, side, 1);
    case LAYOUT_COLUMN:
        return operand == FIRST ? matrix(side, side, 1, 0) : matrix(side, side, side, 1);
    case LAYOUT_TRANSPOSED:
        return operand == SECOND ? matrix(side, side, 1, side) : matrix(side, side, side, 1);
    case LAYOUT_TRANSPOSED_OUT:
        return operand == OUT ? matrix(side, side, 1, side) : matrix(side, side, side, 1);
    case LAYOUT_SLICED:
        return matrix(side, side, side + SLICE_REST, 1);
    case LAYOUT_SPARSE:
        return operand == SECOND ? matrix(side, side, 2 * side, 2) : matrix(side, side, side, 1);
    case LAYOUT_UNALIGNED:
        return (struct view){.rank = 1, .shape = {count}, .stride = {1}, .offset = 1, .storage = count + 1};
    case LAYOUT_ZERO_D:
        return (struct view){.storage = 1};
    default:
        return (struct view){.rank = 1, .shape = {count}, .stride = {1}, .storage = count};
    }
}

void layout_apply(struct workload *workload, enum layout layout)
{
    for (enum operand operand = 0; operand < OPERANDS; operand++)
        workload->view[operand] = view_of(operand == OUT && workload->is_reduced ? LAYOUT_ZERO_D : layout,
                                          operand, workload->count);
}
