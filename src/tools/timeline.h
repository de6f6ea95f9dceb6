/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A timeline, as `belay trace` makes it of what a process has recorded (runtime/timeline/trace_file.h).
 */
#ifndef BELAY_TOOLS_TIMELINE_H
#define BELAY_TOOLS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/timeline/trace_file.h"

/* What a slice is about; it decides its category and whether the table counts it. */
enum slice_kind {
    SLICE_CALL,     /* a call on a thread of the host */
    SLICE_OPERATOR, /* from here on work, most of it on streams */
    SLICE_COPY,
    SLICE_SET,
    SLICE_CALLBACK,
    SLICE_EVENT, /* records, resets and waits: what takes no time of its own */
    SLICE_GRAPH, /* a run of a graph, in which its operators lie */
    SLICE_KINDS
};

const char *slice_kind_name(enum slice_kind kind);

/* Where a slice lies: a thread of the process, or a stream of a device. */
struct track {
    int32_t device; /* -1: the process itself */
    uint32_t id;    /* of the thread or stream */
    bool is_default;
    const char *name; /* of the thread */
};

struct slice {
    const char *name;
    bool is_phase_1;
    enum slice_kind kind;
    uint32_t track;
    uint32_t number; /* of the task or call, by which its operands are found; 0: none */
    uint64_t begin_ns, end_ns;
    uint32_t flags; /* TRACE_RUN_ ones */
    int32_t status;
    bool has_not_ended; /* the timeline is over before */
    uint32_t thread;    /* of a task: the track of the thread that has run it */
};

/* What is known of a task by its number, or of a blocking copy. */
struct submission {
    const char *name; /* NULL: it was not submitted */
    uint64_t time_ns;
    uint32_t track;     /* of the thread that submitted it */
    uint32_t slice;     /* its own, and 1; 0: it has not run */
    uint32_t called;    /* the slice of the function that it handed to a thread, and 1 */
    uint32_t waits_for; /* the number of the task that records the event */
    size_t first_operand;
    uint32_t operand_count;
};

struct level { /* of memory */
    uint64_t time_ns, bytes;
    int32_t device; /* -1: pinned memory of the host */
};

/* What the program has named: a mark, where both times are equal, or a range. */
struct mark {
    const char *domain, *message;
    uint32_t track; /* of the thread */
    uint64_t begin_ns, end_ns;
    uint32_t number, end_number; /* of the tasks in a stream that say the same; 0: none */
};

struct timeline {
    const struct trace_head *head; /* the file, mapped */
    size_t bytes;
    struct track *track;
    size_t track_count;
    struct slice *slice;
    size_t slice_count;
    struct level *level;
    size_t level_count;
    struct mark *mark; /* by their begin */
    size_t mark_count;
    struct submission *submission; /* by number */
    size_t submission_count;
    const struct trace_operand **operand;
    size_t operand_count;
    const struct trace_exchange **exchange; /* by their numbers */
    size_t exchange_count;
    void *texts;
    uint64_t begin_ns; /* the earliest time */
};

/* Reads the file; false, with *why, when it is none or there is no memory. */
bool timeline_read(const char *path, struct timeline *timeline, const char **why);
void timeline_destroy(struct timeline *timeline);

/* The name of the text with that address. */
const char *timeline_text(const struct timeline *timeline, uint64_t address);

/* The submission with the number; one without a name when there is none. */
const struct submission *timeline_submission(const struct timeline *timeline, uint32_t number);

/* What an operand has, in bytes. */
uint64_t operand_bytes(const struct trace_operand *operand);

/* "host to device" for a copy; NULL when the operands are not those of one. */
const char *copy_direction(const struct timeline *timeline, const struct submission *submission);

/* Writes the trace event format; false when the file cannot take it. */
bool timeline_write(const struct timeline *timeline, FILE *file);

/* The table of operators, copies and sets by their time. */
void timeline_tabulate(const struct timeline *timeline, FILE *file);

#endif
