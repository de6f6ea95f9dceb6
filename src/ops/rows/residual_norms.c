/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LayerNorm of a weighted residual, alpha x + y, and its gradients: with n = (alpha x + y - mean) rstd and h = dy
 * gamma, g = rstd (h - mean of h - n mean of h n) is the gradient of alpha x + y, and the sums of dy n and dy over
 * rows are those of gamma and beta. In doubles, rounded once.
 */
#include "aclnnop/aclnn_add_layer_norm_grad.h"
#include "aclnnop/aclnn_deep_norm.h"
#include "aclnnop/aclnn_deep_norm_grad.h"

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 4000, COLUMNS = 256 };

#define ROWS(X, of, name)   X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = "2x4")
#define FACTOR(X, of, name) X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = "4")
#define MOMENT(X, of, name) X(of, IN, name, &dtypes_fp32, .sample = "2x1:FLOAT")
#define DEEP(X, of)                              \
    ROWS(X, of, x)                               \
    ROWS(X, of, gx)                              \
    FACTOR(X, of, beta)                          \
    FACTOR(X, of, gamma)                         \
    X(of, DOUBLE, alphaOptional, .usual = "0.3") \
    X(of, DOUBLE, epsOptional, .usual = "1e-6")  \
    X(of, OUT, meanOut, &dtypes_fp32)            \
    X(of, OUT, rstdOut, &dtypes_fp32)            \
    X(of, OUT, yOut, &dtypes_fp32_fp16_bf16)
#define DEEP_GRAD(X, of)                         \
    ROWS(X, of, dy)                              \
    ROWS(X, of, x)                               \
    ROWS(X, of, gx)                              \
    FACTOR(X, of, gamma)                         \
    MOMENT(X, of, mean)                          \
    MOMENT(X, of, rstd)                          \
    X(of, DOUBLE, alphaOptional, .usual = "0.3") \
    X(of, OUT, dxOut, &dtypes_fp32_fp16_bf16)    \
    X(of, OUT, dgxOut, &dtypes_fp32_fp16_bf16)   \
    X(of, OUT, dbetaOut, &dtypes_fp32)           \
    X(of, OUT, dgammaOut, &dtypes_fp32)
#define ADD_GRAD(X, of)                                                                   \
    ROWS(X, of, dy)                                                                       \
    ROWS(X, of, x1)                                                                       \
    ROWS(X, of, x2)                                                                       \
    MOMENT(X, of, rstd)                                                                   \
    MOMENT(X, of, mean)                                                                   \
    FACTOR(X, of, gamma)                                                                  \
    X(of, IN, dsumOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "2x4") \
    X(of, OUT, dxOut, &dtypes_fp32_fp16_bf16)                                             \
    X(of, OUT, dgammaOut, &dtypes_fp32)                                                   \
    X(of, OUT, dbetaOut, &dtypes_fp32)
SIGNATURE(DEEP)
SIGNATURE(DEEP_GRAD)
SIGNATURE(ADD_GRAD)

/* of_family: where everything is; 0 is nowhere, but for x of DeepNorm and dy of gradients. */
struct residual_norm {
    uint8_t x, y, gamma, beta, mean, rstd, alpha, added, gradient_x, gradient_y, gradient_gamma,
        gradient_beta;
    bool is_gradient; /* dy is the first parameter */
};

struct norm_sizes {
    struct residual_norm at;
    uint64_t rows, length;
    double alpha, epsilon;
};

/* The dims of gamma are the last ones of x; of those the moments have 1. */
static aclnnStatus check_norm(const struct call *call, const struct residual_norm *at, struct shape *moments)
{
    const struct tensor_view *x = &call->tensor[at->x], *gamma = &call->tensor[at->gamma];
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, at->y, at->x, NULL));
    TRY(check_same_dtype(call, at->gamma, at->x, NULL));
    TRY(check_rank(call, at->x));
    TRY(check_sizes(call, at->y, x->rank, x->shape));
    if (gamma->rank < 1 || gamma->rank > x->rank)
        return refuse(call, "gamma has shape %s; last dims of %s are expected", shape_text(TEXT, gamma),
                      shape_text(TEXT, x));
    TRY(check_sizes(call, at->gamma, gamma->rank, x->shape + (x->rank - gamma->rank)));
    *moments = shape_of(x);
    for (uint32_t i = x->rank - gamma->rank; i < x->rank; i++)
        moments->dim[i] = 1;
    if (!at->is_gradient) {
        TRY(check_same_dtype(call, at->beta, at->x, NULL));
        return check_sizes(call, at->beta, gamma->rank, gamma->shape);
    }
    TRY(check_same_dtype(call, 0, at->x, NULL));
    TRY(check_sizes(call, 0, x->rank, x->shape));
    TRY(check_sizes(call, at->mean, moments->rank, moments->dim));
    TRY(check_sizes(call, at->rstd, moments->rank, moments->dim));
    if (at->added != 0 && call_has_elements(call, at->added))
        TRY(check_same_dtype(call, at->added, at->x, NULL));
    return at->added == 0 ? ACLNN_SUCCESS : check_optional_sizes(call, at->added, x->rank, x->shape);
}

static void add_like(struct result *result, const struct call *call, unsigned parameter, aclDataType dtype)
{
    const struct tensor_view *view = &call->tensor[parameter];
    result_sized(result, dtype, DTYPE_EQUAL, view->rank, view->shape);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct residual_norm *at = call->function->of_family;
    struct shape moments;
    TRY(check_norm(call, at, &moments));
    result->computed = call_dtype(call, at->x);
    for (unsigned i = 0; !at->is_gradient && i < 2; i++)
        result_sized(result, ACL_FLOAT, DTYPE_EQUAL, moments.rank, moments.dim);
    add_like(result, call, at->x, result->computed);
    if (!at->is_gradient)
        return ACLNN_SUCCESS;
    if (at->gradient_y != 0)
        add_like(result, call, at->x, result->computed);
    add_like(result, call, at->gamma, ACL_FLOAT);
    add_like(result, call, at->gamma, ACL_FLOAT);
    return ACLNN_SUCCESS;
}

/* Elements of alpha x + y; the second room is for y. */
static void read_sum(const struct task *task, uint64_t at, uint64_t count, double *sum, double *room)
{
    const struct norm_sizes *sizes = task->parameters;
    task_read(task, sizes->at.x, at, count, sum);
    task_read(task, sizes->at.y, at, count, room);
    for (uint64_t i = 0; i < count; i++)
        sum[i] = sizes->alpha * sum[i] + room[i];
}

static void normalise_row(const struct task *task, uint64_t row)
{
    const struct norm_sizes *sizes = task->parameters;
    const uint64_t n = sizes->length;
    double *sum = task->room, *gamma = sum + n, *beta = gamma + n, mean = 0, square = 0;
    read_sum(task, row * n, n, sum, gamma);
    for (uint64_t i = 0; i < n; i++)
        mean += sum[i];
    mean /= (double)n;
    for (uint64_t i = 0; i < n; i++)
        square += (sum[i] - mean) * (sum[i] - mean);
    const double rstd = 1 / __builtin_sqrt(square / (double)n + sizes->epsilon);
    task_read(task, sizes->at.gamma, 0, n, gamma);
    task_read(task, sizes->at.beta, 0, n, beta);
    for (uint64_t i = 0; i < n; i++)
        sum[i] = (sum[i] - mean) * rstd * gamma[i] + beta[i];
    task_set(task, DEEP_meanOut, row, mean);
    task_set(task, DEEP_rstdOut, row, rstd);
    task_write(task, DEEP_yOut, row * n, n, sum);
}

/* Of a row: what goes to x and y. */
static void differentiate_row(const struct task *task, uint64_t row)
{
    const struct norm_sizes *sizes = task->parameters;
    const struct residual_norm *at = &sizes->at;
    const uint64_t n = sizes->length;
    double *normal = task->room, *gradient = normal + n, *room = gradient + n, of_h = 0, of_hn = 0;
    const double mean = task_number(task, at->mean, row), rstd = task_number(task, at->rstd, row);
    read_sum(task, row * n, n, normal, room);
    task_read(task, 0, row * n, n, gradient);
    task_read(task, at->gamma, 0, n, room);
    for (uint64_t i = 0; i < n; i++) {
        normal[i] = (normal[i] - mean) * rstd;
        gradient[i] *= room[i];
        of_h += gradient[i];
        of_hn += gradient[i] * normal[i];
    }
    of_h /= (double)n;
    of_hn /= (double)n;
    const bool is_added = at->added != 0 && task_has(task, at->added);
    if (is_added)
        task_read(task, at->added, row * n, n, room);
    for (uint64_t i = 0; i < n; i++)
        gradient[i] = rstd * (gradient[i] - of_h - normal[i] * of_hn) + (is_added ? room[i] : 0);
    if (at->gradient_y != 0)
        task_write(task, at->gradient_y, row * n, n, gradient);
    for (uint64_t i = 0; i < n; i++)
        gradient[i] *= sizes->alpha;
    task_write(task, at->gradient_x, row * n, n, gradient);
}

/* The sums over all rows of some columns. */
static void sum_columns(const struct task *task, uint64_t first)
{
    const struct norm_sizes *sizes = task->parameters;
    const struct residual_norm *at = &sizes->at;
    const uint64_t left = sizes->length - first, count = left < COLUMNS ? left : COLUMNS;
    double *of_gamma = task->room, *of_beta = of_gamma + COLUMNS, *normal = of_beta + COLUMNS,
           *gradient = normal + COLUMNS;
    for (uint64_t i = 0; i < count; i++)
        of_gamma[i] = of_beta[i] = 0;
    for (uint64_t row = 0; row < sizes->rows; row++) {
        const double mean = task_number(task, at->mean, row), rstd = task_number(task, at->rstd, row);
        read_sum(task, row * sizes->length + first, count, normal, gradient);
        task_read(task, 0, row * sizes->length + first, count, gradient);
        for (uint64_t i = 0; i < count; i++) {
            of_gamma[i] += gradient[i] * ((normal[i] - mean) * rstd);
            of_beta[i] += gradient[i];
        }
    }
    task_write(task, at->gradient_gamma, first, count, of_gamma);
    task_write(task, at->gradient_beta, first, count, of_beta);
}

static void do_task(const struct task *task, uint64_t number)
{
    const struct norm_sizes *sizes = task->parameters;
    if (number >= sizes->rows)
        sum_columns(task, (number - sizes->rows) * COLUMNS);
    else if (sizes->at.is_gradient)
        differentiate_row(task, number);
    else
        normalise_row(task, number);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct residual_norm *at = call->function->of_family;
    const uint64_t length = (uint64_t)call->tensor[at->gamma].count;
    const struct norm_sizes sizes = {.at = *at,
                                     .rows = length == 0 ? 0 : (uint64_t)call->tensor[at->x].count / length,
                                     .length = length,
                                     .alpha = at->alpha == 0 ? 1 : call->argument[at->alpha].fp64,
                                     .epsilon = at->is_gradient ? 0 : call->argument[DEEP_epsOptional].fp64};
    const uint64_t columns = at->is_gradient ? (length + COLUMNS - 1) / COLUMNS : 0;
    (void)result;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = do_task,
                                                            .count = sizes.rows + columns,
                                                            .task_ns = length * ELEMENT_PS / 1000 + 200,
                                                            .room = 3 * length + 4 * COLUMNS,
                                                            .parameters = &sizes,
                                                            .parameter_bytes = sizeof sizes});
}

#define NORMS .family = FAMILY_ROWS, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
static const struct residual_norm deep_norm = {
    .x = DEEP_x, .y = DEEP_gx, .gamma = DEEP_gamma, .beta = DEEP_beta, .alpha = DEEP_alphaOptional};
static const struct residual_norm deep_norm_grad = {.x = DEEP_GRAD_x,
                                                    .y = DEEP_GRAD_gx,
                                                    .gamma = DEEP_GRAD_gamma,
                                                    .mean = DEEP_GRAD_mean,
                                                    .rstd = DEEP_GRAD_rstd,
                                                    .alpha = DEEP_GRAD_alphaOptional,
                                                    .gradient_x = DEEP_GRAD_dxOut,
                                                    .gradient_y = DEEP_GRAD_dgxOut,
                                                    .gradient_gamma = DEEP_GRAD_dgammaOut,
                                                    .gradient_beta = DEEP_GRAD_dbetaOut,
                                                    .is_gradient = true};
static const struct residual_norm add_layer_norm_grad = {.x = ADD_GRAD_x1,
                                                         .y = ADD_GRAD_x2,
                                                         .gamma = ADD_GRAD_gamma,
                                                         .mean = ADD_GRAD_mean,
                                                         .rstd = ADD_GRAD_rstd,
                                                         .added = ADD_GRAD_dsumOptional,
                                                         .gradient_x = ADD_GRAD_dxOut,
                                                         .gradient_gamma = ADD_GRAD_dgammaOut,
                                                         .gradient_beta = ADD_GRAD_dbetaOut,
                                                         .is_gradient = true};
FUNCTION_OF(aclnnDeepNorm, DEEP, .stem = "deep_norm", NORMS, .of_family = &deep_norm);
FUNCTION_OF(aclnnDeepNormGrad, DEEP_GRAD, .stem = "deep_norm_grad", NORMS, .of_family = &deep_norm_grad);
FUNCTION_OF(aclnnAddLayerNormGrad, ADD_GRAD, .stem = "add_layer_norm_grad", NORMS,
            .of_family = &add_layer_norm_grad);
