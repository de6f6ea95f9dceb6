/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The threads of the pool, what they take up next, and how they sleep: loops.c has the loops that they share.
 */
#include "runtime/streams/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/streams/deadline.h"
#include "base/detached_thread.h"
#include "base/error.h"
#include "base/float_environment.h"
#include "base/futex.h"
#include "runtime/streams/job.h"
#include "base/settings.h"
#include "runtime/streams/stream_queue.h"

enum {
    POLL_NS = 20000,
    STACK_BYTES = 4 << 20,  /* callbacks of the program run on it */
    REPLACEMENTS_MAX = 4096 /* that stand in for those that block; one that sleeps costs some 40 KiB */
};

/* The lock is held for moments: spin before sleeping. */
struct pool pool = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};

/* The worker that this thread is, or NULL, and within workers_enter_program how deep. */
static _Thread_local struct worker *own_worker;
static _Thread_local uint32_t program_depth;

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

bool pool_prepare(void)
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
    if (pool_prepare() && pool.threads == 0)
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

void pool_wake(struct worker *worker)
{
    if (worker == NULL)
        return;
    const int processor = atomic_exchange_explicit(&worker->processor, -1, memory_order_relaxed);
    if (workers_poll_ns() > 0 && processor == sched_getcpu())
        crowding_send_away(&worker->crowding, processor);
    atomic_fetch_add_explicit(&worker->signal, 1, memory_order_release);
    futex_wake_one(&worker->signal);
}

/* Whether the worker that polls cannot, as the calling thread has its processor. */
static bool is_aside(const struct worker *poller)
{
    return atomic_load_explicit(&poller->processor, memory_order_relaxed) == sched_getcpu();
}

struct worker *pool_find_worker(void)
{
    if (pool.active >= pool.limit)
        return NULL;
    struct worker *worker = pool_poller();
    if (worker != NULL)
        return is_aside(worker) ? worker : NULL;
    worker = take_sleeper();
    uint32_t replacements = pool.in_program < REPLACEMENTS_MAX ? pool.in_program : REPLACEMENTS_MAX;
    if (worker == NULL && pool.threads < pool.limit + replacements)
        start_thread(); /* without it the others do the work */
    return worker;
}

void workers_add(struct stream *stream)
{
    struct worker *worker = NULL;
    pthread_mutex_lock(&pool.lock);
    if (!stream->is_in_run_list && pool_prepare()) {
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
        worker = pool_find_worker();
    }
    pthread_mutex_unlock(&pool.lock);
    pool_wake(worker);
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

/* Runs one thing that is listed, if there is one. Lock held, given up meanwhile. */
static bool take_something(struct worker *self)
{
    if (pool.active >= pool.limit)
        return false;
    struct job *job = pool_take_job(NULL);
    struct stream *stream = job == NULL ? take_stream() : NULL;
    if (job == NULL && stream == NULL)
        return false;
    pool.active++;
    /* Whoever listed several things at once has woken one worker; each worker wakes the next. */
    struct worker *next =
        atomic_load_explicit(&pool.wanted, memory_order_relaxed) > 0 ? pool_find_worker() : NULL;
    pthread_mutex_unlock(&pool.lock);
    pool_wake(next);
    if (job != NULL) {
        if (workers_poll_ns() > 0 && job_is_crowded(job)) /* where threads poll, each has a processor */
            crowding_leave(&self->crowding);
        pool_run_joined(job);
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
    pool_wake(worker);
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
    if (duration == 0 || pool_poller() != NULL)
        return;
    note_processor(self);
    atomic_store_explicit(&pool.poller, self, memory_order_relaxed);
    pthread_mutex_unlock(&pool.lock);
    uint64_t end = clock_after_ns(duration);
    while (!workers_are_wanted() && clock_now_ns() < end)
        for (int i = 0; i < PAUSES_PER_LOOK && !workers_are_wanted(); i++)
            futex_pause();
    forget_processor(self);
    pthread_mutex_lock(&pool.lock);
    atomic_store_explicit(&pool.poller, NULL, memory_order_relaxed);
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
    struct worker *worker = workers_are_wanted() ? pool_find_worker() : NULL;
    pthread_mutex_unlock(&pool.lock);
    pool_wake(worker);
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
