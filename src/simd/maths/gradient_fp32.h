/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of a gradient and a derivative that segments give as a pair, within 0.9 units in the last place:
 * the same steps for all numbers, so that neighbours change nothing.
 */
#ifndef BELAY_SIMD_MATHS_GRADIENT_FP32_H
#define BELAY_SIMD_MATHS_GRADIENT_FP32_H

#include "simd/maths/unsettled.h"

/* phi(|y|) is the derivative at -|y|; that at |y| is 1 - phi(|y|). */
static inline struct vector_pair derivative_of(struct vector_pair phi, flags positive)
{
    vector high = vector_choose(positive, 1 - phi.high, phi.high);
    vector low = vector_choose(positive, ((1 - high) - phi.high) - phi.low, phi.low);
    return (struct vector_pair){high, low};
}

/* Bits of gradients, 2^-50 and 2^126: neither the product nor what it loses leaves fp32. */
static const uint32_t least_gradient = 0x26800000, largest_gradient = 0x7e800000;

/* Up to where segments give the derivative, as the bits of |y|, and from where on it is 1: so near to it that
 * the product with any gradient rounds to the gradient. */
struct derivative_reach {
    uint32_t end, one;
};

/* g times the derivative at y; what is not ordinary is in doubt, of any number but gradients that are 0,
 * infinite or NaN, and where the derivative is 1 or NaN. */
static inline __attribute__((always_inline)) vector vector_gradient(vector g, vector y,
                                                                    struct derivative_reach reach,
                                                                    struct vector_pair derivative,
                                                                    struct unsettled *unsettled)
{
    const vector_bits order = (vector_bits)vector_absolute(g) - least_gradient;
    const uint32_t largest = 0x7f7fffff;
    const bool is_any = unsettled->path == PATH_ANY;
    flags is_extreme = vector_above(order, largest_gradient - least_gradient);
    flags is_beyond = vector_above((vector_bits)vector_absolute(y), reach.end);
    vector value = fused(g, derivative.high, g * derivative.low);
    if (is_any) {
        flags is_special = vector_is_0(g) | vector_not_finite(g);
        flags is_one = ~vector_above((vector_bits)y - reach.one, largest - reach.one);
        value = vector_choose(is_special, g * (derivative.high + derivative.low), value);
        value = vector_choose(is_one, g, value);
        is_extreme &= ~(is_special | is_one);
        is_beyond &= ~(is_one | vector_is_nan(y));
    }
    unsettled_flagged(unsettled, is_extreme | is_beyond);
    if (unsettled->dtype != ARITHMETIC_FP32)
        unsettled_tie(unsettled, value, is_any ? 3 : 1);
    return value;
}

#endif
