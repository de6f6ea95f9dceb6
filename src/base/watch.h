/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tasks, events, copies and memory, told to who listens: the checks race, init and num. Any thread; of the
 * runtime's locks any may be held.
 */
#ifndef BELAY_BASE_WATCH_H
#define BELAY_BASE_WATCH_H

#include <stdint.h>

#include "base/listener.h"
#include "base/settings.h"

/* The checks that are told of here. */
enum { CHECKS_OF_ACCESSES = CHECK_RACE | CHECK_INIT | CHECK_NUM };

/* A task goes to the stream with that identity, which does not record it. */
static inline void watch_submit(uint64_t stream, struct task *task)
{
    if (check_is_on(CHECKS_OF_ACCESSES))
        listener->watch_submit(stream, task);
}

/* A task of the program's functions is about to go there; one runs; and the stream goes on behind it. */
static inline void watch_function(uint64_t stream, struct task *task)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_function(stream, task);
}
static inline void watch_function_run(const struct task *task)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_function_run(task);
}
static inline void watch_function_ended(uint64_t stream)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_function_ended(stream);
}

/* The calling thread waits no longer: for all work of a stream; of one that is no more. */
static inline void watch_waited(uint64_t stream)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_waited(stream, false);
}
static inline void watch_ended(uint64_t stream)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_waited(stream, true);
}

/* What becomes of an event. */
static inline void watch_event(enum watched_event what, const void *event, uint64_t stream)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_event(what, event, stream);
}

/* A lane of a capture, for which *world stands, NULL at first; and the capture's end. */
static inline void watch_captured(struct race_world **world, uint32_t lane, struct task *task)
{
    if (check_is_on(CHECKS_OF_ACCESSES))
        listener->watch_captured(world, lane, task);
}
static inline void watch_captured_event(struct race_world **world, enum watched_event what, const void *event,
                                        uint32_t lane)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_captured_event(world, what, event, lane);
}
static inline void watch_capture_end(struct race_world **world)
{
    if (*world != NULL)
        listener->watch_capture_end(world);
}

/* The host is about to copy rows or to set bytes itself. */
static inline void watch_copy(const char *api, void *to, const void *from, uint64_t bytes)
{
    if (check_is_on(CHECK_RACE | CHECK_INIT))
        listener->watch_copy(api, to, 0, from, 0, bytes, 1);
}
static inline void watch_copy_rows(const char *api, void *to, uint64_t to_pitch, const void *from,
                                   uint64_t from_pitch, uint64_t width, uint64_t height)
{
    if (check_is_on(CHECK_RACE | CHECK_INIT))
        listener->watch_copy(api, to, to_pitch, from, from_pitch, width, height);
}
static inline void watch_set(const char *api, void *address, uint64_t bytes)
{
    if (check_is_on(CHECK_RACE | CHECK_INIT))
        listener->watch_set(api, address, bytes);
}

/* Memory of a device is the program's from here on. */
static inline void watch_allocated(const void *base, uint64_t bytes)
{
    if (check_is_on(CHECK_INIT))
        listener->watch_allocated((uintptr_t)base, bytes);
}

/* The block that begins there, if one does, will be no more; place is one of enum memory_place. */
static inline void watch_free(const char *api, const void *address, int place)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_free(api, address, place);
}

/* Memory of the program will count as pinned no longer. */
static inline void watch_unregister(const char *api, const void *address)
{
    if (check_is_on(CHECK_RACE))
        listener->watch_unregister(api, address);
}

/* Programs are about to have something to touch: under the check of memory one system call for each signal.
 */
static inline void host_access_watch(void)
{
    if (check_is_on(CHECK_MEMORY))
        listener->host_access_take_signals();
}

#endif
