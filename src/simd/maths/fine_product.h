/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of two floats less what they had lost before, rounded once.
 */
#ifndef BELAY_SIMD_MATHS_FINE_PRODUCT_H
#define BELAY_SIMD_MATHS_FINE_PRODUCT_H

#include "simd/maths/unsettled.h"

/* What fine_product() takes for a rest that is known to 2^-45 of a * b, and for one that is exact. */
static const float fine_rest = 1 + 0x1p-18F, exact_rest = 1;

/*
 * a * b - rest in fp32, where rest is at most about a unit in the last place of a * b, and not -0. A result
 * that a change of twice the rest's error could change is in doubt, and infinite and NaN ones.
 */
static inline vector fine_product(vector a, vector b, vector rest, vector exactness,
                                  struct unsettled *unsettled)
{
    vector value = fused_minus(a, b, rest), lost = fused_minus(a, b, value) - rest;
    /* lost is at most half a unit; where it is that but for 2^-18 of it, more of it changes the value. */
    unsettled_differing(unsettled, (vector_bits)(fused(lost, exactness, value) - value));
    return value;
}

/* What small factors are multiplied by. */
static const float fine_scale = 0x1p100F;

/*
 * fine_product() with a fine rest, where a and rest are fine_scale times what they should be if is_small:
 * rounded in that scale, as scaled_quotient() does, to multiples of the least number.
 */
static inline __attribute__((always_inline)) vector
scaled_fine_product(vector a, vector b, vector rest, flags is_small, struct unsettled *unsettled)
{
    if (!vector_any_flag(is_small))
        return fine_product(a, b, rest, vector_of(fine_rest), unsettled);
    const float normal = 0x1p-126F * fine_scale;
    vector plain = a * b;
    flags is_subnormal =
        is_small & vector_greater(vector_of(normal * (1 + 0x1p-21F)), vector_absolute(plain));
    vector place = vector_with_sign_of(vector_choose(is_subnormal, vector_of(normal), vector_of(0)), plain);
    vector start = fused(a, b, place), excess = rest - fused_minus(a, b, start - place);
    vector result = fused_from(excess, vector_of(1 - 0x1p-18F), start);
    unsettled_differing(unsettled,
                        (vector_bits)(result - fused_from(excess, vector_of(1 + 0x1p-18F), start)));
    vector_bits count = (vector_bits)result - (vector_bits)place;
    unsettled_flagged(unsettled, is_subnormal & vector_above(count, 0x007fffff)); /* it is normal after all */
    vector normal_result = result * vector_choose(is_small, vector_of(1 / fine_scale), vector_of(1));
    return vector_choose(is_subnormal, vector_with_sign_of((vector)count, plain), normal_result);
}

#endif
