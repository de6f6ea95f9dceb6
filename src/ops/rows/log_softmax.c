/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Along a dim: LogSoftmax, x - m - log(sum of e^(x - m)) with the greatest x as m; and of the results y and
 * their gradient g the gradients of the inputs, y (g - sum of g y) of Softmax and g - e^y sum of g of
 * LogSoftmax. A row of LogSoftmax with NaN or +inf, or of -inf alone, is NaN, as inf - inf is.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/exponential.h"
#include "simd/maths/logarithm.h"
#include "simd/loops/row.h"
#include "simd/loops/row_exponential.h"
#include "simd/maths/short.h"

/* The parameter is whether all numbers have 24 bits at most. */
static inline __attribute__((always_inline)) void log_softmax(enum arithmetic dtype, const void *const *input,
                                                              void *const *output, size_t count, double *room,
                                                              const void *parameters)
{
    const bool is_short = dtype == ARITHMETIC_FP32 || *(const bool *)parameters;
    const double greatest = row_greatest(dtype, input[0], count);
    (void)room;
    const double sum = is_short ? row_sum(dtype, input[0], count, NULL, exp_of_difference_short, greatest)
                                : row_sum(dtype, input[0], count, NULL, exp_of_difference, greatest);
    const double logarithm =
        is_short && sum == sum ? maths_ln2[0] * short_log2(broadcast(sum))[0] : maths_log(broadcast(sum))[0];
    for (size_t i = 0; i < count; i += LANES) {
        const doubles x = row_load(dtype, input[0], i, count - i);
        row_store(dtype, output[0], i, x - greatest - logarithm, count - i, true);
    }
}

static inline __attribute__((always_inline)) void softmax_backward(enum arithmetic dtype,
                                                                   const void *const *input,
                                                                   void *const *output, size_t count,
                                                                   double *room, const void *parameters)
{
    (void)parameters;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles product = row_load(dtype, input[0], i, left) * row_load(dtype, input[1], i, left);
        row_store(ARITHMETIC_FP64, room, i, product, left, false);
    }
    const double sum = row_sum(ARITHMETIC_FP64, room, count, NULL, row_itself, 0);
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles difference = row_load(dtype, input[0], i, left) - sum;
        row_store(dtype, output[0], i, row_load(dtype, input[1], i, left) * difference, left, true);
    }
}

static inline __attribute__((always_inline)) void log_softmax_backward(enum arithmetic dtype,
                                                                       const void *const *input,
                                                                       void *const *output, size_t count,
                                                                       double *room, const void *parameters)
{
    const double sum = row_sum(dtype, input[0], count, NULL, row_itself, 0);
    (void)room, (void)parameters;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles power = maths_exp(row_load(dtype, input[1], i, left));
        row_store(dtype, output[0], i, row_load(dtype, input[0], i, left) - power * sum, left, true);
    }
}

ROWS_KERNELS(log_softmax, log_softmax)
ROWS_KERNELS(softmax_backward, softmax_backward)
ROWS_KERNELS(log_softmax_backward, log_softmax_backward)

#else

/* The contract. */
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "ops/check.h"
#include "ops/loops/rows.h"

ROWS_LEVELS(log_softmax);
ROWS_LEVELS(softmax_backward);
ROWS_LEVELS(log_softmax_backward);
static const struct rows log_softmax_rows_family = {log_softmax_rows, log_softmax_rows_fp32,
                                                    .element_ps = 700};
static const struct rows softmax_backward_family = {softmax_backward_rows, softmax_backward_rows_fp32,
                                                    .element_ps = 500};
static const struct rows log_softmax_backward_family = {log_softmax_backward_rows,
                                                        log_softmax_backward_rows_fp32, .element_ps = 1200};

enum { SELF, DIM, OUT };
enum { GRADIENT, RESULT, BACKWARD_DIM, BACKWARD_OUT };

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    axes along;
    TRY(check_dtype(call, GRADIENT));
    TRY(check_dtype(call, RESULT));
    TRY(check_same_dtype(call, RESULT, GRADIENT, NULL));
    TRY(check_rank(call, GRADIENT));
    TRY(check_same_shape(call, RESULT, GRADIENT, NULL));
    TRY(check_axis(call, GRADIENT, BACKWARD_DIM, &along));
    result->computed = call_dtype(call, GRADIENT);
    result_add(result, result->computed, DTYPE_ANY)->like = GRADIENT;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(GRADIENT, WHOLE), ROWS_TENSOR(RESULT, WHOLE)};
    static const struct rows_tensor output = ROWS_TENSOR(BACKWARD_OUT, WHOLE);
    axes along;
    (void)result;
    TRY(check_axis(call, GRADIENT, BACKWARD_DIM, &along));
    const struct rows_request request = {.rank = call->tensor[GRADIENT].rank,
                                         .shape = call->tensor[GRADIENT].shape,
                                         .along = along,
                                         .input = input,
                                         .output = &output,
                                         .inputs = 2,
                                         .outputs = 1};
    return rows_plan(call, &request);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_floats),
    [DIM] = USUAL("dim", INT64, "-1"),
    [OUT] = WRITTEN("out", &dtypes_floats),
};

static const struct parameter backward_parameters[] = {
    [GRADIENT] = READ("gradOutput", &dtypes_floats),
    [RESULT] = READ("output", &dtypes_floats),
    [BACKWARD_DIM] = USUAL("dim", INT64, "-1"),
    [BACKWARD_OUT] = WRITTEN("out", &dtypes_floats),
};

FUNCTION(aclnnLogSoftmax, (const aclTensor *self, int64_t dim, aclTensor *out),
         (ARG(self), ARG(dim), ARG(out)), .stem = "logsoftmax", PARAMETERS(parameters),
         .promise = &promise_sum, ROWS(&log_softmax_rows_family), .infer = rows_infer_along,
         .plan = rows_plan_along);

FUNCTION(aclnnSoftmaxBackward,
         (const aclTensor *gradOutput, const aclTensor *output, int64_t dim, aclTensor *out),
         (ARG(gradOutput), ARG(output), ARG(dim), ARG(out)), .stem = "softmax_backward",
         PARAMETERS(backward_parameters), .promise = &promise_sum, ROWS(&softmax_backward_family),
         .infer = infer_backward, .plan = plan_backward);

FUNCTION(aclnnLogSoftmaxBackward,
         (const aclTensor *gradOutput, const aclTensor *output, int64_t dim, aclTensor *out),
         (ARG(gradOutput), ARG(output), ARG(dim), ARG(out)), .stem = "logsoftmax_backward",
         PARAMETERS(backward_parameters), .promise = &promise_sum, ROWS(&log_softmax_backward_family),
         .infer = infer_backward, .plan = plan_backward);

#endif
