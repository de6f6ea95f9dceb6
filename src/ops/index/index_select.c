/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out[..., i, ...] = self[..., index[i], ...] along one dim; of GatherV2 index may have any rank, and all of
 * its dims stand in the place of that one. A negative index counts from the end of the dim; one that is not
 * in it fails the work before anything is written. Bits stay as they are.
 */
#include "aclnnop/aclnn_index_select.h"

#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_gather_v3.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/index/index.h"
#include "ops/signature.h"

#define INDEX_SELECT(X, of)                                    \
    X(of, IN, self, &dtypes_all_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                            \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64") \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(INDEX_SELECT)

struct plan {
    struct operand self, out;
    struct index_entry entry;
    struct shape positions;
    struct index_walk walk; /* but for addresses and offsets */
};

/* of_family of GatherV2 and V3. */
static const bool any_rank = true;

/* The dims of index; one where it has none. */
static struct shape positions_of(const struct call *call)
{
    const struct shape shape = shape_of(&call->tensor[INDEX_SELECT_index]);
    return shape.rank > 0 ? shape : (struct shape){.rank = 1, .dim = {1}};
}

/* The shape of self with that of the positions in the place of dim. */
static struct shape shape_around(const struct tensor_view *self, uint32_t dim, const struct shape *positions)
{
    struct shape shape = {.rank = 0};
    for (uint32_t i = 0; i < self->rank; i++) {
        const int64_t *from = i == dim ? positions->dim : &self->shape[i];
        const uint32_t dims = i == dim ? positions->rank : 1;
        memcpy(shape.dim + shape.rank, from, dims * sizeof *from);
        shape.rank += dims;
    }
    return shape;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[INDEX_SELECT_self],
                             *index = &call->tensor[INDEX_SELECT_index];
    uint32_t dim;
    TRY(check_dtype(call, INDEX_SELECT_self));
    if (index->count > 0)
        TRY(check_dtype(call, INDEX_SELECT_index));
    TRY(check_rank(call, INDEX_SELECT_self));
    TRY(check_rank(call, INDEX_SELECT_index));
    if (index->rank > 1 && call->function->of_family == NULL)
        return refuse(call, "index has %u dims; 0 or 1 is expected", index->rank);
    const struct shape positions = positions_of(call);
    if (self->rank + positions.rank - 1 > OPERAND_RANK_MAX && self->rank > 0)
        return refuse(call, "self has %u dims and index %u; %d together are expected at most", self->rank,
                      index->rank, OPERAND_RANK_MAX + 1);
    TRY(check_dim(call, INDEX_SELECT_dim, call->argument[INDEX_SELECT_dim].int64, self->rank, &dim));
    if (self->rank == 0 && index->count != 1)
        return refuse(call, "index has %lld elements; 1 is expected for a self of rank 0",
                      (long long)index->count);
    if (self->rank > 0 && self->shape[dim] == 0 && index->count > 0)
        return refuse(call, "index has %lld elements; none is expected for dim %u of self, whose size is 0",
                      (long long)index->count, dim);
    result->computed = self->dtype;
    struct output *output = result_add(result, self->dtype, DTYPE_EQUAL);
    output->like = INDEX_SELECT_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_around(self, dim, &positions);
    return check_element_count(call, &output->shape);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[INDEX_SELECT_self],
                             *out = &call->tensor[call_output(call)];
    struct executor_content *content;
    void *made;
    uint32_t dim;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, INDEX_SELECT_dim, call->argument[INDEX_SELECT_dim].int64, self->rank, &dim));
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    plan->self = operand_of(call, INDEX_SELECT_self);
    plan->out = operand_of(call, call_output(call));
    plan->walk = (struct index_walk){.transfer = transfer_of(call->settings->isa),
                                     .dtype = result->computed,
                                     .bytes = plan->self.bytes,
                                     .count = (uint64_t)call->tensor[INDEX_SELECT_index].count,
                                     .extent = plan->self.extent};
    plan->positions = positions_of(call);
    for (uint32_t i = 0, k = 0; i < self->rank; i++) {
        if (i != dim)
            index_add_slice(&plan->walk, out->shape[k], self->stride[i], out->stride[k]);
        for (uint32_t j = 0; i == dim && j < plan->positions.rank; j++)
            index_add_position(&plan->walk, out->shape[k + j], out->stride[k + j]);
        k += i == dim ? plan->positions.rank : 1;
    }
    index_describe(&plan->entry, call, INDEX_SELECT_index, -1);
    plan->entry.size = self->rank > 0 ? self->shape[dim] : 1;
    plan->entry.step = self->rank > 0 ? self->stride[dim] : 0;
    content->cost_ns = plan->walk.count * 4 + (uint64_t)out->count * plan->walk.bytes / 16;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t work_bytes(const void *plan)
{
    return whole_lines(((const struct plan *)plan)->walk.count * sizeof(int64_t));
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    struct index_walk walk = plan->walk;
    int status = index_read(&plan->entry, address[plan->entry.operand], &plan->positions, false, scratch);
    if (status != 0)
        return status;
    walk.offset = scratch;
    walk.to = address[plan->out.address];
    walk.from = address[plan->self.address];
    index_move(&walk);
    return 0;
}

#define GATHER_V2(X, of)                                                      \
    X(of, IN, self, &dtypes_floats_integers_bool_complex_small_on_950_uint16) \
    X(of, INT64, dim, .usual = "0")                                           \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2x2:INT64")              \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex_small_on_950_uint16)
SIGNATURE(GATHER_V2)

FUNCTION_OF(aclnnIndexSelect, INDEX_SELECT, .stem = "index_select", .family = FAMILY_INDEX,
            .promise = &promise_exact, .operation.work_bytes = work_bytes, .operation.run = run,
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnGatherV2, GATHER_V2, .stem = "gather_v2", .family = FAMILY_INDEX, .promise = &promise_exact,
            .operation.work_bytes = work_bytes, .operation.run = run, .infer = infer, .plan = plan,
            .of_family = &any_rank);

#define GATHER_V3(X, of)                                                      \
    X(of, IN, self, &dtypes_floats_integers_bool_complex_small_on_950_uint16) \
    X(of, INT64, dim, .usual = "0")                                           \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2x2:INT64")              \
    X(of, INT64, batchDims, .usual = "0")                                     \
    X(of, INT64, mode, .usual = "1")                                          \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex_small_on_950_uint16)
SIGNATURE(GATHER_V3)

static aclnnStatus infer_in_mode(const struct call *call, struct result *result)
{
    const int64_t mode = call->argument[GATHER_V3_mode].int64,
                  batch_dims = call->argument[GATHER_V3_batchDims].int64;
    TRY(infer(call, result));
    if (batch_dims != 0)
        return refuse(call, "batchDims is %" PRId64 "; 0 is expected", batch_dims);
    return mode >= 0 && mode <= 2 ? ACLNN_SUCCESS
                                  : refuse(call, "mode is %" PRId64 "; 0, 1 or 2 is expected", mode);
}

FUNCTION_OF(aclnnGatherV3, GATHER_V3, .stem = "gather_v3", .family = FAMILY_INDEX, .promise = &promise_exact,
            .operation.work_bytes = work_bytes, .operation.run = run, .infer = infer_in_mode, .plan = plan,
            .of_family = &any_rank);
