/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How threads divide the indices of a loop among themselves.
 */
#include "runtime/streams/job.h"

#include <sched.h>
#include <stddef.h>

#include "base/futex.h"

/*
 * The share of a part that its thread is left alone with: so little is done sooner than its memory comes over
 * from the caches of that thread's processor, and goes back the next time.
 */
enum { LEFT_ALONE = 8 };

/* The share of what is left that a thread keeps for its next calls of the body, or for others. */
enum { KEPT = 4 };

void job_open(struct job *job, job_body *body, void *context, uint64_t count, uint64_t most, uint32_t threads)
{
    uint32_t parts = threads < JOB_PARTS_MAX ? threads : (uint32_t)JOB_PARTS_MAX;
    parts = parts < count ? parts : (uint32_t)count;
    job->body = body;
    job->context = context;
    job->most = most > 0 ? most : 1;
    atomic_init(&job->active, 0);
    job->room = 0;
    job->list_next = NULL;
    job->is_listed = false;
    job->part_count = parts > 0 ? parts : 1;
    uint64_t each = count / job->part_count, longer = count % job->part_count, begin = 0;
    job->left_alone = (each < job->most ? each : job->most) / LEFT_ALONE;
    for (uint32_t i = 0; i < job->part_count; i++) {
        uint64_t end = begin + each + (i < longer);
        atomic_init(&job->part[i].next, begin);
        job->part[i].end = end;
        atomic_init(&job->part[i].is_taken, false);
        atomic_init(&job->part[i].processor, -1);
        begin = end;
    }
}

/* Whether there are more indices than so many. */
static bool has_more(const struct job_part *part, uint64_t than)
{
    return part->end - atomic_load_explicit(&part->next, memory_order_relaxed) > than;
}

bool job_has_work(const struct job *job)
{
    for (uint32_t i = 0; i < job->part_count; i++)
        if (has_more(&job->part[i], job->left_alone))
            return true;
    return false;
}

/*
 * Takes indices of the part, unless so many or fewer are left: most of them, as a call of the body has its
 * price, but not all, so that another thread finds some when this one is late. False when there are none to
 * take.
 */
static bool take_indices(const struct job *job, struct job_part *part, uint64_t spared, uint64_t *begin,
                         uint64_t *end)
{
    uint64_t next = atomic_load_explicit(&part->next, memory_order_relaxed), taken;
    do {
        if (part->end - next <= spared)
            return false;
        taken = part->end - next;
        taken -= taken / KEPT;
        taken = taken < job->most ? taken : job->most;
    } while (!atomic_compare_exchange_weak_explicit(&part->next, &next, next + taken, memory_order_relaxed,
                                                    memory_order_relaxed));
    *begin = next;
    *end = next + taken;
    return true;
}

/* Until no more than those that are spared are left. */
static void run_part(struct job *job, struct job_part *part, uint64_t spared)
{
    uint64_t begin, end;
    while (take_indices(job, part, spared, &begin, &end))
        job->body(job->context, begin, end);
}

static uint32_t own_part(const struct job *job, int processor)
{
    return processor > 0 ? (uint32_t)processor % job->part_count : 0;
}

/* The part that nobody has taken next after the processor's own, or NULL. */
static struct job_part *take_part(struct job *job, int processor)
{
    const uint32_t own = own_part(job, processor);
    for (uint32_t i = 0; i < job->part_count; i++) {
        struct job_part *part = &job->part[(own + i) % job->part_count];
        if (!atomic_exchange_explicit(&part->is_taken, true, memory_order_relaxed)) {
            atomic_store_explicit(&part->processor, processor, memory_order_relaxed);
            return part;
        }
    }
    return NULL;
}

bool job_is_crowded(const struct job *job)
{
    const int processor = sched_getcpu();
    const struct job_part *own = &job->part[own_part(job, processor)];
    return processor >= 0 && atomic_load_explicit(&own->processor, memory_order_relaxed) == processor;
}

/* A part that has more left than its thread is left alone with, or NULL. */
static struct job_part *long_part(struct job *job, uint32_t own)
{
    for (uint32_t i = 0; i < job->part_count; i++) {
        struct job_part *part = &job->part[(own + i) % job->part_count];
        if (has_more(part, job->left_alone))
            return part;
    }
    return NULL;
}

void job_run(struct job *job)
{
    int processor = job->part_count > 1 ? sched_getcpu() : 0;
    const uint32_t own = own_part(job, processor);
    struct job_part *part;
    while ((part = take_part(job, processor)) != NULL)
        run_part(job, part, 0);
    while ((part = long_part(job, own)) != NULL)
        run_part(job, part, job->left_alone);
}

static _Atomic uint32_t left;     /* changes when a thread leaves a loop for which somebody sleeps */
static _Atomic uint32_t sleepers; /* on left */

/* After active has been lowered the job may be gone. */
void job_leave(struct job *job)
{
    if (atomic_fetch_sub_explicit(&job->active, 1, memory_order_seq_cst) == 1 &&
        atomic_load_explicit(&sleepers, memory_order_seq_cst) > 0) {
        atomic_fetch_add_explicit(&left, 1, memory_order_seq_cst);
        futex_wake_all(&left);
    }
}

/* Whether all left meanwhile. */
static bool poll_until_left(const struct job *job, uint64_t duration_ns)
{
    const uint64_t end = duration_ns > 0 ? clock_after_ns(duration_ns) : 0;
    while (duration_ns > 0 && atomic_load_explicit(&job->active, memory_order_acquire) > 0) {
        for (int i = 0; i < PAUSES_PER_LOOK && atomic_load_explicit(&job->active, memory_order_relaxed) > 0;
             i++)
            futex_pause();
        if (clock_now_ns() >= end)
            break;
    }
    return atomic_load_explicit(&job->active, memory_order_acquire) == 0;
}

void job_wait(const struct job *job, uint64_t poll_ns)
{
    if (poll_until_left(job, poll_ns))
        return;
    atomic_fetch_add_explicit(&sleepers, 1, memory_order_seq_cst);
    for (;;) {
        uint32_t seen = atomic_load_explicit(&left, memory_order_seq_cst);
        if (atomic_load_explicit(&job->active, memory_order_seq_cst) == 0)
            break;
        futex_wait(&left, seen, FUTEX_FOREVER);
    }
    atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
}
