/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Runs programs of kernels. A program that is to stop leaves by a long jump: nothing in it holds a lock, and its
 * memory is the thread's, which the next program uses again.
 */
#include "kernel/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "kernel/races.h"
#include "kernel/view.h"
#include "simd/vector/write.h"

enum { FOUND_MAX = 8, ZERO_BYTES = 64 };

/* What a thread runs. */
struct running {
    const struct host_kernel_launch *launch; /* NULL between launches */
    uint64_t program;
    struct host_kernel_fault *fault;
    jmp_buf stopped;
    struct host_kernel_memory
        found[FOUND_MAX]; /* of addresses that the program has found in memory, the last ones */
    uint32_t found_count;
    struct races *races; /* owned, NULL where nobody asks for them, and behind the first one */
};

static __thread struct running running;

static void place_in_grid(uint64_t i, int32_t at[3])
{
    const int32_t *grid = running.launch->grid;
    const uint64_t x = (uint64_t)grid[0], y = (uint64_t)grid[1];
    at[0] = (int32_t)(i % x);
    at[1] = (int32_t)(i / x % y);
    at[2] = (int32_t)(i / x / y);
}

void program_describe(char *text, uint64_t bytes)
{
    int32_t at[3] = {0, 0, 0};
    if (running.launch != NULL)
        place_in_grid(running.program, at);
    snprintf(text, bytes, "(%d, %d, %d)", at[0], at[1], at[2]);
}

void program_stop(const char *place, const char *format, ...)
{
    char sentence[HOST_KERNEL_FAULT_BYTES], where[48];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (running.launch == NULL) {
        fprintf(stderr, "belay: a kernel %s\n", sentence);
        abort();
    }
    program_describe(where, sizeof where);
    snprintf(running.fault->sentence, sizeof running.fault->sentence, "program %s%s%s %.*s", where,
             *place != '\0' ? " at " : "", place, HOST_KERNEL_FAULT_BYTES - 160, sentence);
    running.fault->program = running.program;
    longjmp(running.stopped, 1);
}

bool belay_program_run(const struct host_kernel_launch *launch, uint64_t begin, uint64_t end,
                       struct host_kernel_fault *fault)
{
    /* A thread that waits within a program does not take another one: what it ran before is kept all the same. */
    const struct host_kernel_launch *const before = running.launch;
    struct races *const races_before = running.races;
    running.launch = launch;
    running.races = launch->race != NULL && end - begin > 1 ? races_new() : NULL;
    running.fault = fault;
    running.program = begin;
    bool is_good = true;
    if (setjmp(running.stopped) == 0) {
        for (; running.program < end; running.program++) {
            int32_t at[3];
            place_in_grid(running.program, at);
            running.found_count = 0;
            launch->program(launch->arguments, at[0], at[1], at[2]);
        }
    } else {
        belay_kernel_end();
        is_good = false;
    }
    put_fence(); /* behind what memrefCopy has stored past the caches */
    races_free(running.races);
    running.races = races_before;
    running.launch = before;
    return is_good;
}

/* The memory that base belongs to; NULL for the program's own. */
static const struct host_kernel_memory *memory_of(const void *base)
{
    const struct host_kernel_launch *launch = running.launch;
    if (launch == NULL)
        return NULL;
    for (uint32_t i = 0; i < launch->memory_count; i++)
        if (launch->memory[i].base == base)
            return &launch->memory[i];
    for (uint32_t i = 0; i < running.found_count && i < FOUND_MAX; i++)
        if (running.found[i].base == base)
            return &running.found[i];
    return NULL;
}

static uint64_t room_of(const struct host_kernel_memory *memory)
{
    return (uint64_t)((uintptr_t)memory->behind - (uintptr_t)memory->first);
}

uint64_t program_room(const void *base)
{
    const struct host_kernel_memory *memory = memory_of(base);
    return memory != NULL ? room_of(memory) : 0;
}

static bool is_inside(const struct host_kernel_memory *memory, const unsigned char *first, int64_t bytes)
{
    return first >= memory->first && first <= memory->behind && bytes <= memory->behind - first;
}

static __attribute__((cold, noreturn)) void stop_outside(const struct host_kernel_memory *memory,
                                                         const unsigned char *first, int64_t bytes,
                                                         int32_t is_store, int32_t element_bytes,
                                                         const char *place)
{
    char what[48] = "the address";
    const int64_t begin = first - memory->base, has = memory->behind - memory->base;
    if (memory->pointer != UINT32_MAX)
        snprintf(what, sizeof what, "pointer %u", memory->pointer);
    if (memory->first == NULL)
        program_stop(place, "%s through %s, which is %s", is_store ? "stores" : "loads", what,
                     memory->base == NULL ? "NULL" : "not that of device memory");
    else if (bytes <= element_bytes)
        program_stop(place, "%s %lld bytes at byte %lld of %s, which has bytes %lld to %lld",
                     is_store ? "stores" : "loads", (long long)bytes, (long long)begin, what,
                     (long long)(memory->first - memory->base), (long long)has - 1);
    program_stop(place, "%s within bytes %lld to %lld of %s, which has bytes %lld to %lld",
                 is_store ? "stores" : "loads", (long long)begin, (long long)(begin + bytes - 1), what,
                 (long long)(memory->first - memory->base), (long long)has - 1);
}

bool belay_program_check(const void *base, const unsigned char *first, int64_t bytes, int32_t is_store,
                         int32_t element_bytes, const char *place)
{
    const struct host_kernel_memory *memory = memory_of(base);
    if (memory != NULL && bytes > 0 && __builtin_expect(!is_inside(memory, first, bytes), 0))
        stop_outside(memory, first, bytes, is_store, element_bytes, place);
    return running.races != NULL && memory != NULL;
}

static void tell_race(const struct race *race, const void *base, const char *place)
{
    const struct host_kernel_memory *memory = memory_of(base);
    char sentence[HOST_KERNEL_FAULT_BYTES], where[48], what[32] = "the address", other[64] = "several others";
    int32_t at[3];
    program_describe(where, sizeof where);
    if (memory->pointer != UINT32_MAX)
        snprintf(what, sizeof what, "pointer %u", memory->pointer);
    if (race->other != UINT64_MAX) {
        place_in_grid(race->other, at);
        snprintf(other, sizeof other, "program (%d, %d, %d)", at[0], at[1], at[2]);
    }
    snprintf(sentence, sizeof sentence,
             "program %s%s%.120s %s byte %lld of %s, which %s %s %s, and nothing orders the two", where,
             *place != '\0' ? " at " : "", place, race->is_store ? "stores" : "loads",
             (long long)(race->address - memory->base), what, other,
             race->other != UINT64_MAX ? "has" : "have", race->was_store ? "stored" : "loaded");
    running.launch->race(running.launch, sentence);
}

/* The first race of a launch is told: others mostly come from the same mistake. */
static void follow(const struct view *view, bool is_store, const char *place)
{
    struct race race;
    if (!races_access(running.races, view, is_store, running.program, &race))
        return;
    tell_race(&race, view->base, place);
    races_free(running.races);
    running.races = NULL;
}

void belay_program_follow(uint32_t rank, uint32_t element_bytes, int32_t is_store, const void *view,
                          const char *place)
{
    const struct view followed = view_read(rank, element_bytes, view);
    if (running.races != NULL)
        follow(&followed, is_store != 0, place);
}

uint64_t program_reads(const void *base, const unsigned char *first, int64_t bytes, int32_t element_bytes,
                       const char *place)
{
    const struct host_kernel_memory *memory = memory_of(base);
    if (memory == NULL)
        return 0;
    if (bytes > 0 && __builtin_expect(!is_inside(memory, first, bytes), 0))
        stop_outside(memory, first, bytes, 0, element_bytes, place);
    if (bytes > 0 && __builtin_expect(running.races != NULL, 0))
        follow(&(struct view){.base = base,
                              .first = (unsigned char *)(uintptr_t)first,
                              .rank = 1,
                              .bytes = (uint32_t)element_bytes,
                              .size = {bytes / element_bytes},
                              .stride = {1}},
               false, place);
    return room_of(memory);
}

const void *belay_program_inside(const void *base, const unsigned char *first, int64_t bytes)
{
    static const unsigned char zeros[ZERO_BYTES];
    const struct host_kernel_memory *memory = memory_of(base);
    return memory == NULL || is_inside(memory, first, bytes) ? (const void *)first : zeros;
}

void *belay_program_reach(int64_t address)
{
    void *pointer = (void *)(uintptr_t)address;
    struct host_kernel_memory memory = {.base = pointer};
    if (running.launch == NULL)
        return pointer;
    if (running.launch->find != NULL && !running.launch->find(pointer, &memory))
        memory = (struct host_kernel_memory){.base = pointer};
    memory.pointer = UINT32_MAX;
    running.found[running.found_count++ % FOUND_MAX] = memory;
    return (void *)(uintptr_t)memory.base;
}

void belay_program_copy_inside(uint32_t rank, uint32_t element_bytes, const void *from, const void *to,
                               const char *place)
{
    const struct view source = view_read(rank, element_bytes, from),
                      target = view_read(rank, element_bytes, to);
    const struct host_kernel_memory *memory = memory_of(source.base);
    struct view_walk walk = {.index = {0}};
    (void)place;
    if (view_is_empty(&source))
        return;
    do {
        const unsigned char *at = view_at(&source, walk.index);
        unsigned char *into = view_at(&target, walk.index);
        if (memory == NULL || is_inside(memory, at, element_bytes))
            memcpy(into, at, element_bytes);
        else
            memset(into, 0, element_bytes);
    } while (view_next(&source, &walk));
}

void belay_program_store_where(uint32_t rank, uint32_t element_bytes, const void *mask, const void *value,
                               const void *view, const char *place)
{
    const struct view masks = view_read(rank, 1, mask), values = view_read(rank, element_bytes, value),
                      target = view_read(rank, element_bytes, view);
    const struct host_kernel_memory *memory = memory_of(target.base);
    struct view_walk walk = {.index = {0}};
    if (view_is_empty(&target))
        return;
    do {
        if ((*view_at(&masks, walk.index) & 1) == 0)
            continue;
        unsigned char *at = view_at(&target, walk.index);
        if (memory != NULL && !is_inside(memory, at, element_bytes))
            stop_outside(memory, at, element_bytes, 1, (int32_t)element_bytes, place);
        if (running.races != NULL && memory != NULL)
            follow(&(struct view){.base = target.base, .first = at, .bytes = element_bytes}, true, place);
        memcpy(at, view_at(&values, walk.index), element_bytes);
    } while (view_next(&target, &walk));
}
