/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of the program in stream order: host functions, which run on a thread of the library, and
 * callbacks, which are handed to a thread of the program that has subscribed to the stream.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/order.h"
#include "base/watch.h"
#include "base/cancellation.h"
#include "runtime/streams/recording.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"
#include "runtime/streams/workers.h"

/* One callback on its way. Owned by its task until it is handed over, then by the report's queue. */
struct report_call {
    aclrtCallback function;
    void *user_data;
    struct stream_point point; /* its task; what it resumes when the stream waits for it */
    bool stream_waits;
    uint32_t trace_number; /* of its task */
    struct report_call *next;
};

/* A thread that has subscribed. It exists while it has streams, calls, or a thread inside. */
struct report_thread {
    uint64_t thread;
    uint32_t streams;
    uint32_t users;
    _Atomic uint32_t signal; /* futex word: changes when a call arrives or the last stream leaves */
    struct report_call *first, **end;
    struct report_thread *next;
};

/* Callbacks and host functions of operators are subscribed to apart from each other. */
enum report_kind { REPORT_CALLBACKS, REPORT_HOST_FUNCTIONS, REPORT_KINDS };

/* lock guards all of the above and the report members of streams. No other lock is taken while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct report_thread *reports[REPORT_KINDS];

static struct report_thread **report_of(struct stream *stream, enum report_kind kind)
{
    return kind == REPORT_CALLBACKS ? &stream->report : &stream->host_report;
}

/* lock is held. */
static struct report_thread *find_report(enum report_kind kind, uint64_t thread)
{
    struct report_thread *report = reports[kind];
    while (report != NULL && report->thread != thread)
        report = report->next;
    return report;
}

/* Frees the report when nothing needs it any more. lock is held. */
static void drop_report(enum report_kind kind, struct report_thread *report)
{
    if (report->streams > 0 || report->users > 0 || report->first != NULL)
        return;
    struct report_thread **link = &reports[kind];
    while (*link != report)
        link = &(*link)->next;
    *link = report->next;
    free(report);
}

/* lock is held. */
static void end_subscription(struct stream *stream, enum report_kind kind)
{
    struct report_thread **place = report_of(stream, kind);
    struct report_thread *report = *place;
    if (report == NULL)
        return;
    *place = NULL;
    report->streams--;
    atomic_fetch_add_explicit(&report->signal, 1, memory_order_relaxed);
    futex_wake_all(&report->signal);
    drop_report(kind, report);
}

/*
 * Takes the calls that the stream waits for out of the queue: nobody may ever process them now. identity: 0
 * for all that the stream has been. lock is held; the caller resumes the stream afterwards if it goes on.
 */
static struct report_call *take_awaited(struct report_thread *report, const struct stream *stream,
                                        uint64_t identity)
{
    struct report_call *taken = NULL;
    struct report_call **link = &report->first;
    while (*link != NULL) {
        struct report_call *call = *link;
        if (call->stream_waits && call->point.stream == stream &&
            (identity == 0 || call->point.identity == identity)) {
            *link = call->next;
            call->next = taken;
            taken = call;
        } else {
            link = &call->next;
        }
    }
    report->end = link;
    return taken;
}

/* A call may have been handed over a moment ago, and its task not be parked yet: nothing but the stream's
 * subscription leads to it then, so that it is taken back before that ends. */
void callback_forget_stream(struct stream *stream)
{
    struct report_call *taken = NULL;
    pthread_mutex_lock(&lock);
    if (stream->report != NULL)
        taken = take_awaited(stream->report, stream, 0);
    end_subscription(stream, REPORT_CALLBACKS);
    end_subscription(stream, REPORT_HOST_FUNCTIONS);
    pthread_mutex_unlock(&lock);
    while (taken != NULL) {
        struct report_call *call = taken;
        taken = call->next;
        free(call);
    }
}

static int subscribe(const char *api, uint64_t thread, aclrtStream handle, enum report_kind kind)
{
    struct stream *stream;
    uint64_t identity;
    TRY(stream_resolve(api, handle, &stream, &identity));
    int status = 0;
    pthread_mutex_lock(&lock);
    struct report_thread *report = find_report(kind, thread);
    if (*report_of(stream, kind) != NULL) {
        status = ACL_ERROR_RT_STREAM_SUBSCRIBE;
    } else if (report == NULL) {
        report = (struct report_thread *)calloc(1, sizeof *report);
        if (report != NULL) {
            report->thread = thread;
            report->end = &report->first;
            report->next = reports[kind];
            reports[kind] = report;
        } else {
            status = ACL_ERROR_BAD_ALLOC;
        }
    }
    if (status == 0) {
        report->streams++;
        *report_of(stream, kind) = report;
        /* Whoever takes the stream down ends its subscription after the handle has gone. */
        if (!handle_is_live(stream, identity)) {
            end_subscription(stream, kind);
            status = ACL_ERROR_RT_INVALID_HANDLE;
        }
    }
    pthread_mutex_unlock(&lock);
    if (status == ACL_ERROR_RT_STREAM_SUBSCRIBE)
        return fail(status, "%s: argument stream has a subscriber already; a stream without one is expected",
                    api);
    if (status == ACL_ERROR_BAD_ALLOC)
        return fail(status, "%s: there is no memory for another subscriber", api);
    if (status == ACL_ERROR_RT_INVALID_HANDLE)
        return report_misuse(RULE_DESTROYED, status,
                             "%s: argument stream was destroyed meanwhile; a live stream is expected", api);
    return 0;
}

static int unsubscribe(const char *api, uint64_t thread, aclrtStream handle, enum report_kind kind)
{
    struct stream *stream;
    uint64_t identity;
    TRY(stream_resolve(api, handle, &stream, &identity));
    struct report_call *taken = NULL;
    pthread_mutex_lock(&lock);
    struct report_thread *report = *report_of(stream, kind);
    int status = report == NULL             ? ACL_ERROR_RT_STREAM_SUBSCRIBE
                 : report->thread != thread ? ACL_ERROR_RT_THREAD_SUBSCRIBE
                                            : 0;
    if (status == 0) {
        taken = take_awaited(report, stream, identity);
        end_subscription(stream, kind);
    }
    pthread_mutex_unlock(&lock);
    while (taken != NULL) {
        struct report_call *call = taken;
        taken = call->next;
        stream_resume(&call->point, false);
        free(call);
    }
    if (status == ACL_ERROR_RT_STREAM_SUBSCRIBE)
        return fail(status, "%s: argument stream has no subscriber; a subscribed stream is expected", api);
    if (status != 0)
        return fail(status,
                    "%s: argument threadId is not the stream's subscriber; the subscribed thread is "
                    "expected",
                    api);
    return 0;
}

/* The first call, or NULL. lock is held. */
static struct report_call *pop_call(struct report_thread *report)
{
    struct report_call *call = report->first;
    if (call != NULL) {
        report->first = call->next;
        if (report->first == NULL)
            report->end = &report->first;
    }
    return call;
}

/* Waits for a call. lock is held, given up meanwhile; the report stays because the caller counts as a user.
 */
static struct report_call *take_call(struct report_thread *report, uint64_t deadline_ns)
{
    struct report_call *call;
    while ((call = pop_call(report)) == NULL && report->streams > 0) {
        uint32_t seen = atomic_load_explicit(&report->signal, memory_order_relaxed);
        if (deadline_ns != FUTEX_FOREVER && clock_now_ns() >= deadline_ns)
            return NULL;
        pthread_mutex_unlock(&lock);
        trace_sleep();
        futex_wait(&report->signal, seen, deadline_ns);
        pthread_mutex_lock(&lock);
    }
    return call;
}

/*
 * Frees a call whose stream was abandoned: it may end a moment later, on the thread that had handed the call
 * over. That its handle has gone says nothing, as a destroy that waits for the work waits for the call, too.
 * lock is held, given up meanwhile.
 */
static bool drop_abandoned(struct report_call *call)
{
    if (!call->stream_waits)
        return false;
    struct stream *stream = call->point.stream;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&stream->lock);
    bool is_abandoned = stream->identity != call->point.identity || stream->dropped >= call->point.ordinal;
    pthread_mutex_unlock(&stream->lock);
    pthread_mutex_lock(&lock);
    if (is_abandoned)
        free(call);
    return is_abandoned;
}

/* Inside the function the caller counts as running the stream's work: it must not wait for itself. */
static void run_call(const struct report_call *call)
{
    struct stream_frame frame = {call->point.stream, call->point.identity,
                                 call->stream_waits ? call->point.ordinal : 0, stream_frame_of_thread};
    stream_frame_of_thread = &frame;
    int cancellation = cancellation_hold();
    uint64_t begin_ns = trace_begin();
    call->function(call->user_data);
    watch_function_ended(call->point.identity);
    if (__builtin_expect(begin_ns != 0, 0))
        trace_called_back(call->trace_number, begin_ns);
    cancellation_allow(cancellation);
    stream_frame_of_thread = frame.outer;
    if (call->stream_waits)
        stream_resume(&call->point, false);
}

static int process(const char *api, int32_t timeout_ms, enum report_kind kind)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (timeout_ms < -1 || timeout_ms == 0)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: argument timeout is %d; milliseconds above 0, or -1 for no limit, are expected", api,
                    timeout_ms);
    streams_start_queued();
    uint64_t deadline_ns = timeout_ms < 0 ? FUTEX_FOREVER : clock_after_ns((uint64_t)timeout_ms * 1000000);
    struct report_call *call = NULL;
    bool is_subscribed = false;
    pthread_mutex_lock(&lock);
    struct report_thread *report = find_report(kind, (uint64_t)pthread_self());
    if (report != NULL) {
        report->users++;
        do
            call = take_call(report, deadline_ns);
        while (call != NULL && drop_abandoned(call));
        is_subscribed = report->streams > 0;
        report->users--;
        drop_report(kind, report);
    }
    pthread_mutex_unlock(&lock);
    if (call != NULL) {
        run_call(call);
        free(call);
        return 0;
    }
    /* The thread asks again in a moment: a sentence would stand as the cause of what fails next. */
    if (is_subscribed)
        return ACL_ERROR_RT_REPORT_TIMEOUT;
    return fail_unreported(
        ACL_ERROR_RT_THREAD_SUBSCRIBE,
        "%s: the calling thread subscribes to no stream; a subscription is expected before", api);
}

/* What the task of a callback holds. */
struct callback_task {
    struct report_call *call; /* NULL once it was handed over */
    bool was_handed_over;
};

/* Hands the call to the subscriber; a stream that waits for it parks until run_call resumes it. */
static int run_callback(struct task *task)
{
    struct callback_task own;
    memcpy(&own, task->payload, sizeof own);
    if (own.was_handed_over)
        return 0;
    struct report_call *call = own.call;
    watch_function_run(task);
    call->point = stream_point_of_task();
    call->trace_number = task->number;
    struct stream *stream = call->point.stream;
    bool stream_waits = call->stream_waits;
    pthread_mutex_lock(&lock);
    struct report_thread *report = stream->report;
    uint64_t thread = report != NULL ? report->thread : 0;
    pthread_mutex_unlock(&lock);
    if (stream_waits) {
        pthread_mutex_lock(&stream->lock);
        stream->parked_thread = thread;
        pthread_mutex_unlock(&stream->lock);
    }
    own = (struct callback_task){.was_handed_over = true};
    memcpy(task->payload, &own, sizeof own);
    pthread_mutex_lock(&lock);
    report = stream->report;
    if (report != NULL) {
        call->next = NULL;
        *report->end = call;
        report->end = &call->next;
        atomic_fetch_add_explicit(&report->signal, 1, memory_order_relaxed);
        futex_wake_all(&report->signal);
    }
    pthread_mutex_unlock(&lock);
    if (report != NULL && stream_waits)
        trace_wait_for("a thread to process the callback (aclrtProcessReport)");
    if (report != NULL)
        return stream_waits ? TASK_PARKED : 0;
    free(call);
    return ACL_ERROR_RT_STREAM_NO_CB_REG; /* the subscription ended after the launch */
}

/* An abandoned call that nobody has begun to process is taken back. */
static void release_callback(struct task *task)
{
    struct callback_task own;
    memcpy(&own, task->payload, sizeof own);
    struct stream_point point = stream_point_of_task();
    struct report_call *taken = NULL;
    if (own.was_handed_over) {
        pthread_mutex_lock(&lock);
        if (point.stream->report != NULL)
            taken = take_awaited(point.stream->report, point.stream, point.identity);
        pthread_mutex_unlock(&lock);
    }
    free(taken); /* one at most: the stream waits for one call at a time */
    free(own.call);
}

struct host_function_task {
    aclrtHostFunc function;
    void *arguments;
};

static int run_host_function(struct task *task)
{
    struct host_function_task own;
    memcpy(&own, task->payload, sizeof own);
    watch_function_run(task);
    order_waited(); /* the program may tell itself */
    workers_enter_program();
    int cancellation = cancellation_hold(); /* a thread that waits for the stream may be running this */
    own.function(own.arguments);
    watch_function_ended(stream_point_of_task().identity);
    cancellation_allow(cancellation);
    workers_leave_program();
    return 0;
}

static int launch_host_function(const char *api, struct stream *stream, uint64_t identity,
                                aclrtHostFunc function, void *arguments)
{
    struct task task = {.run = run_host_function, .cost_ns = TASK_NEVER_INLINE, .runs_program = true};
    struct host_function_task own = {function, arguments};
    memcpy(task.payload, &own, sizeof own);
    watch_function(identity, &task);
    return stream_submit_noted(api, stream, identity, &task, NULL, true);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: argument blockType is %d; ACL_CALLBACK_NO_BLOCK (0) or ACL_CALLBACK_BLOCK (1) is "
                    "expected",
                    __func__, (int)blockType);
    if (fn == NULL)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: argument fn is NULL; a function is expected", __func__);
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    pthread_mutex_lock(&lock);
    bool is_subscribed = object->report != NULL;
    pthread_mutex_unlock(&lock);
    if (!is_subscribed)
        return fail(ACL_ERROR_RT_STREAM_NO_CB_REG,
                    "%s: argument stream has no subscriber; aclrtSubscribeReport is expected before",
                    __func__);
    /* A graph may run when nobody subscribes to anything: what it has recorded is called as host functions
     * are. */
    if (stream_is_recorded(object))
        return launch_host_function(__func__, object, identity, fn, userData);
    struct report_call *call = (struct report_call *)calloc(1, sizeof *call);
    if (call == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another callback", __func__);
    call->function = fn;
    call->user_data = userData;
    call->stream_waits = blockType == ACL_CALLBACK_BLOCK;
    struct task task = {
        .run = run_callback, .release = release_callback, .cost_ns = TASK_NEVER_INLINE, .runs_once = true};
    struct callback_task own = {.call = call};
    memcpy(task.payload, &own, sizeof own);
    watch_function(identity, &task);
    int status = stream_submit_noted(__func__, object, identity, &task, NULL, true);
    if (status != 0)
        free(call);
    return status;
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (fn == NULL)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: argument fn is NULL; a function is expected", __func__);
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    return launch_host_function(__func__, object, identity, fn, args);
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return subscribe(__func__, threadId, stream, REPORT_CALLBACKS);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return unsubscribe(__func__, threadId, stream, REPORT_CALLBACKS);
}

aclError aclrtProcessReport(int32_t timeout)
{
    TRACE_THIS_CALL;
    order_waited();
    return process(__func__, timeout, REPORT_CALLBACKS);
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
    TRACE_THIS_CALL;
    return subscribe(__func__, hostFuncThreadId, exeStream, REPORT_HOST_FUNCTIONS);
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
    TRACE_THIS_CALL;
    return unsubscribe(__func__, hostFuncThreadId, exeStream, REPORT_HOST_FUNCTIONS);
}

aclError aclrtProcessHostFunc(int32_t timeout)
{
    TRACE_THIS_CALL;
    return process(__func__, timeout, REPORT_HOST_FUNCTIONS);
}
