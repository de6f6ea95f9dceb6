/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of a gradient and a derivative that segments give as a pair, within 0.9 units in the last place:
 * the same steps for all numbers, so that neighbours change nothing.
 */
#ifndef BELAY_SIMD_GRADIENT_FP32_H
#define BELAY_SIMD_GRADIENT_FP32_H

#include "simd/odd.h"
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

/* input[0] times the derivative, which is one for sizes whose bits are not above end; what is not ordinary is
 * in doubt. */
static inline __attribute__((always_inline)) vector vector_gradient(const vector *input, vector size,
                                                                    uint32_t end,
                                                                    struct vector_pair derivative,
                                                                    struct unsettled *unsettled)
{
    const vector_bits order = (vector_bits)vector_absolute(input[0]) - least_gradient;
    vector value = fused(input[0], derivative.high, input[0] * derivative.low);
    unsettled_above(unsettled, (vector_bits)size, end);
    unsettled_above(unsettled, order, largest_gradient - least_gradient);
    if (unsettled->dtype != ARITHMETIC_FP32)
        unsettled_tie(unsettled, value, 1);
    return value;
}

/* phi(|y|) times 2^exponent, which is 0 or, in a tail, not above -20; and where fp32 has to round it once, of
 * which 27 bits are sure. */
struct far_phi {
    struct vector_pair value;
    vector exponent;
    flags rounded_once;
};

/* |y|, but for subnormal gradients so great that a smaller y still decides to which side half the smallest
 * number goes; no less would, and with more it would be seen in other results. */
static inline vector gradient_size(vector g, vector y)
{
    vector size = vector_absolute(y);
    flags subnormal = vector_less_ints((vector_ints)vector_absolute(g), vector_ints_of(0x00800000));
    subnormal &= vector_greater(size, vector_of(0));
    return vector_choose(subnormal, vector_greatest(vector_of(0x1.4p-24F), size), size);
}

/*
 * g times the derivative, of any number. A gradient is taken up or down so far that nothing but the result is
 * small or large. Rounding to a subnormal number adds half a unit to the error.
 */
static inline __attribute__((always_inline)) vector
vector_gradient_any(vector g, struct far_phi phi, flags positive, struct unsettled *unsettled)
{
    const vector zero = vector_of(0);
    vector part = vector_scaled(vector_of(1), vector_greatest(vector_of(-100), phi.exponent));
    part = vector_choose(positive, part, vector_of(1));
    struct vector_pair derivative =
        derivative_of((struct vector_pair){phi.value.high * part, phi.value.low * part}, positive);
    vector slope = derivative.high + derivative.low;
    flags is_raised = vector_greater(vector_of(1), vector_absolute(g));
    vector power = vector_choose(is_raised, vector_of(96), vector_of(-16));
    vector factor = vector_any_product(g, vector_choose(is_raised, vector_of(0x1p96F), vector_of(0x1p-16F)));
    vector rest = factor * derivative.low, value = fused(factor, derivative.high, rest);
    const vector exponent = vector_choose(positive, zero, phi.exponent) - power;
    vector result = vector_scaled(value, exponent);
    if (unsettled->dtype == ARITHMETIC_FP32 && vector_any_flag(phi.rounded_once)) {
        vector error = factor * (phi.value.high * part * 0x1p-27F), units = value * 0x1p-22F;
        vector change = fused(factor, derivative.high, rest - error);
        change -= fused(factor, derivative.high, rest + error);
        /* A subnormal result is rounded twice. */
        flags is_open =
            vector_greater(vector_of(0x1p-126F), vector_absolute(result)) &
            ~vector_equal(vector_scaled(value - units, exponent), vector_scaled(value + units, exponent));
        is_open |= vector_greater(vector_absolute(change), zero);
        unsettled_flagged(unsettled, phi.rounded_once & is_open);
    }
    value = vector_choose(vector_not_finite(g), g * slope, result);
    /* The sign of a product that became 0. */
    value = vector_with_sign_of(value, (vector)((vector_bits)g ^ (vector_bits)slope));
    if (unsettled->dtype != ARITHMETIC_FP32)
        unsettled_tie(unsettled, value, 3);
    return value;
}

#endif
