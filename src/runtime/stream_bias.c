/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the bias of a stream begins and ends: see stream_queue.h.
 */
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/stream_claim.h"

/*
 * Elsewhere an exchange is not a full barrier, and ThreadSanitizer knows nothing of membarrier: with it all
 * streams are shared from the start.
 */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KNOWS_NO_BIAS 1
#endif
#endif
#if !defined(__x86_64__) || defined(__SANITIZE_THREAD__)
#define KNOWS_NO_BIAS 1
#endif

#ifndef KNOWS_NO_BIAS
static bool has_barrier;
static pthread_once_t register_once = PTHREAD_ONCE_INIT;

/* Makes every running thread of the process pass a full barrier. */
static bool pass_barrier(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void register_process(void)
{
    has_barrier =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 && pass_barrier();
}

uintptr_t stream_first_bias(void)
{
    pthread_once(&register_once, register_process);
    return has_barrier ? stream_bias_of_thread() : STREAM_SHARED;
}
#else
static bool pass_barrier(void)
{
    return false;
}

uintptr_t stream_first_bias(void)
{
    return STREAM_SHARED;
}
#endif

void stream_share(struct stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    uintptr_t bias = atomic_load_explicit(&stream->bias, memory_order_relaxed);
    if (bias != STREAM_SHARED) {
        atomic_store_explicit(&stream->bias, STREAM_SHARING, memory_order_seq_cst);
        atomic_thread_fence(memory_order_seq_cst);
        bool is_inside = atomic_load_explicit(&stream->inside, memory_order_acquire) != 0;
        if (is_inside && bias != stream_bias_of_thread()) {
            /* Should the system have forbidden it since: the owner leaves, and does not enter again. */
            if (!pass_barrier()) {
                pthread_mutex_unlock(&stream->lock);
                while (atomic_load_explicit(&stream->inside, memory_order_acquire) != 0)
                    sched_yield();
                pthread_mutex_lock(&stream->lock);
                is_inside = false;
            } else {
                is_inside = atomic_load_explicit(&stream->inside, memory_order_acquire) != 0;
            }
        }
        if (is_inside) {
            stream->owes_leave = true;
            atomic_fetch_or(&stream->state, STREAM_INLINE);
        }
        atomic_store_explicit(&stream->bias, STREAM_SHARED, memory_order_release);
    }
    pthread_mutex_unlock(&stream->lock);
}
