/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the functions of one argument in simd/maths are made of. They compute in doubles, with the last
 * steps in pairs so that a double result is within one unit in the last place and nearly always the nearest;
 * rounded once more to fp32, fp16 or bf16 they are what the exact value gives but for very few of the 2^32.
 *
 * Every level gives the same bits: plain sums and products in a fixed order, and a fused multiply-add only
 * where its result is exact.
 */
#ifndef BELAY_SIMD_MATHS_SERIES_H
#define BELAY_SIMD_MATHS_SERIES_H

#include <math.h>

#include "simd/vector/exact.h"

/* c[0] + c[1] x + ... The last steps decide the error: it is about that of c[0] where x is small. */
static inline __attribute__((always_inline)) doubles ascending_polynomial(doubles x, const double *c,
                                                                          int count)
{
    doubles sum = broadcast(c[count - 1]);
#pragma GCC unroll 32
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

#define POLYNOMIAL(x, coefficients) \
    ascending_polynomial(x, coefficients, (int)(sizeof(coefficients) / sizeof((coefficients)[0])))

/* a * b exactly, as long as neither it nor its last bits overflow or underflow. */
static inline struct pair exact_product(doubles a, doubles b)
{
    doubles product = a * b;
    return (struct pair){product, product_rest(a, b, product)};
}

/* a / b to some 2^-100, as long as nothing overflows or underflows. */
static inline struct pair quotient_of_pairs(struct pair a, struct pair b)
{
    doubles quotient = a.high / b.high, product = quotient * b.high;
    doubles rest = (a.high - product) - product_rest(quotient, b.high, product);
    return renormalize(quotient, (rest + (a.low - quotient * b.low)) / b.high);
}

/* The nearest whole number, for |x| < 2^51: the sum's last place is 1. */
static inline doubles nearest_whole(doubles x)
{
    const double integers = 0x1.8p52;
    return (x + integers) - integers;
}

/* A whole number of 51 bits or less as an integer, of which only the low bits are right. */
static inline longs low_bits_of_whole(doubles whole)
{
    return (longs)(whole + 0x1.8p52);
}

/* 2^exponent for a whole number from -1022 to 1023. */
static inline doubles whole_power(doubles exponent)
{
    return (doubles)((ulongs)(low_bits_of_whole(exponent) + 1023) << 52);
}

/* value * 2^exponent rounded once, for |exponent| <= 2000 and a value for which half of that is exact. */
static inline doubles scaled_by(doubles value, doubles exponent)
{
    doubles half = nearest_whole(exponent * 0.5);
    return value * whole_power(half) * whole_power(exponent - half);
}

/* NaN stays NaN. */
static inline doubles at_most(doubles x, double limit)
{
    return choose(x > limit, broadcast(limit), x);
}

/* x, but no less than the limit; NaN stays NaN. */
static inline doubles at_least(doubles x, double limit)
{
    return choose(x < limit, broadcast(limit), x);
}

/* value, but x itself where x is 0 of either sign. */
static inline doubles keep_zero(doubles x, doubles value)
{
    return choose(x == 0, x, value);
}

/* sqrt(x), rounded once as IEEE 754 has it. */
static inline doubles square_root(doubles x)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
    return (doubles)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    return (doubles)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < LANES; i++)
        x[i] = __builtin_sqrt(x[i]);
    return x;
#endif
}

#endif
