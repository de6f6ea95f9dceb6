/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sine and cosine of doubles of any size as pairs, with some 2^-98 of relative error: an angle is taken
 * apart into right angles and a rest of half of one at most, in integers where it is large.
 */
#ifndef BELAY_SIMD_TRIGONOMETRY_H
#define BELAY_SIMD_TRIGONOMETRY_H

#include "simd/exact.h"

/* 2 / pi, the bits after the point; the largest double needs 1024 + 320 of them. */
static const uint64_t two_by_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
    0xa9e391615ee61b08, 0x6599855f14a06840, 0x8dffd8804d732731, 0x06061556ca73a8c9};

enum { ANGLE_WORDS = 6 };

/* The fraction of x * 2 / pi, as an integer of ANGLE_WORDS words with its low word first, and the whole
 * mod 4. */
struct right_angles {
    uint64_t fraction[ANGLE_WORDS];
    unsigned whole;
};

/* 64 bits of 2 / pi from this bit on. */
static inline uint64_t two_by_pi_bits(unsigned first)
{
    const unsigned word = first / 64, shift = first % 64;
    return shift == 0 ? two_by_pi[word] : two_by_pi[word] << shift | two_by_pi[word + 1] >> (64 - shift);
}

/*
 * For a finite x >= 1/2. Of x = m 2^s with an integer m, all bits of 2 / pi that m 2^s makes multiples of 4
 * are left out, and so is what lies 320 bits behind: less than 2^-264 of a right angle.
 */
static inline struct right_angles count_right_angles(double x)
{
    __extension__ typedef unsigned __int128 wide_integer;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int s = (int)(bits >> 52) - 1075, left_out = s > 2 ? s - 2 : 0;
    const unsigned point =
        (unsigned)(320 - (s - left_out)); /* bits of the product behind the point: 318..374 */
    uint64_t product[ANGLE_WORDS];
    wide_integer carry = 0;
    for (unsigned i = 0; i < 5; i++) {
        carry += (wide_integer)m * two_by_pi_bits((unsigned)left_out + 64 * (4 - i));
        product[i] = (uint64_t)carry;
        carry >>= 64;
    }
    product[5] = (uint64_t)carry;
    struct right_angles result = {.whole = 0};
    /* Shifted until the point is before the highest bit. */
    const unsigned shift = 64 * ANGLE_WORDS - point, words = shift / 64, rest = shift % 64; /* 10..66 */
    for (unsigned i = ANGLE_WORDS; i-- > words;) {
        uint64_t lower = rest != 0 && i > words ? product[i - words - 1] >> (64 - rest) : 0;
        result.fraction[i] = product[i - words] << rest | lower;
    }
    const uint64_t above[] = {product[point / 64],
                              point / 64 + 1 < ANGLE_WORDS ? product[point / 64 + 1] : 0};
    uint64_t whole = above[0] >> (point % 64);
    if (point % 64 != 0)
        whole |= above[1] << (64 - point % 64);
    result.whole = (unsigned)(whole & 3);
    return result;
}

/* Takes the fraction to the nearest whole; whether it was taken up, so that what is left is negative. */
static inline bool round_right_angles(struct right_angles *angle)
{
    if (angle->fraction[ANGLE_WORDS - 1] >> 63 == 0)
        return false;
    uint64_t carry = 1;
    for (int i = 0; i < ANGLE_WORDS; i++) {
        angle->fraction[i] = ~angle->fraction[i] + carry;
        carry = carry && angle->fraction[i] == 0;
    }
    angle->whole = (angle->whole + 1) & 3;
    return true;
}

/* The leading bits of the fraction as two doubles of 53 bits. */
static inline void leading_fraction(const struct right_angles *angle, double *high, double *low)
{
    int top = ANGLE_WORDS - 1;
    while (top > 1 && angle->fraction[top] == 0)
        top--;
    const int zeros = angle->fraction[top] ? __builtin_clzll(angle->fraction[top]) : 63;
    uint64_t word[2];
    for (int i = 0; i < 2; i++) {
        uint64_t upper = top - i >= 0 ? angle->fraction[top - i] : 0;
        uint64_t lower = top - i >= 1 ? angle->fraction[top - i - 1] : 0;
        word[i] = zeros == 0 ? upper : upper << zeros | lower >> (64 - zeros);
    }
    /* 53 bits, and 53 of the 75 that are left. */
    const int exponent = 64 * (top - ANGLE_WORDS) + 64 - zeros; /* of the bit above the leading one */
    const uint64_t second = word[0] << 53 | word[1] >> 11;
    const uint64_t scale = (uint64_t)(1023 + exponent - 53) << 52;
    double unit;
    memcpy(&unit, &scale, sizeof unit);
    *high = (double)(word[0] >> 11) * unit;
    *low = (double)(second >> 11) * (unit * 0x1p-53);
}

/* An angle as right angles, of which an odd number turns sine and cosine around, and a rest. */
struct angle {
    struct pair rest;
    longs whole;
};

static const double right_angle[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/* For finite angles of 0 or more. */
static inline struct angle angle_of(doubles x)
{
    struct angle angle = {.rest = {x, broadcast(0)}};
    longs is_large = x > right_angle[0] / 2;
    if (!any(is_large))
        return angle;
    struct pair fraction = {broadcast(0), broadcast(0)};
    for (int i = 0; i < LANES; i++) {
        if (!is_large[i])
            continue;
        struct right_angles count = count_right_angles(x[i]);
        bool is_negative = round_right_angles(&count);
        double high, low;
        leading_fraction(&count, &high, &low);
        fraction.high[i] = is_negative ? -high : high;
        fraction.low[i] = is_negative ? -low : low;
        angle.whole[i] = (int64_t)count.whole;
    }
    fraction = renormalize(fraction.high, fraction.low);
    struct pair rest = pair_multiply(fraction, pair_of(right_angle[0], right_angle[1]));
    angle.rest.high = choose(is_large, rest.high, x);
    angle.rest.low = choose(is_large, rest.low, broadcast(0));
    return angle;
}

/* Alternating: -1 / 27!, 1 / 25!, ... -1 / 3!, and 1 / 28!, -1 / 26!, ... -1 / 2!: what is left out is below
 * 2^-107. */
static const double sine_coefficient[][2] = {
    {-0x1.d1ab1c2dccea3p-94, -0x1.054d0c78aea14p-149}, {0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
    {-0x1.761b41316381ap-75, 0x1.3423c7d91404fp-130},  {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
    {-0x1.2f49b46814157p-57, -0x1.2650f61dbdcb4p-112}, {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
    {-0x1.ae7f3e733b81fp-41, -0x1.1d8656b0ee8cbp-97},  {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {-0x1.ae64567f544e4p-26, 0x1.c062e06d1f209p-80},   {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
    {-0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73},  {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {-0x1.5555555555555p-3, -0x1.5555555555555p-57},
};
static const double cosine_coefficient[][2] = {
    {0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},  {-0x1.88e85fc6a4e5ap-89, 0x1.71c37ebd1654p-143},
    {0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135}, {-0x1.0ce396db7f853p-70, 0x1.aebcdbd20331cp-124},
    {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},  {-0x1.6827863b97d97p-53, -0x1.eec01221a8b0bp-107},
    {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},  {-0x1.93974a8c07c9dp-37, -0x1.05d6f8a2efd1fp-92},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},  {-0x1.27e4fb7789f5cp-22, -0x1.cbbc05b4fa99ap-76},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},   {-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},    {-0x1p-1, 0},
};

static inline struct pair pair_polynomial(struct pair x, const double (*coefficient)[2], int count)
{
    struct pair sum = pair_of(coefficient[0][0], coefficient[0][1]);
    for (int i = 1; i < count; i++)
        sum = pair_add(pair_multiply(sum, x), pair_of(coefficient[i][0], coefficient[i][1]));
    return sum;
}

/* Of a rest of half a right angle at most. */
static inline struct pair pair_sine(struct pair rest)
{
    const int count = (int)(sizeof sine_coefficient / sizeof *sine_coefficient);
    struct pair square = pair_multiply(rest, rest);
    struct pair cubic =
        pair_multiply(pair_multiply(square, rest), pair_polynomial(square, sine_coefficient, count));
    return pair_add(rest, cubic);
}

static inline struct pair pair_cosine(struct pair rest)
{
    const int count = (int)(sizeof cosine_coefficient / sizeof *cosine_coefficient);
    struct pair square = pair_multiply(rest, rest);
    return pair_add(pair_of(1, 0), pair_multiply(square, pair_polynomial(square, cosine_coefficient, count)));
}

#endif
