/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalisation of channels, which dim 1 counts: y = (x - mean) rstd weight + bias, rstd = 1 / sqrt(variance
 * + eps), with the moments of the batch in training and the running ones otherwise; and its gradients. With
 * n = (x - mean) rstd, that of x is weight rstd (g - mean of g - n mean of g n), or weight rstd g where the
 * moments are not of x; those of weight and bias are the sums of g n and g.
 *
 * What training saves of the variance depends on the product: 1 / sqrt(variance + eps) on the newest one, the
 * variance itself on the others. Each reads what it writes.
 */
#include <stdbool.h>

struct batch_numbers {
    double eps, momentum;
    bool is_training, is_variance; /* that is saved */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row_gradient.h"

enum { X, WEIGHT, BIAS, RUNNING_MEAN, RUNNING_VARIANCE };
enum { Y, SAVED_MEAN, SAVED_VARIANCE, NEXT_MEAN, NEXT_VARIANCE };

static inline double next_running(double running, double batch, double momentum)
{
    return (1 - momentum) * running + momentum * batch;
}

static inline __attribute__((always_inline)) void batch_norm(enum arithmetic dtype, const void *const *input,
                                                             void *const *output, size_t count, double *room,
                                                             const void *parameters)
{
    const struct batch_numbers *numbers = parameters;
    const double running_mean = row_single(dtype, input[RUNNING_MEAN], 0);
    const double running_variance = row_single(dtype, input[RUNNING_VARIANCE], 1);
    struct row_moments moments = {running_mean, running_variance};
    (void)room;
    if (numbers->is_training)
        moments = row_moments(dtype, input[X], count);
    const double rstd = 1 / sqrt(moments.variance + numbers->eps);
    const struct row_scale scale = {
        moments.mean, rstd, row_single(dtype, input[WEIGHT], 1), row_single(dtype, input[BIAS], -0.0),
        NULL,         NULL};
    row_store_single(dtype, output[SAVED_MEAN], moments.mean);
    row_store_single(dtype, output[SAVED_VARIANCE],
                     numbers->is_variance && count > 0 ? moments.variance : rstd);
    if (numbers->is_training && count > 0) {
        const double n = (double)count, unbiased = count > 1 ? n / (n - 1) : 1;
        row_store_single(dtype, output[NEXT_MEAN],
                         next_running(running_mean, moments.mean, numbers->momentum));
        row_store_single(dtype, output[NEXT_VARIANCE],
                         next_running(running_variance, moments.variance * unbiased, numbers->momentum));
    } else {
        row_store_single(dtype, output[NEXT_MEAN], running_mean);
        row_store_single(dtype, output[NEXT_VARIANCE], running_variance);
    }
    row_normalise(dtype, output[Y], input[X], &scale, count);
}

enum { GRADIENT, BACK_X, BACK_WEIGHT, MEAN, VARIANCE };
enum { GRADIENT_X, GRADIENT_WEIGHT, GRADIENT_BIAS };

static inline __attribute__((always_inline)) void batch_norm_backward(enum arithmetic dtype,
                                                                      const void *const *input,
                                                                      void *const *output, size_t count,
                                                                      double *room, const void *parameters)
{
    const struct batch_numbers *numbers = parameters;
    const double weight = row_single(dtype, input[BACK_WEIGHT], 1);
    const double variance = row_single(dtype, input[VARIANCE], 1);
    const struct row_gradient row = {input[GRADIENT], input[BACK_X], row_single(dtype, input[MEAN], 0),
                                     numbers->is_variance ? 1 / sqrt(variance + numbers->eps) : variance};
    const struct row_gradient_terms terms = {&row, NULL, NULL, NULL};
    struct row_sums sums = {0, 0};
    (void)room;
    if (numbers->is_training || output[GRADIENT_WEIGHT] != NULL || output[GRADIENT_BIAS] != NULL)
        sums = row_gradient_sums(dtype, &terms, count);
    row_store_single(dtype, output[GRADIENT_WEIGHT], sums.hn);
    row_store_single(dtype, output[GRADIENT_BIAS], sums.h);
    if (output[GRADIENT_X] == NULL)
        return;
    if (numbers->is_training) {
        const struct row_sums mean = {sums.h / (double)count, sums.hn / (double)count};
        row_gradient_store(dtype, output[GRADIENT_X], &row, NULL, 1, weight * row.rstd, mean, count);
    } else {
        for (size_t i = 0; i < count; i += LANES) {
            const doubles gradient = row_load(dtype, row.gradient, i, count - i);
            row_store(dtype, output[GRADIENT_X], i, gradient * (weight * row.rstd), count - i, true);
        }
    }
}

ROWS_KERNELS(batch_norm, batch_norm)
ROWS_KERNELS(batch_norm_backward, batch_norm_backward)

#else

/* The contract. */
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_fast_batch_norm_backward.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/loops/rows.h"

ROWS_LEVELS(batch_norm);
ROWS_LEVELS(batch_norm_backward);
static const struct rows forward_rows = {batch_norm_rows, batch_norm_rows_fp32, .is_roomless = true,
                                         .element_ps = 500};
static const struct rows backward_rows = {batch_norm_backward_rows, batch_norm_backward_rows_fp32,
                                          .is_roomless = true, .element_ps = 700};

enum { INPUT, WEIGHT, BIAS, RUNNING_MEAN, RUNNING_VAR, TRAINING, MOMENTUM, EPS, OUT, SAVE_MEAN, SAVE_INVSTD };
enum {
    GRAD_OUT,
    BACK_INPUT,
    BACK_WEIGHT,
    BACK_RUNNING_MEAN,
    BACK_RUNNING_VAR,
    BACK_SAVE_MEAN,
    BACK_SAVE_INVSTD,
    BACK_TRAINING,
    BACK_EPS,
    MASK,
    VERSION
};

/* What has one element for each channel: an output of any dtype. */
static struct output *add_channels(struct result *result, int64_t channels)
{
    struct output *output = result_add(result, ACL_FLOAT, DTYPE_ANY);
    output->shape_rule = SHAPE_BY_COUNT;
    output->shape.rank = 1;
    output->shape.dim[0] = channels;
    return output;
}

/* An output that the input is, too: nothing to judge, or what was judged as an input. Only training writes
 * it. */
static void add_running(const struct call *call, struct result *result, unsigned parameter)
{
    const bool is_given = call_has(call, parameter);
    struct output *output =
        result_add(result, is_given ? call_dtype(call, parameter) : ACL_FLOAT, DTYPE_EQUAL);
    output->like = parameter;
    output->is_unwanted = !is_given || !call->argument[TRAINING].boolean;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool is_training = call->argument[TRAINING].boolean;
    for (unsigned i = SAVE_MEAN; call->has_outputs && is_training && i <= SAVE_INVSTD; i++)
        TRY(check_given(call, i, "training"));
    TRY(check_dtype(call, INPUT));
    for (unsigned i = WEIGHT; i <= RUNNING_VAR; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    TRY(check_channels(call, INPUT));
    const int64_t channels = call->tensor[INPUT].shape[1];
    for (unsigned i = WEIGHT; i <= RUNNING_VAR; i++)
        TRY(check_count(call, i, channels, "one for each channel"));
    result->computed = call_dtype(call, INPUT);
    add_running(call, result, RUNNING_MEAN);
    add_running(call, result, RUNNING_VAR);
    result_add(result, result->computed, DTYPE_ANY)->like = INPUT;
    add_channels(result, channels)->is_unwanted = !is_training;
    add_channels(result, channels)->is_unwanted = !is_training;
    return ACLNN_SUCCESS;
}

static bool is_oldest(const struct call *call)
{
    return call->settings->product != PRODUCT_950;
}

/* Runs of elements from which on they are rows themselves, where nothing is summed up. */
enum { RUN_MIN = 64 };

/* Rows are the channels; without training, of long runs, those of each image. */
static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const bool is_training = call->argument[TRAINING].boolean;
    const struct tensor_view *view = &call->tensor[INPUT];
    const bool by_images = !is_training && view->count / RUN_MIN >= view->shape[0] * view->shape[1];
    struct tensor_view each[RUNNING_VAR + 1];
    struct rows_tensor input[] = {ROWS_TENSOR(INPUT, WHOLE), ROWS_TENSOR(WEIGHT, SINGLE),
                                  ROWS_TENSOR(BIAS, SINGLE), ROWS_TENSOR(RUNNING_MEAN, SINGLE),
                                  ROWS_TENSOR(RUNNING_VAR, SINGLE)};
    struct rows_tensor output[] = {ROWS_TENSOR(OUT, WHOLE), ROWS_TENSOR(SAVE_MEAN, SINGLE),
                                   ROWS_TENSOR(SAVE_INVSTD, SINGLE), ROWS_TENSOR(RUNNING_MEAN, SINGLE),
                                   ROWS_TENSOR(RUNNING_VAR, SINGLE)};
    (void)result;
    for (unsigned i = WEIGHT; by_images && i <= RUNNING_VAR; i++)
        if (call_has(call, i)) {
            each[i] = view_repeated(&call->tensor[i], view->shape[0]);
            input[i].view = &each[i];
        }
    for (unsigned i = 1; !is_training && i < 5; i++)
        output[i].part = ROWS_ABSENT;
    const struct batch_numbers numbers = {call->argument[EPS].fp64, call->argument[MOMENTUM].fp64,
                                          is_training, is_oldest(call)};
    const struct rows_request request = {.rank = view->rank,
                                         .shape = view->shape,
                                         .along = by_images ? ~UINT32_C(3) : ~UINT32_C(2),
                                         .input = input,
                                         .output = output,
                                         .inputs = 5,
                                         .outputs = 5,
                                         .parameters = &numbers,
                                         .parameter_bytes = sizeof numbers};
    return rows_plan(call, &request);
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    const bool is_training = call->argument[BACK_TRAINING].boolean;
    TRY(check_mask(call, MASK, 3));
    TRY(check_dtype(call, GRAD_OUT));
    TRY(check_dtype(call, BACK_INPUT));
    TRY(check_same_dtype(call, BACK_INPUT, GRAD_OUT, NULL));
    for (unsigned i = BACK_WEIGHT; i <= BACK_SAVE_INVSTD; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    TRY(check_channels(call, BACK_INPUT));
    TRY(check_same_shape(call, GRAD_OUT, BACK_INPUT, NULL));
    const int64_t channels = call->tensor[BACK_INPUT].shape[1];
    for (unsigned i = BACK_WEIGHT; i <= (is_training ? BACK_SAVE_INVSTD : BACK_RUNNING_VAR); i++)
        TRY(check_count(call, i, channels, "one for each channel"));
    result->computed = call_dtype(call, BACK_INPUT);
    result_add(result, result->computed, DTYPE_EQUAL)->like = BACK_INPUT;
    add_channels(result, channels);
    add_channels(result, channels);
    for (unsigned i = 0; i < 3; i++)
        result->output[i].is_unwanted = !mask_has(call, MASK, i);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const bool is_training = call->argument[BACK_TRAINING].boolean;
    const struct rows_tensor input[] = {
        ROWS_TENSOR(GRAD_OUT, WHOLE), ROWS_TENSOR(BACK_INPUT, WHOLE), ROWS_TENSOR(BACK_WEIGHT, SINGLE),
        ROWS_TENSOR(is_training ? BACK_SAVE_MEAN : BACK_RUNNING_MEAN, SINGLE),
        ROWS_TENSOR(is_training ? BACK_SAVE_INVSTD : BACK_RUNNING_VAR, SINGLE)};
    const unsigned last = call->function->parameter_count;
    struct rows_tensor output[] = {ROWS_TENSOR(last - 3, WHOLE), ROWS_TENSOR(last - 2, SINGLE),
                                   ROWS_TENSOR(last - 1, SINGLE)};
    for (unsigned i = 0; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    const struct batch_numbers numbers = {call->argument[BACK_EPS].fp64, 0, is_training,
                                          !is_training || is_oldest(call)};
    const struct rows_request request = {.rank = call->tensor[BACK_INPUT].rank,
                                         .shape = call->tensor[BACK_INPUT].shape,
                                         .along = ~UINT32_C(2),
                                         .input = input,
                                         .output = output,
                                         .inputs = 5,
                                         .outputs = 3,
                                         .parameters = &numbers,
                                         .parameter_bytes = sizeof numbers};
    return rows_plan(call, &request);
}

#define OPTIONAL(entry_, name_, sample_) \
    entry_(name_, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = (sample_))

static const struct parameter parameters[] = {
    [INPUT] = READ("input", &dtypes_fp32_fp16_bf16),
    [WEIGHT] = OPTIONAL(READ, "weight", "3"),
    [BIAS] = OPTIONAL(READ, "bias", "3"),
    [RUNNING_MEAN] = OPTIONAL(BOTH, "runningMean", "3"),
    [RUNNING_VAR] = OPTIONAL(BOTH, "runningVar", "3"),
    [TRAINING] = USUAL("training", BOOL, "true"),
    [MOMENTUM] = USUAL("momentum", DOUBLE, "0.1"),
    [EPS] = USUAL("eps", DOUBLE, "1e-05"),
    [OUT] = WRITTEN("output", &dtypes_fp32_fp16_bf16),
    [SAVE_MEAN] = OPTIONAL(WRITTEN, "saveMean", NULL),
    [SAVE_INVSTD] = OPTIONAL(WRITTEN, "saveInvstd", NULL),
};

FUNCTION(aclnnBatchNorm,
         (const aclTensor *input, const aclTensor *weight, const aclTensor *bias, aclTensor *runningMean,
          aclTensor *runningVar, bool training, double momentum, double eps, aclTensor *output,
          aclTensor *saveMean, aclTensor *saveInvstd),
         (ARG(input), ARG(weight), ARG(bias), ARG(runningMean), ARG(runningVar), ARG(training), ARG(momentum),
          ARG(eps), ARG(output), ARG(saveMean), ARG(saveInvstd)),
         .stem = "batch_norm", PARAMETERS(parameters), .promise = &promise_sum, ROWS(&forward_rows),
         .infer = infer, .plan = plan);

/* Two of the four are read, and which depends on training. */
#define STATISTIC(name_) \
    READ(name_, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3", .is_partly_read = true)

#define BACKWARD_PARAMETERS                                                                              \
    [GRAD_OUT] = READ("gradOut", &dtypes_fp32_fp16_bf16),                                                \
    [BACK_INPUT] = READ("input", &dtypes_fp32_fp16_bf16), [BACK_WEIGHT] = OPTIONAL(READ, "weight", "3"), \
    [BACK_RUNNING_MEAN] = STATISTIC("runningMean"), [BACK_RUNNING_VAR] = STATISTIC("runningVar"),        \
    [BACK_SAVE_MEAN] = STATISTIC("saveMean"), [BACK_SAVE_INVSTD] = STATISTIC("saveInvstd"),              \
    [BACK_TRAINING] = USUAL("training", BOOL, "true"), [BACK_EPS] = USUAL("eps", DOUBLE, "1e-05"),       \
    [MASK] = {"outputMask", .kind = PARAMETER_BOOL_ARRAY, .usual = "true,true,true"}

#define GRADIENTS                                                                \
    OPTIONAL(WRITTEN, "gradInput", NULL), OPTIONAL(WRITTEN, "gradWeight", NULL), \
        OPTIONAL(WRITTEN, "gradBias", NULL)

static const struct parameter backward_parameters[] = {BACKWARD_PARAMETERS, GRADIENTS};
static const struct parameter fast_parameters[] = {
    BACKWARD_PARAMETERS, [VERSION] = USUAL("version", INT32, "0"), GRADIENTS};

FUNCTION(aclnnBatchNormBackward,
         (const aclTensor *gradOut, const aclTensor *input, const aclTensor *weight,
          const aclTensor *runningMean, const aclTensor *runningVar, const aclTensor *saveMean,
          const aclTensor *saveInvstd, bool training, double eps, const aclBoolArray *outputMask,
          aclTensor *gradInput, aclTensor *gradWeight, aclTensor *gradBias),
         (ARG(gradOut), ARG(input), ARG(weight), ARG(runningMean), ARG(runningVar), ARG(saveMean),
          ARG(saveInvstd), ARG(training), ARG(eps), ARG(outputMask), ARG(gradInput), ARG(gradWeight),
          ARG(gradBias)),
         .stem = "batch_norm_backward", PARAMETERS(backward_parameters), .promise = &promise_sum,
         ROWS(&backward_rows), .infer = infer_backward, .plan = plan_backward);

FUNCTION(aclnnFastBatchNormBackward,
         (const aclTensor *gradOut, const aclTensor *input, const aclTensor *weight,
          const aclTensor *runningMean, const aclTensor *runningVar, const aclTensor *saveMean,
          const aclTensor *saveInvstd, bool training, double eps, const aclBoolArray *outputMask, int version,
          aclTensor *gradInput, aclTensor *gradWeight, aclTensor *gradBias),
         (ARG(gradOut), ARG(input), ARG(weight), ARG(runningMean), ARG(runningVar), ARG(saveMean),
          ARG(saveInvstd), ARG(training), ARG(eps), ARG(outputMask), ARG(version), ARG(gradInput),
          ARG(gradWeight), ARG(gradBias)),
         .stem = "fast_batch_norm_backward", PARAMETERS(fast_parameters), .promise = &promise_sum,
         ROWS(&backward_rows), .infer = infer_backward, .plan = plan_backward);

#endif
