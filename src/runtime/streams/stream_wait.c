/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Waiting for streams: threads that wait and help meanwhile, and streams that park until another has come far
 * enough.
 */
#include "base/watch.h"
#include "runtime/streams/stream_queue.h"

#include <stddef.h>

#include "runtime/streams/deadline.h"
#include "runtime/devices/device.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/report.h"
#include "runtime/streams/stream_claim.h"
#include "runtime/streams/workers.h"

/* A chain of streams that wait for each other is followed so far. */
enum { HOPS_MAX = 64 };

bool stream_has_passed(const struct stream_point *point)
{
    if (point->stream == NULL)
        return true;
    pthread_mutex_lock(&point->stream->lock);
    bool has_passed = point->stream->identity != point->identity ||
                      atomic_load_explicit(&point->stream->done, memory_order_acquire) >= point->ordinal;
    pthread_mutex_unlock(&point->stream->lock);
    return has_passed;
}

struct stream_point stream_end(struct stream *stream, uint64_t identity)
{
    pthread_mutex_lock(&stream->lock);
    struct stream_point point = {stream, identity, stream->submitted};
    pthread_mutex_unlock(&stream->lock);
    return point;
}

/* Lock held. */
static bool is_past(const struct stream *stream, const struct stream_point *point)
{
    return stream->identity != point->identity ||
           atomic_load_explicit(&stream->done, memory_order_relaxed) >= point->ordinal;
}

struct progress {
    struct workers_stop stop; /* first */
    const struct stream *stream;
    uint64_t ordinal;
};

/* Whether the word of the stream that tells of progress may have changed. */
static bool may_have_changed(const struct workers_stop *stop)
{
    const struct progress *progress = (const struct progress *)stop;
    uint32_t state = atomic_load_explicit(&progress->stream->state, memory_order_relaxed);
    return atomic_load_explicit(&progress->stream->done, memory_order_acquire) >= progress->ordinal ||
           (state & STREAM_PARKED) != 0 || (state & STREAM_OWNED) == 0;
}

/* Lock held, given up meanwhile. The caller has just found that it must wait. */
static void sleep_on(struct stream *stream, uint64_t ordinal, uint64_t deadline_ns)
{
    uint32_t seen = atomic_load_explicit(&stream->signal, memory_order_relaxed);
    if (stream->sleepers++ == 0 || ordinal < stream->wake_ordinal)
        stream->wake_ordinal = ordinal;
    pthread_mutex_unlock(&stream->lock);
    trace_sleep();
    futex_wait(&stream->signal, seen, deadline_ns);
    pthread_mutex_lock(&stream->lock);
    stream->sleepers--;
}

/*
 * Whether the stream cannot go on before the caller does. One can whose callback it does not wait for, and
 * one that has given up waiting for it. Lock held.
 */
static bool caller_holds(const struct stream *stream)
{
    uint64_t ordinal = atomic_load_explicit(&stream->done, memory_order_relaxed) + 1;
    for (const struct stream_frame *frame = stream_frame_of_thread; frame != NULL; frame = frame->outer)
        if (frame->stream == stream && frame->identity == stream->identity && frame->ordinal == ordinal)
            return true;
    return false;
}

/*
 * Tells who follows the streams that wait for each other what the functions of the program wait for that the
 * calling thread is in. Each of two threads tells this before it looks what the other one has told, so that
 * the later one finds a circle.
 */
static void note_wait(struct stream_point point)
{
    for (const struct stream_frame *frame = stream_frame_of_thread; frame != NULL; frame = frame->outer) {
        struct stream *stream = frame->stream;
        pthread_mutex_lock(&stream->lock);
        if (stream->identity == frame->identity &&
            atomic_load_explicit(&stream->done, memory_order_relaxed) + 1 == frame->ordinal)
            stream->function_waits_for = point;
        pthread_mutex_unlock(&stream->lock);
    }
}

enum help { HELP_NONE, HELP_GIVEN, HELP_IS_CALLER, HELP_IS_FOR_CALLER };

/*
 * Runs what stands before the point, or what that waits for, or what that waits for in turn, unless other
 * threads do. Without it a pool whose threads all wait in callbacks could not go on. Finds, too, that the
 * point waits for the caller.
 */
static enum help help(struct stream_point point)
{
    for (int hop = 0; hop < HOPS_MAX && point.stream != NULL; hop++) {
        struct stream *stream = point.stream;
        pthread_mutex_lock(&stream->lock);
        if (is_past(stream, &point)) {
            pthread_mutex_unlock(&stream->lock);
            return HELP_NONE; /* the waiting stream is being resumed at this moment */
        }
        if (caller_holds(stream)) {
            pthread_mutex_unlock(&stream->lock);
            return HELP_IS_CALLER;
        }
        if (stream_is_helpable(stream)) {
            stream_run(stream, point.ordinal, UINT32_MAX);
            return HELP_GIVEN;
        }
        bool is_parked = (atomic_load_explicit(&stream->state, memory_order_relaxed) & STREAM_PARKED) != 0;
        bool is_for_caller = is_parked && stream->parked_thread == (uint64_t)pthread_self();
        point =
            is_parked && stream->parked_on.stream != NULL ? stream->parked_on : stream->function_waits_for;
        pthread_mutex_unlock(&stream->lock);
        if (is_for_caller)
            return HELP_IS_FOR_CALLER;
    }
    return HELP_NONE;
}

static int waits_for_itself(const char *api, const char *why)
{
    if (api == NULL)
        return ACL_ERROR_RT_PARAM_INVALID;
    return report_misuse(RULE_STATE, ACL_ERROR_RT_PARAM_INVALID, "%s: %s; a wait that can end is expected",
                         api, why);
}

static int wait_for_point(const char *api, const struct stream_point *point, uint64_t deadline_ns,
                          int timeout_code, bool helps)
{
    struct stream *stream = point->stream;
    /* A wait with an end of its own can be part of a circle, and everything in that goes on afterwards. */
    bool is_inside = stream_frame_of_thread != NULL && helps && deadline_ns == FUTEX_FOREVER;
    bool has_polled = false;
    pthread_mutex_lock(&stream->lock);
    while (!is_past(stream, point)) {
        /* Another thread may have submitted since held-back work was started; what is waited for must run. */
        if (stream->released < point->ordinal) {
            stream->released = point->ordinal;
            if (stream_is_claimable(stream))
                workers_add(stream);
        }
        if (helps && stream_is_helpable(stream)) {
            stream_run(stream, point->ordinal, UINT32_MAX);
            pthread_mutex_lock(&stream->lock);
            continue;
        }
        if (deadline_ns != FUTEX_FOREVER && clock_now_ns() >= deadline_ns) {
            pthread_mutex_unlock(&stream->lock);
            return timeout_code;
        }
        bool is_parked = (atomic_load_explicit(&stream->state, memory_order_relaxed) & STREAM_PARKED) != 0;
        if (is_parked && stream->parked_thread == (uint64_t)pthread_self()) {
            pthread_mutex_unlock(&stream->lock);
            return waits_for_itself(api,
                                    "the stream waits for a callback that the calling thread is to process");
        }
        if (!has_polled && !is_parked) {
            has_polled = true;
            pthread_mutex_unlock(&stream->lock);
            const struct progress progress = {{may_have_changed}, stream, point->ordinal};
            workers_poll(stream, &progress.stop, is_inside ? clock_after_ns(workers_poll_ns()) : deadline_ns,
                         helps);
            pthread_mutex_lock(&stream->lock);
            continue;
        }
        uint64_t until = deadline_ns;
        if (is_parked || is_inside) {
            pthread_mutex_unlock(&stream->lock);
            deadlines_serve();
            streams_start_queued();
            if (is_inside)
                note_wait(*point);
            enum help result = helps ? help(*point) : HELP_NONE;
            if (result == HELP_IS_CALLER)
                return waits_for_itself(api, "the calling callback belongs to work that is waited for");
            if (result == HELP_IS_FOR_CALLER)
                return waits_for_itself(
                    api,
                    "the work that is waited for waits for a callback that the calling thread is to process");
            pthread_mutex_lock(&stream->lock);
            /* What waits for other work is looked at again from time to time: see help. */
            uint64_t again = clock_after_ns(STALL_NS);
            until = again < until ? again : until;
            if (result == HELP_GIVEN || is_past(stream, point) || (helps && stream_is_helpable(stream)))
                continue;
        }
        sleep_on(stream, point->ordinal, until);
    }
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

int stream_wait(const char *api, const struct stream_point *point, uint64_t deadline_ns, int timeout_code,
                bool helps)
{
    if (point->stream == NULL)
        return 0;
    if (stream_caller_runs_in(point->stream, point->identity) && !stream_has_passed(point))
        return waits_for_itself(api, "the calling callback belongs to the work that is waited for");
    /* Kernels of the program may run on this thread meanwhile. */
    const int cancellation = cancellation_hold();
    int status = wait_for_point(api, point, deadline_ns, timeout_code, helps);
    cancellation_allow(cancellation);
    if (stream_frame_of_thread != NULL)
        note_wait((struct stream_point){0});
    return status;
}

bool stream_wait_inline(struct stream *stream, uint64_t identity, uint64_t deadline_ns)
{
    pthread_mutex_lock(&stream->lock);
    uint32_t old = atomic_load_explicit(&stream->state, memory_order_relaxed);
    bool is_in_time = true;
    if (stream->identity == identity && (old & STREAM_INLINE) != 0) {
        old = atomic_fetch_or(&stream->state, STREAM_WATCHED);
        uint64_t turn = stream->turns;
        if ((old & STREAM_INLINE) == 0)
            atomic_fetch_and(&stream->state, ~(uint32_t)STREAM_WATCHED);
        else
            while (stream->identity == identity && stream->turns == turn && is_in_time) {
                sleep_on(stream, UINT64_MAX, deadline_ns);
                is_in_time = deadline_ns == FUTEX_FOREVER || clock_now_ns() < deadline_ns;
            }
    }
    pthread_mutex_unlock(&stream->lock);
    return is_in_time;
}

int stream_wait_all(const char *api, struct stream *stream, uint64_t identity, uint64_t deadline_ns,
                    int timeout_code)
{
    if (stream_caller_runs_in(stream, identity))
        return waits_for_itself(api, "the calling callback belongs to the stream that is waited for");
    struct stream_point end = stream_end(stream, identity);
    if (!stream_wait_inline(stream, identity, deadline_ns))
        return timeout_code;
    int status = stream_wait(api, &end, deadline_ns, timeout_code, deadline_ns == FUTEX_FOREVER);
    if (status == 0)
        watch_waited(identity);
    return status;
}

/* Takes the waiting stream off the list of the one it waits for. That one's lock held. */
static void unlink_waiting(struct stream *stream, const struct stream *waiter)
{
    struct stream **link = &stream->waiting;
    while (*link != NULL && *link != waiter)
        link = &(*link)->next_waiting;
    if (*link != NULL)
        *link = (*link)->next_waiting;
}

void stream_forget_point(const struct stream_point *point)
{
    if (point->stream == NULL)
        return;
    pthread_mutex_lock(&point->stream->lock);
    unlink_waiting(point->stream, stream_frame_of_thread->stream);
    pthread_mutex_unlock(&point->stream->lock);
}

bool stream_await(const struct stream_point *point, uint64_t deadline_ns)
{
    struct stream *target = point->stream;
    const struct stream_frame *frame = stream_frame_of_thread;
    struct stream *waiter = frame->stream;
    if (target == NULL)
        return true;
    pthread_mutex_lock(&target->lock);
    bool has_passed = is_past(target, point);
    if (!has_passed) {
        unlink_waiting(target, waiter);
        waiter->waits_for = point->ordinal;
        waiter->waits_identity = frame->identity;
        waiter->waits_ordinal = frame->ordinal;
        waiter->next_waiting = target->waiting;
        target->waiting = waiter;
    }
    pthread_mutex_unlock(&target->lock);
    if (has_passed)
        return true;
    pthread_mutex_lock(&waiter->lock);
    waiter->parked_on = *point;
    if (deadline_ns != FUTEX_FOREVER)
        deadline_set(waiter, deadline_ns);
    pthread_mutex_unlock(&waiter->lock);
    return false;
}

void stream_rest_until(uint64_t deadline_ns)
{
    struct stream *stream = stream_frame_of_thread->stream;
    pthread_mutex_lock(&stream->lock);
    stream->parked_on = (struct stream_point){0};
    deadline_set(stream, deadline_ns);
    pthread_mutex_unlock(&stream->lock);
}

void stream_resume(const struct stream_point *parked, bool has_timed_out)
{
    struct stream *stream = parked->stream;
    bool wakes = false;
    pthread_mutex_lock(&stream->lock);
    uint32_t state = atomic_load_explicit(&stream->state, memory_order_relaxed);
    if (stream->identity == parked->identity && stream->count > 0 &&
        atomic_load_explicit(&stream->done, memory_order_relaxed) + 1 == parked->ordinal) {
        stream->has_timed_out |= has_timed_out;
        if ((state & STREAM_PARKED) != 0) {
            atomic_fetch_and(&stream->state, ~(uint32_t)STREAM_PARKED);
            workers_add(stream);
            wakes = stream->sleepers > 0;
            if (wakes)
                atomic_fetch_add_explicit(&stream->signal, 1, memory_order_relaxed);
        } else if ((state & STREAM_RUNNING) != 0) {
            stream->was_resumed = true;
        }
    }
    pthread_mutex_unlock(&stream->lock);
    if (wakes)
        futex_wake_all(&stream->signal);
}

bool stream_takes_timeout(void)
{
    struct stream *stream = stream_frame_of_thread->stream;
    pthread_mutex_lock(&stream->lock);
    bool has_timed_out = stream->has_timed_out;
    stream->has_timed_out = false;
    pthread_mutex_unlock(&stream->lock);
    return has_timed_out;
}

struct stream_point stream_point_of_task(void)
{
    const struct stream_frame *frame = stream_frame_of_thread;
    return (struct stream_point){frame->stream, frame->identity, frame->ordinal};
}

void stream_drop(struct stream *stream, uint64_t identity, int fault)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->identity == identity) {
        if (fault != 0) {
            stream->fault = fault;
            stream->failure = 0;
            atomic_fetch_or(&stream->state, STREAM_FAULTED);
        }
        stream->dropped = stream->submitted;
        if (stream->released < stream->submitted)
            stream->released = stream->submitted;
        atomic_fetch_and(&stream->state, ~(uint32_t)STREAM_PARKED);
        if (stream_is_claimable(stream)) {
            stream_run(stream, stream->dropped, UINT32_MAX);
            return;
        }
    }
    pthread_mutex_unlock(&stream->lock);
}

void stream_start_queued(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->released < stream->submitted)
        stream->released = stream->submitted;
    if (stream_is_claimable(stream))
        workers_add(stream);
    pthread_mutex_unlock(&stream->lock);
}
