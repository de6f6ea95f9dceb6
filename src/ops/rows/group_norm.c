/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalisation of groups of channels, which dim 1 counts, in each image: y = (x - mean) rstd gamma + beta,
 * rstd = 1 / sqrt(variance + eps), gamma and beta for each channel; and Swish of that, y / (1 + e^-sy),
 * without a rounding between them: SiLU is that of s = 1.
 */
#include "ops/rows/groups.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/exponential.h"
#include "simd/loops/row_moments.h"

enum { X, GAMMA, BETA };
enum { Y, MEAN, RSTD };

static inline __attribute__((always_inline)) struct row_scale
scale_of(enum arithmetic dtype, const struct row_scale *group, const void *const *input, size_t channel)
{
    struct row_scale scale = *group;
    scale.weight = group_factor(dtype, input[GAMMA], channel, 1);
    scale.bias = group_factor(dtype, input[BETA], channel, -0.0);
    return scale;
}

/* Mean and rstd of the group, which are stored. */
static inline __attribute__((always_inline)) struct row_scale
group_of(enum arithmetic dtype, const void *x, void *const *output, size_t count, double eps)
{
    const struct row_moments moments = row_moments(dtype, x, count);
    const struct row_scale scale = {moments.mean, 1 / sqrt(moments.variance + eps), 1, -0.0, NULL, NULL};
    row_store_single(dtype, output[MEAN], scale.mean);
    row_store_single(dtype, output[RSTD], scale.rstd);
    return scale;
}

static inline __attribute__((always_inline)) void group_norm(enum arithmetic dtype, const void *const *input,
                                                             void *const *output, size_t count, double *room,
                                                             const void *parameters)
{
    const struct group_numbers *numbers = parameters;
    const size_t length = numbers->channels > 0 ? count / (size_t)numbers->channels : 0;
    struct row_scale group = group_of(dtype, input[X], output, count, numbers->eps);
    (void)room;
    if (length == 1) { /* every element is a channel */
        group.weights = input[GAMMA];
        group.biases = input[BETA];
        row_normalise(dtype, output[Y], input[X], &group, count);
        return;
    }
    for (size_t channel = 0; channel < numbers->channels; channel++) {
        const struct row_scale scale = scale_of(dtype, &group, input, channel);
        row_normalise(dtype, (char *)output[Y] + channel * length * bytes_of(dtype),
                      group_part(dtype, input[X], channel * length), &scale, length);
    }
}

static inline __attribute__((always_inline)) void group_norm_silu(enum arithmetic dtype,
                                                                  const void *const *input,
                                                                  void *const *output, size_t count,
                                                                  double *room, const void *parameters)
{
    const struct group_numbers *numbers = parameters;
    const size_t length = numbers->channels > 0 ? count / (size_t)numbers->channels : 0;
    const struct row_scale group = group_of(dtype, input[X], output, count, numbers->eps);
    (void)room;
    for (size_t channel = 0; channel < numbers->channels; channel++) {
        const struct row_scale scale = scale_of(dtype, &group, input, channel);
        const void *const x = group_part(dtype, input[X], channel * length);
        void *const y = (char *)output[Y] + channel * length * bytes_of(dtype);
        for (size_t i = 0; i < length; i += LANES) {
            const doubles normal = (row_load(dtype, x, i, length - i) - scale.mean) * scale.rstd;
            const doubles z = normal * scale.weight + scale.bias;
            row_store(dtype, y, i, numbers->is_activated ? z / (1 + maths_exp(-numbers->swish * z)) : z,
                      length - i, true);
        }
    }
}

ROWS_KERNELS(group_norm, group_norm)
ROWS_KERNELS(group_norm_silu, group_norm_silu)

#else

/* The contract. */
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_silu.h"
#include "aclnnop/aclnn_group_norm_swish.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/signature.h"

ROWS_LEVELS(group_norm);
ROWS_LEVELS(group_norm_silu);
static const struct rows forward_rows = {group_norm_rows, group_norm_rows_fp32, .is_roomless = true,
                                         .element_ps = 500};
static const struct rows silu_rows = {group_norm_silu_rows, group_norm_silu_rows_fp32, .is_roomless = true,
                                      .element_ps = 1500};

#define GROUP_NORM(X, of)                                                        \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "2x4x3")                   \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4") \
    X(of, IN, beta, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4")  \
    X(of, INT64, N, .sample = "2")                                               \
    X(of, INT64, C, .sample = "4")                                               \
    X(of, INT64, HxW, .sample = "3")                                             \
    X(of, INT64, group, .sample = "2")                                           \
    X(of, DOUBLE, eps, .usual = "1e-05")                                         \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                      \
    X(of, OUT, meanOut, &dtypes_fp32_fp16_bf16)                                  \
    X(of, OUT, rstdOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(GROUP_NORM)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct group_sizes sizes = group_sizes_of(call, GROUP_NORM_N);
    TRY(check_dtype(call, GROUP_NORM_self));
    for (unsigned i = GROUP_NORM_gamma; i <= GROUP_NORM_beta; i++)
        if (call_has(call, i)) {
            TRY(check_dtype(call, i));
            TRY(check_same_dtype(call, i, GROUP_NORM_self, NULL));
        }
    TRY(check_rank(call, GROUP_NORM_self));
    TRY(check_group_sizes(call, GROUP_NORM_N));
    TRY(check_group_elements(call, GROUP_NORM_self, &sizes));
    TRY(check_eps(call, call->argument[GROUP_NORM_eps].fp64));
    TRY(check_channel_factor(call, GROUP_NORM_gamma, sizes.channels));
    TRY(check_channel_factor(call, GROUP_NORM_beta, sizes.channels));
    result->computed = call_dtype(call, GROUP_NORM_self);
    result_add(result, result->computed, DTYPE_EQUAL)->like = GROUP_NORM_self;
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    /* The strides of out may not fit where those of self do. */
    return call->has_outputs && call->tensor[GROUP_NORM_out].count == call->tensor[GROUP_NORM_self].count
               ? check_group_elements(call, GROUP_NORM_out, &sizes)
               : ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(GROUP_NORM_self, WHOLE),
                                  ROWS_TENSOR(GROUP_NORM_gamma, CHANNELS),
                                  ROWS_TENSOR(GROUP_NORM_beta, CHANNELS)};
    struct rows_tensor output[] = {ROWS_TENSOR(GROUP_NORM_out, WHOLE),
                                   ROWS_TENSOR(GROUP_NORM_meanOut, SINGLE),
                                   ROWS_TENSOR(GROUP_NORM_rstdOut, SINGLE)};
    const struct group_sizes sizes = group_sizes_of(call, GROUP_NORM_N);
    (void)result;
    return plan_groups(call, &sizes, (struct group_numbers){.eps = call->argument[GROUP_NORM_eps].fp64},
                       input, 3, output);
}

/* GroupNormSilu and GroupNormSwish: sizes are those of self. */
#define GROUP_NORM_SILU(X, of)                                                   \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "2x4x3")                   \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4") \
    X(of, IN, beta, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4")  \
    X(of, INT64, group, .usual = "1")                                            \
    X(of, DOUBLE, eps, .usual = "1e-05")                                         \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                      \
    X(of, OUT, meanOut, &dtypes_fp32_fp16_bf16)                                  \
    X(of, OUT, rstdOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(GROUP_NORM_SILU)
#define GROUP_NORM_SWISH(X, of)                             \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "2x4x3") \
    X(of, IN, gamma, &dtypes_fp32_fp16_bf16, .sample = "4") \
    X(of, IN, beta, &dtypes_fp32_fp16_bf16, .sample = "4")  \
    X(of, INT64, numGroups, .usual = "1")                   \
    X(of, TEXT, dataFormatOptional, .is_optional = true)    \
    X(of, DOUBLE, eps, .usual = "1e-05")                    \
    X(of, BOOL, activateSwish, .usual = "true")             \
    X(of, DOUBLE, swishScale, .usual = "1")                 \
    X(of, OUT, yOut, &dtypes_fp32_fp16_bf16)                \
    X(of, OUT, meanOut, &dtypes_fp32_fp16_bf16)             \
    X(of, OUT, rstdOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(GROUP_NORM_SWISH)

static bool is_swish(const struct call *call)
{
    return call->function->parameter[GROUP_NORM_SWISH_dataFormatOptional].kind == PARAMETER_STRING;
}

static aclnnStatus infer_silu(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, GROUP_NORM_self));
    TRY(check_factor_dtype(call, GROUP_NORM_gamma, GROUP_NORM_self));
    TRY(check_factor_dtype(call, GROUP_NORM_beta, GROUP_NORM_self));
    TRY(check_channels(call, GROUP_NORM_self));
    const struct group_sizes sizes =
        group_sizes_of_view(&call->tensor[GROUP_NORM_self], call->argument[GROUP_NORM_SILU_group].int64);
    TRY(check_group(call, &sizes));
    TRY(check_eps(call, call->argument[is_swish(call) ? GROUP_NORM_SWISH_eps : GROUP_NORM_SILU_eps].fp64));
    TRY(check_channel_factor(call, GROUP_NORM_gamma, sizes.channels));
    TRY(check_channel_factor(call, GROUP_NORM_beta, sizes.channels));
    result->computed = call_dtype(call, GROUP_NORM_self);
    result_add(result, result->computed, DTYPE_EQUAL)->like = GROUP_NORM_self;
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_silu(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(GROUP_NORM_self, WHOLE),
                                  ROWS_TENSOR(GROUP_NORM_gamma, CHANNELS),
                                  ROWS_TENSOR(GROUP_NORM_beta, CHANNELS)};
    const unsigned out = is_swish(call) ? GROUP_NORM_SWISH_yOut : GROUP_NORM_SILU_out;
    struct rows_tensor output[] = {ROWS_TENSOR(out, WHOLE), ROWS_TENSOR(out + 1, SINGLE),
                                   ROWS_TENSOR(out + 2, SINGLE)};
    const struct group_sizes sizes =
        group_sizes_of_view(&call->tensor[GROUP_NORM_self], call->argument[GROUP_NORM_SILU_group].int64);
    struct group_numbers numbers = {call->argument[GROUP_NORM_SILU_eps].fp64, 1, true, 0};
    if (is_swish(call))
        numbers = (struct group_numbers){call->argument[GROUP_NORM_SWISH_eps].fp64,
                                         call->argument[GROUP_NORM_SWISH_swishScale].fp64,
                                         call->argument[GROUP_NORM_SWISH_activateSwish].boolean, 0};
    (void)result;
    return plan_groups(call, &sizes, numbers, input, 3, output);
}

FUNCTION_OF(aclnnGroupNorm, GROUP_NORM, .stem = "group_norm", .promise = &promise_sum, ROWS(&forward_rows),
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnGroupNormSilu, GROUP_NORM_SILU, .stem = "group_norm_silu", .promise = &promise_sum,
            ROWS(&silu_rows), .infer = infer_silu, .plan = plan_silu);

FUNCTION_OF(aclnnGroupNormSwish, GROUP_NORM_SWISH, .stem = "group_norm_swish", .promise = &promise_sum,
            ROWS(&silu_rows), .infer = infer_silu, .plan = plan_silu);

#endif
