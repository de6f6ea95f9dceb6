/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the activations should give, from their formulas in MPFR: slow, and shared with nothing in src/.
 */
#ifndef BELAY_TESTS_SUPPORT_REFERENCE_ACTIVATIONS_H
#define BELAY_TESTS_SUPPORT_REFERENCE_ACTIVATIONS_H

#include "support/reference.h"

enum activation {
    ACTIVATION_RELU,
    ACTIVATION_THRESHOLD_BACKWARD, /* gradient, self */
    ACTIVATION_SIGMOID,
    ACTIVATION_SIGMOID_BACKWARD, /* gradient, result */
    ACTIVATION_TANH,
    ACTIVATION_TANH_BACKWARD, /* gradient, result */
    ACTIVATION_GELU,
    ACTIVATION_GELU_BACKWARD /* gradient, self */
};

/*
 * One element: the inputs, of these dtypes, are converted to the dtype that is computed in, and its result to
 * the dtype of the output. threshold is of fp32. output holds what was found, which stays where it is within
 * the promise.
 */
void reference_activation(enum activation activation, const void *const *input,
                          const aclDataType *input_dtype, aclDataType arithmetic, double threshold,
                          void *output, aclDataType output_dtype);

/* The float that two floats, real or complex, promote to. */
aclDataType reference_promote(aclDataType a, aclDataType b);

bool reference_is_float(aclDataType dtype);

#endif
