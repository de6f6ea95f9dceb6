/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pool of threads as workers.c and loops.c share it.
 */
#ifndef BELAY_RUNTIME_STREAMS_POOL_H
#define BELAY_RUNTIME_STREAMS_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/streams/crowding.h"
#include "runtime/streams/job.h"
#include "runtime/streams/workers.h"

/* A worker's own part, on its stack. */
struct worker {
    _Atomic uint32_t signal;
    bool is_asleep; /* in the list of sleepers; guarded by the pool's lock */
    struct worker *next;
    _Atomic int processor; /* on which it polls or sleeps; -1 when it does neither, or has been called */
    struct crowding crowding;
};

/*
 * lock guards everything here but the atomics, and the list members of streams and jobs. It is taken with a
 * stream's lock held, never the other way round.
 */
extern struct pool {
    pthread_mutex_t lock;
    struct stream *first, *last; /* streams with work, in the order of service */
    uint32_t stream_count;
    struct job *jobs;
    struct worker *sleepers; /* the latest first: its caches are warm */
    uint32_t limit;          /* threads that may compute at a time; 0 before the first start */
    uint32_t threads;
    uint32_t active;     /* workers that have taken something up, less those in code of the program */
    uint32_t in_program; /* workers in code of the program */
    uint32_t calls;      /* of workers_look_again */

    _Atomic uint32_t wanted;         /* streams and jobs that are listed */
    _Atomic uint32_t jobs_listed;    /* jobs alone */
    _Atomic(struct worker *) poller; /* the worker that polls, or NULL; changed with the lock */
    atomic_bool is_single;           /* limit is 1 */
    _Atomic uint64_t last_short;     /* when work was last too short to wake a worker for it */
    _Atomic uint64_t poll_ns;        /* 0 until the pool has been started */
    _Atomic bool has_threads;
} pool;

static inline struct worker *pool_poller(void)
{
    return atomic_load_explicit(&pool.poller, memory_order_relaxed);
}

/* Reads the settings once. Lock held. False when they cannot be had; then nothing has been queued either. */
bool pool_prepare(void);

/*
 * Something new is listed: the worker that must be woken for it, or NULL. A thread that polls or finishes
 * something takes it up without being told. Lock held.
 */
struct worker *pool_find_worker(void);

/*
 * The worker may have ended its sleep, but its stack stays: threads of the pool never end. Where threads poll,
 * each has a processor, and one that would wait for the caller's goes to another.
 */
void pool_wake(struct worker *worker);

/* A job to join, of this stream if one is given, with active raised. Lock held. */
struct job *pool_take_job(const struct stream *stream);

/* By a thread that has taken the job. */
void pool_run_joined(struct job *job);

#endif
