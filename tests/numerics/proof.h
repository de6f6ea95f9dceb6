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
#include "runtime/processor.h"

/* What one kernel made of a sweep. */
struct result {
    bool is_wanted; /* chosen, and there is such a kernel */
    struct verdict verdict;
};

/* One sweep for several kernels, done in parts. */
struct job {
    struct sweep sweep;
    uint64_t parts, parts_done;
    double seconds; /* that the done parts took */
    struct result result[ACCURACY_COUNT][ISA_LEVELS];
};

struct proof {
    struct job *jobs;
    unsigned count;
    uint64_t fingerprint; /* of this program, kernels included */
    char *state_path;     /* NULL: nothing is kept */
    char *report_path;    /* less the suffix; NULL: none is written */
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

/* Reads what is known of the jobs; is_done(job, part) then tells what need not be done again. */
void load_state(struct proof *proof);
bool is_done(const struct proof *proof, unsigned job, uint64_t part);

/* Adds a part's results to its job and to the file. */
void add_part(struct proof *proof, unsigned job, uint64_t part, const struct verdict (*verdict)[ISA_LEVELS],
              double seconds);

void release_proof(struct proof *proof);

#endif
