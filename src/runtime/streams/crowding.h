/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A worker whose processor other threads keep taking for moments goes to another one, and one that would wait for
 * the processor of the thread that calls it, which may be the program's, is sent to another one.
 */
#ifndef BELAY_RUNTIME_STREAMS_CROWDING_H
#define BELAY_RUNTIME_STREAMS_CROWDING_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/export.h"

/* What a worker remembers from one look to the next, and of its moves; all zero at first. */
struct crowding {
    uint64_t looked_ns;     /* 0 before the first look */
    uint64_t interruptions; /* of the thread, by then */
    uint64_t patience_ns;   /* from one look to the next; longer each time that moving was of no use */

    pid_t thread;           /* the worker; 0 stands for the thread that calls */
    _Atomic uint32_t moves; /* who may change the sets: see crowding.c */
    cpu_set_t had, given;   /* before and during a move */
    cpu_set_t shared;       /* what it had when it last moved, if the first thread had the same; or nothing */
};

/* Whether it is time to look again. */
bool crowding_is_due(const struct crowding *crowding, uint64_t now_ns) SHARED(crowding_is_due);

/* Whether the thread, interrupted so many times since it began, was so too often since the last look. */
bool crowding_is_seen(struct crowding *crowding, uint64_t now_ns, uint64_t interruptions)
    SHARED(crowding_is_seen);

/* Moves the calling thread, whose own this is, to another of the processors that it may have, if there is one. */
void crowding_leave(struct crowding *own) SHARED(crowding_leave);

/*
 * Moves a worker that sleeps, or waits for a processor, off this one. It may not have that one again before it
 * has called crowding_return, which costs nothing where nobody moved it.
 */
void crowding_send_away(struct crowding *worker, int processor) SHARED(crowding_send_away);
void crowding_return(struct crowding *own) SHARED(crowding_return);

/* Between two pieces of work: all three. */
void crowding_look(struct crowding *crowding);

#endif
