/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Devices: setting and resetting them, waiting for all their work, and what programs ask about them.
 */
#include "runtime/devices/device.h"

#include <stddef.h>

#include "acl/acl_rt.h"
#include "base/made.h"
#include "base/order.h"
#include "runtime/capture/capture.h"
#include "runtime/devices/ceasing.h"
#include "runtime/devices/context.h"
#include "base/error.h"
#include "base/futex.h"
#include "runtime/memory/device_memory.h"
#include "base/report.h"
#include "base/settings_peek.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"

#define DEVICE                                                                      \
    {                                                                               \
        .lock = PTHREAD_MUTEX_INITIALIZER, .places_lock = PTHREAD_MUTEX_INITIALIZER \
    }
#define FOUR(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__

static struct device devices[] = {FOUR(FOUR(FOUR(DEVICE)))};
_Static_assert(sizeof devices / sizeof devices[0] == DEVICES_MAX, "one entry per device");

_Atomic uint64_t device_marks;

struct device *device_at(int32_t device)
{
    return &devices[device];
}

static int check(const struct settings *settings, const char *api, int64_t device, int code)
{
    if (device >= 0 && device < settings->device_count)
        return 0;
    if (settings->device_count == 0)
        return fail(code, "%s: device %lld does not exist: ASCEND_RT_VISIBLE_DEVICES names none", api,
                    (long long)device);
    return fail(code, "%s: device %lld does not exist; 0 to %d is expected", api, (long long)device,
                settings->device_count - 1);
}

int device_check_as(const char *api, int64_t device, int code)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return check(settings, api, device, code);
}

int device_ask_as(const char *api, int64_t device, int code)
{
    const struct settings *settings;
    TRY(settings_peek(&settings));
    return check(settings, api, device, code);
}

bool device_add_stream(struct device *device, struct stream *stream, bool is_default, uint32_t *place)
{
    pthread_mutex_lock(&device->places_lock);
    uint32_t *number = is_default ? &device->default_count : &device->created_count;
    bool has_room = *number < (uint32_t)(is_default ? DEVICE_CONTEXTS_MAX : DEVICE_STREAMS_MAX);
    if (has_room) {
        /* The lowest free place, so that the places in use stay few to look through. */
        uint32_t free_place = 0;
        while (atomic_load_explicit(&device->places[free_place], memory_order_relaxed) != NULL)
            free_place++;
        ++*number;
        *place = free_place;
        stream->place = free_place;
        atomic_store_explicit(&device->places[free_place], stream, memory_order_release);
        if (free_place >= atomic_load_explicit(&device->place_count, memory_order_relaxed))
            atomic_store_explicit(&device->place_count, free_place + 1, memory_order_release);
    }
    pthread_mutex_unlock(&device->places_lock);
    return has_room;
}

void device_remove_stream(struct device *device, uint32_t place, bool is_default)
{
    pthread_mutex_lock(&device->places_lock);
    if (is_default)
        device->default_count--;
    else
        device->created_count--;
    atomic_store_explicit(&device->places[place], NULL, memory_order_release);
    uint32_t count = atomic_load_explicit(&device->place_count, memory_order_relaxed);
    while (count > 0 && atomic_load_explicit(&device->places[count - 1], memory_order_relaxed) == NULL)
        count--;
    atomic_store_explicit(&device->place_count, count, memory_order_release);
    pthread_mutex_unlock(&device->places_lock);
}

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

uint64_t device_mark(void)
{
    return atomic_fetch_add_explicit(&device_marks, 1, memory_order_seq_cst) + 1;
}

uint64_t device_oldest_unfinished(int32_t device)
{
    struct device *object = &devices[device];
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

aclError aclrtSetDevice(int32_t deviceId)
{
    TRACE_THIS_CALL;
    TRY(device_check(__func__, deviceId));
    struct device *device = &devices[deviceId];
    pthread_mutex_lock(&device->lock);
    while (device->is_resetting) {
        uint32_t seen = atomic_load_explicit(&device->reset_count, memory_order_relaxed);
        pthread_mutex_unlock(&device->lock);
        if (stream_frame_of_thread != NULL)
            return report_misuse(
                RULE_STATE, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                "%s: device %d is being reset, which waits for the calling callback; a device that is "
                "not being reset is expected",
                __func__, deviceId);
        futex_wait(&device->reset_count, seen, FUTEX_FOREVER);
        pthread_mutex_lock(&device->lock);
    }
    int status = 0;
    if (device->set_count == 0)
        status = context_create(__func__, deviceId, true, &device->primary);
    if (status == 0) {
        device->set_count++;
        context_of_thread = device->primary;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* Waits for all work of a device, whatever its context; nothing is reported. */
static void finish_work(struct device *device)
{
    uint32_t count = atomic_load_explicit(&device->place_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t identity;
        struct stream *stream = device_stream_at(device, i, &identity);
        if (stream != NULL && !stream_caller_runs_in(stream, identity))
            stream_wait_all(NULL, stream, identity, FUTEX_FOREVER, 0);
    }
}

static bool caller_runs_on(int32_t device)
{
    for (const struct stream_frame *frame = stream_frame_of_thread; frame != NULL; frame = frame->outer)
        if (atomic_load_explicit(&frame->stream->device, memory_order_relaxed) == device)
            return true;
    return false;
}

static int waits_for_caller(const char *api, int32_t device)
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
        struct device *device = &devices[id];
        if (caller_runs_on(id))
            return waits_for_caller(api, id);
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
static void (*_Atomic before_end)(int32_t device);

void device_before_end(void (*function)(int32_t device))
{
    atomic_store_explicit(&before_end, function, memory_order_release);
}

static void end_what_waits_for_others(int32_t device)
{
    void (*function)(int32_t) = atomic_load_explicit(&before_end, memory_order_acquire);
    if (function != NULL)
        function(device);
}

static int reset(const char *api, int32_t deviceId, bool is_forced)
{
    TRY(device_check(api, deviceId));
    struct device *device = &devices[deviceId];
    pthread_mutex_lock(&device->lock);
    if (device->set_count == 0) {
        pthread_mutex_unlock(&device->lock);
        return fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                    "%s: device %d has not been set; aclrtSetDevice is expected before", api, deviceId);
    }
    if (device->set_count > 1 && !is_forced) {
        device->set_count--;
        pthread_mutex_unlock(&device->lock);
        return 0;
    }
    if (caller_runs_on(deviceId)) {
        pthread_mutex_unlock(&device->lock);
        return waits_for_caller(api, deviceId);
    }
    order_end(api, deviceId);
    made_device_ends(api, deviceId);
    uint64_t primary = device->primary;
    device->set_count = 0;
    device->primary = 0;
    device->is_resetting = true;
    struct context *context = (struct context *)handle_find(&context_table, primary);
    handle_retire(context, primary);
    pthread_mutex_unlock(&device->lock);

    streams_start_queued();
    end_what_waits_for_others(deviceId);
    context_release(context, primary, is_forced);
    finish_work(device);
    memory_reset_device(deviceId);

    pthread_mutex_lock(&device->lock);
    device->is_resetting = false;
    atomic_fetch_add_explicit(&device->reset_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&device->lock);
    futex_wake_all(&device->reset_count);
    return 0;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    TRACE_THIS_CALL;
    return reset(__func__, deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    TRACE_THIS_CALL;
    return reset(__func__, deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "deviceId", deviceId));
    struct context *context;
    TRY(context_ask(__func__, &context));
    *deviceId = atomic_load_explicit(&context->device, memory_order_relaxed);
    return 0;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "count", count));
    if (settings->visible_devices_are_bad)
        return fail(
            ACL_ERROR_RT_NO_DEVICE,
            "%s: ASCEND_RT_VISIBLE_DEVICES is not a list of existing devices, each once, in ascending "
            "order; such a list is expected",
            __func__);
    *count = (uint32_t)settings->device_count;
    return 0;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "runMode", runMode));
    *runMode = ACL_HOST;
    return 0;
}

static int synchronize_device(const char *api, uint64_t deadline_ns)
{
    int32_t id;
    TRY(context_device(api, &id));
    error_forget_polled();
    if (caller_runs_on(id))
        return waits_for_caller(api, id);
    TRY(capture_refuse_device_wait(api, id));
    streams_start_queued();
    struct device *device = &devices[id];
    int first = 0;
    uint32_t count = atomic_load_explicit(&device->place_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t identity;
        struct stream *stream = device_stream_at(device, i, &identity);
        if (stream == NULL)
            continue;
        int status = stream_wait_all(api, stream, identity, deadline_ns, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        if (status == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
            return fail_unreported(
                status | ANSWER_IS_POLLED,
                "%s: work of device %d had not ended when the time was over; a longer timeout, "
                "or -1 for none, is expected",
                api, id);
        if (status == 0)
            status = stream_take_fault(api, stream, identity, 0);
        if (first == 0)
            first = status;
    }
    order_waited();
    return first;
}

aclError aclrtSynchronizeDevice(void)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    return synchronize_device(__func__, FUTEX_FOREVER);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (timeout < -1 || timeout == 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument timeout is %d; milliseconds above 0, or -1 for no limit, are expected",
                    __func__, timeout);
    return synchronize_device(__func__,
                              timeout < 0 ? FUTEX_FOREVER : clock_after_ns((uint64_t)timeout * 1000000));
}

void streams_start_queued(void)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    if (settings == NULL || settings->schedule != SCHEDULE_LAZY)
        return;
    for (int32_t id = 0; id < settings->device_count; id++) {
        uint32_t count = atomic_load_explicit(&devices[id].place_count, memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            struct stream *stream = atomic_load_explicit(&devices[id].places[i], memory_order_acquire);
            if (stream != NULL)
                stream_start_queued(stream);
        }
    }
}

static void for_each_stream(void (*body)(struct stream *stream, uint64_t identity))
{
    for (int32_t id = 0; id < DEVICES_MAX; id++) {
        uint32_t count = atomic_load_explicit(&devices[id].place_count, memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t identity;
            struct stream *stream = device_stream_at(&devices[id], i, &identity);
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
        uint32_t count = atomic_load_explicit(&devices[id].place_count, memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            struct stream *stream = atomic_load_explicit(&devices[id].places[i], memory_order_acquire);
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
    end_what_waits_for_others(-1);
    for_each_stream(drain);
}
