/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Recording streams: how captures begin and end, and what is refused meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/captured.h"
#include "support/failure.h"

static const aclmdlRICaptureMode GLOBAL = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
static const aclmdlRICaptureMode LOCAL = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
static const aclmdlRICaptureMode RELAXED = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

static aclmdlRICaptureMode exchange(aclmdlRICaptureMode mode)
{
    assert_int_equal(aclmdlRICaptureThreadExchangeMode(&mode), 0);
    return mode;
}

static void begin_refuses_bad_arguments(void **state)
{
    (void)state;
    aclrtStream standard;
    assert_failure(aclmdlRICaptureBegin(NULL, GLOBAL), 100000, "stream is NULL");
    assert_failure(aclmdlRICaptureBegin(&standard, GLOBAL), 107017, "stream is not a handle");
    assert_failure(aclmdlRICaptureBegin(event, GLOBAL), 107017, "stream is an event");
    assert_failure(aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)3), 107000, "mode is 3");
    assert_failure(aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)-1), 107000, "mode is -1");
    assert_int_equal(aclrtCtxGetCurrentDefaultStream(&standard), 0);
    assert_failure(aclmdlRICaptureBegin(standard, GLOBAL), 107031, "default stream");
    begin(GLOBAL);
    assert_failure(aclmdlRICaptureBegin(stream, GLOBAL), 107027, "already");
    assert_int_equal(aclmdlRIDestroy(end()), 0);
}

static void end_refuses_bad_arguments(void **state)
{
    (void)state;
    aclmdlRI graph;
    assert_failure(aclmdlRICaptureEnd(NULL, &graph), 100000, "stream is NULL");
    assert_failure(aclmdlRICaptureEnd(stream, NULL), 100000, "modelRI is NULL");
    assert_failure(aclmdlRICaptureEnd(&graph, &graph), 107017, "stream is not a handle");
    assert_failure(aclmdlRICaptureEnd(stream, &graph), 107029, "not being recorded");
    begin(GLOBAL);
    assert_failure(aclmdlRICaptureEnd(stream, NULL), 100000, "modelRI is NULL");
    assert_failure(aclmdlRICaptureEnd(other, &graph), 107029, "not being recorded");
    join(stream, event, other);
    assert_failure(aclmdlRICaptureEnd(other, &graph), 107036, "joined the capture of another");
    assert_int_equal(aclmdlRIDestroy(end()), 0); /* other has recorded nothing */
}

static void the_mode_of_a_thread_is_given_back(void **state)
{
    (void)state;
    aclmdlRICaptureMode mode = (aclmdlRICaptureMode)3;
    assert_int_equal(exchange(RELAXED), GLOBAL);
    assert_int_equal(exchange(LOCAL), RELAXED);
    assert_int_equal(exchange(GLOBAL), LOCAL);
    assert_failure(aclmdlRICaptureThreadExchangeMode(&mode), 107000, "*mode is 3");
    assert_failure(aclmdlRICaptureThreadExchangeMode(NULL), 100000, "mode is NULL");
}

static void a_stream_says_whether_it_is_recorded(void **state)
{
    (void)state;
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    aclmdlRI graph = &status, ended;
    assert_int_equal(aclmdlRICaptureGetInfo(NULL, &status, &graph), 0);
    assert_int_equal(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    assert_null(graph);
    assert_failure(aclmdlRICaptureGetInfo(&status, &status, NULL), 107017, "stream");
    begin(RELAXED);
    assert_int_equal(aclmdlRICaptureGetInfo(stream, NULL, NULL), 0);
    assert_int_equal(aclmdlRICaptureGetInfo(stream, &status, &graph), 0);
    assert_int_equal(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    assert_non_null(graph);
    assert_int_equal(status_of(other), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    assert_int_equal(status_of(NULL), ACL_MODEL_RI_CAPTURE_STATUS_NONE);

    /* It has a number, and cannot be used otherwise. */
    uint32_t id = 0;
    assert_int_equal(aclmdlRIGetId(graph, &id), 0);
    assert_failure(aclmdlRIExecuteAsync(graph, other), 107026, "still being recorded");
    assert_failure(aclmdlRIExecute(graph, -1), 107026, "still being recorded");
    assert_failure(aclmdlRIDestroy(graph), 107026, "still being recorded");
    assert_failure(aclmdlRIDebugPrint(graph), 107026, "still being recorded");
    assert_failure(aclmdlRIDebugJsonPrint(graph, "unused", 0), 107026, "still being recorded");
    ended = end();
    assert_ptr_equal(ended, graph);
    assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void nobody_waits_for_what_does_not_run(void **state)
{
    (void)state;
    aclrtStreamStatus status;
    aclrtEventRecordedStatus recorded;
    aclrtEventStatus old;
    aclrtEventWaitStatus wait;
    uint64_t time;
    float ms;
    begin(GLOBAL);
    set(0, 1, stream);
    assert_failure(aclrtSynchronizeStream(stream), 107027, "being recorded");
    assert_failure(aclrtSynchronizeStreamWithTimeout(stream, 5), 107027, "being recorded");
    assert_failure(aclrtStreamQuery(stream, &status), 107027, "being recorded");
    assert_failure(aclrtDestroyStream(stream), 107027, "being recorded");
    assert_failure(aclrtDestroyStreamForce(stream), 107027, "being recorded");
    assert_failure(aclrtStreamAbort(stream), 107027, "being recorded");
    assert_failure(aclrtStreamStop(stream), 107027, "being recorded");
    assert_failure(aclrtSynchronizeDevice(), 107027, "device 0");
    assert_failure(aclrtSynchronizeDeviceWithTimeout(5), 107027, "device 0");
    assert_int_equal(aclrtRecordEvent(event, stream), 0);
    assert_failure(aclrtSynchronizeEvent(event), 107028, "recorded in a capture");
    assert_failure(aclrtSynchronizeEventWithTimeout(event, 5), 107028, "recorded in a capture");
    assert_failure(aclrtQueryEventStatus(event, &recorded), 107028, "recorded in a capture");
    assert_failure(aclrtQueryEvent(event, &old), 107028, "recorded in a capture");
    assert_failure(aclrtQueryEventWaitStatus(event, &wait), 107028, "recorded in a capture");
    assert_failure(aclrtEventGetTimestamp(event, &time), 107028, "recorded in a capture");
    assert_failure(aclrtEventElapsedTime(&ms, event, event), 107028, "recorded in a capture");
    assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE); /* nothing of it is lost */
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    aclmdlRI graph = end();

    /* The event is what it was before. */
    assert_int_equal(aclrtSynchronizeEvent(event), 0);
    assert_int_equal(aclrtQueryEventStatus(event, &recorded), 0);
    assert_int_equal(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_int_equal(aclrtSynchronizeDevice(), 0);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void an_event_that_was_never_recorded_is_not_waited_for(void **state)
{
    (void)state;
    aclrtEvent fresh;
    assert_int_equal(aclrtCreateEvent(&fresh), 0);
    begin(GLOBAL);
    assert_int_equal(aclrtStreamWaitEvent(stream, fresh), 0);
    assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(aclmdlRIDestroy(end()), 0);
    assert_int_equal(aclrtDestroyEvent(fresh), 0);
}

static void an_event_leaves_a_capture_by_another_record(void **state)
{
    (void)state;
    aclrtEvent fresh;
    aclrtEventRecordedStatus status;
    begin(GLOBAL);
    assert_int_equal(aclrtRecordEvent(event, stream), 0);
    assert_int_equal(aclrtRecordEvent(event, other), 0);
    assert_int_equal(aclrtSynchronizeEvent(event), 0);

    /* One that takes the place of another knows nothing of its capture. */
    assert_int_equal(aclrtCreateEvent(&fresh), 0);
    assert_int_equal(aclrtRecordEvent(fresh, stream), 0);
    assert_int_equal(aclrtDestroyEvent(fresh), 0);
    assert_int_equal(aclrtCreateEvent(&fresh), 0);
    assert_int_equal(aclrtQueryEventStatus(fresh, &status), 0);
    assert_int_equal(aclrtDestroyEvent(fresh), 0);
    assert_int_equal(aclmdlRIDestroy(end()), 0);
}

static void streams_that_were_not_joined_back_leave_no_graph(void **state)
{
    (void)state;
    begin(GLOBAL);
    join(stream, event, other);
    set(0, 1, other);
    end_without(107025);
    assert_int_equal(status_of(other), ACL_MODEL_RI_CAPTURE_STATUS_NONE);

    /* Work behind the event that is waited for is not joined either. */
    begin(GLOBAL);
    join(stream, event, other);
    assert_int_equal(aclrtRecordEvent(back, other), 0);
    set(0, 1, other);
    assert_int_equal(aclrtStreamWaitEvent(stream, back), 0);
    end_without(107025);

    /* By way of a third one it is. */
    begin(GLOBAL);
    join(stream, event, other);
    set(0, 1, other);
    join(other, back, third);
    join(third, event, stream);
    assert_int_equal(aclmdlRIDestroy(end()), 0);
}

static void a_context_that_ends_takes_its_captures_with_it(void **state)
{
    (void)state;
    aclrtContext home, own;
    aclrtStream first, second;
    aclmdlRI graph;
    assert_int_equal(aclrtGetCurrentContext(&home), 0);
    assert_int_equal(aclrtCreateContext(&own, 0), 0);
    assert_int_equal(aclrtCreateStream(&first), 0);
    assert_int_equal(aclmdlRICaptureBegin(first, GLOBAL), 0);
    set(0, 1, first);
    assert_int_equal(aclmdlRICaptureGetInfo(first, NULL, &graph), 0);
    assert_int_equal(aclrtDestroyContext(own), 0);
    assert_int_equal(aclrtSetCurrentContext(home), 0);
    assert_failure(aclmdlRIDestroy(graph), 107017, "was destroyed");
    assert_int_equal(aclrtMemset(cells, 1, 1, 1), 0); /* nothing is forbidden any more */

    /* A stream that has joined is lost to a capture that goes on. */
    assert_int_equal(aclrtCreateContext(&own, 0), 0);
    assert_int_equal(aclrtCreateStream(&second), 0);
    assert_int_equal(aclrtSetCurrentContext(home), 0);
    begin(RELAXED);
    join(stream, event, second);
    set(0, 1, second);
    assert_int_equal(aclrtDestroyContext(own), 0);
    assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    end_without(507903);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

static void a_reset_with_an_open_capture_frees_it(void **state)
{
    (void)state;
    aclrtContext home;
    aclrtStream own;
    assert_int_equal(aclrtGetCurrentContext(&home), 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtCreateStream(&own), 0);
    assert_int_equal(aclmdlRICaptureBegin(own, GLOBAL), 0);
    assert_int_equal(aclrtLaunchHostFunc(own, do_nothing, NULL), 0);
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_int_equal(aclrtSetCurrentContext(home), 0);
    assert_int_equal(aclrtMemset(cells, 1, 1, 1), 0);
}

static void a_finalize_leaves_captures_open(void **state)
{
    (void)state;
    memset(cells, 0, 1);
    assert_int_equal(aclInit(NULL), 0);
    begin(GLOBAL);
    set(0, 1, stream);
    assert_int_equal(aclFinalize(), 0);
    assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    aclmdlRI graph = end();
    run(graph, stream);
    assert_int_equal(cells[0], 1);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begin_refuses_bad_arguments),
        cmocka_unit_test(end_refuses_bad_arguments),
        cmocka_unit_test(the_mode_of_a_thread_is_given_back),
        cmocka_unit_test(a_stream_says_whether_it_is_recorded),
        cmocka_unit_test(nobody_waits_for_what_does_not_run),
        cmocka_unit_test(an_event_that_was_never_recorded_is_not_waited_for),
        cmocka_unit_test(an_event_leaves_a_capture_by_another_record),
        cmocka_unit_test(streams_that_were_not_joined_back_leave_no_graph),
        cmocka_unit_test(a_context_that_ends_takes_its_captures_with_it),
        cmocka_unit_test(a_reset_with_an_open_capture_frees_it),
        cmocka_unit_test(a_finalize_leaves_captures_open),
    };
    setenv("BELAY_DEVICES", "2", 1);
    return cmocka_run_group_tests(tests, captured_set_up, captured_tear_down);
}
