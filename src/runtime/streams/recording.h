/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams that are being recorded, as those see them who queue work. Who records (runtime/capture) is above
 * the streams and has left its functions here. The state of such a stream has STREAM_CAPTURING, and so has
 * that of the default stream of its context, and of one whose work updates a group (task_group.h): only work
 * that meets the bit asks here.
 */
#ifndef BELAY_RUNTIME_STREAMS_RECORDING_H
#define BELAY_RUNTIME_STREAMS_RECORDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/streams/event.h"
#include "runtime/streams/stream_queue.h"

/* What capture.h says of the functions of these names. */
struct recording {
    bool (*stream_is_recorded)(const struct stream *stream);
    int (*task)(const char *api, struct stream *stream, uint64_t identity, struct task *task,
                bool *is_recorded);
    int (*event_record)(const char *api, struct stream *stream, struct event *event, bool *is_recorded);
    int (*event_wait)(const char *api, struct stream *stream, uint64_t identity, struct event *event,
                      bool *is_recorded);
    int (*refuse_unqueued)(const char *api, struct stream *stream);
    int (*refuse_wait)(const char *api, struct stream *stream);
    int (*refuse_event)(const char *api, const char *argument, const struct event *event);
    int (*refuse_blocking)(const char *api);
    void (*forget_stream)(struct stream *stream);
};

/* Set once, while the library is loaded. Nothing is captured where it is NULL, and it is called only where
 * something is. */
extern const struct recording *recording;

/* Captures and updates that have begun and not ended. */
extern _Atomic uint32_t captures_open;

static inline bool captures_are_open(void)
{
    return __builtin_expect(atomic_load_explicit(&captures_open, memory_order_relaxed) != 0, 0);
}

static inline bool stream_may_be_captured(const struct stream *stream)
{
    return (atomic_load_explicit(&stream->state, memory_order_relaxed) & STREAM_CAPTURING) != 0;
}

/* Whether what comes to the stream is recorded now. */
static inline bool stream_is_recorded(const struct stream *stream)
{
    return stream_may_be_captured(stream) && recording->stream_is_recorded(stream);
}

/* For work that must not be queued, because the memory is only the program's until the call returns. */
static inline int capture_refuse_unqueued(const char *api, struct stream *stream)
{
    return stream_may_be_captured(stream) ? recording->refuse_unqueued(api, stream) : 0;
}

/* 107027 where the stream is captured: what it has recorded does not run, so that nothing can be said of its
 * end. */
static inline int capture_refuse_wait(const char *api, struct stream *stream)
{
    return stream_may_be_captured(stream) ? recording->refuse_wait(api, stream) : 0;
}

/* 107028 where the event was last recorded in a capture that has not ended. Its lock is held. */
static inline int capture_refuse_event(const char *api, const char *argument, const struct event *event)
{
    return event->captured_in != 0 ? recording->refuse_event(api, argument, event) : 0;
}

/* 107030 where a capture forbids the thread blocking copies and sets, which is then lost. */
static inline int capture_refuse_blocking(const char *api)
{
    return captures_are_open() ? recording->refuse_blocking(api) : 0;
}

/* For a stream that has ended: its capture is lost. No lock is held. */
static inline void capture_forget_stream(struct stream *stream)
{
    if (captures_are_open())
        recording->forget_stream(stream);
}

#endif
