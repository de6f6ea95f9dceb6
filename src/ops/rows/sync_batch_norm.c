/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The parts of batch normalisation over several devices: what each knows of its own elements, what becomes of
 * what all of them know, and normalisation and gradients with that.
 */
#include <stdbool.h>
#include <stdint.h>

struct sync_numbers {
    double eps, momentum;
    uint64_t counts; /* elements of the tensor of counts */
    bool is_sums;    /* sums and sums of squares instead of mean and 1 / sqrt(variance + eps) */
};

/* The operands of the kernels, in whose order the plans hand them over: of gathering, of normalising, and of both
 * gradients, of which the sums have the first four inputs. */
enum { ROW_OF_MEAN, ROW_OF_INVSTD, ROW_COUNTS, ROW_RUNNING_MEAN, ROW_RUNNING_VARIANCE };
enum { ROW_NEW_MEAN, ROW_NEW_INVSTD, ROW_NEXT_MEAN, ROW_NEXT_VARIANCE };
enum { ROW_X, ROW_WEIGHT, ROW_BIAS, ROW_MEAN, ROW_INVSTD };
enum {
    ROW_GRADIENT,
    ROW_BACK_X,
    ROW_BACK_MEAN,
    ROW_BACK_INVSTD,
    ROW_BACK_WEIGHT,
    ROW_SUM_DY,
    ROW_SUM_DY_XMU,
    ROW_COUNTER
};
enum { ROW_OUT_SUM_DY, ROW_OUT_SUM_DY_XMU, ROW_GRAD_WEIGHT, ROW_GRAD_BIAS };

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row_gradient.h"

#define ROW                                                                                           \
    enum arithmetic dtype, const void *const *input, void *const *output, size_t count, double *room, \
        const void *parameters

static inline __attribute__((always_inline)) void batch_norm_stats(ROW)
{
    const struct sync_numbers *numbers = parameters;
    (void)room;
    if (numbers->is_sums) {
        row_store_single(dtype, output[0], row_sum(dtype, input[0], count, NULL, row_itself, 0));
        row_store_single(dtype, output[1], row_sum(dtype, input[0], count, NULL, row_square, 0));
        return;
    }
    const struct row_moments moments = row_moments(dtype, input[0], count);
    row_store_single(dtype, output[0], moments.mean);
    row_store_single(dtype, output[1], 1 / sqrt(moments.variance + numbers->eps));
}

/* A row has a number of each device. With sums, ROW_OF_MEAN and ROW_OF_INVSTD are these and those of squares. */
static inline __attribute__((always_inline)) void batch_norm_gather(ROW)
{
    const struct sync_numbers *numbers = parameters;
    double n = 0, mean = 0, variance = 0;
    (void)room;
    for (size_t k = 0; k < count; k++) {
        const double own = row_load(dtype, input[ROW_COUNTS], k, 1)[0],
                     first = row_load(dtype, input[ROW_OF_MEAN], k, 1)[0];
        n += own;
        mean += numbers->is_sums ? first : own * first;
    }
    mean /= n;
    for (size_t k = 0; k < count; k++) {
        const double own = row_load(dtype, input[ROW_COUNTS], k, 1)[0],
                     first = row_load(dtype, input[ROW_OF_MEAN], k, 1)[0],
                     second = row_load(dtype, input[ROW_OF_INVSTD], k, 1)[0];
        const double apart = first - mean, of_device = 1 / (second * second) - numbers->eps;
        variance += numbers->is_sums ? second : own * (of_device + apart * apart);
    }
    variance = numbers->is_sums ? variance / n - mean * mean : variance / n;
    variance = variance < 0 ? 0 : variance;
    /* All is read before anything is written: outputs may lie where inputs do. */
    const double rest = 1 - numbers->momentum, unbiased = n > 1 ? n / (n - 1) : 1;
    const double running_mean = row_single(dtype, input[ROW_RUNNING_MEAN], 0),
                 running_variance = row_single(dtype, input[ROW_RUNNING_VARIANCE], 0);
    row_store_single(dtype, output[ROW_NEW_MEAN], mean);
    row_store_single(dtype, output[ROW_NEW_INVSTD], 1 / sqrt(variance + numbers->eps));
    row_store_single(dtype, output[ROW_NEXT_MEAN], rest * running_mean + numbers->momentum * mean);
    row_store_single(dtype, output[ROW_NEXT_VARIANCE],
                     rest * running_variance + numbers->momentum * (variance * unbiased));
}

static inline __attribute__((always_inline)) void batch_norm_elemt(ROW)
{
    const struct row_scale scale = {row_single(dtype, input[ROW_MEAN], 0),
                                    row_single(dtype, input[ROW_INVSTD], 1),
                                    row_single(dtype, input[ROW_WEIGHT], 1),
                                    row_single(dtype, input[ROW_BIAS], -0.0),
                                    NULL,
                                    NULL};
    (void)room, (void)parameters;
    row_normalise(dtype, output[0], input[ROW_X], &scale, count);
}

static inline __attribute__((always_inline)) void batch_norm_elemt_backward(ROW)
{
    const struct sync_numbers *numbers = parameters;
    const struct row_gradient row = {input[ROW_GRADIENT], input[ROW_BACK_X],
                                     row_single(dtype, input[ROW_BACK_MEAN], 0),
                                     row_single(dtype, input[ROW_BACK_INVSTD], 1)};
    const double n = row_sum(dtype, input[ROW_COUNTER], numbers->counts, NULL, row_itself, 0);
    const struct row_sums mean = {row_single(dtype, input[ROW_SUM_DY], 0) / n,
                                  row_single(dtype, input[ROW_SUM_DY_XMU], 0) * row.rstd / n};
    (void)room;
    row_gradient_store(dtype, output[0], &row, NULL, 1,
                       row_single(dtype, input[ROW_BACK_WEIGHT], 1) * row.rstd, mean, count);
}

static inline __attribute__((always_inline)) void batch_norm_reduce_backward(ROW)
{
    const struct row_gradient row = {input[ROW_GRADIENT], input[ROW_BACK_X],
                                     row_single(dtype, input[ROW_BACK_MEAN], 0), 1};
    const struct row_gradient_terms terms = {&row, NULL, NULL, NULL};
    const struct row_sums sums = row_gradient_sums(dtype, &terms, count);
    const double invstd = row_single(dtype, input[ROW_BACK_INVSTD], 1); /* which sums may be written over */
    (void)room, (void)parameters;
    row_store_single(dtype, output[ROW_OUT_SUM_DY], sums.h);
    row_store_single(dtype, output[ROW_OUT_SUM_DY_XMU], sums.hn);
    row_store_single(dtype, output[ROW_GRAD_WEIGHT], sums.hn * invstd);
    row_store_single(dtype, output[ROW_GRAD_BIAS], sums.h);
}

ROWS_KERNELS(batch_norm_stats, batch_norm_stats)
ROWS_KERNELS(batch_norm_gather, batch_norm_gather)
ROWS_KERNELS(batch_norm_elemt, batch_norm_elemt)
ROWS_KERNELS(batch_norm_elemt_backward, batch_norm_elemt_backward)
ROWS_KERNELS(batch_norm_reduce_backward, batch_norm_reduce_backward)

#else

/* The contract. */
#include "aclnnop/aclnn_batch_norm_backward_reduce.h"
#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "aclnnop/aclnn_batch_norm_elemt_backward.h"
#include "aclnnop/aclnn_batch_norm_gather_stats_with_counts.h"
#include "aclnnop/aclnn_batch_norm_reduce.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_sync_batch_norm_gather_stats.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"

#define ROWS_OF(stem)                                                                              \
    ROWS_LEVELS(stem);                                                                             \
    static const struct rows stem##_of_rows = {stem##_rows, stem##_rows_fp32, .is_roomless = true, \
                                               .element_ps = 500}
ROWS_OF(batch_norm_stats);
ROWS_OF(batch_norm_gather);
ROWS_OF(batch_norm_elemt);
ROWS_OF(batch_norm_elemt_backward);
ROWS_OF(batch_norm_reduce_backward);

/* All dtypes are among those of their parameters; dim 1 of a tensor counts channels, 1 at least; *channels is
 * their number. */
static aclnnStatus check_inputs(const struct call *call, unsigned input, int64_t *channels)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call_has(call, i) && parameter_is_read(&call->function->parameter[i]))
            TRY(check_dtype(call, i));
    TRY(check_channels(call, input));
    *channels = call->tensor[input].shape[1];
    if (*channels > 0)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has 0 channels; 1 or more is expected", call_name(call, input));
}

/* Tensors that are read have one element for each channel, if they were given. */
static aclnnStatus check_all_channels(const struct call *call, unsigned first, unsigned last,
                                      int64_t channels)
{
    for (unsigned i = first; i <= last; i++)
        TRY(check_count(call, i, channels, "one for each channel"));
    return ACLNN_SUCCESS;
}

/* Rows are the channels. */
static aclnnStatus plan_channels(const struct call *call, const struct rows_tensor *input, unsigned inputs,
                                 const struct rows_tensor *output, unsigned outputs,
                                 const struct sync_numbers *numbers)
{
    const struct rows_request request = {.rank = call->tensor[input[0].parameter].rank,
                                         .shape = call->tensor[input[0].parameter].shape,
                                         .along = ~UINT32_C(2),
                                         .input = input,
                                         .output = output,
                                         .inputs = inputs,
                                         .outputs = outputs,
                                         .parameters = numbers,
                                         .parameter_bytes = sizeof *numbers};
    return rows_plan(call, &request);
}

static aclnnStatus infer_stats(const struct call *call, struct result *result)
{
    int64_t channels;
    TRY(check_inputs(call, 0, &channels));
    result->computed = call_dtype(call, 0);
    for (int i = 0; i < 2; i++)
        result_by_count(result, 1, &channels)->dtype_rule = DTYPE_EQUAL;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_stats(const struct call *call, const struct result *result)
{
    const bool is_sums = call->function->parameter[1].kind == PARAMETER_TENSOR;
    const unsigned first = is_sums ? 1 : 2;
    const struct rows_tensor input[] = {ROWS_TENSOR(0, WHOLE)},
                             output[] = {ROWS_TENSOR(first, SINGLE), ROWS_TENSOR(first + 1, SINGLE)};
    const struct sync_numbers numbers = {.eps = is_sums ? 0 : call->argument[1].fp64, .is_sums = is_sums};
    (void)result;
    return plan_channels(call, input, 1, output, 2, &numbers);
}

#define FLT3 &dtypes_fp32_fp16_bf16

#define OF_CHANNELS(X, of, name_) X(of, IN, name_, FLT3, .sample = "3")
#define STATS(X, of)                     \
    X(of, IN, input, FLT3)               \
    X(of, DOUBLE, eps, .usual = "1e-05") \
    X(of, OUT, mean, FLT3)               \
    X(of, OUT, invstd, FLT3)
SIGNATURE(STATS)

FUNCTION_OF(aclnnBatchNormStats, STATS, .stem = "batch_norm_stats", .promise = &promise_sum,
            ROWS(&batch_norm_stats_of_rows), .infer = infer_stats, .plan = plan_stats);

#define REDUCE(X, of) X(of, IN, x, FLT3) X(of, OUT, sum, FLT3) X(of, OUT, squareSum, FLT3)
SIGNATURE(REDUCE)

FUNCTION_OF(aclnnBatchNormReduce, REDUCE, .stem = "batch_norm_reduce", .promise = &promise_sum,
            ROWS(&batch_norm_stats_of_rows), .infer = infer_stats, .plan = plan_stats);

#define ELEMT(X, of)                                            \
    X(of, IN, input, FLT3)                                      \
    X(of, IN, weight, FLT3, .is_optional = true, .sample = "3") \
    X(of, IN, bias, FLT3, .is_optional = true, .sample = "3")   \
    X(of, MUTABLE_IN, mean, FLT3, .sample = "3")                \
    X(of, MUTABLE_IN, invstd, FLT3, .sample = "3")              \
    X(of, DOUBLE, eps, .usual = "1e-05")                        \
    X(of, OUT, output, FLT3)
SIGNATURE(ELEMT)

static aclnnStatus infer_elemt(const struct call *call, struct result *result)
{
    int64_t channels;
    TRY(check_inputs(call, ELEMT_input, &channels));
    TRY(check_all_channels(call, ELEMT_weight, ELEMT_invstd, channels));
    result->computed = call_dtype(call, ELEMT_input);
    result_add(result, result->computed, DTYPE_ANY)->like = ELEMT_input;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_elemt(const struct call *call, const struct result *result)
{
    const struct rows_tensor input[] = {[ROW_X] = ROWS_TENSOR(ELEMT_input, WHOLE),
                                        [ROW_WEIGHT] = ROWS_TENSOR(ELEMT_weight, SINGLE),
                                        [ROW_BIAS] = ROWS_TENSOR(ELEMT_bias, SINGLE),
                                        [ROW_MEAN] = ROWS_TENSOR(ELEMT_mean, SINGLE),
                                        [ROW_INVSTD] = ROWS_TENSOR(ELEMT_invstd, SINGLE)},
                             output[] = {ROWS_TENSOR(ELEMT_output, WHOLE)};
    (void)result;
    return plan_channels(call, input, 5, output, 1, &(const struct sync_numbers){.eps = 0});
}

FUNCTION_OF(aclnnBatchNormElemt, ELEMT, .stem = "batch_norm_elemt", .promise = &promise_sum,
            ROWS(&batch_norm_elemt_of_rows), .infer = infer_elemt, .plan = plan_elemt);

#define ELEMT_BACKWARD(X, of)                                             \
    X(of, IN, gradOut, FLT3)                                              \
    X(of, IN, input, FLT3)                                                \
    OF_CHANNELS(X, of, mean)                                              \
    OF_CHANNELS(X, of, invstd)                                            \
    X(of, IN, weight, FLT3, .is_optional = true, .sample = "3")           \
    OF_CHANNELS(X, of, sumDy)                                             \
    OF_CHANNELS(X, of, sumDyXmu)                                          \
    X(of, MUTABLE_IN, counter, &dtypes_floats_int32_int64, .sample = "2") \
    X(of, OUT, gradInput, FLT3)
SIGNATURE(ELEMT_BACKWARD)
#define REDUCE_BACKWARD(X, of)                                       \
    X(of, IN, gradOut, FLT3)                                         \
    X(of, IN, input, FLT3)                                           \
    OF_CHANNELS(X, of, mean)                                         \
    OF_CHANNELS(X, of, invstd)                                       \
    X(of, IN, weight, FLT3, .is_optional = true, .sample = "3")      \
    X(of, BOOL, inputG, .usual = "true")                             \
    X(of, BOOL, weightG, .usual = "true")                            \
    X(of, BOOL, biasG, .usual = "true")                              \
    X(of, OUT, sumDy, FLT3, .is_optional = true, .sample = "3")      \
    X(of, OUT, sumDyXmu, FLT3, .is_optional = true, .sample = "3")   \
    X(of, OUT, gradWeight, FLT3, .is_optional = true, .sample = "3") \
    X(of, OUT, gradBias, FLT3, .is_optional = true, .sample = "3")
SIGNATURE(REDUCE_BACKWARD)

static aclnnStatus check_gradient(const struct call *call, int64_t *channels)
{
    TRY(check_inputs(call, ELEMT_BACKWARD_input, channels));
    TRY(check_same_dtype(call, ELEMT_BACKWARD_input, ELEMT_BACKWARD_gradOut, NULL));
    TRY(check_same_shape(call, ELEMT_BACKWARD_gradOut, ELEMT_BACKWARD_input, NULL));
    return check_all_channels(call, ELEMT_BACKWARD_mean, ELEMT_BACKWARD_weight, *channels);
}

static aclnnStatus infer_elemt_backward(const struct call *call, struct result *result)
{
    int64_t channels;
    TRY(check_gradient(call, &channels));
    TRY(check_all_channels(call, ELEMT_BACKWARD_sumDy, ELEMT_BACKWARD_sumDyXmu, channels));
    TRY(check_rank(call, ELEMT_BACKWARD_counter));
    result->computed = call_dtype(call, ELEMT_BACKWARD_input);
    result_add(result, result->computed, DTYPE_ANY)->like = ELEMT_BACKWARD_input;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_elemt_backward(const struct call *call, const struct result *result)
{
    const struct rows_tensor input[] = {[ROW_GRADIENT] = ROWS_TENSOR(ELEMT_BACKWARD_gradOut, WHOLE),
                                        [ROW_BACK_X] = ROWS_TENSOR(ELEMT_BACKWARD_input, WHOLE),
                                        [ROW_BACK_MEAN] = ROWS_TENSOR(ELEMT_BACKWARD_mean, SINGLE),
                                        [ROW_BACK_INVSTD] = ROWS_TENSOR(ELEMT_BACKWARD_invstd, SINGLE),
                                        [ROW_BACK_WEIGHT] = ROWS_TENSOR(ELEMT_BACKWARD_weight, SINGLE),
                                        [ROW_SUM_DY] = ROWS_TENSOR(ELEMT_BACKWARD_sumDy, SINGLE),
                                        [ROW_SUM_DY_XMU] = ROWS_TENSOR(ELEMT_BACKWARD_sumDyXmu, SINGLE),
                                        [ROW_COUNTER] = ROWS_TENSOR(ELEMT_BACKWARD_counter, ALL)},
                             output[] = {ROWS_TENSOR(ELEMT_BACKWARD_gradInput, WHOLE)};
    const struct sync_numbers numbers = {.counts = (uint64_t)call->tensor[ELEMT_BACKWARD_counter].count};
    (void)result;
    return plan_channels(call, input, 8, output, 1, &numbers);
}

FUNCTION_OF(aclnnBatchNormElemtBackward, ELEMT_BACKWARD, .stem = "batch_norm_elemt_backward",
            .promise = &promise_sum, ROWS(&batch_norm_elemt_backward_of_rows), .infer = infer_elemt_backward,
            .plan = plan_elemt_backward);

/* Whether an output is wanted, by its flag; sumDy and sumDyXmu share the first one. */
static bool is_wanted(const struct call *call, unsigned output)
{
    static const unsigned flag[] = {REDUCE_BACKWARD_inputG, REDUCE_BACKWARD_inputG, REDUCE_BACKWARD_weightG,
                                    REDUCE_BACKWARD_biasG};
    return call->argument[flag[output]].boolean;
}

static aclnnStatus infer_reduce_backward(const struct call *call, struct result *result)
{
    int64_t channels;
    for (unsigned i = 0; call->has_outputs && i < 4; i++)
        if (is_wanted(call, i))
            TRY(check_given(call, REDUCE_BACKWARD_sumDy + i,
                            i < 2    ? "inputG"
                            : i == 2 ? "weightG"
                                     : "biasG"));
    TRY(check_gradient(call, &channels));
    result->computed = call_dtype(call, ELEMT_BACKWARD_input);
    for (unsigned i = 0; i < 4; i++)
        result_by_count(result, 1, &channels)->is_unwanted = !is_wanted(call, i);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_reduce_backward(const struct call *call, const struct result *result)
{
    const struct rows_tensor input[] = {[ROW_GRADIENT] = ROWS_TENSOR(ELEMT_BACKWARD_gradOut, WHOLE),
                                        [ROW_BACK_X] = ROWS_TENSOR(ELEMT_BACKWARD_input, WHOLE),
                                        [ROW_BACK_MEAN] = ROWS_TENSOR(ELEMT_BACKWARD_mean, SINGLE),
                                        [ROW_BACK_INVSTD] = ROWS_TENSOR(ELEMT_BACKWARD_invstd, SINGLE)};
    struct rows_tensor output[4];
    for (unsigned i = 0; i < 4; i++)
        output[i] = (struct rows_tensor){.parameter = REDUCE_BACKWARD_sumDy + i,
                                         .part = result->output[i].is_unwanted ? ROWS_ABSENT : ROWS_SINGLE};
    return plan_channels(call, input, 4, output, 4, &(const struct sync_numbers){.eps = 0});
}

FUNCTION_OF(aclnnBatchNormReduceBackward, REDUCE_BACKWARD, .stem = "batch_norm_backward_reduce",
            .promise = &promise_sum, ROWS(&batch_norm_reduce_backward_of_rows),
            .infer = infer_reduce_backward, .plan = plan_reduce_backward);

/* Where the parameters are: a row of `first` has a number of each device. */
struct gathered {
    uint8_t first, second, counts, running_mean, running_variance, momentum, mean;
};
#define GATHER(X, of)                                                  \
    X(of, IN, input, FLT3, .is_partly_read = true)                     \
    X(of, IN, mean, FLT3)                                              \
    X(of, IN, invstd, FLT3)                                            \
    X(of, BOTH, runningMean, FLT3, .is_optional = true, .sample = "3") \
    X(of, BOTH, runningVar, FLT3, .is_optional = true, .sample = "3")  \
    X(of, DOUBLE, momentum, .usual = "0.1")                            \
    X(of, DOUBLE, eps, .usual = "1e-05")                               \
    X(of, IN, counts, FLT3, .sample = "2")                             \
    X(of, OUT, meanAll, FLT3)                                          \
    X(of, OUT, invstdAll, FLT3)
SIGNATURE(GATHER)
#define SYNC_GATHER(X, of)                                            \
    X(of, IN, totalSum, FLT3)                                         \
    X(of, IN, totalSquareSum, FLT3)                                   \
    X(of, IN, sampleCount, &dtypes_floats_int32_int64, .sample = "2") \
    X(of, BOTH, mean, FLT3, .sample = "3")                            \
    X(of, BOTH, variance, FLT3, .sample = "3")                        \
    X(of, FLOAT, momentum, .usual = "0.1")                            \
    X(of, FLOAT, eps, .usual = "1e-05")                               \
    X(of, OUT, batchMean, FLT3)                                       \
    X(of, OUT, batchInvstd, FLT3)
SIGNATURE(SYNC_GATHER)

static const struct gathered of_statistics = {GATHER_mean,        GATHER_invstd,     GATHER_counts,
                                              GATHER_runningMean, GATHER_runningVar, GATHER_momentum,
                                              GATHER_meanAll};
static const struct gathered of_gathered_sums = {
    SYNC_GATHER_totalSum, SYNC_GATHER_totalSquareSum, SYNC_GATHER_sampleCount, SYNC_GATHER_mean,
    SYNC_GATHER_variance, SYNC_GATHER_momentum,       SYNC_GATHER_batchMean};

static const struct gathered *gathered_of(const struct call *call)
{
    const bool is_sums = call->function->parameter[SYNC_GATHER_momentum].kind == PARAMETER_FLOAT;
    return is_sums ? &of_gathered_sums : &of_statistics;
}

static aclnnStatus infer_gathered(const struct call *call, struct result *result)
{
    const struct gathered *at = gathered_of(call);
    int64_t channels;
    TRY(check_inputs(call, 0, &channels));
    const struct shape expected = {.rank = 2, .dim = {call->tensor[at->first].shape[0], channels}};
    for (unsigned i = at->first; i <= at->second; i++)
        if (call->tensor[i].rank != 2 || call->tensor[i].shape[0] != expected.dim[0] ||
            call->tensor[i].shape[1] != channels)
            return refuse(call, "%s is expected to have a row for each device, of %lld channels",
                          call_name(call, i), (long long)channels);
    TRY(check_count(call, at->counts, expected.dim[0], "one for each device"));
    TRY(check_all_channels(call, at->running_mean, at->running_variance, channels));
    result->computed = call_dtype(call, at->first);
    for (unsigned i = at->running_mean; i <= at->running_variance; i++) {
        const bool has = call_has(call, i);
        struct output *output = result_add(result, has ? call_dtype(call, i) : ACL_FLOAT, DTYPE_EQUAL);
        output->like = i;
        output->is_unwanted = !has;
    }
    for (int i = 0; i < 2; i++)
        result_by_count(result, 1, &channels);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_gathered(const struct call *call, const struct result *result)
{
    const struct gathered *at = gathered_of(call);
    const struct rows_tensor input[] = {[ROW_OF_MEAN] = ROWS_TENSOR(at->first, WHOLE),
                                        [ROW_OF_INVSTD] = ROWS_TENSOR(at->second, WHOLE),
                                        [ROW_COUNTS] = ROWS_TENSOR(at->counts, ALL),
                                        [ROW_RUNNING_MEAN] = ROWS_TENSOR(at->running_mean, SINGLE),
                                        [ROW_RUNNING_VARIANCE] = ROWS_TENSOR(at->running_variance, SINGLE)},
                             output[] = {[ROW_NEW_MEAN] = ROWS_TENSOR(at->mean, SINGLE),
                                         [ROW_NEW_INVSTD] = ROWS_TENSOR(at->mean + 1, SINGLE),
                                         [ROW_NEXT_MEAN] = ROWS_TENSOR(at->running_mean, SINGLE),
                                         [ROW_NEXT_VARIANCE] = ROWS_TENSOR(at->running_variance, SINGLE)};
    const bool is_sums = at == &of_gathered_sums;
    const union argument *numbers = call->argument + at->momentum;
    const struct sync_numbers parameters = {.momentum = is_sums ? (double)numbers[0].fp32 : numbers[0].fp64,
                                            .eps = is_sums ? (double)numbers[1].fp32 : numbers[1].fp64,
                                            .is_sums = is_sums};
    const struct rows_request request = {.rank = 2,
                                         .shape = call->tensor[at->first].shape,
                                         .along = 1,
                                         .input = input,
                                         .output = output,
                                         .inputs = 5,
                                         .outputs = 4,
                                         .parameters = &parameters,
                                         .parameter_bytes = sizeof parameters};
    (void)result;
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnBatchNormGatherStatsWithCounts, GATHER, .stem = "batch_norm_gather_stats_with_counts",
            .promise = &promise_sum, ROWS(&batch_norm_gather_of_rows), .infer = infer_gathered,
            .plan = plan_gathered);

FUNCTION_OF(aclnnSyncBatchNormGatherStats, SYNC_GATHER, .stem = "sync_batch_norm_gather_stats",
            .promise = &promise_sum, ROWS(&batch_norm_gather_of_rows), .infer = infer_gathered,
            .plan = plan_gathered);

#endif
