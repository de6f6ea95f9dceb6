/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The check race: host memory that queued work reads, and that the program changes or unmaps before it has
 * waited (DC-013). For bytes whose pages cannot be closed against the program (check/pinned_guard.h), as in
 * memory that it registered: what is there when the work is queued is held against what is there when the
 * host has waited. The lock of watch.c is held in all functions.
 */
#ifndef BELAY_CHECK_HOST_SOURCE_H
#define BELAY_CHECK_HOST_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "check/place.h"

/* Queued work reads bytes of memory of the host from first up to end; place is where it was queued. Nothing
 * where there are none. */
void host_source_read(uintptr_t first, uintptr_t end, const char *parameter, const struct call_place *place);

/* Something that the check sees writes there, or the memory ends: nothing is known of its contents. */
void host_source_forget(uintptr_t first, uintptr_t end);

/* The host has waited for something. Looks at what is_over says, and reports what has changed there. */
typedef bool host_source_is_over(uintptr_t first, uint64_t bytes);
void host_source_settle(host_source_is_over *is_over);

/* Nobody knows any more what was waited for. */
void host_source_forget_all(void);

#endif
