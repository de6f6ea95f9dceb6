/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Loops that threads share: how they are offered, and who joins them, workers of the pool and threads that wait.
 */
#include "runtime/streams/pool.h"

#include "base/float_environment.h"
#include "base/futex.h"
#include "base/stack_room.h"
#include "runtime/streams/stream_queue.h"

enum {
    HELP_POLL_NS = 60000,     /* of a thread of the program that waits, after each loop that it joined */
    SPLIT_POLLED_NS = 2500,   /* work that is worth sharing with a thread that polls */
    SPLIT_ASLEEP_NS = 20000,  /* and that is worth waking one for */
    SPLIT_IN_A_ROW_NS = 4000, /* the same if such work came within IN_A_ROW_NS before */
    IN_A_ROW_NS = 50000
};

/* The stream whose loop this thread has joined, or NULL: loops within are part of that stream's task, too. */
static _Thread_local struct stream *joined_stream;

/* Lock held. */
static void unlist_job(struct job *job)
{
    struct job **link = &pool.jobs;
    while (*link != job)
        link = &(*link)->list_next;
    *link = job->list_next;
    job->is_listed = false;
    atomic_fetch_sub_explicit(&pool.jobs_listed, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&pool.wanted, 1, memory_order_relaxed);
}

struct job *pool_take_job(const struct stream *stream)
{
    struct job **link = &pool.jobs;
    while (*link != NULL) {
        struct job *job = *link;
        if (stream != NULL && job->stream != stream) {
            link = &job->list_next;
            continue;
        }
        bool has_work = job_has_work(job);
        if (has_work)
            atomic_fetch_add_explicit(&job->active, 1, memory_order_relaxed);
        if (!has_work || --job->room == 0)
            unlist_job(job);
        if (has_work)
            return job;
    }
    return NULL;
}

void pool_run_joined(struct job *job)
{
    struct stream *outer = joined_stream;
    joined_stream = job->stream;
    job_run(job);
    joined_stream = outer;
    job_leave(job);
}

/* Offers the job to others. True when it was listed. */
static bool list_job(struct job *job, uint64_t count)
{
    pthread_mutex_lock(&pool.lock);
    uint32_t helpers = pool_prepare() ? pool.limit - 1 : 0;
    job_open(job, job->body, job->context, count, job->most, helpers + 1);
    job->room = job->part_count - 1;
    struct worker *worker = NULL;
    bool is_listed = job->room > 0;
    job->is_listed = is_listed;
    if (is_listed) {
        job->list_next = pool.jobs;
        pool.jobs = job;
        atomic_fetch_add_explicit(&pool.jobs_listed, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&pool.wanted, 1, memory_order_relaxed);
        /* Threads of the program that wait and poll join it, too. */
        const uint32_t pollers =
            job->stream != NULL ? atomic_load_explicit(&job->stream->pollers, memory_order_relaxed) : 0;
        worker = pollers < job->room ? pool_find_worker() : NULL;
    }
    pthread_mutex_unlock(&pool.lock);
    pool_wake(worker);
    return is_listed;
}

bool workers_pay(uint64_t cost_ns)
{
    if (cost_ns < SPLIT_POLLED_NS || atomic_load_explicit(&pool.is_single, memory_order_relaxed))
        return false;
    if (cost_ns >= SPLIT_ASLEEP_NS || pool_poller() != NULL)
        return true;
    uint64_t now = clock_now_ns();
    uint64_t last = atomic_exchange_explicit(&pool.last_short, now, memory_order_relaxed);
    return cost_ns >= SPLIT_IN_A_ROW_NS && now - last < IN_A_ROW_NS;
}

void workers_run(job_body *body, void *context, uint64_t count, uint64_t most)
{
    struct job job __attribute__((uninitialized));
    struct float_environment saved = float_environment_enter();
    job.body = body;
    job.context = context;
    job.stream = joined_stream != NULL            ? joined_stream
                 : stream_frame_of_thread != NULL ? stream_frame_of_thread->stream
                                                  : NULL;
    job.most = most;
    bool was_listed = list_job(&job, count);
    job_run(&job);
    if (was_listed) {
        pthread_mutex_lock(&pool.lock);
        if (job.is_listed)
            unlist_job(&job);
        pthread_mutex_unlock(&pool.lock);
        job_wait(&job, workers_poll_ns());
    }
    float_environment_leave(saved);
}

/*
 * Joins a loop of the stream that is listed. False when there is none, or when it is of a task behind what the thread
 * waits for: tasks run in order, so that the stop is due then. In a loop the thread is none of those that poll, or the
 * next one would have no worker woken for it.
 */
static bool help(struct stream *stream, const struct workers_stop *stop)
{
    if (atomic_load_explicit(&pool.jobs_listed, memory_order_relaxed) == 0)
        return false;
    pthread_mutex_lock(&pool.lock);
    struct job *job = stop->is_due(stop) ? NULL : pool_take_job(stream);
    if (job != NULL)
        atomic_fetch_sub_explicit(&stream->pollers, 1, memory_order_relaxed);
    struct worker *next = job != NULL && pool.jobs != NULL ? pool_find_worker() : NULL;
    pthread_mutex_unlock(&pool.lock);
    pool_wake(next);
    if (job == NULL)
        return false;
    struct float_environment saved = float_environment_enter();
    pool_run_joined(job);
    float_environment_leave(saved);
    atomic_fetch_add_explicit(&stream->pollers, 1, memory_order_relaxed);
    return true;
}

void workers_poll(struct stream *stream, const struct workers_stop *stop, uint64_t until_ns, bool helps)
{
    if (workers_poll_ns() == 0)
        return;
    /* A single worker shares no loops; there is only its end to wait for. */
    helps = helps && !atomic_load_explicit(&pool.is_single, memory_order_relaxed) && stack_has_room();
    uint64_t now, end = clock_after_ns(helps ? HELP_POLL_NS : workers_poll_ns());
    atomic_fetch_add_explicit(&stream->pollers, helps, memory_order_relaxed);
    do {
        for (int i = 0; i < PAUSES_PER_LOOK && !stop->is_due(stop); i++)
            futex_pause();
        const bool has_helped = helps && help(stream, stop);
        now = clock_now_ns();
        if (has_helped)
            end = now + HELP_POLL_NS;
    } while (!stop->is_due(stop) && now < end && now < until_ns);
    atomic_fetch_sub_explicit(&stream->pollers, helps, memory_order_relaxed);
}
