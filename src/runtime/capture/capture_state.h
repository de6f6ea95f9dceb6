/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the two halves of captures share: capture.c, for those who queue work, and capture_control.c, where
 * captures begin and end.
 */
#ifndef BELAY_RUNTIME_CAPTURE_CAPTURE_STATE_H
#define BELAY_RUNTIME_CAPTURE_CAPTURE_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "runtime/capture/graph.h"

/* The most of a sentence that fits into that of aclmdlRICaptureEnd. */
enum { CAPTURE_CAUSE_BYTES = 768 };

struct capture {
    struct capture *next;
    struct graph *graph;
    struct race_world *watched; /* what the checker knows of the recorded work, or NULL */
    uint64_t graph_handle;
    aclmdlRICaptureMode mode;
    uint32_t thread;                 /* that has begun it */
    bool is_lost;                    /* something could not be recorded */
    uint32_t lost_by;                /* the thread whose call that was, */
    char cause[CAPTURE_CAUSE_BYTES]; /* and what it was told; empty until then */
    int32_t device;
    uint64_t context_handle;
    struct stream *default_stream; /* of the context */
    uint64_t default_identity;
};

/* Guards the list, what is in it, and the members of streams. A stream's lock may be taken while it is held.
 */
extern pthread_mutex_t captures_lock;
extern struct capture *captures; /* that are open */

/* What the thread's calls may do while a stream is being recorded. */
extern _Thread_local aclmdlRICaptureMode capture_mode_of_thread;

/* Makes a live stream a lane of the capture. 0, 107017 or 200000, without a sentence. The lock is held. */
int capture_add_lane(struct capture *capture, struct stream *stream, uint64_t identity);

/* Ends the stream's update of a group: it queues again. NULL where there is none. The lock is held. */
struct task_update *capture_detach_update(struct stream *stream);

/* Ends the capture: its streams queue again. The lock is held. */
void capture_detach(struct capture *capture);

/* Frees a capture that has been detached, and its graph. No lock is held. */
void capture_discard(struct capture *capture);

/* 107017 for a stream that was destroyed between two looks. */
int capture_tell_stale(const char *api);

#endif
