/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Events that processes of one host share (ACL_EVENT_IPC): a page of memory in a file, in which each record
 * is a number that is taken when the event is recorded and stored when the work before it has ended. A
 * process asks its own event about its own records; the page tells of those of others.
 */
#ifndef BELAY_RUNTIME_STREAMS_EVENT_SHARED_H
#define BELAY_RUNTIME_STREAMS_EVENT_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/streams/event.h"

/* Gives up what the event has; its lock is held, or it is not published yet. */
void event_share_end(struct event_share *share);

/* A record of the event was queued in the stream: the page hears of it, and of its end. No lock is held. */
int event_share_recorded(const char *api, aclrtEvent handle, struct event *event, aclrtStream stream);

/* The page, where another process has recorded the event later than this one and that has not ended; *number
 * says which record. NULL otherwise. The event's lock is held. */
struct event_page *event_share_pending(const struct event_share *share, uint64_t *number);

/* event_share_pending() with a reference, which one of the two functions below takes. */
struct event_page *event_share_keep_pending(const struct event_share *share, uint64_t *number);

/* Waits until a record has ended: 0, 507047 when the time is over, or 507022 where the process that has
 * recorded it is gone. No lock is held. */
int event_share_synchronize(const char *api, struct event_page *page, uint64_t number, int32_t timeout_ms);

/* Queues a wait for a record. */
int event_share_queue_wait(const char *api, aclrtStream stream, struct event_page *page, uint64_t number,
                           uint64_t timeout_ns);

#endif
