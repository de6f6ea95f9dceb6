/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of products of three doubles, rounded once: in fixed point, wide enough for all of them. Slow, and for
 * what faster ways leave in doubt.
 */
#ifndef BELAY_SIMD_EXACT_TERMS_H
#define BELAY_SIMD_EXACT_TERMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bin k counts multiples of 2^(32 k + LOWEST). The least product is 2^-3222; all are below 2^3072. */
enum { EXACT_TERMS_LOWEST = -3232, EXACT_TERMS_BINS = 200 };

struct exact_terms {
    int64_t bin[EXACT_TERMS_BINS];
    int highest; /* the bins above have never been touched */
};

static inline void exact_terms_clear(struct exact_terms *sum)
{
    memset(sum, 0, sizeof *sum);
}

struct exact_factor {
    uint64_t significand;
    int exponent;
    bool is_negative;
};

static inline struct exact_factor exact_factor_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int field = (int)(bits >> 52 & 0x7ff);
    return (struct exact_factor){field ? fraction | UINT64_C(1) << 52 : fraction, (field ? field : 1) - 1075,
                                 bits >> 63};
}

/* Adds a * b * c; finite. A sum may have some 2^30 terms. */
static inline void exact_terms_add(struct exact_terms *sum, double a, double b, double c)
{
    __extension__ typedef unsigned __int128 wide_integer;
    struct exact_factor x = exact_factor_of(a), y = exact_factor_of(b), z = exact_factor_of(c);
    const bool is_negative = x.is_negative ^ y.is_negative ^ z.is_negative;
    const unsigned place = (unsigned)(x.exponent + y.exponent + z.exponent - EXACT_TERMS_LOWEST);
    const int first = (int)(place / 32);
    wide_integer both = (wide_integer)x.significand * y.significand;
    wide_integer low = (wide_integer)(uint64_t)both * z.significand;
    wide_integer high = (wide_integer)(uint64_t)(both >> 64) * z.significand + (low >> 64);
    const uint64_t word[] = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64)};
    for (int i = 0; i < 6; i++) {
        int64_t piece = (int64_t)((word[i / 2] >> (32 * (i % 2)) & 0xffffffff) << (place % 32));
        int64_t upper = (int64_t)((uint64_t)piece >> 32), lower = piece & 0xffffffff;
        sum->bin[first + i] += is_negative ? -lower : lower;
        sum->bin[first + i + 1] += is_negative ? -upper : upper;
    }
    sum->highest = sum->highest > first + 6 ? sum->highest : first + 6;
}

/* Brings the bins to 0 .. 2^32 - 1, of the sum's magnitude; whether that was negative. */
static inline bool exact_terms_carry(struct exact_terms *sum)
{
    const int top = sum->highest + 1; /* room for the carry of the highest; there is such a bin */
    bool is_negative = false;
    for (int pass = 0; pass < 2; pass++) {
        int64_t carry = 0;
        for (int k = 0; k < top; k++) {
            int64_t value = sum->bin[k] + carry;
            sum->bin[k] = value & 0xffffffff;
            carry = value >> 32;
        }
        sum->bin[top] += carry;
        if (pass != 0 || sum->bin[top] >= 0)
            break;
        is_negative = true;
        for (int k = 0; k <= top; k++)
            sum->bin[k] = -sum->bin[k];
    }
    return is_negative;
}

/*
 * The sum as a double: rounded to nearest, ties to even, or to odd, which rounds to narrower dtypes as the
 * sum does. 0 is +0. The bins are used up.
 */
static inline double exact_terms_round(struct exact_terms *sum, bool is_to_odd)
{
    __extension__ typedef unsigned __int128 wide_integer;
    const bool is_negative = exact_terms_carry(sum);
    int top = sum->highest + 1;
    while (top > 0 && sum->bin[top] == 0)
        top--;
    wide_integer leading = 0;
    for (int k = top; k > top - 4; k--)
        leading = leading << 32 | (k >= 0 ? (uint64_t)sum->bin[k] : 0);
    if (leading == 0)
        return 0;
    bool is_sticky = false;
    for (int k = top - 4; k >= 0 && !is_sticky; k--)
        is_sticky = sum->bin[k] != 0;
    const uint64_t upper = (uint64_t)(leading >> 64), lower = (uint64_t)leading;
    const int zeros = upper ? __builtin_clzll(upper) : 64 + __builtin_clzll(lower);
    leading <<= zeros;
    const int exponent = 32 * (top - 3) + EXACT_TERMS_LOWEST + 127 - zeros; /* of the leading bit */
    const int bits_kept = exponent >= -1022 ? 53 : 53 - (-1022 - exponent);
    uint64_t kept = bits_kept > 0 ? (uint64_t)(leading >> (128 - bits_kept)) : 0;
    const wide_integer half = (wide_integer)1 << 127;
    wide_integer rest = bits_kept > 0 ? leading << bits_kept : bits_kept == 0 ? leading : 1;
    const bool is_tie = rest == half && !is_sticky;
    if (is_to_odd)
        kept |= rest != 0 || is_sticky;
    else
        kept += rest > half || (rest == half && is_sticky) || (is_tie && (kept & 1));
    uint64_t bits = exponent >= -1022 ? kept + ((uint64_t)(exponent + 1022) << 52) : kept;
    if (exponent > 1023 || bits > UINT64_C(0x7ff) << 52)
        bits = UINT64_C(0x7ff) << 52;
    bits |= (uint64_t)is_negative << 63;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
