/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of a gradient and a derivative that segments give as a pair, within 0.9 units in the last place:
 * the same steps for all ordinary numbers; the others are left to doubles, so that neighbours change nothing.
 */
#ifndef BELAY_SIMD_GRADIENT_FP32_H
#define BELAY_SIMD_GRADIENT_FP32_H

#include "simd/ties.h"

/* phi(|y|) is the derivative at -|y|; that at |y| is 1 - phi(|y|). */
static inline struct wide_pair derivative_of(struct wide_pair phi, flags positive)
{
    wide high = wide_choose(positive, 1 - phi.high, phi.high);
    wide low = wide_choose(positive, ((1 - high) - phi.high) - phi.low, phi.low);
    return (struct wide_pair){high, low};
}

/* Bits of gradients, 2^-50 and 2^126: neither the product nor what it loses leaves fp32. */
static const uint32_t least_gradient = 0x26800000, largest_gradient = 0x7e800000;

static inline flags is_above(wide_bits value, uint32_t limit)
{
    return ~wide_equal_bits(wide_greater_bits(value, wide_bits_of(limit)), wide_bits_of(limit));
}

/*
 * input[0] times the derivative, which is one for sizes whose bits are not above end. What is not ordinary is
 * in doubt; of any number a gradient of 0 is not.
 */
static inline __attribute__((always_inline)) wide
wide_gradient(const wide *input, wide size, uint32_t end, struct wide_pair derivative, struct doubts *doubts)
{
    const wide_bits order = (wide_bits)wide_absolute(input[0]) - least_gradient;
    wide g = input[0], value = fused(g, derivative.high, g * derivative.low);
    if (doubts->path == PATH_ANY) {
        flags is_0 = wide_equal(g, wide_of(0));
        flags is_other = is_above(order, largest_gradient - least_gradient) & ~is_0;
        value = wide_choose(is_0, g * (derivative.high + derivative.low), value); /* for its sign */
        doubt_flagged(doubts, is_above((wide_bits)size, end) | is_other);
    } else {
        doubt_above(doubts, 0, (wide_bits)size, end);
        doubt_above(doubts, 1, order, largest_gradient - least_gradient);
    }
    if (doubts->dtype != ARITHMETIC_FP32) {
        doubt_tie(doubts, value, doubts->path == PATH_QUICK ? 1 : 2);
        if (doubts->path == PATH_ANY)
            doubt_subnormal(doubts, value, g);
    }
    return value;
}

#endif
