/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of the program that wait, with their streams, for each other: a circle is found whatever it goes
 * through, and what is none is not taken for one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "acl/acl.h"
#include "support/failure.h"
#include "support/gate.h"
#include "support/open_stream.h"

static uint64_t self(void)
{
    return (uint64_t)pthread_self();
}

/* Each of the functions waits once all of them are inside. */
enum { WAITERS = 3 };

/* A status that no test expects: the sentence does not begin with the function that was called. */
enum { NOT_TOLD = -2 };

struct waiter {
    aclrtStream waits_for;
    aclrtEvent event; /* waited for instead, when there is one */
    int32_t timeout_ms;
    aclrtStream aborts; /* before it waits; new work is queued there */
    int status;
};

static _Atomic int waiters_inside, waiters_expected;

static void take_a_while(void *unused)
{
    (void)unused;
    pause_us(20000);
}

static void wait_with_others(void *argument)
{
    struct waiter *waiter = (struct waiter *)argument;
    aclrtSetDevice(0);
    if (waiter->aborts != NULL) {
        aclrtStreamAbort(waiter->aborts);
        aclrtLaunchHostFunc(waiter->aborts, take_a_while, NULL);
    }
    atomic_fetch_add(&waiters_inside, 1);
    while (atomic_load(&waiters_inside) < atomic_load(&waiters_expected))
        pause_us(50);
    waiter->status = waiter->event != NULL ? aclrtSynchronizeEvent(waiter->event)
                     : waiter->timeout_ms != 0
                         ? aclrtSynchronizeStreamWithTimeout(waiter->waits_for, waiter->timeout_ms)
                         : aclrtSynchronizeStream(waiter->waits_for);
    const char *api = waiter->event != NULL     ? "aclrtSynchronizeEvent: "
                      : waiter->timeout_ms != 0 ? "aclrtSynchronizeStreamWithTimeout: "
                                                : "aclrtSynchronizeStream: ";
    if (waiter->status == 107000 && !sentence_has(api))
        waiter->status = NOT_TOLD;
    aclrtResetDevice(0);
}

static void create_waiters(aclrtStream *streams, struct waiter *waiters, int count)
{
    atomic_store(&waiters_inside, 0);
    atomic_store(&waiters_expected, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(aclrtCreateStream(&streams[i]), 0);
    for (int i = 0; i < count; i++)
        waiters[i] = (struct waiter){.waits_for = streams[(i + 1) % count], .status = -1};
}

static void destroy_waiters(const aclrtStream *streams, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(aclrtDestroyStream(streams[i]), 0);
}

static void host_functions_that_wait_for_each_other_are_told_so(void **state)
{
    (void)state;
    for (int count = 2; count <= WAITERS; count++) {
        aclrtStream streams[WAITERS];
        struct waiter waiters[WAITERS];
        int refused = 0;
        create_waiters(streams, waiters, count);
        for (int i = 0; i < count; i++)
            assert_int_equal(aclrtLaunchHostFunc(streams[i], wait_with_others, &waiters[i]), 0);
        for (int i = 0; i < count; i++) {
            assert_int_equal(aclrtSynchronizeStream(streams[i]), 0);
            assert_true(waiters[i].status == 0 || waiters[i].status == 107000);
            refused += waiters[i].status != 0;
        }
        assert_true(refused > 0);
        destroy_waiters(streams, count);
    }
}

static void a_circle_through_an_event_is_found(void **state)
{
    (void)state;
    aclrtStream streams[2], between;
    struct waiter waiters[2];
    aclrtEvent event, end;
    create_waiters(streams, waiters, 2);
    assert_int_equal(aclrtCreateStream(&between), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(aclrtCreateEvent(&end), 0);
    waiters[0].event = end; /* which is behind the event, which is behind the second function */
    atomic_store(&waiters_expected, 3);
    for (int i = 0; i < 2; i++)
        assert_int_equal(aclrtLaunchHostFunc(streams[i], wait_with_others, &waiters[i]), 0);
    assert_int_equal(aclrtRecordEvent(event, streams[1]), 0);
    assert_int_equal(aclrtStreamWaitEvent(between, event), 0);
    assert_int_equal(aclrtRecordEvent(end, between), 0);
    atomic_fetch_add(&waiters_inside, 1); /* all is queued */
    for (int i = 0; i < 2; i++)
        assert_int_equal(aclrtSynchronizeStream(streams[i]), 0);
    assert_true(waiters[0].status == 107000 || waiters[1].status == 107000);
    assert_int_equal(aclrtDestroyStream(between), 0);
    destroy_waiters(streams, 2);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_int_equal(aclrtDestroyEvent(end), 0);
}

static void a_circle_with_a_timeout_in_it_ends_by_itself(void **state)
{
    (void)state;
    aclrtStream streams[2];
    struct waiter waiters[2];
    create_waiters(streams, waiters, 2);
    waiters[0].timeout_ms = 50;
    for (int i = 0; i < 2; i++)
        assert_int_equal(aclrtLaunchHostFunc(streams[i], wait_with_others, &waiters[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(aclrtSynchronizeStream(streams[i]), 0);
    assert_int_equal(waiters[0].status, 507046);
    assert_int_equal(waiters[1].status, 0);
    destroy_waiters(streams, 2);
}

static void a_callback_that_holds_no_stream_up_is_in_no_circle(void **state)
{
    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        aclrtStream streams[2];
        struct waiter waiters[2];
        create_waiters(streams, waiters, 2);
        assert_int_equal(aclrtSubscribeReport(self(), streams[0]), 0);
        assert_int_equal(aclrtLaunchCallback(wait_with_others, &waiters[0],
                                             blocks ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, streams[0]),
                         0);
        assert_int_equal(aclrtLaunchHostFunc(streams[0], take_a_while, NULL), 0);
        assert_int_equal(aclrtLaunchHostFunc(streams[1], wait_with_others, &waiters[1]), 0);
        assert_int_equal(aclrtProcessReport(10000), 0);
        assert_int_equal(aclrtSynchronizeStream(streams[1]), 0);
        assert_true((waiters[0].status == 107000 || waiters[1].status == 107000) == blocks);
        assert_true(blocks || (waiters[0].status == 0 && waiters[1].status == 0));
        destroy_waiters(streams, 2);
    }
}

static void a_callback_that_the_stream_has_given_up_is_in_no_circle(void **state)
{
    (void)state;
    aclrtStream streams[2];
    struct waiter waiters[2];
    create_waiters(streams, waiters, 2);
    waiters[0].aborts = streams[0];
    assert_int_equal(aclrtSubscribeReport(self(), streams[0]), 0);
    assert_int_equal(aclrtLaunchCallback(wait_with_others, &waiters[0], ACL_CALLBACK_BLOCK, streams[0]), 0);
    assert_int_equal(aclrtLaunchHostFunc(streams[1], wait_with_others, &waiters[1]), 0);
    assert_int_equal(aclrtProcessReport(10000), 0);
    assert_int_equal(waiters[0].status, 0);
    assert_int_equal(waiters[1].status, 107023); /* what was aborted there is told to who waits first */
    destroy_waiters(streams, 2);
}

static void count_run(void *runs)
{
    ++*(int *)runs;
}

static void waiting_behind_a_callback_that_the_caller_is_to_process_is_told_so(void **state)
{
    (void)state;
    int runs = 0;
    aclrtStream behind;
    aclrtEvent event;
    assert_int_equal(aclrtCreateStream(&behind), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(aclrtSubscribeReport(self(), stream), 0);
    assert_int_equal(aclrtLaunchCallback(count_run, &runs, ACL_CALLBACK_BLOCK, stream), 0);
    assert_int_equal(aclrtRecordEvent(event, stream), 0);
    assert_int_equal(aclrtStreamWaitEvent(behind, event), 0);
    assert_failure(aclrtSynchronizeStream(behind), 107000, "the calling thread is to process");
    assert_int_equal(aclrtProcessReport(10000), 0);
    assert_int_equal(aclrtSynchronizeStream(behind), 0);
    assert_int_equal(runs, 1);
    assert_int_equal(aclrtUnSubscribeReport(self(), stream), 0);
    assert_int_equal(aclrtDestroyStream(behind), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_functions_that_wait_for_each_other_are_told_so),
        cmocka_unit_test(a_circle_through_an_event_is_found),
        cmocka_unit_test(a_circle_with_a_timeout_in_it_ends_by_itself),
        cmocka_unit_test(a_callback_that_holds_no_stream_up_is_in_no_circle),
        cmocka_unit_test(a_callback_that_the_stream_has_given_up_is_in_no_circle),
        cmocka_unit_test(waiting_behind_a_callback_that_the_caller_is_to_process_is_told_so),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
