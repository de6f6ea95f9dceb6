/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of rows (n, m) over keys k that are the sum of one of (n, k) and one of (k, m), with values alike; and its
 * gradients, which a task adds up for a head. In doubles.
 */
#include "aclnnop/aclnn_fused_floyd_attention.h"
#include "aclnnop/aclnn_fused_floyd_attention_grad.h"

#include <math.h>
#include <string.h>

#include "ops/attention/attention.h"
#include "ops/attention/over_keys.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 900 };

#define PART(X, of, name, sample_) X(of, IN, name, &dtypes_fp16_bf16, .sample = sample_)
#define PARTS(X, of)                         \
    PART(X, of, query, "1x2x2x3x4:FLOAT16")  \
    PART(X, of, key1, "1x2x2x3x4:FLOAT16")   \
    PART(X, of, value1, "1x2x2x3x4:FLOAT16") \
    PART(X, of, key2, "1x2x3x3x4:FLOAT16") PART(X, of, value2, "1x2x3x3x4:FLOAT16")
#define MASK(X, of) \
    X(of, IN, attenMaskOptional, &dtypes_uint8_bool, .is_optional = true, .sample = "1x1x2x1x3:BOOL")
#define SCALE(X, of) X(of, DOUBLE, scaleValue, .usual = "1")
#define FLOYD(X, of)                        \
    PARTS(X, of)                            \
    MASK(X, of)                             \
    SCALE(X, of)                            \
    X(of, OUT, softmaxMaxOut, &dtypes_fp32) \
    X(of, OUT, softmaxSumOut, &dtypes_fp32) X(of, OUT, attentionOut, &dtypes_fp16_bf16)
#define FLOYD_GRAD(X, of)                                      \
    PARTS(X, of)                                               \
    PART(X, of, dOut, "1x2x2x3x4:FLOAT16")                     \
    MASK(X, of)                                                \
    X(of, IN, softmaxMax, &dtypes_fp32, .sample = "1x2x2x3x8") \
    X(of, IN, softmaxSum, &dtypes_fp32, .sample = "1x2x2x3x8") \
    PART(X, of, attentionIn, "1x2x2x3x4:FLOAT16")              \
    SCALE(X, of)                                               \
    X(of, OUT, dQueryOut, &dtypes_fp16_bf16)                   \
    X(of, OUT, dKey1Out, &dtypes_fp16_bf16)                    \
    X(of, OUT, dValue1Out, &dtypes_fp16_bf16)                  \
    X(of, OUT, dKey2Out, &dtypes_fp16_bf16) X(of, OUT, dValue2Out, &dtypes_fp16_bf16)
SIGNATURE(FLOYD)
SIGNATURE(FLOYD_GRAD)

struct floyd {
    uint64_t batches, heads, rows, columns, keys, depth; /* n of rows, m of columns */
    double scale;
    uint8_t mask;
    bool has_mask;
};

static aclnnStatus read_floyd(const struct call *call, struct floyd *floyd)
{
    const struct tensor_view *query = &call->tensor[FLOYD_query], *key = &call->tensor[FLOYD_key1];
    const bool is_gradient = call->function->parameter == FLOYD_GRAD_parameters;
    const unsigned mask = is_gradient ? (unsigned)FLOYD_GRAD_attenMaskOptional
                                      : (unsigned)FLOYD_attenMaskOptional,
                   last = is_gradient ? (unsigned)FLOYD_GRAD_dOut : (unsigned)FLOYD_value2;
    TRY(check_all_dtypes(call));
    for (unsigned i = FLOYD_key1; i <= last; i++)
        TRY(check_same_dtype(call, i, FLOYD_query, NULL));
    TRY(check_sizes(call, FLOYD_query, SIZES(-1, -1, -1, -1, -1)));
    const int64_t *const of = query->shape;
    TRY(check_sizes(call, FLOYD_key1, SIZES(of[0], of[1], of[2], -1, of[4])));
    const int64_t keys = key->shape[3];
    TRY(check_sizes(call, FLOYD_value1, SIZES(of[0], of[1], of[2], keys, of[4])));
    TRY(check_sizes(call, FLOYD_key2, SIZES(of[0], of[1], keys, of[3], of[4])));
    TRY(check_sizes(call, FLOYD_value2, SIZES(of[0], of[1], keys, of[3], of[4])));
    TRY(check_optional_sizes(call, mask, SIZES(of[0], 1, of[2], 1, keys)));
    *floyd = (struct floyd){
        .batches = (uint64_t)of[0],
        .heads = (uint64_t)of[1],
        .rows = (uint64_t)of[2],
        .columns = (uint64_t)of[3],
        .keys = (uint64_t)keys,
        .depth = (uint64_t)of[4],
        .scale =
            call->argument[is_gradient ? (unsigned)FLOYD_GRAD_scaleValue : (unsigned)FLOYD_scaleValue].fp64,
        .mask = (uint8_t)mask,
        .has_mask = call_has_elements(call, mask)};
    if (!is_gradient)
        return ACLNN_SUCCESS;
    TRY(check_same_dtype(call, FLOYD_GRAD_attentionIn, FLOYD_query, NULL));
    TRY(check_sizes(call, FLOYD_GRAD_dOut, 5, of));
    TRY(check_sizes(call, FLOYD_GRAD_attentionIn, 5, of));
    TRY(check_sizes(call, FLOYD_GRAD_softmaxMax, SIZES(of[0], of[1], of[2], of[3], STATISTIC_REPEATS)));
    return check_sizes(call, FLOYD_GRAD_softmaxSum, SIZES(of[0], of[1], of[2], of[3], STATISTIC_REPEATS));
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const int64_t *const of = call->tensor[FLOYD_query].shape;
    struct floyd floyd;
    TRY(read_floyd(call, &floyd));
    result->computed = call_dtype(call, FLOYD_query);
    if (call->function->parameter == FLOYD_GRAD_parameters) {
        for (unsigned i = FLOYD_query; i <= FLOYD_value2; i++)
            result_add(result, result->computed, DTYPE_EQUAL)->like = i;
        return ACLNN_SUCCESS;
    }
    for (int i = 0; i < 2; i++)
        result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(of[0], of[1], of[2], of[3], STATISTIC_REPEATS));
    result_sized(result, result->computed, DTYPE_EQUAL, 5, of);
    return ACLNN_SUCCESS;
}

/* The numbers of rows of (n, m), (n, k) and (k, m), of a head of all. */
static uint64_t row_of(const struct floyd *floyd, uint64_t head, uint64_t n, uint64_t m)
{
    return (head * floyd->rows + n) * floyd->columns + m;
}

static uint64_t first_of(const struct floyd *floyd, uint64_t head, uint64_t n, uint64_t k)
{
    return (head * floyd->rows + n) * floyd->keys + k;
}

static uint64_t second_of(const struct floyd *floyd, uint64_t head, uint64_t k, uint64_t m)
{
    return (head * floyd->keys + k) * floyd->columns + m;
}

/* A key, or a value, of two parts, the second of which is two parameters on; other is room. */
static void read_both(const struct task *task, unsigned parameter, uint64_t head, uint64_t n, uint64_t k,
                      uint64_t m, double *to, double *other)
{
    const struct floyd *floyd = task->parameters;
    const uint64_t depth = floyd->depth;
    task_read(task, parameter, first_of(floyd, head, n, k) * depth, depth, to);
    task_read(task, parameter + 2, second_of(floyd, head, k, m) * depth, depth, other);
    for (uint64_t e = 0; e < depth; e++)
        to[e] += other[e];
}

static void score_keys(const struct task *task, uint64_t head, uint64_t n, uint64_t m, const double *query,
                       double *score, double *key)
{
    const struct floyd *floyd = task->parameters;
    for (uint64_t k = 0; k < floyd->keys; k++) {
        const uint64_t batch = head / floyd->heads;
        if (floyd->has_mask &&
            task_integer(task, floyd->mask, (batch * floyd->rows + n) * floyd->keys + k) != 0) {
            score[k] = -(double)INFINITY;
            continue;
        }
        read_both(task, FLOYD_key1, head, n, k, m, key, key + floyd->depth);
        score[k] = floyd->scale * task->maths->dot(query, key, floyd->depth);
    }
}

static void take_row(const struct task *task, uint64_t number)
{
    const struct floyd *floyd = task->parameters;
    const uint64_t m = number % floyd->columns, n = number / floyd->columns % floyd->rows,
                   head = number / floyd->columns / floyd->rows, depth = floyd->depth;
    double *query = task->room, *out = query + depth, *key = out + depth, *score = key + 2 * depth, greatest,
           sum;
    task_read(task, FLOYD_query, number * depth, depth, query);
    score_keys(task, head, n, m, query, score, key);
    over_keys_weigh(task, NULL, score, floyd->keys, &greatest, &sum);
    const bool is_none = !(sum > 0) && sum == sum;
    memset(out, 0, depth * sizeof *out);
    for (uint64_t k = 0; !is_none && k < floyd->keys; k++) {
        if (score[k] == 0)
            continue;
        read_both(task, FLOYD_value1, head, n, k, m, key, key + depth);
        task->maths->add_scaled(out, key, score[k] / sum, depth);
    }
    task_write(task, FLOYD_attentionOut, number * depth, depth, out);
    over_keys_statistics(task, FLOYD_softmaxMaxOut, number, is_none, greatest, sum);
}

/* The gradients of a row; those of keys and values are added to. */
struct sums {
    double *key1, *value1, *key2, *value2; /* of a head */
};

static void add_row(const struct task *task, uint64_t head, uint64_t n, uint64_t m, const struct sums *sums,
                    double *room)
{
    const struct floyd *floyd = task->parameters;
    const uint64_t depth = floyd->depth, row = row_of(floyd, head, n, m);
    double *query = room, *d_out = query + depth, *d_query = d_out + depth, *key = d_query + depth,
           *value = key + 2 * depth, *score = value + 2 * depth;
    task_read(task, FLOYD_query, row * depth, depth, query);
    task_read(task, FLOYD_GRAD_attentionIn, row * depth, depth, key);
    task_read(task, FLOYD_GRAD_dOut, row * depth, depth, d_out);
    const double delta = task->maths->dot(d_out, key, depth),
                 greatest = task_number(task, FLOYD_GRAD_softmaxMax, row * STATISTIC_REPEATS),
                 sum = task_number(task, FLOYD_GRAD_softmaxSum, row * STATISTIC_REPEATS);
    score_keys(task, head, n, m, query, score, key);
    for (uint64_t k = 0; k < floyd->keys; k++)
        score[k] -= greatest;
    task->maths->exponential(score, floyd->keys);
    memset(d_query, 0, depth * sizeof *d_query);
    for (uint64_t k = 0; k < floyd->keys; k++) {
        const double p = score[k] / sum;
        if (p == 0)
            continue;
        read_both(task, FLOYD_key1, head, n, k, m, key, key + depth);
        read_both(task, FLOYD_value1, head, n, k, m, value, value + depth);
        const double d = floyd->scale * p * (task->maths->dot(d_out, value, depth) - delta);
        const uint64_t first = (n * floyd->keys + k) * depth, second = (k * floyd->columns + m) * depth;
        task->maths->add_scaled(d_query, key, d, depth);
        task->maths->add_scaled(sums->key1 + first, query, d, depth);
        task->maths->add_scaled(sums->key2 + second, query, d, depth);
        task->maths->add_scaled(sums->value1 + first, d_out, p, depth);
        task->maths->add_scaled(sums->value2 + second, d_out, p, depth);
    }
    task_write(task, FLOYD_GRAD_dQueryOut, row * depth, depth, d_query);
}

static void take_head(const struct task *task, uint64_t head)
{
    const struct floyd *floyd = task->parameters;
    const uint64_t first = floyd->rows * floyd->keys * floyd->depth,
                   second = floyd->keys * floyd->columns * floyd->depth;
    const struct sums sums = {.key1 = task->room,
                              .value1 = task->room + first,
                              .key2 = task->room + 2 * first,
                              .value2 = task->room + 2 * first + second};
    memset(task->room, 0, 2 * (first + second) * sizeof(double));
    for (uint64_t n = 0; n < floyd->rows; n++)
        for (uint64_t m = 0; m < floyd->columns; m++)
            add_row(task, head, n, m, &sums, task->room + 2 * (first + second));
    task_write(task, FLOYD_GRAD_dKey1Out, head * first, first, sums.key1);
    task_write(task, FLOYD_GRAD_dValue1Out, head * first, first, sums.value1);
    task_write(task, FLOYD_GRAD_dKey2Out, head * second, second, sums.key2);
    task_write(task, FLOYD_GRAD_dValue2Out, head * second, second, sums.value2);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const bool is_gradient = call->function->parameter == FLOYD_GRAD_parameters;
    struct floyd floyd;
    (void)result;
    TRY(read_floyd(call, &floyd));
    const uint64_t heads = floyd.batches * floyd.heads, rows = floyd.rows * floyd.columns,
                   row_ns = floyd.keys * floyd.depth * (is_gradient ? 3 : 1) * ELEMENT_PS / 1000 + 200,
                   sums = 2 * floyd.keys * floyd.depth * (floyd.rows + floyd.columns);
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = is_gradient ? take_head : take_row,
                                          .count = is_gradient ? heads : heads * rows,
                                          .task_ns = is_gradient ? row_ns * rows + 100 : row_ns,
                                          .room = 7 * floyd.depth + floyd.keys + (is_gradient ? sums : 0),
                                          .parameters = &floyd,
                                          .parameter_bytes = sizeof floyd});
}

#define FLOYDS .family = FAMILY_ATTENTION, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnFusedFloydAttention, FLOYD, .stem = "fused_floyd_attention", FLOYDS);
FUNCTION_OF(aclnnFusedFloydAttentionGrad, FLOYD_GRAD, .stem = "fused_floyd_attention_grad", FLOYDS);
