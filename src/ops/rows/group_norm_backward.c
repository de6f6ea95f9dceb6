/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of GroupNorm: with n = (x - mean) rstd and h = gradient gamma, that of x is
 * rstd (h - mean of h - n mean of h n) over the group, those of gamma and beta are the sums of gradient n and
 * gradient over each channel of all images. Those of GroupNormSwish: the same with the gradient of
 * z / (1 + e^-sz) at z = n gamma + beta for the gradient, which is not rounded.
 */
#include "ops/rows/groups.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/exponential.h"
#include "simd/loops/row_gradient.h"

enum { GRADIENT, X, MEAN, RSTD, GAMMA, BETA };
enum { GRADIENT_X, GRADIENT_GAMMA, GRADIENT_BETA };

static inline __attribute__((always_inline)) struct row_gradient
channel_of(enum arithmetic dtype, const struct row_gradient *row, size_t place)
{
    return (struct row_gradient){group_part(dtype, row->gradient, place), group_part(dtype, row->x, place),
                                 row->mean, row->rstd};
}

static inline __attribute__((always_inline)) void group_norm_backward(enum arithmetic dtype,
                                                                      const void *const *input,
                                                                      void *const *output, size_t count,
                                                                      double *room, const void *parameters)
{
    const struct group_numbers *numbers = parameters;
    const size_t length = numbers->channels > 0 ? count / (size_t)numbers->channels : 0;
    const struct row_gradient row = {input[GRADIENT], input[X], row_single(dtype, input[MEAN], 0),
                                     row_single(dtype, input[RSTD], 1)};
    struct row_sums mean = {0, 0};
    (void)room;
    for (size_t channel = 0; channel < numbers->channels; channel++) {
        const struct row_gradient part = channel_of(dtype, &row, channel * length);
        const struct row_gradient_terms terms = {&part, NULL, NULL, NULL};
        const struct row_sums sums = row_gradient_sums(dtype, &terms, length);
        const double gamma = group_factor(dtype, input[GAMMA], channel, 1);
        mean.h += gamma * sums.h;
        mean.hn += gamma * sums.hn;
        if (output[GRADIENT_GAMMA] != NULL)
            ((double *)output[GRADIENT_GAMMA])[channel] += sums.hn;
        if (output[GRADIENT_BETA] != NULL)
            ((double *)output[GRADIENT_BETA])[channel] += sums.h;
    }
    mean.h /= (double)count;
    mean.hn /= (double)count;
    for (size_t channel = 0; output[GRADIENT_X] != NULL && channel < numbers->channels; channel++) {
        const struct row_gradient part = channel_of(dtype, &row, channel * length);
        row_gradient_store(dtype, (char *)output[GRADIENT_X] + channel * length * bytes_of(dtype), &part,
                           NULL, group_factor(dtype, input[GAMMA], channel, 1), row.rstd, mean, length);
    }
}

/* Gradients of a channel as doubles go to `to`; the sums of them and of them times n, in the order of
 * row_sum. */
static inline __attribute__((always_inline)) struct row_sums
swish_gradients(enum arithmetic dtype, const struct row_gradient *row, double gamma, double beta,
                double swish, size_t count, double *to)
{
    enum { VECTORS = ROW_LANES / LANES };
    doubles h_lane[VECTORS], hn_lane[VECTORS];
    for (int k = 0; k < VECTORS; k++)
        h_lane[k] = hn_lane[k] = broadcast(0);
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i, lane = i / LANES % VECTORS;
        const doubles normal = row_normal(dtype, row, i, left), z = normal * gamma + beta;
        const doubles sigmoid = 1 / (1 + maths_exp(-swish * z));
        /* What swish z is where the sigmoid is 0 or 1 does not matter, but infinity times 0 would. */
        const doubles rest = at_least(at_most(swish * z, 1000), -1000) * sigmoid * (1 - sigmoid);
        const doubles gradient = row_load(dtype, row->gradient, i, left) * (sigmoid + rest);
        row_store(ARITHMETIC_FP64, to, i, gradient, left, false);
        h_lane[lane] += choose(row_lanes(left), gradient, broadcast(0));
        hn_lane[lane] += choose(row_lanes(left), gradient * normal, broadcast(0));
    }
    return (struct row_sums){row_fold(h_lane), row_fold(hn_lane)};
}

static inline __attribute__((always_inline)) void group_norm_swish_grad(enum arithmetic dtype,
                                                                        const void *const *input,
                                                                        void *const *output, size_t count,
                                                                        double *room, const void *parameters)
{
    const struct group_numbers *numbers = parameters;
    const size_t length = numbers->channels > 0 ? count / (size_t)numbers->channels : 0;
    const struct row_gradient row = {input[GRADIENT], input[X], row_single(dtype, input[MEAN], 0),
                                     row_single(dtype, input[RSTD], 1)};
    struct row_sums mean = {0, 0};
    for (size_t channel = 0; channel < numbers->channels; channel++) {
        const struct row_gradient part = channel_of(dtype, &row, channel * length);
        const double gamma = group_factor(dtype, input[GAMMA], channel, 1);
        const struct row_sums sums =
            swish_gradients(dtype, &part, gamma, group_factor(dtype, input[BETA], channel, 0), numbers->swish,
                            length, room + channel * length);
        mean.h += gamma * sums.h;
        mean.hn += gamma * sums.hn;
        if (output[GRADIENT_GAMMA] != NULL)
            ((double *)output[GRADIENT_GAMMA])[channel] += sums.hn;
        if (output[GRADIENT_BETA] != NULL)
            ((double *)output[GRADIENT_BETA])[channel] += sums.h;
    }
    mean.h /= (double)count;
    mean.hn /= (double)count;
    for (size_t channel = 0; channel < numbers->channels; channel++) {
        const struct row_gradient part = channel_of(dtype, &row, channel * length);
        const double gamma = group_factor(dtype, input[GAMMA], channel, 1);
        for (size_t i = 0; i < length; i += LANES) {
            const doubles h = gamma * row_load(ARITHMETIC_FP64, room + channel * length, i, length - i);
            const doubles rest = h - mean.h - row_normal(dtype, &part, i, length - i) * mean.hn;
            row_store(dtype, (char *)output[GRADIENT_X] + channel * length * bytes_of(dtype), i,
                      rest * row.rstd, length - i, true);
        }
    }
}

ROWS_KERNELS(group_norm_backward, group_norm_backward)
ROWS_KERNELS(group_norm_swish_grad, group_norm_swish_grad)

#else

/* The contract. */
#include "aclnnop/aclnn_group_norm_backward.h"
#include "aclnnop/aclnn_group_norm_swish_grad.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/signature.h"

#define GROUP_NORM_BACKWARD(X, of)                                                        \
    X(of, IN, gradOut, &dtypes_fp32_fp16_bf16, .sample = "2x4x3")                         \
    X(of, IN, input, &dtypes_fp32_fp16_bf16, .sample = "2x4x3")                           \
    X(of, IN, mean, &dtypes_fp32_fp16_bf16, .sample = "2x2")                              \
    X(of, IN, rstd, &dtypes_fp32_fp16_bf16, .sample = "2x2")                              \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4")          \
    X(of, INT64, N, .sample = "2")                                                        \
    X(of, INT64, C, .sample = "4")                                                        \
    X(of, INT64, HxW, .sample = "3")                                                      \
    X(of, INT64, group, .sample = "2")                                                    \
    X(of, BOOLS, outputMask, .usual = "true,true,true")                                   \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = NULL)    \
    X(of, OUT, gradGammaOut, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = NULL) \
    X(of, OUT, gradBetaOut, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = NULL)
SIGNATURE(GROUP_NORM_BACKWARD)

ROWS_LEVELS(group_norm_backward);
static const struct rows rows = {group_norm_backward_rows, group_norm_backward_rows_fp32, .is_roomless = true,
                                 .element_ps = 700};

ROWS_LEVELS(group_norm_swish_grad);
static const struct rows swish_rows = {group_norm_swish_grad_rows, group_norm_swish_grad_rows_fp32,
                                       .element_ps = 2500};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct group_sizes sizes = group_sizes_of(call, GROUP_NORM_BACKWARD_N);
    TRY(check_mask(call, GROUP_NORM_BACKWARD_outputMask, 3));
    TRY(check_dtype(call, GROUP_NORM_BACKWARD_gradOut));
    TRY(check_dtype(call, GROUP_NORM_BACKWARD_input));
    TRY(check_same_dtype(call, GROUP_NORM_BACKWARD_input, GROUP_NORM_BACKWARD_gradOut, NULL));
    TRY(check_factor_dtype(call, GROUP_NORM_BACKWARD_mean, GROUP_NORM_BACKWARD_input));
    TRY(check_factor_dtype(call, GROUP_NORM_BACKWARD_rstd, GROUP_NORM_BACKWARD_input));
    TRY(check_factor_dtype(call, GROUP_NORM_BACKWARD_gamma, GROUP_NORM_BACKWARD_input));
    TRY(check_rank(call, GROUP_NORM_BACKWARD_gradOut));
    TRY(check_rank(call, GROUP_NORM_BACKWARD_input));
    TRY(check_group_sizes(call, GROUP_NORM_BACKWARD_N));
    TRY(check_group_elements(call, GROUP_NORM_BACKWARD_gradOut, &sizes));
    TRY(check_group_elements(call, GROUP_NORM_BACKWARD_input, &sizes));
    TRY(check_same_shape(call, GROUP_NORM_BACKWARD_gradOut, GROUP_NORM_BACKWARD_input, NULL));
    for (unsigned i = GROUP_NORM_BACKWARD_mean; i <= GROUP_NORM_BACKWARD_rstd; i++)
        TRY(check_count(call, i, sizes.images * sizes.group, "one for each group of each image"));
    TRY(check_channel_factor(call, GROUP_NORM_BACKWARD_gamma, sizes.channels));
    result->computed = call_dtype(call, GROUP_NORM_BACKWARD_input);
    result_add(result, result->computed, DTYPE_ANY)->like = GROUP_NORM_BACKWARD_input;
    result_by_count(result, 1, &sizes.channels);
    result_by_count(result, 1, &sizes.channels);
    for (unsigned i = 0; i < 3; i++)
        result->output[i].is_unwanted = !mask_has(call, GROUP_NORM_BACKWARD_outputMask, i);
    return call->has_outputs && mask_has(call, GROUP_NORM_BACKWARD_outputMask, 0) &&
                   call->tensor[GROUP_NORM_BACKWARD_gradInput].count ==
                       call->tensor[GROUP_NORM_BACKWARD_input].count
               ? check_group_elements(call, GROUP_NORM_BACKWARD_gradInput, &sizes)
               : ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {
        ROWS_TENSOR(GROUP_NORM_BACKWARD_gradOut, WHOLE), ROWS_TENSOR(GROUP_NORM_BACKWARD_input, WHOLE),
        ROWS_TENSOR(GROUP_NORM_BACKWARD_mean, SINGLE), ROWS_TENSOR(GROUP_NORM_BACKWARD_rstd, SINGLE),
        ROWS_TENSOR(GROUP_NORM_BACKWARD_gamma, CHANNELS)};
    struct rows_tensor output[] = {ROWS_TENSOR(GROUP_NORM_BACKWARD_gradInput, WHOLE),
                                   ROWS_TENSOR(GROUP_NORM_BACKWARD_gradGammaOut, SUMS),
                                   ROWS_TENSOR(GROUP_NORM_BACKWARD_gradBetaOut, SUMS)};
    const struct group_sizes sizes = group_sizes_of(call, GROUP_NORM_BACKWARD_N);
    for (unsigned i = 0; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    return plan_groups(call, &sizes, (struct group_numbers){.eps = 0}, input, 5, output);
}

FUNCTION_OF(aclnnGroupNormBackward, GROUP_NORM_BACKWARD, .stem = "group_norm_backward",
            .promise = &promise_sum, ROWS(&rows), .infer = infer, .plan = plan);

#define GROUP_NORM_SWISH_GRAD(X, of)                                                   \
    X(of, IN, dy, &dtypes_fp32_fp16_bf16, .sample = "2x4x3")                           \
    X(of, IN, mean, &dtypes_fp32_fp16_bf16, .sample = "2x2")                           \
    X(of, IN, rstd, &dtypes_fp32_fp16_bf16, .sample = "2x2")                           \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "2x4x3")                            \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .sample = "4")                            \
    X(of, IN, beta, &dtypes_fp32_fp16_bf16, .sample = "4")                             \
    X(of, INT64, numGroups, .usual = "2")                                              \
    X(of, TEXT, dataFormatOptional, .is_optional = true)                               \
    X(of, DOUBLE, swishScale, .usual = "1")                                            \
    X(of, BOOL, dgammaIsRequire, .usual = "true")                                      \
    X(of, BOOL, dbetaIsRequire, .usual = "true")                                       \
    X(of, OUT, dxOut, &dtypes_fp32_fp16_bf16)                                          \
    X(of, OUT, dgammaOut, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = NULL) \
    X(of, OUT, dbetaOut, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = NULL)
SIGNATURE(GROUP_NORM_SWISH_GRAD)

static aclnnStatus infer_swish(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[GROUP_NORM_SWISH_GRAD_x];
    TRY(check_dtype(call, GROUP_NORM_SWISH_GRAD_dy));
    TRY(check_dtype(call, GROUP_NORM_SWISH_GRAD_x));
    TRY(check_same_dtype(call, GROUP_NORM_SWISH_GRAD_x, GROUP_NORM_SWISH_GRAD_dy, NULL));
    for (unsigned i = GROUP_NORM_SWISH_GRAD_mean; i <= GROUP_NORM_SWISH_GRAD_beta; i++)
        if (i != GROUP_NORM_SWISH_GRAD_x)
            TRY(check_factor_dtype(call, i, GROUP_NORM_SWISH_GRAD_x));
    TRY(check_channels(call, GROUP_NORM_SWISH_GRAD_x));
    const struct group_sizes sizes =
        group_sizes_of_view(x, call->argument[GROUP_NORM_SWISH_GRAD_numGroups].int64);
    TRY(check_group(call, &sizes));
    TRY(check_same_shape(call, GROUP_NORM_SWISH_GRAD_dy, GROUP_NORM_SWISH_GRAD_x, NULL));
    for (unsigned i = GROUP_NORM_SWISH_GRAD_mean; i <= GROUP_NORM_SWISH_GRAD_rstd; i++)
        TRY(check_count(call, i, sizes.images * sizes.group, "one for each group of each image"));
    TRY(check_channel_factor(call, GROUP_NORM_SWISH_GRAD_gamma, sizes.channels));
    TRY(check_channel_factor(call, GROUP_NORM_SWISH_GRAD_beta, sizes.channels));
    result->computed = x->dtype;
    result_add(result, result->computed, DTYPE_EQUAL)->like = GROUP_NORM_SWISH_GRAD_x;
    for (unsigned i = 0; i < 2; i++)
        result_by_count(result, 1, &sizes.channels)->is_unwanted =
            !call->argument[GROUP_NORM_SWISH_GRAD_dgammaIsRequire + i].boolean;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_swish(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_dy, WHOLE),
                                  ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_x, WHOLE),
                                  ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_mean, SINGLE),
                                  ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_rstd, SINGLE),
                                  ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_gamma, CHANNELS),
                                  ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_beta, CHANNELS)};
    struct rows_tensor output[] = {ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_dxOut, WHOLE),
                                   ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_dgammaOut, SUMS),
                                   ROWS_TENSOR(GROUP_NORM_SWISH_GRAD_dbetaOut, SUMS)};
    const struct group_sizes sizes = group_sizes_of_view(
        &call->tensor[GROUP_NORM_SWISH_GRAD_x], call->argument[GROUP_NORM_SWISH_GRAD_numGroups].int64);
    const struct group_numbers numbers = {.swish = call->argument[GROUP_NORM_SWISH_GRAD_swishScale].fp64};
    for (unsigned i = 1; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    return plan_groups(call, &sizes, numbers, input, 6, output);
}

FUNCTION_OF(aclnnGroupNormSwishGrad, GROUP_NORM_SWISH_GRAD, .stem = "group_norm_swish_grad",
            .promise = &promise_sum, ROWS(&swish_rows), .infer = infer_swish, .plan = plan_swish);

#endif
