/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Running tasks: order, place, errors, and what becomes of tasks that do not run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/devices/device.h"
#include "runtime/streams/device_streams.h"
#include "runtime/streams/stream.h"
#include "runtime/streams/workers.h"
#include "support/gate.h"

enum { TASKS = 5000, SLOW_NS = 1000000 };

static _Atomic int runs, releases;
static _Atomic int last;
static _Atomic bool is_out_of_order;

static int count_run(struct task *task)
{
    int number;
    memcpy(&number, task->payload, sizeof number);
    if (atomic_exchange(&last, number) != number - 1)
        atomic_store(&is_out_of_order, true);
    atomic_fetch_add(&runs, 1);
    return 0;
}

static void count_release(struct task *task)
{
    (void)task;
    atomic_fetch_add(&releases, 1);
}

static struct task counted(int number, uint64_t cost_ns)
{
    struct task task = {.run = count_run, .release = count_release, .cost_ns = cost_ns};
    memcpy(task.payload, &number, sizeof number);
    return task;
}

static int prepare(void **state)
{
    (void)state;
    runs = releases = last = 0;
    is_out_of_order = false;
    return aclrtSetDevice(0);
}

static int finish(void **state)
{
    (void)state;
    return aclrtResetDevice(0);
}

static void cheap_tasks_on_an_idle_stream_run_at_once(void **state)
{
    (void)state;
    for (int i = 1; i <= 10; i++) {
        struct task task = counted(i, 100);
        assert_int_equal(stream_submit("test", NULL, &task), 0);
        assert_int_equal(runs, i);
        assert_int_equal(releases, i);
    }
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static void tasks_run_in_the_order_of_submission(void **state)
{
    (void)state;
    aclrtStream stream;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    for (int i = 1; i <= TASKS; i++) {
        struct task task = counted(i, i % 3 == 0 ? 10 : SLOW_NS);
        assert_int_equal(stream_submit("test", stream, &task), 0);
    }
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(runs, TASKS);
    assert_int_equal(releases, TASKS);
    assert_false(is_out_of_order);
    assert_int_equal(aclrtDestroyStream(stream), 0);
}

static void after_a_synchronise_nothing_is_busy(void **state)
{
    (void)state;
    aclrtStream stream;
    aclrtStreamStatus status;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    for (int i = 1; i <= TASKS; i++) {
        struct task task = counted(i, SLOW_NS);
        assert_int_equal(stream_submit("test", stream, &task), 0);
        assert_true(device_is_busy(0) || runs == i);
        assert_int_equal(aclrtSynchronizeStreamWithTimeout(stream, 10000), 0);
        assert_int_equal(aclrtStreamQuery(stream, &status), 0);
        assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
        assert_false(device_is_busy(0));
    }
    assert_int_equal(aclrtDestroyStream(stream), 0);
}

static void memory_that_is_freed_waits_for_work_from_before_alone(void **state)
{
    (void)state;
    aclrtStream stream, other;
    struct gate gate, later;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(launch_gate(stream, &gate), 0);
    uint64_t mark = device_mark();
    assert_int_equal(launch_gate(other, &later), 0);
    assert_int_equal(launch_gate(stream, &later), 0);
    assert_true(device_oldest_unfinished(0) < mark);
    open_gate(&gate);
    while (device_oldest_unfinished(0) < mark)
        pause_us(50);
    assert_true(device_is_busy(0));
    open_gate(&later);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtDestroyStream(other), 0);
}

static void square(void *context, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        ((uint64_t *)context)[i] = i * i;
}

static void parallel_loops_reach_every_index_once(void **state)
{
    (void)state;
    static uint64_t result[1000];
    for (int repeat = 0; repeat < 200; repeat++) {
        memset(result, 0, sizeof result);
        workers_run(square, result, 1000, 100);
        for (uint64_t i = 0; i < 1000; i++)
            assert_int_equal(result[i], i * i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cheap_tasks_on_an_idle_stream_run_at_once, prepare, finish),
        cmocka_unit_test_setup_teardown(tasks_run_in_the_order_of_submission, prepare, finish),
        cmocka_unit_test_setup_teardown(after_a_synchronise_nothing_is_busy, prepare, finish),
        cmocka_unit_test_setup_teardown(memory_that_is_freed_waits_for_work_from_before_alone, prepare,
                                        finish),
        cmocka_unit_test(parallel_loops_reach_every_index_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
