/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * y = x scale + offset, of scales along a dim or one for all, as numbers of few bits, in DOUBLE, rounded once.
 */
#include "aclnnop/aclnn_ascend_quant.h"
#include "aclnnop/aclnn_ascend_quant_v3.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"

enum { PIECE = 512, ELEMENT_PS = 2500, ROOM = 3 };

#define FLT3 &dtypes_fp32_fp16_bf16
#define QUANT(X, of)                                                    \
    X(of, IN, x, FLT3)                                                  \
    X(of, IN, scale, FLT3, .sample = "3")                               \
    X(of, IN, offsetOptional, FLT3, .is_optional = true, .sample = "3") \
    X(of, BOOL, sqrtMode, .usual = "false")                             \
    X(of, CONST_TEXT, roundModeOptional, .is_optional = true)           \
    X(of, INT32, dstType, .usual = "2")
#define V1(X, of) QUANT(X, of) X(of, OUT, y, &dtypes_int8_int32_int4)
#define V3(X, of) \
    QUANT(X, of) X(of, INT32, axis, .usual = "-1") X(of, OUT, y, &dtypes_int8_int32_int4_hifloat8_float8)
SIGNATURE(V1)
SIGNATURE(V3)

struct quant_plan {
    bool is_squared;
    struct number number;
    uint64_t count, inner, scales; /* element k has scale k / inner % scales */
    uint8_t y;
};

static int64_t axis_of(const struct call *call)
{
    return call->function->parameter_count == V3_y + 1 ? call->argument[V3_axis].int64 : -1;
}

/* Scales are one, or as many as x has along the dim: alone, or with dims of 1 around them. */
static aclnnStatus check_factor(const struct call *call, unsigned parameter, uint32_t dim)
{
    const struct tensor_view *factor = &call->tensor[parameter], *x = &call->tensor[V1_x];
    bool fits = factor->rank == 1 && (factor->shape[0] == 1 || factor->shape[0] == x->shape[dim]);
    if (!fits && factor->rank == x->rank) {
        fits = true;
        for (uint32_t i = 0; i < x->rank; i++)
            fits = fits && (factor->shape[i] == 1 || (i == dim && factor->shape[i] == x->shape[i]));
    }
    return fits ? ACLNN_SUCCESS
                : refuse(call,
                         "%s has shape %s; 1 element, or %" PRId64 ", those of dim %u of x, are expected",
                         call_name(call, parameter), shape_text(TEXT, factor), x->shape[dim], dim);
}

static aclnnStatus read_call(const struct call *call, struct quant_plan *plan)
{
    const struct tensor_view *x = &call->tensor[V1_x];
    const unsigned y = call->function->parameter_count - 1;
    uint32_t dim;
    for (unsigned i = V1_x; i <= V1_offsetOptional; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    TRY(check_rank(call, V1_x));
    if (x->rank < 1)
        return refuse(call, "x has 0 dims; 1 or more are expected");
    TRY(check_dim(call, y - 1, axis_of(call), x->rank, &dim));
    TRY(check_factor(call, V1_scale, dim));
    if (call_has(call, V1_offsetOptional)) {
        TRY(check_factor(call, V1_offsetOptional, dim));
        if (call->tensor[V1_offsetOptional].count != call->tensor[V1_scale].count)
            return refuse(call,
                          "offsetOptional has %" PRId64 " elements; %" PRId64 ", as scale has, are expected",
                          call->tensor[V1_offsetOptional].count, call->tensor[V1_scale].count);
    }
    *plan = (struct quant_plan){.is_squared = call->argument[V1_sqrtMode].boolean,
                                .count = (uint64_t)x->count,
                                .inner = 1,
                                .scales = (uint64_t)call->tensor[V1_scale].count,
                                .y = (uint8_t)y};
    TRY(check_numbers(call, y, V1_dstType, V1_x, x->shape[x->rank - 1], &plan->number));
    TRY(check_rounding(call, V1_roundModeOptional, true, &plan->number));
    for (uint32_t i = dim + 1; i < x->rank; i++)
        plan->inner *= (uint64_t)x->shape[i];
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct quant_plan plan;
    TRY(read_call(call, &plan));
    result->computed = call->tensor[V1_x].dtype;
    const struct shape shape = shape_of(&call->tensor[V1_x]);
    add_numbers(result, &plan.number, &shape);
    return ACLNN_SUCCESS;
}

/* Factors of elements from one on, and how many of them follow one another, or have the first one. */
static uint64_t read_factors(const struct task *task, unsigned parameter, uint64_t at, uint64_t count,
                             double *factor)
{
    const struct quant_plan *plan = task->parameters;
    const uint64_t first = at / plan->inner % plan->scales, left = plan->inner - at % plan->inner;
    if (plan->inner == 1 && plan->scales > 1) {
        const uint64_t some = count < plan->scales - first ? count : plan->scales - first;
        task_read(task, parameter, first, some, factor);
        return some;
    }
    const uint64_t some = plan->scales == 1 || count < left ? count : left;
    const double number = task_number(task, parameter, first);
    for (uint64_t i = 0; i < some; i++)
        factor[i] = number;
    return some;
}

static void quantise_piece(const struct task *task, uint64_t piece)
{
    const struct quant_plan *plan = task->parameters;
    const uint64_t first = piece * PIECE, left = plan->count - first, count = left < PIECE ? left : PIECE;
    const bool has_offset = task_has(task, V1_offsetOptional);
    double *x = task->room, *scale = x + PIECE, *offset = scale + PIECE;
    task_read(task, V1_x, first, count, x);
    for (uint64_t i = 0, some; i < count; i += some) {
        some = read_factors(task, V1_scale, first + i, count - i, scale);
        for (uint64_t k = 0; k < some; k++)
            x[i + k] *= scale[k];
        for (uint64_t k = 0; plan->is_squared && k < some; k++)
            x[i + k] *= scale[k];
        if (has_offset)
            read_factors(task, V1_offsetOptional, first + i, some, offset);
        for (uint64_t k = 0; has_offset && k < some; k++)
            x[i + k] += offset[k];
    }
    numbers_write(task, plan->y, &plan->number, first, count, x);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct quant_plan plan;
    (void)result;
    TRY(read_call(call, &plan));
    return row_tasks_plan(call, &(struct row_tasks_request){.body = quantise_piece,
                                                            .count = (plan.count + PIECE - 1) / PIECE,
                                                            .task_ns = PIECE * ELEMENT_PS / 1000,
                                                            .room = ROOM * PIECE,
                                                            .parameters = &plan,
                                                            .parameter_bytes = sizeof plan});
}

#define QUANTISES \
    .family = FAMILY_QUANTISE, .promise = &promise_exact, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnAscendQuant, V1, .stem = "ascend_quant", QUANTISES);
FUNCTION_OF(aclnnAscendQuantV3, V3, .stem = "ascend_quant_v3", QUANTISES);
