/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the runtime tells the checks race, init and num of. Each function costs a load and a branch where none
 * of them is on. Any thread; of the runtime's locks any may be held.
 */
#ifndef BELAY_CHECK_WATCH_H
#define BELAY_CHECK_WATCH_H

#include "check/place.h"
#include "runtime/streams/access.h"
#include "runtime/memory/memory.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"

struct race_world;

/* The checks that are told of here. */
enum { CHECKS_OF_ACCESSES = CHECK_RACE | CHECK_INIT | CHECK_NUM };

/* A task goes to the stream with that identity, which does not record it. */
void watch_submit_on(uint64_t stream, struct task *task);
static inline void watch_submit(uint64_t stream, struct task *task)
{
    if (check_is_on(CHECKS_OF_ACCESSES))
        watch_submit_on(stream, task);
}

/* A task of the program's functions is about to go there; one runs; and the stream goes on behind it. */
void watch_function_on(uint64_t stream, struct task *task);
void watch_function_run_on(const struct task *task);
void watch_function_ended_on(uint64_t stream);
static inline void watch_function(uint64_t stream, struct task *task)
{
    if (check_is_on(CHECK_RACE))
        watch_function_on(stream, task);
}
static inline void watch_function_run(const struct task *task)
{
    if (check_is_on(CHECK_RACE))
        watch_function_run_on(task);
}
static inline void watch_function_ended(uint64_t stream)
{
    if (check_is_on(CHECK_RACE))
        watch_function_ended_on(stream);
}

/* The calling thread waits no longer: for all work of a stream; of one that is no more. */
void watch_waited_on(uint64_t stream, bool has_ended);
static inline void watch_waited(uint64_t stream)
{
    if (check_is_on(CHECK_RACE))
        watch_waited_on(stream, false);
}
static inline void watch_ended(uint64_t stream)
{
    if (check_is_on(CHECK_RACE))
        watch_waited_on(stream, true);
}

/* What becomes of an event, which its address stands for. */
enum watched_event {
    EVENT_IS_RECORDED,   /* by the stream */
    EVENT_IS_AWAITED,    /* by the stream */
    EVENT_HAS_COMPLETED, /* the host has seen that it has */
    EVENT_IS_GONE
};
void watch_event_on(enum watched_event what, const void *event, uint64_t stream);
static inline void watch_event(enum watched_event what, const void *event, uint64_t stream)
{
    if (check_is_on(CHECK_RACE))
        watch_event_on(what, event, stream);
}

/* The same of a lane of a capture, for which *world stands, NULL at first; and its end. */
void watch_captured_on(struct race_world **world, uint32_t lane, struct task *task);
void watch_captured_event_on(struct race_world **world, enum watched_event what, const void *event,
                             uint32_t lane);
void watch_capture_end(struct race_world **world);
static inline void watch_captured(struct race_world **world, uint32_t lane, struct task *task)
{
    if (check_is_on(CHECKS_OF_ACCESSES))
        watch_captured_on(world, lane, task);
}
static inline void watch_captured_event(struct race_world **world, enum watched_event what, const void *event,
                                        uint32_t lane)
{
    if (check_is_on(CHECK_RACE))
        watch_captured_event_on(world, what, event, lane);
}

/* The host is about to copy rows or to set bytes itself. */
void watch_copy_on(const char *api, void *to, uint64_t to_pitch, const void *from, uint64_t from_pitch,
                   uint64_t width, uint64_t height);
void watch_set_on(const char *api, void *address, uint64_t bytes);
static inline void watch_copy(const char *api, void *to, const void *from, uint64_t bytes)
{
    if (check_is_on(CHECK_RACE | CHECK_INIT))
        watch_copy_on(api, to, 0, from, 0, bytes, 1);
}
static inline void watch_copy_rows(const char *api, void *to, uint64_t to_pitch, const void *from,
                                   uint64_t from_pitch, uint64_t width, uint64_t height)
{
    if (check_is_on(CHECK_RACE | CHECK_INIT))
        watch_copy_on(api, to, to_pitch, from, from_pitch, width, height);
}
static inline void watch_set(const char *api, void *address, uint64_t bytes)
{
    if (check_is_on(CHECK_RACE | CHECK_INIT))
        watch_set_on(api, address, bytes);
}

/* Memory of a device is the program's from here on; and a live block will be no more. */
void watch_allocated_on(uintptr_t base, uint64_t bytes);
void watch_free_on(const char *api, const struct memory_block *block);
static inline void watch_allocated(const void *base, uint64_t bytes)
{
    if (check_is_on(CHECK_INIT))
        watch_allocated_on((uintptr_t)base, bytes);
}
static inline void watch_free(const char *api, const void *address, enum memory_place place)
{
    struct memory_block block;
    if (check_is_on(CHECK_RACE) && memory_find(address, &block) && block.base == (uintptr_t)address &&
        block.place == place && !block.is_registered)
        watch_free_on(api, &block);
}

/* Memory of the program will count as pinned no longer. */
static inline void watch_unregister(const char *api, const void *address)
{
    struct memory_block block;
    if (check_is_on(CHECK_RACE) && memory_find(address, &block) && block.base == (uintptr_t)address &&
        block.is_registered)
        watch_free_on(api, &block);
}

/*
 * For memory of the host that the device reaches: whether the program may read these bytes, or write them,
 * though queued copies have not been waited for; where not, *place is where the first of those was queued.
 */
bool watch_may_touch(const void *address, uint64_t bytes, bool writes, struct call_place *place);

#endif
