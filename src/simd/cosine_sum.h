/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * e^-x + cos y where the two nearly cancel: in fixed point of 384 bits, of numbers modulo 1. Slow, and for
 * the few that pairs of doubles cannot tell.
 */
#ifndef BELAY_SIMD_COSINE_SUM_H
#define BELAY_SIMD_COSINE_SUM_H

#include "simd/trigonometry.h"

/* The fraction of a number, its low word first. */
struct fixed {
    uint64_t word[ANGLE_WORDS];
};

static inline struct fixed fixed_add(struct fixed a, struct fixed b)
{
    bool carry = false;
    for (int i = 0; i < ANGLE_WORDS; i++) {
        uint64_t sum = a.word[i] + b.word[i];
        bool next = sum < a.word[i] || (carry && sum == UINT64_MAX);
        a.word[i] = sum + carry;
        carry = next;
    }
    return a;
}

static inline struct fixed fixed_negate(struct fixed a)
{
    const struct fixed one = {{1}};
    for (int i = 0; i < ANGLE_WORDS; i++)
        a.word[i] = ~a.word[i];
    return fixed_add(a, one);
}

static inline struct fixed fixed_subtract(struct fixed a, struct fixed b)
{
    return fixed_add(a, fixed_negate(b));
}

/* Cut off by some units of the last place. */
static inline struct fixed fixed_multiply(struct fixed a, struct fixed b)
{
    __extension__ typedef unsigned __int128 wide_integer;
    uint64_t product[2 * ANGLE_WORDS] = {0};
    for (int i = 0; i < ANGLE_WORDS; i++) {
        wide_integer carry = 0;
        for (int j = 0; j < ANGLE_WORDS; j++) {
            carry += (wide_integer)a.word[i] * b.word[j] + product[i + j];
            product[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        product[i + ANGLE_WORDS] = (uint64_t)carry;
    }
    struct fixed upper;
    memcpy(upper.word, product + ANGLE_WORDS, sizeof upper.word);
    return upper;
}

static inline struct fixed fixed_divide(struct fixed a, uint64_t divisor)
{
    __extension__ typedef unsigned __int128 wide_integer;
    wide_integer rest = 0;
    for (int i = ANGLE_WORDS; i-- > 0;) {
        rest = rest << 64 | a.word[i];
        a.word[i] = (uint64_t)(rest / divisor);
        rest %= divisor;
    }
    return a;
}

static inline bool fixed_is_zero(struct fixed a)
{
    uint64_t set = 0;
    for (int i = 0; i < ANGLE_WORDS; i++)
        set |= a.word[i];
    return set == 0;
}

/* x 2^-shift below 1; what is below the last place is cut off. */
static inline struct fixed fixed_of(double x, int shift)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    int place = (int)(bits >> 52) - 1075 - shift + 64 * ANGLE_WORDS; /* of the significand's last bit */
    struct fixed result = {{0}};
    if (place < -52)
        return result;
    const uint64_t whole = place < 0 ? m >> -place : m;
    place = place < 0 ? 0 : place;
    result.word[place / 64] = whole << (place % 64);
    if (place % 64 != 0 && place / 64 + 1 < ANGLE_WORDS)
        result.word[place / 64 + 1] = whole >> (64 - place % 64);
    return result;
}

/* 1 - e^-x for 0 < x < 300: by the sum for a small part of x, and 1 - (1 - s)^2 = 2 s - s^2. */
static inline struct fixed fixed_exponential(double x)
{
    enum { HALVINGS = 14 };
    const struct fixed t = fixed_of(x, HALVINGS);
    struct fixed term = t, sum = t;
    for (uint64_t i = 2; !fixed_is_zero(term); i++) {
        term = fixed_divide(fixed_multiply(term, t), i);
        sum = i % 2 == 0 ? fixed_subtract(sum, term) : fixed_add(sum, term);
    }
    for (int i = 0; i < HALVINGS; i++)
        sum = fixed_subtract(fixed_add(sum, sum), fixed_multiply(sum, sum));
    return sum;
}

/* The sine, or 1 less the cosine, of 0 <= r < 1. */
static inline struct fixed fixed_wave(struct fixed r, bool is_sine)
{
    const struct fixed square = fixed_multiply(r, r);
    struct fixed term = is_sine ? r : fixed_divide(square, 2), sum = term;
    for (uint64_t i = is_sine ? 2 : 3, sign = 1; !fixed_is_zero(term); i += 2, sign = !sign) {
        term = fixed_divide(fixed_multiply(term, square), i * (i + 1));
        sum = sign ? fixed_subtract(sum, term) : fixed_add(sum, term);
    }
    return sum;
}

/* 1 + cos y modulo 1, for y >= 1/2. */
static inline struct fixed fixed_cosine(double y)
{
    static const struct fixed eighth_turn = {{0xef9519b3cd3a431b, 0x514a08798e3404dd, 0x020bbea63b139b22,
                                              0x29024e088a67cc74, 0xc4c6628b80dc1cd1, 0xc90fdaa22168c234}};
    struct right_angles angle = count_right_angles(y);
    const bool is_negative = round_right_angles(&angle), is_odd = angle.whole % 2 != 0;
    struct fixed rest;
    memcpy(rest.word, angle.fraction, sizeof rest.word);
    rest = fixed_multiply(rest, eighth_turn);
    rest = fixed_add(rest, rest);
    struct fixed wave = fixed_wave(rest, is_odd);
    /* By whole right angles: -(1 - cos r), -sin r, 1 - cos r, sin r. */
    const bool is_turned = angle.whole < 2;
    return is_turned != (is_odd && is_negative) ? fixed_negate(wave) : wave;
}

/* e^-x + cos y for x > 0 and y >= 1/2, where that is between -1/4 and 1/4: the two parts of a pair. */
static inline void exponential_plus_cosine(double x, double y, double *high, double *low)
{
    struct fixed sum = fixed_cosine(y);
    if (x < 300) /* or it is 1 but for what is below the last place, and 1 is 0 here */
        sum = fixed_subtract(sum, fixed_exponential(x));
    const bool is_negative = sum.word[ANGLE_WORDS - 1] >> 63 != 0;
    if (is_negative)
        sum = fixed_negate(sum);
    struct right_angles leading;
    memcpy(leading.fraction, sum.word, sizeof leading.fraction);
    leading_fraction(&leading, high, low);
    *high = is_negative ? -*high : *high;
    *low = is_negative ? -*low : *low;
}

#endif
