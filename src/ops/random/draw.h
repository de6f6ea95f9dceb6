/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Random numbers by their index: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy
 * as 1, 2, 3; 2011) with key = seed and counter = (block, offset), so that any of them can be had without the
 * others, on any thread.
 *
 * Element i has 32 bits, word i mod 4 of block i / 4, or 64: words 2 (i mod 2), the low half, and the next
 * one of block i / 2.
 */
#ifndef BELAY_OPS_RANDOM_DRAW_H
#define BELAY_OPS_RANDOM_DRAW_H

#include <stdbool.h>
#include <stdint.h>

/* Blocks are drawn so many at a time: a number that vectors of every level divide. */
enum { DRAW_BLOCKS = 16, DRAW_ELEMENTS_MAX = 4 * DRAW_BLOCKS };

struct draw {
    uint64_t seed, offset;
    double base, scale; /* an element is base + scale * drawn, but no more than limit */
    double limit;
    bool is_normal;      /* drawn from the standard normal distribution, else from [0, 1) */
    bool is_exponential; /* -ln of the middle of the number in [0, 1) and the next one; of 32 bits alone */
    bool is_long;        /* 64 bits for an element */
};

/* The bits of the number of a float dtype below the one with these bits, which is no NaN. */
static inline uint64_t float_below(uint64_t raw, uint32_t bytes)
{
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return raw == 0 ? sign + 1 : (raw & sign) != 0 ? raw + 1 : raw - 1;
}

static inline uint32_t draw_elements(const struct draw *draw)
{
    return draw->is_long ? DRAW_ELEMENTS_MAX / 2 : DRAW_ELEMENTS_MAX;
}

/*
 * The elements of DRAW_BLOCKS blocks from this one on: draw_elements of them. Same bits on every level.
 *
 * Normal ones are those of Box and Muller: R cos 2 pi u2 and R sin 2 pi u2 with R = sqrt(-2 ln u1), from two
 * words a and b: u1 = (a + 1) 2^-32, u2 = b 2^-32; of 64 bits, u1 = ((a >> 11) + 1) 2^-53 and
 * u2 = (b >> 11) 2^-53. Their relative error is below 2^-49.
 */
typedef void draw_function(const struct draw *draw, uint64_t block, double *value);
draw_function draw_baseline, draw_avx2, draw_avx512;

/* The words of these blocks themselves, in their order: DRAW_ELEMENTS_MAX. */
typedef void draw_words_function(const struct draw *draw, uint64_t block, uint32_t *word);
draw_words_function draw_words_baseline, draw_words_avx2, draw_words_avx512;

/* -ln u of each 64 bits x of these blocks, u = ((x >> 11) + 1) 2^-53: half as many. */
draw_function draw_exponential_baseline, draw_exponential_avx2, draw_exponential_avx512;

#endif
