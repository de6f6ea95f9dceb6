/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What processes have which devices, for those who ask from outside (npu-smi, libdcmi). Each process that has
 * one keeps a page of memory of which it holds a descriptor with a name of its own (memfd_create), so that
 * nothing lies in any file system, and nothing is left when the process ends, however it ends. Others find
 * the descriptor below /proc, as far as they may look there: a user's own processes, or all for root.
 */
#ifndef BELAY_RUNTIME_DEVICES_DEVICE_USE_H
#define BELAY_RUNTIME_DEVICES_DEVICE_USE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"
#include "base/settings.h"

/* What the page says of a device, which is numbered as if ASCEND_RT_VISIBLE_DEVICES were not set. */
struct device_use {
    _Atomic uint32_t contexts; /* of the device; it is in use while there are some */
    _Atomic uint64_t live_bytes;
    _Atomic uint64_t memory_bytes; /* BELAY_MEMORY of that process */
};

struct device_use_page {
    uint64_t magic;
    int32_t process; /* as it numbers itself */
    struct device_use device[DEVICES_MAX];
};

/* Changes with the layout, as processes of other releases are met. */
#define DEVICE_USE_MAGIC UINT64_C(0x3130657355796c42)
#define DEVICE_USE_NAME  "belay-devices"

/* NULL until the process has a device, and where the system has no such memory. */
extern _Atomic(struct device_use_page *) device_use_page;

/* A context of the device begins or ends. */
void device_use_begin(int32_t device);
void device_use_end(int32_t device);

/* What the program holds on the device has changed. Under the allocator's lock, so that the last one stays.
 */
void device_use_tell(struct device_use_page *page, int32_t device, uint64_t live_bytes);

/* A process that has devices, as those who look see it. */
struct device_user {
    int32_t process;
    char name[32];
    uint64_t devices; /* a bit for each */
    uint64_t live_bytes[DEVICES_MAX];
    uint64_t memory_bytes[DEVICES_MAX];
    double busy; /* its share of all processors' time, where that was measured, else 0 */
};

/* The processes that have devices, by their numbers, at most capacity of them; how many there are. */
size_t device_users_read(struct device_user *users, size_t capacity) SHARED(device_users_read);

/* Measures how busy they are, for a tenth of a second; at once where there are none. */
void device_users_measure(struct device_user *users, size_t count) SHARED(device_users_measure);

#endif
