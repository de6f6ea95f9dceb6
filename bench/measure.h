/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rounds: every variant once per round, in an order that rotates, so that a busy moment of the machine meets
 * all of them alike and their ratios survive it.
 */
#ifndef BELAY_BENCH_MEASURE_H
#define BELAY_BENCH_MEASURE_H

#include <stdint.h>

enum { ROUNDS_MAX = 64 };

struct variant {
    const char *name;
    void (*run)(void *context, uint64_t repetitions);
    void *context;
    uint64_t repetitions;  /* per sample; chosen by measure_rounds */
    double ns[ROUNDS_MAX]; /* per repetition, one for each round that counts */
};

struct measure_plan {
    int rounds;       /* that count; one more is run before and dropped */
    double sample_ns; /* how long one sample should take at least */
    double budget_ns; /* when this is used up, fewer rounds have to do, but never fewer than rounds_min */
    int rounds_min;
    int threads; /* 1: processor time of the process; more: wall clock, with a pause before each sample */
};

/* Fills ns of all variants and returns the number of rounds. */
int measure_rounds(struct variant *variants, int count, const struct measure_plan *plan);

double wall_ns(void);
double processor_ns(void); /* of all threads of the process */
void pause_ns(double ns);

#endif
