/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors that say how often each of some rows is there, or all of them, and what follows from them when the
 * work runs.
 */
#ifndef BELAY_OPS_INDEX_REPEATS_H
#define BELAY_OPS_INDEX_REPEATS_H

#include "ops/port.h"

struct repeats {
    struct port port;    /* in INT64 */
    int64_t size, count; /* rows, and what all of them are repeated to */
    const char *whole;   /* the name of that, for sentences */
};

/* Bytes of room that reading them takes. */
static inline size_t repeats_bytes(const struct repeats *repeats)
{
    return (size_t)repeats->port.span.count * sizeof(int64_t);
}

/* The row that each of all places has; 0, or the status of a fault. */
int repeats_read(const struct repeats *repeats, void *const *address, int64_t *room, int64_t *row);

#endif
