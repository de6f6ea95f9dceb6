/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How threads divide the indices of a loop among themselves.
 */
#include "runtime/job.h"

#include <sched.h>
#include <stddef.h>

void job_open(struct job *job, void (*body)(void *context, uint64_t index), void *context, uint64_t count,
              uint32_t threads)
{
    uint32_t parts = threads < JOB_PARTS_MAX ? threads : (uint32_t)JOB_PARTS_MAX;
    parts = parts < count ? parts : (uint32_t)count;
    job->body = body;
    job->context = context;
    atomic_init(&job->active, 0);
    job->room = 0;
    job->list_next = NULL;
    job->is_listed = false;
    job->part_count = parts > 0 ? parts : 1;
    uint64_t each = count / job->part_count, longer = count % job->part_count, begin = 0;
    for (uint32_t i = 0; i < job->part_count; i++) {
        uint64_t end = begin + each + (i < longer);
        atomic_init(&job->part[i].next, begin);
        job->part[i].end = end;
        atomic_init(&job->part[i].is_taken, false);
        begin = end;
    }
}

static bool has_more(const struct job_part *part)
{
    return atomic_load_explicit(&part->next, memory_order_relaxed) < part->end;
}

bool job_has_work(const struct job *job)
{
    for (uint32_t i = 0; i < job->part_count; i++)
        if (has_more(&job->part[i]))
            return true;
    return false;
}

/* False when it stopped before the part was used up. */
static bool run_part(struct job *job, struct job_part *part, const struct job_stop *stop)
{
    while (has_more(part)) {
        if (stop != NULL && stop->is_due(stop))
            return false;
        uint64_t index = atomic_fetch_add_explicit(&part->next, 1, memory_order_relaxed);
        if (index < part->end)
            job->body(job->context, index);
    }
    return true;
}

/* The part that nobody has taken next after the processor's own, or NULL. */
static struct job_part *take_part(struct job *job, uint32_t own)
{
    for (uint32_t i = 0; i < job->part_count; i++) {
        struct job_part *part = &job->part[(own + i) % job->part_count];
        if (!atomic_exchange_explicit(&part->is_taken, true, memory_order_relaxed))
            return part;
    }
    return NULL;
}

void job_run(struct job *job, const struct job_stop *stop)
{
    int processor = job->part_count > 1 ? sched_getcpu() : 0;
    uint32_t own = processor > 0 ? (uint32_t)processor % job->part_count : 0;
    struct job_part *part = take_part(job, own);
    if (part != NULL && !run_part(job, part, stop))
        return;
    for (uint32_t i = 0; i < job->part_count; i++)
        if (!run_part(job, &job->part[(own + i) % job->part_count], stop))
            return;
}
