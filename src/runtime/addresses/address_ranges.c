/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sorted array of ranges, and its readers and writers.
 */
#include "runtime/addresses/address_ranges.h"

#include <sched.h>

struct entry {
    _Atomic uintptr_t base;
    _Atomic uint64_t record;
    _Atomic uint64_t mapped;
    _Atomic uint64_t mark;
};

/* Untouched pages of the table cost nothing. */
static struct entry entries[ADDRESS_RANGES_MAX];
static _Atomic uint32_t entry_count;
static _Atomic uint64_t changes; /* odd while a writer is at work */

static struct address_range entry_load(const struct entry *entry)
{
    return (struct address_range){
        .base = atomic_load_explicit(&entry->base, memory_order_relaxed),
        .record = atomic_load_explicit(&entry->record, memory_order_relaxed),
        .mapped = atomic_load_explicit(&entry->mapped, memory_order_relaxed),
        .mark = atomic_load_explicit(&entry->mark, memory_order_relaxed),
    };
}

static void entry_store(struct entry *entry, const struct address_range *range)
{
    atomic_store_explicit(&entry->base, range->base, memory_order_relaxed);
    atomic_store_explicit(&entry->record, range->record, memory_order_relaxed);
    atomic_store_explicit(&entry->mapped, range->mapped, memory_order_relaxed);
    atomic_store_explicit(&entry->mark, range->mark, memory_order_relaxed);
}

/* The number of entries that begin at or before address. */
static uint32_t position(uintptr_t address)
{
    uint32_t low = 0;
    uint32_t high = atomic_load_explicit(&entry_count, memory_order_relaxed);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (atomic_load_explicit(&entries[middle].base, memory_order_relaxed) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void change_begin(void)
{
    atomic_fetch_add_explicit(&changes, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void change_end(void)
{
    atomic_fetch_add_explicit(&changes, 1, memory_order_release);
}

bool address_ranges_find(uintptr_t address, struct address_range *range)
{
    if (atomic_load_explicit(&entry_count, memory_order_acquire) == 0)
        return false;
    for (;;) {
        uint64_t before = atomic_load_explicit(&changes, memory_order_acquire);
        if ((before & 1) == 0) {
            uint32_t place = position(address);
            if (place != 0)
                *range = entry_load(&entries[place - 1]);
            atomic_thread_fence(memory_order_acquire);
            if (atomic_load_explicit(&changes, memory_order_relaxed) == before)
                return place != 0;
        } else {
            sched_yield(); /* a writer moves entries for a microsecond, unless it lost its processor */
        }
    }
}

bool address_ranges_insert(const struct address_range *range)
{
    uint32_t count = atomic_load_explicit(&entry_count, memory_order_relaxed);
    if (count == ADDRESS_RANGES_MAX)
        return false;
    uint32_t place = position(range->base);
    change_begin();
    for (uint32_t i = count; i > place; i--) {
        struct address_range moved = entry_load(&entries[i - 1]);
        entry_store(&entries[i], &moved);
    }
    entry_store(&entries[place], range);
    atomic_store_explicit(&entry_count, count + 1, memory_order_release);
    change_end();
    return true;
}

bool address_ranges_replace(uintptr_t base, uint32_t removed, const struct address_range *ranges,
                            uint32_t count)
{
    uint32_t old_count = atomic_load_explicit(&entry_count, memory_order_relaxed);
    uint32_t place = removed > 0 ? position(base) - 1 : position(base);
    if (old_count - removed > ADDRESS_RANGES_MAX - count)
        return false;
    uint32_t moved_count = old_count - place - removed;
    change_begin();
    for (uint32_t i = 0; i < moved_count; i++) {
        /* From the side on which nothing is written over that is still to be moved. */
        uint32_t at = place + (count > removed ? moved_count - 1 - i : i);
        struct address_range moved = entry_load(&entries[at + removed]);
        entry_store(&entries[at + count], &moved);
    }
    for (uint32_t i = 0; i < count; i++)
        entry_store(&entries[place + i], &ranges[i]);
    atomic_store_explicit(&entry_count, old_count - removed + count, memory_order_release);
    change_end();
    return true;
}

void address_ranges_update(const struct address_range *range)
{
    uint32_t place = position(range->base);
    change_begin();
    entry_store(&entries[place - 1], range);
    change_end();
}

void address_ranges_remove(uintptr_t base)
{
    uint32_t count = atomic_load_explicit(&entry_count, memory_order_relaxed);
    change_begin();
    for (uint32_t i = position(base); i < count; i++) {
        struct address_range moved = entry_load(&entries[i]);
        entry_store(&entries[i - 1], &moved);
    }
    atomic_store_explicit(&entry_count, count - 1, memory_order_release);
    change_end();
}

uint32_t address_ranges_count(void)
{
    return atomic_load_explicit(&entry_count, memory_order_relaxed);
}

struct address_range address_ranges_at(uint32_t index)
{
    return entry_load(&entries[index]);
}
