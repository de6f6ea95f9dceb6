/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of x rstd gamma: that of x over one scale, as numbers of 8 bits, and that of gamma. In doubles.
 */
#include "aclnnop/aclnn_rms_norm_grad_quant.h"

#include <string.h>

#include "ops/check.h"
#include "ops/quantise/number.h"
#include "ops/rows/normalise.h"
#include "ops/signature.h"

enum { COLUMNS = 64, ELEMENT_PS = 4000 };

#define GRAD(X, of)                                                                     \
    X(of, IN, dy, &dtypes_fp32_fp16_bf16)                                               \
    X(of, IN, x, &dtypes_fp32_fp16_bf16)                                                \
    X(of, IN, rstd, &dtypes_fp32, .sample = "2")                                        \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .sample = "3")                             \
    X(of, IN, scalesX, &dtypes_fp32_fp16_bf16, .sample = "1")                           \
    X(of, IN, offsetXOptional, &dtypes_int32, .is_optional = true, .sample = "1:INT32") \
    X(of, TEXT, quantMode, .is_optional = true, .usual = "static")                      \
    X(of, BOOL, divMode, .usual = "true")                                               \
    X(of, OUT, dxOut, &dtypes_int8_hifloat8)                                            \
    X(of, OUT, dgammaOut, &dtypes_fp32)
SIGNATURE(GRAD)

struct grad {
    struct number number;
    uint64_t rows, width;
    bool divides;
};

static aclnnStatus read_grad(const struct call *call, struct grad *grad)
{
    const struct tensor_view *x = &call->tensor[GRAD_x];
    const char *const mode = call->argument[GRAD_quantMode].string;
    axes along;
    for (unsigned i = GRAD_dy; i <= GRAD_offsetXOptional; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    TRY(check_same_dtype(call, GRAD_x, GRAD_dy, NULL));
    TRY(check_factor_dtype(call, GRAD_gamma, GRAD_x));
    TRY(check_rank(call, GRAD_x));
    TRY(check_same_shape(call, GRAD_dy, GRAD_x, NULL));
    TRY(check_gamma(call, GRAD_gamma, GRAD_x, &along));
    const int64_t width = call->tensor[GRAD_gamma].count;
    int64_t rows = 1;
    for (uint32_t i = 0; i < x->rank; i++)
        rows *= (along >> i & 1) != 0 ? 1 : x->shape[i];
    TRY(check_count(call, GRAD_rstd, rows, "one for each row"));
    TRY(check_one_element(call, GRAD_scalesX));
    TRY(call_has(call, GRAD_offsetXOptional) ? check_one_element(call, GRAD_offsetXOptional) : ACLNN_SUCCESS);
    if (mode != NULL && *mode != 0 && strcmp(mode, "static") != 0)
        return refuse(call, "quantMode is \"%s\"; \"static\" is expected", mode);
    *grad = (struct grad){
        .rows = (uint64_t)rows, .width = (uint64_t)width, .divides = call->argument[GRAD_divMode].boolean};
    return check_numbers(call, GRAD_dxOut, PARAMETERS_MAX, GRAD_x, width, &grad->number);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *gamma = &call->tensor[GRAD_gamma];
    struct grad grad;
    TRY(read_grad(call, &grad));
    const struct shape shape = shape_of(&call->tensor[GRAD_x]);
    result->computed = call_dtype(call, GRAD_x);
    add_numbers(result, &grad.number, &shape);
    result_by_count(result, gamma->rank, gamma->shape);
    return ACLNN_SUCCESS;
}

/* dx = rstd (h - n mean of h n), h = dy gamma, n = x rstd. */
static void take_row(const struct task *task, uint64_t row)
{
    const struct grad *grad = task->parameters;
    const uint64_t width = grad->width;
    double *h = task->room, *n = h + width, *gamma = n + width;
    const double rstd = task_number(task, GRAD_rstd, row), scale = task_number(task, GRAD_scalesX, 0),
                 offset =
                     task_has(task, GRAD_offsetXOptional) ? task_number(task, GRAD_offsetXOptional, 0) : 0;
    task_read(task, GRAD_dy, row * width, width, h);
    task_read(task, GRAD_x, row * width, width, n);
    task_read(task, GRAD_gamma, 0, width, gamma);
    for (uint64_t i = 0; i < width; i++) {
        h[i] *= gamma[i];
        n[i] *= rstd;
    }
    const double mean = task->maths->dot(h, n, width) / (double)width;
    for (uint64_t i = 0; i < width; i++) {
        const double dx = rstd * (h[i] - n[i] * mean);
        h[i] = (grad->divides ? dx / scale : dx * scale) + offset;
    }
    numbers_write(task, GRAD_dxOut, &grad->number, row * width, width, h);
}

/* Some columns' sums of dy n over all rows. */
static void take_columns(const struct task *task, uint64_t piece)
{
    const struct grad *grad = task->parameters;
    const uint64_t first = piece * COLUMNS, left = grad->width - first,
                   count = left < COLUMNS ? left : COLUMNS;
    double sum[COLUMNS] = {0}, dy[COLUMNS], x[COLUMNS];
    for (uint64_t row = 0; row < grad->rows; row++) {
        const double rstd = task_number(task, GRAD_rstd, row);
        task_read(task, GRAD_dy, row * grad->width + first, count, dy);
        task_read(task, GRAD_x, row * grad->width + first, count, x);
        for (uint64_t i = 0; i < count; i++)
            sum[i] += dy[i] * (x[i] * rstd);
    }
    task_write(task, GRAD_dgammaOut, first, count, sum);
}

static void take_task(const struct task *task, uint64_t number)
{
    const struct grad *grad = task->parameters;
    const uint64_t rows = grad->width > 0 ? grad->rows : 0;
    if (number < rows)
        take_row(task, number);
    else
        take_columns(task, number - rows);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct grad grad;
    (void)result;
    TRY(read_grad(call, &grad));
    const uint64_t rows = grad.width > 0 ? grad.rows : 0, tasks = rows + (grad.width + COLUMNS - 1) / COLUMNS;
    return row_tasks_plan(call, &(struct row_tasks_request){
                                    .body = take_task,
                                    .count = tasks,
                                    .task_ns = grad.rows * grad.width * ELEMENT_PS / 1000 / (tasks + 1) + 50,
                                    .room = 3 * grad.width,
                                    .parameters = &grad,
                                    .parameter_bytes = sizeof grad});
}

FUNCTION_OF(aclnnRmsNormGradQuant, GRAD, .stem = "rms_norm_grad_quant", .family = FAMILY_QUANTISE,
            .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
