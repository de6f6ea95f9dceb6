/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How much of a device is in use by all processes together that may be looked at.
 */
#ifndef BELAY_RUNTIME_DEVICES_DEVICE_LOAD_H
#define BELAY_RUNTIME_DEVICES_DEVICE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/devices/device_use.h"
#include "base/export.h"

/* Processes that are looked at, at most. */
enum { DEVICE_USERS_MAX = 512 };

struct device_load {
    uint64_t live_bytes;
    uint64_t memory_bytes; /* BELAY_MEMORY here, or the most of those who have the device */
    uint32_t memory_percent;
    uint32_t busy_percent; /* processors' time of those who have the device, of all that the machine has */
};

/* Adds up what those that were read have of the device. */
void device_load_add_up(const struct device_user *users, size_t count, int32_t device,
                        struct device_load *load) SHARED(device_load_add_up);

/* Reads them for it. False where there is no memory to look with. Who measures how busy it is waits a tenth
 * of a second. */
bool device_load_read(int32_t device, bool measures, struct device_load *load) SHARED(device_load_read);

/* Whole MiB; what is not nothing is at least one. */
static inline uint64_t device_load_mib(uint64_t bytes)
{
    return (bytes + (1 << 20) - 1) >> 20;
}

#endif
