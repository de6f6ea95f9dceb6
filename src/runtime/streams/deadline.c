/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list of deadlines. It is not sorted: few streams wait with a deadline at a time.
 */
#include "runtime/streams/deadline.h"

#include <pthread.h>
#include <stddef.h>

#include "base/futex.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/streams/workers.h"

enum { EXPIRED_BATCH = 8 };

/* lock guards the list and the deadline members of streams. It is taken with a stream's lock held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *first;

/* How many are listed, to be looked at without the lock. */
static _Atomic uint32_t count;

/* lock is held. */
static void unlist(struct stream *stream)
{
    struct stream **link = &first;
    while (*link != stream)
        link = &(*link)->deadline_next;
    *link = stream->deadline_next;
    stream->is_in_deadline_list = false;
    atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
}

void deadline_set(struct stream *stream, uint64_t deadline_ns)
{
    pthread_mutex_lock(&lock);
    if (stream->is_in_deadline_list)
        unlist(stream);
    stream->deadline_ns = deadline_ns;
    stream->deadline_identity = stream->identity;
    stream->deadline_ordinal = atomic_load_explicit(&stream->done, memory_order_relaxed) + 1;
    stream->deadline_next = first;
    stream->is_in_deadline_list = true;
    first = stream;
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    workers_look_again();
}

void deadline_forget(struct stream *stream)
{
    if (atomic_load_explicit(&count, memory_order_relaxed) == 0)
        return; /* the stream's own entry would have been counted under the stream's lock */
    pthread_mutex_lock(&lock);
    if (stream->is_in_deadline_list)
        unlist(stream);
    pthread_mutex_unlock(&lock);
}

uint64_t deadlines_serve(void)
{
    while (atomic_load_explicit(&count, memory_order_relaxed) > 0) {
        struct stream_point expired[EXPIRED_BATCH];
        uint32_t expired_count = 0;
        uint64_t now = clock_now_ns(), next = FUTEX_FOREVER;
        pthread_mutex_lock(&lock);
        for (struct stream *stream = first; stream != NULL; stream = stream->deadline_next) {
            if (stream->deadline_ns > now)
                next = stream->deadline_ns < next ? stream->deadline_ns : next;
            else if (expired_count < EXPIRED_BATCH)
                expired[expired_count++] =
                    (struct stream_point){stream, stream->deadline_identity, stream->deadline_ordinal};
        }
        for (uint32_t i = 0; i < expired_count; i++)
            unlist(expired[i].stream);
        pthread_mutex_unlock(&lock);
        if (expired_count == 0)
            return next;
        for (uint32_t i = 0; i < expired_count; i++)
            stream_resume(&expired[i], true);
    }
    return FUTEX_FOREVER;
}
