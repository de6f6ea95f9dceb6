/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Holds all streams, as submitters do that run a task of their own: what comes to a stream meanwhile is
 * queued behind that. Streams are claimed all or none, so that nobody who waits for one of them waits for us.
 */
#include "runtime/streams/device_streams.h"
#include "runtime/streams/standstill.h"

#include <time.h>

#include "runtime/streams/blocking_work.h"
#include "runtime/devices/context.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/settings.h"
#include "runtime/streams/stream_claim.h"

/* One at a time. */
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

/* Guarded by it: which streams are held, by their places. */
static uint8_t is_held[DEVICES_MAX][DEVICE_PLACES];

enum { SLICE_NS = 2000000 };

/* Claims a stream in which nothing is queued or runs, whatever other bits its state has. One that is closed
 * then is being taken down, and gets no more work: it is not claimed. */
static bool claim(struct stream *stream, bool *is_closed)
{
    uint32_t state = atomic_load_explicit(&stream->state, memory_order_acquire);
    *is_closed = (state & (STREAM_BUSY | STREAM_CLOSED)) == STREAM_CLOSED;
    while ((state & (STREAM_BUSY | STREAM_WATCHED | STREAM_CLOSED)) == 0)
        if (atomic_compare_exchange_weak_explicit(&stream->state, &state, state | STREAM_INLINE,
                                                  memory_order_seq_cst, memory_order_acquire)) {
            atomic_store_explicit(&stream->oldest_mark,
                                  atomic_load_explicit(&device_marks, memory_order_acquire),
                                  memory_order_release);
            return true;
        }
    return false;
}

/* Whether the calling thread runs a task of the stream: then nothing else of it runs. */
static bool is_of_caller(const struct stream *stream)
{
    for (const struct stream_frame *frame = stream_frame_of_thread; frame != NULL; frame = frame->outer)
        if (frame->stream == stream)
            return true;
    return false;
}

/* The lists' locks are held. False, and where it was, at the first stream that could not be claimed. */
static bool claim_all(int32_t devices, int32_t *busy_device, uint32_t *busy_place)
{
    for (int32_t id = 0; id < devices; id++) {
        struct device *device = device_at(id);
        uint32_t count = atomic_load_explicit(&device->place_count, memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            struct stream *stream = atomic_load_explicit(&device->places[i], memory_order_acquire);
            if (stream == NULL || is_of_caller(stream))
                continue;
            bool is_closed;
            is_held[id][i] = claim(stream, &is_closed);
            if (is_held[id][i] != 0 || is_closed)
                continue;
            *busy_device = id;
            *busy_place = i;
            return false;
        }
    }
    return true;
}

/* A stream that is held is in its place until it is left. */
static void leave_all(int32_t devices)
{
    for (int32_t id = 0; id < devices; id++) {
        struct device *device = device_at(id);
        for (uint32_t i = 0; i < DEVICE_PLACES; i++) {
            if (is_held[id][i] == 0)
                continue;
            is_held[id][i] = 0;
            stream_leave(atomic_load_explicit(&device->places[i], memory_order_acquire));
        }
    }
}

static void lock_lists(int32_t devices)
{
    for (int32_t id = 0; id < devices; id++)
        pthread_mutex_lock(&device_at(id)->places_lock);
}

static void unlock_lists(int32_t devices)
{
    for (int32_t id = devices; id-- > 0;)
        pthread_mutex_unlock(&device_at(id)->places_lock);
}

static int32_t device_count(void)
{
    return atomic_load_explicit(&settings_current, memory_order_acquire)->device_count;
}

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

int standstill_begin(const char *api, uint64_t deadline_ns)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    const int32_t devices = settings->device_count;
    pthread_mutex_lock(&one);
    blocking_work_hold();
    for (;;) {
        streams_start_queued();
        lock_lists(devices);
        int32_t device = -1;
        uint32_t place = 0;
        if (claim_all(devices, &device, &place) && blocking_work_oldest() == UINT64_MAX)
            return 0;
        unlock_lists(devices);
        leave_all(devices);
        const uint64_t now = clock_now_ns();
        if (now >= deadline_ns)
            break;
        const uint64_t slice = now + SLICE_NS < deadline_ns ? now + SLICE_NS : deadline_ns;
        uint64_t identity;
        struct stream *busy = device >= 0 ? device_stream_at(device_at(device), place, &identity) : NULL;
        if (busy == NULL || stream_wait_all(NULL, busy, identity, slice, 1) != 0)
            pause_briefly();
    }
    blocking_work_release();
    pthread_mutex_unlock(&one);
    return fail(
        ACL_ERROR_RT_TASK_TIMEOUT,
        "%s: queued work had not ended in time, and what it may be writing cannot be shared meanwhile; "
        "aclrtSynchronizeDevice is expected before",
        api);
}

void standstill_end(void)
{
    const int32_t devices = device_count();
    unlock_lists(devices);
    leave_all(devices);
    blocking_work_release();
    pthread_mutex_unlock(&one);
}
