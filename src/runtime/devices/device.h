/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Devices: their primary contexts and the places of the streams that live on them.
 */
#ifndef BELAY_RUNTIME_DEVICES_DEVICE_H
#define BELAY_RUNTIME_DEVICES_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"
#include "base/settings.h"

/* Streams that a program may create per device, and contexts, each of which brings a default stream. */
enum { DEVICE_STREAMS_MAX = 1984, DEVICE_CONTEXTS_MAX = 1024 };
enum { DEVICE_PLACES = DEVICE_STREAMS_MAX + DEVICE_CONTEXTS_MAX };

struct stream;

struct device {
    /* Guards the primary context: set_count is 0 exactly while primary is 0. Taken before any other lock. */
    pthread_mutex_t lock;
    uint32_t set_count; /* aclrtSetDevice less aclrtResetDevice */
    uint64_t primary;   /* handle of the primary context */
    bool is_resetting;  /* its work is ending, its memory being freed; no new one is made meanwhile */
    _Atomic uint32_t reset_count; /* changes when is_resetting is cleared: what aclrtSetDevice sleeps on */

    /* Held while a stream is entered in places or removed. No other lock is taken while it is held. */
    pthread_mutex_t places_lock;
    uint32_t created_count; /* streams without the default ones */
    uint32_t default_count;

    /* Read without the lock: streams are type-stable. Places at and above place_count are empty. */
    _Atomic uint32_t place_count;
    _Atomic(struct stream *) places[DEVICE_PLACES];
};

/* device is below settings->device_count. */
struct device *device_at(int32_t device);

/* 0, or code with a sentence when there is no such device; 107001 where the contract has no other code. */
int device_check_as(const char *api, int64_t device, int code) SHARED(device_check_as);

static inline int device_check(const char *api, int64_t device)
{
    return device_check_as(api, device, ACL_ERROR_RT_INVALID_DEVICEID);
}

/* Checks a device that a program only asks about, which is no use of the library: see settings_peek.h. */
int device_ask_as(const char *api, int64_t device, int code);

static inline int device_ask(const char *api, int64_t device)
{
    return device_ask_as(api, device, ACL_ERROR_RT_INVALID_DEVICEID);
}

/* Enters a stream; false when the device has no room. Its place, written before others find it there, is also
 * its id. */
bool device_add_stream(struct device *device, struct stream *stream, bool is_default,
                       _Atomic uint32_t *place);
void device_remove_stream(struct device *device, uint32_t place, bool is_default);

/* Whoever takes memory away from the program calls it: see device_oldest_unfinished. Any thread, no lock. */
uint64_t device_mark(void) SHARED(device_mark);

/* The number that the next device_mark exceeds: what new work is stamped with. */
extern _Atomic uint64_t device_marks SHARED(device_marks);

#endif
