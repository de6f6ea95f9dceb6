/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Blocks: small ones share chunks with others of their size_class, large ones are whole chunks. A block that
 * is freed goes, perhaps after a wait for work to end, to a list of its class or length, and the next request
 * of that kind takes it from there. Chunks go back to the system at a device reset, and when a request would
 * otherwise exceed the device's memory or the system's.
 */
#include "runtime/device_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/address_ranges.h"
#include "runtime/address_space.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/settings.h"
#include "runtime/size_class.h"
#include "runtime/system_memory.h"

enum { LARGE_LISTS = 64, OWNER_HOST = DEVICES_MAX, OWNERS };

/* Who holds memory: a device, or the host for pinned memory. Links are the number of a record + 1, 0 at the
 * end. */
struct owner {
    uint64_t live_bytes;
    uint64_t peak_bytes;
    uint64_t kept_bytes;                /* in kept_large */
    uint32_t chunk_in_use[CLASSES + 1]; /* chunk + 1 that has blocks which were never given out, or 0 */
    uint64_t free_small[CLASSES + 1];
    uint64_t kept_large[LARGE_LISTS]; /* free large blocks, by their number of chunks modulo LARGE_LISTS */
};

/*
 * All under address_space_lock. The state of a record goes NONE -> LIVE -> FREED or RESET -> LIVE; a block
 * that was given out and is not live is in exactly one list (its owner's, or the one of waiting blocks), and
 * no work uses a block in an owner's list.
 */
static struct owner owners[OWNERS];
static uint64_t waiting_first; /* freed while work was queued, oldest first; linked as the other lists */
static uint64_t waiting_last;
static uint32_t waiting_ranges; /* the same for blocks outside the address space */
static uint64_t promised_bytes; /* chunks and mappings that are in use or kept */
static int32_t device_count;    /* devices whose work may use memory; 0 before the first allocation */

/*
 * Memory that is freed while work is unfinished keeps the mark of that moment, and waits until no work from
 * before the mark is left on any device: copies may reach from one device to another.
 */
static uint64_t oldest_unfinished_work(void)
{
    uint64_t oldest = UINT64_MAX;
    for (int32_t device = 0; device < device_count; device++) {
        uint64_t of_device = device_oldest_unfinished(device);
        if (of_device < oldest)
            oldest = of_device;
    }
    return oldest;
}

static uint64_t charge_of(uint64_t bytes)
{
    return granules_of(bytes) << GRANULE_BITS;
}

static uint32_t owner_index(enum memory_place place, int32_t device)
{
    return place == MEMORY_PINNED_HOST ? (uint32_t)OWNER_HOST : (uint32_t)device;
}

static uint32_t owner_of(uint64_t record)
{
    return owner_index(record_place(record), record_device(record));
}

static uint64_t record_at(uint64_t index)
{
    return atomic_load_explicit(&address_space.records[index], memory_order_relaxed);
}

static void record_set(uint64_t index, uint64_t record)
{
    atomic_store_explicit(&address_space.records[index], record, memory_order_release);
}

static void push(uint64_t *list, uint64_t index)
{
    record_set(index, (record_at(index) & ~RECORD_LOW) | *list);
    *list = index + 1;
}

/* Puts a block that no work uses any more where the next request finds it. */
static void make_free(uint64_t index)
{
    uint64_t record = record_at(index);
    struct owner *owner = &owners[owner_of(record)];
    struct chunk *chunk = &address_space.chunks[index / CHUNK_RECORDS];
    if (record_class(record) == CLASS_LARGE) {
        owner->kept_bytes += (uint64_t)chunk->block_chunks << CHUNK_BITS;
        push(&owner->kept_large[chunk->block_chunks % LARGE_LISTS], index);
    } else {
        chunk->in_use--;
        push(&owner->free_small[record_class(record)], index);
    }
}

static void unmap_range(const struct address_range *range)
{
    address_ranges_remove(range->base);
    promised_bytes -= range->mapped;
    munmap((void *)range->base, range->mapped);
}

/* Frees for reuse what has waited for work that has ended meanwhile. */
static void end_waits(void)
{
    if (waiting_first == 0 && waiting_ranges == 0)
        return;
    uint64_t oldest = oldest_unfinished_work();
    while (waiting_first != 0 && address_space.marks[waiting_first - 1] <= oldest) {
        uint64_t index = waiting_first - 1;
        waiting_first = record_low(record_at(index));
        make_free(index);
    }
    for (uint32_t i = address_ranges_count(); i-- > 0 && waiting_ranges > 0;) {
        struct address_range range = address_ranges_at(i);
        if (record_state(range.record) != RECORD_LIVE && range.mark <= oldest) {
            unmap_range(&range);
            waiting_ranges--;
        }
    }
}

/* Takes a live block away from the program. */
static void retire_record(uint64_t index, enum record_state state)
{
    uint64_t record = record_at(index);
    owners[owner_of(record)].live_bytes -= charge_of(record_low(record));
    record_set(index,
               record_make(state, record_place(record), record_device(record), record_class(record), 0));
    /* The mark comes after the record: what is submitted with a greater one cannot have found the block. */
    uint64_t mark = device_mark();
    if (oldest_unfinished_work() >= mark) {
        make_free(index);
        return;
    }
    address_space.marks[index] = mark;
    if (waiting_first == 0)
        waiting_first = index + 1;
    else
        record_set(waiting_last - 1, record_at(waiting_last - 1) | (index + 1));
    waiting_last = index + 1;
}

static void retire_range(struct address_range *range, enum record_state state)
{
    uint64_t record = range->record;
    owners[owner_of(record)].live_bytes -= charge_of(record_low(record));
    range->record = record_make(state, record_place(record), record_device(record), CLASS_LARGE, 0);
    address_ranges_update(range);
    range->mark = device_mark();
    if (oldest_unfinished_work() >= range->mark) {
        unmap_range(range);
        return;
    }
    address_ranges_update(range);
    waiting_ranges++;
}

static void give_back(uint32_t chunk, uint32_t count)
{
    address_space.chunks[chunk].use = CHUNK_OTHER;
    promised_bytes -= (uint64_t)count << CHUNK_BITS;
    address_space_give_back(chunk, count);
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

static void trim_all(void)
{
    for (uint32_t i = 0; i < OWNERS; i++) {
        trim_large(&owners[i]);
        trim_small(i);
    }
}

static bool can_back(uint64_t bytes)
{
    uintptr_t base = atomic_load_explicit(&address_space.base, memory_order_relaxed);
    return system_memory_can_back(bytes, promised_bytes, (const void *)base,
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

/* A record for a block of a size_class, or UINT64_MAX. */
static uint64_t take_small(uint32_t owner_number, uint32_t size_class)
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
        uint32_t fresh = can_back_after_trim(CHUNK_BYTES) ? take_chunks(1, false) : UINT32_MAX;
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
        atomic_store_explicit(&address_space.layouts[head + i], layout_make_large(i), memory_order_release);
    return index;
}

/* A block outside the address space; the system can back it. */
static bool map_range(const struct memory_request *request, void **address)
{
    uint64_t mapped = (request->bytes + MEMORY_SLACK_BYTES + 4095) & ~UINT64_C(4095);
    void *start =
        mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return false;
    struct address_range range = {
        .base = (uintptr_t)start,
        .record = record_make(RECORD_LIVE, request->place, request->device, CLASS_LARGE, request->bytes),
        .mapped = mapped};
    if (!address_ranges_insert(&range)) {
        munmap(start, mapped);
        return false;
    }
    promised_bytes += mapped;
    *address = start;
    return true;
}

/* The lock is held. */
static bool allocate(const struct memory_request *request, uint32_t owner_number, uint64_t device_bytes,
                     void **address)
{
    struct owner *owner = &owners[owner_number];
    uint64_t granules = granules_of(request->bytes);
    uint64_t index = UINT64_MAX;
    uint32_t size_class = CLASS_LARGE;
    if (granules <= SMALL_GRANULES) {
        size_class = class_of(granules);
        index = take_small(owner_number, size_class);
    } else {
        uint64_t count = (granules + CHUNK_RECORDS - 1) / CHUNK_RECORDS;
        if (count <= address_space.chunk_count)
            index = take_kept_large(owner, (uint32_t)count);
        if (index == UINT64_MAX) {
            if (request->place == MEMORY_DEVICE &&
                owner->live_bytes + owner->kept_bytes + (count << CHUNK_BITS) > device_bytes)
                trim_large(owner);
            if (!can_back_after_trim(count << CHUNK_BITS))
                return false;
            if (count <= address_space.chunk_count)
                index = take_large(owner_number, (uint32_t)count, request->huge_pages);
        }
    }
    if (index == UINT64_MAX)
        return (size_class == CLASS_LARGE || can_back_after_trim(granules << GRANULE_BITS)) &&
               map_range(request, address);
    record_set(index, record_make(RECORD_LIVE, request->place, request->device, size_class, request->bytes));
    uint64_t chunk = index / CHUNK_RECORDS;
    uint64_t offset = chunk << CHUNK_BITS;
    if (size_class != CLASS_LARGE)
        offset += (index % CHUNK_RECORDS) * class_granules(size_class) << GRANULE_BITS;
    *address = (void *)(atomic_load_explicit(&address_space.base, memory_order_relaxed) + offset);
    return true;
}

int memory_allocate(const struct memory_request *request, void **address)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    uint32_t owner_number = owner_index(request->place, request->device);
    struct owner *owner = &owners[owner_number];
    uint64_t charge = charge_of(request->bytes);
    uint64_t memory_bytes = settings->memory_bytes;

    pthread_mutex_lock(&address_space_lock);
    if (device_count == 0) {
        device_count = settings->device_count;
        uint64_t devices = (uint64_t)(settings->device_count > 0 ? settings->device_count : 1);
        uint64_t wanted;
        /* Four times what can be live, because freed blocks leave gaps, and room for pinned memory. */
        if (__builtin_mul_overflow(memory_bytes, 4 * (devices + 1), &wanted))
            wanted = UINT64_MAX;
        address_space_open(wanted > UINT64_C(8) << 30 ? wanted : UINT64_C(8) << 30);
    }
    end_waits();
    uint64_t live = owner->live_bytes;
    bool exceeds_device =
        request->place == MEMORY_DEVICE && (charge > memory_bytes || live > memory_bytes - charge);
    bool allocated = !exceeds_device && allocate(request, owner_number, memory_bytes, address);
    if (allocated) {
        owner->live_bytes += charge;
        if (owner->live_bytes > owner->peak_bytes)
            owner->peak_bytes = owner->live_bytes;
    }
    pthread_mutex_unlock(&address_space_lock);

    if (allocated)
        return 0;
    if (exceeds_device)
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                    "%s: size is %llu; device %d has %llu of %llu bytes left (BELAY_MEMORY sets its memory)",
                    request->api, (unsigned long long)request->bytes, request->device,
                    (unsigned long long)(memory_bytes > live ? memory_bytes - live : 0),
                    (unsigned long long)memory_bytes);
    return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: size is %llu; the system has not that much memory left",
                request->api, (unsigned long long)request->bytes);
}

int memory_free(const char *api, enum memory_place place, const void *address)
{
    uint64_t offset;
    bool freed;
    pthread_mutex_lock(&address_space_lock);
    end_waits();
    if (address_space_contains((uintptr_t)address, &offset)) {
        uint64_t block_offset;
        uint32_t size_class;
        _Atomic uint64_t *at = address_space_record(offset, &block_offset, &size_class);
        uint64_t record = atomic_load_explicit(at, memory_order_relaxed);
        freed = record_is_live(record, size_class) && record_place(record) == place && offset == block_offset;
        if (freed)
            retire_record((uint64_t)(at - address_space.records), RECORD_FREED);
    } else {
        struct address_range range;
        freed = address_ranges_find((uintptr_t)address, &range) && range.base == (uintptr_t)address &&
                range.mapped != 0 && record_state(range.record) == RECORD_LIVE &&
                record_place(range.record) == place;
        if (freed)
            retire_range(&range, RECORD_FREED);
    }
    pthread_mutex_unlock(&address_space_lock);
    if (freed)
        return 0;
    char text[MEMORY_TEXT_BYTES];
    memory_describe(address, text, sizeof text);
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %p %s; the address of a live block is expected", api,
                place == MEMORY_DEVICE ? "devPtr" : "hostPtr", address, text);
}

void memory_reset_device(int32_t device)
{
    pthread_mutex_lock(&address_space_lock);
    end_waits();
    for (uint32_t i = 0; i < address_space.chunk_end; i++) {
        const struct chunk *chunk = &address_space.chunks[i];
        uint32_t blocks = chunk->use == CHUNK_SMALL_BLOCKS ? chunk->given : chunk->use == CHUNK_LARGE_BLOCK;
        if (chunk->owner != (uint32_t)device)
            continue;
        for (uint32_t k = 0; k < blocks; k++) {
            uint64_t index = (uint64_t)i * CHUNK_RECORDS + k;
            if (record_state(record_at(index)) == RECORD_LIVE)
                retire_record(index, RECORD_RESET);
        }
    }
    for (uint32_t i = address_ranges_count(); i-- > 0;) {
        struct address_range range = address_ranges_at(i);
        if (record_state(range.record) == RECORD_LIVE && record_place(range.record) == MEMORY_DEVICE &&
            record_device(range.record) == device)
            retire_range(&range, RECORD_RESET);
    }
    trim_large(&owners[device]);
    trim_small((uint32_t)device);
    owners[device].peak_bytes = owners[device].live_bytes;
    pthread_mutex_unlock(&address_space_lock);
}

void memory_trim(void)
{
    pthread_mutex_lock(&address_space_lock);
    end_waits();
    trim_all();
    pthread_mutex_unlock(&address_space_lock);
}

void memory_usage(int32_t device, uint64_t *live_bytes, uint64_t *peak_bytes)
{
    pthread_mutex_lock(&address_space_lock);
    *live_bytes = owners[device].live_bytes;
    *peak_bytes = owners[device].peak_bytes;
    pthread_mutex_unlock(&address_space_lock);
}
