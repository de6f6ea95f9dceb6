/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The lists of blocks of each owner, and the chunks behind them.
 */
#include "runtime/memory/block_pool.h"

#include "runtime/memory/poison.h"
#include "runtime/addresses/reach.h"
#include "runtime/memory/shared_memory.h"
#include "runtime/memory/size_class.h"
#include "runtime/memory/system_memory.h"

enum { LARGE_LISTS = 64 };

/* Links in the lists are the number of a record + 1, 0 at the end. */
struct owner {
    uint64_t kept_bytes;                /* in kept_large */
    uint32_t chunk_in_use[CLASSES + 1]; /* chunk + 1 that has blocks which were never given out, or 0 */
    uint64_t free_small[CLASSES + 1];
    uint64_t kept_large[LARGE_LISTS]; /* free large blocks, by their number of chunks modulo LARGE_LISTS */
};

static struct owner owners[OWNERS];
static uint64_t promised_bytes; /* chunks and mappings that are in use or kept */

void pool_give_back(uint32_t chunk, uint32_t count)
{
    uintptr_t base = atomic_load_explicit(&address_space.base, memory_order_relaxed);
    shared_memory_end(base + ((uint64_t)chunk << CHUNK_BITS), (uint64_t)count << CHUNK_BITS, true);
    address_space_give_back(chunk, count);
}

static void push(uint64_t *list, uint64_t index)
{
    record_set(index, (record_at(index) & ~RECORD_LOW) | *list);
    *list = index + 1;
}

uintptr_t pool_extent(uint64_t index, uint32_t size_class, uint64_t *bytes)
{
    uint64_t chunk = index / CHUNK_RECORDS;
    uint64_t offset = chunk << CHUNK_BITS;
    if (size_class == CLASS_LARGE) {
        *bytes = (uint64_t)address_space.chunks[chunk].block_chunks << CHUNK_BITS;
    } else {
        *bytes = (uint64_t)class_granules(size_class) << GRANULE_BITS;
        offset += (index % CHUNK_RECORDS) * *bytes;
    }
    return atomic_load_explicit(&address_space.base, memory_order_relaxed) + offset;
}

void pool_put(uint64_t index)
{
    uint64_t record = record_at(index);
    struct owner *owner = &owners[owner_of(record)];
    struct chunk *chunk = &address_space.chunks[index / CHUNK_RECORDS];
    uint64_t bytes;
    uintptr_t start = pool_extent(index, record_class(record), &bytes);
    poison_freed(start, bytes);
    if (record_class(record) == CLASS_LARGE) {
        owner->kept_bytes += bytes;
        push(&owner->kept_large[chunk->block_chunks % LARGE_LISTS], index);
    } else {
        chunk->in_use--;
        push(&owner->free_small[record_class(record)], index);
    }
}

static void give_back(uint32_t chunk, uint32_t count)
{
    address_space.chunks[chunk].use = CHUNK_OTHER;
    promised_bytes -= (uint64_t)count << CHUNK_BITS;
    uintptr_t base = atomic_load_explicit(&address_space.base, memory_order_relaxed);
    unpoison(base + ((uint64_t)chunk << CHUNK_BITS), (uint64_t)count << CHUNK_BITS);
    pool_give_back(chunk, count);
}

static void trim_large(struct owner *owner)
{
    for (uint32_t i = 0; i < LARGE_LISTS; i++) {
        for (uint64_t link = owner->kept_large[i]; link != 0;) {
            uint32_t chunk = (uint32_t)((link - 1) / CHUNK_RECORDS);
            link = record_low(record_at(link - 1));
            give_back(chunk, address_space.chunks[chunk].block_chunks);
        }
        owner->kept_large[i] = 0;
    }
    owner->kept_bytes = 0;
}

/* Gives back the chunks of small blocks in which no block is in use. */
static void trim_small(uint32_t owner_number)
{
    struct owner *owner = &owners[owner_number];
    for (uint32_t size_class = 1; size_class <= CLASSES; size_class++) {
        uint64_t link = owner->free_small[size_class];
        owner->free_small[size_class] = 0;
        while (link != 0) {
            uint64_t index = link - 1;
            link = record_low(record_at(index));
            if (address_space.chunks[index / CHUNK_RECORDS].in_use != 0)
                push(&owner->free_small[size_class], index);
        }
        if (owner->chunk_in_use[size_class] != 0 &&
            address_space.chunks[owner->chunk_in_use[size_class] - 1].in_use == 0)
            owner->chunk_in_use[size_class] = 0;
    }
    for (uint32_t i = 0; i < address_space.chunk_end; i++) {
        const struct chunk *chunk = &address_space.chunks[i];
        if (chunk->use == CHUNK_SMALL_BLOCKS && chunk->owner == owner_number && chunk->in_use == 0)
            give_back(i, 1);
    }
}

void pool_trim(uint32_t owner_number)
{
    trim_large(&owners[owner_number]);
    trim_small(owner_number);
}

static void trim_all(void)
{
    for (uint32_t i = 0; i < OWNERS; i++) {
        pool_trim(i);
    }
}

static bool can_back(uint64_t bytes)
{
    uintptr_t base = atomic_load_explicit(&address_space.base, memory_order_relaxed);
    return system_memory_can_back(bytes, promised_bytes, memory_reach((const void *)base),
                                  (uint64_t)address_space.chunk_end << CHUNK_BITS);
}

static bool can_back_after_trim(uint64_t bytes)
{
    if (can_back(bytes))
        return true;
    trim_all();
    return can_back(bytes);
}

/* Chunks for an owner, or UINT32_MAX. */
static uint32_t take_chunks(uint32_t count, bool huge_pages)
{
    uint32_t chunk = address_space_take(count, huge_pages);
    if (chunk == UINT32_MAX) {
        trim_all();
        chunk = address_space_take(count, huge_pages);
    }
    if (chunk != UINT32_MAX)
        promised_bytes += (uint64_t)count << CHUNK_BITS;
    return chunk;
}

/* A record for a block of a class, or UINT64_MAX. */
static uint64_t take_small(uint32_t owner_number, uint32_t size_class, bool *is_refused)
{
    struct owner *owner = &owners[owner_number];
    uint64_t index;
    if (owner->free_small[size_class] != 0) {
        index = owner->free_small[size_class] - 1;
        owner->free_small[size_class] = record_low(record_at(index));
        address_space.chunks[index / CHUNK_RECORDS].in_use++;
        return index;
    }
    uint32_t granules = class_granules(size_class);
    uint32_t blocks = CHUNK_RECORDS / granules;
    if (owner->chunk_in_use[size_class] == 0) {
        *is_refused = !can_back_after_trim(CHUNK_BYTES);
        uint32_t fresh = *is_refused ? UINT32_MAX : take_chunks(1, false);
        if (fresh == UINT32_MAX)
            return UINT64_MAX;
        for (uint32_t i = 0; i < blocks; i++)
            atomic_store_explicit(&address_space.records[(uint64_t)fresh * CHUNK_RECORDS + i], 0,
                                  memory_order_relaxed);
        struct chunk *chunk = &address_space.chunks[fresh];
        chunk->owner = (uint8_t)owner_number;
        chunk->use = CHUNK_SMALL_BLOCKS;
        chunk->given = 0;
        chunk->in_use = 0;
        atomic_store_explicit(&address_space.layouts[fresh], layout_make_small(size_class, granules),
                              memory_order_release);
        owner->chunk_in_use[size_class] = fresh + 1;
    }
    uint32_t number = owner->chunk_in_use[size_class] - 1;
    struct chunk *chunk = &address_space.chunks[number];
    index = (uint64_t)number * CHUNK_RECORDS + chunk->given;
    chunk->given++;
    chunk->in_use++;
    if (chunk->given == blocks)
        owner->chunk_in_use[size_class] = 0;
    return index;
}

static uint64_t take_kept_large(struct owner *owner, uint32_t count)
{
    uint64_t *list = &owner->kept_large[count % LARGE_LISTS];
    uint64_t previous = 0;
    for (uint64_t link = *list; link != 0; link = record_low(record_at(link - 1))) {
        if (address_space.chunks[(link - 1) / CHUNK_RECORDS].block_chunks == count) {
            uint64_t next = record_low(record_at(link - 1));
            if (previous == 0)
                *list = next;
            else
                record_set(previous - 1, (record_at(previous - 1) & ~RECORD_LOW) | next);
            owner->kept_bytes -= (uint64_t)count << CHUNK_BITS;
            return link - 1;
        }
        previous = link;
    }
    return UINT64_MAX;
}

/* The record for a large block, or UINT64_MAX. The system can back it. */
static uint64_t take_large(uint32_t owner_number, uint32_t count, bool huge_pages)
{
    uint32_t head = take_chunks(count, huge_pages);
    if (head == UINT32_MAX)
        return UINT64_MAX;
    struct chunk *chunk = &address_space.chunks[head];
    chunk->owner = (uint8_t)owner_number;
    chunk->use = CHUNK_LARGE_BLOCK;
    chunk->block_chunks = count;
    uint64_t index = (uint64_t)head * CHUNK_RECORDS;
    record_set(index, 0);
    for (uint32_t i = 0; i < count; i++)
        atomic_store_explicit(&address_space.layouts[head + i], layout_make_large(i, 0),
                              memory_order_release);
    return index;
}

uint64_t pool_take(uint32_t owner_number, uint64_t granules, bool huge_pages, uint64_t room_bytes,
                   uint32_t *size_class, bool *is_refused)
{
    struct owner *owner = &owners[owner_number];
    *is_refused = false;
    if (granules <= SMALL_GRANULES) {
        *size_class = class_of(granules);
        return take_small(owner_number, *size_class, is_refused);
    }
    *size_class = CLASS_LARGE;
    uint64_t count = (granules + CHUNK_RECORDS - 1) / CHUNK_RECORDS;
    uint64_t bytes = count << CHUNK_BITS;
    if (count > address_space.chunk_count)
        return UINT64_MAX;
    uint64_t index = take_kept_large(owner, (uint32_t)count);
    if (index != UINT64_MAX)
        return index;
    if (bytes > room_bytes || owner->kept_bytes > room_bytes - bytes)
        trim_large(owner);
    *is_refused = !can_back_after_trim(bytes);
    return *is_refused ? UINT64_MAX : take_large(owner_number, (uint32_t)count, huge_pages);
}

bool pool_promise(uint64_t bytes)
{
    if (!can_back_after_trim(bytes))
        return false;
    promised_bytes += bytes;
    return true;
}

void pool_take_promise_back(uint64_t bytes)
{
    promised_bytes -= bytes;
}
