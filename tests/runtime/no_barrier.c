/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams where the system forbids membarrier, as filters of containers may: from the start, when all are
 * shared, and after streams have been biased. Each case in a process of its own, as there is no way back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "runtime/device.h"
#include "runtime/stream_claim.h"
#include "support/child.h"

static _Atomic int tasks_run;

static int count_task(struct task *task)
{
    (void)task;
    atomic_fetch_add(&tasks_run, 1);
    return 0;
}

static int submit(aclrtStream handle)
{
    struct task task = {.run = count_task, .cost_ns = 1};
    return stream_submit("test", handle, &task);
}

static void *submit_elsewhere(void *handle)
{
    int status = aclrtSetDevice(0);
    return (void *)(uintptr_t)(status != 0 ? status : submit((aclrtStream)handle));
}

/* For this thread and those that it makes. False where the system has no filters. */
static bool forbid_barrier(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof steps / sizeof steps[0], .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { SKIPPED = 77 };

static int forbidden_from_the_start(void)
{
    if (!forbid_barrier())
        return SKIPPED;
    aclrtStream handle;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&handle) == 0);
    CHILD_CHECK(stream_first_bias() == STREAM_SHARED);
    pthread_t other;
    void *status;
    CHILD_CHECK(submit(handle) == 0);
    CHILD_CHECK(pthread_create(&other, NULL, submit_elsewhere, handle) == 0);
    CHILD_CHECK(pthread_join(other, &status) == 0 && status == NULL);
    CHILD_CHECK(aclrtSynchronizeStream(handle) == 0 && tasks_run == 2);
    CHILD_CHECK(aclrtDestroyStream(handle) == 0);
    return 0;
}

/* Whoever shares the stream waits until its thread has left it. */
static int forbidden_later(void)
{
    aclrtStream handle;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&handle) == 0);
    struct stream *stream = (struct stream *)handle_find(&stream_table, (uint64_t)(uintptr_t)handle);
    CHILD_CHECK(stream != NULL);
    if (stream_first_bias() == STREAM_SHARED || !forbid_barrier())
        return SKIPPED;
    CHILD_CHECK(submit(handle) == 0 && aclrtSynchronizeStream(handle) == 0 && tasks_run == 1);
    uint64_t mark;
    pthread_t other;
    void *status;
    CHILD_CHECK(stream_enter(stream, &mark));
    CHILD_CHECK(pthread_create(&other, NULL, submit_elsewhere, handle) == 0);
    const struct timespec moment = {.tv_nsec = 1000000};
    while (!stream_has_ended_bias(stream))
        nanosleep(&moment, NULL);
    nanosleep(&moment, NULL);
    CHILD_CHECK(!stream_has_entered(stream, mark));
    CHILD_CHECK(tasks_run == 1 && atomic_load(&stream->bias) != STREAM_SHARED);
    stream_leave_entered(stream);
    CHILD_CHECK(pthread_join(other, &status) == 0 && status == NULL);
    CHILD_CHECK(atomic_load(&stream->bias) == STREAM_SHARED);
    CHILD_CHECK(submit(handle) == 0 && aclrtSynchronizeStream(handle) == 0 && tasks_run == 3);
    CHILD_CHECK(aclrtDestroyStream(handle) == 0);
    return 0;
}

static void assert_works(int (*body)(void))
{
    int status = run_in_child("BELAY_SCHEDULE", "eager", body);
    if (status == SKIPPED)
        skip();
    assert_int_equal(status, 0);
}

static void streams_are_shared_where_there_is_no_barrier(void **state)
{
    (void)state;
    assert_works(forbidden_from_the_start);
}

static void biased_streams_are_shared_where_the_barrier_is_forbidden_since(void **state)
{
    (void)state;
    assert_works(forbidden_later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_shared_where_there_is_no_barrier),
        cmocka_unit_test(biased_streams_are_shared_where_the_barrier_is_forbidden_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
