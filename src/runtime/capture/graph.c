/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Graphs: made, filled, and what programs ask of them. They are run by replay.c.
 */
#include "runtime/capture/graph.h"
#include "runtime/capture/task_group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/log.h"
#include "base/report.h"
#include "base/saboteur.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"

enum { GRAPHS_MAX = 65536, STEPS_FIRST = 16, LANES_FIRST = 4, SCRATCH_ALIGNMENT = 64 };

struct handle_table graph_table = HANDLE_TABLE(HANDLE_GRAPH, struct graph, GRAPHS_MAX);

struct graph *graph_create(int32_t device, uint64_t *handle)
{
    static _Atomic uint32_t ids;
    struct graph *graph = (struct graph *)handle_acquire(&graph_table);
    if (graph == NULL)
        return NULL;
    if (!graph->lock_exists && pthread_mutex_init(&graph->lock, NULL) != 0) {
        handle_release(&graph_table, graph);
        return NULL;
    }
    graph->lock_exists = true;
    pthread_mutex_lock(&graph->lock); /* stale handles may still lead others to this slot */
    atomic_store(&graph->references, 1);
    atomic_store(&graph->is_recorded, false);
    atomic_store(&graph->is_running, false);
    graph->last = (struct stream_point){0};
    graph->is_known_live = false;
    graph->id = atomic_fetch_add(&ids, 1) + 1;
    graph->device = device;
    graph->cost_ns = 0;
    graph->runs_program = false;
    graph->step = NULL;
    graph->lane = NULL;
    graph->step_count = graph->step_capacity = graph->lane_count = graph->lane_capacity = 0;
    graph->scratch = NULL;
    graph->scratch_bytes = 0;
    graph->groups = NULL;
    graph->updates = NULL;
    graph->told_to = trace_is_on() ? trace_timeline() : NULL; /* each is told where it is recorded */
    *handle = handle_publish(&graph_table, graph);
    pthread_mutex_unlock(&graph->lock);
    return graph;
}

bool graph_make_room(void **array, uint32_t count, uint32_t *capacity, uint32_t first, size_t bytes)
{
    if (count < *capacity)
        return true;
    if (count > UINT32_MAX / 4)
        return false;
    uint32_t wanted = *capacity == 0 ? first : *capacity * 2;
    void *longer = realloc(*array, wanted * bytes);
    if (longer == NULL)
        return false;
    *array = longer;
    *capacity = wanted;
    return true;
}

bool graph_add_step(struct graph *graph, const struct graph_step *step)
{
    void *array = graph->step;
    if (!graph_make_room(&array, graph->step_count, &graph->step_capacity, STEPS_FIRST, sizeof *step))
        return false;
    graph->step = (struct graph_step *)array;
    struct graph_step *own = &graph->step[graph->step_count++];
    *own = *step;
    const struct task *task = &own->task;
    if (own->is_wait)
        return true;
    own->scratch_bytes = task->use_scratch != NULL ? task->use_scratch(&own->task, NULL) : 0;
    graph->runs_program |= task->runs_program;
    if (__builtin_add_overflow(graph->cost_ns, task->cost_ns, &graph->cost_ns))
        graph->cost_ns = TASK_NEVER_INLINE;
    return true;
}

bool graph_add_lane(struct graph *graph, struct stream *stream)
{
    void *array = graph->lane;
    if (!graph_make_room(&array, graph->lane_count, &graph->lane_capacity, LANES_FIRST, sizeof *graph->lane))
        return false;
    graph->lane = (struct graph_lane *)array;
    graph->lane[graph->lane_count++] = (struct graph_lane){
        .stream = stream, .id = atomic_load_explicit(&stream->place, memory_order_relaxed)};
    return true;
}

void *graph_scratch(size_t bytes)
{
    return bytes <= PTRDIFF_MAX - SCRATCH_ALIGNMENT
               ? aligned_alloc(SCRATCH_ALIGNMENT,
                               (bytes + SCRATCH_ALIGNMENT - 1) & ~(size_t)(SCRATCH_ALIGNMENT - 1))
               : NULL;
}

size_t graph_scratch_bytes(const struct graph_step *step, uint32_t count)
{
    size_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = step[i].scratch_bytes > most ? step[i].scratch_bytes : most;
    return most;
}

void graph_give_scratch(struct graph_step *step, uint32_t count, void *scratch)
{
    for (uint32_t i = 0; i < count; i++)
        if (step[i].scratch_bytes > 0)
            step[i].task.use_scratch(&step[i].task, scratch);
}

bool graph_finish(struct graph *graph)
{
    const size_t most = graph_scratch_bytes(graph->step, graph->step_count);
    if (most > 0) {
        graph->scratch = graph_scratch(most);
        if (graph->scratch == NULL)
            return false;
        graph->scratch_bytes = most;
        graph_give_scratch(graph->step, graph->step_count, graph->scratch);
    }
    atomic_store_explicit(&graph->is_recorded, true, memory_order_release);
    return true;
}

void graph_drop(struct graph *graph)
{
    if (atomic_fetch_sub_explicit(&graph->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < graph->step_count; i++)
        if (graph->step[i].task.release != NULL)
            graph->step[i].task.release(&graph->step[i].task);
    task_groups_release(graph->groups);
    free(graph->step);
    free(graph->lane);
    free(graph->scratch);
    handle_release(&graph_table, graph);
}

int graph_lock(const char *api, void *handle, struct graph **graph)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    uint64_t value = (uint64_t)(uintptr_t)handle;
    if (handle == NULL)
        return report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "%s: argument modelRI is NULL; a graph is expected", api);
    bool is_live = false;
    *graph = (struct graph *)handle_find(&graph_table, value);
    if (*graph != NULL) {
        pthread_mutex_lock(&(*graph)->lock);
        is_live = handle_is_live(*graph, value);
        if (is_live && atomic_load_explicit(&(*graph)->is_recorded, memory_order_acquire))
            return 0;
        pthread_mutex_unlock(&(*graph)->lock);
    }
    if (is_live)
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_MODEL_CAPTURED,
            "%s: argument modelRI is still being recorded; aclmdlRICaptureEnd is expected before", api);
    return report_misuse(handle_rule(&graph_table, value), ACL_ERROR_RT_INVALID_HANDLE,
                         "%s: argument modelRI %s; a graph from aclmdlRICaptureEnd is expected", api,
                         handle_fault(&graph_table, value));
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *id)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    uint64_t value = (uint64_t)(uintptr_t)modelRI;
    struct graph *graph;
    if (modelRI != NULL)
        TRY(check_result(__func__, "id", id));
    graph = (struct graph *)handle_find(&graph_table, value);
    if (graph == NULL)
        return graph_lock(__func__, modelRI, &graph);
    pthread_mutex_lock(&graph->lock);
    bool is_live = handle_is_live(graph, value);
    if (is_live)
        *id = graph->id;
    pthread_mutex_unlock(&graph->lock);
    return is_live ? 0 : graph_lock(__func__, modelRI, &graph);
}

/* Locks a graph and makes sure that it stays while the lock is given up. */
static int hold(const char *api, aclmdlRI handle, struct graph **graph)
{
    TRY(graph_lock(api, handle, graph));
    atomic_fetch_add_explicit(&(*graph)->references, 1, memory_order_relaxed);
    pthread_mutex_unlock(&(*graph)->lock);
    return 0;
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
    TRACE_THIS_CALL;
    struct graph *graph;
    TRY(hold(__func__, modelRI, &graph));
    if (log_wants(LOG_MODULE_RUNTIME, LOG_INFO)) {
        log_line(LOG_MODULE_RUNTIME, LOG_INFO, __FILE__, __LINE__, "graph %u: %u steps on %u streams",
                 (unsigned)graph->id, (unsigned)graph->step_count, (unsigned)graph->lane_count);
        for (uint32_t i = 0; i < graph->step_count; i++) {
            const struct graph_step *step = &graph->step[i];
            unsigned stream = graph->lane[step->lane].id;
            if (!step->is_wait)
                log_line(LOG_MODULE_RUNTIME, LOG_INFO, __FILE__, __LINE__, "graph %u: step %u, stream %u: %s",
                         (unsigned)graph->id, (unsigned)i, stream, step->name);
            else
                log_line(LOG_MODULE_RUNTIME, LOG_INFO, __FILE__, __LINE__,
                         "graph %u: step %u, stream %u: waits for stream %u before step %u",
                         (unsigned)graph->id, (unsigned)i, stream, (unsigned)graph->lane[step->wait_lane].id,
                         (unsigned)step->wait_step);
        }
    }
    graph_drop(graph);
    return 0;
}

/* False when something could not be written. The names are those of functions: nothing in them needs
 * escaping. */
static bool write_steps(const struct graph *graph, FILE *file)
{
    fprintf(file, "{\"id\": %u, \"device\": %d, \"steps\": [", (unsigned)graph->id, (int)graph->device);
    for (uint32_t i = 0; i < graph->step_count; i++) {
        const struct graph_step *step = &graph->step[i];
        fprintf(file, "%s\n  {\"step\": %u, \"stream\": %u, \"name\": \"%s\"", i > 0 ? "," : "", (unsigned)i,
                (unsigned)graph->lane[step->lane].id, step->name);
        if (step->is_wait)
            fprintf(file, ", \"waits_for\": {\"stream\": %u, \"before_step\": %u}",
                    (unsigned)graph->lane[step->wait_lane].id, (unsigned)step->wait_step);
        fputc('}', file);
    }
    fputs("\n]}\n", file);
    bool is_whole = ferror(file) == 0;
    return fclose(file) == 0 && is_whole;
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct graph *graph;
    (void)flags; /* what they choose from is all written */
    if (modelRI != NULL && path == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: argument path is NULL; a file is expected", __func__);
    TRY(hold(__func__, modelRI, &graph));
    FILE *file = disk_is_full(path) ? NULL : fopen(path, "we");
    int status = 0;
    if (file == NULL)
        status =
            fail(ACL_ERROR_RT_FILE_OPEN, "%s: %.256s cannot be written: error %d", __func__, path, errno);
    else if (!write_steps(graph, file))
        status = fail(ACL_ERROR_RT_FILE_WRITE, "%s: %.256s could not be written to its end: error %d",
                      __func__, path, errno);
    graph_drop(graph);
    return status;
}
