/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a process that is traced leaves in its file, and `belay trace` reads: a head, and behind it chunks of
 * equal length, each written by one thread at a time. All numbers are those of the machine; the file is read
 * where it was written.
 *
 * A chunk is a head and `used` bytes of records. Nothing is changed behind the count, and the count is raised
 * when a record is whole: whenever the process ends, what is there can be read.
 */
#ifndef BELAY_RUNTIME_TIMELINE_TRACE_FILE_H
#define BELAY_RUNTIME_TIMELINE_TRACE_FILE_H

#include <stdatomic.h>
#include <stdint.h>

#define TRACE_MAGIC "belay trace 1\n"

enum {
    TRACE_HEAD_BYTES = 4096,      /* a page */
    TRACE_CHUNK_BYTES = 64 << 10, /* some thousand records */
    TRACE_CHUNK_MAGIC = 0x6B63616C,
    TRACE_RANK_MAX = 8, /* of what is kept of a tensor's shape */
    TRACE_TEXT_MAX = 192,
    TRACE_MESSAGE_MAX = 1024, /* of a mark */
    TRACE_OPEN_MAX = 8        /* beyond that the inner ones are not told */
};

/* One time by three clocks: CLOCK_MONOTONIC, as all other times here, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME. */
struct trace_clocks {
    uint64_t monotonic_ns, raw_ns, real_ns;
};

struct trace_head {
    char magic[16];
    uint32_t process;
    uint32_t chunk_bytes;
    uint64_t begin_ns; /* CLOCK_MONOTONIC, as all times */
    _Atomic uint64_t chunks;
    _Atomic uint64_t lost; /* records that found no room */
    char program[64];

    /* What a program that profiles itself has set (profiling.c); zeros elsewhere. */
    struct trace_clocks profile_begin, profile_end;
    uint64_t profile_data;    /* ACL_PROF_ bits */
    uint64_t profile_devices; /* one bit each */
    uint32_t profile_metrics;
};

/* A call that has begun and not ended, or, where device is not -1, a task that is running. */
struct trace_open {
    uint64_t name;
    uint64_t begin_ns;
    uint32_t kind; /* of a call */
    uint32_t number;
    int32_t device;
    uint32_t stream;
    uint32_t is_default;
    uint32_t unused;
};

struct trace_chunk {
    uint32_t magic;
    _Atomic uint32_t used;
    uint64_t next_free; /* for the process that writes, and so is */
    uint64_t owner;     /* whose chunk it is */

    /* What the thread that writes is in, the outermost first. */
    _Atomic uint32_t open_count;
    uint32_t unused;
    struct trace_open open[TRACE_OPEN_MAX];

    unsigned char records[];
};

/* Each begins with its kind and its length, a multiple of 8. Texts are named by their addresses. */
enum trace_kind {
    TRACE_TEXT = 1, /* what is at an address */
    TRACE_THREAD,   /* whose the following records are, up to the next of this kind */
    TRACE_CALL,     /* a call of a public function, or a function of the program that was called back */
    TRACE_SUBMIT,   /* a task was submitted: its number, its stream */
    TRACE_OPERAND,  /* of the task, or the blocking copy, with this number */
    TRACE_RUN,      /* a task has run, or a part of it up to where it had to wait */
    TRACE_WAIT,     /* a task waits for another one, which records an event */
    TRACE_MEMORY,   /* what a device holds has changed */
    TRACE_MARK,     /* a mark or a range that the program has named */
    TRACE_EXCHANGE  /* with which ranks the task with this number exchanges something */
};

struct trace_record {
    uint16_t kind;
    uint16_t bytes;
    uint32_t number; /* of the task, or of what has operands; 0: none */
};

struct trace_text {
    struct trace_record record;
    uint64_t address;
    char text[]; /* ended by 0 */
};

struct trace_thread {
    struct trace_record record;
    uint32_t id;
    char name[20];
};

enum trace_call_kind {
    TRACE_CALL_PLAIN,
    TRACE_CALL_PHASE_1, /* of the operator of that name */
    TRACE_CALL_BACK,    /* the function that a task handed to this thread; number is the task's */
    TRACE_CALL_BLOCKING /* a copy or set that the call makes itself */
};

struct trace_call {
    struct trace_record record;
    uint64_t name;
    uint64_t begin_ns, end_ns;
    uint32_t kind;
    uint32_t unused;
};

struct trace_submit {
    struct trace_record record;
    uint64_t name;
    uint64_t time_ns;
    int32_t device;
    uint32_t stream; /* its id */
    uint32_t is_default;
    uint32_t unused;
};

/* Where a plain range of memory lies. */
enum trace_place { TRACE_PLACE_HOST, TRACE_PLACE_PINNED, TRACE_PLACE_DEVICE };

struct trace_operand {
    struct trace_record record;
    uint64_t name; /* of the parameter */
    uint64_t address;
    int32_t dtype; /* ACL_DT_UNDEFINED: plain bytes */
    uint32_t element_bytes;
    uint32_t mode; /* of access.h */
    uint32_t place;
    uint32_t rank; /* of which TRACE_RANK_MAX dims are kept */
    uint32_t element;
    int64_t shape[];
};

/* The last one is the reader's: it is still running. */
enum {
    TRACE_RUN_PARKED = 1 << 0,
    TRACE_RUN_DROPPED = 1 << 1,
    TRACE_RUN_STEP = 1 << 2,
    TRACE_RUN_OPEN = 1 << 3
};

struct trace_run {
    struct trace_record record;
    uint64_t begin_ns, end_ns;
    int32_t device;
    uint32_t stream;
    uint32_t is_default;
    uint32_t flags;
    int32_t status;
    uint32_t unused;
};

struct trace_wait {
    struct trace_record record;
    uint32_t recorded; /* the number of the task that records the event */
    uint32_t unused;
};

struct trace_memory {
    struct trace_record record;
    uint64_t time_ns;
    uint64_t bytes;
    int32_t device; /* -1: pinned memory of the host */
    uint32_t unused;
};

/* struct exchange_part of access.h; EXCHANGE_OF_ALL stands for all ranks. */
struct trace_exchange {
    struct trace_record record;
    uint64_t group;
    uint32_t rank, count;
    uint32_t from, to, peer;
    uint32_t unused;
};

/* What is marked in a stream, too, has tasks there that do nothing else. */
struct trace_mark {
    struct trace_record record; /* number: of the task at its begin; 0: none */
    uint64_t begin_ns, end_ns;  /* equal: a mark */
    uint32_t end_number;        /* of the task at its end */
    uint32_t domain_bytes;      /* of the text, with the 0 */
    char text[];                /* the name of its domain, 0, the message, 0 */
};

#endif
