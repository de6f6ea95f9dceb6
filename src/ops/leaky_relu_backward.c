/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = gradOutput where self > 0, gradOutput * negativeSlope elsewhere.
 *
 * +-0 and NaN in self take the slope branch. selfIsResult changes nothing but the check of the slope's sign.
 */
#include "simd/kernel.h"

struct leaky_relu_backward_parameters {
    double slope; /* rounded to fp32 unless the arithmetic is fp64 */
};

#ifdef KERNEL_PASS

/* The maths. */

#else

/* The contract. */

#endif
