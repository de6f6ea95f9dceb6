/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The part of the judge that sees every result; compiled for several instruction sets, which all decide
 * alike.
 */
#ifndef BELAY_TESTS_NUMERICS_JUDGE_BLOCK_H
#define BELAY_TESTS_NUMERICS_JUDGE_BLOCK_H

#include <string.h>

#include "numerics/judge.h"

enum { JUDGE_CHUNK = 512 };

struct decisions {
    double value[JUDGE_CHUNK];    /* near the exact result; NaN where that is NaN */
    uint64_t unsure[JUDGE_CHUNK]; /* not 0: left to integers */
    double greatest_error;        /* fp32: of the decided ones, and where */
    size_t place;
};

/* A double's bits. */

static inline double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

judge_block_function judge_block_baseline, judge_block_avx2, judge_block_avx512;

#endif
