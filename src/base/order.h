/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work that is queued and waited for, and errors that are read, told to who listens.
 */
#ifndef BELAY_BASE_ORDER_H
#define BELAY_BASE_ORDER_H

#include <stdint.h>

#include "base/listener.h"
#include "base/settings.h"

/* The work that function has given the stream just now has this workspace until it ends. */
static inline void order_workspace(const char *function, uint64_t stream, const void *workspace,
                                   uint64_t bytes)
{
    if (check_is_on(CHECK_ORDER) && bytes > 0)
        listener->order_keep_workspace(function, stream, workspace);
}

/* A block is about to be freed by function: reports a workspace in it that nobody has waited for. */
static inline void order_freed(const char *function, const void *block)
{
    if (check_is_on(CHECK_ORDER))
        listener->order_look_for_workspace(function, block);
}

/* The host has waited for work, or was told that it has ended. */
static inline void order_waited(void)
{
    if (check_is_on(CHECK_ORDER))
        listener->order_forget();
}

/* The stream is destroyed by a function that waits for its work. */
static inline void order_stream_ended(uint64_t stream)
{
    if (check_is_on(CHECK_ORDER))
        listener->order_stream_ended(stream);
}

/* The program reads an error, of whatever call. */
static inline void order_error_read(void)
{
    if (check_is_on(CHECK_ORDER))
        listener->order_error_read();
}

/* api ends all work, of one device or, with -1, of all: reports what nobody has waited for. */
static inline void order_end(const char *api, int32_t device)
{
    if (check_is_on(CHECK_ORDER))
        listener->order_end(api, device);
}

#endif
