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

/* Some rows side by side, as many as there are lanes at most: their logarithms are taken at once. */
static inline __attribute__((always_inline)) void log_softmax_some(enum arithmetic dtype, const char *input,
                                                                   char *output, size_t rows, size_t count,
                                                                   bool is_short)
{
    const size_t row_bytes = count * bytes_of(dtype);
    double greatest[LANES] __attribute__((uninitialized));
    doubles sum = broadcast(1);
    for (size_t row = 0; row < rows; row++) {
        const char *x = input + row * row_bytes;
        greatest[row] = row_greatest(dtype, x, count);
        sum[row] = is_short ? row_sum(dtype, x, count, NULL, exp_of_difference_short, greatest[row])
                            : row_sum(dtype, x, count, NULL, exp_of_difference, greatest[row]);
    }
    const doubles logarithm =
        is_short ? choose(sum == sum, maths_ln2[0] * short_log2(sum), sum) : maths_log(sum);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < count; i += LANES) {
            const doubles x = row_load(dtype, input + row * row_bytes, i, count - i);
            row_store(dtype, output + row * row_bytes, i, x - greatest[row] - logarithm[row], count - i,
                      true);
        }
}

/* The parameter is whether all numbers have 24 bits at most. */
static inline __attribute__((always_inline)) void log_softmax(enum arithmetic dtype, const void *const *input,
                                                              void *const *output, size_t count, double *room,
                                                              const void *parameters)
{
    (void)room;
    log_softmax_some(dtype, input[0], output[0], 1, count,
                     dtype == ARITHMETIC_FP32 || *(const bool *)parameters);
}

/* So many elements are read again while they are near. */
enum { TOGETHER = 2048 };

rows_together_function AT_LEVEL(log_softmax_together);
void AT_LEVEL(log_softmax_together)(const float *input, float *output, size_t rows, size_t count,
                                    const void *parameters)
{
    const size_t most = count * LANES <= TOGETHER ? LANES : 1;
    (void)parameters;
    for (size_t row = 0, some; row < rows; row += some) {
        some = rows - row < most ? rows - row : most;
        log_softmax_some(ARITHMETIC_FP32, (const char *)(input + row * count), (char *)(output + row * count),
                         some, count, true);
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
#include "ops/signature.h"

ROWS_LEVELS(log_softmax);
ROWS_LEVELS(softmax_backward);
ROWS_LEVELS(log_softmax_backward);
LEVEL_TABLE(rows_together_function, log_softmax_rows_together, log_softmax_together);
static const struct rows log_softmax_rows_family = {log_softmax_rows, log_softmax_rows_fp32,
                                                    .together = log_softmax_rows_together, .element_ps = 700};
static const struct rows softmax_backward_family = {softmax_backward_rows, softmax_backward_rows_fp32,
                                                    .element_ps = 500};
static const struct rows log_softmax_backward_family = {log_softmax_backward_rows,
                                                        log_softmax_backward_rows_fp32, .element_ps = 1200};

#define LOG_SOFTMAX(X, of)           \
    X(of, IN, self, &dtypes_floats)  \
    X(of, INT64, dim, .usual = "-1") \
    X(of, OUT, out, &dtypes_floats)
SIGNATURE(LOG_SOFTMAX)
#define SOFTMAX_BACKWARD(X, of)           \
    X(of, IN, gradOutput, &dtypes_floats) \
    X(of, IN, output, &dtypes_floats)     \
    X(of, INT64, dim, .usual = "-1")      \
    X(of, OUT, out, &dtypes_floats)
SIGNATURE(SOFTMAX_BACKWARD)

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    axes along;
    TRY(check_dtype(call, SOFTMAX_BACKWARD_gradOutput));
    TRY(check_dtype(call, SOFTMAX_BACKWARD_output));
    TRY(check_same_dtype(call, SOFTMAX_BACKWARD_output, SOFTMAX_BACKWARD_gradOutput, NULL));
    TRY(check_rank(call, SOFTMAX_BACKWARD_gradOutput));
    TRY(check_same_shape(call, SOFTMAX_BACKWARD_output, SOFTMAX_BACKWARD_gradOutput, NULL));
    TRY(check_axis(call, SOFTMAX_BACKWARD_gradOutput, SOFTMAX_BACKWARD_dim, &along));
    result->computed = call_dtype(call, SOFTMAX_BACKWARD_gradOutput);
    result_add(result, result->computed, DTYPE_ANY)->like = SOFTMAX_BACKWARD_gradOutput;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(SOFTMAX_BACKWARD_gradOutput, WHOLE),
                                               ROWS_TENSOR(SOFTMAX_BACKWARD_output, WHOLE)};
    static const struct rows_tensor output = ROWS_TENSOR(SOFTMAX_BACKWARD_out, WHOLE);
    axes along;
    (void)result;
    TRY(check_axis(call, SOFTMAX_BACKWARD_gradOutput, SOFTMAX_BACKWARD_dim, &along));
    const struct rows_request request = {.rank = call->tensor[SOFTMAX_BACKWARD_gradOutput].rank,
                                         .shape = call->tensor[SOFTMAX_BACKWARD_gradOutput].shape,
                                         .along = along,
                                         .input = input,
                                         .output = &output,
                                         .inputs = 2,
                                         .outputs = 1};
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnLogSoftmax, LOG_SOFTMAX, .stem = "logsoftmax", .promise = &promise_sum,
            ROWS(&log_softmax_rows_family), .infer = rows_infer_along, .plan = rows_plan_along);

FUNCTION_OF(aclnnSoftmaxBackward, SOFTMAX_BACKWARD, .stem = "softmax_backward", .promise = &promise_sum,
            ROWS(&softmax_backward_family), .infer = infer_backward, .plan = plan_backward);

FUNCTION_OF(aclnnLogSoftmaxBackward, SOFTMAX_BACKWARD, .stem = "logsoftmax_backward", .promise = &promise_sum,
            ROWS(&log_softmax_backward_family), .infer = infer_backward, .plan = plan_backward);

#endif
