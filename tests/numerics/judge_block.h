/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The part of the judge that sees every result; compiled for several instruction sets, which all decide
 * alike.
 */
#ifndef BELAY_TESTS_NUMERICS_JUDGE_BLOCK_H
#define BELAY_TESTS_NUMERICS_JUDGE_BLOCK_H

#include "numerics/judge.h"

enum { JUDGE_CHUNK = 512 };

struct decisions {
    double value[JUDGE_CHUNK];    /* near the exact result; NaN where that is NaN */
    uint64_t unsure[JUDGE_CHUNK]; /* not 0: left to integers */
    double greatest_error;        /* fp32: of the decided ones, and where */
    size_t place;
};

judge_block_function judge_block_baseline, judge_block_avx2, judge_block_avx512;

#endif
