/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where guarded blocks lie, and what becomes of their pages.
 */
#include "check/guarded_block.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/made.h"
#include "check/pinned_guard.h"
#include "runtime/addresses/address_space.h"
#include "runtime/memory/block_pool.h"
#include "base/error.h"
#include "runtime/memory/poison.h"
#include "check/reporter.h"
#include "runtime/memory/size_class.h"

/* What is known of the block that begins in a chunk, until another one does. */
struct entry {
    uint64_t bytes; /* that the program asked for */
    uint64_t span;  /* whole pages that the block and what is left of its last granule lie in */
    uint32_t next;  /* in the quarantine: chunk + 1, 0 at the end */
    bool has_guard; /* the library's side of the page behind it is closed */
    struct call_place allocated, freed;
};

/* An overrun that is to be reported when the lock is let go. */
struct overrun {
    uintptr_t start;
    uint64_t bytes;
    uint64_t distance; /* from the block's end to that of the last byte that was changed, or from its begin */
    bool is_before;    /* that begin */
    enum memory_place place;
    struct call_place allocated, freed;
};

/* Each guard costs two of the mappings that a process may have, of which the usual limit is 65,530. */
enum { GUARDS_MOST = 16384, OVERRUNS_KEPT = 16, PATTERN = 0xb5 };

static const uint64_t QUARANTINE_MOST = UINT64_C(16) << 30; /* addresses */

static struct entry *entries; /* one for each chunk; pages of it that are not touched cost nothing */
static uint32_t quarantine_first, quarantine_last;
static uint64_t quarantine_chunks;
static uint32_t guards;
static struct overrun overruns[OVERRUNS_KEPT];
static uint32_t overrun_count;

static uint64_t page_bytes(void)
{
    static uint64_t bytes; /* the same for whoever writes it */
    if (bytes == 0)
        bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

static uintptr_t chunk_address(uint64_t chunk)
{
    return atomic_load_explicit(&address_space.base, memory_order_relaxed) + (chunk << CHUNK_BITS);
}

/* Where a block of this entry begins. */
static uintptr_t block_start(uint64_t chunk, const struct entry *entry)
{
    return chunk_address(chunk) + entry->span - (granules_of(entry->bytes) << GRANULE_BITS);
}

static bool create_entries(void)
{
    void *table = mmap(NULL, address_space.chunk_count * sizeof(struct entry), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED)
        return false;
    entries = (struct entry *)table;
    return true;
}

/* The pages of one side, empty: nothing of the program's, and the library's to be read and written. */
static bool map_empty(void *start, uint64_t bytes, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return mmap(start, bytes, protection, flags, -1, 0) != MAP_FAILED;
}

/* Makes both sides of a chunk's first pages the same ones. A shared mapping can be had twice (mremap of no
 * bytes of it), with no file that the program could close. */
static bool share_sides(uintptr_t start, uint64_t bytes)
{
    void *reached = memory_reach((const void *)start);
    int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return mmap((void *)start, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED &&
           mremap((void *)start, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, reached) != MAP_FAILED;
}

/* Ends what share_sides began. Where the system has no room for it, the pages stay and only their contents
 * go. */
static void part_sides(uintptr_t start, uint64_t bytes)
{
    void *reached = memory_reach((const void *)start);
    madvise(reached, bytes, MADV_REMOVE);
    if (!map_empty((void *)start, bytes, PROT_NONE))
        mprotect((void *)start, bytes, PROT_NONE);
    map_empty(reached, bytes, PROT_READ | PROT_WRITE);
}

static void leave_quarantine(void)
{
    uint32_t chunk = quarantine_first - 1;
    uint32_t count = address_space.chunks[chunk].block_chunks;
    quarantine_first = entries[chunk].next;
    quarantine_chunks -= count;
    address_space.chunks[chunk].use = CHUNK_OTHER;
    pool_give_back(chunk, count);
}

static uint32_t take_chunks(uint32_t count, bool huge_pages)
{
    uint32_t chunk = address_space_take(count, huge_pages);
    while (chunk == UINT32_MAX && quarantine_first != 0) {
        leave_quarantine();
        chunk = address_space_take(count, huge_pages);
    }
    return chunk;
}

static unsigned char *behind(uint64_t chunk, const struct entry *entry)
{
    return (unsigned char *)memory_reach((const void *)(block_start(chunk, entry) + entry->bytes));
}

/* The rest of the first page, in front of the block. */
static unsigned char *in_front(uint64_t chunk)
{
    return (unsigned char *)memory_reach((const void *)chunk_address(chunk));
}

static uint64_t room_in_front(const struct entry *entry)
{
    return entry->span - (granules_of(entry->bytes) << GRANULE_BITS);
}

static uint64_t slack_of(const struct entry *entry)
{
    return (granules_of(entry->bytes) << GRANULE_BITS) - entry->bytes;
}

/* Where a live block was allocated. */
static struct call_place place_of_block(uintptr_t start)
{
    struct made made;
    return made_find(start, &made) ? made.place : (struct call_place){0};
}

uint64_t guarded_block_take(const struct memory_request *request, uintptr_t *start, bool *is_refused)
{
    uint64_t page = page_bytes();
    bool is_pinned = request->place == MEMORY_PINNED_HOST;
    struct entry entry = {.bytes = request->bytes,
                          .span = ((granules_of(request->bytes) << GRANULE_BITS) + page - 1) & ~(page - 1)};
    uint64_t count = (entry.span + page + CHUNK_BYTES - 1) >> CHUNK_BITS;
    *is_refused = false;
    if (count > address_space.chunk_count || (entries == NULL && !create_entries()))
        return UINT64_MAX;
    *is_refused = !pool_promise(entry.span);
    if (*is_refused)
        return UINT64_MAX;
    uint32_t head = take_chunks((uint32_t)count, request->huge_pages && !is_pinned && count > 1);
    if (head != UINT32_MAX && is_pinned && !share_sides(chunk_address(head), entry.span)) {
        part_sides(chunk_address(head), entry.span);
        pool_give_back(head, (uint32_t)count);
        head = UINT32_MAX;
    }
    if (head == UINT32_MAX) {
        pool_take_promise_back(entry.span);
        return UINT64_MAX;
    }
    entry.has_guard =
        guards < GUARDS_MOST &&
        mprotect(memory_reach((const void *)(chunk_address(head) + entry.span)), page, PROT_NONE) == 0;
    guards += entry.has_guard;
    entries[head] = entry;
    memset(behind(head, &entry), PATTERN, slack_of(&entry));
    memset(in_front(head), PATTERN, room_in_front(&entry));

    struct chunk *chunk = &address_space.chunks[head];
    chunk->owner = (uint8_t)owner_index(request->place, request->device);
    chunk->use = CHUNK_LARGE_BLOCK;
    chunk->block_chunks = (uint32_t)count;
    uint64_t index = (uint64_t)head * CHUNK_RECORDS;
    record_set(index, 0);
    *start = block_start(head, &entry);
    uint32_t granule = (uint32_t)((*start - chunk_address(head)) >> GRANULE_BITS);
    for (uint32_t i = 0; i < count; i++)
        atomic_store_explicit(&address_space.layouts[head + i], layout_make_large(i, granule),
                              memory_order_release);
    if (is_pinned)
        poison_behind(*start, entry.bytes + MEMORY_SLACK_BYTES, chunk_address(head) + entry.span - *start);
    return index;
}

static void close_pinned(uintptr_t start, uint64_t bytes)
{
    pinned_guard_forget(start, start + bytes);
    mprotect((void *)start, bytes, PROT_NONE);
}

void guarded_block_close(uint64_t index, const struct call_place *freed)
{
    uint64_t chunk = index / CHUNK_RECORDS;
    entries[chunk].allocated = place_of_block(block_start(chunk, &entries[chunk]));
    entries[chunk].freed = *freed;
    if (record_place(record_at(index)) == MEMORY_PINNED_HOST)
        close_pinned(chunk_address(chunk), entries[chunk].span);
}

static void keep_overrun(uint64_t chunk, const struct entry *entry, enum memory_place place,
                         uint64_t distance, bool is_before)
{
    if (distance > 0 && overrun_count < OVERRUNS_KEPT)
        overruns[overrun_count++] = (struct overrun){.start = block_start(chunk, entry),
                                                     .bytes = entry->bytes,
                                                     .distance = distance,
                                                     .is_before = is_before,
                                                     .place = place,
                                                     .allocated = entry->allocated,
                                                     .freed = entry->freed};
}

/* Looks at what lies on both sides of the block. */
static void look_beside(uint64_t chunk, const struct entry *entry, enum memory_place place)
{
    const unsigned char *byte = behind(chunk, entry);
    uint64_t changed = slack_of(entry);
    while (changed > 0 && byte[changed - 1] == PATTERN)
        changed--;
    keep_overrun(chunk, entry, place, changed, false);
    byte = in_front(chunk);
    uint64_t left = room_in_front(entry);
    while (left > 0 && *byte == PATTERN) {
        byte++;
        left--;
    }
    keep_overrun(chunk, entry, place, left, true);
}

void guarded_block_put(uint64_t index)
{
    uint32_t chunk = (uint32_t)(index / CHUNK_RECORDS);
    struct entry *entry = &entries[chunk];
    uint64_t record = record_at(index);
    uintptr_t first = chunk_address(chunk);
    look_beside(chunk, entry, record_place(record));
    if (entry->has_guard)
        mprotect(memory_reach((const void *)(first + entry->span)), page_bytes(), PROT_READ | PROT_WRITE);
    guards -= entry->has_guard;
    entry->has_guard = false;
    if (record_place(record) == MEMORY_PINNED_HOST) {
        unpoison(block_start(chunk, entry), first + entry->span - block_start(chunk, entry));
        part_sides(first, entry->span);
    } else {
        madvise(memory_reach((const void *)first), entry->span, MADV_DONTNEED);
    }
    pool_take_promise_back(entry->span);

    entry->next = 0;
    if (quarantine_first == 0)
        quarantine_first = chunk + 1;
    else
        entries[quarantine_last - 1].next = chunk + 1;
    quarantine_last = chunk + 1;
    quarantine_chunks += address_space.chunks[chunk].block_chunks;
    uint64_t most = (uint64_t)address_space.chunk_count / 4;
    if (most > QUARANTINE_MOST >> CHUNK_BITS)
        most = QUARANTINE_MOST >> CHUNK_BITS;
    while (quarantine_chunks > most)
        leave_quarantine();
}

static void report(const struct overrun *overrun)
{
    bool is_pinned = overrun->place == MEMORY_PINNED_HOST;
    const struct finding finding = {
        .rule = RULE_COPY,
        .advice = "Allocate as many bytes as are written: what lies beside a block belongs to nobody.",
        .place = {{"found by", &overrun->freed},
                  {"allocated by", overrun->allocated.function != NULL ? &overrun->allocated : NULL}}};
    report_finding(&finding, "%s wrote up to %llu bytes %s a block of %llu bytes of %s at %p",
                   is_pinned ? "the program" : "work", (unsigned long long)overrun->distance,
                   overrun->is_before ? "before" : "past the end of", (unsigned long long)overrun->bytes,
                   is_pinned ? "pinned host memory" : "device memory", (const void *)overrun->start);
}

void guarded_block_report(void)
{
    struct overrun found[OVERRUNS_KEPT];
    pthread_mutex_lock(&address_space_lock);
    uint32_t count = overrun_count;
    memcpy(found, overruns, count * sizeof found[0]);
    overrun_count = 0;
    pthread_mutex_unlock(&address_space_lock);
    for (uint32_t i = 0; i < count; i++)
        report(&found[i]);
}

bool guarded_block_find(uintptr_t address, struct guarded_block *block)
{
    uint64_t offset, block_offset;
    uint32_t size_class;
    if (entries == NULL || !address_space_contains(address, &offset))
        return false;
    const _Atomic uint64_t *place = address_space_record(offset, &block_offset, &size_class);
    uint64_t record = atomic_load_explicit(place, memory_order_acquire);
    if (size_class != CLASS_LARGE || record_class(record) != CLASS_LARGE ||
        record_state(record) == RECORD_NONE)
        return false;
    const struct entry *entry = &entries[block_offset >> CHUNK_BITS];
    *block = (struct guarded_block){.start = atomic_load_explicit(&address_space.base, memory_order_relaxed) +
                                             block_offset,
                                    .bytes = entry->bytes,
                                    .place = record_place(record),
                                    .device = record_device(record),
                                    .is_live = record_state(record) == RECORD_LIVE,
                                    .allocated = entry->allocated,
                                    .freed = entry->freed};
    if (block->is_live)
        block->allocated = place_of_block(block->start);
    return true;
}

void guarded_block_places(const struct guarded_block *block, struct finding_place place[2])
{
    uint32_t count = 0;
    if (block->allocated.function != NULL)
        place[count++] = (struct finding_place){"allocated by", &block->allocated};
    if (!block->is_live && block->freed.function != NULL)
        place[count] = (struct finding_place){"freed by", &block->freed};
}
