/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the program makes and gives back, told to who listens: memory by its address, objects by their
 * handles. Kept while the rule leak or order is on, or memory or init.
 */
#ifndef BELAY_BASE_MADE_H
#define BELAY_BASE_MADE_H

#include <stdint.h>

#include "base/handle.h"
#include "base/listener.h"
#include "base/settings.h"

/* What is kept beside the kinds of handles; groups of messages have numbers, as made_group gives them. */
enum { MADE_DEVICE_MEMORY = HANDLE_KINDS, MADE_PINNED_MEMORY, MADE_MESSAGE_GROUP, MADE_KINDS };

/* The checks that need what was made; memory alone is kept where none is on but memory and init. */
enum {
    MADE_IS_KEPT = CHECK_LEAK | CHECK_ORDER,
    MADE_MEMORY_IS_KEPT = MADE_IS_KEPT | CHECK_MEMORY | CHECK_INIT
};

/* The calling thread is in function, which has made this. */
static inline void made(int32_t kind, uint64_t key, uint64_t bytes, int32_t device, const char *function)
{
    if (check_is_on(kind < MADE_DEVICE_MEMORY ? MADE_IS_KEPT : MADE_MEMORY_IS_KEPT))
        listener->made_keep(kind, key, bytes, device, function);
}

/* The calling thread is in function, which opens a group of messages: what it is kept by, or 0. */
static inline uint64_t made_group(const char *function)
{
    return check_is_on(CHECK_ORDER) ? listener->made_keep_group(function) : 0;
}

/* It ends. Nothing happens where it was not kept. */
static inline void made_end(uint64_t key)
{
    if (check_is_on(MADE_MEMORY_IS_KEPT))
        listener->made_drop(key);
}

/* An executor has got into this state. A phase 2 that has taken one that is repeatable lets it stay. */
static inline void made_changed(uint64_t key, enum executor_state state)
{
    if (check_is_on(MADE_IS_KEPT))
        listener->made_change(key, state);
}

/* api resets the device: what it takes away counts as never given back. */
static inline void made_device_ends(const char *api, int32_t device)
{
    if (check_is_on(MADE_IS_KEPT))
        listener->leak_report_device(api, device);
}

#endif
