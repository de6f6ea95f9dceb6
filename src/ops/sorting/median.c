/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements with a number in the order of a stable ascending sort: Kthvalue, and medians, the lower of two in
 * the middle. A NaN makes the median NaN; NanMedian leaves it out.
 */
#include "aclnnop/aclnn_median.h"

#include <inttypes.h>

#include "aclnnop/aclnn_kthvalue.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/reduce.h"
#include "ops/signature.h"
#include "ops/sorting/sorting.h"

#define MEDIAN(X, of)                                \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers) \
    X(of, OUT, valuesOut, &dtypes_fp32_fp16_bf16_integers)
SIGNATURE(MEDIAN)
#define NAN_MEDIAN(X, of)                            \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers) \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_integers)
SIGNATURE(NAN_MEDIAN)
#define MEDIAN_DIM(X, of)                                  \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers)       \
    X(of, INT64, dim, .usual = "-1")                       \
    X(of, BOOL, keepDim, .usual = "false")                 \
    X(of, OUT, valuesOut, &dtypes_fp32_fp16_bf16_integers) \
    X(of, OUT, indicesOut, &dtypes_int64)
SIGNATURE(MEDIAN_DIM)
#define KTHVALUE(X, of)                                                    \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_on_950_naturals)       \
    X(of, INT64, k, .usual = "1")                                          \
    X(of, INT64, dim, .usual = "-1")                                       \
    X(of, BOOL, keepdim, .usual = "false")                                 \
    X(of, OUT, valuesOut, &dtypes_fp32_fp16_bf16_integers_on_950_naturals) \
    X(of, OUT, indicesOut, &dtypes_int64)
SIGNATURE(KTHVALUE)

/* What of_family of these functions is. */
static const enum sorting_choice median = SORTING_MEDIAN, nan_median = SORTING_NAN_MEDIAN,
                                 kth = SORTING_NUMBER;

static enum sorting_choice choice_of(const struct call *call)
{
    return *(const enum sorting_choice *)call->function->of_family;
}

static bool is_kth(const struct call *call)
{
    return choice_of(call) == SORTING_NUMBER;
}

static aclnnStatus infer_whole(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[MEDIAN_self];
    TRY(check_dtype(call, MEDIAN_self));
    TRY(check_rank(call, MEDIAN_self));
    if (self->count == 0 && (DTYPE_BIT(self->dtype) & (DTYPES_COMMON_FLOATS | DTYPE_BIT(ACL_BF16))) == 0)
        return refuse(call, "self has no elements; 1 or more are expected of integers");
    if (self->count >= SORTING_LENGTH_END)
        return refuse(call, "self has %" PRId64 " elements; fewer than %" PRId64 " are expected", self->count,
                      SORTING_LENGTH_END);
    result_add(result, self->dtype, DTYPE_EQUAL)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_whole(const struct call *call, const struct result *result)
{
    (void)result;
    const struct sorting_request request = {
        .self = MEDIAN_self,
        .values = MEDIAN_valuesOut,
        .indices = SORTING_NONE,
        .dim = SORTING_WHOLE,
        .kept = 1,
        .choice = choice_of(call),
    };
    return sorting_plan(call, &request);
}

/* The elements of a row; 1 of rank 0. */
static int64_t length_along(const struct call *call, uint32_t *dim)
{
    const struct tensor_view *self = &call->tensor[MEDIAN_self];
    const int64_t given = call->argument[is_kth(call) ? KTHVALUE_dim : MEDIAN_DIM_dim].int64;
    *dim = (uint32_t)(given < 0 ? given + (self->rank > 0 ? self->rank : 1) : given);
    return self->rank > 0 ? self->shape[*dim] : 1;
}

static aclnnStatus infer_along(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[MEDIAN_self];
    const unsigned dim_argument = is_kth(call) ? KTHVALUE_dim : MEDIAN_DIM_dim;
    const bool keeps = call->argument[dim_argument + 1].boolean;
    axes reduced;
    uint32_t dim;
    TRY(check_dtype(call, MEDIAN_self));
    TRY(check_rank(call, MEDIAN_self));
    TRY(check_axis(call, MEDIAN_self, dim_argument, &reduced));
    (void)result_reduced(result, call, MEDIAN_self, reduced, keeps, self->dtype, DTYPE_EQUAL);
    const struct shape *shape =
        &result_reduced(result, call, MEDIAN_self, reduced, keeps, ACL_INT64, DTYPE_EQUAL)->shape;
    const int64_t length = length_along(call, &dim), k = is_kth(call) ? call->argument[KTHVALUE_k].int64 : 1;
    bool is_empty = false;
    for (uint32_t i = 0; i < shape->rank; i++)
        is_empty = is_empty || shape->dim[i] == 0;
    if (length >= SORTING_LENGTH_END || (length == 0 && !is_empty))
        return refuse(call, "self has %" PRId64 " elements along dim; 1 to %" PRId64 " are expected", length,
                      SORTING_LENGTH_END - 1);
    if (k < 1 || (k > length && !is_empty))
        return refuse(call, "k is %" PRId64 "; 1 to the %" PRId64 " elements along dim are expected", k,
                      length);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_along(const struct call *call, const struct result *result)
{
    uint32_t dim;
    (void)result;
    (void)length_along(call, &dim);
    const int indices = (int)call->function->parameter_count - 1;
    const struct sorting_request request = {
        .self = MEDIAN_self,
        .values = indices - 1,
        .indices = indices,
        .dim = dim,
        .kept = 1,
        .choice = choice_of(call),
        .number = is_kth(call) ? (uint64_t)call->argument[KTHVALUE_k].int64 - 1 : 0,
        .loses_dim = !call->argument[is_kth(call) ? KTHVALUE_keepdim : MEDIAN_DIM_keepDim].boolean,
    };
    return sorting_plan(call, &request);
}

#define WHOLE(choice) \
    SORTING, .of_family = &(choice), .promise = &promise_exact, .infer = infer_whole, .plan = plan_whole
#define ALONG(choice) \
    SORTING, .of_family = &(choice), .promise = &promise_exact, .infer = infer_along, .plan = plan_along

FUNCTION_OF(aclnnMedian, MEDIAN, .stem = "median", WHOLE(median));
FUNCTION_OF(aclnnNanMedian, NAN_MEDIAN, .stem = "median", WHOLE(nan_median));
FUNCTION_OF(aclnnMedianDim, MEDIAN_DIM, .stem = "median", ALONG(median));
FUNCTION_OF(aclnnNanMedianDim, MEDIAN_DIM, .stem = "median", ALONG(nan_median));
FUNCTION_OF(aclnnKthvalue, KTHVALUE, .stem = "kthvalue", ALONG(kth));
