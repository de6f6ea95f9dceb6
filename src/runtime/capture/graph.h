/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A graph: the tasks that a capture has recorded, to be run again in the order of their recording.
 *
 * While it is being recorded it belongs to its capture, whose lock guards it. From then on nothing of it
 * changes but what is named below, and each run has it for itself: run at once on two streams, the second
 * waits for the first.
 */
#ifndef BELAY_RUNTIME_CAPTURE_GRAPH_H
#define BELAY_RUNTIME_CAPTURE_GRAPH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/handle.h"
#include "runtime/streams/stream_queue.h"

struct task_group;
struct task_update;

/* One step: a task, or a wait of the lane until another lane has passed a step. */
struct graph_step {
    struct task task;         /* of a group: guarded by the lock of exchanges */
    struct task_group *group; /* that it is part of, or NULL; no wait is */
    const char *name;         /* of the function that queued it */
    size_t scratch_bytes;     /* temporary memory that it borrows */
    uint32_t lane;
    bool is_wait;
    uint32_t wait_lane, wait_step; /* of a wait: the lane's steps before this one */
};

/* A stream that was recorded. */
struct graph_lane {
    struct stream *stream;    /* NULL once it has ended; not looked at after the recording */
    uint32_t id;              /* of the stream */
    uint32_t next;            /* the first step that has not run, for a run that goes by lanes */
    struct task_group *group; /* that is open, or NULL */
};

struct graph {
    struct handle_slot slot;
    _Atomic uint32_t references; /* one for the handle, one for each run that is queued */
    _Atomic bool is_recorded;
    _Atomic bool is_running;

    /* Guards the end of the handle, and what follows it. Initialised once per slot. An event's lock is above
     * it, that of captures and a stream's are below. */
    pthread_mutex_t lock;
    bool lock_exists;
    struct stream_point last; /* the end of the last run that was queued */
    bool is_known_live;       /* all memory was live when device_marks was this */
    uint64_t live_marks;
    uint64_t cost_ns;
    struct task_update *updates; /* that are queued and have not run, in the order of the calls */

    /* Constant from the end of the recording on, but for what runs change, each in its turn: payloads, next;
     * and for the tasks of groups. */
    uint32_t id;
    int32_t device;
    bool runs_program; /* some task does */
    struct graph_step *step;
    uint32_t step_count, step_capacity;
    struct graph_lane *lane;
    uint32_t lane_count, lane_capacity;
    void *scratch; /* for one task at a time */
    size_t scratch_bytes;
    struct task_group *groups;

    const void *told_to; /* the timeline that has its tasks; guarded by the lock of exchanges */
};

extern struct handle_table graph_table;

/* A graph without steps, with one reference and a handle. NULL when there is no memory. */
struct graph *graph_create(int32_t device, uint64_t *handle);

/* Makes room for one element more. */
bool graph_make_room(void **array, uint32_t count, uint32_t *capacity, uint32_t first, size_t bytes);

/* Temporary memory of so many bytes for the tasks of a graph, to be freed; NULL when there is none. */
void *graph_scratch(size_t bytes);

/* The most temporary memory that one of some steps needs, and giving it to all of them that need any. */
size_t graph_scratch_bytes(const struct graph_step *step, uint32_t count);
void graph_give_scratch(struct graph_step *step, uint32_t count, void *scratch);

/* Both false when there is no memory: nothing has changed then. */
bool graph_add_step(struct graph *graph, const struct graph_step *step);
bool graph_add_lane(struct graph *graph, struct stream *stream);

/* The end of the recording: false when there is no memory for the scratch of the tasks. */
bool graph_finish(struct graph *graph);

/* Drops a reference. The last one releases the tasks: no lock may be held. */
void graph_drop(struct graph *graph);

/* Locks a live graph that has been recorded. 100000 for NULL, 107017, 107026. */
int graph_lock(const char *api, void *handle, struct graph **graph);

#endif
