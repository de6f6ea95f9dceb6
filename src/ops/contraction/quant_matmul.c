/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of INT8 and INT4, and of floats of 8 and of 4 bits, whose sums are scaled by columns, by rows or by
 * blocks: out = (x1 @ x2 + bias) x2Scale x1Scale + x2Offset, with a bias of whole numbers inside and one of
 * floats behind the scales; or the sums themselves. The generations have the same parts in other places.
 */
#include "aclnnop/aclnn_fused_quant_matmul.h"
#include "aclnnop/aclnn_fused_quant_matmul_weight_nz.h"
#include "aclnnop/aclnn_quant_matmul_v3.h"
#include "aclnnop/aclnn_quant_matmul_v4.h"
#include "aclnnop/aclnn_quant_matmul_v5.h"
#include "aclnnop/aclnn_quant_matmul_weight_nz.h"

#include <string.h>

#include "base/error.h"
#include "ops/contraction/activation.h"
#include "ops/contraction/quant_call.h"
#include "ops/contraction/scaled.h"
#include "ops/signature.h"
#include "tensor/dtype.h"
#include "tensor/scratch.h"

#define BY                  &dtypes_int8_int32_int4
#define SCALES              &dtypes_fp32_fp16_bf16_int64_uint64
#define SCALES_OF_FLOATS    &dtypes_fp32_fp16_bf16_int64_uint64_float8_e8m0
#define ABSENT(X, of, name) X(of, IN, name, &dtypes_all, .is_optional = true, .sample = "")
#define PAIR(X, of)                         \
    X(of, IN, x1, BY, .sample = "3x4:INT8") \
    X(of, IN, x2, BY, .sample = "4x5:INT8")
#define SOME(X, of, name, set, sample_) X(of, IN, name, set, .is_optional = true, .sample = sample_)
#define TURNS(X, of)                           \
    X(of, BOOL, transposeX1, .usual = "false") \
    X(of, BOOL, transposeX2, .usual = "false")
#define OUT_OF(X, of) X(of, OUT, out, &dtypes_fp32_fp16_bf16_int8_int32)
#define BIAS(X, of)   SOME(X, of, biasOptional, &dtypes_fp32_fp16_bf16_int32, "5:INT32")
#define V3(X, of)                                 \
    PAIR(X, of)                                   \
    X(of, IN, scale, SCALES, .sample = "5")       \
    SOME(X, of, offsetOptional, &dtypes_fp32, "") \
    BIAS(X, of) TURNS(X, of) OUT_OF(X, of)
#define V4(X, of)                                         \
    PAIR(X, of)                                           \
    X(of, IN, scale, SCALES, .sample = "5")               \
    SOME(X, of, offsetOptional, &dtypes_fp32, "")         \
    SOME(X, of, pertokenScaleOptional, &dtypes_fp32, "3") \
    BIAS(X, of) TURNS(X, of) OUT_OF(X, of)
#define V5(X, of)                                                                            \
    X(of, IN, x1, &dtypes_int8_int32_int4_hifloat8_float8_float4, .sample = "3x4:INT8")      \
    X(of, IN, x2, &dtypes_fp32_int8_int32_int4_hifloat8_float8_float4, .sample = "4x5:INT8") \
    SOME(X, of, x1ScaleOptional, &dtypes_fp32_float8_e8m0, "3")                              \
    X(of, IN, x2Scale, SCALES_OF_FLOATS, .sample = "5")                                      \
    ABSENT(X, of, yScaleOptional)                                                            \
    ABSENT(X, of, x1OffsetOptional)                                                          \
    SOME(X, of, x2OffsetOptional, &dtypes_fp32_fp16, "")                                     \
    SOME(X, of, yOffsetOptional, &dtypes_fp32, "")                                           \
    BIAS(X, of) TURNS(X, of) X(of, INT64, groupSize, .usual = "0") OUT_OF(X, of)
#define FUSED(X, of)                                     \
    PAIR(X, of)                                          \
    X(of, IN, x1Scale, &dtypes_fp32, .sample = "3")      \
    X(of, IN, x2Scale, SCALES, .sample = "5")            \
    ABSENT(X, of, yScaleOptional)                        \
    ABSENT(X, of, x1OffsetOptional)                      \
    SOME(X, of, x2OffsetOptional, &dtypes_fp32_fp16, "") \
    SOME(X, of, yOffsetOptional, &dtypes_fp32, "")       \
    BIAS(X, of)                                          \
    ABSENT(X, of, x3Optional)                            \
    X(of, CONST_TEXT, fusedOpType, .usual = "gelu_erf")  \
    X(of, INT64, groupSize, .usual = "0")                \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(V3)
SIGNATURE(V4)
SIGNATURE(V5)
SIGNATURE(FUSED)

static const struct generation v3 = {.at = {[SCALE] = AT(V3_scale),
                                            [OFFSET] = AT(V3_offsetOptional),
                                            [BIAS_PART] = AT(V3_biasOptional),
                                            [TURNS_LEFT] = AT(V3_transposeX1),
                                            [OUT] = AT(V3_out)}};
static const struct generation v4 = {.at = {[ROWS_SCALE] = AT(V4_pertokenScaleOptional),
                                            [SCALE] = AT(V4_scale),
                                            [OFFSET] = AT(V4_offsetOptional),
                                            [BIAS_PART] = AT(V4_biasOptional),
                                            [TURNS_LEFT] = AT(V4_transposeX1),
                                            [OUT] = AT(V4_out)}};
static const struct generation v5 = {.at = {[ROWS_SCALE] = AT(V5_x1ScaleOptional),
                                            [SCALE] = AT(V5_x2Scale),
                                            [OFFSET] = AT(V5_x2OffsetOptional),
                                            [Y_OFFSET] = AT(V5_yOffsetOptional),
                                            [BIAS_PART] = AT(V5_biasOptional),
                                            [TURNS_LEFT] = AT(V5_transposeX1),
                                            [GROUPS] = AT(V5_groupSize),
                                            [OUT] = AT(V5_out),
                                            [Y_SCALE] = AT(V5_yScaleOptional),
                                            [X_OFFSET] = AT(V5_x1OffsetOptional)}};
static const struct generation fused = {.at = {[ROWS_SCALE] = AT(FUSED_x1Scale),
                                               [SCALE] = AT(FUSED_x2Scale),
                                               [OFFSET] = AT(FUSED_x2OffsetOptional),
                                               [Y_OFFSET] = AT(FUSED_yOffsetOptional),
                                               [BIAS_PART] = AT(FUSED_biasOptional),
                                               [GROUPS] = AT(FUSED_groupSize),
                                               [FUSED_TYPE] = AT(FUSED_fusedOpType),
                                               [OUT] = AT(FUSED_out),
                                               [Y_SCALE] = AT(FUSED_yScaleOptional),
                                               [X_OFFSET] = AT(FUSED_x1OffsetOptional),
                                               [X3] = AT(FUSED_x3Optional)}};

/* A product and its batch, whose dims have these strides. */
struct quant_plan {
    struct scaled scaled;
    struct scaled_product product;
    struct target out;
    bool sums;
    uint64_t batches, rows;
    uint32_t rank;
    int64_t dim[BATCH_DIMS], left[BATCH_DIMS], right[BATCH_DIMS], to[BATCH_DIMS], bias;
    int64_t rows_scale[BATCH_DIMS], columns_scale[BATCH_DIMS];
};

static int64_t scale_stride(const struct call *call, unsigned part, unsigned side, uint32_t dim)
{
    const struct tensor_view *scale = quant_view(call, part);
    return scale->stride[scale->rank - (is_mx(scale) ? 3 : 2) + (quant_turns(call, side) ? 1 - dim : dim)];
}

/* One for all lanes, or one for each, along the dim that has them. */
static struct factors row_of(const struct call *call, unsigned part)
{
    struct factors factors = {.lanes = 1};
    if (!quant_given(call, part))
        return factors;
    const struct tensor_view *view = quant_view(call, part);
    factors.is_given = true;
    factors.dtype = view->dtype;
    factors.bytes = dtype_bytes(view->dtype);
    factors.address = call->first_operand[quant_part_at(call, part)];
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->shape[i] == view->count && view->count > 1)
            factors.stride[1] = view->stride[i];
    return factors;
}

/* Of columns or rows of a side, and of parts. */
static struct factors blocks_of(const struct call *call, unsigned part, unsigned side, int64_t block)
{
    struct factors factors = row_of(call, part);
    factors.lanes = block > 0 ? (uint64_t)block : 1;
    factors.is_paired = is_mx(quant_view(call, part));
    factors.second = quant_view(call, part)->stride[quant_view(call, part)->rank - 1];
    factors.stride[0] = scale_stride(call, part, side, side == RIGHT ? 0 : 1);
    factors.stride[1] = scale_stride(call, part, side, side == RIGHT ? 1 : 0);
    return factors;
}

static void set_product(const struct call *call, const struct sizes *sizes, struct quant_plan *plan)
{
    struct scaled_product *product = &plan->product;
    const bool has_parts = sizes->parts > 1 || sizes->column_block > 0;
    struct numbers right;
    (void)quant_matrix(call, LEFT, &product->left);
    (void)quant_matrix(call, RIGHT, &right);
    product->right = numbers_turned(&right);
    product->columns = has_parts ? blocks_of(call, SCALE, RIGHT, sizes->column_block) : row_of(call, SCALE);
    product->columns.is_plain = sizes->is_mixed;
    product->rows =
        sizes->row_block > 0 ? blocks_of(call, ROWS_SCALE, LEFT, sizes->row_block) : row_of(call, ROWS_SCALE);
    product->last = row_of(call, Y_SCALE);
    product->bias = row_of(call, quant_given(call, Y_OFFSET) ? Y_OFFSET : BIAS_PART);
    if (plan->scaled.has_offsets)
        product->offset =
            has_parts ? blocks_of(call, OFFSET, RIGHT, sizes->column_block) : row_of(call, OFFSET);
    else if (quant_given(call, OFFSET))
        product->end = row_of(call, OFFSET);
    if (quant_given(call, BIAS_PART) && !quant_given(call, Y_OFFSET)) {
        const struct tensor_view *bias = quant_view(call, BIAS_PART);
        product->bias.stride[1] = bias->stride[bias->rank - 1];
        plan->bias = bias->rank == 3 ? bias->stride[0] : 0;
    }
}

/* Scales by blocks have the dims of their operand; others are the same for all of the batch. */
static int64_t scale_batch_stride(const struct call *call, unsigned part, unsigned side, uint32_t dim)
{
    if (!quant_given(call, part) || call->tensor[side].rank < 3)
        return 0;
    const struct tensor_view *scale = quant_view(call, part);
    if (quant_generation(call)->sums && part == ROWS_SCALE)
        return scale->stride[0];
    return scale->rank >= call->tensor[side].rank ? scale->stride[dim] : 0;
}

static void set_batch(const struct call *call, const struct shape *batch, struct quant_plan *plan)
{
    const struct tensor_view *out = quant_view(call, OUT);
    plan->rank = batch->rank;
    plan->batches = 1;
    if (plan->sums)
        plan->product.rows.stride[1] = quant_view(call, ROWS_SCALE)->stride[1];
    for (uint32_t i = 0; i < batch->rank; i++) {
        plan->dim[i] = batch->dim[i];
        plan->batches *= (uint64_t)batch->dim[i];
        plan->to[i] = plan->sums ? 0 : out->stride[i];
        for (unsigned side = LEFT; side < SIDES; side++) {
            const struct tensor_view *view = &call->tensor[side];
            const uint32_t missing = batch->rank + 2 - view->rank;
            const bool repeats = i < missing || view->shape[i - missing] == 1;
            const unsigned part = side == LEFT ? ROWS_SCALE : SCALE;
            (side == LEFT ? plan->left : plan->right)[i] =
                repeats ? 0 : view->stride[i - missing] * numbers_in(view->dtype);
            (side == LEFT ? plan->rows_scale : plan->columns_scale)[i] =
                repeats ? 0 : scale_batch_stride(call, part, side, i - missing);
        }
    }
}

aclnnStatus quant_plan(const struct call *call, const struct result *result)
{
    const struct transfer *transfer = transfer_of(call->settings->isa);
    const struct tensor_view *out = quant_view(call, OUT);
    const struct tensor_view *scale = quant_view(call, SCALE);
    const bool has_bits = scale->dtype == ACL_INT64 || scale->dtype == ACL_UINT64;
    const bool is_bias_whole =
        quant_given(call, BIAS_PART) && (quant_view(call, BIAS_PART)->dtype == ACL_INT32 ||
                                         (has_bits && is_small_float(call->tensor[LEFT].dtype)));
    struct executor_content *content;
    struct shape batch;
    struct sizes sizes;
    void *made;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(quant_find_batch(call, &batch));
    TRY(quant_find_sizes(call, &sizes));
    TRY(call_begin(call, sizeof(struct quant_plan), &content, &made));
    struct quant_plan *plan = made;
    *plan = (struct quant_plan){
        .scaled = {.transfer = transfer,
                   .isa = call->settings->isa,
                   .threads = call->settings->thread_count,
                   .columns = (uint64_t)sizes.columns,
                   .depth = (uint64_t)sizes.depth,
                   .parts = (uint64_t)sizes.parts,
                   .part = (uint64_t)sizes.part,
                   .shift = quant_given(call, Y_OFFSET) ? 8 : 0,
                   .bias_place = quant_given(call, Y_OFFSET) ? BIAS_OF_PARTS
                                 : is_bias_whole             ? BIAS_OF_SUMS
                                                             : BIAS_LAST,
                   .rows_have_parts = sizes.row_block > 0,
                   .has_offsets = quant_given(call, OFFSET) && out->dtype != ACL_INT8,
                   .offsets_are_scaled = true,
                   .has_bits_at_end = out->dtype == ACL_INT8,
                   .has_last = quant_given(call, Y_SCALE),
                   .is_float = sizes.is_float,
                   .is_whole = out->dtype == ACL_INT32},
        .out = target_of(transfer, call->settings->isa, out, call->first_operand[quant_part_at(call, OUT)]),
        .rows = (uint64_t)sizes.rows,
    };
    if (quant_has(call, FUSED_TYPE))
        plan->out.activation =
            strcmp(call->argument[quant_part_at(call, FUSED_TYPE)].string, "gelu_tanh") == 0
                ? ACTIVATION_GELU_TANH
                : ACTIVATION_GELU_ERF;
    plan->sums = quant_generation(call)->sums;
    plan->out.adds = quant_generation(call)->adds;
    set_product(call, &sizes, plan);
    set_batch(call, &batch, plan);
    content->cost_ns = plan->batches * scaled_cost_ns(&plan->scaled, plan->rows);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t sums_bytes(const struct quant_plan *plan)
{
    return plan->sums ? whole_lines(plan->rows * plan->scaled.columns * sizeof(double)) : 0;
}

size_t quant_work_bytes(const void *prepared)
{
    const struct quant_plan *plan = prepared;
    return sums_bytes(plan) + scaled_work_bytes(&plan->scaled);
}

/* Some rows of a product, and where it sums, once they are all there, of the sums of products. */
static void take_rows(const struct quant_plan *plan, uint64_t batch, const struct target *out,
                      void *const *address, uint64_t row, uint64_t rows, double *value, double *sums)
{
    const uint64_t count = rows * plan->scaled.columns;
    double *to = sums + row * plan->scaled.columns;
    for (uint64_t i = 0; plan->sums && i < count; i++)
        to[i] = batch == 0 ? value[i] : to[i] + value[i];
    if (!plan->sums)
        target_take(out, address, row, rows, value);
    else if (batch + 1 == plan->batches)
        target_take(out, address, row, rows, to);
}

int quant_run(const void *prepared, void *const *address, void *scratch)
{
    const struct quant_plan *plan = prepared;
    for (uint64_t batch = 0; batch < plan->batches; batch++) {
        struct scaled_product product = plan->product;
        struct target out = plan->out;
        struct scaled_work work;
        uint64_t rest = batch;
        for (uint32_t i = plan->rank; i-- > 0; rest /= (uint64_t)plan->dim[i]) {
            const int64_t at = (int64_t)(rest % (uint64_t)plan->dim[i]);
            product.left.first += at * plan->left[i];
            product.right.first += at * plan->right[i];
            out.first += at * plan->to[i];
            product.rows.first += at * plan->rows_scale[i];
            product.columns.first += at * plan->columns_scale[i];
        }
        product.bias.first += (int64_t)batch * plan->bias;
        scaled_use_memory(&work, &plan->scaled, address, (unsigned char *)scratch + sums_bytes(plan));
        scaled_begin(&work, &product);
        for (uint64_t row = 0, some; row < plan->rows; row += some) {
            some = plan->rows - row < SCALED_ROWS ? plan->rows - row : SCALED_ROWS;
            scaled_multiply(&work, row, some);
            take_rows(plan, batch, &out, address, row, some, work.value, scratch);
        }
    }
    return 0;
}

#define MULTIPLIES(generation) QUANT_MULTIPLIES(generation, quant_infer, quant_plan)
FUNCTION_OF(aclnnQuantMatmulV3, V3, .stem = "quant_matmul_v3", MULTIPLIES(&v3));
FUNCTION_OF(aclnnQuantMatmulV4, V4, .stem = "quant_matmul_v4", MULTIPLIES(&v4));
FUNCTION_OF(aclnnQuantMatmulV5, V5, .stem = "quant_matmul_v5", MULTIPLIES(&v5));
FUNCTION_OF(aclnnQuantMatmulWeightNz, V5, .stem = "quant_matmul_weight_nz", MULTIPLIES(&v5));
FUNCTION_OF(aclnnFusedQuantMatmul, FUSED, .stem = "fused_quant_matmul", MULTIPLIES(&fused));
FUNCTION_OF(aclnnFusedQuantMatmulWeightNz, FUSED, .stem = "fused_quant_matmul_weight_nz", MULTIPLIES(&fused));
