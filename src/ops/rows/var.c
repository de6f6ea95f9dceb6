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

ROWS_LEVELS(var);

/* Alike but for the root and for what the second outputs are. */
static const struct rows variances = {var_rows, var_rows_fp32, .is_roomless = true, .element_ps = 200};
static const struct rows roots = {var_rows, var_rows_fp32, .is_roomless = true, .element_ps = 200};

enum { SELF, DIM, CORRECTION, KEEP_DIM, OUT, MEAN_OUT };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    axes reduced;
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(check_axes(call, SELF, DIM, &reduced));
    result->computed = call_dtype(call, SELF);
    for (unsigned i = OUT; i < call->function->parameter_count; i++)
        result_reduced(result, call, SELF, reduced, call->argument[KEEP_DIM].boolean, result->computed,
                       DTYPE_ANY);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const bool has_mean = call->function->parameter_count > MEAN_OUT;
    const struct rows_tensor input = ROWS_TENSOR(SELF, WHOLE);
    const struct rows_tensor output[] = {
        ROWS_TENSOR(OUT, SINGLE),
        {.parameter = has_mean ? MEAN_OUT : OUT, .part = has_mean ? ROWS_SINGLE : ROWS_ABSENT}};
    const bool is_flag = call->function->parameter[CORRECTION].kind == PARAMETER_BOOL;
    const struct deviation deviation = {is_flag ? call->argument[CORRECTION].boolean
                                                : call->argument[CORRECTION].int64,
                                        call->function->of_family == &roots};
    struct rows_request request = {.rank = call->tensor[SELF].rank,
                                   .shape = call->tensor[SELF].shape,
                                   .input = &input,
                                   .output = output,
                                   .inputs = 1,
                                   .outputs = 2,
                                   .parameters = &deviation,
                                   .parameter_bytes = sizeof deviation};
    (void)result;
    TRY(check_axes(call, SELF, DIM, &request.along));
    return rows_plan(call, &request);
}

#define SELF_AND_DIM                                                                            \
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16), [DIM] = {"dim", .kind = PARAMETER_INT_ARRAY, \
                                                            .is_optional = true, .sample = "1"}
#define CORRECTED [CORRECTION] = USUAL("correction", INT64, "1"), [KEEP_DIM] = USUAL("keepdim", BOOL, "false")

static const struct parameter var_parameters[] = {
    SELF_AND_DIM,
    [CORRECTION] = USUAL("unbiased", BOOL, "true"),
    [KEEP_DIM] = USUAL("keepdim", BOOL, "false"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};
static const struct parameter correction_parameters[] = {
    SELF_AND_DIM, CORRECTED, [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16)};
static const struct parameter var_mean_parameters[] = {
    SELF_AND_DIM, CORRECTED, [OUT] = WRITTEN("varOut", &dtypes_fp32_fp16_bf16),
    [MEAN_OUT] = WRITTEN("meanOut", &dtypes_fp32_fp16_bf16)};
static const struct parameter std_mean_parameters[] = {
    SELF_AND_DIM, CORRECTED, [OUT] = WRITTEN("stdOut", &dtypes_fp32_fp16_bf16),
    [MEAN_OUT] = WRITTEN("meanOut", &dtypes_fp32_fp16_bf16)};

#define MOMENTS(rows_) .promise = &promise_sum, ROWS(&(rows_)), .infer = infer, .plan = plan

FUNCTION(aclnnVar,
         (const aclTensor *self, const aclIntArray *dim, bool unbiased, bool keepdim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(unbiased), ARG(keepdim), ARG(out)), .stem = "var",
         PARAMETERS(var_parameters), MOMENTS(variances));

FUNCTION(aclnnVarCorrection,
         (const aclTensor *self, const aclIntArray *dim, int64_t correction, bool keepdim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(correction), ARG(keepdim), ARG(out)), .stem = "var",
         PARAMETERS(correction_parameters), MOMENTS(variances));

FUNCTION(aclnnStd,
         (const aclTensor *self, const aclIntArray *dim, int64_t correction, bool keepdim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(correction), ARG(keepdim), ARG(out)), .stem = "std",
         PARAMETERS(correction_parameters), MOMENTS(roots));

FUNCTION(aclnnVarMean,
         (const aclTensor *self, const aclIntArray *dim, int64_t correction, bool keepdim, aclTensor *varOut,
          aclTensor *meanOut),
         (ARG(self), ARG(dim), ARG(correction), ARG(keepdim), ARG(varOut), ARG(meanOut)), .stem = "var_mean",
         PARAMETERS(var_mean_parameters), MOMENTS(variances));

FUNCTION(aclnnStdMeanCorrection,
         (const aclTensor *self, const aclIntArray *dim, int64_t correction, bool keepdim, aclTensor *stdOut,
          aclTensor *meanOut),
         (ARG(self), ARG(dim), ARG(correction), ARG(keepdim), ARG(stdOut), ARG(meanOut)),
         .stem = "std_mean_correction", PARAMETERS(std_mean_parameters), MOMENTS(roots));

#endif
