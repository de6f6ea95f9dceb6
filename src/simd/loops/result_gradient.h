/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnSigmoid and aclnnTanh from their results, g y (1 - y) and g (1 - y^2), rounded once
 * without doubles but for single elements.
 */
#ifndef BELAY_SIMD_LOOPS_RESULT_GRADIENT_H
#define BELAY_SIMD_LOOPS_RESULT_GRADIENT_H

#include "simd/maths/fine_product.h"
#include "simd/loops/map.h"
#include "simd/vector/lanes16.h"
#include "simd/maths/odd.h"

/* Flags of the lanes where the gradient or the result is infinite or NaN. */
static inline flags is_not_finite(vector g, vector y)
{
    return vector_not_finite(g) | vector_not_finite(y);
}

/* y for a product that only has to show its sign where y is small, at levels that round it. */
static inline vector factor_of_bf16(vector y)
{
    return CUTS_PRODUCTS ? y : vector_keep_off_zero(y, 0x1p-30F);
}

/*
 * For 16 bits, rounded to odd: the gradient g or, for the sigmoid, p = g y, which is exact, less p y. Of any
 * number of bf16 a small g is taken up for that and the result down again; what is so small even then that p
 * is not exact, or so large that a step might overflow, is left to doubles.
 */
static VECTOR_WAY result_gradient_any(WAY)
{
    const bool is_sigmoid = *(const bool *)prepared;
    const vector g = input[0], y = input[1];
    const flags is_plain = is_not_finite(g, y);
    const vector plain = is_sigmoid ? g * y * (1 - y) : g * (1 - y * y);
    if (unsettled->dtype == ARITHMETIC_FP16)
        return vector_choose(is_plain, plain,
                             vector_signed_as(vector_odd_rest(is_sigmoid ? g * y : g, g * y, y), plain));
    flags is_small = vector_greater(vector_of(0x1p-40F), vector_absolute(g));
    vector raised = fused(g, vector_choose(is_small, vector_of(0x1p100F), vector_of(1)), vector_of(-0.0F));
    vector product = raised * y;
    unsettled_below(unsettled, product, 0x0d800000); /* 2^-100 */
    flags is_large = vector_greater(vector_absolute(raised), vector_of(0x1p80F));
    unsettled_flagged(unsettled,
                      (is_large | vector_greater(vector_absolute(y), vector_of(0x1p20F))) & ~is_plain);
    vector value = vector_odd_rest(is_sigmoid ? product : raised, product, factor_of_bf16(y));
    value = vector_any_odd_product(value, vector_choose(is_small, vector_of(0x1p-100F), vector_of(1)));
    return vector_choose(is_plain, plain, vector_signed_as(value, plain)); /* of 0 too */
}

/* The sign of the result, of 0 too, from the bits of both. */
static inline lanes16 result_gradient_sign(enum arithmetic dtype, lanes16 gradient, lanes16 output,
                                           bool is_sigmoid)
{
    const lanes16 one = lanes16_of(dtype == ARITHMETIC_FP16 ? 0x3c00 : 0x3f80);
    const lanes16 above_one = one - (output & 0x7fff);
    return (gradient ^ (is_sigmoid ? output | above_one : above_one)) & 0x8000;
}

static LANES_WAY result_gradient_quick(WAY_16)
{
    const bool is_sigmoid = *(const bool *)prepared;
    const enum arithmetic dtype = unsettled->dtype;
    const lanes16 gradient = lanes16_load(source[0]), output = lanes16_load(source[1]);
    vector g[2], y[2], value[2];
    load_pair(dtype, source[0], g);
    load_pair(dtype, source[1], y);
    /* 2^-50: products are exact. */
    if (dtype == ARITHMETIC_BF16 && (is_sigmoid || !CUTS_PRODUCTS))
        unsettled_lanes16_below(unsettled, gradient, 0x2680);
    if (dtype == ARITHMETIC_BF16 && is_sigmoid)
        unsettled_lanes16_below(unsettled, output, 0x2680);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        vector product = g[i] * y[i], factor = dtype == ARITHMETIC_BF16 ? factor_of_bf16(y[i]) : y[i];
        value[i] = vector_odd_rest(is_sigmoid ? product : g[i], product, factor);
        /* NaN where an infinity makes a wrong result; a product of fp16 is never infinite by itself. */
        unsettled_nan(unsettled, dtype == ARITHMETIC_FP16 ? value[i] : value[i] * 0);
    }
    lanes16 result = lanes16_of_vectors(dtype, value);
    return (result & 0x7fff) | result_gradient_sign(dtype, gradient, output, is_sigmoid);
}

#endif
