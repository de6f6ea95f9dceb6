/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The devices that there are, which streams are entered in them, and the count of what is taken away.
 */
#include "runtime/devices/device.h"

#include <stddef.h>

#include "base/error.h"
#include "base/settings_peek.h"

#define DEVICE                                                                      \
    {                                                                               \
        .lock = PTHREAD_MUTEX_INITIALIZER, .places_lock = PTHREAD_MUTEX_INITIALIZER \
    }
#define FOUR(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__

static struct device devices[] = {FOUR(FOUR(FOUR(DEVICE)))};
_Static_assert(sizeof devices / sizeof devices[0] == DEVICES_MAX, "one entry per device");

_Atomic uint64_t device_marks;

struct device *device_at(int32_t device)
{
    return &devices[device];
}

static int check(const struct settings *settings, const char *api, int64_t device, int code)
{
    if (device >= 0 && device < settings->device_count)
        return 0;
    if (settings->device_count == 0)
        return fail(code, "%s: device %lld does not exist: ASCEND_RT_VISIBLE_DEVICES names none", api,
                    (long long)device);
    return fail(code, "%s: device %lld does not exist; 0 to %d is expected (BELAY_DEVICES says how many)",
                api, (long long)device, settings->device_count - 1);
}

int device_check_as(const char *api, int64_t device, int code)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return check(settings, api, device, code);
}

int device_ask_as(const char *api, int64_t device, int code)
{
    const struct settings *settings;
    TRY(settings_peek(&settings));
    return check(settings, api, device, code);
}

bool device_add_stream(struct device *device, struct stream *stream, bool is_default, _Atomic uint32_t *place)
{
    pthread_mutex_lock(&device->places_lock);
    uint32_t *number = is_default ? &device->default_count : &device->created_count;
    bool has_room = *number < (uint32_t)(is_default ? DEVICE_CONTEXTS_MAX : DEVICE_STREAMS_MAX);
    if (has_room) {
        /* The lowest free place, so that the places in use stay few to look through. */
        uint32_t free_place = 0;
        while (atomic_load_explicit(&device->places[free_place], memory_order_relaxed) != NULL)
            free_place++;
        ++*number;
        *place = free_place;
        atomic_store_explicit(&device->places[free_place], stream, memory_order_release);
        if (free_place >= atomic_load_explicit(&device->place_count, memory_order_relaxed))
            atomic_store_explicit(&device->place_count, free_place + 1, memory_order_release);
    }
    pthread_mutex_unlock(&device->places_lock);
    return has_room;
}

void device_remove_stream(struct device *device, uint32_t place, bool is_default)
{
    pthread_mutex_lock(&device->places_lock);
    if (is_default)
        device->default_count--;
    else
        device->created_count--;
    atomic_store_explicit(&device->places[place], NULL, memory_order_release);
    uint32_t count = atomic_load_explicit(&device->place_count, memory_order_relaxed);
    while (count > 0 && atomic_load_explicit(&device->places[count - 1], memory_order_relaxed) == NULL)
        count--;
    atomic_store_explicit(&device->place_count, count, memory_order_release);
    pthread_mutex_unlock(&device->places_lock);
}

uint64_t device_mark(void)
{
    return atomic_fetch_add_explicit(&device_marks, 1, memory_order_seq_cst) + 1;
}
