/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The chunk of the calling thread: where its records find room.
 */
#include "base/thread_id.h"
#include "runtime/timeline/trace_chunk.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "runtime/timeline/trace_target.h"

/* Where records go; written before the state says that there is a timeline. NULL: there has not been one. */
static _Atomic(struct trace_target *) current_target;
static pthread_key_t key;
static bool has_key;

/* Guards the chunks that threads have left when they ended, linked by next_free. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_chunk *free_chunks;

static _Thread_local struct trace_chunk *chunk_of_thread;

/* Whether the chunk is one of the file that is written now. */
static inline bool is_of_current(const struct trace_chunk *chunk)
{
    return chunk->owner == (uint64_t)(uintptr_t)atomic_load_explicit(&current_target, memory_order_acquire);
}

/* The thread ends: what its chunk has room for is for others. */
static void leave_chunk(void *chunk)
{
    struct trace_chunk *own = (struct trace_chunk *)chunk;
    chunk_of_thread = NULL;
    atomic_store_explicit(&own->open_count, 0, memory_order_release);
    if (!is_of_current(own)) {
        munmap(own, TRACE_CHUNK_BYTES);
        return;
    }
    pthread_mutex_lock(&lock);
    own->next_free = (uint64_t)(uintptr_t)free_chunks;
    free_chunks = own;
    pthread_mutex_unlock(&lock);
}

/* Room at the end of a chunk, or NULL; commit makes it a record. */
static inline void *room_in(struct trace_chunk *chunk, size_t bytes)
{
    uint32_t used = atomic_load_explicit(&chunk->used, memory_order_relaxed);
    return bytes <= TRACE_CHUNK_BYTES - sizeof *chunk - used ? chunk->records + used : NULL;
}

static inline void commit(struct trace_chunk *chunk, size_t bytes)
{
    uint32_t used = atomic_load_explicit(&chunk->used, memory_order_relaxed);
    atomic_store_explicit(&chunk->used, used + (uint32_t)bytes, memory_order_release);
}

/* Says whose the records are that follow. */
static void name_thread(struct trace_chunk *chunk)
{
    struct trace_thread *thread = (struct trace_thread *)room_in(chunk, sizeof *thread);
    *thread = (struct trace_thread){.record = {TRACE_THREAD, sizeof *thread, 0}, .id = thread_id()};
    prctl(PR_GET_NAME, thread->name);
    commit(chunk, sizeof *thread);
}

/* What the thread is in is told by its new chunk from now on. */
static void take_open_over(struct trace_chunk *chunk, struct trace_chunk *full)
{
    uint32_t count = atomic_load_explicit(&full->open_count, memory_order_relaxed);
    memcpy(chunk->open, full->open, sizeof full->open);
    atomic_store_explicit(&chunk->open_count, count, memory_order_release);
    atomic_store_explicit(&full->open_count, 0, memory_order_release);
}

/* Another chunk for the calling thread; NULL when there is none. */
static __attribute__((noinline)) struct trace_chunk *change_chunk(size_t bytes)
{
    struct trace_chunk *chunk = NULL, *full = chunk_of_thread;
    if (full != NULL) {
        chunk_of_thread = NULL;
        pthread_setspecific(key, NULL);
    } else {
        pthread_mutex_lock(&lock);
        chunk = free_chunks;
        if (chunk != NULL && is_of_current(chunk) &&
            room_in(chunk, bytes + sizeof(struct trace_thread)) != NULL)
            free_chunks = (struct trace_chunk *)(uintptr_t)chunk->next_free;
        else
            chunk = NULL;
        pthread_mutex_unlock(&lock);
    }
    if (chunk == NULL)
        chunk = trace_target_chunk(atomic_load_explicit(&current_target, memory_order_acquire));
    if (full != NULL) {
        if (chunk != NULL && chunk->owner == full->owner)
            take_open_over(chunk, full);
        munmap(full, TRACE_CHUNK_BYTES);
    }
    if (chunk == NULL)
        return NULL;
    pthread_setspecific(key, chunk); /* where that fails the thread's chunk ends with it */
    name_thread(chunk);
    return chunk_of_thread = chunk;
}

/* Room for a record, or NULL: then the record is lost. */
void *trace_room_for(size_t bytes)
{
    struct trace_chunk *chunk = chunk_of_thread;
    void *room = chunk != NULL && is_of_current(chunk) ? room_in(chunk, bytes) : NULL;
    if (__builtin_expect(room != NULL, 1))
        return room;
    chunk = change_chunk(bytes);
    if (chunk != NULL)
        return room_in(chunk, bytes);
    atomic_fetch_add_explicit(&trace_target_head()->lost, 1, memory_order_relaxed);
    return NULL;
}

/* What threads have left of another file is of no use in this one. */
static void forget_free_chunks(void)
{
    pthread_mutex_lock(&lock);
    struct trace_chunk *chunk = free_chunks;
    free_chunks = NULL;
    pthread_mutex_unlock(&lock);
    while (chunk != NULL) {
        struct trace_chunk *next = (struct trace_chunk *)(uintptr_t)chunk->next_free;
        munmap(chunk, TRACE_CHUNK_BYTES);
        chunk = next;
    }
}

bool trace_open_target(const char *path, bool is_exact, const char **why)
{
    has_key = has_key || pthread_key_create(&key, leave_chunk) == 0;
    struct trace_target *target = has_key ? trace_target_create(path, is_exact) : NULL;
    *why = strerror(errno);
    if (target == NULL)
        return false;
    target->before = trace_current_target();
    atomic_store_explicit(&current_target, target, memory_order_release);
    forget_free_chunks();
    return true;
}

void trace_commit(size_t bytes)
{
    commit(chunk_of_thread, bytes);
}

struct trace_chunk *trace_current_chunk(void)
{
    struct trace_chunk *chunk = chunk_of_thread;
    return chunk != NULL && is_of_current(chunk) ? chunk : change_chunk(0);
}

struct trace_chunk *trace_last_chunk(void)
{
    return chunk_of_thread;
}

struct trace_target *trace_current_target(void)
{
    return atomic_load_explicit(&current_target, memory_order_acquire);
}

void trace_chunk_after_fork(void)
{
    /* Otherwise the end of the child's thread would leave the chunk, which the parent's thread writes to. */
    if (chunk_of_thread != NULL)
        pthread_setspecific(key, NULL);
    chunk_of_thread = NULL;
}
