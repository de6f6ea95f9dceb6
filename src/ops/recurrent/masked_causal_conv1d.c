/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolution along tokens with those before them, zeros before the first: of each channel out[s] is the sum of weight
 * [k] x[s - (W - 1 - k)], and 0 where the mask is false; and its gradients. In doubles, rounded once.
 */
#include "aclnnop/aclnn_masked_causal_conv1d.h"
#include "aclnnop/aclnn_masked_causal_conv1d_backward.h"

#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

/* Channels of a task. */
enum { CHANNELS = 128, ELEMENT_PS = 1500 };

#define INPUTS(X, of)                                          \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "3x2x4")    \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, IN, maskOptional, &dtypes_bool, .is_optional = true, .sample = "2x3:BOOL")
#define FORWARD(X, of) INPUTS(X, of) X(of, OUT, out, &dtypes_fp32_fp16_bf16)
#define BACKWARD(X, of)                                           \
    X(of, IN, gradOut, &dtypes_fp32_fp16_bf16, .sample = "3x2x4") \
    INPUTS(X, of)                                                 \
    X(of, OUT, gradX, &dtypes_fp32_fp16_bf16)                     \
    X(of, OUT, gradWeight, &dtypes_fp32_fp16_bf16)
SIGNATURE(FORWARD)
SIGNATURE(BACKWARD)

struct masked {
    uint64_t tokens, batches, channels, window;
    uint8_t x, weight, mask;
};

static aclnnStatus read_masked(const struct call *call, struct masked *masked)
{
    const bool is_backward = call->function->of_family != NULL;
    const unsigned x = is_backward ? BACKWARD_x : FORWARD_x, weight = x + 1, mask = x + 2;
    const int64_t *shape = call->tensor[x].shape;
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, weight, x, NULL));
    TRY(check_same_dtype(call, 0, x, NULL));
    TRY(check_sizes(call, x, SIZES(-1, -1, -1)));
    TRY(check_sizes(call, 0, 3, shape));
    TRY(check_sizes(call, weight, SIZES(-1, shape[2])));
    TRY(check_optional_sizes(call, mask, SIZES(shape[1], shape[0])));
    if (call->tensor[weight].shape[0] < 1)
        return refuse(call, "weight has shape %s; a row or more is expected",
                      shape_text(TEXT, &call->tensor[weight]));
    *masked = (struct masked){.tokens = (uint64_t)shape[0],
                              .batches = (uint64_t)shape[1],
                              .channels = (uint64_t)shape[2],
                              .window = (uint64_t)call->tensor[weight].shape[0],
                              .x = (uint8_t)x,
                              .weight = (uint8_t)weight,
                              .mask = (uint8_t)mask};
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct masked masked;
    TRY(read_masked(call, &masked));
    result->computed = call_dtype(call, masked.x);
    result_sized(result, result->computed, DTYPE_EQUAL, 3, call->tensor[masked.x].shape);
    if (masked.x == BACKWARD_x)
        result_sized(result, result->computed, DTYPE_EQUAL, 2, call->tensor[masked.weight].shape);
    return ACLNN_SUCCESS;
}

/* What a task has: rows of some channels. Of rows in turn one is at its number modulo the window. */
struct stripe {
    uint64_t first, count;
    double *weight, *ring, *of_weight, *sum, *x;
};

static bool is_hidden(const struct task *task, uint64_t batch, uint64_t token)
{
    const struct masked *masked = task->parameters;
    return task_has(task, masked->mask) &&
           task_integer(task, masked->mask, batch * masked->tokens + token) == 0;
}

static void convolve_batch(const struct task *task, const struct stripe *stripe, uint64_t batch)
{
    const struct masked *masked = task->parameters;
    for (uint64_t s = 0; s < masked->tokens; s++) {
        const uint64_t at = (s * masked->batches + batch) * masked->channels + stripe->first;
        task_read(task, masked->x, at, stripe->count, stripe->ring + s % masked->window * CHANNELS);
        memset(stripe->sum, 0, stripe->count * sizeof(double));
        const bool is_seen = !is_hidden(task, batch, s);
        for (uint64_t k = 0; is_seen && k < masked->window; k++) {
            const uint64_t before = masked->window - 1 - k;
            const double *factor = stripe->weight + k * CHANNELS,
                         *from = stripe->ring + (s - before) % masked->window * CHANNELS;
            for (uint64_t c = 0; before <= s && c < stripe->count; c++)
                stripe->sum[c] += factor[c] * from[c];
        }
        task_write(task, FORWARD_out, at, stripe->count, stripe->sum);
    }
}

/* From the last token on: the ring has the gradients of the tokens that one goes into. */
static void differentiate_batch(const struct task *task, const struct stripe *stripe, uint64_t batch)
{
    const struct masked *masked = task->parameters;
    for (uint64_t s = masked->tokens; s-- > 0;) {
        const uint64_t at = (s * masked->batches + batch) * masked->channels + stripe->first;
        double *gradient = stripe->ring + s % masked->window * CHANNELS;
        if (is_hidden(task, batch, s))
            memset(gradient, 0, stripe->count * sizeof(double));
        else
            task_read(task, BACKWARD_gradOut, at, stripe->count, gradient);
        task_read(task, BACKWARD_x, at, stripe->count, stripe->x);
        memset(stripe->sum, 0, stripe->count * sizeof(double));
        for (uint64_t k = 0; k < masked->window; k++) {
            const uint64_t to = s + masked->window - 1 - k;
            const double *factor = stripe->weight + k * CHANNELS,
                         *from = stripe->ring + to % masked->window * CHANNELS;
            double *of_weight = stripe->of_weight + k * CHANNELS;
            for (uint64_t c = 0; to < masked->tokens && c < stripe->count; c++) {
                stripe->sum[c] += factor[c] * from[c];
                of_weight[c] += stripe->x[c] * from[c];
            }
        }
        task_write(task, BACKWARD_gradX, at, stripe->count, stripe->sum);
    }
}

static void convolve(const struct task *task, uint64_t number)
{
    const struct masked *masked = task->parameters;
    const uint64_t first = number * CHANNELS, left = masked->channels - first,
                   rows = masked->window * CHANNELS;
    const bool is_backward = masked->x == BACKWARD_x;
    struct stripe stripe = {.first = first, .count = left < CHANNELS ? left : CHANNELS, .weight = task->room};
    stripe.ring = stripe.weight + rows;
    stripe.of_weight = stripe.ring + rows;
    stripe.sum = stripe.of_weight + rows;
    stripe.x = stripe.sum + CHANNELS;
    memset(stripe.of_weight, 0, rows * sizeof(double));
    for (uint64_t k = 0; k < masked->window; k++)
        task_read(task, masked->weight, k * masked->channels + first, stripe.count,
                  stripe.weight + k * CHANNELS);
    for (uint64_t b = 0; b < masked->batches; b++)
        if (is_backward)
            differentiate_batch(task, &stripe, b);
        else
            convolve_batch(task, &stripe, b);
    for (uint64_t k = 0; is_backward && k < masked->window; k++)
        task_write(task, BACKWARD_gradWeight, k * masked->channels + first, stripe.count,
                   stripe.of_weight + k * CHANNELS);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct masked masked;
    (void)result;
    TRY(read_masked(call, &masked));
    const uint64_t channels = masked.channels < CHANNELS ? masked.channels : CHANNELS;
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = convolve,
                                                      .count = (masked.channels + CHANNELS - 1) / CHANNELS,
                                                      .task_ns = masked.tokens * masked.batches * channels *
                                                                     (masked.window + 3) * ELEMENT_PS / 1000 +
                                                                 500,
                                                      .room = (3 * masked.window + 2) * CHANNELS,
                                                      .parameters = &masked,
                                                      .parameter_bytes = sizeof masked});
}

#define CONVOLVES .family = FAMILY_RECURRENT, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
static const bool backward = true; /* of_family */
FUNCTION_OF(aclnnMaskedCausalConv1d, FORWARD, .stem = "masked_causal_conv1d", CONVOLVES);
FUNCTION_OF(aclnnMaskedCausalConv1dBackward, BACKWARD, .stem = "masked_causal_conv1d_backward", CONVOLVES,
            .of_family = &backward);
