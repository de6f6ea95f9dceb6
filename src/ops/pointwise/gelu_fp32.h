/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gelu in fp32: x / (1 + e^-v), v = 2 sqrt(2/pi) (x + 0.044715 x^3), within 0.96 units in the last
 * place. scripts/gelu_fp32.sollya prints the coefficients.
 */
#ifndef BELAY_OPS_POINTWISE_GELU_FP32_H
#define BELAY_OPS_POINTWISE_GELU_FP32_H

#include "simd/maths/exponential_fp32_pair.h"
#include "simd/maths/odd.h"
#include "simd/maths/unsettled.h"

/* The bits of 4.75, up to which |v| is less than 16 and 1 + 2^k a float for each whole k near t. */
enum { GELU_NEAR = 0x40980000 };

/* t = -v / ln 2 to some 2^-45. */
static inline struct vector_pair gelu_argument(vector x)
{
    /* The first factor in 17 bits so that what is left of the sum is a float, and that times 0.044715. */
    const vector linear = vector_of(-0x1.26afp1F), linear_rest = vector_of(0x1.ef218cp-18F);
    const vector cubic = vector_of(-0x1.a5a7dp-4F), cubic_rest = vector_of(0x1.151aaep-29F);
    vector square = x * x, square_rest = fused_minus(x, x, square);
    vector sum = fused(cubic, square, linear), rest = fused(cubic, square, linear - sum);
    rest += fused(cubic, square_rest, fused(cubic_rest, square, linear_rest));
    vector high = x * sum;
    return (struct vector_pair){high, fused(x, rest, fused_minus(x, sum, high))};
}

/*
 * x / (1 + 2^t): 2^k m is added to 1 + 2^k, and what that rounds and t.low make is the divisor's low part, which
 * the quotient's remainder takes in. The remainder is taken from x in this order so that -0 stays what it is. What
 * m is rounded by is most of the error. Where is_near, a constant, is not set, 1 + 2^k is rounded, too, and of k
 * above 100 the rest is left to the end, where the result may be subnormal.
 */
static inline __attribute__((always_inline)) vector gelu_quotient(vector x, struct vector_pair t,
                                                                  bool is_near)
{
    const vector ln2 = vector_of(0x1.62e43p-1F);
    vector sum = t.high + exponent_sum, r = t.high - (sum - exponent_sum);
    /* m = 2^r - 1, of which the first product is ln 2 r. */
    vector m = fused(r, vector_of(0x1.442516p-13F), vector_of(0x1.5f090ep-10F));
    m = fused(r, m, vector_of(0x1.3b2a48p-7F));
    m = fused(r, m, vector_of(0x1.c6af6cp-5F));
    m = fused(r, m, vector_of(0x1.ebfbep-3F));
    m = fused(r, m, vector_of(0x1.815d54p-28F));
    m = fused(r, ln2, r * m);
    vector least = is_near ? sum : vector_least(sum, vector_of(exponent_sum + 100));
    vector power = power_of_sum(least), whole = 1 + power, divisor = fused(power, m, whole);
    vector rounded = fused(power, m, whole - divisor);
    if (!is_near)
        rounded += vector_least(power, vector_of(1)) - (whole - vector_greatest(power, vector_of(1)));
    vector divisor_low = fused(t.low * ln2, divisor - 1, rounded);
    vector inverse = 1 / divisor, quotient = x * inverse;
    vector excess = fused(quotient, divisor_low, fused_minus(quotient, divisor, x));
    vector value = fused_from(excess, inverse, quotient);
    return is_near ? value : vector_any_product(value, power_of_sum(least - sum + exponent_sum));
}

/* NaN for -inf. */
static inline __attribute__((always_inline)) vector vector_gelu(vector x, struct unsettled *unsettled)
{
    if (unsettled->path == PATH_QUICK) {
        unsettled_above(unsettled, (vector_bits)vector_absolute(x), GELU_NEAR);
        unsettled_below(unsettled, x, 0x01000000);
        return gelu_quotient(x, gelu_argument(x), true);
    }
    /* From 6 on e^-v is below 2^-36, and before -11.25 |x| e^v below 2^-150, so that the result is x or 0. That is not
     * computed, nor x / 2 of subnormal numbers: some processors are slow with what underflows. */
    const flags is_whole = vector_greater(x, vector_of(6)), is_end = vector_greater(vector_of(-11.25F), x),
                is_tiny = vector_greater(vector_of(0x1p-125F), vector_absolute(x));
    vector inside = vector_choose(is_whole | is_end | is_tiny, vector_of(0), x);
    vector value = gelu_quotient(inside, gelu_argument(inside), false);
    /* Halves of odd subnormal numbers are ties, which lie below the exact result. */
    value = vector_choose(is_tiny, tiny_half(x, ~((vector_ints)x >> 31) & 1), value);
    return vector_choose(is_whole, x, vector_choose(is_end, vector_any_product(x, vector_of(0)), value));
}

#endif
