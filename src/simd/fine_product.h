/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of two floats less what they had lost before, rounded once.
 */
#ifndef BELAY_SIMD_FINE_PRODUCT_H
#define BELAY_SIMD_FINE_PRODUCT_H

#include "simd/unsettled.h"

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

#endif
