/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One side of a copy, or the target of a set: where it is and whether it fits.
 */
#ifndef BELAY_RUNTIME_MEMORY_MEMORY_SIDE_H
#define BELAY_RUNTIME_MEMORY_MEMORY_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/addresses/memory.h"

struct memory_side {
    enum memory_place place; /* MEMORY_UNKNOWN: pageable memory of the host */
    int32_t device;          /* MEMORY_DEVICE only */
    bool is_block;           /* lies in a block that the program may free */
    bool is_mapped; /* memory that the program registered: the device reaches it at this address too */
};

/*
 * Finds where bytes bytes from address are. 107000 with a sentence when they reach outside the block that
 * address is in, or when address is no live block of this library's memory. bytes is at least 1.
 */
int memory_side_find(const char *api, const char *parameter, const void *address, uint64_t bytes,
                     struct memory_side *side);

/* For is_current of a task: whether what memory_side_find found still holds, as far as a free may change it.
 */
bool memory_side_is_current(const void *address, uint64_t bytes, const struct memory_side *side);

#endif
