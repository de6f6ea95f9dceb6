/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Inside a stream: the ring of tasks, who may run them, and how a stream waits for something without a
 * thread waiting with it.
 *
 * A stream is run by its owner, one thread at a time. The state word says whether there is one:
 *
 *   0                  nothing queued, nobody runs. A submitter claims it with one compare-and-swap to
 *                      STREAM_INLINE, runs its task and swaps back: no lock.
 *   anything else      whoever wants something takes the lock; bits change under it, except that an inline
 *                      owner leaves by a swap that fails when a bit was added meanwhile.
 */
#ifndef BELAY_RUNTIME_STREAMS_STREAM_QUEUE_H
#define BELAY_RUNTIME_STREAMS_STREAM_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/devices/context.h"
#include "runtime/streams/fault.h"
#include "base/handle.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"
#include "runtime/streams/stream.h"

enum {
    STREAM_INLINE = 1 << 0,  /* owned by a submitter that runs its own task */
    STREAM_RUNNING = 1 << 1, /* owned by a thread that runs the ring */
    STREAM_PENDING = 1 << 2, /* the ring is not empty */
    STREAM_PARKED = 1 << 3,  /* the first task of the ring waits for stream_resume */
    STREAM_WATCHED = 1 << 4, /* a thread waits for the inline owner to leave */
    STREAM_FAULTED = 1 << 5, /* the next synchronise has an error to report */
    STREAM_CLOSED = 1 << 6,  /* destroyed; the owner, if any, takes it down when it leaves */
    STREAM_CAPTURING =
        1 << 7, /* recorded, or updating, or the default stream of a context with a recorded one */
    STREAM_OWNED = STREAM_INLINE | STREAM_RUNNING,
    STREAM_BUSY = STREAM_OWNED | STREAM_PENDING
};

/*
 * Work up to this is run by the submitter: waking a thread takes about as long. On one processor the woken
 * thread would only take turns with the submitter, at a price, so that much longer work is run at once.
 */
enum { INLINE_COST_NS = 20000, INLINE_ALONE_NS = 1000000 };

/* Tasks that cost less may run on the submitter. */
static inline uint64_t stream_inline_limit(const struct settings *settings)
{
    if (settings->schedule != SCHEDULE_EAGER)
        return 0;
    return (settings->processor_count > 1 ? INLINE_COST_NS : INLINE_ALONE_NS) + 1;
}

/* How often a thread that waits looks whether it can help with what has become of the work meanwhile. */
enum { STALL_NS = 10000000 };

/* Kinds of cores that aclrtSetStreamResLimit tells apart. */
enum { CORE_KINDS = 2 };

/* Queue depth: at the first a submitter waits, at the second it fails where waiting could last for ever. */
enum { QUEUE_FIRST = 32, QUEUE_FULL = 1024, QUEUE_LIMIT = 65536 };

struct queued_task {
    struct task task;
    uint64_t mark;   /* device_marks when it was submitted */
    uint32_t number; /* the submitting thread's count of tasks, and its id */
    uint32_t thread;
};

/* Names a point in a stream's work: all of it up to the ordinal. Needs no reference to the stream. */
struct stream_point {
    struct stream *stream; /* NULL: already passed */
    uint64_t identity;
    uint64_t ordinal;
};

struct stream {
    struct handle_slot slot;
    _Atomic uint32_t state;
    _Atomic uint32_t signal;          /* futex word of the waiting threads */
    _Atomic uint64_t inline_below_ns; /* stream_inline_limit; 0 where somebody watches */
    /* The mark of the oldest task at work, or an older one; UINT64_MAX when the ring has run dry.
     * Release and acquire order it: what ended tasks have written may be written over after a free. */
    _Atomic uint64_t oldest_mark;
    _Atomic uint64_t done;             /* ordinals up to this have ended; written under lock */
    _Atomic(struct context *) context; /* constant while the stream lives */
    _Atomic uint64_t context_handle;   /* its handle */
    _Atomic int32_t device;
    _Atomic uint32_t place; /* in its device */
    _Atomic uint32_t flags;
    _Atomic uint32_t priority;
    _Atomic bool is_default;

    /* Guards everything below. At most one stream's lock is held by a thread. Initialised once per slot. */
    pthread_mutex_t lock;
    bool lock_exists;
    uint64_t identity; /* its first handle while it exists, 0 when it has been taken down */

    struct queued_task *ring; /* capacity is 0 or a power of two */
    uint32_t capacity;
    uint32_t first; /* the task with ordinal done + 1 */
    uint32_t count;
    uint64_t submitted;    /* ordinal of the last task queued; done + count */
    uint64_t released;     /* tasks beyond this ordinal are held back (BELAY_SCHEDULE=lazy) */
    uint64_t dropped;      /* tasks up to this ordinal are released without being run */
    uint64_t turns;        /* inline owners that left while they were watched */
    uint64_t wake_ordinal; /* the least one that a sleeping thread waits for */
    uint32_t sleepers;
    bool was_resumed;   /* stream_resume came before the owner had parked */
    bool has_timed_out; /* the resume came from the deadline */

    /* What the next synchronise returns, or 0: see stream_fault.c. */
    int fault;
    bool stops_on_failure;                     /* ACL_STOP_ON_FAILURE: nothing runs while failure is not 0 */
    uint32_t more_failures;                    /* since that one */
    uint64_t failure;                          /* its number; 0 where fault is an abort, or 0 */
    uint64_t failures;                         /* of the slot, so that numbers do not come back */
    char fault_sentence[FAULT_SENTENCE_BYTES]; /* empty where the task has said nothing */

    /*
     * The streams that are parked until this one has reached an ordinal: singly linked through next_waiting
     * of each, which like all members named waits_ is guarded by the lock of the stream that is waited for.
     */
    struct stream *waiting;
    struct stream *next_waiting;
    uint64_t waits_for, waits_identity, waits_ordinal; /* for what, and as which task */
    struct stream_point parked_on;          /* for waiting threads that help; guarded by this stream's lock */
    struct stream_point function_waits_for; /* the same of the function of the program that the task is in */
    uint64_t parked_thread; /* the thread that must process a callback; 0 when parked for another reason */

    _Atomic uint32_t pollers; /* threads of the program that poll for a loop of this stream to join */

    /* Guarded by the pool's lock: see workers.c. */
    struct stream *run_next, *run_previous;
    bool is_in_run_list;

    /* Guarded by the lock of deadline.c. */
    bool is_in_deadline_list;
    struct stream *deadline_next;
    uint64_t deadline_ns, deadline_identity, deadline_ordinal;

    /* capture.c: what records the stream, and as which lane; guarded by the lock there. */
    struct capture *capture;
    uint32_t lane;
    struct task_update *task_update; /* that takes its work, or NULL; guarded likewise */

    /* callback.c: the thread that processes callbacks; guarded by the lock there. */
    struct report_thread *report;
    struct report_thread *host_report;
    uint32_t overflow_switch, custom_tag, cache_switch;
    _Atomic uint32_t resource_limit[CORE_KINDS]; /* 0: not set */
};

extern struct handle_table stream_table SHARED(stream_table);

/* The stream in the timeline. */
static inline struct trace_lane stream_lane(const struct stream *stream)
{
    return (struct trace_lane){.device = atomic_load_explicit(&stream->device, memory_order_relaxed),
                               .stream = atomic_load_explicit(&stream->place, memory_order_relaxed),
                               .is_default = atomic_load_explicit(&stream->is_default, memory_order_relaxed)};
}

/* What a thread is running, innermost first: a callback that waits for one of them would wait for itself. */
struct stream_frame {
    struct stream *stream;
    uint64_t identity;
    uint64_t ordinal; /* 0 for work that never was in the ring, and that the stream does not wait for */
    struct stream_frame *outer;
};

extern _Thread_local struct stream_frame *stream_frame_of_thread;

bool stream_caller_runs_in(const struct stream *stream, uint64_t identity);

/* The stream, NULL standing for the default one; 107002 or 107017 with a sentence. */
int stream_resolve(const char *api, aclrtStream handle, struct stream **stream, uint64_t *identity);

/* stream_resolve(), and 107003 when the stream belongs to another context than the current one. */
int stream_resolve_own(const char *api, aclrtStream handle, struct stream **stream, uint64_t *identity);

/*
 * stream_submit for a stream that has been looked up. Where the task has been queued, *point is its end;
 * where it ran at once, *point stays as it was. Unless waits, a full queue is stretched rather than waited
 * for.
 */
int stream_submit_to(const char *api, struct stream *stream, uint64_t identity, struct task *task,
                     struct stream_point *point, bool waits);

/* stream_submit_to() for work of which the check order is to know, which is all that is submitted for the
 * program but what a stream being recorded takes. */
int stream_submit_noted(const char *api, struct stream *stream, uint64_t identity, struct task *task,
                        struct stream_point *point, bool waits);

/* Waits until the queue is not full, as stream_submit does. 0 or 507002. */
int stream_make_room(const char *api, struct stream *stream, uint64_t identity);

/* Tasks that this thread has submitted. */
extern _Thread_local uint32_t stream_tasks_of_thread SHARED(stream_tasks_of_thread);

/* The end of everything submitted to the stream so far. */
struct stream_point stream_end(struct stream *stream, uint64_t identity);

bool stream_has_passed(const struct stream_point *point);

/*
 * Waits for a point. One that helps runs what stands before it where no other thread does, which may take it
 * beyond the deadline. 0; timeout_code (no sentence) at the deadline; or 107000 with a sentence when the wait
 * could never end because it is for the caller itself; api, which opens that, is NULL where the caller goes
 * on then and nothing is to be told. Not to be called with a lock held.
 */
int stream_wait(const char *api, const struct stream_point *point, uint64_t deadline_ns, int timeout_code,
                bool helps);

/*
 * Waits until the submitter that runs its own task now, if there is one, has left: that task has no ordinal.
 * False at the deadline.
 */
bool stream_wait_inline(struct stream *stream, uint64_t identity, uint64_t deadline_ns);

/* Both, for everything submitted to the stream so far. Takes no error of the stream. */
int stream_wait_all(const char *api, struct stream *stream, uint64_t identity, uint64_t deadline_ns,
                    int timeout_code);

/* The one of several choices that comes next under BELAY_SCHEDULE=random; 0 otherwise. */
uint64_t stream_draw(uint64_t choices);

/*
 * From within run: true when the point has passed. Otherwise the calling task's stream will be resumed when
 * it has; the task returns TASK_PARKED. stream_forget_point takes it back.
 */
bool stream_await(const struct stream_point *point, uint64_t deadline_ns);
void stream_forget_point(const struct stream_point *point);

/* From within run: has the calling task, which returns TASK_PARKED, run again at this time. */
void stream_rest_until(uint64_t deadline_ns);

/* Lets a parked task run again, if it still is the first of its stream. Any thread, no stream's lock held. */
void stream_resume(const struct stream_point *parked, bool has_timed_out);

/* From within run: whether the deadline is why the task runs again; clears it. */
bool stream_takes_timeout(void);

/* From within run: the point at which the calling task ends. */
struct stream_point stream_point_of_task(void);

/* For threads of the pool: runs a share of the stream's work, if nobody else does. */
void stream_serve(struct stream *stream);

/* Whether a thread may become the owner and run the ring. Lock held. */
bool stream_is_claimable(const struct stream *stream);

/*
 * Whether the calling thread may run the first task of a claimable stream: functions of the program run on
 * threads of the pool, or they would see the context and the thread of whoever happens to wait, and so does work
 * for which the calling thread's stack is too small. Lock held.
 */
bool stream_is_helpable(const struct stream *stream);

/*
 * Becomes the owner and runs a claimable stream up to the ordinal or the share, or up to the first task that
 * is not for this thread. Lock held, given up.
 */
void stream_run(struct stream *stream, uint64_t ordinal, uint32_t share);

/* Takes a closed stream down as soon as nobody owns it. */
void stream_close(struct stream *stream);

/*
 * Everything queued up to now is released without being run, by the caller or, while a task is running, by
 * its thread afterwards. The next synchronise returns fault.
 */
void stream_drop(struct stream *stream, uint64_t identity, int fault);

/* Lets held-back work of this stream run (BELAY_SCHEDULE=lazy). */
void stream_start_queued(struct stream *stream);

struct stream_options {
    bool is_default;
    uint32_t priority; /* 0..7 */
    uint32_t flags;
};

/* 0, or 107002 (the context ended meanwhile), 200000, 207008, with a sentence. */
int stream_create(const char *api, struct context *context, uint64_t context_handle,
                  const struct stream_options *options, struct stream **created, uint64_t *handle);

/* A task has failed: keeps it for the next synchronise, with the sentence that the thread holds. Lock held.
 */
void stream_note_failure(struct stream *stream, int status, uint32_t task, uint32_t thread);

/* The number of the failure that nobody has been told of, or 0. Any lock but a stream's may be held. */
uint64_t stream_unreported_failure(struct stream *stream);

/* The error that a synchronise returns now, with its sentence, which is told once. With a number that is not
 * 0 only if it still is that failure. */
int stream_take_fault(const char *api, struct stream *stream, uint64_t identity, uint64_t failure);

/* Ends a stream whose handle has been retired: waits for its work, or abandons it. */
void stream_release(struct stream *stream, uint64_t identity, bool abandons);

/* Removes what callback.c keeps for the stream. Called when it is taken down, without its lock. */
void callback_forget_stream(struct stream *stream);

#endif
