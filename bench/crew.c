/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A lock and a condition say that a batch has begun; a counter says who has ended.
 */
#include "crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER;

/* Guarded by lock: number of batches so far, and what the last one is. */
static uint64_t batch;
static uint64_t batch_repetitions;
static void (*batch_body)(void *context, int part, int parts);
static void *batch_context;

static int parts = 1;
static _Atomic uint64_t
    done; /* parts that have ended, of all batches together, those of the caller not counted */

/* For a while, then lets others run: the thread that is waited for may need this processor. */
static void relax(unsigned *turns)
{
    if (++*turns > 1000)
        sched_yield();
#if defined(__x86_64__)
    else
        __builtin_ia32_pause();
#endif
}

static void *member(void *argument)
{
    int part = (int)(intptr_t)argument;
    uint64_t seen = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (batch == seen)
            pthread_cond_wait(&begins, &lock);
        seen = batch;
        uint64_t repetitions = batch_repetitions;
        void (*body)(void *, int, int) = batch_body;
        void *context = batch_context;
        pthread_mutex_unlock(&lock);
        for (uint64_t i = 0; i < repetitions; i++)
            body(context, part, parts);
        atomic_fetch_add_explicit(&done, 1, memory_order_release);
    }
    return NULL;
}

void crew_start(int threads)
{
    for (int part = 1; part < threads; part++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, member, (void *)(intptr_t)part) != 0)
            return;
        pthread_detach(thread);
        parts++;
    }
}

void crew_run(void (*body)(void *context, int part, int parts), void *context, uint64_t repetitions)
{
    uint64_t all = 0;
    if (parts > 1) {
        pthread_mutex_lock(&lock);
        all = ++batch * (uint64_t)(parts - 1);
        batch_repetitions = repetitions;
        batch_body = body;
        batch_context = context;
        pthread_cond_broadcast(&begins);
        pthread_mutex_unlock(&lock);
    }
    for (uint64_t i = 0; i < repetitions; i++)
        body(context, 0, parts);
    for (unsigned turns = 0; atomic_load_explicit(&done, memory_order_acquire) < all;)
        relax(&turns);
}
