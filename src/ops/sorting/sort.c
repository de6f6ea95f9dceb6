/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sort, Argsort and Topk: what they accept, and what of a stable sort along a dim they write.
 */
#include <inttypes.h>

#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_sort.h"
#include "aclnnop/aclnn_topk.h"
#include "ops/check.h"
#include "ops/sorting/sorting.h"
#include "tensor/dtype.h"

/* The dim that an argument names, counted from the last one where it is negative; rank 0 counts as rank 1. */
static uint32_t dim_of(const struct call *call, unsigned self, unsigned parameter)
{
    int64_t dim = call->argument[parameter].int64, rank = (int64_t)call->tensor[self].rank;
    return (uint32_t)(dim < 0 ? dim + (rank > 0 ? rank : 1) : dim);
}

static int64_t length_along(const struct call *call, unsigned self, uint32_t dim)
{
    return call->tensor[self].rank > 0 ? call->tensor[self].shape[dim] : 1;
}

/* A dim of self, with fewer elements than the loop can number. */
static aclnnStatus check_sorted(const struct call *call, unsigned self, unsigned parameter)
{
    uint32_t dim;
    TRY(check_dtype(call, self));
    TRY(check_rank(call, self));
    TRY(check_dim(call, parameter, call->argument[parameter].int64, call->tensor[self].rank, &dim));
    const int64_t length = length_along(call, self, dim);
    if (length >= SORTING_LENGTH_END && call->tensor[self].count > 0)
        return refuse(call, "self has %" PRId64 " elements along %s; fewer than %" PRId64 " are expected",
                      length, call_name(call, parameter), SORTING_LENGTH_END);
    return ACLNN_SUCCESS;
}

enum { SORT_SELF, SORT_STABLE, SORT_DIM, SORT_DESCENDING, SORT_VALUES, SORT_INDICES };

static aclnnStatus infer_sort(const struct call *call, struct result *result)
{
    TRY(check_sorted(call, SORT_SELF, SORT_DIM));
    result_like(result, call, SORT_SELF);
    result->output[0].dtype_rule = DTYPE_ANY;
    result_add(result, ACL_INT64, DTYPE_EQUAL)->like = SORT_SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_sort(const struct call *call, const struct result *result)
{
    (void)result;
    uint32_t dim = dim_of(call, SORT_SELF, SORT_DIM);
    const struct sorting_request request = {
        .self = SORT_SELF,
        .values = SORT_VALUES,
        .indices = SORT_INDICES,
        .dim = dim,
        .kept = (uint64_t)length_along(call, SORT_SELF, dim),
        .is_descending = call->argument[SORT_DESCENDING].boolean,
    };
    return sorting_plan(call, &request);
}

static const struct parameter of_sort[] = {
    [SORT_SELF] = READ("self", &dtypes_fp32_fp16_bf16_integers_bool_on_950_naturals),
    [SORT_STABLE] = USUAL("stable", BOOL, "true"),
    [SORT_DIM] = USUAL("dim", INT64, "-1"),
    [SORT_DESCENDING] = USUAL("descending", BOOL, "false"),
    [SORT_VALUES] = WRITTEN("valuesOut", &dtypes_floats_integers_bool_on_950_naturals_not_on_950_fp64),
    [SORT_INDICES] = WRITTEN("indicesOut", &dtypes_int64),
};

FUNCTION(aclnnSort,
         (const aclTensor *self, bool stable, int64_t dim, bool descending, aclTensor *valuesOut,
          aclTensor *indicesOut),
         (ARG(self), ARG(stable), ARG(dim), ARG(descending), ARG(valuesOut), ARG(indicesOut)), .stem = "sort",
         PARAMETERS(of_sort), .promise = &promise_exact, SORTING, .infer = infer_sort, .plan = plan_sort);

enum { ARGSORT_SELF, ARGSORT_DIM, ARGSORT_DESCENDING, ARGSORT_OUT };

static aclnnStatus infer_argsort(const struct call *call, struct result *result)
{
    TRY(check_sorted(call, ARGSORT_SELF, ARGSORT_DIM));
    result_add(result, ACL_INT64, DTYPE_EQUAL)->like = ARGSORT_SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_argsort(const struct call *call, const struct result *result)
{
    (void)result;
    uint32_t dim = dim_of(call, ARGSORT_SELF, ARGSORT_DIM);
    const struct sorting_request request = {
        .self = ARGSORT_SELF,
        .values = SORTING_NONE,
        .indices = ARGSORT_OUT,
        .dim = dim,
        .kept = (uint64_t)length_along(call, ARGSORT_SELF, dim),
        .is_descending = call->argument[ARGSORT_DESCENDING].boolean,
    };
    return sorting_plan(call, &request);
}

static const struct parameter of_argsort[] = {
    [ARGSORT_SELF] = READ("self", &dtypes_fp32_fp16_bf16_integers_bool_on_950_naturals),
    [ARGSORT_DIM] = USUAL("dim", INT64, "-1"),
    [ARGSORT_DESCENDING] = USUAL("descending", BOOL, "false"),
    [ARGSORT_OUT] = WRITTEN("out", &dtypes_int64),
};

FUNCTION(aclnnArgsort, (const aclTensor *self, int64_t dim, bool descending, aclTensor *out),
         (ARG(self), ARG(dim), ARG(descending), ARG(out)), .stem = "argsort", PARAMETERS(of_argsort),
         .promise = &promise_exact, SORTING, .infer = infer_argsort, .plan = plan_argsort);

enum { TOPK_SELF, TOPK_K, TOPK_DIM, TOPK_LARGEST, TOPK_SORTED, TOPK_VALUES, TOPK_INDICES };
enum { TOPK_V2_POLICY = TOPK_VALUES };

/* self's shape with k along the dim; () and {1} for each other where self has no dims. */
static void add_topk_output(const struct call *call, struct result *result, aclDataType dtype)
{
    const struct tensor_view *self = &call->tensor[TOPK_SELF];
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->like = TOPK_SELF;
    output->shape_rule = self->rank > 0 ? SHAPE_EQUAL : SHAPE_ONE;
    output->shape = shape_of(self);
    if (self->rank > 0)
        output->shape.dim[dim_of(call, TOPK_SELF, TOPK_DIM)] = call->argument[TOPK_K].int64;
}

static aclnnStatus infer_topk(const struct call *call, struct result *result)
{
    TRY(check_sorted(call, TOPK_SELF, TOPK_DIM));
    int64_t k = call->argument[TOPK_K].int64;
    int64_t length = length_along(call, TOPK_SELF, dim_of(call, TOPK_SELF, TOPK_DIM));
    if (k < 0 || k > length)
        return refuse(call, "k is %" PRId64 "; 0 to the %" PRId64 " elements along dim are expected", k,
                      length);
    if (call->function->parameter_count > TOPK_INDICES + 1)
        TRY(check_choice(call, TOPK_V2_POLICY));
    result->computed = call->tensor[TOPK_SELF].dtype;
    add_topk_output(call, result, result->computed);
    add_topk_output(call, result, ACL_INT64);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_topk(const struct call *call, const struct result *result)
{
    (void)result;
    const struct sorting_request request = {
        .self = TOPK_SELF,
        .values = (int)call->function->parameter_count - 2,
        .indices = (int)call->function->parameter_count - 1,
        .dim = dim_of(call, TOPK_SELF, TOPK_DIM),
        .kept = (uint64_t)call->argument[TOPK_K].int64,
        .is_descending = call->argument[TOPK_LARGEST].boolean,
    };
    return sorting_plan(call, &request);
}

static const struct parameter of_topk[] = {
    [TOPK_SELF] = READ("self", &dtypes_floats_integers_on_950_naturals),
    [TOPK_K] = USUAL("k", INT64, "1"),
    [TOPK_DIM] = USUAL("dim", INT64, "-1"),
    [TOPK_LARGEST] = USUAL("largest", BOOL, "true"),
    [TOPK_SORTED] = USUAL("sorted", BOOL, "true"),
    [TOPK_VALUES] = WRITTEN("valuesOut", &dtypes_floats_integers_on_950_naturals),
    [TOPK_INDICES] = WRITTEN("indicesOut", &dtypes_int64),
};

FUNCTION(aclnnTopk,
         (const aclTensor *self, int64_t k, int64_t dim, bool largest, bool sorted, aclTensor *valuesOut,
          aclTensor *indicesOut),
         (ARG(self), ARG(k), ARG(dim), ARG(largest), ARG(sorted), ARG(valuesOut), ARG(indicesOut)),
         .stem = "topk", PARAMETERS(of_topk), .promise = &promise_exact, SORTING, .infer = infer_topk,
         .plan = plan_topk);

static const char *const policies[] = {"usual", "bitonic", NULL};

static const struct parameter of_topk_v2[] = {
    [TOPK_SELF] = READ("self", &dtypes_floats_integers_on_950_naturals),
    [TOPK_K] = USUAL("k", INT64, "1"),
    [TOPK_DIM] = USUAL("dim", INT64, "-1"),
    [TOPK_LARGEST] = USUAL("largest", BOOL, "true"),
    [TOPK_SORTED] = USUAL("sorted", BOOL, "true"),
    [TOPK_V2_POLICY] = CHOICE("sortPolicy", policies, "0"),
    WRITTEN("valuesOut", &dtypes_floats_integers_on_950_naturals),
    WRITTEN("indicesOut", &dtypes_int64),
};

FUNCTION(aclnnTopkV2,
         (const aclTensor *self, int64_t k, int64_t dim, bool largest, bool sorted, int64_t sortPolicy,
          aclTensor *valuesOut, aclTensor *indicesOut),
         (ARG(self), ARG(k), ARG(dim), ARG(largest), ARG(sorted), ARG(sortPolicy), ARG(valuesOut),
          ARG(indicesOut)),
         .stem = "topk", PARAMETERS(of_topk_v2), .promise = &promise_exact, SORTING, .infer = infer_topk,
         .plan = plan_topk);
