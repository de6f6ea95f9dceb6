/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = gradOutput * g(self), where g(x) is 0 below -3, x/3 + 1/2 between -3 and 3, and 1 above 3. At the
 * ends aclnnHardswishBackward has the middle, g(-3) = -1/2 and g(3) = 3/2, aclnnHardswishBackwardV2 what is
 * beside it, g(-3) = 0 and g(3) = 1.
 *
 * It is a real multiplication: inf * 0 and NaN * 0 are NaN, and a finite negative gradient times 0 is -0.
 * self = NaN gives NaN, self = +inf the gradient, self = -inf gradient * 0.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. prepared: whether the ends belong to the middle. */
#include "simd/vector/exact.h"
#include "simd/loops/map.h"
#include "simd/maths/odd.h"

/* 6 times the slope, exactly: 2x + 3 between the ends, 6 above, 0 below. */
static inline doubles slope_by_six(doubles x, bool is_closed)
{
    /* Doubles hold 2x + 3 for every x of 24 bits down to 2^-29. A smaller one only decides, by its sign, to
     * which side a result that is nearly g / 2 rounds if g / 2 is a tie. */
    doubles slope = 2 * keep_off_zero(x, 0x1p-29) + 3;
    longs is_outer = is_closed ? absolute(x) > 3 : absolute(x) >= 3;
    return choose(is_outer, choose(x > 0, broadcast(6), broadcast(0)), slope);
}

static inline doubles estimate(const doubles *input, const void *prepared)
{
    return input[0] * slope_by_six(input[1], *(const bool *)prepared) / 6;
}

/*
 * The gradient has 24 bits, the slope 53: with the slope in two parts both products are exact. A quotient cut
 * to 48 bits is off by more than the estimate was, yet not by a whole unit of its last place, so no tie lies
 * between it and the exact one; 6 times it is exact, and the remainder's sign tells the side.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    doubles slope = slope_by_six(input[1], *(const bool *)prepared), high = leading(slope, 26);
    doubles quotient = leading(value, 48);
    const doubles remainder[] = {input[0] * high, input[0] * (slope - high), -6 * quotient};
    return round_to_odd(quotient, sign_of_sum(remainder, 3));
}

/* Where the slope is 1 or 0 x becomes one in between that has the same slope, so that any gradient has one
 * product. */
static inline vector inner_argument(vector x, const void *prepared)
{
    const vector end = vector_of(*(const bool *)prepared ? 3 : 0x1.7ffffep+1F);
    return vector_choose(vector_greater(vector_absolute(x), end), vector_with_sign_of(vector_of(1.5F), x), x);
}

/* g (x + 3/2) / 3, with the sum exactly as a pair: 3/2 is a multiple of the last place of every smaller x. */
static VECTOR_WAY fast(WAY)
{
    vector g = input[0], x = inner_argument(input[1], prepared), sum = x + 1.5F;
    struct vector_pair slope = {sum, x - (sum - 1.5F)};
    if (unsettled->path == PATH_ANY)
        return multiply_divide_any(g, slope, vector_divisor_of(3, true), unsettled);
    unsettled_small(unsettled, g);
    return multiply_divide(g, slope, vector_divisor_of(3, true), unsettled);
}

/*
 * fp16, any number: g (x + 3/2) rounded to odd, and a third of that. 3 times a tie has 14 bits, so the odd
 * number lies on the right side of it, and so does its third: two units of 24 bits are two thirds of a unit
 * apart from there. The sum loses only a bit of |x| = 2^-24, which the product's remainder, taken from x
 * itself, gives back. The inverse of 3, to 48 bits, errs by less than what lies between a third of a float
 * and the nearest tie; its parts have one sign, so that no infinity meets another.
 */
static VECTOR_WAY fast_fp16(WAY)
{
    vector g = input[0], x = inner_argument(input[1], prepared);
    vector product = vector_cut_product(g, vector_cut_sum(x, vector_of(1.5F)));
    vector lost = fused(g, x, fused_minus(vector_of(1.5F), g, product)), odd = vector_odd(product, lost);
    return vector_canonical(fused(odd, vector_of(0x1.555554p-2F), odd * vector_of(0x1.555556p-26F)));
}

/*
 * bf16, any number. The product needs no odd number: g (x + 3/2) and 3 times a tie, of 9 bits, are either the
 * same number or, rounded to 24 bits, on the sides of each other where they were; and so are their thirds.
 * What is lost of a result that is subnormal is less than its distance from a tie, if x is 0 or not below
 * 2^-12; only where half a gradient is a tie, as a subnormal one may be, a smaller x decides. (All 2^32 pairs
 * have been tried.)
 */
static LANES_WAY fast_bf16(WAY_16)
{
    const uint16_t end = *(const bool *)prepared ? 0x4041 : 0x4040, to_infinity = (uint16_t)(0x7f81 - end);
    const uint16_t middle = 0x3fc0, least = 0x3980;
    lanes16 x = lanes16_load(source[1]), size = x & 0x7fff;
    lanes16_flags is_outer = lanes16_below(size - end, lanes16_of(to_infinity));
    lanes16_flags is_tiny = lanes16_below(size - 1, lanes16_of((uint16_t)(least - 1)));
    size = lanes16_choose(is_outer, lanes16_of(middle), lanes16_choose(is_tiny, lanes16_of(least), size));
    vector g[2], inner[2];
    load_pair(ARITHMETIC_BF16, source[0], g);
    vectors_of_lanes16(ARITHMETIC_BF16, (x & 0x8000) | size, inner);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        /* A quarter of the product does not overflow unless the result does. */
        vector product = vector_any_product(g[i], fused(inner[i], vector_of(0.25F), vector_of(0.375F)));
        g[i] = vector_any_product(product, vector_of(4.0F / 3));
    }
    lanes16 result = lanes16_of_vectors(ARITHMETIC_BF16, g);
    return lanes16_nan_where(ARITHMETIC_BF16, result, result);
}

static const bool closed = true, open = false;

#define HARDSWISH(stem, ends)                                                                    \
    MAP_KERNELS(stem, (.inputs = 2, .doubles = estimate, .settle = settle, .constant = &(ends)), \
                (.fast = fast), (.fast = fast_fp16), (.lanes16 = fast_bf16))                     \
    KERNELS(stem) = {MAP_RUNS(stem, NULL)}
HARDSWISH(hardswish_backward, closed);
HARDSWISH(hardswish_backward_v2, open);

#else

/* The contract. */
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

/* Where both dtypes are wrong, self's is named. */
static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, 1));
    return elementwise_infer_alike(call, result);
}

POINTWISE(hardswish_backward, 110, 110, 95);
POINTWISE(hardswish_backward_v2, 110, 110, 95);

GRADIENT(aclnnHardswishBackward, self, OUT, out, hardswish_backward, dtypes_fp32_fp16_bf16, promise_exact,
         infer);
GRADIENT(aclnnHardswishBackwardV2, self, OUT, out, hardswish_backward_v2, dtypes_fp32_fp16_bf16,
         promise_exact, infer);

#endif
