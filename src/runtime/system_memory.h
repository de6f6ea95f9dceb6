/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What memory the system can still give this process.
 */
#ifndef BELAY_RUNTIME_SYSTEM_MEMORY_H
#define BELAY_RUNTIME_SYSTEM_MEMORY_H

#include <stdint.h>

/* Bytes that can be touched before the system or a control group runs out; UINT64_MAX when that is not known.
 * Reads files, some 50 microseconds. */
uint64_t system_memory_available(void);

/* How many of the bytes from start, at a page boundary, hold memory now. The allocator's lock is held. */
uint64_t system_memory_resident(const void *start, uint64_t bytes);

#endif
