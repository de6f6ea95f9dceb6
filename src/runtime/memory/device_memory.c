/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gives blocks of the pool to the program and takes them back, at once or when the work that may use them has
 * ended, and counts what each device holds. What the address space has no room for is mapped block by block.
 */
#include "base/watch.h"
#include "runtime/streams/device_streams.h"
#include "runtime/memory/device_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/place.h"
#include "runtime/addresses/reach.h"
#include "base/made.h"
#include "base/order.h"
#include "runtime/addresses/address_ranges.h"
#include "runtime/addresses/address_space.h"
#include "runtime/memory/block_pool.h"
#include "runtime/streams/blocking_work.h"
#include "runtime/devices/device.h"
#include "runtime/devices/device_use.h"
#include "base/error.h"
#include "runtime/memory/poison.h"
#include "base/report.h"
#include "runtime/faults/strike.h"
#include "runtime/memory/reservation.h"
#include "base/settings.h"
#include "runtime/memory/shared_memory.h"
#include "runtime/memory/size_class.h"
#include "runtime/timeline/trace.h"

struct account {
    uint64_t live_bytes;
    uint64_t peak_bytes;
};

/*
 * All under address_space_lock. The state of a record goes NONE -> LIVE -> FREED or RESET -> LIVE; a block
 * that was given out and is not live is in exactly one list (its owner's in the pool, or the one of waiting
 * blocks), and no work uses a block in the pool.
 */
static struct account accounts[OWNERS];
static uint64_t waiting_first; /* freed while work was queued, oldest first; linked as the other lists */
static uint64_t waiting_last;
static uint32_t waiting_ranges; /* the same for blocks outside the address space */
static int32_t device_count;    /* devices whose work may use memory; 0 before the first allocation */

/*
 * Memory that is freed while work is unfinished keeps the mark of that moment, and waits until no work from
 * before the mark is left on any device: copies may reach from one device to another.
 */
static uint64_t oldest_unfinished_work(void)
{
    uint64_t oldest = blocking_work_oldest();
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

/* For the timeline and for those who look from outside, after a change. */
static inline void tell_live(const struct account *account)
{
    struct device_use_page *page = atomic_load_explicit(&device_use_page, memory_order_acquire);
    if (page != NULL && account - accounts != OWNER_HOST)
        device_use_tell(page, (int32_t)(account - accounts), account->live_bytes);
    if (trace_is_on())
        trace_memory(account - accounts == OWNER_HOST ? -1 : (int32_t)(account - accounts),
                     account->live_bytes);
}

static void take_live(struct account *account, uint64_t bytes)
{
    account->live_bytes -= bytes;
    tell_live(account);
}

/* Imported memory was promised by another process, and may begin within a page. */
static void unmap_range(const struct address_range *range)
{
    address_ranges_remove(range->base);
    if (record_class(range->record) == CLASS_IMPORTED) {
        munmap((void *)(range->base & ~(uintptr_t)4095), range->mapped);
        return;
    }
    shared_memory_end(range->base, range->mapped, false);
    pool_take_promise_back(range->mapped);
    munmap((void *)range->base, range->mapped);
}

/* No work uses the block any more. */
static void put(uint64_t index)
{
    const uint32_t chunk = (uint32_t)(index / CHUNK_RECORDS);
    if (address_space.chunks[chunk].use == CHUNK_LARGE_BLOCK)
        shared_memory_end(atomic_load_explicit(&address_space.base, memory_order_relaxed) +
                              ((uint64_t)chunk << CHUNK_BITS),
                          (uint64_t)address_space.chunks[chunk].block_chunks << CHUNK_BITS, true);
    if (blocks_are_guarded())
        listener->guarded_block_put(index);
    else
        pool_put(index);
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
        put(index);
    }
    for (uint32_t i = address_ranges_count(); i-- > 0 && waiting_ranges > 0;) {
        struct address_range range = address_ranges_at(i);
        if (record_class(range.record) != CLASS_MAPPED && record_state(range.record) != RECORD_LIVE &&
            range.mark <= oldest) {
            unmap_range(&range);
            waiting_ranges--;
        }
    }
}

/*
 * The mark of a block whose record says already that it is not live. Work that is submitted with this mark or
 * a greater one finds that out when it looks at the record again (struct task, is_current); all other work
 * that uses the block is seen by whoever asks for unfinished work from here on. The fence goes with the loads
 * there, of which one side sees what the other wrote.
 */
uint64_t memory_mark_after_record(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    return device_mark();
}

/* Takes a live block away from the program. */
static void retire_record(uint64_t index, enum record_state state, const struct call_place *freed)
{
    uint64_t record = record_at(index), extent;
    take_live(&accounts[owner_of(record)], charge_of(record_low(record)));
    if (!blocks_are_guarded()) {
        const uintptr_t start = pool_extent(index, record_class(record), &extent);
        shared_memory_freed(start, extent);
    }
    record_set(index,
               record_make(state, record_place(record), record_device(record), record_class(record), 0));
    if (freed != NULL && blocks_are_guarded())
        listener->guarded_block_close(index, freed);
    uint64_t mark = memory_mark_after_record();
    if (oldest_unfinished_work() >= mark) {
        put(index);
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
    const uint32_t range_class = record_class(record);
    if (range_class != CLASS_IMPORTED) {
        take_live(&accounts[owner_of(record)], charge_of(record_low(record)));
        shared_memory_freed(range->base, record_low(record));
    }
    range->record = record_make(state, record_place(record), record_device(record), range_class, 0);
    address_ranges_update(range);
    range->mark = memory_mark_after_record();
    if (oldest_unfinished_work() >= range->mark) {
        unmap_range(range);
        return;
    }
    address_ranges_update(range);
    waiting_ranges++;
}

/* A block outside the address space. */
static bool map_range(const struct memory_request *request, void **address)
{
    uint64_t mapped = (request->bytes + MEMORY_SLACK_BYTES + 4095) & ~UINT64_C(4095);
    if (!pool_promise(mapped))
        return false;
    void *start =
        mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct address_range range = {
        .base = (uintptr_t)start,
        .record = record_make(RECORD_LIVE, request->place, request->device, CLASS_LARGE, request->bytes),
        .mapped = mapped};
    if (start != MAP_FAILED && address_ranges_insert(&range)) {
        *address = start;
        return true;
    }
    if (start != MAP_FAILED)
        munmap(start, mapped);
    pool_take_promise_back(mapped);
    return false;
}

/* A block of the pool. */
static uint64_t take(const struct memory_request *request, uint64_t room_bytes, uint32_t *size_class,
                     uintptr_t *start, bool *is_refused)
{
    uint64_t index = pool_take(owner_index(request->place, request->device), granules_of(request->bytes),
                               request->huge_pages, room_bytes, size_class, is_refused);
    if (index == UINT64_MAX)
        return index;
    uint64_t extent;
    *start = pool_extent(index, *size_class, &extent);
    poison_behind(*start, request->bytes + MEMORY_SLACK_BYTES, extent);
    return index;
}

/* The lock is held. room_bytes: see pool_take. */
static bool allocate(const struct memory_request *request, uint64_t room_bytes, void **address)
{
    uint32_t size_class = CLASS_LARGE;
    bool is_refused;
    uintptr_t start;
    uint64_t index = blocks_are_guarded() ? listener->guarded_block_take(request, &start, &is_refused)
                                          : take(request, room_bytes, &size_class, &start, &is_refused);
    if (index == UINT64_MAX)
        return !is_refused && map_range(request, address);
    /* Last: from here on work that still has the address from an earlier block may use this one. */
    record_set(index, record_make(RECORD_LIVE, request->place, request->device, size_class, request->bytes));
    *address = (void *)start;
    return true;
}

/* Before the first allocation. The lock is held. */
static void begin(const struct settings *settings)
{
    if (device_count != 0)
        return;
    device_count = settings->device_count;
    uint64_t devices = (uint64_t)(settings->device_count > 0 ? settings->device_count : 1);
    uint64_t wanted;
    /* Four times what can be live, because freed blocks leave gaps, and room for pinned memory. */
    if (__builtin_mul_overflow(settings->memory_bytes, 4 * (devices + 1), &wanted))
        wanted = UINT64_MAX;
    bool is_window = (settings->checks & CHECK_MEMORY) != 0;
    if (is_window)
        wanted = UINT64_MAX; /* every block has chunks of its own */
    address_space_open(wanted > UINT64_C(8) << 30 ? wanted : UINT64_C(8) << 30, is_window);
}

int memory_open(void)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&address_space_lock);
    begin(settings);
    pthread_mutex_unlock(&address_space_lock);
    return 0;
}

static void add_live(struct account *account, uint64_t bytes)
{
    account->live_bytes += bytes;
    if (account->live_bytes > account->peak_bytes)
        account->peak_bytes = account->live_bytes;
    tell_live(account);
}

/* What a device has left is not enough, or else the system's. */
static int refuse(const char *api, uint64_t bytes, int32_t device, bool exceeds_device, uint64_t live)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    uint64_t memory_bytes = settings->memory_bytes;
    if (exceeds_device)
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                    "%s: size is %llu; device %d has %llu of %llu bytes left (BELAY_MEMORY sets its memory)",
                    api, (unsigned long long)bytes, device,
                    (unsigned long long)(memory_bytes > live ? memory_bytes - live : 0),
                    (unsigned long long)memory_bytes);
    return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: size is %llu; the system has not that much memory left",
                api, (unsigned long long)bytes);
}

/* What faults that are asked for have to say of it. */
static __attribute__((noinline, cold)) int struck(const char *api, enum memory_place place, int32_t device,
                                                  uint64_t bytes)
{
    uint64_t live = 0, peak;
    const bool is_of_device = place == MEMORY_DEVICE;
    if (is_of_device)
        memory_usage(device, &live, &peak);
    const struct fault_occasion occasion = {.event = is_of_device ? FAULT_AT_ALLOC : FAULT_AT_PINNED,
                                            .name = api,
                                            .device = is_of_device ? device : -1,
                                            .rank = -1,
                                            .bytes = bytes,
                                            .held = bytes < UINT64_MAX - live ? live + bytes : UINT64_MAX};
    return fault_at_call(&occasion);
}

int memory_allocate(const struct memory_request *request, void **address)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (fault_is_awaited(1 << FAULT_AT_ALLOC | 1 << FAULT_AT_PINNED))
        TRY(struck(request->api, request->place, request->device, request->bytes));
    struct account *account = &accounts[owner_index(request->place, request->device)];
    uint64_t charge = charge_of(request->bytes);
    uint64_t memory_bytes = settings->memory_bytes;

    pthread_mutex_lock(&address_space_lock);
    begin(settings);
    end_waits();
    uint64_t live = account->live_bytes;
    bool exceeds_device =
        request->place == MEMORY_DEVICE && (charge > memory_bytes || live > memory_bytes - charge);
    uint64_t room = request->place == MEMORY_DEVICE && !exceeds_device ? memory_bytes - live : UINT64_MAX;
    bool allocated = !exceeds_device && allocate(request, room, address);
    if (allocated)
        add_live(account, charge);
    if (allocated && request->place == MEMORY_DEVICE)
        watch_allocated(*address, request->bytes);
    pthread_mutex_unlock(&address_space_lock);
    if (!allocated)
        return refuse(request->api, request->bytes, request->device, exceeds_device, live);
    if (!checks_are_on())
        return 0;
    host_access_watch();
    bool is_of_device = request->place == MEMORY_DEVICE;
    made(is_of_device ? MADE_DEVICE_MEMORY : MADE_PINNED_MEMORY, (uintptr_t)*address, request->bytes,
         is_of_device ? request->device : -1, request->api);
    return 0;
}

int memory_take_budget(const char *api, int32_t device, uint64_t bytes)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (fault_is_awaited(1 << FAULT_AT_ALLOC))
        TRY(struck(api, MEMORY_DEVICE, device, bytes));
    struct account *account = &accounts[device];
    pthread_mutex_lock(&address_space_lock);
    begin(settings);
    end_waits();
    uint64_t live = account->live_bytes;
    bool exceeds_device = bytes > settings->memory_bytes || live > settings->memory_bytes - bytes;
    bool is_taken = !exceeds_device && pool_promise(bytes);
    if (is_taken)
        add_live(account, bytes);
    pthread_mutex_unlock(&address_space_lock);
    return is_taken ? 0 : refuse(api, bytes, device, exceeds_device, live);
}

void memory_give_budget(int32_t device, uint64_t bytes)
{
    take_live(&accounts[device], bytes);
    pool_take_promise_back(bytes);
}

/* Behind the lock, as a report takes others. */
static void report_overruns(void)
{
    if (blocks_are_guarded())
        listener->guarded_block_report();
}

/* What the checks look at before a free. Returns the place of the call, which it puts into *here. */
static __attribute__((noinline, cold)) const struct call_place *
begin_checked_free(const char *api, enum memory_place place, const void *address, struct call_place *here)
{
    *here = place_here(api != NULL ? api : "aclrtFree");
    watch_free(api, address, (int)place);
    if (api != NULL)
        order_freed(api, address);
    return here;
}

int memory_free(const char *api, enum memory_place place, const void *address)
{
    uint64_t offset;
    bool freed;
    struct call_place here;
    const struct call_place *caller = checks_are_on() ? begin_checked_free(api, place, address, &here) : NULL;
    pthread_mutex_lock(&address_space_lock);
    end_waits();
    if (address_space_contains((uintptr_t)address, &offset)) {
        uint64_t block_offset;
        uint32_t size_class;
        _Atomic uint64_t *at = address_space_record(offset, &block_offset, &size_class);
        uint64_t record = atomic_load_explicit(at, memory_order_relaxed);
        freed = record_is_live(record, size_class) && record_place(record) == place && offset == block_offset;
        if (freed)
            retire_record((uint64_t)(at - address_space.records), RECORD_FREED, caller);
        if (freed && caller != NULL)
            made_end((uintptr_t)address); /* now: the address may be given out again at once */
    } else {
        struct address_range range;
        freed = address_ranges_find((uintptr_t)address, &range) && range.base == (uintptr_t)address &&
                range.mapped != 0 && record_class(range.record) == CLASS_LARGE &&
                record_state(range.record) == RECORD_LIVE && record_place(range.record) == place;
        if (freed)
            made_end((uintptr_t)address);
        if (freed)
            retire_range(&range, RECORD_FREED);
    }
    pthread_mutex_unlock(&address_space_lock);
    if (caller != NULL)
        report_overruns();
    if (freed)
        return 0;
    char text[MEMORY_TEXT_BYTES];
    memory_describe(address, text, sizeof text);
    return report_misuse_of(address, RULE_FREE, ACL_ERROR_RT_PARAM_INVALID,
                            "%s: %s %p %s; the address of a live block is expected", api,
                            place == MEMORY_DEVICE ? "devPtr" : "hostPtr", address, text);
}

void memory_reset_device(int32_t device)
{
    struct call_place caller = place_here("aclrtResetDevice");
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
                retire_record(index, RECORD_RESET, &caller);
        }
    }
    for (uint32_t i = address_ranges_count(); i-- > 0;) {
        struct address_range range = address_ranges_at(i);
        if (record_class(range.record) != CLASS_MAPPED && record_state(range.record) == RECORD_LIVE &&
            record_place(range.record) == MEMORY_DEVICE && record_device(range.record) == device)
            retire_range(&range, RECORD_RESET);
    }
    shared_memory_reset_device(device);
    reservations_reset_device(device);
    pool_trim((uint32_t)device);
    pool_trim(OWNER_HOST); /* pinned memory belongs to no device: whichever ends gives back what is kept */
    accounts[device].peak_bytes = accounts[device].live_bytes;
    pthread_mutex_unlock(&address_space_lock);
    report_overruns();
}

void memory_retire_imported(uintptr_t base)
{
    struct address_range range;
    if (address_ranges_find(base, &range) && range.base == base)
        retire_range(&range, RECORD_FREED);
}

void memory_usage(int32_t device, uint64_t *live_bytes, uint64_t *peak_bytes)
{
    pthread_mutex_lock(&address_space_lock);
    *live_bytes = accounts[device].live_bytes;
    *peak_bytes = accounts[device].peak_bytes;
    pthread_mutex_unlock(&address_space_lock);
}
