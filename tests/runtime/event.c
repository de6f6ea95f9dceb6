/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Events: order between streams, both ways to say complete, timestamps, and every status.
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
#include "support/failure.h"
#include "support/gate.h"

#define FORGED ((void *)(uintptr_t)0x1234567890)
static aclrtStream first, second;

static int prepare(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&first) != 0)
        return 1;
    return aclrtCreateStream(&second);
}

static int finish(void **state)
{
    (void)state;
    return aclrtDestroyStream(first) != 0 || aclrtDestroyStream(second) != 0 || aclrtResetDevice(0) != 0;
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void creation_checks_its_arguments(void **state)
{
    (void)state;
    aclrtEvent event;
    assert_failure(aclrtCreateEvent(NULL), 100000, "event is NULL");
    assert_failure(aclrtCreateEventWithFlag(NULL, 1), 100000, "event is NULL");
    assert_failure(aclrtCreateEventWithFlag(&event, 0), 107000, "flag is 0x0");
    assert_failure(aclrtCreateEventWithFlag(&event, 0x80), 107000, "flag is 0x80");
    assert_failure(aclrtCreateEventExWithFlag(&event, 0), 107000, "flag is 0x0");
    assert_failure(aclrtDestroyEvent(NULL), 100000, "event is NULL");
    assert_failure(aclrtDestroyEvent(FORGED), 107017, "not a handle");
    assert_failure(aclrtDestroyEvent(first), 107017, "is a stream");
    assert_int_equal(aclrtCreateEventWithFlag(&event, 0x7B), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_failure(aclrtDestroyEvent(event), 107017, "was destroyed");
}

static void every_call_refuses_null_and_stale_events(void **state)
{
    (void)state;
    aclrtEvent stale;
    float ms;
    uint64_t time;
    aclrtEventStatus status;
    aclrtEventRecordedStatus recorded;
    aclrtEventWaitStatus waited;
    assert_int_equal(aclrtCreateEvent(&stale), 0);
    assert_int_equal(aclrtDestroyEvent(stale), 0);
    aclrtEvent bad[] = {NULL, stale, FORGED, first};
    for (int i = 0; i < 4; i++) {
        int code = bad[i] == NULL ? 100000 : 107017;
        assert_failure(aclrtRecordEvent(bad[i], first), code, "aclrtRecordEvent");
        assert_failure(aclrtResetEvent(bad[i], first), code, "aclrtResetEvent");
        assert_failure(aclrtStreamWaitEvent(first, bad[i]), code, "aclrtStreamWaitEvent");
        assert_failure(aclrtStreamWaitEventWithTimeout(first, bad[i], 1), code,
                       "aclrtStreamWaitEventWithTimeout");
        assert_failure(aclrtQueryEvent(bad[i], &status), code, "aclrtQueryEvent");
        assert_failure(aclrtQueryEventStatus(bad[i], &recorded), code, "aclrtQueryEventStatus");
        assert_failure(aclrtQueryEventWaitStatus(bad[i], &waited), code, "aclrtQueryEventWaitStatus");
        assert_failure(aclrtSynchronizeEvent(bad[i]), code, "aclrtSynchronizeEvent");
        assert_failure(aclrtSynchronizeEventWithTimeout(bad[i], 1), code, "aclrtSynchronizeEventWithTimeout");
        assert_failure(aclrtEventElapsedTime(&ms, bad[i], bad[i]), code, "startEvent");
        assert_failure(aclrtEventGetTimestamp(bad[i], &time), code, "aclrtEventGetTimestamp");
    }
    aclrtEvent event;
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_failure(aclrtQueryEvent(event, NULL), 100000, "status is NULL");
    assert_failure(aclrtQueryEventStatus(event, NULL), 100000, "status is NULL");
    assert_failure(aclrtQueryEventWaitStatus(event, NULL), 100000, "status is NULL");
    assert_failure(aclrtEventElapsedTime(NULL, event, event), 100000, "ms is NULL");
    assert_failure(aclrtEventGetTimestamp(event, NULL), 100000, "timestamp is NULL");
    assert_failure(aclrtRecordEvent(event, FORGED), 107017, "argument stream");
    assert_failure(aclrtStreamWaitEvent(event, event), 107017, "is an event");
    assert_failure(aclrtStreamWaitEventWithTimeout(first, event, -1), 107000, "timeout is -1");
    assert_failure(aclrtSynchronizeEventWithTimeout(event, 0), 107000, "timeout is 0");
    assert_failure(aclrtSynchronizeEventWithTimeout(event, -2), 107000, "timeout is -2");
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

static void an_event_that_was_never_recorded_depends_on_its_kind_and_on_who_asks(void **state)
{
    (void)state;
    aclrtEvent old, reusable;
    aclrtEventStatus status = ACL_EVENT_STATUS_NOT_READY;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    aclrtEventWaitStatus waited = ACL_EVENT_WAIT_STATUS_NOT_READY;
    float ms;
    uint64_t time;
    assert_int_equal(aclrtCreateEvent(&old), 0);
    assert_int_equal(aclrtCreateEventExWithFlag(&reusable, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC), 0);
    assert_int_equal(aclrtQueryEvent(old, &status), 0);
    assert_int_equal(status, ACL_EVENT_STATUS_COMPLETE);
    assert_int_equal(aclrtQueryEventStatus(old, &recorded), 0);
    assert_int_equal(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_int_equal(aclrtQueryEventWaitStatus(old, &waited), 0);
    assert_int_equal(waited, ACL_EVENT_WAIT_STATUS_COMPLETE);
    assert_int_equal(aclrtQueryEventStatus(reusable, &recorded), 0);
    assert_int_equal(recorded, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    assert_failure(aclrtQueryEvent(reusable, &status), 207000, "aclrtCreateEventExWithFlag");
    assert_failure(aclrtQueryEventWaitStatus(reusable, &waited), 207000, "aclrtCreateEventExWithFlag");
    assert_failure(aclrtResetEvent(reusable, first), 207000, "aclrtCreateEventExWithFlag");
    assert_int_equal(aclrtSynchronizeEvent(old), 0);
    assert_int_equal(aclrtSynchronizeEventWithTimeout(reusable, 5), 0);
    assert_int_equal(aclrtStreamWaitEvent(first, old), 0);
    assert_failure(aclrtEventElapsedTime(&ms, old, old), 507000, "never recorded");
    assert_failure(aclrtEventGetTimestamp(old, &time), 507000, "never recorded");
    assert_int_equal(aclrtRecordEvent(old, first), 0);
    assert_int_equal(aclrtResetEvent(old, first), 0);
    assert_int_equal(aclrtSynchronizeStream(first), 0);
    assert_int_equal(aclrtQueryEventStatus(old, &recorded), 0);
    assert_int_equal(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_int_equal(aclrtDestroyEvent(old), 0);
    assert_int_equal(aclrtDestroyEvent(reusable), 0);
}

static void a_recorded_event_is_ready_when_the_stream_has_come_so_far(void **state)
{
    (void)state;
    aclrtEvent start, end, without_time;
    aclrtEventStatus status;
    aclrtEventRecordedStatus recorded;
    aclrtEventWaitStatus waited;
    float ms = 0;
    uint64_t start_us = 0, end_us = 0;
    struct gate gate;
    assert_int_equal(aclrtCreateEvent(&start), 0);
    assert_int_equal(aclrtCreateEvent(&end), 0);
    assert_int_equal(aclrtCreateEventWithFlag(&without_time, ACL_EVENT_SYNC), 0);
    const double begun = now_ms();
    assert_int_equal(aclrtRecordEvent(start, first), 0);
    assert_int_equal(launch_gate(first, &gate), 0);
    reach_gate(&gate); /* the start has its time */
    assert_int_equal(aclrtRecordEvent(end, first), 0);
    assert_int_equal(aclrtRecordEvent(without_time, first), 0);
    assert_int_equal(aclrtQueryEvent(end, &status), 0);
    assert_int_equal(status, ACL_EVENT_STATUS_NOT_READY);
    assert_int_equal(aclrtQueryEventStatus(end, &recorded), 0);
    assert_int_equal(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_int_equal(aclrtQueryEventWaitStatus(end, &waited), 0);
    assert_int_equal(waited, ACL_EVENT_WAIT_STATUS_NOT_READY);
    assert_failure(aclrtEventElapsedTime(&ms, start, end), 107006, "not complete");
    assert_failure(aclrtEventGetTimestamp(end, &end_us), 107006, "not complete");
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    assert_failure(aclrtSynchronizeEventWithTimeout(end, 20), 507047, "time was over");
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0); /* it is asked again and again */
    assert_int_equal(aclrtSynchronizeEventWithTimeout(end, 1), 507047);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(NULL, 60000), 0); /* a wait that is not in vain */
    assert_null(aclGetRecentErrMsg());
    open_gate(&gate);
    assert_int_equal(aclrtSynchronizeEventWithTimeout(end, 60000), 0);
    const double gone = now_ms() - begun;
    assert_int_equal(aclrtSynchronizeEvent(without_time), 0);
    assert_int_equal(aclrtQueryEvent(end, &status), 0);
    assert_int_equal(status, ACL_EVENT_STATUS_COMPLETE);
    assert_int_equal(aclrtQueryEventStatus(end, &recorded), 0);
    assert_int_equal(recorded, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    assert_int_equal(aclrtEventElapsedTime(&ms, start, end), 0);
    assert_true(ms >= 20 && (double)ms < gone + 1);
    assert_int_equal(aclrtEventElapsedTime(&ms, end, start), 0);
    assert_true(ms <= -20);
    assert_int_equal(aclrtEventGetTimestamp(start, &start_us), 0);
    assert_int_equal(aclrtEventGetTimestamp(end, &end_us), 0);
    assert_true(end_us >= start_us + 20000 && (double)(end_us - start_us) < gone * 1e3 + 1000);
    assert_failure(aclrtEventElapsedTime(&ms, start, without_time), 107006, "ACL_EVENT_TIME_LINE");
    assert_int_equal(aclrtDestroyEvent(start), 0);
    assert_int_equal(aclrtDestroyEvent(end), 0);
    assert_int_equal(aclrtDestroyEvent(without_time), 0);
}

static _Atomic int steps;

static void note(void *place)
{
    *(int *)place = atomic_fetch_add(&steps, 1) + 1;
}

static void a_stream_waits_for_the_record_that_was_there_when_it_was_told_to(void **state)
{
    (void)state;
    aclrtEvent event;
    struct gate gate, later;
    int before = 0, after = 0;
    atomic_store(&steps, 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(launch_gate(first, &gate), 0);
    assert_int_equal(aclrtLaunchHostFunc(first, note, &before), 0);
    assert_int_equal(aclrtRecordEvent(event, first), 0);
    assert_int_equal(aclrtStreamWaitEvent(second, event), 0);
    assert_int_equal(aclrtLaunchHostFunc(second, note, &after), 0);
    /* Neither a second record nor the end of the event changes what the second stream waits for. */
    assert_int_equal(launch_gate(first, &later), 0);
    assert_int_equal(aclrtRecordEvent(event, first), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_failure(aclrtSynchronizeStreamWithTimeout(second, 20), 507046, "time was over");
    assert_int_equal(atomic_load(&steps), 0);
    open_gate(&gate);
    assert_int_equal(aclrtSynchronizeStream(second), 0);
    assert_int_equal(before, 1);
    assert_int_equal(after, 2);
    open_gate(&later);
    assert_int_equal(aclrtSynchronizeStream(first), 0);
}

static void a_wait_with_a_timeout_ends_and_says_so(void **state)
{
    (void)state;
    aclrtEvent event;
    struct gate gate;
    int runs = 0;
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(launch_gate(first, &gate), 0);
    assert_int_equal(aclrtRecordEvent(event, first), 0);
    const double begun = now_ms();
    assert_int_equal(aclrtStreamWaitEventWithTimeout(second, event, 1), 0);
    assert_int_equal(aclrtLaunchHostFunc(second, note, &runs), 0);
    int status = aclrtSynchronizeStreamWithTimeout(second, 300);
    if (status != 107019 || now_ms() - begun < 1000) { /* else this thread was held back for so long */
        assert_int_equal(status, 507046);
        assert_sentence("time was over");
        status = aclrtSynchronizeStream(second);
    }
    assert_int_equal(status, 107019);
    assert_sentence("107019");
    assert_int_equal(aclrtSynchronizeStream(second), 0);
    assert_true(runs > 0);
    open_gate(&gate);
    assert_int_equal(aclrtSynchronizeStream(first), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

static void many_waits_end_each_in_its_time(void **state)
{
    (void)state;
    enum { WAITS = 12 };
    aclrtStream waiting[WAITS];
    aclrtEvent event;
    struct gate gate;
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(launch_gate(first, &gate), 0);
    assert_int_equal(aclrtRecordEvent(event, first), 0);
    for (int i = 0; i < WAITS; i++) {
        assert_int_equal(aclrtCreateStream(&waiting[i]), 0);
        assert_int_equal(aclrtStreamWaitEventWithTimeout(waiting[i], event, i == 3 || i == 7 ? 100 : 1), 0);
    }
    for (int i = 0; i < WAITS; i++)
        if (i != 3 && i != 7)
            assert_failure(aclrtSynchronizeStream(waiting[i]), 107019, "107019");
    /* Two wait on, until what they wait for has come. */
    assert_failure(aclrtSynchronizeStreamWithTimeout(waiting[3], 10), 507046, "time was over");
    open_gate(&gate);
    assert_int_equal(aclrtSynchronizeStream(waiting[3]), 0);
    assert_int_equal(aclrtSynchronizeStream(waiting[7]), 0);
    assert_int_equal(aclrtSynchronizeStream(first), 0);
    for (int i = 0; i < WAITS; i++)
        assert_int_equal(aclrtDestroyStream(waiting[i]), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

static void a_wait_is_open_until_its_stream_has_come_to_it(void **state)
{
    (void)state;
    aclrtEvent event;
    struct gate record_gate, wait_gate;
    aclrtEventWaitStatus status;
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(launch_gate(first, &record_gate), 0);
    assert_int_equal(launch_gate(second, &wait_gate), 0);
    assert_int_equal(aclrtRecordEvent(event, first), 0);
    assert_int_equal(aclrtStreamWaitEvent(second, event), 0);
    assert_int_equal(aclrtQueryEventWaitStatus(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_WAIT_STATUS_NOT_READY);
    open_gate(&record_gate);
    assert_int_equal(aclrtSynchronizeEvent(event), 0);
    assert_int_equal(aclrtQueryEventWaitStatus(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_WAIT_STATUS_NOT_READY);
    open_gate(&wait_gate);
    assert_int_equal(aclrtSynchronizeStream(second), 0);
    assert_int_equal(aclrtQueryEventWaitStatus(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_WAIT_STATUS_COMPLETE);
    assert_int_equal(aclrtSynchronizeStream(first), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

static void streams_and_events_of_another_context_are_refused(void **state)
{
    (void)state;
    aclrtContext own;
    aclrtEvent event, other;
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(aclrtCreateContext(&own, 0), 0);
    assert_int_equal(aclrtCreateEvent(&other), 0);
    assert_failure(aclrtRecordEvent(other, first), 107003, "another context");
    assert_failure(aclrtRecordEvent(event, NULL), 107003, "another context");
    assert_int_equal(aclrtRecordEvent(other, NULL), 0);
    assert_int_equal(aclrtStreamWaitEvent(first, other), 0);
    assert_int_equal(aclrtDestroyContext(own), 0);
    assert_failure(aclrtRecordEvent(other, first), 107002, "was destroyed");
    assert_int_equal(aclrtDestroyEvent(other), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void abandoned_records_complete_without_a_time(void **state)
{
    (void)state;
    aclrtStream stream;
    aclrtEvent event;
    aclrtEventStatus status;
    float ms;
    struct gate gate;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(launch_gate(stream, &gate), 0);
    reach_gate(&gate);
    assert_int_equal(aclrtRecordEvent(event, stream), 0);
    assert_int_equal(aclrtStreamWaitEvent(second, event), 0);
    assert_int_equal(aclrtDestroyStreamForce(stream), 0);
    open_gate(&gate);
    assert_int_equal(aclrtSynchronizeEvent(event), 0);
    assert_int_equal(aclrtSynchronizeStream(second), 0);
    assert_int_equal(aclrtQueryEvent(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_STATUS_COMPLETE);
    assert_failure(aclrtEventElapsedTime(&ms, event, event), 107006, "abandoned");
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

static void there_is_room_for_65536_events(void **state)
{
    (void)state;
    enum { EVENTS = 65536 };
    aclrtEvent *events = (aclrtEvent *)calloc(EVENTS + 1, sizeof *events);
    for (int i = 0; i < EVENTS; i++)
        if (aclrtCreateEvent(&events[i]) != 0)
            fail_msg("event %d", i);
    assert_failure(aclrtCreateEvent(&events[EVENTS]), 207007, "65536");
    for (int i = 0; i < EVENTS; i++)
        if (aclrtDestroyEvent(events[i]) != 0)
            fail_msg("event %d", i);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation_checks_its_arguments),
        cmocka_unit_test(every_call_refuses_null_and_stale_events),
        cmocka_unit_test(an_event_that_was_never_recorded_depends_on_its_kind_and_on_who_asks),
        cmocka_unit_test(a_recorded_event_is_ready_when_the_stream_has_come_so_far),
        cmocka_unit_test(a_stream_waits_for_the_record_that_was_there_when_it_was_told_to),
        cmocka_unit_test(a_wait_with_a_timeout_ends_and_says_so),
        cmocka_unit_test(many_waits_end_each_in_its_time),
        cmocka_unit_test(a_wait_is_open_until_its_stream_has_come_to_it),
        cmocka_unit_test(streams_and_events_of_another_context_are_refused),
        cmocka_unit_test(abandoned_records_complete_without_a_time),
        cmocka_unit_test(there_is_room_for_65536_events),
    };
    return cmocka_run_group_tests(tests, prepare, finish);
}
