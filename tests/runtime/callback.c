/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Callbacks: who runs them, in what order, and every status; and the subscriptions of both kinds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "acl/acl.h"
#include "runtime/streams/stream.h"
#include "support/failure.h"
#include "support/gate.h"
#include "support/open_stream.h"

#define FORGED ((void *)(uintptr_t)0x1234567890)

static _Atomic int steps;

static void note(void *place)
{
    atomic_store((_Atomic int *)place, atomic_fetch_add(&steps, 1) + 1);
}

static uint64_t self(void)
{
    return (uint64_t)pthread_self();
}

static void arguments_are_checked_in_order(void **state)
{
    (void)state;
    _Atomic int ran = 0;
    assert_failure(aclrtProcessReport(0), 100000, "timeout is 0");
    assert_failure(aclrtProcessReport(-2), 100000, "timeout is -2");
    assert_failure(aclrtProcessReport(1), 107012, "subscribes to no stream");
    assert_failure(aclrtLaunchCallback(note, &ran, (aclrtCallbackBlockType)2, stream), 100000,
                   "blockType is 2");
    assert_failure(aclrtLaunchCallback(NULL, &ran, (aclrtCallbackBlockType)2, stream), 100000,
                   "blockType is 2");
    assert_failure(aclrtLaunchCallback(NULL, &ran, ACL_CALLBACK_BLOCK, stream), 107000, "fn is NULL");
    assert_failure(aclrtLaunchCallback(note, &ran, ACL_CALLBACK_BLOCK, stream), 107015, "no subscriber");
    assert_failure(aclrtLaunchCallback(note, &ran, ACL_CALLBACK_BLOCK, FORGED), 107017, "not a handle");
    assert_failure(aclrtLaunchHostFunc(stream, NULL, NULL), 107000, "fn is NULL");
    assert_failure(aclrtUnSubscribeReport(self(), stream), 107011, "no subscriber");
    assert_failure(aclrtSubscribeReport(self(), FORGED), 107017, "not a handle");
    assert_failure(aclrtUnSubscribeReport(self(), FORGED), 107017, "not a handle");
    assert_int_equal(aclrtSubscribeReport(self(), stream), 0);
    assert_failure(aclrtSubscribeReport(self(), stream), 107011, "has a subscriber");
    assert_failure(aclrtUnSubscribeReport(self() + 1, stream), 107012, "threadId");
    assert_null(aclGetRecentErrMsg());
    assert_int_equal(aclrtProcessReport(10), 507012); /* which leaves nothing behind */
    assert_null(aclGetRecentErrMsg());
    assert_failure(aclrtCreateContext(NULL, 0), 100000, "context is NULL");
    assert_int_equal(aclrtProcessReport(10), 507012);
    assert_null(aclGetRecentErrMsg());
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107012);
    assert_int_equal(aclrtSubscribeReport(self(), NULL), 0); /* one thread, two streams */
    assert_int_equal(aclrtUnSubscribeReport(self(), NULL), 0);
    assert_int_equal(aclrtUnSubscribeReport(self(), stream), 0);
    assert_failure(aclrtProcessReport(1), 107012, "subscribes to no stream");
    assert_int_equal(ran, 0);
}

static void host_functions_of_operators_have_subscriptions_of_their_own(void **state)
{
    (void)state;
    assert_failure(aclrtProcessHostFunc(0), 100000, "timeout is 0");
    assert_failure(aclrtProcessHostFunc(1), 107012, "subscribes to no stream");
    assert_failure(aclrtUnSubscribeHostFunc(self(), stream), 107011, "no subscriber");
    assert_int_equal(aclrtSubscribeHostFunc(self(), stream), 0);
    assert_failure(aclrtSubscribeHostFunc(self(), stream), 107011, "has a subscriber");
    assert_failure(aclrtUnSubscribeHostFunc(self() + 1, stream), 107012, "threadId");
    assert_null(aclGetRecentErrMsg());
    assert_int_equal(aclrtProcessHostFunc(5), 507012);
    assert_null(aclGetRecentErrMsg());
    assert_failure(aclrtProcessReport(5), 107012, "subscribes to no stream");
    assert_int_equal(aclrtUnSubscribeHostFunc(self(), stream), 0);
}

static void a_blocking_callback_holds_the_stream_until_it_was_processed(void **state)
{
    (void)state;
    _Atomic int before = 0, callback = 0, after = 0;
    atomic_store(&steps, 0);
    assert_int_equal(aclrtSubscribeReport(self(), stream), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, note, &before), 0);
    assert_int_equal(aclrtLaunchCallback(note, &callback, ACL_CALLBACK_BLOCK, stream), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, note, &after), 0);
    assert_failure(aclrtSynchronizeStreamWithTimeout(stream, 5000), 107000, "calling thread is to process");
    assert_int_equal(after, 0);
    int cancellation = -1;
    assert_int_equal(aclrtProcessReport(5000), 0);
    assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancellation), 0);
    assert_int_equal(cancellation, PTHREAD_CANCEL_ENABLE); /* as before */
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(before == 1 && callback == 2 && after == 3);
    assert_int_equal(aclrtUnSubscribeReport(self(), stream), 0);
}

static void a_stream_that_ends_has_no_subscriber_any_more(void **state)
{
    (void)state;
    aclrtStream made;
    assert_int_equal(aclrtCreateStream(&made), 0);
    assert_int_equal(aclrtSubscribeReport(self(), made), 0);
    assert_int_equal(aclrtSubscribeHostFunc(self(), made), 0);
    assert_int_equal(aclrtDestroyStream(made), 0);
    assert_failure(aclrtProcessReport(1), 107012, "subscribes to no stream");
    assert_failure(aclrtProcessHostFunc(1), 107012, "subscribes to no stream");
}

static _Atomic int is_subscribed;

static void *wait_for_a_report(void *status)
{
    while (!atomic_load(&is_subscribed))
        pause_us(100);
    *(int *)status = aclrtProcessReport(120000);
    return NULL;
}

static void who_waits_for_reports_is_woken_when_no_stream_is_left(void **state)
{
    (void)state;
    struct timespec begin, end;
    pthread_t thread;
    int status = -1;
    aclrtStream made;
    assert_int_equal(aclrtCreateStream(&made), 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_a_report, &status), 0);
    assert_int_equal(aclrtSubscribeReport((uint64_t)thread, made), 0);
    atomic_store(&is_subscribed, 1);
    pause_us(20000);
    assert_int_equal(aclrtUnSubscribeReport((uint64_t)thread, made), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_int_equal(status, 107012);
    assert_true(end.tv_sec - begin.tv_sec < 60);
    assert_int_equal(aclrtDestroyStream(made), 0);
}

static void a_callback_that_does_not_block_lets_the_stream_go_on(void **state)
{
    (void)state;
    _Atomic int callback = 0, after = 0;
    atomic_store(&steps, 0);
    assert_int_equal(aclrtSubscribeReport(self(), stream), 0);
    assert_int_equal(aclrtLaunchCallback(note, &callback, ACL_CALLBACK_NO_BLOCK, stream), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, note, &after), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(callback == 0 && after == 1);
    assert_int_equal(aclrtProcessReport(-1), 0);
    assert_true(callback == 2);
    assert_int_equal(aclrtUnSubscribeReport(self(), stream), 0);
}

static _Atomic int may_end;

static void *process_reports(void *count)
{
    while (!atomic_load(&may_end))
        if (aclrtProcessReport(20) == 0)
            atomic_fetch_add((_Atomic int *)count, 1);
    return NULL;
}

static void a_thread_of_its_own_processes_the_callbacks_of_several_streams(void **state)
{
    (void)state;
    enum { CALLS = 200 };
    aclrtStream other;
    static _Atomic int places[CALLS];
    _Atomic int count = 0;
    pthread_t thread;
    atomic_store(&may_end, 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(pthread_create(&thread, NULL, process_reports, (void *)&count), 0);
    assert_int_equal(aclrtSubscribeReport((uint64_t)thread, stream), 0);
    assert_int_equal(aclrtSubscribeReport((uint64_t)thread, other), 0);
    for (int i = 0; i < CALLS; i++)
        assert_int_equal(aclrtLaunchCallback(note, &places[i], ACL_CALLBACK_BLOCK, i % 2 ? stream : other),
                         0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    for (int i = 2; i < CALLS; i++)
        assert_true(atomic_load(&places[i]) > atomic_load(&places[i - 2]));
    assert_int_equal(aclrtUnSubscribeReport((uint64_t)thread, stream), 0);
    assert_int_equal(aclrtDestroyStream(other), 0); /* with a subscription, which ends with it */
    atomic_store(&may_end, 1);
    pthread_join(thread, NULL);
    assert_int_equal(count, CALLS);
}

static _Atomic int status_inside;

/* argument: the stream, or NULL, which names the default one. */
static void wait_for_own_stream(void *argument)
{
    aclrtSetDevice(0);
    atomic_store(&status_inside, aclrtSynchronizeStream(argument));
    aclrtResetDevice(0);
}

/* Also where the stream has ended long before, which no wait would show. */
static void a_callback_that_waits_for_its_own_stream_is_told_so(void **state)
{
    (void)state;
    const aclrtStream own[] = {stream, NULL};
    for (int i = 0; i < 4; i++) {
        aclrtStream waited = own[i / 2];
        const bool blocks = i % 2 != 0;
        assert_int_equal(aclrtSubscribeReport(self(), waited), 0);
        atomic_store(&status_inside, -1);
        assert_int_equal(
            aclrtLaunchCallback(wait_for_own_stream, waited, (aclrtCallbackBlockType)blocks, waited), 0);
        if (!blocks)
            assert_int_equal(aclrtSynchronizeStream(waited), 0);
        assert_int_equal(aclrtProcessReport(5000), 0);
        assert_int_equal(status_inside, 107000);
        assert_int_equal(aclrtSynchronizeStream(waited), 0);
        assert_int_equal(aclrtUnSubscribeReport(self(), waited), 0);
    }
    atomic_store(&status_inside, -1);
    assert_int_equal(aclrtLaunchHostFunc(stream, wait_for_own_stream, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(status_inside, 107000);
}

static void ending_a_subscription_lets_the_stream_go_on(void **state)
{
    (void)state;
    _Atomic int callback = 0, after = 0;
    atomic_store(&steps, 0);
    assert_int_equal(aclrtSubscribeReport(self(), stream), 0);
    assert_int_equal(aclrtLaunchCallback(note, &callback, ACL_CALLBACK_BLOCK, stream), 0);
    assert_int_equal(aclrtLaunchCallback(note, &callback, ACL_CALLBACK_BLOCK, stream), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, note, &after), 0);
    pause_us(20000);
    assert_int_equal(aclrtUnSubscribeReport(self(), stream), 0);
    /* The first was waiting to be processed; the second finds nobody who would. */
    assert_failure(aclrtSynchronizeStream(stream), 107015, "107015");
    assert_true(callback == 0 && after == 1);
}

static void destroying_a_stream_takes_its_callbacks_along(void **state)
{
    (void)state;
    _Atomic int callback = 0;
    for (int forced = 0; forced < 2; forced++) {
        aclrtStream made;
        assert_int_equal(aclrtCreateStream(&made), 0);
        assert_int_equal(aclrtSubscribeReport(self(), made), 0);
        for (int i = 0; i < 3; i++)
            assert_int_equal(aclrtLaunchCallback(note, &callback, ACL_CALLBACK_BLOCK, made), 0);
        pause_us(5000);
        assert_int_equal(forced ? aclrtDestroyStreamForce(made) : aclrtDestroyStream(made), 0);
        while (aclrtProcessReport(1) != 107012)
            continue;
        assert_int_equal(callback, 0);
    }
}

static struct ending {
    aclrtContext context;
    aclrtStream stream;
    bool ends_context;
    int status;
} ending;

static void *end_from_outside(void *unused)
{
    (void)unused;
    if (aclrtSetCurrentContext(ending.context) == 0)
        ending.status =
            ending.ends_context ? aclrtDestroyContext(ending.context) : aclrtDestroyStream(ending.stream);
    return NULL;
}

/* Its handle is gone by then, but its work is not. */
static void a_stream_that_is_being_destroyed_waits_for_its_callback(void **state)
{
    (void)state;
    aclrtContext mine = NULL;
    assert_int_equal(aclrtGetCurrentContext(&mine), 0);
    for (int i = 0; i < 2; i++) {
        _Atomic int callback = 0, after = 0;
        aclrtStreamStatus status;
        pthread_t thread;
        atomic_store(&steps, 0);
        ending = (struct ending){.ends_context = i != 0, .status = -1};
        assert_int_equal(aclrtCreateContext(&ending.context, 0), 0);
        assert_int_equal(aclrtCreateStream(&ending.stream), 0);
        assert_int_equal(aclrtSubscribeReport(self(), ending.stream), 0);
        assert_int_equal(aclrtLaunchCallback(note, &callback, ACL_CALLBACK_BLOCK, ending.stream), 0);
        assert_int_equal(aclrtLaunchHostFunc(ending.stream, note, &after), 0);
        assert_int_equal(pthread_create(&thread, NULL, end_from_outside, NULL), 0);
        while (aclrtStreamQuery(ending.stream, &status) == 0)
            pause_us(100);
        int processed = aclrtProcessReport(60000);
        if (processed != 0)
            (void)aclrtDeviceTaskAbort(0, 5000); /* or the thread would not come back */
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(processed, 0);
        assert_true(callback == 1 && after == 2);
        assert_int_equal(ending.status, 0);
        if (!ending.ends_context)
            assert_int_equal(aclrtDestroyContext(ending.context), 0);
        assert_int_equal(aclrtSetCurrentContext(mine), 0);
    }
}

/* While a call is being handed over to this thread, its stream ends: at whatever moment, it never runs. */
static void a_callback_never_outlives_its_stream(void **state)
{
    (void)state;
    _Atomic int callback = 0;
    for (int round = 0; round < 3000; round++) {
        aclrtStream made;
        assert_int_equal(aclrtCreateStream(&made), 0);
        assert_int_equal(aclrtSubscribeReport(self(), made), 0);
        assert_int_equal(aclrtLaunchCallback(note, &callback, ACL_CALLBACK_BLOCK, made), 0);
        for (volatile int i = 0; i < round % 64 * 150; i++)
            continue;
        assert_int_equal(round % 4 == 0 ? aclrtDestroyStream(made) : aclrtDestroyStreamForce(made), 0);
        while (aclrtProcessReport(1) != 107012)
            continue;
        assert_int_equal(callback, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked_in_order),
        cmocka_unit_test(host_functions_of_operators_have_subscriptions_of_their_own),
        cmocka_unit_test(a_stream_that_ends_has_no_subscriber_any_more),
        cmocka_unit_test(who_waits_for_reports_is_woken_when_no_stream_is_left),
        cmocka_unit_test(a_blocking_callback_holds_the_stream_until_it_was_processed),
        cmocka_unit_test(a_callback_that_does_not_block_lets_the_stream_go_on),
        cmocka_unit_test(a_thread_of_its_own_processes_the_callbacks_of_several_streams),
        cmocka_unit_test(a_callback_that_waits_for_its_own_stream_is_told_so),
        cmocka_unit_test(ending_a_subscription_lets_the_stream_go_on),
        cmocka_unit_test(destroying_a_stream_takes_its_callbacks_along),
        cmocka_unit_test(a_stream_that_is_being_destroyed_waits_for_its_callback),
        cmocka_unit_test(a_callback_never_outlives_its_stream),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
