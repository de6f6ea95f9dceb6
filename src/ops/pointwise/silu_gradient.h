/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * g s'(x) of silu for 16 bits, with a few units of error, which count only next to a tie.
 */
#ifndef BELAY_OPS_POINTWISE_SILU_GRADIENT_H
#define BELAY_OPS_POINTWISE_SILU_GRADIENT_H

#include "simd/loops/formula.h"
#include "simd/maths/gradient_fp32.h"
#include "simd/maths/odd.h"
#include "ops/pointwise/silu_derivative.h"

/* The bits of 20, where the segments end. */
enum { SILU_SEGMENTS_END = 0x41a00000 };

/* How far results may be off before they are rounded, of bf16 in units in the last place of fp32, of fp16
 * relatively: no pair of numbers rounds wrongly that is farther from a tie, as the sweep over all pairs says.
 */
enum { QUICK_UNITS_BF16 = 1 };
static const float quick_error_fp16 = 0x1p-22F;

/*
 * 16 bits, PAIR_LANES at a time: in doubt are x above 20, gradients that are infinite or NaN, and what is
 * next to a tie. Of fp16, whose small results have their ties at other places, both ends of what the exact
 * result may be are rounded; of bf16 fp32 is as coarse there.
 */
static LANES_WAY silu_quick_16(WAY_16)
{
    const bool is_bf16 = unsettled->dtype == ARITHMETIC_BF16;
    vector g[2], x[2], value[2];
    load_pair(unsettled->dtype, source[0], g);
    load_pair(unsettled->dtype, source[1], x);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        vector b = vector_absolute(x[i]);
        unsettled_above(unsettled, (vector_bits)b, SILU_SEGMENTS_END);
        vector phi = silu_phi_of(b, silu_segment(b));
        phi = vector_choose(vector_greater(x[i], vector_of(0)), 1 - phi, phi);
        value[i] = is_bf16 ? vector_any_product(g[i], phi) : g[i] * phi;
    }
    if (!is_bf16) {
        const float below = 1 - quick_error_fp16, above = 1 + quick_error_fp16;
        const vector least[] = {value[0] * below, value[1] * below};
        const vector most[] = {value[0] * above, value[1] * above};
        lanes16 result = lanes16_of_vectors(ARITHMETIC_FP16, least);
        lanes16 other = lanes16_of_vectors(ARITHMETIC_FP16, most);
        unsettled_lanes16_above(unsettled, result ^ other, 0);
        unsettled_lanes16_above(unsettled, result + result, 0xf7ff);
        return result;
    }
    lanes16 gradient = lanes16_load(source[0]), high = high_halves(value), low = low_halves(value);
    unsettled_lanes16_above(unsettled, gradient + gradient, 0xfeff);
    unsettled_lanes16_above(unsettled, low - (0x8000 + QUICK_UNITS_BF16 + 1),
                            0x10000 - (2 * QUICK_UNITS_BF16 + 2));
    return high + (low >> 15); /* there is no tie */
}

#endif
