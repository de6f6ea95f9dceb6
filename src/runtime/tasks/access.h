/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a task reads and writes, for those who watch: the checker and the timeline. Nobody else asks, and
 * what only the answer needs is kept only where somebody watches.
 */
#ifndef BELAY_RUNTIME_TASKS_ACCESS_H
#define BELAY_RUNTIME_TASKS_ACCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"

/* Bits of a mode. */
enum {
    ACCESS_READ = 1 << 0,
    ACCESS_WRITTEN = 1 << 1,
    /* Beside read: the values of some elements do not matter, and nobody knows here of which: those of a
     * tensor that is indexed, or kept where nothing is written. */
    ACCESS_PARTLY = 1 << 2,
    /* A part of a copy: the bytes go as they are from what is read to what is written next. */
    ACCESS_MOVED = 1 << 3,
    /* A number by which streams and the host wait for one another. */
    ACCESS_SYNCHRONISES = 1 << 4,
    /* Beside written: an argument that is no tensor is infinite or not a number, or numbers here may be. */
    ACCESS_NOT_FINITE = 1 << 5,
    /* Beside written: the workspace that the program has lent the task, with nothing in it for anybody. */
    ACCESS_WORKSPACE = 1 << 6,
    /* No memory: address leads to a struct exchange_part. What the task reads comes before it, what it writes
     * behind it. */
    ACCESS_EXCHANGES = 1 << 7,
    /* Beside read and written: nobody knows whether anything is written, as a program's own kernel does it. It
     * counts as written for who reads it later, and as read alone for who must not do so at the same time. */
    ACCESS_PERHAPS = 1 << 8
};

/* Whether an access with the mode surely writes. */
static inline bool access_writes(uint32_t mode)
{
    return (mode & (ACCESS_WRITTEN | ACCESS_PERHAPS)) == ACCESS_WRITTEN;
}

enum { EXCHANGE_OF_ALL = INT32_MAX };

/* The task's part of an exchange between ranks, whose parts have group, number and the two ranks in common.
 */
struct exchange_part {
    uint64_t group, number;
    uint32_t rank;
    uint32_t peer;  /* of a message: the other rank; else EXCHANGE_OF_ALL */
    uint32_t from;  /* the one rank that gives; EXCHANGE_OF_ALL: each does */
    uint32_t to;    /* of a collective: the one rank that takes; EXCHANGE_OF_ALL: each does */
    uint32_t count; /* of the ranks of the group */
    bool takes;     /* it goes on when all who give have begun */
};

/* One operand of a task, or one side of a copy. */
struct access {
    void *address;         /* the first element; NULL where there are none */
    const char *parameter; /* as the function's header names it; static storage */
    uint32_t mode;
    bool is_of_list;
    uint32_t element;  /* its place in the list */
    aclDataType dtype; /* ACL_DT_UNDEFINED: bytes that are numbers of nothing known here */
    uint32_t element_bytes;
    uint32_t rank;
    const int64_t *shape;  /* none is negative; nor are the strides, and no end overflows */
    const int64_t *stride; /* in elements */
};

/* Embedded in what a watcher wants to know. The access is only there during the call. */
struct access_visitor {
    void (*visit)(struct access_visitor *visitor, const struct access *access);
};

/*
 * Who watches: a bit each. Set before the first task of the process; the timeline's bit comes and goes while
 * a program profiles itself (trace_begin_in), and whoever meets it may miss what a task was before.
 */
enum { WATCHER_CHECKER = 1 << 0, WATCHER_TIMELINE = 1 << 1, WATCHER_FAULTS = 1 << 2 };
extern _Atomic uint32_t access_watchers SHARED(access_watchers);

/* Whether anybody watches: one load. */
static inline bool accesses_are_watched(void)
{
    return __builtin_expect(atomic_load_explicit(&access_watchers, memory_order_relaxed) != 0, 0);
}

/* One of them begins to watch, or ends. */
void access_watch(uint32_t watcher, bool watches);

/* Has the function called after each access_watch: streams look anew there whether they are watched. There is
 * one function for the process. */
void access_on_watch(void (*function)(void));

/* The next number of a task, for those who watch. */
uint32_t access_number(void);

/* An access of so many bytes in a row. */
void access_visit_bytes(struct access_visitor *visitor, const char *parameter, uint32_t mode,
                        const void *address, uint64_t bytes) SHARED(access_visit_bytes);

/* Tells of rows of bytes, pitch bytes apart. */
void access_visit_rows(struct access_visitor *visitor, const char *parameter, uint32_t mode,
                       const void *address, uint64_t width, uint64_t height, uint64_t pitch);

/* A part of an exchange. */
void access_visit_exchange(struct access_visitor *visitor, const struct exchange_part *part)
    SHARED(access_visit_exchange);

#endif
