/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How much of a thread's stack is left.
 */
#include "base/stack_room.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Rows of MoeGatingTopKSoftmax take half of this, and nothing takes more. */
enum { ROOM_BYTES = 256 << 10 };

/* Ends of the thread's stack; both 0 before the first look. */
static _Thread_local uintptr_t lowest, highest;

/* The first thread's stack grows, up to a limit that no program sets so low; its ends are asked of a file. */
static void look(void)
{
    pthread_attr_t attributes;
    void *stack;
    size_t bytes;
    highest = UINTPTR_MAX;
    if (gettid() == getpid() || pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &stack, &bytes) == 0) {
        lowest = (uintptr_t)stack;
        highest = lowest + bytes;
    }
    pthread_attr_destroy(&attributes);
}

bool stack_has_room(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (__builtin_expect(highest == 0, 0))
        look();
    return here < highest && here > lowest && here - lowest >= ROOM_BYTES;
}
