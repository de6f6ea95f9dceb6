/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of GroupNorm: with n = (x - mean) rstd and h = gradient gamma, that of x is
 * rstd (h - mean of h - n mean of h n) over the group, those of gamma and beta are the sums of gradient n and
 * gradient over each channel of all images.
 */
#include "ops/rows/groups.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/row_gradient.h"

enum { GRADIENT, X, MEAN, RSTD, GAMMA };
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

ROWS_KERNELS(group_norm_backward, group_norm_backward)

#else

/* The contract. */
#include "aclnnop/aclnn_group_norm_backward.h"
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

#endif
