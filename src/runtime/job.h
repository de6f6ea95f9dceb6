/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A loop whose indices several threads share.
 */
#ifndef BELAY_RUNTIME_JOB_H
#define BELAY_RUNTIME_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { JOB_PARTS_MAX = 64 };

/* Indices that one thread is meant to run; the others take what it leaves. */
struct job_part {
    _Alignas(64) _Atomic uint64_t next; /* index that nobody has taken; beyond end when there is none */
    uint64_t end;
    atomic_bool is_taken;
};

/* One call of workers_run; lives on the stack of its caller, who waits until active is 0. */
struct job {
    void (*body)(void *context, uint64_t index);
    void *context;
    _Atomic uint32_t
        active;    /* threads that joined it; raised under the pool's lock while the job is listed */
    uint32_t room; /* threads that may still join; guarded by the pool's lock */
    struct job *list_next;
    bool is_listed;
    uint32_t part_count;
    struct job_part part[JOB_PARTS_MAX];
};

/* Parts of equal length for so many threads. count is not 0. */
void job_open(struct job *job, void (*body)(void *context, uint64_t index), void *context, uint64_t count,
              uint32_t threads);

/* Whether there are indices that nobody has taken. */
bool job_has_work(const struct job *job);

/*
 * Runs indices until all are taken, those of one part first: the part that belongs to the processor that the
 * thread is on, so that the next loop over the same memory finds it in the same caches. With a stop, it is
 * asked before each index.
 */
struct job_stop {
    bool (*is_due)(const struct job_stop *stop);
};
void job_run(struct job *job, const struct job_stop *stop);

#endif
