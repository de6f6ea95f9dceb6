/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Digests of results that have been judged: whoever gives the same bits gives results that were found right.
 *
 * The digest of a sweep is the XXH3 128-bit hash of the row of its blocks' digests, each of which is that of
 * the block's results as they lie in memory. Digests are written and hashed with the highest byte first.
 */
#ifndef BELAY_TESTS_NUMERICS_PROVED_H
#define BELAY_TESTS_NUMERICS_PROVED_H

#include "numerics/proof.h"

/* What of the proof is asked for. */
struct options {
    int stem, dtype, accuracy, level, kind; /* -1: all */
    uint64_t stride, tuples, variants;
    int threads;
    bool is_quiet;
    const char *digests;   /* the file of digests to compare with; NULL: results are judged */
    bool is_sample;        /* compare the samples alone, some blocks of each sweep */
    bool is_mixed;         /* with elements of other kinds between those of each block */
    const char *blocks_to; /* the folder for a list of each sweep's block digests; NULL: none is written */
};

/* The first 32 bits of what names the operator's kernels. */
typedef uint32_t name_kernels(enum reference_operator stem);

/*
 * Computes the results of all chosen sweeps that the file knows, with all chosen kernels, and prints a line
 * for each. Of a difference it tells the first block, and the first wrong result that the judge finds there.
 * Whether all are the same.
 */
bool compare_digests(const struct options *options, name_kernels *name);

/* Prints the file's lines of the jobs whose results have all been judged, and were as promised. */
bool print_digests(const struct proof *proof, const struct options *options);

#endif
