/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Looks addresses up: in the reserved address space by two loads, elsewhere in the sorted ranges.
 */
#include "runtime/addresses/memory.h"

#include <stdio.h>

#include "runtime/addresses/address_ranges.h"
#include "runtime/addresses/address_space.h"
#include "runtime/addresses/memory_record.h"

static inline bool found(struct memory_block *block, uintptr_t base, uint64_t record)
{
    block->base = base;
    block->bytes = record_low(record);
    block->device = record_device(record);
    block->place = record_place(record);
    block->is_registered = false;
    return true;
}

/* Kept out of memory_find, which needs no stack frame without it. */
static __attribute__((noinline)) bool find_in_ranges(uintptr_t address, struct memory_block *block)
{
    struct address_range range;
    block->place = MEMORY_UNKNOWN;
    atomic_thread_fence(memory_order_seq_cst); /* as in memory_find, for several loads */
    if (!address_ranges_find(address, &range) || record_state(range.record) != RECORD_LIVE ||
        address - range.base >= record_low(range.record))
        return false;
    found(block, range.base, range.record);
    block->is_registered = range.mapped == 0;
    return true;
}

bool memory_find(const void *address, struct memory_block *block)
{
    uint64_t offset, block_offset;
    uint32_t size_class;
    if (__builtin_expect(!address_space_contains((uintptr_t)address, &offset), 0))
        return find_in_ranges((uintptr_t)address, block);
    const _Atomic uint64_t *place = address_space_record(offset, &block_offset, &size_class);
    uint64_t record = atomic_load_explicit(place, memory_order_seq_cst); /* see stream_claim */
    uint64_t distance = offset - block_offset;
    if (__builtin_expect(record_is_live(record, size_class) && distance < record_low(record), 1))
        return found(block, (uintptr_t)address - distance, record);
    block->place = MEMORY_UNKNOWN;
    return false;
}

static __attribute__((noinline, cold)) uint64_t usable_in_ranges(uintptr_t address, int32_t device)
{
    struct memory_block block;
    if (!find_in_ranges(address, &block))
        return 0;
    bool is_usable = block.place == MEMORY_PINNED_HOST || block.device == device;
    return is_usable ? block.bytes - (address - block.base) : 0;
}

uint64_t memory_usable_bytes(const void *address, int32_t device)
{
    uint64_t offset;
    if (__builtin_expect(!address_space_contains((uintptr_t)address, &offset), 0))
        return usable_in_ranges((uintptr_t)address, device);
    uint64_t record, bytes_left;
    bool is_usable = memory_record(offset, &record, &bytes_left) != NULL && record_is_usable(record, device);
    return is_usable ? bytes_left : 0;
}

bool memory_is_reserved(const void *address)
{
    uint64_t offset;
    struct address_range range;
    if (address_space_contains((uintptr_t)address, &offset))
        return true;
    return address_ranges_find((uintptr_t)address, &range) && (uintptr_t)address - range.base < range.mapped;
}

bool memory_reaches_reserved(uintptr_t first, uintptr_t last)
{
    uint64_t bytes = atomic_load_explicit(&address_space.bytes, memory_order_acquire);
    uintptr_t base = atomic_load_explicit(&address_space.base, memory_order_relaxed);
    return bytes != 0 && first < base + bytes && last >= base;
}

/* The words for a record that an address belongs to by its place; distance is the address's from the block's
 * first byte. */
static void describe(uint64_t record, uint64_t distance, char *text, size_t text_bytes)
{
    const char *kind = record_place(record) == MEMORY_PINNED_HOST ? "pinned host memory" : "device memory";
    if (record_class(record) == CLASS_IMPORTED && record_state(record) == RECORD_LIVE) {
        snprintf(text, text_bytes, "is %llu bytes inside %llu bytes that another process shares",
                 (unsigned long long)distance, (unsigned long long)record_low(record));
        return;
    }
    if (record_class(record) == CLASS_MAPPED) {
        if (record_state(record) == RECORD_LIVE)
            snprintf(text, text_bytes, "is %llu bytes inside %llu mapped bytes of device memory",
                     (unsigned long long)distance, (unsigned long long)record_low(record));
        else
            snprintf(text, text_bytes, "is a reserved address to which nothing is mapped");
        return;
    }
    switch (record_state(record)) {
    case RECORD_LIVE:
        if (distance == 0)
            snprintf(text, text_bytes, "is a block of %llu bytes of %s",
                     (unsigned long long)record_low(record), kind);
        else if (distance < record_low(record))
            snprintf(text, text_bytes, "is %llu bytes inside a block of %llu bytes of %s",
                     (unsigned long long)distance, (unsigned long long)record_low(record), kind);
        else
            snprintf(text, text_bytes, "is %llu bytes past the end of a block of %llu bytes of %s",
                     (unsigned long long)(distance - record_low(record)),
                     (unsigned long long)record_low(record), kind);
        return;
    case RECORD_FREED:
        snprintf(text, text_bytes, "is %s that was already freed", kind);
        return;
    case RECORD_RESET:
        snprintf(text, text_bytes, "is %s that the reset of device %d freed", kind, record_device(record));
        return;
    case RECORD_NONE:
        break;
    }
    snprintf(text, text_bytes, "belongs to no block that was given out");
}

void memory_describe(const void *address, char *text, size_t text_bytes)
{
    uint64_t offset;
    struct address_range range;
    if (!address_space_contains((uintptr_t)address, &offset)) {
        bool known =
            address_ranges_find((uintptr_t)address, &range) &&
            (uintptr_t)address - range.base < (range.mapped != 0 ? range.mapped : record_low(range.record));
        if (known && range.mapped == 0)
            snprintf(text, text_bytes, "is host memory that was registered");
        else if (known)
            describe(range.record, (uintptr_t)address - range.base, text, text_bytes);
        else
            snprintf(text, text_bytes, "is not memory of this library");
        return;
    }
    uint64_t block_offset;
    uint32_t size_class;
    const _Atomic uint64_t *place = address_space_record(offset, &block_offset, &size_class);
    uint64_t record = atomic_load_explicit(place, memory_order_acquire);
    if (record_class(record) != size_class)
        record = 0; /* the chunk has changed its layout since the program had a block there */
    describe(record, offset - block_offset, text, text_bytes);
}
