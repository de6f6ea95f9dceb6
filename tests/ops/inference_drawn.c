/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/attempt.h"
#include "ops/inference_drawn.h"

bool is_packed(const struct inference_case *of)
{
    return strchr(of->layout, 'T') != NULL;
}

const char *layout_of(const struct inference_case *of, bool is_output)
{
    static char input[8];
    const char *line = strchr(of->layout, '_');
    if (line == NULL || is_output)
        return line == NULL ? of->layout : line + 1;
    snprintf(input, sizeof input, "%.*s", (int)(line - of->layout), of->layout);
    return input;
}

/* Elements of a tile, of which pages in the layout BNESt have E for each head. */
static int64_t tile_of(aclDataType dtype)
{
    return dtype == ACL_INT8 ? 32 : dtype == F32 ? 8 : 16;
}

/* Of any strides, with numbers up to a size. */
static struct layout fresh(aclDataType dtype, unsigned rank, const int64_t *shape, double size)
{
    struct layout layout = layout_create(dtype, rank, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
    layout_fill(&layout, size, false);
    return layout;
}

/* A tensor in a layout of attention, whose elements (b, n, s, d) are found by number. */
static struct layout in_layout(const struct inference_case *of, const char *layout, aclDataType dtype,
                               int64_t b, int64_t n, int64_t s, int64_t d)
{
    int64_t shape[LAYOUT_RANK_MAX];
    unsigned rank = 0;
    for (const char *letter = layout; *letter != 0; letter++)
        shape[rank++] = *letter == 'B'   ? b
                        : *letter == 'N' ? n
                        : *letter == 'D' ? d
                        : *letter == 'H' ? n * d
                        : *letter == 'E' ? (d + tile_of(dtype) - 1) / tile_of(dtype)
                        : *letter == 't' ? tile_of(dtype)
                                         : s;
    if (!of->is_plain)
        return fresh(dtype, rank, shape, 1);
    struct layout plain = layout_create(dtype, rank, shape, LAYOUT_CONTIGUOUS);
    layout_fill(&plain, 1, false);
    return plain;
}

double number(const struct layout *layout, int64_t index)
{
    double value;
    conversion_reference(layout_element(layout, index), layout->dtype, &value, ACL_DOUBLE);
    return value;
}

int64_t index_of(const char *layout, const struct layout *tensor, const int64_t *at)
{
    int64_t index = 0;
    for (unsigned i = 0; layout[i] != 0; i++) {
        const int64_t size = tensor->shape[i], last = tensor->shape[tensor->rank - 1];
        index = index * size + (layout[i] == 'B'   ? at[0]
                                : layout[i] == 'N' ? at[1]
                                : layout[i] == 'D' ? at[3]
                                : layout[i] == 'H' ? at[1] * (size / at[4]) + at[3]
                                : layout[i] == 'E' ? at[3] / last
                                : layout[i] == 't' ? at[3] % last
                                                   : at[2]);
    }
    return index;
}

const char *layout_of_keys(const struct inference_case *of)
{
    return of->page == 0              ? layout_of(of, false)
           : of->has_tiles            ? "BNESt"
           : of->joins_heads_of_pages ? "BSH"
                                      : "BNSD";
}

static void set_number(const struct layout *layout, int64_t index, double value)
{
    conversion_reference(&value, ACL_DOUBLE, layout_element(layout, index), layout->dtype);
}

/* What no row sees is NaN. */
static void hide_end(const struct drawn *drawn)
{
    const struct inference_case *of = drawn->of;
    const int64_t seen = of->keys - of->unseen;
    for (int64_t i = 0; of->unseen > 0 && i < of->heads * of->rows; i++)
        for (int64_t j = seen - (of->rows - 1 - i % of->rows); j < of->keys; j++)
            set_number(&drawn->pse, i * (of->keys + 3) + j, -(double)INFINITY);
    for (int64_t b = 0; b < of->batches; b++)
        for (int64_t h = 0; h < of->key_heads; h++)
            for (int64_t j = seen; j < of->keys; j++)
                for (int64_t d = 0; d < of->depth; d++)
                    set_number(drawn->key,
                               index_of(layout_of_keys(of), drawn->key, DIMS(b, h, j, d, of->key_heads)),
                               (double)NAN);
}

struct drawn draw(const struct inference_case *of)
{
    struct drawn drawn = {.of = of, .members = of->has_members ? of->batches : 1};
    const int64_t b = of->batches, n = of->heads, m = of->key_heads, s = of->rows, t = of->keys;
    const char *out = layout_of(of, true), *in = layout_of(of, false);
    drawn.query = in_layout(of, in, of->dtype, b, n, s, of->depth);
    drawn.out = in_layout(of, out, of->dtype, b, n, s, of->value_depth);
    drawn.query_rope = in_layout(of, in, of->dtype, b, n, s, of->rope);
    const int64_t columns = of->page > 0 ? t / of->page : 1, tabled = is_packed(of) ? of->row_lengths + 1 : b;
    drawn.pages = of->page > 0 ? tabled * columns + 3 : 0;
    const char *paged = layout_of_keys(of);
    const aclDataType keys_are = of->has_int8_keys ? ACL_INT8 : of->dtype;
    drawn.key_rope = in_layout(of, paged, of->dtype, of->page > 0 ? drawn.pages : b, m,
                               of->page > 0 ? of->page : t, of->rope);
    for (int64_t i = 0; i < drawn.members; i++) {
        const int64_t batches = of->page > 0      ? drawn.pages
                                : of->has_members ? 1
                                                  : b,
                      keys = of->page > 0 ? of->page : t;
        drawn.key[i] = in_layout(of, paged, keys_are, batches, m, keys, of->depth);
        drawn.value[i] = in_layout(of, paged, keys_are, batches, m, keys, of->value_depth);
        if (of->has_int8_keys) {
            layout_fill(&drawn.key[i], 100, false);
            layout_fill(&drawn.value[i], 100, false);
        }
    }
    for (int i = 0; i < 4; i++) {
        const int64_t depth = i < 2 ? of->depth : of->value_depth, apart[] = {m, 1, depth},
                      joint[] = {m * depth};
        drawn.scale[i] = random_below(2) == 0 ? fresh(of->dtype, 3, apart, i % 2 == 0 ? 0.02 : 5)
                                              : fresh(of->dtype, 1, joint, i % 2 == 0 ? 0.02 : 5);
    }
    drawn.sink = fresh(random_below(2) == 0 ? F32 : B16, 1, &n, 2);
    const int64_t tables[] = {tabled, columns}, one[] = {1}, pse[] = {1, n, s, t + 3};
    drawn.table = fresh(ACL_INT32, 2, tables, 0);
    for (int64_t i = 0; i < drawn.table.count; i++) {
        const int32_t page = (int32_t)((i * 5 + 2) % (drawn.pages > 0 ? drawn.pages : 1));
        memcpy(layout_element(&drawn.table, i), &page, sizeof page);
    }
    drawn.padding = fresh(ACL_INT64, 1, one, 0);
    const int64_t padding = of->padding - 1;
    memcpy(layout_element(&drawn.padding, 0), &padding, sizeof padding);
    drawn.pse = fresh(F16, 4, pse, 1);
    const int64_t masks[][4] = {{1, 1, 1, 1}, {s, t, 0, 0}, {b, s, t, 0}, {b, t, 0, 0}, {b, n, s, t}};
    const unsigned ranks[] = {1, 2, 3, 2, 4};
    drawn.mask = fresh(ACL_BOOL, ranks[of->mask], masks[of->mask], 0);
    const int64_t lse[] = {b, n, s, 1}, packed[] = {s, n, 1};
    drawn.lse = !of->has_lse    ? fresh(F16, 1, one, 1) /* of no account */
                : is_packed(of) ? fresh(F32, 3, packed, 1)
                                : fresh(F32, 4, lse, 1);
    hide_end(&drawn);
    return drawn;
}

void release_drawn(struct drawn *drawn)
{
    struct layout *all[] = {&drawn->query,    &drawn->out,   &drawn->pse,     &drawn->mask,
                            &drawn->lse,      &drawn->table, &drawn->padding, &drawn->query_rope,
                            &drawn->key_rope, &drawn->sink};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        layout_destroy(all[i]);
    for (int i = 0; i < 4; i++)
        layout_destroy(&drawn->scale[i]);
    for (int64_t i = 0; i < drawn->members; i++) {
        layout_destroy(&drawn->key[i]);
        layout_destroy(&drawn->value[i]);
    }
}

union argument argument_named(const struct drawn *drawn, const struct parameter *parameter)
{
    const struct inference_case *of = drawn->of;
    const char *name = parameter->name;
    const bool is_incre = strstr(of->api, "Incre") != NULL;
    const struct {
        const char *name;
        const struct layout *layout;
        bool is_given;
    } tensors[] = {
        {"query", &drawn->query, true},
        {"pseShiftOptional", &drawn->pse, of->has_pse},
        {"attenMaskOptional", &drawn->mask, of->mask != NO_MASK},
        {"blockTableOptional", &drawn->table, of->page > 0},
        {"kvPaddingSizeOptional", &drawn->padding, of->padding > 0},
        {"queryRopeOptional", &drawn->query_rope, of->rope > 0},
        {"keyRopeOptional", &drawn->key_rope, of->rope > 0},
        {"learnableSinkOptional", &drawn->sink, of->has_sink},
        {"keyAntiquantScaleOptional", &drawn->scale[0], of->has_int8_keys},
        {"keyAntiquantOffsetOptional", &drawn->scale[1], of->has_int8_keys && of->has_sink},
        {"valueAntiquantScaleOptional", &drawn->scale[2], of->has_int8_keys},
        {"valueAntiquantOffsetOptional", &drawn->scale[3], of->has_int8_keys && of->has_sink},
        {"attentionOut", &drawn->out, true},
        {"softmaxLse", &drawn->lse, of->has_lse || random_below(2) == 0},
    };
    const struct {
        const char *name;
        union argument value;
    } values[] = {
        {"numHeads", argument_of_integer(of->heads)},
        {"scaleValue", argument_of_fp64(0.3)},
        {"preTokens", argument_of_integer(of->pre)},
        {"nextTokens", argument_of_integer(of->next)},
        {"inputLayout", argument_of_pointer(of->layout)},
        {"numKeyValueHeads", argument_of_integer(of->key_heads == of->heads ? 0 : of->key_heads)},
        {"sparseMode", argument_of_integer(of->mode)},
        {"blockSize", argument_of_integer(of->page)},
        {"softmaxLseFlag", argument_of_bool(of->has_lse)},
    };
    for (unsigned i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        if (strcmp(tensors[i].name, name) == 0)
            return argument_of_pointer(tensors[i].is_given ? tensors[i].layout->tensor : NULL);
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    if (strcmp(name, "key") == 0 || strcmp(name, "value") == 0) {
        const struct layout *layout = strcmp(name, "key") == 0 ? drawn->key : drawn->value;
        const aclTensor *tensor[BATCHES_MAX];
        for (int64_t i = 0; i < drawn->members; i++)
            tensor[i] = layout[i].tensor;
        return parameter->kind == PARAMETER_TENSOR
                   ? argument_of_pointer(tensor[0])
                   : argument_of_pointer(aclCreateTensorList(tensor, (uint64_t)drawn->members));
    }
    if (strcmp(name, "actualSeqLengthsKvOptional") == 0 ||
        (is_incre && strcmp(name, "actualSeqLengthsOptional") == 0))
        return argument_of_pointer(
            of->key_lengths > 0 ? aclCreateIntArray(of->key_length, (uint64_t)of->key_lengths) : NULL);
    if (strcmp(name, "actualSeqLengthsOptional") == 0)
        return argument_of_pointer(
            of->row_lengths > 0 ? aclCreateIntArray(of->row_length, (uint64_t)of->row_lengths) : NULL);
    return argument_of_integer(0);
}
