/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What joining loops must not do to a thread of the program that waits, and what must not happen beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/streams/stream.h"
#include "runtime/streams/workers.h"
#include "support/gate.h"

enum { MILLISECOND = 1000000, TRIES = 100, KIB = 1024 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static _Atomic bool is_on_one_processor;

/* What the library calls, instead of the C library's: threads may seem to share a processor. */
__attribute__((visibility("default"))) int sched_getcpu(void)
{
    unsigned processor;
    if (is_on_one_processor || syscall(SYS_getcpu, &processor, NULL, NULL) != 0)
        return 0;
    return (int)processor;
}

static bool has_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1 &&
           strcmp(getenv("BELAY_THREADS"), "2") == 0;
}

static pthread_t waiter;
static _Atomic bool waiter_exists, waiter_joins, waiter_is_back;

static void note_waiter(void)
{
    if (waiter_exists && pthread_equal(pthread_self(), waiter))
        waiter_joins = true;
}

/* Has another thread wait for the stream, with a stack of its own or, if bytes is 0, the usual one. */
static void begin_to_wait(void *(*wait)(void *), aclrtStream stream, size_t bytes)
{
    pthread_attr_t attributes;
    waiter_exists = waiter_joins = waiter_is_back = false;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    if (bytes > 0)
        assert_int_equal(pthread_attr_setstacksize(&attributes, bytes), 0);
    assert_int_equal(pthread_create(&waiter, &attributes, wait, stream), 0);
    waiter_exists = true;
    pthread_attr_destroy(&attributes);
}

static void *wait_for_stream(void *stream)
{
    aclrtSetDevice(0);
    aclrtSynchronizeStream(stream);
    waiter_is_back = true;
    return NULL;
}

/* Whether the waiter does join a loop before it is back, or asleep. */
static bool joins(void)
{
    for (const uint64_t end = now_ns() + 100 * MILLISECOND;
         !waiter_joins && !waiter_is_back && now_ns() < end;)
        pause_us(100);
    return waiter_joins;
}

static void sleep_in_body(void *duration_us, uint64_t begin, uint64_t end)
{
    note_waiter();
    for (uint64_t i = begin; i < end; i++)
        pause_us(*(const long *)duration_us);
}

/* Two indices at a time, which sleep, for as long as the task is said to take. */
static int run_sleeping_loops(struct task *task)
{
    long index_us = 30000;
    for (const uint64_t end = now_ns() + task->cost_ns; now_ns() < end;)
        workers_run(sleep_in_body, &index_us, 2, 1);
    return 0;
}

static void submit(aclrtStream stream, int (*run)(struct task *task), uint64_t cost_ns)
{
    struct task task = {.run = run, .cost_ns = cost_ns};
    assert_int_equal(stream_submit("test", stream, &task), 0);
}

static void cancelling_a_thread_that_waits_loses_no_loop(void **state)
{
    (void)state;
    if (!has_processors())
        skip();
    assert_int_equal(aclrtSetDevice(0), 0);
    bool has_joined = false;
    for (int i = 0; i < TRIES && !has_joined; i++) {
        void *result;
        submit(NULL, run_sleeping_loops, 50 * MILLISECOND);
        begin_to_wait(wait_for_stream, NULL, 0);
        has_joined = joins();
        if (has_joined)
            pthread_cancel(waiter);
        assert_int_equal(pthread_join(waiter, &result), 0);
        assert_true(waiter_is_back);
        assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    }
    assert_true(has_joined);
    assert_int_equal(aclrtResetDevice(0), 0);
}

enum { STACK_KIB = 160, BODY_KIB = 192 };

static void fill_stack(void *unused, uint64_t begin, uint64_t end)
{
    (void)unused;
    volatile unsigned char on_stack[BODY_KIB * KIB];
    for (uint64_t i = begin; i < end; i++)
        for (size_t byte = 0; byte < sizeof on_stack; byte += KIB)
            on_stack[byte] = (unsigned char)i;
    note_waiter();
    pause_us(100);
}

static int run_large_loops(struct task *task)
{
    (void)task;
    for (int i = 0; i < TRIES; i++)
        workers_run(fill_stack, NULL, 8, 1);
    return 0;
}

static int run_large_task(struct task *task)
{
    (void)task;
    fill_stack(NULL, 0, 1);
    return 0;
}

static void a_thread_with_a_small_stack_does_not_help(void **state)
{
    (void)state;
    if (!has_processors())
        skip();
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int i = 0; i < 10; i++) {
        submit(NULL, run_large_loops, TASK_NEVER_INLINE);
        for (int j = 0; j < TRIES; j++)
            submit(NULL, run_large_task, TASK_NEVER_INLINE);
        begin_to_wait(wait_for_stream, NULL, (size_t)STACK_KIB * KIB);
        assert_int_equal(pthread_join(waiter, NULL), 0);
        assert_false(waiter_joins);
    }
    assert_int_equal(aclrtResetDevice(0), 0);
}

static _Atomic bool is_held, is_free;

/* Takes one of the two workers, so that nobody but a thread that waits joins the other one's loops. */
static int hold_worker(struct task *task)
{
    (void)task;
    is_held = true;
    while (!is_free)
        pause_us(50);
    return 0;
}

static void hold(aclrtStream stream)
{
    is_held = is_free = false;
    submit(stream, hold_worker, TASK_NEVER_INLINE);
    while (!is_held)
        pause_us(50);
}

static _Atomic int others;
static pthread_t lister;

static void note_others(void *unused, uint64_t begin, uint64_t end)
{
    (void)unused;
    (void)begin;
    (void)end;
    if (!pthread_equal(pthread_self(), lister) && !pthread_equal(pthread_self(), waiter))
        others++;
    pause_us(3000);
}

static void workers_are_woken_while_a_thread_that_waits_is_in_a_loop(void **state)
{
    (void)state;
    if (!has_processors())
        skip();
    aclrtStream holding;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&holding), 0);
    lister = pthread_self();
    int joined = 0, woken = 0;
    for (int i = 0; i < TRIES && joined < 5; i++) {
        hold(holding);
        submit(NULL, run_sleeping_loops, 25 * MILLISECOND);
        pause_us(2000);
        begin_to_wait(wait_for_stream, NULL, 0);
        const bool has_joined = joins();
        is_free = true;
        if (has_joined) {
            joined++;
            others = 0;
            pause_us(2000); /* until the other worker sleeps */
            workers_run(note_others, NULL, 4, 1);
            woken += others > 0;
        }
        assert_int_equal(pthread_join(waiter, NULL), 0);
        assert_int_equal(aclrtSynchronizeStream(holding), 0);
    }
    assert_true(joined > 0);
    assert_true(woken > joined / 2); /* but where the loop ended before it was looked at */
    assert_int_equal(aclrtDestroyStream(holding), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static int run_long_loop(struct task *task)
{
    (void)task;
    long index_us = 400000;
    workers_run(sleep_in_body, &index_us, 2, 1);
    return 0;
}

static void a_wait_is_not_made_longer_by_loops_of_another_stream(void **state)
{
    (void)state;
    aclrtStream looping, holding;
    if (!has_processors())
        skip();
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&looping), 0);
    assert_int_equal(aclrtCreateStream(&holding), 0);
    int in_time = 0;
    for (int i = 0; i < 4; i++) {
        hold(holding);
        submit(looping, run_long_loop, TASK_NEVER_INLINE);
        pause_us(2000);
        const uint64_t since = now_ns();
        begin_to_wait(wait_for_stream, holding, 0);
        pause_us(5000);
        is_free = true;
        assert_int_equal(pthread_join(waiter, NULL), 0);
        in_time += now_ns() - since < 200 * MILLISECOND;
        assert_int_equal(aclrtSynchronizeStream(looping), 0);
    }
    assert_true(in_time >= 3);
    assert_int_equal(aclrtDestroyStream(looping), 0);
    assert_int_equal(aclrtDestroyStream(holding), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static _Atomic int fewer;

static void count_processors(void *count)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < *(const int *)count)
        fewer++;
}

/* Threads that it starts would have them for ever. */
static void a_function_of_the_program_has_all_processors(void **state)
{
    (void)state;
    cpu_set_t set;
    if (!has_processors())
        skip();
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    int count = CPU_COUNT(&set);
    assert_int_equal(aclrtSetDevice(0), 0);
    is_on_one_processor = true;
    for (int i = 0; i < 30 * TRIES; i++) {
        assert_int_equal(aclrtLaunchHostFunc(NULL, count_processors, &count), 0);
        if (i % 3 != 0)
            assert_int_equal(aclrtSynchronizeStream(NULL), 0);
        pause_us(i % 7);
    }
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    is_on_one_processor = false;
    assert_int_equal(fewer, 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancelling_a_thread_that_waits_loses_no_loop),
        cmocka_unit_test(a_thread_with_a_small_stack_does_not_help),
        cmocka_unit_test(workers_are_woken_while_a_thread_that_waits_is_in_a_loop),
        cmocka_unit_test(a_wait_is_not_made_longer_by_loops_of_another_stream),
        cmocka_unit_test(a_function_of_the_program_has_all_processors),
    };
    alarm(120); /* a loop that is lost is waited for for ever */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
