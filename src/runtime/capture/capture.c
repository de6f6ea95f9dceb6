/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Captures: streams whose work is recorded in a graph instead of being queued. A stream becomes part of a
 * capture by aclmdlRICaptureBegin, or by waiting for an event that another stream of it has recorded; the
 * recording of an event and the wait for it are an edge between the two. The order of the calls respects all
 * edges, so that a graph can be run in that order.
 */
#include "base/thread_id.h"
#include "base/watch.h"
#include "runtime/capture/capture.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl_rt.h"
#include "runtime/capture/capture_state.h"
#include "base/error.h"
#include "runtime/capture/graph.h"
#include "runtime/capture/task_group.h"
#include "base/report.h"
#include "base/settings.h"

pthread_mutex_t captures_lock = PTHREAD_MUTEX_INITIALIZER;
struct capture *captures;
_Thread_local aclmdlRICaptureMode capture_mode_of_thread;

/* Whether the capture forbids the calling thread what would not be recorded. captures_lock is held. */
static bool forbids(const struct capture *capture)
{
    if (capture_mode_of_thread == ACL_MODEL_RI_CAPTURE_MODE_RELAXED ||
        capture->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
        return false;
    return capture->thread == thread_id() || (capture_mode_of_thread == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
                                              capture->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
}

/* captures_lock is held. */
static void lose(struct capture *capture)
{
    if (!capture->is_lost)
        capture->lost_by = thread_id();
    capture->is_lost = true;
}

/*
 * The status of a call that may have lost captures, and has said why: that is kept for their ends, which
 * other threads may ask for, and which are all that some programs show.
 */
static int keep_cause(int status)
{
    if (status == 0)
        return 0;
    pthread_mutex_lock(&captures_lock);
    for (struct capture *capture = captures; capture != NULL; capture = capture->next)
        if (capture->is_lost && capture->cause[0] == '\0' && capture->lost_by == thread_id())
            snprintf(capture->cause, sizeof capture->cause, "%s", error_last_sentence());
    pthread_mutex_unlock(&captures_lock);
    return status;
}

/* Loses all captures that forbid the thread something, in this context or, for 0, in all. captures_lock is
 * held. */
static bool lose_forbidding(uint64_t context_handle)
{
    bool is_forbidden = false;
    for (struct capture *capture = captures; capture != NULL; capture = capture->next)
        if ((context_handle == 0 || capture->context_handle == context_handle) && forbids(capture)) {
            lose(capture);
            is_forbidden = true;
        }
    return is_forbidden;
}

static void clear_bit(struct stream *stream, uint64_t identity)
{
    pthread_mutex_lock(&stream->lock);
    if (identity == 0 || stream->identity == identity)
        atomic_fetch_and(&stream->state, ~(uint32_t)STREAM_CAPTURING);
    pthread_mutex_unlock(&stream->lock);
}

int capture_add_lane(struct capture *capture, struct stream *stream, uint64_t identity)
{
    if (stream->task_update != NULL)
        return ACL_ERROR_STREAM_TASK_GROUP_STATUS;
    if (!graph_add_lane(capture->graph, stream))
        return ACL_ERROR_BAD_ALLOC;
    pthread_mutex_lock(&stream->lock);
    /* Whoever destroys the stream retires the handle and takes its lock then: one of the two sees the other.
     */
    bool is_live = handle_is_live(stream, identity);
    if (is_live)
        atomic_fetch_or(&stream->state, STREAM_CAPTURING);
    pthread_mutex_unlock(&stream->lock);
    if (!is_live) {
        capture->graph->lane_count--;
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    stream->capture = capture;
    stream->lane = capture->graph->lane_count - 1;
    return 0;
}

void capture_detach(struct capture *capture)
{
    for (uint32_t i = 0; i < capture->graph->lane_count; i++) {
        struct stream *stream = capture->graph->lane[i].stream;
        if (stream == NULL)
            continue;
        capture->graph->lane[i].stream = NULL;
        stream->capture = NULL;
        clear_bit(stream, 0);
    }
    struct capture **link = &captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    watch_capture_end(&capture->watched);
    bool is_last = true;
    for (const struct capture *other = captures; other != NULL; other = other->next)
        is_last = is_last && other->context_handle != capture->context_handle;
    if (is_last && capture->default_stream->task_update == NULL)
        clear_bit(capture->default_stream, capture->default_identity);
    atomic_fetch_sub_explicit(&captures_open, 1, memory_order_relaxed);
}

struct task_update *capture_detach_update(struct stream *stream)
{
    struct task_update *update = stream->task_update;
    if (update == NULL)
        return NULL;
    stream->task_update = NULL;
    atomic_fetch_sub_explicit(&captures_open, 1, memory_order_relaxed);
    bool is_default = false;
    for (const struct capture *capture = captures; capture != NULL; capture = capture->next)
        is_default |= capture->default_stream == stream;
    if (!is_default)
        clear_bit(stream, 0);
    return update;
}

void capture_discard(struct capture *capture)
{
    handle_retire(capture->graph, capture->graph_handle);
    graph_drop(capture->graph);
    free(capture);
}

static int tell_lost(const char *api)
{
    return fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
                "%s: the capture of the stream is lost, because an earlier call could not be recorded; "
                "aclmdlRICaptureEnd ends it",
                api);
}

static int tell_full(const char *api)
{
    return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for what is to be recorded; the capture is lost",
                api);
}

int capture_tell_stale(const char *api)
{
    return report_misuse(RULE_DESTROYED, ACL_ERROR_RT_INVALID_HANDLE,
                         "%s: argument stream was destroyed meanwhile; a live stream is expected", api);
}

static int tell_default(const char *api)
{
    return report_misuse(
        RULE_STATE, ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
        "%s: the stream is the default stream, whose work is not recorded, and a capture in its "
        "context is captures; a created stream is expected, and the capture is lost",
        api);
}

/* What becomes of work for a stream of no capture whose state has the bit. captures_lock is held, given up.
 */
static int judge_uncaptured(const char *api, const struct stream *stream)
{
    bool is_forbidden = atomic_load_explicit(&stream->is_default, memory_order_relaxed) &&
                        lose_forbidding(atomic_load_explicit(&stream->context_handle, memory_order_relaxed));
    pthread_mutex_unlock(&captures_lock);
    return is_forbidden ? keep_cause(tell_default(api)) : 0;
}

static int tell_no_task(const char *api, int status)
{
    switch (status) {
    case ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT:
        return report_misuse(RULE_STATE, status,
                             "%s: the stream updates a group of tasks, and this cannot be one; "
                             "aclmdlRICaptureTaskUpdateEnd is expected before",
                             api);
    case ACL_ERROR_BAD_ALLOC:
        return fail(status, "%s: there is no memory for another task of a group", api);
    default:
        return status;
    }
}

static int record_task(const char *api, struct stream *stream, uint64_t identity, struct task *task,
                       bool *is_recorded)
{
    *is_recorded = false;
    pthread_mutex_lock(&captures_lock);
    struct capture *capture = stream->capture;
    int status = 0;
    if (stream->task_update != NULL && handle_is_live(stream, identity)) {
        status = task_update_add(stream->task_update, api, task);
        *is_recorded = status == 0;
        pthread_mutex_unlock(&captures_lock);
        return tell_no_task(api, status);
    }
    if (capture == NULL || !handle_is_live(stream, identity))
        return judge_uncaptured(api, stream);
    if (!capture->is_lost)
        watch_captured(&capture->watched, stream->lane, task);
    struct task_group *group = capture->graph->lane[stream->lane].group;
    const struct graph_step step = {.task = *task, .group = group, .name = api, .lane = stream->lane};
    if (capture->is_lost)
        status = ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
    else if (task->runs_once)
        status = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
    else if (task->is_current != NULL && !task->is_current(task))
        status = STREAM_OUTDATED;
    else if (!graph_add_step(capture->graph, &step))
        status = ACL_ERROR_BAD_ALLOC;
    *is_recorded = status == 0;
    if (status == 0 && group != NULL)
        group->task_count++;
    if (status != 0 && status != STREAM_OUTDATED)
        lose(capture);
    pthread_mutex_unlock(&captures_lock);
    if (status == ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED)
        return tell_lost(api);
    if (status == ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT)
        return keep_cause(
            report_misuse(RULE_STATE, status,
                          "%s: the stream is being recorded, and this cannot be; the capture is lost", api));
    return status == ACL_ERROR_BAD_ALLOC ? keep_cause(tell_full(api)) : status;
}

static int record_event(const char *api, struct stream *stream, struct event *event, bool *is_recorded)
{
    *is_recorded = false;
    pthread_mutex_lock(&captures_lock);
    struct capture *capture = stream->capture;
    if (capture == NULL)
        return judge_uncaptured(api, stream);
    bool is_lost = capture->is_lost;
    if (!is_lost) {
        watch_captured_event(&capture->watched, EVENT_IS_RECORDED, event, stream->lane);
        event->captured_in = capture->graph_handle;
        event->captured_lane = stream->lane;
        event->captured_step = capture->graph->step_count;
        *is_recorded = true;
    }
    pthread_mutex_unlock(&captures_lock);
    return is_lost ? tell_lost(api) : 0;
}

/* The open capture that has recorded the event, or NULL. captures_lock is held. */
static struct capture *capture_of_event(const struct event *event)
{
    struct capture *capture = event->captured_in != 0 ? captures : NULL;
    while (capture != NULL && capture->graph_handle != event->captured_in)
        capture = capture->next;
    return capture;
}

/* The codes of capture_event_wait, without a sentence. captures_lock is held. */
static int record_wait(struct capture *capture, struct stream *stream, uint64_t identity,
                       const struct event *event)
{
    if (capture->is_lost)
        return ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
    if (stream->capture == NULL) {
        if (atomic_load_explicit(&stream->is_default, memory_order_relaxed))
            return ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT;
        if (atomic_load_explicit(&stream->device, memory_order_relaxed) != capture->device)
            return ACL_ERROR_RT_STREAM_CONTEXT;
        TRY(capture_add_lane(capture, stream, identity));
    }
    if (stream->capture != capture) {
        lose(stream->capture);
        return ACL_ERROR_STREAM_CAPTURE_CONFLICT;
    }
    watch_captured_event(&capture->watched, EVENT_IS_AWAITED, event, stream->lane);
    if (stream->lane == event->captured_lane)
        return 0;
    const struct graph_step step = {.name = "aclrtStreamWaitEvent",
                                    .lane = stream->lane,
                                    .is_wait = true,
                                    .wait_lane = event->captured_lane,
                                    .wait_step = event->captured_step};
    return graph_add_step(capture->graph, &step) ? 0 : ACL_ERROR_BAD_ALLOC;
}

static int tell_wait(const char *api, int status)
{
    switch (status) {
    case 0:
        return 0;
    case ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED:
        return tell_lost(api);
    case ACL_ERROR_BAD_ALLOC:
        return tell_full(api);
    case ACL_ERROR_RT_INVALID_HANDLE:
        return capture_tell_stale(api);
    case ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT:
        return tell_default(api);
    case ACL_ERROR_RT_STREAM_CONTEXT:
        return report_misuse(
            RULE_OWNER, status,
            "%s: the event was recorded in a capture on another device than the stream's; a stream "
            "of the same device is expected, and the capture is lost",
            api);
    case ACL_ERROR_STREAM_CAPTURE_CONFLICT:
        return report_misuse(
            RULE_STATE, status,
            "%s: the event was recorded in one capture, and the stream is part of another; streams "
            "of one capture are expected, and both are lost",
            api);
    case ACL_ERROR_STREAM_TASK_GROUP_STATUS:
        return report_misuse(
            RULE_STATE, status,
            "%s: the event was recorded in a capture, and the stream updates a group of tasks; "
            "aclmdlRICaptureTaskUpdateEnd is expected before, and the capture is lost",
            api);
    default:
        return report_misuse(
            RULE_EVENT, status,
            "%s: the stream is being recorded, and the event stands for work that is not; an event "
            "that was recorded in the same capture is expected, and the capture is lost",
            api);
    }
}

static int record_event_wait(const char *api, struct stream *stream, uint64_t identity, struct event *event,
                             bool *is_recorded)
{
    *is_recorded = false;
    pthread_mutex_lock(&captures_lock);
    struct capture *capture = capture_of_event(event);
    if (capture == NULL && stream->capture == NULL)
        return judge_uncaptured(api, stream);
    int status = 0;
    if (capture != NULL) {
        status = record_wait(capture, stream, identity, event);
    } else {
        capture = stream->capture;
        if (capture->is_lost)
            status = ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
        else if (event->state != EVENT_NEVER_RECORDED)
            status = ACL_ERROR_RT_CAPTURE_DEPENDENCY;
    }
    if (status != 0 && status != ACL_ERROR_RT_INVALID_HANDLE)
        lose(capture);
    *is_recorded = status == 0;
    pthread_mutex_unlock(&captures_lock);
    return keep_cause(tell_wait(api, status));
}

static int refuse_unqueued(const char *api, struct stream *stream)
{
    pthread_mutex_lock(&captures_lock);
    struct capture *capture = stream->capture;
    if (capture == NULL && stream->task_update == NULL)
        return judge_uncaptured(api, stream);
    if (capture != NULL)
        lose(capture);
    pthread_mutex_unlock(&captures_lock);
    if (capture == NULL)
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
            "%s: the stream updates a group of tasks, and the memory is the host's, which a task cannot "
            "keep; memory from aclrtMallocHost is expected",
            api);
    return keep_cause(report_misuse(
        RULE_STATE, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
        "%s: the stream is being recorded, and the memory is the host's, which a task cannot keep; "
        "memory from aclrtMallocHost is expected, and the capture is lost",
        api));
}

static bool is_recorded_now(const struct stream *stream)
{
    pthread_mutex_lock(&captures_lock);
    bool is_captured = stream->capture != NULL;
    pthread_mutex_unlock(&captures_lock);
    return is_captured;
}

static int refuse_wait(const char *api, struct stream *stream)
{
    return stream_is_recorded(stream)
               ? report_misuse(RULE_STATE, ACL_ERROR_RT_STREAM_CAPTURED,
                               "%s: the stream is being recorded, and its work does not run meanwhile; "
                               "aclmdlRICaptureEnd is expected before",
                               api)
               : 0;
}

int capture_refuse_device_wait(const char *api, int32_t device)
{
    if (!captures_are_open())
        return 0;
    pthread_mutex_lock(&captures_lock);
    bool is_forbidden = false;
    for (const struct capture *capture = captures; capture != NULL; capture = capture->next)
        is_forbidden |= capture->device == device && forbids(capture);
    pthread_mutex_unlock(&captures_lock);
    return is_forbidden
               ? report_misuse(RULE_STATE, ACL_ERROR_RT_STREAM_CAPTURED,
                               "%s: a stream of device %d is being recorded, and its work does not run "
                               "meanwhile; aclmdlRICaptureEnd is expected before",
                               api, (int)device)
               : 0;
}

static int refuse_event(const char *api, const char *argument, const struct event *event)
{
    pthread_mutex_lock(&captures_lock);
    bool is_open = capture_of_event(event) != NULL;
    pthread_mutex_unlock(&captures_lock);
    return is_open ? report_misuse(
                         RULE_EVENT, ACL_ERROR_RT_EVENT_CAPTURED,
                         "%s: argument %s was recorded in a capture that has not ended, where nothing runs; "
                         "an event of a stream that is not being recorded is expected",
                         api, argument)
                   : 0;
}

static int refuse_blocking(const char *api)
{
    pthread_mutex_lock(&captures_lock);
    bool is_forbidden = lose_forbidding(0);
    pthread_mutex_unlock(&captures_lock);
    return is_forbidden
               ? keep_cause(report_misuse(
                     RULE_STATE, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                     "%s: a stream is being recorded in a mode that forbids blocking copies and sets; "
                     "a call in stream order is expected, and the capture is lost",
                     api))
               : 0;
}

static void forget_stream(struct stream *stream)
{
    pthread_mutex_lock(&captures_lock);
    struct task_update *update = capture_detach_update(stream);
    struct capture *capture = stream->capture;
    bool ends = false;
    if (capture != NULL) {
        stream->capture = NULL;
        capture->graph->lane[stream->lane].stream = NULL;
        if (!capture->is_lost)
            snprintf(capture->cause, sizeof capture->cause, "a stream that was part of it was destroyed");
        capture->is_lost = true;
        ends = stream->lane == 0; /* nobody could end it any more */
        if (ends)
            capture_detach(capture);
    }
    pthread_mutex_unlock(&captures_lock);
    if (update != NULL)
        task_update_drop(update);
    if (ends)
        capture_discard(capture);
}

static const struct recording captures_record = {
    .stream_is_recorded = is_recorded_now,
    .task = record_task,
    .event_record = record_event,
    .event_wait = record_event_wait,
    .refuse_unqueued = refuse_unqueued,
    .refuse_wait = refuse_wait,
    .refuse_event = refuse_event,
    .refuse_blocking = refuse_blocking,
    .forget_stream = forget_stream,
};

/* Before the first call of any program, as that needs the library whole. */
__attribute__((constructor)) static void offer_recording(void)
{
    recording = &captures_record;
}
