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
#include "ops/signature.h"

ROWS_LEVELS(batch_norm);
ROWS_LEVELS(batch_norm_backward);
static const struct rows forward_rows = {batch_norm_rows, batch_norm_rows_fp32, .is_roomless = true,
                                         .element_ps = 500};
static const struct rows backward_rows = {batch_norm_backward_rows, batch_norm_backward_rows_fp32,
                                          .is_roomless = true, .element_ps = 700};

/* Two of the four are read, and which depends on training. */
#define STATISTIC(X, of, name_) \
    X(of, IN, name_, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3", .is_partly_read = true)
#define BACKWARD_PARAMETERS(X, of)                                                \
    X(of, IN, gradOut, &dtypes_fp32_fp16_bf16)                                    \
    X(of, IN, input, &dtypes_fp32_fp16_bf16)                                      \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    STATISTIC(X, of, runningMean)                                                 \
    STATISTIC(X, of, runningVar)                                                  \
    STATISTIC(X, of, saveMean)                                                    \
    STATISTIC(X, of, saveInvstd)                                                  \
    X(of, BOOL, training, .usual = "true")                                        \
    X(of, DOUBLE, eps, .usual = "1e-05")                                          \
    X(of, BOOLS, outputMask, .usual = "true,true,true")
#define GRADIENTS(X, of)                                                \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16, .is_optional = true)  \
    X(of, OUT, gradWeight, &dtypes_fp32_fp16_bf16, .is_optional = true) \
    X(of, OUT, gradBias, &dtypes_fp32_fp16_bf16, .is_optional = true)
#define BATCH_NORM(X, of)                                                                \
    X(of, IN, input, &dtypes_fp32_fp16_bf16)                                             \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3")        \
    X(of, IN, bias, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3")          \
    X(of, BOTH, runningMean, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    X(of, BOTH, runningVar, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3")  \
    X(of, BOOL, training, .usual = "true")                                               \
    X(of, DOUBLE, momentum, .usual = "0.1")                                              \
    X(of, DOUBLE, eps, .usual = "1e-05")                                                 \
    X(of, OUT, output, &dtypes_fp32_fp16_bf16)                                           \
    X(of, OUT, saveMean, &dtypes_fp32_fp16_bf16, .is_optional = true)                    \
    X(of, OUT, saveInvstd, &dtypes_fp32_fp16_bf16, .is_optional = true)
SIGNATURE(BATCH_NORM)
#define BATCH_NORM_BACKWARD(X, of) BACKWARD_PARAMETERS(X, of) GRADIENTS(X, of)
SIGNATURE(BATCH_NORM_BACKWARD)
#define FAST_BATCH_NORM_BACKWARD(X, of) \
    BACKWARD_PARAMETERS(X, of)          \
    X(of, INT32, version, .usual = "0") \
    GRADIENTS(X, of)
SIGNATURE(FAST_BATCH_NORM_BACKWARD)

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
    output->is_unwanted = !is_given || !call->argument[BATCH_NORM_training].boolean;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool is_training = call->argument[BATCH_NORM_training].boolean;
    for (unsigned i = BATCH_NORM_saveMean; call->has_outputs && is_training && i <= BATCH_NORM_saveInvstd;
         i++)
        TRY(check_given(call, i, "training"));
    TRY(check_dtype(call, BATCH_NORM_input));
    for (unsigned i = BATCH_NORM_weight; i <= BATCH_NORM_runningVar; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    TRY(check_channels(call, BATCH_NORM_input));
    const int64_t channels = call->tensor[BATCH_NORM_input].shape[1];
    for (unsigned i = BATCH_NORM_weight; i <= BATCH_NORM_runningVar; i++)
        TRY(check_count(call, i, channels, "one for each channel"));
    result->computed = call_dtype(call, BATCH_NORM_input);
    add_running(call, result, BATCH_NORM_runningMean);
    add_running(call, result, BATCH_NORM_runningVar);
    result_add(result, result->computed, DTYPE_ANY)->like = BATCH_NORM_input;
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
    const bool is_training = call->argument[BATCH_NORM_training].boolean;
    const struct tensor_view *view = &call->tensor[BATCH_NORM_input];
    const bool by_images = !is_training && view->count / RUN_MIN >= view->shape[0] * view->shape[1];
    struct tensor_view each[BATCH_NORM_runningVar + 1];
    struct rows_tensor input[] = {
        ROWS_TENSOR(BATCH_NORM_input, WHOLE), ROWS_TENSOR(BATCH_NORM_weight, SINGLE),
        ROWS_TENSOR(BATCH_NORM_bias, SINGLE), ROWS_TENSOR(BATCH_NORM_runningMean, SINGLE),
        ROWS_TENSOR(BATCH_NORM_runningVar, SINGLE)};
    struct rows_tensor output[] = {
        ROWS_TENSOR(BATCH_NORM_output, WHOLE), ROWS_TENSOR(BATCH_NORM_saveMean, SINGLE),
        ROWS_TENSOR(BATCH_NORM_saveInvstd, SINGLE), ROWS_TENSOR(BATCH_NORM_runningMean, SINGLE),
        ROWS_TENSOR(BATCH_NORM_runningVar, SINGLE)};
    (void)result;
    for (unsigned i = BATCH_NORM_weight; by_images && i <= BATCH_NORM_runningVar; i++)
        if (call_has(call, i)) {
            each[i] = view_repeated(&call->tensor[i], view->shape[0]);
            input[i].view = &each[i];
        }
    for (unsigned i = 1; !is_training && i < 5; i++)
        output[i].part = ROWS_ABSENT;
    const struct batch_numbers numbers = {call->argument[BATCH_NORM_eps].fp64,
                                          call->argument[BATCH_NORM_momentum].fp64, is_training,
                                          is_oldest(call)};
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
    const bool is_training = call->argument[BATCH_NORM_BACKWARD_training].boolean;
    TRY(check_mask(call, BATCH_NORM_BACKWARD_outputMask, 3));
    TRY(check_dtype(call, BATCH_NORM_BACKWARD_gradOut));
    TRY(check_dtype(call, BATCH_NORM_BACKWARD_input));
    TRY(check_same_dtype(call, BATCH_NORM_BACKWARD_input, BATCH_NORM_BACKWARD_gradOut, NULL));
    for (unsigned i = BATCH_NORM_BACKWARD_weight; i <= BATCH_NORM_BACKWARD_saveInvstd; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    TRY(check_channels(call, BATCH_NORM_BACKWARD_input));
    TRY(check_same_shape(call, BATCH_NORM_BACKWARD_gradOut, BATCH_NORM_BACKWARD_input, NULL));
    const int64_t channels = call->tensor[BATCH_NORM_BACKWARD_input].shape[1];
    for (unsigned i = BATCH_NORM_BACKWARD_weight;
         i <= (is_training ? BATCH_NORM_BACKWARD_saveInvstd : BATCH_NORM_BACKWARD_runningVar); i++)
        TRY(check_count(call, i, channels, "one for each channel"));
    result->computed = call_dtype(call, BATCH_NORM_BACKWARD_input);
    result_add(result, result->computed, DTYPE_EQUAL)->like = BATCH_NORM_BACKWARD_input;
    add_channels(result, channels);
    add_channels(result, channels);
    for (unsigned i = 0; i < 3; i++)
        result->output[i].is_unwanted = !mask_has(call, BATCH_NORM_BACKWARD_outputMask, i);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const bool is_training = call->argument[BATCH_NORM_BACKWARD_training].boolean;
    const struct rows_tensor input[] = {
        ROWS_TENSOR(BATCH_NORM_BACKWARD_gradOut, WHOLE), ROWS_TENSOR(BATCH_NORM_BACKWARD_input, WHOLE),
        ROWS_TENSOR(BATCH_NORM_BACKWARD_weight, SINGLE),
        ROWS_TENSOR(is_training ? BATCH_NORM_BACKWARD_saveMean : BATCH_NORM_BACKWARD_runningMean, SINGLE),
        ROWS_TENSOR(is_training ? BATCH_NORM_BACKWARD_saveInvstd : BATCH_NORM_BACKWARD_runningVar, SINGLE)};
    const unsigned last = call->function->parameter_count;
    struct rows_tensor output[] = {ROWS_TENSOR(last - 3, WHOLE), ROWS_TENSOR(last - 2, SINGLE),
                                   ROWS_TENSOR(last - 1, SINGLE)};
    for (unsigned i = 0; i < 3; i++)
        output[i].part = result->output[i].is_unwanted ? ROWS_ABSENT : output[i].part;
    const struct batch_numbers numbers = {call->argument[BATCH_NORM_BACKWARD_eps].fp64, 0, is_training,
                                          !is_training || is_oldest(call)};
    const struct rows_request request = {.rank = call->tensor[BATCH_NORM_BACKWARD_input].rank,
                                         .shape = call->tensor[BATCH_NORM_BACKWARD_input].shape,
                                         .along = ~UINT32_C(2),
                                         .input = input,
                                         .output = output,
                                         .inputs = 5,
                                         .outputs = 3,
                                         .parameters = &numbers,
                                         .parameter_bytes = sizeof numbers};
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnBatchNorm, BATCH_NORM, .stem = "batch_norm", .promise = &promise_sum, ROWS(&forward_rows),
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnBatchNormBackward, BATCH_NORM_BACKWARD, .stem = "batch_norm_backward",
            .promise = &promise_sum, ROWS(&backward_rows), .infer = infer_backward, .plan = plan_backward);

FUNCTION_OF(aclnnFastBatchNormBackward, FAST_BATCH_NORM_BACKWARD, .stem = "fast_batch_norm_backward",
            .promise = &promise_sum, ROWS(&backward_rows), .infer = infer_backward, .plan = plan_backward);

#endif
