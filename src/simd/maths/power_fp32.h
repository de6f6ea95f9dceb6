/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x^y = 2^(y log2 x) in registers of floats, within 0.7 ulp: what every step on the way to the exponent loses
 * is kept, as an exponent of 128 needs 31 bits behind its point to tell 24 of the power.
 */
#ifndef BELAY_SIMD_MATHS_POWER_FP32_H
#define BELAY_SIMD_MATHS_POWER_FP32_H

#include "simd/maths/exponential_fp32.h"

/* high + low for |high| >= |low|, or high = 0: the sum, and what it loses. */
static inline struct vector_pair fp32_ordered_sum(vector high, vector low)
{
    const vector sum = high + low;
    return (struct vector_pair){sum, low - (sum - high)};
}

/*
 * log2 x less a whole number, of positive, finite and normal x, 2^-34 of itself, by the tables of
 * fp32_logarithm(): with r = c m - 1, which has up to 27 bits, it is k - log2 c + log2 e (r - r^2 / 2 +
 * r^3 (1/3 - r/4 + ...)), k being the exponent of x less that number. |r| is at most 1/32, and 1/64 where
 * k - log2 c is not 0 and then at least 0.03, so that the sums go from large to small.
 */
static inline __attribute__((always_inline)) struct vector_pair fp32_fine_log2(vector x, vector lowered_by)
{
    static const float series[] = {0x1.555556p-2F, -0.25F, 0x1.99999ap-3F, -0x1.555556p-3F, 0x1.24924ap-3F};
    const vector e[] = {vector_of(fp32_binary.factor[0]), vector_of(fp32_binary.factor[1])};
    const vector_bits bits = (vector_bits)x, index = bits >> 18;
    const vector k =
        (vector)((bits >> 23) + (vector_bits)vector_of(fp32_whole)) - (fp32_whole + 127) - lowered_by;
    const vector m = (vector)((bits & 0x007fffff) | 0x3f800000);
    const vector c = vector_lookup(fp32_inverses, index), product = m * c;
    const struct vector_pair less = fp32_ordered_sum(product - 1, fused_minus(m, c, product));
    const vector r = less.high, r_lost = less.low - less.low * r; /* by what it changes r - r^2 / 2 */
    const vector first = r * e[0];
    const vector first_lost = fused(r_lost, e[0], fused(r, e[1], fused_minus(r, e[0], first)));
    const vector square = r * r, square_lost = fused_minus(r, r, square), half = e[0] * -0.5F;
    const vector second = square * half;
    const vector second_lost =
        fused(square, e[1] * -0.5F, fused(square_lost, half, fused_minus(square, half, second)));
    const vector rest =
        fused(r * square * e[0], FP32_POLYNOMIAL(r, series), vector_lookup(fp32_binary.low, index));
    const struct vector_pair sum = fp32_ordered_sum(k + vector_lookup(fp32_binary.high, index), first),
                             both = fp32_ordered_sum(sum.high, second);
    return fp32_ordered_sum(both.high, both.low + (sum.low + (second_lost + (first_lost + rest))));
}

/* 2^(x.high + x.low), of which x.low is the least part: 0 from -151 on, infinite from 129 on. 2^r = 1 + r (ln 2 +
 * r P(r)), P being that of short_exp2(), 2^-29 in floats. */
static inline __attribute__((always_inline)) vector fp32_fine_exp2(struct vector_pair x)
{
    static const float series[] = {0x1.ebfbep-3F,   0x1.c6b08ep-5F, 0x1.3b2ab6p-7F, 0x1.5d8776p-10F,
                                   0x1.43099cp-13F, 0x1.00c08p-16F, 0x1.62c01p-20F};
    const vector limited = vector_greatest(vector_of(-151), vector_least(vector_of(129), x.high));
    const vector low = vector_choose(vector_equal(limited, x.high), x.low, vector_of(0));
    const vector k = (limited + fp32_whole) - fp32_whole;
    const struct vector_pair r = fp32_ordered_sum(limited - k, low);
    const vector slope = vector_of(fp32_ln2[0]), first = r.high * slope;
    const vector lost = fused(r.high, vector_of(fp32_ln2[1]), fused_minus(r.high, slope, first));
    const vector rest = fused(r.high * r.high, FP32_POLYNOMIAL(r.high, series), fused(r.low, slope, lost));
    const struct vector_pair sum = fp32_ordered_sum(vector_of(1), first);
    return fp32_scaled(sum.high + (sum.low + rest), k);
}

/* |x|^y for x that is 0 or infinite and for infinite y, what C99 has for them; otherwise value. */
static inline vector fp32_power_limits(vector size, vector y, vector value)
{
    const vector zero = vector_of(0), one = vector_of(1), infinity = vector_of((float)INFINITY);
    const flags is_upward = vector_greater(y, zero);
    const vector far = vector_choose(is_upward, infinity, zero),
                 near = vector_choose(is_upward, zero, infinity);
    value = vector_choose(vector_equal(size, zero), near, value);
    value = vector_choose(vector_equal(size, infinity), far, value);
    const flags is_endless = vector_equal(vector_absolute(y), infinity);
    value = vector_choose(is_endless, vector_choose(vector_greater(size, one), far, near), value);
    return vector_choose(is_endless & vector_equal(size, one), one, value);
}

/* x^y: below 0 that of |x| with the sign of an odd y, NaN where y is not whole. Subnormal numbers are taken 2^24
 * times, which is exact. */
static INLINE_IF_FUSED vector fp32_power_of(vector x, vector y)
{
    const vector zero = vector_of(0), size = vector_absolute(x);
    /* x is 0, subnormal, infinite or NaN, or y is not finite. */
    const flags is_special = vector_above((vector_bits)size - 0x00800000, 0x7effffff) |
                             ~vector_greater(vector_of((float)INFINITY), vector_absolute(y));
    const bool any_special = __builtin_expect(vector_any_flag(is_special), 0);
    vector ordinary = size, raised_by = zero;
    if (any_special) {
        const flags is_small = vector_greater(vector_of(0x1p-126F), size);
        ordinary = vector_choose(is_small, fp32_product(size, vector_of(0x1p24F)), size);
        raised_by = vector_choose(is_small, vector_of(24), zero);
    }
    const struct vector_pair l = fp32_fine_log2(ordinary, raised_by);
    const vector high = y * l.high;
    vector value = fp32_fine_exp2((struct vector_pair){high, fused(y, l.low, fused_minus(y, l.high, high))});
    if (any_special)
        value = fp32_power_limits(size, y, value);
    const flags is_below = vector_above((vector_bits)x, 0x7fffffff); /* -0, too */
    if (vector_any_flag(is_below)) {
        const vector half = y * 0.5F;
        const flags is_even = vector_equal(fp32_maths_trunc(half), half),
                    is_whole = vector_equal(fp32_maths_trunc(y), y),
                    is_negative = vector_greater(zero, x) & vector_greater(vector_of((float)INFINITY), size);
        value = vector_choose(is_below & is_whole & ~is_even, -value, value);
        value = vector_choose(is_negative & ~is_whole, vector_of((float)NAN), value);
    }
    if (any_special) {
        value = vector_choose(~(vector_equal(x, x) & vector_equal(y, y)), vector_of((float)NAN), value);
        value = vector_choose(vector_equal(y, zero) | vector_equal(x, vector_of(1)), vector_of(1), value);
    }
    return value;
}

#endif
