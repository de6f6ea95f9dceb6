/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What base/watch.h tells the checks race, init and num. Any thread; of the runtime's locks any may be held.
 */
#ifndef BELAY_CHECK_WATCH_H
#define BELAY_CHECK_WATCH_H

#include "base/watch.h"
#include "check/place.h"
#include "runtime/streams/stream.h"

/* A task goes to the stream with that identity, which does not record it. */
void watch_submit_on(uint64_t stream, struct task *task);

/* Runs a task, watched by the check num; meanwhile the thread knows which one it runs. */
int watch_run_on(struct task *task);

/* Where the task that the calling thread runs was submitted; false where it runs none, or that is not known. */
bool watch_running_place(struct call_place *place);

/* A task of the program's functions is about to go there; one runs; and the stream goes on behind it. */
void watch_function_on(uint64_t stream, struct task *task);
void watch_function_run_on(const struct task *task);
void watch_function_ended_on(uint64_t stream);

/* The calling thread waits no longer: for all work of a stream; of one that is no more. */
void watch_waited_on(uint64_t stream, bool has_ended);

/* What becomes of an event. */
void watch_event_on(enum watched_event what, const void *event, uint64_t stream);

/* A lane of a capture, for which *world stands, NULL at first; and the capture's end. */
void watch_captured_on(struct race_world **world, uint32_t lane, struct task *task);
void watch_captured_event_on(struct race_world **world, enum watched_event what, const void *event,
                             uint32_t lane);
void watch_capture_end_on(struct race_world **world);

/* The host is about to copy rows or to set bytes itself. */
void watch_copy_on(const char *api, void *to, uint64_t to_pitch, const void *from, uint64_t from_pitch,
                   uint64_t width, uint64_t height);
void watch_set_on(const char *api, void *address, uint64_t bytes);

/* Memory of a device is the program's from here on; and a live block will be no more. */
void watch_allocated_on(uintptr_t base, uint64_t bytes);
void watch_free_on(const char *api, const void *address, int place);

/* Memory of the program will count as pinned no longer. */
void watch_unregister_on(const char *api, const void *address);

/*
 * For memory of the host that the device reaches: whether the program may read these bytes, or write them,
 * though queued copies have not been waited for; where not, *place is where the first of those was queued.
 */
bool watch_may_touch(const void *address, uint64_t bytes, bool writes, struct call_place *place);

#endif
