/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Slices along a dim that an index names: IndexFill sets them to a value and leaves out an index that is in
 * no slice; IndexFillTensor, whose index is an array, refuses such a one; IndexCopy takes them from source,
 * the last of several winning, and fails where there is none.
 */
#include "aclnnop/aclnn_index_fill.h"

#include <inttypes.h>

#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/index/by_index.h"
#include "ops/scalar.h"
#include "ops/signature.h"

#define INDEX_FILL(X, of)                                                       \
    X(of, IN, self, &dtypes_floats_integers_bool_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                             \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64")                  \
    X(of, SCALAR, value, &dtypes_reals, .usual = "1")                           \
    X(of, OUT, out, &dtypes_floats_integers_bool_small)
SIGNATURE(INDEX_FILL)

static bool has_source(const struct call *call)
{
    return call->function->parameter[INDEX_FILL_value].kind == PARAMETER_TENSOR;
}

static bool has_array(const struct call *call)
{
    return call->function->parameter[INDEX_FILL_index].kind == PARAMETER_INT_ARRAY;
}

/* What the program knows is told at once. */
static aclnnStatus check_array(const struct call *call, int64_t size)
{
    const struct call_values *index = &call->values[INDEX_FILL_index];
    for (uint64_t i = 0; i < index->count; i++)
        if (index->value.int64[i] < -size || index->value.int64[i] >= size)
            return refuse(call,
                          "index holds %" PRId64 " at [%" PRIu64 "]; %" PRId64 " to %" PRId64 " are expected",
                          index->value.int64[i], i, -size, size - 1);
    return ACLNN_SUCCESS;
}

/* source is like self but along dim; either may have rank 0 instead of sizes of 1. */
static aclnnStatus check_source(const struct call *call, uint32_t dim)
{
    const struct tensor_view *self = &call->tensor[INDEX_FILL_self],
                             *source = &call->tensor[INDEX_FILL_value];
    if (self->rank != source->rank && self->rank > 0 && source->rank > 0)
        return refuse(call, "source has %u dims; %u, as self has, are expected", source->rank, self->rank);
    const uint32_t rank = self->rank > source->rank ? self->rank : source->rank;
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t own = source->rank > 0 ? source->shape[i] : 1,
                      other = self->rank > 0 ? self->shape[i] : 1;
        const int64_t wanted = i == dim ? call->tensor[INDEX_FILL_index].count : other;
        if (own != wanted)
            return refuse(call, "source has size %" PRId64 " in dim %u; %" PRId64 ", %s, is expected", own, i,
                          wanted, i == dim ? "the number of indices" : "the size of self there");
    }
    if (rank == 0 && call->tensor[INDEX_FILL_index].count != 1)
        return refuse(call, "index has %" PRId64 " elements; 1 is expected",
                      call->tensor[INDEX_FILL_index].count);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[INDEX_FILL_self], *index = &call->tensor[INDEX_FILL_index];
    uint32_t dim;
    TRY(check_dtype(call, INDEX_FILL_self));
    if (!has_array(call))
        TRY(by_index_check(call, INDEX_FILL_index));
    TRY(check_dtype(call, INDEX_FILL_value));
    if (has_source(call))
        TRY(check_same_dtype(call, INDEX_FILL_value, INDEX_FILL_self, NULL));
    TRY(check_rank(call, INDEX_FILL_self));
    if (!has_array(call) && index->rank > 1)
        return refuse(call, "index has %u dims; 0 or 1 is expected", index->rank);
    TRY(check_dim(call, INDEX_FILL_dim, call->argument[INDEX_FILL_dim].int64, self->rank, &dim));
    if (has_source(call)) {
        TRY(check_rank(call, INDEX_FILL_value));
        TRY(check_source(call, dim));
    }
    const int64_t size = self->rank > 0 ? self->shape[dim] : 1;
    TRY(has_array(call) ? check_array(call, size)
                        : by_index_check_size(call, INDEX_FILL_index, INDEX_FILL_self, size));
    result_like(result, call, INDEX_FILL_self);
    /* In place one value is written, wherever indices lead. */
    result->output[0].may_overlap = !has_source(call) && call_output(call) == INDEX_FILL_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned output = call_output(call);
    const struct tensor_view *out = &call->tensor[output], *source = &call->tensor[INDEX_FILL_value];
    uint32_t dim;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, INDEX_FILL_dim, call->argument[INDEX_FILL_dim].int64, out->rank, &dim));
    struct by_index plan = by_index_of(call, BY_INDEX_PUT, INDEX_FILL_self,
                                       has_source(call) ? INDEX_FILL_value : BY_INDEX_NONE, output);
    struct index_entry *entry = (has_array(call) ? by_index_set_array : by_index_set)(
        &plan, call, INDEX_FILL_index, out->rank > 0 ? out->shape[dim] : 1,
        out->rank > 0 ? out->stride[dim] : 0);
    entry->is_strict = has_source(call);
    entry->skips = !has_source(call);
    if (!has_source(call))
        scalar_convert(&call->scalar[INDEX_FILL_value], out->dtype, plan.value);
    if (!has_array(call))
        plan.positions = (struct shape){.rank = 1, .dim = {call->tensor[INDEX_FILL_index].count}};
    const bool has_strides = has_source(call) && source->rank > 0;
    index_add_position(&plan.walk, plan.positions.dim[0], has_strides ? source->stride[dim] : 0);
    for (uint32_t i = 0; i < out->rank; i++)
        if (i != dim)
            index_add_slice(&plan.walk, out->shape[i], has_strides ? source->stride[i] : 0, out->stride[i]);
    return by_index_finish(call, &plan);
}

#define INPLACE_INDEX_FILL(X, of)                                                    \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                                  \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64")                       \
    X(of, SCALAR, value, &dtypes_reals, .usual = "1")
SIGNATURE(INPLACE_INDEX_FILL)

#define INDEX_FILL_TENSOR(X, of)                        \
    X(of, IN, self, &dtypes_floats_integers_bool_small) \
    X(of, INT64, dim, .usual = "0")                     \
    X(of, INTS, index, .sample = "1,0")                 \
    X(of, SCALAR, value, &dtypes_reals, .usual = "1")   \
    X(of, OUT, out, &dtypes_floats_integers_bool_small)
SIGNATURE(INDEX_FILL_TENSOR)

#define INPLACE_INDEX_FILL_TENSOR(X, of)                     \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_small) \
    X(of, INT64, dim, .usual = "0")                          \
    X(of, INTS, index, .sample = "1,0")                      \
    X(of, SCALAR, value, &dtypes_reals, .usual = "1")
SIGNATURE(INPLACE_INDEX_FILL_TENSOR)

#define INDEX_COPY(X, of)                                                                       \
    X(of, MUTABLE_IN, selfRef, &dtypes_floats_integers_bool_complex_small_on_950_uint32_uint64, \
      .is_partly_read = true)                                                                   \
    X(of, INT64, dim, .usual = "0")                                                             \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64")                                  \
    X(of, IN, source, &dtypes_floats_integers_bool_complex_small_on_950_uint32_uint64)          \
    X(of, OUT, outRef, &dtypes_floats_integers_bool_complex_small_on_950_uint32_uint64)
SIGNATURE(INDEX_COPY)

#define INPLACE_INDEX_COPY(X, of)                                                         \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_complex_small_on_950_uint32_uint64, \
      .is_partly_read = true)                                                             \
    X(of, INT64, dim, .usual = "0")                                                       \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64")                            \
    X(of, IN, source, &dtypes_floats_integers_bool_complex_small_on_950_uint32_uint64)
SIGNATURE(INPLACE_INDEX_COPY)

#define SLICES BY_INDEX, .promise = &promise_exact, .infer = infer, .plan = plan

FUNCTION_OF(aclnnIndexFill, INDEX_FILL, .stem = "index_fill", SLICES);
FUNCTION_OF(aclnnInplaceIndexFill, INPLACE_INDEX_FILL, .stem = "index_fill", SLICES);
FUNCTION_OF(aclnnIndexFillTensor, INDEX_FILL_TENSOR, .stem = "index_fill_tensor", SLICES);
FUNCTION_OF(aclnnInplaceIndexFillTensor, INPLACE_INDEX_FILL_TENSOR, .stem = "index_fill_tensor", SLICES);
FUNCTION_OF(aclnnIndexCopy, INDEX_COPY, .stem = "index_copy", SLICES);
FUNCTION_OF(aclnnInplaceIndexCopy, INPLACE_INDEX_COPY, .stem = "index_copy", SLICES);
