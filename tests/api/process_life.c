/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The life of a process around the library: how it may end, fork, be short of things, and what its threads
 * may do. Each case has a process of its own and some seconds; the parent never uses the library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#include "support/process.h"
#include "support/sanitizer.h"

/* The ways to end. */

CASE_ENDING(exit_while_work_is_queued_keeps_the_status, EXIT_STATUS)
{
    CHILD_CHECK(queue_work() == 0);
    exit(EXIT_STATUS);
}

static void exit_here(void *unused)
{
    (void)unused;
    exit(EXIT_STATUS);
}

CASE_ENDING(a_host_function_may_call_exit, EXIT_STATUS)
{
    CHILD_CHECK(open_library() == 0 && aclrtLaunchHostFunc(stream, exit_here, NULL) == 0);
    aclrtSynchronizeStream(stream);
    for (;;)
        sleep_us(100000);
}

static void use_at_exit(void)
{
    if (use_library() == 0 && aclrtSynchronizeDevice() == 0 && aclrtResetDevice(0) == 0 && aclFinalize() == 0)
        _exit(EXIT_STATUS);
}

CASE_ENDING(a_handler_of_exit_may_use_the_library, EXIT_STATUS)
{
    CHILD_CHECK(atexit(use_at_exit) == 0 && aclInit(NULL) == 0 && queue_work() == 0);
    exit(1);
}

static void *exit_from_thread(void *unused)
{
    (void)unused;
    exit(EXIT_STATUS);
}

CASE_ENDING(a_thread_may_exit_while_another_one_waits, EXIT_STATUS)
{
    pthread_t thread;
    CHILD_CHECK(queue_work() == 0 && pthread_create(&thread, NULL, exit_from_thread, NULL) == 0);
    aclrtSynchronizeStream(stream);
    for (;;)
        sleep_us(100000);
}

/* The main thread ends; the process goes on in the other one, with the work of both. */
static void *outlive_main(void *unused)
{
    (void)unused;
    sleep_us(100000); /* a sanitizer knows no main thread that could be joined */
    if (aclrtSetDevice(0) != 0 || aclrtSynchronizeStream(stream) != 0 || use_library() != 0)
        _exit(1);
    _exit(EXIT_STATUS);
}

CASE_ENDING(the_main_thread_may_end_first, EXIT_STATUS)
{
    pthread_t thread;
    CHILD_CHECK(queue_work() == 0 && pthread_create(&thread, NULL, outlive_main, NULL) == 0);
    pthread_exit(NULL);
}

CASE(repeated_init_and_finalize_count)
{
    for (int round = 0; round < 50; round++) {
        uint64_t count = 9;
        CHILD_CHECK(aclInit(NULL) == 0 && aclInit(NULL) == 100002);
        CHILD_CHECK(aclFinalizeReference(&count) == 0 && count == 1);
        CHILD_CHECK(aclFinalizeReference(&count) == 0 && count == 0);
        CHILD_CHECK(aclFinalizeReference(&count) == 100037);
        CHILD_CHECK(aclInit(NULL) == 0 && aclFinalize() == 0 && aclFinalize() == 100037);
    }
    return 0;
}

CASE(the_library_works_after_finalize)
{
    CHILD_CHECK(aclInit(NULL) == 0 && open_library() == 0 && aclFinalize() == 0);
    CHILD_CHECK(use_library() == 0);
    CHILD_CHECK(aclrtResetDevice(0) == 0);
    CHILD_CHECK(run_operator(NULL) == 361001); /* no context, and the memory is gone */
    CHILD_CHECK(open_library() == 0 && use_library() == 0);
    return 0;
}

/* fork. */

CASE(a_fork_before_the_first_use_gives_two_working_processes)
{
    pid_t child = fork();
    CHILD_CHECK(child >= 0);
    int result = open_library();
    if (result == 0)
        result = use_library();
    if (child == 0)
        _exit(result);
    int status;
    CHILD_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return result;
}

static int use_in_forked_child(void)
{
    aclrtStream other;
    void *block;
    int64_t dims = 1;
    uint64_t size;
    aclOpExecutor *executor;
    CHILD_CHECK(aclrtSetDevice(0) == 107002);
    CHILD_CHECK(aclGetRecentErrMsg() != NULL);
    CHILD_CHECK(aclrtCreateStream(&other) == 107002 && aclrtSynchronizeStream(stream) == 107002);
    CHILD_CHECK(aclrtSynchronizeDevice() == 107002 && aclrtDestroyStream(stream) == 107002);
    CHILD_CHECK(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 107002);
    CHILD_CHECK(aclrtFree(memory[0]) == 107002);
    CHILD_CHECK(aclrtMemcpy(memory[0], 4, memory[1], 4, ACL_MEMCPY_DEVICE_TO_DEVICE) == 107002);
    CHILD_CHECK(aclCreateTensor(&dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &dims, 1, memory[0]) == NULL);
    CHILD_CHECK(aclnnLeakyReluBackwardGetWorkspaceSize(tensor[0], tensor[1], slope, false, tensor[2], &size,
                                                       &executor) == 361001);
    CHILD_CHECK(aclInit(NULL) == 107002 && aclFinalize() == 107002);
    if (UNDER_SANITIZER) /* its search for leaks misses the threads that are not there */
        _exit(0);
    exit(0); /* the handlers of exit, too */
}

CASE(the_child_of_a_fork_gets_codes_and_the_parent_goes_on)
{
    CHILD_CHECK(queue_work() == 0);
    pid_t child = fork();
    if (child == 0)
        _exit(use_in_forked_child());
    int status;
    CHILD_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return use_library();
}

static _Atomic bool stops;

static void *work_all_the_time(void *unused)
{
    (void)unused;
    void *block;
    aclrtStream own;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&own) != 0)
        return NULL;
    aclTensor *output = create_output();
    for (int i = 0; !atomic_load(&stops); i++) {
        if (aclrtMalloc(&block, (size_t)1 << (6 + i % 18), ACL_MEM_MALLOC_HUGE_FIRST) == 0)
            aclrtFree(block);
        aclrtSetDevice(99); /* writes a message */
        run_operator_to(output, own);
        aclrtLaunchHostFunc(own, sleep_briefly, NULL);
        if (i % 50 == 0) {
            /* Nobody waits for what runs on it, which may still write its output. */
            aclrtDestroyStreamForce(own);
            aclrtCreateStream(&own);
            output = create_output();
        }
    }
    return NULL;
}

CASE(a_fork_in_the_middle_of_work_finds_no_lock_held)
{
    pthread_t thread[3];
    CHILD_CHECK(open_library() == 0);
    for (int i = 0; i < 3; i++)
        CHILD_CHECK(pthread_create(&thread[i], NULL, work_all_the_time, NULL) == 0);
    for (int i = 0; i < 40; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS_MOST);
            _exit(use_in_forked_child());
        }
        int status;
        CHILD_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    atomic_store(&stops, true);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* Signals and cancellation. */

/* Raised by an instruction, on the thread that runs it: where one is blocked no handler sees it. */
static bool is_of_instruction(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGTRAP || number == SIGSYS;
}

/* The number of threads of the library, or -1 when one lets another signal through, or blocks one of these.
 */
static int count_workers(void)
{
    int workers = 0;
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;) {
        char path[300], line[256], name[64] = "";
        unsigned long long blocked = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = fopen(path, "r");
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            (void)sscanf(line, "Name: %63s", name);
            (void)sscanf(line, "SigBlk: %llx", &blocked);
        }
        if (file != NULL)
            fclose(file);
        if (strncmp(name, "belay-", 6) != 0)
            continue;
        workers++;
        for (int number = 1; number < 32; number++)
            if (number != SIGKILL && number != SIGSTOP &&
                (blocked >> (number - 1) & 1) == is_of_instruction(number))
                return -1;
    }
    if (threads != NULL)
        closedir(threads);
    return workers;
}

CASE(signals_do_not_go_to_the_workers)
{
    CHILD_CHECK(queue_work() == 0);
    for (int tries = 0; count_workers() == 0 && tries < 3000; tries++)
        sleep_us(10000); /* a thread gives itself its name when it begins */
    CHILD_CHECK(count_workers() > 0);
    return aclrtSynchronizeStream(stream);
}

static _Atomic unsigned signals;

static void count_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signals, 1);
}

CASE(waiting_goes_on_after_signals)
{
    struct sigaction action = {.sa_handler = count_signal}; /* without SA_RESTART */
    struct itimerval every = {{0, 500}, {0, 500}};
    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGVTALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    CHILD_CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec wall = {{0, 500000}, {0, 500000}};
    CHILD_CHECK(timer_settime(timer, 0, &wall, NULL) == 0 && setitimer(ITIMER_PROF, &every, NULL) == 0);
    CHILD_CHECK(queue_work() == 0);
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 0);
    aclrtEvent recorded;
    CHILD_CHECK(aclrtCreateEvent(&recorded) == 0);
    do { /* until this thread was there for signals often enough */
        CHILD_CHECK(aclrtLaunchHostFunc(stream, sleep_briefly, NULL) == 0);
        CHILD_CHECK(aclrtRecordEvent(recorded, stream) == 0 && aclrtSynchronizeEvent(recorded) == 0);
        CHILD_CHECK(aclrtSynchronizeDevice() == 0 && use_library() == 0);
    } while (atomic_load(&signals) <= 10);
    return 0;
}

static void *be_cancelled(void *body)
{
    void (*function)(void);
    memcpy(&function, body, sizeof function);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    aclrtSetDevice(0);
    pthread_cancel(pthread_self()); /* pending from here on: the next point of cancellation takes it */
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    function();
    pthread_testcancel();
    return NULL;
}

static int cancel_in(void (*function)(void))
{
    pthread_t thread;
    void *result;
    CHILD_CHECK(pthread_create(&thread, NULL, be_cancelled, &function) == 0);
    CHILD_CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    return 0;
}

static void allocate_much(void)
{
    void *block[8];
    for (int i = 0; i < 8; i++)
        if (aclrtMalloc(&block[i], (size_t)100 << 20, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
            block[i] = NULL;
    for (int i = 0; i < 8; i++)
        if (block[i] != NULL)
            aclrtFree(block[i]);
}

static void fail_often(void)
{
    for (int i = 0; i < 10; i++)
        aclrtSetDevice(99);
}

static void wait_for_stream(void)
{
    aclrtSynchronizeStream(stream);
}

static void submit_much(void)
{
    for (int i = 0; i < 100; i++) {
        run_operator(stream);
        aclrtLaunchHostFunc(stream, sleep_briefly, NULL);
        aclrtSynchronizeStream(stream);
    }
}

CASE_WITH(a_cancelled_thread_leaves_no_lock_behind, "ASCEND_PROCESS_LOG_PATH", "/tmp/belay-process-life")
{
    /* The first use of all, in a thread that is cancelled. */
    CHILD_CHECK(cancel_in(fail_often) == 0);
    CHILD_CHECK(open_library() == 0);
    CHILD_CHECK(cancel_in(allocate_much) == 0);
    CHILD_CHECK(cancel_in(fail_often) == 0);
    allocate_much();
    fail_often();
    CHILD_CHECK(use_library() == 0);
    for (int i = 0; i < 10; i++)
        CHILD_CHECK(aclrtLaunchHostFunc(stream, sleep_briefly, NULL) == 0);
    CHILD_CHECK(cancel_in(wait_for_stream) == 0 && cancel_in(submit_much) == 0);
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 0);
    return use_library();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_while_work_is_queued_keeps_the_status),
        cmocka_unit_test(a_host_function_may_call_exit),
        cmocka_unit_test(a_handler_of_exit_may_use_the_library),
        cmocka_unit_test(a_thread_may_exit_while_another_one_waits),
        cmocka_unit_test(the_main_thread_may_end_first),
        cmocka_unit_test(repeated_init_and_finalize_count),
        cmocka_unit_test(the_library_works_after_finalize),
        cmocka_unit_test(a_fork_before_the_first_use_gives_two_working_processes),
        cmocka_unit_test(the_child_of_a_fork_gets_codes_and_the_parent_goes_on),
        cmocka_unit_test(a_fork_in_the_middle_of_work_finds_no_lock_held),
        cmocka_unit_test(signals_do_not_go_to_the_workers),
        cmocka_unit_test(waiting_goes_on_after_signals),
        cmocka_unit_test(a_cancelled_thread_leaves_no_lock_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
