/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of each row over the keys that its indices name, whose rows are bytes: INT8 or FLOAT8 numbers, elements
 * of the query's dtype, and the scales of the numbers.
 */
#include "aclnnop/aclnn_kv_quant_sparse_flash_attention.h"

#include <inttypes.h>

#include "ops/attention/sparse_keys.h"
#include "ops/signature.h"

#define ROWS_OF_BYTES(X, of, name) \
    X(of, IN, name, &dtypes_int8_on_950_float8_hifloat8, .sample = "2x3x1x12:INT8", .is_partly_read = true)
#define KV_QUANT(X, of)                                                                               \
    X(of, IN, query, &dtypes_fp16_bf16, .sample = "2x2x2x6:FLOAT16", .is_partly_read = true)          \
    ROWS_OF_BYTES(X, of, key)                                                                         \
    ROWS_OF_BYTES(X, of, value)                                                                       \
    X(of, IN, sparseIndices, &dtypes_int32, .sample = "2x2x1x2:INT32")                                \
    X(of, UNUSED, keyDequantScaleOptional, &dtypes_fp32, .is_optional = true, .sample = "")           \
    X(of, UNUSED, valueDequantScaleOptional, &dtypes_fp32, .is_optional = true, .sample = "")         \
    X(of, IN, blockTableOptional, &dtypes_int32, .is_optional = true, .sample = "")                   \
    X(of, IN, actualSeqLengthsQueryOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32") \
    X(of, IN, actualSeqLengthsKvOptional, &dtypes_int32, .is_optional = true, .sample = "2:INT32")    \
    X(of, DOUBLE, scaleValue, .usual = "1")                                                           \
    X(of, INT64, keyQuantMode, .usual = "2")                                                          \
    X(of, INT64, valueQuantMode, .usual = "2")                                                        \
    X(of, INT64, sparseBlockSize, .usual = "1")                                                       \
    X(of, TEXT, layoutQuery, .usual = "BSND")                                                         \
    X(of, TEXT, layoutKv, .usual = "BSND")                                                            \
    X(of, INT64, sparseMode, .usual = "3")                                                            \
    X(of, INT64, preTokens, .usual = "9223372036854775807")                                           \
    X(of, INT64, nextTokens, .usual = "9223372036854775807")                                          \
    X(of, INT64, attentionMode, .usual = "2")                                                         \
    X(of, INT64, quantScaleRepoMode, .usual = "1")                                                    \
    X(of, INT64, tileSize, .usual = "128")                                                            \
    X(of, INT64, ropeHeadDim, .usual = "2")                                                           \
    X(of, OUT, attentionOut, &dtypes_fp16_bf16)
SIGNATURE(KV_QUANT)

static const struct chosen_places places = {.query = KV_QUANT_query,
                                            .key = KV_QUANT_key,
                                            .lengths = KV_QUANT_actualSeqLengthsQueryOptional,
                                            .key_lengths = KV_QUANT_actualSeqLengthsKvOptional,
                                            .table = KV_QUANT_blockTableOptional,
                                            .layout = KV_QUANT_layoutQuery,
                                            .key_layout = KV_QUANT_layoutKv,
                                            .mode = KV_QUANT_sparseMode,
                                            .has_rows_of_bytes = true};

static aclnnStatus check_mode(const struct call *call, unsigned parameter, int64_t expected)
{
    const int64_t mode = call->argument[parameter].int64;
    return mode == expected ? ACLNN_SUCCESS
                            : refuse(call, "%s is %" PRId64 "; %" PRId64 " is expected",
                                     call_name(call, parameter), mode, expected);
}

/* The parts of a row of keys. */
static aclnnStatus read_rows(const struct call *call, struct sparse *sparse)
{
    const struct tensor_view *key = &call->tensor[KV_QUANT_key];
    const int64_t tile = call->argument[KV_QUANT_tileSize].int64,
                  rope = call->argument[KV_QUANT_ropeHeadDim].int64, depth = (int64_t)sparse->keys.depth,
                  bytes = key->shape[key->rank - 1];
    if (tile < 1 || rope < 0 || rope > depth)
        return refuse(call,
                      "tileSize is %" PRId64 " and ropeHeadDim %" PRId64 "; 1 or more, and up to the %" PRId64
                      " elements of query are expected",
                      tile, rope, depth);
    const int64_t numbers = depth - rope, tiles = numbers / tile + (numbers % tile > 0);
    if (bytes != numbers + 2 * rope + 4 * tiles)
        return refuse(call,
                      "key has shape %s; rows of %" PRId64 " bytes, for %" PRId64 " numbers, %" PRId64
                      " elements of query's dtype and %" PRId64 " scales, are expected",
                      shape_text(TEXT, key), numbers + 2 * rope + 4 * tiles, numbers, rope, tiles);
    sparse->over.depth = (uint64_t)depth;
    sparse->over.wide = sparse->over.numbers = (uint64_t)numbers;
    sparse->over.tile = (uint64_t)tile;
    sparse->over.row_bytes = (uint64_t)bytes;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_call(const struct call *call, struct sparse *sparse)
{
    const struct tensor_view *key = &call->tensor[KV_QUANT_key], *value = &call->tensor[KV_QUANT_value];
    *sparse = (struct sparse){.over = {.query = KV_QUANT_query,
                                       .key = KV_QUANT_key,
                                       .value = KV_QUANT_key,
                                       .scale = call->argument[KV_QUANT_scaleValue].fp64},
                              .indices = KV_QUANT_sparseIndices,
                              .out = KV_QUANT_attentionOut};
    TRY(chosen_read(call, &places, &sparse->keys));
    TRY(check_dtype(call, KV_QUANT_value));
    TRY(check_same_dtype(call, KV_QUANT_value, KV_QUANT_key, NULL));
    bool fits = value->rank == key->rank;
    for (uint32_t i = 0; fits && i < key->rank; i++)
        fits = value->shape[i] == key->shape[i];
    if (!fits)
        return refuse(call, "value has shape %s; that of key is expected", shape_text(TEXT, value));
    TRY(sparse_check_indices(call, sparse, call->argument[KV_QUANT_sparseBlockSize].int64,
                             call->argument[KV_QUANT_attentionMode].int64));
    TRY(check_mode(call, KV_QUANT_keyQuantMode, 2));
    TRY(check_mode(call, KV_QUANT_valueQuantMode, 2));
    TRY(check_mode(call, KV_QUANT_quantScaleRepoMode, 1));
    return read_rows(call, sparse);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct sparse sparse;
    TRY(read_call(call, &sparse));
    result->computed = call_dtype(call, KV_QUANT_query);
    struct output *out = result_add(result, result->computed, DTYPE_EQUAL);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = shape_of(&call->tensor[KV_QUANT_query]);
    out->shape.dim[out->shape.rank - 1] = (int64_t)sparse.over.wide;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct sparse sparse;
    (void)result;
    TRY(read_call(call, &sparse));
    return sparse_plan(call, &sparse);
}

FUNCTION_OF(aclnnKvQuantSparseFlashAttention, KV_QUANT, .stem = "kv_quant_sparse_flash_attention",
            .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
