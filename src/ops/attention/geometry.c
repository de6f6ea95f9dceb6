/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Layouts, shapes and sequences of attention.
 */
#include "ops/attention/geometry.h"
#include "ops/dims.h"

#include <inttypes.h>
#include <string.h>

static const char *const layouts[] = {"BSH", "SBH", "BNSD", "BSND", "TND"};

unsigned attention_parameter(const struct call *call, enum attention_tensor tensor)
{
    static const uint8_t forward[] = {
        [QUERY] = 0, [KEY] = 1, [VALUE] = 2, [PSE] = 3, [MASK] = 6, [DROP] = 4, [DY] = NOWHERE};
    static const uint8_t gradient[] = {[QUERY] = 0, [KEY] = 1,  [VALUE] = 2,   [DY] = 3,  [PSE] = 4,
                                       [DROP] = 5,  [MASK] = 7, [MAXIMUM] = 8, [SUM] = 9, [OUT] = 11};
    static const uint8_t quantised[2][SUM + 2] = {
        {[QUERY] = 0, [KEY] = 1, [VALUE] = 2, [PSE] = NOWHERE, [MASK] = 3, [DROP] = NOWHERE, [DY] = NOWHERE},
        {[QUERY] = 0,
         [KEY] = 1,
         [VALUE] = 2,
         [DY] = 3,
         [PSE] = NOWHERE,
         [DROP] = NOWHERE,
         [MASK] = 4,
         [MAXIMUM] = 5,
         [SUM] = 6,
         [OUT] = 7}};
    const struct attention_form *form = attention_form_of(call);
    const bool has_rope = form->rope != NOWHERE, is_between = form->has_ropes_between;
    const unsigned apart = is_between ? 2 : 1;
    switch (tensor) {
    case QUERY_ROPE:
        return form->rope;
    case KEY_ROPE:
        return has_rope ? form->rope + apart : NOWHERE;
    case SINK:
        return form->sink;
    case QUERY_BLOCKS:
    case KEY_BLOCKS:
    case VALUE_BLOCKS:
    case DY_BLOCKS:
        return form->is_quantised && (form->is_gradient || tensor < DY_BLOCKS)
                   ? form->scales + (unsigned)(tensor - QUERY_BLOCKS)
                   : NOWHERE;
    case MAXIMUM:
    case SUM:
        if (!form->is_gradient)
            return form->outputs + (unsigned)(tensor - MAXIMUM);
        break;
    case OUT:
        if (!form->is_gradient)
            return form->outputs + 3U;
        break;
    case D_QUERY:
    case D_KEY:
    case D_VALUE:
        return form->is_gradient ? form->outputs + apart * (unsigned)(tensor - D_QUERY) : NOWHERE;
    case D_QUERY_ROPE:
    case D_KEY_ROPE:
        return form->is_gradient && has_rope
                   ? form->outputs + (is_between ? 1U : 3U) + apart * (unsigned)(tensor - D_QUERY_ROPE)
                   : NOWHERE;
    case D_PSE:
        return !form->is_gradient || form->is_quantised ? NOWHERE : form->outputs + (has_rope ? 5U : 3U);
    case D_SINK:
        return !form->is_gradient || form->sink == NOWHERE ? NOWHERE : form->outputs + (has_rope ? 6U : 4U);
    default:
        break;
    }
    const unsigned place = form->is_quantised  ? quantised[form->is_gradient][tensor]
                           : form->is_gradient ? gradient[tensor]
                                               : forward[tensor];
    return place == NOWHERE || !is_between ? place : place < 2 ? 2 * place : place + 2;
}

/* Where batch, head, row and element are among the dims of each layout; BSH has the last two in one. */
static const uint8_t dims[ATTENTION_LAYOUTS][DIMS_OF_HEAD] = {
    [LAYOUT_BSH] = {0, 2, 1, 2},       [LAYOUT_SBH] = {1, 2, 0, 2},       [LAYOUT_BNSD] = {0, 1, 2, 3},
    [LAYOUT_BSND] = {0, 2, 1, 3},      [LAYOUT_TND] = {NOWHERE, 1, 0, 2}, [LAYOUT_NTD] = {NOWHERE, 0, 1, 2},
    [LAYOUT_NSD] = {NOWHERE, 0, 1, 2}, [LAYOUT_NBSD] = {1, 0, 2, 3},      [LAYOUT_TILES] = {0, 1, 3, 4},
};

uint32_t attention_rank(enum attention_layout layout)
{
    static const uint8_t ranks[ATTENTION_LAYOUTS] = {
        [LAYOUT_BSH] = 3, [LAYOUT_SBH] = 3, [LAYOUT_BNSD] = 4, [LAYOUT_BSND] = 4, [LAYOUT_TND] = 3,
        [LAYOUT_NTD] = 3, [LAYOUT_NSD] = 3, [LAYOUT_NBSD] = 4, [LAYOUT_TILES] = 5};
    return ranks[layout];
}

bool attention_has_joint_heads(enum attention_layout layout)
{
    return layout == LAYOUT_BSH || layout == LAYOUT_SBH;
}

static aclnnStatus find_layout(const struct call *call, enum attention_layout *layout)
{
    const struct attention_form *form = attention_form_of(call);
    const char *text = attention_argument(call, INPUT_LAYOUT)->string;
    const bool takes_packed = form->lengths != NOWHERE;
    for (unsigned i = form->has_lengths ? LAYOUT_TND : 0; i <= LAYOUT_TND; i++)
        if (strcmp(text, layouts[i]) == 0 && (i != LAYOUT_TND || takes_packed)) {
            *layout = (enum attention_layout)i;
            return ACLNN_SUCCESS;
        }
    return refuse(call, "inputLayout is \"%s\"; %s expected", text,
                  form->has_lengths ? "TND is"
                  : takes_packed    ? "BSH, SBH, BNSD, BSND or TND is"
                                    : "BSH, SBH, BNSD or BSND is");
}

static aclnnStatus check_ranks(const struct call *call, const struct attention_geometry *geometry)
{
    for (enum attention_tensor i = QUERY; i <= VALUE; i++) {
        const unsigned place = attention_parameter(call, i);
        if (call->tensor[place].rank != attention_rank(geometry->layout))
            return refuse(call, "%s has shape %s; rank %u is expected of %s", call_name(call, place),
                          shape_text(TEXT, &call->tensor[place]), attention_rank(geometry->layout),
                          layouts[geometry->layout]);
    }
    return ACLNN_SUCCESS;
}

int64_t attention_size(const struct tensor_view *view, enum attention_layout layout, enum attention_dim dim)
{
    const int64_t size = dims[layout][dim] == NOWHERE ? 1 : view->shape[dims[layout][dim]];
    return layout == LAYOUT_TILES && dim == DIM_ELEMENT ? size * view->shape[2] : size;
}

static int64_t size_of(const struct call *call, enum attention_tensor tensor, enum attention_layout layout,
                       enum attention_dim dim)
{
    return attention_size(&call->tensor[attention_parameter(call, tensor)], layout, dim);
}

/* Heads and their elements, of key or value with a given number of one of them: 0 where they do not fit. */
static aclnnStatus find_heads(const struct call *call, struct attention_geometry *geometry)
{
    const int64_t heads = attention_argument(call, HEAD_NUM)->int64;
    const enum attention_layout layout = geometry->layout;
    int64_t query = size_of(call, QUERY, layout, DIM_HEAD), key = size_of(call, KEY, layout, DIM_HEAD);
    geometry->heads = heads;
    if (heads < 1 || (attention_has_joint_heads(layout) ? query % heads != 0 : query != heads))
        return refuse(call, "headNum is %" PRId64 " and query has shape %s; its heads are expected", heads,
                      shape_text(TEXT, &call->tensor[0]));
    geometry->depth =
        attention_has_joint_heads(layout) ? query / heads : size_of(call, QUERY, layout, DIM_ELEMENT);
    if (attention_has_joint_heads(layout)) {
        const int64_t value = size_of(call, VALUE, layout, DIM_HEAD);
        geometry->key_heads = geometry->depth == 0 || key % geometry->depth != 0 ? 0 : key / geometry->depth;
        if (geometry->key_heads > 0 && value % geometry->key_heads == 0)
            geometry->value_depth = value / geometry->key_heads;
        else
            geometry->key_heads = 0;
    } else {
        geometry->key_heads = key;
        geometry->value_depth = size_of(call, VALUE, layout, DIM_ELEMENT);
    }
    if (geometry->key_heads < 1 || heads % geometry->key_heads != 0)
        return refuse(call,
                      "key has shape %s and value %s with %" PRId64 " heads of %" PRId64
                      " elements in query; a divisor of these heads is expected",
                      shape_text(TEXT, &call->tensor[attention_parameter(call, KEY)]),
                      shape_text(TEXT, &call->tensor[attention_parameter(call, VALUE)]), heads,
                      geometry->depth);
    return ACLNN_SUCCESS;
}

struct shape attention_shape(const struct attention_geometry *geometry, int64_t heads, int64_t rows,
                             int64_t depth)
{
    const uint8_t *dim = dims[geometry->layout];
    struct shape shape = {.rank = attention_rank(geometry->layout)};
    const bool is_joint = attention_has_joint_heads(geometry->layout);
    if (dim[DIM_BATCH] != NOWHERE)
        shape.dim[dim[DIM_BATCH]] = geometry->batches;
    shape.dim[dim[DIM_ROW]] = rows;
    shape.dim[dim[DIM_ELEMENT]] = depth;
    shape.dim[dim[DIM_HEAD]] = is_joint ? heads * depth : heads;
    if (geometry->layout == LAYOUT_TILES) {
        shape.dim[2] = (depth + geometry->tile - 1) / geometry->tile;
        shape.dim[dim[DIM_ELEMENT]] = geometry->tile;
    }
    return shape;
}

static aclnnStatus check_shape(const struct call *call, unsigned parameter, struct shape shape)
{
    const struct tensor_view *view = &call->tensor[parameter];
    return dims_are_same(view->rank, view->shape, shape.rank, shape.dim)
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; %s is expected", call_name(call, parameter),
                        shape_text(TEXT, view), dims_text(TEXT, shape.rank, shape.dim));
}

struct shape attention_statistics_shape(const struct attention_geometry *geometry)
{
    struct shape shape = {.rank = 4,
                          .dim = {geometry->batches, geometry->heads, geometry->rows, geometry->repeats}};
    if (geometry->layout == LAYOUT_TND)
        shape = (struct shape){.rank = 3, .dim = {geometry->rows, geometry->heads, geometry->repeats}};
    return shape;
}

/* The scales of quantised operands: by batch, head and block of rows or keys, and maybe dims of 1. */
static aclnnStatus check_blocks(const struct call *call, const struct attention_geometry *geometry)
{
    for (enum attention_tensor i = QUERY_BLOCKS; i <= DY_BLOCKS; i++) {
        const unsigned parameter = attention_parameter(call, i);
        const bool is_of_keys = i == KEY_BLOCKS || i == VALUE_BLOCKS;
        const int64_t size = is_of_keys ? SCALED_KEYS : SCALED_QUERIES,
                      count = is_of_keys ? geometry->keys : geometry->rows,
                      wanted[] = {geometry->batches, is_of_keys ? geometry->key_heads : geometry->heads,
                                  count / size + (count % size != 0), 1};
        if (parameter == NOWHERE)
            continue;
        const struct tensor_view *view = &call->tensor[parameter];
        if ((view->rank != 3 && view->rank != 4) ||
            !dims_are_same(view->rank, view->shape, view->rank, wanted))
            return refuse(call,
                          "%s has shape %s; [%" PRId64 ", %" PRId64 ", %" PRId64
                          "], a scale for each batch, head and %" PRId64 " rows, is expected",
                          call_name(call, parameter), shape_text(TEXT, view), wanted[0], wanted[1], wanted[2],
                          size);
    }
    return ACLNN_SUCCESS;
}

/* key, value and what the function has beside them. */
static aclnnStatus check_operands(const struct call *call, struct attention_geometry *geometry)
{
    const struct attention_form *form = attention_form_of(call);
    const int64_t heads = geometry->heads, key_heads = geometry->key_heads;
    TRY(check_shape(call, attention_parameter(call, KEY),
                    attention_shape(geometry, key_heads, geometry->keys, geometry->depth)));
    TRY(check_shape(call, attention_parameter(call, VALUE),
                    attention_shape(geometry, key_heads, geometry->keys, geometry->value_depth)));
    if (form->rope != NOWHERE) {
        const unsigned query_rope = form->rope, key_rope = attention_parameter(call, KEY_ROPE);
        if (attention_was_given(call, query_rope) != attention_was_given(call, key_rope))
            return refuse(call, "only one of queryRope and keyRope was given; both or none are expected");
        if (attention_was_given(call, query_rope)) {
            const struct tensor_view *view = &call->tensor[query_rope];
            const int64_t last = view->rank == 0 ? 0 : view->shape[view->rank - 1];
            geometry->rope_depth = attention_has_joint_heads(geometry->layout) ? last / heads : last;
            TRY(check_shape(call, query_rope,
                            attention_shape(geometry, heads, geometry->rows, geometry->rope_depth)));
            TRY(check_shape(call, key_rope,
                            attention_shape(geometry, key_heads, geometry->keys, geometry->rope_depth)));
        }
    }
    if (form->is_gradient) {
        const struct shape rows = attention_shape(geometry, heads, geometry->rows, geometry->value_depth);
        TRY(check_shape(call, attention_parameter(call, DY), rows));
        TRY(check_shape(call, attention_parameter(call, MAXIMUM), attention_statistics_shape(geometry)));
        TRY(check_shape(call, attention_parameter(call, SUM), attention_statistics_shape(geometry)));
        TRY(check_shape(call, attention_parameter(call, OUT), rows));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus attention_geometry_of(const struct call *call, struct attention_geometry *geometry)
{
    *geometry = (struct attention_geometry){0};
    TRY(find_layout(call, &geometry->layout));
    TRY(check_ranks(call, geometry));
    geometry->batches = size_of(call, QUERY, geometry->layout, DIM_BATCH);
    geometry->rows = size_of(call, QUERY, geometry->layout, DIM_ROW);
    geometry->keys = size_of(call, KEY, geometry->layout, DIM_ROW);
    geometry->repeats = attention_form_of(call)->is_quantised ? 1 : STATISTIC_REPEATS;
    TRY(find_heads(call, geometry));
    TRY(check_operands(call, geometry));
    return check_blocks(call, geometry);
}

aclnnStatus attention_check_depths(const struct call *call, const struct attention_geometry *geometry)
{
    const int64_t most = INT64_C(1) << 24,
                  depth[] = {geometry->depth, geometry->rope_depth, geometry->value_depth};
    for (int i = 0; i < 3; i++)
        if (depth[i] > most)
            return refuse(call, "a head has %" PRId64 " elements; at most %" PRId64 " are expected", depth[i],
                          most);
    return ACLNN_SUCCESS;
}

struct attention_view attention_view_in(const struct tensor_view *view, uint32_t address,
                                        enum attention_layout layout, int64_t heads)
{
    const uint8_t *dim = dims[layout];
    struct attention_view result = {.operand = operand_of_view(view, address)};
    if (dim[DIM_BATCH] != NOWHERE)
        result.batch = view->stride[dim[DIM_BATCH]];
    result.row = view->stride[dim[DIM_ROW]];
    result.element = view->stride[dim[DIM_ELEMENT]];
    result.head = view->stride[dim[DIM_HEAD]];
    if (attention_has_joint_heads(layout))
        result.head *= view->shape[dim[DIM_HEAD]] / heads;
    if (layout == LAYOUT_TILES) {
        result.tile = (uint32_t)view->shape[dim[DIM_ELEMENT]];
        result.tile_step = view->stride[2];
    }
    return result;
}

struct attention_view attention_view_of_scores(const struct tensor_view *view, uint32_t address)
{
    int64_t stride[4] = {0};
    for (uint32_t i = 0; i < 4 && i < view->rank; i++)
        if (view->shape[view->rank - 1 - i] != 1)
            stride[3 - i] = view->stride[view->rank - 1 - i];
    return (struct attention_view){.operand = operand_of_view(view, address),
                                   .batch = stride[0],
                                   .head = stride[1],
                                   .row = stride[2],
                                   .element = stride[3]};
}

/* i + number, where the number may be as large as it likes. */
static int64_t clamp(int64_t number)
{
    const int64_t most = INT64_C(1) << 60;
    return number > most ? most : number < -most ? -most : number;
}

void attention_bounds(const struct attention_window *window, uint64_t number, bool is_first, bool is_last,
                      struct attention_sequence *sequence)
{
    enum { DEFAULT, ALL, FROM_START, FROM_END, BAND, PREFIX, COMPRESSED_PREFIX, BAND_LAST, BAND_FIRST };
    const int64_t apart = (int64_t)sequence->keys - (int64_t)sequence->rows;
    const int64_t pre = clamp(window->pre), next = clamp(window->next);
    sequence->lower = sequence->last = clamp(INT64_MIN);
    sequence->upper = clamp(INT64_MAX);
    if (!window->has_mask)
        return;
    int64_t mode = window->mode;
    if (mode == BAND_LAST)
        mode = is_last ? BAND : FROM_END;
    else if (mode == BAND_FIRST)
        mode = is_first ? BAND : FROM_START;
    if (mode == DEFAULT) {
        sequence->lower = -pre;
        sequence->upper = next;
    } else if (mode == BAND) {
        sequence->lower = apart - pre;
        sequence->upper = apart + next;
    } else if (mode == FROM_START) {
        sequence->upper = 0;
    } else if (mode == FROM_END || mode == COMPRESSED_PREFIX) {
        sequence->upper = apart;
    }
    if (mode == COMPRESSED_PREFIX && window->prefixes > number)
        sequence->last = clamp(window->prefix[number]) - 1;
}

struct attention_window attention_window_of(const struct call *call)
{
    const struct attention_form *form = attention_form_of(call);
    struct attention_window window = {.mode = attention_mode(call),
                                      .pre = attention_argument(call, PRE_TOKENS)->int64,
                                      .next = attention_argument(call, NEXT_TOKENS)->int64};
    window.has_mask = attention_was_given(call, attention_parameter(call, MASK));
    window.prefixes = attention_numbers(call, form->prefix, &window.prefix);
    return window;
}

uint64_t attention_packed_sequences(const struct attention_window *window,
                                    const struct attention_geometry *geometry,
                                    const struct attention_ends *ends, struct attention_sequence *sequence)
{
    uint64_t count = ends->count, last = 0, elements = 0;
    while (count > 0 && ends->row[count - 1] == 0) /* no part of anything */
        count--;
    if (sequence == NULL)
        return count + 1;
    int64_t row = 0, key = 0;
    for (uint64_t b = 0; b < count; b++)
        if (ends->row[b] > (b > 0 ? ends->row[b - 1] : 0))
            last = b;
    for (uint64_t b = 0; b <= count; b++) {
        const bool is_apart = b == count;
        const int64_t next_row = is_apart ? geometry->rows : ends->row[b],
                      next_key = is_apart ? geometry->keys : ends->key[b];
        sequence[b] = (struct attention_sequence){.row = (uint64_t)row,
                                                  .key = (uint64_t)key,
                                                  .rows = (uint64_t)(next_row - row),
                                                  .keys = (uint64_t)(next_key - key),
                                                  .elements_before = elements,
                                                  .is_apart = is_apart};
        attention_bounds(window, b, b == 0, b == last, &sequence[b]);
        elements += (uint64_t)geometry->heads * sequence[b].rows * sequence[b].keys;
        row = next_row;
        key = next_key;
    }
    return count + 1;
}

uint64_t attention_sequences(const struct call *call, const struct attention_geometry *geometry,
                             struct attention_sequence *sequence)
{
    const struct attention_form *form = attention_form_of(call);
    const struct attention_window window = attention_window_of(call);
    if (geometry->layout == LAYOUT_TND) {
        struct attention_ends ends = {.count = 0};
        ends.count = attention_numbers(call, form->lengths, &ends.row);
        attention_numbers(call, form->lengths + 1U, &ends.key);
        return attention_packed_sequences(&window, geometry, &ends, sequence);
    }
    if (window.mode != 6 || window.prefixes != (uint64_t)geometry->batches)
        return 0;
    for (uint64_t b = 0; sequence != NULL && b < window.prefixes; b++) {
        sequence[b] = (struct attention_sequence){.batch = b};
        sequence[b].rows = (uint64_t)geometry->rows;
        sequence[b].keys = (uint64_t)geometry->keys;
        sequence[b].elements_before = b * (uint64_t)(geometry->heads * geometry->rows * geometry->keys);
        attention_bounds(&window, b, false, false, &sequence[b]);
    }
    return window.prefixes;
}
