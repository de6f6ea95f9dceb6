/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gives and keeps temporary memory: KEPT blocks at most, each exchanged atomically so that no lock is needed.
 */
#include "tensor/scratch.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* Blocks that are kept, and how large they are at most; one that is more than so many times as large as needed
 * is left to others. */
enum { KEPT = 4, KEPT_MAX = 1 << 26, TIMES_MAX = 4, LINE = 64 };

/* In front of a block. */
struct header {
    _Alignas(LINE) size_t bytes; /* behind it */
};

/* Whoever exchanges a block for NULL has it alone. */
static struct header *_Atomic kept[KEPT];

void *scratch_create(size_t bytes)
{
    if (bytes >= SCRATCH_MOST)
        return NULL;
    for (int i = 0; bytes >= SCRATCH_KEPT_MIN && i < KEPT; i++) {
        struct header *block = atomic_exchange(&kept[i], NULL);
        if (block != NULL && block->bytes >= bytes && block->bytes / TIMES_MAX <= bytes)
            return block + 1;
        free(atomic_exchange(&kept[i], block)); /* what came meanwhile is not kept */
    }
    bytes = (bytes + LINE - 1) / LINE * LINE;
    struct header *block = aligned_alloc(LINE, sizeof *block + bytes);
    if (block == NULL)
        return NULL;
    block->bytes = bytes;
    return block + 1;
}

void scratch_destroy(void *scratch)
{
    if (scratch == NULL)
        return;
    struct header *block = (struct header *)scratch - 1;
    for (int i = 0; block != NULL && block->bytes >= SCRATCH_KEPT_MIN && block->bytes <= KEPT_MAX && i < KEPT;
         i++)
        block = atomic_exchange(&kept[i], block); /* those that were kept move on */
    free(block);
}
