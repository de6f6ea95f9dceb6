/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How contexts begin and end, for the devices that have a primary one.
 */
#ifndef BELAY_RUNTIME_CONTEXT_LIFETIME_H
#define BELAY_RUNTIME_CONTEXT_LIFETIME_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/devices/context.h"

/* Makes a context with its default stream, not current anywhere. */
int context_create(const char *api, int32_t device, bool is_primary, uint64_t *handle);

/*
 * Ends a context whose handle has been retired: its streams are destroyed, after their work has ended unless
 * abandons, and its slot is released. 107000 when the caller runs inside the work of one of them: check with
 * stream_caller_runs_in first.
 */
void context_release(struct context *context, uint64_t handle, bool abandons);

#endif
