/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rule order: work that nobody waits for before the end, or before its workspace is freed, and errors
 * that nobody reads. The host may know in many ways that work has ended, and by other work that follows it,
 * so any wait of any thread counts for all work submitted before.
 */
#ifndef BELAY_CHECK_ORDER_H
#define BELAY_CHECK_ORDER_H

#include <stdint.h>

#include "check/place.h"
#include "base/export.h"
#include "base/settings.h"

/* The slow halves. */
void order_forget(void) SHARED(order_forget);
void order_keep_workspace(const char *function, uint64_t stream, const void *workspace)
    SHARED(order_keep_workspace);
void order_look_for_workspace(const char *function, const void *block);

/* What order_keep is told. */
uint64_t order_epoch(void);

/* The calling thread is in function, which has given the stream (by its handle) work of a device to do;
 * order_epoch told epoch before that. CHECK_ORDER is on. */
void order_keep(const char *function, uint64_t stream, int32_t device, uint64_t epoch);

/* The work that function has given the stream just now has this workspace until it ends. */
static inline void order_workspace(const char *function, uint64_t stream, const void *workspace,
                                   uint64_t bytes)
{
    if (check_is_on(CHECK_ORDER) && bytes > 0)
        order_keep_workspace(function, stream, workspace);
}

/* A block is about to be freed by function: reports a workspace in it that nobody has waited for. */
static inline void order_freed(const char *function, const void *block)
{
    if (check_is_on(CHECK_ORDER))
        order_look_for_workspace(function, block);
}

/* The host has waited for work, or was told that it has ended. */
static inline void order_waited(void)
{
    if (check_is_on(CHECK_ORDER))
        order_forget();
}

/* The stream is destroyed by a function that waits for its work. */
void order_stream_ended(uint64_t stream);

/* A call of function failed, at place, which was reported; and the program reads an error, of whatever call.
 */
void order_call_failed(const char *function, const struct call_place *place);
void order_error_read_on(void);
static inline void order_error_read(void)
{
    if (check_is_on(CHECK_ORDER))
        order_error_read_on();
}

/* The process ends: reports errors that nobody has read, where the program went on with work behind them. */
void order_end_errors(void);

/* api ends all work, of one device or, with -1, of all: reports what nobody has waited for. */
void order_end(const char *api, int32_t device);

void order_after_fork(void);

#endif
