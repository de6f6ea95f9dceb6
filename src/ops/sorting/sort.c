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
#include "ops/signature.h"
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

#define SORT(X, of)                                                                     \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_bool_on_950_naturals)               \
    X(of, BOOL, stable, .usual = "true")                                                \
    X(of, INT64, dim, .usual = "-1")                                                    \
    X(of, BOOL, descending, .usual = "false")                                           \
    X(of, OUT, valuesOut, &dtypes_floats_integers_bool_on_950_naturals_not_on_950_fp64) \
    X(of, OUT, indicesOut, &dtypes_int64)
SIGNATURE(aclnnSort, SORT)

static aclnnStatus infer_sort(const struct call *call, struct result *result)
{
    TRY(check_sorted(call, SORT_self, SORT_dim));
    result_like(result, call, SORT_self);
    result->output[0].dtype_rule = DTYPE_ANY;
    result_add(result, ACL_INT64, DTYPE_EQUAL)->like = SORT_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_sort(const struct call *call, const struct result *result)
{
    (void)result;
    uint32_t dim = dim_of(call, SORT_self, SORT_dim);
    const struct sorting_request request = {
        .self = SORT_self,
        .values = SORT_valuesOut,
        .indices = SORT_indicesOut,
        .dim = dim,
        .kept = (uint64_t)length_along(call, SORT_self, dim),
        .is_descending = call->argument[SORT_descending].boolean,
    };
    return sorting_plan(call, &request);
}

FUNCTION_OF(aclnnSort, SORT, .stem = "sort", .promise = &promise_exact, SORTING, .infer = infer_sort,
            .plan = plan_sort);

#define ARGSORT(X, of)                                                    \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_bool_on_950_naturals) \
    X(of, INT64, dim, .usual = "-1")                                      \
    X(of, BOOL, descending, .usual = "false")                             \
    X(of, OUT, out, &dtypes_int64)
SIGNATURE(aclnnArgsort, ARGSORT)

static aclnnStatus infer_argsort(const struct call *call, struct result *result)
{
    TRY(check_sorted(call, ARGSORT_self, ARGSORT_dim));
    result_add(result, ACL_INT64, DTYPE_EQUAL)->like = ARGSORT_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_argsort(const struct call *call, const struct result *result)
{
    (void)result;
    uint32_t dim = dim_of(call, ARGSORT_self, ARGSORT_dim);
    const struct sorting_request request = {
        .self = ARGSORT_self,
        .values = SORTING_NONE,
        .indices = ARGSORT_out,
        .dim = dim,
        .kept = (uint64_t)length_along(call, ARGSORT_self, dim),
        .is_descending = call->argument[ARGSORT_descending].boolean,
    };
    return sorting_plan(call, &request);
}

FUNCTION_OF(aclnnArgsort, ARGSORT, .stem = "argsort", .promise = &promise_exact, SORTING,
            .infer = infer_argsort, .plan = plan_argsort);

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
