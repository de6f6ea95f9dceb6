/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = m + log(sum of e^(x - m)) along dims, m being the greatest x; that itself where it is infinite, NaN
 * where an x is, and -inf of nothing. And the logarithm of a sum, of nothing 0.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/logarithm.h"
#include "simd/loops/row_moments.h"
#include "simd/loops/row_exponential.h"

/* NaN where x is, 0 elsewhere. */
static inline doubles nan_of(doubles x, double zero)
{
    return choose(x == x, broadcast(zero), x);
}

static inline __attribute__((always_inline)) void logsumexp(enum arithmetic dtype, const void *const *input,
                                                            void *const *output, size_t count, double *room,
                                                            const void *parameters)
{
    const double greatest = row_greatest(dtype, input[0], count);
    double result = greatest;
    (void)room, (void)parameters;
    if (greatest - greatest == 0)
        result += maths_log(broadcast(row_sum(dtype, input[0], count, NULL, exp_of_difference, greatest)))[0];
    else
        result += row_sum(dtype, input[0], count, NULL, nan_of, 0);
    row_store_single(dtype, output[0], result);
}

/* The parameter is whether x is to be copied. */
static inline __attribute__((always_inline)) void log_sum(enum arithmetic dtype, const void *const *input,
                                                          void *const *output, size_t count, double *room,
                                                          const void *parameters)
{
    const double sum = row_sum(dtype, input[0], count, NULL, row_itself, 0);
    (void)room;
    row_store_single(dtype, output[0],
                     *(const bool *)parameters ? sum
                     : count > 0               ? maths_log(broadcast(sum))[0]
                                               : 0);
}

ROWS_KERNELS(logsumexp, logsumexp)
ROWS_KERNELS(log_sum, log_sum)

#else

/* The contract. */
#include "aclnnop/aclnn_logsumexp.h"
#include "aclnnop/aclnn_reduce_log_sum.h"
#include "ops/check.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"

ROWS_LEVELS(logsumexp);
static const struct rows rows = {logsumexp_rows, logsumexp_rows_fp32, .is_roomless = true, .element_ps = 500};

ROWS_LEVELS(log_sum);
static const struct rows log_sums = {log_sum_rows, log_sum_rows_fp32, .is_roomless = true, .element_ps = 150};

#define LOG_SUM_EXP(X, of)                                \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_bool) \
    X(of, INTS, dim, .sample = "1")                       \
    X(of, BOOL, keepDim, .usual = "false")                \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(LOG_SUM_EXP)
#define REDUCE_LOG_SUM(X, of)                        \
    X(of, IN, data, &dtypes_fp32_fp16_bf16)          \
    X(of, INTS, axes, .sample = "1")                 \
    X(of, BOOL, keepDims, .usual = "false")          \
    X(of, BOOL, noopWithEmptyAxes, .usual = "false") \
    X(of, OUT, reduce, &dtypes_fp32_fp16_bf16)
SIGNATURE(REDUCE_LOG_SUM)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, LOG_SUM_EXP_self));
    result->computed = call_dtype(call, LOG_SUM_EXP_self);
    return reduce_infer(call, result, DTYPE_ANY, false);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input = ROWS_TENSOR(LOG_SUM_EXP_self, WHOLE),
                                    output = ROWS_TENSOR(LOG_SUM_EXP_out, SINGLE);
    struct rows_request request = {.rank = call->tensor[LOG_SUM_EXP_self].rank,
                                   .shape = call->tensor[LOG_SUM_EXP_self].shape,
                                   .input = &input,
                                   .output = &output,
                                   .inputs = 1,
                                   .outputs = 1};
    (void)result;
    TRY(check_axes(call, LOG_SUM_EXP_self, LOG_SUM_EXP_dim, &request.along));
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnLogSumExp, LOG_SUM_EXP, .stem = "logsumexp", .promise = &promise_sum, ROWS(&rows),
            .infer = infer, .plan = plan);

/* The dims; none where an empty array means that: a row is one element then, which is copied. */
static aclnnStatus axes_of_sum(const struct call *call, axes *reduced, bool *is_copy)
{
    *is_copy = call->argument[REDUCE_LOG_SUM_noopWithEmptyAxes].boolean &&
               call->values[REDUCE_LOG_SUM_axes].count == 0;
    TRY(check_axes(call, REDUCE_LOG_SUM_data, REDUCE_LOG_SUM_axes, reduced));
    *reduced = *is_copy ? 0 : *reduced;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_sum(const struct call *call, struct result *result)
{
    axes reduced;
    bool is_copy;
    TRY(check_dtype(call, REDUCE_LOG_SUM_data));
    TRY(check_rank(call, REDUCE_LOG_SUM_data));
    TRY(axes_of_sum(call, &reduced, &is_copy));
    result->computed = call_dtype(call, REDUCE_LOG_SUM_data);
    result_reduced(result, call, REDUCE_LOG_SUM_data, reduced,
                   call->argument[REDUCE_LOG_SUM_keepDims].boolean, result->computed, DTYPE_EQUAL);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_sum(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input = ROWS_TENSOR(REDUCE_LOG_SUM_data, WHOLE),
                                    output = ROWS_TENSOR(REDUCE_LOG_SUM_reduce, SINGLE);
    bool is_copy;
    struct rows_request request = {.rank = call->tensor[REDUCE_LOG_SUM_data].rank,
                                   .shape = call->tensor[REDUCE_LOG_SUM_data].shape,
                                   .input = &input,
                                   .output = &output,
                                   .inputs = 1,
                                   .outputs = 1,
                                   .parameters = &is_copy,
                                   .parameter_bytes = sizeof is_copy};
    (void)result;
    TRY(axes_of_sum(call, &request.along, &is_copy));
    return rows_plan(call, &request);
}

/* The second parameter has the name of a type. */
#pragma GCC diagnostic ignored "-Wshadow"
FUNCTION_OF(aclnnReduceLogSum, REDUCE_LOG_SUM, .stem = "reduce_log_sum", .promise = &promise_sum,
            ROWS(&log_sums), .infer = infer_sum, .plan = plan_sum);

#endif
