/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A sigma(alpha A) (B + bias) of rows that have A and B side by side or in turn: A at most the limit, B between it
 * and its negative. In doubles, rounded once.
 */
#include "aclnnop/aclnn_clipped_swiglu.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 6000 };

#define CLIPPED(X, of)                                                                     \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "3x4")                                  \
    X(of, IN, groupIndexOptional, &dtypes_int64, .is_optional = true, .sample = "2:INT64") \
    X(of, INT64, dim, .usual = "-1")                                                       \
    X(of, DOUBLE, alpha, .usual = "1.702")                                                 \
    X(of, DOUBLE, limit, .usual = "7")                                                     \
    X(of, DOUBLE, bias, .usual = "1")                                                      \
    X(of, BOOL, interleaved, .usual = "true")                                              \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(CLIPPED)

struct clipped {
    uint64_t rows, half, groups;
    double alpha, limit, bias;
    bool is_in_turn;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[CLIPPED_x],
                             *groups = &call->tensor[CLIPPED_groupIndexOptional];
    uint32_t dim;
    TRY(check_dtype(call, CLIPPED_x));
    TRY(check_rank(call, CLIPPED_x));
    if (x->rank < 1)
        return refuse(call, "x has 0 dims; 1 or more are expected");
    TRY(check_dim(call, CLIPPED_dim, call->argument[CLIPPED_dim].int64, x->rank, &dim));
    if (x->shape[dim] % 2 != 0)
        return refuse(call, "x has shape %s; an even size of dim %u is expected", shape_text(TEXT, x), dim);
    if (call_has(call, CLIPPED_groupIndexOptional)) {
        TRY(check_dtype(call, CLIPPED_groupIndexOptional));
        if (groups->rank != 1)
            return refuse(call, "groupIndexOptional has shape %s; one dim is expected",
                          shape_text(TEXT, groups));
    }
    result->computed = x->dtype;
    struct shape shape = shape_of(x);
    shape.dim[dim] /= 2;
    result_reshaped(result, call, CLIPPED_x, shape);
    return ACLNN_SUCCESS;
}

/* How many rows the groups have, before which the others are 0. */
static int start(struct task *task)
{
    const struct clipped *clipped = task->parameters;
    uint64_t *rows = task->shared;
    *rows = clipped->groups > 0 ? 0 : clipped->rows;
    for (uint64_t i = 0; i < clipped->groups; i++) {
        const int64_t own = task_integer(task, CLIPPED_groupIndexOptional, i);
        const uint64_t left = clipped->rows - *rows;
        *rows += own <= 0 ? 0 : (uint64_t)own < left ? (uint64_t)own : left;
    }
    return 0;
}

static void clip_row(const struct task *task, uint64_t number)
{
    const struct clipped *clipped = task->parameters;
    const uint64_t half = clipped->half;
    double *x = task->room, *a = x + 2 * half, *b = a + half, *part = b + half;
    if (number >= *(const uint64_t *)task->shared) {
        task_clear(task, CLIPPED_out, number * half, half);
        return;
    }
    task_read(task, CLIPPED_x, number * 2 * half, 2 * half, x);
    for (uint64_t e = 0; e < half; e++) {
        a[e] = x[clipped->is_in_turn ? 2 * e : e];
        b[e] = x[clipped->is_in_turn ? 2 * e + 1 : half + e];
        a[e] = a[e] > clipped->limit ? clipped->limit : a[e];
        b[e] = b[e] > clipped->limit ? clipped->limit : b[e] < -clipped->limit ? -clipped->limit : b[e];
        part[e] = clipped->alpha * a[e];
    }
    task->maths->logistic(part, half);
    for (uint64_t e = 0; e < half; e++)
        part[e] = part[e] == 0 ? 0 : a[e] * part[e] * (b[e] + clipped->bias); /* of -inf it is 0 */
    task_write(task, CLIPPED_out, number * half, half, part);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[CLIPPED_x];
    uint32_t dim;
    uint64_t length = 1;
    (void)result;
    TRY(check_dim(call, CLIPPED_dim, call->argument[CLIPPED_dim].int64, x->rank, &dim));
    if (x->count == 0)
        return call_idle(call);
    for (uint32_t i = dim; i < x->rank; i++)
        length *= (uint64_t)x->shape[i];
    const struct clipped clipped = {
        .rows = (uint64_t)x->count / length,
        .half = length / 2,
        .groups = call_has(call, CLIPPED_groupIndexOptional)
                      ? (uint64_t)call->tensor[CLIPPED_groupIndexOptional].count
                      : 0,
        .alpha = call->argument[CLIPPED_alpha].fp64,
        .limit = call->argument[CLIPPED_limit].fp64,
        .bias = call->argument[CLIPPED_bias].fp64,
        .is_in_turn = call->argument[CLIPPED_interleaved].boolean,
    };
    return row_tasks_plan(call, &(struct row_tasks_request){.body = clip_row,
                                                            .start = start,
                                                            .count = clipped.rows,
                                                            .task_ns = clipped.half * ELEMENT_PS / 1000 + 50,
                                                            .room = 5 * clipped.half,
                                                            .shared_bytes = sizeof(uint64_t),
                                                            .parameters = &clipped,
                                                            .parameter_bytes = sizeof clipped});
}

FUNCTION_OF(aclnnClippedSwiglu, CLIPPED, .stem = "clipped_swiglu", .family = FAMILY_ROWS,
            .promise = &promise_formula, ROW_TASKS, .infer = infer, .plan = plan);
