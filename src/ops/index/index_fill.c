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

enum { SELF, DIM, INDEX, SOURCE, OUT };

static bool has_source(const struct call *call)
{
    return call->function->parameter[SOURCE].kind == PARAMETER_TENSOR;
}

static bool has_array(const struct call *call)
{
    return call->function->parameter[INDEX].kind == PARAMETER_INT_ARRAY;
}

/* What the program knows is told at once. */
static aclnnStatus check_array(const struct call *call, int64_t size)
{
    const struct call_values *index = &call->values[INDEX];
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
    const struct tensor_view *self = &call->tensor[SELF], *source = &call->tensor[SOURCE];
    if (self->rank != source->rank && self->rank > 0 && source->rank > 0)
        return refuse(call, "source has %u dims; %u, as self has, are expected", source->rank, self->rank);
    const uint32_t rank = self->rank > source->rank ? self->rank : source->rank;
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t own = source->rank > 0 ? source->shape[i] : 1,
                      other = self->rank > 0 ? self->shape[i] : 1;
        const int64_t wanted = i == dim ? call->tensor[INDEX].count : other;
        if (own != wanted)
            return refuse(call, "source has size %" PRId64 " in dim %u; %" PRId64 ", %s, is expected", own, i,
                          wanted, i == dim ? "the number of indices" : "the size of self there");
    }
    if (rank == 0 && call->tensor[INDEX].count != 1)
        return refuse(call, "index has %" PRId64 " elements; 1 is expected", call->tensor[INDEX].count);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *index = &call->tensor[INDEX];
    uint32_t dim;
    TRY(check_dtype(call, SELF));
    if (!has_array(call))
        TRY(by_index_check(call, INDEX));
    TRY(check_dtype(call, SOURCE));
    if (has_source(call))
        TRY(check_same_dtype(call, SOURCE, SELF, NULL));
    TRY(check_rank(call, SELF));
    if (!has_array(call) && index->rank > 1)
        return refuse(call, "index has %u dims; 0 or 1 is expected", index->rank);
    TRY(check_dim(call, DIM, call->argument[DIM].int64, self->rank, &dim));
    if (has_source(call)) {
        TRY(check_rank(call, SOURCE));
        TRY(check_source(call, dim));
    }
    const int64_t size = self->rank > 0 ? self->shape[dim] : 1;
    TRY(has_array(call) ? check_array(call, size) : by_index_check_size(call, INDEX, SELF, size));
    result_like(result, call, SELF);
    /* In place one value is written, wherever indices lead. */
    result->output[0].may_overlap = !has_source(call) && call_output(call) == SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned output = call_output(call);
    const struct tensor_view *out = &call->tensor[output], *source = &call->tensor[SOURCE];
    uint32_t dim;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, DIM, call->argument[DIM].int64, out->rank, &dim));
    struct by_index plan =
        by_index_of(call, BY_INDEX_PUT, SELF, has_source(call) ? SOURCE : BY_INDEX_NONE, output);
    struct index_entry *entry = (has_array(call) ? by_index_set_array : by_index_set)(
        &plan, call, INDEX, out->rank > 0 ? out->shape[dim] : 1, out->rank > 0 ? out->stride[dim] : 0);
    entry->is_strict = has_source(call);
    entry->skips = !has_source(call);
    if (!has_source(call))
        scalar_convert(&call->scalar[SOURCE], out->dtype, plan.value);
    if (!has_array(call))
        plan.positions = (struct shape){.rank = 1, .dim = {call->tensor[INDEX].count}};
    const bool has_strides = has_source(call) && source->rank > 0;
    index_add_position(&plan.walk, plan.positions.dim[0], has_strides ? source->stride[dim] : 0);
    for (uint32_t i = 0; i < out->rank; i++)
        if (i != dim)
            index_add_slice(&plan.walk, out->shape[i], has_strides ? source->stride[i] : 0, out->stride[i]);
    return by_index_finish(call, &plan);
}

static const struct parameter fill_parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers_bool_float8, .is_partly_read = true),
    [DIM] = USUAL("dim", INT64, "0"),
    [INDEX] = READ("index", &dtypes_int32_int64, .sample = "2:INT64"),
    [SOURCE] = SCALAR("value", &dtypes_reals, .usual = "1"),
    [OUT] = WRITTEN("out", &dtypes_floats_integers_bool_float8),
};

static const struct parameter inplace_fill_parameters[] = {
    [SELF] = BOTH("selfRef", &dtypes_floats_integers_bool_float8, .is_partly_read = true),
    [DIM] = USUAL("dim", INT64, "0"),
    [INDEX] = READ("index", &dtypes_int32_int64, .sample = "2:INT64"),
    [SOURCE] = SCALAR("value", &dtypes_reals, .usual = "1"),
};

static const struct parameter fill_tensor_parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers_bool_float8),
    [DIM] = USUAL("dim", INT64, "0"),
    [INDEX] = {"index", .kind = PARAMETER_INT_ARRAY, .sample = "1,0"},
    [SOURCE] = SCALAR("value", &dtypes_reals, .usual = "1"),
    [OUT] = WRITTEN("out", &dtypes_floats_integers_bool_float8),
};

static const struct parameter inplace_fill_tensor_parameters[] = {
    [SELF] = BOTH("selfRef", &dtypes_floats_integers_bool_float8),
    [DIM] = USUAL("dim", INT64, "0"),
    [INDEX] = {"index", .kind = PARAMETER_INT_ARRAY, .sample = "1,0"},
    [SOURCE] = SCALAR("value", &dtypes_reals, .usual = "1"),
};

static const struct parameter copy_parameters[] = {
    [SELF] = READ("selfRef", &dtypes_floats_integers_bool_complex_float8_on_950_uint32_uint64,
                  .is_partly_read = true),
    [DIM] = USUAL("dim", INT64, "0"),
    [INDEX] = READ("index", &dtypes_int32_int64, .sample = "2:INT64"),
    [SOURCE] = READ("source", &dtypes_floats_integers_bool_complex_float8_on_950_uint32_uint64),
    [OUT] = WRITTEN("outRef", &dtypes_floats_integers_bool_complex_float8_on_950_uint32_uint64),
};

static const struct parameter inplace_copy_parameters[] = {
    [SELF] = BOTH("selfRef", &dtypes_floats_integers_bool_complex_float8_on_950_uint32_uint64,
                  .is_partly_read = true),
    [DIM] = USUAL("dim", INT64, "0"),
    [INDEX] = READ("index", &dtypes_int32_int64, .sample = "2:INT64"),
    [SOURCE] = READ("source", &dtypes_floats_integers_bool_complex_float8_on_950_uint32_uint64),
};

#define SLICES BY_INDEX, .promise = &promise_exact, .infer = infer, .plan = plan

FUNCTION(aclnnIndexFill,
         (const aclTensor *self, int64_t dim, const aclTensor *index, const aclScalar *value, aclTensor *out),
         (ARG(self), ARG(dim), ARG(index), ARG(value), ARG(out)), .stem = "index_fill",
         PARAMETERS(fill_parameters), SLICES);

FUNCTION(aclnnInplaceIndexFill,
         (aclTensor * selfRef, int64_t dim, const aclTensor *index, const aclScalar *value),
         (ARG(selfRef), ARG(dim), ARG(index), ARG(value)), .stem = "index_fill",
         PARAMETERS(inplace_fill_parameters), SLICES);

FUNCTION(aclnnIndexFillTensor,
         (const aclTensor *self, int64_t dim, const aclIntArray *index, const aclScalar *value,
          aclTensor *out),
         (ARG(self), ARG(dim), ARG(index), ARG(value), ARG(out)), .stem = "index_fill_tensor",
         PARAMETERS(fill_tensor_parameters), SLICES);

FUNCTION(aclnnInplaceIndexFillTensor,
         (aclTensor * selfRef, int64_t dim, const aclIntArray *index, const aclScalar *value),
         (ARG(selfRef), ARG(dim), ARG(index), ARG(value)), .stem = "index_fill_tensor",
         PARAMETERS(inplace_fill_tensor_parameters), SLICES);

FUNCTION(aclnnIndexCopy,
         (aclTensor * selfRef, int64_t dim, const aclTensor *index, const aclTensor *source,
          aclTensor *outRef),
         (ARG(selfRef), ARG(dim), ARG(index), ARG(source), ARG(outRef)), .stem = "index_copy",
         PARAMETERS(copy_parameters), SLICES);

FUNCTION(aclnnInplaceIndexCopy,
         (aclTensor * selfRef, int64_t dim, const aclTensor *index, const aclTensor *source),
         (ARG(selfRef), ARG(dim), ARG(index), ARG(source)), .stem = "index_copy",
         PARAMETERS(inplace_copy_parameters), SLICES);
