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

enum {
    GRAD_OUT,
    INPUT,
    MEAN,
    RSTD,
    GAMMA,
    IMAGES,
    CHANNELS,
    AREA,
    GROUP,
    MASK,
    GRAD_INPUT,
    GRAD_GAMMA,
    GRAD_BETA
};

ROWS_LEVELS(group_norm_backward);
static const struct rows rows = {group_norm_backward_rows, group_norm_backward_rows_fp32, .is_roomless = true,
                                 .element_ps = 700};

ROWS_LEVELS(group_norm_swish_grad);
static const struct rows swish_rows = {group_norm_swish_grad_rows, group_norm_swish_grad_rows_fp32,
                                       .element_ps = 2500};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct group_sizes sizes = group_sizes_of(call, IMAGES);
    TRY(check_mask(call, MASK, 3));
    TRY(check_dtype(call, GRAD_OUT));
    TRY(check_dtype(call, INPUT));
    TRY(check_same_dtype(call, INPUT, GRAD_OUT, NULL));
    TRY(check_factor_dtype(call, MEAN, INPUT));
    TRY(check_factor_dtype(call, RSTD, INPUT));
    TRY(check_factor_dtype(call, GAMMA, INPUT));
    TRY(check_rank(call, GRAD_OUT));
    TRY(check_rank(call, INPUT));
    TRY(check_group_sizes(call, IMAGES));
    TRY(check_group_elements(call, GRAD_OUT, &sizes));
    TRY(check_group_elements(call, INPUT, &sizes));
    TRY(check_same_shape(call, GRAD_OUT, INPUT, NULL));
    for (unsigned i = MEAN; i <= RSTD; i++)
        TRY(check_count(call, i, sizes.images * sizes.group, "one for each group of each image"));
    TRY(check_channel_factor(call, GAMMA, sizes.channels));
    result->computed = call_dtype(call, INPUT);
    result_add(result, result->computed, DTYPE_ANY)->like = INPUT;
    result_by_count(result, 1, &sizes.channels);
    result_by_count(result, 1, &sizes.channels);
    for (unsigned i = 0; i < 3; i++)
        result->output[i].is_unwanted = !mask_has(call, MASK, i);
    return call->has_outputs && mask_has(call, MASK, 0) &&
                   call->tensor[GRAD_INPUT].count == call->tensor[INPUT].count
               ? check_group_elements(call, GRAD_INPUT, &sizes)
               : ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(GRAD_OUT, WHOLE), ROWS_TENSOR(INPUT, WHOLE),
                                  ROWS_TENSOR(MEAN, SINGLE), ROWS_TENSOR(RSTD, SINGLE),
                                  ROWS_TENSOR(GAMMA, CHANNELS)};
    struct rows_tensor output[] = {ROWS_TENSOR(GRAD_INPUT, WHOLE), ROWS_TENSOR(GRAD_GAMMA, SUMS),
                                   ROWS_TENSOR(GRAD_BETA, SUMS)};
    const struct group_sizes sizes = group_sizes_of(call, IMAGES);
    for (unsigned i = 0; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    return plan_groups(call, &sizes, (struct group_numbers){.eps = 0}, input, 5, output);
}

static const struct parameter parameters[] = {
    [GRAD_OUT] = READ("gradOut", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [MEAN] = READ("mean", &dtypes_fp32_fp16_bf16, .sample = "2x2"),
    [RSTD] = READ("rstd", &dtypes_fp32_fp16_bf16, .sample = "2x2"),
    [GAMMA] = OPTIONAL(READ, "gamma", "4"),
    [IMAGES] = {"N", .kind = PARAMETER_INT64, .sample = "2"},
    [CHANNELS] = {"C", .kind = PARAMETER_INT64, .sample = "4"},
    [AREA] = {"HxW", .kind = PARAMETER_INT64, .sample = "3"},
    [GROUP] = {"group", .kind = PARAMETER_INT64, .sample = "2"},
    [MASK] = {"outputMask", .kind = PARAMETER_BOOL_ARRAY, .usual = "true,true,true"},
    [GRAD_INPUT] = OPTIONAL(WRITTEN, "gradInput", NULL),
    [GRAD_GAMMA] = OPTIONAL(WRITTEN, "gradGammaOut", NULL),
    [GRAD_BETA] = OPTIONAL(WRITTEN, "gradBetaOut", NULL),
};

FUNCTION(aclnnGroupNormBackward,
         (const aclTensor *gradOut, const aclTensor *input, const aclTensor *mean, const aclTensor *rstd,
          const aclTensor *gamma, int64_t N, int64_t C, int64_t HxW, int64_t group,
          const aclBoolArray *outputMask, aclTensor *gradInput, aclTensor *gradGammaOut,
          aclTensor *gradBetaOut),
         (ARG(gradOut), ARG(input), ARG(mean), ARG(rstd), ARG(gamma), ARG(N), ARG(C), ARG(HxW), ARG(group),
          ARG(outputMask), ARG(gradInput), ARG(gradGammaOut), ARG(gradBetaOut)),
         .stem = "group_norm_backward", PARAMETERS(parameters), .promise = &promise_sum, ROWS(&rows),
         .infer = infer, .plan = plan);

enum {
    DY,
    SWISH_MEAN,
    SWISH_RSTD,
    SWISH_X,
    SWISH_GAMMA,
    SWISH_BETA,
    GROUPS,
    FORMAT,
    SWISH_SCALE,
    WANTS_GAMMA,
    WANTS_BETA,
    DX_OUT,
    DGAMMA_OUT,
    DBETA_OUT
};

static aclnnStatus infer_swish(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[SWISH_X];
    TRY(check_dtype(call, DY));
    TRY(check_dtype(call, SWISH_X));
    TRY(check_same_dtype(call, SWISH_X, DY, NULL));
    for (unsigned i = SWISH_MEAN; i <= SWISH_BETA; i++)
        if (i != SWISH_X)
            TRY(check_factor_dtype(call, i, SWISH_X));
    TRY(check_channels(call, SWISH_X));
    const struct group_sizes sizes = group_sizes_of_view(x, call->argument[GROUPS].int64);
    TRY(check_group(call, &sizes));
    TRY(check_same_shape(call, DY, SWISH_X, NULL));
    for (unsigned i = SWISH_MEAN; i <= SWISH_RSTD; i++)
        TRY(check_count(call, i, sizes.images * sizes.group, "one for each group of each image"));
    TRY(check_channel_factor(call, SWISH_GAMMA, sizes.channels));
    TRY(check_channel_factor(call, SWISH_BETA, sizes.channels));
    result->computed = x->dtype;
    result_add(result, result->computed, DTYPE_EQUAL)->like = SWISH_X;
    for (unsigned i = 0; i < 2; i++)
        result_by_count(result, 1, &sizes.channels)->is_unwanted = !call->argument[WANTS_GAMMA + i].boolean;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_swish(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(DY, WHOLE),
                                  ROWS_TENSOR(SWISH_X, WHOLE),
                                  ROWS_TENSOR(SWISH_MEAN, SINGLE),
                                  ROWS_TENSOR(SWISH_RSTD, SINGLE),
                                  ROWS_TENSOR(SWISH_GAMMA, CHANNELS),
                                  ROWS_TENSOR(SWISH_BETA, CHANNELS)};
    struct rows_tensor output[] = {ROWS_TENSOR(DX_OUT, WHOLE), ROWS_TENSOR(DGAMMA_OUT, SUMS),
                                   ROWS_TENSOR(DBETA_OUT, SUMS)};
    const struct group_sizes sizes =
        group_sizes_of_view(&call->tensor[SWISH_X], call->argument[GROUPS].int64);
    const struct group_numbers numbers = {.swish = call->argument[SWISH_SCALE].fp64};
    for (unsigned i = 1; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    return plan_groups(call, &sizes, numbers, input, 6, output);
}

static const struct parameter swish_parameters[] = {
    [DY] = READ("dy", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [SWISH_MEAN] = READ("mean", &dtypes_fp32_fp16_bf16, .sample = "2x2"),
    [SWISH_RSTD] = READ("rstd", &dtypes_fp32_fp16_bf16, .sample = "2x2"),
    [SWISH_X] = READ("x", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [SWISH_GAMMA] = READ("gamma", &dtypes_fp32_fp16_bf16, .sample = "4"),
    [SWISH_BETA] = READ("beta", &dtypes_fp32_fp16_bf16, .sample = "4"),
    [GROUPS] = USUAL("numGroups", INT64, "2"),
    [FORMAT] = {"dataFormatOptional", .kind = PARAMETER_STRING, .is_optional = true},
    [SWISH_SCALE] = USUAL("swishScale", DOUBLE, "1"),
    [WANTS_GAMMA] = USUAL("dgammaIsRequire", BOOL, "true"),
    [WANTS_BETA] = USUAL("dbetaIsRequire", BOOL, "true"),
    [DX_OUT] = WRITTEN("dxOut", &dtypes_fp32_fp16_bf16),
    [DGAMMA_OUT] = OPTIONAL(WRITTEN, "dgammaOut", NULL),
    [DBETA_OUT] = OPTIONAL(WRITTEN, "dbetaOut", NULL),
};

FUNCTION(aclnnGroupNormSwishGrad,
         (const aclTensor *dy, const aclTensor *mean, const aclTensor *rstd, const aclTensor *x,
          const aclTensor *gamma, const aclTensor *beta, int64_t numGroups, char *dataFormatOptional,
          double swishScale, bool dgammaIsRequire, bool dbetaIsRequire, aclTensor *dxOut,
          aclTensor *dgammaOut, aclTensor *dbetaOut),
         (ARG(dy), ARG(mean), ARG(rstd), ARG(x), ARG(gamma), ARG(beta), ARG(numGroups),
          ARG(dataFormatOptional), ARG(swishScale), ARG(dgammaIsRequire), ARG(dbetaIsRequire), ARG(dxOut),
          ARG(dgammaOut), ARG(dbetaOut)),
         .stem = "group_norm_swish_grad", PARAMETERS(swish_parameters), .promise = &promise_sum,
         ROWS(&swish_rows), .infer = infer_swish, .plan = plan_swish);

#endif
