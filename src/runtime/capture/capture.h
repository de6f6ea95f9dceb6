/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams that are being recorded, as those see them who queue work. The state of such a stream has
 * STREAM_CAPTURING, and so has that of the default stream of its context, and of one whose work updates a
 * group (task_group.h): only work that meets the bit asks here.
 */
#ifndef BELAY_RUNTIME_CAPTURE_CAPTURE_H
#define BELAY_RUNTIME_CAPTURE_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/streams/event.h"
#include "runtime/streams/stream_queue.h"

/* Captures and updates that have begun and not ended. */
extern _Atomic uint32_t captures_open;

static inline bool stream_may_be_captured(const struct stream *stream)
{
    return (atomic_load_explicit(&stream->state, memory_order_relaxed) & STREAM_CAPTURING) != 0;
}

/* Whether what comes to the stream is recorded now. */
bool stream_is_recorded(const struct stream *stream);

/*
 * The functions below are for streams that may be captured, and record instead of queueing. *is_recorded
 * tells whether there is nothing more to do; otherwise the stream is not captured after all. Where they fail,
 * what was to be recorded is lost, and with it the capture: 107024, 107030, 107031, 107032, 107041, 200000,
 * or 507903 where it was lost before.
 */
int capture_task(const char *api, struct stream *stream, uint64_t identity, struct task *task,
                 bool *is_recorded);

/* The event's lock is held. */
int capture_event_record(const char *api, struct stream *stream, struct event *event, bool *is_recorded);

/* A wait of any stream for an event that may have been recorded in a capture, or of a stream that may be
 * captured for any event. The event's lock is held. */
int capture_event_wait(const char *api, struct stream *stream, uint64_t identity, struct event *event,
                       bool *is_recorded);

/* For work that must not be queued, because the memory is only the program's until the call returns. */
int capture_refuse_unqueued(const char *api, struct stream *stream);

/* 107027 where the stream is captured: what it has recorded does not run, so that nothing can be said of its
 * end. */
int capture_refuse_wait(const char *api, struct stream *stream);

/* 107027 where a stream of the device is captured and the mode forbids the thread to wait for all. */
int capture_refuse_device_wait(const char *api, int32_t device);

/* 107028 where the event was last recorded in a capture that has not ended. Its lock is held. */
int capture_refuse_event(const char *api, const char *argument, const struct event *event);

/* 107030 where a capture forbids the thread blocking copies and sets, which is then lost. */
int capture_refuse_blocking(const char *api) __attribute__((cold));

static inline int capture_check_blocking(const char *api)
{
    return __builtin_expect(atomic_load_explicit(&captures_open, memory_order_relaxed) == 0, 1)
               ? 0
               : capture_refuse_blocking(api);
}

/* For a stream that has ended: its capture is lost. No lock is held. */
void capture_forget_stream(struct stream *stream);

#endif
