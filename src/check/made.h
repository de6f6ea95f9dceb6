/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the program has made and not yet given back, with the place that made it: memory by its address,
 * objects by their handles.
 */
#ifndef BELAY_CHECK_MADE_H
#define BELAY_CHECK_MADE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/made.h"
#include "check/place.h"

struct made {
    uint64_t key;   /* address or handle; not 0 */
    uint64_t bytes; /* of memory */
    int32_t kind;   /* enum handle_kind, or one of the above */
    int32_t device; /* whose reset takes it away, or -1 */
    struct call_place place;
    enum executor_state state;
};

/* What base/made.h tells. Any thread; no lock of the runtime is taken. */
void made_keep(int32_t kind, uint64_t key, uint64_t bytes, int32_t device, const char *function);
void made_drop(uint64_t key);
void made_change(uint64_t key, enum executor_state state);
uint64_t made_keep_group(const char *function);

/* Where it was made; false when that is not known. */
bool made_find(uint64_t key, struct made *found);

/* A copy of all that is kept of a device, or of all where device is -1, to be freed; NULL when that is
 * nothing, or there is no memory. The copied are kept no more. */
struct made *made_take(int32_t device, uint64_t *count);

void made_after_fork(void);

#endif
