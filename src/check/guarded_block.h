/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Blocks of memory as the check of memory gives them out, in place of block_pool.h: every one has chunks of
 * its own and ends where a page ends, as nearly as its alignment to a granule lets it. What is left of its
 * first page and of its last granule is filled with a pattern.
 *
 *   the program's side   the block, if it is pinned host memory; nothing if it is of a device   | nothing
 *   the library's side   pattern, the block, pattern                                            | nothing
 *
 * Both sides of pinned host memory are the same pages. A block that was freed has nothing on the program's
 * side from then on, and once no work uses it, nothing on the other; its addresses are not given out again
 * before many others were. address_space_lock is held by every caller, but for those of guarded_block_find.
 */
#ifndef BELAY_CHECK_GUARDED_BLOCK_H
#define BELAY_CHECK_GUARDED_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "check/place.h"
#include "runtime/memory/device_memory.h"
#include "base/report.h"
#include "runtime/addresses/reach.h"

/* Takes a block, as pool_take does: the number of a record that is not live yet, and where its block begins.
 * UINT64_MAX when the address space has no room, or, with *is_refused, the system has no memory. */
uint64_t guarded_block_take(const struct memory_request *request, uintptr_t *start, bool *is_refused);

/* The program has freed the block, of which check/made.h still knows: its own side ends. */
void guarded_block_close(uint64_t index, const struct call_place *freed);

/* Puts a block back, as pool_put does: no work uses it either. */
void guarded_block_put(uint64_t index);

/* What was written beside blocks that were put back since the last call; without the lock. */
void guarded_block_report(void);

/* What is known of the block that an address is in or behind. */
struct guarded_block {
    uintptr_t start;
    uint64_t bytes; /* that the program asked for */
    enum memory_place place;
    int32_t device;
    bool is_live;
    struct call_place allocated, freed;
};

/* False when no block was given out there. Any thread, a handler of signals too; of locks
 * only that of check/made.h is taken. */
bool guarded_block_find(uintptr_t address, struct guarded_block *block);

/* The places of a block for a report, which stay valid as long as the block's copy does. */
void guarded_block_places(const struct guarded_block *block, struct finding_place place[2]);

#endif
