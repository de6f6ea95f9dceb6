/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = tensors of one shape side by side along a new dim, each cast to the dtype that all promote to and
 * then to out's; where these are one the bits stay as they are.
 */
#include "aclnnop/aclnn_stack.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/dtypes.h"
#include "ops/loops/move.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define STACK(X, of)                           \
    X(of, IN_LIST, tensors, &dtypes_all_small) \
    X(of, INT64, dim, .usual = "0")            \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(STACK)

static aclnnStatus check_dtypes(const struct call *call, aclDataType *promoted)
{
    const struct call_values *list = &call->values[STACK_tensors];
    const struct dtype_set *set = call->function->parameter[STACK_tensors].dtypes;
    for (uint64_t i = 0; i < list->count; i++) {
        const aclDataType dtype = list->value.tensor[i].dtype;
        if (!dtype_is_in(set, call->settings->product, dtype))
            return tell_dtype(call, STACK_tensors, dtype);
    }
    *promoted = list->value.tensor[0].dtype;
    for (uint64_t i = 1; i < list->count; i++) {
        const aclDataType dtype = list->value.tensor[i].dtype, both = promote(*promoted, dtype);
        if (both == ACL_DT_UNDEFINED)
            return refuse(
                call,
                "tensor %" PRIu64
                " of tensors has dtype %s, which does not promote with %s, the dtype of those before",
                i, dtype_name(dtype), dtype_name(*promoted));
        *promoted = both;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_shapes(const struct call *call)
{
    const struct call_values *list = &call->values[STACK_tensors];
    const struct tensor_view *first = &list->value.tensor[0];
    if (first->rank >= OPERAND_RANK_MAX)
        return refuse(call, "tensor 0 of tensors has %u dims; at most %d are expected", first->rank,
                      OPERAND_RANK_MAX - 1);
    for (uint64_t i = 1; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        if (view->rank != first->rank ||
            memcmp(view->shape, first->shape, first->rank * sizeof first->shape[0]) != 0)
            return refuse(
                call, "tensor %" PRIu64 " of tensors has another shape than tensor 0; one shape is expected",
                i);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct call_values *list = &call->values[STACK_tensors];
    uint32_t dim;
    if (list->count == 0)
        return refuse(call, "tensors is an empty list; 1 tensor or more is expected");
    const struct tensor_view *first = &list->value.tensor[0];
    TRY(check_dtypes(call, &result->computed));
    TRY(check_shapes(call));
    TRY(check_dim(call, STACK_dim, call->argument[STACK_dim].int64, first->rank + 1, &dim));
    struct output *output = result_add(result, result->computed, DTYPE_CASTABLE);
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = first->rank + 1;
    for (uint32_t i = 0; i <= first->rank; i++)
        output->shape.dim[i] = i == dim ? (int64_t)list->count : first->shape[i - (i > dim)];
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct call_values *list = &call->values[STACK_tensors];
    const struct tensor_view *out = &call->tensor[STACK_out];
    struct executor_content *content;
    struct move_plan *plan;
    uint32_t dim;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, STACK_dim, call->argument[STACK_dim].int64, out->rank, &dim));
    TRY(move_begin(call, (uint32_t)list->count, result->computed, out->dtype, &content, &plan));
    for (uint32_t n = 0; n < list->count; n++) {
        const struct tensor_view *view = &list->value.tensor[n];
        struct move_part *part = move_add(plan, call->first_operand[STACK_tensors] + n,
                                          call->first_operand[STACK_out], view->dtype);
        part->to_first = n * out->stride[dim];
        for (uint32_t i = 0; i < view->rank; i++)
            move_add_axis(part, view->shape[i], view->stride[i], out->stride[i + (i >= dim)]);
    }
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnStack, STACK, .stem = "stack", MOVE, .infer = infer, .plan = plan);
