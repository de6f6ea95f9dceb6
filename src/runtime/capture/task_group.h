/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Groups of recorded tasks, which get other arguments later. A group is what one lane has recorded between
 * two calls. An update collects as many tasks of the same functions; the stream that it was made on exchanges
 * them for the group's when it comes to that, while none of them runs.
 */
#ifndef BELAY_RUNTIME_CAPTURE_TASK_GROUP_H
#define BELAY_RUNTIME_CAPTURE_TASK_GROUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/capture/capture_state.h"
#include "runtime/capture/graph.h"
#include "base/handle.h"
#include "runtime/streams/stream_queue.h"

struct task_group {
    struct handle_slot slot;
    _Atomic uint64_t graph_handle; /* of the graph that it belongs to, */
    struct task_group *next;       /* and the next one there */

    /* Constant from the end of the group on. */
    bool has_handle;
    uint32_t first_step, task_count;

    /* Guarded by the lock of exchanges. */
    bool is_running; /* one of its tasks is */
    void *scratch;   /* for one of its tasks at a time, where the graph's is too short; owned */
};

/* Frees a graph's groups. Nobody else has the graph. */
void task_groups_release(struct task_group *first);

/* A task of the group begins, and has ended or will be run again: nothing is exchanged meanwhile. */
void task_group_enter(struct task_group *group);
void task_group_leave(struct task_group *group);

/*
 * The lock of exchanges, for those who look at tasks of groups without running them. It is below all others
 * but those of handles and memory.
 */
void task_groups_lock(void);
void task_groups_unlock(void);

/* Whether the tasks that updates bring use memory that was freed. The graph's lock is held. */
bool task_updates_are_outdated(const struct graph *graph);

/* The stream's update takes a task: 0, or the codes of capture_task without a sentence. The lock of captures
 * is held. */
int task_update_add(struct task_update *update, const char *api, struct task *task);

/* Gives up an update with all that it holds. No lock is held. */
void task_update_drop(struct task_update *update);

#endif
