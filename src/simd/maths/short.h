/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of simd/maths for formulas whose results are FLOAT or 16 bits: in doubles, too, but with
 * relative errors of some 2^-36, which no pairs are needed for. scripts/maths_polynomials.sollya prints the
 * polynomials.
 */
#ifndef BELAY_SIMD_MATHS_SHORT_H
#define BELAY_SIMD_MATHS_SHORT_H

#include "simd/maths/series.h"

/* e^r - 1 for |r| <= ln 2 / 2: r E(r), 2^-37.4. */
static inline doubles short_power_rest(doubles r)
{
    static const double coefficient[] = {0x1.fffffffff63c7p-1,  0x1.000000001a951p-1, 0x1.5555557e33c21p-3,
                                         0x1.555554f2d17a2p-5,  0x1.1110a66f6b2bep-7, 0x1.6c175b4eceea9p-10,
                                         0x1.a17d92d79a0b6p-13, 0x1.a019ed4698509p-16};
    return r * POLYNOMIAL(r, coefficient);
}

/* e^x = 2^k (1 + rest): far below what FLOAT has for the least k, infinite for the greatest. */
struct short_power {
    doubles rest, power;
};

/* k = x / ln 2 to nearest. ln 2 is one double here: k times what it lacks is below 2^-45. */
static inline struct short_power short_power(doubles x)
{
    doubles limited = at_least(at_most(x, 709.5), -708), k = nearest_whole(limited * 0x1.71547652b82fep0);
    return (struct short_power){short_power_rest(limited - k * 0x1.62e42fefa39efp-1), whole_power(k)};
}

/* 0 for -infinity alone. */
static inline doubles short_exp(doubles x)
{
    struct short_power e = short_power(x);
    return choose(x == -(double)INFINITY, broadcast(0), e.power * (1 + e.rest));
}

/* e^x - 1 = (2^k - 1) + 2^k rest: where k is 0 it is the rest alone, of which all bits count. */
static inline doubles short_expm1(doubles x)
{
    struct short_power e = short_power(x);
    doubles value = (e.power - 1) + e.power * e.rest;
    return choose(x == 0, x, choose(x > 709, broadcast((double)INFINITY), value));
}

/* ln (1 + t) for t from 0 to 1: t L(t), 2^-35.6. */
static inline doubles short_log1p(doubles t)
{
    static const double coefficient[] = {0x1.ffffffffd6965p-1,  -0x1.ffffff8f9babp-2,  0x1.55553be6aa2b4p-2,
                                         -0x1.fffb70d124f0fp-3, 0x1.9962a67840efap-3,  -0x1.53c5495b8c0f6p-3,
                                         0x1.1d1c9ca5b333fp-3,  -0x1.cebd122a9b048p-4, 0x1.52241dad2d77cp-4,
                                         -0x1.95db75b53841ep-5, 0x1.6702fc2b50018p-6,  -0x1.93f2e084a4d46p-8,
                                         0x1.aa4d4b06ce1e8p-11};
    return t * POLYNOMIAL(t, coefficient);
}

/* table[index] of a table of 16; only the low four bits of index count. */
static inline doubles short_lookup(const double *table, ulongs index)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_permutex2var_pd(_mm512_load_pd(table), (__m512i)index, _mm512_load_pd(table + 8));
#elif defined(__AVX2__)
    return (doubles)_mm256_i64gather_pd(table, (__m256i)(index & 15), 8);
#else
    doubles value;
    for (int i = 0; i < LANES; i++)
        value[i] = table[index[i] & 15];
    return value;
#endif
}

/* log2 x of a positive x = 2^k m that FLOAT has: with c near 1 / m of 10 bits and r = c m - 1, which is
 * exact, k - log2 c + r L(r), 2^-40 of the whole. c is 1 and 1/2 at the ends, where x is near 1. */
static inline doubles short_log2(doubles x)
{
    static const double inverse[16] __attribute__((aligned(64))) = {
        0x1p0,      0x1.d4p-1,  0x1.bbp-1, 0x1.a4p-1, 0x1.8f8p-1, 0x1.7dp-1,  0x1.6cp-1,  0x1.5c8p-1,
        0x1.4e8p-1, 0x1.418p-1, 0x1.35p-1, 0x1.2ap-1, 0x1.1f8p-1, 0x1.158p-1, 0x1.0c8p-1, 0x1p-1};
    static const double logarithm[16] __attribute__((aligned(64))) = {0,
                                                                      0x1.097e38ce60649p-3,
                                                                      0x1.abb2ca9ec7472p-3,
                                                                      0x1.249cd2b13cd6cp-2,
                                                                      0x1.6e8a004221b1fp-2,
                                                                      0x1.b495d4e9185f7p-2,
                                                                      0x1.f804ae8d0cd02p-2,
                                                                      0x1.1c27039d8572ep-1,
                                                                      0x1.3a703e50fa4dfp-1,
                                                                      0x1.57b7eb8038fafp-1,
                                                                      0x1.7502cc4a27b8p-1,
                                                                      0x1.8fc924c89ac84p-1,
                                                                      0x1.aa482b35ca9cfp-1,
                                                                      0x1.c46e9076cbc45p-1,
                                                                      0x1.dcc917f2c141fp-1,
                                                                      0x1p0};
    static const double coefficient[] = {0x1.71547652b92b8p0,   -0x1.715476517eb3p-1, 0x1.ec709cf79ac59p-2,
                                         -0x1.715496e8d355cp-2, 0x1.277e14f3a4dadp-2, -0x1.ec12eeaf2bc1ap-3,
                                         0x1.811d9ae4d9007p-3};
    const ulongs bits = (ulongs)x, index = bits >> 48;
    doubles k = (doubles)(bits >> 52 | 0x4330000000000000) - (0x1p52 + 1023);
    doubles m = (doubles)((bits & 0xfffffffffffff) | 0x3ff0000000000000);
    doubles r = m * short_lookup(inverse, index) - 1;
    return (k + short_lookup(logarithm, index)) + r * POLYNOMIAL(r, coefficient);
}

/* 2^x, 2^-39; beyond 1000 it is infinite or 0 in FLOAT. NaN stays. */
static inline doubles short_exp2(doubles x)
{
    static const double coefficient[] = {0x1.62e42fef9cdf7p-1,  0x1.ebfbdff85f49p-3,   0x1.c6b08da69c963p-5,
                                         0x1.3b2ab6a0e1178p-7,  0x1.5d87762dfc151p-10, 0x1.43099b4e81f0bp-13,
                                         0x1.00c080f767a88p-16, 0x1.62c0108a96288p-20};
    doubles limited = at_least(at_most(x, 1000), -1000), k = nearest_whole(limited), r = limited - k;
    return whole_power(k) * (1 + r * POLYNOMIAL(r, coefficient));
}

#endif
