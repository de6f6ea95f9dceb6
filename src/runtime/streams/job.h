/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A loop whose indices several threads share.
 */
#ifndef BELAY_RUNTIME_STREAMS_JOB_H
#define BELAY_RUNTIME_STREAMS_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { JOB_PARTS_MAX = 64 };

struct stream;

/* Indices that one thread is meant to run; the others take what it leaves. */
struct job_part {
    _Alignas(64) _Atomic uint64_t next; /* index that nobody has taken; end when there is none */
    uint64_t end;
    atomic_bool is_taken;
    _Atomic int processor; /* that its thread was on when that began; -1 while nobody has the part */
};

/* Does what is to be done for the indices from begin to end, end not included. */
typedef void job_body(void *context, uint64_t begin, uint64_t end);

/* One call of workers_run; lives on the stack of its caller, who waits until active is 0. */
struct job {
    job_body *body;
    void *context;
    struct stream *stream; /* whose task it is part of, or NULL */
    uint64_t most;         /* indices that one call of the body gets at most */
    uint64_t left_alone;   /* so many of a part, or fewer, are for the thread that runs it */
    _Atomic uint32_t
        active;    /* threads that joined it; raised under the pool's lock while the job is listed */
    uint32_t room; /* threads that may still join; guarded by the pool's lock */
    struct job *list_next;
    bool is_listed;
    uint32_t part_count;
    struct job_part part[JOB_PARTS_MAX];
};

/* Parts of equal length for so many threads. count is not 0; a most of 0 stands for 1. */
void job_open(struct job *job, job_body *body, void *context, uint64_t count, uint64_t most,
              uint32_t threads);

/*
 * Whether a thread that runs the part of this thread's processor began on that same processor. The system may
 * leave two threads of a loop on one processor for milliseconds, although another is idle but for moments.
 */
bool job_is_crowded(const struct job *job);

/* Whether one more thread would find indices to run: more than the last few of what other threads run. */
bool job_has_work(const struct job *job);

/*
 * Runs indices until all are taken but the last few of what other threads run. First those of the part that
 * belongs to the processor that the thread is on, so that the next loop over the same memory finds it in the
 * same caches, then of parts that nobody runs.
 */
void job_run(struct job *job);

/* By a thread that joined, once, after job_run. */
void job_leave(struct job *job);

/* Waits until all that joined have left; they are in their last index. Polls for so long before it sleeps. */
void job_wait(const struct job *job, uint64_t poll_ns);

#endif
