/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * y = x rstd gamma over the last dims, of GemmaRmsNorm gamma + 1, rstd = 1 / sqrt(mean of x^2 + eps), and the
 * gradients of the former: with n = x rstd and h = dy gamma, that of x is rstd (h - n mean of h n), that of
 * gamma the sum of dy n over all rows. And of sums of tensors: the same of x1 + x2, rounded to their dtype,
 * and LayerNorm of x1 + x2 + bias, not rounded.
 */
#include <stdbool.h>

#include "simd/loops/row_digits.h"

struct rms_numbers {
    double eps;
    bool has_mean;            /* LayerNorm, of what is not rounded */
    struct row_digits digits; /* of the sum */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row_gradient.h"
#include "simd/loops/row_rounded.h"

enum { X, GAMMA };
enum { Y, RSTD };

static inline __attribute__((always_inline)) void rms_norm(enum arithmetic dtype, const void *const *input,
                                                           void *const *output, size_t count, double *room,
                                                           const void *parameters)
{
    const struct rms_numbers *numbers = parameters;
    const double squares = row_sum(dtype, input[X], count, NULL, row_square, 0);
    const struct row_scale scale = {
        0, 1 / sqrt(squares / (double)count + numbers->eps), 1, -0.0, input[GAMMA], NULL};
    (void)room;
    row_store_single(dtype, output[RSTD], scale.rstd);
    row_normalise(dtype, output[Y], input[X], &scale, count);
}

/* The norm x / sqrt(mean of x^2 + eps), times gamma + 1 in place of gamma. */
static inline __attribute__((always_inline)) void gemma_rms_norm(enum arithmetic dtype,
                                                                 const void *const *input,
                                                                 void *const *output, size_t count,
                                                                 double *room, const void *parameters)
{
    const struct rms_numbers *numbers = parameters;
    const double squares = row_sum(dtype, input[X], count, NULL, row_square, 0);
    const double rstd = 1 / sqrt(squares / (double)count + numbers->eps);
    (void)room;
    row_store_single(dtype, output[RSTD], rstd);
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles gamma = row_load(dtype, input[GAMMA], i, left) + 1;
        row_store(dtype, output[Y], i, row_load(dtype, input[X], i, left) * rstd * gamma, left, true);
    }
}

enum { GRADIENT, BACK_X, BACK_RSTD, BACK_GAMMA };
enum { GRADIENT_X, GRADIENT_GAMMA };

static inline __attribute__((always_inline)) void rms_norm_grad(enum arithmetic dtype,
                                                                const void *const *input, void *const *output,
                                                                size_t count, double *room,
                                                                const void *parameters)
{
    const struct row_gradient row = {input[GRADIENT], input[BACK_X], 0,
                                     row_single(dtype, input[BACK_RSTD], 1)};
    const struct row_gradient_terms terms = {&row, input[BACK_GAMMA], output[GRADIENT_GAMMA], NULL};
    const struct row_sums sums = row_gradient_sums(dtype, &terms, count);
    (void)room, (void)parameters;
    row_gradient_store(dtype, output[GRADIENT_X], &row, input[BACK_GAMMA], 1, row.rstd,
                       (struct row_sums){0, sums.hn / (double)count}, count);
}

enum { X1, X2, SUM_GAMMA, BETA, BIAS };
enum { SUM_Y, SUM_MEAN, SUM_RSTD, SUM_X };

static inline __attribute__((always_inline)) void add_norm(enum arithmetic dtype, const void *const *input,
                                                           void *const *output, size_t count, double *room,
                                                           const void *parameters)
{
    const struct rms_numbers *numbers = parameters;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        doubles sum = row_load(dtype, input[X1], i, left) + row_load(dtype, input[X2], i, left);
        if (input[BIAS] != NULL)
            sum += row_load(dtype, input[BIAS], i, left);
        if (!numbers->has_mean)
            sum = row_rounded(sum, &numbers->digits);
        row_store(ARITHMETIC_FP64, room, i, sum, left, false);
    }
    struct row_moments moments = {0, 0};
    if (numbers->has_mean)
        moments = row_moments(ARITHMETIC_FP64, room, count);
    else
        moments.variance = row_sum(ARITHMETIC_FP64, room, count, NULL, row_square, 0) / (double)count;
    const double rstd = 1 / sqrt(moments.variance + numbers->eps);
    row_store_single(dtype, output[SUM_MEAN], moments.mean);
    row_store_single(dtype, output[SUM_RSTD], rstd);
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles sum = row_load(ARITHMETIC_FP64, room, i, left);
        doubles value = (sum - moments.mean) * rstd * row_load(dtype, input[SUM_GAMMA], i, left);
        if (input[BETA] != NULL)
            value += row_load(dtype, input[BETA], i, left);
        row_store(dtype, output[SUM_Y], i, value, left, true);
        if (output[SUM_X] != NULL)
            row_store(dtype, output[SUM_X], i, sum, left, true);
    }
}

ROWS_KERNELS(rms_norm, rms_norm)
ROWS_KERNELS(gemma_rms_norm, gemma_rms_norm)
ROWS_KERNELS(rms_norm_grad, rms_norm_grad)
ROWS_KERNELS(add_norm, add_norm)

#else

/* The contract. */
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_add_rms_norm_bias.h"
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

ROWS_LEVELS(rms_norm);
ROWS_LEVELS(gemma_rms_norm);
ROWS_LEVELS(rms_norm_grad);
ROWS_LEVELS(add_norm);
static const struct rows forward_rows = {rms_norm_rows, rms_norm_rows_fp32, .is_roomless = true,
                                         .element_ps = 300};
static const struct rows gemma_rows = {gemma_rms_norm_rows, gemma_rms_norm_rows_fp32, .is_roomless = true,
                                       .element_ps = 400};
static const struct rows backward_rows = {rms_norm_grad_rows, rms_norm_grad_rows_fp32, .is_roomless = true,
                                          .element_ps = 600};
static const struct rows sum_rows = {add_norm_rows, add_norm_rows_fp32, .element_ps = 600};

/* An output of one element for each row, in FLOAT. */
static struct output *add_statistic(const struct call *call, struct result *result, unsigned x, axes along)
{
    const struct tensor_view *view = &call->tensor[x];
    int64_t outer[OPERAND_RANK_MAX];
    for (uint32_t i = 0; i < view->rank; i++)
        outer[i] = (along >> i & 1) != 0 ? 1 : view->shape[i];
    return result_by_count(result, view->rank, outer);
}

static int64_t rows_of(const struct tensor_view *view, axes along)
{
    int64_t rows = 1;
    for (uint32_t i = 0; i < view->rank; i++)
        rows *= (along >> i & 1) != 0 ? 1 : view->shape[i];
    return rows;
}

static aclnnStatus plan_rows(const struct call *call, unsigned x, axes along, const struct rows_tensor *input,
                             unsigned inputs, const struct rows_tensor *output, unsigned outputs,
                             const struct rms_numbers *numbers)
{
    const struct rows_request request = {.rank = call->tensor[x].rank,
                                         .shape = call->tensor[x].shape,
                                         .along = along,
                                         .input = input,
                                         .output = output,
                                         .inputs = inputs,
                                         .outputs = outputs,
                                         .parameters = numbers,
                                         .parameter_bytes = sizeof *numbers};
    return rows_plan(call, &request);
}

#define RMS_NORM(X, of)                                     \
    X(of, IN, x, &dtypes_fp32_fp16_bf16)                    \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .sample = "3") \
    X(of, DOUBLE, epsilon, .usual = "1e-06")                \
    X(of, CONST_OUT, yOut, &dtypes_fp32_fp16_bf16)          \
    X(of, CONST_OUT, rstdOut, &dtypes_fp32)
SIGNATURE(RMS_NORM)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    axes along;
    TRY(check_dtype(call, RMS_NORM_x));
    TRY(check_factor_dtype(call, RMS_NORM_gamma, RMS_NORM_x));
    TRY(check_rank(call, RMS_NORM_x));
    TRY(check_gamma(call, RMS_NORM_gamma, RMS_NORM_x, &along));
    result_like(result, call, RMS_NORM_x);
    add_statistic(call, result, RMS_NORM_x, along);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(RMS_NORM_x, WHOLE),
                                               ROWS_TENSOR(RMS_NORM_gamma, WHOLE)},
                                    output[] = {ROWS_TENSOR(RMS_NORM_yOut, WHOLE),
                                                ROWS_TENSOR(RMS_NORM_rstdOut, SINGLE)};
    const struct rms_numbers numbers = {.eps = call->argument[RMS_NORM_epsilon].fp64};
    axes along;
    (void)result;
    TRY(check_gamma(call, RMS_NORM_gamma, RMS_NORM_x, &along));
    return plan_rows(call, RMS_NORM_x, along, input, 2, output, 2, &numbers);
}

#define RMS_NORM_GRAD(X, of)                                \
    X(of, IN, dy, &dtypes_fp32_fp16_bf16)                   \
    X(of, IN, x, &dtypes_fp32_fp16_bf16)                    \
    X(of, IN, rstd, &dtypes_fp32, .sample = "2")            \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .sample = "3") \
    X(of, CONST_OUT, dxOut, &dtypes_fp32_fp16_bf16)         \
    X(of, CONST_OUT, dgammaOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(RMS_NORM_GRAD)

static aclnnStatus infer_grad(const struct call *call, struct result *result)
{
    const struct tensor_view *gamma = &call->tensor[RMS_NORM_GRAD_gamma];
    axes along;
    TRY(check_dtype(call, RMS_NORM_GRAD_dy));
    TRY(check_dtype(call, RMS_NORM_GRAD_x));
    TRY(check_same_dtype(call, RMS_NORM_GRAD_x, RMS_NORM_GRAD_dy, NULL));
    TRY(check_dtype(call, RMS_NORM_GRAD_rstd));
    TRY(check_factor_dtype(call, RMS_NORM_GRAD_gamma, RMS_NORM_GRAD_x));
    TRY(check_rank(call, RMS_NORM_GRAD_x));
    TRY(check_same_shape(call, RMS_NORM_GRAD_dy, RMS_NORM_GRAD_x, NULL));
    TRY(check_gamma(call, RMS_NORM_GRAD_gamma, RMS_NORM_GRAD_x, &along));
    TRY(check_count(call, RMS_NORM_GRAD_rstd, rows_of(&call->tensor[RMS_NORM_GRAD_x], along),
                    "one for each row"));
    result_like(result, call, RMS_NORM_GRAD_x);
    result_by_count(result, gamma->rank, gamma->shape);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_grad(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(RMS_NORM_GRAD_dy, WHOLE),
                                               ROWS_TENSOR(RMS_NORM_GRAD_x, WHOLE),
                                               ROWS_TENSOR(RMS_NORM_GRAD_rstd, SINGLE),
                                               ROWS_TENSOR(RMS_NORM_GRAD_gamma, WHOLE)},
                                    output[] = {ROWS_TENSOR(RMS_NORM_GRAD_dxOut, WHOLE),
                                                ROWS_TENSOR(RMS_NORM_GRAD_dgammaOut, SUMS)};
    const struct rms_numbers numbers = {.eps = 0};
    axes along;
    (void)result;
    TRY(check_gamma(call, RMS_NORM_GRAD_gamma, RMS_NORM_GRAD_x, &along));
    return plan_rows(call, RMS_NORM_GRAD_x, along, input, 4, output, 2, &numbers);
}

/* AddRmsNorm; with a beta behind gamma AddRmsNormBias, whose other places are one further. */
#define SUMMANDS(X, of)                   \
    X(of, IN, x1, &dtypes_fp32_fp16_bf16) \
    X(of, IN, x2, &dtypes_fp32_fp16_bf16) \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .sample = "3")
#define SUM_RESULTS(X, of, y, rstd, x)                  \
    X(of, DOUBLE, epsilon, .usual = "1e-06")            \
    X(of, OUT, y, &dtypes_fp32_fp16_bf16)               \
    X(of, OUT, rstd, &dtypes_fp32, .is_optional = true) \
    X(of, OUT, x, &dtypes_fp32_fp16_bf16, .is_optional = true)
#define RMS(X, of) SUMMANDS(X, of) SUM_RESULTS(X, of, yOut, rstdOut, xOut)
#define RMS_BIAS(X, of)                                                                 \
    SUMMANDS(X, of)                                                                     \
    X(of, IN, betaOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    SUM_RESULTS(X, of, y, rstd, x)
SIGNATURE(RMS)
SIGNATURE(RMS_BIAS)

static unsigned behind_beta(const struct call *call)
{
    return call->function->parameter_count - (RMS_xOut + 1);
}

#define ADD_LAYER_NORM(X, of)                                                           \
    X(of, IN, x1, &dtypes_fp32_fp16_bf16)                                               \
    X(of, IN, x2, &dtypes_fp32_fp16_bf16)                                               \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .sample = "3")                             \
    X(of, IN, beta, &dtypes_fp32_fp16_bf16, .sample = "3")                              \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    X(of, DOUBLE, epsilon, .usual = "1e-05")                                            \
    X(of, BOOL, additionalOutput, .usual = "true")                                      \
    X(of, CONST_OUT, yOut, &dtypes_fp32_fp16_bf16)                                      \
    X(of, CONST_OUT, meanOut, &dtypes_fp32)                                             \
    X(of, CONST_OUT, rstdOut, &dtypes_fp32)                                             \
    X(of, CONST_OUT, xOut, &dtypes_fp32_fp16_bf16, .is_optional = true)
SIGNATURE(ADD_LAYER_NORM)

static aclnnStatus infer_sum(const struct call *call, struct result *result)
{
    const unsigned more = behind_beta(call);
    const double epsilon = call->argument[RMS_epsilon + more].fp64;
    axes along;
    if (call->has_outputs && call_has(call, RMS_rstdOut + more))
        TRY(check_given(call, RMS_xOut + more, more > 0 ? "rstd" : "rstdOut"));
    for (unsigned i = RMS_BIAS_x1; i <= RMS_BIAS_gamma + more; i++)
        if (i != RMS_BIAS_betaOptional || call_has(call, RMS_BIAS_betaOptional)) {
            TRY(check_dtype(call, i));
            TRY(check_same_dtype(call, i, RMS_BIAS_x1, NULL));
        }
    TRY(check_rank(call, RMS_BIAS_x1));
    TRY(check_same_shape(call, RMS_BIAS_x2, RMS_BIAS_x1, NULL));
    TRY(check_gamma(call, RMS_BIAS_gamma, RMS_BIAS_x1, &along));
    if (more > 0 && call_has(call, RMS_BIAS_betaOptional))
        TRY(check_same_shape(call, RMS_BIAS_betaOptional, RMS_BIAS_gamma, NULL));
    if (!(epsilon >= 0))
        return refuse(call, "epsilon is %g; 0 or more is expected", epsilon);
    result_like(result, call, RMS_BIAS_x1);
    add_statistic(call, result, RMS_BIAS_x1, along);
    result_like(result, call, RMS_BIAS_x1);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_sum(const struct call *call, const struct result *result)
{
    const unsigned more = behind_beta(call);
    const struct rows_tensor input[] = {ROWS_TENSOR(RMS_BIAS_x1, WHOLE),
                                        ROWS_TENSOR(RMS_BIAS_x2, WHOLE),
                                        ROWS_TENSOR(RMS_BIAS_gamma, WHOLE),
                                        {.parameter = more > 0 ? RMS_BIAS_betaOptional : RMS_BIAS_x1,
                                         .part = more > 0 ? ROWS_WHOLE : ROWS_ABSENT},
                                        ROWS_TENSOR(RMS_BIAS_x1, ABSENT)},
                             output[] = {ROWS_TENSOR(RMS_yOut + more, WHOLE),
                                         ROWS_TENSOR(RMS_xOut + more, ABSENT),
                                         ROWS_TENSOR(RMS_rstdOut + more, SINGLE),
                                         ROWS_TENSOR(RMS_xOut + more, WHOLE)};
    const struct rms_numbers numbers = {call->argument[RMS_epsilon + more].fp64, false,
                                        row_digits_of(result->computed)};
    axes along;
    TRY(check_gamma(call, RMS_BIAS_gamma, RMS_BIAS_x1, &along));
    return plan_rows(call, RMS_BIAS_x1, along, input, 5, output, 4, &numbers);
}

static aclnnStatus infer_added(const struct call *call, struct result *result)
{
    static const unsigned summands[] = {ADD_LAYER_NORM_x1, ADD_LAYER_NORM_x2};
    axes along, other;
    TRY(check_dtype(call, ADD_LAYER_NORM_x1));
    TRY(check_dtype(call, ADD_LAYER_NORM_x2));
    if (call_dtype(call, ADD_LAYER_NORM_x1) != ACL_FLOAT && call_dtype(call, ADD_LAYER_NORM_x2) != ACL_FLOAT)
        TRY(check_same_dtype(call, ADD_LAYER_NORM_x2, ADD_LAYER_NORM_x1, NULL));
    TRY(check_promotion(call, summands, 2, &result->computed));
    for (unsigned i = ADD_LAYER_NORM_gamma; i <= ADD_LAYER_NORM_biasOptional; i++)
        TRY(check_factor_dtype(call, i,
                               call_dtype(call, ADD_LAYER_NORM_x1) == result->computed ? ADD_LAYER_NORM_x1
                                                                                       : ADD_LAYER_NORM_x2));
    TRY(check_same_dtype(call, ADD_LAYER_NORM_beta, ADD_LAYER_NORM_gamma, NULL));
    TRY(check_rank(call, ADD_LAYER_NORM_x1));
    TRY(check_same_shape(call, ADD_LAYER_NORM_x2, ADD_LAYER_NORM_x1, NULL));
    TRY(check_gamma(call, ADD_LAYER_NORM_gamma, ADD_LAYER_NORM_x1, &along));
    TRY(check_same_shape(call, ADD_LAYER_NORM_beta, ADD_LAYER_NORM_gamma, NULL));
    if (call_has(call, ADD_LAYER_NORM_biasOptional) &&
        call->tensor[ADD_LAYER_NORM_biasOptional].rank != call->tensor[ADD_LAYER_NORM_gamma].rank)
        TRY(check_same_shape(call, ADD_LAYER_NORM_biasOptional, ADD_LAYER_NORM_x1, NULL));
    else if (call_has(call, ADD_LAYER_NORM_biasOptional))
        TRY(check_gamma(call, ADD_LAYER_NORM_biasOptional, ADD_LAYER_NORM_x1, &other));
    result_add(result, result->computed, DTYPE_EQUAL)->like = ADD_LAYER_NORM_x1;
    add_statistic(call, result, ADD_LAYER_NORM_x1, along);
    add_statistic(call, result, ADD_LAYER_NORM_x1, along);
    result_add(result, result->computed, DTYPE_EQUAL)->like = ADD_LAYER_NORM_x1;
    result->output[3].is_unwanted = !call->argument[ADD_LAYER_NORM_additionalOutput].boolean;
    return call->has_outputs && call->argument[ADD_LAYER_NORM_additionalOutput].boolean
               ? check_given(call, ADD_LAYER_NORM_xOut, "additionalOutput")
               : ACLNN_SUCCESS;
}

static aclnnStatus plan_added(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {
        ROWS_TENSOR(ADD_LAYER_NORM_x1, WHOLE), ROWS_TENSOR(ADD_LAYER_NORM_x2, WHOLE),
        ROWS_TENSOR(ADD_LAYER_NORM_gamma, WHOLE), ROWS_TENSOR(ADD_LAYER_NORM_beta, WHOLE),
        ROWS_TENSOR(ADD_LAYER_NORM_biasOptional, WHOLE)};
    const struct rows_tensor output[] = {
        ROWS_TENSOR(ADD_LAYER_NORM_yOut, WHOLE),
        ROWS_TENSOR(ADD_LAYER_NORM_meanOut, SINGLE),
        ROWS_TENSOR(ADD_LAYER_NORM_rstdOut, SINGLE),
        {.parameter = ADD_LAYER_NORM_xOut, .part = result->output[3].is_unwanted ? ROWS_ABSENT : ROWS_WHOLE}};
    const struct rms_numbers numbers = {.eps = call->argument[ADD_LAYER_NORM_epsilon].fp64, .has_mean = true};
    axes along;
    TRY(check_gamma(call, ADD_LAYER_NORM_gamma, ADD_LAYER_NORM_x1, &along));
    return plan_rows(call, ADD_LAYER_NORM_x1, along, input, 5, output, 4, &numbers);
}

FUNCTION_OF(aclnnRmsNorm, RMS_NORM, .stem = "rms_norm", .promise = &promise_sum, ROWS(&forward_rows),
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnGemmaRmsNorm, RMS_NORM, .stem = "gemma_rms_norm", .promise = &promise_sum, ROWS(&gemma_rows),
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnRmsNormGrad, RMS_NORM_GRAD, .stem = "rms_norm_grad", .promise = &promise_sum,
            ROWS(&backward_rows), .infer = infer_grad, .plan = plan_grad);

#define SUM .promise = &promise_sum, ROWS(&sum_rows), .infer = infer_sum, .plan = plan_sum
FUNCTION_OF(aclnnAddRmsNorm, RMS, .stem = "add_rms_norm", SUM);
FUNCTION_OF(aclnnAddRmsNormBias, RMS_BIAS, .stem = "add_rms_norm_bias", SUM);

FUNCTION_OF(aclnnAddLayerNorm, ADD_LAYER_NORM, .stem = "add_layer_norm", .promise = &promise_sum,
            ROWS(&sum_rows), .infer = infer_added, .plan = plan_added);

#endif
