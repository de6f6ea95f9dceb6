/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of each row over the keys that its indices name, alone or blocks of them; parts of heads that are turned
 * lie apart. Scores, exponentials and sums are doubles.
 */
#include "aclnnop/aclnn_sparse_flash_attention.h"
#include "aclnnop/aclnn_sparse_flash_attention_v2.h"

#include <inttypes.h>

#include "ops/attention/sparse_keys.h"
#include "ops/signature.h"

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

static aclnnStatus read_call(const struct call *call, struct sparse *sparse)
{
    const bool is_v2 = call->function->parameter_count == SPARSE_V2_softmaxSumOut + 1;
    const uint8_t first = is_v2 ? SPARSE_V2_scaleValue : SPARSE_V1_scaleValue;
    enum { SCALE, BLOCK, LAYOUT, KEY_LAYOUT, MODE, ATTENTION_MODE = 7, OUT = 9 };
    const struct chosen_places places = {.query = QUERY,
                                         .key = KEY,
                                         .lengths = LENGTHS,
                                         .key_lengths = KEY_LENGTHS,
                                         .table = TABLE,
                                         .layout = (uint8_t)(first + LAYOUT),
                                         .key_layout = (uint8_t)(first + KEY_LAYOUT),
                                         .mode = (uint8_t)(first + MODE)};
    int64_t depth = -1;
    *sparse = (struct sparse){.over = {.query = QUERY,
                                       .key = KEY,
                                       .value = call_has(call, VALUE) ? VALUE : KEY,
                                       .query_rope = QUERY_ROPE,
                                       .key_rope = KEY_ROPE,
                                       .scale = call->argument[first + SCALE].fp64},
                              .indices = INDICES,
                              .sinks = SINKS,
                              .out = (uint8_t)(first + OUT),
                              .maximum = (uint8_t)(first + OUT + 1),
                              .sum = (uint8_t)(first + OUT + 2),
                              .has_sinks = is_v2 && call_has(call, SINKS)};
    TRY(chosen_read(call, &places, &sparse->keys));
    TRY(check_dtype(call, INDICES));
    TRY(sparse_check_like(call, sparse->over.value, KEY, &depth));
    sparse->over.depth = sparse->keys.depth;
    sparse->over.wide = (uint64_t)depth;
    TRY(sparse_check_ropes(call, sparse));
    TRY(sparse_check_indices(call, sparse, call->argument[first + BLOCK].int64,
                             call->argument[first + ATTENTION_MODE].int64));
    if (!sparse->has_sinks)
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, SINKS));
    return (uint64_t)call->tensor[SINKS].count == sparse->keys.heads
               ? ACLNN_SUCCESS
               : refuse(call,
                        "sinksOptional has shape %s; a number for each of %" PRIu64 " heads is expected",
                        shape_text(TEXT, &call->tensor[SINKS]), sparse->keys.heads);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct sparse sparse;
    TRY(read_call(call, &sparse));
    result->computed = call_dtype(call, QUERY);
    struct output *out = result_add(result, result->computed, DTYPE_EQUAL);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = shape_of(&call->tensor[QUERY]);
    out->shape.dim[out->shape.rank - 1] = (int64_t)sparse.over.wide;
    for (unsigned i = 1; i <= 2; i++) {
        out = result_add(result, ACL_FLOAT, DTYPE_EQUAL);
        out->shape_rule = SHAPE_EQUAL;
        out->shape = sparse_statistics_shape(&sparse);
        out->is_unwanted = !call->argument[sparse.out - 1].boolean;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct sparse sparse;
    (void)result;
    TRY(read_call(call, &sparse));
    return sparse_plan(call, &sparse);
}

#define CHOOSES .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnSparseFlashAttention, SPARSE_V1, .stem = "sparse_flash_attention", CHOOSES);
FUNCTION_OF(aclnnSparseFlashAttentionV2, SPARSE_V2, .stem = "sparse_flash_attention_v2", CHOOSES);
