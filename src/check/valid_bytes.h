/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One bit for each byte of device memory: whether it has ever been written. Made where something is written
 * first; what has no bits has never been written. Nothing here locks.
 */
#ifndef BELAY_CHECK_VALID_BYTES_H
#define BELAY_CHECK_VALID_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "check/extent.h"

/* Bytes of memory that is new have not been written, whatever was there before. */
void valid_forget(uintptr_t first, uintptr_t end);

void valid_set(uintptr_t first, uintptr_t end);
void valid_set_extent(const struct extent *extent);

/* The first byte of [first, end) that was never written; end where there is none. */
uintptr_t valid_find_unset(uintptr_t first, uintptr_t end);

/* Whether all bytes of the extent have been written. */
bool valid_covers(const struct extent *extent);

/* Bytes to where those from so many bytes on are copied. */
void valid_copy(uintptr_t to, uintptr_t from, uint64_t bytes);

#endif
