/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Runs of graphs. A run is one task of its stream, which goes through the graph's tasks in the order of their
 * recording: that costs less for each than queueing it, and respects all edges. Only where a task has to wait
 * for something that is written meanwhile (aclrtValueWait) the run goes by lanes: what is recorded on the
 * other streams, and does not wait for that one, goes on.
 */
#include <string.h>

#include "acl/acl_rt.h"
#include "base/thread_id.h"
#include "base/order.h"
#include "base/watch.h"
#include "runtime/capture/capture.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/futex.h"
#include "runtime/capture/graph.h"
#include "runtime/capture/task_group.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/streams/struck.h"
#include "runtime/timeline/trace.h"

/* How often a run looks whether another one of the graph has ended that it could not wait for in the ordinary
 * way. */
enum { LOOK_NS = 100000 };

/* How many tasks begin before the run looks whether the stream was aborted. */
enum { ABORT_STEPS = 64 };

struct replay {
    struct graph *graph;       /* a reference */
    struct stream_point after; /* the run before it on another stream; nowhere when there is none */
    uint32_t next;             /* the first step that has not run */
    uint32_t number, thread;   /* of the call, for failures */
    bool has_begun;            /* and has the graph for itself */
    bool goes_by_lanes;
};
_Static_assert(sizeof(struct replay) <= TASK_PAYLOAD_BYTES, "fits a task");

static struct replay *replay_of(const struct task *task)
{
    return (struct replay *)(void *)task->payload;
}

/* The first step whose memory was freed since, or step_count. */
static uint32_t find_outdated(const struct graph *graph)
{
    uint32_t i = 0;
    while (i < graph->step_count &&
           (graph->step[i].task.is_current == NULL || graph->step[i].task.is_current(&graph->step[i].task)))
        i++;
    return i;
}

/*
 * Nothing is looked up again as long as nobody has taken memory away since it was all found live. Whoever
 * does changes the record, raises device_marks and looks for unfinished work then: the mark is read behind
 * the change of the stream's state, so that one of the two sees the other. The graph's lock is held.
 */
static bool replay_is_current(const struct task *task)
{
    struct graph *graph = replay_of(task)->graph;
    uint64_t marks = atomic_load_explicit(&device_marks, memory_order_seq_cst);
    if (graph->is_known_live && graph->live_marks == marks)
        return true;
    graph->is_known_live = find_outdated(graph) == graph->step_count && !task_updates_are_outdated(graph);
    graph->live_marks = marks;
    return graph->is_known_live;
}

/* A task of the graph has failed as the stream's own would. Whether the stream stops for it. */
static bool note_failure(const struct replay *replay, int status)
{
    struct stream *stream = stream_frame_of_thread->stream;
    pthread_mutex_lock(&stream->lock);
    stream_note_failure(stream, status, replay->number, replay->thread);
    bool stops = stream->stops_on_failure;
    pthread_mutex_unlock(&stream->lock);
    return stops;
}

static bool is_aborted(void)
{
    const struct stream_frame *frame = stream_frame_of_thread;
    pthread_mutex_lock(&frame->stream->lock);
    bool is_dropped = frame->ordinal != 0 && frame->stream->dropped >= frame->ordinal;
    pthread_mutex_unlock(&frame->stream->lock);
    return is_dropped;
}

enum progress { STEP_DONE, STEP_WAITS, RUN_ENDS };

/* A timeline that has begun since the graph was recorded gets to know its tasks now. */
static void tell_tasks(struct graph *graph, const struct stream *stream)
{
    const void *timeline = trace_timeline();
    task_groups_lock();
    for (uint32_t i = 0; i < graph->step_count && graph->told_to != timeline; i++)
        if (!graph->step[i].is_wait)
            trace_submit(stream_lane(stream), &graph->step[i].task);
    graph->told_to = timeline;
    task_groups_unlock();
}

static enum progress run_step(const struct replay *replay, struct graph_step *step)
{
    const struct stream *stream = stream_frame_of_thread->stream;
    uint64_t begin_ns = 0;
    if (step->group != NULL)
        task_group_enter(step->group);
    if (trace_is_on()) {
        tell_tasks(replay->graph, stream);
        begin_ns = trace_run_begins(stream_lane(stream), &step->task);
    }
    int status = task_run_on(&step->task, atomic_load_explicit(&stream->device, memory_order_relaxed));
    if (__builtin_expect(begin_ns != 0, 0))
        trace_run(stream_lane(stream), &step->task, begin_ns, TRACE_RUN_STEP, status);
    if (step->group != NULL)
        task_group_leave(step->group);
    if (__builtin_expect(status == 0, 1))
        return STEP_DONE;
    if (status == TASK_PARKED)
        return STEP_WAITS;
    return note_failure(replay, status) ? RUN_ENDS : STEP_DONE;
}

/* The lane's first step from this one on. */
static uint32_t find_step(const struct graph *graph, uint32_t lane, uint32_t step)
{
    while (step < graph->step_count && graph->step[step].lane != lane)
        step++;
    return step;
}

/* Runs a lane as far as it goes. *progress is STEP_WAITS where it has not come to its end. */
static bool run_lane(const struct replay *replay, uint32_t lane, enum progress *progress)
{
    struct graph *graph = replay->graph;
    uint32_t *next = &graph->lane[lane].next;
    bool has_moved = false;
    while (*next < graph->step_count) {
        struct graph_step *step = &graph->step[*next];
        if (step->is_wait)
            *progress = graph->lane[step->wait_lane].next < step->wait_step ? STEP_WAITS : STEP_DONE;
        else
            *progress = run_step(replay, step);
        if (*progress != STEP_DONE)
            return has_moved;
        *next = find_step(graph, lane, *next + 1);
        has_moved = true;
    }
    *progress = STEP_DONE;
    return has_moved;
}

/* STEP_WAITS where every lane that has not ended waits for something from outside, or for one that does. */
static enum progress run_lanes(const struct replay *replay)
{
    bool has_moved, waits;
    do {
        has_moved = waits = false;
        for (uint32_t lane = 0; lane < replay->graph->lane_count; lane++) {
            enum progress progress;
            has_moved |= run_lane(replay, lane, &progress);
            if (progress == RUN_ENDS || is_aborted())
                return RUN_ENDS;
            waits |= progress == STEP_WAITS;
        }
    } while (has_moved && waits);
    return waits ? STEP_WAITS : STEP_DONE;
}

static enum progress run_steps(struct replay *replay)
{
    struct graph *graph = replay->graph;
    for (; replay->next < graph->step_count; replay->next++) {
        struct graph_step *step = &graph->step[replay->next];
        if (step->is_wait) /* what it waits for stands before it */
            continue;
        enum progress progress = run_step(replay, step);
        if (progress != STEP_DONE)
            return progress;
        if (replay->next % ABORT_STEPS == ABORT_STEPS - 1 && is_aborted())
            return RUN_ENDS;
    }
    return STEP_DONE;
}

static int run_replay(struct task *task)
{
    struct replay *replay = replay_of(task);
    struct graph *graph = replay->graph;
    if (!replay->has_begun) {
        if (!stream_await(&replay->after, FUTEX_FOREVER))
            return TASK_PARKED;
        /* The run before that one may still go on, where that one was dropped. */
        if (atomic_exchange_explicit(&graph->is_running, true, memory_order_acq_rel)) {
            stream_rest_until(clock_after_ns(LOOK_NS));
            return TASK_PARKED;
        }
        replay->has_begun = true;
    }
    enum progress progress = STEP_DONE;
    if (!replay->goes_by_lanes) {
        progress = run_steps(replay);
        replay->goes_by_lanes = progress == STEP_WAITS;
        for (uint32_t lane = 0; replay->goes_by_lanes && lane < graph->lane_count; lane++)
            graph->lane[lane].next = find_step(graph, lane, replay->next);
    }
    if (replay->goes_by_lanes)
        progress = run_lanes(replay);
    return progress == STEP_WAITS ? TASK_PARKED : 0;
}

static void release_replay(struct task *task)
{
    struct replay *replay = replay_of(task);
    stream_forget_point(&replay->after);
    if (replay->has_begun)
        atomic_store_explicit(&replay->graph->is_running, false, memory_order_release);
    graph_drop(replay->graph);
}

/* All that the graph's tasks read and write. */
static void describe_replay(const struct task *task, struct access_visitor *visitor)
{
    const struct graph *graph = replay_of(task)->graph;
    task_groups_lock();
    for (uint32_t i = 0; i < graph->step_count; i++) {
        const struct task *own = &graph->step[i].task;
        if (!graph->step[i].is_wait && own->describe != NULL)
            own->describe(own, visitor);
    }
    task_groups_unlock();
}

static int tell_outdated(const char *api, const struct graph *graph)
{
    uint32_t step = find_outdated(graph);
    if (step == graph->step_count)
        return report_misuse(RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
                             "%s: an update of the graph that is queued uses memory that was freed since; "
                             "memory that lives as "
                             "long as the graph is run is expected",
                             api);
    const char *name = graph->step[step].name;
    return report_misuse(
        RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
        "%s: step %u of the graph, %s, uses memory that was freed since it was recorded; memory that "
        "lives as long as the graph is run is expected",
        api, (unsigned)step, name);
}

/* Queues a run of a locked graph. */
static int queue(const char *api, struct graph *graph, struct stream *stream, uint64_t identity,
                 struct stream_point *point)
{
    if (atomic_load_explicit(&stream->device, memory_order_relaxed) != graph->device)
        return report_misuse(RULE_OWNER, ACL_ERROR_RT_MODEL_CONTEXT,
                             "%s: the graph was recorded on device %d; a stream of that device is expected",
                             api, (int)graph->device);
    if (graph->step_count == 0)
        return 0;
    struct task task = {.run = run_replay,
                        .release = release_replay,
                        .is_current = replay_is_current,
                        .describe = describe_replay,
                        .cost_ns = graph->cost_ns,
                        .runs_program = graph->runs_program,
                        .runs_once = true,
                        .is_compound = true};
    struct replay replay = {.graph = graph, .number = stream_tasks_of_thread + 1, .thread = thread_id()};
    /* A run that has been queued and has not ended has a reference. Without one this one may begin here and
     * now, where the lock keeps others from beginning. */
    if (atomic_fetch_add_explicit(&graph->references, 1, memory_order_acq_rel) > 1) {
        task.cost_ns = TASK_NEVER_INLINE;
        if (graph->last.stream != stream || graph->last.identity != identity)
            replay.after = graph->last;
    }
    memcpy(task.payload, &replay, sizeof replay);
    int status = stream_submit_noted(api, stream, identity, &task, point, false);
    if (status != 0)
        atomic_fetch_sub_explicit(&graph->references, 1, memory_order_relaxed);
    else if (point->stream != NULL)
        graph->last = *point;
    return status == STREAM_OUTDATED ? tell_outdated(api, graph) : status;
}

/* Room is made before the lock is taken: what is queued may have to come to this graph. */
static int run(const char *api, aclmdlRI handle, struct stream *stream, uint64_t identity,
               struct stream_point *point)
{
    struct graph *graph;
    TRY(stream_make_room(api, stream, identity));
    TRY(graph_lock(api, handle, &graph));
    int status = queue(api, graph, stream, identity, point);
    pthread_mutex_unlock(&graph->lock);
    return status;
}

/* The argument's own faults come before those of the stream. It is looked at again with the lock held. */
static int check(const char *api, aclmdlRI handle)
{
    const struct graph *found = (const struct graph *)handle_find(&graph_table, (uint64_t)(uintptr_t)handle);
    if (found != NULL && atomic_load_explicit(&found->is_recorded, memory_order_acquire))
        return 0;
    struct graph *graph;
    TRY(graph_lock(api, handle, &graph));
    pthread_mutex_unlock(&graph->lock);
    return 0;
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct stream *object;
    uint64_t identity;
    struct stream_point point = {0};
    TRY(check(__func__, modelRI));
    TRY(stream_resolve(__func__, stream, &object, &identity));
    return run(__func__, modelRI, object, identity, &point);
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclmdlRIExecute";
    struct stream *stream;
    uint64_t identity;
    struct stream_point point = {0};
    TRY(check(api, modelRI));
    if (timeout < -1 || timeout == 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument timeout is %d; milliseconds above 0, or -1 for no limit, are expected", api,
                    timeout);
    TRY(stream_resolve(api, NULL, &stream, &identity));
    if (stream_caller_runs_in(stream, identity))
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
            "%s: the calling callback belongs to the default stream, on which the graph is to run; "
            "aclmdlRIExecuteAsync on another stream is expected",
            api);
    uint64_t deadline_ns = timeout < 0 ? FUTEX_FOREVER : clock_after_ns((uint64_t)timeout * 1000000);
    TRY(run(api, modelRI, stream, identity, &point));
    streams_start_queued();
    int status = stream_wait(api, &point, deadline_ns, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, timeout < 0);
    if (status == 0) {
        watch_waited(identity);
        order_waited();
    }
    if (status == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        return fail_unreported(status,
                               "%s: the graph had not ended when the time was over; a longer timeout, or -1 "
                               "for none, is expected",
                               api);
    return status != 0 ? status : stream_take_fault(api, stream, identity, 0);
}

aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
    TRACE_THIS_CALL;
    struct graph *graph;
    TRY(graph_lock(__func__, modelRI, &graph));
    struct stream_point last = graph->last;
    pthread_mutex_unlock(&graph->lock);
    streams_start_queued();
    TRY(stream_wait(__func__, &last, FUTEX_FOREVER, 0, true));
    TRY(graph_lock(__func__, modelRI, &graph)); /* of several threads one destroys it */
    handle_retire(graph, (uint64_t)(uintptr_t)modelRI);
    pthread_mutex_unlock(&graph->lock);
    graph_drop(graph);
    return 0;
}
