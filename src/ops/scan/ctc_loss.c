/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contracts of CtcLoss and its gradient; ctc.c computes them.
 */
#include "aclnnop/aclnn_ctc_loss.h"

#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "ops/check.h"
#include "ops/scan/ctc.h"
#include "ops/signature.h"

LEVEL_TABLE(const struct ctc_kernels, kernels, ctc_kernels);

#define LENGTHS(X, of, name_, sample_) X(of, INTS, name_, .sample = sample_)
#define SAMPLES(X, of)                                                                     \
    X(of, IN, logProbs, &dtypes_floats, .sample = "4x2x3", .is_partly_read = true)         \
    X(of, IN, targets, &dtypes_int32_int64, .sample = "2x2:INT64", .is_partly_read = true) \
    LENGTHS(X, of, inputLengths, "4,3")                                                    \
    LENGTHS(X, of, targetLengths, "1,2")
#define CTC_LOSS_BACKWARD(X, of)                                                   \
    X(of, IN, gradOut, &dtypes_floats, .sample = "2")                              \
    SAMPLES(X, of)                                                                 \
    X(of, IN, negLogLikelihood, &dtypes_floats, .sample = "2")                     \
    X(of, IN, logAlpha, &dtypes_floats, .sample = "2x4x5", .is_partly_read = true) \
    X(of, INT64, blank, .usual = "0")                                              \
    X(of, BOOL, zeroInfinity, .usual = "false")                                    \
    X(of, OUT, out, &dtypes_floats)
SIGNATURE(CTC_LOSS_BACKWARD)
#define CTC_LOSS(X, of)                             \
    SAMPLES(X, of)                                  \
    X(of, INT64, blank, .usual = "0")               \
    X(of, BOOL, zeroInfinity, .usual = "false")     \
    X(of, OUT, negLogLikelihoodOut, &dtypes_floats) \
    X(of, OUT, logAlphaOut, &dtypes_floats, .may_be_infinite = true)
SIGNATURE(CTC_LOSS)

/* Where the parameters that both have stand: further back by one in the gradient. */
static unsigned shift_of(const struct call *call)
{
    return call->function->parameter[0].name[0] == 'g';
}

/* The lengths of an array: one for each sample, from 0 to most. */
static aclnnStatus check_lengths(const struct call *call, unsigned parameter, uint64_t samples, int64_t most)
{
    const struct call_values *lengths = &call->values[parameter];
    if (lengths->count != samples)
        return refuse(call, "%s has %" PRIu64 " elements; %" PRIu64 ", one for each sample, are expected",
                      call_name(call, parameter), lengths->count, samples);
    for (uint64_t i = 0; i < samples; i++)
        if (lengths->value.int64[i] < 0 || lengths->value.int64[i] > most)
            return refuse(call, "%s holds %" PRId64 " at [%" PRIu64 "]; 0 to %" PRId64 " are expected",
                          call_name(call, parameter), lengths->value.int64[i], i, most);
    return ACLNN_SUCCESS;
}

/* What both check; *longest is the greatest target length. */
static aclnnStatus check_samples(const struct call *call, int64_t *longest)
{
    const unsigned shift = shift_of(call);
    const unsigned blank = shift == 0 ? CTC_LOSS_blank : CTC_LOSS_BACKWARD_blank;
    const struct tensor_view *log_probs = &call->tensor[CTC_LOSS_logProbs + shift],
                             *targets = &call->tensor[CTC_LOSS_targets + shift];
    TRY(check_dtype(call, CTC_LOSS_logProbs + shift));
    TRY(check_dtype(call, CTC_LOSS_targets + shift));
    if (log_probs->rank != 3)
        return refuse(call, "logProbs has %u dims; 3 are expected", log_probs->rank);
    if (targets->rank != 1 && (targets->rank != 2 || targets->shape[0] != log_probs->shape[1]))
        return refuse(call,
                      "targets has shape %s; those of all samples in one dim, or %" PRId64
                      " rows, one for each sample, are expected",
                      shape_text(TEXT, targets), log_probs->shape[1]);
    const uint64_t samples = (uint64_t)log_probs->shape[1];
    const int64_t most = targets->shape[targets->rank - 1], classes = log_probs->shape[2];
    TRY(check_lengths(call, CTC_LOSS_inputLengths + shift, samples, log_probs->shape[0]));
    TRY(check_lengths(call, CTC_LOSS_targetLengths + shift, samples, most));
    const int64_t *length = call->values[CTC_LOSS_targetLengths + shift].value.int64;
    int64_t rest = most;
    *longest = 0;
    for (uint64_t i = 0; i < samples; i++) {
        *longest = length[i] > *longest ? length[i] : *longest;
        if (targets->rank == 1 && length[i] > rest)
            return refuse(call, "targets has %" PRId64 " elements; targetLengths has more in all", most);
        rest -= targets->rank == 1 ? length[i] : 0;
    }
    if (call->argument[blank].int64 < 0 || call->argument[blank].int64 >= classes)
        return refuse(call, "blank is %" PRId64 "; 0 to %" PRId64 " is expected", call->argument[blank].int64,
                      classes - 1);
    return ACLNN_SUCCESS;
}

/* States that logAlpha has room for: the old products have them in lines, and more do no harm. */
static int64_t states_for(const struct call *call, int64_t longest)
{
    const int64_t least = 2 * longest + 1,
                  usual = call->settings->product == PRODUCT_950 ? least : (2 * longest + 8) / 8 * 8;
    const struct tensor_view *alpha = &call->tensor[CTC_LOSS_logAlphaOut];
    const bool is_given = call->has_outputs && alpha->rank == 3 && alpha->shape[2] >= least;
    return is_given ? alpha->shape[2] : usual;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    int64_t longest;
    TRY(check_samples(call, &longest));
    const int64_t *shape = call->tensor[CTC_LOSS_logProbs].shape;
    struct shape losses = {.rank = 1, .dim = {shape[1]}},
                 alpha = {.rank = 3, .dim = {shape[1], shape[0], states_for(call, longest)}};
    TRY(check_element_count(call, &alpha));
    result_reshaped(result, call, CTC_LOSS_logProbs, losses);
    result_reshaped(result, call, CTC_LOSS_logProbs, alpha);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    int64_t longest;
    const struct tensor_view *view = call->tensor;
    TRY(check_dtype(call, CTC_LOSS_BACKWARD_gradOut));
    TRY(check_samples(call, &longest));
    TRY(check_same_dtype(call, CTC_LOSS_BACKWARD_gradOut, CTC_LOSS_logProbs + 1, NULL));
    for (unsigned i = CTC_LOSS_BACKWARD_negLogLikelihood; i <= CTC_LOSS_BACKWARD_logAlpha; i++) {
        TRY(check_dtype(call, i));
        TRY(check_same_dtype(call, i, CTC_LOSS_logProbs + 1, NULL));
    }
    const int64_t *shape = view[CTC_LOSS_logProbs + 1].shape;
    if (view[CTC_LOSS_BACKWARD_gradOut].count != shape[1] ||
        view[CTC_LOSS_BACKWARD_negLogLikelihood].count != shape[1])
        return refuse(call,
                      "gradOut and negLogLikelihood have %" PRId64 " and %" PRId64 " elements; %" PRId64
                      ", one for each sample, are expected",
                      view[CTC_LOSS_BACKWARD_gradOut].count, view[CTC_LOSS_BACKWARD_negLogLikelihood].count,
                      shape[1]);
    if (view[CTC_LOSS_BACKWARD_logAlpha].rank != 3 || view[CTC_LOSS_BACKWARD_logAlpha].shape[0] != shape[1] ||
        view[CTC_LOSS_BACKWARD_logAlpha].shape[1] != shape[0] ||
        view[CTC_LOSS_BACKWARD_logAlpha].shape[2] < 2 * longest + 1)
        return refuse(call,
                      "logAlpha has shape %s; [%" PRId64 ", %" PRId64 ", %" PRId64
                      "], or more in the last dim, is expected",
                      shape_text(TEXT, &view[CTC_LOSS_BACKWARD_logAlpha]), shape[1], shape[0],
                      2 * longest + 1);
    result_like(result, call, CTC_LOSS_logProbs + 1);
    return ACLNN_SUCCESS;
}

/* The samples first; the targets of all for each where they are joined. */
static struct tensor_view by_sample(const struct tensor_view *view)
{
    struct tensor_view turned = *view;
    turned.shape[0] = view->shape[1], turned.stride[0] = view->stride[1];
    turned.shape[1] = view->shape[0], turned.stride[1] = view->stride[0];
    return turned;
}

static struct tensor_view for_each(const struct tensor_view *view, int64_t samples)
{
    struct tensor_view each = *view;
    if (view->rank == 2)
        return each;
    each.rank = 2;
    each.shape[1] = view->shape[0], each.stride[1] = view->stride[0];
    each.shape[0] = samples, each.stride[0] = 0;
    each.count = view->count * samples;
    return each;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned shift = shift_of(call);
    const bool is_backward = shift != 0;
    const struct tensor_view *log_probs = &call->tensor[CTC_LOSS_logProbs + shift],
                             *targets = &call->tensor[CTC_LOSS_targets + shift];
    const struct tensor_view *alpha =
        &call->tensor[is_backward ? CTC_LOSS_BACKWARD_logAlpha : CTC_LOSS_logAlphaOut];
    const uint64_t samples = (uint64_t)log_probs->shape[1];
    (void)result;
    if (samples == 0 || (is_backward && log_probs->count == 0))
        return call_idle(call);
    const struct tensor_view mine = by_sample(log_probs), labels = for_each(targets, (int64_t)samples),
                             out = by_sample(
                                 &call->tensor[is_backward ? CTC_LOSS_BACKWARD_out : CTC_LOSS_logProbs]);
    const struct ctc ctc = {
        .kernels = kernels[call->settings->isa],
        .times = (uint64_t)log_probs->shape[0],
        .classes = (uint64_t)log_probs->shape[2],
        .states = (uint64_t)alpha->shape[2],
        .dtype = log_probs->dtype,
        .target_dtype = targets->dtype,
        .are_joined = targets->rank == 1,
        .blank = call->argument[is_backward ? CTC_LOSS_BACKWARD_blank : CTC_LOSS_blank].int64,
        .zero_infinity =
            call->argument[is_backward ? CTC_LOSS_BACKWARD_zeroInfinity : CTC_LOSS_zeroInfinity].boolean};
    struct plane_request request = {
        .function = is_backward ? ctc_run_backward : ctc_run_forward,
        .explain = ctc_tell_target,
        .planes = samples,
        .room_bytes = ctc_room_bytes(&ctc),
        .plane_ns = ctc.times * (ctc.states * 40 + ctc.classes * (is_backward ? 20 : 1)) + 100,
        .parameters = &ctc,
        .parameter_bytes = sizeof ctc,
        .table = {call->values[CTC_LOSS_inputLengths + shift].value.int64,
                  call->values[CTC_LOSS_targetLengths + shift].value.int64},
    };
    if (is_backward) {
        request.inputs = 5, request.outputs = 1;
        memcpy(request.parameter,
               (const unsigned[]){CTC_LOSS_BACKWARD_gradOut, CTC_LOSS_logProbs + 1,
                                  CTC_LOSS_BACKWARD_negLogLikelihood, CTC_LOSS_BACKWARD_logAlpha,
                                  CTC_LOSS_targets + 1, CTC_LOSS_BACKWARD_out},
               6 * sizeof(unsigned));
        request.view[1] = &mine, request.view[4] = &labels, request.view[5] = &out;
    } else {
        request.inputs = 2, request.outputs = 2;
        memcpy(request.parameter,
               (const unsigned[]){CTC_LOSS_logProbs, CTC_LOSS_targets, CTC_LOSS_negLogLikelihoodOut,
                                  CTC_LOSS_logAlphaOut},
               4 * sizeof(unsigned));
        request.view[0] = &mine, request.view[1] = &labels;
    }
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnCtcLoss, CTC_LOSS, .stem = "ctc_loss", .promise = &promise_sum, .family = FAMILY_SCAN,
            PLANE_WALK, .infer = infer, .plan = plan);

FUNCTION_OF(aclnnCtcLossBackward, CTC_LOSS_BACKWARD, .stem = "ctc_loss_backward", .promise = &promise_sum,
            .family = FAMILY_SCAN, PLANE_WALK, .infer = infer_backward, .plan = plan);
