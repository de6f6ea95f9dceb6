/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of a gradient and a derivative that segments give as a pair, within 0.9 units in the last place:
 * the same steps for all ordinary numbers, and doubles for the others, so that neighbours change nothing.
 */
#ifndef BELAY_SIMD_GRADIENT_FP32_H
#define BELAY_SIMD_GRADIENT_FP32_H

#include "simd/map.h"
#include "simd/ties.h"

/* The exact result rounded once, by the general way. */
static inline __attribute__((always_inline)) wide wide_by_doubles(const struct evaluation *general,
                                                                  const wide *input, const void *prepared)
{
    floats part[INPUTS_MAX][2];
    uints result[2];
    for (int j = 0; j < general->inputs; j++)
        memcpy(part[j], &input[j], sizeof part[j]);
    for (int i = 0; i < 2; i++) {
        doubles element[INPUTS_MAX];
        for (int j = 0; j < general->inputs; j++)
            element[j] = doubles_of(part[j][i]);
        doubles value = general->estimate(element, prepared);
        result[i] = round_bits(ARITHMETIC_FP32, value * (1 - ESTIMATE_ERROR));
        ints unsure = result[i] != round_bits(ARITHMETIC_FP32, value * (1 + ESTIMATE_ERROR));
        if (any(widen(unsure))) {
            uints settled = round_bits(ARITHMETIC_FP32, general->settle(element, value, prepared));
            result[i] = choose_uints(unsure, settled, result[i]);
        }
    }
    wide whole;
    memcpy(&whole, result, sizeof whole);
    return whole;
}

/* phi(|y|) is the derivative at -|y|; that at |y| is 1 - phi(|y|). */
static inline struct wide_pair derivative_from(struct wide_pair phi, flags positive)
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
 * input[0] times the derivative, which is one for sizes whose bits are not above end. In 16 bits what is not
 * ordinary is in doubt; in fp32 the careful way asks the general one.
 */
static inline __attribute__((always_inline)) wide
wide_gradient(const wide *input, wide size, uint32_t end, struct wide_pair derivative,
              wide (*by_doubles)(const wide *input, const void *prepared), const void *prepared,
              struct doubts *doubts)
{
    const wide g = input[0], g_size = wide_absolute(g);
    wide value = fused(g, derivative.high, g * derivative.low);
    if (doubts->is_careful) {
        flags is_0 = wide_equal(g, wide_of(0));
        flags is_other = is_above((wide_bits)g_size - least_gradient, largest_gradient - least_gradient);
        value = wide_choose(is_0, g * (derivative.high + derivative.low), value); /* for its sign */
        is_other = is_above((wide_bits)size, end) | (is_other & ~is_0);
        if (doubts->dtype != ARITHMETIC_FP32)
            doubt_flagged(doubts, is_other);
        else if (wide_any_flag(is_other))
            value = wide_choose(is_other, by_doubles(input, prepared), value);
    } else {
        doubt_above(doubts, 0, (wide_bits)size, end);
        doubt_above(doubts, 2, (wide_bits)g_size - least_gradient, largest_gradient - least_gradient);
    }
    if (doubts->dtype != ARITHMETIC_FP32)
        doubt_tie(doubts, value, g);
    return value;
}

#endif
