/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Hyper-connections that keep to a manifold (mHC) join n streams of a token
 * before a layer and part them behind it. Here what is behind: out_i is the sum
 * of hRes[j][i] x_j and hPost_i hOut; its gradients; and the matrices hRes with
 * sums of 1, by Sinkhorn's steps, and their gradients. In doubles, rounded
 * once.
 */
#include "aclnnop/aclnn_mhc_post.h"
#include "aclnnop/aclnn_mhc_post_backward.h"
#include "aclnnop/aclnn_mhc_sinkhorn.h"
#include "aclnnop/aclnn_mhc_sinkhorn_backward.h"

#include <inttypes.h>
#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 1500, STREAMS_MAX = 16, LANES = 8 };

#define STREAMS(X, of, name) X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = "3x2x4")
#define PARTS(X, of)                                                                    \
    STREAMS(X, of, x)                                                                   \
    X(of, IN, hResOptional, &dtypes_fp32, .is_optional = true, .sample = "3x2x2:FLOAT") \
    X(of, IN, hOut, &dtypes_fp32_fp16_bf16, .sample = "3x4")                            \
    X(of, IN, hPost, &dtypes_fp32, .sample = "3x2:FLOAT")
#define POST(X, of) PARTS(X, of) X(of, OUT, out, &dtypes_fp32_fp16_bf16)
#define POST_BACKWARD(X, of)                     \
    STREAMS(X, of, gradOutput)                   \
    PARTS(X, of)                                 \
    X(of, OUT, gradX, &dtypes_fp32_fp16_bf16)    \
    X(of, OUT, gradHres, &dtypes_fp32)           \
    X(of, OUT, gradHout, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, gradHpost, &dtypes_fp32)
SIGNATURE(POST)
SIGNATURE(POST_BACKWARD)

struct parting {
    uint64_t tokens, streams, width;
    uint8_t x; /* hRes, hOut and hPost are behind it */
};
enum { H_RES = 1, H_OUT, H_POST };

/* Sizes of all dims but the last ones, and then these. */
static aclnnStatus check_tokens(const struct call *call, unsigned parameter, uint32_t dims,
                                const int64_t *dim, uint32_t more, const int64_t *last)
{
    int64_t size[OPERAND_RANK_MAX];
    memcpy(size, dim, dims * sizeof *size);
    memcpy(size + dims, last, more * sizeof *size);
    return check_sizes(call, parameter, dims + more, size);
}

static struct output *add_tokens(struct result *result, aclDataType dtype, uint32_t dims, const int64_t *dim,
                                 uint32_t more, const int64_t *last)
{
    int64_t size[OPERAND_RANK_MAX];
    memcpy(size, dim, dims * sizeof *size);
    memcpy(size + dims, last, more * sizeof *size);
    return result_sized(result, dtype, DTYPE_EQUAL, dims + more, size);
}

static aclnnStatus read_parting(const struct call *call, struct parting *parting)
{
    const bool is_backward = call->function->of_family != NULL;
    const unsigned x = is_backward ? POST_BACKWARD_x : POST_x;
    const struct tensor_view *view = &call->tensor[x];
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, x + H_OUT, x, NULL));
    TRY(check_same_dtype(call, 0, x, NULL));
    if (view->rank != 3 && view->rank != 4)
        return refuse(call,
                      "x has shape %s; 3 or 4 dims, of which the last two are "
                      "streams and their width, "
                      "are expected",
                      shape_text(TEXT, view));
    const uint32_t dims = view->rank - 2;
    const int64_t streams = view->shape[dims], width = view->shape[dims + 1];
    if (streams < 1 || streams > STREAMS_MAX)
        return refuse(call, "x has %" PRId64 " streams; 1 to %d are expected", streams, STREAMS_MAX);
    TRY(check_sizes(call, 0, view->rank, view->shape));
    if (call_has_elements(call, x + H_RES))
        TRY(check_tokens(call, x + H_RES, dims, view->shape, SIZES(streams, streams)));
    TRY(check_tokens(call, x + H_OUT, dims, view->shape, SIZES(width)));
    TRY(check_tokens(call, x + H_POST, dims, view->shape, SIZES(streams)));
    *parting =
        (struct parting){.tokens = (uint64_t)view->shape[0] * (uint64_t)(dims > 1 ? view->shape[1] : 1),
                         .streams = (uint64_t)streams,
                         .width = (uint64_t)width,
                         .x = (uint8_t)x};
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_post(const struct call *call, struct result *result)
{
    struct parting parting;
    TRY(read_parting(call, &parting));
    const struct tensor_view *x = &call->tensor[parting.x];
    const uint32_t dims = x->rank - 2;
    const int64_t streams = x->shape[dims], width = x->shape[dims + 1];
    result->computed = x->dtype;
    add_tokens(result, x->dtype, dims, x->shape, SIZES(streams, width));
    if (parting.x == POST_x)
        return ACLNN_SUCCESS;
    add_tokens(result, ACL_FLOAT, dims, x->shape, SIZES(streams, streams))->is_unwanted =
        !call_has_elements(call, parting.x + H_RES);
    add_tokens(result, x->dtype, dims, x->shape, SIZES(width));
    add_tokens(result, ACL_FLOAT, dims, x->shape, SIZES(streams));
    return ACLNN_SUCCESS;
}

/* hRes of a token; without one streams stay as they are. */
static void read_mixing(const struct task *task, const struct parting *parting, uint64_t token,
                        double *mixing)
{
    const uint64_t n = parting->streams;
    if (task_has(task, parting->x + H_RES))
        task_read(task, parting->x + H_RES, token * n * n, n * n, mixing);
    else
        for (uint64_t i = 0; i < n * n; i++)
            mixing[i] = i / n == i % n ? 1 : 0;
}

static void part_token(const struct task *task, uint64_t token)
{
    const struct parting *parting = task->parameters;
    const uint64_t n = parting->streams, width = parting->width;
    double mixing[STREAMS_MAX * STREAMS_MAX], post[STREAMS_MAX], *x = task->room, *layer = x + n * width,
                                                                 *sum = layer + width;
    read_mixing(task, parting, token, mixing);
    task_read(task, POST_hPost, token * n, n, post);
    task_read(task, POST_x, token * n * width, n * width, x);
    task_read(task, POST_hOut, token * width, width, layer);
    for (uint64_t i = 0; i < n; i++) {
        for (uint64_t d = 0; d < width; d++)
            sum[d] = post[i] * layer[d];
        for (uint64_t j = 0; j < n; j++)
            task->maths->add_scaled(sum, x + j * width, mixing[j * n + i], width);
        task_write(task, POST_out, (token * n + i) * width, width, sum);
    }
}

static void differentiate_parting(const struct task *task, uint64_t token)
{
    const struct parting *parting = task->parameters;
    const uint64_t n = parting->streams, width = parting->width;
    double mixing[STREAMS_MAX * STREAMS_MAX], post[STREAMS_MAX],
        *x = task->room, *layer = x + n * width, *sum = layer + width, *gradient = sum + width;
    read_mixing(task, parting, token, mixing);
    task_read(task, POST_BACKWARD_hPost, token * n, n, post);
    task_read(task, POST_BACKWARD_x, token * n * width, n * width, x);
    task_read(task, POST_BACKWARD_hOut, token * width, width, layer);
    task_read(task, POST_BACKWARD_gradOutput, token * n * width, n * width, gradient);
    memset(sum, 0, width * sizeof *sum);
    for (uint64_t i = 0; i < n; i++) {
        task->maths->add_scaled(sum, gradient + i * width, post[i], width);
        post[i] = task->maths->dot(gradient + i * width, layer, width);
    }
    task_write(task, POST_BACKWARD_gradHout, token * width, width, sum);
    task_write(task, POST_BACKWARD_gradHpost, token * n, n, post);
    for (uint64_t j = 0; j < n; j++) {
        memset(sum, 0, width * sizeof *sum);
        for (uint64_t i = 0; i < n; i++) {
            task->maths->add_scaled(sum, gradient + i * width, mixing[j * n + i], width);
            mixing[j * n + i] = task->maths->dot(gradient + i * width, x + j * width, width);
        }
        task_write(task, POST_BACKWARD_gradX, (token * n + j) * width, width, sum);
    }
    if (task_has(task, POST_BACKWARD_gradHres))
        task_write(task, POST_BACKWARD_gradHres, token * n * n, n * n, mixing);
}

static aclnnStatus plan_post(const struct call *call, const struct result *result)
{
    struct parting parting;
    (void)result;
    TRY(read_parting(call, &parting));
    const uint64_t elements = parting.streams * parting.width;
    return row_tasks_plan(call, &(struct row_tasks_request){
                                    .body = parting.x == POST_x ? part_token : differentiate_parting,
                                    .count = parting.width == 0 ? 0 : parting.tokens,
                                    .task_ns = elements * (parting.streams + 4) * ELEMENT_PS / 1000 + 200,
                                    .room = (2 * parting.streams + 2) * parting.width,
                                    .parameters = &parting,
                                    .parameter_bytes = sizeof parting});
}

#define PARTING \
    .family = FAMILY_ROWS, .promise = &promise_sum, ROW_TASKS, .infer = infer_post, .plan = plan_post
static const bool backward = true; /* of_family */
FUNCTION_OF(aclnnMhcPost, POST, .stem = "mhc_post", PARTING);
FUNCTION_OF(aclnnMhcPostBackward, POST_BACKWARD, .stem = "mhc_post_backward", PARTING,
            .of_family = &backward);

#define SINKHORN(X, of)                                            \
    X(of, IN, x, &dtypes_fp32, .sample = "3x2x2:FLOAT")            \
    X(of, FLOAT, eps, .usual = "1e-6")                             \
    X(of, INT64, numIters, .usual = "3")                           \
    X(of, OUT, out, &dtypes_fp32)                                  \
    X(of, OUT, normOutOptional, &dtypes_fp32, .is_optional = true) \
    X(of, OUT, sumOutOptional, &dtypes_fp32, .is_optional = true)
#define SINKHORN_BACKWARD(X, of)                                 \
    X(of, IN, gradOutput, &dtypes_fp32, .sample = "3x2x2:FLOAT") \
    X(of, IN, normOut, &dtypes_fp32, .sample = "288:FLOAT")      \
    X(of, IN, sumOut, &dtypes_fp32, .sample = "144:FLOAT")       \
    X(of, OUT, gradInput, &dtypes_fp32)
SIGNATURE(SINKHORN)
SIGNATURE(SINKHORN_BACKWARD)

/*
 * Of each step, the softmax and then 2 iters - 1 divisions by sums of columns
 * and rows in turn, norm keeps what comes out and sum the divisors:
 * [step][token][row][8] and [step][token][8], behind n of which is 0.
 */
struct steps {
    uint64_t tokens, n, count;
    double epsilon;
};

static aclnnStatus read_matrices(const struct call *call, struct steps *steps)
{
    const struct tensor_view *x = &call->tensor[0];
    TRY(check_all_dtypes(call));
    if ((x->rank != 3 && x->rank != 4) || x->shape[x->rank - 1] != x->shape[x->rank - 2])
        return refuse(call,
                      "%s has shape %s; 3 or 4 dims, of which the last two are "
                      "equal, are expected",
                      call_name(call, 0), shape_text(TEXT, x));
    const int64_t n = x->shape[x->rank - 1];
    if (n < 1 || n > LANES)
        return refuse(call, "%s has shape %s; matrices of 1 to %d rows are expected", call_name(call, 0),
                      shape_text(TEXT, x), LANES);
    *steps = (struct steps){.tokens = (uint64_t)(x->count / n / n), .n = (uint64_t)n};
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_sinkhorn(const struct call *call, struct result *result)
{
    struct steps steps;
    const int64_t iterations = call->argument[SINKHORN_numIters].int64;
    TRY(read_matrices(call, &steps));
    if (iterations < 1 || iterations > 1 << 20)
        return refuse(call, "numIters is %" PRId64 "; 1 or more are expected", iterations);
    const int64_t sums = 2 * iterations * (int64_t)steps.tokens * LANES;
    result_like(result, call, SINKHORN_x);
    result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(sums * (int64_t)steps.n))->is_unwanted =
        call->has_outputs && !call_has_elements(call, SINKHORN_normOutOptional);
    result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(sums))->is_unwanted =
        call->has_outputs && !call_has_elements(call, SINKHORN_sumOutOptional);
    for (unsigned i = 1; i <= 2; i++)
        result->output[i].shape_rule = SHAPE_BY_COUNT;
    return ACLNN_SUCCESS;
}

static void keep_step(const struct task *task, uint64_t step, uint64_t token, const double *matrix,
                      const double *sum)
{
    const struct steps *steps = task->parameters;
    const uint64_t n = steps->n, place = step * steps->tokens + token;
    double line[LANES] = {0};
    for (uint64_t i = 0; i < n && task_has(task, SINKHORN_normOutOptional); i++) {
        memcpy(line, matrix + i * n, n * sizeof *line);
        task_write(task, SINKHORN_normOutOptional, (place * n + i) * LANES, LANES, line);
    }
    memcpy(line, sum, n * sizeof *line);
    if (task_has(task, SINKHORN_sumOutOptional))
        task_write(task, SINKHORN_sumOutOptional, place * LANES, LANES, line);
}

/* Odd steps divide columns, even ones rows, by their sums and epsilon. */
static void balance(const struct task *task, uint64_t token)
{
    const struct steps *steps = task->parameters;
    const uint64_t n = steps->n;
    double matrix[LANES * LANES], sum[LANES], softmax[LANES * LANES];
    task_read(task, SINKHORN_x, token * n * n, n * n, matrix);
    for (uint64_t i = 0; i < n; i++) {
        double *row = matrix + i * n, most = row[0];
        for (uint64_t j = 1; j < n; j++)
            most = row[j] > most ? row[j] : most;
        for (uint64_t j = 0; j < n; j++)
            row[j] -= most;
        task->maths->exponential(row, n);
        sum[i] = 0;
        for (uint64_t j = 0; j < n; j++)
            sum[i] += row[j];
        for (uint64_t j = 0; j < n; j++) {
            softmax[i * n + j] = row[j] / sum[i];
            row[j] = softmax[i * n + j] + steps->epsilon;
        }
    }
    keep_step(task, 0, token, softmax, sum);
    for (uint64_t step = 1; step < steps->count; step++) {
        const bool is_of_columns = step % 2 == 1;
        for (uint64_t i = 0; i < n; i++)
            sum[i] = steps->epsilon;
        for (uint64_t k = 0; k < n * n; k++)
            sum[is_of_columns ? k % n : k / n] += matrix[k];
        for (uint64_t k = 0; k < n * n; k++)
            matrix[k] /= sum[is_of_columns ? k % n : k / n];
        keep_step(task, step, token, matrix, sum);
    }
    task_write(task, SINKHORN_out, token * n * n, n * n, matrix);
}

static aclnnStatus plan_sinkhorn(const struct call *call, const struct result *result)
{
    struct steps steps;
    (void)result;
    TRY(read_matrices(call, &steps));
    steps.count = 2 * (uint64_t)call->argument[SINKHORN_numIters].int64;
    steps.epsilon = (double)call->argument[SINKHORN_eps].fp32;
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = balance,
                                                      .count = steps.tokens,
                                                      .task_ns = steps.count * steps.n * steps.n * 8 + 300,
                                                      .parameters = &steps,
                                                      .parameter_bytes = sizeof steps});
}

static aclnnStatus read_kept(const struct call *call, struct steps *steps)
{
    TRY(read_matrices(call, steps));
    const int64_t each = 2 * (int64_t)steps->tokens * LANES,
                  count = call->tensor[SINKHORN_BACKWARD_sumOut].count,
                  iterations = each == 0 ? 1 : count / each;
    if (each > 0 && (iterations < 1 || count % each != 0))
        return refuse(call, "sumOut has %" PRId64 " elements; a multiple of %" PRId64 " is expected", count,
                      each);
    if (call->tensor[SINKHORN_BACKWARD_normOut].count != count * (int64_t)steps->n)
        return refuse(call, "normOut has %" PRId64 " elements; %" PRId64 ", as sumOut has it, are expected",
                      call->tensor[SINKHORN_BACKWARD_normOut].count, count * (int64_t)steps->n);
    steps->count = 2 * (uint64_t)iterations;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_sinkhorn_backward(const struct call *call, struct result *result)
{
    struct steps steps;
    TRY(read_kept(call, &steps));
    result_like(result, call, SINKHORN_BACKWARD_gradOutput);
    return ACLNN_SUCCESS;
}

/* From the last step to the first: of c / s with s = sum + epsilon the gradient
 * is (g - sum of g c') / s, c' = c / s; of the softmax c (g - sum of g c). */
static void differentiate_balance(const struct task *task, uint64_t token)
{
    const struct steps *steps = task->parameters;
    const uint64_t n = steps->n;
    double gradient[LANES * LANES], matrix[LANES * LANES], sum[LANES], line[LANES];
    task_read(task, SINKHORN_BACKWARD_gradOutput, token * n * n, n * n, gradient);
    for (uint64_t step = steps->count; step-- > 0;) {
        const uint64_t place = step * steps->tokens + token;
        const bool is_of_columns = step % 2 == 1;
        double product[LANES] = {0};
        for (uint64_t i = 0; i < n; i++) {
            task_read(task, SINKHORN_BACKWARD_normOut, (place * n + i) * LANES, LANES, line);
            memcpy(matrix + i * n, line, n * sizeof *line);
        }
        task_read(task, SINKHORN_BACKWARD_sumOut, place * LANES, LANES, sum);
        for (uint64_t k = 0; k < n * n; k++)
            product[is_of_columns ? k % n : k / n] += gradient[k] * matrix[k];
        for (uint64_t k = 0; k < n * n; k++) {
            const uint64_t of = is_of_columns ? k % n : k / n;
            gradient[k] = (gradient[k] - product[of]) * (step == 0 ? matrix[k] : 1 / sum[of]);
        }
    }
    task_write(task, SINKHORN_BACKWARD_gradInput, token * n * n, n * n, gradient);
}

static aclnnStatus plan_sinkhorn_backward(const struct call *call, const struct result *result)
{
    struct steps steps;
    (void)result;
    TRY(read_kept(call, &steps));
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = differentiate_balance,
                                                      .count = steps.tokens,
                                                      .task_ns = steps.count * steps.n * steps.n * 8 + 300,
                                                      .parameters = &steps,
                                                      .parameter_bytes = sizeof steps});
}

#define BALANCES .family = FAMILY_ROWS, .promise = &promise_sum, ROW_TASKS
FUNCTION_OF(aclnnMhcSinkhorn, SINKHORN, .stem = "mhc_sinkhorn", BALANCES, .infer = infer_sinkhorn,
            .plan = plan_sinkhorn);
FUNCTION_OF(aclnnMhcSinkhornBackward, SINKHORN_BACKWARD, .stem = "mhc_sinkhorn_backward", BALANCES,
            .infer = infer_sinkhorn_backward, .plan = plan_sinkhorn_backward);
