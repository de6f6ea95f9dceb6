/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The streams that live on devices, all of them at a time.
 */
#ifndef BELAY_RUNTIME_STREAMS_DEVICE_STREAMS_H
#define BELAY_RUNTIME_STREAMS_DEVICE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"

struct device;
struct stream;

/* The stream at a place below place_count and what names it now; NULL when the place is empty. */
struct stream *device_stream_at(const struct device *device, uint32_t place, uint64_t *identity);

/* Waits for all work of all devices that has been submitted so far; its failures are left to those who ask.
 * 107000 with a sentence, which api opens, when some of it waits for the caller. */
int devices_finish(const char *api);

/* True while any work of the device is running or queued. Any thread, no lock. */
bool device_is_busy(int32_t device) SHARED(device_is_busy);

/*
 * Deferred frees. Whoever takes memory away from the program calls device_mark and keeps the memory while
 * device_oldest_unfinished(device) is below the mark: until then there is work that was submitted before. Any
 * thread, no lock, a few loads per live stream of the device; UINT64_MAX when the device is idle.
 */
uint64_t device_oldest_unfinished(int32_t device) SHARED(device_oldest_unfinished);

/* True when a task that the caller is inside of is work of the device; and the failure of a call that would
 * wait for it. */
bool device_caller_runs_on(int32_t device);
int device_waits_for_caller(const char *api, int32_t device);

#endif
