/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of a gradient and a derivative that segments give as a pair, within 0.9 units in the last place:
 * the same steps for all numbers, so that neighbours change nothing.
 */
#ifndef BELAY_SIMD_GRADIENT_FP32_H
#define BELAY_SIMD_GRADIENT_FP32_H

#include "simd/unsettled.h"

/* phi(|y|) is the derivative at -|y|; that at |y| is 1 - phi(|y|). */
static inline struct vector_pair derivative_of(struct vector_pair phi, flags positive)
{
    vector high = vector_choose(positive, 1 - phi.high, phi.high);
    vector low = vector_choose(positive, ((1 - high) - phi.high) - phi.low, phi.low);
    return (struct vector_pair){high, low};
}

/* Bits of gradients, 2^-50 and 2^126: neither the product nor what it loses leaves fp32. */
static const uint32_t least_gradient = 0x26800000, largest_gradient = 0x7e800000;

/* g times the derivative, which is one for sizes whose bits are not above end; what is not ordinary is in
 * doubt, of any number but gradients of 0. */
static inline __attribute__((always_inline)) vector vector_gradient(vector g, vector size, uint32_t end,
                                                                    struct vector_pair derivative,
                                                                    struct unsettled *unsettled)
{
    const vector_bits order = (vector_bits)vector_absolute(g) - least_gradient;
    const bool is_any = unsettled->path == PATH_ANY;
    const flags is_zero = vector_is_0(g);
    flags is_extreme = vector_above(order, largest_gradient - least_gradient);
    vector value = fused(g, derivative.high, g * derivative.low);
    if (is_any) {
        is_extreme &= ~is_zero;
        value = vector_choose(is_zero, g * (derivative.high + derivative.low), value);
    }
    unsettled_flagged(unsettled, is_extreme);
    unsettled_above(unsettled, (vector_bits)size, end);
    if (unsettled->dtype != ARITHMETIC_FP32)
        unsettled_tie(unsettled, value, is_any ? 3 : 1);
    return value;
}

#endif
