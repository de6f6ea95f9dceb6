/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How communicators end: by their destroy, with work queued and without, with their device, with the process,
 * and in the child of a fork.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "hccl/own_ranks.h"
#include "support/child.h"
#include "support/gate.h"

static const HcclDataType fp32 = HCCL_DATA_TYPE_FP32;

static void open_with_memory(struct ranks *ranks, uint32_t count)
{
    ranks_open(ranks, count);
    for (uint32_t rank = 0; rank < count; rank++)
        ranks_memory(ranks, rank, 0, NULL, 4000);
}

static HcclResult broadcast(const struct ranks *ranks, uint32_t rank)
{
    return HcclBroadcast(ranks->buffer[rank][0], 10, fp32, 0, ranks->comm[rank], ranks->stream[rank]);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Work of which all ranks come is done before the destroy returns; ranks need not come at the same time. */
static void destroy_waits_for_work(void **state)
{
    (void)state;
    struct ranks ranks;
    struct gate gate;
    open_with_memory(&ranks, 2);
    assert_int_equal(launch_gate(ranks.stream[1], &gate), 0);
    for (int turn = 0; turn < 50; turn++)
        for (uint32_t rank = 0; rank < 2; rank++)
            assert_int_equal(broadcast(&ranks, rank), 0);
    open_gate(&gate);
    for (uint32_t rank = 0; rank < 2; rank++) {
        assert_int_equal(HcclCommDestroy(ranks.comm[rank]), 0);
        assert_failure(HcclCommDestroy(ranks.comm[rank]), HCCL_E_PARA, "comm was destroyed");
        ranks.comm[rank] = NULL;
    }
    ranks_wait(&ranks);
    ranks_close(&ranks);
}

/* And work whose other ranks never come is given up, whether it runs or waits for something before it. */
static void destroy_gives_up(void **state)
{
    (void)state;
    struct ranks ranks;
    struct gate gate;
    setenv("HCCL_EXEC_TIMEOUT", "1", 1);
    open_with_memory(&ranks, 3);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    assert_int_equal(launch_gate(ranks.stream[0], &gate), 0);
    assert_int_equal(broadcast(&ranks, 0), 0);
    assert_int_equal(HcclCommDestroy(ranks.comm[0]), 0);
    ranks.comm[0] = NULL;
    open_gate(&gate);
    assert_failure(aclrtSynchronizeStream(ranks.stream[0]), 507018, "before this work had begun");
    ranks_close(&ranks);

    setenv("HCCL_EXEC_TIMEOUT", "2", 1);
    open_with_memory(&ranks, 2);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    assert_int_equal(broadcast(&ranks, 0), 0);
    assert_int_equal(broadcast(&ranks, 0), 0);
    int64_t begin = now_ms();
    assert_int_equal(HcclCommDestroy(ranks.comm[0]), 0);
    assert_in_range(now_ms() - begin, 1000, 20000);
    ranks.comm[0] = NULL;
    assert_int_not_equal(aclrtSynchronizeStream(ranks.stream[0]), 0);
    ranks_close(&ranks);
}

/* Once the communicator has failed there is nothing to be patient for. */
static void destroy_of_one_that_has_failed(void **state)
{
    (void)state;
    struct ranks ranks;
    struct gate gate;
    open_with_memory(&ranks, 2);
    assert_int_equal(launch_gate(ranks.stream[0], &gate), 0);
    assert_int_equal(broadcast(&ranks, 0), 0);
    aclrtStream other;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(HcclBarrier(ranks.comm[0], other), 0);
    assert_int_equal(HcclCommDestroy(ranks.comm[1]), 0);
    ranks.comm[1] = NULL;
    assert_failure(aclrtSynchronizeStream(other), 507057, "rank 1 has left");
    int64_t begin = now_ms();
    assert_int_equal(HcclCommDestroy(ranks.comm[0]), 0);
    assert_in_range(now_ms() - begin, 0, 50000);
    ranks.comm[0] = NULL;
    open_gate(&gate);
    assert_failure(aclrtSynchronizeStream(ranks.stream[0]), 507057, "the communicator has failed before");
    assert_int_equal(aclrtDestroyStream(other), 0);
    ranks_close(&ranks);
}

static void *come_late(void *context)
{
    const struct ranks *ranks = (const struct ranks *)context;
    pause_us(6000000);
    return (void *)(uintptr_t)(aclrtSetDevice(1) != 0 || broadcast(ranks, 1) != 0);
}

/* A rank that is late is none that has gone. */
static void destroy_waits_for_late_ranks(void **state)
{
    (void)state;
    struct ranks ranks;
    pthread_t thread;
    void *is_wrong;
    open_with_memory(&ranks, 2);
    assert_int_equal(broadcast(&ranks, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, come_late, &ranks), 0);
    assert_int_equal(HcclCommDestroy(ranks.comm[0]), 0);
    ranks.comm[0] = NULL;
    pthread_join(thread, &is_wrong);
    assert_null(is_wrong);
    ranks_wait(&ranks);
    ranks_close(&ranks);
}

/* A device can be reset while a collective waits for a rank that never comes. */
static void reset_gives_up(void **state)
{
    (void)state;
    for (int forced = 0; forced < 2; forced++) {
        struct ranks ranks;
        setenv("HCCL_EXEC_TIMEOUT", "1", 1);
        open_with_memory(&ranks, 2);
        setenv("HCCL_EXEC_TIMEOUT", "60", 1);
        assert_int_equal(broadcast(&ranks, 0), 0);
        int64_t begin = now_ms();
        assert_int_equal(aclrtResetDeviceForce(0), 0);
        assert_in_range(now_ms() - begin, 0, 20000);
        for (uint32_t rank = 0; rank < 2; rank++)
            assert_int_equal(HcclCommDestroy(ranks.comm[rank]), 0);
        assert_int_equal(aclrtResetDeviceForce(1), 0);
    }
}

static void *destroy_in_thread(void *comm)
{
    return (void *)(uintptr_t)HcclCommDestroy((HcclComm)comm);
}

/* Nor does it wait for a destroy of another thread. */
static void reset_ends_a_destroy(void **state)
{
    (void)state;
    struct ranks ranks;
    pthread_t thread;
    void *result;
    open_with_memory(&ranks, 2);
    assert_int_equal(broadcast(&ranks, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, destroy_in_thread, ranks.comm[0]), 0);
    uint32_t number;
    while (HcclGetRankId(ranks.comm[0], &number) == 0)
        pause_us(1000);
    int64_t begin = now_ms();
    assert_int_equal(aclrtResetDeviceForce(0), 0);
    assert_in_range(now_ms() - begin, 0, 50000);
    pthread_join(thread, &result);
    assert_null(result);
    assert_int_equal(HcclCommDestroy(ranks.comm[1]), 0);
    assert_int_equal(aclrtResetDeviceForce(1), 0);
}

/* Freed while a collective is queued: the memory stays until that is done. */
static void memory_outlives_its_free(void **state)
{
    (void)state;
    struct ranks ranks;
    struct gate gate;
    open_with_memory(&ranks, 2);
    int32_t value = 77;
    ranks_memory(&ranks, 0, 1, &value, 4);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(launch_gate(ranks.stream[0], &gate), 0);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(
            HcclBroadcast(ranks.buffer[rank][rank == 0], 1, fp32, 0, ranks.comm[rank], ranks.stream[rank]),
            0);
    assert_int_equal(aclrtFree(ranks.buffer[0][1]), 0);
    ranks.buffer[0][1] = NULL;
    ranks_memory(&ranks, 0, 2, NULL, 4);
    open_gate(&gate);
    ranks_wait(&ranks);
    ranks_read(&ranks, 1, 0, &value, 4);
    assert_int_equal(value, 77);
    ranks_close(&ranks);
}

static void one_of_many_destroys_succeeds(void **state)
{
    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        struct ranks ranks;
        ranks_open(&ranks, 1);
        pthread_t thread[4];
        int succeeded = 0;
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, destroy_in_thread, ranks.comm[0]), 0);
        for (int i = 0; i < 4; i++) {
            void *result;
            pthread_join(thread[i], &result);
            assert_true(result == NULL || (uintptr_t)result == HCCL_E_PARA);
            succeeded += result == NULL;
        }
        assert_int_equal(succeeded, 1);
        ranks.comm[0] = NULL;
        ranks_close(&ranks);
    }
}

static void communicators_are_many(void **state)
{
    (void)state;
    enum { MANY = 20 };
    static struct ranks ranks[MANY];
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < MANY; i++)
            open_with_memory(&ranks[i], 2);
        for (int i = 0; i < MANY; i++)
            for (uint32_t rank = 0; rank < 2; rank++)
                assert_int_equal(broadcast(&ranks[i], rank), 0);
        for (int i = 0; i < MANY; i++) {
            ranks_wait(&ranks[i]);
            ranks_close(&ranks[i]);
        }
    }
}

/* The parts that need a process of their own. */

static int leave_with_work(void)
{
    struct ranks ranks;
    open_with_memory(&ranks, 2);
    CHILD_CHECK(broadcast(&ranks, 0) == 0);
    pause_us(20000);
    exit(0); /* and not _exit */
}

static int finalize_with_work(void)
{
    struct ranks ranks;
    CHILD_CHECK(aclInit(NULL) == 0);
    open_with_memory(&ranks, 2);
    CHILD_CHECK(broadcast(&ranks, 0) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    exit(0);
}

static int fork_with_communicators(void)
{
    struct ranks ranks;
    open_with_memory(&ranks, 2);
    pid_t child = fork();
    if (child == 0) {
        uint32_t number;
        HcclResult error;
        HcclRootInfo root;
        HcclComm comm;
        int32_t device = 0;
        CHILD_CHECK(broadcast(&ranks, 0) == HCCL_E_UNAVAIL);
        CHILD_CHECK(HcclGetRankSize(ranks.comm[0], &number) == HCCL_E_UNAVAIL);
        CHILD_CHECK(HcclGetCommAsyncError(ranks.comm[0], &error) == HCCL_E_UNAVAIL);
        CHILD_CHECK(HcclCommDestroy(ranks.comm[0]) == HCCL_E_UNAVAIL);
        CHILD_CHECK(HcclGetRootInfo(&root) == HCCL_E_UNAVAIL);
        CHILD_CHECK(HcclCommInitAll(1, &device, &comm) == HCCL_E_UNAVAIL);
        CHILD_CHECK(HcclGroupStart() == HCCL_E_UNAVAIL && HcclGroupEnd() == HCCL_E_UNAVAIL);
        _exit(0);
    }
    int status = 0;
    CHILD_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHILD_CHECK(WEXITSTATUS(status) == 0);
    ranks_close(&ranks);
    return 0;
}

static void processes_end(void **state)
{
    (void)state;
    int64_t begin = now_ms();
    assert_int_equal(run_in_child(NULL, NULL, leave_with_work), 0);
    assert_in_range(now_ms() - begin, 0, 10000);
    assert_int_equal(run_in_child("HCCL_EXEC_TIMEOUT", "1", finalize_with_work), 0);
    assert_in_range(now_ms() - begin, 0, 20000);
    assert_int_equal(run_in_child(NULL, NULL, fork_with_communicators), 0);
}

int main(void)
{
    ranks_prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_end), /* first: these need a parent that has not used the library */
        cmocka_unit_test(destroy_waits_for_work),
        cmocka_unit_test(destroy_gives_up),
        cmocka_unit_test(destroy_of_one_that_has_failed),
        cmocka_unit_test(destroy_waits_for_late_ranks),
        cmocka_unit_test(memory_outlives_its_free),
        cmocka_unit_test(one_of_many_destroys_succeeds),
        cmocka_unit_test(communicators_are_many),
        cmocka_unit_test(reset_gives_up),
        cmocka_unit_test(reset_ends_a_destroy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
