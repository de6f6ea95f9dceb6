/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Matrices between two small ones, p1 (x p2), as INT4 with a scale for each, or as FLOAT4_E2M1 in MX blocks. Products
 * are summed in doubles; each is rounded to the dtype of x.
 */
#include "aclnnop/aclnn_flat_quant.h"
#include "aclnnop/aclnn_flat_quant_v2.h"

#include <inttypes.h>

#include "ops/quantise/mx_number.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { PRODUCT_PS = 300 };

#define FLAT(X, of)                                                    \
    X(of, IN, x, &dtypes_fp16_bf16, .sample = "2x4x8:FLOAT16")         \
    X(of, IN, kroneckerP1, &dtypes_fp16_bf16, .sample = "4x4:FLOAT16") \
    X(of, IN, kroneckerP2, &dtypes_fp16_bf16, .sample = "8x8:FLOAT16") \
    X(of, DOUBLE, clipRatio, .usual = "1")
#define FLAT_V1(X, of) FLAT(X, of) X(of, OUT, out, &dtypes_int32_int4) X(of, OUT, quantScale, &dtypes_fp32)
#define FLAT_V2(X, of)                                                   \
    FLAT(X, of)                                                          \
    X(of, DOUBLE, dstTypeMax, .usual = "0")                              \
    X(of, OUT, out, &dtypes_int32_int4_float4_e2m1, .is_unpacked = true) \
    X(of, OUT, quantScale, &dtypes_fp32_float8_e8m0)
SIGNATURE(FLAT_V1)
SIGNATURE(FLAT_V2)

struct flat {
    struct number number;
    struct mx_number mx;
    uint64_t count, rows, columns;
    double clip;
    bool is_mx, has_right;
    uint8_t out;
};

static aclnnStatus read_flat(const struct call *call, struct flat *flat)
{
    const struct tensor_view *x = &call->tensor[FLAT_V1_x], *right = &call->tensor[FLAT_V1_kroneckerP2];
    const bool is_second = call->function->parameter == FLAT_V2_parameters,
               is_left_alone = right->rank == 2 && right->shape[0] == 0 && right->shape[1] == 0;
    const unsigned out = is_second ? (unsigned)FLAT_V2_out : (unsigned)FLAT_V1_out;
    const double clip = call->argument[FLAT_V1_clipRatio].fp64;
    for (unsigned i = FLAT_V1_x; i <= FLAT_V1_kroneckerP2; i++)
        TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, FLAT_V1_kroneckerP1, FLAT_V1_x, NULL));
    TRY(check_same_dtype(call, FLAT_V1_kroneckerP2, FLAT_V1_x, NULL));
    TRY(check_sizes(call, FLAT_V1_x, SIZES(-1, -1, -1)));
    TRY(check_sizes(call, FLAT_V1_kroneckerP1, SIZES(x->shape[1], x->shape[1])));
    if (!is_left_alone)
        TRY(check_sizes(call, FLAT_V1_kroneckerP2, SIZES(x->shape[2], x->shape[2])));
    if (!(clip > 0 && clip <= 1))
        return refuse(call, "clipRatio is %g; more than 0, up to 1, is expected", clip);
    *flat = (struct flat){.count = (uint64_t)x->shape[0],
                          .rows = (uint64_t)x->shape[1],
                          .columns = (uint64_t)x->shape[2],
                          .clip = clip,
                          .has_right = !is_left_alone,
                          .out = (uint8_t)out};
    const bool is_mx = call->has_outputs && call_has(call, out) &&
                       call->tensor[out].dtype == ACL_FLOAT4_E2M1 && check_dtype(call, out) == ACLNN_SUCCESS;
    flat->is_mx = is_mx;
    if (!is_mx) {
        if (call->has_outputs && call_has(call, out) && call->tensor[out].dtype == ACL_INT4) {
            TRY(check_numbers(call, out, PARAMETERS_MAX, FLAT_V1_x, x->shape[2], &flat->number));
            if (is_second) /* INT4 goes out a byte each */
                flat->number.packs = 1;
            return ACLNN_SUCCESS;
        }
        flat->number = number_of(ACL_INT32);
        return flat->columns % flat->number.packs == 0
                   ? ACLNN_SUCCESS
                   : refuse(call, "x has shape %s; a multiple of 8 for its last dim is expected",
                            shape_text(TEXT, x));
    }
    const double most = call->argument[FLAT_V2_dstTypeMax].fp64;
    if (most != 0 && !(most >= 6 && most <= 12))
        return refuse(call, "dstTypeMax is %g; 0, or 6 to 12, is expected", most);
    flat->mx = (struct mx_number){.format = number_format_of(ACL_FLOAT4_E2M1),
                                  .rule = most == 0 ? MX_EXPONENT : MX_QUOTIENT_OF_FLOAT4,
                                  .most = (float)most};
    return check_mx_width(call, FLAT_V1_x, x->shape[2], &flat->mx);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct flat flat;
    TRY(read_flat(call, &flat));
    const int64_t count = (int64_t)flat.count, elements = (int64_t)(flat.rows * flat.columns);
    struct shape shape = shape_of(&call->tensor[FLAT_V1_x]);
    result->computed = call_dtype(call, FLAT_V1_x);
    if (flat.is_mx) {
        result_sized(result, ACL_FLOAT4_E2M1, DTYPE_EQUAL, SIZES(count, elements));
        result_sized(result, ACL_FLOAT8_E8M0, DTYPE_EQUAL,
                     SIZES(count, (int64_t)mx_pairs((uint64_t)elements), 2));
        return ACLNN_SUCCESS;
    }
    add_numbers(result, &flat.number, &shape);
    result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(count));
    return ACLNN_SUCCESS;
}

/* Both small matrices, for all. */
static int start(struct task *task)
{
    const struct flat *flat = task->parameters;
    double *left = task->shared;
    task_read(task, FLAT_V1_kroneckerP1, 0, flat->rows * flat->rows, left);
    if (flat->has_right)
        task_read(task, FLAT_V1_kroneckerP2, 0, flat->columns * flat->columns,
                  left + flat->rows * flat->rows);
    return 0;
}

/* to = a b, rounded; a of rows by inner. */
static void multiply(const struct task *task, const double *a, const double *b, uint64_t rows, uint64_t inner,
                     uint64_t columns, double *to)
{
    memset(to, 0, rows * columns * sizeof *to);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t k = 0; k < inner; k++)
            task->maths->add_scaled(to + i * columns, b + k * columns, a[i * inner + k], columns);
    task_round(task, task_dtype(task, FLAT_V1_x), rows * columns, to);
}

static void take_matrix(const struct task *task, uint64_t number)
{
    const struct flat *flat = task->parameters;
    const uint64_t elements = flat->rows * flat->columns;
    const double *left = task->shared, *right = left + flat->rows * flat->rows;
    double *x = task->room, *product = x + elements;
    if (elements == 0) {
        if (!flat->is_mx)
            task_set(task, flat->out + 1U, number, 0);
        return;
    }
    task_read(task, FLAT_V1_x, number * elements, elements, x);
    if (flat->has_right) {
        multiply(task, x, right, flat->rows, flat->columns, flat->columns, product);
        memcpy(x, product, elements * sizeof *x);
    }
    multiply(task, left, x, flat->rows, flat->rows, flat->columns, product);
    if (flat->is_mx) {
        mx_write_row(task, &flat->mx, flat->out, flat->out + 1U, number, elements, product);
        return;
    }
    const float scale = (float)(greatest_size(product, elements, 0) * flat->clip / flat->number.most);
    task_set(task, flat->out + 1U, number, (double)scale);
    for (uint64_t i = 0; i < elements; i++)
        product[i] = scale == 0 ? 0 : product[i] / (double)scale;
    numbers_write(task, flat->out, &flat->number, number * elements, elements, product);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct flat flat;
    (void)result;
    TRY(read_flat(call, &flat));
    const uint64_t elements = flat.rows * flat.columns, small = flat.rows + flat.columns;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = take_matrix,
                  .start = start,
                  .count = flat.count,
                  .task_ns = elements * small * PRODUCT_PS / 1000 + 100,
                  .room = 2 * elements,
                  .shared_bytes = (flat.rows * flat.rows + flat.columns * flat.columns) * sizeof(double),
                  .parameters = &flat,
                  .parameter_bytes = sizeof flat});
}

#define FLAT_ROWS .family = FAMILY_QUANTISE, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnFlatQuant, FLAT_V1, .stem = "flat_quant", FLAT_ROWS);
FUNCTION_OF(aclnnFlatQuantV2, FLAT_V2, .stem = "flat_quant_v2", FLAT_ROWS);
