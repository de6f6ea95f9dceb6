/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the library reads and writes what a program knows by a device address. Without the check of memory
 * that is the address itself. Under the check programs get addresses in a window whose pages they can neither
 * read nor write, and the memory lies at a constant distance behind it (src/check/guarded_block.h).
 *
 * Whoever dereferences an address that came from a program asks memory_reach first, and it alone: lookups,
 * comparisons and messages are about the program's addresses.
 */
#ifndef BELAY_RUNTIME_ADDRESSES_REACH_H
#define BELAY_RUNTIME_ADDRESSES_REACH_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/export.h"

/* Constant once distance is not 0, which is before the first address is given out. */
struct memory_window {
    _Atomic uint64_t distance; /* 0: there is no window */
    uintptr_t base;
    uint64_t bytes; /* at most distance */
};

extern struct memory_window memory_window SHARED(memory_window);

/* Where the byte at address is read and written; host memory stays where it is. */
static inline void *memory_reach(const void *address)
{
    uint64_t distance = atomic_load_explicit(&memory_window.distance, memory_order_acquire);
    uintptr_t at = (uintptr_t)address;
    if (__builtin_expect(distance != 0, 0) && at - memory_window.base < memory_window.bytes)
        at += distance;
    return (void *)at;
}

/* The address that the program knows of a byte that memory_reach has found. */
static inline void *memory_known_as(const void *reached)
{
    uint64_t distance = atomic_load_explicit(&memory_window.distance, memory_order_acquire);
    uintptr_t at = (uintptr_t)reached;
    if (__builtin_expect(distance != 0, 0) && at - distance - memory_window.base < memory_window.bytes)
        at -= distance;
    return (void *)at;
}

/* Whether blocks come from the checker, which guards them. */
static inline bool blocks_are_guarded(void)
{
    return atomic_load_explicit(&memory_window.distance, memory_order_acquire) != 0;
}

#endif
