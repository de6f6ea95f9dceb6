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
 * For 16 bits: the gradient g or, for the sigmoid, p = g y, which is exact, less p y. In bf16 the careful way
 * keeps that far from where bits are lost: it scales g, or for the sigmoid the smaller factor of p, if it is
 * small. A product that is too small nevertheless only tells which of two equal roundings to take, or is 0.
 */
static inline __attribute__((always_inline)) wide careful_result_gradient(enum arithmetic dtype, wide g,
                                                                          wide y, bool is_sigmoid)
{
    if (dtype == ARITHMETIC_FP16) {
        wide product = g * y;
        return wide_odd_rest(is_sigmoid ? product : g, product, y);
    }
    flags swap = wide_greater(wide_absolute(g), wide_absolute(y));
    wide scaled = is_sigmoid ? wide_choose(swap, y, g) : g, other = is_sigmoid ? wide_choose(swap, g, y) : y;
    flags is_small = wide_greater(wide_of(0x1p-40F), wide_absolute(scaled)) &
                     wide_greater(wide_of(0x1p40F), wide_absolute(other));
    scaled = wide_rescaled(is_small, wide_raised(scaled), scaled, 1);
    wide product = scaled * other;
    wide value = wide_odd_rest(is_sigmoid ? product : scaled, product, factor_of_bf16(y));
    /* Not the difference of two infinities: only results beyond the largest number have such products. */
    return wide_choose(wide_not_finite(product), product, wide_unscaled_bf16(value, is_small));
}

/*
 * For bf16 with |y| above 2^30, far from which all is that matters to a float: g y^2 has 24 bits, and the
 * exact magnitude is a bit less, or for the sigmoid of a negative y more. Rounded to odd; the sign is lost.
 */
static __attribute__((noinline)) wide huge_result_gradient(wide g, wide y, bool is_sigmoid)
{
    floats part[2][2], square[2];
    memcpy(part[0], &g, sizeof g);
    memcpy(part[1], &y, sizeof y);
    for (int i = 0; i < 2; i++) {
        doubles other = doubles_of(part[1][i]);
        square[i] = floats_of(doubles_of(part[0][i]) * other * other);
    }
    wide value;
    memcpy(&value, square, sizeof value);
    value = wide_absolute(value);
    wide side = is_sigmoid ? -y : wide_of(-1);
    return wide_round_to_odd(value, wide_choose(wide_equal(value, wide_of(0)), value, side));
}

static inline __attribute__((always_inline)) narrow
narrow_result_gradient(const char *const *source, struct doubts *doubts, bool is_sigmoid)
{
    const enum arithmetic dtype = doubts->dtype;
    const narrow gradient = narrow_load(source[0]), output = narrow_load(source[1]);
    const narrow one = narrow_of(dtype == ARITHMETIC_FP16 ? 0x3c00 : 0x3f80),
                 above_one = one - (output & 0x7fff);
    const narrow sign = gradient ^ (is_sigmoid ? output | above_one : above_one);
    wide g[2], y[2], value[2];
    load_pair(dtype, source[0], g);
    load_pair(dtype, source[1], y);
    if (dtype == ARITHMETIC_BF16 && doubts->path == PATH_QUICK) {
        /* 2^-50: products are exact. */
        if (is_sigmoid || !CUTS_PRODUCTS)
            doubt_narrow_below(doubts, 0, gradient, 0x2680);
        if (is_sigmoid)
            doubt_narrow_below(doubts, 0, output, 0x2680);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        wide product = g[i] * y[i];
        if (doubts->path == PATH_ANY) {
            value[i] = careful_result_gradient(dtype, g[i], y[i], is_sigmoid);
            flags is_huge = wide_greater(wide_absolute(y[i]), wide_of(0x1p30F));
            if (dtype == ARITHMETIC_BF16 && wide_any_flag(is_huge))
                value[i] = wide_choose(is_huge, huge_result_gradient(g[i], y[i], is_sigmoid), value[i]);
            wide plain = is_sigmoid ? product * (1 - y[i]) : g[i] * (1 - y[i] * y[i]);
            value[i] = wide_choose(is_not_finite(g[i], y[i]), plain, value[i]);
            continue;
        }
        wide factor = dtype == ARITHMETIC_BF16 ? factor_of_bf16(y[i]) : y[i];
        value[i] = wide_odd_rest(is_sigmoid ? product : g[i], product, factor);
        /* NaN where an infinity makes a wrong result; a product of fp16 is never infinite by itself. */
        doubts->sum =
            dtype == ARITHMETIC_FP16 ? doubts->sum + value[i] : fused(value[i], wide_of(0), doubts->sum);
        doubts->sum_asked = true;
    }
    narrow result = dtype == ARITHMETIC_FP16 ? narrow_fp16_of_wide(value) : narrow_of_wide(value);
    result = (result & 0x7fff) | (sign & 0x8000); /* of 0 too */
    return doubts->path == PATH_ANY ? narrow_canonical(dtype, result) : result;
}

#endif
