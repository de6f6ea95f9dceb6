/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * QuantMatmul in other clothes: added to what is there, added up over a batch, and with dims that the call names
 * in another order.
 */
#include "aclnnop/aclnn_quant_batch_matmul_inplace_add.h"
#include "aclnnop/aclnn_quant_matmul_reduce_sum.h"
#include "aclnnop/aclnn_transpose_quant_batch_mat_mul.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/quant_call.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define NUMBERS                         &dtypes_int8_int32_int4_hifloat8_float8_float4
#define SCALES                          &dtypes_fp32_fp16_bf16_int64_uint64_float8_e8m0
#define SOME(X, of, name, set, sample_) X(of, IN, name, set, .is_optional = true, .sample = sample_)
#define ABSENT(X, of, name)             X(of, IN, name, &dtypes_all, .is_optional = true, .sample = "")
#define TURNS(X, of)                           \
    X(of, BOOL, transposeX1, .usual = "false") \
    X(of, BOOL, transposeX2, .usual = "false")
#define ADDED(X, of)                                            \
    X(of, IN, x1, NUMBERS, .sample = "3x4:INT8")                \
    X(of, IN, x2, NUMBERS, .sample = "4x5:INT8")                \
    SOME(X, of, x1ScaleOptional, &dtypes_fp32_float8_e8m0, "3") \
    X(of, IN, x2Scale, SCALES, .sample = "5")                   \
    X(of, BOTH, yRef, &dtypes_fp32, .sample = "3x5")            \
    TURNS(X, of) X(of, INT64, groupSize, .usual = "0")
SIGNATURE(ADDED)
#define SUMMED(X, of)                                         \
    X(of, IN, x1, &dtypes_int8, .sample = "2x3x4:INT8")       \
    X(of, IN, x2, &dtypes_int8, .sample = "2x4x5:INT8")       \
    X(of, IN, x1Scale, &dtypes_fp32, .sample = "2x3")         \
    X(of, IN, x2Scale, &dtypes_fp32_fp16_bf16, .sample = "5") \
    ABSENT(X, of, yScaleOptional)                             \
    ABSENT(X, of, x1OffsetOptional)                           \
    ABSENT(X, of, x2OffsetOptional)                           \
    ABSENT(X, of, yOffsetOptional)                            \
    ABSENT(X, of, biasOptional)                               \
    TURNS(X, of)                                              \
    X(of, INT64, groupSize, .usual = "-1")                    \
    X(of, INTS, dims, .sample = "0")                          \
    X(of, BOOL, keepDims, .usual = "false") X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(SUMMED)
#define TURNED(X, of)                                           \
    X(of, IN, x1, NUMBERS, .sample = "3x2x4:INT8")              \
    X(of, IN, x2, NUMBERS, .sample = "2x4x5:INT8")              \
    SOME(X, of, biasOptional, &dtypes_fp32_fp16_bf16, "")       \
    SOME(X, of, x1ScaleOptional, &dtypes_fp32_float8_e8m0, "3") \
    SOME(X, of, x2ScaleOptional, SCALES, "5")                   \
    X(of, INT32, dtype, .usual = "1")                           \
    X(of, INT64, groupSize, .usual = "0")                       \
    X(of, INTS, permX1, .sample = "1,0,2")                      \
    X(of, INTS, permX2, .sample = "0,1,2")                      \
    X(of, INTS, permY, .sample = "1,0,2")                       \
    X(of, INT32, batchSplitFactor, .usual = "1")                \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(TURNED)

static const struct generation added = {.at = {[ROWS_SCALE] = AT(ADDED_x1ScaleOptional),
                                               [SCALE] = AT(ADDED_x2Scale),
                                               [TURNS_LEFT] = AT(ADDED_transposeX1),
                                               [GROUPS] = AT(ADDED_groupSize),
                                               [OUT] = AT(ADDED_yRef)},
                                        .adds = true};
static const struct generation summed = {.at = {[ROWS_SCALE] = AT(SUMMED_x1Scale),
                                                [SCALE] = AT(SUMMED_x2Scale),
                                                [TURNS_LEFT] = AT(SUMMED_transposeX1),
                                                [OUT] = AT(SUMMED_out)},
                                         .sums = true};
static const struct generation turned = {.at = {[ROWS_SCALE] = AT(TURNED_x1ScaleOptional),
                                                [SCALE] = AT(TURNED_x2ScaleOptional),
                                                [BIAS_PART] = AT(TURNED_biasOptional),
                                                [GROUPS] = AT(TURNED_groupSize),
                                                [OUT] = AT(TURNED_out)}};

static aclnnStatus infer_summed(const struct call *call, struct result *result)
{
    const struct call_values *dims = &call->values[SUMMED_dims];
    for (unsigned i = SUMMED_yScaleOptional; i <= SUMMED_biasOptional; i++)
        if (call_has_elements(call, i))
            return refuse(call, "%s is given; NULL is expected", call_name(call, i));
    /* torch_npu 2.14 makes the array of memory that it has left, so that its number may be any. */
    if (dims->count != 1)
        return refuse(call, "dims has %" PRIu64 " entries; 1 is expected, the batch", dims->count);
    TRY(quant_infer(call, result));
    struct shape *shape = &result->output[0].shape;
    if (!call->argument[SUMMED_keepDims].boolean)
        return ACLNN_SUCCESS;
    *shape = (struct shape){.rank = 3, .dim = {1, shape->dim[0], shape->dim[1]}};
    return ACLNN_SUCCESS;
}

/* Dims in the order of the product instead, and the other way round: each order is its own inverse. Scales of
 * blocks have the dims of what they are of. */
static void exchange_dims(const struct call *call, unsigned parameter, unsigned order)
{
    const int64_t *perm = call->values[order].value.int64;
    struct tensor_view *view = (struct tensor_view *)(uintptr_t)&call->tensor[parameter], before = *view;
    const uint32_t more = before.dtype == ACL_FLOAT8_E8M0 ? 1 : 0;
    for (uint32_t i = 0; before.rank == 3 + more && i < 3; i++) {
        view->shape[i] = before.shape[perm[i]];
        view->stride[i] = before.stride[perm[i]];
    }
}

static void exchange_all(const struct call *call)
{
    static const unsigned parts[][2] = {{TURNED_x1, TURNED_permX1},
                                        {TURNED_x2, TURNED_permX2},
                                        {TURNED_x1ScaleOptional, TURNED_permX1},
                                        {TURNED_x2ScaleOptional, TURNED_permX2},
                                        {TURNED_out, TURNED_permY}};
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i][0] == TURNED_out ? call->has_outputs : call_has(call, parts[i][0]))
            exchange_dims(call, parts[i][0], parts[i][1]);
}

static aclnnStatus check_orders(const struct call *call)
{
    static const int64_t orders[][2][3] = {
        {{0, 1, 2}, {1, 0, 2}}, {{0, 1, 2}, {0, 2, 1}}, {{1, 0, 2}, {1, 0, 2}}};
    static const char *const texts[] = {"[0, 1, 2] or [1, 0, 2]", "[0, 1, 2] or [0, 2, 1]", "[1, 0, 2]"};
    for (unsigned which = 0; which < 3; which++) {
        const struct call_values *given = &call->values[TURNED_permX1 + which];
        bool is_there = false;
        for (unsigned i = 0; given->count == 3 && i < 2; i++)
            is_there |= memcmp(given->value.int64, orders[which][i], sizeof orders[which][i]) == 0;
        if (!is_there)
            return refuse(call, "%s is another order than %s, which is expected",
                          call_name(call, TURNED_permX1 + which), texts[which]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_turned(const struct call *call, struct result *result)
{
    const int64_t dtype = call->argument[TURNED_dtype].int64;
    TRY(check_orders(call));
    for (unsigned i = TURNED_x1; i <= TURNED_x2; i++)
        if (call->tensor[i].rank != 3)
            return refuse(call, "%s has %u dims; 3 are expected", call_name(call, i), call->tensor[i].rank);
    if (dtype != ACL_FLOAT && dtype != ACL_FLOAT16 && dtype != ACL_BF16)
        return refuse(call, "dtype is %" PRId64 "; 0, 1 or 27 is expected", dtype);
    if (call->has_outputs) {
        const struct tensor_view *out = &call->tensor[TURNED_out];
        TRY(check_dtype(call, TURNED_out));
        if (out->dtype != (aclDataType)dtype || out->rank != 3)
            return refuse(call, "out is %s with %u dims; %s, which dtype says, with 3 is expected",
                          dtype_name(out->dtype), out->rank, dtype_name((aclDataType)dtype));
    }
    if (call->argument[TURNED_batchSplitFactor].int64 != 1)
        return refuse(call, "batchSplitFactor is %" PRId64 "; 1 is expected",
                      call->argument[TURNED_batchSplitFactor].int64);
    if (!quant_given(call, SCALE))
        return refuse(call, "x2ScaleOptional is NULL; scales are expected");
    exchange_all(call);
    const aclnnStatus status = quant_infer(call, result);
    exchange_all(call);
    if (status != ACLNN_SUCCESS)
        return status;
    struct output *output = &result->output[0];
    output->shape =
        (struct shape){.rank = 3, .dim = {output->shape.dim[1], output->shape.dim[0], output->shape.dim[2]}};
    output->dtype = (aclDataType)dtype;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_turned(const struct call *call, const struct result *result)
{
    exchange_all(call);
    const aclnnStatus status = quant_plan(call, result);
    exchange_all(call);
    return status;
}

FUNCTION_OF(aclnnQuantBatchMatmulInplaceAdd, ADDED, .stem = "quant_batch_matmul_inplace_add",
            QUANT_MULTIPLIES(&added, quant_infer, quant_plan));
FUNCTION_OF(aclnnQuantMatmulReduceSumWeightNz, SUMMED, .stem = "quant_matmul_reduce_sum",
            QUANT_MULTIPLIES(&summed, infer_summed, quant_plan));
FUNCTION_OF(aclnnTransposeQuantBatchMatMul, TURNED, .stem = "transpose_quant_batch_mat_mul",
            QUANT_MULTIPLIES(&turned, infer_turned, plan_turned));
FUNCTION_OF(aclnnTransposeQuantBatchMatMulWeightNz, TURNED, .stem = "transpose_quant_batch_mat_mul",
            QUANT_MULTIPLIES(&turned, infer_turned, plan_turned));
