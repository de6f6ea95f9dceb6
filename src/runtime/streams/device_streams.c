/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * All streams of a device, or of all devices, at a time.
 */
#include "runtime/streams/device_streams.h"

#include <stddef.h>

#include "base/error.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/devices/device.h"
#include "runtime/streams/ceasing.h"
#include "runtime/streams/stream_queue.h"

struct stream *device_stream_at(const struct device *device, uint32_t place, uint64_t *identity)
{
    struct stream *stream = atomic_load_explicit(&device->places[place], memory_order_acquire);
    if (stream == NULL)
        return NULL;
    pthread_mutex_lock(&stream->lock);
    *identity = stream->identity;
    pthread_mutex_unlock(&stream->lock);
    return *identity != 0 ? stream : NULL;
}

uint64_t device_oldest_unfinished(int32_t device)
{
    struct device *object = device_at(device);
    uint64_t oldest = UINT64_MAX;
    uint32_t count = atomic_load_explicit(&object->place_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        struct stream *stream = atomic_load_explicit(&object->places[i], memory_order_acquire);
        if (stream == NULL)
            continue;
        uint32_t state = atomic_load_explicit(&stream->state, memory_order_acquire);
        if ((state & STREAM_BUSY) == 0)
            continue;
        uint64_t mark = atomic_load_explicit(&stream->oldest_mark, memory_order_acquire);
        if (mark == UINT64_MAX && (state & STREAM_INLINE) != 0)
            mark = 0; /* its owner is about to write it */
        oldest = mark < oldest ? mark : oldest;
    }
    return oldest;
}

bool device_is_busy(int32_t device)
{
    return device_oldest_unfinished(device) != UINT64_MAX;
}

bool device_caller_runs_on(int32_t device)
{
    for (const struct stream_frame *frame = stream_frame_of_thread; frame != NULL; frame = frame->outer)
        if (atomic_load_explicit(&frame->stream->device, memory_order_relaxed) == device)
            return true;
    return false;
}

int device_waits_for_caller(const char *api, int32_t device)
{
    return report_misuse(
        RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
        "%s: the calling callback belongs to work of device %d, for which the call waits; a call from "
        "outside of it is expected",
        api, device);
}

int devices_finish(const char *api)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    streams_start_queued();
    for (int32_t id = 0; id < settings->device_count; id++) {
        struct device *device = device_at(id);
        if (device_caller_runs_on(id))
            return device_waits_for_caller(api, id);
        uint32_t count = atomic_load_explicit(&device->place_count, memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t identity;
            struct stream *stream = device_stream_at(device, i, &identity);
            if (stream != NULL)
                TRY(stream_wait_all(api, stream, identity, FUTEX_FOREVER, 0));
        }
    }
    return 0;
}

/* See ceasing.h. */
enum { CEASING = 2 };
static void (*_Atomic before_end[CEASING])(int32_t device);

void device_before_end(void (*function)(int32_t device))
{
    for (int i = 0; i < CEASING; i++) {
        void (*none)(int32_t) = NULL;
        if (atomic_compare_exchange_strong_explicit(&before_end[i], &none, function, memory_order_acq_rel,
                                                    memory_order_acquire) ||
            none == function)
            return;
    }
}

void device_end_what_waits(int32_t device)
{
    for (int i = 0; i < CEASING; i++) {
        void (*function)(int32_t) = atomic_load_explicit(&before_end[i], memory_order_acquire);
        if (function != NULL)
            function(device);
    }
}

void streams_start_queued(void)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    if (settings == NULL || settings->schedule != SCHEDULE_LAZY)
        return;
    for (int32_t id = 0; id < settings->device_count; id++) {
        uint32_t count = atomic_load_explicit(&device_at(id)->place_count, memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            struct stream *stream = atomic_load_explicit(&device_at(id)->places[i], memory_order_acquire);
            if (stream != NULL)
                stream_start_queued(stream);
        }
    }
}

static void for_each_stream(void (*body)(struct stream *stream, uint64_t identity))
{
    for (int32_t id = 0; id < DEVICES_MAX; id++) {
        uint32_t count = atomic_load_explicit(&device_at(id)->place_count, memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t identity;
            struct stream *stream = device_stream_at(device_at(id), i, &identity);
            if (stream != NULL && !stream_caller_runs_in(stream, identity))
                body(stream, identity);
        }
    }
}

void streams_watch_changed(void)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    uint64_t below_ns = settings == NULL || accesses_are_watched() ? 0 : stream_inline_limit(settings);
    for (int32_t id = 0; id < DEVICES_MAX; id++) {
        uint32_t count = atomic_load_explicit(&device_at(id)->place_count, memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            struct stream *stream = atomic_load_explicit(&device_at(id)->places[i], memory_order_acquire);
            if (stream != NULL)
                atomic_store_explicit(&stream->inline_below_ns, below_ns, memory_order_relaxed);
        }
    }
}

static void drop_what_needs_program(struct stream *stream, uint64_t identity)
{
    pthread_mutex_lock(&stream->lock);
    bool needs_program = stream->identity == identity && stream->parked_thread != 0;
    pthread_mutex_unlock(&stream->lock);
    if (needs_program)
        stream_drop(stream, identity, 0);
}

/* The stream may wait for another one that waits for the program: in time, all of those are dropped. */
static void drain(struct stream *stream, uint64_t identity)
{
    enum { SLICE_NS = 10000000 };
    struct stream_point end = stream_end(stream, identity);
    stream_wait_inline(stream, identity, FUTEX_FOREVER); /* no function of the program, so that it ends */
    while (stream_wait(NULL, &end, clock_after_ns(SLICE_NS), -1, true) != 0)
        for_each_stream(drop_what_needs_program);
}

void streams_drain_all(void)
{
    streams_start_queued();
    device_end_what_waits(-1);
    for_each_stream(drain);
}
