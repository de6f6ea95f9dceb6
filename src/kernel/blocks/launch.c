/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Launches: a task of the stream, which bears the kernel's name.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_base.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/listener.h"
#include "base/report.h"
#include "base/settings.h"
#include "kernel/blocks/run.h"
#include "kernel/blocks/stack_end.h"
#include "runtime/addresses/memory.h"
#include "runtime/addresses/reach.h"
#include "runtime/streams/fault.h"
#include "runtime/streams/refusal.h"
#include "runtime/streams/stream.h"

enum {
    BLOCKS_MAX = 65535,
    NAME_BUCKETS = 256,
    NAME_BYTES = 128,
    ARGUMENTS_INSIDE = 80,
    ARGUMENTS_HERE = 1024
};

/* Names of kernels stay: sentences, timelines and reports have them after their libraries are gone. */
struct name {
    struct name *next;
    char text[NAME_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of who adds one */
static struct name *_Atomic names[NAME_BUCKETS];

static const struct name *find_name(const struct name *found, const char *text)
{
    while (found != NULL && strncmp(found->text, text, NAME_BYTES - 1) != 0)
        found = found->next;
    return found;
}

static const char *keep_name(const char *text)
{
    text = text != NULL ? text : "a kernel without a name";
    const uint64_t hash = hash_add(HASH_START, text, strnlen(text, NAME_BYTES - 1));
    struct name *_Atomic *bucket = &names[hash % NAME_BUCKETS];
    const struct name *found = find_name(atomic_load_explicit(bucket, memory_order_acquire), text);
    if (found != NULL)
        return found->text;
    pthread_mutex_lock(&lock);
    struct name *first = atomic_load_explicit(bucket, memory_order_relaxed);
    found = find_name(first, text);
    struct name *made = found == NULL ? malloc(sizeof *made) : NULL;
    if (made != NULL) {
        snprintf(made->text, sizeof made->text, "%s", text);
        made->next = first;
        atomic_store_explicit(bucket, made, memory_order_release);
        found = made;
    }
    pthread_mutex_unlock(&lock);
    return found != NULL ? found->text : "a kernel";
}

/* A task's payload. */
struct launch {
    const char *name;
    void (*function)(void *arguments);
    void *arguments; /* owned; NULL: they are inside */
    uint64_t tiling_key;
    uint64_t pointers; /* a bit for each word that is one */
    uint32_t bytes;
    uint32_t blocks;
    uint32_t kind;
    _Alignas(16) unsigned char inside[ARGUMENTS_INSIDE];
};
_Static_assert(sizeof(struct launch) <= TASK_PAYLOAD_BYTES, "a launch has to fit a task");

static __thread uint64_t next_tiling_key;

static const struct launch *launch_of(const struct task *task)
{
    return (const struct launch *)(const void *)task->payload;
}

static const void *arguments_of(const struct launch *launch)
{
    return launch->arguments != NULL ? launch->arguments : launch->inside;
}

/* The word at `at`, if that is an address of live device memory; else NULL. What is a structure or a number may hold
 * one as well as a pointer. */
static const void *pointer_at(const void *arguments, uint32_t at, struct memory_block *block)
{
    const void *pointer;
    memcpy(&pointer, (const unsigned char *)arguments + at, sizeof pointer);
    return memory_is_reserved(pointer) && memory_find(pointer, block) ? pointer : NULL;
}

/* The word is a pointer, to what was device memory. */
static bool is_stale(const struct launch *launch, uint32_t at, const void **pointer)
{
    const uint32_t word = at / sizeof(void *);
    struct memory_block block;
    if (word >= 64 || (launch->pointers >> word & 1) == 0)
        return false;
    memcpy(pointer, (const unsigned char *)arguments_of(launch) + at, sizeof *pointer);
    return memory_is_reserved(*pointer) && !memory_find(*pointer, &block);
}

static void reach_pointers(void *arguments, uint32_t bytes)
{
    struct memory_block block;
    for (uint32_t at = 0; blocks_are_guarded() && at + sizeof(void *) <= bytes; at += sizeof(void *)) {
        const void *pointer = pointer_at(arguments, at, &block);
        if (pointer == NULL)
            continue;
        pointer = memory_reach(pointer);
        memcpy((unsigned char *)arguments + at, &pointer, sizeof pointer);
    }
}

static int tell(const struct run *run)
{
    char sentence[FAULT_SENTENCE_BYTES];
    const struct call_place place = {.address = run->ended_at + 1}; /* places lie behind a call */
    struct finding finding = {.rule = RULE_KERNEL};
    if (run->ended_at != 0)
        finding.place[0].place = &place;
    snprintf(sentence, sizeof sentence, "%.100s: %.400s", run->name, run->sentence);
    report_failed_work(&finding, ACL_ERROR_RT_AICORE_EXCEPTION, sentence);
    return operation_fail(ACL_ERROR_RT_AICORE_EXCEPTION, "%s", sentence);
}

static int run_launch(struct task *task)
{
    const struct launch *launch = launch_of(task);
    _Alignas(16) unsigned char here[ARGUMENTS_HERE];
    unsigned char *arguments = launch->bytes <= sizeof here ? here : malloc(launch->bytes);
    if (arguments == NULL)
        return tell(&(struct run){.name = launch->name, .sentence = "there is no memory for the arguments"});
    memcpy(arguments, arguments_of(launch), launch->bytes);
    reach_pointers(arguments, launch->bytes);
    struct run run = {.name = launch->name,
                      .prepare = stack_end_watch,
                      .function = launch->function,
                      .arguments = arguments,
                      .blocks = launch->blocks,
                      .kind = launch->kind,
                      .tiling_key = launch->tiling_key};
    int status = run_blocks(&run);
    if (status != 0)
        status = tell(&run);
    if (arguments != here)
        free(arguments);
    return status;
}

static void release_launch(struct task *task)
{
    free(launch_of(task)->arguments);
}

static bool launch_is_current(const struct task *task)
{
    const struct launch *launch = launch_of(task);
    const void *pointer;
    for (uint32_t at = 0; at + sizeof(void *) <= launch->bytes; at += sizeof(void *))
        if (is_stale(launch, at, &pointer))
            return false;
    return true;
}

/* What is known: a kernel may read or write from each pointer to the end of its block, and not which of it. */
static void describe_launch(const struct task *task, struct access_visitor *visitor)
{
    const struct launch *launch = launch_of(task);
    struct memory_block block;
    for (uint32_t at = 0; at + sizeof(void *) <= launch->bytes; at += sizeof(void *)) {
        const void *pointer = pointer_at(arguments_of(launch), at, &block);
        if (pointer != NULL)
            access_visit_bytes(visitor, "args", ACCESS_READ | ACCESS_PARTLY | ACCESS_WRITTEN | ACCESS_PERHAPS,
                               pointer, block.bytes - ((uintptr_t)pointer - block.base));
    }
}

static int check_pointers(const struct launch *launch)
{
    for (uint32_t at = 0; at + sizeof(void *) <= launch->bytes; at += sizeof(void *)) {
        char what[MEMORY_TEXT_BYTES];
        const void *pointer;
        if (!is_stale(launch, at, &pointer))
            continue;
        memory_describe(pointer, what, sizeof what);
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: a pointer among the arguments, %p, %s; device memory is expected", launch->name,
                    pointer, what);
    }
    return 0;
}

static int queue(struct launch *launch, void *stream)
{
    const struct settings *settings;
    struct stream_target target;
    TRY(settings_get(&settings));
    TRY(stream_find(launch->name, stream, &target));
    struct task task = {.run = run_launch,
                        .release = release_launch,
                        .is_current = launch_is_current,
                        .describe = describe_launch,
                        .cost_ns = TASK_NEVER_INLINE};
    int status;
    do {
        TRY(check_pointers(launch));
        memcpy(task.payload, launch, sizeof *launch);
        status = stream_launch(launch->name, &target, &task);
    } while (status == STREAM_OUTDATED);
    return status;
}

static int check_launch(const char *name, void (*function)(void *arguments), const void *arguments,
                        size_t bytes, uint32_t blocks)
{
    if (function == NULL || (arguments == NULL && bytes > 0))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: launched with %s NULL; an address is expected", name,
                    function == NULL ? "a function that is" : "arguments that are");
    if (blocks == 0 || blocks > BLOCKS_MAX)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: launched with %u blocks; 1 to %d are expected", name,
                    blocks, BLOCKS_MAX);
    return 0;
}

static int take_arguments(struct launch *launch, const void *arguments, size_t bytes)
{
    if (bytes > UINT32_MAX / 2)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: launched with %zu bytes of arguments", launch->name,
                    bytes);
    launch->bytes = (uint32_t)bytes;
    void *room = launch->inside;
    if (bytes > sizeof launch->inside)
        room = launch->arguments = malloc(bytes);
    if (room == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for a kernel's arguments", launch->name);
    if (bytes != 0)
        memcpy(room, arguments, bytes);
    return 0;
}

void belay_kernel_set_tiling_key(uint64_t key)
{
    next_tiling_key = key;
}

int belay_kernel_launch(void *stream, const char *name, void (*function)(void *arguments),
                        const void *arguments, size_t bytes, uint64_t pointers, uint32_t blocks,
                        uint32_t kind)
{
    struct launch launch = {.name = keep_name(name),
                            .pointers = pointers,
                            .function = function,
                            .blocks = blocks,
                            .kind = kind <= BELAY_KERNEL_MIXED_1_2 ? kind : BELAY_KERNEL_AUTO,
                            .tiling_key = next_tiling_key};
    next_tiling_key = 0;
    int status = check_launch(launch.name, function, arguments, bytes, blocks);
    if (status == 0)
        status = take_arguments(&launch, arguments, bytes);
    if (status == 0)
        status = queue(&launch, stream);
    if (status == 0)
        return 0;
    free(launch.arguments);
    /* `<<<>>>` has no status: whoever waits for the stream is told. */
    (void)refusal_queue(launch.name, stream, error_last_sentence());
    return status;
}

int belay_kernel_run(const char *name, void (*function)(void *arguments), const void *arguments, size_t bytes,
                     uint32_t blocks, uint32_t kind)
{
    const struct settings *settings;
    struct launch launch = {.name = keep_name(name)};
    (void)settings_get(&settings); /* the order of blocks; without it they have the usual one */
    if (check_launch(launch.name, function, arguments, bytes, blocks) != 0 ||
        take_arguments(&launch, arguments, bytes) != 0)
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    void *own = launch.arguments != NULL ? launch.arguments : launch.inside;
    reach_pointers(own, launch.bytes);
    struct run run = {.name = launch.name,
                      .prepare = stack_end_watch,
                      .function = function,
                      .arguments = own,
                      .blocks = blocks,
                      .kind = kind <= BELAY_KERNEL_MIXED_1_2 ? kind : BELAY_KERNEL_AUTO,
                      .tiling_key = next_tiling_key};
    next_tiling_key = 0;
    const int status = run_blocks(&run);
    if (status != 0) {
        fprintf(stderr, "belay: %s: %s\n", launch.name, run.sentence);
        report_failed_work(&(struct finding){.rule = RULE_KERNEL}, status, run.sentence);
    }
    free(launch.arguments);
    return status;
}

int belay_kernel_compute(const struct belay_operator_launch *launch, void (*function)(void *arguments))
{
    struct run run = {.name = keep_name(launch->name),
                      .prepare = stack_end_watch,
                      .function = function,
                      .arguments = (void *)(uintptr_t)launch->pointer,
                      .blocks = launch->blocks,
                      .kind = BELAY_KERNEL_AUTO,
                      .tiling_key = launch->tiling_key,
                      .memory = launch->memory,
                      .memory_count = launch->memory_count};
    const int status = run_blocks(&run);
    return status == 0 ? 0 : tell(&run);
}
