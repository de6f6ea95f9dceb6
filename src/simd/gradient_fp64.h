/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products in fp64 that are rounded once: settled by pairs of doubles nearly always, and by exact sums
 * elsewhere.
 */
#ifndef BELAY_SIMD_GRADIENT_FP64_H
#define BELAY_SIMD_GRADIENT_FP64_H

#include <math.h>

#include "simd/exact.h"
#include "simd/exact_terms.h"

/* Where pairs neither overflow nor lose what is small: products of three such numbers. */
static inline longs is_moderate(doubles value)
{
    return (absolute(value) > 0x1p-240) & (absolute(value) < 0x1p240);
}

/* Where a change of the pair by 2^-98 of it, more than it errs by, does not change its rounding. */
static inline longs is_settled(struct pair value)
{
    doubles error = absolute(value.high) * 0x1p-98;
    return (value.high + (value.low + error) == value.high) &
           (value.high + (value.low - error) == value.high);
}

/* As two_product() and pair_multiply(), by the fused product where there is one: the same numbers, for
 * moderate factors. */
static inline struct pair moderate_product(doubles a, doubles b)
{
    doubles product = a * b;
    return (struct pair){product, product_rest(a, b, product)};
}

static inline struct pair moderate_multiply(struct pair a, struct pair b)
{
    struct pair product = moderate_product(a.high, b.high);
    return renormalize(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline longs is_finite(doubles value)
{
    return absolute(value) < (double)INFINITY;
}

#endif
