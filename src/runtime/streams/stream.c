/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams: made, found, waited for, asked, destroyed.
 */
#include "base/watch.h"
#include "runtime/streams/stream.h"

#include <sched.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "base/made.h"
#include "base/order.h"
#include "runtime/streams/recording.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/report.h"
#include "runtime/faults/strike.h"
#include "runtime/streams/stream_claim.h"
#include "runtime/timeline/trace.h"
#include "runtime/streams/workers.h"

struct handle_table stream_table = HANDLE_TABLE(HANDLE_STREAM, struct stream, DEVICES_MAX *DEVICE_PLACES);

/* Streams whose synchronise returns at once: their work is started by others than the host. */
static const uint32_t FLAGS_NOT_WAITED_FOR =
    ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

static int find_default(const char *api, const struct context *context, struct stream **stream,
                        uint64_t *identity)
{
    *stream = atomic_load_explicit(&context->default_stream, memory_order_relaxed);
    *identity = atomic_load_explicit(&context->default_handle, memory_order_relaxed);
    if (__builtin_expect(*identity != 0, 1))
        return 0;
    return report_misuse(RULE_STATE, ACL_ERROR_RT_CONTEXT_NULL,
                         "%s: the current context is being made or destroyed; a live one is "
                         "expected",
                         api);
}

static inline int find_named(const char *api, aclrtStream handle, struct stream **stream, uint64_t *identity)
{
    *identity = (uint64_t)(uintptr_t)handle;
    *stream = (struct stream *)handle_find(&stream_table, *identity);
    if (__builtin_expect(*stream != NULL, 1))
        return 0;
    return report_misuse(handle_rule(&stream_table, *identity), ACL_ERROR_RT_INVALID_HANDLE,
                         "%s: argument stream %s; a live stream, or NULL for the default "
                         "one, is expected",
                         api, handle_fault(&stream_table, *identity));
}

int stream_resolve(const char *api, aclrtStream handle, struct stream **stream, uint64_t *identity)
{
    host_access_watch();
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct context *context;
    TRY(context_current(api, &context));
    return handle == NULL ? find_default(api, context, stream, identity)
                          : find_named(api, handle, stream, identity);
}

int stream_find(const char *api, aclrtStream handle, struct stream_target *target)
{
    if (handle == NULL) {
        struct context *context;
        TRY(context_current(api, &context));
        TRY(find_default(api, context, &target->stream, &target->identity));
    } else {
        TRY(find_named(api, handle, &target->stream, &target->identity));
    }
    target->device = atomic_load_explicit(&target->stream->device, memory_order_relaxed);
    return 0;
}

int stream_resolve_own(const char *api, aclrtStream handle, struct stream **stream, uint64_t *identity)
{
    TRY(stream_resolve(api, handle, stream, identity));
    if (atomic_load_explicit(&(*stream)->context_handle, memory_order_relaxed) == context_of_thread)
        return 0;
    return report_misuse(
        RULE_OWNER, ACL_ERROR_RT_STREAM_CONTEXT,
        "%s: argument stream belongs to another context; a stream of the current one is expected", api);
}

int stream_device(const char *api, aclrtStream handle, int32_t *device)
{
    struct stream *stream;
    uint64_t identity;
    TRY(stream_resolve(api, handle, &stream, &identity));
    *device = atomic_load_explicit(&stream->device, memory_order_relaxed);
    return 0;
}

int stream_create(const char *api, struct context *context, uint64_t context_handle,
                  const struct stream_options *options, struct stream **created, uint64_t *handle)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct stream *stream = (struct stream *)handle_acquire(&stream_table);
    if (stream == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another stream", api);
    if (!stream->lock_exists && pthread_mutex_init(&stream->lock, NULL) != 0) {
        handle_release(&stream_table, stream);
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for the lock of another stream", api);
    }
    stream->lock_exists = true;

    /* Stale handles may still lead others to this slot: they look at its members with the lock held. */
    pthread_mutex_lock(&stream->lock);
    int32_t id = atomic_load(&context->device);
    atomic_store(&stream->inline_below_ns, accesses_are_watched() ? 0 : stream_inline_limit(settings));
    atomic_store(&stream->context, context);
    atomic_store(&stream->context_handle, context_handle);
    atomic_store(&stream->device, id);
    atomic_store(&stream->done, 0);
    stream->is_default = options->is_default;
    stream->priority = options->priority;
    stream->flags = options->flags;
    stream->first = stream->count = 0;
    stream->submitted = stream->dropped = stream->turns = 0;
    stream->released = settings->schedule == SCHEDULE_LAZY ? 0 : UINT64_MAX;
    stream->wake_ordinal = UINT64_MAX;
    stream->fault = 0;
    stream->failure = 0;
    stream->stops_on_failure = false;
    stream->was_resumed = stream->has_timed_out = false;
    stream->parked_on = stream->function_waits_for = (struct stream_point){0};
    stream->parked_thread = 0;
    stream->overflow_switch = stream->custom_tag = stream->cache_switch = 0;
    for (int kind = 0; kind < CORE_KINDS; kind++)
        atomic_store(&stream->resource_limit[kind], 0);
    pthread_mutex_unlock(&stream->lock);

    struct device *device = device_at(id);
    access_on_watch(streams_watch_changed);
    if (!device_add_stream(device, stream, options->is_default, &stream->place)) {
        handle_release(&stream_table, stream);
        return fail(ACL_ERROR_RT_NO_STREAM_RESOURCE,
                    "%s: device %d has %d %s already; at most that many are "
                    "accepted",
                    api, id, options->is_default ? DEVICE_CONTEXTS_MAX : DEVICE_STREAMS_MAX,
                    options->is_default ? "contexts" : "streams");
    }
    pthread_mutex_lock(&stream->lock);
    *handle = handle_publish(&stream_table, stream);
    stream->identity = *handle;
    atomic_store(&stream->state, 0);
    pthread_mutex_unlock(&stream->lock);
    *created = stream;
    /* Whoever ends the context retires it first and looks for its streams then: one of the two sees the
     * other. */
    if (handle_is_live(context, context_handle))
        return 0;
    if (handle_retire(stream, *handle))
        stream_release(stream, *handle, true);
    return report_misuse(RULE_DESTROYED, ACL_ERROR_RT_CONTEXT_NULL,
                         "%s: the current context was destroyed meanwhile; a live context is "
                         "expected",
                         api);
}

static bool stream_is_named(struct stream *stream, uint64_t identity)
{
    pthread_mutex_lock(&stream->lock);
    bool is_named = stream->identity == identity;
    pthread_mutex_unlock(&stream->lock);
    return is_named;
}

void stream_release(struct stream *stream, uint64_t identity, bool abandons)
{
    bool is_done = !abandons && stream_wait_all(NULL, stream, identity, FUTEX_FOREVER, 0) == 0;
    if (!is_done)
        stream_drop(stream, identity, 0);
    watch_ended(identity);
    /* If a thread owns the stream now, it takes it down when it leaves. */
    stream_close(stream);
    /* With all tasks done it is leaving, and the device has room for another stream once it has left. */
    while (is_done && stream_is_named(stream, identity))
        sched_yield();
}

int stream_create_with(const char *api, aclrtStream *result, uint32_t priority, uint32_t flags)
{
    const uint32_t known = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT |
                           ACL_STREAM_HUGE | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, "stream", result));
    if ((flags & ~known) != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument flag is 0x%x; a combination of ACL_STREAM_ flags (0x%x) is expected", api,
                    flags, known);
    struct context *context;
    TRY(context_current(api, &context));
    TRY(workers_start(api));
    struct stream_options options = {.priority = priority > 7 ? 7 : priority, .flags = flags};
    struct stream *stream;
    uint64_t handle;
    TRY(stream_create(api, context, context_of_thread, &options, &stream, &handle));
    *result = (aclrtStream)(uintptr_t)handle;
    /* Streams of contexts that are not primary outlive the reset of their device. */
    made(HANDLE_STREAM, handle, 0, atomic_load(&context->is_primary) ? atomic_load(&stream->device) : -1,
         api);
    return 0;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    TRACE_THIS_CALL;
    return stream_create_with(__func__, stream, 0, 0);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    TRACE_THIS_CALL;
    return stream_create_with(__func__, stream, priority, flag);
}

static int destroy(const char *api, aclrtStream handle, bool abandons)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (handle == NULL)
        return report_misuse(
            RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
            "%s: argument stream is NULL; a created stream is expected, the default one ends with its "
            "context",
            api);
    struct stream *stream;
    struct context *context;
    uint64_t identity = (uint64_t)(uintptr_t)handle;
    TRY(context_current(api, &context));
    if (handle_find(&stream_table, identity) == NULL)
        return report_misuse(handle_rule(&stream_table, identity), ACL_ERROR_RT_INVALID_HANDLE,
                             "%s: argument stream %s; a live stream is expected", api,
                             handle_fault(&stream_table, identity));
    TRY(stream_resolve_own(api, handle, &stream, &identity));
    if (stream->is_default)
        return report_misuse(
            RULE_OWNER, ACL_ERROR_INVALID_PARAM,
            "%s: argument stream is the default stream, which ends with its context; a created stream "
            "is expected",
            api);
    if (!abandons && stream_caller_runs_in(stream, identity))
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
            "%s: the calling callback belongs to the stream that is to be destroyed after its work; a "
            "call from outside of it is expected",
            api);
    TRY(capture_refuse_wait(api, stream));
    if (!handle_retire(stream, identity))
        return report_misuse(RULE_HANDLE, ACL_ERROR_RT_INVALID_HANDLE,
                             "%s: argument stream is being destroyed by another thread; a "
                             "live stream is expected",
                             api);
    streams_start_queued();
    order_stream_ended(identity);
    stream_release(stream, identity, abandons);
    return 0;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    TRACE_THIS_CALL;
    return destroy(__func__, stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    TRACE_THIS_CALL;
    return destroy(__func__, stream, true);
}

/* A function of the program that waits for its own stream hears so. */
static int refuse_own_stream(const char *api, uint64_t identity)
{
    for (const struct stream_frame *frame = stream_frame_of_thread; frame != NULL; frame = frame->outer)
        if (frame->identity == identity)
            return report_misuse(
                RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
                "%s: argument stream is the one that the calling callback belongs to; another "
                "stream is expected",
                api);
    return 0;
}

/* The stream, which the calling thread does not run in. */
static inline int find_to_wait(const char *api, aclrtStream handle, struct stream **stream,
                               uint64_t *identity)
{
    /* Whatever context its thread has; the default stream's name says nothing without one. */
    const bool is_in_function = __builtin_expect(stream_frame_of_thread != NULL, 0);
    if (is_in_function)
        TRY(refuse_own_stream(api, (uint64_t)(uintptr_t)handle));
    TRY(stream_resolve(api, handle, stream, identity));
    return is_in_function ? refuse_own_stream(api, *identity) : 0;
}

/* The stream that this thread has waited for last, and the context that was current: both are found again
 * without their tables. NULL at first, and where somebody watches; slots are never given back. */
static _Thread_local struct {
    struct stream *stream;
    struct context *context;
} last_wait;

/* Whether synchronize would return 0 at once: what loops of small operators meet. */
static inline bool is_plainly_idle(aclrtStream handle)
{
    struct stream *stream = last_wait.stream;
    return handle_names((uint64_t)(uintptr_t)handle, stream) &&
           handle_names(context_of_thread, last_wait.context) && stream_frame_of_thread == NULL &&
           atomic_load_explicit(&settings_current, memory_order_acquire) != NULL &&
           atomic_load_explicit(&stream->state, memory_order_acquire) == 0;
}

static int synchronize(const char *api, aclrtStream handle, uint64_t deadline_ns)
{
    struct stream *stream;
    uint64_t identity;
    TRY(find_to_wait(api, handle, &stream, &identity));
    error_forget_polled();
    if (fault_is_awaited(FAULT_DEVICE_LOST))
        TRY(fault_at_wait(api, atomic_load_explicit(&stream->device, memory_order_relaxed)));
    last_wait.stream = accesses_are_watched() ? NULL : stream;
    last_wait.context = (struct context *)handle_find(&context_table, context_of_thread);
    order_waited();
    if (__builtin_expect(atomic_load_explicit(&stream->state, memory_order_acquire) == 0, 1)) {
        watch_waited(identity);
        return 0;
    }
    TRY(capture_refuse_wait(api, stream));
    if ((stream->flags & FLAGS_NOT_WAITED_FOR) != 0)
        return 0;
    streams_start_queued();
    int status = stream_wait_all(api, stream, identity, deadline_ns, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    if (status == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        return fail_unreported(
            status | ANSWER_IS_POLLED,
            "%s: work of the stream had not ended when the time was over; a longer timeout, or "
            "-1 for none, is expected",
            api);
    return status != 0 ? status : stream_take_fault(api, stream, identity, 0);
}

int stream_finish(const char *api, aclrtStream handle, bool *drops)
{
    struct stream *stream;
    uint64_t identity;
    TRY(find_to_wait(api, handle, &stream, &identity));
    TRY(capture_refuse_unqueued(api, stream));
    streams_start_queued();
    TRY(stream_wait_all(api, stream, identity, FUTEX_FOREVER, 0));
    pthread_mutex_lock(&stream->lock);
    *drops = stream->identity == identity && stream->stops_on_failure && stream->failure != 0;
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    if (__builtin_expect(is_plainly_idle(stream), 1)) {
        order_waited();
        return 0;
    }
    TRACE_THIS_CALL;
    return synchronize(__func__, stream, FUTEX_FOREVER);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (timeout < -1 || timeout == 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument timeout is %d; milliseconds above 0, or -1 for no limit, are expected",
                    __func__, timeout);
    return synchronize(__func__, stream,
                       timeout < 0 ? FUTEX_FOREVER : clock_after_ns((uint64_t)timeout * 1000000));
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "status", status));
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    TRY(capture_refuse_wait(__func__, object));
    streams_start_queued();
    bool is_busy = (atomic_load_explicit(&object->state, memory_order_acquire) & STREAM_BUSY) != 0;
    if (is_busy) {
        /* The thread that has run the last task may not have left yet. */
        pthread_mutex_lock(&object->lock);
        is_busy = object->identity == identity &&
                  (object->count > 0 ||
                   (atomic_load_explicit(&object->state, memory_order_relaxed) & STREAM_INLINE) != 0);
        pthread_mutex_unlock(&object->lock);
    }
    if (!is_busy) {
        order_waited();
        watch_waited(identity);
        TRY(stream_take_fault(__func__, object, identity, 0));
    }
    *status = is_busy ? ACL_STREAM_STATUS_NOT_READY : ACL_STREAM_STATUS_COMPLETE;
    return 0;
}
