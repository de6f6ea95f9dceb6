/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: callbacks, which this thread subscribes to, and callbacks for exceptions.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "fuzz/verdict.h"

enum { CALLS_MOST = 6, TRIES_MOST = 5000, REPORT_MS = 2 };

/* A callback on its way, and what has become of it. */
struct call {
    uint32_t ordinal;
    aclrtStream stream;
    bool stream_waits, asks_for_stream;
    _Atomic uint32_t runs;
};

/* The callbacks of one step: at its end none of them is on its way. */
static struct call calls[CALLS_MOST];
static uint32_t calls_run; /* the ordinal of the next one at least; this thread runs them all */
static pthread_t own_thread;
static _Atomic bool report_is_wrong;

static uint64_t self(void)
{
    return (uint64_t)pthread_self();
}

static void run_callback(void *argument)
{
    struct call *call = (struct call *)argument;
    if (call->ordinal < calls_run || atomic_fetch_add(&call->runs, 1) != 0 ||
        !pthread_equal(own_thread, pthread_self()))
        atomic_store(&report_is_wrong, true);
    calls_run = call->ordinal + 1;
    /* It may not wait for its own stream. */
    if (call->asks_for_stream && (aclrtSynchronizeStream(call->stream) != 107000 ||
                                  aclrtSynchronizeStreamWithTimeout(call->stream, 1) != 107000))
        atomic_store(&report_is_wrong, true);
}

/* Queued behind a callback for which the stream waits. */
static void witness_callback(void *argument)
{
    const struct call *call = (const struct call *)argument;
    if (atomic_load(&call->runs) != 1)
        atomic_store(&report_is_wrong, true);
}

static void begin_calls(void)
{
    for (uint32_t i = 0; i < CALLS_MOST; i++) {
        calls[i].ordinal = i;
        atomic_store(&calls[i].runs, 0);
    }
    calls_run = 0;
    own_thread = pthread_self();
    atomic_store(&report_is_wrong, false);
}

static void launch_call(struct world *world, uint32_t index, aclrtStream stream)
{
    struct call *call = &calls[index];
    call->stream = stream;
    call->stream_waits = draw(world, 2) != 0;
    call->asks_for_stream = draw(world, 8) == 0;
    DEMAND(aclrtLaunchCallback(run_callback, call,
                               call->stream_waits ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, stream) == 0,
           "callback %u", index);
}

static int stream_code(struct world *world, aclrtStream stream)
{
    return stream != NULL && find_stream(world, stream) == NULL ? 107017 : 0;
}

/* What must be right before there is a subscriber. */
static void refuse_reports(struct world *world)
{
    static const int32_t timeouts[] = {0, -2, INT32_MIN, -100};
    const aclrtStream stream = draw_stream(world);
    const int type = (int)draw(world, 4) - 1;
    const bool has_function = draw(world, 4) != 0;
    const int context = context_code(world), handle = stream_code(world, stream);
    const int none = context == 0 && handle == 0 ? 1 : 0; /* nothing but the subscriber is missing */
    judge("aclrtUnSubscribeReport", aclrtUnSubscribeReport(self(), stream), context, handle,
          none ? 107011 : 0);
    judge("aclrtUnSubscribeHostFunc", aclrtUnSubscribeHostFunc(draw_word(world), stream), context, handle,
          none ? 107011 : 0);
    const int status = aclrtLaunchCallback(has_function ? run_callback : NULL, &calls[0],
                                           (aclrtCallbackBlockType)type, stream);
    if (type != 0 && type != 1 && status == 100000)
        return;
    judge("aclrtLaunchCallback", status, has_function ? 0 : 107000, none ? 107015 : context, handle);
    judge("aclrtProcessReport", aclrtProcessReport(timeouts[draw(world, 4)]), 100000, 107012, 0);
    judge("aclrtProcessHostFunc", aclrtProcessHostFunc(timeouts[draw(world, 4)]), 100000, 107012, 0);
    DEMAND(aclrtProcessReport(1) == 107012 && aclrtProcessHostFunc(1) == 107012, "no subscription");
}

/* Each call runs one callback, in the order in which they came. */
static void process_calls(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int status = 507012;
        for (int k = 0; k < TRIES_MOST && status == 507012; k++)
            status = aclrtProcessReport(REPORT_MS);
        DEMAND(status == 0 && calls_run == i + 1, "%d, callback %u came, %u was due", status, calls_run,
               i + 1);
    }
}

static void end_reports(struct world *world, aclrtStream stream)
{
    DEMAND(aclrtUnSubscribeReport(self() + 1, stream) == 107012, "the subscription of another thread");
    DEMAND(aclrtUnSubscribeReport(self(), stream) == 0, "unsubscribe");
    DEMAND(aclrtUnSubscribeReport(self(), stream) == 107011, "unsubscribed twice");
    DEMAND(aclrtSynchronizeStream(stream) == 0, "work of the callbacks");
    DEMAND(!atomic_load(&report_is_wrong), "a callback ran at a wrong time, or was told something wrong");
    DEMAND(aclrtProcessReport(1) == 107012, "nothing is left");
    world->last = stream;
}

static void run_callbacks(struct world *world)
{
    const aclrtStream stream = draw_stream(world);
    const int context = context_code(world), handle = stream_code(world, stream);
    const uint32_t count = draw(world, CALLS_MOST + 1);
    if (context != 0 || handle != 0) {
        judge("aclrtSubscribeReport", aclrtSubscribeReport(self(), stream), context, handle, 0);
        judge("aclrtSubscribeHostFunc", aclrtSubscribeHostFunc(self(), stream), context, handle, 0);
        return;
    }
    follow(world, stream);
    begin_calls();
    DEMAND(aclrtSubscribeReport(self(), stream) == 0, "subscribe");
    DEMAND(aclrtSubscribeReport(self() + draw(world, 2), stream) == 107011, "subscribed twice");
    const bool serves_two = stream != NULL && draw(world, 4) == 0;
    if (serves_two)
        DEMAND(aclrtSubscribeReport(self(), NULL) == 0, "another stream");
    bool is_held = false;
    for (uint32_t i = 0; i < count; i++) {
        launch_call(world, i, stream);
        is_held |= calls[i].stream_waits;
        if (calls[i].stream_waits && draw(world, 4) == 0)
            DEMAND(aclrtLaunchHostFunc(stream, witness_callback, &calls[i]) == 0, "witness %u", i);
    }
    if (is_held && draw(world, 8) == 0) {
        /* Nobody but this thread could let the stream go on. */
        const int status = aclrtSynchronizeStreamWithTimeout(stream, REPORT_MS);
        DEMAND(status == 107000 || status == 507046, "a stream that waits gave %d", status);
    }
    process_calls(count);
    if (draw(world, 8) == 0)
        DEMAND(aclrtProcessReport(1) == 507012, "none came");
    if (serves_two)
        DEMAND(aclrtUnSubscribeReport(self(), NULL) == 0, "another stream");
    end_reports(world, stream);
}

/* Runs what is still there of callbacks whose subscription has ended. */
static void drain_reports(uint32_t count)
{
    int status = 0;
    for (uint32_t i = 0; i <= count && status == 0; i++)
        status = aclrtProcessReport(1);
    DEMAND(status == 107012, "%d", status);
    for (uint32_t i = 0; i < count; i++)
        DEMAND(!calls[i].stream_waits || atomic_load(&calls[i].runs) == 0, "callback %u ran", i);
    DEMAND(!atomic_load(&report_is_wrong), "callbacks ran out of order");
}

/* The subscription ends before the callbacks are processed. In a context of its own, because work fails. */
static void abandon_callbacks(struct world *world, aclrtStream stream)
{
    const uint32_t count = draw(world, CALLS_MOST + 1);
    uint32_t held = count; /* behind this one, no callback can have been handed over */
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t index = count - 1 - i;
        launch_call(world, index, stream);
        if (calls[index].stream_waits && held == count)
            held = index;
    }
    DEMAND(aclrtUnSubscribeReport(self(), stream) == 0, "unsubscribe");
    const int status = aclrtSynchronizeStream(stream);
    DEMAND(status == 107015 || (status == 0 && held + 1 >= count),
           "%u callbacks without a subscriber gave %d", count, status);
    DEMAND(aclrtSynchronizeStream(stream) == 0, "it was told");
    drain_reports(count);
    DEMAND(aclrtDestroyStream(stream) == 0, "stream");
}

/* The stream ends before the callbacks are processed. */
static void end_subscribed_stream(struct world *world, aclrtStream stream)
{
    const uint32_t count = draw(world, 4);
    DEMAND(aclrtSubscribeHostFunc(self(), stream) == 0, "subscribe");
    for (uint32_t i = 0; i < count; i++)
        launch_call(world, i, stream);
    const bool is_forced = draw(world, 2) != 0;
    DEMAND((is_forced ? aclrtDestroyStreamForce(stream) : aclrtDestroyStream(stream)) == 0, "destroy");
    drain_reports(count);
    DEMAND(aclrtProcessHostFunc(1) == 107012, "host functions");
    DEMAND(aclrtSubscribeReport(self(), stream) == 107017 && aclrtUnSubscribeReport(self(), stream) == 107017,
           "its handle");
}

static void leave_callbacks(struct world *world)
{
    const bool is_abandoned = draw(world, 2) == 0;
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    have_context(world);
    DEMAND(aclrtCreateContext(&context, current_device(world)) == 0 && aclrtCreateStream(&stream) == 0,
           "a stream");
    begin_calls();
    DEMAND(aclrtSubscribeReport(self(), stream) == 0, "subscribe");
    (is_abandoned ? abandon_callbacks : end_subscribed_stream)(world, stream);
    DEMAND(aclrtDestroyContext(context) == 0, "context");
    DEMAND(aclrtSetCurrentContext(world->context[world->current].handle) == 0, "the context before");
}

/* Subscribed to apart from callbacks; none ever comes. */
static void serve_host_functions(struct world *world)
{
    const aclrtStream stream = draw_stream(world);
    const int context = context_code(world), handle = stream_code(world, stream);
    judge("aclrtSubscribeHostFunc", aclrtSubscribeHostFunc(self(), stream), context, handle, 0);
    if (context != 0 || handle != 0)
        return;
    DEMAND(aclrtSubscribeHostFunc(self() + draw(world, 2), stream) == 107011, "subscribed twice");
    DEMAND(aclrtProcessReport(1) == 107012, "callbacks are not subscribed to");
    if (draw(world, 4) == 0)
        DEMAND(aclrtProcessHostFunc(1) == 507012, "none came");
    DEMAND(aclrtProcessHostFunc(0) == 100000, "timeout 0");
    DEMAND(aclrtUnSubscribeHostFunc(self() + 1, stream) == 107012, "the subscription of another thread");
    DEMAND(aclrtUnSubscribeHostFunc(self(), stream) == 0, "unsubscribe");
    DEMAND(aclrtUnSubscribeHostFunc(self(), stream) == 107011, "unsubscribed twice");
}

void step_report(struct world *world)
{
    static void (*const serve[])(struct world *) = {run_callbacks,   run_callbacks,        run_callbacks,
                                                    leave_callbacks, serve_host_functions, refuse_reports};
    serve[draw(world, sizeof serve / sizeof serve[0])](world);
}

enum { EXCEPTION_CALLBACKS = 4, EXCEPTION_CALLBACKS_MOST = 64 };

/* Never called: no work of these programs fails while it runs. They differ, so that nothing makes one
 * function of them. */
#define EXCEPTION_CALLBACK(number)                              \
    static void on_exception_##number(aclrtExceptionInfo *info) \
    {                                                           \
        (void)info;                                             \
        DEMAND(false, "exception " #number);                    \
    }
EXCEPTION_CALLBACK(0)
EXCEPTION_CALLBACK(1)
EXCEPTION_CALLBACK(2)
EXCEPTION_CALLBACK(3)

static const aclrtExceptionInfoCallback on_exception[EXCEPTION_CALLBACKS] = {on_exception_0, on_exception_1,
                                                                             on_exception_2, on_exception_3};

/* Registering twice is registering once. */
static void register_for_exceptions(struct world *world)
{
    bool is_registered[EXCEPTION_CALLBACKS] = {false};
    for (uint32_t i = draw(world, 12); i > 0; i--) {
        const uint32_t choice = draw(world, EXCEPTION_CALLBACKS), is_new = draw(world, 2);
        const aclrtExceptionInfoCallback callback = on_exception[choice];
        if (is_new)
            judge("aclrtExceptionInfoCallbackRegister", aclrtExceptionInfoCallbackRegister(callback), 0, 0,
                  0);
        else
            judge("aclrtExceptionInfoCallbackUnregister", aclrtExceptionInfoCallbackUnregister(callback),
                  is_registered[choice] ? 0 : 107000, 0, 0);
        is_registered[choice] = is_new != 0;
    }
    for (uint32_t i = 0; i < EXCEPTION_CALLBACKS; i++)
        judge("aclrtExceptionInfoCallbackUnregister", aclrtExceptionInfoCallbackUnregister(on_exception[i]),
              is_registered[i] ? 0 : 107000, 0, 0);
}

/* They are never called, so that any address will do. */
static aclrtExceptionInfoCallback exception_callback_at(uintptr_t address)
{
    return (aclrtExceptionInfoCallback)address;
}

static void register_too_many_for_exceptions(void)
{
    for (uintptr_t i = 1; i <= EXCEPTION_CALLBACKS_MOST; i++)
        DEMAND(aclrtExceptionInfoCallbackRegister(exception_callback_at(i)) == 0, "callback %u", (unsigned)i);
    DEMAND(aclrtExceptionInfoCallbackRegister(on_exception[0]) == 200000, "one too many");
    DEMAND(aclrtExceptionInfoCallbackRegister(exception_callback_at(1)) == 0, "one of them again");
    for (uintptr_t i = 1; i <= EXCEPTION_CALLBACKS_MOST; i++)
        DEMAND(aclrtExceptionInfoCallbackUnregister(exception_callback_at(i)) == 0, "callback %u",
               (unsigned)i);
    DEMAND(aclrtExceptionInfoCallbackUnregister(exception_callback_at(1)) == 107000, "none is left");
}

/* Nothing that a program has is what a callback was given; it is not read. */
static void ask_about_an_exception(struct world *world)
{
    static uint32_t (*const ask[])(const aclrtExceptionInfo *) = {
        aclrtGetTaskIdFromExceptionInfo, aclrtGetStreamIdFromExceptionInfo, aclrtGetThreadIdFromExceptionInfo,
        aclrtGetDeviceIdFromExceptionInfo, aclrtGetErrorCodeFromExceptionInfo};
    const void *info = draw(world, 4) == 0 ? NULL : draw_forged(world, draw_stream(world));
    for (uint32_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
        const uint32_t found = ask[i]((const aclrtExceptionInfo *)info);
        DEMAND(found == UINT32_MAX, "question %u gave %u", i, found);
        DEMAND(aclGetRecentErrMsg() != NULL, "question %u left no message", i);
    }
}

void step_exception(struct world *world)
{
    switch (draw(world, 4)) {
    case 0:
        DEMAND(aclrtSetExceptionInfoCallback(on_exception[draw(world, EXCEPTION_CALLBACKS)]) == 0, "set");
        DEMAND(aclrtSetExceptionInfoCallback(NULL) == 0, "taken back");
        DEMAND(aclrtExceptionInfoCallbackRegister(NULL) == 107000, "no callback");
        DEMAND(aclrtExceptionInfoCallbackUnregister(NULL) == 107000, "no callback");
        break;
    case 1:
        register_for_exceptions(world);
        break;
    case 2:
        ask_about_an_exception(world);
        break;
    default:
        if (draw(world, 4) == 0)
            register_too_many_for_exceptions();
        else
            ask_about_an_exception(world);
    }
}
