/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out[..., i, ...] = self[..., index[i], ...] along one dim. A negative index counts from the end of the dim;
 * one that is not in it fails the work before anything is written. Bits stay as they are.
 */
#include "aclnnop/aclnn_index_select.h"

#include <string.h>

#include "ops/check.h"
#include "ops/index/index.h"
#include "tensor/dtype.h"

enum { SELF, DIM, INDEX, OUT };

struct plan {
    const struct transfer *transfer;
    aclDataType dtype;
    uint32_t bytes, self, out; /* of an element; operands */
    uint32_t rank, dim;
    int64_t indices, extent, out_extent; /* elements from the first to the last of self and out */
    int64_t shape[OPERAND_RANK_MAX];     /* of out */
    int64_t self_stride[OPERAND_RANK_MAX], out_stride[OPERAND_RANK_MAX];
    struct index_entry entry;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *index = &call->tensor[INDEX];
    const char *api = call->function->operation.name;
    uint32_t dim;
    TRY(check_dtype(call, SELF));
    if (index->count > 0)
        TRY(check_dtype(call, INDEX));
    TRY(check_rank(call, SELF));
    if (index->rank > 1)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: index has %u dims; 0 or 1 is expected", api, index->rank);
    TRY(check_dim(call, DIM, call->argument[DIM].int64, self->rank, &dim));
    if (self->rank == 0 && index->count != 1)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: index has %lld elements; 1 is expected for a self of rank 0", api,
                    (long long)index->count);
    if (self->rank > 0 && self->shape[dim] == 0 && index->count > 0)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: index has %lld elements; none is expected for dim %u of self, whose size is 0", api,
                    (long long)index->count, dim);
    result->computed = self->dtype;
    struct output *output = result_add(result, self->dtype, DTYPE_EQUAL);
    output->like = SELF;
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = self->rank;
    memcpy(output->shape.dim, self->shape, self->rank * sizeof self->shape[0]);
    if (self->rank > 0)
        output->shape.dim[dim] = index->count;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *out = &call->tensor[OUT];
    struct executor_content *content;
    void *made;
    uint32_t dim;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, DIM, call->argument[DIM].int64, self->rank, &dim));
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    *plan = (struct plan){.transfer = transfer_of(call->settings->isa),
                          .dtype = result->computed,
                          .bytes = dtype_bytes(result->computed),
                          .self = call->first_operand[SELF],
                          .out = call->first_operand[OUT],
                          .rank = self->rank,
                          .dim = dim,
                          .indices = call->tensor[INDEX].count,
                          .extent = self->reach - self->offset + 1,
                          .out_extent = out->reach - out->offset + 1};
    memcpy(plan->shape, out->shape, out->rank * sizeof out->shape[0]);
    memcpy(plan->self_stride, self->stride, self->rank * sizeof self->stride[0]);
    memcpy(plan->out_stride, out->stride, out->rank * sizeof out->stride[0]);
    index_describe(&plan->entry, call, INDEX, -1);
    plan->entry.size = self->rank > 0 ? self->shape[dim] : 1;
    plan->entry.step = self->rank > 0 ? self->stride[dim] : 0;
    content->cost_ns = (uint64_t)plan->indices * 4 + (uint64_t)out->count * plan->bytes / 16;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t offset_bytes(const struct plan *plan)
{
    return ((size_t)plan->indices * sizeof(int64_t) + 63) & ~(size_t)63;
}

/* Results go to memory of their own first where out shares memory with self. The indices are read before. */
static bool needs_copy(const struct plan *plan, void *const *address)
{
    return ranges_meet(address[plan->self], (uint64_t)plan->extent * plan->bytes, address[plan->out],
                       (uint64_t)plan->out_extent * plan->bytes);
}

static size_t scratch_bytes(const void *plan_memory, void *const *address)
{
    const struct plan *plan = plan_memory;
    size_t bytes = plan->bytes;
    for (uint32_t i = 0; i < plan->rank; i++)
        bytes *= (size_t)plan->shape[i];
    return offset_bytes(plan) + (needs_copy(plan, address) ? bytes : 0);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const struct shape indices = {.rank = 1, .dim = {plan->indices}};
    int status = index_read(&plan->entry, address[plan->entry.operand], &indices, false, scratch);
    if (status != 0)
        return status;
    bool is_copied = needs_copy(plan, address);
    struct move_axis axis[OPERAND_RANK_MAX]; /* from memory of its own to out */
    int64_t step = 1;
    for (uint32_t i = plan->rank; i-- > 0; step *= plan->shape[i])
        axis[i] = (struct move_axis){plan->shape[i], step, plan->out_stride[i]};
    struct index_walk walk = {.transfer = plan->transfer,
                              .dtype = plan->dtype,
                              .bytes = plan->bytes,
                              .from = address[plan->self],
                              .to = is_copied ? (unsigned char *)scratch + offset_bytes(plan)
                                              : address[plan->out],
                              .offset = scratch,
                              .count = (uint64_t)plan->indices,
                              .extent = plan->extent};
    const unsigned char *copy = walk.to;
    for (uint32_t i = 0; i < plan->rank; i++) {
        int64_t to = is_copied ? axis[i].from : axis[i].to;
        if (i == plan->dim)
            index_add_position(&walk, plan->indices, to);
        else
            index_add_slice(&walk, plan->shape[i], plan->self_stride[i], to);
    }
    index_move(&walk);
    if (is_copied)
        move_axes(plan->transfer, axis, plan->rank, plan->bytes, copy, address[plan->out]);
    return 0;
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_all),
    [DIM] = USUAL("dim", INT64, "0"),
    [INDEX] = READ("index", &dtypes_indices, .sample = "2:INT64"),
    [OUT] = WRITTEN("out", &dtypes_all),
};

FUNCTION(aclnnIndexSelect, (const aclTensor *self, int64_t dim, const aclTensor *index, aclTensor *out),
         (ARG(self), ARG(dim), ARG(index), ARG(out)), .stem = "index_select", PARAMETERS(parameters),
         .family = FAMILY_INDEX, .promise = &promise_exact, .operation.scratch_bytes = scratch_bytes,
         .operation.run = run, .infer = infer, .plan = plan);
