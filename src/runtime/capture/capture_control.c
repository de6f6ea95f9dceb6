/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How captures begin and end, and what programs ask of them.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "runtime/capture/capture.h"
#include "runtime/capture/capture_state.h"
#include "runtime/devices/context.h"
#include "base/thread_id.h"
#include "base/error.h"
#include "runtime/capture/graph.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"

static int check_mode(const char *api, const char *argument, aclmdlRICaptureMode mode)
{
    return (int)mode >= ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && (int)mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED
               ? 0
               : fail(ACL_ERROR_RT_PARAM_INVALID,
                      "%s: %s is %d; ACL_MODEL_RI_CAPTURE_MODE_GLOBAL (0) to "
                      "ACL_MODEL_RI_CAPTURE_MODE_RELAXED (2) is expected",
                      api, argument, (int)mode);
}

/* A capture that has not begun; NULL when there is no memory. */
static struct capture *create(struct stream *stream, aclmdlRICaptureMode mode)
{
    struct capture *capture = (struct capture *)calloc(1, sizeof *capture);
    if (capture == NULL)
        return NULL;
    struct context *context = atomic_load_explicit(&stream->context, memory_order_relaxed);
    capture->mode = mode;
    capture->thread = thread_id();
    capture->device = atomic_load_explicit(&stream->device, memory_order_relaxed);
    capture->context_handle = atomic_load_explicit(&stream->context_handle, memory_order_relaxed);
    capture->default_stream = atomic_load_explicit(&context->default_stream, memory_order_relaxed);
    capture->default_identity = atomic_load_explicit(&context->default_handle, memory_order_relaxed);
    capture->graph = graph_create(capture->device, &capture->graph_handle);
    if (capture->graph != NULL)
        return capture;
    free(capture);
    return NULL;
}

static void set_bit(struct stream *stream, uint64_t identity)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->identity == identity)
        atomic_fetch_or(&stream->state, STREAM_CAPTURING);
    pthread_mutex_unlock(&stream->lock);
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct stream *object;
    uint64_t identity;
    if (stream == NULL)
        return report_misuse(
            RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
            "%s: argument stream is NULL; a created stream is expected, the default one cannot be "
            "recorded",
            __func__);
    TRY(stream_resolve(__func__, stream, &object, &identity));
    TRY(check_mode(__func__, "argument mode", mode));
    if (atomic_load_explicit(&object->is_default, memory_order_relaxed))
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
            "%s: argument stream is the default stream, which cannot be recorded; a created stream is "
            "expected",
            __func__);
    struct capture *capture = create(object, mode);
    if (capture == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another graph", __func__);
    pthread_mutex_lock(&captures_lock);
    int status = object->capture != NULL ? ACL_ERROR_RT_STREAM_CAPTURED : 0;
    if (status == 0) {
        atomic_fetch_add_explicit(&captures_open, 1,
                                  memory_order_relaxed); /* before the stream's lock is released */
        status = capture_add_lane(capture, object, identity);
        if (status != 0)
            atomic_fetch_sub_explicit(&captures_open, 1, memory_order_relaxed);
    }
    if (status == 0) {
        capture->next = captures;
        captures = capture;
        set_bit(capture->default_stream, capture->default_identity);
    }
    pthread_mutex_unlock(&captures_lock);
    if (status == 0)
        return 0;
    capture_discard(capture);
    if (status == ACL_ERROR_RT_STREAM_CAPTURED)
        return report_misuse(
            RULE_STATE, status,
            "%s: argument stream is being recorded already; aclmdlRICaptureEnd is expected before", __func__);
    if (status == ACL_ERROR_STREAM_TASK_GROUP_STATUS)
        return report_misuse(RULE_STATE, status,
                             "%s: argument stream updates a group of tasks; aclmdlRICaptureTaskUpdateEnd is "
                             "expected before",
                             __func__);
    return status == ACL_ERROR_BAD_ALLOC ? fail(status, "%s: there is no memory for another graph", __func__)
                                         : capture_tell_stale(__func__);
}

/*
 * Whether everything that was recorded stands before the end of the first lane: from there back, what a lane
 * has done before a step that counts, and what that waits for, counts too.
 */
static bool is_joined(const struct graph *graph)
{
    /* Before the first run the lanes' next serve as the first step that does not count. */
    for (uint32_t i = 0; i < graph->lane_count; i++)
        graph->lane[i].next = i == 0 ? graph->step_count : 0;
    for (uint32_t i = graph->step_count; i-- > 0;) {
        const struct graph_step *step = &graph->step[i];
        bool counts = i < graph->lane[step->lane].next;
        if (!step->is_wait && !counts)
            return false;
        if (step->is_wait && counts && graph->lane[step->wait_lane].next < step->wait_step)
            graph->lane[step->wait_lane].next = step->wait_step;
    }
    return true;
}

/* The code of aclmdlRICaptureEnd for a capture that ends, without a sentence. captures_lock is held. */
static int finish(struct capture *capture)
{
    bool is_lost = capture->is_lost;
    capture_detach(capture);
    if (is_lost)
        return ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
    for (uint32_t i = 0; i < capture->graph->lane_count; i++)
        if (capture->graph->lane[i].group != NULL)
            return ACL_ERROR_STREAM_TASK_GROUP_INTR;
    if (!is_joined(capture->graph))
        return ACL_ERROR_RT_STREAM_UNJOINED;
    return graph_finish(capture->graph) ? 0 : ACL_ERROR_BAD_ALLOC;
}

/* cause is that of a capture that is lost. */
static int tell_end(const char *api, int status, const char *cause)
{
    switch (status) {
    case ACL_ERROR_RT_STREAM_NOT_CAPTURED:
        return report_misuse(
            RULE_STATE, status,
            "%s: argument stream is not being recorded; aclmdlRICaptureBegin is expected before", api);
    case ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED:
        return report_misuse(RULE_STATE, status,
                             "%s: argument stream has joined the capture of another; the stream of "
                             "aclmdlRICaptureBegin is expected",
                             api);
    case ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD:
        return report_misuse(
            RULE_STATE, status,
            "%s: another thread has begun the capture, in the mode THREAD_LOCAL; that thread is "
            "expected",
            api);
    case ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED:
        return fail(
            status,
            "%s: the capture is lost, because a call could not be recorded%s%s; it has ended, and there is "
            "no graph",
            api, cause[0] != '\0' ? ": " : "", cause);
    case ACL_ERROR_STREAM_TASK_GROUP_INTR:
        return report_misuse(
            RULE_STATE, status,
            "%s: a stream is still in a group of tasks; aclmdlRICaptureTaskGrpEnd is expected before; the "
            "capture has ended, and there is no graph",
            api);
    case ACL_ERROR_RT_STREAM_UNJOINED:
        return report_misuse(
            RULE_STATE, status,
            "%s: work was recorded on a stream that the first one does not wait for; an event behind "
            "it, and a wait for that, are expected; the capture has ended, and there is no graph",
            api);
    default:
        return fail(status,
                    "%s: there is no memory for the temporary memory of the graph's work; the capture has "
                    "ended, and there is no graph",
                    api);
    }
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct stream *object;
    uint64_t identity;
    if (stream == NULL)
        return report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "%s: argument stream is NULL; the stream of aclmdlRICaptureBegin is expected",
                             __func__);
    TRY(check_result(__func__, "modelRI", modelRI));
    TRY(stream_resolve(__func__, stream, &object, &identity));
    pthread_mutex_lock(&captures_lock);
    struct capture *capture = object->capture;
    int status = 0;
    if (capture == NULL || !handle_is_live(object, identity))
        status = ACL_ERROR_RT_STREAM_NOT_CAPTURED;
    else if (object->lane != 0)
        status = ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED;
    else if (capture->mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && capture->thread != thread_id())
        status = ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD;
    bool ends = status == 0;
    char cause[CAPTURE_CAUSE_BYTES] = "";
    if (ends) {
        memcpy(cause, capture->cause, sizeof cause);
        status = finish(capture);
    }
    pthread_mutex_unlock(&captures_lock);
    if (status == 0) {
        *modelRI = (aclmdlRI)(uintptr_t)capture->graph_handle;
        free(capture);
        return 0;
    }
    if (ends) {
        *modelRI = NULL;
        capture_discard(capture);
    }
    return tell_end(__func__, status, cause);
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)
{
    TRACE_THIS_CALL;
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    aclmdlRICaptureStatus found = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    uint64_t graph_handle = 0;
    if (stream_may_be_captured(object)) {
        pthread_mutex_lock(&captures_lock);
        const struct capture *capture = object->capture;
        if (capture != NULL) {
            found = capture->is_lost ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
                                     : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
            graph_handle = capture->graph_handle;
        }
        pthread_mutex_unlock(&captures_lock);
    }
    if (status != NULL)
        *status = found;
    if (modelRI != NULL)
        *modelRI = (aclmdlRI)(uintptr_t)graph_handle;
    return 0;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "mode", mode));
    TRY(check_mode(__func__, "*mode", *mode));
    aclmdlRICaptureMode old = capture_mode_of_thread;
    capture_mode_of_thread = *mode;
    *mode = old;
    return 0;
}
