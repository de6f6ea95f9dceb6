/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What gated units and their gradients are made of, in doubles for FLOAT and 16 bits: s(x) = 1 / (1 + e^-x),
 * silu and gelu, and the slope of gelu.
 */
#ifndef BELAY_OPS_POINTWISE_GATES_H
#define BELAY_OPS_POINTWISE_GATES_H

#include "simd/maths/error_function.h"
#include "simd/maths/short.h"
#include "simd/maths/simple.h"

/* s(x) by power = e^-|x|, and 1 less that in *rest, both without cancellation. */
static inline doubles gate_by(doubles power, doubles x, doubles *rest)
{
    doubles large = 1 / (1 + power), small = power / (1 + power);
    *rest = choose(x < 0, large, small);
    return choose(x < 0, small, large);
}

static inline doubles gate_of(doubles x, doubles *rest)
{
    return gate_by(short_exp(-absolute(x)), x, rest);
}

static inline doubles silu(doubles x)
{
    return x / (1 + short_exp(-x));
}

/* number[0] = 1: x / (1 + e^-2u) with u = sqrt(2 / pi) (x + 0.044715 x^3); otherwise x Phi(x). */
static inline doubles gelu(doubles x, const double *number)
{
    if (number[0] == 1) {
        doubles u = x * (0x1.9884533d43651p-1 * (1 + 0.044715 * x * x));
        return x / (1 + short_exp(-2 * u));
    }
    return x * (0.5 * maths_erfc(x * -0x1.6a09e667f3bcdp-1));
}

/* The derivative of that: Phi(x) + x phi(x), or with s = s(2u), s + x s (1 - s) 2u'(x). At +-inf 1 and 0. */
static inline doubles gelu_slope(doubles x, const double *number)
{
    doubles size = absolute(x), slope;
    if (number[0] == 1) {
        doubles u = x * (0x1.9884533d43651p-1 * (1 + 0.044715 * x * x)), rest, gate = gate_of(2 * u, &rest);
        slope = gate + x * (gate * rest) * (2 * 0x1.9884533d43651p-1 * (1 + 3 * 0.044715 * x * x));
    } else {
        slope = 0.5 * maths_erfc(x * -0x1.6a09e667f3bcdp-1) +
                x * (0x1.9884533d43651p-2 * short_exp(-0.5 * x * x));
    }
    return choose(size > 60, truth(x > 0), slope);
}

#endif
