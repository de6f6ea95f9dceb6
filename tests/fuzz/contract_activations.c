/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table of the activations: see contract.c.
 */
#include <string.h>

#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "fuzz/contract.h"
#include "support/conversion.h"
#include "support/reference_activations.h"

static bool is_float_or_complex(aclDataType dtype)
{
    return is_among(dtype, DRAWN_FLOATS) || is_complex(dtype);
}

/* INT8 to INT64, UINT8 and BOOL. */
static bool is_small_integer(aclDataType dtype)
{
    return is_among(dtype, DRAWN_ALL) && !is_float_or_complex(dtype) && !is_wide_unsigned(dtype);
}

static bool are_equal(const struct operator_call *call, struct view *const *view)
{
    for (uint32_t i = 1; i < contract_of(call->kind)->operand_count; i++)
        if (view[i]->dtype != view[0]->dtype)
            return false;
    return true;
}

static bool is_of_relu(aclDataType dtype)
{
    return is_among(dtype, DRAWN_NARROW) || dtype == ACL_INT8 || dtype == ACL_UINT8 || dtype == ACL_INT32 ||
           dtype == ACL_INT64;
}

static bool accepts_relu(const struct operator_call *call, struct view *const *view,
                         const struct scalar *scalar)
{
    (void)scalar;
    return is_of_relu(view[0]->dtype) && are_equal(call, view);
}

/* What a real dtype makes of the scalar: nothing of a complex one. */
static double threshold_of(const struct scalar *scalar)
{
    return is_complex(scalar->dtype) ? 0 : (double)(float)scalar->value;
}

static bool accepts_threshold_backward(const struct operator_call *call, struct view *const *view,
                                       const struct scalar *scalar)
{
    if (view[0]->dtype == ACL_INT64 && (strcmp(product(), "950") != 0 || threshold_of(scalar) != 0))
        return false;
    return is_of_relu(view[0]->dtype) && are_equal(call, view);
}

static bool accepts_sigmoid(const struct operator_call *call, struct view *const *view,
                            const struct scalar *scalar)
{
    (void)call, (void)scalar;
    return (is_float_or_complex(view[0]->dtype) || is_small_integer(view[0]->dtype)) &&
           is_float_or_complex(view[1]->dtype);
}

static bool accepts_inplace_sigmoid(const struct operator_call *call, struct view *const *view,
                                    const struct scalar *scalar)
{
    (void)call, (void)scalar;
    return is_float_or_complex(view[0]->dtype);
}

static bool accepts_sigmoid_backward(const struct operator_call *call, struct view *const *view,
                                     const struct scalar *scalar)
{
    (void)call, (void)scalar;
    bool makes_complex = is_complex(view[0]->dtype) || is_complex(view[1]->dtype);
    return is_float_or_complex(view[0]->dtype) && is_float_or_complex(view[1]->dtype) &&
           is_float_or_complex(view[2]->dtype) && (!makes_complex || is_complex(view[2]->dtype));
}

static bool accepts_tanh(const struct operator_call *call, struct view *const *view,
                         const struct scalar *scalar)
{
    (void)call, (void)scalar;
    if (is_complex(view[0]->dtype))
        return is_complex(view[1]->dtype);
    return (is_among(view[0]->dtype, DRAWN_NARROW) || is_small_integer(view[0]->dtype)) &&
           (is_among(view[1]->dtype, DRAWN_NARROW) || is_complex(view[1]->dtype));
}

static bool accepts_inplace_tanh(const struct operator_call *call, struct view *const *view,
                                 const struct scalar *scalar)
{
    (void)call, (void)scalar;
    return is_among(view[0]->dtype, DRAWN_NARROW) || is_complex(view[0]->dtype);
}

static bool accepts_tanh_backward(const struct operator_call *call, struct view *const *view,
                                  const struct scalar *scalar)
{
    (void)scalar;
    return is_float_or_complex(view[0]->dtype) && are_equal(call, view);
}

static void apply(enum activation activation, const struct source *source, aclDataType arithmetic,
                  void *output, aclDataType to)
{
    reference_activation(activation, source->element, source->dtype, arithmetic, 0, output, to);
}

static void compute_relu(const struct source *source, void *output, aclDataType to)
{
    int64_t value;
    if (reference_is_float(to)) {
        apply(ACTIVATION_RELU, source, to, output, to);
        return;
    }
    conversion_reference(source->element[0], source->dtype[0], &value, ACL_INT64);
    value = value > 0 ? value : 0;
    conversion_reference(&value, ACL_INT64, output, to);
}

static void compute_threshold_backward(const struct source *source, void *output, aclDataType to)
{
    double threshold = threshold_of(source->scalar);
    int64_t x;
    if (reference_is_float(to)) {
        reference_activation(ACTIVATION_THRESHOLD_BACKWARD, source->element, source->dtype, to, threshold,
                             output, to);
        return;
    }
    conversion_reference(source->element[1], source->dtype[1], &x, ACL_INT64);
    if ((long double)x <= (long double)threshold)
        memset(output, 0, conversion_bytes(to));
    else
        memcpy(output, source->element[0], conversion_bytes(to));
}

static void compute_sigmoid(const struct source *source, void *output, aclDataType to)
{
    apply(ACTIVATION_SIGMOID, source, reference_is_float(source->dtype[0]) ? source->dtype[0] : to, output,
          to);
}

static void compute_sigmoid_backward(const struct source *source, void *output, aclDataType to)
{
    apply(ACTIVATION_SIGMOID_BACKWARD, source, reference_promote(source->dtype[0], source->dtype[1]), output,
          to);
}

static void compute_tanh(const struct source *source, void *output, aclDataType to)
{
    apply(ACTIVATION_TANH, source,
          reference_is_float(source->dtype[0]) || is_complex(source->dtype[0]) ? source->dtype[0] : ACL_FLOAT,
          output, to);
}

static void compute_tanh_backward(const struct source *source, void *output, aclDataType to)
{
    apply(ACTIVATION_TANH_BACKWARD, source, source->dtype[0], output, to);
}

static void compute_gelu(const struct source *source, void *output, aclDataType to)
{
    apply(ACTIVATION_GELU, source, source->dtype[0], output, to);
}

static void compute_gelu_backward(const struct source *source, void *output, aclDataType to)
{
    apply(ACTIVATION_GELU_BACKWARD, source, reference_promote(source->dtype[0], source->dtype[1]), output,
          to);
}

PHASE_1(call_relu, aclnnReluGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_inplace_relu, aclnnInplaceReluGetWorkspaceSize, operand[0])
PHASE_1(call_threshold_backward, aclnnThresholdBackwardGetWorkspaceSize, operand[0], operand[1], call->scalar,
        operand[2])
PHASE_1(call_sigmoid, aclnnSigmoidGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_inplace_sigmoid, aclnnInplaceSigmoidGetWorkspaceSize, operand[0])
PHASE_1(call_sigmoid_backward, aclnnSigmoidBackwardGetWorkspaceSize, operand[0], operand[1], operand[2])
PHASE_1(call_tanh, aclnnTanhGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_inplace_tanh, aclnnInplaceTanhGetWorkspaceSize, operand[0])
PHASE_1(call_tanh_backward, aclnnTanhBackwardGetWorkspaceSize, operand[0], operand[1], operand[2])
PHASE_1(call_gelu, aclnnGeluGetWorkspaceSize, operand[0], operand[1])
PHASE_1(call_gelu_backward, aclnnGeluBackwardGetWorkspaceSize, operand[0], operand[1], operand[2])

const struct contract activation_contracts[ADD - RELU] = {
    [RELU - RELU] = {.operand_count = 2,
                     .output = 1,
                     .drawn = DRAWN_REAL,
                     .mixed = DRAWN_REAL,
                     .phase_1 = call_relu,
                     .phase_2 = aclnnRelu,
                     .accepts = accepts_relu,
                     .move = compute_relu},
    [INPLACE_RELU - RELU] = {.operand_count = 1,
                             .is_in_place = true,
                             .reads_output = true,
                             .drawn = DRAWN_REAL,
                             .phase_1 = call_inplace_relu,
                             .phase_2 = aclnnInplaceRelu,
                             .accepts = accepts_relu,
                             .move = compute_relu},
    [THRESHOLD_BACKWARD - RELU] = {.operand_count = 3,
                                   .output = 2,
                                   .broadcasts = true,
                                   .scalar = SCALAR_NEEDED,
                                   .drawn = DRAWN_REAL,
                                   .mixed = DRAWN_REAL,
                                   .phase_1 = call_threshold_backward,
                                   .phase_2 = aclnnThresholdBackward,
                                   .accepts = accepts_threshold_backward,
                                   .move = compute_threshold_backward},
    [SIGMOID - RELU] = {.operand_count = 2,
                        .output = 1,
                        .drawn = DRAWN_FLOATS,
                        .mixed = DRAWN_ALL,
                        .phase_1 = call_sigmoid,
                        .phase_2 = aclnnSigmoid,
                        .accepts = accepts_sigmoid,
                        .move = compute_sigmoid},
    [INPLACE_SIGMOID - RELU] = {.operand_count = 1,
                                .is_in_place = true,
                                .reads_output = true,
                                .drawn = DRAWN_FLOATS,
                                .mixed = DRAWN_ALL,
                                .phase_1 = call_inplace_sigmoid,
                                .phase_2 = aclnnInplaceSigmoid,
                                .accepts = accepts_inplace_sigmoid,
                                .move = compute_sigmoid},
    [SIGMOID_BACKWARD - RELU] = {.operand_count = 3,
                                 .output = 2,
                                 .broadcasts = true,
                                 .drawn = DRAWN_FLOATS,
                                 .mixed = DRAWN_ALL,
                                 .phase_1 = call_sigmoid_backward,
                                 .phase_2 = aclnnSigmoidBackward,
                                 .accepts = accepts_sigmoid_backward,
                                 .move = compute_sigmoid_backward},
    [TANH - RELU] = {.operand_count = 2,
                     .output = 1,
                     .drawn = DRAWN_NARROW,
                     .mixed = DRAWN_ALL,
                     .phase_1 = call_tanh,
                     .phase_2 = aclnnTanh,
                     .accepts = accepts_tanh,
                     .move = compute_tanh},
    [INPLACE_TANH - RELU] = {.operand_count = 1,
                             .is_in_place = true,
                             .reads_output = true,
                             .drawn = DRAWN_NARROW,
                             .phase_1 = call_inplace_tanh,
                             .phase_2 = aclnnInplaceTanh,
                             .accepts = accepts_inplace_tanh,
                             .move = compute_tanh},
    [TANH_BACKWARD - RELU] = {.operand_count = 3,
                              .output = 2,
                              .broadcasts = true,
                              .drawn = DRAWN_FLOATS,
                              .mixed = DRAWN_FLOATS,
                              .phase_1 = call_tanh_backward,
                              .phase_2 = aclnnTanhBackward,
                              .accepts = accepts_tanh_backward,
                              .move = compute_tanh_backward},
    [GELU - RELU] = {.operand_count = 2,
                     .output = 1,
                     .drawn = DRAWN_NARROW,
                     .mixed = DRAWN_NARROW,
                     .phase_1 = call_gelu,
                     .phase_2 = aclnnGelu,
                     .accepts = are_narrow_and_equal,
                     .move = compute_gelu},
    [GELU_BACKWARD - RELU] = {.operand_count = 3,
                              .output = 2,
                              .broadcasts = true,
                              .drawn = DRAWN_NARROW,
                              .mixed = DRAWN_NARROW,
                              .phase_1 = call_gelu_backward,
                              .phase_2 = aclnnGeluBackward,
                              .accepts = are_narrow,
                              .move = compute_gelu_backward},
};
