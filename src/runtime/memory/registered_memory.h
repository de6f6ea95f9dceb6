/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Host memory of the program that it registered, so that it counts as pinned. Any thread.
 */
#ifndef BELAY_RUNTIME_MEMORY_REGISTERED_MEMORY_H
#define BELAY_RUNTIME_MEMORY_REGISTERED_MEMORY_H

#include <stdint.h>

#include "base/export.h"

/* Registers host memory of the program. 0, 507910 when it overlaps registered memory, 107000 when it overlaps
 * memory of this library, 200000 when there are too many. */
int memory_register(const char *api, const void *address, uint64_t bytes) SHARED(memory_register);

/* Undoes memory_register. 0, or 507911. */
int memory_unregister(const char *api, const void *address) SHARED(memory_unregister);

#endif
