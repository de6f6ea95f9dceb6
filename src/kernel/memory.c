/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory of the programs of kernels, and copies between their tensors.
 *
 * A program's tensors are never freed one by one: its thread takes them from chunks, one behind the other, and
 * the next program begins at the first chunk again. Chunks stay with the thread until it ends.
 */
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "kernel/run.h"
#include "kernel/streaming.h"

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

/* One side of a copy. */
struct side {
    unsigned char *first;
    const void *base;
    const int64_t *size, *stride; /* in elements */
};

static struct side side_of(const struct memref *memref, int64_t element_bytes)
{
    struct {
        unsigned char *base, *aligned;
        int64_t offset;
    } head;
    memcpy(&head, memref->descriptor, sizeof head);
    const int64_t *size = (const int64_t *)((const unsigned char *)memref->descriptor + sizeof head);
    return (struct side){head.aligned + head.offset * element_bytes, head.base, size, size + memref->rank};
}

/* room: of the tensor that what is the program's own is copied to; 0 for all other copies. */
static void copy_dim(int64_t rank, const struct side *from, const struct side *to, int64_t bytes,
                     uint64_t room)
{
    const int64_t count = from->size[0];
    if (rank == 1 && from->stride[0] == 1 && to->stride[0] == 1) {
        if (room > 0) {
            copy_streaming(to->first, from->first, (uint64_t)(count * bytes), room);
            put_fence();
        } else {
            memmove(to->first, from->first, (size_t)(count * bytes));
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const struct side next_from = {from->first + i * from->stride[0] * bytes, from->base, from->size + 1,
                                       from->stride + 1},
                          next_to = {to->first + i * to->stride[0] * bytes, to->base, to->size + 1,
                                     to->stride + 1};
        if (rank == 1)
            memcpy(next_to.first, next_from.first, (size_t)bytes);
        else
            copy_dim(rank - 1, &next_from, &next_to, bytes, room);
    }
}

void memrefCopy(int64_t element_bytes, struct memref *from, struct memref *to)
{
    const struct side source = side_of(from, element_bytes), target = side_of(to, element_bytes);
    for (int64_t i = 0; i < from->rank; i++)
        if (source.size[i] <= 0)
            return;
    if (from->rank == 0)
        memcpy(target.first, source.first, (size_t)element_bytes);
    else
        copy_dim(from->rank, &source, &target, element_bytes,
                 program_room(source.base) == 0 ? program_room(target.base) : 0);
}
