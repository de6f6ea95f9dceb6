/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The part of the judge that sees every result in fp64; compiled for several instruction sets, which all
 * decide alike.
 */
#ifndef BELAY_TESTS_NUMERICS_JUDGE_PAIRS_H
#define BELAY_TESTS_NUMERICS_JUDGE_PAIRS_H

#include "numerics/judge_block.h"

/* high + low, of which high is the nearest double, or a neighbour of it. */
struct pair {
    double high, low;
};

/* The exact results to 2^-90 of each, where both parts are numbers; a single input is both g and x. */
typedef void pairs_function(const struct task *task, const double *g, const double *x, size_t count,
                            struct pair *value);

pairs_function pairs_baseline, pairs_avx2, pairs_avx512;
judge_block_function judge_pairs_baseline, judge_pairs_avx2, judge_pairs_avx512;

#endif
