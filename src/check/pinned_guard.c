/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list of closed ranges. It is as long as there are different ranges that nobody has waited for, which
 * are few; what does not fit into it stays open.
 */
#include "check/pinned_guard.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/guarded_block.h"

enum { CLOSED_MOST = 256 };

struct closed {
    uintptr_t first; /* the bytes that are used */
    uint64_t bytes;
    uintptr_t from, to; /* the pages */
    bool work_writes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct closed closed[CLOSED_MOST];
static _Atomic uint32_t closed_count; /* written under the lock */

/* What the ranges of the list leave the program of a page. */
static int protection_of(uintptr_t page, uint32_t count)
{
    int protection = PROT_READ | PROT_WRITE;
    for (uint32_t i = 0; i < count; i++)
        if (closed[i].from <= page && page < closed[i].to)
            protection &= closed[i].work_writes ? PROT_NONE : PROT_READ;
    return protection;
}

/* Brings pages to what the list says. Ranges that overlap others are rare: those go page by page. Lock held.
 */
static void protect(uintptr_t from, uintptr_t to, uint32_t count)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint32_t overlapping = 0;
    bool is_even = true; /* all pages are in the same ranges */
    for (uint32_t i = 0; i < count; i++)
        if (closed[i].from < to && from < closed[i].to) {
            overlapping++;
            is_even = is_even && closed[i].from <= from && to <= closed[i].to;
        }
    if (overlapping == 0 || is_even) {
        mprotect((void *)from, to - from, protection_of(from, count));
        return;
    }
    for (; from < to; from += page)
        mprotect((void *)from, page, protection_of(from, count));
}

/* Takes an entry out of the list. Lock held. */
static void remove_entry(uint32_t index, bool opens)
{
    uint32_t count = atomic_load_explicit(&closed_count, memory_order_relaxed) - 1;
    struct closed entry = closed[index];
    closed[index] = closed[count];
    atomic_store_explicit(&closed_count, count, memory_order_relaxed);
    if (opens)
        protect(entry.from, entry.to, count);
}

static bool is_listed(const struct closed *entry, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (closed[i].first == entry->first && closed[i].bytes == entry->bytes &&
            closed[i].work_writes == entry->work_writes)
            return true;
    return false;
}

bool pinned_guard_pages(uintptr_t first, uint64_t bytes, uintptr_t *from, uintptr_t *to)
{
    struct guarded_block block;
    if (!guarded_block_find(first, &block) || !block.is_live || block.place != MEMORY_PINNED_HOST)
        return false;
    uint64_t mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
    uintptr_t end = first + bytes;
    *from = (first == block.start ? first : first + mask) & ~mask;
    *to = (end == block.start + block.bytes ? end + mask : end) & ~mask;
    return true;
}

void pinned_guard_close(uintptr_t first, uint64_t bytes, bool work_writes)
{
    struct closed entry = {.first = first, .bytes = bytes, .work_writes = work_writes};
    if (!pinned_guard_pages(first, bytes, &entry.from, &entry.to) || entry.from >= entry.to)
        return;
    pthread_mutex_lock(&lock);
    uint32_t count = atomic_load_explicit(&closed_count, memory_order_relaxed);
    if (count < CLOSED_MOST && !is_listed(&entry, count)) {
        closed[count] = entry;
        atomic_store_explicit(&closed_count, count + 1, memory_order_relaxed);
        protect(entry.from, entry.to, count + 1);
    }
    pthread_mutex_unlock(&lock);
}

void pinned_guard_settle(pinned_is_over *is_over)
{
    struct closed entry[CLOSED_MOST];
    if (atomic_load_explicit(&closed_count, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&lock);
    uint32_t count = atomic_load_explicit(&closed_count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++)
        entry[i] = closed[i];
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_over(entry[i].first, entry[i].bytes, entry[i].work_writes))
            continue;
        pthread_mutex_lock(&lock);
        for (uint32_t k = atomic_load_explicit(&closed_count, memory_order_relaxed); k-- > 0;)
            if (closed[k].first == entry[i].first && closed[k].bytes == entry[i].bytes &&
                closed[k].work_writes == entry[i].work_writes)
                remove_entry(k, true);
        pthread_mutex_unlock(&lock);
    }
}

bool pinned_guard_open(uintptr_t address)
{
    bool was_closed = false;
    pthread_mutex_lock(&lock);
    for (uint32_t i = atomic_load_explicit(&closed_count, memory_order_relaxed); i-- > 0;)
        if (closed[i].from <= address && address < closed[i].to) {
            remove_entry(i, true);
            was_closed = true;
        }
    pthread_mutex_unlock(&lock);
    return was_closed;
}

void pinned_guard_forget(uintptr_t first, uintptr_t end)
{
    if (atomic_load_explicit(&closed_count, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = atomic_load_explicit(&closed_count, memory_order_relaxed); i-- > 0;)
        if (closed[i].from < end && first < closed[i].to)
            remove_entry(i, false);
    pthread_mutex_unlock(&lock);
}
