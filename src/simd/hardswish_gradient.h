/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of g times the slope of hardswish: x / 3 + 1/2 between -3 and 3, 0 below, 1 above. Whoever
 * includes this has defined IS_CLOSED: 1 where the ends belong to the middle, 0 where to the parts beside it.
 * HARDSWISH_KERNELS is for KERNELS().
 */
#ifndef BELAY_SIMD_HARDSWISH_GRADIENT_H
#define BELAY_SIMD_HARDSWISH_GRADIENT_H

#include "simd/exact.h"
#include "simd/map.h"
#include "simd/odd.h"

/* 6 times the slope, exactly: 2x + 3 between the ends, 6 above, 0 below. */
static inline doubles slope_by_six(doubles x)
{
    /* Doubles hold 2x + 3 for every x of 24 bits down to 2^-29. A smaller one only decides, by its sign, to
     * which side a result that is nearly g / 2 rounds if g / 2 is a tie. */
    doubles slope = 2 * keep_off_zero(x, 0x1p-29) + 3;
    slope = choose(IS_CLOSED ? x > 3 : x >= 3, broadcast(6), slope);
    return choose(IS_CLOSED ? x < -3 : x <= -3, broadcast(0), slope);
}

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * slope_by_six(input[1]) / 6;
}

/*
 * The gradient has 24 bits, the slope 53: with the slope in two parts both products are exact. A quotient cut
 * to 48 bits is off by more than the estimate was, yet not by a whole unit of its last place, so no tie lies
 * between it and the exact one; 6 times it is exact, and the remainder's sign tells the side.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)prepared;
    doubles slope = slope_by_six(input[1]), high = leading(slope, 26);
    doubles quotient = leading(value, 48);
    const doubles remainder[] = {input[0] * high, input[0] * (slope - high), -6 * quotient};
    return round_to_odd(quotient, sign_of_sum(remainder, 3));
}

/* Where the slope is 1 or 0 x becomes one in between that has the same slope. */
static inline vector inner_argument(vector x)
{
    const vector end = vector_of(IS_CLOSED ? 3 : 0x1.7ffffep+1F);
    return vector_magnitude_where(vector_greater(vector_absolute(x), end), vector_of(1.5F), x);
}

/*
 * g (x + 3/2) / 3, with the sum exactly as a pair: 3/2 is a multiple of the last place of every smaller x.
 * Where the slope is 1 or 0 an x between the ends has the same one, so that any gradient has one product.
 */
static inline __attribute__((always_inline)) vector fast(const vector *input, const void *prepared,
                                                         struct unsettled *unsettled)
{
    (void)prepared;
    vector g = input[0], x = inner_argument(input[1]), sum = x + 1.5F;
    struct vector_pair slope = {sum, x - (sum - 1.5F)};
    if (unsettled->path == PATH_ANY)
        return multiply_divide_any(g, slope, vector_divisor_of(3, true), unsettled);
    unsettled_small(unsettled, g);
    return multiply_divide(g, slope, vector_divisor_of(3, true), unsettled);
}

/*
 * fp16: g (x + 3/2) rounded to odd, and a third of that. 3 times a tie has 14 bits, so the odd number lies on
 * the right side of it, and so does its third: two units of 24 bits are two thirds of a unit apart from
 * there. The sum loses only a bit of |x| = 2^-24, which the product's remainder, taken from x itself, gives
 * back.
 */
static inline __attribute__((always_inline)) vector fast_fp16(const vector *input, const void *prepared,
                                                              struct unsettled *unsettled)
{
    (void)prepared;
    vector g = input[0], x = inner_argument(input[1]);
    vector product = vector_cut_product(g, vector_cut_sum(x, vector_of(1.5F)));
    vector lost = fused(g, x, fused_minus(vector_of(1.5F), g, product));
    if (unsettled->path == PATH_ANY)
        return vector_third(vector_odd(product, lost), 1);
    vector result = vector_third(vector_odd_finite(product, lost), 1);
    unsettled_nan(unsettled, result);
    return result;
}

/*
 * bf16, any number. The product needs no odd number: g (x + 3/2) and 3 times a tie, of 9 bits, are either the
 * same number or, rounded to 24 bits, on the sides of each other where they were; and so are their thirds.
 * What is lost of a result that is subnormal is less than its distance from a tie, if x is 0 or not below
 * 2^-12; only where half a gradient is a tie, as a subnormal one may be, a smaller x decides. (All 2^32 pairs
 * have been tried.)
 */
static inline __attribute__((always_inline)) lanes16
lanes_bf16(const char *const *source, const void *prepared, struct unsettled *unsettled)
{
    (void)prepared, (void)unsettled;
    const uint16_t end = IS_CLOSED ? 0x4041 : 0x4040, to_infinity = (uint16_t)(0x7f81 - end), middle = 0x3fc0;
    const uint16_t least = 0x3980;
    lanes16 x = lanes16_load(source[1]), size = x & 0x7fff;
    lanes16_flags is_outer = lanes16_below(size - end, lanes16_of(to_infinity));
    lanes16_flags is_tiny = lanes16_below(size - 1, lanes16_of((uint16_t)(least - 1)));
    size = lanes16_choose(is_outer, lanes16_of(middle), lanes16_choose(is_tiny, lanes16_of(least), size));
    vector g[2], inner[2];
    load_pair(ARITHMETIC_BF16, source[0], g);
    vector_of_bf16((x & 0x8000) | size, inner);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        /* A quarter of the product does not overflow unless the result does. */
        vector product = vector_any_product(g[i], fused(inner[i], vector_of(0.25F), vector_of(0.375F)));
        g[i] = vector_any_product(product, vector_of(4.0F / 3));
    }
    return lanes16_canonical(ARITHMETIC_BF16, lanes16_of_wide(g));
}

static const struct evaluation hardswish = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast};
static const struct evaluation hardswish_fp16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast_fp16};
static const struct evaluation hardswish_bf16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .lanes16 = lanes_bf16};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, hardswish)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, hardswish_fp16)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, hardswish_bf16)

#define HARDSWISH_KERNELS FLOAT_KERNELS(run_fp32, run_fp32, run_fp16, run_bf16)

#endif
