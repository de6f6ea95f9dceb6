/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Ranges of memory outside the reserved address space: host memory that the program registered, blocks that
 * were mapped one by one because the reservation was too small, and what programs reserved themselves
 * (reservation.h). A sorted array behind a change count:
 * readers take no lock and repeat when a writer changed it meanwhile; writers hold the allocator's lock.
 */
#ifndef BELAY_RUNTIME_ADDRESSES_ADDRESS_RANGES_H
#define BELAY_RUNTIME_ADDRESSES_ADDRESS_RANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { ADDRESS_RANGES_MAX = 1 << 16 };

struct address_range {
    uintptr_t base;
    uint64_t record; /* as in address_space.h; its low part is the length while live */
    uint64_t mapped; /* bytes that the library has mapped; 0 for memory that the program registered */
    uint64_t mark;   /* of a block that was freed: see device_memory.c */
};

/* The range that begins at or before address, nearest to it. Any thread, no lock. */
bool address_ranges_find(uintptr_t address, struct address_range *range);

/* Adds a range that overlaps no other; false when the table is full. The allocator's lock is held. */
bool address_ranges_insert(const struct address_range *range);

/*
 * Puts count ranges in the place of the old ones from the one at base on, removed of them: readers see all of
 * them before or all of them after. False, and nothing changed, when the table is full. The lock is held.
 */
bool address_ranges_replace(uintptr_t base, uint32_t removed, const struct address_range *ranges,
                            uint32_t count);

/* Changes the range that begins at range->base. The allocator's lock is held. */
void address_ranges_update(const struct address_range *range);

/* Takes out the range that begins at base. The allocator's lock is held. */
void address_ranges_remove(uintptr_t base);

/* The number of ranges, and the one at a position below it, in order. The allocator's lock is held. */
uint32_t address_ranges_count(void);
struct address_range address_ranges_at(uint32_t index);

#endif
