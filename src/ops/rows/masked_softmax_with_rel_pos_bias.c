/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Softmax of rows, scale x + mask + bias: a mask for each window, a bias for each head. In doubles, rounded once.
 */
#include "aclnnop/aclnn_masked_softmax_with_rel_pos_bias.h"

#include <inttypes.h>
#include <math.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 6000 };

#define WINDOWS(X, of)                                                                           \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "2x2x3x4")                                    \
    X(of, IN, attenMaskOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "2x3x4") \
    X(of, IN, relativePosBias, &dtypes_fp32_fp16_bf16, .sample = "2x3x4")                        \
    X(of, DOUBLE, scaleValue, .usual = "1")                                                      \
    X(of, INT64, innerPrecisionMode, .usual = "0")                                               \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(WINDOWS)

struct windows {
    uint64_t windows, heads, rows, width;
    double scale;
};

/* (first, rows, width), with dims of 1 among them. */
static aclnnStatus check_like(const struct call *call, unsigned parameter, uint64_t first,
                              const struct windows *windows)
{
    const struct tensor_view *view = &call->tensor[parameter];
    const uint64_t wanted[] = {windows->width, windows->rows, first};
    unsigned met = 0;
    TRY(check_dtype(call, parameter));
    TRY(check_same_dtype(call, parameter, WINDOWS_x, NULL));
    bool fits = view->rank >= 3;
    for (uint32_t i = view->rank; fits && i-- > 0;) {
        if (met < 3 && (uint64_t)view->shape[i] == wanted[met])
            met++;
        else
            fits = view->shape[i] == 1 && met >= 2;
    }
    return fits && met == 3
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; %" PRIu64 ", %" PRIu64 " and %" PRIu64 " are expected",
                        call_name(call, parameter), shape_text(TEXT, view), first, windows->rows,
                        windows->width);
}

static aclnnStatus read_call(const struct call *call, struct windows *windows)
{
    const struct tensor_view *x = &call->tensor[WINDOWS_x], *mask = &call->tensor[WINDOWS_attenMaskOptional];
    TRY(check_dtype(call, WINDOWS_x));
    if (x->rank != 4 && x->rank != 5)
        return refuse(call, "x has shape %s; rank 4 or 5 is expected", shape_text(TEXT, x));
    const int64_t *dim = x->shape + x->rank - 3;
    *windows = (struct windows){.heads = (uint64_t)dim[0],
                                .rows = (uint64_t)dim[1],
                                .width = (uint64_t)dim[2],
                                .windows = 1,
                                .scale = call->argument[WINDOWS_scaleValue].fp64};
    if (call_has(call, WINDOWS_attenMaskOptional)) {
        const int64_t own = mask->rank == 5   ? mask->shape[1]
                            : mask->rank >= 1 ? mask->shape[0]
                                              : 0,
                      all = x->rank == 5 ? x->shape[1] : x->shape[0];
        if (own < 1 || (x->rank == 5 ? own != all : all % own != 0))
            return refuse(call, "attenMaskOptional has shape %s; a mask for each window of x is expected",
                          shape_text(TEXT, mask));
        windows->windows = (uint64_t)own;
        TRY(check_like(call, WINDOWS_attenMaskOptional, windows->windows, windows));
    }
    return check_like(call, WINDOWS_relativePosBias, windows->heads, windows);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct windows windows;
    TRY(read_call(call, &windows));
    result_like(result, call, WINDOWS_x);
    return ACLNN_SUCCESS;
}

static void take_row(const struct task *task, uint64_t number)
{
    const struct windows *windows = task->parameters;
    const uint64_t width = windows->width, row = number % windows->rows,
                   head = number / windows->rows % windows->heads,
                   window = number / windows->rows / windows->heads % windows->windows;
    double *x = task->room, *other = x + width, greatest = -(double)INFINITY, sum = 0;
    task_read(task, WINDOWS_x, number * width, width, x);
    task_read(task, WINDOWS_relativePosBias, (head * windows->rows + row) * width, width, other);
    for (uint64_t i = 0; i < width; i++)
        x[i] = windows->scale * x[i] + other[i];
    if (task_has(task, WINDOWS_attenMaskOptional)) {
        task_read(task, WINDOWS_attenMaskOptional, (window * windows->rows + row) * width, width, other);
        for (uint64_t i = 0; i < width; i++)
            x[i] += other[i];
    }
    for (uint64_t i = 0; i < width; i++)
        greatest = x[i] > greatest || x[i] != x[i] ? x[i] : greatest;
    for (uint64_t i = 0; i < width; i++)
        x[i] = x[i] - greatest < -745 ? -745 : x[i] - greatest;
    task->maths->exponential(x, width);
    for (uint64_t i = 0; i < width; i++)
        sum += x[i];
    for (uint64_t i = 0; i < width; i++)
        x[i] /= sum;
    task_write(task, WINDOWS_out, number * width, width, x);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct windows windows;
    (void)result;
    TRY(read_call(call, &windows));
    if (call->tensor[WINDOWS_x].count == 0)
        return call_idle(call);
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = take_row,
                                          .count = (uint64_t)call->tensor[WINDOWS_x].count / windows.width,
                                          .task_ns = windows.width * ELEMENT_PS / 1000 + 50,
                                          .room = 2 * windows.width,
                                          .parameters = &windows,
                                          .parameter_bytes = sizeof windows});
}

FUNCTION_OF(aclnnMaskedSoftmaxWithRelPosBias, WINDOWS, .stem = "masked_softmax_with_rel_pos_bias",
            .family = FAMILY_ROWS, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan);
