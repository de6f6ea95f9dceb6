/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The device that is this machine: its memory is memory of the process.
 */
#include "runtime/device_operations.h"

#include <string.h>

#include "runtime/device_memory.h"
#include "runtime/workers.h"

static void copy(void *destination, const void *source, size_t bytes)
{
    memmove(destination, source, bytes);
}

static void copy_rows(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                      size_t width, size_t height)
{
    unsigned char *to = (unsigned char *)destination;
    const unsigned char *from = (const unsigned char *)source;
    if (width == destination_pitch && width == source_pitch) {
        memmove(to, from, width * height);
        return;
    }
    for (size_t row = 0; row < height; row++)
        memmove(to + row * destination_pitch, from + row * source_pitch, width);
}

static void set(void *address, uint8_t value, size_t bytes)
{
    memset(address, value, bytes);
}

const struct device_operations host_device = {
    .name = "host",
    .allocate = memory_allocate,
    .free = memory_free,
    .copy = copy,
    .copy_rows = copy_rows,
    .set = set,
    .run = workers_run,
};
