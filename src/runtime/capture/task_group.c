/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Groups of recorded tasks: how they begin and end, and what graphs and captures ask of them and of their
 * updates. The calls that update them are in task_update.c.
 */
#include "runtime/capture/task_group.h"

#include <stdlib.h>

#include "acl/acl_rt.h"
#include "base/watch.h"
#include "runtime/capture/capture.h"
#include "base/error.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/capture/task_update.h"
#include "runtime/timeline/trace.h"

enum { GROUPS_MAX = 1 << 20, UPDATE_FIRST = 4 };

struct handle_table task_group_table = HANDLE_TABLE(HANDLE_TASK_GROUP, struct task_group, GROUPS_MAX);

static pthread_mutex_t exchanges = PTHREAD_MUTEX_INITIALIZER;

void task_groups_lock(void)
{
    pthread_mutex_lock(&exchanges);
}

void task_groups_unlock(void)
{
    pthread_mutex_unlock(&exchanges);
}

void task_group_enter(struct task_group *group)
{
    task_groups_lock();
    group->is_running = true;
    task_groups_unlock();
}

void task_group_leave(struct task_group *group)
{
    task_groups_lock();
    group->is_running = false;
    task_groups_unlock();
}

void task_groups_release(struct task_group *first)
{
    while (first != NULL) {
        struct task_group *group = first;
        first = group->next;
        if (group->has_handle)
            handle_retire(group, atomic_load_explicit(&group->slot.handle, memory_order_relaxed));
        free(group->scratch);
        handle_release(&task_group_table, group);
    }
}

bool task_updates_are_outdated(const struct graph *graph)
{
    for (const struct task_update *update = graph->updates; update != NULL; update = update->next)
        for (uint32_t i = 0; i < update->count; i++) {
            const struct task *task = &update->step[i].task;
            if (task->is_current != NULL && !task->is_current(task))
                return true;
        }
    return false;
}

int task_update_add(struct task_update *update, const char *api, struct task *task)
{
    watch_captured(&update->watched, 0, task);
    if (task->runs_once)
        return ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
    if (task->is_current != NULL && !task->is_current(task))
        return STREAM_OUTDATED;
    void *array = update->step;
    if (!graph_make_room(&array, update->count, &update->capacity, UPDATE_FIRST, sizeof *update->step))
        return ACL_ERROR_BAD_ALLOC;
    update->step = (struct graph_step *)array;
    struct graph_step *step = &update->step[update->count++];
    *step = (struct graph_step){.task = *task, .name = api};
    step->scratch_bytes = task->use_scratch != NULL ? task->use_scratch(&step->task, NULL) : 0;
    return 0;
}

void task_update_drop(struct task_update *update)
{
    watch_capture_end(&update->watched);
    for (uint32_t i = 0; i < update->count; i++)
        if (update->step[i].task.release != NULL)
            update->step[i].task.release(&update->step[i].task);
    graph_drop(update->graph);
    free(update->scratch);
    free(update->step);
    free(update);
}

/* The capture of the stream; NULL with a status, without a sentence. The lock of captures is held. */
static struct capture *find_capture(const struct stream *stream, uint64_t identity, int *status)
{
    struct capture *capture = handle_is_live(stream, identity) ? stream->capture : NULL;
    *status = capture == NULL    ? ACL_ERROR_RT_STREAM_NOT_CAPTURED
              : capture->is_lost ? ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED
                                 : 0;
    return *status == 0 ? capture : NULL;
}

static int tell(const char *api, int status)
{
    switch (status) {
    case 0:
        return 0;
    case ACL_ERROR_RT_STREAM_NOT_CAPTURED:
        return report_misuse(
            RULE_STATE, status,
            "%s: argument stream is not being recorded; aclmdlRICaptureBegin is expected before", api);
    case ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED:
        return fail(status,
                    "%s: the capture of the stream is lost, because an earlier call could not be recorded; "
                    "aclmdlRICaptureEnd ends it",
                    api);
    default:
        return fail(status, "%s: there is no memory for another group of tasks", api);
    }
}

/* The stream of a call, which must not be NULL. */
static int resolve(const char *api, aclrtStream stream, struct stream **object, uint64_t *identity)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (stream == NULL)
        return report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "%s: argument stream is NULL; a stream that is being recorded is expected", api);
    return stream_resolve(api, stream, object, identity);
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct stream *object;
    uint64_t identity;
    TRY(resolve(__func__, stream, &object, &identity));
    int status;
    bool is_open = false;
    pthread_mutex_lock(&captures_lock);
    const struct capture *capture = find_capture(object, identity, &status);
    if (capture != NULL) {
        struct graph *graph = capture->graph;
        struct graph_lane *lane = &graph->lane[object->lane];
        is_open = lane->group != NULL;
        struct task_group *group = is_open ? NULL : (struct task_group *)handle_acquire(&task_group_table);
        if (!is_open && group == NULL)
            status = ACL_ERROR_BAD_ALLOC;
        if (group != NULL) {
            atomic_store_explicit(&group->graph_handle, capture->graph_handle, memory_order_relaxed);
            group->has_handle = group->is_running = false;
            group->scratch = NULL;
            group->first_step = graph->step_count;
            group->task_count = 0;
            group->next = graph->groups;
            graph->groups = lane->group = group;
        }
    }
    pthread_mutex_unlock(&captures_lock);
    return is_open ? report_misuse(RULE_STATE, ACL_ERROR_STREAM_TASK_GROUP_STATUS,
                                   "%s: the stream is in a group of tasks already; "
                                   "aclmdlRICaptureTaskGrpEnd is expected before",
                                   __func__)
                   : tell(__func__, status);
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
    TRACE_THIS_CALL;
    struct stream *object;
    uint64_t identity;
    if (stream != NULL)
        TRY(check_result(__func__, "handle", handle));
    TRY(resolve(__func__, stream, &object, &identity));
    int status;
    struct task_group *group = NULL;
    pthread_mutex_lock(&captures_lock);
    const struct capture *capture = find_capture(object, identity, &status);
    if (capture != NULL) {
        group = capture->graph->lane[object->lane].group;
        capture->graph->lane[object->lane].group = NULL;
    }
    if (group != NULL) {
        group->has_handle = true;
        *handle = (aclrtTaskGrp)(uintptr_t)handle_publish(&task_group_table, group);
    }
    pthread_mutex_unlock(&captures_lock);
    return capture != NULL && group == NULL
               ? report_misuse(
                     RULE_STATE, ACL_ERROR_STREAM_TASK_GROUP_STATUS,
                     "%s: the stream is in no group of tasks; aclmdlRICaptureTaskGrpBegin is expected before",
                     __func__)
               : tell(__func__, status);
}
