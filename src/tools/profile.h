/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A profile, as aclprofStart to aclprofStop have left it in a folder (runtime/profiling/profile_folder.h),
 * and what msprof makes of it: a timeline in the trace event format, tables, and accounts of collectives,
 * under the names and with the columns that PyTorch for Ascend reads (torch_npu/profiler/analysis).
 */
#ifndef BELAY_TOOLS_PROFILE_H
#define BELAY_TOOLS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/timeline.h"

enum task_kind {
    TASK_COMPUTES,      /* an operator */
    TASK_COMMUNICATES,  /* a collective, a send or a receive */
    TASK_COPIES,        /* copies and sets */
    TASK_RUNS_FUNCTION, /* of the program, on the host */
    TASK_WAITS,         /* records of events and waits */
    TASK_RUNS_GRAPH,
    TASK_MARKS
};

/* What ran on a stream of a device. */
struct profile_task {
    const struct slice *slice;
    const struct submission *submission; /* of its operands */
    int32_t device;
    uint32_t stream;
    enum task_kind kind;
    char name[96];             /* of the kernel: aclnnMatmul, hcom_allReduce__0_1, MEMCPY_ASYNC, ... */
    char type[96];             /* of the operator: Matmul, hcom_allReduce_, ... */
    uint64_t begin_ns, end_ns; /* since 1970, like all times of a profile */
    uint64_t wait_ns;          /* since the task before it on its stream */

    /* Where the host launched it: the call on its thread; host_track is UINT32_MAX where that is not known.
     */
    uint32_t host_track;
    uint64_t host_ns;
};

struct profile {
    struct timeline timeline;
    const struct trace_head *head;
    struct profile_task *task; /* by device, stream and begin */
    size_t task_count;
    char stamp[24]; /* in the names of files: when it began, 20261231235959 */
};

/* Reads the timeline in the folder; false with *why. */
bool profile_read(const char *folder, struct profile *profile, const char **why);
void profile_destroy(struct profile *profile);

/* A time of the timeline, in nanoseconds since 1970. */
uint64_t profile_time(const struct profile *profile, uint64_t monotonic_ns);

/* Whether something that lasted so long lies within what was collected. */
bool profile_has(const struct profile *profile, uint64_t begin_ns, uint64_t end_ns);

/* The type of cores, as tables name it. */
const char *profile_task_type(enum task_kind kind);

/* "8,8;8" of what the task reads, or writes (mode); "FLOAT;INT64"; "ND;ND". What does not fit is cut. */
enum operand_text { OPERAND_SHAPES, OPERAND_DTYPES, OPERAND_FORMATS };
void profile_operands(const struct profile *profile, const struct profile_task *task, uint32_t mode,
                      enum operand_text what, char *text, size_t bytes);

/* Microseconds with three decimals: all digits there are. */
void profile_write_us(FILE *file, uint64_t ns);

/* The trace event format. */
void profile_write_timeline(const struct profile *profile, FILE *file);

/* Tables, as comma-separated values. */
void profile_write_op_summary(const struct profile *profile, FILE *file);
void profile_write_op_statistic(const struct profile *profile, FILE *file);
void profile_write_api_statistic(const struct profile *profile, FILE *file);
void profile_write_task_time(const struct profile *profile, FILE *file);
void profile_write_module_memory(const struct profile *profile, FILE *file);
void profile_write_memory(const struct profile *profile, FILE *file);
void profile_write_marks(const struct profile *profile, FILE *file);

/* What collectives did: times and amounts of each, and per link. */
void profile_write_communication(const struct profile *profile, FILE *file);
void profile_write_matrix(const struct profile *profile, FILE *file);

/* How many collectives and messages there are. */
size_t profile_collectives(const struct profile *profile);

/* What a collective or a message has moved: all its time counts, and all bytes go by one link. */
struct profile_exchange {
    const struct profile_task *task;
    char group[17]; /* the number of its group */
    double megabytes, milliseconds;
    const struct trace_exchange *const *part; /* one, or, of a batch of messages, several */
    size_t part_count;
    void *context; /* the reader's */
};
extern const char profile_transport[];
void profile_find_exchange(const struct profile *profile, const struct profile_task *task,
                           struct profile_exchange *exchange);
double profile_bandwidth(double megabytes, double milliseconds); /* in GB/s */

/* What this rank gives to others; of a message, or where one rank gives to all, also what it gets. */
typedef void profile_link(void *context, uint32_t from, uint32_t to, const char *transport, double megabytes,
                          double milliseconds);
void profile_visit_links(const struct profile *profile, const struct profile_exchange *exchange,
                         profile_link *visit, void *context);

/* Writes SQLite files, which must not be there yet. False, with why, where they cannot be written. */
enum { PROFILE_WHY_BYTES = 256 };
bool profile_write_database(const struct profile *profile, const char *path, char why[PROFILE_WHY_BYTES]);
bool profile_write_communication_database(const struct profile *profile, const char *path,
                                          char why[PROFILE_WHY_BYTES]);

/* Where computing and communicating lie, and what is neither, per device: merged and in order. */
struct interval {
    uint64_t begin_ns, end_ns;
};
struct overlap {
    struct interval *computing, *communicating, *not_overlapped, *free;
    size_t computing_count, communicating_count, not_overlapped_count, free_count;
};
bool profile_overlap(const struct profile *profile, int32_t device, struct overlap *overlap);
void profile_overlap_destroy(struct overlap *overlap);

#endif
