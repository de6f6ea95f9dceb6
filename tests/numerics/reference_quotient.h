/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers as quotients of integers, and their one rounding: what references in integers are made of.
 */
#ifndef BELAY_TESTS_NUMERICS_REFERENCE_QUOTIENT_H
#define BELAY_TESTS_NUMERICS_REFERENCE_QUOTIENT_H

#include <string.h>

#include <gmp.h>

#include "numerics/reference.h"

/* +-significand * 2^exponent, or one of the values that are no number. */
struct number {
    enum { FINITE, INFINITE, NOT_A_NUMBER } kind;
    bool negative;
    uint64_t significand;
    int exponent;
};

static inline struct number decode(const struct format *format, uint64_t bits)
{
    uint64_t magnitude = bits & magnitude_mask(format), infinity = infinity_bits(format);
    struct number number = {.negative = bits >> (format->bits - 1)};
    if (magnitude >= infinity) {
        number.kind = magnitude == infinity ? INFINITE : NOT_A_NUMBER;
        return number;
    }
    uint64_t field = magnitude >> format->fraction_bits, one = (uint64_t)1 << format->fraction_bits;
    number.significand = (magnitude & (one - 1)) | (field ? one : 0);
    number.exponent = lowest_exponent(format) + (field ? (int)field - 1 : 0);
    return number;
}

static inline struct number decode_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return decode(&formats[ARITHMETIC_FP64], bits);
}

/* numerator / denominator * 2^exponent, numerator >= 0 and denominator > 0 when it is a number. */
struct quotient {
    mpz_t numerator, denominator;
    long exponent;
    bool negative, infinite, nan;
};

static inline uint64_t round_quotient(const struct format *format, struct quotient *q)
{
    if (q->nan)
        return nan_bits(format);
    uint64_t sign = q->negative ? magnitude_mask(format) + 1 : 0;
    if (q->infinite)
        return sign | infinity_bits(format);
    if (mpz_sgn(q->numerator) == 0)
        return sign;
    /* Scale so that the integer part has one bit more than the significand, or fewer where the lowest
     * exponent forbids: half units. The remainder is the sticky bit. */
    long size = (long)mpz_sizeinbase(q->numerator, 2) - (long)mpz_sizeinbase(q->denominator, 2);
    long shift = format->fraction_bits + 3 - size, lowest = lowest_exponent(format) - 1;
    if (q->exponent - shift < lowest)
        shift = q->exponent - lowest;
    if (shift >= 0)
        mpz_mul_2exp(q->numerator, q->numerator, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(q->denominator, q->denominator, (mp_bitcnt_t)-shift);
    long exponent = q->exponent - shift;
    mpz_tdiv_qr(q->numerator, q->denominator, q->numerator, q->denominator);
    uint64_t integer = mpz_get_ui(q->numerator);
    bool sticky = mpz_sgn(q->denominator) != 0;
    while (integer >> (format->fraction_bits + 2)) {
        sticky |= integer & 1;
        integer >>= 1;
        exponent++;
    }
    uint64_t units = integer >> 1;
    units += (integer & 1) && (sticky || (units & 1));
    exponent++;
    /* units may have reached the next power of two, which the exponent field takes up by carrying. */
    uint64_t magnitude = units;
    if (units >> format->fraction_bits)
        magnitude += (uint64_t)(exponent - lowest_exponent(format)) << format->fraction_bits;
    return sign | (magnitude > infinity_bits(format) ? infinity_bits(format) : magnitude);
}

/* Multiplies by a number, with the rules for infinities, zeros and signs. */
static inline void multiply(struct quotient *q, struct number by)
{
    bool zero = !q->infinite && mpz_sgn(q->numerator) == 0;
    q->negative ^= by.negative;
    q->nan |= by.kind == NOT_A_NUMBER || (by.kind == INFINITE && zero) ||
              (q->infinite && by.kind == FINITE && by.significand == 0);
    q->infinite |= by.kind == INFINITE;
    mpz_mul_ui(q->numerator, q->numerator, by.significand);
    q->exponent += by.exponent;
}

/* q = a + b for finite numbers; an exact zero has the sign that both have, + otherwise. */
static inline void set_sum(struct quotient *q, struct number a, struct number b)
{
    int lower = a.exponent < b.exponent ? a.exponent : b.exponent;
    mpz_t other;
    mpz_init_set_ui(other, b.significand);
    mpz_mul_2exp(other, other, (mp_bitcnt_t)(b.exponent - lower));
    mpz_set_ui(q->numerator, a.significand);
    mpz_mul_2exp(q->numerator, q->numerator, (mp_bitcnt_t)(a.exponent - lower));
    if (a.negative)
        mpz_neg(q->numerator, q->numerator);
    if (b.negative)
        mpz_sub(q->numerator, q->numerator, other);
    else
        mpz_add(q->numerator, q->numerator, other);
    mpz_clear(other);
    q->negative = mpz_sgn(q->numerator) < 0 || (mpz_sgn(q->numerator) == 0 && a.negative && b.negative);
    mpz_abs(q->numerator, q->numerator);
    q->exponent = lower;
}

static inline void set_integer(struct quotient *q, unsigned long numerator)
{
    mpz_set_ui(q->numerator, numerator);
    q->exponent = 0;
    q->negative = q->infinite = false;
}

/* a < b for finite numbers. */
static inline bool less(struct number a, struct number b)
{
    struct quotient difference = {.exponent = 0};
    mpz_init(difference.numerator);
    b.negative = !b.negative;
    set_sum(&difference, a, b);
    bool result = difference.negative && mpz_sgn(difference.numerator) != 0;
    mpz_clear(difference.numerator);
    return result;
}

#endif
