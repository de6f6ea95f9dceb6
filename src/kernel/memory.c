/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory of the programs of kernels.
 *
 * A program's tensors are never freed one by one: its thread takes them from chunks, one behind the other, and
 * the next program begins at the first chunk again. Chunks stay with the thread until it ends.
 */
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel.h"

enum { ALIGNMENT = 64, CHUNK_BYTES = 1 << 20 };

struct chunk {
    struct chunk *next;
    uint64_t bytes; /* behind the header */
    alignas(ALIGNMENT) unsigned char memory[];
};

/* A thread's chunks: those before `now` are full, and of that one so many bytes are taken. */
struct arena {
    struct chunk *first, *now;
    uint64_t taken;
};

static __thread struct arena arena;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_chunks(void *first)
{
    for (struct chunk *chunk = first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}

static void make_key(void)
{
    (void)pthread_key_create(&key, free_chunks); /* without it a thread that ends keeps its chunks */
}

static struct chunk *make_chunk(uint64_t bytes)
{
    const uint64_t room = bytes > CHUNK_BYTES ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : CHUNK_BYTES;
    struct chunk *chunk = room < bytes ? NULL : aligned_alloc(ALIGNMENT, sizeof *chunk + room);
    if (chunk == NULL) {
        fprintf(stderr, "belay: there is no memory for %llu bytes of a kernel's tensor\n",
                (unsigned long long)bytes);
        abort();
    }
    chunk->next = NULL;
    chunk->bytes = room;
    return chunk;
}

static void take_another_chunk(uint64_t bytes)
{
    struct chunk **place = arena.now != NULL ? &arena.now->next : &arena.first;
    while (*place != NULL && (*place)->bytes < bytes)
        place = &(*place)->next;
    if (*place == NULL) {
        *place = make_chunk(bytes);
        if (place == &arena.first) {
            (void)pthread_once(&once, make_key);
            (void)pthread_setspecific(key, arena.first);
        }
    }
    arena.now = *place;
    arena.taken = 0;
}

void *belay_kernel_allocate(uint64_t bytes)
{
    if (arena.now == NULL || arena.now->bytes - arena.taken < bytes)
        take_another_chunk(bytes);
    void *memory = arena.now->memory + arena.taken;
    const uint64_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
                   left = arena.now->bytes - arena.taken;
    arena.taken += rounded < left ? rounded : left;
    return memory;
}

void belay_kernel_end(void)
{
    arena.now = arena.first;
    arena.taken = 0;
}
