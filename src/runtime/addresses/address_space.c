/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The reservation behind device memory, and which runs of its chunks are free.
 */
#include "runtime/addresses/address_space.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime/addresses/reach.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

/* A sanitizer keeps shadow memory for every byte that is mapped, and has less address space to give. */
static const uint64_t RESERVE_MOST = UNDER_SANITIZER ? UINT64_C(64) << 30 : UINT64_C(16) << 40;
static const uint64_t RESERVE_LEAST = UINT64_C(16) << 20;

struct address_space address_space;
struct memory_window memory_window;
pthread_mutex_t address_space_lock = PTHREAD_MUTEX_INITIALIZER;

/* Free runs by the number of bits of their length; the lists are linked through struct chunk. */
static uint32_t free_runs[33];

static uint32_t length_bits(uint32_t count)
{
    return count == 0 ? 0 : 32u - (uint32_t)__builtin_clz(count);
}

static void run_insert(uint32_t chunk, uint32_t count)
{
    struct chunk *chunks = address_space.chunks;
    uint32_t *head = &free_runs[length_bits(count)];
    chunks[chunk].run_chunks = count;
    chunks[chunk + count - 1].run_chunks = count;
    chunks[chunk].previous = 0;
    chunks[chunk].next = *head;
    if (*head != 0)
        chunks[*head - 1].previous = chunk + 1;
    *head = chunk + 1;
}

static void run_remove(uint32_t chunk)
{
    struct chunk *chunks = address_space.chunks;
    uint32_t count = chunks[chunk].run_chunks;
    if (chunks[chunk].previous != 0)
        chunks[chunks[chunk].previous - 1].next = chunks[chunk].next;
    else
        free_runs[length_bits(count)] = chunks[chunk].next;
    if (chunks[chunk].next != 0)
        chunks[chunks[chunk].next - 1].previous = chunks[chunk].previous;
    chunks[chunk].run_chunks = 0;
    chunks[chunk + count - 1].run_chunks = 0;
}

/*
 * One mapping: the memory first, for its alignment, then the tables. A window and what is behind it are twice
 * as long, for what programs reserve. False when the system refuses.
 */
static bool reserve(uint64_t bytes, bool is_window)
{
    uint64_t count = bytes >> CHUNK_BITS;
    uint64_t records_bytes = count * CHUNK_RECORDS * sizeof(uint64_t);
    uint64_t table_bytes = count * sizeof(uint64_t) + 2 * records_bytes + count * sizeof(struct chunk);
    uint64_t addresses = is_window ? 4 * bytes : bytes;
    uint64_t mapped = addresses + CHUNK_BYTES + table_bytes;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    unsigned char *start = (unsigned char *)mmap(NULL, mapped, PROT_NONE, flags, -1, 0);
    if (start == (unsigned char *)MAP_FAILED)
        return false;
    uintptr_t base = ((uintptr_t)start + CHUNK_BYTES - 1) & ~((uintptr_t)CHUNK_BYTES - 1);
    unsigned char *tables = (unsigned char *)base + addresses;
    if (mprotect(tables, table_bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(start, mapped);
        return false;
    }
    address_space.records = (_Atomic uint64_t *)(void *)tables;
    address_space.marks = (uint64_t *)(void *)(tables + records_bytes);
    address_space.layouts = (_Atomic uint64_t *)(void *)(tables + 2 * records_bytes);
    address_space.chunks = (struct chunk *)(void *)(tables + 2 * records_bytes + count * sizeof(uint64_t));
    address_space.chunk_count = (uint32_t)count;
    if (is_window) {
        address_space.reservable = base + bytes;
        address_space.reservable_bytes = bytes;
        memory_window.base = base;
        memory_window.bytes = 2 * bytes;
        atomic_store_explicit(&memory_window.distance, 2 * bytes, memory_order_release);
    }
    run_insert(0, (uint32_t)count);
    atomic_store_explicit(&address_space.base, base, memory_order_relaxed);
    atomic_store_explicit(&address_space.bytes, bytes, memory_order_release);
    return true;
}

void address_space_open(uint64_t wanted, bool is_window)
{
    static bool tried; /* under the allocator's lock */
    if (tried)
        return;
    tried = true;
    struct rlimit limit;
    uint64_t most = RESERVE_MOST;
    /* A reservation counts against RLIMIT_AS: leave most of it to the program. What does not fit into the
     * reservation is mapped block by block. */
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 4 < most)
        most = limit.rlim_cur / 4;
    if (is_window)
        most /= 4;
    if (wanted > most)
        wanted = most;
    for (uint64_t bytes = wanted & ~((uint64_t)CHUNK_BYTES - 1); bytes >= RESERVE_LEAST;
         bytes = bytes / 2 & ~((uint64_t)CHUNK_BYTES - 1)) {
        if (reserve(bytes, is_window))
            return;
    }
}

static bool make_usable(uint32_t chunk, uint32_t count, bool huge_pages)
{
    uintptr_t base = atomic_load_explicit(&address_space.base, memory_order_relaxed);
    void *start = memory_reach((const void *)(base + ((uint64_t)chunk << CHUNK_BITS)));
    uint64_t bytes = (uint64_t)count << CHUNK_BITS;
    if (mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (huge_pages)
        madvise(start, bytes, MADV_HUGEPAGE); /* a kernel without huge pages refuses, and works as well */
    return true;
}

uint32_t address_space_take(uint32_t count, bool huge_pages)
{
    struct chunk *chunks = address_space.chunks;
    uint32_t chunk = UINT32_MAX;
    if (count == 0 || count > address_space.chunk_count)
        return UINT32_MAX;
    /* In the list of the same number of bits some runs may be too short; in later ones every run is enough.
     */
    for (uint32_t bits = length_bits(count); bits < 33 && chunk == UINT32_MAX; bits++) {
        for (uint32_t link = free_runs[bits]; link != 0 && chunk == UINT32_MAX; link = chunks[link - 1].next)
            if (chunks[link - 1].run_chunks >= count)
                chunk = link - 1;
    }
    if (chunk == UINT32_MAX)
        return UINT32_MAX;
    uint32_t length = chunks[chunk].run_chunks;
    run_remove(chunk);
    if (length > count)
        run_insert(chunk + count, length - count);
    if (!make_usable(chunk, count, huge_pages)) {
        address_space_give_back(chunk, count);
        return UINT32_MAX;
    }
    if (chunk + count > address_space.chunk_end)
        address_space.chunk_end = chunk + count;
    return chunk;
}

void address_space_give_back(uint32_t chunk, uint32_t count)
{
    struct chunk *chunks = address_space.chunks;
    uintptr_t base = atomic_load_explicit(&address_space.base, memory_order_relaxed);
    madvise(memory_reach((const void *)(base + ((uint64_t)chunk << CHUNK_BITS))),
            (uint64_t)count << CHUNK_BITS, MADV_DONTNEED);
    if (chunk > 0 && chunks[chunk - 1].run_chunks != 0) {
        uint32_t before = chunks[chunk - 1].run_chunks;
        run_remove(chunk - before);
        chunk -= before;
        count += before;
    }
    if (chunk + count < address_space.chunk_count && chunks[chunk + count].run_chunks != 0) {
        uint32_t after = chunks[chunk + count].run_chunks;
        run_remove(chunk + count);
        count += after;
    }
    run_insert(chunk, count);
}
