/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The allocator of device memory and of pinned host memory. Any thread may call any function here; each takes
 * the allocator's one lock, and none waits for work.
 */
#ifndef BELAY_RUNTIME_MEMORY_DEVICE_MEMORY_H
#define BELAY_RUNTIME_MEMORY_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"
#include "runtime/addresses/memory.h"

/* Readable and writable bytes behind every block; programs compute size + 32, and so may kernels. */
enum { MEMORY_SLACK_BYTES = 32 };

struct memory_request {
    const char *api; /* for messages */
    enum memory_place place;
    int32_t device; /* MEMORY_DEVICE only */
    uint64_t bytes; /* at least 1, and with MEMORY_SLACK_BYTES and a granule no overflow */
    bool huge_pages;
};

/* Reserves the address space, if nothing has asked for memory before. */
int memory_open(void);

/* A block aligned to 512 bytes at least, to 2 MiB when larger than 1 MiB. 0, 207001, 200000. */
int memory_allocate(const struct memory_request *request, void **address) SHARED(memory_allocate);

/*
 * Frees the block that begins at address and has the given place: lookups fail from here on, and the memory
 * is used again when the work that was queued or running has ended. 0, or 107000 with a sentence that says
 * what address is instead. api is NULL where the library frees what it has taken for work that it has queued
 * itself, which is no mistake of the program's.
 */
int memory_free(const char *api, enum memory_place place, const void *address) SHARED(memory_free);

/*
 * Frees all memory of a device. It goes back to the system, and with it what is kept of pinned memory, but
 * for blocks that work of other devices may still use.
 */
void memory_reset_device(int32_t device) SHARED(memory_reset_device);

/*
 * Takes bytes, whole granules, from what a device has, for memory that is not allocated here; 207001 when it,
 * or the system, has not that much left. memory_give_budget gives them back, with the allocator's lock held.
 */
int memory_take_budget(const char *api, int32_t device, uint64_t bytes);
void memory_give_budget(int32_t device, uint64_t bytes);

/* Takes imported memory away from the program, and unmaps it when work that may use it has ended. The
 * allocator's lock is held. */
void memory_retire_imported(uintptr_t base);

/*
 * The mark (device_mark) for memory whose record, written before with the allocator's lock held, says that it
 * is not live any more: work that is submitted with this mark or a greater one does not use it.
 */
uint64_t memory_mark_after_record(void);

/* What the program holds now, and the most that it held. */
void memory_usage(int32_t device, uint64_t *live_bytes, uint64_t *peak_bytes) SHARED(memory_usage);

#endif
