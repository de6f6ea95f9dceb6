/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scatter and ScatterAdd: out is self, then out[i, index[i, j, ...], ...] takes src[i, j, ...], or the value,
 * along one dim: replaced by the last one in the index's row-major order, or added, multiplied, the largest,
 * the smallest or the mean of all, self's element included unless ScatterReduce is told otherwise. IndexAdd:
 * whole slices, alpha times each. Sums are in doubles, rounded once. Indices from 0 to the dim's last are
 * legal; another one fails the work before anything is written.
 */
#include "aclnnop/aclnn_scatter.h"

#include <inttypes.h>

#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_add_v2.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_reduce.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/index/by_index.h"
#include "ops/scalar.h"
#include "ops/signature.h"

static const char *const reduce_choices[] = {"replace", "add", "multiply", "max", "min", "mean", NULL};
#define SCATTER(X, of)                                                                  \
    X(of, IN, self, &dtypes_floats_integers_bool_complex_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                                     \
    X(of, IN, index, &dtypes_int32_int64, .sample = "1x3:INT64")                        \
    X(of, IN, src, &dtypes_floats_integers_bool_complex_small)                          \
    X(of, INT64, reduce, .choices = reduce_choices, .usual = "0")                       \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex_small)
SIGNATURE(SCATTER)
#define SCATTER_REDUCE(X, of)                                                     \
    X(of, IN, self, &dtypes_floats_integers_bool_complex, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                               \
    X(of, IN, index, &dtypes_int32_int64, .sample = "1x3:INT64")                  \
    X(of, IN, src, &dtypes_floats_integers_bool_complex)                          \
    X(of, INT64, reduce, .choices = reduce_choices, .usual = "1")                 \
    X(of, BOOL, includeSelf, .usual = "true")                                     \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex)
SIGNATURE(SCATTER_REDUCE)
#define INDEX_ADD(X, of)                                                  \
    X(of, IN, self, &dtypes_floats_integers_bool, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                       \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64")            \
    X(of, IN, source, &dtypes_floats_integers_bool)                       \
    X(of, SCALAR, alpha, &dtypes_reals, .usual = "1")                     \
    X(of, OUT, out, &dtypes_floats_integers_bool)
SIGNATURE(INDEX_ADD)

enum { REPLACE = 0, ADD = INDEX_ADD };

static bool has_reduce(const struct call *call)
{
    return call->function->parameter[SCATTER_reduce].choices != NULL;
}

static bool is_of_value(const struct call *call)
{
    return call->function->parameter[SCATTER_src].kind == PARAMETER_SCALAR;
}

static int64_t reduce_of(const struct call *call)
{
    return has_reduce(call) ? call->argument[SCATTER_reduce].int64 : ADD;
}

static bool skips_self(const struct call *call)
{
    const bool can_skip = call->function->parameter_count > SCATTER_REDUCE_includeSelf &&
                          call->function->parameter[SCATTER_REDUCE_includeSelf].kind == PARAMETER_BOOL;
    return can_skip && !call->argument[SCATTER_REDUCE_includeSelf].boolean;
}

static bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

static uint32_t rank_of(const struct tensor_view *view)
{
    return view->rank > 0 ? view->rank : 1;
}

/* The index fits into a tensor, but along `except`; one without elements has nothing that must fit. */
static aclnnStatus check_fit(const struct call *call, unsigned parameter, uint32_t except)
{
    const struct tensor_view *index = &call->tensor[SCATTER_index], *other = &call->tensor[parameter];
    if (index->count == 0)
        return ACLNN_SUCCESS;
    if (rank_of(index) != rank_of(other))
        return refuse(call, "index has %u dims; %u, as %s has, are expected", index->rank, other->rank,
                      call_name(call, parameter));
    for (uint32_t i = 0; i < index->rank; i++) {
        const int64_t size = other->rank > 0 ? other->shape[i] : 1;
        if (i != except && index->shape[i] > size)
            return refuse(call,
                          "index has size %" PRId64 " in dim %u; at most %" PRId64
                          ", the size of %s there, is expected",
                          index->shape[i], i, size, call_name(call, parameter));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_scatter(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SCATTER_self], *index = &call->tensor[SCATTER_index];
    uint32_t dim;
    TRY(check_dtype(call, SCATTER_self));
    if (index->count > 0)
        TRY(check_dtype(call, SCATTER_index));
    TRY(check_dtype(call, SCATTER_src));
    if (!is_of_value(call))
        TRY(check_same_dtype(call, SCATTER_src, SCATTER_self, NULL));
    else if (is_complex(call->scalar[SCATTER_src].dtype) && !is_complex(self->dtype))
        return refuse(call, "value is complex; a real one is expected for a real self");
    TRY(check_rank(call, SCATTER_self));
    TRY(check_rank(call, SCATTER_index));
    TRY(check_dim(call, SCATTER_dim, call->argument[SCATTER_dim].int64, self->rank, &dim));
    if (has_reduce(call))
        TRY(check_choice(call, SCATTER_reduce));
    if (reduce_of(call) != REPLACE)
        TRY(check_is_computed_in(call, SCATTER_self));
    if (is_complex(self->dtype) && reduce_of(call) >= INDEX_MAXIMUM && reduce_of(call) <= INDEX_MINIMUM)
        return refuse(call, "self is complex; real numbers are expected for max and min");
    TRY(check_fit(call, SCATTER_self, dim));
    if (!is_of_value(call))
        TRY(check_fit(call, SCATTER_src, OPERAND_RANK_MAX));
    TRY(by_index_check_size(call, SCATTER_index, SCATTER_self, self->rank > 0 ? self->shape[dim] : 1));
    result_like(result, call, SCATTER_self);
    /* In place one value is written, wherever indices lead. */
    result->output[0].may_overlap =
        is_of_value(call) && reduce_of(call) == REPLACE && call_output(call) == SCATTER_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_scatter(const struct call *call, const struct result *result)
{
    const unsigned output = call_output(call);
    const struct tensor_view *index = &call->tensor[SCATTER_index], *out = &call->tensor[output];
    const int64_t reduce = reduce_of(call);
    const bool has_source = !is_of_value(call);
    uint32_t dim;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, SCATTER_dim, call->argument[SCATTER_dim].int64, out->rank, &dim));
    struct by_index plan = by_index_of(call, reduce == REPLACE ? BY_INDEX_PUT : BY_INDEX_SUM, SCATTER_self,
                                       has_source ? SCATTER_src : BY_INDEX_NONE, output);
    struct index_entry *entry = by_index_set(&plan, call, SCATTER_index, out->rank > 0 ? out->shape[dim] : 1,
                                             out->rank > 0 ? out->stride[dim] : 0);
    entry->is_strict = true;
    plan.walk.sum_kind = (enum index_sum_kind)reduce;
    plan.walk.skips_self = skips_self(call);
    if (!has_source)
        scalar_convert(&call->scalar[SCATTER_src], out->dtype, plan.value);
    for (uint32_t i = 0; index->count > 0 && i < index->rank; i++) {
        const bool has_stride = has_source && call->tensor[SCATTER_src].rank > 0;
        entry->along[i] = i == dim || out->rank == 0 ? 0 : out->stride[i];
        index_add_position(&plan.walk, index->shape[i], has_stride ? call->tensor[SCATTER_src].stride[i] : 0);
    }
    if (has_source)
        by_index_set_lines(&plan, call, SCATTER_index, SCATTER_src, output, dim);
    return by_index_finish(call, &plan);
}

static aclnnStatus infer_index_add(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SCATTER_self], *index = &call->tensor[SCATTER_index];
    const struct tensor_view *source = &call->tensor[SCATTER_src];
    uint32_t dim;
    TRY(check_dtype(call, SCATTER_self));
    if (index->count > 0)
        TRY(check_dtype(call, SCATTER_index));
    TRY(check_dtype(call, SCATTER_src));
    TRY(check_dtype(call, INDEX_ADD_alpha));
    TRY(check_same_dtype(call, SCATTER_src, SCATTER_self, NULL));
    TRY(check_rank(call, SCATTER_self));
    TRY(check_dim(call, SCATTER_dim, call->argument[SCATTER_dim].int64, self->rank, &dim));
    if (index->rank > 1)
        return refuse(call, "index has %u dims; 0 or 1 is expected", index->rank);
    if (rank_of(source) != rank_of(self))
        return refuse(call, "source has %u dims; %u, as self has, are expected", source->rank, self->rank);
    for (uint32_t i = 0; i < rank_of(self); i++) {
        const int64_t own = i == dim ? index->count : self->shape[i];
        const int64_t size = source->rank > 0 ? source->shape[i] : 1;
        if (size != own)
            return refuse(call, "source has size %" PRId64 " in dim %u; %" PRId64 ", %s, is expected", size,
                          i, own, i == dim ? "the number of indices" : "the size of self there");
    }
    TRY(by_index_check_size(call, SCATTER_index, SCATTER_self, self->rank > 0 ? self->shape[dim] : 1));
    result_like(result, call, SCATTER_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_index_add(const struct call *call, const struct result *result)
{
    const unsigned output = call_output(call);
    const struct tensor_view *source = &call->tensor[SCATTER_src], *out = &call->tensor[output];
    const struct scalar_value *alpha = &call->scalar[INDEX_ADD_alpha];
    uint32_t dim;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(check_dim(call, SCATTER_dim, call->argument[SCATTER_dim].int64, out->rank, &dim));
    struct by_index plan = by_index_of(call, BY_INDEX_SUM, SCATTER_self, SCATTER_src, output);
    struct index_entry *entry = by_index_set(&plan, call, SCATTER_index, out->rank > 0 ? out->shape[dim] : 1,
                                             out->rank > 0 ? out->stride[dim] : 0);
    entry->is_strict = true;
    plan.positions = (struct shape){.rank = 1, .dim = {call->tensor[SCATTER_index].count}};
    plan.walk.has_factor = true;
    plan.walk.factor = out->dtype == ACL_DOUBLE ? scalar_to_fp64(alpha) : scalar_to_fp32(alpha);
    scalar_convert(alpha, out->dtype == ACL_BOOL ? ACL_BOOL : ACL_INT64, &plan.walk.integer_factor);
    for (uint32_t i = 0; i < source->rank; i++) {
        if (i == dim)
            index_add_position(&plan.walk, source->shape[i], source->stride[i]);
        else
            index_add_slice(&plan.walk, source->shape[i], source->stride[i], out->stride[i]);
    }
    return by_index_finish(call, &plan);
}

#define INPLACE_SCATTER(X, of)                                                               \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_complex_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                                          \
    X(of, IN, index, &dtypes_int32_int64, .sample = "1x3:INT64")                             \
    X(of, IN, src, &dtypes_floats_integers_bool_complex_small)                               \
    X(of, INT64, reduce, .choices = reduce_choices, .usual = "0")
SIGNATURE(INPLACE_SCATTER)

#define SCATTER_VALUE(X, of)                                                            \
    X(of, IN, self, &dtypes_floats_integers_bool_complex_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                                     \
    X(of, IN, index, &dtypes_int32_int64, .sample = "1x3:INT64")                        \
    X(of, SCALAR, value, &dtypes_all, .usual = "1")                                     \
    X(of, INT64, reduce, .choices = reduce_choices, .usual = "0")                       \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex_small)
SIGNATURE(SCATTER_VALUE)

#define INPLACE_SCATTER_VALUE(X, of)                                                         \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_complex_small, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                                          \
    X(of, IN, index, &dtypes_int32_int64, .sample = "1x3:INT64")                             \
    X(of, SCALAR, value, &dtypes_all, .usual = "1")                                          \
    X(of, INT64, reduce, .choices = reduce_choices, .usual = "0")
SIGNATURE(INPLACE_SCATTER_VALUE)

#define SCATTER_ADD(X, of)                                                        \
    X(of, IN, self, &dtypes_floats_integers_bool_complex, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                               \
    X(of, IN, index, &dtypes_int32_int64, .sample = "1x3:INT64")                  \
    X(of, IN, src, &dtypes_floats_integers_bool_complex)                          \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex)
SIGNATURE(SCATTER_ADD)

#define INPLACE_SCATTER_REDUCE(X, of)                                                  \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_complex, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                                    \
    X(of, IN, index, &dtypes_int32_int64, .sample = "1x3:INT64")                       \
    X(of, IN, src, &dtypes_floats_integers_bool_complex)                               \
    X(of, INT64, reduce, .choices = reduce_choices, .usual = "1")                      \
    X(of, BOOL, includeSelf, .usual = "true")
SIGNATURE(INPLACE_SCATTER_REDUCE)

#define AS_SCATTER BY_INDEX, .promise = &promise_sum, .infer = infer_scatter, .plan = plan_scatter

FUNCTION_OF(aclnnScatter, SCATTER, .stem = "scatter", AS_SCATTER);
FUNCTION_OF(aclnnInplaceScatter, INPLACE_SCATTER, .stem = "scatter", AS_SCATTER);
FUNCTION_OF(aclnnScatterValue, SCATTER_VALUE, .stem = "scatter", AS_SCATTER);
FUNCTION_OF(aclnnInplaceScatterValue, INPLACE_SCATTER_VALUE, .stem = "scatter", AS_SCATTER);
FUNCTION_OF(aclnnScatterAdd, SCATTER_ADD, .stem = "scatter_add", AS_SCATTER);
FUNCTION_OF(aclnnScatterReduce, SCATTER_REDUCE, .stem = "scatter_reduce", AS_SCATTER);
FUNCTION_OF(aclnnInplaceScatterReduce, INPLACE_SCATTER_REDUCE, .stem = "scatter_reduce", AS_SCATTER);

FUNCTION_OF(aclnnIndexAdd, INDEX_ADD, .stem = "index_add", BY_INDEX, .promise = &promise_sum,
            .infer = infer_index_add, .plan = plan_index_add);

#define INDEX_ADD_V2(X, of)                                               \
    X(of, IN, self, &dtypes_floats_integers_bool, .is_partly_read = true) \
    X(of, INT64, dim, .usual = "0")                                       \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64")            \
    X(of, IN, source, &dtypes_floats_integers_bool)                       \
    X(of, SCALAR, alpha, &dtypes_reals, .usual = "1")                     \
    X(of, INT64, mode, .usual = "0")                                      \
    X(of, OUT, out, &dtypes_floats_integers_bool)
SIGNATURE(INDEX_ADD_V2)
FUNCTION_OF(aclnnIndexAddV2, INDEX_ADD_V2, .stem = "index_add_v2", BY_INDEX, .promise = &promise_sum,
            .infer = infer_index_add, .plan = plan_index_add);
