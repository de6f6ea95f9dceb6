/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pool of threads that computes for all streams (BELAY_THREADS of them, started when first needed).
 */
#ifndef BELAY_RUNTIME_STREAMS_WORKERS_H
#define BELAY_RUNTIME_STREAMS_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"
#include "runtime/streams/job.h"

/*
 * Has body(context, begin, end) do every index below count once, on the calling thread and on workers that
 * have nothing else to do, and returns when all are done. A call gets from 1 to most indices (0 stands for
 * 1); how many, their order and their place are unspecified: body must write to disjoint memory and give
 * results that depend on the indices alone. Never fails: at worst the caller does everything.
 */
void workers_run(job_body *body, void *context, uint64_t count, uint64_t most) SHARED(workers_run);

/*
 * Whether workers_run pays for work that takes about cost_ns on one thread. A thread that polls joins at
 * once; one that sleeps comes so late that only long work is worth its wake-up, or work that comes often.
 */
bool workers_pay(uint64_t cost_ns) SHARED(workers_pay);

/* workers_run() where it pays for work that takes so long on one thread; else the caller does everything at
 * once. */
static inline void workers_share(job_body *body, void *context, uint64_t count, uint64_t most,
                                 uint64_t cost_ns)
{
    if (count <= 1 || !workers_pay(cost_ns))
        body(context, 0, count);
    else
        workers_run(body, context, count, most);
}

/*
 * Where each index of a loop stands for a thread's memory, and whoever has it takes pieces of work until
 * there are none: takes the next one of so many. False when all are taken.
 */
static inline bool workers_take(_Atomic uint64_t *next, uint64_t count, uint64_t *taken)
{
    *taken = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
    return *taken < count;
}

/* Whether a thread that waits has what it waits for, or something else to do. */
struct workers_stop {
    bool (*is_due)(const struct workers_stop *stop);
};

/*
 * For a thread that waits: polls until the stop is due, and where it helps joins the loops of workers_run that are
 * part of the stream's tasks, if its stack has room for them. Those of other streams may take longer than its own, or
 * wait for what the thread is to do next. Gives up when none has come for some time, or at that time of the clock; but
 * a loop may take longer, so that who must not be late does not help.
 */
struct stream;
void workers_poll(struct stream *stream, const struct workers_stop *stop, uint64_t until_ns, bool helps);

/* 0 when at least one worker exists or has been started now; otherwise 207005 with a sentence, which api
 * opens. */
int workers_start(const char *api);

/* How long a thread may poll before it sleeps; 0 where polling would take the processor from the work. */
uint64_t workers_poll_ns(void);

/*
 * The streams that have work to run, in the order in which they are to be served. workers_add and
 * workers_remove are called with the stream's lock held; adding a stream twice or removing one that is not
 * there does nothing.
 */
void workers_add(struct stream *stream);
void workers_remove(struct stream *stream);

/* True when other streams wait for a worker: the one that is being served gives way after its share. */
bool workers_are_wanted(void);

/* Whether the calling thread is one of the pool. */
bool workers_have_caller(void);

/*
 * Around code of the program that runs on a worker and may block: meanwhile another worker may take its
 * place. No effect on other threads.
 */
void workers_enter_program(void) SHARED(workers_enter_program);
void workers_leave_program(void) SHARED(workers_leave_program);

/* Has a worker look at the deadlines again, even if it sleeps. */
void workers_look_again(void);

#endif
