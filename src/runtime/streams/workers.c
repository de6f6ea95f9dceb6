/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The threads of the pool, what they take up next, and how they sleep.
 */
#include "runtime/streams/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/streams/crowding.h"
#include "runtime/streams/deadline.h"
#include "base/detached_thread.h"
#include "base/error.h"
#include "base/float_environment.h"
#include "base/futex.h"
#include "runtime/streams/job.h"
#include "base/settings.h"
#include "base/stack_room.h"
#include "runtime/streams/stream_queue.h"

enum {
    POLL_NS = 20000,
    HELP_POLL_NS = 60000,     /* of a thread of the program that waits, after each loop that it joined */
    SPLIT_POLLED_NS = 2500,   /* work that is worth sharing with a thread that polls */
    SPLIT_ASLEEP_NS = 20000,  /* and that is worth waking one for */
    SPLIT_IN_A_ROW_NS = 4000, /* the same if such work came within IN_A_ROW_NS before */
    IN_A_ROW_NS = 50000,
    STACK_BYTES = 4 << 20,  /* callbacks of the program run on it */
    REPLACEMENTS_MAX = 4096 /* that stand in for those that block; one that sleeps costs some 40 KiB */
};

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
static struct pool {
    pthread_mutex_t lock;
    struct stream *first, *last; /* streams with work, in the order of service */
    uint32_t stream_count;
    struct job *jobs;
    struct worker *sleepers; /* the latest first: its caches are warm */
    struct worker *poller;   /* the worker that polls, or NULL */
    uint32_t limit;          /* threads that may compute at a time; 0 before the first start */
    uint32_t threads;
    uint32_t active;     /* workers that have taken something up, less those in code of the program */
    uint32_t in_program; /* workers in code of the program */
    uint32_t calls;      /* of workers_look_again */

    _Atomic uint32_t wanted;      /* streams and jobs that are listed */
    _Atomic uint32_t jobs_listed; /* jobs alone */
    atomic_bool is_polled;        /* a worker polls; changed with the lock */
    atomic_bool is_single;        /* limit is 1 */
    _Atomic uint64_t last_short;  /* when work was last too short to wake a worker for it */
    _Atomic uint64_t poll_ns;     /* 0 until the pool has been started */
    _Atomic bool has_threads;
} pool = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP}; /* held for moments: spin before sleeping */

/* The worker that this thread is, or NULL, and within workers_enter_program how deep. */
static _Thread_local struct worker *own_worker;
static _Thread_local uint32_t program_depth;

/* The stream whose loop this thread has joined, or NULL: loops within are part of that stream's task, too. */
static _Thread_local struct stream *joined_stream;

static void *worker_main(void *unused);

/* Starts one more thread. Lock held: a thread that starts waits for it. */
static int start_thread(void)
{
    if (own_worker != NULL)
        crowding_return(&own_worker->crowding); /* the new thread gets the processors of this one */
    int status = detached_thread_start(worker_main, NULL, STACK_BYTES);
    if (status == 0) {
        pool.threads++;
        atomic_store_explicit(&pool.has_threads, true, memory_order_release);
    }
    return status;
}

/* Reads the settings once. Lock held. False when they cannot be had; then nothing has been queued either. */
static bool prepare(void)
{
    if (pool.limit != 0)
        return true;
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return false;
    pool.limit = settings->thread_count;
    atomic_store_explicit(&pool.is_single, pool.limit == 1, memory_order_relaxed);
    if (settings->processor_count > 1 && pool.limit <= settings->processor_count)
        atomic_store_explicit(&pool.poll_ns, POLL_NS, memory_order_relaxed);
    return true;
}

int workers_start(const char *api)
{
    if (__builtin_expect(atomic_load_explicit(&pool.has_threads, memory_order_acquire), 1))
        return 0;
    pthread_mutex_lock(&pool.lock);
    int status = 0;
    if (prepare() && pool.threads == 0)
        status = start_thread();
    pthread_mutex_unlock(&pool.lock);
    if (status != 0)
        return fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                    "%s: no thread can be created (error %d); at least one is expected", api, status);
    return 0;
}

uint64_t workers_poll_ns(void)
{
    return atomic_load_explicit(&pool.poll_ns, memory_order_relaxed);
}

bool workers_are_wanted(void)
{
    return atomic_load_explicit(&pool.wanted, memory_order_relaxed) > 0;
}

/* Takes a worker off the list of sleepers; the caller wakes it, best without the lock. Lock held. */
static struct worker *take_sleeper(void)
{
    struct worker *worker = pool.sleepers;
    if (worker != NULL) {
        pool.sleepers = worker->next;
        worker->is_asleep = false;
    }
    return worker;
}

/*
 * The worker may have ended its sleep, but its stack stays: threads of the pool never end. Where threads poll,
 * each has a processor, and one that would wait for the caller's goes to another.
 */
static void wake(struct worker *worker)
{
    if (worker == NULL)
        return;
    const int processor = atomic_exchange_explicit(&worker->processor, -1, memory_order_relaxed);
    if (workers_poll_ns() > 0 && processor == sched_getcpu())
        crowding_send_away(&worker->crowding, processor);
    atomic_fetch_add_explicit(&worker->signal, 1, memory_order_release);
    futex_wake_one(&worker->signal);
}

/* Whether the worker that polls cannot, as the calling thread has its processor. Lock held. */
static bool poller_is_aside(void)
{
    return atomic_load_explicit(&pool.poller->processor, memory_order_relaxed) == sched_getcpu();
}

/*
 * Something new is listed: the worker that must be woken for it, or NULL. A thread that polls or finishes
 * something takes it up without being told. Lock held.
 */
static struct worker *find_worker(void)
{
    if (pool.active >= pool.limit)
        return NULL;
    if (pool.poller != NULL)
        return poller_is_aside() ? pool.poller : NULL;
    struct worker *worker = take_sleeper();
    uint32_t replacements = pool.in_program < REPLACEMENTS_MAX ? pool.in_program : REPLACEMENTS_MAX;
    if (worker == NULL && pool.threads < pool.limit + replacements)
        start_thread(); /* without it the others do the work */
    return worker;
}

void workers_add(struct stream *stream)
{
    struct worker *worker = NULL;
    pthread_mutex_lock(&pool.lock);
    if (!stream->is_in_run_list && prepare()) {
        stream->is_in_run_list = true;
        stream->run_next = NULL;
        stream->run_previous = pool.last;
        if (pool.last != NULL)
            pool.last->run_next = stream;
        else
            pool.first = stream;
        pool.last = stream;
        pool.stream_count++;
        atomic_fetch_add_explicit(&pool.wanted, 1, memory_order_relaxed);
        worker = find_worker();
    }
    pthread_mutex_unlock(&pool.lock);
    wake(worker);
}

/* Lock held. */
static void unlist_stream(struct stream *stream)
{
    if (stream->run_previous != NULL)
        stream->run_previous->run_next = stream->run_next;
    else
        pool.first = stream->run_next;
    if (stream->run_next != NULL)
        stream->run_next->run_previous = stream->run_previous;
    else
        pool.last = stream->run_previous;
    stream->is_in_run_list = false;
    pool.stream_count--;
    atomic_fetch_sub_explicit(&pool.wanted, 1, memory_order_relaxed);
}

void workers_remove(struct stream *stream)
{
    pthread_mutex_lock(&pool.lock);
    if (stream->is_in_run_list)
        unlist_stream(stream);
    pthread_mutex_unlock(&pool.lock);
}

/* The stream to serve next: the first, or under BELAY_SCHEDULE=random any. Lock held. */
static struct stream *take_stream(void)
{
    struct stream *stream = pool.first;
    if (stream == NULL)
        return NULL;
    for (uint64_t skip = stream_draw(pool.stream_count); skip > 0; skip--)
        stream = stream->run_next;
    unlist_stream(stream);
    return stream;
}

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

/* A job to join, of this stream if one is given, with active raised. Lock held. */
static struct job *take_job(const struct stream *stream)
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

/* By a thread that has taken the job. */
static void run_joined(struct job *job)
{
    struct stream *outer = joined_stream;
    joined_stream = job->stream;
    job_run(job);
    joined_stream = outer;
    job_leave(job);
}

/* Runs one thing that is listed, if there is one. Lock held, given up meanwhile. */
static bool take_something(struct worker *self)
{
    if (pool.active >= pool.limit)
        return false;
    struct job *job = take_job(NULL);
    struct stream *stream = job == NULL ? take_stream() : NULL;
    if (job == NULL && stream == NULL)
        return false;
    pool.active++;
    /* Whoever listed several things at once has woken one worker; each worker wakes the next. */
    struct worker *next = atomic_load_explicit(&pool.wanted, memory_order_relaxed) > 0 ? find_worker() : NULL;
    pthread_mutex_unlock(&pool.lock);
    wake(next);
    if (job != NULL) {
        if (workers_poll_ns() > 0 && job_is_crowded(job)) /* where threads poll, each has a processor */
            crowding_leave(&self->crowding);
        run_joined(job);
    } else {
        stream_serve(stream);
    }
    pthread_mutex_lock(&pool.lock);
    pool.active--;
    return true;
}

void workers_look_again(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.calls++;
    struct worker *worker = take_sleeper();
    pthread_mutex_unlock(&pool.lock);
    wake(worker);
}

static void note_processor(struct worker *self)
{
    atomic_store_explicit(&self->processor, sched_getcpu(), memory_order_relaxed);
}

/* So that whoever is about to call the worker does not send it away from where it runs. */
static void forget_processor(struct worker *self)
{
    atomic_store_explicit(&self->processor, -1, memory_order_relaxed);
}

/* Polls for a bounded time until something is listed. Lock held, given up meanwhile. */
static void poll_for_work(struct worker *self)
{
    uint64_t duration = workers_poll_ns();
    if (duration == 0 || pool.poller != NULL)
        return;
    note_processor(self);
    pool.poller = self;
    atomic_store_explicit(&pool.is_polled, true, memory_order_relaxed);
    pthread_mutex_unlock(&pool.lock);
    uint64_t end = clock_after_ns(duration);
    while (!workers_are_wanted() && clock_now_ns() < end)
        for (int i = 0; i < PAUSES_PER_LOOK && !workers_are_wanted(); i++)
            futex_pause();
    forget_processor(self);
    pthread_mutex_lock(&pool.lock);
    pool.poller = NULL;
    atomic_store_explicit(&pool.is_polled, false, memory_order_relaxed);
}

/* Lock held, given up meanwhile. */
static void sleep_in_list(struct worker *self, uint64_t deadline_ns)
{
    uint32_t seen = atomic_load_explicit(&self->signal, memory_order_relaxed);
    note_processor(self);
    self->is_asleep = true;
    self->next = pool.sleepers;
    pool.sleepers = self;
    pthread_mutex_unlock(&pool.lock);
    futex_wait(&self->signal, seen, deadline_ns);
    forget_processor(self);
    pthread_mutex_lock(&pool.lock);
    if (!self->is_asleep)
        return;
    struct worker **link = &pool.sleepers; /* nobody took this worker off the list: the deadline has passed */
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    self->is_asleep = false;
}

static void *worker_main(void *unused)
{
    (void)unused;
    static _Atomic uint32_t numbers;
    char name[16];
    snprintf(name, sizeof name, "belay-%u", atomic_fetch_add(&numbers, 1) % 100000);
    pthread_setname_np(pthread_self(), name);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    float_environment_enter();
    struct worker self = {.processor = -1, .crowding.thread = gettid()};
    own_worker = &self;
    /* A single worker that was woken for what its caller has taken up meanwhile has nobody to join either. */
    bool has_run = false;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        uint32_t calls = pool.calls;
        pthread_mutex_unlock(&pool.lock);
        crowding_return(&self.crowding);
        crowding_look(&self.crowding);
        uint64_t deadline_ns = deadlines_serve();
        pthread_mutex_lock(&pool.lock);
        if (take_something(&self)) {
            has_run = true;
            continue;
        }
        if (pool.active < pool.limit && (has_run || pool.limit > 1))
            poll_for_work(&self);
        has_run = false;
        if ((pool.active < pool.limit && workers_are_wanted()) || pool.calls != calls)
            continue;
        sleep_in_list(&self, deadline_ns);
    }
    return NULL;
}

bool workers_have_caller(void)
{
    return own_worker != NULL;
}

void workers_enter_program(void)
{
    if (own_worker == NULL || program_depth++ > 0)
        return;
    /* Threads that the program starts get the processors of this one. */
    crowding_return(&own_worker->crowding);
    pthread_mutex_lock(&pool.lock);
    pool.active--;
    pool.in_program++;
    struct worker *worker = workers_are_wanted() ? find_worker() : NULL;
    pthread_mutex_unlock(&pool.lock);
    wake(worker);
}

void workers_leave_program(void)
{
    if (own_worker == NULL || --program_depth > 0)
        return;
    pthread_mutex_lock(&pool.lock);
    pool.in_program--;
    pool.active++; /* perhaps above the limit until another worker finishes */
    pthread_mutex_unlock(&pool.lock);
}

/* Offers the job to others. True when it was listed. */
static bool list_job(struct job *job, uint64_t count)
{
    pthread_mutex_lock(&pool.lock);
    uint32_t helpers = prepare() ? pool.limit - 1 : 0;
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
        worker = pollers < job->room ? find_worker() : NULL;
    }
    pthread_mutex_unlock(&pool.lock);
    wake(worker);
    return is_listed;
}

bool workers_pay(uint64_t cost_ns)
{
    if (cost_ns < SPLIT_POLLED_NS || atomic_load_explicit(&pool.is_single, memory_order_relaxed))
        return false;
    if (cost_ns >= SPLIT_ASLEEP_NS || atomic_load_explicit(&pool.is_polled, memory_order_relaxed))
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
    struct job *job = stop->is_due(stop) ? NULL : take_job(stream);
    if (job != NULL)
        atomic_fetch_sub_explicit(&stream->pollers, 1, memory_order_relaxed);
    struct worker *next = job != NULL && pool.jobs != NULL ? find_worker() : NULL;
    pthread_mutex_unlock(&pool.lock);
    wake(next);
    if (job == NULL)
        return false;
    struct float_environment saved = float_environment_enter();
    run_joined(job);
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
    uint64_t now, end = clock_after_ns(helps ? HELP_POLL_NS : POLL_NS);
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
