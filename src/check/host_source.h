/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The check race: host memory that queued work reads, and that the program changes or unmaps before it has
 * waited (DC-013). Pages cannot be closed against a program that registered memory of its own, so what is
 * there when the work is queued is held against what is there when the host has waited. The lock of watch.c
 * is held in all functions.
 */
#ifndef BELAY_CHECK_HOST_SOURCE_H
#define BELAY_CHECK_HOST_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "check/extent.h"
#include "check/place.h"

/* Queued work reads these bytes, of memory of the host; place is where it was queued. */
void host_source_read(const struct extent *extent, const char *parameter, const struct call_place *place);

/* Something that the check sees writes there, or the memory ends: nothing is known of its contents. */
void host_source_forget(uintptr_t first, uintptr_t end);

/* The host has waited for something. Looks at what is_over says, and reports what has changed there. */
typedef bool host_source_is_over(uintptr_t first, uint64_t bytes);
void host_source_settle(host_source_is_over *is_over);

/* Nobody knows any more what was waited for. */
void host_source_forget_all(void);

#endif
