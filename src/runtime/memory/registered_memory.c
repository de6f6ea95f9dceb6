/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Host memory of the program that it registered, so that it counts as pinned.
 */
#include "runtime/memory/registered_memory.h"

#include <pthread.h>
#include <stdbool.h>

#include "runtime/addresses/address_ranges.h"
#include "runtime/addresses/address_space.h"
#include "runtime/memory/device_memory.h"
#include "base/error.h"
#include "runtime/addresses/memory.h"

int memory_register(const char *api, const void *address, uint64_t bytes)
{
    uintptr_t start = (uintptr_t)address;
    uintptr_t last;
    if (__builtin_add_overflow(start, bytes - 1, &last) || bytes > RECORD_LOW)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: size is %llu; ptr + size must be an address", api,
                    (unsigned long long)bytes);
    struct address_range near;
    bool overlaps_ours, overlaps_registered = false, is_full = false;
    pthread_mutex_lock(&address_space_lock);
    overlaps_ours = memory_reaches_reserved(start, last);
    if (address_ranges_find(last, &near)) {
        uint64_t length = near.mapped != 0 ? near.mapped : record_low(near.record);
        bool overlaps = near.base >= start || start - near.base < length;
        overlaps_ours = overlaps_ours || (overlaps && near.mapped != 0);
        overlaps_registered = overlaps && near.mapped == 0;
    }
    if (!overlaps_ours && !overlaps_registered) {
        struct address_range range = {
            .base = start, .record = record_make(RECORD_LIVE, MEMORY_PINNED_HOST, 0, CLASS_LARGE, bytes)};
        is_full = !address_ranges_insert(&range);
    }
    pthread_mutex_unlock(&address_space_lock);
    if (overlaps_ours)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: ptr %p with size %llu overlaps memory of this library; host memory of the program "
                    "is expected",
                    api, address, (unsigned long long)bytes);
    if (overlaps_registered)
        return fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                    "%s: ptr %p with size %llu overlaps memory that is registered already", api, address,
                    (unsigned long long)bytes);
    if (is_full)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: %d ranges are registered; no more are possible", api,
                    ADDRESS_RANGES_MAX);
    return 0;
}

int memory_unregister(const char *api, const void *address)
{
    struct address_range range;
    pthread_mutex_lock(&address_space_lock);
    bool registered = address_ranges_find((uintptr_t)address, &range) && range.base == (uintptr_t)address &&
                      range.mapped == 0;
    if (registered)
        address_ranges_remove(range.base);
    if (registered)
        memory_mark_after_record(); /* for those who would otherwise not look again */
    pthread_mutex_unlock(&address_space_lock);
    if (registered)
        return 0;
    char text[MEMORY_TEXT_BYTES];
    memory_describe(address, text, sizeof text);
    return fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
                "%s: ptr %p %s; the first address of registered memory is expected", api, address, text);
}
