/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Writes down where threads and streams are (runtime/timeline/whereabouts.h).
 */
#include "check/whereabouts.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/thread_id.h"
#include "check/board.h"
#include "check/place.h"
#include "check/reporter.h"
#include "check/submitted.h"
#include "runtime/timeline/whereabouts.h"

enum { CALLS_MAX = 8, PROBES = 32 };

/* Work that is predicted to take less does not wait for anything, and is over before anybody gives up. */
enum { LASTS_NS = 1000000 };

/* The calls that the thread of an entry is in, the outermost first. Little is kept in threads: there is not much room for
 * that where a program opens the library late. */
static struct calls {
    uint32_t depth; /* may exceed CALLS_MAX: the innermost ones are not kept then */
    struct {
        const char *name;
        uint64_t begin_ns;
    } call[CALLS_MAX];
} calls_of[BOARD_THREADS];

/* This thread's entry; NULL outside of calls, or where there is no room. */
static _Thread_local struct board_whereabouts *place;

/* That of the stream whose task this thread runs; NULL where it runs none that may last. */
static _Thread_local struct board_whereabouts *runs;

/* This process and this thread; 0: not known yet. The system tells slowly. */
static _Thread_local uint64_t self;

static uint64_t self_here(void)
{
    if (self == 0)
        self = (uint64_t)(uint32_t)getpid() << 32 | (uint32_t)thread_id();
    return self;
}

static void copy_name(char to[BOARD_FUNCTION_BYTES], const char *name)
{
    const size_t length = strnlen(name, BOARD_FUNCTION_BYTES - 1);
    memcpy(to, name, length);
    to[length] = '\0';
}

static void begin_writing(struct board_whereabouts *entry)
{
    atomic_fetch_add_explicit(&entry->version, 1, memory_order_acq_rel);
    atomic_thread_fence(memory_order_release);
}

static void end_writing(struct board_whereabouts *entry)
{
    atomic_fetch_add_explicit(&entry->version, 1, memory_order_release);
}

/* Where an owner's entry is looked for, and others behind it. */
static uint64_t first_place(uint64_t owner)
{
    return owner * UINT64_C(0x9E3779B97F4A7C15) >> 40;
}

/* The entry of that owner; NULL where it has none. */
static struct board_whereabouts *find_own(struct board_whereabouts *entries, uint32_t count, uint64_t owner)
{
    const uint64_t first = first_place(owner);
    for (uint32_t i = 0; i < PROBES; i++) {
        struct board_whereabouts *entry = &entries[(first + i) % count];
        if (atomic_load_explicit(&entry->owner, memory_order_acquire) == owner)
            return entry;
    }
    return NULL;
}

/* The entry of that owner, or one that is free; NULL where there is none near its place. */
static struct board_whereabouts *find(struct board_whereabouts *entries, uint32_t count, uint64_t owner)
{
    const uint64_t first = first_place(owner);
    for (uint32_t i = 0; i < PROBES; i++) {
        struct board_whereabouts *entry = &entries[(first + i) % count];
        uint64_t found = atomic_load_explicit(&entry->owner, memory_order_acquire);
        if (found == owner ||
            (found == 0 && atomic_compare_exchange_strong_explicit(
                               &entry->owner, &found, owner, memory_order_acq_rel, memory_order_acquire)))
            return entry;
    }
    return NULL;
}

static struct calls *calls_here(void)
{
    return &calls_of[place - report_board()->thread];
}

/* The thread is in its innermost call that is kept. */
static void write_call(const struct calls *calls)
{
    const uint32_t kept = calls->depth < CALLS_MAX ? calls->depth : CALLS_MAX;
    begin_writing(place);
    place->state = WHEREABOUTS_CALLS;
    place->process = (int32_t)(self_here() >> 32);
    place->thread = (int32_t)self_here();
    place->since_ns = calls->call[kept - 1].begin_ns;
    copy_name(place->function, calls->call[kept - 1].name);
    place->has_place = false;
    end_writing(place);
}

/* Others may have the entry from here on. */
static void leave_board(struct board_whereabouts *entry)
{
    begin_writing(entry);
    entry->state = WHEREABOUTS_NONE;
    end_writing(entry);
    atomic_store_explicit(&entry->owner, 0, memory_order_release);
}

static void call_begins(const char *name, uint64_t begin_ns)
{
    const bool is_outermost = place == NULL;
    if (is_outermost)
        place = find(report_board()->thread, BOARD_THREADS, self_here());
    if (place == NULL)
        return;
    struct calls *calls = calls_here();
    if (is_outermost)
        calls->depth = 0;
    if (calls->depth < CALLS_MAX) {
        calls->call[calls->depth].name = name;
        calls->call[calls->depth].begin_ns = begin_ns;
    }
    calls->depth++;
    write_call(calls);
}

static void call_ends(uint64_t begin_ns)
{
    if (place == NULL)
        return;
    struct calls *calls = calls_here();
    if (calls->depth > CALLS_MAX) {
        calls->depth--;
        return;
    }
    uint32_t depth = calls->depth;
    while (depth > 0 && calls->call[depth - 1].begin_ns != begin_ns)
        depth--;
    if (depth == 0)
        return; /* it began before anybody was told */
    calls->depth = depth - 1;
    if (calls->depth > 0) {
        write_call(calls);
        return;
    }
    leave_board(place);
    place = NULL;
}

/* Once in a call, as a place costs more than all else here. */
static void sleeps(void)
{
    struct board_whereabouts *entry = place;
    if (entry == NULL || entry->has_place || calls_here()->depth > CALLS_MAX)
        return;
    const struct call_place found = place_without_number(calls_here()->call[calls_here()->depth - 1].name);
    struct place_text text;
    place_describe(&found, &text);
    begin_writing(entry);
    report_escape(&entry->place, &text);
    entry->has_place = true;
    end_writing(entry);
}

/* Of a stream, by the thread that runs it: the entry that it has, or else, where it is to have one, a free one. That
 * it has is looked for first, as entries nearer to its place may have become free meanwhile. */
static struct board_whereabouts *stream_entry(struct trace_lane lane, bool is_to_have)
{
    const uint64_t process = self_here() >> 32, stream = UINT64_C(1) << 31 |
                                                         (uint64_t)((uint32_t)lane.device & 0xFF) << 20 |
                                                         (lane.stream & 0xFFFFF);
    const uint64_t owner = process << 32 | stream;
    struct board_whereabouts *own = find_own(report_board()->stream, BOARD_STREAMS, owner);
    return own == NULL && is_to_have ? find(report_board()->stream, BOARD_STREAMS, owner) : own;
}

static bool may_last(const struct task *task)
{
    return task->cost_ns >= LASTS_NS || task->runs_program;
}

/* The place is kept of work that may last, which does not run on its submitter. */
static void run_begins(struct trace_lane lane, const struct task *task, uint64_t begin_ns)
{
    const char *api = task->api != NULL ? task->api : "a task";
    struct board_whereabouts *entry = may_last(task) ? stream_entry(lane, true) : NULL;
    runs = entry;
    /* A task that looks again and again has been waiting since it looked first. */
    if (entry == NULL || (entry->state == WHEREABOUTS_PARKED && strcmp(entry->function, api) == 0))
        return;
    struct place_text text;
    const struct call_place queued =
        task->cost_ns == TASK_NEVER_INLINE ? submitted_at(task) : (struct call_place){.number = 0};
    const bool has_place = queued.number != 0;
    if (has_place)
        place_describe(&queued, &text);
    begin_writing(entry);
    entry->state = WHEREABOUTS_RUNS;
    entry->process = (int32_t)(self_here() >> 32);
    entry->device = lane.device;
    entry->stream = lane.stream;
    entry->since_ns = begin_ns;
    copy_name(entry->function, api);
    entry->waits_for[0] = '\0';
    entry->has_place = has_place;
    if (has_place)
        report_escape(&entry->place, &text);
    end_writing(entry);
}

static void run_ends(struct trace_lane lane, const struct task *task, bool is_parked)
{
    struct board_whereabouts *entry = may_last(task) ? stream_entry(lane, false) : NULL;
    if (entry == NULL)
        return;
    runs = NULL;
    if (!is_parked) {
        leave_board(entry);
        return;
    }
    begin_writing(entry);
    entry->state = WHEREABOUTS_PARKED;
    end_writing(entry);
}

static void note_wait(const char *text)
{
    if (runs == NULL)
        return;
    begin_writing(runs);
    error_escape(runs->waits_for, sizeof runs->waits_for, text);
    end_writing(runs);
}

static const struct whereabouts told = {.call_begins = call_begins,
                                        .call_ends = call_ends,
                                        .sleeps = sleeps,
                                        .run_begins = run_begins,
                                        .run_ends = run_ends,
                                        .waits_for = note_wait};

void whereabouts_begin(void)
{
    if (report_board() != NULL)
        whereabouts_tell(&told);
}

void whereabouts_after_fork(void)
{
    place = NULL;
    runs = NULL;
    self = 0;
}
