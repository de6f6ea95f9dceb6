/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products with a gradient that may be subnormal, or become so: in integers and in units of the least float,
 * because arithmetic with subnormal numbers is slow.
 */
#ifndef BELAY_SIMD_SMALL_PRODUCT_H
#define BELAY_SIMD_SMALL_PRODUCT_H

#include "simd/wide.h"

/* Gradients below this are taken in units of the least float, 2^-149: none of these is subnormal. */
static const uint32_t raised_below = 0x28800000; /* 2^-46 */

/* By how many powers of two; and where products may be far smaller than the gradient, the others are taken
 * down. */
enum { RAISE = 149, REDUCE = 32 };

/* A gradient's magnitude, and the exponent of the result, where that is the one of a float. */
struct raised {
    wide factor;
    wide_bits scale;
};

/* Only products of raised gradients, below 2^103, have lesser exponents than this keeps, and are 0 either
 * way.
 */
static inline wide_bits scale_of(wide_ints exponent)
{
    return (wide_bits)wide_greatest_ints(exponent, wide_ints_of(-255)) << 23;
}

/* exponent: of what the gradient is multiplied by, from -281 to 8, and is_far a constant, or it is 0. */
static inline struct raised raised_gradient(wide g, wide_ints exponent, bool is_far)
{
    const wide magnitude = wide_absolute(g);
    flags is_raised = wide_less_ints((wide_ints)magnitude, wide_ints_of((int32_t)raised_below));
    flags subnormal = wide_less_ints((wide_ints)magnitude, wide_ints_of(0x00800000));
    wide_bits up, scale;
    if (is_far) {
        up = (wide_bits)wide_choose(is_raised, (wide)wide_ints_of(RAISE), (wide)wide_ints_of(-REDUCE));
        scale = scale_of(exponent - (wide_ints)up);
        up <<= 23;
    } else {
        up = (wide_bits)wide_choose(is_raised, (wide)wide_bits_of((uint32_t)RAISE << 23), wide_of(0));
        scale = 0 - up;
    }
    wide from_bits = wide_from_ints((wide_ints)magnitude);
    return (struct raised){wide_choose(subnormal, from_bits, (wide)((wide_bits)magnitude + up)), scale};
}

/*
 * |value| times the power of 2 whose exponent is in scale; where that is below 2^-126 and so not a float,
 * rounded to a multiple of 2^unit.
 */
static inline wide lowered(wide value, wide_bits scale, int unit, bool is_far)
{
    const wide magnitude = wide_absolute(value);
    wide_ints whole = (wide_ints)((wide_bits)magnitude + scale);
    flags small = wide_less_ints(whole, wide_ints_of(0x00800000));
    /* Where the result is small, the scale is that of an exponent below -22, and this 2^(exponent - unit). */
    wide power = (wide)(scale + ((uint32_t)(127 - unit) << 23)), number;
    if (is_far) {
        whole = wide_least_ints(whole, wide_ints_of(0x7f800000));
        number = fused(magnitude, power, wide_of(0x1p23F)); /* a product alone might be subnormal: slow */
    } else {
        number = unit == -RAISE ? magnitude + 0x1p23F : fused(magnitude, power, wide_of(0x1p23F));
    }
    wide_ints units = ((wide_ints)number - 0x4b000000) << (unit + 149);
    return wide_choose(small, (wide)units, (wide)whole);
}

#endif
