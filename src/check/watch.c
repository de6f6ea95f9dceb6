/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Hands what the runtime tells on to the checks, one thread at a time.
 */
#include "check/watch.h"

#include <pthread.h>
#include <stdlib.h>

#include "check/exchange.h"
#include "check/guarded_block.h"
#include "check/host_source.h"
#include "check/never_written.h"
#include "check/numbers.h"
#include "check/pinned_guard.h"
#include "check/race.h"
#include "check/submitted.h"
#include "check/valid_bytes.h"
#include "runtime/addresses/memory.h"
#include "runtime/streams/stream_queue.h"

/* Guards everything that the checks race and init know. Nothing but the lock of reports is taken under it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct race_world queues; /* the lanes are streams */

/* Functions of the program are events of their own, whose names are above all addresses. */
static uint64_t function_event(const struct task *task)
{
    return UINT64_C(1) << 63 | task->number;
}

/* Closes the pinned memory that a task uses. */
static void visit_pinned(struct access_visitor *visitor, const struct access *access)
{
    struct extent extent;
    (void)visitor;
    /* Whoever writes into gaps would meet closed pages. */
    if (extent_of_access(access, &extent) && extent.run == extent.end - extent.first)
        pinned_guard_close(extent.first, extent.end - extent.first, access_writes(access->mode));
}

/* A stream was given a function of the program: who knows what it writes, before which copies. */
static bool has_functions;

struct source_visit {
    struct access_visitor visitor;
    const struct call_place *place;
};

/* Keeps what a task reads of the host's memory. */
static void visit_source(struct access_visitor *visitor, const struct access *access)
{
    const struct source_visit *own = (const struct source_visit *)visitor;
    struct extent extent;
    struct memory_block block;
    if (!memory_find(access->address, &block) || block.place != MEMORY_PINNED_HOST ||
        !extent_of_access(access, &extent))
        return;
    uint64_t bytes = extent.end - extent.first;
    bool is_written = (access->mode & (ACCESS_WRITTEN | ACCESS_SYNCHRONISES)) != 0 ||
                      race_find_unfinished(&queues, access->address, bytes, false, false, 0) != NULL;
    if (is_written)
        host_source_forget(extent.first, extent.end);
    if (is_written || (access->mode & ACCESS_PARTLY) != 0 || extent.run != bytes)
        return;
    /* What lies in pages that are closed needs no look. */
    uintptr_t from, to;
    if (!pinned_guard_pages(extent.first, bytes, &from, &to) || from >= to)
        from = to = extent.end;
    host_source_read(extent.first, from, access->parameter, own->place);
    host_source_read(to, extent.end, access->parameter, own->place);
}

static bool is_read(uintptr_t first, uint64_t bytes)
{
    return race_find_unfinished(&queues, (const void *)first, bytes, true, false, 0) == NULL;
}

static bool is_over(uintptr_t first, uint64_t bytes, bool work_writes)
{
    return race_find_unfinished(&queues, (const void *)first, bytes, !work_writes, false, 0) == NULL;
}

/* The host has waited for something. */
static void settle(struct race_world *world)
{
    race_settle(world);
    if (world != &queues)
        return;
    pinned_guard_settle(is_over);
    if (race_knows_waits(world) && !has_functions)
        host_source_settle(is_read);
    else
        host_source_forget_all();
}

static void judge_task(struct race_world *world, uint64_t key, struct task *task, bool runs)
{
    struct call_place place = {.function = task->api};
    bool is_race = check_is_on(CHECK_RACE), is_described = task->describe != NULL;
    if (task->number == 0)
        task->number = access_number();
    if (check_is_on(CHECK_RACE | CHECK_NUM)) {
        place = place_here(task->api);
        submitted_keep(task->number, &place);
    }
    pthread_mutex_lock(&lock);
    if (is_race)
        race_submit(world, key, task, &place);
    if (is_race && is_described && runs && blocks_are_guarded())
        task->describe(task, &(struct access_visitor){visit_pinned});
    if (is_race && is_described && runs && !has_functions)
        task->describe(task, &(struct source_visit){{visit_source}, &place}.visitor);
    if (is_described && runs && check_is_on(CHECK_INIT)) {
        struct written_visit visit = written_visit(&place);
        task->describe(task, &visit.visitor);
    }
    pthread_mutex_unlock(&lock);
}

void watch_submit_on(uint64_t stream, struct task *task)
{
    judge_task(&queues, stream, task, true);
}

/* The innermost task that the thread runs: tasks that are made of others run these one by one. */
static _Thread_local const struct task *running;

int watch_run_on(struct task *task)
{
    const struct task *around = running;
    running = task;
    const bool has_numbers = check_is_on(CHECK_NUM) && task->describe != NULL && !task->is_compound;
    int status = has_numbers ? numbers_run(task) : task->run(task);
    running = around;
    return status;
}

bool watch_running_place(struct call_place *place)
{
    if (running == NULL)
        return false;
    *place = submitted_at(running);
    return place->number != 0;
}

void watch_function_on(uint64_t stream, struct task *task)
{
    task->number = access_number();
    pthread_mutex_lock(&lock);
    uint32_t lane = clocks_lane(&queues.clocks, stream);
    if (lane != NO_LANE) {
        clocks_record(&queues.clocks, lane, function_event(task));
        queues.clocks.lane[lane].functions++;
    }
    has_functions = true;
    pthread_mutex_unlock(&lock);
}

/* A function of a graph runs again and again, and nothing is known of when. */
void watch_function_run_on(const struct task *task)
{
    pthread_mutex_lock(&lock);
    if (!clocks_wait_for_event(&queues.clocks, function_event(task)))
        clocks_wait_for_all(&queues.clocks);
    clocks_forget_event(&queues.clocks, function_event(task));
    settle(&queues);
    pthread_mutex_unlock(&lock);
}

void watch_function_ended_on(uint64_t stream)
{
    pthread_mutex_lock(&lock);
    uint32_t lane = clocks_find_lane(&queues.clocks, stream);
    if (lane != NO_LANE && stream != 0)
        clocks_end_function(&queues.clocks, lane);
    pthread_mutex_unlock(&lock);
}

void watch_waited_on(uint64_t stream, bool has_ended)
{
    pthread_mutex_lock(&lock);
    uint32_t lane = clocks_find_lane(&queues.clocks, stream);
    if (lane != NO_LANE && stream != 0) {
        if (has_ended)
            clocks_end_lane(&queues.clocks, lane);
        else
            clocks_wait_for_lane(&queues.clocks, lane);
        settle(&queues);
    }
    pthread_mutex_unlock(&lock);
}

static void note_event(struct race_world *world, enum watched_event what, uint64_t event, uint64_t key)
{
    struct clocks *clocks = &world->clocks;
    bool has_lane = what == EVENT_IS_RECORDED || what == EVENT_IS_AWAITED;
    uint32_t lane = has_lane ? clocks_lane(clocks, key) : NO_LANE;
    if (has_lane && lane == NO_LANE)
        return;
    if (what == EVENT_IS_RECORDED)
        clocks_record(clocks, lane, event);
    else if (what == EVENT_IS_AWAITED)
        clocks_await(clocks, lane, event);
    else if (what == EVENT_IS_GONE)
        clocks_forget_event(clocks, event);
    else if (clocks_wait_for_event(clocks, event))
        settle(world);
}

void watch_ranks_join_on(uint64_t group, uint32_t rank, uint32_t count)
{
    pthread_mutex_lock(&lock);
    exchange_join(group, rank, count);
    pthread_mutex_unlock(&lock);
}

void watch_rank_leaves_on(uint64_t group, uint32_t rank)
{
    pthread_mutex_lock(&lock);
    exchange_leave(&queues.clocks, group, rank);
    settle(&queues);
    pthread_mutex_unlock(&lock);
}

void watch_event_on(enum watched_event what, const void *event, uint64_t stream)
{
    pthread_mutex_lock(&lock);
    note_event(&queues, what, (uint64_t)(uintptr_t)event, stream);
    pthread_mutex_unlock(&lock);
}

/* The world of a capture, in which nothing is waited for, made where there is none. NULL: no memory. */
static struct race_world *open_world(struct race_world **world)
{
    if (*world == NULL)
        *world = (struct race_world *)calloc(1, sizeof **world);
    return *world;
}

void watch_captured_on(struct race_world **world, uint32_t lane, struct task *task)
{
    if (open_world(world) != NULL)
        judge_task(*world, lane + UINT64_C(1), task, false);
}

void watch_captured_event_on(struct race_world **world, enum watched_event what, const void *event,
                             uint32_t lane)
{
    if (open_world(world) == NULL)
        return;
    pthread_mutex_lock(&lock);
    note_event(*world, what, (uint64_t)(uintptr_t)event, lane + UINT64_C(1));
    pthread_mutex_unlock(&lock);
}

void watch_capture_end_on(struct race_world **world)
{
    pthread_mutex_lock(&lock);
    race_clear(*world);
    pthread_mutex_unlock(&lock);
    free(*world);
    *world = NULL;
}

/* The stream that waits for the function of the program that the caller is in; 0: none. */
static uint64_t waiting_stream(void)
{
    const struct stream_frame *frame = stream_frame_of_thread;
    return frame != NULL && frame->ordinal != 0 ? frame->identity : 0;
}

/* For the host's own accesses, which the race check sees one by one. */
struct host_visit {
    struct access_visitor visitor;
    const struct call_place *place;
};

static void visit_host(struct access_visitor *visitor, const struct access *access)
{
    struct host_visit *own = (struct host_visit *)visitor;
    race_host_access(&queues, access, own->place, waiting_stream());
    struct extent extent;
    if ((access->mode & ACCESS_WRITTEN) != 0 && extent_of_access(access, &extent))
        host_source_forget(extent.first, extent.end);
}

void watch_copy_on(const char *api, void *to, uint64_t to_pitch, const void *from, uint64_t from_pitch,
                   uint64_t width, uint64_t height)
{
    const struct call_place place = {.function = api};
    struct host_visit host = {{visit_host}, &place};
    struct written_visit written = written_visit(&place);
    struct access_visitor *const visitor[] = {check_is_on(CHECK_RACE) ? &host.visitor : NULL,
                                              check_is_on(CHECK_INIT) ? &written.visitor : NULL};
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < 2; i++) {
        if (visitor[i] == NULL)
            continue;
        access_visit_rows(visitor[i], "src", ACCESS_READ | ACCESS_MOVED, from, width, height, from_pitch);
        access_visit_rows(visitor[i], "dst", ACCESS_WRITTEN | ACCESS_MOVED, to, width, height, to_pitch);
    }
    pthread_mutex_unlock(&lock);
}

void watch_set_on(const char *api, void *address, uint64_t bytes)
{
    const struct call_place place = {.function = api};
    struct host_visit host = {{visit_host}, &place};
    struct written_visit written = written_visit(&place);
    pthread_mutex_lock(&lock);
    if (check_is_on(CHECK_RACE))
        access_visit_bytes(&host.visitor, "devPtr", ACCESS_WRITTEN, address, bytes);
    if (check_is_on(CHECK_INIT))
        access_visit_bytes(&written.visitor, "devPtr", ACCESS_WRITTEN, address, bytes);
    pthread_mutex_unlock(&lock);
}

void watch_allocated_on(uintptr_t base, uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    valid_forget(base, base + bytes);
    pthread_mutex_unlock(&lock);
}

static void end_block(const char *api, const struct memory_block *block)
{
    const struct call_place place = {.function = api};
    pthread_mutex_lock(&lock);
    race_free(&queues, block, &place);
    host_source_forget(block->base, block->base + block->bytes);
    pthread_mutex_unlock(&lock);
}

void watch_free_on(const char *api, const void *address, int place)
{
    struct memory_block block;
    if (memory_find(address, &block) && block.base == (uintptr_t)address && (int)block.place == place &&
        !block.is_registered)
        end_block(api, &block);
}

void watch_unregister_on(const char *api, const void *address)
{
    struct memory_block block;
    if (memory_find(address, &block) && block.base == (uintptr_t)address && block.is_registered)
        end_block(api, &block);
}

bool watch_may_touch(const void *address, uint64_t bytes, bool writes, struct call_place *place)
{
    pthread_mutex_lock(&lock);
    const struct live_access *access =
        race_find_unfinished(&queues, address, bytes, writes, true, waiting_stream());
    if (access != NULL)
        *place = access->place;
    pthread_mutex_unlock(&lock);
    return access == NULL;
}
