/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The recording of a timeline (BELAY_TRACE, docs/trace.md). Each thread writes records into a chunk of a file
 * that it has mapped: no lock, no system call and no text on the way, but for one new chunk every thousand
 * records. Where nobody asked for a timeline, all there is of it is a load and a branch per place.
 */
#ifndef BELAY_RUNTIME_TIMELINE_TRACE_H
#define BELAY_RUNTIME_TIMELINE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"
#include "base/futex.h"
#include "runtime/tasks/task.h"
#include "runtime/timeline/trace_file.h"

/* Undecided until the environment has been read: the call that reads it is part of the timeline. */
/* Listened to: there is no file, but mspti is told of tasks (activity.h), or the checker (whereabouts.h). */
enum trace_state { TRACE_OFF, TRACE_ON, TRACE_UNDECIDED, TRACE_LISTENED };
extern _Atomic uint32_t trace_state SHARED(trace_state);

/* Whether something is to be recorded, where the environment has been read. */
static inline bool trace_is_on(void)
{
    return __builtin_expect(atomic_load_explicit(&trace_state, memory_order_relaxed) != TRACE_OFF, 0);
}

/* The time, or 0 where there is nothing to record. */
static inline uint64_t trace_begin(void)
{
    return trace_is_on() ? clock_now_ns() : 0;
}

/* The call began then; the time, which is not 0. What name names stays what it is while the process lives,
 * here and below. */
uint64_t trace_call_begins(const char *name, enum trace_call_kind kind) SHARED(trace_call_begins)
    __attribute__((cold));
void trace_call_ends(const char *name, enum trace_call_kind kind, uint64_t begin_ns) SHARED(trace_call_ends)
    __attribute__((cold));

struct traced_call {
    const char *name;
    enum trace_call_kind kind;
    uint64_t begin_ns; /* 0: it is not recorded */
};

/* By value, so that where nothing is recorded nothing but the time is kept, and that in a register. */
static inline void trace_close_call(const struct traced_call *call)
{
    if (__builtin_expect(call->begin_ns != 0, 0))
        trace_call_ends(call->name, call->kind, call->begin_ns);
}

static inline uint64_t trace_open_call(const char *name, enum trace_call_kind kind)
{
    return trace_is_on() ? trace_call_begins(name, kind) : 0;
}

/* A declaration: records the call of the function that it stands in, from here to its end. */
#define TRACE_CALL_AS(name_, kind_)                                                             \
    const struct traced_call traced_call __attribute__((unused, cleanup(trace_close_call))) = { \
        (name_), (kind_), trace_open_call((name_), (kind_))}
#define TRACE_THIS_CALL TRACE_CALL_AS(__func__, TRACE_CALL_PLAIN)

/* A function of the program, which the task with that number has handed to this thread. */
void trace_called_back(uint32_t number, uint64_t begin_ns) __attribute__((cold));

/* A blocking copy (src is not NULL) or set, made by the caller from then to now. */
void trace_blocking(const char *name, uint64_t begin_ns, const void *dst, const void *src, uint64_t bytes)
    __attribute__((cold));

/* The stream that a task is in. */
struct trace_lane {
    int32_t device;
    uint32_t stream; /* its id */
    bool is_default;
};

/* Gives the task a number and records what it is, if a timeline is recorded. */
void trace_submit(struct trace_lane lane, struct task *task) __attribute__((cold));

/* The task begins to run: the time. */
uint64_t trace_run_begins(struct trace_lane lane, const struct task *task) __attribute__((cold));

/* The task has run from then to now, or a part of it: flags are TRACE_RUN_ ones. */
void trace_run(struct trace_lane lane, const struct task *task, uint64_t begin_ns, uint32_t flags, int status)
    __attribute__((cold));

/* A task waits for the one that records an event; 0: nobody has recorded that. */
void trace_wait(uint32_t waiting, uint32_t recorded) __attribute__((cold));

/* For whoever asks where a program hangs (whereabouts.h): the thread is about to sleep in the call that it is in,
 * with no lock held; and what the task that it runs is going to wait for, parked. */
void trace_sleep(void);
void trace_wait_for(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What a device, or for -1 the host, holds from now on. */
void trace_memory(int32_t device, uint64_t bytes) __attribute__((cold));

/*
 * Begins a timeline in a file of the process beside path. false, with *why, where there can be none; then and
 * with NULL the recording is off.
 */
bool trace_start(const char *path, const char **why);

/*
 * For the time that a program profiles itself: records go into a new file at path, where nothing was recorded
 * before. false, with *why, where there can be none. trace_end ends it; the file is whole then.
 */
bool trace_begin_in(const char *path, const char **why);
void trace_end(void);

/* Whether a timeline is recorded now, by this or for `belay trace`. */
bool trace_is_recorded(void);

/* Whether mspti is told of tasks, whatever else becomes of them. */
void trace_listen(bool is_on);

/* Stands for the timeline that is recorded, or was recorded last; NULL: there has not been one. */
const void *trace_timeline(void);

/* Copies the timeline as far as it has come to a path that is not there yet; false with errno. */
bool trace_copy_to(const char *path);

/* A mark, where the times are equal, or a range: what trace_file.h says of its record. */
void trace_mark(const char *domain, const char *message, uint64_t begin_ns, uint64_t end_ns, uint32_t number,
                uint32_t end_number);

/* For the child of a fork: what its parent's threads write is not its. */
void trace_after_fork(void);

#endif
