/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies into large tensors, past the caches: nobody reads there soon.
 */
#ifndef BELAY_KERNEL_STREAMING_H
#define BELAY_KERNEL_STREAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/vector/write.h"

/* Larger allocations are no use in the caches, and what is written past them is not read first. */
enum { STREAM_BYTES = 8 << 20, STREAM_LEAST = 4096, STREAM_STEP = 16 };

/* room: the bytes of the allocation that to lies in, 0 where the copy is too small. True: whoever lets others
 * see it calls put_fence before. */
static inline bool copy_streaming(void *to, const void *from, uint64_t bytes, uint64_t room)
{
    uint64_t done = (STREAM_STEP - (uintptr_t)to % STREAM_STEP) % STREAM_STEP;
    if (room < STREAM_BYTES || bytes < STREAM_STEP) {
        memcpy(to, from, bytes);
        return false;
    }
    memcpy(to, from, done);
    for (; done + STREAM_STEP <= bytes; done += STREAM_STEP)
        put((char *)to + done, (const char *)from + done, STREAM_STEP, true);
    memcpy((char *)to + done, (const char *)from + done, bytes - done);
    return true;
}

#endif
