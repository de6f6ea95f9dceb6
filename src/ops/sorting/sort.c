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
SIGNATURE(SORT)

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
SIGNATURE(ARGSORT)

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

static const char *const policies[] = {"usual", "bitonic", NULL};
#define TOPK(X, of)                                                \
    X(of, IN, self, &dtypes_floats_integers_on_950_naturals)       \
    X(of, INT64, k, .usual = "1")                                  \
    X(of, INT64, dim, .usual = "-1")                               \
    X(of, BOOL, largest, .usual = "true")                          \
    X(of, BOOL, sorted, .usual = "true")                           \
    X(of, OUT, valuesOut, &dtypes_floats_integers_on_950_naturals) \
    X(of, OUT, indicesOut, &dtypes_int64)
SIGNATURE(TOPK)
#define TOPK_V2(X, of)                                             \
    X(of, IN, self, &dtypes_floats_integers_on_950_naturals)       \
    X(of, INT64, k, .usual = "1")                                  \
    X(of, INT64, dim, .usual = "-1")                               \
    X(of, BOOL, largest, .usual = "true")                          \
    X(of, BOOL, sorted, .usual = "true")                           \
    X(of, INT64, sortPolicy, .choices = policies, .usual = "0")    \
    X(of, OUT, valuesOut, &dtypes_floats_integers_on_950_naturals) \
    X(of, OUT, indicesOut, &dtypes_int64)
SIGNATURE(TOPK_V2)

/* self's shape with k along the dim; () and {1} for each other where self has no dims. */
static void add_topk_output(const struct call *call, struct result *result, aclDataType dtype)
{
    const struct tensor_view *self = &call->tensor[TOPK_self];
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->like = TOPK_self;
    output->shape_rule = self->rank > 0 ? SHAPE_EQUAL : SHAPE_ONE;
    output->shape = shape_of(self);
    if (self->rank > 0)
        output->shape.dim[dim_of(call, TOPK_self, TOPK_dim)] = call->argument[TOPK_k].int64;
}

static aclnnStatus infer_topk(const struct call *call, struct result *result)
{
    TRY(check_sorted(call, TOPK_self, TOPK_dim));
    int64_t k = call->argument[TOPK_k].int64;
    int64_t length = length_along(call, TOPK_self, dim_of(call, TOPK_self, TOPK_dim));
    if (k < 0 || k > length)
        return refuse(call, "k is %" PRId64 "; 0 to the %" PRId64 " elements along dim are expected", k,
                      length);
    if (call->function->parameter_count > TOPK_indicesOut + 1)
        TRY(check_choice(call, TOPK_V2_sortPolicy));
    result->computed = call->tensor[TOPK_self].dtype;
    add_topk_output(call, result, result->computed);
    add_topk_output(call, result, ACL_INT64);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_topk(const struct call *call, const struct result *result)
{
    (void)result;
    const struct sorting_request request = {
        .self = TOPK_self,
        .values = (int)call->function->parameter_count - 2,
        .indices = (int)call->function->parameter_count - 1,
        .dim = dim_of(call, TOPK_self, TOPK_dim),
        .kept = (uint64_t)call->argument[TOPK_k].int64,
        .is_descending = call->argument[TOPK_largest].boolean,
    };
    return sorting_plan(call, &request);
}

FUNCTION_OF(aclnnTopk, TOPK, .stem = "topk", .promise = &promise_exact, SORTING, .infer = infer_topk,
            .plan = plan_topk);

FUNCTION_OF(aclnnTopkV2, TOPK_V2, .stem = "topk", .promise = &promise_exact, SORTING, .infer = infer_topk,
            .plan = plan_topk);
