/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A task: one piece of work, as those make it who queue work, streams run it and others watch it.
 */
#ifndef BELAY_RUNTIME_TASKS_TASK_H
#define BELAY_RUNTIME_TASKS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/listener.h"
#include "base/settings.h"
#include "runtime/tasks/access.h"

enum { TASK_PAYLOAD_BYTES = 160 };

/* For work that must not run on the thread that submits it, however idle the stream is. */
#define TASK_NEVER_INLINE UINT64_MAX

/*
 * One piece of queued work, copied by value into the stream's ring (256 bytes with what the ring adds).
 *
 * run  does the work, on a worker or on the thread that submits or waits. Its result, when not 0, is what the
 * next synchronise reports, with the sentence that the thread holds (fault.h), if no task failed before. It may
 * call workers_run.
 *
 * release  drops what the task holds; called exactly once, after run, or without it when the task is abandoned
 * (forced destroy, abort, reset). May be NULL.
 *
 * is_current  whether the memory that the task will use is live. Asked once, after the stream has begun to
 * count as unfinished: memory that is live then, and freed later, waits for the task. Called with the
 * stream's lock held or the stream owned, so it only looks addresses up. May be NULL: the task uses no memory
 * of devices.
 *
 * A task that is submitted to a stream that is being recorded is kept and run any number of times, one run
 * after the other, before it is released. One that is good for one run says so.
 *
 * describe  tells a visitor what run will read and write. Any time before release, on any thread, where
 * nobody runs the task meanwhile. May be NULL: nothing that is memory of devices or of the host as far as is
 * known.
 *
 * repeats  whether the task, run right behind the one before, would leave everything as it is, because it does
 * the same once more: it may be released without being run. Asked while both are queued, with the stream's
 * lock held. May be NULL: it would not.
 *
 * use_scratch  for recorded tasks, which would otherwise keep their temporary memory: with NULL the task
 * gives it up and tells how much it needs; later it is given as much, aligned to 64 bytes, for all its runs,
 * which it does not own. May be NULL: the task has none.
 */
struct task {
    int (*run)(struct task *task);
    void (*release)(struct task *task);
    bool (*is_current)(const struct task *task);
    size_t (*use_scratch)(struct task *task, void *scratch);
    void (*describe)(const struct task *task, struct access_visitor *visitor);
    bool (*repeats)(const struct task *task, const struct task *before);
    const char *api; /* the function that submitted it: set by stream_submit; static storage */
    uint64_t
        cost_ns; /* predicted running time; what is cheap may run on the caller when the stream is idle */
    bool runs_program; /* calls a function of the program: only on a thread of the pool */
    bool runs_once;    /* cannot be recorded */
    bool is_compound;  /* runs others, which are watched one by one */
    uint32_t number;   /* access_number() where somebody watches; 0 before its submission */
    _Alignas(16) unsigned char payload[TASK_PAYLOAD_BYTES];
};

/* What run returns when the task cannot go on: it runs again, from the start, after stream_resume. */
enum { TASK_PARKED = INT32_MIN };

/* Runs the task, which is watched where that is asked for: what it does to numbers, and whether it fails. */
static inline int task_run(struct task *task)
{
    return check_is_on(CHECK_RACE | CHECK_NUM) ? listener->watch_run(task) : task->run(task);
}

#endif
