/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of batches of matrices whose dims the call names in another order, and whose results lie with the
 * rows first: the same contraction as any, with other strides. With a scale for each column of each matrix the
 * results are whole numbers: sums in FLOAT, times the scale in DOUBLE, rounded once.
 */
#include "aclnnop/aclnn_transpose_batch_mat_mul.h"

#include <inttypes.h>
#include <string.h>

#include "ops/contraction/activation.h"
#include "ops/contraction/numbers.h"
#include "ops/contraction/product.h"
#include "ops/dtypes.h"
#include "ops/operands.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "tensor/dtype.h"
#include "tensor/scratch.h"

#define TRANSPOSE_BATCH_MAT_MUL(X, of)                                         \
    X(of, IN, x1, &dtypes_fp32_fp16_bf16, .sample = "3x2x4")                   \
    X(of, IN, x2, &dtypes_fp32_fp16_bf16, .sample = "2x4x5")                   \
    X(of, IN, bias, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "") \
    X(of, IN, scale, &dtypes_int64_uint64, .is_optional = true, .sample = "")  \
    X(of, INTS, permX1, .sample = "1,0,2")                                     \
    X(of, INTS, permX2, .sample = "0,1,2")                                     \
    X(of, INTS, permY, .sample = "1,0,2")                                      \
    CUBE_MATH_TYPE(X, of)                                                      \
    X(of, INT32, batchSplitFactor, .usual = "1")                               \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_int8)
SIGNATURE(TRANSPOSE_BATCH_MAT_MUL)
enum {
    X1 = TRANSPOSE_BATCH_MAT_MUL_x1,
    X2 = TRANSPOSE_BATCH_MAT_MUL_x2,
    BIAS = TRANSPOSE_BATCH_MAT_MUL_bias,
    SCALE = TRANSPOSE_BATCH_MAT_MUL_scale,
    PERM_X1 = TRANSPOSE_BATCH_MAT_MUL_permX1,
    PERM_Y = TRANSPOSE_BATCH_MAT_MUL_permY,
    FACTOR = TRANSPOSE_BATCH_MAT_MUL_batchSplitFactor,
    OUT = TRANSPOSE_BATCH_MAT_MUL_out,
};

/* The orders that each of the three may name; x1's are also what stands in the middle of the sentences. */
static const int64_t orders[][2][3] = {
    {{0, 1, 2}, {1, 0, 2}}, {{0, 1, 2}, {0, 2, 1}}, {{1, 0, 2}, {1, 0, 2}}};
static const char *const order_texts[] = {"{0, 1, 2} or {1, 0, 2}", "{0, 1, 2} or {0, 2, 1}", "{1, 0, 2}"};

static aclnnStatus check_order(const struct call *call, unsigned which)
{
    const struct call_values *given = &call->values[PERM_X1 + which];
    for (int i = 0; i < 2; i++)
        if (given->count == 3 && memcmp(given->value.int64, orders[which][i], sizeof orders[which][i]) == 0)
            return ACLNN_SUCCESS;
    return refuse(call, "%s has %" PRIu64 " elements, or another order; %s is expected",
                  call_name(call, PERM_X1 + which), given->count, order_texts[which]);
}

/* The dim of an operand that is the i-th one of its product. */
static uint32_t dim_of(const struct call *call, unsigned operand, uint32_t i)
{
    return (uint32_t)call->values[PERM_X1 + operand].value.int64[i];
}

static int64_t size_of(const struct call *call, unsigned operand, uint32_t i)
{
    return call->tensor[operand].shape[dim_of(call, operand, i)];
}

static aclnnStatus check_scale(const struct call *call, int64_t batch, int64_t columns)
{
    const struct tensor_view *scale = &call->tensor[SCALE];
    TRY(check_dtype(call, SCALE));
    if (call_dtype(call, X1) != ACL_FLOAT16)
        return refuse(call, "x1 has dtype %s; FLOAT16 is expected beside a scale",
                      dtype_name(call_dtype(call, X1)));
    if (call->argument[FACTOR].int64 != 1)
        return refuse(call, "batchSplitFactor is %" PRId64 "; 1 is expected beside a scale",
                      call->argument[FACTOR].int64);
    return scale->rank == 1 && (columns == 0 ? scale->count == 0
                                             : scale->count % columns == 0 && scale->count / columns == batch)
               ? ACLNN_SUCCESS
               : refuse(call,
                        "scale has shape %s; one element for each of %" PRId64 " columns of %" PRId64
                        " matrices is expected",
                        shape_text(TEXT, scale), columns, batch);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    enum { BATCH, ROW, COLUMN = 2, DEPTH_OF_X1 = 2, DEPTH_OF_X2 = 1 };
    const int64_t factor = call->argument[FACTOR].int64;
    TRY(check_dtype(call, X1));
    TRY(check_dtype(call, X2));
    TRY(check_same_dtype(call, X2, X1, NULL));
    if (call_has(call, BIAS))
        return refuse(call, "bias is given; NULL is expected: it is not supported");
    for (unsigned i = X1; i <= X2; i++)
        if (call->tensor[i].rank != 3)
            return refuse(call, "%s has %u dims; 3 are expected", call_name(call, i), call->tensor[i].rank);
    for (unsigned i = 0; i < 3; i++)
        TRY(check_order(call, i));
    const int64_t batch = size_of(call, X1, BATCH), rows = size_of(call, X1, ROW),
                  columns = size_of(call, X2, COLUMN);
    if (batch != size_of(call, X2, BATCH) || size_of(call, X1, DEPTH_OF_X1) != size_of(call, X2, DEPTH_OF_X2))
        return refuse(call,
                      "x1 has %" PRId64 " matrices and sums along %" PRId64 " elements, x2 %" PRId64
                      " and %" PRId64 "; the same numbers are expected",
                      batch, size_of(call, X1, DEPTH_OF_X1), size_of(call, X2, BATCH),
                      size_of(call, X2, DEPTH_OF_X2));
    TRY(check_choice(call, TRANSPOSE_BATCH_MAT_MUL_cubeMathType));
    if (factor < 1 || batch % factor != 0)
        return refuse(call, "batchSplitFactor is %" PRId64 "; a divisor of %" PRId64 " is expected", factor,
                      batch);
    result->computed = call_dtype(call, X1);
    if (call_has(call, SCALE))
        TRY(check_scale(call, batch, columns));
    const bool has_scale = call_has(call, SCALE);
    struct output *output = result_add(result, has_scale ? ACL_INT8 : result->computed, DTYPE_CASTABLE);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = has_scale ? (struct shape){.rank = 3, .dim = {rows, 1, batch * columns}}
                    : factor == 1
                        ? (struct shape){.rank = 3, .dim = {rows, batch, columns}}
                        : (struct shape){.rank = 3, .dim = {factor, rows, batch / factor * columns}};
    return ACLNN_SUCCESS;
}

static struct contraction_matrix matrix_of(const struct call *call, unsigned parameter)
{
    const struct tensor_view *view = &call->tensor[parameter];
    return (struct contraction_matrix){
        .dtype = view->dtype, .bytes = dtype_bytes(view->dtype), .address = call->first_operand[parameter]};
}

/* Of results that are scaled the product is one matrix's, and its out is memory of the run. */
struct transposed {
    struct contraction product;
    bool is_scaled;
    struct target out; /* the columns of one matrix */
    struct factors scale;
    uint64_t batches, rows, work_bytes;
    uint32_t left_address, right_address;
    int64_t left_bytes, right_bytes; /* from matrix to matrix */
    enum isa_level isa;
    uint32_t threads;
};
enum { ROWS_AT_ONCE = 64 };

static void plan_scaled(const struct call *call, struct transposed *plan)
{
    const struct tensor_view *out = &call->tensor[OUT], *scale = &call->tensor[SCALE];
    struct contraction *product = &plan->product;
    plan->is_scaled = true;
    plan->isa = call->settings->isa;
    plan->threads = call->settings->thread_count;
    plan->batches = product->batch_size[1];
    plan->rows = product->rows;
    plan->left_address = product->left.address, plan->right_address = product->right.address;
    plan->left_bytes = product->left.batch_stride[1] * (int64_t)product->left.bytes;
    plan->right_bytes = product->right.batch_stride[1] * (int64_t)product->right.bytes;
    plan->out = target_of(transfer_of(plan->isa), plan->isa, out, call->first_operand[OUT]);
    plan->out.stride[0] = out->stride[0];
    plan->out.columns = product->columns;
    plan->scale = factors_of_view(scale, call->first_operand[SCALE], 0, scale->stride[0]);
    product->batch_axes = 0;
    product->out = (struct contraction_matrix){
        .dtype = ACL_FLOAT, .bytes = sizeof(float), .address = OUT, .stride = {(int64_t)product->columns, 1}};
    product->left.address = X1, product->right.address = X2;
    plan->work_bytes = contraction_most_bytes(plan->isa, plan->threads, product->depth);
}

static size_t work_bytes(const void *prepared)
{
    const struct transposed *plan = prepared;
    const size_t columns = plan->product.columns;
    if (!plan->is_scaled)
        return contraction_work_bytes(prepared);
    return whole_lines(plan->work_bytes) + whole_lines(ROWS_AT_ONCE * columns * sizeof(float)) +
           whole_lines(ROWS_AT_ONCE * columns * sizeof(double)) + whole_lines(columns * sizeof(double));
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct transposed *plan = prepared;
    const uint64_t columns = plan->product.columns;
    if (!plan->is_scaled)
        return contraction_run(prepared, address, scratch);
    unsigned char *memory = (unsigned char *)scratch + whole_lines(plan->work_bytes);
    float *sums = (float *)(void *)memory;
    memory += whole_lines(ROWS_AT_ONCE * columns * sizeof(float));
    double *value = (double *)(void *)memory;
    double *scale = (double *)(void *)(memory + whole_lines(ROWS_AT_ONCE * columns * sizeof(double)));
    struct target out = plan->out;
    for (uint64_t batch = 0; batch < plan->batches; batch++) {
        factors_read(&plan->scale, out.transfer, address, 0, batch * columns, columns, scale);
        for (uint64_t row = 0, some; row < plan->rows; row += some) {
            some = plan->rows - row < ROWS_AT_ONCE ? plan->rows - row : ROWS_AT_ONCE;
            struct contraction product = plan->product;
            void *const own[] = {
                [X1] = (unsigned char *)address[plan->left_address] + (int64_t)batch * plan->left_bytes +
                       (int64_t)row * product.left.stride[0] * (int64_t)product.left.bytes,
                [X2] = (unsigned char *)address[plan->right_address] + (int64_t)batch * plan->right_bytes,
                [OUT] = sums};
            product.rows = some;
            contraction_prepare(&product, plan->isa, plan->threads);
            (void)contraction_run(&product, own, contraction_work_bytes(&product) > 0 ? scratch : NULL);
            transfer_convert(out.transfer, sums, ACL_FLOAT, value, ACL_DOUBLE, some * columns);
            for (uint64_t i = 0; i < some * columns; i++)
                value[i] = quantised_number(value[i] * scale[i % columns], 127);
            target_take(&out, address, row, some, value);
        }
        out.first += (int64_t)columns * out.stride[1];
    }
    return 0;
}

/* The batch has two axes: parts of the output, and what lies side by side in one. */
static aclnnStatus plan(const struct call *call, const struct result *result)
{
    enum { BATCH, ROW, COLUMN = 2, PARTS = 0, WITHIN = 1 };
    const struct tensor_view *x1 = &call->tensor[X1], *x2 = &call->tensor[X2], *out = &call->tensor[OUT];
    const int64_t factor = call->argument[FACTOR].int64, columns = size_of(call, X2, COLUMN),
                  within = size_of(call, X1, BATCH) / factor;
    struct contraction plan = {.is_exact = call->settings->accuracy == ACCURACY_EXACT, .alpha = 1};
    struct executor_content *content;
    void *place;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    plan.rows = (uint64_t)size_of(call, X1, ROW);
    plan.columns = (uint64_t)columns;
    plan.depth = (uint64_t)size_of(call, X1, 2);
    plan.batch_axes = 2;
    plan.batch_size[PARTS] = (uint64_t)factor;
    plan.batch_size[WITHIN] = (uint64_t)within;
    plan.left = matrix_of(call, X1);
    plan.left.stride[0] = x1->stride[dim_of(call, X1, ROW)];
    plan.left.stride[1] = x1->stride[dim_of(call, X1, 2)];
    plan.right = matrix_of(call, X2);
    plan.right.stride[0] = x2->stride[dim_of(call, X2, COLUMN)];
    plan.right.stride[1] = x2->stride[dim_of(call, X2, 1)];
    plan.out = matrix_of(call, OUT);
    plan.out.stride[0] = out->stride[factor == 1 ? 0 : 1];
    plan.out.stride[1] = out->stride[2];
    plan.left.batch_stride[WITHIN] = x1->stride[dim_of(call, X1, BATCH)];
    plan.left.batch_stride[PARTS] = plan.left.batch_stride[WITHIN] * within;
    plan.right.batch_stride[WITHIN] = x2->stride[dim_of(call, X2, BATCH)];
    plan.right.batch_stride[PARTS] = plan.right.batch_stride[WITHIN] * within;
    plan.out.batch_stride[WITHIN] = factor == 1 ? out->stride[1] : out->stride[2] * columns;
    plan.out.batch_stride[PARTS] = factor == 1 ? 0 : out->stride[0];
    const bool has_scale = call_has(call, SCALE);
    if (!has_scale)
        contraction_prepare(&plan, call->settings->isa, call->settings->thread_count);
    struct transposed transposed = {.product = plan};
    if (has_scale)
        plan_scaled(call, &transposed);
    TRY(call_begin(call, sizeof transposed, &content, &place));
    memcpy(place, &transposed, sizeof transposed);
    content->cost_ns =
        has_scale ? plan.rows * (uint64_t)out->shape[2] * (plan.depth + 8) / 64 + 1000 : plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

#define TRANSPOSED                                                                            \
    .stem = "transpose_batch_mat_mul", .family = FAMILY_CONTRACTION, .promise = &promise_sum, \
    .operation.run = run, .operation.work_bytes = work_bytes, .infer = infer, .plan = plan
FUNCTION_OF(aclnnTransposeBatchMatMul, TRANSPOSE_BATCH_MAT_MUL, TRANSPOSED);
FUNCTION_OF(aclnnTransposeBatchMatMulWeightNz, TRANSPOSE_BATCH_MAT_MUL, TRANSPOSED);
