/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of attention over the keys that indices name. A task has the rows of a sequence that meet one head
 * of its keys, whose gradients it adds up in doubles, in the order of the rows.
 */
#include "aclnnop/aclnn_sparse_flash_attention_grad.h"

#include <inttypes.h>
#include <string.h>

#include "ops/attention/sparse_keys.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 1500 };

#define ROWS(X, of, name, sample_, ...) \
    X(of, IN, name, &dtypes_fp16_bf16, .sample = sample_, .is_partly_read = true, __VA_ARGS__)
#define GRADIENT(X, of, name)       X(of, OUT, name, &dtypes_fp16_bf16)
#define MAYBE_GRADIENT(X, of, name) X(of, OUT, name, &dtypes_fp16_bf16, .is_optional = true)
#define SPARSE_GRAD(X, of)                                                                            \
    ROWS(X, of, query, "2x2x2x4:FLOAT16", .is_optional = false)                                       \
    ROWS(X, of, key, "2x3x1x4:FLOAT16", .is_optional = false)                                         \
    ROWS(X, of, valueOptional, "2x3x1x4:FLOAT16", .is_optional = true)                                \
    X(of, IN, sparseIndices, &dtypes_int32, .sample = "2x2x1x2:INT32")                                \
    ROWS(X, of, dOut, "2x2x2x4:FLOAT16", .is_optional = false)                                        \
    ROWS(X, of, out, "2x2x2x4:FLOAT16", .is_optional = false)                                         \
    X(of, IN, softmaxMax, &dtypes_fp32, .sample = "2x1x2x2:FLOAT", .is_partly_read = true)            \
    X(of, IN, softmaxSum, &dtypes_fp32, .sample = "2x1x2x2:FLOAT", .is_partly_read = true)            \
    X(of, IN, actualSeqLengthsQueryOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32") \
    X(of, IN, actualSeqLengthsKvOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32")    \
    ROWS(X, of, queryRopeOptional, "2x2x2x2:FLOAT16", .is_optional = true)                            \
    ROWS(X, of, keyRopeOptional, "2x3x1x2:FLOAT16", .is_optional = true)                              \
    X(of, DOUBLE, scaleValue, .usual = "1")                                                           \
    X(of, INT64, sparseBlockSize, .usual = "1")                                                       \
    X(of, TEXT, layout, .usual = "BSND")                                                              \
    X(of, INT64, sparseMode, .usual = "3")                                                            \
    X(of, INT64, preTokens, .usual = "9223372036854775807")                                           \
    X(of, INT64, nextTokens, .usual = "9223372036854775807")                                          \
    X(of, BOOL, deterministic, .usual = "true")                                                       \
    GRADIENT(X, of, dQueryOut)                                                                        \
    GRADIENT(X, of, dKeyOut)                                                                          \
    GRADIENT(X, of, dValueOut)                                                                        \
    MAYBE_GRADIENT(X, of, dQueryRopeOut)                                                              \
    MAYBE_GRADIENT(X, of, dKeyRopeOut)
SIGNATURE(SPARSE_GRAD)
#define AT(name) SPARSE_GRAD_##name

/* Without blocks there is no table: the place is that of an input that is not read as one. */
static const struct chosen_places places = {.query = AT(query),
                                            .key = AT(key),
                                            .lengths = AT(actualSeqLengthsQueryOptional),
                                            .key_lengths = AT(actualSeqLengthsKvOptional),
                                            .table = AT(sparseIndices),
                                            .layout = AT(layout),
                                            .key_layout = AT(layout),
                                            .mode = AT(sparseMode)};

static aclnnStatus check_statistics(const struct call *call, const struct sparse *sparse)
{
    const struct shape wanted = sparse_statistics_shape(sparse);
    for (unsigned i = AT(softmaxMax); i <= AT(softmaxSum); i++) {
        const struct tensor_view *view = &call->tensor[i];
        TRY(check_dtype(call, i));
        bool fits = view->rank == wanted.rank;
        for (uint32_t d = 0; fits && d < wanted.rank; d++)
            fits = view->shape[d] == wanted.dim[d];
        if (!fits)
            return refuse(call, "%s has shape %s; %s is expected", call_name(call, i), shape_text(TEXT, view),
                          dims_text(TEXT, wanted.rank, wanted.dim));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus read_call(const struct call *call, struct sparse *sparse)
{
    int64_t depth = -1;
    *sparse =
        (struct sparse){.over = {.query = AT(query),
                                 .key = AT(key),
                                 .value = call_has(call, AT(valueOptional)) ? AT(valueOptional) : AT(key),
                                 .query_rope = AT(queryRopeOptional),
                                 .key_rope = AT(keyRopeOptional),
                                 .scale = call->argument[AT(scaleValue)].fp64},
                        .indices = AT(sparseIndices),
                        .out = AT(dQueryOut)};
    TRY(chosen_read(call, &places, &sparse->keys));
    TRY(check_dtype(call, AT(sparseIndices)));
    TRY(sparse_check_like(call, sparse->over.value, AT(key), &depth));
    sparse->over.depth = sparse->keys.depth;
    sparse->over.wide = (uint64_t)depth;
    TRY(sparse_check_like(call, AT(dOut), AT(query), &depth));
    TRY(sparse_check_like(call, AT(out), AT(query), &depth));
    TRY(sparse_check_ropes(call, sparse));
    TRY(sparse_check_indices(call, sparse, call->argument[AT(sparseBlockSize)].int64, 0));
    return check_statistics(call, sparse);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct sparse sparse;
    TRY(read_call(call, &sparse));
    const uint8_t like[] = {AT(query), AT(key), sparse.over.value, AT(queryRopeOptional),
                            AT(keyRopeOptional)};
    result->computed = call_dtype(call, AT(query));
    for (unsigned i = 0; i < sizeof like; i++) {
        const bool is_given = call_has(call, like[i]);
        struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
        output->like = is_given ? like[i] : AT(query);
        output->is_unwanted =
            i >= 3 && (sparse.over.rope == 0 || (call->has_outputs && !call_has(call, AT(dQueryOut) + i)));
    }
    return ACLNN_SUCCESS;
}

static int start(struct task *task)
{
    return chosen_check(task, &((const struct sparse *)task->parameters)->keys);
}

/* What a task keeps: the gradients of all keys of its sequence, and what a row needs. */
struct room {
    double *d_keys, *d_values, *query, *d_query, *d_out, *out, *key, *value, *score;
    uint64_t *place, *index;
};

static struct room carve(const struct sparse *sparse, double *first)
{
    const uint64_t whole = over_keys_whole(&sparse->over), wide = sparse->over.wide,
                   keys = sparse->keys.key_rows, most = sparse->chosen * sparse->block;
    struct room room = {.d_keys = first};
    room.d_values = room.d_keys + keys * whole;
    room.query = room.d_values + keys * wide;
    room.d_query = room.query + whole;
    room.d_out = room.d_query + whole;
    room.out = room.d_out + wide;
    room.key = room.out + wide;
    room.value = room.key + whole;
    room.score = room.value + wide;
    room.place = (uint64_t *)(void *)(room.score + most);
    room.index = room.place + most;
    return room;
}

static uint64_t room_of(const struct sparse *sparse)
{
    const uint64_t whole = over_keys_whole(&sparse->over), wide = sparse->over.wide;
    return (sparse->keys.key_rows + 3) * (whole + wide) + 3 * sparse->chosen * sparse->block;
}

static void write_parts(const struct task *task, unsigned whole_out, unsigned rope_out, uint64_t place,
                        const double *gradient)
{
    const struct over_keys *over = &((const struct sparse *)task->parameters)->over;
    task_write(task, whole_out, place * over->depth, over->depth, gradient);
    if (over->rope > 0 && task_has(task, rope_out))
        task_write(task, rope_out, place * over->rope, over->rope, gradient + over->depth);
}

static void take_head(const struct task *task, const struct room *room, uint64_t number, uint64_t key_head,
                      uint64_t g, uint64_t count)
{
    const struct sparse *sparse = task->parameters;
    const struct over_keys *over = &sparse->over;
    const uint64_t place = number * sparse->keys.heads + key_head * sparse->group + g,
                   at = sparse_statistics_at(sparse, number, key_head, g);
    struct over_keys_row row = {.query = room->query, .d_out = room->d_out};
    memset(room->d_query, 0, over_keys_whole(over) * sizeof(double));
    if (count > 0) {
        over_keys_queries(task, over, place, 1, room->query);
        task_read(task, AT(dOut), place * over->wide, over->wide, room->d_out);
        task_read(task, AT(out), place * over->wide, over->wide, room->out);
        row.greatest = task_number(task, AT(softmaxMax), at);
        row.sum = task_number(task, AT(softmaxSum), at);
        row.delta = task->maths->dot(room->d_out, room->out, over->wide);
        over_keys_scores(task, over, room->query, 1, room->place, count, room->key, room->score, 0);
        over_keys_gradients(task, over, &row, room->place, room->index, count, room->score, room->key,
                            room->value, room->d_query, room->d_keys, room->d_values);
    }
    write_parts(task, AT(dQueryOut), AT(dQueryRopeOut), place, room->d_query);
}

static void take_sequence(const struct task *task, uint64_t task_number_)
{
    const struct sparse *sparse = task->parameters;
    const struct over_keys *over = &sparse->over;
    const struct chosen_keys *keys = &sparse->keys;
    const uint64_t batch = task_number_ / keys->key_heads, key_head = task_number_ % keys->key_heads,
                   whole = over_keys_whole(over);
    const struct room room = carve(sparse, task->room);
    uint64_t row, end, key, last;
    chosen_range(task, keys, AT(actualSeqLengthsQueryOptional), batch, keys->rows, &row, &end);
    chosen_range(task, keys, AT(actualSeqLengthsKvOptional), batch, keys->key_rows, &key, &last);
    memset(room.d_keys, 0, (last - key) * whole * sizeof(double));
    memset(room.d_values, 0, (last - key) * over->wide * sizeof(double));
    for (; row < end; row++) {
        const struct chosen_row of = chosen_row_of(task, keys, row);
        const uint64_t count =
            of.is_none ? 0 : sparse_find_keys(task, row, key_head, &of, room.index, room.place);
        for (uint64_t g = 0; g < sparse->group; g++)
            take_head(task, &room, row, key_head, g, count);
    }
    for (uint64_t k = 0; key + k < last; k++) {
        const uint64_t place = (key + k) * keys->key_heads + key_head;
        write_parts(task, AT(dKeyOut), AT(dKeyRopeOut), place, room.d_keys + k * whole);
        task_write(task, AT(dValueOut), place * over->wide, over->wide, room.d_values + k * over->wide);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct sparse sparse;
    (void)result;
    TRY(read_call(call, &sparse));
    const struct chosen_keys *keys = &sparse.keys;
    const uint64_t most = sparse.chosen * sparse.block,
                   elements =
                       keys->rows * sparse.group * most * (over_keys_whole(&sparse.over) + sparse.over.wide);
    return row_tasks_plan(call, &(struct row_tasks_request){.body = take_sequence,
                                                            .start = start,
                                                            .count = keys->batches * keys->key_heads,
                                                            .task_ns = elements * ELEMENT_PS / 1000 + 1000,
                                                            .room = room_of(&sparse),
                                                            .parameters = &sparse,
                                                            .parameter_bytes = sizeof sparse});
}

FUNCTION_OF(aclnnSparseFlashAttentionGrad, SPARSE_GRAD, .stem = "sparse_flash_attention_grad",
            .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
