/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What joins the n streams x of a token before a layer, and its gradients: with
 * v = x gamma and h = (phi v) / rms x it is hIn, the sum of hPre_i x_i, where
 * hPre = sigma(alpha_0 h + bias) + hcEps of the first n, hPost = 2
 * sigma(alpha_1 h + bias) of the next, and hRes = alpha_2 h + bias of the other
 * n n. In doubles, rounded once.
 */
#include "aclnnop/aclnn_mhc_pre.h"
#include "aclnnop/aclnn_mhc_pre_backward.h"
#include "aclnnop/aclnn_mhc_pre_backward_v2.h"
#include "aclnnop/aclnn_mhc_pre_v2.h"

#include <inttypes.h>
#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 1500, STREAMS_MAX = 16, MIXES_MAX = STREAMS_MAX * (STREAMS_MAX + 2), COLUMNS = 128 };

#define SINGLE(X, of, name, sample_) X(of, IN, name, &dtypes_fp32, .sample = sample_ ":FLOAT")
#define JOINED(X, of)                                       \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "3x2x4") \
    SINGLE(X, of, phi, "8x8")                               \
    SINGLE(X, of, alpha, "3")
#define GAMMA(X, of)   X(of, IN, gammaOptional, &dtypes_fp32, .is_optional = true, .sample = "2x4:FLOAT")
#define PRECISE(X, of) X(of, INT64, innerPrecise, .usual = "0")
#define NOT_PRECISE(X, of)
#define PRE_LIST(X, of, more)                                                                        \
    JOINED(X, of)                                                                                    \
    SINGLE(X, of, bias, "8")                                                                         \
    GAMMA(X, of)                                                                                     \
    X(of, DOUBLE, normEps, .usual = "1e-6")                                                          \
    X(of, DOUBLE, hcEps, .usual = "1e-6")                                                            \
    more(X, of) X(of, OUT, hIn, &dtypes_fp32_fp16_bf16) X(of, OUT, hPost, &dtypes_fp32)              \
        X(of, OUT, hRes, &dtypes_fp32) X(of, OUT, invRmsOptional, &dtypes_fp32, .is_optional = true) \
            X(of, OUT, hMixOptional, &dtypes_fp32, .is_optional = true)                              \
                X(of, OUT, hPreOptional, &dtypes_fp32, .is_optional = true)
#define PRE(X, of)    PRE_LIST(X, of, NOT_PRECISE)
#define PRE_V2(X, of) PRE_LIST(X, of, PRECISE)
#define BACK_LIST(X, of, more)                                                                   \
    JOINED(X, of)                                                                                \
    X(of, IN, gradHIn, &dtypes_fp32_fp16_bf16, .sample = "3x4")                                  \
    SINGLE(X, of, gradHPost, "3x2")                                                              \
    SINGLE(X, of, gradHRes, "3x2x2")                                                             \
    SINGLE(X, of, invRms, "3")                                                                   \
    SINGLE(X, of, hMix, "3x8")                                                                   \
    SINGLE(X, of, hPre, "3x2")                                                                   \
    SINGLE(X, of, hPost, "3x2")                                                                  \
    GAMMA(X, of)                                                                                 \
    X(of, IN, gradXPostOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3x2x4") \
    X(of, FLOAT, hcEps, .usual = "1e-6")                                                         \
    more(X, of) X(of, OUT, gradX, &dtypes_fp32_fp16_bf16) X(of, OUT, gradPhi, &dtypes_fp32)      \
        X(of, OUT, gradAlpha, &dtypes_fp32) X(of, OUT, gradBias, &dtypes_fp32)                   \
            X(of, OUT, gradGamma, &dtypes_fp32)
#define BACK(X, of)    BACK_LIST(X, of, NOT_PRECISE)
#define BACK_V2(X, of) BACK_LIST(X, of, PRECISE)
SIGNATURE(PRE)
SIGNATURE(PRE_V2)
SIGNATURE(BACK)
SIGNATURE(BACK_V2)

struct joining {
    uint64_t tokens, streams, width, mixes; /* 2 n, or with hRes n n more */
    double norm_epsilon, epsilon;
    uint8_t gamma, out; /* places: gamma, and the first output */
    bool has_res;
};

/* As many elements as so many of each token. */
static aclnnStatus check_of_tokens(const struct call *call, unsigned parameter, uint64_t tokens,
                                   uint64_t each)
{
    const uint64_t count = (uint64_t)call->tensor[parameter].count;
    return count == tokens * each
               ? ACLNN_SUCCESS
               : refuse(call,
                        "%s has shape %s; %" PRIu64 " elements for each of %" PRIu64 " tokens are expected",
                        call_name(call, parameter), shape_text(TEXT, &call->tensor[parameter]), each, tokens);
}

static aclnnStatus read_joining(const struct call *call, struct joining *joining)
{
    const bool is_backward = call->function->parameter_count > PRE_V2_hPreOptional + 1;
    const struct tensor_view *x = &call->tensor[PRE_x];
    TRY(check_all_dtypes(call));
    if (x->rank != 3 && x->rank != 4)
        return refuse(call,
                      "x has shape %s; 3 or 4 dims, of which the last two are "
                      "streams and their width, "
                      "are expected",
                      shape_text(TEXT, x));
    const int64_t n = x->shape[x->rank - 2], width = x->shape[x->rank - 1],
                  alphas = call->tensor[PRE_alpha].count;
    if (n < 1 || n > STREAMS_MAX || width < 1)
        return refuse(call, "x has shape %s; 1 to %d streams of 1 element or more are expected",
                      shape_text(TEXT, x), STREAMS_MAX);
    TRY(check_sizes(call, PRE_alpha, SIZES(-1)));
    if (alphas != 2 && alphas != 3)
        return refuse(call, "alpha has %" PRId64 " elements; 3, or 2 without hRes, are expected", alphas);
    const int64_t mixes = alphas == 3 ? n * (n + 2) : 2 * n;
    TRY(check_sizes(call, PRE_phi, SIZES(mixes, n * width)));
    *joining = (struct joining){.tokens = (uint64_t)(x->count / n / width),
                                .streams = (uint64_t)n,
                                .width = (uint64_t)width,
                                .mixes = (uint64_t)mixes,
                                .gamma = is_backward ? BACK_gammaOptional : PRE_gammaOptional,
                                .has_res = alphas == 3};
    while (call->function->parameter[joining->out].role != ROLE_WRITTEN)
        joining->out++;
    TRY(check_optional_sizes(call, joining->gamma, SIZES(n, width)));
    const uint64_t tokens = joining->tokens, streams = joining->streams;
    if (!is_backward) {
        joining->norm_epsilon = call->argument[PRE_normEps].fp64;
        joining->epsilon = call->argument[PRE_hcEps].fp64;
        return check_sizes(call, PRE_bias, SIZES(mixes));
    }
    joining->epsilon = (double)call->argument[BACK_hcEps].fp32;
    TRY(check_same_dtype(call, BACK_gradHIn, PRE_x, NULL));
    TRY(check_of_tokens(call, BACK_gradHIn, tokens, joining->width));
    TRY(check_of_tokens(call, BACK_gradHPost, tokens, streams));
    if (joining->has_res)
        TRY(check_of_tokens(call, BACK_gradHRes, tokens, streams * streams));
    TRY(check_of_tokens(call, BACK_invRms, tokens, 1));
    TRY(check_of_tokens(call, BACK_hMix, tokens, joining->mixes));
    TRY(check_of_tokens(call, BACK_hPre, tokens, streams));
    TRY(check_of_tokens(call, BACK_hPost, tokens, streams));
    if (call_has_elements(call, BACK_gradXPostOptional))
        TRY(check_same_dtype(call, BACK_gradXPostOptional, PRE_x, NULL));
    return check_optional_sizes(call, BACK_gradXPostOptional, x->rank, x->shape);
}

static struct output *add_by_token(struct result *result, const struct call *call, aclDataType dtype,
                                   uint32_t more, const int64_t *last)
{
    const struct tensor_view *x = &call->tensor[PRE_x];
    int64_t size[OPERAND_RANK_MAX];
    memcpy(size, x->shape, (x->rank - 2) * sizeof *size);
    memcpy(size + x->rank - 2, last, more * sizeof *size);
    return result_sized(result, dtype, DTYPE_EQUAL, x->rank - 2 + more, size);
}

static aclnnStatus infer_pre(const struct call *call, struct result *result)
{
    struct joining joining;
    TRY(read_joining(call, &joining));
    const int64_t n = (int64_t)joining.streams;
    result->computed = call_dtype(call, PRE_x);
    add_by_token(result, call, result->computed, SIZES((int64_t)joining.width));
    add_by_token(result, call, ACL_FLOAT, SIZES(n));
    add_by_token(result, call, ACL_FLOAT, SIZES(n, n))->is_unwanted = !joining.has_res;
    for (unsigned i = 0; i < 3; i++) {
        const int64_t each[] = {1, (int64_t)joining.mixes, n};
        struct output *output = add_by_token(result, call, ACL_FLOAT, 1, &each[i]);
        output->shape_rule = SHAPE_BY_COUNT;
        output->is_unwanted = call->has_outputs && !call_has_elements(call, joining.out + 3 + i);
    }
    return ACLNN_SUCCESS;
}

/* sigma of alpha h + bias, or without sigma, of some of the mixes. */
static void weigh(const struct task *task, double *mix, double alpha, uint64_t first, uint64_t count,
                  bool is_sigma)
{
    double bias[MIXES_MAX];
    task_read(task, PRE_bias, first, count, bias);
    for (uint64_t i = 0; i < count; i++)
        mix[i] = alpha * mix[i] + bias[i];
    if (is_sigma)
        task->maths->logistic(mix, count);
}

static void join_token(const struct task *task, uint64_t token)
{
    const struct joining *joining = task->parameters;
    const uint64_t n = joining->streams, width = joining->width, all = n * width;
    double *x = task->room, *v = x + all, *row = v + all, mix[MIXES_MAX], alpha[3], inverse;
    task_read(task, PRE_x, token * all, all, x);
    memcpy(v, x, all * sizeof *v);
    if (task_has(task, joining->gamma)) {
        task_read(task, joining->gamma, 0, all, row);
        for (uint64_t i = 0; i < all; i++)
            v[i] *= row[i];
    }
    inverse = 1 / __builtin_sqrt(task->maths->dot(x, x, all) / (double)all + joining->norm_epsilon);
    for (uint64_t r = 0; r < joining->mixes; r++) {
        task_read(task, PRE_phi, r * all, all, row);
        mix[r] = task->maths->dot(row, v, all);
    }
    if (task_has(task, joining->out + 3))
        task_set(task, joining->out + 3, token, inverse);
    if (task_has(task, joining->out + 4))
        task_write(task, joining->out + 4, token * joining->mixes, joining->mixes, mix);
    for (uint64_t r = 0; r < joining->mixes; r++)
        mix[r] *= inverse;
    task_read(task, PRE_alpha, 0, joining->has_res ? 3 : 2, alpha);
    weigh(task, mix, alpha[0], 0, n, true);
    weigh(task, mix + n, alpha[1], n, n, true);
    for (uint64_t i = 0; i < n; i++) {
        mix[i] += joining->epsilon;
        mix[n + i] *= 2;
    }
    memset(v, 0, width * sizeof *v);
    for (uint64_t i = 0; i < n; i++)
        task->maths->add_scaled(v, x + i * width, mix[i], width);
    task_write(task, joining->out, token * width, width, v);
    task_write(task, joining->out + 1, token * n, n, mix + n);
    if (joining->has_res) {
        weigh(task, mix + 2 * n, alpha[2], 2 * n, n * n, false);
        task_write(task, joining->out + 2, token * n * n, n * n, mix + 2 * n);
    }
    if (task_has(task, joining->out + 5))
        task_write(task, joining->out + 5, token * n, n, mix);
}

static aclnnStatus plan_pre(const struct call *call, const struct result *result)
{
    struct joining joining;
    (void)result;
    TRY(read_joining(call, &joining));
    const uint64_t all = joining.streams * joining.width;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = join_token,
                                          .count = joining.tokens,
                                          .task_ns = all * (joining.mixes + 6) * ELEMENT_PS / 1000 + 500,
                                          .room = 3 * all,
                                          .parameters = &joining,
                                          .parameter_bytes = sizeof joining});
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    struct joining joining;
    TRY(read_joining(call, &joining));
    const int64_t n = (int64_t)joining.streams, width = (int64_t)joining.width,
                  mixes = (int64_t)joining.mixes;
    result->computed = call_dtype(call, PRE_x);
    result_sized(result, result->computed, DTYPE_EQUAL, call->tensor[PRE_x].rank, call->tensor[PRE_x].shape);
    result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(mixes, n * width));
    result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(call->tensor[PRE_alpha].count));
    result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(mixes));
    result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(n, width));
    return ACLNN_SUCCESS;
}

/* Of a token: the gradient of each of phi v, and behind them that of the mean
 * of squares times 2 / (n width). */
static double *gradients_of(const struct task *task, uint64_t token)
{
    const struct joining *joining = task->parameters;
    return (double *)task->shared + token * (joining->mixes + 1);
}

/* Those of alpha and bias, which are sums over tokens, are made here, and what
 * all tasks need of the tokens. */
static int start(struct task *task)
{
    const struct joining *joining = task->parameters;
    const uint64_t n = joining->streams, width = joining->width, mixes = joining->mixes;
    double alpha[3], of_alpha[3] = {0}, of_bias[MIXES_MAX] = {0}, mix[MIXES_MAX], pre[STREAMS_MAX],
                     post[STREAMS_MAX], z[MIXES_MAX], *x = task->room, *layer = x + n * width;
    task_read(task, PRE_alpha, 0, joining->has_res ? 3 : 2, alpha);
    for (uint64_t t = 0; t < joining->tokens; t++) {
        double *gradient = gradients_of(task, t), of_inverse = 0;
        const double inverse = task_number(task, BACK_invRms, t);
        task_read(task, PRE_x, t * n * width, n * width, x);
        task_read(task, BACK_gradHIn, t * width, width, layer);
        task_read(task, BACK_hMix, t * mixes, mixes, mix);
        task_read(task, BACK_hPre, t * n, n, pre);
        task_read(task, BACK_hPost, t * n, n, post);
        task_read(task, BACK_gradHPost, t * n, n, z + n);
        if (joining->has_res)
            task_read(task, BACK_gradHRes, t * n * n, n * n, z + 2 * n);
        for (uint64_t i = 0; i < n; i++) {
            const double sigma = pre[i] - joining->epsilon;
            z[i] = task->maths->dot(layer, x + i * width, width) * sigma * (1 - sigma);
            z[n + i] *= post[i] * (1 - post[i] / 2);
        }
        for (uint64_t r = 0; r < mixes; r++) {
            const unsigned k = r < n ? 0 : r < 2 * n ? 1 : 2;
            of_bias[r] += z[r];
            of_alpha[k] += z[r] * mix[r] * inverse;
            gradient[r] = alpha[k] * z[r] * inverse;
            of_inverse += alpha[k] * z[r] * mix[r];
        }
        gradient[mixes] = -of_inverse * inverse * inverse * inverse / (double)(n * width);
    }
    task_write(task, joining->out + 2, 0, joining->has_res ? 3 : 2, of_alpha);
    task_write(task, joining->out + 3, 0, mixes, of_bias);
    return 0;
}

static void differentiate_token(const struct task *task, uint64_t token)
{
    const struct joining *joining = task->parameters;
    const uint64_t n = joining->streams, width = joining->width, all = n * width;
    const double *gradient = gradients_of(task, token);
    double *sum = task->room, *row = sum + all, pre[STREAMS_MAX];
    memset(sum, 0, all * sizeof *sum);
    for (uint64_t r = 0; r < joining->mixes; r++) {
        task_read(task, PRE_phi, r * all, all, row);
        task->maths->add_scaled(sum, row, gradient[r], all);
    }
    if (task_has(task, joining->gamma)) {
        task_read(task, joining->gamma, 0, all, row);
        for (uint64_t i = 0; i < all; i++)
            sum[i] *= row[i];
    }
    task_read(task, PRE_x, token * all, all, row);
    task->maths->add_scaled(sum, row, gradient[joining->mixes], all);
    task_read(task, BACK_gradHIn, token * width, width, row);
    task_read(task, BACK_hPre, token * n, n, pre);
    for (uint64_t i = 0; i < n; i++)
        task->maths->add_scaled(sum + i * width, row, pre[i], width);
    if (task_has(task, BACK_gradXPostOptional)) {
        task_read(task, BACK_gradXPostOptional, token * all, all, row);
        task->maths->add_scaled(sum, row, 1, all);
    }
    task_write(task, joining->out, token * all, all, sum);
}

/* Some columns of phi and elements of gamma, over all tokens. */
static void differentiate_columns(const struct task *task, uint64_t first)
{
    const struct joining *joining = task->parameters;
    const uint64_t all = joining->streams * joining->width, left = all - first, mixes = joining->mixes,
                   count = left < COLUMNS ? left : COLUMNS;
    const bool has_gamma = task_has(task, joining->gamma);
    double *of_phi = task->room, *phi = of_phi + mixes * COLUMNS, *x = phi + mixes * COLUMNS,
           *gamma = x + COLUMNS, *of_gamma = gamma + COLUMNS, *of_v = of_gamma + COLUMNS;
    memset(of_phi, 0, mixes * COLUMNS * sizeof *of_phi);
    memset(of_gamma, 0, COLUMNS * sizeof *of_gamma);
    for (uint64_t r = 0; r < mixes; r++)
        task_read(task, PRE_phi, r * all + first, count, phi + r * COLUMNS);
    if (has_gamma)
        task_read(task, joining->gamma, first, count, gamma);
    for (uint64_t t = 0; t < joining->tokens; t++) {
        const double *gradient = gradients_of(task, t);
        task_read(task, PRE_x, t * all + first, count, x);
        memset(of_v, 0, count * sizeof *of_v);
        for (uint64_t r = 0; has_gamma && r < mixes; r++)
            task->maths->add_scaled(of_v, phi + r * COLUMNS, gradient[r], count);
        for (uint64_t c = 0; has_gamma && c < count; c++) {
            of_gamma[c] += of_v[c] * x[c];
            x[c] *= gamma[c];
        }
        for (uint64_t r = 0; r < mixes; r++)
            task->maths->add_scaled(of_phi + r * COLUMNS, x, gradient[r], count);
    }
    for (uint64_t r = 0; r < mixes; r++)
        task_write(task, joining->out + 1, r * all + first, count, of_phi + r * COLUMNS);
    task_write(task, joining->out + 4, first, count, of_gamma);
}

static void differentiate(const struct task *task, uint64_t number)
{
    const struct joining *joining = task->parameters;
    if (number < joining->tokens)
        differentiate_token(task, number);
    else
        differentiate_columns(task, (number - joining->tokens) * COLUMNS);
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    struct joining joining;
    (void)result;
    TRY(read_joining(call, &joining));
    const uint64_t all = joining.streams * joining.width, blocks = (all + COLUMNS - 1) / COLUMNS,
                   columns_room = (2 * joining.mixes + 4) * COLUMNS,
                   rows_room = 2 * all > all + joining.width ? 2 * all : all + joining.width;
    return row_tasks_plan(call, &(struct row_tasks_request){
                                    .body = differentiate,
                                    .start = start,
                                    .count = joining.tokens + blocks,
                                    .task_ns = all * (joining.mixes + 6) * ELEMENT_PS / 500 + 500,
                                    .room = columns_room > rows_room ? columns_room : rows_room,
                                    .shared_bytes = joining.tokens * (joining.mixes + 1) * sizeof(double),
                                    .parameters = &joining,
                                    .parameter_bytes = sizeof joining});
}

#define JOINS     .family = FAMILY_ROWS, .promise = &promise_sum, ROW_TASKS
#define JOINS_PRE JOINS, .infer = infer_pre, .plan = plan_pre
#define SEPARATES JOINS, .infer = infer_backward, .plan = plan_backward
FUNCTION_OF(aclnnMhcPre, PRE, .stem = "mhc_pre", JOINS_PRE);
FUNCTION_OF(aclnnMhcPreV2, PRE_V2, .stem = "mhc_pre_v2", JOINS_PRE);
FUNCTION_OF(aclnnMhcPreBackward, BACK, .stem = "mhc_pre_backward", SEPARATES);
FUNCTION_OF(aclnnMhcPreBackwardV2, BACK_V2, .stem = "mhc_pre_backward_v2", SEPARATES);
