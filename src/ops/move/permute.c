/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self with its dims in another order: dim i of out is dim dims[i] of self. Bits stay as they are.
 */
#include "aclnnop/aclnn_permute.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/signature.h"
#include "ops/loops/move.h"

#define PERMUTE(X, of)                                                \
    X(of, IN, self, &dtypes_reals_complex64_small_on_910b_complex128) \
    X(of, INTS, dims, .sample = "1,0")                                \
    X(of, OUT, out, &dtypes_reals_complex64_small_on_910b_complex128)
SIGNATURE(PERMUTE)

/* The dim of self that each dim of out is. */
static aclnnStatus read_dims(const struct call *call, uint32_t order[OPERAND_RANK_MAX])
{
    const struct call_values *dims = &call->values[PERMUTE_dims];
    const uint32_t rank = call->tensor[PERMUTE_self].rank;
    uint32_t seen = 0;
    if (dims->count != rank)
        return refuse(call, "dims has %" PRIu64 " elements; %u, as many as self has dims, are expected",
                      dims->count, rank);
    for (uint32_t i = 0; i < rank; i++) {
        TRY(check_dim(call, PERMUTE_dims, dims->value.int64[i], rank, &order[i]));
        if (seen >> order[i] & 1)
            return refuse(call, "dims names dim %u twice; every dim of self is expected once", order[i]);
        seen |= 1u << order[i];
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[PERMUTE_self];
    uint32_t order[OPERAND_RANK_MAX];
    TRY(check_dtype(call, PERMUTE_self));
    TRY(check_rank(call, PERMUTE_self));
    TRY(read_dims(call, order));
    struct shape *shape = result_reshaped(result, call, PERMUTE_self, shape_of(self));
    for (uint32_t i = 0; i < self->rank; i++)
        shape->dim[i] = self->shape[order[i]];
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[PERMUTE_self], *out = &call->tensor[PERMUTE_out];
    struct executor_content *content;
    struct move_plan *plan;
    uint32_t order[OPERAND_RANK_MAX];
    if (self->count == 0)
        return call_idle(call);
    TRY(read_dims(call, order));
    TRY(move_begin(call, 1, result->computed, result->computed, &content, &plan));
    struct move_part *part =
        move_add(plan, call->first_operand[PERMUTE_self], call->first_operand[PERMUTE_out], result->computed);
    for (uint32_t i = 0; i < self->rank; i++)
        move_add_axis(part, out->shape[i], self->stride[order[i]], out->stride[i]);
    move_finish(call, content, plan);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnPermute, PERMUTE, .stem = "permute", MOVE, .infer = infer, .plan = plan);
