/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams as the rest of the library sees them: queues of tasks that run in order.
 */
#ifndef BELAY_RUNTIME_STREAMS_STREAM_H
#define BELAY_RUNTIME_STREAMS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"
#include "base/listener.h"
#include "base/settings.h"
#include "runtime/tasks/access.h"

enum { TASK_PAYLOAD_BYTES = 176 };

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
    const char *api; /* the function that submitted it: set by stream_submit; static storage */
    uint64_t
        cost_ns; /* predicted running time; what is cheap may run on the caller when the stream is idle */
    bool runs_program; /* calls a function of the program: only on a thread of the pool */
    bool runs_once;    /* cannot be recorded */
    bool is_compound;  /* runs others, which are watched one by one */
    uint32_t number;   /* access_number() where somebody watches; 0 before its submission */
    _Alignas(16) unsigned char payload[TASK_PAYLOAD_BYTES];
};

/* Runs the task, whose numbers are looked at where that is asked for. */
static inline int task_run(struct task *task)
{
    return check_is_on(CHECK_NUM) && task->describe != NULL && !task->is_compound
               ? listener->numbers_run(task)
               : task->run(task);
}

/*
 * Queues the task behind everything submitted before, or runs it at once where that makes no difference to
 * the program (idle stream, small cost), on behalf of api, which opens the sentence of a failure. stream NULL
 * is the default stream of the current context. A task that runs at once runs in the caller's object, which
 * must therefore not be a const one. On failure nothing has been queued or released, and the caller still
 * owns what the task holds. 0, or 107002 (no current context, or forked child), 107017 (stale or foreign
 * stream), 200000, 207005, or 507002 (the queue is full and cannot drain, because the caller runs inside a
 * task or the stream waits for a callback), or STREAM_OUTDATED, without a sentence, when the task is not
 * current: the caller makes its checks of memory again. A stream that is being recorded takes the task
 * without running it, or refuses it with 107030, 107031 or 507903.
 */
enum { STREAM_OUTDATED = INT32_MIN };
int stream_submit(const char *api, aclrtStream stream, struct task *task) SHARED(stream_submit);

/* aclrtCreateStreamWithConfig, on behalf of api. */
int stream_create_with(const char *api, aclrtStream *result, uint32_t priority, uint32_t flags);

/* The device that the stream works on, by the same rules; the codes of stream_submit. */
int stream_device(const char *api, aclrtStream stream, int32_t *device) SHARED(stream_device);

/* A stream that has been looked up, for several questions in a row. */
struct stream_target {
    struct stream *stream;
    uint64_t identity;
    int32_t device;
};

/*
 * Where operators are launched: unlike everything above, a stream that is named works on a thread without a
 * current context too. settings_get has succeeded. The codes of stream_submit.
 */
int stream_find(const char *api, aclrtStream stream, struct stream_target *target) SHARED(stream_find);

/* stream_submit to it; 107017 when the stream has been destroyed since. */
int stream_launch(const char *api, const struct stream_target *target, struct task *task)
    SHARED(stream_launch);

/*
 * Waits until everything submitted to the stream so far has ended, for work that must not be queued. A
 * failure of the stream's tasks is left to those who ask for it; *drops tells whether it is a reason not to
 * do the work. api opens the sentence of a failure to wait.
 */
int stream_finish(const char *api, aclrtStream stream, bool *drops) SHARED(stream_finish);

/*
 * Under BELAY_SCHEDULE=lazy queued work is held back until the program waits for something. Everything that
 * counts as waiting (a blocking copy, say) calls this first; elsewhere it costs one load.
 */
void streams_start_queued(void) SHARED(streams_start_queued);

/* Has streams look anew whether somebody watches what they run (access.h). */
void streams_watch_changed(void);

/* Waits until all work of all devices has ended; work that waits for a callback to be processed is dropped.
 */
void streams_drain_all(void) SHARED(streams_drain_all);

#endif
