/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list of reservations, what is mapped in each of their places, and how their ranges are kept up to date.
 */
#include "runtime/streams/device_streams.h"
#include "runtime/memory/reservation.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "base/made.h"
#include "runtime/addresses/address_ranges.h"
#include "runtime/addresses/address_space.h"
#include "runtime/streams/blocking_work.h"
#include "runtime/devices/device.h"
#include "runtime/memory/device_memory.h"
#include "runtime/memory/physical_memory.h"
#include "base/error.h"
#include "base/handle.h"
#include "runtime/addresses/reach.h"
#include "base/report.h"

static struct reservation *reservations;
static uint64_t reserved_bytes[DEVICES_MAX];
static uintptr_t window_next; /* under the check of memory: where the next reservation is looked for */

static struct address_range range_of(enum record_state state, int32_t device, uintptr_t base, uint64_t bytes)
{
    return (struct address_range){.base = base,
                                  .record = record_make(state, MEMORY_DEVICE, device, CLASS_MAPPED, bytes),
                                  .mapped = bytes};
}

/* Addresses that nothing can be read from or written to; NULL when the system has not that many. */
static void *reserve_pages(uint64_t bytes, uint64_t alignment, void *wish)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint64_t extra = alignment - 1;
    unsigned char *start = (unsigned char *)mmap(wish, bytes + extra, PROT_NONE, flags, -1, 0);
    if (start == (unsigned char *)MAP_FAILED)
        return NULL;
    uint64_t before = -(uintptr_t)start & extra;
    uint64_t behind = extra - before;
    behind &= ~UINT64_C(4095);
    if (before != 0)
        munmap(start, before);
    if (behind != 0)
        munmap(start + before + bytes, behind);
    return start + before;
}

/*
 * Under the check of memory a reservation lies in the window, and its pages behind it: nothing can be read or
 * written in it, ever. The next free place behind the last one, so that addresses come back late. NULL when
 * there is none. Lock held.
 */
static void *find_in_window(uint64_t bytes, uint64_t alignment)
{
    uintptr_t end = address_space.reservable + address_space.reservable_bytes;
    for (unsigned turn = 0; turn < 2; turn++) {
        uintptr_t from = turn == 0 && window_next != 0 ? window_next : address_space.reservable;
        const struct reservation *other = reservations;
        from = (from + alignment - 1) & ~(alignment - 1);
        while (other != NULL) {
            uintptr_t other_end = other->base + (other->places << MAPPING_BITS);
            bool meets = from < other_end && other->base < from + bytes;
            if (meets)
                from = (other_end + alignment - 1) & ~(alignment - 1);
            other = meets ? reservations : other->next;
        }
        if (from <= end && bytes <= end - from) {
            window_next = from + bytes;
            return (void *)from;
        }
    }
    return NULL;
}

static int no_addresses(const char *api, uint64_t bytes)
{
    return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: size is %llu; there are not that many addresses left",
                api, (unsigned long long)bytes);
}

int reservation_create(const char *api, int32_t device, uint64_t bytes, uint64_t alignment, void *wish,
                       void **address)
{
    if (bytes > RESERVED_MOST)
        return no_addresses(api, bytes);
    TRY(memory_open());
    uint64_t rounded = physical_memory_round(bytes);
    uint64_t places = rounded >> MAPPING_BITS;
    alignment = alignment < MAPPING_BYTES ? MAPPING_BYTES : alignment;
    bool has_window = address_space.reservable_bytes != 0;
    struct reservation *reservation = (struct reservation *)calloc(1, sizeof *reservation);
    void *table = mmap(NULL, places * sizeof(void *), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *pages = has_window ? NULL : reserve_pages(rounded, alignment, wish);
    bool is_entered = false;
    if (reservation != NULL && table != MAP_FAILED && (pages != NULL || has_window)) {
        pthread_mutex_lock(&address_space_lock);
        if (has_window)
            pages = find_in_window(rounded, alignment);
        *reservation = (struct reservation){.base = (uintptr_t)pages,
                                            .places = places,
                                            .device = device,
                                            .at = (struct physical_memory **)table};
        struct address_range hole = range_of(RECORD_NONE, device, reservation->base, rounded);
        is_entered = pages != NULL && rounded <= RESERVED_MOST - reserved_bytes[device] &&
                     address_ranges_insert(&hole);
        if (is_entered) {
            reserved_bytes[device] += rounded;
            reservation->next = reservations;
            reservations = reservation;
        }
        pthread_mutex_unlock(&address_space_lock);
    }
    if (is_entered) {
        *address = pages;
        return 0;
    }
    if (table != MAP_FAILED)
        munmap(table, places * sizeof(void *));
    if (pages != NULL && !has_window)
        munmap(pages, rounded);
    free(reservation);
    return no_addresses(api, bytes);
}

/* The link to the reservation around an address, or to the end of the list. Lock held. */
static struct reservation **find(uintptr_t address)
{
    struct reservation **link = &reservations;
    while (*link != NULL && address - (*link)->base >= (*link)->places << MAPPING_BITS)
        link = &(*link)->next;
    return link;
}

int reservation_destroy(const char *api, void *address)
{
    pthread_mutex_lock(&address_space_lock);
    struct reservation **link = find((uintptr_t)address);
    struct reservation *found = *link;
    bool is_base = found != NULL && found->base == (uintptr_t)address;
    uint64_t mapping_count = is_base ? found->mapping_count : 0;
    if (is_base && mapping_count == 0) {
        *link = found->next;
        reserved_bytes[found->device] -= found->places << MAPPING_BITS;
        address_ranges_remove(found->base);
        if (address_space.reservable_bytes == 0)
            munmap(address, found->places << MAPPING_BITS);
    }
    pthread_mutex_unlock(&address_space_lock);
    if (!is_base)
        return report_misuse(
            RULE_FREE, ACL_ERROR_RT_PARAM_INVALID,
            "%s: virPtr %p begins no reservation; an address that aclrtReserveMemAddress gave "
            "is expected",
            api, address);
    if (mapping_count != 0)
        return report_misuse(
            RULE_FREE, ACL_ERROR_RT_PARAM_INVALID,
            "%s: %llu pieces of memory are mapped in the reservation at %p; none is expected", api,
            (unsigned long long)mapping_count, address);
    munmap(found->at, found->places * sizeof(void *));
    free(found);
    return 0;
}

/* Whether a place is in use by memory of this device; not by what is leaving, which is no longer live. */
static bool is_live_at(const struct reservation *reservation, uint64_t place, int32_t device)
{
    const struct physical_memory *memory = reservation->at[place];
    return memory != NULL && !memory->is_leaving && memory->device == device;
}

/*
 * The ranges around a piece, after its places have got or lost it, or it has begun to leave: what was one
 * range or three becomes what the neighbours and the piece are now. The ranges there before tile the same
 * bytes, so that the window is theirs. False when there is no room for another range. Lock held.
 */
static bool update_ranges(const struct reservation *reservation, const struct physical_memory *memory)
{
    uintptr_t base = reservation->base + (memory->place << MAPPING_BITS);
    uintptr_t end_address = base + memory->bytes;
    uintptr_t limit = reservation->base + (reservation->places << MAPPING_BITS);
    struct address_range old, last, window[3];
    uint32_t removed = 1, count = 0;
    bool is_live = is_live_at(reservation, memory->place, memory->device);
    /* The piece takes in those of its neighbours that are as it is. */
    address_ranges_find(base, &old);
    if (old.base == base && base > reservation->base) {
        struct address_range before;
        address_ranges_find(base - 1, &before);
        bool joins = is_live ? is_live_at(reservation, memory->place - 1, memory->device)
                             : record_state(before.record) != RECORD_LIVE;
        if (joins) {
            old = before;
            removed++;
        }
    }
    address_ranges_find(end_address - 1, &last);
    uintptr_t last_end = last.base + last.mapped;
    if (last_end == end_address && end_address < limit) {
        uint64_t place = (end_address - reservation->base) >> MAPPING_BITS;
        struct address_range behind;
        address_ranges_find(end_address, &behind);
        bool joins = is_live ? is_live_at(reservation, place, memory->device)
                             : record_state(behind.record) != RECORD_LIVE;
        if (joins) {
            last = behind;
            last_end = behind.base + behind.mapped;
            removed++;
        }
    }
    /* In front and behind of the piece in its old range stays what was there. */
    enum record_state state = is_live ? RECORD_LIVE : RECORD_NONE;
    bool joins_front = (record_state(old.record) == RECORD_LIVE) == is_live;
    bool joins_back = (record_state(last.record) == RECORD_LIVE) == is_live;
    uintptr_t from = joins_front ? old.base : base;
    uintptr_t to = joins_back ? last_end : end_address;
    if (!joins_front && old.base < base)
        window[count++] =
            range_of(record_state(old.record), record_device(old.record), old.base, base - old.base);
    window[count++] = range_of(state, memory->device, from, to - from);
    if (!joins_back && last_end > end_address)
        window[count++] = range_of(record_state(last.record), record_device(last.record), end_address,
                                   last_end - end_address);
    return address_ranges_replace(old.base, removed, window, count);
}

static void set_places(struct reservation *reservation, const struct physical_memory *memory,
                       struct physical_memory *value)
{
    for (uint64_t i = 0; i < memory->bytes >> MAPPING_BITS; i++)
        reservation->at[memory->place + i] = value;
}

/* Whether nothing is mapped, nor leaving, in these places. */
static bool is_free(const struct reservation *reservation, uint64_t place, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (reservation->at[place + i] != NULL)
            return false;
    return true;
}

static bool make_usable(void *address, const struct physical_memory *memory)
{
    const uint64_t bytes = memory->bytes;
    void *reached = memory_reach(address);
    if (memory->file.file >= 0 ? mmap(reached, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                                      memory->file.file, 0) == MAP_FAILED
                               : mprotect(reached, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    madvise(reached, bytes, MADV_HUGEPAGE); /* a wish */
    return true;
}

/* Back to the system. PROT_NONE finds late accesses; where the system has no room for it, they read zeros. */
static void make_unusable(void *address, uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    void *reached = memory_reach(address);
    if (mmap(reached, bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED)
        madvise(reached, bytes, MADV_DONTNEED);
}

enum map_fault { MAP_GOOD, MAP_HANDLE, MAP_MAPPED, MAP_SIZE, MAP_ADDRESS, MAP_TAKEN, MAP_MEMORY };

/* Lock held. */
static enum map_fault map_memory(void *address, uint64_t bytes, uint64_t handle)
{
    struct physical_memory *memory = (struct physical_memory *)handle_find(&physical_memories, handle);
    struct reservation *reservation = *find((uintptr_t)address);
    if (memory == NULL)
        return MAP_HANDLE;
    if (memory->reservation != NULL)
        return MAP_MAPPED;
    if (bytes != memory->bytes)
        return MAP_SIZE;
    uint64_t offset = reservation != NULL ? (uintptr_t)address - reservation->base : 0;
    if (reservation == NULL || offset % MAPPING_BYTES != 0 ||
        bytes > (reservation->places << MAPPING_BITS) - offset)
        return MAP_ADDRESS;
    if (!is_free(reservation, offset >> MAPPING_BITS, bytes >> MAPPING_BITS))
        return MAP_TAKEN;
    if (!make_usable(address, memory))
        return MAP_MEMORY;
    memory->place = offset >> MAPPING_BITS;
    set_places(reservation, memory, memory);
    if (!update_ranges(reservation, memory)) {
        set_places(reservation, memory, NULL);
        make_unusable(address, bytes);
        return MAP_MEMORY;
    }
    memory->reservation = reservation;
    reservation->mapping_count++;
    return MAP_GOOD;
}

int reservation_map(const char *api, void *address, uint64_t bytes, uint64_t handle)
{
    pthread_mutex_lock(&address_space_lock);
    enum map_fault fault = map_memory(address, bytes, handle);
    pthread_mutex_unlock(&address_space_lock);
    switch (fault) {
    case MAP_GOOD:
        return 0;
    case MAP_HANDLE:
        return physical_memory_refuse(api, handle);
    case MAP_MAPPED:
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: the memory of handle is mapped already; one mapping at a time is expected", api);
    case MAP_SIZE:
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: size is %llu; the size of the memory of handle, rounded up to 2 MiB, is expected",
                    api, (unsigned long long)bytes);
    case MAP_ADDRESS:
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: virPtr %p with size %llu does not lie in one reservation, at a multiple of 2 MiB; such "
            "an address is expected",
            api, address, (unsigned long long)bytes);
    case MAP_TAKEN:
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: at virPtr %p with size %llu there is memory mapped already; a free place is expected", api,
            address, (unsigned long long)bytes);
    case MAP_MEMORY:
        break;
    }
    return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another mapping", api);
}

/* Takes the mapping at an address away from lookups; NULL when none begins there. Lock held. */
static struct physical_memory *begin_leaving(uintptr_t address)
{
    const struct reservation *reservation = *find(address);
    uint64_t offset = reservation != NULL ? address - reservation->base : 0;
    struct physical_memory *memory =
        reservation != NULL && offset % MAPPING_BYTES == 0 ? reservation->at[offset >> MAPPING_BITS] : NULL;
    if (memory == NULL || memory->is_leaving || memory->place != offset >> MAPPING_BITS)
        return NULL;
    memory->is_leaving = true;
    if (update_ranges(reservation, memory))
        return memory;
    memory->is_leaving = false;
    return NULL;
}

/* Lock held. */
static void finish_leaving(struct physical_memory *memory)
{
    struct reservation *reservation = memory->reservation;
    set_places(reservation, memory, NULL);
    reservation->mapping_count--;
    memory->reservation = NULL;
    memory->is_leaving = false;
    if (memory->is_destroyed)
        physical_memory_end(memory);
}

/* Blocking copies belong to no stream; they are over in the time that a copy takes. */
static void wait_for_blocking_work(uint64_t mark)
{
    while (blocking_work_oldest() < mark)
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

int reservation_unmap(const char *api, void *address)
{
    pthread_mutex_lock(&address_space_lock);
    struct physical_memory *memory = begin_leaving((uintptr_t)address);
    uint64_t mark = memory != NULL ? memory_mark_after_record() : 0;
    pthread_mutex_unlock(&address_space_lock);
    if (memory == NULL)
        return report_misuse(
            RULE_FREE, ACL_ERROR_RT_PARAM_INVALID,
            "%s: no memory is mapped that begins at virPtr %p; the address of a mapping is expected", api,
            address);
    int status = devices_finish(api);
    if (status == 0)
        wait_for_blocking_work(mark);
    pthread_mutex_lock(&address_space_lock);
    if (status == 0) {
        make_unusable(address, memory->bytes);
        finish_leaving(memory);
    } else {
        memory->is_leaving = false;
        update_ranges(memory->reservation, memory);
    }
    pthread_mutex_unlock(&address_space_lock);
    return status;
}

void reservations_reset_device(int32_t device)
{
    uint32_t count = atomic_load_explicit(&physical_memories.slot_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        struct physical_memory *memory = (struct physical_memory *)handle_slot_at(&physical_memories, i);
        uint64_t handle = atomic_load_explicit(&memory->slot.handle, memory_order_relaxed);
        bool is_mapped = memory->reservation != NULL;
        if ((handle == 0 && !is_mapped) || memory->device != device || memory->is_leaving)
            continue;
        handle_retire(memory, handle);
        memory->is_destroyed = true;
        if (!is_mapped) {
            physical_memory_end(memory);
            continue;
        }
        memory->is_leaving = true;
        update_ranges(memory->reservation, memory);
        void *address = physical_memory_address(memory);
        if (memory->file.file >= 0)
            make_unusable(address, memory->bytes); /* the file's pages, which another mapping would get */
        else
            madvise(memory_reach(address), memory->bytes, MADV_DONTNEED);
        finish_leaving(memory);
    }
}
