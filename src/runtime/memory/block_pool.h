/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pool of blocks in the address space. Small blocks share chunks with others of their class, large ones
 * are whole chunks. A block that is put back stays in a list of its owner, and the next request of its class
 * or length takes it from there. Chunks go back to the system when the pool is trimmed, and when a request
 * would otherwise exceed the device's memory or the system's. address_space_lock is held by every caller.
 */
#ifndef BELAY_RUNTIME_MEMORY_BLOCK_POOL_H
#define BELAY_RUNTIME_MEMORY_BLOCK_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/addresses/address_space.h"
#include "base/settings.h"

/* Who holds blocks: a device, or the host for pinned memory. */
enum { OWNER_HOST = DEVICES_MAX, OWNERS };

static inline uint32_t owner_index(enum memory_place place, int32_t device)
{
    return place == MEMORY_PINNED_HOST ? (uint32_t)OWNER_HOST : (uint32_t)device;
}

static inline uint32_t owner_of(uint64_t record)
{
    return owner_index(record_place(record), record_device(record));
}

static inline uint64_t record_at(uint64_t index)
{
    return atomic_load_explicit(&address_space.records[index], memory_order_relaxed);
}

static inline void record_set(uint64_t index, uint64_t record)
{
    atomic_store_explicit(&address_space.records[index], record, memory_order_release);
}

/*
 * The number of a record, not live yet, for a block with room for granules; its class, and its extent in
 * bytes. UINT64_MAX when the address space has no room, or, with *is_refused, the system has no memory.
 * room_bytes is what the owner may hold besides its live blocks: blocks it keeps are given up for it.
 */
uint64_t pool_take(uint32_t owner, uint64_t granules, bool huge_pages, uint64_t room_bytes,
                   uint32_t *size_class, bool *is_refused);

/* Puts a block back that is not live any more, and that no work uses. */
void pool_put(uint64_t index);

/* The address of a block, and how many bytes it can hold. */
uintptr_t pool_extent(uint64_t index, uint32_t size_class, uint64_t *bytes);

/* Gives the chunks of an owner, or of all, in which nothing is in use back to the system. */
void pool_trim(uint32_t owner);

/*
 * Counts bytes that are given out outside of the address space as taken from the system: false when it has
 * not that much left even after all owners were trimmed.
 */
bool pool_promise(uint64_t bytes);
void pool_take_promise_back(uint64_t bytes);

/* address_space_give_back for chunks that blocks had: what shares their pages with other processes ends. */
void pool_give_back(uint32_t chunk, uint32_t count);

#endif
