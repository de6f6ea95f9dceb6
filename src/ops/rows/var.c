/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Variances along dims, the sum of (x - mean)^2 divided by n - correction, or by 0 where that is negative;
 * their square roots, and means beside them. Of nothing all are NaN.
 */
#include <stdbool.h>
#include <stdint.h>

struct deviation {
    int64_t correction;
    bool is_root;
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row_moments.h"

static inline __attribute__((always_inline)) void var(enum arithmetic dtype, const void *const *input,
                                                      void *const *output, size_t count, double *room,
                                                      const void *parameters)
{
    const struct deviation *deviation = parameters;
    const struct row_moments moments = row_moments(dtype, input[0], count);
    const double n = (double)count, divisor = n - (double)deviation->correction;
    const double variance = moments.variance * n / (divisor > 0 ? divisor : 0);
    (void)room;
    row_store_single(dtype, output[0], deviation->is_root ? sqrt(variance) : variance);
    row_store_single(dtype, output[1], count > 0 ? moments.mean : (double)NAN);
}

ROWS_KERNELS(var, var)

#else

/* The contract. */
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_std_mean_correction.h"
#include "aclnnop/aclnn_var.h"
#include "aclnnop/aclnn_var_mean.h"
#include "ops/check.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"

ROWS_LEVELS(var);

/* Alike but for the root and for what the second outputs are. */
static const struct rows variances = {var_rows, var_rows_fp32, .is_roomless = true, .element_ps = 200};
static const struct rows roots = {var_rows, var_rows_fp32, .is_roomless = true, .element_ps = 200};

#define SELF_AND_DIM(X, of)                 \
    X(of, IN, self, &dtypes_fp32_fp16_bf16) \
    X(of, INTS, dim, .is_optional = true, .sample = "1")
#define CORRECTED(X, of) X(of, INT64, correction, .usual = "1") X(of, BOOL, keepdim, .usual = "false")
#define VAR(X, of)                         \
    SELF_AND_DIM(X, of)                    \
    X(of, BOOL, unbiased, .usual = "true") \
    X(of, BOOL, keepdim, .usual = "false") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(VAR)
#define VAR_MEAN(X, of)                        \
    SELF_AND_DIM(X, of)                        \
    CORRECTED(X, of)                           \
    X(of, OUT, varOut, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, meanOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(VAR_MEAN)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    axes reduced;
    TRY(check_dtype(call, VAR_self));
    TRY(check_rank(call, VAR_self));
    TRY(check_axes(call, VAR_self, VAR_dim, &reduced));
    result->computed = call_dtype(call, VAR_self);
    for (unsigned i = VAR_out; i < call->function->parameter_count; i++)
        result_reduced(result, call, VAR_self, reduced, call->argument[VAR_keepdim].boolean, result->computed,
                       DTYPE_ANY);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const bool has_mean = call->function->parameter_count > VAR_MEAN_meanOut;
    const struct rows_tensor input = ROWS_TENSOR(VAR_self, WHOLE);
    const struct rows_tensor output[] = {
        ROWS_TENSOR(VAR_out, SINGLE),
        {.parameter = has_mean ? VAR_MEAN_meanOut : VAR_out, .part = has_mean ? ROWS_SINGLE : ROWS_ABSENT}};
    const bool is_flag = call->function->parameter[VAR_unbiased].kind == PARAMETER_BOOL;
    const struct deviation deviation = {is_flag ? call->argument[VAR_unbiased].boolean
                                                : call->argument[VAR_unbiased].int64,
                                        call->function->of_family == &roots};
    struct rows_request request = {.rank = call->tensor[VAR_self].rank,
                                   .shape = call->tensor[VAR_self].shape,
                                   .input = &input,
                                   .output = output,
                                   .inputs = 1,
                                   .outputs = 2,
                                   .parameters = &deviation,
                                   .parameter_bytes = sizeof deviation};
    (void)result;
    TRY(check_axes(call, VAR_self, VAR_dim, &request.along));
    return rows_plan(call, &request);
}

#define VAR_CORRECTION(X, of) SELF_AND_DIM(X, of) CORRECTED(X, of) X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(VAR_CORRECTION)
#define STD_MEAN_CORRECTION(X, of)             \
    SELF_AND_DIM(X, of)                        \
    CORRECTED(X, of)                           \
    X(of, OUT, stdOut, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, meanOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(STD_MEAN_CORRECTION)

#define MOMENTS(rows_) .promise = &promise_sum, ROWS(&(rows_)), .infer = infer, .plan = plan

FUNCTION_OF(aclnnVar, VAR, .stem = "var", MOMENTS(variances));
FUNCTION_OF(aclnnVarCorrection, VAR_CORRECTION, .stem = "var", MOMENTS(variances));
FUNCTION_OF(aclnnStd, VAR_CORRECTION, .stem = "std", MOMENTS(roots));
FUNCTION_OF(aclnnVarMean, VAR_MEAN, .stem = "var_mean", MOMENTS(variances));
FUNCTION_OF(aclnnStdMeanCorrection, STD_MEAN_CORRECTION, .stem = "std_mean_correction", MOMENTS(roots));

#endif
