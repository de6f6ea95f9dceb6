/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Updates of groups: what is queued between two calls is not queued but takes the place of a group's tasks.
 */
#include "runtime/capture/task_update.h"

#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/watch.h"
#include "runtime/capture/capture.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"

/* How often a stream looks whether the group's task that it waits for has ended, and what an exchange costs.
 */
enum { LOOK_NS = 50000, EXCHANGE_COST_NS = 500 };

static int tell_stale(const char *api, const char *argument)
{
    return report_misuse(RULE_DESTROYED, ACL_ERROR_RT_INVALID_HANDLE,
                         "%s: %s belongs to a graph that was destroyed; one of a live graph is expected", api,
                         argument);
}

static int check_group(const char *api, aclrtTaskGrp handle)
{
    return handle != NULL ? 0
                          : report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                                          "%s: argument handle is NULL; a group of tasks is expected", api);
}

/* Locks the graph of a group, which has been recorded. 107017, 107026. */
static int lock_group(const char *api, aclrtTaskGrp handle, struct task_group **group, struct graph **graph)
{
    uint64_t value = (uint64_t)(uintptr_t)handle;
    *group = (struct task_group *)handle_find(&task_group_table, value);
    if (*group == NULL)
        return report_misuse(
            handle_rule(&task_group_table, value), ACL_ERROR_RT_INVALID_HANDLE,
            "%s: argument handle %s; a group of tasks from aclmdlRICaptureTaskGrpEnd is expected", api,
            handle_fault(&task_group_table, value));
    uint64_t graph_handle = atomic_load_explicit(&(*group)->graph_handle, memory_order_relaxed);
    *graph = (struct graph *)handle_find(&graph_table, graph_handle);
    if (*graph == NULL)
        return tell_stale(api, "argument handle");
    pthread_mutex_lock(&(*graph)->lock);
    bool is_live = handle_is_live(*graph, graph_handle) && handle_is_live(*group, value);
    if (is_live && atomic_load_explicit(&(*graph)->is_recorded, memory_order_acquire))
        return 0;
    pthread_mutex_unlock(&(*graph)->lock);
    return is_live ? report_misuse(RULE_STATE, ACL_ERROR_RT_MODEL_CAPTURED,
                                   "%s: the graph of argument handle is still being recorded; "
                                   "aclmdlRICaptureEnd is expected before",
                                   api)
                   : tell_stale(api, "argument handle");
}

/* An update without tasks; with a reference to the graph, whose lock is held. NULL when there is no memory.
 */
static struct task_update *create(struct graph *graph, struct task_group *group)
{
    struct task_update *update = (struct task_update *)calloc(1, sizeof *update);
    if (update == NULL)
        return NULL;
    atomic_fetch_add_explicit(&graph->references, 1, memory_order_relaxed);
    update->graph = graph;
    update->graph_handle = atomic_load_explicit(&group->graph_handle, memory_order_relaxed);
    update->group = group;
    return update;
}

/* Has the stream collect tasks for the update. 0, or codes without a sentence. */
static int attach(struct stream *stream, uint64_t identity, struct task_update *update)
{
    pthread_mutex_lock(&captures_lock);
    int status = stream->capture != NULL       ? ACL_ERROR_RT_STREAM_CAPTURED
                 : stream->task_update != NULL ? ACL_ERROR_STREAM_TASK_GROUP_STATUS
                                               : 0;
    if (status == 0) {
        pthread_mutex_lock(&stream->lock);
        if (handle_is_live(stream, identity))
            atomic_fetch_or(&stream->state, STREAM_CAPTURING);
        else
            status = ACL_ERROR_RT_INVALID_HANDLE;
        pthread_mutex_unlock(&stream->lock);
    }
    if (status == 0) {
        stream->task_update = update;
        atomic_fetch_add_explicit(&captures_open, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&captures_lock);
    return status;
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct stream *object;
    uint64_t identity;
    TRY(check_group(__func__, handle));
    TRY(stream_resolve(__func__, stream, &object, &identity));
    struct task_group *group = NULL;
    struct graph *graph = NULL;
    TRY(lock_group(__func__, handle, &group, &graph));
    bool is_near = atomic_load_explicit(&object->device, memory_order_relaxed) == graph->device;
    struct task_update *update = is_near ? create(graph, group) : NULL;
    pthread_mutex_unlock(&graph->lock);
    if (!is_near)
        return report_misuse(
            RULE_OWNER, ACL_ERROR_RT_MODEL_CONTEXT,
            "%s: the group was recorded on another device than the stream's; a stream of its device is "
            "expected",
            __func__);
    if (update == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for an update", __func__);
    int status = attach(object, identity, update);
    if (status == 0)
        return 0;
    task_update_drop(update);
    if (status == ACL_ERROR_RT_INVALID_HANDLE)
        return capture_tell_stale(__func__);
    return status == ACL_ERROR_RT_STREAM_CAPTURED
               ? report_misuse(RULE_STATE, status,
                               "%s: argument stream is being recorded itself; another one is expected",
                               __func__)
               : report_misuse(RULE_STATE, status,
                               "%s: argument stream updates a group already; "
                               "aclmdlRICaptureTaskUpdateEnd is expected before",
                               __func__);
}

/* Whether the tasks are of the functions of the group's, in their order. The graph's lock is held. */
static int compare(const char *api, const struct task_update *update)
{
    const struct task_group *group = update->group;
    if (update->count != group->task_count)
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
            "%s: %u tasks came for a group of %u; as many are expected, and the group stays as it is", api,
            (unsigned)update->count, (unsigned)group->task_count);
    const struct graph_step *step = &update->graph->step[group->first_step];
    for (uint32_t i = 0; i < update->count; i++, step++) {
        while (step->group != group)
            step++;
        if (strcmp(step->name, update->step[i].name) != 0)
            return report_misuse(
                RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
                "%s: task %u of the group is of %s, and %s came for it; the same functions in the same order "
                "are expected, and the group stays as it is",
                api, (unsigned)i, step->name, update->step[i].name);
    }
    return 0;
}

/* Gives the tasks their temporary memory. False when there is none. */
static bool give_scratch(struct task_update *update)
{
    const size_t most = graph_scratch_bytes(update->step, update->count);
    void *scratch = update->graph->scratch;
    if (most > update->graph->scratch_bytes)
        scratch = update->scratch = graph_scratch(most);
    if (most > 0 && scratch == NULL)
        return false;
    graph_give_scratch(update->step, update->count, scratch);
    return true;
}

/* The graph's lock is held. */
static void forget(struct graph *graph, const struct task_update *update)
{
    struct task_update **link = &graph->updates;
    while (*link != NULL && *link != update)
        link = &(*link)->next;
    if (*link != NULL)
        *link = update->next;
}

/* Brings the sum of the tasks' costs up to date; once it is TASK_NEVER_INLINE it stays. */
static void change_cost(struct graph *graph, uint64_t old_ns, uint64_t new_ns)
{
    if (graph->cost_ns != TASK_NEVER_INLINE &&
        __builtin_add_overflow(graph->cost_ns - old_ns, new_ns, &graph->cost_ns))
        graph->cost_ns = TASK_NEVER_INLINE;
}

static struct task_update *update_of(const struct task *task)
{
    struct task_update *update;
    memcpy(&update, task->payload, sizeof update);
    return update;
}

/* Exchanges the tasks of the group for those of the update, once none of them runs. */
static int run_exchange(struct task *task)
{
    struct task_update *update = update_of(task);
    struct graph *graph = update->graph;
    struct task_group *group = update->group;
    pthread_mutex_lock(&graph->lock);
    task_groups_lock();
    bool waits = group->is_running;
    struct graph_step *step = graph->step + group->first_step;
    for (uint32_t i = 0; i < update->count && !waits; i++, step++) {
        while (step->group != group)
            step++;
        struct task old = step->task;
        step->task = update->step[i].task;
        update->step[i].task = old;
        change_cost(graph, old.cost_ns, step->task.cost_ns);
    }
    if (!waits) {
        void *old = group->scratch;
        group->scratch = update->scratch;
        update->scratch = old;
        if (update->told_to != graph->told_to)
            graph->told_to = NULL;
        forget(graph, update);
    }
    task_groups_unlock();
    pthread_mutex_unlock(&graph->lock);
    if (waits)
        stream_rest_until(clock_after_ns(LOOK_NS));
    return waits ? TASK_PARKED : 0;
}

/* What the update holds now: old tasks, or its own where it was abandoned. */
static void release_exchange(struct task *task)
{
    struct task_update *update = update_of(task);
    pthread_mutex_lock(&update->graph->lock);
    forget(update->graph, update);
    pthread_mutex_unlock(&update->graph->lock);
    task_update_drop(update);
}

/* Queues the exchange. The update is the stream's from then on; where this fails, it is the caller's. */
static int send(const char *api, struct stream *stream, uint64_t identity, struct task_update *update)
{
    struct graph *graph = update->graph;
    pthread_mutex_lock(&graph->lock);
    int status = handle_is_live(graph, update->graph_handle) ? compare(api, update)
                                                             : tell_stale(api, "the group of tasks");
    if (status == 0 && !give_scratch(update))
        status = fail(
            ACL_ERROR_BAD_ALLOC,
            "%s: there is no memory for the temporary memory of the tasks; the group stays as it is", api);
    if (status == 0) {
        struct task_update **link = &graph->updates;
        while (*link != NULL)
            link = &(*link)->next;
        *link = update;
        graph->is_known_live = false;
    }
    pthread_mutex_unlock(&graph->lock);
    TRY(status);
    struct task task = {.run = run_exchange,
                        .release = release_exchange,
                        .cost_ns = TASK_NEVER_INLINE, /* it may have to wait */
                        .runs_once = true};
    memcpy(task.payload, &update, sizeof update);
    status = stream_submit_noted(api, stream, identity, &task, NULL, true);
    if (status != 0) {
        pthread_mutex_lock(&graph->lock);
        forget(graph, update);
        pthread_mutex_unlock(&graph->lock);
    }
    return status;
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    pthread_mutex_lock(&captures_lock);
    struct task_update *update = handle_is_live(object, identity) ? capture_detach_update(object) : NULL;
    pthread_mutex_unlock(&captures_lock);
    if (update == NULL)
        return report_misuse(
            RULE_STATE, ACL_ERROR_STREAM_TASK_GROUP_STATUS,
            "%s: argument stream updates no group; aclmdlRICaptureTaskUpdateBegin is expected before",
            __func__);
    watch_capture_end(&update->watched);
    update->told_to = trace_is_on() ? trace_timeline() : NULL;
    int status = send(__func__, object, identity, update);
    if (status != 0)
        task_update_drop(update);
    return status;
}
