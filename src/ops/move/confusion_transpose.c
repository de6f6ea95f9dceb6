/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor whose dims are put into another order and which is then given another shape, or the other way round: its
 * elements go by their numbers from a view of it, or to a view of the result, whose dims are in that order. Bits stay
 * as they are.
 */
#include "aclnnop/aclnn_confusion_transpose.h"

#include <inttypes.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENTS = 4096, TASK_NS = 3000 };

#define CONFUSED(X, of)                                \
    X(of, IN, x, &dtypes_all_small, .sample = "2x3x4") \
    X(of, INTS, perm, .sample = "1,0,2")               \
    X(of, INTS, shape, .sample = "3,8")                \
    X(of, BOOL, transposeFirst, .usual = "true")       \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(CONFUSED)

/* The dims of what is turned: of x, or of the shape that it gets first. */
static uint32_t turned_rank(const struct call *call)
{
    return call->argument[CONFUSED_transposeFirst].boolean ? call->tensor[CONFUSED_x].rank
                                                           : (uint32_t)call->values[CONFUSED_shape].count;
}

static aclnnStatus read_order(const struct call *call, uint32_t order[OPERAND_RANK_MAX])
{
    const struct call_values *perm = &call->values[CONFUSED_perm], *shape = &call->values[CONFUSED_shape];
    const uint32_t rank = turned_rank(call);
    uint32_t seen = 0;
    int64_t count = 1;
    bool fits = shape->count <= OPERAND_RANK_MAX;
    for (uint64_t i = 0; fits && i < shape->count; i++)
        fits = shape->value.int64[i] >= 0 && !__builtin_mul_overflow(count, shape->value.int64[i], &count);
    if (!fits || count != call->tensor[CONFUSED_x].count)
        return refuse(call, "shape is %s; %d sizes at most, of %" PRId64 " elements as x has, are expected",
                      dims_text(TEXT, (uint32_t)shape->count, shape->value.int64), OPERAND_RANK_MAX,
                      call->tensor[CONFUSED_x].count);
    if (perm->count != rank)
        return refuse(call, "perm has %" PRIu64 " elements; %u, one for each dim, are expected", perm->count,
                      rank);
    for (uint32_t i = 0; i < rank; i++) {
        TRY(check_dim(call, CONFUSED_perm, perm->value.int64[i], rank, &order[i]));
        if (seen >> order[i] & 1)
            return refuse(call, "perm names dim %u twice; every dim is expected once", order[i]);
        seen |= 1u << order[i];
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct call_values *shape = &call->values[CONFUSED_shape];
    uint32_t order[OPERAND_RANK_MAX];
    int64_t size[OPERAND_RANK_MAX];
    TRY(check_all_dtypes(call));
    TRY(check_rank(call, CONFUSED_x));
    TRY(read_order(call, order));
    for (uint64_t i = 0; i < shape->count; i++) {
        const bool is_turned = !call->argument[CONFUSED_transposeFirst].boolean;
        size[i] = shape->value.int64[is_turned ? order[i] : i];
    }
    result->computed = call_dtype(call, CONFUSED_x);
    result_sized(result, result->computed, DTYPE_EQUAL, (uint32_t)shape->count, size);
    return ACLNN_SUCCESS;
}

static void move_elements(const struct task *task, uint64_t number)
{
    const uint64_t count = *(const uint64_t *)task->parameters, at = number * ELEMENTS;
    task_copy(task, CONFUSED_out, at, CONFUSED_x, at, count - at < ELEMENTS ? count - at : ELEMENTS);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const bool is_first = call->argument[CONFUSED_transposeFirst].boolean;
    const unsigned turned = is_first ? CONFUSED_x : CONFUSED_out;
    const struct tensor_view *view = &call->tensor[turned];
    const uint64_t count = (uint64_t)view->count;
    struct call wider = *call;
    uint32_t order[OPERAND_RANK_MAX];
    (void)result;
    TRY(read_order(call, order));
    for (uint32_t i = 0; i < view->rank; i++) {
        const uint32_t to = is_first ? i : order[i], from = is_first ? order[i] : i;
        wider.tensor[turned].shape[to] = view->shape[from];
        wider.tensor[turned].stride[to] = view->stride[from];
    }
    return row_tasks_plan(&wider, &(struct row_tasks_request){.body = move_elements,
                                                              .count = (count + ELEMENTS - 1) / ELEMENTS,
                                                              .task_ns = TASK_NS,
                                                              .parameters = &count,
                                                              .parameter_bytes = sizeof count});
}

FUNCTION_OF(aclnnConfusionTranspose, CONFUSED, .stem = "confusion_transpose", .family = FAMILY_MOVE,
            .promise = &promise_exact, ROW_TASKS, .infer = infer, .plan = plan);
