/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the halves of groups of tasks share: task_group.c, for graphs and captures, and task_update.c.
 */
#ifndef BELAY_RUNTIME_CAPTURE_TASK_UPDATE_H
#define BELAY_RUNTIME_CAPTURE_TASK_UPDATE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/capture/task_group.h"

/* Guarded by the lock of captures while a stream collects its tasks, then by the graph's. */
struct task_update {
    struct task_update *next; /* of the graph, once it is queued */
    struct graph *graph;      /* a reference */
    uint64_t graph_handle;
    struct task_group *group;
    struct race_world *watched; /* what the checker knows of the tasks, or NULL */
    struct graph_step *step;    /* tasks, with their names and scratch; the old ones after the exchange */
    uint32_t count, capacity;
    void *scratch;       /* where the graph's is too short; the old one after the exchange */
    const void *told_to; /* the timeline that has the tasks */
};

extern struct handle_table task_group_table;

#endif
