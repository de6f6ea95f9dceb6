/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of INT8 whose sums are scaled by columns and by rows: out = (x1 @ x2 + bias) x2Scale x1Scale +
 * x2Offset, with a bias of whole numbers inside and one of floats behind the scales; or the sums themselves.
 */
#include "aclnnop/aclnn_quant_matmul_v5.h"
#include "aclnnop/aclnn_quant_matmul_weight_nz.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/int8_product.h"
#include "ops/contraction/scale_bits.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"
#include "tensor/scratch.h"

#define ABSENT(X, of, name) X(of, IN, name, &dtypes_all, .is_optional = true, .sample = "")
#define QUANT_MATMUL(X, of)                                                                         \
    X(of, IN, x1, &dtypes_int8, .sample = "3x4:INT8")                                               \
    X(of, IN, x2, &dtypes_int8, .sample = "4x5:INT8")                                               \
    X(of, IN, x1ScaleOptional, &dtypes_fp32, .is_optional = true, .sample = "3")                    \
    X(of, IN, x2Scale, &dtypes_fp32_fp16_bf16_int64_uint64, .sample = "5")                          \
    ABSENT(X, of, yScaleOptional)                                                                   \
    ABSENT(X, of, x1OffsetOptional)                                                                 \
    X(of, IN, x2OffsetOptional, &dtypes_fp32, .is_optional = true, .sample = "")                    \
    ABSENT(X, of, yOffsetOptional)                                                                  \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16_int32, .is_optional = true, .sample = "5:INT32") \
    X(of, BOOL, transposeX1, .usual = "false")                                                      \
    X(of, BOOL, transposeX2, .usual = "false")                                                      \
    X(of, INT64, groupSize, .usual = "0")                                                           \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_int8_int32)
SIGNATURE(QUANT_MATMUL)
#define AT(name) QUANT_MATMUL_##name

struct quant_plan {
    struct port left, right, rows_scale, columns_scale, offset, bias, out;
    bool has_rows_scale, has_offset, has_bias, is_bias_whole, has_bits;
    bool rows_scale_is_one, columns_scale_is_one, offset_is_one, bias_is_by_batch;
    enum isa_level isa;
    uint64_t batches, rows, columns, depth, threads;
};

/* Frameworks pass empty tensors for what is absent. */
static bool is_given(const struct call *call, unsigned parameter)
{
    return call_has(call, parameter) && call->tensor[parameter].count > 0;
}

/* A batch of matrices over all batches, with the last two dims the other way round if asked for. */
static struct tensor_view batch_of(const struct call *call, unsigned parameter, const struct shape *batch,
                                   bool turns)
{
    const struct tensor_view *own = &call->tensor[parameter];
    struct tensor_view view = *own;
    view.rank = batch->rank + 2;
    view.count = 1;
    for (uint32_t i = 0; i < view.rank; i++) {
        const uint32_t missing = view.rank - own->rank;
        uint32_t from = i < missing ? 0 : i - missing;
        if (turns && i >= batch->rank)
            from = 2 * own->rank - 3 - from;
        const bool repeats = i < missing || (i < batch->rank && own->shape[from] == 1);
        view.shape[i] = i < batch->rank ? batch->dim[i] : own->shape[from];
        view.stride[i] = repeats ? 0 : own->stride[from];
        view.count *= view.shape[i];
    }
    return view;
}

static aclnnStatus find_batch(const struct call *call, struct shape *batch)
{
    struct shape left = shape_of(&call->tensor[AT(x1)]), right = shape_of(&call->tensor[AT(x2)]);
    left.rank -= 2, right.rank -= 2;
    return broadcast(&left, &right, batch) ? ACLNN_SUCCESS
                                           : refuse(call, "the shapes of x1 and x2 do not fit: the dims "
                                                          "before the last two are expected to broadcast");
}

static int64_t dim_of(const struct call *call, unsigned parameter, unsigned transposed, uint32_t from_end)
{
    const struct tensor_view *view = &call->tensor[parameter];
    const bool turns = call->argument[transposed].boolean;
    return view->shape[view->rank - (turns ? 3 - from_end : from_end)];
}

static aclnnStatus check_scale(const struct call *call, unsigned parameter, int64_t count)
{
    const struct tensor_view *scale = &call->tensor[parameter];
    const bool is_left_out = parameter != AT(x2Scale) && !is_given(call, parameter);
    if (is_left_out || (scale->rank <= 2 && (scale->count == 1 || scale->count == count) &&
                        (scale->rank < 2 || scale->count == scale->shape[scale->rank - 1])))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "%s has shape %s; 1 element or %" PRId64 " are expected: there are no scales by blocks",
                  call_name(call, parameter), shape_text(TEXT, scale), count);
}

static aclnnStatus check_bias(const struct call *call, const struct shape *batch, int64_t columns)
{
    const struct tensor_view *bias = &call->tensor[AT(biasOptional)];
    int64_t batches = 1;
    for (uint32_t i = 0; i < batch->rank; i++)
        batches *= batch->dim[i];
    if (!is_given(call, AT(biasOptional)) ||
        (bias->rank >= 1 && bias->rank <= 3 && bias->shape[bias->rank - 1] == columns &&
         (bias->rank < 2 || bias->shape[bias->rank - 2] == 1) &&
         (bias->rank < 3 || bias->shape[0] == batches)))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "biasOptional has shape %s; [%" PRId64 "] or a row of so many for each of %" PRId64
                  " batches, [.., 1, ..], is expected",
                  shape_text(TEXT, bias), columns, batches);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct shape batch;
    for (unsigned i = AT(x1); i <= AT(biasOptional); i++)
        TRY(is_given(call, i) || (i <= AT(x2Scale) && call_has(call, i)) ? check_dtype(call, i)
                                                                         : ACLNN_SUCCESS);
    for (unsigned i = AT(x1); i <= AT(x2); i++) {
        TRY(check_rank(call, i));
        if (call->tensor[i].rank < 2 || call->tensor[i].rank > 6)
            return refuse(call, "%s has %u dims; 2 to 6 are expected", call_name(call, i),
                          call->tensor[i].rank);
    }
    const unsigned absent[] = {AT(yScaleOptional), AT(x1OffsetOptional), AT(yOffsetOptional)};
    for (unsigned i = 0; i < sizeof absent / sizeof absent[0]; i++)
        if (is_given(call, absent[i]))
            return refuse(
                call, "%s is given; NULL is expected: products of 4 and of 8 bits as floats are not there",
                call_name(call, absent[i]));
    const int64_t rows = dim_of(call, AT(x1), AT(transposeX1), 2),
                  columns = dim_of(call, AT(x2), AT(transposeX2), 1);
    const int64_t depth = dim_of(call, AT(x1), AT(transposeX1), 1);
    if (depth != dim_of(call, AT(x2), AT(transposeX2), 2))
        return refuse(call,
                      "the shapes of x1 and x2 do not fit: the sums run along %" PRId64 " and %" PRId64
                      " elements; as many of both are expected",
                      depth, dim_of(call, AT(x2), AT(transposeX2), 2));
    TRY(find_batch(call, &batch));
    TRY(check_scale(call, AT(x1ScaleOptional), rows));
    TRY(check_scale(call, AT(x2Scale), columns));
    TRY(check_scale(call, AT(x2OffsetOptional), columns));
    TRY(check_bias(call, &batch, columns));
    const aclDataType given = call->has_outputs ? call->tensor[AT(out)].dtype : ACL_FLOAT16;
    if (is_given(call, AT(x2OffsetOptional)) && given != ACL_INT8)
        return refuse(call, "x2OffsetOptional is given; NULL is expected unless out is INT8");
    if (given == ACL_INT32 && is_given(call, AT(biasOptional)) &&
        call->tensor[AT(biasOptional)].dtype != ACL_INT32)
        return refuse(call, "biasOptional is %s; INT32 is expected where out is",
                      dtype_name(call->tensor[AT(biasOptional)].dtype));
    result->computed = ACL_INT32;
    struct output *output = result_add(result, given, DTYPE_ANY);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = batch;
    output->shape.rank += 2;
    output->shape.dim[batch.rank] = rows;
    output->shape.dim[batch.rank + 1] = columns;
    return ACLNN_SUCCESS;
}

static struct port part_of(const struct call *call, unsigned parameter, aclDataType carried, bool *is_there,
                           bool *is_one)
{
    *is_there = is_given(call, parameter);
    *is_one = *is_there && call->tensor[parameter].count == 1;
    return *is_there ? port_of(call, parameter, carried) : (struct port){.address = 0};
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct transfer *transfer = transfer_of(call->settings->isa);
    const struct tensor_view *scale = &call->tensor[AT(x2Scale)], *out = &call->tensor[AT(out)];
    struct executor_content *content;
    struct shape batch;
    void *made;
    bool is_there, is_one;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(find_batch(call, &batch));
    const struct tensor_view left = batch_of(call, AT(x1), &batch, call->argument[AT(transposeX1)].boolean);
    const struct tensor_view right = batch_of(call, AT(x2), &batch, !call->argument[AT(transposeX2)].boolean);
    TRY(call_begin(call, sizeof(struct quant_plan), &content, &made));
    struct quant_plan *plan = made;
    *plan = (struct quant_plan){
        .left = port_of_view(transfer, &left, call->first_operand[AT(x1)], ACL_INT8),
        .right = port_of_view(transfer, &right, call->first_operand[AT(x2)], ACL_INT8),
        .has_bits = scale->dtype == ACL_INT64 || scale->dtype == ACL_UINT64,
        .is_bias_whole = call->tensor[AT(biasOptional)].dtype == ACL_INT32,
        .isa = call->settings->isa,
        .rows = (uint64_t)left.shape[left.rank - 2],
        .columns = (uint64_t)right.shape[right.rank - 2],
        .depth = (uint64_t)left.shape[left.rank - 1],
        .threads = call->settings->thread_count,
    };
    plan->batches = (uint64_t)out->count / (plan->rows * plan->columns);
    plan->rows_scale =
        part_of(call, AT(x1ScaleOptional), ACL_DOUBLE, &plan->has_rows_scale, &plan->rows_scale_is_one);
    plan->columns_scale = part_of(call, AT(x2Scale), plan->has_bits ? scale->dtype : ACL_DOUBLE, &is_there,
                                  &plan->columns_scale_is_one);
    plan->offset = part_of(call, AT(x2OffsetOptional), ACL_DOUBLE, &plan->has_offset, &plan->offset_is_one);
    plan->bias = part_of(call, AT(biasOptional), ACL_DOUBLE, &plan->has_bias, &is_one);
    plan->bias_is_by_batch = plan->has_bias && (uint64_t)call->tensor[AT(biasOptional)].count > plan->columns;
    plan->out =
        port_of(call, AT(out), out->dtype == ACL_INT8 || out->dtype == ACL_INT32 ? out->dtype : ACL_DOUBLE);
    content->cost_ns = plan->batches * (plan->rows * plan->columns * plan->depth / 8 + 1000);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t work_bytes(const void *prepared)
{
    const struct quant_plan *plan = prepared;
    return int8_work_bytes(plan->columns, plan->depth, plan->threads);
}

struct quant_work {
    const struct quant_plan *plan;
    void *const *address;
    uint64_t batch;
};

/* Numbers of columns, or the one that stands for all. */
static void read_columns(const struct quant_work *work, const struct port *port, bool is_one, uint64_t at,
                         uint64_t count, double *to)
{
    port_bring(port, work->address, is_one ? 0 : at, is_one ? 1 : count, to);
    for (uint64_t i = 1; is_one && i < count; i++)
        to[i] = to[0];
}

/* Scales of columns, and offsets that scales of 64 bits carry. */
static void read_scales(const struct quant_work *work, uint64_t column, uint64_t count, double *scale,
                        double *offset)
{
    const struct quant_plan *plan = work->plan;
    uint64_t bits[INT8_COLUMNS];
    if (!plan->has_bits) {
        read_columns(work, &plan->columns_scale, plan->columns_scale_is_one, column, count, scale);
    } else {
        const bool is_one = plan->columns_scale_is_one;
        port_bring(&plan->columns_scale, work->address, is_one ? 0 : column, is_one ? 1 : count, bits);
        for (uint64_t i = 0; i < count; i++) {
            scale[i] = scale_in_bits(bits[is_one ? 0 : i]);
            offset[i] = offset_in_bits(bits[is_one ? 0 : i]);
        }
    }
    if (plan->has_offset)
        read_columns(work, &plan->offset, plan->offset_is_one, column, count, offset);
}

static void finish(const void *context, uint64_t row, uint64_t column, uint64_t count, const int32_t *sums)
{
    const struct quant_work *work = context;
    const struct quant_plan *plan = work->plan;
    const uint64_t at = (work->batch * plan->rows + row) * plan->columns + column;
    double scale[INT8_COLUMNS], offset[INT8_COLUMNS] = {0}, bias[INT8_COLUMNS] = {0}, value[INT8_COLUMNS],
                                own = 1;
    int32_t whole[INT8_COLUMNS];
    int8_t number[INT8_COLUMNS];
    if (plan->has_bias)
        port_bring(&plan->bias, work->address,
                   column + (plan->bias_is_by_batch ? work->batch * plan->columns : 0), count, bias);
    if (plan->out.carried == ACL_INT32) {
        for (uint64_t i = 0; i < count; i++)
            whole[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)(int32_t)bias[i]);
        port_deliver(&plan->out, work->address, at, count, whole);
        return;
    }
    read_scales(work, column, count, scale, offset);
    if (plan->has_rows_scale)
        port_bring(&plan->rows_scale, work->address, plan->rows_scale_is_one ? 0 : row, 1, &own);
    for (uint64_t i = 0; i < count; i++) {
        const double sum = (double)sums[i] + (plan->is_bias_whole ? bias[i] : 0);
        value[i] = sum * scale[i] * own + (plan->is_bias_whole ? 0 : bias[i]);
        if (plan->out.carried == ACL_INT8)
            number[i] = quantised_number(value[i] + offset[i], 127);
    }
    port_deliver(&plan->out, work->address, at, count,
                 plan->out.carried == ACL_INT8 ? (const void *)number : (const void *)value);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct quant_plan *plan = prepared;
    for (uint64_t batch = 0; batch < plan->batches; batch++) {
        const struct quant_work work = {plan, address, batch};
        struct int8_product product = {.left = &plan->left,
                                       .right = &plan->right,
                                       .left_first = batch * plan->rows * plan->depth,
                                       .right_first = batch * plan->columns * plan->depth,
                                       .address = address,
                                       .rows = plan->rows,
                                       .columns = plan->columns,
                                       .depth = plan->depth,
                                       .isa = plan->isa,
                                       .finish = finish,
                                       .context = &work};
        int8_use_memory(&product, scratch, plan->columns, plan->threads);
        int8_multiply(&product);
    }
    return 0;
}

#define MULTIPLIES                                                               \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.run = run, \
    .operation.work_bytes = work_bytes, .infer = infer, .plan = plan
FUNCTION_OF(aclnnQuantMatmulV5, QUANT_MATMUL, .stem = "quant_matmul_v5", MULTIPLIES);
FUNCTION_OF(aclnnQuantMatmulWeightNz, QUANT_MATMUL, .stem = "quant_matmul_weight_nz", MULTIPLIES);
