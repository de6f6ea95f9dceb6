/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A thread of the program that waits joins loop after loop, and a worker on its processor is sent to another one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/streams/stream.h"
#include "runtime/streams/workers.h"
#include "support/gate.h"

enum { LATE_NS = 6000000 }; /* behind the first loop, which takes 2 ms */
enum { MICROSECOND = 1000, MILLISECOND = 1000000, TRIES = 100, INDICES = 100 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void compute_for(uint64_t duration_ns)
{
    for (uint64_t end = now_ns() + duration_ns; now_ns() < end;)
        continue;
}

/* Of the processors that another thread may have: how often the library asked for them. */
static _Atomic int asked_for_others;

/* What the library calls, instead of the C library's. */
__attribute__((visibility("default"))) int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *set)
{
    if (thread != 0 && thread != getpid() && thread != gettid())
        atomic_fetch_add(&asked_for_others, 1);
    CPU_ZERO(set);
    return syscall(SYS_sched_getaffinity, thread, bytes, set) < 0 ? -1 : 0;
}

static bool has_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1 &&
           strcmp(getenv("BELAY_THREADS"), "2") == 0;
}

static pthread_t waiter;
static _Atomic uint64_t waits_since;
static _Atomic int late_help; /* indices that the waiter ran when it had waited for so long */

static void compute_index(void *unused, uint64_t begin, uint64_t end)
{
    (void)unused;
    if (pthread_equal(pthread_self(), waiter) && now_ns() - waits_since > LATE_NS)
        atomic_fetch_add(&late_help, 1);
    compute_for((end - begin) * 40 * MICROSECOND);
}

static int run_loops(struct task *task)
{
    for (uint64_t end = now_ns() + task->cost_ns; now_ns() < end;)
        workers_run(compute_index, NULL, INDICES, 1);
    return 0;
}

static _Atomic bool is_held, is_free;

/* Takes one of the two workers, so that nobody else joins the other one's loops. */
static int hold_worker(struct task *task)
{
    (void)task;
    is_held = true;
    while (!is_free)
        pause_us(50);
    return 0;
}

static void begin(aclrtStream *stream)
{
    struct task task = {.run = hold_worker, .cost_ns = TASK_NEVER_INLINE};
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(stream), 0);
    is_held = is_free = false;
    assert_int_equal(stream_submit("test", *stream, &task), 0);
    while (!is_held)
        pause_us(50);
    waiter = pthread_self();
    late_help = 0;
}

static void end(aclrtStream stream)
{
    is_free = true;
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static aclError wait_for(struct task *task, int timeout_ms)
{
    struct gate gate;
    assert_int_equal(launch_gate(NULL, &gate), 0);
    reach_gate(&gate); /* so that a worker runs the loops */
    assert_int_equal(stream_submit("test", NULL, task), 0);
    open_gate(&gate);
    pause_us(200);
    waits_since = now_ns();
    return aclrtSynchronizeStreamWithTimeout(NULL, timeout_ms);
}

static void a_thread_that_waits_joins_loop_after_loop(void **state)
{
    (void)state;
    if (!has_processors())
        skip(); /* where threads do not poll, who waits sleeps */
    aclrtStream stream;
    begin(&stream);
    for (int i = 0; i < TRIES && late_help < 2 * INDICES; i++) {
        struct task task = {.run = run_loops, .cost_ns = 20 * MILLISECOND};
        assert_int_equal(wait_for(&task, -1), 0);
    }
    end(stream);
    assert_true(late_help >= 2 * INDICES);
}

/* Loops of two long indices. */
static void compute_long_index(void *duration_ns, uint64_t begin, uint64_t end)
{
    compute_for((end - begin) * *(const uint64_t *)duration_ns);
}

static int run_long_loops(struct task *task)
{
    uint64_t index_ns = task->cost_ns / 2;
    workers_run(compute_long_index, &index_ns, 2, 1);
    return 0;
}

static void a_wait_with_an_end_does_not_overlook_it_in_a_loop(void **state)
{
    (void)state;
    if (!has_processors())
        skip();
    aclrtStream stream;
    begin(&stream);
    int in_time = 0;
    for (int i = 0; i < 8; i++) {
        struct task task = {.run = run_long_loops, .cost_ns = 400 * MILLISECOND};
        const aclError status = wait_for(&task, 5);
        in_time += now_ns() - waits_since < 100 * MILLISECOND;
        assert_int_equal(status, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    }
    end(stream);
    assert_true(in_time >= 7);
}

/* Has all threads share one processor, so that this one interrupts the others whenever it wakes. */
static void crowd(const cpu_set_t *here)
{
    const struct sched_param none = {0};
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0)
            assert_int_equal(sched_setaffinity(thread, sizeof *here, here), 0);
        if (thread > 0 && thread != gettid())
            assert_int_equal(sched_setscheduler(thread, SCHED_IDLE, &none), 0);
    }
    closedir(threads);
}

static void do_little(void *unused, uint64_t begin, uint64_t end)
{
    (void)unused;
    compute_for((end - begin) * 5 * MICROSECOND);
}

/* Lists a loop. Whether a worker was to be moved for it. */
static bool moves_a_worker(void)
{
    const int before = asked_for_others;
    workers_run(do_little, NULL, 4, 1);
    return asked_for_others != before;
}

enum { POLLED_NS = 3000 }; /* of work that pays only where a worker polls */

static void workers_on_the_callers_processor_are_sent_to_another(void **state)
{
    (void)state;
    cpu_set_t here;
    if (!has_processors())
        skip();
    CPU_ZERO(&here);
    CPU_SET((size_t)sched_getcpu(), &here);
    assert_int_equal(prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0), 0); /* to wake while a worker polls */
    moves_a_worker();                                          /* starts the threads */
    crowd(&here);
    int asleep = 0, aside = 0;
    for (int i = 0; i < 60 * TRIES && (asleep < 3 || aside < 3); i++) {
        pause_us(i % 30);
        const bool is_polled = workers_pay(POLLED_NS);
        const bool is_moved = moves_a_worker();
        asleep += is_moved && !is_polled;
        aside += is_moved && is_polled;
    }
    assert_true(asleep >= 3);
    assert_true(aside >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_waits_joins_loop_after_loop),
        cmocka_unit_test(a_wait_with_an_end_does_not_overlook_it_in_a_loop),
        cmocka_unit_test(workers_on_the_callers_processor_are_sent_to_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
