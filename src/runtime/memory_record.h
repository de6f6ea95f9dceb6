/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The lookup of memory_usable_bytes in line, for callers that keep the record of the block that they found.
 */
#ifndef BELAY_RUNTIME_MEMORY_RECORD_H
#define BELAY_RUNTIME_MEMORY_RECORD_H

#include <stddef.h>

#include "runtime/address_space.h"

/*
 * The record of the block around an offset into the address space: while that word has the value *found, the
 * block is live and where it was. NULL when there is none. *usable_bytes is 0 for memory of another device.
 */
static inline const _Atomic uint64_t *memory_record(uint64_t offset, int32_t device, uint64_t *found,
                                                    uint64_t *usable_bytes)
{
    uint64_t block_offset;
    uint32_t size_class;
    const _Atomic uint64_t *place = address_space_record(offset, &block_offset, &size_class);
    uint64_t record = atomic_load_explicit(place, memory_order_seq_cst); /* see stream_claim */
    uint64_t distance = offset - block_offset;
    if (__builtin_expect(!record_is_live(record, size_class) || distance >= record_low(record), 0))
        return NULL;
    bool is_usable = record_place(record) == MEMORY_PINNED_HOST || record_device(record) == device;
    *found = record;
    *usable_bytes = is_usable ? record_low(record) - distance : 0;
    return place;
}

#endif
