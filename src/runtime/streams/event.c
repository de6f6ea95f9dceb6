/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Events. A record stands for a point in a stream's work, so that waiting for an event is waiting for that
 * point: an event may be recorded again or destroyed while others still wait for an earlier record.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/made.h"
#include "base/order.h"
#include "base/watch.h"
#include "runtime/streams/recording.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "runtime/streams/event.h"
#include "runtime/streams/event_shared.h"
#include "base/futex.h"
#include "runtime/streams/refusal.h"
#include "base/report.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"

enum { EVENTS_MAX = 65536, RECORD_COST_NS = 100 };

static const uint32_t KNOWN_FLAGS = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                                    ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

/* More slots than events: one whose generations are used up is not used again. */
static struct handle_table events = HANDLE_TABLE(HANDLE_EVENT, struct event, 2 * EVENTS_MAX);
static _Atomic uint32_t event_count;

int event_lock(const char *api, const char *argument, aclrtEvent handle, struct event **event)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    uint64_t value = (uint64_t)(uintptr_t)handle;
    if (handle == NULL)
        return report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "%s: argument %s is NULL; an event is expected", api, argument);
    *event = (struct event *)handle_find(&events, value);
    if (*event != NULL) {
        pthread_mutex_lock(&(*event)->lock);
        if (handle_is_live(*event, value))
            return 0;
        pthread_mutex_unlock(&(*event)->lock);
    }
    return report_misuse(handle_rule(&events, value), ACL_ERROR_RT_INVALID_HANDLE,
                         "%s: argument %s %s; a live event is expected", api, argument,
                         handle_fault(&events, value));
}

static int create(const char *api, aclrtEvent *result, uint32_t flags, bool is_reusable)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, "event", result));
    struct context *context;
    TRY(context_current(api, &context));
    if (flags == 0 || (flags & ~KNOWN_FLAGS) != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument flag is 0x%x; a combination of ACL_EVENT_ flags (0x%x) is expected", api,
                    flags, KNOWN_FLAGS);
    if (atomic_fetch_add(&event_count, 1) >= EVENTS_MAX) {
        atomic_fetch_sub(&event_count, 1);
        return fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "%s: there are %d events; at most that many are accepted",
                    api, EVENTS_MAX);
    }
    struct event *event = (struct event *)handle_acquire(&events);
    if (event == NULL || (!event->lock_exists && pthread_mutex_init(&event->lock, NULL) != 0)) {
        if (event != NULL)
            handle_release(&events, event);
        atomic_fetch_sub(&event_count, 1);
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another event", api);
    }
    event->lock_exists = true;
    pthread_mutex_lock(&event->lock);
    event->flags = flags;
    event->is_reusable = is_reusable;
    event->context_handle = context_of_thread;
    event->state = EVENT_NEVER_RECORDED;
    event->open_waits = 0;
    event->timestamp_ns = 0;
    event->failure = 0;
    event->point = (struct stream_point){0};
    event->captured_in = 0;
    event->share = (struct event_share){.file = -1};
    *result = (aclrtEvent)(uintptr_t)handle_publish(&events, event);
    pthread_mutex_unlock(&event->lock);
    made(HANDLE_EVENT, (uint64_t)(uintptr_t)*result, 0, -1, api);
    return 0;
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    TRACE_THIS_CALL;
    return create(__func__, event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, false);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    TRACE_THIS_CALL;
    return create(__func__, event, flag, false);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    TRACE_THIS_CALL;
    return create(__func__, event, flag, true);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    TRACE_THIS_CALL;
    struct event *object;
    TRY(event_lock(__func__, "event", event, &object));
    handle_retire(object, (uint64_t)(uintptr_t)event);
    watch_event(EVENT_IS_GONE, object, 0);
    event_share_end(&object->share);
    pthread_mutex_unlock(&object->lock);
    handle_release(&events, object);
    atomic_fetch_sub(&event_count, 1);
    return 0;
}

/* What a queued record, reset or wait knows of its event: it may be destroyed and its slot used again. */
struct event_task {
    struct event *event;
    uint64_t handle;
    uint64_t generation;
    struct stream_point point; /* of a wait */
    uint64_t timeout_ns;       /* of a wait; 0 for none */
    uint64_t deadline_ns;      /* of a wait that has begun; 0 before */
};
_Static_assert(sizeof(struct event_task) <= TASK_PAYLOAD_BYTES, "fits a task");

/*
 * The event of a task, locked, or NULL when it is gone or has been recorded again. A task that runs at once
 * runs inside the call that submits it, which holds the lock already.
 */
static struct event *enter(const struct event_task *own)
{
    if (stream_frame_of_thread->ordinal != 0)
        pthread_mutex_lock(&own->event->lock);
    if (handle_is_live(own->event, own->handle) && own->event->generation == own->generation)
        return own->event;
    if (stream_frame_of_thread->ordinal != 0)
        pthread_mutex_unlock(&own->event->lock);
    return NULL;
}

static void leave(struct event *event)
{
    if (stream_frame_of_thread->ordinal != 0)
        pthread_mutex_unlock(&event->lock);
}

static int run_record(struct task *task)
{
    struct event_task own;
    memcpy(&own, task->payload, sizeof own);
    struct event *event = enter(&own);
    if (event == NULL)
        return 0;
    event->timestamp_ns = clock_now_ns();
    event->failure = stream_unreported_failure(stream_frame_of_thread->stream);
    event->state = EVENT_COMPLETE;
    leave(event);
    return 0;
}

/*
 * A record that was dropped because the stream has stopped counts as recorded; one that was abandoned leaves
 * an event without a timestamp. Nobody needs to wait for either.
 */
static void release_record(struct task *task)
{
    struct event_task own;
    memcpy(&own, task->payload, sizeof own);
    struct event *event = enter(&own);
    if (event == NULL)
        return;
    if (event->state == EVENT_PENDING) {
        event->failure = stream_unreported_failure(stream_frame_of_thread->stream);
        event->timestamp_ns = event->failure != 0 ? clock_now_ns() : 0;
        event->state = EVENT_COMPLETE;
    }
    leave(event);
}

static int run_reset(struct task *task)
{
    struct event_task own;
    memcpy(&own, task->payload, sizeof own);
    struct event *event = enter(&own);
    if (event == NULL)
        return 0;
    event->state = EVENT_NEVER_RECORDED;
    leave(event);
    return 0;
}

/*
 * Queues a change of the event. The lock is held while it is submitted, so that nobody sees a pending event
 * without its point; hence room is made before, and not waited for meanwhile.
 */
static int submit_change(const char *api, aclrtEvent handle, aclrtStream stream_handle, bool is_record)
{
    struct stream *stream;
    uint64_t identity;
    struct event *event;
    if (handle == NULL)
        return event_lock(api, "event", handle, &event);
    TRY(stream_resolve_own(api, stream_handle, &stream, &identity));
    TRY(stream_make_room(api, stream, identity));
    TRY(event_lock(api, "event", handle, &event));
    int status = 0;
    if (event->context_handle != context_of_thread)
        status = report_misuse(
            RULE_OWNER, ACL_ERROR_RT_STREAM_CONTEXT,
            "%s: argument event belongs to another context; one of the stream's context is expected", api);
    else if (!is_record && event->is_reusable)
        status = report_misuse(
            RULE_EVENT, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "%s: argument event was made by aclrtCreateEventExWithFlag; one of aclrtCreateEvent or "
            "aclrtCreateEventWithFlag is expected",
            api);
    bool is_recorded = false;
    const bool is_shared = status == 0 && is_record && event->share.page != NULL;
    if (status == 0 && is_record && stream_may_be_captured(stream))
        status = recording->event_record(api, stream, event, &is_recorded);
    if (status == 0 && !is_recorded) {
        uint64_t old_generation = event->generation;
        enum event_state old_state = event->state;
        uint64_t old_failure = event->failure;
        if (is_record) {
            event->generation++;
            event->state = EVENT_PENDING;
            event->failure = 0;
        }
        struct task task = {.run = is_record ? run_record : run_reset,
                            .release = is_record ? release_record : NULL,
                            .cost_ns = RECORD_COST_NS,
                            .runs_once = true};
        struct event_task own = {
            .event = event, .handle = (uint64_t)(uintptr_t)handle, .generation = event->generation};
        memcpy(task.payload, &own, sizeof own);
        struct stream_point point = {0};
        status = stream_submit_to(api, stream, identity, &task, &point, false);
        if (status == 0 && is_record) {
            watch_event(EVENT_IS_RECORDED, event, identity);
            event->point = point;
            event->trace_number = task.number;
            event->captured_in = 0;
        } else if (status != 0) {
            event->generation = old_generation;
            event->state = old_state;
            event->failure = old_failure;
        }
    }
    pthread_mutex_unlock(&event->lock);
    return status == 0 && is_shared && !is_recorded ? event_share_recorded(api, handle, event, stream_handle)
                                                    : status;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return refusal_or(__func__, stream, submit_change(__func__, event, stream, true));
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return refusal_or(__func__, stream, submit_change(__func__, event, stream, false));
}

static int run_wait(struct task *task)
{
    struct event_task own;
    memcpy(&own, task->payload, sizeof own);
    if (stream_takes_timeout() && !stream_has_passed(&own.point))
        return ACL_ERROR_RT_WAIT_TIMEOUT;
    if (own.deadline_ns == 0) {
        own.deadline_ns = own.timeout_ns == 0 ? FUTEX_FOREVER : clock_after_ns(own.timeout_ns);
        memcpy(task->payload, &own, sizeof own);
    }
    if (stream_await(&own.point, own.deadline_ns))
        return 0;
    const struct trace_lane lane = stream_lane(own.point.stream);
    trace_wait_for("the event that device %d, stream %u is to reach", (int)lane.device,
                   (unsigned)lane.stream);
    return TASK_PARKED;
}

static void release_wait(struct task *task)
{
    struct event_task own;
    memcpy(&own, task->payload, sizeof own);
    stream_forget_point(&own.point);
    pthread_mutex_lock(&own.event->lock);
    if (handle_is_live(own.event, own.handle))
        own.event->open_waits--;
    pthread_mutex_unlock(&own.event->lock);
}

static int wait_in_stream(const char *api, aclrtStream stream_handle, aclrtEvent handle, int32_t timeout_s)
{
    struct stream *stream;
    uint64_t identity;
    struct event *event;
    if (handle == NULL)
        return event_lock(api, "event", handle, &event);
    if (timeout_s < 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument timeout is %d; seconds above 0, or 0 for no limit, are expected", api,
                    timeout_s);
    TRY(stream_resolve(api, stream_handle, &stream, &identity));
    TRY(event_lock(api, "event", handle, &event));
    if (event->captured_in != 0 || stream_may_be_captured(stream)) {
        bool is_recorded;
        int status = recording->event_wait(api, stream, identity, event, &is_recorded);
        if (status != 0 || is_recorded) {
            pthread_mutex_unlock(&event->lock);
            return status;
        }
    }
    struct event_task own = {.event = event,
                             .handle = (uint64_t)(uintptr_t)handle,
                             .generation = event->generation,
                             .point = event->point,
                             .timeout_ns = (uint64_t)timeout_s * 1000000000};
    /* Nothing to wait for, or what stands before in the same stream anyway. */
    bool is_over =
        event->state != EVENT_PENDING || (own.point.stream == stream && own.point.identity == identity);
    uint32_t recorded = event->trace_number;
    uint64_t number;
    struct event_page *page = event_share_keep_pending(&event->share, &number);
    if (page != NULL) {
        pthread_mutex_unlock(&event->lock);
        return event_share_queue_wait(api, stream_handle, page, number, own.timeout_ns);
    }
    if (!is_over)
        event->open_waits++;
    if (event->state != EVENT_NEVER_RECORDED)
        watch_event(EVENT_IS_AWAITED, event, identity);
    pthread_mutex_unlock(&event->lock);
    if (is_over)
        return 0;
    struct task task = {
        .run = run_wait, .release = release_wait, .cost_ns = TASK_NEVER_INLINE, .runs_once = true};
    memcpy(task.payload, &own, sizeof own);
    int status = stream_submit_to(api, stream, identity, &task, NULL, true);
    if (status != 0) {
        pthread_mutex_lock(&event->lock);
        if (handle_is_live(event, own.handle))
            event->open_waits--;
        pthread_mutex_unlock(&event->lock);
    } else if (trace_is_on()) {
        trace_wait(task.number, recorded);
    }
    return status;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    TRACE_THIS_CALL;
    return refusal_or(__func__, stream, wait_in_stream(__func__, stream, event, 0));
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    TRACE_THIS_CALL;
    return refusal_or(__func__, stream, wait_in_stream(__func__, stream, event, timeout));
}

/* Tells of the failure of work before the record that stands at the point, if nobody has been told. */
static int take_failure(const char *api, struct event *event, uint64_t handle, uint64_t generation,
                        const struct stream_point *point)
{
    pthread_mutex_lock(&event->lock);
    bool is_same = handle_is_live(event, handle) && event->generation == generation;
    uint64_t failure = is_same && event->state == EVENT_COMPLETE ? event->failure : 0;
    pthread_mutex_unlock(&event->lock);
    return failure != 0 ? stream_take_fault(api, point->stream, point->identity, failure) : 0;
}

static int synchronize(const char *api, aclrtEvent handle, int32_t timeout_ms)
{
    struct event *event;
    struct context *context;
    const struct settings *settings;
    TRY(settings_get(&settings));
    error_forget_polled();
    if (handle == NULL)
        return event_lock(api, "event", handle, &event);
    if (timeout_ms < -1 || timeout_ms == 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument timeout is %d; milliseconds above 0, or -1 for no limit, are expected", api,
                    timeout_ms);
    TRY(context_current(api, &context));
    TRY(event_lock(api, "event", handle, &event));
    int status = capture_refuse_event(api, "event", event);
    bool is_over = event->state != EVENT_PENDING;
    struct stream_point point = event->point;
    uint64_t generation = event->generation, number;
    struct event_page *page = status == 0 ? event_share_keep_pending(&event->share, &number) : NULL;
    pthread_mutex_unlock(&event->lock);
    TRY(status);
    if (page != NULL)
        return event_share_synchronize(api, page, number, timeout_ms);
    if (is_over) {
        order_waited();
        watch_event(EVENT_HAS_COMPLETED, event, 0);
        return take_failure(api, event, (uint64_t)(uintptr_t)handle, generation, &point);
    }
    streams_start_queued();
    uint64_t deadline = timeout_ms < 0 ? FUTEX_FOREVER : clock_after_ns((uint64_t)timeout_ms * 1000000);
    status = stream_wait(api, &point, deadline, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, timeout_ms < 0);
    if (status == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)
        return fail_unreported(
            status | ANSWER_IS_POLLED,
            "%s: the event was not complete when the time was over; a longer timeout, or -1 for "
            "none, is expected",
            api);
    order_waited();
    if (status == 0)
        watch_event(EVENT_HAS_COMPLETED, event, 0);
    return status != 0 ? status : take_failure(api, event, (uint64_t)(uintptr_t)handle, generation, &point);
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    TRACE_THIS_CALL;
    return synchronize(__func__, event, -1);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    TRACE_THIS_CALL;
    return synchronize(__func__, event, timeout);
}
