/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a product has side by side, queries, keys and values, by heads: (qkv + bias) / sqrt(width of a head)
 * of the queries, and qkv + bias of the other two. Of qkv (B, T, 3, heads, width) they are (B, heads, T,
 * width). In doubles, rounded once.
 */
#include "aclnnop/aclnn_transform_bias_rescale_qkv.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"

#define QKV(X, of)                                             \
    X(of, IN, qkv, &dtypes_fp32_fp16_bf16, .sample = "2x3x12") \
    X(of, IN, qkvBias, &dtypes_fp32_fp16_bf16, .sample = "12") \
    X(of, INT64, numHeads, .usual = "1")                       \
    X(of, OUT, qOut, &dtypes_fp32_fp16_bf16)                   \
    X(of, OUT, kOut, &dtypes_fp32_fp16_bf16)                   \
    X(of, OUT, vOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(QKV)
enum { PARTS = 3 };

struct part {
    uint64_t heads, tokens, width, first; /* of the part, in a row of qkv */
    double divisor;
};

/* A row of one head at a time, or what the piece has of it. */
static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct part *part = (const struct part *)walk->parameters;
    const uint64_t row_length = PARTS * part->heads * part->width;
    double bias[NUMBERED_PIECE] __attribute__((uninitialized));
    double *to = elements;
    for (uint64_t done = 0; done < count;) {
        const uint64_t number = at + done, place = number % part->width, line = number / part->width;
        const uint64_t token = line % part->tokens, head = line / part->tokens % part->heads;
        const uint64_t row = line / part->tokens / part->heads * part->tokens + token;
        const uint64_t column = part->first + head * part->width + place, left = part->width - place;
        const uint64_t length = left < count - done ? left : count - done;
        numbered_read_as(walk, QKV_qkv, row * row_length + column, length, ACL_DOUBLE, to + done);
        numbered_read_as(walk, QKV_qkvBias, column, length, ACL_DOUBLE, bias);
        for (uint64_t i = 0; i < length; i++)
            to[done + i] = (to[done + i] + bias[i]) / part->divisor;
        done += length;
    }
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *qkv = &call->tensor[QKV_qkv], *bias = &call->tensor[QKV_qkvBias];
    const int64_t heads = call->argument[QKV_numHeads].int64;
    TRY(check_dtype(call, QKV_qkv));
    TRY(check_dtype(call, QKV_qkvBias));
    TRY(check_same_dtype(call, QKV_qkvBias, QKV_qkv, NULL));
    if (qkv->rank != 3)
        return refuse(call, "qkv has %u dims; 3 are expected: batch, tokens, and queries, keys and values",
                      qkv->rank);
    if (bias->rank != 1 || bias->shape[0] != qkv->shape[2])
        return refuse(call, "qkvBias is expected to have 1 dim of %" PRId64 " elements, the last size of qkv",
                      qkv->shape[2]);
    if (heads < 1)
        return refuse(call, "numHeads is %" PRId64 "; 1 or more is expected", heads);
    if (qkv->shape[2] % PARTS != 0 || qkv->shape[2] / PARTS % heads != 0)
        return refuse(call,
                      "the last size of qkv is %" PRId64 "; a multiple of 3 * numHeads, which is %" PRId64
                      ", is expected",
                      qkv->shape[2], heads);
    result->computed = qkv->dtype;
    for (unsigned i = 0; i < PARTS; i++) {
        struct output *output = result_add(result, qkv->dtype, DTYPE_EQUAL);
        output->shape_rule = SHAPE_EQUAL;
        output->like = QKV_qkv;
        output->shape = (struct shape){
            .rank = 4, .dim = {qkv->shape[0], heads, qkv->shape[1], qkv->shape[2] / PARTS / heads}};
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *out = &call->tensor[QKV_qOut];
    struct numbered_request request[PARTS];
    struct part part[PARTS];
    (void)result;
    for (unsigned i = 0; i < PARTS; i++) {
        part[i] = (struct part){.heads = (uint64_t)out->shape[1],
                                .tokens = (uint64_t)out->shape[2],
                                .width = (uint64_t)out->shape[3],
                                .first = i * (uint64_t)call->tensor[QKV_qkv].shape[2] / PARTS,
                                .divisor = i == 0 ? __builtin_sqrt((double)out->shape[3]) : 1};
        request[i] = numbered_request(call, QKV_qOut + i, make, ACL_DOUBLE);
        numbered_add_input(&request[i], call, QKV_qkv, false);
        numbered_add_input(&request[i], call, QKV_qkvBias, false);
        request[i].parameters = &part[i];
        request[i].parameter_bytes = sizeof part[i];
    }
    return numbered_plan(call, request, PARTS);
}

FUNCTION_OF(aclnnTransformBiasRescaleQkv, QKV, .stem = "transform_bias_rescale_qkv",
            .family = FAMILY_ATTENTION, .promise = &promise_formula, NUMBERED, .infer = infer, .plan = plan);
