/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Blocks of keys that lists or masks name: the arguments, and their checks.
 */
#include "ops/attention/named_blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/attention/attention.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 700 };

static aclnnStatus check_shape(const struct call *call, unsigned parameter, struct shape shape)
{
    const struct tensor_view *view = &call->tensor[parameter];
    bool fits = view->rank == shape.rank;
    for (uint32_t i = 0; fits && i < shape.rank; i++)
        fits = view->shape[i] == shape.dim[i];
    return fits ? ACLNN_SUCCESS
                : refuse(call, "%s has shape %s; %s is expected", call_name(call, parameter),
                         shape_text(TEXT, view), dims_text(TEXT, shape.rank, shape.dim));
}

/* What has rows of the query: the shape of its heads with so many elements. */
static struct shape rows_shape(const struct call *call, const struct named *named, uint64_t elements)
{
    struct shape shape = shape_of(&call->tensor[named->form->query]);
    shape.dim[shape.rank - 1] = (int64_t)elements;
    return shape;
}

static aclnnStatus read_layout(const struct call *call, struct named *named)
{
    const struct named_form *form = named->form;
    const char *text = call->argument[form->layout].string;
    named->is_packed = strcmp(text, "TND") == 0;
    if (!named->is_packed && (!form->by_mask || strcmp(text, "BNSD") != 0))
        return refuse(call, "%s is \"%s\"; %s is expected", call_name(call, form->layout), text,
                      form->by_mask ? "TND or BNSD" : "TND");
    if (form->by_mask && strcmp(call->argument[form->layout + 1].string, text) != 0)
        return refuse(call, "%s is \"%s\"; %s is expected, as of query", call_name(call, form->layout + 1U),
                      call->argument[form->layout + 1].string, text);
    return ACLNN_SUCCESS;
}

/* query, key and value: sequences, heads and elements. */
static aclnnStatus read_operands(const struct call *call, struct named *named)
{
    const struct named_form *form = named->form;
    const struct tensor_view *query = &call->tensor[form->query], *key = query + 1, *value = query + 2;
    const uint32_t rank = named->is_packed ? 3 : 4, row = named->is_packed ? 0 : 2;
    const int64_t heads = call->argument[form->heads].int64;
    bool fits = query->rank == rank && key->rank == rank && value->rank == rank;
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = (i + 1 == rank || key->shape[i] == value->shape[i]) &&
               (i == 1 || i == row || (i + 1 == rank ? query : value)->shape[i] == key->shape[i]) &&
               (i != 0 || named->is_packed || query->shape[0] == key->shape[0]);
    if (!fits || key->shape[1] < 1 || query->shape[1] % key->shape[1] != 0)
        return refuse(
            call,
            "query has shape %s, key %s and value %s; ranks of %u, one batch, heads of key that divide "
            "those of query, and as many elements of query and key are expected",
            shape_text(TEXT, query), shape_text(TEXT, key), shape_text(TEXT, value), rank);
    named->heads = (uint64_t)query->shape[1];
    named->key_heads = (uint64_t)key->shape[1];
    if (heads != (int64_t)(form->by_mask ? named->key_heads : named->heads))
        return refuse(call, "%s is %" PRId64 "; %" PRIu64 ", the heads of %s, is expected",
                      call_name(call, form->heads), heads, form->by_mask ? named->key_heads : named->heads,
                      form->by_mask ? "key" : "query");
    named->rows = (uint64_t)query->shape[row];
    named->keys = (uint64_t)key->shape[row];
    named->lists = form->by_mask ? named->heads : named->key_heads;
    named->group = named->heads / named->lists;
    named->over = (struct over_keys){.query = form->query,
                                     .key = (uint8_t)(form->query + 1),
                                     .value = (uint8_t)(form->query + 2),
                                     .depth = (uint64_t)query->shape[rank - 1],
                                     .wide = (uint64_t)value->shape[rank - 1],
                                     .scale = call->argument[form->scale].fp64};
    return ACLNN_SUCCESS;
}

/* The numbers of a list of lengths: those of each sequence by mask, else where they end. */
static aclnnStatus read_lengths(const struct call *call, struct named *named)
{
    const struct named_form *form = named->form;
    const struct call_values *lengths[] = {&call->values[form->lengths], &call->values[form->lengths + 1]};
    const bool has[] = {call_has(call, form->lengths) && lengths[0]->count > 0,
                        call_has(call, form->lengths + 1U) && lengths[1]->count > 0};
    named->sequences =
        named->is_packed ? has[0] ? lengths[0]->count : 0 : (uint64_t)call->tensor[form->query].shape[0];
    named->most_rows = named->is_packed ? 0 : named->rows;
    named->most_keys = named->is_packed ? 0 : named->keys;
    for (unsigned i = 0; i < 2; i++) {
        const int64_t most = (int64_t)(i == 0 ? named->rows : named->keys);
        int64_t sum = 0;
        if ((named->is_packed && !has[i]) || (has[i] && lengths[i]->count != named->sequences))
            return refuse(
                call, "%s has %" PRIu64 " numbers; one for each of %" PRIu64 " sequences is expected",
                call_name(call, form->lengths + i), has[i] ? lengths[i]->count : 0, named->sequences);
        for (uint64_t b = 0; has[i] && b < named->sequences; b++) {
            const int64_t number = lengths[i]->value.int64[b], length = form->by_mask ? number : number - sum;
            if (number < 0 || length < 0 || length > most - (named->is_packed ? sum : 0))
                return refuse(call, "%s has %" PRId64 " at [%" PRIu64 "]; %" PRId64 " %s are expected in all",
                              call_name(call, form->lengths + i), number, b, most, i == 0 ? "rows" : "keys");
            sum += named->is_packed ? length : 0;
            uint64_t *greatest = i == 0 ? &named->most_rows : &named->most_keys;
            if (named->is_packed && (uint64_t)length > *greatest)
                *greatest = (uint64_t)length;
        }
    }
    return ACLNN_SUCCESS;
}

static void set_sequences(const struct call *call, const struct named *named, struct named_sequence *sequence)
{
    const struct named_form *form = named->form;
    int64_t row = 0, key = 0;
    for (uint64_t b = 0; b < named->sequences; b++) {
        int64_t length[2] = {(int64_t)named->rows, (int64_t)named->keys};
        for (unsigned i = 0; i < 2; i++)
            if (call_has(call, form->lengths + i) && call->values[form->lengths + i].count > 0)
                length[i] = call->values[form->lengths + i].value.int64[b] - (form->by_mask ? 0
                                                                              : i == 0      ? row
                                                                                            : key);
        sequence[b] = (struct named_sequence){.row = row, .rows = length[0], .key = key, .keys = length[1]};
        row += named->is_packed ? length[0] : 0;
        key += named->is_packed ? length[1] : 0;
    }
}

static aclnnStatus read_lists(const struct call *call, struct named *named)
{
    const struct named_form *form = named->form;
    const int64_t block = call->argument[form->block].int64, count = call->argument[form->block + 1].int64,
                  mode = call->argument[form->mode].int64;
    if (block < 1 || count < 1 || (mode != 0 && mode != 2))
        return refuse(call,
                      "selectBlockSize is %" PRId64 ", selectBlockCount %" PRId64 " and sparseMode %" PRId64
                      "; 1 or more of each, and 0 or 2 are expected",
                      block, count, mode);
    named->is_causal = mode == 2;
    named->chosen = (uint64_t)count;
    named->block_keys = (uint64_t)block <= named->most_keys ? (uint64_t)block
                        : named->most_keys > 0              ? named->most_keys
                                                            : 1;
    return check_shape(
        call, form->names,
        (struct shape){.rank = 3, .dim = {(int64_t)named->rows, (int64_t)named->key_heads, count}});
}

static aclnnStatus read_mask(const struct call *call, struct named *named)
{
    const struct named_form *form = named->form;
    const struct tensor_view *mask = &call->tensor[form->names];
    const struct call_values *shape = &call->values[form->block];
    for (unsigned i = 0; i < 2; i++)
        if (form->refused[i] != NO_PLACE && call_has_elements(call, form->refused[i]))
            return refuse(call, "%s was given; NULL is expected", call_name(call, form->refused[i]));
    if (call->argument[form->mode].int64 != 0)
        return refuse(call, "%s is %" PRId64 "; 0 is expected", call_name(call, form->mode),
                      call->argument[form->mode].int64);
    if (shape->count != 2 || shape->value.int64[0] < 1 || shape->value.int64[1] < 1)
        return refuse(call, "blockShape has %" PRIu64 " numbers; two, of 1 or more, are expected",
                      shape->count);
    named->block_rows = (uint64_t)shape->value.int64[0];
    named->block_keys = (uint64_t)shape->value.int64[1];
    if (mask->rank != 4 || (uint64_t)mask->shape[0] != named->sequences ||
        (uint64_t)mask->shape[1] != named->heads ||
        (uint64_t)mask->shape[2] < (named->most_rows + named->block_rows - 1) / named->block_rows ||
        (uint64_t)mask->shape[3] < (named->most_keys + named->block_keys - 1) / named->block_keys)
        return refuse(call,
                      "blockSparseMask has shape %s; %" PRIu64 " sequences, %" PRIu64
                      " heads, and blocks for %" PRIu64 " rows and %" PRIu64 " keys are expected",
                      shape_text(TEXT, mask), named->sequences, named->heads, named->most_rows,
                      named->most_keys);
    named->row_blocks = (uint64_t)mask->shape[2];
    named->key_blocks = (uint64_t)mask->shape[3];
    named->chosen = named->key_blocks;
    return ACLNN_SUCCESS;
}

/* The shape of statistics: eight of each number, or one. */
static struct shape statistics_shape(const struct call *call, const struct named *named)
{
    return rows_shape(call, named, named->form->by_mask ? 1 : STATISTIC_REPEATS);
}

aclnnStatus named_read(const struct call *call, struct named *named)
{
    const struct named_form *form = call->function->of_family;
    *named = (struct named){.form = form};
    for (unsigned i = 0; i < form->outputs; i++)
        if (parameter_is_read(&call->function->parameter[i]) &&
            parameter_is_tensor(&call->function->parameter[i]) && call_has(call, i))
            TRY(check_dtype(call, i));
    for (unsigned i = 1; i <= 2; i++)
        TRY(check_same_dtype(call, form->query + i, form->query, NULL));
    TRY(read_layout(call, named));
    TRY(read_operands(call, named));
    TRY(read_lengths(call, named));
    TRY(form->by_mask ? read_mask(call, named) : read_lists(call, named));
    if (!form->is_gradient)
        return ACLNN_SUCCESS;
    TRY(check_same_dtype(call, form->out, form->query, NULL));
    TRY(check_same_dtype(call, form->d_out, form->query, NULL));
    TRY(check_shape(call, form->out, rows_shape(call, named, named->over.wide)));
    TRY(check_shape(call, form->d_out, rows_shape(call, named, named->over.wide)));
    if (form->maximum != NO_PLACE)
        TRY(check_shape(call, form->maximum, statistics_shape(call, named)));
    return check_shape(call, form->sum, statistics_shape(call, named));
}

static struct output *add(struct result *result, aclDataType dtype, struct shape shape)
{
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return output;
}

aclnnStatus named_infer(const struct call *call, struct result *result)
{
    struct named named;
    TRY(named_read(call, &named));
    const struct named_form *form = named.form;
    const struct shape out = rows_shape(call, &named, named.over.wide);
    result->computed = call_dtype(call, form->query);
    if (form->is_gradient) {
        for (unsigned i = 0; i < 3; i++)
            result_add(result, result->computed, DTYPE_EQUAL)->like = form->query + i;
        return ACLNN_SUCCESS;
    }
    if (form->by_mask) {
        add(result, result->computed, out);
        add(result, ACL_FLOAT, statistics_shape(call, &named))->is_unwanted =
            call->argument[form->lse_flag].int64 == 0;
        return ACLNN_SUCCESS;
    }
    add(result, ACL_FLOAT, statistics_shape(call, &named));
    add(result, ACL_FLOAT, statistics_shape(call, &named));
    add(result, result->computed, out);
    return ACLNN_SUCCESS;
}

aclnnStatus named_plan(const struct call *call, const struct result *result)
{
    struct named named;
    (void)result;
    TRY(named_read(call, &named));
    const uint64_t batches = named.is_packed ? 1 : named.sequences, most = named.chosen * named.block_keys,
                   elements = most * named.group * (named.over.depth + named.over.wide) * ELEMENT_PS / 1000;
    struct named_sequence *sequence = malloc((named.sequences + 1) * sizeof *sequence);
    if (sequence == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for its sequences",
                    call->function->operation.name);
    set_sequences(call, &named, sequence);
    const bool is_gradient = named.form->is_gradient;
    const aclnnStatus status = row_tasks_plan(
        call,
        &(struct row_tasks_request){
            .body = is_gradient ? named_take_sequence : named_take_row,
            .count = is_gradient ? named.sequences * named.key_heads : batches * named.rows * named.lists,
            .task_ns = is_gradient ? 3 * elements * named.most_rows + 1000 : elements + 300,
            .room = named_room(&named),
            .parameters = &named,
            .parameter_bytes = sizeof named,
            .numbers = (const int64_t *)(const void *)sequence,
            .number_count = named.sequences * sizeof *sequence / sizeof(int64_t)});
    free(sequence);
    return status;
}
