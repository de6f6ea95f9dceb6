/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Judges results by the billion. A double close to the exact value decides all but those results that have an
 * end of their rounding interval closer than that (judge_block.c); in fp64 a pair of doubles does
 * (judge_pairs.c). Those are compared in 128-bit integers, and what does not fit them, or is fp64, goes to
 * the integer reference.
 */
#ifndef BELAY_TESTS_NUMERICS_JUDGE_H
#define BELAY_TESTS_NUMERICS_JUDGE_H

#include <stddef.h>

#include "numerics/reference.h"

/* What has been tried, and the result that was furthest off. */
struct verdict {
    uint64_t tried, wrong; /* wrong: not the exact value rounded once */
    uint64_t misfits;      /* of those: another sign, or only one of the two is infinite or NaN */
    uint64_t exact;        /* how many the doubles left undecided */
    /* In units of the last place of the exact value: of all results in fp32, of the wrong ones in other
     * dtypes. */
    double greatest_error;
    struct task task;
    uint64_t input[INPUTS_MAX], got; /* of that one; all 0 while there is none */
};

__extension__ typedef unsigned __int128 wide_integer;

/* (significand + a part of 1, if sticky) * 2^exponent */
struct scaled {
    wide_integer significand;
    int exponent;
    bool sticky;
};

struct judge;
struct decisions;
struct family_judge;

/* Decides about at most JUDGE_CHUNK results. */
typedef void judge_block_function(const struct judge *judge, const void *const *input, const void *output,
                                  size_t count, struct decisions *decisions);

struct judge {
    struct task task;
    judge_block_function *block;
    /* The gradients of silu and hardswish in 16 bits: s(x) of every x, as a double, and s(x) or 6 s(x) as an
     * integer of at most 90 bits. */
    double *factor;
    struct scaled *exact_factor;
    const struct family_judge *family; /* NULL for the first family */
};

void judge_init(struct judge *judge, const struct task *task);
void judge_release(struct judge *judge);

/* Adds count results to the verdict. input[i] and output are arrays of the dtype's bits. */
void judge_results(const struct judge *judge, const void *const *input, const void *output, size_t count,
                   struct verdict *verdict);

/* Adds the second to the first. */
void verdict_add(struct verdict *sum, const struct verdict *part);

#endif
