/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the program has made and not yet given back, with the place that made it: memory by its address,
 * objects by their handles. Kept while the rule leak or order is on, or memory or init; elsewhere each
 * function costs a load and a branch.
 */
#ifndef BELAY_CHECK_MADE_H
#define BELAY_CHECK_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "check/place.h"
#include "base/export.h"
#include "base/handle.h"
#include "base/settings.h"

/* What is kept beside the kinds of handles; groups of messages have numbers, as made_group gives them. */
enum { MADE_DEVICE_MEMORY = HANDLE_KINDS, MADE_PINNED_MEMORY, MADE_MESSAGE_GROUP, MADE_KINDS };

/* Executors are made by the first phase of the operator that the place names. */
enum executor_state { EXECUTOR_NEW, EXECUTOR_REPEATABLE, EXECUTOR_RAN };

struct made {
    uint64_t key;   /* address or handle; not 0 */
    uint64_t bytes; /* of memory */
    int32_t kind;   /* enum handle_kind, or one of the above */
    int32_t device; /* whose reset takes it away, or -1 */
    struct call_place place;
    enum executor_state state;
};

/* Of memory alone, where no other check is on than memory and init. */
enum {
    MADE_IS_KEPT = CHECK_LEAK | CHECK_ORDER,
    MADE_MEMORY_IS_KEPT = MADE_IS_KEPT | CHECK_MEMORY | CHECK_INIT
};

/* The slow halves. Any thread; no lock of the runtime is taken. */
void made_keep(int32_t kind, uint64_t key, uint64_t bytes, int32_t device, const char *function)
    SHARED(made_keep);
void made_drop(uint64_t key) SHARED(made_drop);
void made_change(uint64_t key, enum executor_state state) SHARED(made_change);

/* The calling thread is in function, which has made this. */
static inline void made(int32_t kind, uint64_t key, uint64_t bytes, int32_t device, const char *function)
{
    if (check_is_on(kind < MADE_DEVICE_MEMORY ? MADE_IS_KEPT : MADE_MEMORY_IS_KEPT))
        made_keep(kind, key, bytes, device, function);
}

/* The calling thread is in function, which opens a group of messages: what it is kept by, or 0. */
uint64_t made_keep_group(const char *function) SHARED(made_keep_group);
static inline uint64_t made_group(const char *function)
{
    return check_is_on(CHECK_ORDER) ? made_keep_group(function) : 0;
}

/* It ends. Nothing happens where it was not kept. */
static inline void made_end(uint64_t key)
{
    if (check_is_on(MADE_MEMORY_IS_KEPT))
        made_drop(key);
}

/* A phase 2 has taken the executor: one that is repeatable stays. */
static inline void made_ran(uint64_t key)
{
    if (check_is_on(MADE_IS_KEPT))
        made_change(key, EXECUTOR_RAN);
}

/* Where it was made; false when that is not known. */
bool made_find(uint64_t key, struct made *found) SHARED(made_find);

/* A copy of all that is kept of a device, or of all where device is -1, to be freed; NULL when that is
 * nothing, or there is no memory. The copied are kept no more. */
struct made *made_take(int32_t device, uint64_t *count);

void made_after_fork(void);

#endif
