/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether pieces of memory that one piece of work reads and writes get in each other's way.
 */
#ifndef BELAY_HCCL_OVERLAP_H
#define BELAY_HCCL_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extent {
    uint64_t begin, bytes;
    uint32_t index; /* which one it is to whoever asks */
    bool is_written;
};

/*
 * True where two extents overlap of which one is written: *first and *second are their indexes. Sorts the
 * extents by their beginning, unless they are; empty ones overlap nothing.
 */
bool overlap_find(struct extent *extents, size_t count, uint32_t *first, uint32_t *second);

#endif
