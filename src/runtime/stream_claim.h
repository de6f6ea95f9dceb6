/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How a submitter makes an idle stream its own for one task and lets it go: two exchanges, no lock.
 */
#ifndef BELAY_RUNTIME_STREAM_CLAIM_H
#define BELAY_RUNTIME_STREAM_CLAIM_H

#include "runtime/device.h"
#include "runtime/stream_queue.h"

/* What names the calling thread in bias. */
static inline uintptr_t stream_bias_of_thread(void)
{
    return (uintptr_t)&stream_tasks_of_thread;
}

/* Ends the bias. Takes the stream's lock. */
void stream_share(struct stream *stream) SHARED(stream_share);

/* Ends the leaving of a thread that has found that the bias has ended. */
void stream_leave_shared(struct stream *stream) SHARED(stream_leave_shared);

/* The bias that a stream made by the calling thread begins with. */
uintptr_t stream_first_bias(void) SHARED(stream_first_bias);

/* Whether the bias has ended, or is being ended, as it stays for all streams in this slot. */
static inline bool stream_has_ended_bias(const struct stream *stream)
{
    uintptr_t bias = atomic_load_explicit(&stream->bias, memory_order_relaxed);
    return bias == STREAM_SHARED || bias == STREAM_SHARING;
}

/* To be passed by every thread before it acts on the state: see stream_queue.h. No stream's lock held. */
static inline void stream_join(struct stream *stream)
{
    uintptr_t bias = atomic_load_explicit(&stream->bias, memory_order_acquire);
    if (__builtin_expect(bias != STREAM_SHARED &&
                             (bias != stream_bias_of_thread() ||
                              atomic_load_explicit(&stream->inside, memory_order_relaxed) != 0),
                         0))
        stream_share(stream);
}

/*
 * The first half of entering by the bias: false unless the stream is biased to the caller. Then an exchange,
 * whatever it is, and the second half, must follow. *mark is for that.
 */
static inline bool stream_enter(struct stream *stream, uint64_t *mark)
{
    *mark = atomic_load_explicit(&device_marks, memory_order_acquire);
    if (atomic_load_explicit(&stream->bias, memory_order_relaxed) != stream_bias_of_thread() ||
        atomic_load_explicit(&stream->inside, memory_order_relaxed) != 0)
        return false;
    atomic_store_explicit(&stream->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the compiler's part of the exchange that follows */
    return true;
}

/*
 * The second half, behind the exchange: whether the caller owns the stream; it must leave in any case. The
 * mark is read and stored as in stream_claim; until the stream is known to be idle it belongs to the ring.
 */
static inline bool stream_has_entered(struct stream *stream, uint64_t mark)
{
    if (atomic_load_explicit(&stream->bias, memory_order_relaxed) != stream_bias_of_thread() ||
        atomic_load_explicit(&stream->state, memory_order_acquire) != 0)
        return false;
    atomic_store_explicit(&stream->oldest_mark, mark, memory_order_release);
    return true;
}

static inline void stream_leave_entered(struct stream *stream)
{
    atomic_store_explicit(&stream->inside, 0, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst); /* the compiler's part of the barrier */
    if (__builtin_expect(atomic_load_explicit(&stream->bias, memory_order_relaxed) != stream_bias_of_thread(),
                         0))
        stream_leave_shared(stream);
}

/* Ends a claim during which a bit was added to the state. */
void stream_leave_watched(struct stream *stream) SHARED(stream_leave_watched);

/* Records what a task returned that was not 0, for the next synchronise. */
void stream_note_status(struct stream *stream, int status) SHARED(stream_note_status);

/*
 * True when the stream was idle and is the caller's now.
 *
 * Frees and submissions are ordered by two words: the submitter writes the state and then reads the record of
 * each block, whoever frees writes the record and then reads the state, all sequentially consistent, so that
 * one of the two sees the other. The mark is read before the claim, so that it is not above that of anything
 * that is queued behind the task. It is stored afterwards: whoever sees the claim before it finds an older
 * mark, which is a lower one, or none, which counts as 0.
 */
static inline bool stream_claim(struct stream *stream)
{
    uint32_t idle = 0;
    uint64_t mark = atomic_load_explicit(&device_marks, memory_order_acquire);
    if (!atomic_compare_exchange_strong_explicit(&stream->state, &idle, STREAM_INLINE, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return false;
    atomic_store_explicit(&stream->oldest_mark, mark, memory_order_release);
    return true;
}

static inline void stream_leave(struct stream *stream)
{
    uint32_t owned = STREAM_INLINE;
    if (__builtin_expect(!atomic_compare_exchange_strong_explicit(&stream->state, &owned, 0,
                                                                  memory_order_release, memory_order_relaxed),
                         0))
        stream_leave_watched(stream);
}

#endif
