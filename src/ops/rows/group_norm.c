/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalisation of groups of channels, which dim 1 counts, in each image: y = (x - mean) rstd gamma + beta,
 * rstd = 1 / sqrt(variance + eps), gamma and beta for each channel; and its gradients. With n = (x - mean)
 * rstd and h = gradient gamma, that of x is rstd (h - mean of h - n mean of h n) over the group, those of
 * gamma and beta are the sums of gradient n and gradient over each channel of all images.
 */
#include <stdint.h>

struct group_numbers {
    double eps;
    uint64_t channels; /* of a group */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/row_gradient.h"

enum { X, GAMMA, BETA };
enum { Y, MEAN, RSTD };

static inline const void *part_of(enum arithmetic dtype, const void *row, size_t i)
{
    return (const char *)row + i * bytes_of(dtype);
}

static inline double factor_of(enum arithmetic dtype, const void *factors, size_t channel, double otherwise)
{
    return factors == NULL ? otherwise : row_single(dtype, part_of(dtype, factors, channel), 0);
}

static inline __attribute__((always_inline)) void group_norm(enum arithmetic dtype, const void *const *input,
                                                             void *const *output, size_t count, double *room,
                                                             const void *parameters)
{
    const struct group_numbers *numbers = parameters;
    const size_t length = numbers->channels > 0 ? count / (size_t)numbers->channels : 0;
    const struct row_moments moments = row_moments(dtype, input[X], count);
    struct row_scale scale = {moments.mean, 1 / sqrt(moments.variance + numbers->eps), 1, -0.0, NULL, NULL};
    (void)room;
    row_store_single(dtype, output[MEAN], scale.mean);
    row_store_single(dtype, output[RSTD], scale.rstd);
    if (length == 1) { /* every element is a channel */
        scale.weights = input[GAMMA];
        scale.biases = input[BETA];
        row_normalise(dtype, output[Y], input[X], &scale, count);
        return;
    }
    for (size_t channel = 0; channel < numbers->channels; channel++) {
        const struct row_scale part = {scale.mean,
                                       scale.rstd,
                                       factor_of(dtype, input[GAMMA], channel, 1),
                                       factor_of(dtype, input[BETA], channel, -0.0),
                                       NULL,
                                       NULL};
        row_normalise(dtype, (char *)output[Y] + channel * length * bytes_of(dtype),
                      part_of(dtype, input[X], channel * length), &part, length);
    }
}

enum { GRADIENT, BACK_X, BACK_MEAN, BACK_RSTD, BACK_GAMMA };
enum { GRADIENT_X, GRADIENT_GAMMA, GRADIENT_BETA };

static inline __attribute__((always_inline)) struct row_gradient
channel_of(enum arithmetic dtype, const struct row_gradient *row, size_t place)
{
    return (struct row_gradient){part_of(dtype, row->gradient, place), part_of(dtype, row->x, place),
                                 row->mean, row->rstd};
}

static inline __attribute__((always_inline)) void group_norm_backward(enum arithmetic dtype,
                                                                      const void *const *input,
                                                                      void *const *output, size_t count,
                                                                      double *room, const void *parameters)
{
    const struct group_numbers *numbers = parameters;
    const size_t length = numbers->channels > 0 ? count / (size_t)numbers->channels : 0;
    const struct row_gradient row = {input[GRADIENT], input[BACK_X], row_single(dtype, input[BACK_MEAN], 0),
                                     row_single(dtype, input[BACK_RSTD], 1)};
    struct row_sums mean = {0, 0};
    (void)room;
    for (size_t channel = 0; channel < numbers->channels; channel++) {
        const struct row_gradient part = channel_of(dtype, &row, channel * length);
        const struct row_gradient_terms terms = {&part, NULL, NULL, NULL};
        const struct row_sums sums = row_gradient_sums(dtype, &terms, length);
        const double gamma = factor_of(dtype, input[BACK_GAMMA], channel, 1);
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
                           NULL, factor_of(dtype, input[BACK_GAMMA], channel, 1), row.rstd, mean, length);
    }
}

ROWS_KERNELS(group_norm, group_norm)
ROWS_KERNELS(group_norm_backward, group_norm_backward)

#else

/* The contract. */
#include <inttypes.h>

#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_backward.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/rows/rows.h"

ROWS_LEVELS(group_norm);
ROWS_LEVELS(group_norm_backward);
static const struct rows forward_rows = {group_norm_rows, group_norm_rows_fp32, .is_roomless = true,
                                         .element_ps = 500};
static const struct rows backward_rows = {group_norm_backward_rows, group_norm_backward_rows_fp32,
                                          .is_roomless = true, .element_ps = 700};

enum { SELF, GAMMA, BETA, IMAGES, CHANNELS, AREA, GROUP, EPS, OUT, MEAN, RSTD };
enum {
    GRAD_OUT,
    INPUT,
    BACK_MEAN,
    BACK_RSTD,
    BACK_GAMMA,
    BACK_IMAGES,
    BACK_CHANNELS,
    BACK_AREA,
    BACK_GROUP,
    MASK,
    GRAD_INPUT,
    GRAD_GAMMA,
    GRAD_BETA
};

/* The sizes that a call gives, from the parameter of the first one on. */
struct sizes {
    int64_t images, channels, area, group;
};

static struct sizes sizes_of(const struct call *call, unsigned first)
{
    const union argument *argument = &call->argument[first];
    return (struct sizes){argument[0].int64, argument[1].int64, argument[2].int64, argument[3].int64};
}

static aclnnStatus check_sizes(const struct call *call, unsigned first)
{
    const struct sizes sizes = sizes_of(call, first);
    for (unsigned i = first; i < first + 3; i++)
        if (call->argument[i].int64 < 0)
            return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is %" PRId64 "; 0 or more is expected",
                        call->function->operation.name, call->function->parameter[i].name,
                        call->argument[i].int64);
    return sizes.group > 0 && sizes.channels % sizes.group == 0
               ? ACLNN_SUCCESS
               : fail(ACLNN_ERR_PARAM_INVALID,
                      "%s: group is %" PRId64 "; a divisor of C, %" PRId64 ", is expected",
                      call->function->operation.name, sizes.group, sizes.channels);
}

/* Dims N and C, and then some whose sizes have the product HxW. */
static bool has_sizes(const struct tensor_view *view, const struct sizes *sizes)
{
    int64_t area = 1;
    if (view->rank < 2 || view->rank > OPERAND_RANK_MAX || view->shape[0] != sizes->images ||
        view->shape[1] != sizes->channels)
        return false;
    for (uint32_t i = 2; i < view->rank; i++)
        if (__builtin_mul_overflow(area, view->shape[i], &area))
            return false;
    return area == sizes->area;
}

/* Of a tensor as it is, or as if it had these dims where its elements follow one another. */
static aclnnStatus check_elements(const struct call *call, unsigned parameter, const struct sizes *sizes)
{
    const struct tensor_view *view = &call->tensor[parameter];
    int64_t count;
    const bool is_whole = !__builtin_mul_overflow(sizes->images, sizes->channels, &count) &&
                          !__builtin_mul_overflow(count, sizes->area, &count) && view->count == count;
    if (has_sizes(view, sizes) || (is_whole && view->is_contiguous))
        return ACLNN_SUCCESS;
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: the dims of %s are not N, C and those of HxW: %" PRId64 ", %" PRId64 " and %" PRId64,
                call->function->operation.name, call->function->parameter[parameter].name, sizes->images,
                sizes->channels, sizes->area);
}

/* The view with dims N, group, channels of a group, and the rest. */
static struct tensor_view by_groups(const struct tensor_view *view, const struct sizes *sizes)
{
    struct tensor_view split = *view;
    const int64_t channels = sizes->channels / sizes->group;
    if (!has_sizes(view, sizes)) {
        split.rank = 3;
        split.shape[2] = sizes->area;
        split.stride[2] = 1;
        split.stride[1] = sizes->area;
        split.stride[0] = sizes->area * sizes->channels;
    }
    for (uint32_t i = split.rank; i-- > 2;) {
        split.shape[i + 1] = split.shape[i];
        split.stride[i + 1] = split.stride[i];
    }
    split.rank++;
    split.shape[0] = sizes->images;
    split.shape[1] = sizes->group;
    split.shape[2] = channels;
    split.stride[2] = split.stride[1];
    split.stride[1] = split.stride[2] * channels;
    return split;
}

/* What has an element for each channel in a view of that rank: its one dim, in groups, and then dims of 1. */
static struct tensor_view factor_by_groups(const struct tensor_view *view, const struct sizes *sizes,
                                           uint32_t rank)
{
    struct tensor_view split = *view;
    int64_t stride = 0;
    for (uint32_t i = 0; i < view->rank; i++)
        stride = view->shape[i] != 1 ? view->stride[i] : stride;
    split.rank = rank - 1;
    for (uint32_t i = 2; i < split.rank; i++) {
        split.shape[i] = 1;
        split.stride[i] = 0;
    }
    split.shape[0] = sizes->group;
    split.shape[1] = sizes->channels / sizes->group;
    split.stride[1] = stride;
    split.stride[0] = stride * split.shape[1];
    return split;
}

/* gamma or beta: C elements along one dim. */
static aclnnStatus check_channel_factor(const struct call *call, unsigned parameter, int64_t channels)
{
    unsigned dims = 0;
    TRY(check_count(call, parameter, channels, "one for each channel"));
    for (uint32_t i = 0; call_has(call, parameter) && i < call->tensor[parameter].rank; i++)
        dims += call->tensor[parameter].shape[i] != 1;
    return dims <= 1 ? ACLNN_SUCCESS
                     : fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has %u dims; one is expected",
                            call->function->operation.name, call->function->parameter[parameter].name, dims);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct sizes sizes = sizes_of(call, IMAGES);
    TRY(check_dtype(call, SELF));
    for (unsigned i = GAMMA; i <= BETA; i++)
        if (call_has(call, i)) {
            TRY(check_dtype(call, i));
            TRY(check_same_dtype(call, i, SELF, NULL));
        }
    TRY(check_rank(call, SELF));
    TRY(check_sizes(call, IMAGES));
    TRY(check_elements(call, SELF, &sizes));
    if (!(call->argument[EPS].fp64 > 0))
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: eps is %g; more than 0 is expected",
                    call->function->operation.name, call->argument[EPS].fp64);
    TRY(check_channel_factor(call, GAMMA, sizes.channels));
    TRY(check_channel_factor(call, BETA, sizes.channels));
    result->computed = call_dtype(call, SELF);
    result_add(result, result->computed, DTYPE_EQUAL)->like = SELF;
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    result_by_count(result, 2, (const int64_t[]){sizes.images, sizes.group});
    return call->has_outputs && call->tensor[OUT].count == call->tensor[SELF].count
               ? check_elements(call, OUT, &sizes) /* whose strides may not fit where those of self do */
               : ACLNN_SUCCESS;
}

/* A request for the rows of groups: by views of its tensors, which are filled in. */
static aclnnStatus plan_groups(const struct call *call, const struct sizes *sizes, double eps,
                               struct rows_tensor *input, unsigned inputs, struct rows_tensor *output)
{
    const struct group_numbers numbers = {eps, (uint64_t)(sizes->channels / sizes->group)};
    struct tensor_view view[ROWS_INPUTS_MAX + ROWS_OUTPUTS_MAX];
    for (unsigned i = 0; i < inputs + 3; i++) {
        struct rows_tensor *tensor = i < inputs ? &input[i] : &output[i - inputs];
        const struct tensor_view *given = call_view(call, tensor->parameter);
        if (!call_has(call, tensor->parameter) ||
            (tensor->part != ROWS_WHOLE && tensor->part != ROWS_CHANNELS))
            continue;
        view[i] = tensor->part == ROWS_WHOLE ? by_groups(given, sizes)
                                             : factor_by_groups(given, sizes, view[0].rank);
        tensor->view = &view[i];
    }
    const struct rows_request request = {.rank = view[0].rank,
                                         .shape = view[0].shape,
                                         .along = ~UINT32_C(3),
                                         .input = input,
                                         .output = output,
                                         .inputs = inputs,
                                         .outputs = 3,
                                         .period = (uint64_t)sizes->group,
                                         .parameters = &numbers,
                                         .parameter_bytes = sizeof numbers};
    return rows_plan(call, &request);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(SELF, WHOLE), ROWS_TENSOR(GAMMA, CHANNELS),
                                  ROWS_TENSOR(BETA, CHANNELS)};
    struct rows_tensor output[] = {ROWS_TENSOR(OUT, WHOLE), ROWS_TENSOR(MEAN, SINGLE),
                                   ROWS_TENSOR(RSTD, SINGLE)};
    const struct sizes sizes = sizes_of(call, IMAGES);
    (void)result;
    return plan_groups(call, &sizes, call->argument[EPS].fp64, input, 3, output);
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    const struct sizes sizes = sizes_of(call, BACK_IMAGES);
    TRY(check_mask(call, MASK, 3));
    TRY(check_dtype(call, GRAD_OUT));
    TRY(check_dtype(call, INPUT));
    TRY(check_same_dtype(call, INPUT, GRAD_OUT, NULL));
    TRY(check_factor_dtype(call, BACK_MEAN, INPUT));
    TRY(check_factor_dtype(call, BACK_RSTD, INPUT));
    TRY(check_factor_dtype(call, BACK_GAMMA, INPUT));
    TRY(check_rank(call, GRAD_OUT));
    TRY(check_rank(call, INPUT));
    TRY(check_sizes(call, BACK_IMAGES));
    TRY(check_elements(call, GRAD_OUT, &sizes));
    TRY(check_elements(call, INPUT, &sizes));
    TRY(check_same_shape(call, GRAD_OUT, INPUT, NULL));
    for (unsigned i = BACK_MEAN; i <= BACK_RSTD; i++)
        TRY(check_count(call, i, sizes.images * sizes.group, "one for each group of each image"));
    TRY(check_channel_factor(call, BACK_GAMMA, sizes.channels));
    result->computed = call_dtype(call, INPUT);
    result_add(result, result->computed, DTYPE_ANY)->like = INPUT;
    result_by_count(result, 1, &sizes.channels);
    result_by_count(result, 1, &sizes.channels);
    for (unsigned i = 0; i < 3; i++)
        result->output[i].is_unwanted = !mask_has(call, MASK, i);
    return call->has_outputs && mask_has(call, MASK, 0) &&
                   call->tensor[GRAD_INPUT].count == call->tensor[INPUT].count
               ? check_elements(call, GRAD_INPUT, &sizes)
               : ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    struct rows_tensor input[] = {ROWS_TENSOR(GRAD_OUT, WHOLE), ROWS_TENSOR(INPUT, WHOLE),
                                  ROWS_TENSOR(BACK_MEAN, SINGLE), ROWS_TENSOR(BACK_RSTD, SINGLE),
                                  ROWS_TENSOR(BACK_GAMMA, CHANNELS)};
    struct rows_tensor output[] = {ROWS_TENSOR(GRAD_INPUT, WHOLE), ROWS_TENSOR(GRAD_GAMMA, SUMS),
                                   ROWS_TENSOR(GRAD_BETA, SUMS)};
    const struct sizes sizes = sizes_of(call, BACK_IMAGES);
    for (unsigned i = 0; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    return plan_groups(call, &sizes, 0, input, 5, output);
}

#define OPTIONAL(entry_, name_, sample_) \
    entry_(name_, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = (sample_))

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

static const struct parameter backward_parameters[] = {
    [GRAD_OUT] = READ("gradOut", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16, .sample = "2x4x3"),
    [BACK_MEAN] = READ("mean", &dtypes_fp32_fp16_bf16, .sample = "2x2"),
    [BACK_RSTD] = READ("rstd", &dtypes_fp32_fp16_bf16, .sample = "2x2"),
    [BACK_GAMMA] = OPTIONAL(READ, "gamma", "4"),
    [BACK_IMAGES] = {"N", .kind = PARAMETER_INT64, .sample = "2"},
    [BACK_CHANNELS] = {"C", .kind = PARAMETER_INT64, .sample = "4"},
    [BACK_AREA] = {"HxW", .kind = PARAMETER_INT64, .sample = "3"},
    [BACK_GROUP] = {"group", .kind = PARAMETER_INT64, .sample = "2"},
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
         .stem = "group_norm_backward", PARAMETERS(backward_parameters), .promise = &promise_sum,
         ROWS(&backward_rows), .infer = infer_backward, .plan = plan_backward);

#endif
