/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of whole numbers by groups, drawn at random, as tensors of a call by name and as the values that
 * loops in long double make of them. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_WHOLE_CASE_H
#define BELAY_TESTS_OPS_WHOLE_CASE_H

#include "ops/named_call.h"

enum { CASE_NUMBERS = 40 * 64 * 4, CASE_GROUPS = 4, CASE_ROWS = 24, CASE_COLUMNS = 136, CASE_PARTS = 4 };
enum four_bits { AS_INT4, AS_TURNED_INT4, AS_INT32 };

struct whole_case {
    int64_t rows, depth, columns, groups, parts, list_type;
    bool x_has_4, weight_has_4, has_bias, has_offset, has_row_scale, is_listed, has_bits;
    aclDataType bias_dtype;
    enum four_bits form;
    int64_t count[CASE_GROUPS], order[CASE_GROUPS]; /* rows of pieces, and their groups */
    int8_t x[CASE_ROWS * 64], weight[CASE_GROUPS * 64 * CASE_COLUMNS];
    double scale[CASE_GROUPS * CASE_PARTS * CASE_COLUMNS], offset[CASE_GROUPS * CASE_PARTS * CASE_COLUMNS],
        bias[CASE_GROUPS * CASE_COLUMNS], row_scale[CASE_ROWS];
};

static inline bool is_mixed(const struct whole_case *c)
{
    return !c->x_has_4 && c->weight_has_4;
}

static inline int8_t drawn_number(bool has_4)
{
    return (int8_t)(has_4 ? random_below(16) - 8 : random_below(16) == 0 ? -128 : random_below(256) - 128);
}

static inline void draw_numbers_of(struct whole_case *c)
{
    for (int64_t i = 0; i < c->rows * c->depth; i++)
        c->x[i] = drawn_number(c->x_has_4);
    for (int64_t i = 0; i < c->groups * c->depth * c->columns; i++)
        c->weight[i] = drawn_number(c->weight_has_4);
    for (int64_t i = 0; i < c->groups * c->parts * c->columns; i++) {
        c->scale[i] = (double)(1 + random_below(100)) / 64;
        c->offset[i] = (double)(random_below(21) - 10) / 16;
    }
    for (int64_t i = 0; i < c->groups * c->columns; i++)
        c->bias[i] = (double)(random_below(201) - 100);
    for (int64_t i = 0; i < c->rows; i++)
        c->row_scale[i] = (double)(1 + random_below(64)) / 128;
    int64_t left = c->rows;
    for (int64_t g = 0; g < c->groups; g++) {
        c->count[g] = random_below(3) == 0 ? 0 : random_below(left + 1);
        c->order[g] = c->list_type == 2 ? c->groups - 1 - g : g;
        left -= c->count[g];
    }
}

static inline struct whole_case draw_case(void)
{
    struct whole_case c = {.rows = 1 + random_below(CASE_ROWS),
                           .columns = 8 * (1 + random_below(CASE_COLUMNS / 8)),
                           .groups = 1 + random_below(CASE_GROUPS),
                           .parts = 1,
                           .list_type = random_below(3),
                           .form = (enum four_bits)random_below(3),
                           .has_bits = random_below(3) == 0,
                           .has_bias = random_below(2) == 0,
                           .has_row_scale = random_below(3) > 0,
                           .bias_dtype = random_below(2) == 0 ? ACL_INT32 : ACL_FLOAT};
    c.weight_has_4 = random_below(2) == 0;
    c.x_has_4 = c.weight_has_4 && random_below(2) == 0;
    if (c.weight_has_4 && random_below(2) == 0)
        c.parts = 1 + random_below(CASE_PARTS);
    c.depth = c.weight_has_4 ? 8 * c.parts * (1 + random_below(64 / 8 / c.parts)) : 1 + random_below(64);
    c.has_offset = is_mixed(&c) && random_below(2) == 0;
    if (c.parts > 1)
        c.bias_dtype = ACL_FLOAT;
    draw_numbers_of(&c);
    return c;
}

static inline int64_t row_group(const struct whole_case *c, int64_t row)
{
    for (int64_t i = 0; i < c->groups; row -= c->count[i++])
        if (row < c->count[i])
            return c->order[i];
    return -1;
}

/* The value of a row of a group, of which 0 is no group's. */
static inline long double case_value(const struct whole_case *c, int64_t row, int64_t column)
{
    const int64_t g = row_group(c, row), part = c->depth / c->parts;
    const bool is_whole = c->has_bias && c->bias_dtype == ACL_INT32;
    const bool shifts = is_mixed(c) && c->has_bias && !is_whole;
    long double value = 0;
    for (int64_t p = 0; g >= 0 && p < c->parts; p++) {
        int64_t sum = is_whole ? (int64_t)c->bias[g * c->columns + column] : 0, own = 0;
        for (int64_t k = p * part; k < (p + 1) * part; k++) {
            const int64_t x = c->x[row * c->depth + k];
            sum += (x - (shifts ? 8 : 0)) * c->weight[(g * c->depth + k) * c->columns + column];
            own += x;
        }
        const int64_t at = (g * c->parts + p) * c->columns + column;
        value += (long double)sum * (long double)c->scale[at];
        if (c->has_offset)
            value += (long double)own * (long double)c->offset[at];
    }
    const long double bias =
        g >= 0 && c->has_bias && !is_whole ? (long double)c->bias[g * c->columns + column] : 0;
    if (shifts)
        value += bias;
    if (c->has_row_scale)
        value *= (long double)c->row_scale[row];
    return shifts ? value : value + bias;
}

/* Numbers of 4 bits in a tensor of INT32, or of INT4, maybe with its last two dims the other way round. */
static inline void give_halves(struct named_call *call, const char *name, const int8_t *number, unsigned rank,
                               const int64_t *shape, enum four_bits form)
{
    const int place = place_named(call, name);
    const int64_t rows = shape[rank - 2], columns = shape[rank - 1], batches = rank == 3 ? shape[0] : 1;
    const bool is_turned = form == AS_TURNED_INT4 && rows % 2 == 0;
    const int64_t bytes[] = {batches * rows * columns / 2}, words[] = {batches, rows, columns / 8};
    struct layout *layout = &call->tensor[place];
    *layout = form == AS_INT32 ? layout_create(ACL_INT32, rank, words + (rank == 2), LAYOUT_CONTIGUOUS)
                               : layout_create(ACL_INT8, 1, bytes, LAYOUT_CONTIGUOUS);
    memset(layout->memory, 0, (size_t)bytes[0]);
    for (int64_t i = 0; i < batches * rows * columns; i++) {
        const int64_t b = i / columns / rows, r = i / columns % rows, j = i % columns;
        const int64_t to = is_turned ? (b * columns + j) * rows + r : i;
        layout->memory[to / 2] |= (unsigned char)((number[i] & 15) << (to % 2 * 4));
    }
    call->is_given[place] = true;
    call->argument[place].tensor = layout->tensor;
    if (form == AS_INT32)
        return;
    const int64_t stride[] = {rows * columns, is_turned ? 1 : columns, is_turned ? rows : 1};
    assert_int_equal(aclDestroyTensor(layout->tensor), 0);
    layout->tensor = aclCreateTensor(shape, rank, ACL_INT4, stride + (rank == 2), 0, ACL_FORMAT_ND, shape,
                                     rank, memory_known_as(layout->memory));
    call->argument[place].tensor = layout->tensor;
}

static inline void give_whole(struct named_call *call, const char *name, const int8_t *number, unsigned rank,
                              const int64_t *shape, bool has_4, enum four_bits form)
{
    if (has_4) {
        give_halves(call, name, number, rank, shape, form);
        return;
    }
    const struct layout *layout = give_tensor(call, name, ACL_INT8, rank, shape);
    for (int64_t i = 0; i < layout->count; i++)
        set_whole(layout, i, number[i]);
}

/* Scales, as FLOAT or in 64 bits. */
static inline void give_scales(struct named_call *call, const char *name, const struct whole_case *c)
{
    const int64_t shape[] = {c->groups, c->parts, c->columns};
    const int64_t flat[] = {c->groups, c->columns};
    const bool is_flat = c->parts == 1 && random_below(2) == 0;
    const struct layout *layout =
        give_tensor(call, name, c->has_bits ? ACL_INT64 : ACL_FLOAT, is_flat ? 2 : 3, is_flat ? flat : shape);
    for (int64_t i = 0; i < layout->count; i++) {
        const float value = (float)c->scale[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (c->has_bits)
            set_whole(layout, i, (int64_t)bits);
        else
            set_element(layout, i, c->scale[i]);
    }
}

static inline void give_list(struct named_call *call, const struct whole_case *c)
{
    const int64_t shape[] = {c->groups, 2};
    const struct layout *list = give_tensor(call, "groupList", ACL_INT64, c->list_type == 2 ? 2 : 1, shape);
    int64_t end = 0;
    for (int64_t g = 0; g < c->groups; g++) {
        end += c->count[g];
        if (c->list_type == 2)
            set_whole(list, 2 * g, c->order[g]);
        set_whole(list, c->list_type == 2 ? 2 * g + 1 : g, c->list_type == 0 ? end : c->count[g]);
    }
    give_number(call, "groupListType", (double)c->list_type);
}

/* A tensor that is given for a list becomes a list of it, or of its parts, which are as many as groups. */
static inline void list_named(struct named_call *call, const char *name, int64_t parts)
{
    const int place = place_named(call, name);
    const struct layout *layout = &call->tensor[place];
    const aclTensor *tensor[CASE_GROUPS] = {layout->tensor};
    if (!call->is_given[place])
        return;
    for (int64_t i = 0; parts > 0 && i < parts; i++)
        tensor[i] = aclCreateTensor(layout->shape + 1, layout->rank - 1, layout->dtype, layout->stride + 1,
                                    layout->offset + i * layout->stride[0], ACL_FORMAT_ND, layout->shape,
                                    layout->rank, memory_known_as(layout->memory));
    call->argument[place].tensors = aclCreateTensorList(tensor, parts > 0 ? (uint64_t)parts : 1);
}

/* The tensors of products by groups under their names in a function; NULL: it has none of these. */
struct case_names {
    const char *x, *weight, *scale, *bias, *offset, *row_scale;
};

static inline void give_case(struct named_call *call, const struct whole_case *c,
                             const struct case_names *names)
{
    const int64_t x[] = {c->rows, c->depth}, weight[] = {c->groups, c->depth, c->columns};
    const int64_t by_group[] = {c->groups, c->columns}, parts[] = {c->groups, c->parts, c->columns};
    give_whole(call, names->x, c->x, 2, x, c->x_has_4, c->form == AS_TURNED_INT4 ? AS_INT4 : c->form);
    give_whole(call, names->weight, c->weight, 3, weight, c->weight_has_4, c->form);
    give_scales(call, names->scale, c);
    if (c->has_bias)
        set_numbers(give_tensor(call, names->bias, c->bias_dtype, 2, by_group), c->bias);
    if (c->has_offset)
        set_numbers(give_tensor(call, names->offset, ACL_FLOAT, 3, parts), c->offset);
    if (c->has_row_scale)
        set_numbers(GIVE(call, names->row_scale, ACL_FLOAT, c->rows), c->row_scale);
    give_list(call, c);
}

#endif
