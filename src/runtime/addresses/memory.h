/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is known about memory: every block of device memory and of pinned host memory that is live, by
 * address.
 */
#ifndef BELAY_RUNTIME_ADDRESSES_MEMORY_H
#define BELAY_RUNTIME_ADDRESSES_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"

enum memory_place { MEMORY_UNKNOWN, MEMORY_DEVICE, MEMORY_PINNED_HOST };

struct memory_block {
    uintptr_t base; /* what the program was given */
    size_t bytes;   /* what the program asked for */
    int32_t device; /* MEMORY_DEVICE only */
    enum memory_place place;
    bool is_registered; /* memory of the program, which nothing here frees */
};

/*
 * The live block that contains address; place is MEMORY_UNKNOWN (and the result false) when there is none.
 * Any thread, no lock, no allocation. A block that another thread frees afterwards stays readable and
 * writable for work that was running or queued when it was found here: work asks once more when it is (struct
 * task).
 */
bool memory_find(const void *address, struct memory_block *block) SHARED(memory_find);

/*
 * How many bytes from address on work of the device may use: up to the end of the live block of that device,
 * or of pinned host memory, that contains it; 0 when there is none. Otherwise as memory_find.
 */
uint64_t memory_usable_bytes(const void *address, int32_t device) SHARED(memory_usable_bytes);

/*
 * True for addresses that only blocks of this library can have, live or not: host memory of the program never
 * lies there.
 */
bool memory_is_reserved(const void *address) SHARED(memory_is_reserved);

/* True when the addresses from first to last include some of the reserved address space. */
bool memory_reaches_reserved(uintptr_t first, uintptr_t last) SHARED(memory_reaches_reserved);

enum { MEMORY_TEXT_BYTES = 112 };

/* Says for a message what is at address: "is device memory that was already freed". Any thread. */
void memory_describe(const void *address, char *text, size_t text_bytes) SHARED(memory_describe);

#endif
