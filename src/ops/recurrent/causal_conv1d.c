/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolution along the tokens of sequences whose first tokens follow those that a cache has kept: of each channel y
 * [i] is the sum of weight[k] P[i + k] over the rows P of the cache and of x, whose last ones are kept in turn. In
 * doubles, rounded once.
 */
#include "aclnnop/aclnn_fused_causal_conv1d.h"
#include "aclnnop/aclnn_inplace_fused_causal_conv1d.h"

#include <inttypes.h>
#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"

/* Channels of a task. */
enum { CHANNELS = 128, ELEMENT_PS = 1500 };

#define INDEX(X, of, name, sample_) X(of, IN, name, &dtypes_int32, .is_optional = true, .sample = sample_)
#define CONVOLVED(X, of)                                                                \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "3x4")                          \
    X(of, BOTH, convStates, &dtypes_fp32_fp16_bf16, .sample = "3x4x4")                  \
    INDEX(X, of, queryStartLocOptional, "")                                             \
    INDEX(X, of, cacheIndicesOptional, "")                                              \
    INDEX(X, of, initialStateModeOptional, "")                                          \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4") \
    INDEX(X, of, numAcceptedTokensOptional, "")                                         \
    INDEX(X, of, numComputedTokensOptional, "")                                         \
    INDEX(X, of, blockIdxFirstScheduledTokenOptional, "")                               \
    INDEX(X, of, blockIdxLastScheduledTokenOptional, "")                                \
    INDEX(X, of, initialStateIdxOptional, "")                                           \
    X(of, INT64, activationMode, .usual = "0")                                          \
    X(of, INT64, padSlotId, .usual = "-1")                                              \
    X(of, INT64, runMode, .usual = "0")                                                 \
    X(of, INT64, maxQueryLen, .usual = "-1")                                            \
    X(of, INT64, residualConnection, .usual = "0")                                      \
    X(of, INT64, blockSize, .usual = "0")                                               \
    X(of, INT64, convMode, .usual = "0")
#define APART(X, of)                                        \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "2x3x4") \
    CONVOLVED(X, of)                                        \
    X(of, OUT, y, &dtypes_fp32_fp16_bf16)
#define IN_PLACE(X, of)                                       \
    X(of, BOTH, x, &dtypes_fp32_fp16_bf16, .sample = "2x3x4") \
    CONVOLVED(X, of)
SIGNATURE(APART)
SIGNATURE(IN_PLACE)

struct causal {
    uint64_t tokens, length, channels, window, lines, kept,
        sequences; /* length: of each, where none is given */
    int64_t padding;
    uint8_t out;
    bool is_joined, adds_input, clears_first;
};

static aclnnStatus read_causal(const struct call *call, struct causal *causal)
{
    const struct tensor_view *x = &call->tensor[APART_x], *states = &call->tensor[APART_convStates],
                             *weight = &call->tensor[APART_weight];
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, APART_weight, APART_x, NULL));
    TRY(check_same_dtype(call, APART_convStates, APART_x, NULL));
    if (x->rank != 2 && x->rank != 3)
        return refuse(call, "x has shape %s; (tokens, channels) or (sequences, tokens, channels) is expected",
                      shape_text(TEXT, x));
    const bool is_joined = x->rank == 2;
    if (is_joined && !call_has_elements(call, APART_queryStartLocOptional))
        return refuse(call, "x has shape %s; then queryStartLocOptional is expected", shape_text(TEXT, x));
    const int64_t channels = x->shape[x->rank - 1];
    TRY(check_sizes(call, APART_weight, SIZES(-1, channels)));
    TRY(check_sizes(call, APART_convStates, SIZES(-1, -1, channels)));
    TRY(check_optional_sizes(call, APART_queryStartLocOptional, SIZES(-1)));
    if (weight->shape[0] < 1 || states->shape[1] < weight->shape[0] - 1)
        return refuse(call,
                      "convStates keeps %" PRId64 " rows for a window of %" PRId64
                      "; one less, or more, are expected",
                      states->shape[1], weight->shape[0]);
    const int64_t sequences =
        is_joined ? call->tensor[APART_queryStartLocOptional].shape[0] - 1 : x->shape[0];
    for (unsigned i = APART_blockIdxFirstScheduledTokenOptional; i <= APART_initialStateIdxOptional; i++)
        if (call_has_elements(call, i))
            return refuse(call, "%s is given, for caches that sequences share; NULL is expected",
                          call_name(call, i));
    TRY(check_optional_sizes(call, APART_cacheIndicesOptional, SIZES(sequences)));
    TRY(check_optional_sizes(call, APART_numAcceptedTokensOptional, SIZES(sequences)));
    TRY(check_optional_sizes(call, APART_numComputedTokensOptional, SIZES(sequences)));
    const int64_t mode = call->argument[APART_convMode].int64;
    if (mode != 0 && mode != 1)
        return refuse(call, "convMode is %" PRId64 "; 0 or 1 is expected", mode);
    *causal = (struct causal){.tokens = (uint64_t)(is_joined ? x->shape[0] : x->shape[0] * x->shape[1]),
                              .length = is_joined ? 0 : (uint64_t)x->shape[1],
                              .channels = (uint64_t)channels,
                              .window = (uint64_t)weight->shape[0],
                              .lines = (uint64_t)states->shape[0],
                              .kept = (uint64_t)states->shape[1],
                              .sequences = (uint64_t)sequences,
                              .padding = call->argument[APART_padSlotId].int64,
                              .out = (uint8_t)(call->function->of_family == NULL ? APART_y : IN_PLACE_x),
                              .is_joined = is_joined,
                              .adds_input = call->argument[APART_residualConnection].int64 == 1,
                              .clears_first = mode == 1};
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct causal causal;
    TRY(read_causal(call, &causal));
    result->computed = call_dtype(call, APART_x);
    if (causal.out != APART_y)
        result_add(result, result->computed, DTYPE_EQUAL)->like = IN_PLACE_x;
    result_add(result, result->computed, DTYPE_EQUAL)->like = APART_convStates;
    if (causal.out == APART_y)
        result_sized(result, result->computed, DTYPE_EQUAL, call->tensor[APART_x].rank,
                     call->tensor[APART_x].shape);
    return ACLNN_SUCCESS;
}

/* A number of each sequence, or what counts where none is given. */
static int64_t number_of(const struct task *task, unsigned parameter, uint64_t sequence, int64_t otherwise)
{
    return task_has(task, parameter) ? task_integer(task, parameter, sequence) : otherwise;
}

static uint64_t first_token(const struct task *task, uint64_t sequence)
{
    const struct causal *causal = task->parameters;
    return causal->is_joined ? (uint64_t)task_integer(task, APART_queryStartLocOptional, sequence)
                             : sequence * causal->length;
}

static int check_number(const char *name, uint64_t at, int64_t number, int64_t low, int64_t high)
{
    return number >= low && number <= high ? 0
                                           : operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                                            "%s holds %" PRId64 " at [%" PRIu64 "]; %" PRId64
                                                            " to %" PRId64 " are expected",
                                                            name, number, at, low, high);
}

static int start(struct task *task)
{
    const struct causal *causal = task->parameters;
    int64_t before = 0;
    int status = 0;
    for (uint64_t b = 0; status == 0 && causal->is_joined && b <= causal->sequences; b++) {
        const int64_t first = task_integer(task, APART_queryStartLocOptional, b);
        status = check_number("queryStartLoc", b, first, before, b == 0 ? 0 : (int64_t)causal->tokens);
        before = first;
    }
    for (uint64_t b = 0; status == 0 && b < causal->sequences; b++) {
        const int64_t line = number_of(task, APART_cacheIndicesOptional, b, (int64_t)b);
        if (line == causal->padding)
            continue;
        status = check_number("cacheIndices", b, line, 0, (int64_t)causal->lines - 1);
        if (status == 0)
            status =
                check_number("numAcceptedTokens", b, number_of(task, APART_numAcceptedTokensOptional, b, 1),
                             1, (int64_t)(causal->kept + 2 - causal->window));
    }
    return status;
}

/* What a task has: weights, the rows P in turn, and a sum, each of some channels. */
struct stripe {
    uint64_t first, count, rows;
    double *weight, *ring, *sum;
};

static double *row_of(const struct stripe *stripe, uint64_t number)
{
    return stripe->ring + number % stripe->rows * CHANNELS;
}

static void convolve_sequence(const struct task *task, const struct stripe *stripe, uint64_t sequence)
{
    const struct causal *causal = task->parameters;
    const int64_t line = number_of(task, APART_cacheIndicesOptional, sequence, (int64_t)sequence),
                  computed = number_of(task, APART_numComputedTokensOptional, sequence, INT64_MAX);
    if (line == causal->padding)
        return;
    const uint64_t begin = first_token(task, sequence), end = first_token(task, sequence + 1);
    const uint64_t state = (uint64_t)line * causal->kept, width = causal->window - 1;
    uint64_t skipped = causal->kept - width, zeros = 0;
    if (task_has(task, APART_numAcceptedTokensOptional))
        skipped = (uint64_t)task_integer(task, APART_numAcceptedTokensOptional, sequence) - 1;
    if (computed == 0)
        skipped = 0;
    if (causal->clears_first && computed < (int64_t)width)
        zeros = width - (uint64_t)(computed < 0 ? 0 : computed);
    const uint64_t history = skipped + width, all = history + end - begin,
                   left = all < causal->kept ? all : causal->kept;
    for (uint64_t p = 0; p < history; p++)
        if (computed == 0)
            memset(row_of(stripe, p), 0, stripe->count * sizeof(double));
        else
            task_read(task, APART_convStates, (state + p) * causal->channels + stripe->first, stripe->count,
                      row_of(stripe, p));
    for (uint64_t t = begin; t < end; t++) {
        const uint64_t at = t * causal->channels + stripe->first, number = t - begin;
        double *row = row_of(stripe, history + number);
        task_read(task, APART_x, at, stripe->count, row);
        memset(stripe->sum, 0, stripe->count * sizeof(double));
        for (uint64_t k = 0; number >= zeros && k < causal->window; k++) {
            const double *factor = stripe->weight + k * CHANNELS,
                         *from = row_of(stripe, skipped + number + k);
            for (uint64_t c = 0; c < stripe->count; c++)
                stripe->sum[c] += factor[c] * from[c];
        }
        for (uint64_t c = 0; causal->adds_input && c < stripe->count; c++)
            stripe->sum[c] += row[c];
        task_write(task, causal->out, at, stripe->count, stripe->sum);
    }
    for (uint64_t i = 0; i < left; i++)
        task_write(task, APART_convStates,
                   (state + causal->kept - left + i) * causal->channels + stripe->first, stripe->count,
                   row_of(stripe, all - left + i));
}

/* Some channels of all sequences, in their order: they may have one line of the cache. */
static void convolve(const struct task *task, uint64_t number)
{
    const struct causal *causal = task->parameters;
    const uint64_t first = number * CHANNELS, left = causal->channels - first;
    struct stripe stripe = {.first = first,
                            .count = left < CHANNELS ? left : CHANNELS,
                            .rows = causal->kept + causal->window,
                            .weight = task->room};
    stripe.ring = stripe.weight + causal->window * CHANNELS;
    stripe.sum = stripe.ring + stripe.rows * CHANNELS;
    for (uint64_t k = 0; k < causal->window; k++)
        task_read(task, APART_weight, k * causal->channels + first, stripe.count,
                  stripe.weight + k * CHANNELS);
    for (uint64_t b = 0; b < causal->sequences; b++)
        convolve_sequence(task, &stripe, b);
    for (uint64_t t = first_token(task, causal->sequences); causal->out == APART_y && t < causal->tokens; t++)
        task_clear(task, APART_y, t * causal->channels + first, stripe.count);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct causal causal;
    (void)result;
    TRY(read_causal(call, &causal));
    const uint64_t channels = causal.channels < CHANNELS ? causal.channels : CHANNELS;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = convolve,
                                          .start = start,
                                          .count = causal.tokens + causal.sequences == 0
                                                       ? 0
                                                       : (causal.channels + CHANNELS - 1) / CHANNELS,
                                          .task_ns = (causal.tokens + causal.kept * causal.sequences) *
                                                         channels * (causal.window + 3) * ELEMENT_PS / 1000 +
                                                     500,
                                          .room = (causal.kept + 2 * causal.window + 1) * CHANNELS,
                                          .parameters = &causal,
                                          .parameter_bytes = sizeof causal});
}

#define CONVOLVES .family = FAMILY_RECURRENT, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
static const bool in_place = true; /* of_family */
FUNCTION_OF(aclnnFusedCausalConv1d, APART, .stem = "fused_causal_conv1d", CONVOLVES);
FUNCTION_OF(aclnnInplaceFusedCausalConv1d, IN_PLACE, .stem = "inplace_fused_causal_conv1d", CONVOLVES,
            .of_family = &in_place);
