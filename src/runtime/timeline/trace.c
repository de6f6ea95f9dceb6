/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The records of a timeline: how threads write them into their chunks of the file (trace_target.h).
 */
#include "runtime/timeline/trace.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/tasks/access.h"
#include "runtime/timeline/activity.h"
#include "runtime/timeline/whereabouts.h"
#include "base/listener.h"
#include "base/futex.h"
#include "runtime/addresses/memory.h"
#include "base/settings.h"
#include "runtime/timeline/trace_chunk.h"
#include "runtime/timeline/trace_target.h"

enum { TEXTS = 8192, PROBES = 16 };

_Atomic(const struct activity *) activity;
_Atomic uint32_t trace_state = TRACE_UNDECIDED;
static _Atomic(const struct whereabouts *) whereabouts; /* NULL: nobody is told */

static _Atomic(const char *) known_text[TEXTS]; /* addresses whose text is in the file, or in one before */

static inline bool is_on(void)
{
    return atomic_load_explicit(&trace_state, memory_order_acquire) == TRACE_ON;
}

static inline const struct whereabouts *told_whereabouts(void)
{
    return atomic_load_explicit(&whereabouts, memory_order_acquire);
}

static void write_text(const char *text)
{
    size_t length = strnlen(text, TRACE_TEXT_MAX - 1);
    size_t bytes = (sizeof(struct trace_text) + length + 1 + 7) & ~(size_t)7;
    struct trace_text *record = (struct trace_text *)trace_room_for(bytes);
    if (record == NULL)
        return;
    record->record = (struct trace_record){TRACE_TEXT, (uint16_t)bytes, 0};
    record->address = (uint64_t)(uintptr_t)text;
    memcpy(record->text, text, length);
    record->text[length] = '\0';
    trace_commit(bytes);
}

/* The name of a text, which is written down when it is met first, and each time where the table is full. */
static uint64_t name_text(const char *text)
{
    uint64_t address = (uint64_t)(uintptr_t)text;
    if (text == NULL)
        return 0;
    uint64_t place = address * UINT64_C(0x9E3779B97F4A7C15) >> 51; /* 13 bits */
    for (int i = 0; i < PROBES; i++, place = (place + 1) % TEXTS) {
        const char *known = atomic_load_explicit(&known_text[place], memory_order_relaxed);
        if (known == text)
            return address;
        if (known == NULL &&
            atomic_compare_exchange_strong_explicit(&known_text[place], &known, text, memory_order_relaxed,
                                                    memory_order_relaxed))
            break;
        if (known == text)
            return address;
    }
    write_text(text);
    return address;
}
_Static_assert(TEXTS == 1 << (64 - 51), "the hash has as many values as the table has places");

static void write_call(const char *name, enum trace_call_kind kind, uint32_t number, uint64_t begin_ns,
                       uint64_t end_ns)
{
    uint64_t text = name_text(name);
    struct trace_call *call = (struct trace_call *)trace_room_for(sizeof *call);
    if (call == NULL)
        return;
    *call = (struct trace_call){.record = {TRACE_CALL, sizeof *call, number},
                                .name = text,
                                .begin_ns = begin_ns,
                                .end_ns = end_ns,
                                .kind = kind};
    trace_commit(sizeof *call);
}

/* What the thread enters. */
static void enter(const struct trace_open *open)
{
    struct trace_chunk *chunk = trace_current_chunk();
    if (chunk == NULL)
        return;
    uint32_t depth = atomic_load_explicit(&chunk->open_count, memory_order_relaxed);
    if (depth < TRACE_OPEN_MAX)
        chunk->open[depth] = *open;
    atomic_store_explicit(&chunk->open_count, depth + 1, memory_order_release);
}

/* The thread leaves the call or task that began then: calls that were left by longjmp, say, are left with it.
 */
static void leave(uint64_t begin_ns)
{
    struct trace_chunk *chunk = trace_last_chunk();
    uint32_t depth = chunk != NULL ? atomic_load_explicit(&chunk->open_count, memory_order_relaxed) : 0;
    if (depth > TRACE_OPEN_MAX) { /* it was not kept */
        atomic_store_explicit(&chunk->open_count, depth - 1, memory_order_release);
        return;
    }
    while (depth > 0 && chunk->open[depth - 1].begin_ns != begin_ns)
        depth--;
    if (depth > 0)
        atomic_store_explicit(&chunk->open_count, depth - 1, memory_order_release);
}

uint64_t trace_call_begins(const char *name, enum trace_call_kind kind)
{
    uint64_t begin_ns = clock_now_ns();
    if (is_on()) {
        const struct trace_open open = {
            .name = name_text(name), .begin_ns = begin_ns, .kind = kind, .device = -1};
        enter(&open);
    }
    const struct whereabouts *told = told_whereabouts();
    if (told != NULL)
        told->call_begins(name, begin_ns);
    return begin_ns;
}

void trace_call_ends(const char *name, enum trace_call_kind kind, uint64_t begin_ns)
{
    const struct whereabouts *told = told_whereabouts();
    if (told != NULL)
        told->call_ends(begin_ns);
    if (!is_on())
        return;
    /* In this order: where the record finds no room, the call stays told as one that has begun. */
    write_call(name, kind, 0, begin_ns, clock_now_ns());
    leave(begin_ns);
}

void trace_called_back(uint32_t number, uint64_t begin_ns)
{
    if (is_on())
        write_call(NULL, TRACE_CALL_BACK, number, begin_ns, clock_now_ns());
}

static uint32_t place_of(const void *address)
{
    struct memory_block block;
    memory_find(address, &block);
    return block.place == MEMORY_DEVICE        ? TRACE_PLACE_DEVICE
           : block.place == MEMORY_PINNED_HOST ? TRACE_PLACE_PINNED
                                               : TRACE_PLACE_HOST;
}

/* Writes operands down as they are visited. */
struct operand_writer {
    struct access_visitor visitor; /* first */
    uint32_t number;
};

static void write_exchange(const struct exchange_part *part, uint32_t number)
{
    struct trace_exchange *exchange = (struct trace_exchange *)trace_room_for(sizeof *exchange);
    if (exchange == NULL)
        return;
    *exchange = (struct trace_exchange){.record = {TRACE_EXCHANGE, sizeof *exchange, number},
                                        .group = part->group,
                                        .rank = part->rank,
                                        .count = part->count,
                                        .from = part->from,
                                        .to = part->to,
                                        .peer = part->peer};
    trace_commit(sizeof *exchange);
}

static void write_operand(struct access_visitor *visitor, const struct access *access)
{
    if ((access->mode & ACCESS_EXCHANGES) != 0)
        write_exchange((const struct exchange_part *)access->address,
                       ((struct operand_writer *)visitor)->number);
    if ((access->mode & (ACCESS_WORKSPACE | ACCESS_EXCHANGES)) != 0)
        return;
    uint32_t rank = access->rank < TRACE_RANK_MAX ? access->rank : TRACE_RANK_MAX;
    uint64_t name = name_text(access->parameter);
    size_t bytes = sizeof(struct trace_operand) + rank * sizeof(int64_t);
    struct trace_operand *operand = (struct trace_operand *)trace_room_for(bytes);
    if (operand == NULL)
        return;
    *operand = (struct trace_operand){
        .record = {TRACE_OPERAND, (uint16_t)bytes, ((struct operand_writer *)visitor)->number},
        .name = name,
        .address = (uint64_t)(uintptr_t)access->address,
        .dtype = (int32_t)access->dtype,
        .element_bytes = access->element_bytes,
        .mode = access->mode,
        .place = access->dtype == ACL_DT_UNDEFINED ? place_of(access->address) : TRACE_PLACE_DEVICE,
        .rank = access->rank,
        .element = access->is_of_list ? access->element + 1 : 0};
    memcpy(operand->shape, access->shape, rank * sizeof(int64_t));
    trace_commit(bytes);
}

void trace_blocking(const char *name, uint64_t begin_ns, const void *dst, const void *src, uint64_t bytes)
{
    if (!is_on())
        return;
    uint64_t end_ns = clock_now_ns();
    uint32_t number = access_number();
    struct operand_writer writer = {{write_operand}, number};
    if (src != NULL)
        access_visit_bytes(&writer.visitor, "src", ACCESS_READ, src, bytes);
    access_visit_bytes(&writer.visitor, "dst", ACCESS_WRITTEN, dst, bytes);
    write_call(name, TRACE_CALL_BLOCKING, number, begin_ns, end_ns);
}

/* The tasks of a graph were described when they were recorded. */
void trace_submit(struct trace_lane lane, struct task *task)
{
    const struct activity *told = atomic_load_explicit(&activity, memory_order_acquire);
    if (task->number == 0 && (told != NULL || is_on()))
        task->number = access_number();
    if (told != NULL)
        told->submitted(task->number);
    if (!is_on())
        return;
    const uint32_t number = task->number;
    uint64_t name = name_text(task->api);
    struct operand_writer writer = {{write_operand}, number};
    if (task->describe != NULL && !task->is_compound)
        task->describe(task, &writer.visitor);
    struct trace_submit *submit = (struct trace_submit *)trace_room_for(sizeof *submit);
    if (submit == NULL)
        return;
    *submit = (struct trace_submit){.record = {TRACE_SUBMIT, sizeof *submit, number},
                                    .name = name,
                                    .time_ns = clock_now_ns(),
                                    .device = lane.device,
                                    .stream = lane.stream,
                                    .is_default = lane.is_default};
    trace_commit(sizeof *submit);
}

uint64_t trace_run_begins(struct trace_lane lane, const struct task *task)
{
    const struct trace_open open = {.name = (uint64_t)(uintptr_t)task->api,
                                    .begin_ns = clock_now_ns(),
                                    .number = task->number,
                                    .device = lane.device,
                                    .stream = lane.stream,
                                    .is_default = lane.is_default};
    const struct whereabouts *told = told_whereabouts();
    if (told != NULL)
        told->run_begins(lane, task, open.begin_ns);
    if (is_on())
        enter(&open);
    return open.begin_ns;
}

void trace_run(struct trace_lane lane, const struct task *task, uint64_t begin_ns, uint32_t flags, int status)
{
    const struct activity *told = atomic_load_explicit(&activity, memory_order_acquire);
    const struct whereabouts *listens = told_whereabouts();
    if (listens != NULL)
        listens->run_ends(lane, task, status == TASK_PARKED);
    if (told != NULL && status != TASK_PARKED && (flags & TRACE_RUN_DROPPED) == 0)
        told->ran(task->api, task->number, lane.device, lane.stream, begin_ns, clock_now_ns());
    if (!is_on())
        return;
    leave(begin_ns);
    struct trace_run *run = (struct trace_run *)trace_room_for(sizeof *run);
    if (run == NULL)
        return;
    bool is_parked = status == TASK_PARKED;
    *run = (struct trace_run){.record = {TRACE_RUN, sizeof *run, task->number},
                              .begin_ns = begin_ns,
                              .end_ns = clock_now_ns(),
                              .device = lane.device,
                              .stream = lane.stream,
                              .is_default = lane.is_default,
                              .flags = flags | (is_parked ? TRACE_RUN_PARKED : 0),
                              .status = is_parked ? 0 : status};
    trace_commit(sizeof *run);
}

void trace_wait(uint32_t waiting, uint32_t recorded)
{
    struct trace_wait *wait =
        is_on() && waiting != 0 && recorded != 0 ? (struct trace_wait *)trace_room_for(sizeof *wait) : NULL;
    if (wait == NULL)
        return;
    *wait = (struct trace_wait){.record = {TRACE_WAIT, sizeof *wait, waiting}, .recorded = recorded};
    trace_commit(sizeof *wait);
}

void trace_memory(int32_t device, uint64_t bytes)
{
    struct trace_memory *memory = is_on() ? (struct trace_memory *)trace_room_for(sizeof *memory) : NULL;
    if (memory == NULL)
        return;
    *memory = (struct trace_memory){.record = {TRACE_MEMORY, sizeof *memory, 0},
                                    .time_ns = clock_now_ns(),
                                    .bytes = bytes,
                                    .device = device};
    trace_commit(sizeof *memory);
}

void trace_mark(const char *domain, const char *message, uint64_t begin_ns, uint64_t end_ns, uint32_t number,
                uint32_t end_number)
{
    size_t domain_bytes = strnlen(domain, TRACE_TEXT_MAX - 1) + 1;
    size_t message_bytes = strnlen(message, TRACE_MESSAGE_MAX - 1) + 1;
    size_t bytes = (sizeof(struct trace_mark) + domain_bytes + message_bytes + 7) & ~(size_t)7;
    struct trace_mark *mark = is_on() ? (struct trace_mark *)trace_room_for(bytes) : NULL;
    if (mark == NULL)
        return;
    *mark = (struct trace_mark){.record = {TRACE_MARK, (uint16_t)bytes, number},
                                .begin_ns = begin_ns,
                                .end_ns = end_ns,
                                .end_number = end_number,
                                .domain_bytes = (uint32_t)domain_bytes};
    memcpy(mark->text, domain, domain_bytes - 1);
    mark->text[domain_bytes - 1] = '\0';
    memcpy(mark->text + domain_bytes, message, message_bytes - 1);
    mark->text[domain_bytes + message_bytes - 1] = '\0';
    trace_commit(bytes);
}

bool trace_start(const char *path, const char **why)
{
    bool is_good = path != NULL && trace_open_target(path, false, why);
    if (is_good)
        access_watch(WATCHER_TIMELINE, true);
    atomic_store_explicit(&trace_state, is_good ? TRACE_ON : TRACE_OFF, memory_order_release);
    return is_good || path == NULL;
}

/* Has everybody look anew what is to be told. */
static void change_state(enum trace_state state)
{
    const bool has_records = atomic_load_explicit(&activity, memory_order_relaxed) != NULL;
    if (state == TRACE_OFF && (has_records || told_whereabouts() != NULL))
        state = TRACE_LISTENED;
    access_watch(WATCHER_TIMELINE, state == TRACE_ON || has_records);
    atomic_store_explicit(&trace_state, state, memory_order_release);
}

void trace_listen(bool is_on)
{
    const struct settings *settings;
    uint32_t before =
        settings_get(&settings) == 0 ? atomic_load_explicit(&trace_state, memory_order_acquire) : TRACE_ON;
    if (before == TRACE_OFF || before == TRACE_LISTENED)
        change_state(is_on ? TRACE_LISTENED : TRACE_OFF);
}

void whereabouts_tell(const struct whereabouts *told)
{
    atomic_store_explicit(&whereabouts, told, memory_order_release);
    change_state(is_on() ? TRACE_ON : TRACE_OFF);
}

void trace_sleep(void)
{
    const struct whereabouts *told = told_whereabouts();
    if (told != NULL)
        told->sleeps();
}

void trace_wait_for(const char *format, ...)
{
    const struct whereabouts *told = told_whereabouts();
    char text[128];
    va_list arguments;
    if (told == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    told->waits_for(text);
}

bool trace_begin_in(const char *path, const char **why)
{
    if (!trace_open_target(path, true, why))
        return false;
    change_state(TRACE_ON);
    return true;
}

void trace_end(void)
{
    /* Texts that an earlier file has are not met again. */
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = atomic_load_explicit(&known_text[i], memory_order_relaxed);
        if (text != NULL)
            write_text(text);
    }
    change_state(TRACE_OFF);
}

bool trace_is_recorded(void)
{
    return is_on();
}

const void *trace_timeline(void)
{
    return trace_current_target();
}

bool trace_copy_to(const char *path)
{
    return trace_target_copy(trace_current_target(), path);
}

void trace_after_fork(void)
{
    trace_chunk_after_fork();
    atomic_store_explicit(&whereabouts, NULL, memory_order_relaxed);
    atomic_store_explicit(&trace_state, TRACE_OFF, memory_order_relaxed);
}

static const struct recorder timeline = {.start = trace_start, .after_fork = trace_after_fork};

/* Before the first call of any program, as that needs the library whole. */
__attribute__((constructor)) static void offer_timeline(void)
{
    recorder = &timeline;
}
