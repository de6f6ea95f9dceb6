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

/* The last dims of x, as many as gamma has; or the last one, where gamma has a 1 before it. */
static aclnnStatus check_gamma(const struct call *call, unsigned parameter, unsigned x, axes *along)
{
    const struct tensor_view *gamma = &call->tensor[parameter], *view = &call->tensor[x];
    uint32_t rank = gamma->rank;
    bool fits = rank >= 1 && rank <= view->rank;
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = gamma->shape[i] == view->shape[view->rank - rank + i];
    if (!fits && rank == 2 && gamma->shape[0] == 1 && view->rank >= 1 &&
        gamma->shape[1] == view->shape[view->rank - 1]) {
        fits = true;
        rank = 1;
    }
    *along = 0;
    for (uint32_t i = view->rank - (fits ? rank : 0); i < view->rank; i++)
        *along |= UINT32_C(1) << i;
    return fits ? ACLNN_SUCCESS
                : refuse(call, "the shape of %s is not that of the last dims of %s",
                         call_name(call, parameter), call_name(call, x));
}

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

enum { RMS_X, RMS_GAMMA, RMS_EPS, RMS_Y, RMS_RSTD };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    axes along;
    TRY(check_dtype(call, RMS_X));
    TRY(check_factor_dtype(call, RMS_GAMMA, RMS_X));
    TRY(check_rank(call, RMS_X));
    TRY(check_gamma(call, RMS_GAMMA, RMS_X, &along));
    result_like(result, call, RMS_X);
    add_statistic(call, result, RMS_X, along);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(RMS_X, WHOLE), ROWS_TENSOR(RMS_GAMMA, WHOLE)},
                                    output[] = {ROWS_TENSOR(RMS_Y, WHOLE), ROWS_TENSOR(RMS_RSTD, SINGLE)};
    const struct rms_numbers numbers = {.eps = call->argument[RMS_EPS].fp64};
    axes along;
    (void)result;
    TRY(check_gamma(call, RMS_GAMMA, RMS_X, &along));
    return plan_rows(call, RMS_X, along, input, 2, output, 2, &numbers);
}

enum { GRAD_Y, GRAD_X, GRAD_RSTD, GRAD_GAMMA, GRAD_X_OUT, GRAD_GAMMA_OUT };

static aclnnStatus infer_grad(const struct call *call, struct result *result)
{
    const struct tensor_view *gamma = &call->tensor[GRAD_GAMMA];
    axes along;
    TRY(check_dtype(call, GRAD_Y));
    TRY(check_dtype(call, GRAD_X));
    TRY(check_same_dtype(call, GRAD_X, GRAD_Y, NULL));
    TRY(check_dtype(call, GRAD_RSTD));
    TRY(check_factor_dtype(call, GRAD_GAMMA, GRAD_X));
    TRY(check_rank(call, GRAD_X));
    TRY(check_same_shape(call, GRAD_Y, GRAD_X, NULL));
    TRY(check_gamma(call, GRAD_GAMMA, GRAD_X, &along));
    TRY(check_count(call, GRAD_RSTD, rows_of(&call->tensor[GRAD_X], along), "one for each row"));
    result_like(result, call, GRAD_X);
    result_by_count(result, gamma->rank, gamma->shape);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_grad(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(GRAD_Y, WHOLE), ROWS_TENSOR(GRAD_X, WHOLE),
                                               ROWS_TENSOR(GRAD_RSTD, SINGLE),
                                               ROWS_TENSOR(GRAD_GAMMA, WHOLE)},
                                    output[] = {ROWS_TENSOR(GRAD_X_OUT, WHOLE),
                                                ROWS_TENSOR(GRAD_GAMMA_OUT, SUMS)};
    const struct rms_numbers numbers = {.eps = 0};
    axes along;
    (void)result;
    TRY(check_gamma(call, GRAD_GAMMA, GRAD_X, &along));
    return plan_rows(call, GRAD_X, along, input, 4, output, 2, &numbers);
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

enum { SUM_X1, SUM_X2, SUM_FACTOR, SUM_BETA };
SIGNATURE(aclnnAddRmsNorm, RMS)
SIGNATURE(aclnnAddRmsNormBias, RMS_BIAS)

static unsigned behind_beta(const struct call *call)
{
    return call->function->parameter_count - (RMS_xOut + 1);
}
enum { ADDED_BETA = 3, ADDED_BIAS, ADDED_EPS, ADDITIONAL, ADDED_Y, ADDED_MEAN, ADDED_RSTD, ADDED_SUM };

static aclnnStatus infer_sum(const struct call *call, struct result *result)
{
    const unsigned more = behind_beta(call);
    const double epsilon = call->argument[RMS_epsilon + more].fp64;
    axes along;
    if (call->has_outputs && call_has(call, RMS_rstdOut + more))
        TRY(check_given(call, RMS_xOut + more, more > 0 ? "rstd" : "rstdOut"));
    for (unsigned i = SUM_X1; i <= SUM_FACTOR + more; i++)
        if (i != SUM_BETA || call_has(call, SUM_BETA)) {
            TRY(check_dtype(call, i));
            TRY(check_same_dtype(call, i, SUM_X1, NULL));
        }
    TRY(check_rank(call, SUM_X1));
    TRY(check_same_shape(call, SUM_X2, SUM_X1, NULL));
    TRY(check_gamma(call, SUM_FACTOR, SUM_X1, &along));
    if (more > 0 && call_has(call, SUM_BETA))
        TRY(check_same_shape(call, SUM_BETA, SUM_FACTOR, NULL));
    if (!(epsilon >= 0))
        return refuse(call, "epsilon is %g; 0 or more is expected", epsilon);
    result_like(result, call, SUM_X1);
    add_statistic(call, result, SUM_X1, along);
    result_like(result, call, SUM_X1);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_sum(const struct call *call, const struct result *result)
{
    const unsigned more = behind_beta(call);
    const struct rows_tensor input[] = {ROWS_TENSOR(SUM_X1, WHOLE),
                                        ROWS_TENSOR(SUM_X2, WHOLE),
                                        ROWS_TENSOR(SUM_FACTOR, WHOLE),
                                        {.parameter = more > 0 ? SUM_BETA : SUM_X1,
                                         .part = more > 0 ? ROWS_WHOLE : ROWS_ABSENT},
                                        ROWS_TENSOR(SUM_X1, ABSENT)},
                             output[] = {ROWS_TENSOR(RMS_yOut + more, WHOLE),
                                         ROWS_TENSOR(RMS_xOut + more, ABSENT),
                                         ROWS_TENSOR(RMS_rstdOut + more, SINGLE),
                                         ROWS_TENSOR(RMS_xOut + more, WHOLE)};
    const struct rms_numbers numbers = {call->argument[RMS_epsilon + more].fp64, false,
                                        row_digits_of(result->computed)};
    axes along;
    TRY(check_gamma(call, SUM_FACTOR, SUM_X1, &along));
    return plan_rows(call, SUM_X1, along, input, 5, output, 4, &numbers);
}

static aclnnStatus infer_added(const struct call *call, struct result *result)
{
    static const unsigned summands[] = {SUM_X1, SUM_X2};
    axes along, other;
    TRY(check_dtype(call, SUM_X1));
    TRY(check_dtype(call, SUM_X2));
    if (call_dtype(call, SUM_X1) != ACL_FLOAT && call_dtype(call, SUM_X2) != ACL_FLOAT)
        TRY(check_same_dtype(call, SUM_X2, SUM_X1, NULL));
    TRY(check_promotion(call, summands, 2, &result->computed));
    for (unsigned i = SUM_FACTOR; i <= ADDED_BIAS; i++)
        TRY(check_factor_dtype(call, i, call_dtype(call, SUM_X1) == result->computed ? SUM_X1 : SUM_X2));
    TRY(check_same_dtype(call, ADDED_BETA, SUM_FACTOR, NULL));
    TRY(check_rank(call, SUM_X1));
    TRY(check_same_shape(call, SUM_X2, SUM_X1, NULL));
    TRY(check_gamma(call, SUM_FACTOR, SUM_X1, &along));
    TRY(check_same_shape(call, ADDED_BETA, SUM_FACTOR, NULL));
    if (call_has(call, ADDED_BIAS) && call->tensor[ADDED_BIAS].rank != call->tensor[SUM_FACTOR].rank)
        TRY(check_same_shape(call, ADDED_BIAS, SUM_X1, NULL));
    else if (call_has(call, ADDED_BIAS))
        TRY(check_gamma(call, ADDED_BIAS, SUM_X1, &other));
    result_add(result, result->computed, DTYPE_EQUAL)->like = SUM_X1;
    add_statistic(call, result, SUM_X1, along);
    add_statistic(call, result, SUM_X1, along);
    result_add(result, result->computed, DTYPE_EQUAL)->like = SUM_X1;
    result->output[3].is_unwanted = !call->argument[ADDITIONAL].boolean;
    return call->has_outputs && call->argument[ADDITIONAL].boolean
               ? check_given(call, ADDED_SUM, "additionalOutput")
               : ACLNN_SUCCESS;
}

static aclnnStatus plan_added(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(SUM_X1, WHOLE), ROWS_TENSOR(SUM_X2, WHOLE),
                                               ROWS_TENSOR(SUM_FACTOR, WHOLE), ROWS_TENSOR(ADDED_BETA, WHOLE),
                                               ROWS_TENSOR(ADDED_BIAS, WHOLE)};
    const struct rows_tensor output[] = {
        ROWS_TENSOR(ADDED_Y, WHOLE),
        ROWS_TENSOR(ADDED_MEAN, SINGLE),
        ROWS_TENSOR(ADDED_RSTD, SINGLE),
        {.parameter = ADDED_SUM, .part = result->output[3].is_unwanted ? ROWS_ABSENT : ROWS_WHOLE}};
    const struct rms_numbers numbers = {.eps = call->argument[ADDED_EPS].fp64, .has_mean = true};
    axes along;
    TRY(check_gamma(call, SUM_FACTOR, SUM_X1, &along));
    return plan_rows(call, SUM_X1, along, input, 5, output, 4, &numbers);
}

#define FLT3(entry_, name_, ...) entry_(name_, &dtypes_fp32_fp16_bf16, __VA_ARGS__)

static const struct parameter parameters[] = {
    [RMS_X] = FLT3(READ, "x", .is_optional = false), [RMS_GAMMA] = FLT3(READ, "gamma", .sample = "3"),
    [RMS_EPS] = USUAL("epsilon", DOUBLE, "1e-06"),   [RMS_Y] = FLT3(WRITTEN, "yOut", .is_optional = false),
    [RMS_RSTD] = WRITTEN("rstdOut", &dtypes_fp32),
};

static const struct parameter grad_parameters[] = {
    [GRAD_Y] = FLT3(READ, "dy", .is_optional = false),
    [GRAD_X] = FLT3(READ, "x", .is_optional = false),
    [GRAD_RSTD] = READ("rstd", &dtypes_fp32, .sample = "2"),
    [GRAD_GAMMA] = FLT3(READ, "gamma", .sample = "3"),
    [GRAD_X_OUT] = FLT3(WRITTEN, "dxOut", .is_optional = false),
    [GRAD_GAMMA_OUT] = FLT3(WRITTEN, "dgammaOut", .is_optional = false),
};

static const struct parameter added_parameters[] = {
    [SUM_X1] = FLT3(READ, "x1", .is_optional = false),
    [SUM_X2] = FLT3(READ, "x2", .is_optional = false),
    [SUM_FACTOR] = FLT3(READ, "gamma", .sample = "3"),
    [ADDED_BETA] = FLT3(READ, "beta", .sample = "3"),
    [ADDED_BIAS] = FLT3(READ, "biasOptional", .is_optional = true, .sample = "3"),
    [ADDED_EPS] = USUAL("epsilon", DOUBLE, "1e-05"),
    [ADDITIONAL] = USUAL("additionalOutput", BOOL, "true"),
    [ADDED_Y] = FLT3(WRITTEN, "yOut", .is_optional = false),
    [ADDED_MEAN] = WRITTEN("meanOut", &dtypes_fp32),
    [ADDED_RSTD] = WRITTEN("rstdOut", &dtypes_fp32),
    [ADDED_SUM] = FLT3(WRITTEN, "xOut", .is_optional = true),
};

FUNCTION(aclnnRmsNorm,
         (const aclTensor *x, const aclTensor *gamma, double epsilon, const aclTensor *yOut,
          const aclTensor *rstdOut),
         (ARG(x), ARG(gamma), ARG(epsilon), ARG(yOut), ARG(rstdOut)), .stem = "rms_norm",
         PARAMETERS(parameters), .promise = &promise_sum, ROWS(&forward_rows), .infer = infer, .plan = plan);

FUNCTION(aclnnGemmaRmsNorm,
         (const aclTensor *x, const aclTensor *gamma, double epsilon, const aclTensor *yOut,
          const aclTensor *rstdOut),
         (ARG(x), ARG(gamma), ARG(epsilon), ARG(yOut), ARG(rstdOut)), .stem = "gemma_rms_norm",
         PARAMETERS(parameters), .promise = &promise_sum, ROWS(&gemma_rows), .infer = infer, .plan = plan);

FUNCTION(aclnnRmsNormGrad,
         (const aclTensor *dy, const aclTensor *x, const aclTensor *rstd, const aclTensor *gamma,
          const aclTensor *dxOut, const aclTensor *dgammaOut),
         (ARG(dy), ARG(x), ARG(rstd), ARG(gamma), ARG(dxOut), ARG(dgammaOut)), .stem = "rms_norm_grad",
         PARAMETERS(grad_parameters), .promise = &promise_sum, ROWS(&backward_rows), .infer = infer_grad,
         .plan = plan_grad);

#define SUM .promise = &promise_sum, ROWS(&sum_rows), .infer = infer_sum, .plan = plan_sum
FUNCTION_OF(aclnnAddRmsNorm, RMS, .stem = "add_rms_norm", SUM);
FUNCTION_OF(aclnnAddRmsNormBias, RMS_BIAS, .stem = "add_rms_norm_bias", SUM);

FUNCTION(aclnnAddLayerNorm,
         (const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma, const aclTensor *beta,
          const aclTensor *biasOptional, double epsilon, bool additionalOutput, const aclTensor *yOut,
          const aclTensor *meanOut, const aclTensor *rstdOut, const aclTensor *xOut),
         (ARG(x1), ARG(x2), ARG(gamma), ARG(beta), ARG(biasOptional), ARG(epsilon), ARG(additionalOutput),
          ARG(yOut), ARG(meanOut), ARG(rstdOut), ARG(xOut)),
         .stem = "add_layer_norm", PARAMETERS(added_parameters), .promise = &promise_sum, ROWS(&sum_rows),
         .infer = infer_added, .plan = plan_added);

#endif
