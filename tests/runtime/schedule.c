/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Schedules, one thread, no thread at all, and the end of the process: each case in a process of its own.
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
#include <sys/resource.h>

#include "acl/acl.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"
#include "runtime/streams/workers.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/gate.h"

static _Atomic int runs;

static int count_run(struct task *task)
{
    (void)task;
    atomic_fetch_add(&runs, 1);
    return 0;
}

static int submit(aclrtStream stream, uint64_t cost_ns)
{
    struct task task = {.run = count_run, .cost_ns = cost_ns};
    return stream_submit("test", stream, &task);
}

/* Two streams with an event between them, then one of the calls that count as waiting. */
static int run_lazily(int way)
{
    aclrtStream first, second;
    aclrtEvent event;
    aclrtStreamStatus stream_status;
    aclrtEventRecordedStatus event_status;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&first) == 0 && aclrtCreateStream(&second) == 0);
    CHILD_CHECK(aclrtCreateEvent(&event) == 0);
    for (int i = 0; i < 3000; i++) /* more than a queue holds in other schedules */
        CHILD_CHECK(submit(first, i % 2 ? 1 : TASK_NEVER_INLINE) == 0);
    CHILD_CHECK(aclrtRecordEvent(event, first) == 0 && aclrtStreamWaitEvent(second, event) == 0);
    CHILD_CHECK(submit(second, 1) == 0);
    pause_us(20000);
    CHILD_CHECK(runs == 0);
    if (way == 0)
        CHILD_CHECK(aclrtSynchronizeStream(second) == 0 && runs == 3001);
    if (way == 1)
        CHILD_CHECK(aclrtSynchronizeDevice() == 0 && runs == 3001);
    if (way == 2)
        CHILD_CHECK(aclrtSynchronizeEvent(event) == 0 && runs >= 3000);
    if (way == 3)
        do
            CHILD_CHECK(aclrtStreamQuery(second, &stream_status) == 0);
        while (stream_status != ACL_STREAM_STATUS_COMPLETE);
    if (way == 4)
        do
            CHILD_CHECK(aclrtQueryEventStatus(event, &event_status) == 0);
        while (event_status != ACL_EVENT_RECORDED_STATUS_COMPLETE);
    if (way == 5)
        CHILD_CHECK(aclrtDestroyStream(second) == 0 && runs == 3001);
    CHILD_CHECK(aclrtSynchronizeStream(first) == 0);
    int before = runs;
    CHILD_CHECK(submit(first, 1) == 0); /* held back again */
    pause_us(5000);
    CHILD_CHECK(runs == before || way == 2 || way == 3 || way == 4);
    CHILD_CHECK(aclrtResetDevice(0) == 0 && runs == 3002);
    return 0;
}

static int lazily_0(void)
{
    return run_lazily(0);
}

static int lazily_1(void)
{
    return run_lazily(1);
}

static int lazily_2(void)
{
    return run_lazily(2);
}

static int lazily_3(void)
{
    return run_lazily(3);
}

static int lazily_4(void)
{
    return run_lazily(4);
}

static int lazily_5(void)
{
    return run_lazily(5);
}

static void lazily_nothing_runs_before_the_program_waits(void **state)
{
    (void)state;
    int (*const ways[])(void) = {lazily_0, lazily_1, lazily_2, lazily_3, lazily_4, lazily_5};
    for (int i = 0; i < 6; i++)
        assert_int_equal(run_in_child("BELAY_SCHEDULE", "lazy", ways[i]), 0);
}

static pthread_t runner;

static int note_runner(struct task *task)
{
    runner = pthread_self();
    return count_run(task);
}

/* Each on a stream of its own, which no worker is still about to leave. */
static int count_inline(void)
{
    struct task task = {.run = note_runner, .cost_ns = 1};
    int at_once = 0;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    for (int i = 0; i < 60; i++) {
        aclrtStream own;
        CHILD_CHECK(aclrtCreateStream(&own) == 0);
        int before = runs;
        CHILD_CHECK(stream_submit("test", own, &task) == 0);
        at_once += runs > before && pthread_equal(runner, pthread_self());
        CHILD_CHECK(aclrtSynchronizeStream(own) == 0 && aclrtDestroyStream(own) == 0);
    }
    return at_once;
}

static void a_seed_decides_what_runs_at_once(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_SCHEDULE", "eager", count_inline), 60);
    int one = run_in_child("BELAY_SCHEDULE", "random:1", count_inline);
    assert_true(one > 10 && one < 60);
}

/* 1 when a task of half a millisecond has been run by its submitter before the call returned, else 0. */
static int run_by_submitter(void)
{
    struct task task = {.run = note_runner, .cost_ns = 500000};
    CHILD_CHECK(aclrtSetDevice(0) == 0 && stream_submit("test", NULL, &task) == 0);
    while (runs == 0)
        pause_us(100);
    return pthread_equal(runner, pthread_self()) ? 1 : 0;
}

static int run_by_submitter_on_one_processor(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    CHILD_CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    return run_by_submitter();
}

static void on_one_processor_longer_work_runs_at_once(void **state)
{
    (void)state;
    cpu_set_t all;
    assert_int_equal(run_in_child("BELAY_SCHEDULE", "eager", run_by_submitter_on_one_processor), 1);
    if (sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 1)
        assert_int_equal(run_in_child("BELAY_SCHEDULE", "eager", run_by_submitter), 0);
}

static void spread_over_streams(aclrtStream *streams, int count)
{
    for (int i = 0; i < count; i++)
        if (aclrtCreateStream(&streams[i]) != 0)
            abort();
}

/* A ring of streams, each waiting for the one before: with one thread all of it must still move. */
static int chain(void)
{
    enum { STREAMS = 24 };
    aclrtStream streams[STREAMS];
    aclrtEvent event;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateEvent(&event) == 0);
    spread_over_streams(streams, STREAMS);
    for (int round = 0; round < 50; round++)
        for (int i = 0; i < STREAMS; i++) {
            CHILD_CHECK(submit(streams[i], round % 2 ? 100 : TASK_NEVER_INLINE) == 0);
            CHILD_CHECK(aclrtRecordEvent(event, streams[i]) == 0);
            CHILD_CHECK(aclrtStreamWaitEvent(streams[(i + 1) % STREAMS], event) == 0);
        }
    CHILD_CHECK(aclrtSynchronizeStream(streams[0]) == 0);
    CHILD_CHECK(aclrtSynchronizeDevice() == 0 && runs == 50 * STREAMS);
    CHILD_CHECK(aclrtResetDevice(0) == 0);
    return 0;
}

static void any_number_of_threads_serves_any_number_of_streams(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "8"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(run_in_child("BELAY_THREADS", threads[i], chain), 0);
}

static int without_threads(void)
{
    aclrtStream stream;
    struct rlimit limit = {0, 0};
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    if (setrlimit(RLIMIT_NPROC, &limit) != 0 || geteuid() == 0) {
        /* root is not limited: take away the memory for stacks instead */
        struct rlimit memory = {1 << 20, 1 << 20};
        CHILD_CHECK(setrlimit(RLIMIT_AS, &memory) == 0);
    }
    CHILD_CHECK(aclrtCreateStream(&stream) == 207005);
    CHILD_CHECK(sentence_has("aclrtCreateStream: no thread can be created"));
    CHILD_CHECK(submit(NULL, TASK_NEVER_INLINE) == 207005);
    CHILD_CHECK(sentence_has("test: no thread can be created"));
    CHILD_CHECK(submit(NULL, 1) == 0 && runs == 1); /* needs no thread */
    CHILD_CHECK(aclrtSynchronizeStream(NULL) == 0);
    CHILD_CHECK(aclrtResetDevice(0) == 0);
    return 0;
}

enum { LOOPS = 2, INDICES = 150 };
static _Atomic int loops_begun, bodies_begun, done[LOOPS][INDICES], done_by_caller;
static _Atomic bool caller_has_come;
static pthread_t caller;
static bool caller_polls; /* on one processor nobody does */

/* For twenty seconds at most. */
static void await(const _Atomic bool *flag)
{
    for (int i = 0; i < 20000 && !*flag; i++)
        pause_us(1000);
}

/* The threads of the pool are in their first index until the caller has done one, however late it comes. */
static void sleep_a_little(void *context, uint64_t begin, uint64_t end)
{
    for (uint64_t index = begin; index < end; index++) {
        atomic_fetch_add(&((_Atomic int *)context)[index], 1);
        atomic_fetch_add(&bodies_begun, 1);
        if (pthread_equal(pthread_self(), caller)) {
            atomic_fetch_add(&done_by_caller, 1);
            caller_has_come = true;
        } else if (caller_polls) {
            await(&caller_has_come);
            caller_has_come = true; /* or never */
        }
        pause_us(100);
    }
}

/* Each of the two threads of the pool has a loop of its own before either has room for the other. */
static int run_loop(struct task *task)
{
    (void)task;
    int loop = atomic_fetch_add(&loops_begun, 1);
    while (loops_begun < LOOPS)
        sched_yield();
    workers_run(sleep_a_little, (void *)done[loop], INDICES, 1);
    return 0;
}

static int wait_for_loops(void)
{
    aclrtStream streams[LOOPS];
    struct task task = {.run = run_loop, .cost_ns = TASK_NEVER_INLINE};
    const struct settings *settings;
    caller = pthread_self();
    CHILD_CHECK(aclrtSetDevice(0) == 0 && settings_get(&settings) == 0);
    caller_polls = settings->processor_count > 1;
    for (int i = 0; i < LOOPS; i++)
        CHILD_CHECK(aclrtCreateStream(&streams[i]) == 0 && stream_submit("test", streams[i], &task) == 0);
    while (bodies_begun < LOOPS)
        sched_yield();
    for (int i = 0; i < LOOPS; i++)
        CHILD_CHECK(aclrtSynchronizeStream(streams[i]) == 0);
    for (int i = 0; i < LOOPS; i++)
        for (int index = 0; index < INDICES; index++)
            CHILD_CHECK(done[i][index] == 1);
    CHILD_CHECK(!caller_polls || done_by_caller > 0);
    CHILD_CHECK(aclrtDestroyStream(streams[0]) == 0 && aclrtDestroyStream(streams[1]) == 0);
    return 0;
}

static void a_thread_that_waits_joins_a_loop(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_THREADS", "2", wait_for_loops), 0);
}

static _Atomic bool may_go;
static _Atomic int threads_busy;

static int block(struct task *task)
{
    (void)task;
    atomic_fetch_add(&threads_busy, 1);
    while (!may_go)
        pause_us(1000);
    return 0;
}

/* Whoever waits serves the deadlines when every thread of the pool is busy. */
static int wait_while_all_are_busy(void)
{
    aclrtStream busy[2], waiting, own;
    aclrtEvent event;
    struct task task = {.run = block, .cost_ns = TASK_NEVER_INLINE};
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateEvent(&event) == 0 && aclrtCreateStream(&waiting) == 0);
    CHILD_CHECK(aclrtCreateStream(&own) == 0);
    for (int i = 0; i < 2; i++)
        CHILD_CHECK(aclrtCreateStream(&busy[i]) == 0 && stream_submit("test", busy[i], &task) == 0);
    while (threads_busy < 2) /* who waits would do it otherwise */
        sched_yield();
    CHILD_CHECK(aclrtRecordEvent(event, busy[0]) == 0);
    CHILD_CHECK(aclrtStreamWaitEventWithTimeout(waiting, event, 1) == 0);
    CHILD_CHECK(aclrtSynchronizeStream(waiting) == 107019);
    /* Short work does not pass by what is queued before it, even on the thread that made the stream. */
    CHILD_CHECK(submit(own, TASK_NEVER_INLINE) == 0 && submit(own, 1) == 0 && runs == 0);
    may_go = true;
    CHILD_CHECK(aclrtSynchronizeStream(own) == 0 && runs == 2);
    CHILD_CHECK(aclrtSynchronizeStream(busy[0]) == 0 && aclrtSynchronizeStream(busy[1]) == 0);
    return 0;
}

static void a_wait_ends_in_its_time_while_all_threads_are_busy(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_THREADS", "2", wait_while_all_are_busy), 0);
}

static void a_thread_that_cannot_be_created_is_207005(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the sanitizer needs address space of its own */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
    skip();
#endif
#endif
    assert_int_equal(run_in_child(NULL, NULL, without_threads), 0);
}

static struct gate closed;

static int exit_with_work(void)
{
    aclrtStream streams[8];
    CHILD_CHECK(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0);
    spread_over_streams(streams, 8);
    for (int i = 0; i < 8; i++) {
        if (i % 2)
            CHILD_CHECK(launch_gate(streams[i], &closed) == 0);
        for (int j = 0; j < 500; j++)
            CHILD_CHECK(submit(streams[i], TASK_NEVER_INLINE) == 0);
    }
    exit(0);
}

static void a_process_may_end_with_work_queued(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(run_in_child(NULL, NULL, exit_with_work), 0);
}

static int finalize_with_work(void)
{
    aclrtStream stream;
    CHILD_CHECK(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
    for (int i = 0; i < 500; i++)
        CHILD_CHECK(submit(stream, TASK_NEVER_INLINE) == 0);
    CHILD_CHECK(aclrtSubscribeReport((uint64_t)pthread_self(), stream) == 0);
    CHILD_CHECK(aclrtLaunchCallback(free, NULL, ACL_CALLBACK_BLOCK, stream) == 0);
    CHILD_CHECK(aclFinalize() == 0 && runs == 500);
    CHILD_CHECK(submit(stream, 1) == 0 && aclrtSynchronizeStream(stream) == 0 && runs == 501);
    return 0;
}

static void finalize_ends_what_is_queued_and_drops_what_nobody_will_process(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, finalize_with_work), 0);
}

static int use_in_grandchild(void)
{
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(submit(NULL, TASK_NEVER_INLINE) == 0 && aclrtSynchronizeStream(NULL) == 0);
    pid_t child = fork();
    if (child == 0) {
        aclrtStream stream;
        CHILD_CHECK(aclrtSynchronizeStream(NULL) == 107002);
        CHILD_CHECK(aclrtSetDevice(0) == 107002);
        CHILD_CHECK(aclrtCreateStream(&stream) == 107002);
        CHILD_CHECK(submit(NULL, 1) == 107002);
        _exit(0);
    }
    int status = -1;
    CHILD_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHILD_CHECK(aclrtSynchronizeStream(NULL) == 0);
    return 0;
}

static void a_forked_child_is_refused_and_its_parent_goes_on(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, use_in_grandchild), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazily_nothing_runs_before_the_program_waits),
        cmocka_unit_test(a_seed_decides_what_runs_at_once),
        cmocka_unit_test(on_one_processor_longer_work_runs_at_once),
        cmocka_unit_test(any_number_of_threads_serves_any_number_of_streams),
        cmocka_unit_test(a_thread_that_waits_joins_a_loop),
        cmocka_unit_test(a_wait_ends_in_its_time_while_all_threads_are_busy),
        cmocka_unit_test(a_thread_that_cannot_be_created_is_207005),
        cmocka_unit_test(a_process_may_end_with_work_queued),
        cmocka_unit_test(finalize_ends_what_is_queued_and_drops_what_nobody_will_process),
        cmocka_unit_test(a_forked_child_is_refused_and_its_parent_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
