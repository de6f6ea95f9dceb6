/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of the sums by which a row chooses its keys, of the chosen ones alone. A task has the rows of a
 * sequence, and adds up the gradients of its keys in doubles, in their order.
 */
#include "aclnnop/aclnn_lightning_indexer_grad.h"

#include <string.h>

#include "ops/attention/chosen_keys.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 800 };

#define INDEXER_GRAD(X, of)                                                                           \
    X(of, IN, query, &dtypes_fp16_bf16, .sample = "2x2x2x4:FLOAT16", .is_partly_read = true)          \
    X(of, IN, key, &dtypes_fp16_bf16, .sample = "2x3x1x4:FLOAT16", .is_partly_read = true)            \
    X(of, IN, dy, &dtypes_fp32_fp16_bf16, .sample = "2x2x2:FLOAT16", .is_partly_read = true)          \
    X(of, IN, sparseIndices, &dtypes_int32_int64, .sample = "2x2x2:INT32", .is_partly_read = true)    \
    X(of, IN, weights, &dtypes_fp32_fp16_bf16, .sample = "2x2x2:FLOAT16", .is_partly_read = true)     \
    X(of, IN, actualSeqLengthsQueryOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32") \
    X(of, IN, actualSeqLengthsKeyOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32")   \
    X(of, INT64, headNum, .usual = "2")                                                               \
    X(of, TEXT, layout, .usual = "BSND")                                                              \
    X(of, INT64, sparseMode, .usual = "3")                                                            \
    X(of, INT64, preTokens, .usual = "9223372036854775807")                                           \
    X(of, INT64, nextTokens, .usual = "9223372036854775807")                                          \
    X(of, BOOL, deterministic, .usual = "true")                                                       \
    X(of, OUT, dQueryOut, &dtypes_fp16_bf16)                                                          \
    X(of, OUT, dKeyOut, &dtypes_fp16_bf16)                                                            \
    X(of, OUT, dWeightsOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(INDEXER_GRAD)
#define AT(name) INDEXER_GRAD_##name

/* Without blocks there is no table: the place is that of an input that is not read as one. */
static const struct chosen_places places = {.query = AT(query),
                                            .key = AT(key),
                                            .lengths = AT(actualSeqLengthsQueryOptional),
                                            .key_lengths = AT(actualSeqLengthsKeyOptional),
                                            .table = AT(sparseIndices),
                                            .layout = AT(layout),
                                            .key_layout = AT(layout),
                                            .mode = AT(sparseMode)};

struct indexer_grad {
    struct chosen_keys keys;
    uint64_t chosen;
};

/* A tensor with the rows of query, maybe 1, and as many numbers as it likes, or so many. */
static aclnnStatus check_rows(const struct call *call, unsigned parameter, int64_t last)
{
    const struct tensor_view *view = &call->tensor[parameter], *query = &call->tensor[AT(query)];
    const uint32_t rows = query->rank - 2;
    bool fits = view->rank == rows + 1 || (view->rank == rows + 2 && view->shape[rows] == 1);
    for (uint32_t i = 0; fits && i < rows; i++)
        fits = view->shape[i] == query->shape[i];
    TRY(check_dtype(call, parameter));
    return fits && (last < 0 || view->shape[view->rank - 1] == last)
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; numbers for each row of query, of shape %s, are expected",
                        call_name(call, parameter), shape_text(TEXT, view), shape_text(TEXT, query));
}

static aclnnStatus read_call(const struct call *call, struct indexer_grad *grad)
{
    const struct tensor_view *indices = &call->tensor[AT(sparseIndices)];
    TRY(chosen_read(call, &places, &grad->keys));
    TRY(check_rows(call, AT(sparseIndices), -1));
    grad->chosen = (uint64_t)indices->shape[indices->rank - 1];
    TRY(check_rows(call, AT(dy), (int64_t)grad->chosen));
    TRY(check_rows(call, AT(weights), (int64_t)grad->keys.heads));
    return grad->keys.key_heads == 1 ? ACLNN_SUCCESS
                                     : refuse(call, "key has shape %s; one head is expected",
                                              shape_text(TEXT, &call->tensor[AT(key)]));
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct indexer_grad grad;
    static const uint8_t like[] = {AT(query), AT(key), AT(weights)};
    TRY(read_call(call, &grad));
    result->computed = call_dtype(call, AT(query));
    for (unsigned i = 0; i < sizeof like; i++)
        result_add(result, call_dtype(call, like[i]), DTYPE_EQUAL)->like = like[i];
    return ACLNN_SUCCESS;
}

static int start(struct task *task)
{
    return chosen_check(task, &((const struct indexer_grad *)task->parameters)->keys);
}

/* What a task keeps. */
struct room {
    double *d_keys, *query, *d_query, *weight, *d_weight, *key;
};

/* What a chosen key adds to the gradients of a row and to its own. */
static void add_key(const struct task *task, const struct room *room, uint64_t index, double dy)
{
    const struct chosen_keys *keys = &((const struct indexer_grad *)task->parameters)->keys;
    for (uint64_t n = 0; n < keys->heads; n++) {
        const double *query = room->query + n * keys->depth,
                     score = task->maths->dot(query, room->key, keys->depth), slope = dy * room->weight[n];
        room->d_weight[n] += dy * (score < 0 ? 0 : score);
        if (score < 0)
            continue;
        task->maths->add_scaled(room->d_query + n * keys->depth, room->key, slope, keys->depth);
        task->maths->add_scaled(room->d_keys + index * keys->depth, query, slope, keys->depth);
    }
}

static void take_row(const struct task *task, const struct room *room, uint64_t number)
{
    const struct indexer_grad *grad = task->parameters;
    const struct chosen_keys *keys = &grad->keys;
    const struct chosen_row row = chosen_row_of(task, keys, number);
    const uint64_t elements = keys->heads * keys->depth;
    memset(room->d_query, 0, elements * sizeof(double));
    memset(room->d_weight, 0, keys->heads * sizeof(double));
    if (!row.is_none) {
        task_read(task, AT(query), number * elements, elements, room->query);
        task_read(task, AT(weights), number * keys->heads, keys->heads, room->weight);
    }
    for (uint64_t i = 0; !row.is_none && i < grad->chosen; i++) {
        const int64_t index = task_integer(task, AT(sparseIndices), number * grad->chosen + i);
        if (index < 0 || index >= row.keys)
            continue;
        task_read(task, AT(key), (row.first_key + (uint64_t)index) * keys->depth, keys->depth, room->key);
        add_key(task, room, (uint64_t)index, task_number(task, AT(dy), number * grad->chosen + i));
    }
    task_write(task, AT(dQueryOut), number * elements, elements, room->d_query);
    task_write(task, AT(dWeightsOut), number * keys->heads, keys->heads, room->d_weight);
}

static void take_sequence(const struct task *task, uint64_t batch)
{
    const struct chosen_keys *keys = &((const struct indexer_grad *)task->parameters)->keys;
    const uint64_t elements = keys->heads * keys->depth;
    const struct room room = {
        .d_keys = task->room,
        .query = task->room + keys->key_rows * keys->depth,
        .d_query = task->room + keys->key_rows * keys->depth + elements,
        .weight = task->room + keys->key_rows * keys->depth + 2 * elements,
        .d_weight = task->room + keys->key_rows * keys->depth + 2 * elements + keys->heads,
        .key = task->room + keys->key_rows * keys->depth + 2 * elements + 2 * keys->heads};
    uint64_t row, end, key, last;
    chosen_range(task, keys, keys->at.lengths, batch, keys->rows, &row, &end);
    chosen_range(task, keys, keys->at.key_lengths, batch, keys->key_rows, &key, &last);
    memset(room.d_keys, 0, (last - key) * keys->depth * sizeof(double));
    for (; row < end; row++)
        take_row(task, &room, row);
    task_write(task, AT(dKeyOut), key * keys->depth, (last - key) * keys->depth, room.d_keys);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct indexer_grad grad;
    (void)result;
    TRY(read_call(call, &grad));
    const struct chosen_keys *keys = &grad.keys;
    const uint64_t elements = keys->heads * keys->depth;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = take_sequence,
                  .start = start,
                  .count = keys->batches,
                  .task_ns = keys->rows * grad.chosen * elements * ELEMENT_PS / 1000 + 1000,
                  .room = keys->key_rows * keys->depth + 2 * elements + 2 * keys->heads + keys->depth,
                  .parameters = &grad,
                  .parameter_bytes = sizeof grad});
}

FUNCTION_OF(aclnnLightningIndexerGrad, INDEXER_GRAD, .stem = "lightning_indexer_grad",
            .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
