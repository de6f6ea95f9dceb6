/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gather: out[i, j, ...] = self[i, index[i, j, ...], ...] along one dim. Take: out[i, ...] is the element of
 * self whose row-major number index[i, ...] is. Negative indices count from the end; one that is out of range
 * fails the work before anything is written. An index without elements may have any shape: out has it, too.
 * Bits stay as they are.
 */
#include "aclnnop/aclnn_gather.h"

#include <inttypes.h>

#include "aclnnop/aclnn_take.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/index/by_index.h"
#include "ops/signature.h"

#define GATHER(X, of)                                            \
    X(of, IN, self, &dtypes_reals_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                              \
    X(of, IN, index, &dtypes_int32_int64, .sample = "1x3:INT64") \
    X(of, OUT, out, &dtypes_reals_small)
SIGNATURE(GATHER)
#define TAKE(X, of)                                            \
    X(of, IN, self, &dtypes_all_small, .is_partly_read = true) \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64") \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(TAKE)

static aclnnStatus infer_gather(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[GATHER_self], *index = &call->tensor[GATHER_index];
    const uint32_t rank = self->rank > 0 ? self->rank : 1;
    uint32_t dim;
    TRY(check_dtype(call, GATHER_self));
    TRY(by_index_check(call, GATHER_index));
    TRY(check_rank(call, GATHER_self));
    TRY(check_dim(call, GATHER_dim, call->argument[GATHER_dim].int64, self->rank, &dim));
    if (index->count > 0 && (index->rank > 0 ? index->rank : 1) != rank)
        return refuse(call, "index has %u dims; %u, as self has, are expected", index->rank, self->rank);
    for (uint32_t i = 0; index->count > 0 && i < self->rank && i < index->rank; i++)
        if (i != dim && index->shape[i] > self->shape[i])
            return refuse(call,
                          "index has size %" PRId64 " in dim %u; at most %" PRId64
                          ", the size of self there, is expected",
                          index->shape[i], i, self->shape[i]);
    TRY(by_index_check_size(call, GATHER_index, GATHER_self, self->rank > 0 ? self->shape[dim] : 1));
    struct output *output = result_add(result, self->dtype, DTYPE_EQUAL);
    output->like = GATHER_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(index);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_gather(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[GATHER_self], *out = &call->tensor[GATHER_out];
    uint32_t dim;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, GATHER_dim, call->argument[GATHER_dim].int64, self->rank, &dim));
    struct by_index plan = by_index_of(call, BY_INDEX_READ, GATHER_self, BY_INDEX_NONE, GATHER_out);
    struct index_entry *entry = by_index_set(&plan, call, GATHER_index, self->rank > 0 ? self->shape[dim] : 1,
                                             self->rank > 0 ? self->stride[dim] : 0);
    for (uint32_t i = 0; i < out->rank; i++) {
        entry->along[i] = i == dim || self->rank == 0 ? 0 : self->stride[i];
        index_add_position(&plan.walk, out->shape[i], out->stride[i]);
    }
    return by_index_finish(call, &plan);
}

static aclnnStatus infer_take(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[GATHER_self];
    TRY(check_dtype(call, GATHER_self));
    TRY(by_index_check(call, TAKE_index));
    TRY(check_rank(call, GATHER_self));
    TRY(by_index_check_size(call, TAKE_index, GATHER_self, self->count));
    struct output *output = result_add(result, self->dtype, DTYPE_EQUAL);
    output->like = GATHER_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(&call->tensor[TAKE_index]);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_take(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[GATHER_self], *out = &call->tensor[TAKE_out];
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    struct by_index plan = by_index_of(call, BY_INDEX_READ, GATHER_self, BY_INDEX_NONE, TAKE_out);
    by_index_set(&plan, call, TAKE_index, self->count, 1);
    plan.is_flat = true;
    for (uint32_t i = 0; i < out->rank; i++)
        index_add_position(&plan.walk, out->shape[i], out->stride[i]);
    return by_index_finish(call, &plan);
}

FUNCTION_OF(aclnnGather, GATHER, .stem = "gather", BY_INDEX, .promise = &promise_exact, .infer = infer_gather,
            .plan = plan_gather);

FUNCTION_OF(aclnnTake, TAKE, .stem = "take", BY_INDEX, .promise = &promise_exact, .infer = infer_take,
            .plan = plan_take);
