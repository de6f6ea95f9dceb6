/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Embedding: out[..., k] = weight[indices[...], k], bit by bit. EmbeddingDenseBackward: row r of out is the
 * sum of the rows of grad whose index is r, in their order, in doubles that are rounded once; with
 * scaleGradByFreq it is divided by their number before. Positions whose index is paddingIdx take no part.
 * Indices from 0 to the last row are legal; another one fails the work before anything is written.
 */
#include "aclnnop/aclnn_embedding.h"

#include <inttypes.h>

#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/signature.h"
#include "ops/index/by_index.h"

#define EMBEDDING(X, of)                                                                  \
    X(of, IN, weight, &dtypes_floats_integers_bool_complex_small, .is_partly_read = true) \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "2:INT64")                          \
    X(of, CONST_OUT, out, &dtypes_floats_integers_bool_complex_small)
SIGNATURE(EMBEDDING)
#define EMBEDDING_BACKWARD(X, of)                                                \
    X(of, IN, grad, &dtypes_fp32_fp16_bf16)                                      \
    X(of, IN, indices, &dtypes_common_floats_integers_bool, .sample = "2:INT64") \
    X(of, UINT64, numWeights, .usual = "8")                                      \
    X(of, UINT64, paddingIdx, .usual = "-1")                                     \
    X(of, BOOL, scaleGradByFreq, .usual = "false")                               \
    X(of, CONST_OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(EMBEDDING_BACKWARD)

static aclnnStatus infer_embedding(const struct call *call, struct result *result)
{
    const struct tensor_view *weight = &call->tensor[EMBEDDING_weight],
                             *indices = &call->tensor[EMBEDDING_indices];
    TRY(check_dtype(call, EMBEDDING_weight));
    TRY(by_index_check(call, EMBEDDING_indices));
    if (weight->rank != 2)
        return refuse(call, "weight has %u dims; 2 are expected", weight->rank);
    if (indices->rank >= OPERAND_RANK_MAX)
        return refuse(call, "indices has %u dims; at most %d are expected", indices->rank,
                      OPERAND_RANK_MAX - 1);
    TRY(by_index_check_size(call, EMBEDDING_indices, EMBEDDING_weight, weight->shape[0]));
    struct output *output = result_add(result, weight->dtype, DTYPE_EQUAL);
    output->like = EMBEDDING_weight;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(indices);
    output->shape.dim[output->shape.rank++] = weight->shape[1];
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_embedding(const struct call *call, const struct result *result)
{
    const struct tensor_view *weight = &call->tensor[EMBEDDING_weight], *out = &call->tensor[EMBEDDING_out];
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    struct by_index plan = by_index_of(call, BY_INDEX_READ, EMBEDDING_weight, BY_INDEX_NONE, EMBEDDING_out);
    by_index_set(&plan, call, EMBEDDING_indices, weight->shape[0], weight->stride[0])->is_strict = true;
    for (uint32_t i = 0; i + 1 < out->rank; i++)
        index_add_position(&plan.walk, out->shape[i], out->stride[i]);
    index_add_slice(&plan.walk, weight->shape[1], weight->stride[1], out->stride[out->rank - 1]);
    return by_index_finish(call, &plan);
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    const struct tensor_view *grad = &call->tensor[EMBEDDING_BACKWARD_grad],
                             *indices = &call->tensor[EMBEDDING_BACKWARD_indices];
    const int64_t rows = call->argument[EMBEDDING_BACKWARD_numWeights].int64;
    TRY(check_dtype(call, EMBEDDING_BACKWARD_grad));
    TRY(check_dtype(call, EMBEDDING_BACKWARD_indices));
    TRY(check_rank(call, EMBEDDING_BACKWARD_grad));
    TRY(check_rank(call, EMBEDDING_BACKWARD_indices));
    if (grad->rank == 0)
        return refuse(call, "grad has 0 dims; 1 or more are expected");
    const int64_t width = grad->shape[grad->rank - 1];
    int64_t elements;
    if (__builtin_mul_overflow(indices->count, width, &elements) || grad->count != elements)
        return refuse(call,
                      "grad has %" PRId64 " elements in rows of %" PRId64 "; a row for each of the %" PRId64
                      " elements of indices is expected",
                      grad->count, width, indices->count);
    if (rows < 0)
        return refuse(call, "numWeights is %" PRIu64 "; at most %" PRId64 " is expected", (uint64_t)rows,
                      INT64_MAX);
    TRY(by_index_check_size(call, EMBEDDING_BACKWARD_indices, EMBEDDING_BACKWARD_numWeights, rows));
    struct output *output = result_add(result, grad->dtype, DTYPE_EQUAL);
    output->like = EMBEDDING_BACKWARD_grad;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 2, .dim = {rows, width}};
    return ACLNN_SUCCESS;
}

/* Grad's rows in row-major order are those of indices, however many dims each has: positions take grad's. */
static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const struct tensor_view *grad = &call->tensor[EMBEDDING_BACKWARD_grad],
                             *out = &call->tensor[EMBEDDING_BACKWARD_out];
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    struct by_index plan =
        by_index_of(call, BY_INDEX_SUM, BY_INDEX_NONE, EMBEDDING_BACKWARD_grad, EMBEDDING_BACKWARD_out);
    struct index_entry *entry =
        by_index_set(&plan, call, EMBEDDING_BACKWARD_indices, out->shape[0], out->stride[0]);
    entry->is_strict = true;
    entry->left_out = call->argument[EMBEDDING_BACKWARD_paddingIdx].int64;
    entry->is_left_out_at = entry->left_out >= 0; /* 2^63 and more name no row */
    plan.walk.divides = call->argument[EMBEDDING_BACKWARD_scaleGradByFreq].boolean;
    for (uint32_t i = 0; i + 1 < grad->rank; i++)
        index_add_position(&plan.walk, grad->shape[i], grad->stride[i]);
    index_add_slice(&plan.walk, out->shape[1], grad->stride[grad->rank - 1], out->stride[1]);
    return by_index_finish(call, &plan);
}

FUNCTION_OF(aclnnEmbedding, EMBEDDING, .stem = "embedding", BY_INDEX, .promise = &promise_exact,
            .infer = infer_embedding, .plan = plan_embedding);

FUNCTION_OF(aclnnEmbeddingDenseBackward, EMBEDDING_BACKWARD, .stem = "embedding_dense_backward", BY_INDEX,
            .promise = &promise_sum, .infer = infer_backward, .plan = plan_backward);
