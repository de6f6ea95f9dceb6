/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tells AddressSanitizer, in programs that are built with it, which memory of ours nobody may touch: freed
 * blocks, and what lies behind a block and its slack. Costs a comparison elsewhere.
 */
#ifndef BELAY_RUNTIME_MEMORY_POISON_H
#define BELAY_RUNTIME_MEMORY_POISON_H

#include <stddef.h>
#include <stdint.h>

/* AddressSanitizer's interface; absent, and NULL here, in a program without it. */
void __asan_poison_memory_region(const volatile void *address, size_t bytes) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *address, size_t bytes) __attribute__((weak));

/* Shadow memory is written for every byte that is poisoned: of large blocks only both ends are. */
enum { POISON_BYTES_MOST = 1 << 16, POISON_TAIL_BYTES = 1 << 21 };

static inline uint64_t poison_limit(uint64_t bytes, uint64_t most)
{
    return bytes < most ? bytes : most;
}

/* The first bytes of a freed block: what a late access most often finds. */
static inline void poison_freed(uintptr_t start, uint64_t extent)
{
    if (__builtin_expect(__asan_poison_memory_region != NULL, 0))
        __asan_poison_memory_region((void *)start, poison_limit(extent, POISON_BYTES_MOST));
}

/* All that may be poisoned in a block; the end of one is never farther from its extent than a chunk. */
static inline void unpoison(uintptr_t start, uint64_t extent)
{
    if (__builtin_expect(__asan_unpoison_memory_region != NULL, 0)) {
        uint64_t tail = poison_limit(extent, POISON_TAIL_BYTES);
        __asan_unpoison_memory_region((void *)start, poison_limit(extent, POISON_BYTES_MOST));
        __asan_unpoison_memory_region((void *)(start + extent - tail), tail);
    }
}

/* What follows the usable bytes of a block that is given out. */
static inline void poison_behind(uintptr_t start, uint64_t usable, uint64_t extent)
{
    unpoison(start, extent);
    if (__builtin_expect(__asan_poison_memory_region != NULL, 0))
        __asan_poison_memory_region((void *)(start + usable),
                                    poison_limit(extent - usable, POISON_BYTES_MOST));
}

#endif
