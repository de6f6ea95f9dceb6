/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One process of the benchmark: its options, its number of threads, its stream and peers, and the sections
 * that it measures. BELAY_THREADS is read once per process, so that each number of threads has its own.
 */
#ifndef BELAY_BENCH_SESSION_H
#define BELAY_BENCH_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "belay_calls.h"
#include "measure.h"
#include "peer.h"
#include "row.h"
#include "subjects.h"

enum section {
    SECTION_THROUGHPUT,
    SECTION_LAYOUTS,
    SECTION_DATA,
    SECTION_CALLS,
    SECTION_STREAMS,
    SECTION_SPEEDUP,
    SECTION_CHECKS,
    SECTION_FAMILY,
    SECTION_BUILDS,
    SECTION_SHAPES,
    SECTIONS
};

enum { COUNTS_MAX = 16 };

struct options {
    bool has_section[SECTIONS], has_dtype[DTYPES];
    bool *has_subject; /* subjects_count() of them */
    int64_t count[COUNTS_MAX];
    int counts;
    bool is_quick;
    const char *before, *after; /* folders with the libraries of two builds, for section builds */
};

struct session {
    struct options options;
    int threads;
    aclrtStream stream;
    struct peers peers;
    double clock_ghz;
    void (*emit)(const struct row *row); /* takes a finished row */
};

const char *section_name(enum section section);

/* By the time that a call takes: many rounds where they are cheap. */
struct measure_plan session_plan(const struct session *session, enum section section, int64_t count);

/* Allocates the memory of all operands, as large as their views say. */
void session_allocate(struct workload *workload);
void session_free(struct workload *workload);

struct row session_row(const struct session *session, enum section section, const char *operation,
                       const char *dtype, const char *layout, const char *data, int64_t count);

/*
 * Times Belay, the roofline and the peers on the workload and adds the figures to the row. The roofline moves
 * what the second workload says: the same one where the operator is pointwise; NULL: there is none.
 */
void measure_contest(const struct session *session, enum section section, const struct workload *workload,
                     const struct workload *copied, struct row *row);

void measure_throughput(const struct session *session);
void measure_layouts(const struct session *session);
void measure_data(const struct session *session);
void measure_family(const struct session *session);
void measure_builds(const struct session *session);
void measure_shapes(const struct session *session);
void measure_calls(const struct session *session);
void measure_streams(const struct session *session);

#endif
