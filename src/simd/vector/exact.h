/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Arithmetic that loses nothing: sums and products of doubles as pairs, the sign of a long sum, and numbers
 * of about 106 bits. No fused multiply-add but where the result is exact: the baseline processors have none,
 * and every level must agree.
 */
#ifndef BELAY_SIMD_VECTOR_EXACT_H
#define BELAY_SIMD_VECTOR_EXACT_H

#include "simd/vector/vector.h"

/* The unevaluated sum of two doubles, |low| <= half a unit in the last place of high. */
struct pair {
    doubles high, low;
};

/* a + b exactly, for finite a and b whose sum does not overflow (Knuth). */
static inline struct pair two_sum(doubles a, doubles b)
{
    doubles sum = a + b, b_part = sum - a;
    return (struct pair){sum, (a - (sum - b_part)) + (b - b_part)};
}

/* The leading bits of a, rounded to nearest: kept of them, 0 < kept < 53. The rest, at most 53 - kept bits,
 * is a - leading(a, kept). */
static inline doubles leading(doubles a, int kept)
{
    const uint64_t half = 1ULL << (52 - kept);
    return (doubles)(((ulongs)a + half) & ~(2 * half - 1));
}

/* a * b exactly, as long as no part overflows or underflows (Dekker). 26 bits times 26 or 27 are exact. */
static inline struct pair two_product(doubles a, doubles b)
{
    doubles a1 = leading(a, 26), a2 = a - a1, b1 = leading(b, 26), b2 = b - b1;
    doubles product = a * b;
    return (struct pair){product, (((a1 * b1 - product) + a1 * b2) + a2 * b1) + a2 * b2};
}

/* a * b - product where that is a double, for factors that are far from the ends of the range and a product
 * that is near theirs. */
static inline doubles product_rest(doubles a, doubles b, doubles product)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)product);
#elif defined(__FMA__)
    return (doubles)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)product);
#else
    struct pair exact = two_product(a, b);
    return (exact.high - product) + exact.low;
#endif
}

/* A double with the sign of term[0] + ... + term[count - 1], and 0 only where that exact sum is 0. */
static inline doubles sign_of_sum(const doubles *term, int count)
{
    /* Shewchuk's expansion: its components do not overlap, so the largest that is not 0 decides. */
    doubles component[8] __attribute__((uninitialized)); /* not cleared first: all that is read is written */
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        doubles carry = term[i];
#pragma GCC unroll 8
        for (int j = 0; j < i; j++) {
            struct pair sum = two_sum(carry, component[j]);
            component[j] = sum.low;
            carry = sum.high;
        }
        component[i] = carry;
    }
    doubles sign = component[0];
#pragma GCC unroll 8
    for (int i = 1; i < count; i++)
        sign = choose(component[i] != 0, component[i], sign);
    return sign;
}

/* One pair in all lanes. */
static inline struct pair pair_of(double high, double low)
{
    return (struct pair){broadcast(high), broadcast(low)};
}

/* high + low again with |low| <= half a unit of high; needs |high| >= |low| or high = 0. */
static inline struct pair renormalize(doubles high, doubles low)
{
    doubles sum = high + low;
    return (struct pair){sum, low - (sum - high)};
}

/* a + b with a relative error of some 2^-104, whatever the signs (Y. Hida, X. S. Li, D. H. Bailey, Algorithms
 * for Quad-Double Precision Floating Point Arithmetic, 2001: the accurate sum). */
static inline struct pair pair_add(struct pair a, struct pair b)
{
    struct pair high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
    high = renormalize(high.high, high.low + low.high);
    return renormalize(high.high, high.low + low.low);
}

/* -a, which is exact. */
static inline struct pair pair_negate(struct pair a)
{
    return (struct pair){-a.high, -a.low};
}

/* a b without a.low b.low, which is below 2^-106 of it: some 2^-102 (T. J. Dekker, A Floating-Point Technique
 * for Extending the Available Precision, 1971). */
static inline struct pair pair_multiply(struct pair a, struct pair b)
{
    struct pair product = two_product(a.high, b.high);
    return renormalize(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/* A power of two times a pair. */
static inline struct pair pair_scale(struct pair a, doubles power)
{
    return (struct pair){a.high * power, a.low * power};
}

/* a / b by long division with three digits of 53 bits, of which each takes off what the last ones left. */
static inline struct pair pair_divide(struct pair a, struct pair b)
{
    const struct pair none = {broadcast(0), broadcast(0)};
    struct pair quotient = none, rest = a;
    for (int digit = 0; digit < 3; digit++) {
        struct pair part = {rest.high / b.high, broadcast(0)};
        rest = pair_add(rest, pair_negate(pair_multiply(part, b)));
        quotient = pair_add(quotient, part);
    }
    return quotient;
}

#endif
