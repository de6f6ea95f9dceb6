/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The keys that a row's heads want most: the greatest sums over heads of w max(q k, 0), in descending order, of
 * equal ones the first first, NaN as the greatest. In doubles. Quantised queries and keys have scales.
 */
#include "aclnnop/aclnn_lightning_indexer.h"
#include "aclnnop/aclnn_quant_lightning_indexer.h"

#include <inttypes.h>
#include <math.h>

#include "ops/attention/chosen_keys.h"
#include "ops/loops/order.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 400 };

#define LENGTHS_AND_TABLE(X, of)                                                                      \
    X(of, IN, actualSeqLengthsQueryOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32") \
    X(of, IN, actualSeqLengthsKeyOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32")   \
    X(of, IN, blockTableOptional, &dtypes_int32, .is_optional = true, .sample = "")
#define CHOICE(X, of)                                       \
    X(of, TEXT, layoutQuery, .usual = "BSND")               \
    X(of, TEXT, layoutKey, .usual = "BSND")                 \
    X(of, INT64, sparseCount, .usual = "2")                 \
    X(of, INT64, sparseMode, .usual = "3")                  \
    X(of, INT64, preTokens, .usual = "9223372036854775807") \
    X(of, INT64, nextTokens, .usual = "9223372036854775807")
#define INDEXER(X, of)                                                                          \
    X(of, IN, query, &dtypes_fp16_bf16, .sample = "2x2x2x4:FLOAT16", .is_partly_read = true)    \
    X(of, IN, key, &dtypes_fp16_bf16, .sample = "2x3x1x4:FLOAT16", .is_partly_read = true)      \
    X(of, IN, weights, &dtypes_fp32_fp16_bf16, .sample = "2x2x2:FLOAT", .is_partly_read = true) \
    LENGTHS_AND_TABLE(X, of)                                                                    \
    CHOICE(X, of)                                                                               \
    X(of, BOOL, returnValue, .usual = "true")                                                   \
    X(of, OUT, sparseIndicesOut, &dtypes_int32)                                                 \
    X(of, OUT, sparseValuesOut, &dtypes_fp16_bf16, .may_be_infinite = true)
SIGNATURE(INDEXER)

#define PLACES_OF(of)                                                                        \
    {                                                                                        \
        .query = of##_query, .key = of##_key, .lengths = of##_actualSeqLengthsQueryOptional, \
        .key_lengths = of##_actualSeqLengthsKeyOptional, .table = of##_blockTableOptional,   \
        .layout = of##_layoutQuery, .key_layout = of##_layoutKey, .mode = of##_sparseMode    \
    }
static const struct chosen_places places = PLACES_OF(INDEXER);

#define QUANTISED(X, of)                                                                                    \
    X(of, IN, query, &dtypes_int8_on_950_float8_hifloat8, .sample = "2x2x2x4:INT8", .is_partly_read = true) \
    X(of, IN, key, &dtypes_int8_on_950_float8_hifloat8, .sample = "2x3x1x4:INT8", .is_partly_read = true)   \
    X(of, IN, weights, &dtypes_fp32_fp16_bf16, .sample = "2x2x2:FLOAT", .is_partly_read = true)             \
    X(of, IN, queryDequantScale, &dtypes_fp32_fp16_bf16, .sample = "2x2x2:FLOAT", .is_partly_read = true)   \
    X(of, IN, keyDequantScale, &dtypes_fp32_fp16_bf16, .sample = "2x3x1:FLOAT", .is_partly_read = true)     \
    LENGTHS_AND_TABLE(X, of)                                                                                \
    X(of, INT64, queryQuantMode, .usual = "0")                                                              \
    X(of, INT64, keyQuantMode, .usual = "0")                                                                \
    CHOICE(X, of)                                                                                           \
    X(of, OUT, sparseIndicesOut, &dtypes_int32)
SIGNATURE(QUANTISED)

static const struct chosen_places quantised_places = PLACES_OF(QUANTISED);

struct indexer {
    struct chosen_keys keys;
    uint64_t count;
    bool is_quantised;
    uint8_t indices, values; /* places; values: 0 where there are none */
};

static aclnnStatus check_scales(const struct call *call)
{
    const struct tensor_view *query = &call->tensor[QUANTISED_query], *key = &call->tensor[QUANTISED_key];
    for (unsigned i = QUANTISED_queryDequantScale; i <= QUANTISED_keyDequantScale; i++) {
        const struct tensor_view *view = &call->tensor[i], *of = i == QUANTISED_keyDequantScale ? key : query;
        bool fits = view->rank == of->rank - 1;
        TRY(check_dtype(call, i));
        for (uint32_t d = 0; fits && d < view->rank; d++)
            fits = view->shape[d] == of->shape[d];
        if (!fits)
            return refuse(call, "%s has shape %s; a number for each head's row is expected",
                          call_name(call, i), shape_text(TEXT, view));
    }
    for (unsigned i = QUANTISED_queryQuantMode; i <= QUANTISED_keyQuantMode; i++)
        if (call->argument[i].int64 != 0)
            return refuse(call, "%s is %" PRId64 "; 0 is expected", call_name(call, i),
                          call->argument[i].int64);
    return ACLNN_SUCCESS;
}

static aclnnStatus read_call(const struct call *call, struct indexer *indexer)
{
    const struct tensor_view *query = &call->tensor[INDEXER_query], *weights = &call->tensor[INDEXER_weights];
    const bool is_quantised = call->function->parameter_count == QUANTISED_sparseIndicesOut + 1;
    const int64_t count =
        call->argument[is_quantised ? (unsigned)QUANTISED_sparseCount : (unsigned)INDEXER_sparseCount].int64;
    *indexer = (struct indexer){.is_quantised = is_quantised,
                                .indices = is_quantised ? (uint8_t)QUANTISED_sparseIndicesOut
                                                        : (uint8_t)INDEXER_sparseIndicesOut,
                                .values = is_quantised ? 0 : INDEXER_sparseValuesOut};
    TRY(chosen_read(call, is_quantised ? &quantised_places : &places, &indexer->keys));
    TRY(check_dtype(call, INDEXER_weights));
    if (is_quantised)
        TRY(check_scales(call));
    bool fits = weights->rank == query->rank - 1;
    for (uint32_t i = 0; fits && i < weights->rank; i++)
        fits = weights->shape[i] == query->shape[i];
    if (!fits || indexer->keys.key_heads != 1)
        return refuse(call,
                      "weights has shape %s and key %" PRIu64
                      " heads; a number for each head of query and one head "
                      "are expected",
                      shape_text(TEXT, weights), indexer->keys.key_heads);
    if (count < 1 || count > INT32_MAX)
        return refuse(call, "sparseCount is %" PRId64 "; 1 or more is expected", count);
    indexer->count = (uint64_t)count;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *query = &call->tensor[INDEXER_query];
    struct indexer indexer;
    TRY(read_call(call, &indexer));
    result->computed = query->dtype;
    struct shape shape = shape_of(query);
    shape.dim[query->rank - 2] = 1;
    shape.dim[query->rank - 1] = (int64_t)indexer.count;
    for (unsigned i = 0; i < (indexer.is_quantised ? 1 : 2); i++) {
        struct output *output = result_add(result, i == 0 ? ACL_INT32 : query->dtype, DTYPE_EQUAL);
        output->shape_rule = SHAPE_EQUAL;
        output->shape = shape;
        output->is_unwanted = i == 1 && !call->argument[INDEXER_returnValue].boolean;
    }
    return ACLNN_SUCCESS;
}

static int start(struct task *task)
{
    return chosen_check(task, &((const struct indexer *)task->parameters)->keys);
}

/* The sums of all keys that the row sees. */
static void find_sums(const struct task *task, uint64_t number, const struct chosen_row *row, double *sums)
{
    const struct indexer *indexer = task->parameters;
    const struct chosen_keys *keys = &indexer->keys;
    double *query = sums + 2 * chosen_most(keys), *weight = query + keys->heads * keys->depth,
           *key = weight + keys->heads;
    task_read(task, INDEXER_query, number * keys->heads * keys->depth, keys->heads * keys->depth, query);
    task_read(task, INDEXER_weights, number * keys->heads, keys->heads, weight);
    for (uint64_t n = 0; indexer->is_quantised && n < keys->heads; n++)
        weight[n] *= task_number(task, QUANTISED_queryDequantScale, number * keys->heads + n);
    for (uint64_t j = 0; j < (uint64_t)row->seen; j++) {
        const uint64_t place = chosen_key(task, keys, row, j);
        task_read(task, INDEXER_key, place * keys->depth, keys->depth, key);
        sums[j] = 0;
        for (uint64_t n = 0; n < keys->heads; n++) {
            const double product = task->maths->dot(query + n * keys->depth, key, keys->depth);
            sums[j] += weight[n] * (product < 0 ? 0 : product);
        }
        if (indexer->is_quantised)
            sums[j] *= task_number(task, QUANTISED_keyDequantScale, place);
    }
}

static void take_row(const struct task *task, uint64_t number)
{
    const struct indexer *indexer = task->parameters;
    const struct chosen_row row = chosen_row_of(task, &indexer->keys, number);
    const uint64_t most = chosen_most(&indexer->keys), seen = row.is_none ? 0 : (uint64_t)row.seen,
                   count = seen < indexer->count ? seen : indexer->count;
    double *sums = task->room;
    uint32_t *index = (uint32_t *)(void *)(sums + most), *other = index + most;
    uint64_t chosen = 0;
    if (seen > 0)
        find_sums(task, number, &row, sums);
    /* In the order of the keys: all that are greater than the last one, and as many equal ones as are left. */
    const double last = count > 0 ? order_find(sums, seen, count, (double *)(void *)index) : 0;
    uint64_t greater = 0;
    for (uint64_t j = 0; j < seen; j++)
        greater += order_is_greater(sums[j], last);
    for (uint64_t j = 0, equal = 0; j < seen && chosen < count; j++)
        if (order_is_greater(sums[j], last) ||
            (!order_is_greater(last, sums[j]) && equal++ < count - greater))
            index[chosen++] = (uint32_t)j;
    order_row(sums, chosen, index, other);
    for (uint64_t i = 0; i < indexer->count; i++) {
        const uint64_t at = number * indexer->count + i;
        task_set_integer(task, indexer->indices, at, i < chosen ? (int64_t)index[i] : -1);
        if (indexer->values > 0 && task_has(task, indexer->values))
            task_set(task, indexer->values, at, i < chosen ? sums[index[i]] : -(double)INFINITY);
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct indexer indexer;
    (void)result;
    TRY(read_call(call, &indexer));
    const struct chosen_keys *keys = &indexer.keys;
    const uint64_t most = chosen_most(keys);
    return row_tasks_plan(call,
                          &(struct row_tasks_request){
                              .body = take_row,
                              .start = start,
                              .count = keys->all_rows,
                              .task_ns = most * (keys->heads * keys->depth * ELEMENT_PS / 1000 + 50) + 100,
                              .room = 2 * most + keys->heads * (keys->depth + 1) + keys->depth,
                              .parameters = &indexer,
                              .parameter_bytes = sizeof indexer});
}

FUNCTION_OF(aclnnLightningIndexer, INDEXER, .stem = "lightning_indexer", .family = FAMILY_ATTENTION,
            .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
FUNCTION_OF(aclnnQuantLightningIndexer, QUANTISED, .stem = "quant_lightning_indexer",
            .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
