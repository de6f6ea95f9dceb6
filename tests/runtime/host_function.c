/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Host functions: the threads that run them, and what they may wait for from inside.
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
#include "support/open_stream.h"

static _Atomic int steps;

static void note(void *place)
{
    atomic_store((_Atomic int *)place, atomic_fetch_add(&steps, 1) + 1);
}

/* Most of the stack that its thread promises. */
static __attribute__((noinline)) void take_much_stack(void *place)
{
    volatile char stack[(4 << 20) - (512 << 10)];
    for (size_t i = 0; i < sizeof stack; i += 1024)
        stack[i] = 1;
    note(place);
    stack[0] = 2;
}

static void host_functions_have_room_on_the_stack(void **state)
{
    (void)state;
    _Atomic int done = 0;
    atomic_store(&steps, 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, take_much_stack, &done), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(atomic_load(&done), 1);
}

static void a_host_function_that_blocks_does_not_hold_other_streams_up(void **state)
{
    (void)state;
    enum { BLOCKED = 12 };
    aclrtStream blocked[BLOCKED];
    struct gate gates[BLOCKED];
    _Atomic int ran = 0;
    for (int i = 0; i < BLOCKED; i++) {
        assert_int_equal(aclrtCreateStream(&blocked[i]), 0);
        assert_int_equal(launch_gate(blocked[i], &gates[i]), 0);
    }
    for (int i = 0; i < BLOCKED; i++)
        reach_gate(&gates[i]);
    assert_int_equal(aclrtLaunchHostFunc(stream, note, (void *)&ran), 0);
    for (int i = 0; i < 60000 && !ran; i++)
        pause_us(1000);
    assert_true(ran != 0);
    for (int i = 0; i < BLOCKED; i++)
        open_gate(&gates[i]);
    for (int i = 0; i < BLOCKED; i++)
        assert_int_equal(aclrtDestroyStream(blocked[i]), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

struct observation {
    aclrtStream stream;
    pthread_t thread;
    int without_context, own_stream;
    int32_t device;
};

/* What a host function sees of the thread that it runs on, and what it leaves behind there. */
static void observe(void *argument)
{
    struct observation *seen = (struct observation *)argument;
    seen->thread = pthread_self();
    aclrtContext before = NULL;
    bool has_context = aclrtGetCurrentContext(&before) == 0;
    seen->own_stream = aclrtSynchronizeStream(seen->stream);
    seen->without_context = has_context ? 0 : aclrtGetDevice(&seen->device);
    aclrtContext other = NULL;
    aclrtCreateContext(&other, 0);
    aclrtDestroyContext(other);
    if (has_context)
        aclrtSetCurrentContext(before);
}

static void host_functions_run_on_threads_of_the_library(void **state)
{
    (void)state;
    aclrtContext mine = NULL, now = NULL;
    assert_int_equal(aclrtGetCurrentContext(&mine), 0);
    struct observation seen = {0};
    assert_int_equal(aclrtCreateStream(&seen.stream), 0);
    for (int i = 0; i < 200; i++) {
        seen.own_stream = -1;
        assert_int_equal(aclrtLaunchHostFunc(seen.stream, observe, &seen), 0);
        assert_int_equal(aclrtSynchronizeStream(seen.stream), 0);
        assert_false(pthread_equal(seen.thread, pthread_self()));
        assert_int_equal(seen.own_stream, 107000); /* whatever context the thread has */
        assert_int_equal(aclrtGetCurrentContext(&now), 0);
        assert_ptr_equal(now, mine);
    }
    assert_int_equal(aclrtDestroyStream(seen.stream), 0);
}

/* Each host function waits for the next stream: more waiting threads than the pool has. */
static aclrtStream nested[3];
static _Atomic int status_inside;

static void wait_for_next(void *argument)
{
    int index = (int)(intptr_t)argument;
    aclrtSetDevice(0);
    if (index < 3) {
        aclrtLaunchHostFunc(nested[index], wait_for_next, (void *)(intptr_t)(index + 1));
        atomic_fetch_or(&status_inside, aclrtSynchronizeStream(nested[index]));
    }
    atomic_fetch_add(&steps, 1);
    aclrtResetDevice(0);
}

static void host_functions_may_wait_for_other_streams(void **state)
{
    (void)state;
    atomic_store(&steps, 0);
    atomic_store(&status_inside, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aclrtCreateStream(&nested[i]), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, wait_for_next, (void *)0), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(status_inside, 0);
    assert_int_equal(steps, 4);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aclrtDestroyStream(nested[i]), 0);
}

/* What a host function waits for from inside its stream, and what it is told. */
static struct inside {
    aclrtEvent before, after;
    aclrtStream other;
    _Atomic int may_wait;
    int event_before, event_after, other_stream, other_with_timeout, aborted;
} inside;

static void wait_from_inside(void *unused)
{
    (void)unused;
    aclrtSetDevice(0);
    while (!atomic_load(&inside.may_wait))
        pause_us(100);
    inside.event_before = aclrtSynchronizeEvent(inside.before);
    inside.event_after = aclrtSynchronizeEvent(inside.after);
    inside.other_stream = aclrtSynchronizeStream(inside.other);
    inside.other_with_timeout = aclrtSynchronizeStreamWithTimeout(inside.other, 20);
    aclrtResetDevice(0);
}

static void a_host_function_cannot_wait_for_what_waits_for_it(void **state)
{
    (void)state;
    _Atomic int ran = 0;
    atomic_store(&inside.may_wait, 0);
    assert_int_equal(aclrtCreateEvent(&inside.before), 0);
    assert_int_equal(aclrtCreateEvent(&inside.after), 0);
    assert_int_equal(aclrtCreateStream(&inside.other), 0);
    assert_int_equal(aclrtRecordEvent(inside.before, stream), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, wait_from_inside, NULL), 0);
    assert_int_equal(aclrtRecordEvent(inside.after, stream), 0);
    assert_int_equal(aclrtStreamWaitEvent(inside.other, inside.after), 0);
    assert_int_equal(aclrtLaunchHostFunc(inside.other, note, (void *)&ran), 0);
    atomic_store(&inside.may_wait, 1);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(inside.event_before, 0);
    assert_int_equal(inside.event_after, 107000);
    assert_int_equal(inside.other_stream, 107000);
    assert_int_equal(inside.other_with_timeout, 507046);
    assert_int_equal(aclrtSynchronizeStream(inside.other), 0);
    assert_true(ran != 0);
    assert_int_equal(aclrtDestroyStream(inside.other), 0);
    assert_int_equal(aclrtDestroyEvent(inside.before), 0);
    assert_int_equal(aclrtDestroyEvent(inside.after), 0);
}

static void abort_from_inside(void *unused)
{
    (void)unused;
    inside.aborted = aclrtDeviceTaskAbort(0, 60000);
}

static void a_host_function_may_abort_the_work_of_its_device(void **state)
{
    (void)state;
    aclrtStream made;
    inside.aborted = -1;
    assert_int_equal(aclrtCreateStream(&made), 0);
    assert_int_equal(aclrtLaunchHostFunc(made, abort_from_inside, NULL), 0);
    assert_failure(aclrtSynchronizeStream(made), 107022, "aborted");
    assert_int_equal(inside.aborted, 0);
    assert_int_equal(aclrtDestroyStream(made), 0);
    /* What was aborted is told in each of the device's streams. */
    assert_failure(aclrtSynchronizeStream(stream), 107022, "aborted");
    assert_failure(aclrtSynchronizeStream(NULL), 107022, "aborted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_functions_have_room_on_the_stack),
        cmocka_unit_test(a_host_function_that_blocks_does_not_hold_other_streams_up),
        cmocka_unit_test(host_functions_may_wait_for_other_streams),
        cmocka_unit_test(a_host_function_cannot_wait_for_what_waits_for_it),
        cmocka_unit_test(a_host_function_may_abort_the_work_of_its_device),
        cmocka_unit_test(host_functions_run_on_threads_of_the_library),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
