/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The jobs of a proof, their verdicts, the report about them and the file that lets a proof go on where it
 * was interrupted.
 */
#ifndef BELAY_TESTS_NUMERICS_PROOF_H
#define BELAY_TESTS_NUMERICS_PROOF_H

#include <stdio.h>

#include "numerics/judge.h"
#include "numerics/sweep.h"
#include "base/processor.h"

/* What one kernel made of a sweep. */
struct result {
    bool is_wanted; /* chosen, and there is such a kernel */
    struct verdict verdict;
};

/* A set of kernels: a bit for each accuracy and level. */
typedef unsigned char kernel_set;

static inline kernel_set kernel_bit(int accuracy, int level)
{
    return (kernel_set)(1U << (accuracy * ISA_KERNEL_LEVELS + level));
}

/* One sweep for several kernels, done in parts. */
struct job {
    struct sweep sweep;
    uint64_t parts;
    kernel_set *known;    /* of each part, the kernels whose verdicts are in result */
    uint64_t fingerprint; /* of the operator's kernels, and in the lower half of all that judges them */
    double seconds;       /* that the known parts took */
    struct result result[ACCURACY_COUNT][ISA_KERNEL_LEVELS];
};

struct proof {
    struct job *jobs;
    unsigned count;
    char *state_path;  /* NULL: nothing is kept */
    char *report_path; /* less the suffix; NULL: none is written */
};

/* The part's blocks are those from part * PART_BLOCKS on. */
enum { PART_BLOCKS = 16384 };

extern const char *const accuracy_names[ACCURACY_COUNT];

/* Whether the verdict is what the accuracy level promises. */
bool is_kept(const struct job *job, enum accuracy accuracy, const struct verdict *verdict);

/* One line. */
void print_result(FILE *file, const struct job *job, enum accuracy accuracy, enum isa_level level);

/* Writes both forms of the report anew; complaints go to stderr. */
void write_report(const struct proof *proof);

/* Appends the job, which the proof owns then. */
void add_job(struct proof *proof, const struct job *job);

/* Reads what is known of the jobs; kernels_left then tells what is still to do of a part. */
void load_state(struct proof *proof);
kernel_set kernels_left(const struct job *job, uint64_t part);
bool is_complete(const struct job *job);

/* Adds what some kernels made of a part to its job and to the file. */
void add_part(struct proof *proof, struct job *job, uint64_t part, kernel_set kernels,
              const struct verdict (*verdict)[ISA_KERNEL_LEVELS], double seconds);

void release_proof(struct proof *proof);

#endif
