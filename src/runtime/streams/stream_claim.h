/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How a submitter makes an idle stream its own for one task and lets it go: two exchanges, no lock.
 */
#ifndef BELAY_RUNTIME_STREAMS_STREAM_CLAIM_H
#define BELAY_RUNTIME_STREAMS_STREAM_CLAIM_H

#include "runtime/devices/device.h"
#include "runtime/streams/stream_queue.h"

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
