/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The failure of a stream's work that nobody has been told of yet: the first one is kept, the others are
 * counted, and whoever asks first is told. The stream works on afterwards.
 */
#include <stdio.h>
#include <string.h>

#include "base/thread_id.h"
#include "base/error.h"
#include "runtime/streams/stream_claim.h"

void stream_note_failure(struct stream *stream, int status, uint32_t task, uint32_t thread)
{
    if (stream->fault == 0) {
        stream->fault = status;
        stream->failure = ++stream->failures;
        stream->more_failures = 0;
        fault_take_sentence(stream->fault_sentence);
    } else {
        char unused[FAULT_SENTENCE_BYTES];
        fault_take_sentence(unused);
        stream->more_failures++;
    }
    const struct fault_place place = {
        .device = atomic_load_explicit(&stream->device, memory_order_relaxed),
        .stream = atomic_load_explicit(&stream->place, memory_order_relaxed),
        .task = task,
        .thread = thread,
    };
    /* Before anyone can be told. A wait that took too long is a failure, but nothing went wrong on the
     * device. */
    if (status != ACL_ERROR_RT_WAIT_TIMEOUT)
        exception_raise(&place, status);
    atomic_fetch_or(&stream->state, STREAM_FAULTED);
}

void stream_note_status(struct stream *stream, int status)
{
    pthread_mutex_lock(&stream->lock);
    stream_note_failure(stream, status, stream_tasks_of_thread, thread_id());
    pthread_mutex_unlock(&stream->lock);
}

uint64_t stream_unreported_failure(struct stream *stream)
{
    if ((atomic_load_explicit(&stream->state, memory_order_acquire) & STREAM_FAULTED) == 0)
        return 0;
    pthread_mutex_lock(&stream->lock);
    uint64_t failure = stream->failure;
    pthread_mutex_unlock(&stream->lock);
    return failure;
}

/* What is told, copied under the lock. */
struct fault_report {
    int status;
    bool is_failure; /* of a task; else an abort */
    uint32_t more_failures;
    char sentence[FAULT_SENTENCE_BYTES];
};

static int tell(const char *api, const struct fault_report *report)
{
    if (!report->is_failure)
        return fail(report->status,
                    report->status == ACL_ERROR_RT_STREAM_ABORT
                        ? "%s: the stream was aborted, and work that had not begun was discarded"
                        : "%s: the work of the device was aborted, and what had not begun was discarded",
                    api);
    char others[64] = "", unnamed[64];
    if (report->more_failures > 0)
        snprintf(others, sizeof others, " (and %u more failures of the stream behind it)",
                 (unsigned)report->more_failures);
    snprintf(unnamed, sizeof unnamed, "work of the stream ended with status %d; 0 is expected",
             report->status);
    return fail_unreported(report->status, "%s: %s%s", api,
                           report->sentence[0] != '\0' ? report->sentence : unnamed, others);
}

int stream_take_fault(const char *api, struct stream *stream, uint64_t identity, uint64_t failure)
{
    if ((atomic_load_explicit(&stream->state, memory_order_acquire) & STREAM_FAULTED) == 0)
        return 0;
    struct fault_report report = {.status = 0};
    pthread_mutex_lock(&stream->lock);
    if (stream->identity == identity && (failure == 0 || stream->failure == failure)) {
        report.status = stream->fault;
        report.is_failure = stream->failure != 0;
        report.more_failures = stream->more_failures;
        memcpy(report.sentence, stream->fault_sentence, sizeof report.sentence);
        stream->fault = 0;
        stream->failure = 0;
        atomic_fetch_and(&stream->state, ~(uint32_t)STREAM_FAULTED);
    }
    pthread_mutex_unlock(&stream->lock);
    if (report.status == 0)
        return 0;
    exceptions_wait();
    return tell(api, &report);
}
