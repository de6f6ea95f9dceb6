/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * All families, and the names of all operators: the one place that knows them, and no part of a fingerprint.
 */
#include "numerics/family.h"
#include "numerics/sweep.h"

const char *const reference_operator_names[PROVED_OPERATORS] = {
    [HARDSWISH_BACKWARD] = "hardswish_backward",
    [LEAKY_RELU_BACKWARD] = "leaky_relu_backward",
    [SILU_BACKWARD] = "silu_backward",
    [SMOOTH_L1_LOSS_BACKWARD] = "smooth_l1_loss_backward",
    [HARDSWISH] = "hardswish",
    [LEAKY_RELU] = "leaky_relu",
    [HARDSWISH_BACKWARD_V2] = "hardswish_backward_v2",
    [SILU] = "silu",
    [SWISH] = "swish",
    [SWISH_BACKWARD] = "swish_backward",
    [SMOOTH_L1_LOSS] = "smooth_l1_loss",
    [RELU] = "relu",
    [THRESHOLD_BACKWARD] = "threshold_backward",
    [SIGMOID] = "sigmoid",
    [SIGMOID_BACKWARD] = "sigmoid_backward",
    [TANH] = "tanh",
    [TANH_BACKWARD] = "tanh_backward",
    [GELU] = "gelu",
    [GELU_BACKWARD] = "gelu_backward",
    [ADD] = "add",
    [SUB] = "sub",
    [MUL] = "mul",
    [DIV] = "div",
    [ADDS] = "adds",
    [SUBS] = "subs",
    [MULS] = "muls",
    [DIVS] = "divs",
};

const char *kernels_name(enum reference_operator stem)
{
    switch (stem) {
    case ADD:
    case SUB:
    case ADDS:
    case SUBS:
        return "linear";
    case SWISH:
        return "silu";
    case SWISH_BACKWARD:
        return "silu_backward";
    case HARDSWISH_BACKWARD_V2:
        return "hardswish_backward";
    case LEAKY_RELU_BACKWARD:
        return "leaky_relu";
    case THRESHOLD_BACKWARD:
        return "relu";
    default:
        return reference_operator_names[has_scalar(stem) ? stem - ADDS + ADD : stem];
    }
}

static const struct family *const families[] = {&activations, &calculations};

const struct family *family_of(enum reference_operator stem)
{
    for (unsigned i = 0; i < sizeof families / sizeof *families; i++)
        if (stem >= families[i]->first && (int)(stem - families[i]->first) < families[i]->count)
            return families[i];
    return NULL;
}

int family_inputs(enum reference_operator stem)
{
    const struct family *family = family_of(stem);
    return family->inputs[stem - family->first];
}

bool family_has_slope(enum reference_operator stem)
{
    const struct family *family = family_of(stem);
    return family->has_slope[stem - family->first];
}
