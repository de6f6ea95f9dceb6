/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of a gradient and a derivative that segments give as a pair, within 0.9 units in the last place:
 * the same steps for all ordinary numbers; the others are left to doubles, so that neighbours change nothing.
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

/*
 * input[0] times the derivative, which is one for sizes whose bits are not above end. What is not ordinary is
 * in doubt; of any number a gradient of 0 is not.
 */
static inline __attribute__((always_inline)) vector vector_gradient(const vector *input, vector size,
                                                                    uint32_t end,
                                                                    struct vector_pair derivative,
                                                                    struct unsettled *unsettled)
{
    const vector_bits order = (vector_bits)vector_absolute(input[0]) - least_gradient;
    vector g = input[0], value = fused(g, derivative.high, g * derivative.low);
    if (unsettled->path == PATH_ANY) {
        flags is_0 = vector_is_0(g);
        flags is_other = vector_above(order, largest_gradient - least_gradient) & ~is_0;
        value = vector_choose(is_0, g * (derivative.high + derivative.low), value); /* for its sign */
        unsettled_flagged(unsettled, vector_above((vector_bits)size, end) | is_other);
    } else {
        unsettled_above(unsettled, (vector_bits)size, end);
        unsettled_above(unsettled, order, largest_gradient - least_gradient);
    }
    if (unsettled->dtype != ARITHMETIC_FP32) {
        unsettled_tie(unsettled, value, unsettled->path == PATH_QUICK ? 1 : 2);
        if (unsettled->path == PATH_ANY)
            unsettled_subnormal(unsettled, value, g);
    }
    return value;
}

#endif
