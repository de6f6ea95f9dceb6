/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products with a number that is the same for all elements, in fp32.
 */
#ifndef BELAY_SIMD_SLOPE_PRODUCT_H
#define BELAY_SIMD_SLOPE_PRODUCT_H

#include "simd/doubts.h"

/* x * slope for a slope of fp32: rounded for fp32, and so that it rounds to 16 bits as the exact product
 * does.
 */
static inline wide slope_product(wide x, double slope, struct doubts *doubts)
{
    const wide factor = wide_of((float)slope);
    wide product = x * factor;
    if (doubts->dtype != ARITHMETIC_FP32) {
        product = wide_round_to_odd(product, fused_minus(x, factor, product));
        if (doubts->dtype == ARITHMETIC_BF16)
            doubt_small(doubts, product); /* fp16 has no results so small that the error is lost */
    }
    return product;
}

#endif
