/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pool: loops in parallel, nested and beside each other, and the state that its threads run in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "acl/acl.h"
#include "base/float_environment.h"
#include "runtime/streams/stream.h"
#include "runtime/streams/workers.h"
#include "support/gate.h"

static void mark(void *context, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        ((unsigned char *)context)[i]++;
}

static void every_index_is_reached_once_for_every_count(void **state)
{
    (void)state;
    static unsigned char seen[300];
    for (uint64_t count = 0; count < sizeof seen; count++) {
        memset(seen, 0, sizeof seen);
        workers_run(mark, seen, count, 1 + count % 9);
        for (uint64_t i = 0; i < sizeof seen; i++)
            assert_int_equal(seen[i], i < count);
    }
}

static uint64_t clock_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void threads_without_work_take_no_time(void **state)
{
    (void)state;
    static unsigned char seen[300];
    const struct timespec pause = {.tv_nsec = 40000000};
    bool is_quiet = false;
    workers_run(mark, seen, sizeof seen, 8);
    for (int i = 0; i < 20 && !is_quiet; i++) {
        uint64_t wall = clock_of(CLOCK_MONOTONIC), used = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        nanosleep(&pause, NULL);
        used = clock_of(CLOCK_PROCESS_CPUTIME_ID) - used;
        is_quiet = used < (clock_of(CLOCK_MONOTONIC) - wall) / 20;
    }
    assert_true(is_quiet);
}

enum { OUTER = 16, INNER = 50 };
static unsigned char nested_seen[OUTER][INNER];

static void run_inner(void *context, uint64_t begin, uint64_t end)
{
    (void)context;
    for (uint64_t i = begin; i < end; i++)
        workers_run(mark, nested_seen[i], INNER, 3);
}

static _Atomic bool lost_one;

static void *run_nested(void *unused)
{
    (void)unused;
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    unsigned char own[INNER] = {0};
    for (int i = 0; i < 200; i++)
        workers_run(mark, own, INNER, INNER);
    for (int i = 0; i < INNER; i++)
        if (own[i] != 200)
            lost_one = true;
    pthread_mutex_lock(&one_at_a_time);
    workers_run(run_inner, NULL, OUTER, 2);
    pthread_mutex_unlock(&one_at_a_time);
    return NULL;
}

static void loops_may_nest_and_run_beside_each_other(void **state)
{
    (void)state;
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_nested, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_false(lost_one);
    for (int i = 0; i < OUTER; i++)
        for (int j = 0; j < INNER; j++)
            assert_int_equal(nested_seen[i][j], THREADS);
}

static _Atomic int helpers_seen;
static pthread_t caller;

static void sleep_a_little(void *context, uint64_t begin, uint64_t end)
{
    (void)context;
    (void)begin;
    (void)end;
    if (!pthread_equal(pthread_self(), caller))
        atomic_store(&helpers_seen, 1);
    pause_us(2000);
}

static void workers_help_a_caller(void **state)
{
    (void)state;
    if (strcmp(getenv("BELAY_THREADS"), "1") == 0)
        skip(); /* the caller is all there is */
    caller = pthread_self();
    for (int i = 0; i < 2000 && !helpers_seen; i++)
        workers_run(sleep_a_little, NULL, 8, 1);
    assert_true(helpers_seen);
}

/* The numbers in the names of the pool's threads. */
static int numbers_of_threads(unsigned *numbers, int room)
{
    int count = 0;
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        char path[300];
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file != NULL && count < room)
            count += fscanf(file, "belay-%u", &numbers[count]) == 1;
        if (file != NULL)
            fclose(file);
    }
    closedir(threads);
    return count;
}

static void threads_have_names_of_their_own(void **state)
{
    (void)state;
    enum { STREAMS = 3 };
    struct gate gate[STREAMS];
    aclrtStream stream[STREAMS];
    unsigned numbers[64];
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int i = 0; i < STREAMS; i++) {
        assert_int_equal(aclrtCreateStream(&stream[i]), 0);
        assert_int_equal(launch_gate(stream[i], &gate[i]), 0);
        reach_gate(&gate[i]);
    }
    int count = numbers_of_threads(numbers, 64);
    assert_true(count >= STREAMS);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            assert_int_not_equal(numbers[i], numbers[k]);
    for (int i = 0; i < STREAMS; i++) {
        open_gate(&gate[i]);
        assert_int_equal(aclrtDestroyStream(stream[i]), 0);
    }
    assert_int_equal(aclrtResetDevice(0), 0);
}

static _Atomic int blocked_signals, cancel_state, control_is_default;

static void inspect_worker(void *unused)
{
    (void)unused;
    sigset_t set;
    int old = -1;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    atomic_store(&blocked_signals, sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGUSR1) == 1 &&
                                       sigismember(&set, SIGALRM) == 1);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    atomic_store(&cancel_state, old);
    atomic_store(&control_is_default, fegetround() == FE_TONEAREST);
    fesetround(FE_UPWARD); /* must not reach the next task */
    feraiseexcept(FE_INEXACT);
}

static int check_environment(struct task *task)
{
    (void)task;
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() == FLOAT_CONTROL_DEFAULT ? 0 : 1;
#else
    return fegetround() == FE_TONEAREST && fetestexcept(FE_ALL_EXCEPT) == 0 ? 0 : 1;
#endif
}

static void threads_of_the_pool_take_no_signals_and_round_to_nearest(void **state)
{
    (void)state;
    struct gate gate;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(launch_gate(NULL, &gate), 0);
    reach_gate(&gate); /* on a worker: nobody waits for the stream yet */
    assert_int_equal(aclrtLaunchHostFunc(NULL, inspect_worker, NULL), 0);
    open_gate(&gate);
    struct task task = {.run = check_environment, .cost_ns = TASK_NEVER_INLINE};
    assert_int_equal(stream_submit("test", NULL, &task), 0);
    while (aclrtSynchronizeStreamWithTimeout(NULL, 60000) != 0)
        fail_msg("the environment of one task reached the next");
    assert_int_equal(blocked_signals, 1);
    assert_int_equal(cancel_state, PTHREAD_CANCEL_DISABLE);
    assert_int_equal(control_is_default, 1);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static volatile double one = 1, three = 3;

static int divide(struct task *task)
{
    int status = check_environment(task);
    volatile double quotient = one / three; /* inexact */
    (void)quotient;
    return status;
}

/* Flags of one index may be there in the next; rounding and flushing may not change. */
static void divide_index(void *context, uint64_t begin, uint64_t end)
{
    (void)begin;
    (void)end;
    feclearexcept(FE_ALL_EXCEPT);
    atomic_fetch_or((_Atomic int *)context, divide(NULL));
}

static void work_on_the_caller_leaves_its_float_environment_alone(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int i = 0; i < 4; i++) {
        for (int raised = 0; raised < 2; raised++) {
            int flags = raised ? FE_DIVBYZERO : 0;
            _Atomic int sum = 0;
            struct task inline_task = {.run = divide, .cost_ns = 1};
            struct task queued_task = {.run = divide, .cost_ns = TASK_NEVER_INLINE};
            feclearexcept(FE_ALL_EXCEPT);
            fesetround(modes[i]);
            feraiseexcept(flags);
            int status = stream_submit("test", NULL, &inline_task);
            status |= stream_submit("test", NULL, &queued_task);
            status |= aclrtSynchronizeStream(NULL);
            workers_run(divide_index, (void *)&sum, 10, 1);
            int mode_after = fegetround(), flags_after = fetestexcept(FE_ALL_EXCEPT);
            fesetround(FE_TONEAREST);
            assert_int_equal(status, 0);
            assert_int_equal(atomic_load(&sum), 0);
            assert_int_equal(mode_after, modes[i]);
            assert_int_equal(flags_after, flags);
        }
    }
    assert_int_equal(aclrtResetDevice(0), 0);
}

#if defined(__x86_64__)
static void flush_to_zero_of_the_caller_does_not_reach_the_work(void **state)
{
    (void)state;
    assert_int_equal(aclrtSetDevice(0), 0);
    __builtin_ia32_ldmxcsr(0x9FC0); /* FTZ and DAZ */
    struct task task = {.run = check_environment, .cost_ns = 1};
    int status = stream_submit("test", NULL, &task);
    status |= aclrtSynchronizeStream(NULL);
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(FLOAT_CONTROL_DEFAULT);
    assert_int_equal(status, 0);
    assert_int_equal(after, 0x9FC0);
    assert_int_equal(aclrtResetDevice(0), 0);
}
#endif

int main(void)
{
    setenv("BELAY_THREADS", "3", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_is_reached_once_for_every_count),
        cmocka_unit_test(threads_without_work_take_no_time),
        cmocka_unit_test(loops_may_nest_and_run_beside_each_other),
        cmocka_unit_test(workers_help_a_caller),
        cmocka_unit_test(threads_have_names_of_their_own),
        cmocka_unit_test(threads_of_the_pool_take_no_signals_and_round_to_nearest),
        cmocka_unit_test(work_on_the_caller_leaves_its_float_environment_alone),
#if defined(__x86_64__)
        cmocka_unit_test(flush_to_zero_of_the_caller_does_not_reach_the_work),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
