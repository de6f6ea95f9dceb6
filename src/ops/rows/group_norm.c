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

ROWS_LEVELS(group_norm);
ROWS_LEVELS(group_norm_silu);
static const struct rows forward_rows = {group_norm_rows, group_norm_rows_fp32, .is_roomless = true,
                                         .element_ps = 500};
static const struct rows silu_rows = {group_norm_silu_rows, group_norm_silu_rows_fp32, .is_roomless = true,
                                      .element_ps = 1500};

enum { SELF, GAMMA, BETA, IMAGES, CHANNELS, AREA, GROUP, EPS, OUT, MEAN, RSTD };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct group_sizes sizes = group_sizes_of(call, IMAGES);
    TRY(check_dtype(call, SELF));
    for (unsigned i = GAMMA; i <= BETA; i++)
        if (call_has(call, i)) {
            TRY(check_dtype(call, i));
            TRY(check_same_dtype(call, i, SELF, NULL));
        }
    TRY(check_rank(call, SELF));
    TRY(check_group_sizes(call, IMAGES));
    TRY(check_group_elements(call, SELF, &sizes));
    TRY(check_eps(call, call->argument[EPS].fp64));
    TRY(check_channel_factor(call, GAMMA, sizes.channels));
    TRY(check_channel_factor(call, BETA, sizes.channels));
    result->computed = call_dtype(call, SELF);
    result_add(result, result->computed, DTYPE_EQUAL)->like = SELF;
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    /* The strides of out may not fit where those of self do. */
    return call->has_outputs && call->tensor[OUT].count == call->tensor[SELF].count
               ? check_group_elements(call, OUT, &sizes)
               : ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(SELF, WHOLE), ROWS_TENSOR(GAMMA, CHANNELS),
                                  ROWS_TENSOR(BETA, CHANNELS)};
    struct rows_tensor output[] = {ROWS_TENSOR(OUT, WHOLE), ROWS_TENSOR(MEAN, SINGLE),
                                   ROWS_TENSOR(RSTD, SINGLE)};
    const struct group_sizes sizes = group_sizes_of(call, IMAGES);
    (void)result;
    return plan_groups(call, &sizes, (struct group_numbers){.eps = call->argument[EPS].fp64}, input, 3,
                       output);
}

/* GroupNormSilu and GroupNormSwish: sizes are those of self. */
enum { SILU_GROUP = 3, SILU_EPS, SILU_OUT };
enum { SWISH_FORMAT = SILU_GROUP + 1, SWISH_EPS, SWISH_ACTIVATE, SWISH_SCALE, SWISH_OUT };

static bool is_swish(const struct call *call)
{
    return call->function->parameter[SWISH_FORMAT].kind == PARAMETER_STRING;
}

static aclnnStatus infer_silu(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_factor_dtype(call, GAMMA, SELF));
    TRY(check_factor_dtype(call, BETA, SELF));
    TRY(check_channels(call, SELF));
    const struct group_sizes sizes =
        group_sizes_of_view(&call->tensor[SELF], call->argument[SILU_GROUP].int64);
    TRY(check_group(call, &sizes));
    TRY(check_eps(call, call->argument[is_swish(call) ? SWISH_EPS : SILU_EPS].fp64));
    TRY(check_channel_factor(call, GAMMA, sizes.channels));
    TRY(check_channel_factor(call, BETA, sizes.channels));
    result->computed = call_dtype(call, SELF);
    result_add(result, result->computed, DTYPE_EQUAL)->like = SELF;
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_silu(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(SELF, WHOLE), ROWS_TENSOR(GAMMA, CHANNELS),
                                  ROWS_TENSOR(BETA, CHANNELS)};
    const unsigned out = is_swish(call) ? SWISH_OUT : SILU_OUT;
    struct rows_tensor output[] = {ROWS_TENSOR(out, WHOLE), ROWS_TENSOR(out + 1, SINGLE),
                                   ROWS_TENSOR(out + 2, SINGLE)};
    const struct group_sizes sizes =
        group_sizes_of_view(&call->tensor[SELF], call->argument[SILU_GROUP].int64);
    struct group_numbers numbers = {call->argument[SILU_EPS].fp64, 1, true, 0};
    if (is_swish(call))
        numbers = (struct group_numbers){call->argument[SWISH_EPS].fp64, call->argument[SWISH_SCALE].fp64,
                                         call->argument[SWISH_ACTIVATE].boolean, 0};
    (void)result;
    return plan_groups(call, &sizes, numbers, input, 3, output);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [GAMMA] = OPTIONAL(READ, "gamma", "4"),
    [BETA] = OPTIONAL(READ, "beta", "4"),
    [IMAGES] = {"N", .kind = PARAMETER_INT64, .sample = "2"},
    [CHANNELS] = {"C", .kind = PARAMETER_INT64, .sample = "4"},
    [AREA] = {"HxW", .kind = PARAMETER_INT64, .sample = "3"},
    [GROUP] = {"group", .kind = PARAMETER_INT64, .sample = "2"},
    [EPS] = USUAL("eps", DOUBLE, "1e-05"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
    [MEAN] = WRITTEN("meanOut", &dtypes_fp32_fp16_bf16),
    [RSTD] = WRITTEN("rstdOut", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnGroupNorm,
         (const aclTensor *self, const aclTensor *gamma, const aclTensor *beta, int64_t N, int64_t C,
          int64_t HxW, int64_t group, double eps, aclTensor *out, aclTensor *meanOut, aclTensor *rstdOut),
         (ARG(self), ARG(gamma), ARG(beta), ARG(N), ARG(C), ARG(HxW), ARG(group), ARG(eps), ARG(out),
          ARG(meanOut), ARG(rstdOut)),
         .stem = "group_norm", PARAMETERS(parameters), .promise = &promise_sum, ROWS(&forward_rows),
         .infer = infer, .plan = plan);

static const struct parameter silu_parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [GAMMA] = OPTIONAL(READ, "gamma", "4"),
    [BETA] = OPTIONAL(READ, "beta", "4"),
    [SILU_GROUP] = USUAL("group", INT64, "1"),
    [SILU_EPS] = USUAL("eps", DOUBLE, "1e-05"),
    [SILU_OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
    WRITTEN("meanOut", &dtypes_fp32_fp16_bf16),
    WRITTEN("rstdOut", &dtypes_fp32_fp16_bf16)};

FUNCTION(aclnnGroupNormSilu,
         (const aclTensor *self, const aclTensor *gamma, const aclTensor *beta, int64_t group, double eps,
          aclTensor *out, aclTensor *meanOut, aclTensor *rstdOut),
         (ARG(self), ARG(gamma), ARG(beta), ARG(group), ARG(eps), ARG(out), ARG(meanOut), ARG(rstdOut)),
         .stem = "group_norm_silu", PARAMETERS(silu_parameters), .promise = &promise_sum, ROWS(&silu_rows),
         .infer = infer_silu, .plan = plan_silu);

static const struct parameter swish_parameters[] = {
    [SELF] = READ("x", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [GAMMA] = READ("gamma", &dtypes_fp32_fp16_bf16, .sample = "4"),
    [BETA] = READ("beta", &dtypes_fp32_fp16_bf16, .sample = "4"),
    [SILU_GROUP] = USUAL("numGroups", INT64, "1"),
    [SWISH_FORMAT] = {"dataFormatOptional", .kind = PARAMETER_STRING, .is_optional = true},
    [SWISH_EPS] = USUAL("eps", DOUBLE, "1e-05"),
    [SWISH_ACTIVATE] = USUAL("activateSwish", BOOL, "true"),
    [SWISH_SCALE] = USUAL("swishScale", DOUBLE, "1"),
    [SWISH_OUT] = WRITTEN("yOut", &dtypes_fp32_fp16_bf16),
    WRITTEN("meanOut", &dtypes_fp32_fp16_bf16),
    WRITTEN("rstdOut", &dtypes_fp32_fp16_bf16)};

FUNCTION(aclnnGroupNormSwish,
         (const aclTensor *x, const aclTensor *gamma, const aclTensor *beta, int64_t numGroups,
          char *dataFormatOptional, double eps, bool activateSwish, double swishScale, aclTensor *yOut,
          aclTensor *meanOut, aclTensor *rstdOut),
         (ARG(x), ARG(gamma), ARG(beta), ARG(numGroups), ARG(dataFormatOptional), ARG(eps),
          ARG(activateSwish), ARG(swishScale), ARG(yOut), ARG(meanOut), ARG(rstdOut)),
         .stem = "group_norm_swish", PARAMETERS(swish_parameters), .promise = &promise_sum, ROWS(&silu_rows),
         .infer = infer_silu, .plan = plan_silu);

#endif
