/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Places in the first dims of a tensor, which the rows of an index name: GatherNd reads what is there,
 * ScatterNd and ScatterNdUpdate replace it, the last of several winning, TfScatterAdd adds to it. A row that
 * is not legal fails the work before anything is written; negative numbers are legal where elements are read.
 * Where they are written a row with -1 is padding, as of decoding programs that have no slot for a token, and
 * names nothing.
 */
#include "aclnnop/aclnn_gather_nd.h"

#include <inttypes.h>

#include "aclnnop/aclnn_scatter_nd.h"
#include "aclnnop/aclnn_scatter_nd_update.h"
#include "aclnnop/aclnn_tf_scatter_add.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/index/index_nd.h"
#include "ops/signature.h"

#define GATHER_ND(X, of)                                           \
    X(of, IN, self, &dtypes_reals_small, .is_partly_read = true)   \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "4x1:INT64") \
    X(of, BOOL, negativeIndexSupport, .usual = "true")             \
    X(of, OUT, out, &dtypes_reals_small)
SIGNATURE(GATHER_ND)
#define SCATTER_ND(X, of)                                                   \
    X(of, IN, data, &dtypes_floats_integers_bool_small)                     \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "4x1:INT64")          \
    X(of, IN, updates, &dtypes_floats_integers_bool_small, .sample = "4x3") \
    X(of, OUT, out, &dtypes_floats_integers_bool_small)
SIGNATURE(SCATTER_ND)

static const struct index_nd gathers = {BY_INDEX_READ, 0}, scatters = {BY_INDEX_PUT, 0},
                             adds = {BY_INDEX_SUM, 0};

static const struct index_nd *family(const struct call *call)
{
    return call->function->of_family;
}

static bool reads(const struct call *call)
{
    return family(call)->kind == BY_INDEX_READ;
}

aclnnStatus index_nd_infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[GATHER_ND_self],
                             *indices = &call->tensor[GATHER_ND_indices];
    TRY(check_dtype(call, GATHER_ND_self));
    TRY(by_index_check(call, GATHER_ND_indices));
    if (!reads(call)) {
        TRY(check_dtype(call, SCATTER_ND_updates));
        TRY(check_same_dtype(call, SCATTER_ND_updates, GATHER_ND_self, NULL));
    }
    TRY(check_rank(call, GATHER_ND_self));
    if (self->rank == 0 || indices->rank == 0)
        return refuse(call, "%s has no dims; 1 or more are expected",
                      call_name(call, self->rank == 0 ? GATHER_ND_self : GATHER_ND_indices));
    const int64_t columns = indices->shape[indices->rank - 1];
    if (columns < 1 || columns > self->rank)
        return refuse(call,
                      "indices has size %" PRId64 " in its last dim; 1 to %u, the dims of %s, are expected",
                      columns, self->rank, call_name(call, GATHER_ND_self));
    struct shape shape = {.rank = indices->rank - 1};
    memcpy(shape.dim, indices->shape, shape.rank * sizeof shape.dim[0]);
    if (shape.rank + self->rank - (uint32_t)columns > OPERAND_RANK_MAX)
        return refuse(call, "indices leads to more than %d dims; at most that many are expected",
                      OPERAND_RANK_MAX);
    for (uint32_t i = 0; i < self->rank; i++) {
        if (i < columns)
            TRY(by_index_check_size(call, GATHER_ND_indices, GATHER_ND_self, self->shape[i]));
        else
            shape.dim[shape.rank++] = self->shape[i];
    }
    if (!reads(call)) {
        const struct shape updates = shape_of(&call->tensor[SCATTER_ND_updates]);
        if (updates.rank != shape.rank ||
            memcmp(updates.dim, shape.dim, shape.rank * sizeof shape.dim[0]) != 0)
            return tell_fit(call, SCATTER_ND_updates, &shape, "what indices names");
        result_like(result, call, GATHER_ND_self);
        return ACLNN_SUCCESS;
    }
    struct output *output = result_add(result, self->dtype, DTYPE_EQUAL);
    output->like = GATHER_ND_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return ACLNN_SUCCESS;
}

aclnnStatus index_nd_plan(const struct call *call, const struct result *result)
{
    const unsigned output = call_output(call);
    const struct tensor_view *indices = &call->tensor[GATHER_ND_indices], *out = &call->tensor[output];
    const struct tensor_view *indexed = reads(call) ? &call->tensor[GATHER_ND_self] : out;
    const struct tensor_view *direct = reads(call) ? out : &call->tensor[SCATTER_ND_updates];
    const uint32_t last = indices->rank - 1;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    struct by_index plan = by_index_of(call, family(call)->kind, GATHER_ND_self,
                                       reads(call) ? BY_INDEX_NONE : SCATTER_ND_updates, output);
    const unsigned how = family(call)->how;
    plan.walk.sum_kind = how != 0 ? (enum index_sum_kind)call->argument[how].int64 : INDEX_ADD;
    struct index_entry *entry =
        by_index_set(&plan, call, GATHER_ND_indices, indexed->shape[0], indexed->stride[0]);
    const uint32_t columns = (uint32_t)indices->shape[last];
    entry->is_strict = entry->is_left_out_at = !reads(call);
    entry->left_out = -1;
    entry->rank = plan.positions.rank = last;
    plan.columns = columns - 1;
    plan.column_stride = indices->stride[last];
    for (uint32_t i = 1; i < columns; i++) {
        plan.column_size[i - 1] = indexed->shape[i];
        plan.column_step[i - 1] = indexed->stride[i];
    }
    for (uint32_t i = 0; i < last; i++)
        index_add_position(&plan.walk, indices->shape[i], direct->stride[i]);
    for (uint32_t i = columns; i < indexed->rank; i++) {
        const int64_t own = direct->stride[last + i - columns], other = indexed->stride[i];
        index_add_slice(&plan.walk, indexed->shape[i], reads(call) ? other : own, reads(call) ? own : other);
    }
    return by_index_finish(call, &plan);
}

#define SCATTER_ND_UPDATE(X, of)                                                    \
    X(of, BOTH, varRef, &dtypes_floats_integers_bool_small, .is_partly_read = true) \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "4x1:INT64")                  \
    X(of, IN, updates, &dtypes_floats_integers_bool_small, .sample = "4x3")
SIGNATURE(SCATTER_ND_UPDATE)
#define TF_SCATTER_ADD(X, of)                                                 \
    X(of, BOTH, varRef, &dtypes_floats_integers_bool, .is_partly_read = true) \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "4x1:INT64")            \
    X(of, IN, updates, &dtypes_floats_integers_bool, .sample = "4x3")
SIGNATURE(TF_SCATTER_ADD)

FUNCTION_OF(aclnnGatherNd, GATHER_ND, .stem = "gather_nd", INDEX_ND(gathers, promise_exact));
FUNCTION_OF(aclnnScatterNd, SCATTER_ND, .stem = "scatter_nd", INDEX_ND(scatters, promise_exact));
FUNCTION_OF(aclnnScatterNdUpdate, SCATTER_ND_UPDATE, .stem = "scatter_nd_update",
            INDEX_ND(scatters, promise_exact));
FUNCTION_OF(aclnnTfScatterAdd, TF_SCATTER_ADD, .stem = "tf_scatter_add", INDEX_ND(adds, promise_sum));
