/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of each row over the keys that its indices name, alone or blocks of them; parts of heads that are turned
 * lie apart. Scores, exponentials and sums are doubles.
 */
#include "aclnnop/aclnn_sparse_flash_attention.h"
#include "aclnnop/aclnn_sparse_flash_attention_v2.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/attention/chosen_keys.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 500 };

#define ROWS(X, of, name, sample_, ...) \
    X(of, IN, name, &dtypes_fp16_bf16, .sample = sample_, .is_partly_read = true, __VA_ARGS__)
#define INPUTS(X, of)                                                                                 \
    ROWS(X, of, query, "2x2x2x4:FLOAT16", .is_optional = false)                                       \
    ROWS(X, of, key, "2x3x1x4:FLOAT16", .is_optional = false)                                         \
    ROWS(X, of, valueOptional, "2x3x1x4:FLOAT16", .is_optional = true)                                \
    X(of, IN, sparseIndices, &dtypes_int32, .sample = "2x2x1x2:INT32")                                \
    X(of, IN, blockTableOptional, &dtypes_int32, .is_optional = true, .sample = "")                   \
    X(of, IN, actualSeqLengthsQueryOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32") \
    X(of, IN, actualSeqLengthsKvOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32")    \
    ROWS(X, of, queryRopeOptional, "2x2x2x2:FLOAT16", .is_optional = true)                            \
    ROWS(X, of, keyRopeOptional, "2x3x1x2:FLOAT16", .is_optional = true)
#define OPTIONS(X, of)                                       \
    X(of, DOUBLE, scaleValue, .usual = "1")                  \
    X(of, INT64, sparseBlockSize, .usual = "1")              \
    X(of, TEXT, layoutQuery, .usual = "BSND")                \
    X(of, TEXT, layoutKv, .usual = "BSND")                   \
    X(of, INT64, sparseMode, .usual = "3")                   \
    X(of, INT64, preTokens, .usual = "9223372036854775807")  \
    X(of, INT64, nextTokens, .usual = "9223372036854775807") \
    X(of, INT64, attentionMode, .usual = "0")                \
    X(of, BOOL, returnSoftmaxLse, .usual = "true")           \
    X(of, OUT, attentionOut, &dtypes_fp16_bf16)              \
    X(of, OUT, softmaxMaxOut, &dtypes_fp32)                  \
    X(of, OUT, softmaxSumOut, &dtypes_fp32)
#define SPARSE_V1(X, of) INPUTS(X, of) OPTIONS(X, of)
#define SPARSE_V2(X, of)                                                             \
    INPUTS(X, of)                                                                    \
    X(of, IN, sinksOptional, &dtypes_fp32, .is_optional = true, .sample = "2:FLOAT") \
    OPTIONS(X, of)
SIGNATURE(SPARSE_V1)
SIGNATURE(SPARSE_V2)
enum { QUERY, KEY, VALUE, INDICES, TABLE, LENGTHS, KEY_LENGTHS, QUERY_ROPE, KEY_ROPE, SINKS };

struct sparse {
    struct chosen_keys keys;
    double scale;
    uint64_t chosen, block, value_depth, rope, group; /* block: keys that an index stands for */
    uint8_t value, out;
    bool has_sinks;
};

static aclnnStatus check_like(const struct call *call, unsigned parameter, unsigned other, int64_t *last)
{
    const struct tensor_view *view = &call->tensor[parameter], *as = &call->tensor[other];
    bool fits = view->rank == as->rank;
    TRY(check_dtype(call, parameter));
    TRY(check_same_dtype(call, parameter, QUERY, NULL));
    for (uint32_t i = 0; fits && i + 1 < view->rank; i++)
        fits = view->shape[i] == as->shape[i];
    if (!fits || (*last >= 0 && view->shape[view->rank - 1] != *last))
        return refuse(call, "%s has shape %s; that of %s but for its elements is expected",
                      call_name(call, parameter), shape_text(TEXT, view), call_name(call, other));
    *last = view->shape[view->rank - 1];
    return ACLNN_SUCCESS;
}

static bool has_elements(const struct call *call, unsigned parameter)
{
    return call_has(call, parameter) && call->tensor[parameter].count > 0;
}

static aclnnStatus read_call(const struct call *call, struct sparse *sparse)
{
    const bool is_v2 = call->function->parameter_count == SPARSE_V2_softmaxSumOut + 1;
    const uint8_t first = is_v2 ? SPARSE_V2_scaleValue : SPARSE_V1_scaleValue;
    enum { SCALE, BLOCK, LAYOUT, KEY_LAYOUT, MODE, ATTENTION_MODE = 7, OUT = 9 };
    const struct chosen_places places = {QUERY,
                                         KEY,
                                         LENGTHS,
                                         KEY_LENGTHS,
                                         TABLE,
                                         (uint8_t)(first + LAYOUT),
                                         (uint8_t)(first + KEY_LAYOUT),
                                         (uint8_t)(first + MODE)};
    const struct tensor_view *query = &call->tensor[QUERY], *indices = &call->tensor[INDICES];
    const int64_t block = call->argument[first + BLOCK].int64;
    const bool has_rope = has_elements(call, QUERY_ROPE) || has_elements(call, KEY_ROPE);
    int64_t depth = -1, rope = -1;
    *sparse = (struct sparse){.scale = call->argument[first + SCALE].fp64,
                              .out = (uint8_t)(first + OUT),
                              .block = (uint64_t)block,
                              .has_sinks = is_v2 && call_has(call, SINKS)};
    TRY(chosen_read(call, &places, &sparse->keys));
    TRY(check_dtype(call, INDICES));
    sparse->value = call_has(call, VALUE) ? VALUE : KEY;
    TRY(check_like(call, sparse->value, KEY, &depth));
    /* Parts of no rows are empty without being absent. */
    if (has_rope && (!call_has(call, QUERY_ROPE) || !call_has(call, KEY_ROPE) ||
                     (!has_elements(call, QUERY_ROPE) && query->count > 0) ||
                     (!has_elements(call, KEY_ROPE) && call->tensor[KEY].count > 0)))
        return refuse(
            call, "only one of queryRopeOptional and keyRopeOptional was given; both or none are expected");
    if (has_rope) {
        TRY(check_like(call, QUERY_ROPE, QUERY, &rope));
        TRY(check_like(call, KEY_ROPE, KEY, &rope));
    }
    bool fits =
        indices->rank == query->rank && (uint64_t)indices->shape[indices->rank - 2] == sparse->keys.key_heads;
    for (uint32_t i = 0; fits && i + 2 < indices->rank; i++)
        fits = indices->shape[i] == query->shape[i];
    if (!fits)
        return refuse(call,
                      "sparseIndices has shape %s; indices of each row of query and each of %" PRIu64
                      " heads of key are expected",
                      shape_text(TEXT, indices), sparse->keys.key_heads);
    if (block < 1 || call->argument[first + ATTENTION_MODE].int64 < 0)
        return refuse(call,
                      "sparseBlockSize is %" PRId64 " and attentionMode %" PRId64
                      "; 1 or more, and 0 or more are "
                      "expected",
                      block, call->argument[first + ATTENTION_MODE].int64);
    /* A block of all keys and a longer one are the same keys: index 0 has them, the others none. */
    const uint64_t all = chosen_most(&sparse->keys);
    if (sparse->block > all)
        sparse->block = all > 0 ? all : 1;
    if (sparse->has_sinks) {
        TRY(check_dtype(call, SINKS));
        if ((uint64_t)call->tensor[SINKS].count != sparse->keys.heads)
            return refuse(call,
                          "sinksOptional has shape %s; a number for each of %" PRIu64 " heads is expected",
                          shape_text(TEXT, &call->tensor[SINKS]), sparse->keys.heads);
    }
    sparse->chosen = (uint64_t)indices->shape[indices->rank - 1];
    sparse->value_depth = (uint64_t)depth;
    sparse->rope = has_rope ? (uint64_t)rope : 0;
    sparse->group = sparse->keys.heads / sparse->keys.key_heads;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct sparse sparse;
    TRY(read_call(call, &sparse));
    const struct chosen_keys *keys = &sparse.keys;
    result->computed = call_dtype(call, QUERY);
    struct output *out = result_add(result, result->computed, DTYPE_EQUAL);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = shape_of(&call->tensor[QUERY]);
    out->shape.dim[out->shape.rank - 1] = (int64_t)sparse.value_depth;
    for (unsigned i = 1; i <= 2; i++) {
        out = result_add(result, ACL_FLOAT, DTYPE_EQUAL);
        out->shape_rule = SHAPE_EQUAL;
        out->shape = keys->is_packed
                         ? (struct shape){.rank = 3,
                                          .dim = {(int64_t)keys->key_heads, (int64_t)keys->rows,
                                                  (int64_t)sparse.group}}
                         : (struct shape){.rank = 4,
                                          .dim = {(int64_t)keys->batches, (int64_t)keys->key_heads,
                                                  (int64_t)keys->rows, (int64_t)sparse.group}};
        out->is_unwanted = !call->argument[sparse.out - 1].boolean;
    }
    return ACLNN_SUCCESS;
}

static int start(struct task *task)
{
    return chosen_check(task, &((const struct sparse *)task->parameters)->keys);
}

/* The keys that the row's indices name, up to the first negative one: their numbers in the tensor. */
static uint64_t find_keys(const struct task *task, uint64_t at, const struct chosen_row *row,
                          uint64_t *number)
{
    const struct sparse *sparse = task->parameters;
    uint64_t count = 0;
    for (uint64_t i = 0; i < sparse->chosen; i++) {
        const int64_t index = task_integer(task, INDICES, at + i);
        if (index < 0)
            break;
        for (uint64_t k = 0; k < sparse->block; k++) {
            const uint64_t key = (uint64_t)index * sparse->block + k;
            if (key < (uint64_t)row->seen)
                number[count++] = chosen_key(task, &sparse->keys, row, key);
        }
    }
    return count;
}

/* What a head has of its scores: exponentials in their place, the greatest one and their sum. */
static void weigh(const struct task *task, uint64_t head, double *score, uint64_t count, double *greatest,
                  double *sum)
{
    const struct sparse *sparse = task->parameters;
    double own = sparse->has_sinks ? task_number(task, SINKS, head) : -(double)INFINITY;
    *greatest = own;
    for (uint64_t j = 0; j < count; j++)
        *greatest = score[j] > *greatest || score[j] != score[j] ? score[j] : *greatest;
    own = own - *greatest < -700 || *greatest == -(double)INFINITY ? -700 : own - *greatest;
    for (uint64_t j = 0; j < count; j++)
        score[j] = score[j] - *greatest < -700 ? -700 : score[j] - *greatest;
    task->maths->exponential(score, count);
    task->maths->exponential(&own, 1);
    *sum = sparse->has_sinks && own > 0x1p-1000 ? own : 0;
    for (uint64_t j = 0; j < count; j++)
        *sum += score[j];
}

static void write_statistics(const struct task *task, uint64_t number, uint64_t key_head, uint64_t g,
                             double greatest, double sum)
{
    const struct sparse *sparse = task->parameters;
    const struct chosen_keys *keys = &sparse->keys;
    const uint64_t batch = keys->is_packed ? 0 : number / keys->rows, row = number % keys->rows,
                   at = ((batch * keys->key_heads + key_head) * keys->rows + row) * sparse->group + g;
    if (task_has(task, sparse->out + 1U))
        task_set(task, sparse->out + 1U, at, sum == 0 ? -(double)FLT_MAX : greatest);
    if (task_has(task, sparse->out + 2U))
        task_set(task, sparse->out + 2U, at, sum == 0 ? (double)FLT_MAX : sum);
}

/* All heads of a row that share a head of keys. */
static void take_row(const struct task *task, uint64_t task_number_)
{
    const struct sparse *sparse = task->parameters;
    const struct chosen_keys *keys = &sparse->keys;
    const uint64_t number = task_number_ / keys->key_heads, key_head = task_number_ % keys->key_heads,
                   group = sparse->group, depth = keys->depth, rope = sparse->rope, whole = depth + rope,
                   most = sparse->chosen * sparse->block, first = number * keys->heads + key_head * group,
                   wide = sparse->value_depth;
    const struct chosen_row row = chosen_row_of(task, keys, number);
    double *query = task->room, *key = query + group * (whole < 2 ? 2 : whole), *score = key + whole + wide,
           *out = score + group * most;
    uint64_t *place = (uint64_t *)(void *)(out + group * wide);
    const uint64_t count =
        row.is_none ? 0
                    : find_keys(task, (number * keys->key_heads + key_head) * sparse->chosen, &row, place);
    for (uint64_t g = 0; g < group; g++) {
        task_read(task, QUERY, (first + g) * depth, depth, query + g * whole);
        if (rope > 0)
            task_read(task, QUERY_ROPE, (first + g) * rope, rope, query + g * whole + depth);
    }
    for (uint64_t j = 0; j < count; j++) {
        task_read(task, KEY, (place[j] * keys->key_heads + key_head) * depth, depth, key);
        if (rope > 0)
            task_read(task, KEY_ROPE, (place[j] * keys->key_heads + key_head) * rope, rope, key + depth);
        for (uint64_t g = 0; g < group; g++)
            score[g * most + j] = sparse->scale * task->maths->dot(query + g * whole, key, whole);
    }
    double *sum = query, *greatest = query + group; /* queries have been read */
    memset(out, 0, group * wide * sizeof *out);
    for (uint64_t g = 0; g < group; g++)
        weigh(task, key_head * group + g, score + g * most, count, &greatest[g], &sum[g]);
    for (uint64_t j = 0; j < count; j++) {
        task_read(task, sparse->value, (place[j] * keys->key_heads + key_head) * wide, wide, key);
        for (uint64_t g = 0; g < group; g++)
            task->maths->add_scaled(out + g * wide, key, score[g * most + j], wide);
    }
    for (uint64_t g = 0; g < group; g++) {
        for (uint64_t e = 0; count > 0 && e < wide; e++)
            out[g * wide + e] /= sum[g];
        task_write(task, sparse->out, (first + g) * wide, wide, out + g * wide);
        write_statistics(task, number, key_head, g, greatest[g], row.is_none ? 0 : sum[g]);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct sparse sparse;
    (void)result;
    TRY(read_call(call, &sparse));
    const struct chosen_keys *keys = &sparse.keys;
    const uint64_t whole = keys->depth + sparse.rope, most = sparse.chosen * sparse.block,
                   wide = sparse.value_depth, query = whole < 2 ? 2 : whole;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = take_row,
                  .start = start,
                  .count = wide == 0 ? 0 : keys->all_rows * keys->key_heads,
                  .task_ns = most * sparse.group * ((whole + wide) * ELEMENT_PS / 1000 + 20) + 200,
                  .room = sparse.group * (query + most + wide) + whole + wide + most,
                  .parameters = &sparse,
                  .parameter_bytes = sizeof sparse});
}

#define CHOOSES .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnSparseFlashAttention, SPARSE_V1, .stem = "sparse_flash_attention", CHOOSES);
FUNCTION_OF(aclnnSparseFlashAttentionV2, SPARSE_V2, .stem = "sparse_flash_attention_v2", CHOOSES);
