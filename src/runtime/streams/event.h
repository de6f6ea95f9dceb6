/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an event is: its last record, and how far that has come.
 */
#ifndef BELAY_RUNTIME_STREAMS_EVENT_H
#define BELAY_RUNTIME_STREAMS_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "base/handle.h"
#include "runtime/streams/stream_queue.h"

enum event_state { EVENT_NEVER_RECORDED, EVENT_PENDING, EVENT_COMPLETE };

struct event_page;

/* What an event has to do with other processes; nothing where page is NULL. */
struct event_share {
    struct event_page *page;
    int file; /* of the process that has made the event; -1 elsewhere */
    char secret[25];
    uint64_t own_record; /* the number of the last record of this process */
};

struct event {
    struct handle_slot slot;

    /* Guards everything below. Initialised once per slot. A stream's lock may be taken while it is held. */
    pthread_mutex_t lock;
    bool lock_exists;
    bool is_reusable; /* made by aclrtCreateEventExWithFlag */
    uint32_t flags;
    uint64_t context_handle; /* it was made in */
    uint64_t generation;     /* of the last record; tasks of earlier ones leave the event alone */
    enum event_state state;
    struct stream_point point; /* where the last record stands, while it is pending */
    uint32_t trace_number;     /* of the last record in the timeline */
    uint64_t timestamp_ns;     /* 0 when the record was abandoned */
    uint64_t failure;          /* of the stream, that nobody had been told of at the record, or 0 */
    uint32_t open_waits;       /* aclrtStreamWaitEvent that have not ended */

    /* The capture that has recorded it since, by its graph's handle, or 0; and where: behind the lane's steps
     * before this one. What is above stays as it was. */
    uint64_t captured_in;
    uint32_t captured_lane, captured_step;

    struct event_share share; /* with ACL_EVENT_IPC, once a handle was asked for: event_shared.h */
};

/* Locks a live event. 100000 for NULL, 107017. */
int event_lock(const char *api, const char *argument, aclrtEvent handle, struct event **event);

#endif
