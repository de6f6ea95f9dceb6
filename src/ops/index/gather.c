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

enum { SELF, DIM, INDEX, OUT, TAKE_INDEX = 1, TAKE_OUT };

static aclnnStatus infer_gather(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *index = &call->tensor[INDEX];
    const uint32_t rank = self->rank > 0 ? self->rank : 1;
    uint32_t dim;
    TRY(check_dtype(call, SELF));
    TRY(by_index_check(call, INDEX));
    TRY(check_rank(call, SELF));
    TRY(check_dim(call, DIM, call->argument[DIM].int64, self->rank, &dim));
    if (index->count > 0 && (index->rank > 0 ? index->rank : 1) != rank)
        return refuse(call, "index has %u dims; %u, as self has, are expected", index->rank, self->rank);
    for (uint32_t i = 0; index->count > 0 && i < self->rank && i < index->rank; i++)
        if (i != dim && index->shape[i] > self->shape[i])
            return refuse(call,
                          "index has size %" PRId64 " in dim %u; at most %" PRId64
                          ", the size of self there, is expected",
                          index->shape[i], i, self->shape[i]);
    TRY(by_index_check_size(call, INDEX, SELF, self->rank > 0 ? self->shape[dim] : 1));
    struct output *output = result_add(result, self->dtype, DTYPE_EQUAL);
    output->like = SELF;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(index);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_gather(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *out = &call->tensor[OUT];
    uint32_t dim;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, DIM, call->argument[DIM].int64, self->rank, &dim));
    struct by_index plan = by_index_of(call, BY_INDEX_READ, SELF, BY_INDEX_NONE, OUT);
    struct index_entry *entry = by_index_set(&plan, call, INDEX, self->rank > 0 ? self->shape[dim] : 1,
                                             self->rank > 0 ? self->stride[dim] : 0);
    for (uint32_t i = 0; i < out->rank; i++) {
        entry->along[i] = i == dim || self->rank == 0 ? 0 : self->stride[i];
        index_add_position(&plan.walk, out->shape[i], out->stride[i]);
    }
    return by_index_finish(call, &plan);
}

static aclnnStatus infer_take(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    TRY(check_dtype(call, SELF));
    TRY(by_index_check(call, TAKE_INDEX));
    TRY(check_rank(call, SELF));
    TRY(by_index_check_size(call, TAKE_INDEX, SELF, self->count));
    struct output *output = result_add(result, self->dtype, DTYPE_EQUAL);
    output->like = SELF;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(&call->tensor[TAKE_INDEX]);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_take(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *out = &call->tensor[TAKE_OUT];
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    struct by_index plan = by_index_of(call, BY_INDEX_READ, SELF, BY_INDEX_NONE, TAKE_OUT);
    by_index_set(&plan, call, TAKE_INDEX, self->count, 1);
    plan.is_flat = true;
    for (uint32_t i = 0; i < out->rank; i++)
        index_add_position(&plan.walk, out->shape[i], out->stride[i]);
    return by_index_finish(call, &plan);
}

static const struct parameter gather_parameters[] = {
    [SELF] = READ("self", &dtypes_reals_float8, .is_partly_read = true),
    [DIM] = USUAL("dim", INT64, "0"),
    [INDEX] = READ("index", &dtypes_int32_int64, .sample = "1x3:INT64"),
    [OUT] = WRITTEN("out", &dtypes_reals_float8),
};

static const struct parameter take_parameters[] = {
    [SELF] = READ("self", &dtypes_all_float8, .is_partly_read = true),
    [TAKE_INDEX] = READ("index", &dtypes_int32_int64, .sample = "2:INT64"),
    [TAKE_OUT] = WRITTEN("out", &dtypes_all_float8),
};

FUNCTION(aclnnGather, (const aclTensor *self, int64_t dim, const aclTensor *index, aclTensor *out),
         (ARG(self), ARG(dim), ARG(index), ARG(out)), .stem = "gather", PARAMETERS(gather_parameters),
         BY_INDEX, .promise = &promise_exact, .infer = infer_gather, .plan = plan_gather);

FUNCTION(aclnnTake, (const aclTensor *self, const aclTensor *index, aclTensor *out),
         (ARG(self), ARG(index), ARG(out)), .stem = "take", PARAMETERS(take_parameters), BY_INDEX,
         .promise = &promise_exact, .infer = infer_take, .plan = plan_take);
