/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Random bits and what is drawn by them, one block at a time.
 */
#ifndef BELAY_TESTS_OPS_RANDOM_REFERENCE_H
#define BELAY_TESTS_OPS_RANDOM_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void philox(uint64_t seed, uint64_t offset, uint64_t block, uint32_t word[4])
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)offset, (uint32_t)(offset >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t first = UINT64_C(0xd2511f53) * c[0], second = UINT64_C(0xcd9e8d57) * c[2];
        uint32_t next[4] = {(uint32_t)(second >> 32) ^ c[1] ^ key[0], (uint32_t)second,
                            (uint32_t)(first >> 32) ^ c[3] ^ key[1], (uint32_t)first};
        memcpy(c, next, sizeof c);
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    memcpy(word, c, sizeof c);
}

static inline uint32_t word_of(uint64_t seed, uint64_t offset, uint64_t i)
{
    uint32_t word[4];
    philox(seed, offset, i / 4, word);
    return word[i % 4];
}

static inline uint64_t long_of(uint64_t seed, uint64_t offset, uint64_t i)
{
    uint32_t word[4];
    philox(seed, offset, i / 2, word);
    return word[i % 2 * 2] | (uint64_t)word[i % 2 * 2 + 1] << 32;
}

static inline double uniform_of(bool is_long, uint64_t seed, uint64_t offset, uint64_t i)
{
    return is_long ? (double)(long_of(seed, offset, i) >> 11) * 0x1p-53
                   : (double)(word_of(seed, offset, i) >> 8) * 0x1p-24;
}

static inline long double normal_of(bool is_long, uint64_t seed, uint64_t offset, uint64_t i)
{
    uint64_t even = i & ~UINT64_C(1);
    long double u_1, u_2;
    if (is_long) {
        u_1 = (long double)((long_of(seed, offset, even) >> 11) + 1) * 0x1p-53L;
        u_2 = (long double)(long_of(seed, offset, even + 1) >> 11) * 0x1p-53L;
    } else {
        u_1 = ((long double)word_of(seed, offset, even) + 1) * 0x1p-32L;
        u_2 = (long double)word_of(seed, offset, even + 1) * 0x1p-32L;
    }
    /* The angle less whole quarters, exactly: a zero of the cosine keeps its digits. */
    int quarter = (int)rintl(4 * u_2);
    long double a = (4 * u_2 - quarter) * 1.57079632679489661923132169163975144L;
    long double cosine[] = {cosl(a), -sinl(a), -cosl(a), sinl(a)};
    int turned = (int)(i & 1) == 0 ? quarter % 4 : (quarter + 3) % 4; /* sin x = cos (x - pi / 2) */
    return sqrtl(-2 * logl(u_1)) * cosine[turned];
}

#endif
