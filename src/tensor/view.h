/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far a view reaches: the arithmetic that keeps every access inside a block, in one place.
 */
#ifndef BELAY_TENSOR_VIEW_H
#define BELAY_TENSOR_VIEW_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 int128;

/*
 * The number of elements of a view and the index of its last one, both in elements; reach is offset when
 * there are none. False, and neither is written, when a dim, a stride or offset is negative or either result
 * exceeds 2^63 - 1. rank is at most 25.
 */
bool view_check(uint32_t rank, const int64_t *shape, const int64_t *stride, int64_t offset, int64_t *count,
                int64_t *reach);

/*
 * Whether elements 0 to reach behind address lie between base and base + bytes. Where this is true, address +
 * (reach + 1) * element_bytes does not overflow either.
 */
static inline bool view_fits(uintptr_t address, int64_t reach, uint32_t element_bytes, uintptr_t base,
                             uint64_t bytes)
{
    int128 end = (int128)address + ((int128)reach + 1) * element_bytes;
    return address >= base && reach >= 0 && end <= (int128)base + (int128)bytes && end <= (int128)UINTPTR_MAX;
}

#endif
