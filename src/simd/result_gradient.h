/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnSigmoid and aclnnTanh from their results, g y (1 - y) and g (1 - y^2), rounded once
 * without doubles but for single elements.
 */
#ifndef BELAY_SIMD_RESULT_GRADIENT_H
#define BELAY_SIMD_RESULT_GRADIENT_H

#include "simd/fine_product.h"
#include "simd/map.h"
#include "simd/narrow.h"
#include "simd/odd.h"

static inline flags is_not_finite(wide g, wide y)
{
    return wide_not_finite(g) | wide_not_finite(y);
}

/* y for a product that only has to show its sign where y is small, at levels that round it. */
static inline wide factor_of_bf16(wide y)
{
    return CUTS_PRODUCTS ? y : wide_keep_off_zero(y, 0x1p-30F);
}

/*
 * For 16 bits, rounded to odd: the gradient g or, for the sigmoid, p = g y, which is exact, less p y. Of any
 * number of bf16 a small g is taken up for that and the result down again; what is so small even then that p
 * is not exact, or so large that a step might overflow, is left to doubles.
 */
static inline __attribute__((always_inline)) wide result_gradient_any(wide g, wide y, bool is_sigmoid,
                                                                      struct doubts *doubts)
{
    const flags is_plain = is_not_finite(g, y);
    const wide plain = is_sigmoid ? g * y * (1 - y) : g * (1 - y * y);
    if (doubts->dtype == ARITHMETIC_FP16)
        return wide_choose(is_plain, plain,
                           wide_signed_as(wide_odd_rest(is_sigmoid ? g * y : g, g * y, y), plain));
    flags is_small = wide_greater(wide_of(0x1p-40F), wide_absolute(g));
    wide raised = fused(g, wide_choose(is_small, wide_of(0x1p100F), wide_of(1)), wide_of(-0.0F));
    wide product = raised * y;
    doubt_below(doubts, product, 0x0d800000); /* 2^-100 */
    flags is_large = wide_greater(wide_absolute(raised), wide_of(0x1p80F));
    doubt_flagged(doubts, (is_large | wide_greater(wide_absolute(y), wide_of(0x1p20F))) & ~is_plain);
    wide value = wide_odd_rest(is_sigmoid ? product : raised, product, factor_of_bf16(y));
    value = wide_any_odd_product(value, wide_choose(is_small, wide_of(0x1p-100F), wide_of(1)));
    return wide_choose(is_plain, plain, wide_signed_as(value, plain)); /* of 0 too */
}

/* The sign of the result, of 0 too, from the bits of both. */
static inline narrow result_gradient_sign(enum arithmetic dtype, narrow gradient, narrow output,
                                          bool is_sigmoid)
{
    const narrow one = narrow_of(dtype == ARITHMETIC_FP16 ? 0x3c00 : 0x3f80);
    const narrow above_one = one - (output & 0x7fff);
    return (gradient ^ (is_sigmoid ? output | above_one : above_one)) & 0x8000;
}

static inline __attribute__((always_inline)) narrow
result_gradient_quick(const char *const *source, struct doubts *doubts, bool is_sigmoid)
{
    const enum arithmetic dtype = doubts->dtype;
    const narrow gradient = narrow_load(source[0]), output = narrow_load(source[1]);
    wide g[2], y[2], value[2];
    load_pair(dtype, source[0], g);
    load_pair(dtype, source[1], y);
    /* 2^-50: products are exact. */
    if (dtype == ARITHMETIC_BF16 && (is_sigmoid || !CUTS_PRODUCTS))
        doubt_narrow_below(doubts, 0, gradient, 0x2680);
    if (dtype == ARITHMETIC_BF16 && is_sigmoid)
        doubt_narrow_below(doubts, 0, output, 0x2680);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        wide product = g[i] * y[i], factor = dtype == ARITHMETIC_BF16 ? factor_of_bf16(y[i]) : y[i];
        value[i] = wide_odd_rest(is_sigmoid ? product : g[i], product, factor);
        /* NaN where an infinity makes a wrong result; a product of fp16 is never infinite by itself. */
        doubt_nan(doubts, dtype == ARITHMETIC_FP16 ? value[i] : value[i] * 0);
    }
    narrow result = dtype == ARITHMETIC_FP16 ? narrow_fp16_of_wide(value) : narrow_of_wide(value);
    return (result & 0x7fff) | result_gradient_sign(dtype, gradient, output, is_sigmoid);
}

#endif
