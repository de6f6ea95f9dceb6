/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The lookup of memory_usable_bytes in line, for callers that keep the record of the block that they found.
 */
#ifndef BELAY_RUNTIME_ADDRESSES_MEMORY_RECORD_H
#define BELAY_RUNTIME_ADDRESSES_MEMORY_RECORD_H

#include <stddef.h>

#include "runtime/addresses/address_space.h"

/* Whether work on this device may use the live block. */
static inline bool record_is_usable(uint64_t record, int32_t device)
{
    return record_place(record) == MEMORY_PINNED_HOST || record_device(record) == device;
}

/*
 * The record of the block around an offset into the address space: while that word has the value *found, the
 * block is live and where it was. NULL when there is none. *bytes_left is what it has from there on.
 */
static inline const _Atomic uint64_t *memory_record(uint64_t offset, uint64_t *found, uint64_t *bytes_left)
{
    uint64_t block_offset;
    uint32_t size_class;
    const _Atomic uint64_t *place = address_space_record(offset, &block_offset, &size_class);
    uint64_t record = atomic_load_explicit(place, memory_order_seq_cst); /* see stream_claim */
    uint64_t distance = offset - block_offset;
    if (__builtin_expect(!record_is_live(record, size_class) || distance >= record_low(record), 0))
        return NULL;
    *found = record;
    *bytes_left = record_low(record) - distance;
    return place;
}

#endif
