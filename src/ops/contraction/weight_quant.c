/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * y = x @ ((weight + offset) scale) + bias for weights of 8 or 4 bits, which become FLOAT where the product
 * packs them; with quantScale, y quantScale + quantOffset rounded to the nearest INT8, ties to even.
 */
#include "ops/contraction/quantised.h"

#include "aclnnop/aclnn_weight_quant_batch_matmul_nz.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v3.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/operands.h"
#include "ops/signature.h"
#include "ops/transfer.h"
#include "simd/vector/level_table.h"

#define PARTS(X, of)                                                                                  \
    X(of, IN, x, &dtypes_fp16_bf16, .sample = "2x3:FLOAT16")                                          \
    X(of, IN, weight, &dtypes_int8_int32_int4, .sample = "3x8:INT8")                                  \
    X(of, IN, antiquantScale, &dtypes_fp16_bf16, .sample = "1:FLOAT16")                               \
    X(of, IN, antiquantOffsetOptional, &dtypes_fp16_bf16, .is_optional = true, .sample = "1:FLOAT16") \
    X(of, IN, quantScaleOptional, &dtypes_fp32_fp16_bf16_uint64, .is_optional = true, .sample = "1")  \
    X(of, IN, quantOffsetOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "1")        \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "8")               \
    X(of, INT32, antiquantGroupSize, .usual = "0")
#define RESULT(X, of) X(of, CONST_OUT, y, &dtypes_fp16_bf16_int8)
#define WEIGHT(X, of) PARTS(X, of) RESULT(X, of)
#define V3(X, of)     PARTS(X, of) X(of, INT32, innerPrecise, .usual = "0") RESULT(X, of)
SIGNATURE(WEIGHT)
SIGNATURE(V3)

/* Tensors, in the order of the call. */
enum { OPERANDS = 8 };

LEVEL_TABLE(contraction_pack, packs, pack_quantised);
LEVEL_TABLE(contraction_multiply_row, row_multiplications, multiply_quantised_row);

/* What makes INT8 of the sums: one for each column, or for all. */
struct requantising {
    bool is_given;
    const struct transfer *transfer;
    struct operand scale, offset;
    int64_t scale_step, offset_step, row, column; /* strides, the last ones those of y */
};

struct weight_quant {
    struct quantised quantised;
    struct operand weight, scale, offset, y;
    uint64_t rows, columns;
    bool has_offset;
    struct requantising requantising;
};

static unsigned y_of(const struct call *call)
{
    return call->function->parameter_count - 1;
}

static int64_t columns_of(const struct call *call)
{
    const struct tensor_view *weight = &call->tensor[WEIGHT_weight];
    int64_t columns = weight->shape[1];
    if (weight->dtype == ACL_INT32 && __builtin_mul_overflow(columns, 8, &columns))
        return INT64_MAX;
    return columns;
}

static aclnnStatus check_factor(const struct call *call, unsigned parameter, int64_t rows)
{
    const struct tensor_view *view = &call->tensor[parameter];
    const int64_t columns = columns_of(call);
    if (quantised_factor_fits(view, rows, columns))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "%s has shape %s; one element, %" PRId64 " or (%" PRId64 ", %" PRId64 ") are expected",
                  call_name(call, parameter), shape_text(TEXT, view), columns, rows, columns);
}

static aclnnStatus check_dtypes(const struct call *call)
{
    for (unsigned i = WEIGHT_x; i <= WEIGHT_biasOptional; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, WEIGHT_antiquantScale, WEIGHT_x, NULL));
    return call_has(call, WEIGHT_antiquantOffsetOptional)
               ? check_same_dtype(call, WEIGHT_antiquantOffsetOptional, WEIGHT_x, NULL)
               : ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[WEIGHT_x], *weight = &call->tensor[WEIGHT_weight];
    TRY(check_dtypes(call));
    if (x->rank != 2 || weight->rank != 2)
        return refuse(call, "x has %u dims and weight %u; 2 are expected", x->rank, weight->rank);
    if (x->shape[1] != weight->shape[0])
        return refuse(call, "x has %" PRId64 " columns and weight %" PRId64 " rows; as many are expected",
                      x->shape[1], weight->shape[0]);
    if (call->argument[WEIGHT_antiquantGroupSize].int64 < 0)
        return refuse(call, "antiquantGroupSize is %" PRId64 "; 0 or more is expected",
                      call->argument[WEIGHT_antiquantGroupSize].int64);
    if (y_of(call) == V3_y &&
        (call->argument[V3_innerPrecise].int64 < 0 || call->argument[V3_innerPrecise].int64 > 1))
        return refuse(call, "innerPrecise is %" PRId64 "; 0 or 1 is expected",
                      call->argument[V3_innerPrecise].int64);
    TRY(check_factor(call, WEIGHT_antiquantScale,
                     quantised_groups(call->argument[WEIGHT_antiquantGroupSize].int64, x->shape[1])));
    if (call_has(call, WEIGHT_antiquantOffsetOptional))
        TRY(check_same_shape(call, WEIGHT_antiquantOffsetOptional, WEIGHT_antiquantScale, NULL));
    if (call_has(call, WEIGHT_quantOffsetOptional) && !call_has(call, WEIGHT_quantScaleOptional))
        return refuse(call, "quantOffsetOptional is given and quantScaleOptional is not; both are expected");
    for (unsigned i = WEIGHT_quantScaleOptional; i <= WEIGHT_biasOptional; i++)
        if (call_has(call, i))
            TRY(check_factor(call, i, 1));
    if (call_has(call, WEIGHT_biasOptional) &&
        call->tensor[WEIGHT_biasOptional].shape[call->tensor[WEIGHT_biasOptional].rank - 1] !=
            columns_of(call))
        return refuse(call, "biasOptional has %" PRId64 " elements; %" PRId64 " are expected",
                      call->tensor[WEIGHT_biasOptional].count, columns_of(call));
    struct output *y =
        result_add(result, call_has(call, WEIGHT_quantScaleOptional) ? ACL_INT8 : x->dtype, DTYPE_EQUAL);
    y->like = WEIGHT_x;
    y->shape_rule = SHAPE_EQUAL;
    y->shape = (struct shape){.rank = 2, .dim = {x->shape[0], columns_of(call)}};
    result->computed = x->dtype;
    return check_element_count(call, &y->shape);
}

static struct contraction_matrix matrix_of(const struct call *call, unsigned parameter, int64_t first,
                                           int64_t second)
{
    const aclDataType dtype = call->tensor[parameter].dtype;
    return (struct contraction_matrix){.dtype = dtype,
                                       .bytes = dtype_bytes(dtype),
                                       .address = call->first_operand[parameter],
                                       .stride = {first, second}};
}

/* From column to column, 0 where one stands for all. */
static int64_t column_step(const struct tensor_view *view)
{
    return view->count == 1 ? 0 : view->stride[view->rank - 1];
}

static struct quantised_factor factor_of(const struct tensor_view *view)
{
    return (struct quantised_factor){.dtype = view->dtype,
                                     .lane = column_step(view),
                                     .group = view->rank == 2 && view->shape[0] > 1 ? view->stride[0] : 0};
}

/* Its product never copies it: what an element takes is no whole number of bytes. */
static void set_weight(const struct call *call, struct weight_quant *plan)
{
    const struct tensor_view *view = &call->tensor[WEIGHT_weight];
    struct quantised *quantised = &plan->quantised;
    const int64_t packed = view->dtype == ACL_INT32 ? 8 : 1; /* elements of a dtype's one */
    quantised->is_in_halves = view->dtype != ACL_INT8;
    quantised->first = view->dtype == ACL_INT4 ? (uint32_t)(view->offset % 2) : 0;
    quantised->lanes_packed = (uint32_t)packed;
    quantised->product.right =
        matrix_of(call, WEIGHT_weight, view->stride[1] * packed, view->stride[0] * packed);
    quantised->product.right.bytes = 0;
    plan->weight = operand_of(call, WEIGHT_weight);
    if (view->dtype == ACL_INT4) {
        plan->weight.bytes = 1;
        plan->weight.extent = (uint64_t)(view->reach / 2 - view->offset / 2) + 1;
    }
}

static void set_requantising(const struct call *call, struct weight_quant *plan)
{
    const struct tensor_view *y = &call->tensor[y_of(call)];
    struct requantising *requantising = &plan->requantising;
    if (!call_has(call, WEIGHT_quantScaleOptional))
        return;
    *requantising = (struct requantising){.is_given = true,
                                          .transfer = transfer_of(call->settings->isa),
                                          .scale = operand_of(call, WEIGHT_quantScaleOptional),
                                          .scale_step = column_step(&call->tensor[WEIGHT_quantScaleOptional]),
                                          .row = y->stride[0],
                                          .column = y->stride[1]};
    if (call_has(call, WEIGHT_quantOffsetOptional)) {
        requantising->offset = operand_of(call, WEIGHT_quantOffsetOptional);
        requantising->offset_step = column_step(&call->tensor[WEIGHT_quantOffsetOptional]);
    }
    /* The sums lie in memory of their own, row by row. */
    plan->quantised.product.out.dtype = ACL_FLOAT;
    plan->quantised.product.out.bytes = sizeof(float);
    plan->quantised.product.out.stride[0] = (int64_t)plan->columns;
    plan->quantised.product.out.stride[1] = 1;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[WEIGHT_x], *y = &call->tensor[y_of(call)];
    struct weight_quant plan = {.rows = (uint64_t)x->shape[0], .columns = (uint64_t)columns_of(call)};
    struct contraction *product = &plan.quantised.product;
    struct executor_content *content;
    void *made;
    (void)result;
    if (y->count == 0)
        return call_idle(call);
    *product = (struct contraction){.rows = plan.rows,
                                    .columns = plan.columns,
                                    .depth = (uint64_t)x->shape[1],
                                    .left = matrix_of(call, WEIGHT_x, x->stride[0], x->stride[1]),
                                    .out = matrix_of(call, y_of(call), y->stride[0], y->stride[1]),
                                    .pack_right = packs[call->settings->isa],
                                    .alpha = 1,
                                    .beta = 1,
                                    .has_self = call_has(call, WEIGHT_biasOptional),
                                    .is_exact = call->settings->accuracy == ACCURACY_EXACT};
    set_weight(call, &plan);
    if (product->has_self)
        product->self =
            matrix_of(call, WEIGHT_biasOptional, 0, column_step(&call->tensor[WEIGHT_biasOptional]));
    plan.quantised.group =
        (uint64_t)quantised_group(call->argument[WEIGHT_antiquantGroupSize].int64, x->shape[1]);
    plan.quantised.scale = factor_of(&call->tensor[WEIGHT_antiquantScale]);
    if (quantised_row_is_whole(&plan.quantised))
        product->multiply_row = row_multiplications[call->settings->isa];
    plan.scale = operand_of(call, WEIGHT_antiquantScale);
    plan.y = operand_of(call, y_of(call));
    plan.has_offset = call_has(call, WEIGHT_antiquantOffsetOptional);
    if (plan.has_offset) {
        plan.quantised.offset = factor_of(&call->tensor[WEIGHT_antiquantOffsetOptional]);
        plan.offset = operand_of(call, WEIGHT_antiquantOffsetOptional);
    }
    set_requantising(call, &plan);
    contraction_prepare(product, call->settings->isa, call->settings->thread_count);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = product->cost_ns + product->depth * plan.columns / 8;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t sums_bytes(const struct weight_quant *plan)
{
    return plan->requantising.is_given ? whole_lines(plan->rows * plan->columns * sizeof(float)) +
                                             2 * whole_lines(plan->columns * sizeof(float))
                                       : 0;
}

/* The addresses with the product's own output in the place of y. */
static void redirect(const struct weight_quant *plan, void *const *address, void *sums, void **own)
{
    memcpy(own, address, OPERANDS * sizeof *own);
    if (plan->requantising.is_given)
        own[plan->y.address] = sums;
}

static size_t work_bytes(const void *plan_memory)
{
    const struct weight_quant *plan = (const struct weight_quant *)plan_memory;
    return sums_bytes(plan) + contraction_work_bytes(&plan->quantised);
}

/* A scale that is packed with an offset: the first 19 bits of a FLOAT in the low half, and from bit 37 on an
 * integer of 9 bits. */
static uint64_t packed_of(const unsigned char *from)
{
    uint64_t packed;
    memcpy(&packed, from, sizeof packed);
    return packed;
}

static void read_packed_offsets(const struct requantising *requantising, void *const *address,
                                uint64_t columns, float *to)
{
    const unsigned char *from = address[requantising->scale.address];
    const int64_t bytes = requantising->scale_step * (int64_t)requantising->scale.bytes;
    for (uint64_t j = 0; j < columns; j++, from += bytes) {
        const int32_t offset = (int32_t)(packed_of(from) >> 37 & 0x1ff);
        to[j] = (float)(offset < 256 ? offset : offset - 512);
    }
}

/* One number, or one for each column, as floats. */
static void read_numbers(const struct requantising *requantising, const struct operand *operand, int64_t step,
                         void *const *address, uint64_t columns, float *to)
{
    const unsigned char *from = address[operand->address];
    const int64_t bytes = step * (int64_t)operand->bytes;
    for (uint64_t j = 0; j < columns; j++, from += bytes)
        if (operand->dtype == ACL_FLOAT) {
            memcpy(to + j, from, sizeof *to);
        } else if (operand->dtype == ACL_UINT64) {
            const uint32_t scale = (uint32_t)packed_of(from) & 0xffffe000;
            memcpy(to + j, &scale, sizeof *to);
        } else
            requantising->transfer->convert(from, operand->dtype, to + j, ACL_FLOAT, 1);
}

static int8_t rounded(float value)
{
    const float integers = 0x1.8p23F; /* the last place of what is added to it is 1 */
    if (value != value)
        return 0;
    value = value < -128 ? -128 : value > 127 ? 127 : value;
    return (int8_t)((value + integers) - integers);
}

static void requantise(const struct weight_quant *plan, void *const *address, float *sums)
{
    const struct requantising *requantising = &plan->requantising;
    const uint64_t columns = plan->columns;
    float *scale =
        (float *)(void *)((unsigned char *)sums + whole_lines(plan->rows * columns * sizeof(float)));
    float *offset = (float *)(void *)((unsigned char *)scale + whole_lines(columns * sizeof(float)));
    int8_t *y = address[plan->y.address];
    read_numbers(requantising, &requantising->scale, requantising->scale_step, address, columns, scale);
    memset(offset, 0, columns * sizeof *offset);
    if (requantising->offset.bytes > 0)
        read_numbers(requantising, &requantising->offset, requantising->offset_step, address, columns,
                     offset);
    else if (requantising->scale.dtype == ACL_UINT64)
        read_packed_offsets(requantising, address, columns, offset);
    for (uint64_t i = 0; i < plan->rows; i++)
        for (uint64_t j = 0; j < columns; j++)
            y[(int64_t)i * requantising->row + (int64_t)j * requantising->column] =
                rounded(sums[i * columns + j] * scale[j] + offset[j]);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct weight_quant *plan = (const struct weight_quant *)plan_memory;
    struct quantised quantised = plan->quantised;
    unsigned char *room = scratch != NULL ? (unsigned char *)scratch + sums_bytes(plan) : NULL;
    void *own[OPERANDS];
    redirect(plan, address, scratch, own);
    quantised.scale.first = address[plan->scale.address];
    if (plan->has_offset)
        quantised.offset.first = address[plan->offset.address];
    const int status = contraction_run(&quantised, own, room);
    if (plan->requantising.is_given)
        requantise(plan, address, (float *)scratch);
    return status;
}

FUNCTION_OF(aclnnWeightQuantBatchMatmulV2, WEIGHT, .stem = "weight_quant_batch_matmul_v2",
            .promise = &promise_sum, .family = FAMILY_CONTRACTION, .operation.run = run,
            .operation.work_bytes = work_bytes, .infer = infer, .plan = plan);

/* A weight's format is known from the tensor, so that this name means the same. */
FUNCTION_OF(aclnnWeightQuantBatchMatmulNz, WEIGHT, .stem = "weight_quant_batch_matmul_nz",
            .promise = &promise_sum, .family = FAMILY_CONTRACTION, .operation.run = run,
            .operation.work_bytes = work_bytes, .infer = infer, .plan = plan);

/* innerPrecise chooses between ways of the device that are one here. */
FUNCTION_OF(aclnnWeightQuantBatchMatmulV3, V3, .stem = "weight_quant_batch_matmul_v3",
            .promise = &promise_sum, .family = FAMILY_CONTRACTION, .operation.run = run,
            .operation.work_bytes = work_bytes, .infer = infer, .plan = plan);
