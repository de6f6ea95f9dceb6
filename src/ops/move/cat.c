/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the tensors one behind the other along a dim, each cast to the dtype that all promote to and then to
 * out's; where these are one the bits stay as they are. Tensors of shape {0} are left out before anything
 * else is looked at, their dtypes included. Of no tensors, also in an empty list, nothing comes out.
 */
#include "aclnnop/aclnn_cat.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/move.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define CAT(X, of)                                                                        \
    X(of, IN_LIST, tensors, &dtypes_floats_integers_bool_complex64_small_on_950_naturals) \
    X(of, INT64, dim, .usual = "0")                                                       \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex64_small_on_950_naturals)
SIGNATURE(CAT)

static bool is_left_out(const struct tensor_view *view)
{
    return view->rank == 1 && view->shape[0] == 0;
}

static aclnnStatus check_dtypes(const struct call *call, aclDataType *promoted)
{
    const struct call_values *list = &call->values[CAT_tensors];
    *promoted = ACL_DT_UNDEFINED;
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        if (!is_left_out(view))
            TRY(check_dtype_in_list(call, CAT_tensors, view->dtype));
    }
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        if (is_left_out(view))
            continue;
        aclDataType both = *promoted == ACL_DT_UNDEFINED ? view->dtype : promote(*promoted, view->dtype);
        if (both == ACL_DT_UNDEFINED || both == ACL_COMPLEX128)
            return refuse(call,
                          "tensor %" PRIu64 " of tensors has dtype %s, which does not promote with %s, the "
                          "dtype of those before, to one that is accepted",
                          i, dtype_name(view->dtype), dtype_name(*promoted));
        *promoted = both;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus tell_shape(const struct call *call, uint64_t index, uint64_t first)
{
    const struct tensor_view *view = &call->values[CAT_tensors].value.tensor[index];
    return refuse(call,
                  "tensor %" PRIu64 " of tensors has %u dims, or another size than tensor %" PRIu64
                  " in one that is not joined; 1 to %d dims, as many for all, and equal sizes are expected",
                  index, view->rank, first, OPERAND_RANK_MAX);
}

/* The shape of all tensors together; rank 0 where none is left. */
static aclnnStatus join(const struct call *call, struct shape *shape, uint32_t *dim)
{
    const struct call_values *list = &call->values[CAT_tensors];
    uint64_t first = 0;
    shape->rank = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        if (is_left_out(view))
            continue;
        if (shape->rank == 0) {
            if (view->rank == 0 || view->rank > OPERAND_RANK_MAX)
                return tell_shape(call, i, i);
            TRY(check_dim(call, CAT_dim, call->argument[CAT_dim].int64, view->rank, dim));
            first = i;
            shape->rank = view->rank;
            for (uint32_t k = 0; k < view->rank; k++)
                shape->dim[k] = k == *dim ? 0 : view->shape[k];
        }
        if (view->rank != shape->rank)
            return tell_shape(call, i, first);
        for (uint32_t k = 0; k < view->rank; k++)
            if (k != *dim && view->shape[k] != shape->dim[k])
                return tell_shape(call, i, first);
        if (__builtin_add_overflow(shape->dim[*dim], view->shape[*dim], &shape->dim[*dim]))
            return tell_shape(call, i, first);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    uint32_t dim = 0;
    TRY(check_dtypes(call, &result->computed));
    bool is_nothing = result->computed == ACL_DT_UNDEFINED;
    if (is_nothing)
        result->computed = ACL_FLOAT;
    struct output *output = result_add(result, result->computed, is_nothing ? DTYPE_ANY : DTYPE_CASTABLE);
    output->shape_rule = is_nothing ? SHAPE_BY_COUNT : SHAPE_EQUAL;
    if (!is_nothing)
        return join(call, &output->shape, &dim);
    output->shape.rank = 1;
    output->shape.dim[0] = 0;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct call_values *list = &call->values[CAT_tensors];
    const struct tensor_view *out = &call->tensor[CAT_out];
    struct executor_content *content;
    struct move_plan *plan;
    struct shape shape;
    uint32_t dim = 0;
    int64_t joined = 0;
    if (out->count == 0)
        return call_idle(call);
    TRY(join(call, &shape, &dim));
    TRY(move_begin(call, (uint32_t)list->count, result->computed, out->dtype, &content, &plan));
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        if (view->count == 0)
            continue;
        struct move_part *part = move_add(plan, call->first_operand[CAT_tensors] + (uint32_t)i,
                                          call->first_operand[CAT_out], view->dtype);
        part->to_first = joined * out->stride[dim];
        for (uint32_t k = 0; k < view->rank; k++)
            move_add_axis(part, view->shape[k], view->stride[k], out->stride[k]);
        joined += view->shape[dim];
    }
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnCat, CAT, .stem = "cat", MOVE, .infer = infer, .plan = plan);
