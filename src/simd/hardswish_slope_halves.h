/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * g times the slope of hardswish in fp32, rounded so that it rounds to 16 bits as the exact product does.
 * is_closed as in simd/hardswish_slope.h.
 */
#ifndef BELAY_SIMD_HARDSWISH_SLOPE_HALVES_H
#define BELAY_SIMD_HARDSWISH_SLOPE_HALVES_H

#include "simd/doubts.h"
#include "simd/hardswish_slope.h"

/*
 * fp16: g (x + 3/2) rounded to odd, and a third of that. 3 times a tie has 14 bits, so the odd number lies on
 * the right side of it, and so does its third: two units of 24 bits are two thirds of a unit apart from
 * there. The sum loses only a bit of |x| = 2^-24, which the product's remainder, taken from x itself, gives
 * back.
 */
static inline __attribute__((always_inline)) wide hardswish_slope_fp16(const wide *input,
                                                                       struct doubts *doubts, bool is_closed)
{
    wide g = input[0], x = hardswish_inner(input[1], is_closed);
    wide product = wide_cut_product(g, wide_cut_sum(x, wide_of(1.5F)));
    wide lost = fused(g, x, fused_minus(wide_of(1.5F), g, product));
    if (doubts->path == PATH_ANY)
        return wide_third(wide_odd(product, lost), 1);
    wide result = wide_third(wide_odd_finite(product, lost), 1);
    doubt_nan(doubts, result);
    return result;
}

/* x with its sign, but at least as far from 0 as this bf16, unless it is 0. */
static inline narrow keep_bf16_off_zero(narrow x, uint16_t least)
{
    narrow_flags is_tiny = narrow_below(x + x - 2, narrow_of((uint16_t)(2 * (least - 1))));
    return narrow_choose(is_tiny, (x & 0x8000) | least, x);
}

/*
 * bf16. The product needs no odd number unless the result is subnormal: g (x + 3/2) and 3 times a tie, of 9
 * bits, are either the same number or, rounded to 24 bits, on the sides of each other where they were; and so
 * are their thirds. (All 2^32 pairs have been tried.)
 */
static inline __attribute__((always_inline)) wide hardswish_quick_bf16(wide g, wide x)
{
    /* A quarter of it does not overflow unless the result does. */
    wide product = g * fused(x, wide_of(0.25F), wide_of(0.375F));
    return product * wide_of(4.0F / 3);
}

/* Any gradient: what is small is scaled, so that no bit is lost, and rounded to bf16 in the scale. */
static inline __attribute__((always_inline)) wide hardswish_any_bf16(wide g, wide x)
{
    flags is_small = wide_less_ints((wide_ints)wide_absolute(g), (wide_ints)wide_of(0x1p-60F));
    g = wide_rescaled(is_small, wide_raised(g), g, 1);
    wide product = wide_cut_product(g, wide_cut_sum(x, wide_of(1.5F)));
    wide lost = fused(g, x, fused_minus(wide_of(1.5F), g, product));
    return wide_unscaled_bf16(wide_third(wide_odd(product, lost), 1), is_small);
}

static inline __attribute__((always_inline)) narrow
hardswish_slope_bf16(const char *const *source, struct doubts *doubts, bool is_closed)
{
    const uint16_t end = is_closed ? 0x4041 : 0x4040, to_infinity = (uint16_t)(0x7f81 - end), middle = 0x3fc0;
    const uint16_t limit = 0x0680; /* 2^-114: the slope is 2^-8 at least, unless it is 0 */
    narrow gradient = narrow_load(source[0]), x = narrow_load(source[1]), size = x & 0x7fff;
    narrow_flags outer = narrow_below(size - end, narrow_of(to_infinity));
    x = narrow_choose(outer, (x & 0x8000) | middle, x);
    wide g[2], inner[2];
    wide_of_bf16(gradient, g);
    if (doubts->path == PATH_ANY) {
        /* Numbers below 2^-30 only have a sign in the sum with 3/2; without them products keep their last
         * bits. */
        wide_of_bf16(keep_bf16_off_zero(x, 0x3080), inner);
        g[0] = hardswish_any_bf16(g[0], inner[0]);
        g[1] = hardswish_any_bf16(g[1], inner[1]);
    } else {
        doubt_narrow_below(doubts, 0, gradient, limit);
        wide_of_bf16(x, inner);
        g[0] = hardswish_quick_bf16(g[0], inner[0]);
        g[1] = hardswish_quick_bf16(g[1], inner[1]);
    }
    return narrow_canonical(ARITHMETIC_BF16, narrow_of_wide(g));
}

#endif
