/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Submitting tasks and running them: on the submitter, on a worker, or on a thread that waits.
 */
#include "runtime/streams/stream_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/thread_id.h"
#include "base/order.h"
#include "base/watch.h"
#include "runtime/streams/recording.h"
#include "runtime/streams/deadline.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/float_environment.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/settings.h"
#include "base/splitmix.h"
#include "base/stack_room.h"
#include "runtime/streams/stream_claim.h"
#include "runtime/streams/struck.h"
#include "runtime/timeline/trace.h"
#include "runtime/streams/workers.h"

enum { SHARE = 32, READY_BATCH = 8 };

_Thread_local struct stream_frame *stream_frame_of_thread;
_Thread_local uint32_t stream_tasks_of_thread;

bool stream_caller_runs_in(const struct stream *stream, uint64_t identity)
{
    for (const struct stream_frame *frame = stream_frame_of_thread; frame != NULL; frame = frame->outer)
        if (frame->stream == stream && frame->identity == identity)
            return true;
    return false;
}

static inline int run_task(struct stream *stream, uint64_t identity, uint64_t ordinal, struct task *task,
                           bool drops)
{
    struct stream_frame frame = {stream, identity, ordinal, stream_frame_of_thread};
    stream_frame_of_thread = &frame;
    struct float_environment saved = float_environment_enter();
    uint64_t begin_ns = trace_is_on() ? trace_run_begins(stream_lane(stream), task) : 0;
    int status = drops ? 0 : task_run_on(task, atomic_load_explicit(&stream->device, memory_order_relaxed));
    if (__builtin_expect(begin_ns != 0, 0))
        trace_run(stream_lane(stream), task, begin_ns, drops ? TRACE_RUN_DROPPED : 0, status);
    if (status != TASK_PARKED && task->release != NULL)
        task->release(task);
    float_environment_leave(saved);
    stream_frame_of_thread = frame.outer;
    return status;
}

bool stream_is_claimable(const struct stream *stream)
{
    uint32_t state = atomic_load_explicit(&stream->state, memory_order_relaxed);
    return (state & (STREAM_OWNED | STREAM_PARKED)) == 0 && stream->count > 0 &&
           atomic_load_explicit(&stream->done, memory_order_relaxed) < stream->released;
}

static bool is_for_caller(const struct stream *stream)
{
    return workers_have_caller() ||
           atomic_load_explicit(&stream->done, memory_order_relaxed) < stream->dropped ||
           (!stream->ring[stream->first].task.runs_program && stack_has_room());
}

bool stream_is_helpable(const struct stream *stream)
{
    return stream_is_claimable(stream) && is_for_caller(stream);
}

/* Takes the stream down: lock held and given up, no owner, nothing queued, handle retired. */
static void take_down(struct stream *stream)
{
    struct device *device = device_at(atomic_load_explicit(&stream->device, memory_order_relaxed));
    device_remove_stream(device, stream->place,
                         stream->is_default); /* before anyone can see that it is gone */
    stream->identity = 0;
    struct queued_task *ring = stream->ring;
    stream->ring = NULL;
    stream->capacity = 0;
    atomic_fetch_add_explicit(&stream->signal, 1, memory_order_relaxed);
    bool wakes = stream->sleepers > 0;
    pthread_mutex_unlock(&stream->lock);
    if (wakes)
        futex_wake_all(&stream->signal);
    free(ring);
    callback_forget_stream(stream);
    capture_forget_stream(stream);
    handle_release(&stream_table, stream);
}

/* Gives up the ownership named by the bits, and the lock. Whoever can go on from here is told. */
static void leave(struct stream *stream, uint32_t bits)
{
    if (stream->count == 0)
        bits |= STREAM_PENDING;
    uint32_t old = atomic_fetch_and_explicit(&stream->state, ~bits, memory_order_release);
    bool is_watched = (old & bits & STREAM_WATCHED) != 0;
    if (is_watched)
        stream->turns++;
    if ((old & STREAM_CLOSED) != 0 && stream->count == 0) {
        take_down(stream);
        return;
    }
    if (stream_is_claimable(stream))
        workers_add(stream);
    bool wakes = stream->sleepers > 0 && (stream->count > 0 || is_watched);
    if (wakes)
        atomic_fetch_add_explicit(&stream->signal, 1, memory_order_relaxed);
    pthread_mutex_unlock(&stream->lock);
    if (wakes)
        futex_wake_all(&stream->signal);
}

void stream_leave_watched(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    leave(stream, STREAM_INLINE | STREAM_WATCHED);
}

/* Runs the task on the submitter, who owns the stream. */
static void run_inline(struct stream *stream, uint64_t identity, struct task *task)
{
    int status = run_task(stream, identity, 0, task, false);
    if (__builtin_expect(status != 0, 0))
        stream_note_status(stream, status);
    stream_leave(stream);
}

enum outcome { OUTCOME_BUSY, OUTCOME_RUN, OUTCOME_STALE, OUTCOME_OUTDATED };

static inline bool is_current(const struct task *task)
{
    return task->is_current == NULL || task->is_current(task);
}

/* Runs the task here if the stream is idle. */
static inline enum outcome try_inline(struct stream *stream, uint64_t identity, struct task *task)
{
    if (!stream_claim(stream))
        return OUTCOME_BUSY;
    enum outcome outcome = !handle_is_live(stream, identity) ? OUTCOME_STALE
                           : !is_current(task)               ? OUTCOME_OUTDATED
                                                             : OUTCOME_RUN;
    if (__builtin_expect(outcome == OUTCOME_RUN, 1))
        run_inline(stream, identity, task);
    else
        stream_leave(stream);
    return outcome;
}

/* By a running number: the same draws in the same order for the same seed. */
static uint64_t draw(const struct settings *settings)
{
    static _Atomic uint64_t draws;
    const uint64_t number = atomic_fetch_add_explicit(&draws, 1, memory_order_relaxed) + 1;
    return splitmix_at(settings->schedule_seed + number * SPLITMIX_STEP);
}

uint64_t stream_draw(uint64_t choices)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    return settings != NULL && settings->schedule == SCHEDULE_RANDOM ? draw(settings) % choices : 0;
}

static int stale(const char *api, uint64_t identity)
{
    watch_ended(identity); /* the task was told of, perhaps behind the end */
    return report_misuse(RULE_DESTROYED, ACL_ERROR_RT_INVALID_HANDLE,
                         "%s: the stream was destroyed while it was in use; a live stream is expected", api);
}

/* Doubles the ring. Lock held; the running task works on a copy, so that the ring may move. */
static bool grow(struct stream *stream)
{
    uint32_t capacity = stream->capacity == 0 ? QUEUE_FIRST : stream->capacity * 2;
    struct queued_task *ring = (struct queued_task *)calloc(capacity, sizeof *ring);
    if (ring == NULL)
        return false;
    for (uint32_t i = 0; i < stream->count; i++)
        ring[i] = stream->ring[(stream->first + i) & (stream->capacity - 1)];
    free(stream->ring);
    stream->ring = ring;
    stream->capacity = capacity;
    stream->first = 0;
    return true;
}

/*
 * Waits until the queue has room, where that cannot last for ever: not inside a task, and not while the
 * stream waits for a callback that perhaps this very thread is to process. Lock held, given up meanwhile.
 */
static int make_room(const char *api, struct stream *stream, uint64_t identity, bool waits)
{
    while (stream->identity == identity && stream->count >= QUEUE_FULL) {
        bool is_parked = (atomic_load_explicit(&stream->state, memory_order_relaxed) & STREAM_PARKED) != 0;
        bool is_held = atomic_load_explicit(&stream->done, memory_order_relaxed) >= stream->released;
        if (is_held && stream->count >= QUEUE_LIMIT) {
            stream->released = stream->submitted;
            workers_add(stream);
            continue;
        }
        if (!waits || stream_frame_of_thread != NULL || is_parked || is_held) {
            if (stream->count >= QUEUE_LIMIT)
                return fail(
                    ACL_ERROR_RT_STREAM_TASK_FULL,
                    "%s: %u tasks of the stream are queued and cannot run before the caller goes on; at most "
                    "that many are accepted from inside a task or while a callback is awaited",
                    api, stream->count);
            return 0;
        }
        struct stream_point point = {stream, identity, stream->submitted - QUEUE_FULL * 3 / 4};
        pthread_mutex_unlock(&stream->lock);
        stream_wait(NULL, &point, clock_after_ns(STALL_NS), -1, true);
        pthread_mutex_lock(&stream->lock);
    }
    return 0;
}

int stream_make_room(const char *api, struct stream *stream, uint64_t identity)
{
    if ((atomic_load_explicit(&stream->state, memory_order_relaxed) & STREAM_PENDING) == 0)
        return 0;
    pthread_mutex_lock(&stream->lock);
    int status = make_room(api, stream, identity, true);
    pthread_mutex_unlock(&stream->lock);
    return status;
}

static int queue(const char *api, struct stream *stream, uint64_t identity, struct task *task,
                 struct stream_point *point, bool waits)
{
    TRY(workers_start(api));
    pthread_mutex_lock(&stream->lock);
    int status = make_room(api, stream, identity, waits);
    if (status == 0 && !handle_is_live(stream, identity))
        status = stale(api, identity);
    if (status == 0 && stream->count == stream->capacity && !grow(stream))
        status =
            fail(ACL_ERROR_BAD_ALLOC, "%s: %u tasks of the stream are queued and there is no memory for more",
                 api, stream->count);
    if (status != 0) {
        pthread_mutex_unlock(&stream->lock);
        return status;
    }
    struct queued_task *queued = &stream->ring[(stream->first + stream->count) & (stream->capacity - 1)];
    /*
     * The mark is read after the state has changed, so that it is not below that of a submitter who claimed
     * the stream before; that one's stays until it leaves. Until the task has its mark, an earlier one stands
     * for it.
     */
    if (stream->count == 0 &&
        (atomic_load_explicit(&stream->state, memory_order_relaxed) & STREAM_INLINE) == 0)
        atomic_store_explicit(&stream->oldest_mark, atomic_load_explicit(&device_marks, memory_order_acquire),
                              memory_order_release);
    atomic_fetch_or(&stream->state, STREAM_PENDING);
    uint64_t mark = atomic_load_explicit(&device_marks, memory_order_acquire);
    if (!is_current(task)) { /* see stream_claim */
        if (stream->count == 0)
            atomic_fetch_and(&stream->state, ~(uint32_t)STREAM_PENDING);
        pthread_mutex_unlock(&stream->lock);
        return STREAM_OUTDATED;
    }
    queued->task = *task;
    queued->mark = mark;
    queued->number = stream_tasks_of_thread;
    queued->thread = thread_id();
    stream->count++;
    stream->submitted++;
    if (point != NULL)
        *point = (struct stream_point){stream, identity, stream->submitted};
    if (stream_is_claimable(stream))
        workers_add(stream);
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

/*
 * Whether a task may run at once where the stream's limit does not say so. Under BELAY_SCHEDULE=random the
 * seed decides; lazy streams never do. Where somebody watches the limit of all streams is 0, so that every
 * task comes by here, and nobody else pays for it.
 */
static __attribute__((noinline)) bool may_run_inline(const struct stream *stream, struct task *task)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    if (trace_is_on())
        trace_submit(stream_lane(stream), task);
    if (settings == NULL)
        return false;
    return settings->schedule == SCHEDULE_RANDOM
               ? task->cost_ns <= INLINE_COST_NS && (draw(settings) & 1) != 0
               : accesses_are_watched() && task->cost_ns < stream_inline_limit(settings);
}

int stream_submit_to(const char *api, struct stream *stream, uint64_t identity, struct task *task,
                     struct stream_point *point, bool waits)
{
    stream_tasks_of_thread++;
    task->api = api;
    if (!stream_may_be_captured(stream))
        watch_submit(identity, task);
    if (task->cost_ns < atomic_load_explicit(&stream->inline_below_ns, memory_order_relaxed) ||
        may_run_inline(stream, task)) {
        enum outcome outcome = try_inline(stream, identity, task);
        if (__builtin_expect(outcome == OUTCOME_RUN, 1))
            return 0;
        if (outcome != OUTCOME_BUSY)
            return outcome == OUTCOME_STALE ? stale(api, identity) : STREAM_OUTDATED;
    }
    if (__builtin_expect(stream_may_be_captured(stream), 0)) {
        bool is_recorded;
        int status = recording->task(api, stream, identity, task, &is_recorded);
        if (status != 0 || is_recorded)
            return status;
        watch_submit(identity, task);
    }
    return queue(api, stream, identity, task, point, waits);
}

/* The program may be told of the work's end before this returns, by a function of its own: a wait counts that
 * comes behind the beginning. */
static __attribute__((noinline)) int submit_noted(const char *api, struct stream *stream, uint64_t identity,
                                                  struct task *task, struct stream_point *point, bool waits)
{
    uint64_t epoch = listener->order_epoch();
    int status = stream_submit_to(api, stream, identity, task, point, waits);
    if (status == 0 && !stream_may_be_captured(stream))
        listener->order_keep(api, identity, atomic_load_explicit(&stream->device, memory_order_relaxed),
                             epoch);
    return status;
}

int stream_submit_noted(const char *api, struct stream *stream, uint64_t identity, struct task *task,
                        struct stream_point *point, bool waits)
{
    return check_is_on(CHECK_ORDER) ? submit_noted(api, stream, identity, task, point, waits)
                                    : stream_submit_to(api, stream, identity, task, point, waits);
}

int stream_launch(const char *api, const struct stream_target *target, struct task *task)
{
    return stream_submit_noted(api, target->stream, target->identity, task, NULL, true);
}

int stream_submit(const char *api, aclrtStream handle, struct task *task)
{
    struct stream *stream;
    uint64_t identity;
    TRY(stream_resolve(api, handle, &stream, &identity));
    return stream_submit_noted(api, stream, identity, task, NULL, true);
}

/* Fills ready with streams that were parked until now and takes them off the list. Lock held. */
static uint32_t take_ready(struct stream *stream, struct stream_point *ready)
{
    uint32_t count = 0;
    uint64_t done = atomic_load_explicit(&stream->done, memory_order_relaxed);
    struct stream **link = &stream->waiting;
    while (*link != NULL && count < READY_BATCH) {
        struct stream *waiter = *link;
        if (waiter->waits_for <= done) {
            ready[count++] = (struct stream_point){waiter, waiter->waits_identity, waiter->waits_ordinal};
            *link = waiter->next_waiting;
        } else {
            link = &waiter->next_waiting;
        }
    }
    return count;
}

/* Tells threads and streams that wait for this one how far it has come. The owner's; lock given up meanwhile.
 */
static void announce(struct stream *stream)
{
    for (;;) {
        struct stream_point ready[READY_BATCH];
        uint32_t count = take_ready(stream, ready);
        bool wakes = stream->sleepers > 0 &&
                     atomic_load_explicit(&stream->done, memory_order_relaxed) >= stream->wake_ordinal;
        if (!wakes && count == 0)
            return;
        if (wakes) {
            stream->wake_ordinal = UINT64_MAX;
            atomic_fetch_add_explicit(&stream->signal, 1, memory_order_relaxed);
        }
        pthread_mutex_unlock(&stream->lock);
        if (wakes)
            futex_wake_all(&stream->signal);
        for (uint32_t i = 0; i < count; i++)
            stream_resume(&ready[i], false);
        pthread_mutex_lock(&stream->lock);
    }
}

/* The first task has ended. Lock held, given up meanwhile. */
static void finish_first(struct stream *stream, int status)
{
    const struct queued_task *ended = &stream->ring[stream->first];
    if (status != 0)
        stream_note_failure(stream, status, ended->number, ended->thread);
    stream->first = (stream->first + 1) & (stream->capacity - 1);
    stream->count--;
    stream->was_resumed = false;
    stream->has_timed_out = false;
    stream->parked_on = stream->function_waits_for = (struct stream_point){0};
    stream->parked_thread = 0;
    deadline_forget(stream);
    atomic_store_explicit(&stream->oldest_mark,
                          stream->count > 0 ? stream->ring[stream->first].mark : UINT64_MAX,
                          memory_order_release);
    atomic_store_explicit(&stream->done, atomic_load_explicit(&stream->done, memory_order_relaxed) + 1,
                          memory_order_release);
    announce(stream);
}

/*
 * How many tasks behind the first one do the same once more and need not run: they were submitted before it
 * begins, so that it reads what they would read, and it leaves all as they would leave it. Between them lies
 * nothing for which anybody could wait, to look at what they work on or to change it. Lock held.
 */
static uint32_t count_repeats(const struct stream *stream)
{
    const struct task *first = &stream->ring[stream->first].task;
    uint32_t count = 0;
    for (; count + 1 < stream->count && !accesses_are_watched() && !trace_is_on(); count++) {
        const struct task *next = &stream->ring[(stream->first + 1 + count) & (stream->capacity - 1)].task;
        if (next->repeats == NULL || !next->repeats(next, first))
            break;
    }
    return count;
}

void stream_run(struct stream *stream, uint64_t ordinal, uint32_t share)
{
    uint32_t repeats = 0;
    atomic_fetch_or(&stream->state, STREAM_RUNNING);
    workers_remove(stream);
    uint64_t identity = stream->identity;
    for (;;) {
        uint64_t number = atomic_load_explicit(&stream->done, memory_order_relaxed) + 1;
        if (stream->count == 0 || share == 0 || number > ordinal || number > stream->released ||
            !is_for_caller(stream))
            break;
        struct task task = stream->ring[stream->first].task;
        atomic_store_explicit(&stream->oldest_mark, stream->ring[stream->first].mark, memory_order_release);
        bool drops = number <= stream->dropped || (stream->stops_on_failure && stream->failure != 0);
        const bool is_repeat = repeats > 0;
        repeats = is_repeat ? repeats - 1 : drops ? 0 : count_repeats(stream);
        pthread_mutex_unlock(&stream->lock);
        int status = run_task(stream, identity, number, &task, drops || is_repeat);
        pthread_mutex_lock(&stream->lock);
        repeats = status == 0 ? repeats : 0;
        if (status == TASK_PARKED) {
            stream->ring[stream->first].task = task;
            if (!stream->was_resumed && number > stream->dropped) {
                atomic_fetch_or(&stream->state, STREAM_PARKED);
                break;
            }
            stream->was_resumed = false;
        } else {
            finish_first(stream, status);
            share--;
        }
    }
    leave(stream, STREAM_RUNNING);
}

void stream_serve(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (stream_is_claimable(stream))
        stream_run(stream, UINT64_MAX, SHARE);
    else
        pthread_mutex_unlock(&stream->lock);
}

void stream_close(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    uint32_t old = atomic_fetch_or(&stream->state, STREAM_CLOSED);
    if ((old & STREAM_BUSY) == 0)
        take_down(stream);
    else
        pthread_mutex_unlock(&stream->lock);
}
