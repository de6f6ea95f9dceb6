/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products with a number that is the same for all elements, in fp32.
 */
#ifndef BELAY_SIMD_SLOPE_PRODUCT_H
#define BELAY_SIMD_SLOPE_PRODUCT_H

#include "simd/unsettled.h"

/* x * slope for a slope of fp32: rounded for fp32, and so that it rounds to 16 bits as the exact product
 * does.
 */
static inline vector slope_product(vector x, double slope, struct unsettled *unsettled)
{
    const vector factor = vector_of((float)slope);
    vector product = x * factor;
    if (unsettled->dtype != ARITHMETIC_FP32) {
        product = vector_round_to_odd(product, fused_minus(x, factor, product));
        if (unsettled->dtype == ARITHMETIC_BF16)
            unsettled_small(unsettled, product); /* fp16 has no results so small that the error is lost */
    }
    return product;
}

#endif
