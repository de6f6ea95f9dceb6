/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an operator tells the loop of elementwise kernels, simd/loops/map.h: the two ways in which it
 * computes, and what settles the lanes that both leave in doubt.
 */
#ifndef BELAY_SIMD_LOOPS_EVALUATION_H
#define BELAY_SIMD_LOOPS_EVALUATION_H

#include "simd/maths/unsettled.h"
#include "simd/vector/vector.h"

/* The functions of an evaluation have one signature each, and not every formula needs all of it. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/*
 * How one operator computes. fast and lanes16 are asked in two ways, unsettled->path, a constant: for a whole
 * block the quick one, that only has to be sure of ordinary numbers, and where that had any doubt the one for
 * any number, which names the lanes that it cannot settle. Where both are sure they give the same bits.
 */
struct evaluation {
    int inputs; /* where there is one the functions see it as the second one, too */
    /* LANES elements of each input as doubles give the result with a relative error of at most
     * ESTIMATE_ERROR; exactly 0, infinite or NaN where the result is. Where settle is NULL the estimate must
     * round to every dtype as the exact result does. */
    doubles (*estimate)(const doubles *input, const void *prepared);
    /* A double that rounds to every narrower dtype as the exact result does. Only lanes with a finite
     * estimate other than 0 are used. */
    doubles (*settle)(const doubles *input, doubles estimate, const void *prepared);
    /* In registers of fp32, for every dtype but fp64; NULL: there is no such way. Inlined. */
    vector (*fast)(const vector *input, const void *prepared, struct unsettled *unsettled);
    /* NULL, or the quick way of 16 bits for PAIR_LANES elements, from where each input has them in memory;
     * without fast the other way, too, which then leaves no doubt. Inlined. */
    lanes16 (*lanes16)(const char *const *source, const void *prepared, struct unsettled *unsettled);
    /* Results are not rounded once, so that every level has to take fast, and doubles only for lanes that
     * fast leaves in doubt on all of them. */
    bool fast_decides;
    /* NULL, or what the functions get as prepared, a constant: of operators that share them. */
    const void *constant;
    /* How many pairs a block has; 0: as many as light work can use. Fewer leave registers for the steps of
     * heavy work. */
    int pairs;
};

/* Its functions: `static VECTOR_WAY fast_fp32(WAY) {...}`, `static doubles estimate(ESTIMATE)`. */
#define WAY        const vector *input, const void *prepared, struct unsettled *unsettled
#define WAY_16     const char *const *source, const void *prepared, struct unsettled *unsettled
#define VECTOR_WAY inline __attribute__((always_inline)) vector
#define LANES_WAY  inline __attribute__((always_inline)) lanes16

#endif
