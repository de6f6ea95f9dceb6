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
#include "runtime/tasks/task.h"

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
