/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The part of the address space that device memory and pinned host memory come from: one reservation, cut
 * into chunks of 2 MiB, with a table that says what every chunk holds and a record for every block.
 *
 * A chunk holds equal small blocks of one size_class, or belongs to a large block of whole chunks. Both
 * tables are read without a lock, so each of their entries is one atomic word, and a record alone says that a
 * block is live, where it begins (by its place in the table and its size_class) and how many bytes the
 * program asked for. A reader who came with an outdated layout finds a record of another class or one that is
 * not live, and both mean that the address belonged to no block at some time during the lookup.
 */
#ifndef BELAY_RUNTIME_ADDRESSES_ADDRESS_SPACE_H
#define BELAY_RUNTIME_ADDRESSES_ADDRESS_SPACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"
#include "runtime/addresses/memory.h"

enum {
    CHUNK_BITS = 21,
    CHUNK_BYTES = 1 << CHUNK_BITS,
    GRANULE_BITS = 9, /* blocks begin and end at multiples of a granule */
    GRANULE_BYTES = 1 << GRANULE_BITS,
    CHUNK_RECORDS = 1 << (CHUNK_BITS - GRANULE_BITS),
    CLASS_IMPORTED = 61, /* no block: memory of another process (shared_import.c) */
    CLASS_MAPPED = 62,   /* no block: part of what a program reserved (reservation.h) */
    CLASS_LARGE = 63,    /* whole chunks; the classes of small blocks are below */
};

enum record_state {
    RECORD_NONE, /* never given out since the chunk got its layout */
    RECORD_LIVE,
    RECORD_FREED, /* by the program; the memory may be waiting for work to end, or be ready for reuse */
    RECORD_RESET, /* as freed, by a device reset */
};

/*
 * A record: bits 63..62 state, 61..60 place, 59..54 device, 53..48 size_class, 47..0 the bytes asked for
 * while live, otherwise a link that its owner uses.
 */
enum { RECORD_LOW_BITS = 48 };
static const uint64_t RECORD_LOW = (UINT64_C(1) << RECORD_LOW_BITS) - 1;

static inline uint64_t record_make(enum record_state state, enum memory_place place, int32_t device,
                                   uint32_t size_class, uint64_t low)
{
    return (uint64_t)state << 62 | (uint64_t)place << 60 | (uint64_t)(uint32_t)device << 54 |
           (uint64_t)size_class << 48 | low;
}

static inline enum record_state record_state(uint64_t record)
{
    return (enum record_state)(record >> 62);
}

static inline enum memory_place record_place(uint64_t record)
{
    return (enum memory_place)(record >> 60 & 3);
}

static inline int32_t record_device(uint64_t record)
{
    return (int32_t)(record >> 54 & 63);
}

static inline uint32_t record_class(uint64_t record)
{
    return (uint32_t)(record >> 48 & 63);
}

static inline uint64_t record_low(uint64_t record)
{
    return record & RECORD_LOW;
}

/* True for the record of a live block of this class: one comparison of its two fields. */
static inline bool record_is_live(uint64_t record, uint32_t size_class)
{
    const uint64_t fields = UINT64_C(3) << 62 | UINT64_C(63) << 48;
    return (record & fields) == ((uint64_t)RECORD_LIVE << 62 | (uint64_t)size_class << 48);
}

/*
 * A layout: bits 5..0 size_class, for small blocks 17..6 granules per block and 63..18 their reciprocal
 * ceil(2^24 / granules), which divides any number below 2^12 exactly; for a large block 17..6 is the granule
 * of its first chunk that it begins with, and 63..18 the distance to that chunk. 0: nothing.
 */
static inline uint64_t layout_make_small(uint32_t size_class, uint32_t granules)
{
    uint64_t reciprocal = ((UINT64_C(1) << 24) + granules - 1) / granules;
    return reciprocal << 18 | (uint64_t)granules << 6 | size_class;
}

static inline uint64_t layout_make_large(uint64_t distance, uint32_t granule)
{
    return distance << 18 | (uint64_t)granule << 6 | CLASS_LARGE;
}

static inline uint32_t layout_class(uint64_t layout)
{
    return (uint32_t)layout & 63;
}

enum chunk_use { CHUNK_OTHER, CHUNK_SMALL_BLOCKS, CHUNK_LARGE_BLOCK /* its first chunk */ };

/* What the allocator knows about a chunk; under its lock. */
struct chunk {
    uint32_t run_chunks; /* length of the free run that begins or ends here; 0 everywhere else */
    uint32_t next;       /* free runs of about the same length: chunk + 1, 0 at the end */
    uint32_t previous;
    uint32_t block_chunks; /* CHUNK_LARGE_BLOCK: length of the block */
    uint16_t given;        /* CHUNK_SMALL_BLOCKS: blocks that were given out at least once */
    uint16_t in_use;       /* of them not free (live, or waiting for work to end) */
    uint8_t owner;         /* a device, or OWNER_HOST */
    uint8_t use;           /* enum chunk_use */
};

/*
 * The allocator's lock. It guards every struct chunk, the marks, the lists that are linked through
 * records, and all writes to layouts, records and ranges, which are read without it. Nothing waits for work
 * while it holds this lock, and no other lock is taken under it.
 */
extern pthread_mutex_t address_space_lock __attribute__((visibility("hidden")));

struct address_space {
    _Atomic uintptr_t base;
    _Atomic uint64_t bytes; /* 0 until the rest is set */
    _Atomic uint64_t *layouts;
    _Atomic uint64_t *records;
    uint64_t *marks; /* per record, the allocator's, under its lock */
    struct chunk *chunks;
    uint32_t chunk_count;
    uint32_t chunk_end;   /* chunks from here on were never used; under the allocator's lock */
    uintptr_t reservable; /* under the check of memory: the second part of the window, which is for what */
    uint64_t reservable_bytes; /* programs reserve themselves; 0 otherwise */
};

extern struct address_space address_space SHARED(address_space);

/*
 * Reserves the address space if that was not tried before: about wanted bytes, less where the system sets a
 * limit, nothing when it refuses. With is_window it becomes a memory_window, and as much again is reserved
 * for programs to reserve. The allocator's lock is held.
 */
void address_space_open(uint64_t wanted, bool is_window);

/* A run of neighbouring chunks that the library can read and write, or UINT32_MAX. The allocator's lock is
 * held. */
uint32_t address_space_take(uint32_t count, bool huge_pages);

/* Gives the run's pages back to the system and its addresses back to the pool. The allocator's lock is held.
 * The addresses stay mapped, so that a program's late access reads zeros and does not crash. */
void address_space_give_back(uint32_t chunk, uint32_t count);

/* True, and where in the address space, when address lies there. */
static inline bool address_space_contains(uintptr_t address, uint64_t *offset)
{
    uint64_t bytes = atomic_load_explicit(&address_space.bytes, memory_order_acquire);
    *offset = address - atomic_load_explicit(&address_space.base, memory_order_relaxed);
    return *offset < bytes;
}

/*
 * The record for an address inside the address space, the block's first byte and its class. An empty layout
 * has class 0, which no live block has; the record is the chunk's first then.
 */
static inline _Atomic uint64_t *address_space_record(uint64_t offset, uint64_t *block_offset,
                                                     uint32_t *size_class)
{
    uint64_t chunk = offset >> CHUNK_BITS;
    uint64_t layout = atomic_load_explicit(&address_space.layouts[chunk], memory_order_acquire);
    uint64_t index = 0;
    *size_class = layout_class(layout);
    if (*size_class == CLASS_LARGE) {
        chunk -= layout >> 18;
        *block_offset = (chunk << CHUNK_BITS) + ((layout >> 6 & 4095) << GRANULE_BITS);
    } else {
        uint64_t granule = (offset & (CHUNK_BYTES - 1)) >> GRANULE_BITS;
        index = granule * (layout >> 18) >> 24;
        *block_offset = (chunk << CHUNK_BITS) + (index * (layout >> 6 & 4095) << GRANULE_BITS);
    }
    return &address_space.records[chunk * CHUNK_RECORDS + index];
}

#endif
