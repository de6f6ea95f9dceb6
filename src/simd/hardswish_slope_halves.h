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

/*
 * bf16, any number. The product needs no odd number: g (x + 3/2) and 3 times a tie, of 9 bits, are either the
 * same number or, rounded to 24 bits, on the sides of each other where they were; and so are their thirds.
 * What is lost of a result that is subnormal is less than its distance from a tie, if x is 0 or not below
 * 2^-12; only where half a gradient is a tie, as a subnormal one may be, a smaller x decides. (All 2^32 pairs
 * have been tried.)
 */
static inline __attribute__((always_inline)) narrow hardswish_slope_bf16(const char *const *source,
                                                                         bool is_closed)
{
    const uint16_t end = is_closed ? 0x4041 : 0x4040, to_infinity = (uint16_t)(0x7f81 - end), middle = 0x3fc0;
    const uint16_t least = 0x3980;
    narrow x = narrow_load(source[1]), size = x & 0x7fff;
    narrow_flags is_outer = narrow_below(size - end, narrow_of(to_infinity));
    narrow_flags is_tiny = narrow_below(size - 1, narrow_of((uint16_t)(least - 1)));
    size = narrow_choose(is_outer, narrow_of(middle), narrow_choose(is_tiny, narrow_of(least), size));
    wide g[2], inner[2];
    load_pair(ARITHMETIC_BF16, source[0], g);
    wide_of_bf16((x & 0x8000) | size, inner);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        /* A quarter of the product does not overflow unless the result does. */
        wide product = wide_any_product(g[i], fused(inner[i], wide_of(0.25F), wide_of(0.375F)));
        g[i] = wide_any_product(product, wide_of(4.0F / 3));
    }
    return narrow_canonical(ARITHMETIC_BF16, narrow_of_wide(g));
}

#endif
