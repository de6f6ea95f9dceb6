/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What memory the system can still give this process.
 */
#ifndef BELAY_RUNTIME_MEMORY_SYSTEM_MEMORY_H
#define BELAY_RUNTIME_MEMORY_SYSTEM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * True when the system can back bytes more. promised bytes were given out before, of which some lie in the
 * region from start; what is promised but was never touched counts as taken. Asking the system costs some 50
 * microseconds, so that an answer gives a budget for small requests. True also when the system does not tell.
 * The allocator's lock is held.
 */
bool system_memory_can_back(uint64_t bytes, uint64_t promised, const void *start, uint64_t region_bytes);

#endif
