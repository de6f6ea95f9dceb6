/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A worker whose processor other threads keep taking for moments goes to another one.
 */
#ifndef BELAY_RUNTIME_STREAMS_CROWDING_H
#define BELAY_RUNTIME_STREAMS_CROWDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"

/* What a worker remembers from one look to the next; all zero at first. */
struct crowding {
    uint64_t looked_ns;     /* 0 before the first look */
    uint64_t interruptions; /* of the thread, by then */
    uint64_t patience_ns;   /* from one look to the next; longer each time that moving was of no use */
};

/* Whether it is time to look again. */
bool crowding_is_due(const struct crowding *crowding, uint64_t now_ns) SHARED(crowding_is_due);

/* Whether the thread, interrupted so many times since it began, was so too often since the last look. */
bool crowding_is_seen(struct crowding *crowding, uint64_t now_ns, uint64_t interruptions)
    SHARED(crowding_is_seen);

/* Moves the calling thread to another of the processors that it may have, if there is one. */
void crowding_leave(void) SHARED(crowding_leave);

/* Between two pieces of work: all three. */
void crowding_look(struct crowding *crowding);

#endif
