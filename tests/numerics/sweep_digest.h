/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Digests of what kernels make of sweeps.
 */
#ifndef BELAY_TESTS_NUMERICS_SWEEP_DIGEST_H
#define BELAY_TESTS_NUMERICS_SWEEP_DIGEST_H

#include <stddef.h>

#include <xxhash.h>

#include "numerics/sweep.h"
#include "base/processor.h"

enum { DIGEST_DIGITS = 32, RUNS_MAX = ACCURACY_COUNT * ISA_KERNEL_LEVELS };

/* One kernel over a sweep. */
struct run {
    kernel_function *function;
    XXH128_canonical_t *blocks; /* of those that are tried, in order */
    char digest[DIGEST_DIGITS + 1];
};

/* A sweep and its kernels, each once, and whose they are. */
struct runs {
    struct sweep sweep;
    struct run run[RUNS_MAX];
    int count;
    int of[ACCURACY_COUNT][ISA_KERNEL_LEVELS]; /* -1: not chosen, or there is none */
};

/* The kernels of a sweep; -1: those of every accuracy, or of every level. */
void choose_runs(struct runs *runs, const struct sweep *sweep, int accuracy, int level);

/* Runs them over sweeps that have the same inputs, and finds the digests. */
void do_runs(struct runs *const *runs, int count, int threads);
void release_runs(struct runs *runs);

/* How many blocks of the sweep are tried. */
uint64_t blocks_tried(const struct sweep *sweep);

/* DIGEST_DIGITS and an end: of one block, and of a row of blocks. */
void write_digits(const XXH128_canonical_t *digest, char *text);
void digest_of(const XXH128_canonical_t *blocks, uint64_t count, char *text);

/* Inputs and results of one block, and of it and its neighbour. */
struct arrays {
    void *input[INPUTS_MAX], *output;
    void *other[INPUTS_MAX], *mixed[INPUTS_MAX], *mixed_output;
};

void allocate_arrays(struct arrays *arrays);
void release_arrays(struct arrays *arrays);

/*
 * On inputs that are there already. As prove does it, every second block the way that is for large arrays. Of
 * a mixed sweep, with the elements of another block between its own.
 */
void run_on_block(const struct sweep *sweep, kernel_function *function, uint64_t block,
                  const struct arrays *arrays);

#endif
