/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams as the rest of the library sees them: queues of tasks that run in order.
 */
#ifndef BELAY_RUNTIME_STREAM_H
#define BELAY_RUNTIME_STREAM_H

#include <stdint.h>

#include "acl/acl_base.h"
#include "runtime/export.h"

enum { TASK_PAYLOAD_BYTES = 208 };

/*
 * One piece of queued work, copied by value into the stream's ring (256 bytes with its header).
 *
 * run      does the work, on a worker or on the thread that submits or waits. Its result, when not 0, is the
 * first error that the next synchronise reports. It may call workers_run. release  drops what the task holds;
 * called exactly once, after run, or without it when the task is abandoned (forced destroy, abort, reset).
 * May be NULL.
 */
struct task {
    int (*run)(struct task *task);
    void (*release)(struct task *task);
    uint64_t
        cost_ns; /* predicted running time; what is cheap may run on the caller when the stream is idle */
    _Alignas(16) unsigned char payload[TASK_PAYLOAD_BYTES];
};

/*
 * Queues the task behind everything submitted before, or runs it at once where that makes no difference to
 * the program (idle stream, small cost). stream NULL is the default stream of the current context. On failure
 * nothing has been queued or released, and the caller still owns what the task holds. 0, or 107002 (no
 * current context, or forked child), 107017 (stale or foreign stream), 200000, 207005.
 */
int stream_submit(aclrtStream stream, const struct task *task) SHARED(stream_submit);

/* The device that the stream works on, by the same rules; the codes of stream_submit. */
int stream_device(aclrtStream stream, int32_t *device) SHARED(stream_device);

#endif
