/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The generator and the two distributions, once for each level: loops over blocks side by side, without
 * branches and without functions of the system, whose bits would not be everywhere the same.
 */
#include "ops/random/draw.h"

#include "ops/transfer.h"

#ifdef KERNEL_PASS

#include "simd/loops/convert.h"

struct words {
    uint32_t word[4][DRAW_BLOCKS];
};

/* One round: both products of 64 bits, each half to its place. */
static void philox_round(struct words *at, uint32_t key_0, uint32_t key_1)
{
    for (int b = 0; b < DRAW_BLOCKS; b++) {
        uint64_t first = (uint64_t)at->word[0][b] * 0xd2511f53;
        uint64_t second = (uint64_t)at->word[2][b] * 0xcd9e8d57;
        at->word[0][b] = (uint32_t)(second >> 32) ^ at->word[1][b] ^ key_0;
        at->word[1][b] = (uint32_t)second;
        at->word[2][b] = (uint32_t)(first >> 32) ^ at->word[3][b] ^ key_1;
        at->word[3][b] = (uint32_t)first;
    }
}

static void philox(const struct draw *draw, uint64_t block, struct words *at)
{
    for (int b = 0; b < DRAW_BLOCKS; b++) {
        at->word[0][b] = (uint32_t)(block + (uint64_t)b);
        at->word[1][b] = (uint32_t)((block + (uint64_t)b) >> 32);
        at->word[2][b] = (uint32_t)draw->offset;
        at->word[3][b] = (uint32_t)(draw->offset >> 32);
    }
    uint32_t key_0 = (uint32_t)draw->seed, key_1 = (uint32_t)(draw->seed >> 32);
    for (int round = 0; round < 10; round++) {
        philox_round(at, key_0, key_1);
        key_0 += 0x9e3779b9;
        key_1 += 0xbb67ae85;
    }
}

/* Exact, by the bits of 2^52 + word: every level can do that in vectors. */
static inline double double_of_word(uint32_t word)
{
    return fp64_from(UINT64_C(0x4330000000000000) | word) - 0x1p52;
}

/* The upper 53 bits of 64, as a whole number. */
static inline double double_of_words(uint32_t low, uint32_t high)
{
    return double_of_word(high >> 11) * 0x1p32 + double_of_word(high << 21 | low >> 11);
}

/*
 * ln u for 2^-53 <= u <= 1. u = 2^k m with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh s of
 * s = (m - 1) / (m + 1), |s| <= 0.172: the series ends below 2^-57 of its sum. Where k is 0 nothing is added
 * to it, so that the error stays relative to the logarithm next to 1 too.
 */
static inline double logarithm(double u)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd); /* sqrt(1/2) */
    uint64_t k = (any_fp64_bits(u) - root + (UINT64_C(1024) << 52)) >> 52;
    double exponent = fp64_from(UINT64_C(0x4330000000000000) | k) - (0x1p52 + 1024);
    double m = fp64_from(any_fp64_bits(u) - ((k - 1024) << 52));
    double s = (m - 1) / (m + 1), z = s * s;
    double series = 2.0 / 23;
    series = series * z + 2.0 / 21;
    series = series * z + 2.0 / 19;
    series = series * z + 2.0 / 17;
    series = series * z + 2.0 / 15;
    series = series * z + 2.0 / 13;
    series = series * z + 2.0 / 11;
    series = series * z + 2.0 / 9;
    series = series * z + 2.0 / 7;
    series = series * z + 2.0 / 5;
    series = series * z + 2.0 / 3;
    /* ln 2 in two parts, of which the first has bits to spare for k */
    return exponent * 0x1.62e42fefa38p-1 + (exponent * 0x1.ef35793c7673p-45 + (2 * s + s * z * series));
}

/*
 * cos 2 pi u and sin 2 pi u for 0 <= u < 1. 4 u = q + r exactly, q whole and |r| <= 1/2; Taylor's series of
 * r pi / 2, whose next terms are below 2^-60; q turns it by quarters.
 */
static inline void turn(double u, double *cosine, double *sine)
{
    double shifted = u * 4 + 0x1.8p52; /* rounds to a whole number, which the low bits show */
    double a = (u * 4 - (shifted - 0x1.8p52)) * 0x1.921fb54442d18p0, z = a * a;
    double s = 1 / 355687428096000.0;
    s = s * z - 1 / 1307674368000.0;
    s = s * z + 1 / 6227020800.0;
    s = s * z - 1 / 39916800.0;
    s = s * z + 1 / 362880.0;
    s = s * z - 1 / 5040.0;
    s = s * z + 1 / 120.0;
    s = s * z - 1 / 6.0;
    double c = -1 / 6402373705728000.0;
    c = c * z + 1 / 20922789888000.0;
    c = c * z - 1 / 87178291200.0;
    c = c * z + 1 / 479001600.0;
    c = c * z - 1 / 3628800.0;
    c = c * z + 1 / 40320.0;
    c = c * z - 1 / 720.0;
    c = c * z + 1 / 24.0;
    uint64_t sine_bits = any_fp64_bits(a + a * z * s), cosine_bits = any_fp64_bits(1 - (z / 2 - z * z * c));
    uint64_t quarter = any_fp64_bits(shifted), is_odd = 0 - (quarter & 1);
    uint64_t swap = (sine_bits ^ cosine_bits) & is_odd;
    *cosine = fp64_from((cosine_bits ^ swap) ^ ((quarter + 1) & 2) << 62);
    *sine = fp64_from((sine_bits ^ swap) ^ (quarter & 2) << 62);
}

static inline void box_muller(double u_1, double u_2, double *first, double *second)
{
    double radius = __builtin_sqrt(-2 * logarithm(u_1)), cosine, sine;
    turn(u_2, &cosine, &sine);
    *first = radius * cosine;
    *second = radius * sine;
}

/* What is drawn for word j of each block, or for the pair of words from 2 j on. */
static void draw_normal(const struct words *at, bool is_long, double drawn[4][DRAW_BLOCKS])
{
    if (is_long) {
        for (int b = 0; b < DRAW_BLOCKS; b++)
            box_muller((double_of_words(at->word[0][b], at->word[1][b]) + 1) * 0x1p-53,
                       double_of_words(at->word[2][b], at->word[3][b]) * 0x1p-53, &drawn[0][b], &drawn[1][b]);
        return;
    }
    for (int j = 0; j < 4; j += 2)
        for (int b = 0; b < DRAW_BLOCKS; b++)
            box_muller((double_of_word(at->word[j][b]) + 1) * 0x1p-32,
                       double_of_word(at->word[j + 1][b]) * 0x1p-32, &drawn[j][b], &drawn[j + 1][b]);
}

static void draw_uniform(const struct words *at, bool is_long, double drawn[4][DRAW_BLOCKS])
{
    for (int j = 0; j < (is_long ? 2 : 4); j++)
        for (int b = 0; b < DRAW_BLOCKS; b++)
            drawn[j][b] = is_long ? double_of_words(at->word[2 * j][b], at->word[2 * j + 1][b]) * 0x1p-53
                                  : double_of_word(at->word[j][b] >> 8) * 0x1p-24;
}

static void draw_logarithms(const struct words *at, double drawn[4][DRAW_BLOCKS])
{
    for (int j = 0; j < 4; j++)
        for (int b = 0; b < DRAW_BLOCKS; b++)
            drawn[j][b] = 0 - logarithm((double_of_word(at->word[j][b] >> 8) + 0.5) * 0x1p-24);
}

void AT_LEVEL(draw)(const struct draw *draw, uint64_t block, double *value)
{
    struct words at;
    double drawn[4][DRAW_BLOCKS];
    const int in_block = draw->is_long ? 2 : 4;
    philox(draw, block, &at);
    if (draw->is_normal)
        draw_normal(&at, draw->is_long, drawn);
    else if (draw->is_exponential)
        draw_logarithms(&at, drawn);
    else
        draw_uniform(&at, draw->is_long, drawn);
    for (int b = 0; b < DRAW_BLOCKS; b++)
        for (int j = 0; j < in_block; j++) {
            double element = draw->base + draw->scale * drawn[j][b];
            value[b * in_block + j] = element > draw->limit ? draw->limit : element;
        }
}

void AT_LEVEL(draw_words)(const struct draw *draw, uint64_t block, uint32_t *word)
{
    struct words at;
    philox(draw, block, &at);
    for (int b = 0; b < DRAW_BLOCKS; b++)
        for (int j = 0; j < 4; j++)
            word[b * 4 + j] = at.word[j][b];
}

void AT_LEVEL(draw_exponential)(const struct draw *draw, uint64_t block, double *value)
{
    struct words at;
    philox(draw, block, &at);
    for (int j = 0; j < 2; j++)
        for (int b = 0; b < DRAW_BLOCKS; b++)
            value[b * 2 + j] =
                0 - logarithm((double_of_words(at.word[2 * j][b], at.word[2 * j + 1][b]) + 1) * 0x1p-53);
}

#endif
