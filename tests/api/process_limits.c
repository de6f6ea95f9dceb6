/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A process that is short of something: streams, device memory, disk space, files, stack, address space,
 * threads. Whatever is refused gets its code, and the library works on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "support/process.h"
#include "support/sanitizer.h"

enum { STREAMS_MOST = 1984, MIB = 1 << 20 };

CASE(one_more_stream_than_there_can_be_is_refused)
{
    static aclrtStream streams[STREAMS_MOST];
    static aclTensor *outputs[STREAMS_MOST];
    aclrtStream more;
    CHILD_CHECK(open_library() == 0);
    for (int i = 0; i < STREAMS_MOST - 1; i++)
        CHILD_CHECK((outputs[i] = create_output()) != NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < STREAMS_MOST - 1; i++)
            CHILD_CHECK(aclrtCreateStream(&streams[i]) == 0);
        CHILD_CHECK(aclrtCreateStream(&more) == 207008);
        for (int i = 0; i < STREAMS_MOST - 1; i++)
            CHILD_CHECK(run_operator_to(outputs[i], streams[i]) == 0);
        CHILD_CHECK(aclrtSynchronizeDevice() == 0);
        for (int i = 0; i < STREAMS_MOST - 1; i++)
            CHILD_CHECK(aclrtDestroyStream(streams[i]) == 0);
    }
    return use_library();
}

CASE_WITH(device_memory_runs_out_and_comes_back, "BELAY_MEMORY", "8M")
{
    static void *blocks[8192];
    void *more;
    CHILD_CHECK(open_library() == 0);
    for (size_t bytes = 1000; bytes < 4 * MIB; bytes *= 7) {
        int count = 0;
        while (count < 8192 && aclrtMalloc(&blocks[count], bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0)
            count++;
        CHILD_CHECK(count > 0 && count < 8192);
        CHILD_CHECK(aclrtMalloc(&more, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
        CHILD_CHECK(use_library() == 0);
        while (count-- > 0)
            CHILD_CHECK(aclrtFree(blocks[count]) == 0);
    }
    return use_library();
}

static int fail_and_work(void)
{
    CHILD_CHECK(open_library() == 0);
    for (int i = 0; i < 100; i++)
        CHILD_CHECK(aclrtSetDevice(99) == 107001);
    aclAppLog(ACL_ERROR, "function", "file", 1, "%s", "text");
    return use_library();
}

/* The log goes to the standard output, which is what of the three. */
static int log_to(const char *path)
{
    int file = path != NULL ? open(path, O_WRONLY) : -1;
    CHILD_CHECK(path == NULL || file >= 0);
    CHILD_CHECK(file >= 0 ? dup2(file, STDOUT_FILENO) >= 0 : close(STDOUT_FILENO) == 0);
    return fail_and_work();
}

CASE_WITH(the_log_may_go_to_a_full_disk, "ASCEND_SLOG_PRINT_TO_STDOUT", "1")
{
    return log_to("/dev/full");
}

CASE_WITH(the_log_may_go_to_a_closed_output, "ASCEND_SLOG_PRINT_TO_STDOUT", "1")
{
    return log_to(NULL);
}

CASE_WITH(the_log_may_go_to_a_pipe_that_nobody_reads, "ASCEND_SLOG_PRINT_TO_STDOUT", "1")
{
    int ends[2];
    CHILD_CHECK(pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0 && close(ends[0]) == 0);
    return fail_and_work();
}

CASE_WITH(the_folder_of_the_log_may_be_impossible, "ASCEND_PROCESS_LOG_PATH", "/dev/null/log")
{
    return fail_and_work();
}

CASE(all_three_standard_files_may_be_closed)
{
    close(0);
    close(1);
    close(2);
    CHILD_CHECK(fail_and_work() == 0);
    /* What the library opened meanwhile it has closed. */
    return open("/dev/null", O_RDONLY) == 0 ? 0 : 1;
}

CASE(no_more_files_may_be_opened)
{
    struct rlimit none = {0, 0};
    CHILD_CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHILD_CHECK(aclInit("/dev/null") == 100003);
    return fail_and_work();
}

/* Stacks. */

static aclTensor *strided_tensor(aclDataType dtype, const int64_t *stride, void *data)
{
    static const int64_t dims[] = {2, 2, 2, 2, 2};
    return aclCreateTensor(dims, 5, dtype, stride, 0, ACL_FORMAT_ND, dims, 5, data);
}

/* All operators in their most expensive form: dtypes to convert, strides, an overlap, and messages. */
static int run_all_operators(void)
{
    static const int64_t rows[] = {16, 8, 4, 2, 1}, columns[] = {1, 2, 4, 8, 16}, gaps[] = {2, 4, 8, 16, 1};
    char text[64];
    uint64_t size;
    aclOpExecutor *executor;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    aclTensor *a = strided_tensor(ACL_FLOAT16, columns, memory[0]),
              *b = strided_tensor(ACL_FLOAT, rows, memory[1]),
              *out = strided_tensor(ACL_FLOAT, gaps, memory[1]),
              *half = strided_tensor(ACL_FLOAT16, rows, memory[2]);
    CHILD_CHECK(a != NULL && b != NULL && out != NULL && half != NULL);
    for (int i = 0; i < 3; i++) {
        CHILD_CHECK(aclnnSmoothL1LossBackwardGetWorkspaceSize(a, b, half, 1, 0.5F, out, &size, &executor) ==
                    0);
        CHILD_CHECK(aclnnSmoothL1LossBackward(NULL, 0, executor, stream) == 0);
        CHILD_CHECK(aclnnLeakyReluBackwardGetWorkspaceSize(a, b, slope, false, out, &size, &executor) == 0);
        CHILD_CHECK(aclnnLeakyReluBackward(NULL, 0, executor, stream) == 0);
        CHILD_CHECK(aclnnSiluBackwardGetWorkspaceSize(a, half, half, &size, &executor) == 0);
        CHILD_CHECK(aclnnSiluBackward(NULL, 0, executor, stream) == 0);
        CHILD_CHECK(aclnnHardswishBackwardGetWorkspaceSize(b, b, out, &size, &executor) == 0);
        CHILD_CHECK(aclnnHardswishBackward(NULL, 0, executor, stream) == 0);
        CHILD_CHECK(aclnnSiluBackwardGetWorkspaceSize(a, b, half, &size, &executor) == 161002);
        CHILD_CHECK(aclrtMemcpyAsync(memory[2], 4, memory[1], 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream) == 0);
        CHILD_CHECK(aclrtSynchronizeStream(stream) == 0);
        CHILD_CHECK(aclrtMemcpy(text, sizeof text, memory[0], 64, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    }
    CHILD_CHECK(aclDestroyTensor(a) == 0 && aclDestroyTensor(b) == 0);
    CHILD_CHECK(aclDestroyTensor(out) == 0 && aclDestroyTensor(half) == 0);
    CHILD_CHECK(aclGetRecentErrMsg() != NULL);
    return 0;
}

static void *run_on_small_stack(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)run_all_operators();
}

CASE(a_stack_of_64_kib_is_enough)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result;
    pthread_attr_init(&attributes);
    CHILD_CHECK(open_library() == 0);
    CHILD_CHECK(pthread_attr_setstacksize(&attributes, UNDER_SANITIZER ? MIB : 64 << 10) == 0);
    CHILD_CHECK(pthread_create(&thread, &attributes, run_on_small_stack, NULL) == 0);
    CHILD_CHECK(pthread_join(thread, &result) == 0);
    return (int)(intptr_t)result;
}

/* The very first call of the library reads the environment, the control group and the processor. */
static void *begin_on_small_stack(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)(open_library() + aclrtSetDevice(99) - 107001);
}

CASE_WITH(the_first_call_needs_no_more_stack, "ASCEND_SLOG_PRINT_TO_STDOUT", "1")
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result;
    CHILD_CHECK(freopen("/dev/null", "w", stdout) != NULL);
    pthread_attr_init(&attributes);
    CHILD_CHECK(pthread_attr_setstacksize(&attributes, UNDER_SANITIZER ? MIB : 64 << 10) == 0);
    CHILD_CHECK(pthread_create(&thread, &attributes, begin_on_small_stack, NULL) == 0);
    CHILD_CHECK(pthread_join(thread, &result) == 0);
    return (int)(intptr_t)result;
}

/* Address space and threads. Sanitizers need more of both than there is then. */

CASE(little_address_space_is_enough)
{
    struct rlimit little = {(rlim_t)96 * MIB, (rlim_t)96 * MIB};
    void *block, *blocks[64];
    int count = 0;
    if (UNDER_SANITIZER)
        return 0;
    CHILD_CHECK(setrlimit(RLIMIT_AS, &little) == 0);
    CHILD_CHECK(open_library() == 0 && use_library() == 0);
    CHILD_CHECK(aclrtMalloc(&block, (size_t)MIB * 1024, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    while (count < 64 && aclrtMalloc(&blocks[count], (size_t)3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST) == 0)
        count++;
    CHILD_CHECK(count > 0 && count < 64 && use_library() == 0);
    while (count-- > 0)
        CHILD_CHECK(aclrtFree(blocks[count]) == 0);
    CHILD_CHECK(queue_work() == 0 && aclrtSynchronizeStream(stream) == 0);
    return use_library();
}

CASE(without_threads_there_is_a_code)
{
    struct rlimit none = {0, 0};
    if (UNDER_SANITIZER || getuid() != 0)
        return 0;
    CHILD_CHECK(setrlimit(RLIMIT_NPROC, &none) == 0);
    CHILD_CHECK(setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0);
    CHILD_CHECK(aclrtSetDevice(0) == 207005 || aclrtCreateStream(&stream) == 207005);
    CHILD_CHECK(aclGetRecentErrMsg() != NULL);
    CHILD_CHECK(aclrtSetDevice(99) == 107001);
    return 0;
}

/* One worker for everything, also for host functions that wait for one another's streams. */

static aclrtStream other;
static aclTensor *output_of_other;
static _Atomic int waits_done;

static void wait_for_other(void *unused)
{
    (void)unused;
    if (aclrtSetDevice(0) == 0 && run_operator_to(output_of_other, other) == 0 &&
        aclrtSynchronizeStream(other) == 0)
        atomic_fetch_add(&waits_done, 1);
}

CASE_WITH(one_worker_serves_functions_that_wait, "BELAY_THREADS", "1")
{
    aclrtEvent event;
    aclrtStream third;
    CHILD_CHECK(open_library() == 0 && aclrtCreateStream(&other) == 0 && aclrtCreateStream(&third) == 0);
    CHILD_CHECK((output_of_other = create_output()) != NULL);
    for (int i = 0; i < 20; i++) {
        CHILD_CHECK(aclrtLaunchHostFunc(other, sleep_briefly, NULL) == 0);
        CHILD_CHECK(aclrtLaunchHostFunc(stream, wait_for_other, NULL) == 0);
        CHILD_CHECK(aclrtCreateEvent(&event) == 0 && aclrtRecordEvent(event, stream) == 0);
        CHILD_CHECK(aclrtStreamWaitEvent(third, event) == 0 && aclrtDestroyEvent(event) == 0);
        CHILD_CHECK(run_operator(third) == 0);
    }
    CHILD_CHECK(aclrtSynchronizeStream(third) == 0 && atomic_load(&waits_done) == 20);
    CHILD_CHECK(run_all_operators() == 0);
    return use_library();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_more_stream_than_there_can_be_is_refused),
        cmocka_unit_test(device_memory_runs_out_and_comes_back),
        cmocka_unit_test(the_log_may_go_to_a_full_disk),
        cmocka_unit_test(the_log_may_go_to_a_closed_output),
        cmocka_unit_test(the_log_may_go_to_a_pipe_that_nobody_reads),
        cmocka_unit_test(the_folder_of_the_log_may_be_impossible),
        cmocka_unit_test(all_three_standard_files_may_be_closed),
        cmocka_unit_test(no_more_files_may_be_opened),
        cmocka_unit_test(a_stack_of_64_kib_is_enough),
        cmocka_unit_test(the_first_call_needs_no_more_stack),
        cmocka_unit_test(little_address_space_is_enough),
        cmocka_unit_test(without_threads_there_is_a_code),
        cmocka_unit_test(one_worker_serves_functions_that_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
