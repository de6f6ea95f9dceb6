/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Global memory as kernels see it: where it is reached, how far it goes, and that of kernels which run without a
 * device.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/blocks/run.h"
#include "kernel/blocks/stack_end.h"
#include "runtime/addresses/memory.h"
#include "runtime/addresses/reach.h"

enum { MEMORY_ALIGNMENT = 512 };

/* What belay_kernel_memory has given, which no list of the runtime has. */
struct piece {
    struct piece *next;
    uintptr_t base;
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct piece *pieces;

void *belay_kernel_memory(size_t bytes)
{
    struct piece *piece = malloc(sizeof *piece);
    const size_t room = (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    void *memory =
        room >= bytes ? aligned_alloc(MEMORY_ALIGNMENT, room != 0 ? room : MEMORY_ALIGNMENT) : NULL;
    if (piece == NULL || memory == NULL) {
        free(piece);
        free(memory);
        return NULL;
    }
    memset(memory, 0, room);
    pthread_mutex_lock(&lock);
    *piece = (struct piece){.next = pieces, .base = (uintptr_t)memory, .bytes = bytes};
    pieces = piece;
    pthread_mutex_unlock(&lock);
    return memory;
}

void belay_kernel_memory_free(void *memory)
{
    struct piece *found;
    pthread_mutex_lock(&lock);
    struct piece **link = &pieces;
    while (*link != NULL && (*link)->base != (uintptr_t)memory)
        link = &(*link)->next;
    found = *link;
    if (found != NULL)
        *link = found->next;
    pthread_mutex_unlock(&lock);
    if (found != NULL)
        free(memory);
    free(found);
}

static bool find_piece(uintptr_t address, uint64_t *before, uint64_t *after)
{
    pthread_mutex_lock(&lock);
    const struct piece *piece = pieces;
    while (piece != NULL && (address < piece->base || address - piece->base >= piece->bytes))
        piece = piece->next;
    if (piece != NULL) {
        *before = address - piece->base;
        *after = piece->bytes - *before;
    }
    pthread_mutex_unlock(&lock);
    return piece != NULL;
}

/* What the launch says that there is. */
static bool find_own(uintptr_t address, uint64_t *before, uint64_t *after)
{
    const struct core *core = core_running();
    for (uint32_t i = 0; core != NULL && i < core->run->memory_count; i++) {
        const struct belay_operator_memory *memory = &core->run->memory[i];
        if (address < (uintptr_t)memory->base || address - (uintptr_t)memory->base >= memory->bytes)
            continue;
        *before = address - (uintptr_t)memory->base;
        *after = memory->bytes - *before;
        return true;
    }
    return false;
}

int belay_kernel_extent(const void *address, uint64_t *before, uint64_t *after)
{
    core_calls();
    const void *known = memory_known_as(address);
    struct memory_block block;
    if (!memory_find(known, &block))
        return find_own((uintptr_t)address, before, after) || find_piece((uintptr_t)address, before, after);
    *before = (uintptr_t)known - block.base;
    *after = block.bytes - *before;
    return 1;
}

void *belay_kernel_reach(const void *address)
{
    core_calls();
    return memory_reach(address);
}
