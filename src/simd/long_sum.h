/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of products of doubles, and quotients of such sums, exact whatever the sizes of their terms and
 * rounded once: fixed-point numbers that hold every bit that there can be. Slow, for what quicker ways are
 * not sure of.
 */
#ifndef BELAY_SIMD_LONG_SUM_H
#define BELAY_SIMD_LONG_SUM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 double_length;

/* A product of three doubles has its last bit at 2^-3222 or above, and is below 2^3075. */
enum { LONG_POINT = 51 * 64, LONG_WORDS = 102 };

/* In two's complement; the bit LONG_POINT is worth 1. */
struct long_sum {
    uint64_t word[LONG_WORDS];
};

/* A finite double is the significand, times 2^exponent. */
struct digits {
    uint64_t significand;
    int exponent;
    bool is_minus;
};

static inline struct digits digits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int field = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & (UINT64_MAX >> 12);
    return (struct digits){field == 0 ? fraction : fraction | UINT64_C(1) << 52,
                           (field == 0 ? 1 : field) - 1075, bits >> 63 != 0};
}

/* Adds the product of a, b, more and 2^exponent, or takes it off. */
static inline void long_add(struct long_sum *sum, double a, double b, uint64_t more, int exponent,
                            bool is_minus)
{
    const struct digits x = digits_of(a), y = digits_of(b);
    double_length product = (double_length)x.significand * y.significand;
    double_length low = (product & UINT64_MAX) * more, high = (product >> 64) * more + (low >> 64);
    const uint64_t limb[4] = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64), 0};
    const int place = x.exponent + y.exponent + exponent + LONG_POINT, shift = place % 64;
    const uint64_t flip = x.is_minus ^ y.is_minus ^ is_minus ? UINT64_MAX : 0;
    uint64_t carry = flip & 1, before = 0;
    for (int i = 0, at = place / 64; at < LONG_WORDS; i++, at++) {
        uint64_t own = i < 4 ? limb[i] : 0;
        uint64_t part = shift == 0 ? own : own << shift | before >> (64 - shift);
        before = own;
        double_length total = (double_length)sum->word[at] + (part ^ flip) + carry;
        sum->word[at] = (uint64_t)total;
        carry = (uint64_t)(total >> 64);
    }
}

/* -1, 0 or 1. */
static inline int long_sign(const struct long_sum *sum)
{
    if (sum->word[LONG_WORDS - 1] >> 63 != 0)
        return -1;
    for (int i = 0; i < LONG_WORDS; i++)
        if (sum->word[i] != 0)
            return 1;
    return 0;
}

static inline void long_negate(struct long_sum *sum)
{
    uint64_t carry = 1;
    for (int i = 0; i < LONG_WORDS; i++) {
        sum->word[i] = ~sum->word[i] + carry;
        carry = carry != 0 && sum->word[i] == 0;
    }
}

/* The first 64 bits of a number above 0, times 2^exponent, and whether there are more. */
struct leading_bits {
    uint64_t bits;
    int exponent;
    bool has_more;
};

static inline struct leading_bits leading_bits_of(const struct long_sum *sum)
{
    int top = LONG_WORDS - 1;
    while (sum->word[top] == 0)
        top--;
    int unused = __builtin_clzll(sum->word[top]);
    uint64_t below = top > 0 ? sum->word[top - 1] : 0;
    struct leading_bits leading = {
        .bits = unused == 0 ? sum->word[top] : sum->word[top] << unused | below >> (64 - unused),
        .exponent = 64 * top - unused - LONG_POINT,
        .has_more = unused == 0 ? below != 0 : below << unused != 0,
    };
    for (int i = 0; i + 1 < top; i++)
        leading.has_more |= sum->word[i] != 0;
    return leading;
}

/* units * 2^exponent, which is a double or too large for one: units has 53 bits unless exponent is the least.
 */
static inline double double_of_units(uint64_t units, int exponent)
{
    const uint64_t infinity = UINT64_C(0x7ff) << 52;
    /* The leading bit of a normal number adds the 1 that is missing in the exponent. */
    uint64_t bits = ((uint64_t)(exponent + 1074) << 52) + units;
    bits = exponent + 1074 > 0x7fe || bits > infinity ? infinity : bits;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The nearest double, ties to even; +0 for 0. The sum is used up. */
static inline double long_nearest(struct long_sum *sum)
{
    int sign = long_sign(sum);
    if (sign == 0)
        return 0;
    if (sign < 0)
        long_negate(sum);
    struct leading_bits leading = leading_bits_of(sum);
    int unit = leading.exponent + 11 < -1074 ? -1074 : leading.exponent + 11;
    int shift = unit - leading.exponent;
    uint64_t kept = 0;
    if (shift <= 64) {
        uint64_t half = UINT64_C(1) << (shift - 1), lost = leading.bits & (half + (half - 1));
        kept = shift == 64 ? 0 : leading.bits >> shift;
        kept += lost > half || (lost == half && (leading.has_more || (kept & 1) != 0));
    }
    double value = double_of_units(kept, unit);
    return sign < 0 ? -value : value;
}

static inline bool is_finite(double value)
{
    return value - value == 0;
}

/* What stands for a value where others are infinite or NaN, so that nothing overflows. */
static inline double small_stand_in(double value)
{
    return !is_finite(value) || value == 0 ? value : value > 0 ? 1 : -1;
}

/*
 * x0 * y0 + x1 * y1 by its formula where that is all there is to say: where one of them is infinite or NaN,
 * or every product is 0 and the sum a zero with a sign.
 */
static inline double products_by_formula(const double *x, const double *y)
{
    return small_stand_in(x[0]) * small_stand_in(y[0]) + small_stand_in(x[1]) * small_stand_in(y[1]);
}

static inline bool are_finite(const double *x, const double *y)
{
    return is_finite(x[0]) && is_finite(x[1]) && is_finite(y[0]) && is_finite(y[1]);
}

static inline bool products_are_zero(const double *x, const double *y)
{
    return (x[0] == 0 || y[0] == 0) && (x[1] == 0 || y[1] == 0);
}

/* The double that is nearest to addend + sign * (x0 * y0 + x1 * y1); sign is 1 or -1. */
static __attribute__((noinline, unused)) double long_sum_of_products(double addend, double sign,
                                                                     const double *x, const double *y)
{
    if (!is_finite(addend) || !are_finite(x, y))
        return small_stand_in(addend) + sign * products_by_formula(x, y);
    if (products_are_zero(x, y))
        return addend + sign * products_by_formula(x, y);
    struct long_sum sum = {{0}};
    long_add(&sum, x[0], y[0], 1, 0, sign < 0);
    long_add(&sum, x[1], y[1], 1, 0, sign < 0);
    long_add(&sum, addend, 1, 1, 0, false);
    if (long_sign(&sum) == 0)
        return addend != 0 ? 0 : addend + sign * 0.0; /* products that cancel are +0 */
    return long_nearest(&sum);
}

/* A float format: the bits of a significand and the exponent of the least number. */
struct float_format {
    int bits, least_exponent;
};

/* The sign of 2 * (x0 * y0 + x1 * y1) - odd * 2^unit * (c * c + d * d), the first taken with the sign given.
 */
static inline int compare_quotient(const double *x, const double *y, bool is_minus, double c, double d,
                                   uint64_t odd, int unit)
{
    struct long_sum difference = {{0}};
    long_add(&difference, x[0], y[0], 2, 0, is_minus);
    long_add(&difference, x[1], y[1], 2, 0, is_minus);
    long_add(&difference, c, c, odd, unit, true);
    long_add(&difference, d, d, odd, unit, true);
    return long_sign(&difference);
}

/*
 * The number of the format that is nearest to (x0 * y0 + x1 * y1) / (c * c + d * d), ties to even, as a
 * double. By the formula, of which nothing is left but NaN, where c and d are 0.
 */
static __attribute__((noinline, unused)) double long_quotient(const double *x, const double *y, double c,
                                                              double d, struct float_format format)
{
    const double parts[2] = {c, d};
    if (!are_finite(x, y) || !are_finite(parts, parts) || (c == 0 && d == 0) || products_are_zero(x, y))
        return products_by_formula(x, y) / products_by_formula(parts, parts);
    struct long_sum numerator = {{0}}, denominator = {{0}};
    long_add(&numerator, x[0], y[0], 1, 0, false);
    long_add(&numerator, x[1], y[1], 1, 0, false);
    long_add(&denominator, c, c, 1, 0, false);
    long_add(&denominator, d, d, 1, 0, false);
    const int sign = long_sign(&numerator);
    if (sign == 0)
        return 0;
    if (sign < 0)
        long_negate(&numerator);
    struct leading_bits over = leading_bits_of(&numerator), under = leading_bits_of(&denominator);
    /* About 2^63 times the quotient of the leading bits, and its last place in the format. */
    double_length ratio = ((double_length)over.bits << 63) / under.bits;
    int scale = over.exponent - under.exponent - 63;
    int unit = scale + (ratio >> 63 != 0 ? 64 : 63) - format.bits;
    uint64_t units;
    for (;; unit--) {
        unit = unit < format.least_exponent ? format.least_exponent : unit;
        int shift = unit - scale;
        units = shift > 64 ? 0 : (uint64_t)(ratio >> shift);
        units -= units > 0; /* the ratio is off by less than a unit */
        /* An exact answer for each half between two numbers: the first that the quotient does not exceed. */
        int above;
        while ((above = compare_quotient(x, y, sign < 0, c, d, 2 * units + 1, unit)) > 0)
            units++;
        units += above == 0 && (units & 1) != 0;
        /* The leading bits alone do not tell on which side of a power of two the quotient lies. */
        if (units >> (format.bits - 1) != 0 || unit == format.least_exponent)
            break;
    }
    double value;
    if (format.bits == 53) {
        value = double_of_units(units, unit);
    } else {
        uint64_t power = (uint64_t)(unit + 1023) << 52;
        memcpy(&value, &power, sizeof value);
        value *= (double)units;
    }
    return sign < 0 ? -value : value;
}

#endif
