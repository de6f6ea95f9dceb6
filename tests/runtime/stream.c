/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams: made, waited for, asked, aborted, destroyed; every status; what becomes of queued tasks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "acl/acl.h"
#include "runtime/streams/stream.h"
#include "support/failure.h"
#include "support/gate.h"
#include "support/open_stream.h"
#include "support/thread.h"

#define FORGED ((void *)(uintptr_t)0x1234567890)

static _Atomic int runs, releases;

static int count_run(struct task *task)
{
    int result;
    memcpy(&result, task->payload, sizeof result);
    atomic_fetch_add(&runs, 1);
    return result;
}

static void count_release(struct task *task)
{
    (void)task;
    atomic_fetch_add(&releases, 1);
}

/* Tasks that end with result. */
static void submit(aclrtStream target, int count, int result)
{
    struct task task = {.run = count_run, .release = count_release, .cost_ns = TASK_NEVER_INLINE};
    memcpy(task.payload, &result, sizeof result);
    for (int i = 0; i < count; i++)
        assert_int_equal(stream_submit("test", target, &task), 0);
}

static void reset_counts(void)
{
    atomic_store(&runs, 0);
    atomic_store(&releases, 0);
}

static void every_call_refuses_stale_foreign_and_forged_streams(void **state)
{
    (void)state;
    aclrtStream stale;
    aclrtEvent event;
    aclrtStreamStatus status;
    int32_t id;
    uint32_t number;
    aclrtStreamAttrValue value = {0};
    assert_int_equal(aclrtCreateStream(&stale), 0);
    assert_int_equal(aclrtDestroyStream(stale), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    aclrtStream bad[] = {stale, event, FORGED};
    for (int i = 0; i < 3; i++) {
        int32_t device;
        struct task task = {.run = count_run, .cost_ns = i == 0 ? 1 : TASK_NEVER_INLINE};
        assert_failure(aclrtSynchronizeStream(bad[i]), 107017, "aclrtSynchronizeStream");
        assert_failure(aclrtSynchronizeStreamWithTimeout(bad[i], 5), 107017,
                       "aclrtSynchronizeStreamWithTimeout");
        assert_failure(aclrtStreamQuery(bad[i], &status), 107017, "aclrtStreamQuery");
        assert_failure(aclrtDestroyStream(bad[i]), 107017, "; a live stream is expected");
        assert_failure(aclrtDestroyStreamForce(bad[i]), 107017, "aclrtDestroyStreamForce");
        assert_failure(aclrtStreamGetId(bad[i], &id), 107017, "aclrtStreamGetId");
        assert_failure(aclrtStreamGetPriority(bad[i], &number), 107017, "aclrtStreamGetPriority");
        assert_failure(aclrtStreamGetFlags(bad[i], &number), 107017, "aclrtStreamGetFlags");
        assert_failure(aclrtStreamAbort(bad[i]), 107017, "aclrtStreamAbort");
        assert_failure(aclrtStreamStop(bad[i]), 107017, "aclrtStreamStop");
        assert_failure(aclrtSetStreamFailureMode(bad[i], 0), 107017, "aclrtSetStreamFailureMode");
        assert_failure(aclrtSetStreamAttribute(bad[i], ACL_STREAM_ATTR_PRIORITY, &value), 107017,
                       "aclrtSetStreamAttribute");
        assert_failure(aclrtGetStreamAttribute(bad[i], ACL_STREAM_ATTR_PRIORITY, &value), 107017,
                       "aclrtGetStreamAttribute");
        assert_failure(aclrtSetStreamOverflowSwitch(bad[i], 1), 107017, "aclrtSetStreamOverflowSwitch");
        assert_failure(aclrtGetStreamOverflowSwitch(bad[i], &number), 107017, "aclrtGetStreamOverflowSwitch");
        assert_failure(aclrtLaunchHostFunc(bad[i], free, NULL), 107017, "aclrtLaunchHostFunc");
        assert_failure(stream_submit("test", bad[i], &task), 107017, "test: argument stream");
        assert_failure(stream_device("aclrtTest", bad[i], &device), 107017, "aclrtTest: argument stream");
    }
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

static void null_arguments_are_refused(void **state)
{
    (void)state;
    assert_failure(aclrtCreateStream(NULL), 100000, "aclrtCreateStream: argument stream is NULL");
    assert_failure(aclrtCreateStreamWithConfig(NULL, 0, 0), 100000, "stream is NULL");
    assert_failure(aclrtDestroyStream(NULL), 100000, "stream is NULL");
    assert_failure(aclrtDestroyStreamForce(NULL), 100000, "stream is NULL");
    assert_failure(aclrtStreamQuery(stream, NULL), 100000, "status is NULL");
    assert_failure(aclrtSynchronizeStreamWithTimeout(stream, 0), 107000, "timeout is 0");
    assert_failure(aclrtSynchronizeStreamWithTimeout(stream, -2), 107000, "timeout is -2");
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(stream, -1), 0);
    aclrtStream current, made;
    assert_int_equal(aclrtCtxGetCurrentDefaultStream(&current), 0);
    assert_failure(aclrtDestroyStream(current), 100000, "default stream");
    assert_failure(aclrtCreateStreamWithConfig(&made, 0, 0x40), 107000, "flag is 0x40");
}

static void *no_context(void *code)
{
    aclrtStream made;
    aclrtStreamStatus status;
    int *codes = code;
    struct task task = {.run = count_run};
    codes[0] = aclrtCreateStream(&made);
    codes[1] = aclrtDestroyStream(stream);
    codes[2] = aclrtSynchronizeStream(stream);
    codes[3] = aclrtStreamQuery(stream, &status);
    codes[4] = stream_submit("test", stream, &task);
    codes[5] = stream_submit("test", NULL, &task);
    codes[6] = aclrtSetStreamFailureMode(NULL, 0) == 107000 ? 107002 : 0;
    return NULL;
}

static void a_thread_without_a_context_is_refused(void **state)
{
    (void)state;
    int codes[7];
    run_in_thread(no_context, codes);
    for (int i = 0; i < 7; i++)
        assert_int_equal(codes[i], 107002);
}

static void a_busy_stream_is_not_ready_and_a_wait_for_it_times_out(void **state)
{
    (void)state;
    struct gate gate;
    aclrtStreamStatus status;
    reset_counts();
    assert_int_equal(aclrtStreamQuery(stream, &status), 0);
    assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
    assert_int_equal(launch_gate(stream, &gate), 0);
    submit(stream, 3, 0);
    assert_int_equal(aclrtStreamQuery(stream, &status), 0);
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    assert_failure(aclrtSynchronizeStreamWithTimeout(stream, 20), 507046, "time was over");
    assert_int_equal(runs, 0);
    open_gate(&gate);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(stream, 60000), 0);
    assert_int_equal(runs, 3);
    assert_int_equal(aclrtStreamQuery(stream, &status), 0);
    assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
}

static void the_first_error_is_reported_once(void **state)
{
    (void)state;
    aclrtStreamStatus status;
    reset_counts();
    submit(stream, 1, 0);
    submit(stream, 1, 507015);
    submit(stream, 1, 507018);
    assert_failure(aclrtSynchronizeStream(stream), 507015, "507015");
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(runs, 3);
    int result = 507035;
    struct task cheap = {.run = count_run, .cost_ns = 10};
    memcpy(cheap.payload, &result, sizeof result);
    assert_int_equal(stream_submit("test", stream, &cheap), 0);
    /* It may run here and now or, while a worker is still leaving the stream, on that worker. */
    aclrtEvent behind;
    assert_int_equal(aclrtCreateEvent(&behind), 0);
    assert_int_equal(aclrtRecordEvent(behind, stream), 0);
    assert_failure(aclrtSynchronizeEvent(behind), 507035, "507035");
    assert_int_equal(aclrtDestroyEvent(behind), 0);
    assert_int_equal(aclrtStreamQuery(stream, &status), 0);
    assert_int_equal(stream_submit("test", stream, &cheap), 0);
    int answer;
    while ((answer = aclrtStreamQuery(stream, &status)) == 0)
        assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    assert_int_equal(answer, 507035);
    assert_sentence("507035");
    submit(stream, 1, 507011);
    assert_failure(aclrtSynchronizeDevice(), 507011, "507011");
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static void destroy_runs_what_is_queued(void **state)
{
    (void)state;
    aclrtStream made;
    struct gate gate;
    reset_counts();
    assert_int_equal(aclrtCreateStreamWithConfig(&made, 3, ACL_STREAM_FAST_LAUNCH), 0);
    assert_int_equal(launch_gate(made, &gate), 0);
    submit(made, 100, 0);
    open_gate(&gate);
    assert_int_equal(aclrtDestroyStream(made), 0);
    assert_int_equal(runs, 100);
    assert_int_equal(releases, 100);
}

/* What a thread has waited for last is found again without a lookup. */
static void a_stream_that_was_waited_for_is_asked_for_again(void **state)
{
    (void)state;
    aclrtStream made, next;
    aclrtContext own;
    assert_int_equal(aclrtCreateStream(&made), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aclrtSynchronizeStream(made), 0);
    assert_int_equal(aclrtCreateContext(&own, 0), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aclrtSynchronizeStream(made), 0);
    assert_int_equal(aclrtDestroyContext(own), 0);
    assert_failure(aclrtSynchronizeStream(made), 107002, "was destroyed");
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtSynchronizeStream(made), 0);
    assert_int_equal(aclrtDestroyStream(made), 0);
    assert_failure(aclrtSynchronizeStream(made), 107017, "was destroyed");
    assert_int_equal(aclrtCreateStream(&next), 0);
    assert_failure(aclrtSynchronizeStream(made), 107017, "was destroyed");
    assert_int_equal(aclrtSynchronizeStream(next), 0);
    assert_int_equal(aclrtDestroyStream(next), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void forced_destroy_abandons_what_is_queued(void **state)
{
    (void)state;
    aclrtStream made;
    struct gate gate;
    reset_counts();
    assert_int_equal(aclrtCreateStream(&made), 0);
    assert_int_equal(launch_gate(made, &gate), 0);
    reach_gate(&gate);
    submit(made, 100, 0);
    assert_int_equal(aclrtDestroyStreamForce(made), 0);
    assert_failure(aclrtSynchronizeStream(made), 107017, "was destroyed");
    open_gate(&gate);
    while (atomic_load(&releases) < 100)
        pause_us(100);
    assert_int_equal(runs, 0);
    assert_int_equal(aclrtCreateStream(&made), 0);
    assert_int_equal(aclrtDestroyStreamForce(made), 0);
    assert_int_equal(releases, 100);
}

static void an_abort_discards_what_has_not_begun(void **state)
{
    (void)state;
    struct gate gate;
    assert_failure(aclrtStreamAbort(NULL), 100000, "stream is NULL");
    for (int stops = 0; stops < 2; stops++) {
        reset_counts();
        assert_int_equal(launch_gate(stream, &gate), 0);
        reach_gate(&gate);
        submit(stream, 10, 0);
        assert_int_equal(stops ? aclrtStreamStop(stream) : aclrtStreamAbort(stream), 0);
        open_gate(&gate);
        assert_failure(aclrtSynchronizeStream(stream), 107023, "aborted");
        assert_int_equal(runs, 0);
        assert_int_equal(releases, 10);
        submit(stream, 1, 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(runs, 1);
    }
    assert_failure(aclrtDeviceTaskAbort(64, 0), 107001, "device 64");
    reset_counts();
    assert_int_equal(launch_gate(stream, &gate), 0);
    reach_gate(&gate);
    submit(stream, 10, 0);
    assert_failure(aclrtDeviceTaskAbort(0, 10), 107020, "still running");
    open_gate(&gate);
    assert_failure(aclrtSynchronizeStream(stream), 107022, "aborted");
    assert_int_equal(runs, 0);
    assert_int_equal(releases, 10);
    aclrtStream gone, made; /* a place without a stream among those with one */
    assert_int_equal(aclrtCreateStream(&gone), 0);
    assert_int_equal(aclrtCreateStream(&made), 0);
    assert_int_equal(aclrtDestroyStream(gone), 0);
    assert_int_equal(aclrtDeviceTaskAbort(0, 60000), 0);
    assert_failure(aclrtSynchronizeStream(made), 107022, "aborted");
    assert_int_equal(aclrtDestroyStream(made), 0);
    assert_failure(aclrtSynchronizeStream(stream), 107022, "aborted");
    assert_failure(aclrtSynchronizeStream(NULL), 107022, "aborted");
}

static void with_stop_on_failure_nothing_runs_until_it_is_reported(void **state)
{
    (void)state;
    aclrtStream stops;
    assert_failure(aclrtSetStreamFailureMode(stream, 2), 107000, "mode is 2");
    assert_int_equal(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE), 0);
    assert_int_equal(aclrtCreateStream(&stops), 0);
    assert_int_equal(aclrtSetStreamFailureMode(stops, ACL_STOP_ON_FAILURE), 0);
    assert_int_equal(aclrtSetStreamFailureMode(stops, ACL_STOP_ON_FAILURE), 0);
    assert_failure(aclrtSetStreamFailureMode(stops, ACL_CONTINUE_ON_FAILURE), 207000, "going back");
    aclrtStreamAttrValue mode;
    assert_int_equal(aclrtGetStreamAttribute(stops, ACL_STREAM_ATTR_FAILURE_MODE, &mode), 0);
    assert_int_equal(mode.failureMode, ACL_STOP_ON_FAILURE);
    reset_counts();
    submit(stops, 1, 507015);
    submit(stops, 5, 0);
    struct task cheap = {.run = count_run, .release = count_release, .cost_ns = 1};
    assert_int_equal(stream_submit("test", stops, &cheap), 0);
    assert_failure(aclrtSynchronizeStream(stops), 507015, "507015");
    assert_int_equal(runs, 1);
    assert_int_equal(releases, 7);
    submit(stops, 5, 0);
    assert_int_equal(aclrtSynchronizeStream(stops), 0);
    assert_int_equal(runs, 6);
    /* The other streams of the context go on. */
    submit(stops, 1, 507015);
    aclrtEvent event;
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(aclrtRecordEvent(event, stops), 0);
    assert_int_equal(aclrtStreamWaitEvent(stream, event), 0);
    submit(stream, 1, 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(runs, 8);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_int_equal(aclrtDestroyStream(stops), 0);
}

static void streams_started_by_others_are_not_waited_for(void **state)
{
    (void)state;
    const uint32_t flags[] = {ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY};
    for (int i = 0; i < 3; i++) {
        aclrtStream made;
        struct gate gate;
        assert_int_equal(aclrtCreateStreamWithConfig(&made, 0, flags[i]), 0);
        assert_int_equal(launch_gate(made, &gate), 0);
        assert_int_equal(aclrtSynchronizeStream(made), 0);
        open_gate(&gate);
        assert_int_equal(aclrtDestroyStream(made), 0);
    }
}

/* Floods its own stream from inside: the queue must stretch, or refuse, but not wait for itself. */
static int flood(struct task *task)
{
    aclrtStream target;
    memcpy(&target, task->payload, sizeof target);
    aclrtSetDevice(0);
    struct task filler = {.run = count_run, .release = count_release, .cost_ns = TASK_NEVER_INLINE};
    int status = 0, count = 0;
    while (status == 0 && count < 100000) {
        status = stream_submit("test", target, &filler);
        count += status == 0;
    }
    aclrtResetDevice(0);
    return status == 507002 && count > 60000 && sentence_has("test: 65536 tasks of the stream are queued")
               ? 0
               : 1;
}

static void a_task_that_floods_its_own_stream_is_refused_in_the_end(void **state)
{
    (void)state;
    reset_counts();
    struct task task = {.run = flood, .cost_ns = TASK_NEVER_INLINE};
    memcpy(task.payload, &stream, sizeof stream);
    assert_int_equal(stream_submit("test", stream, &task), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0); /* for the flooding task */
    assert_int_equal(aclrtSynchronizeStream(stream), 0); /* for what it queued */
    assert_true(runs > 60000);
    assert_int_equal(runs, releases);
}

static void a_device_has_room_for_1024_contexts(void **state)
{
    (void)state;
    static aclrtContext contexts[1024];
    aclrtContext primary;
    int count = 0;
    assert_int_equal(aclrtGetCurrentContext(&primary), 0);
    while (count < 1024 && aclrtCreateContext(&contexts[count], 0) == 0)
        count++;
    assert_int_equal(count, 1023); /* the primary one is the other */
    assert_failure(aclrtCreateContext(&contexts[1023], 0), 207008, "1024 contexts");
    for (int i = 0; i < count; i++)
        assert_int_equal(aclrtDestroyContext(contexts[i]), 0);
    assert_int_equal(aclrtSetCurrentContext(primary), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_refuses_stale_foreign_and_forged_streams),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(a_thread_without_a_context_is_refused),
        cmocka_unit_test(a_busy_stream_is_not_ready_and_a_wait_for_it_times_out),
        cmocka_unit_test(the_first_error_is_reported_once),
        cmocka_unit_test(destroy_runs_what_is_queued),
        cmocka_unit_test(a_stream_that_was_waited_for_is_asked_for_again),
        cmocka_unit_test(forced_destroy_abandons_what_is_queued),
        cmocka_unit_test(an_abort_discards_what_has_not_begun),
        cmocka_unit_test(with_stop_on_failure_nothing_runs_until_it_is_reported),
        cmocka_unit_test(a_device_has_room_for_1024_contexts),
        cmocka_unit_test(streams_started_by_others_are_not_waited_for),
        cmocka_unit_test(a_task_that_floods_its_own_stream_is_refused_in_the_end),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
