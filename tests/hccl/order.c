/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Collectives as work of streams: in order with what is before and behind, beside other streams, and never in
 * the way of those.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "hccl/own_ranks.h"
#include "support/gate.h"

/* A copy before a collective is what it sends, and a copy behind it gets what it has received. */
static void streams_keep_their_order(void **state)
{
    (void)state;
    enum { COUNT = 5000, TURNS = 20 };
    struct ranks ranks;
    ranks_open(&ranks, 3);
    int32_t *expected = (int32_t *)calloc(COUNT, sizeof *expected);
    for (uint32_t rank = 0; rank < 3; rank++) {
        memset(expected, 1 + (int)rank, COUNT * sizeof *expected);
        ranks_memory(&ranks, rank, 0, expected, COUNT * sizeof *expected);
        ranks_memory(&ranks, rank, 1, NULL, COUNT * sizeof *expected);
        ranks_memory(&ranks, rank, 2, NULL, TURNS * COUNT * sizeof *expected);
    }
    const size_t bytes = COUNT * sizeof *expected;
    for (int turn = 0; turn < TURNS; turn++)
        for (uint32_t rank = 0; rank < 3; rank++) {
            void **buffer = ranks.buffer[rank];
            aclrtStream stream = ranks.stream[rank];
            assert_int_equal(aclrtMemsetAsync(buffer[1], bytes, (int32_t)rank + turn, bytes, stream), 0);
            assert_int_equal(HcclAllReduce(buffer[1], buffer[1], COUNT, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_SUM,
                                           ranks.comm[rank], stream),
                             0);
            assert_int_equal(aclrtMemcpyAsync((char *)buffer[2] + (size_t)turn * bytes, bytes, buffer[1],
                                              bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                             0);
        }
    ranks_wait(&ranks);
    int8_t *found = (int8_t *)malloc(TURNS * bytes);
    for (uint32_t rank = 0; rank < 3; rank++) {
        ranks_read(&ranks, rank, 2, found, TURNS * bytes);
        for (int turn = 0; turn < TURNS; turn++)
            for (size_t i = 0; i < COUNT; i++)
                assert_int_equal(found[(size_t)turn * bytes + i], 3 * turn + 3);
    }
    free(found);
    free(expected);
    ranks_close(&ranks);
}

/* What waits for an event of another stream begins behind it, on one rank and therefore on all. */
static void events_order_collectives(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 2);
    struct gate gate;
    aclrtStream other;
    aclrtEvent event;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    for (uint32_t rank = 0; rank < 2; rank++)
        ranks_memory(&ranks, rank, 0, NULL, 4);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(launch_gate(other, &gate), 0);
    assert_int_equal(aclrtRecordEvent(event, other), 0);
    assert_int_equal(aclrtStreamWaitEvent(ranks.stream[0], event), 0);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(HcclAllReduce(ranks.buffer[rank][0], ranks.buffer[rank][0], 1, HCCL_DATA_TYPE_INT32,
                                       HCCL_REDUCE_MAX, ranks.comm[rank], ranks.stream[rank]),
                         0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(ranks.stream[1], 50), 507046);
    open_gate(&gate);
    ranks_wait(&ranks);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_int_equal(aclrtDestroyStream(other), 0);
    ranks_close(&ranks);
}

/* Collectives of which no rank but one has come, on every communicator there is, while another stream works.
 */
static void other_streams_go_on(void **state)
{
    (void)state;
    enum { COMMUNICATORS = 20 };
    static struct ranks ranks[COMMUNICATORS];
    for (int i = 0; i < COMMUNICATORS; i++) {
        ranks_open(&ranks[i], 2);
        for (uint32_t rank = 0; rank < 2; rank++)
            ranks_memory(&ranks[i], rank, 0, NULL, 64);
        assert_int_equal(HcclBroadcast(ranks[i].buffer[0][0], 16, HCCL_DATA_TYPE_INT32, 1, ranks[i].comm[0],
                                       ranks[i].stream[0]),
                         0);
    }
    aclrtStream free_stream;
    void *memory;
    enum { BYTES = 8 << 20 };
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&free_stream), 0);
    assert_int_equal(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(aclrtMemsetAsync(memory, BYTES, i, BYTES, free_stream), 0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(free_stream, 20000), 0);
    for (int i = COMMUNICATORS; i-- > 0;)
        assert_int_equal(HcclBroadcast(ranks[i].buffer[1][0], 16, HCCL_DATA_TYPE_INT32, 1, ranks[i].comm[1],
                                       ranks[i].stream[1]),
                         0);
    for (int i = 0; i < COMMUNICATORS; i++) {
        ranks_wait(&ranks[i]);
        ranks_close(&ranks[i]);
    }
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtFree(memory), 0);
    assert_int_equal(aclrtDestroyStream(free_stream), 0);
}

/* Two streams of one communicator: what was called first is first, whichever runs first. */
static void note(void *place)
{
    atomic_store((_Atomic int *)place, 1);
}

/* Any number of collectives that wait leaves threads for other work, and for the other ranks' part. */
static void a_thousand_that_wait_hold_nothing_up(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    static HcclComm comm[MANY][2];
    static aclrtStream stream[MANY][2];
    aclrtStream other;
    _Atomic int is_done = 0;
    for (uint32_t rank = 0; rank < 2; rank++) {
        assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
        for (int i = 0; i < MANY; i++)
            assert_int_equal(aclrtCreateStream(&stream[i][rank]), 0);
    }
    for (int i = 0; i < MANY; i++) {
        int32_t device[] = {0, 1};
        assert_int_equal(HcclCommInitAll(2, device, comm[i]), 0);
        assert_int_equal(HcclBarrier(comm[i][0], stream[i][0]), 0);
    }
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(aclrtLaunchHostFunc(other, note, &is_done), 0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(other, 30000), 0);
    assert_int_equal(atomic_load(&is_done), 1);
    for (int i = MANY - 1; i >= 0; i--)
        assert_int_equal(HcclBarrier(comm[i][1], stream[i][1]), 0);
    for (int i = 0; i < MANY; i++)
        for (int rank = 0; rank < 2; rank++) {
            assert_int_equal(aclrtSynchronizeStream(stream[i][rank]), 0);
            assert_int_equal(HcclCommDestroy(comm[i][rank]), 0);
        }
    assert_int_equal(aclrtDestroyStream(other), 0);
    for (int rank = 1; rank >= 0; rank--) {
        assert_int_equal(aclrtSetDevice(rank), 0);
        for (int i = 0; i < MANY; i++)
            assert_int_equal(aclrtDestroyStream(stream[i][rank]), 0);
    }
}

static void two_streams_of_one_communicator(void **state)
{
    (void)state;
    enum { TURNS = 30 };
    struct ranks ranks;
    ranks_open(&ranks, 2);
    aclrtStream second[2];
    for (uint32_t rank = 0; rank < 2; rank++) {
        assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
        assert_int_equal(aclrtCreateStream(&second[rank]), 0);
        int32_t value[2] = {(int32_t)rank + 1, (int32_t)rank + 10};
        ranks_memory(&ranks, rank, 0, value, 8);
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (uint32_t rank = 0; rank < 2; rank++) {
            int32_t *value = (int32_t *)ranks.buffer[rank][0];
            HcclComm comm = ranks.comm[rank];
            /* On one rank the streams have changed places. */
            aclrtStream a = rank == 0 ? ranks.stream[0] : second[1],
                        b = rank == 0 ? second[0] : ranks.stream[1];
            assert_int_equal(HcclAllReduce(value, value, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, comm, a),
                             0);
            assert_int_equal(
                HcclAllReduce(value + 1, value + 1, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MIN, comm, b), 0);
        }
    ranks_wait(&ranks);
    for (uint32_t rank = 0; rank < 2; rank++) {
        int32_t value[2];
        assert_int_equal(aclrtSynchronizeStream(second[rank]), 0);
        ranks_read(&ranks, rank, 0, value, 8);
        assert_int_equal(value[0], 2);
        assert_int_equal(value[1], 10);
        assert_int_equal(aclrtDestroyStream(second[rank]), 0);
    }
    ranks_close(&ranks);
}

/* Each rank on a thread of its own, as programs with a thread for each device have it. */
struct thread_part {
    struct ranks *ranks;
    uint32_t rank;
    _Atomic int *wrong;
};

static void *train(void *context)
{
    enum { COUNT = 40000, TURNS = 15 };
    struct thread_part *own = (struct thread_part *)context;
    struct ranks *ranks = own->ranks;
    float *values = (float *)malloc(COUNT * sizeof *values);
    void *memory;
    int wrong = aclrtSetDevice((int32_t)own->rank) != 0 ||
                aclrtMalloc(&memory, COUNT * 4, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
    for (int turn = 0; turn < TURNS && wrong == 0; turn++) {
        for (int i = 0; i < COUNT; i++)
            values[i] = (float)(i % 1000) + (float)own->rank;
        wrong += aclrtMemcpy(memory, COUNT * 4, values, COUNT * 4, ACL_MEMCPY_HOST_TO_DEVICE) != 0;
        wrong += HcclAllReduce(memory, memory, COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                               ranks->comm[own->rank], ranks->stream[own->rank]) != 0;
        wrong += aclrtSynchronizeStream(ranks->stream[own->rank]) != 0;
        wrong += aclrtMemcpy(values, COUNT * 4, memory, COUNT * 4, ACL_MEMCPY_DEVICE_TO_HOST) != 0;
        for (int i = 0; i < COUNT; i++)
            wrong += values[i] != (float)(4 * (i % 1000) + 6);
    }
    wrong += aclrtFree(memory) != 0;
    free(values);
    atomic_fetch_add(own->wrong, wrong);
    return NULL;
}

static void a_thread_for_each_rank(void **state)
{
    (void)state;
    struct ranks ranks;
    _Atomic int wrong = 0;
    pthread_t thread[4];
    struct thread_part part[4];
    ranks_open(&ranks, 4);
    for (uint32_t rank = 0; rank < 4; rank++) {
        part[rank] = (struct thread_part){&ranks, rank, &wrong};
        assert_int_equal(pthread_create(&thread[rank], NULL, train, &part[rank]), 0);
    }
    for (uint32_t rank = 0; rank < 4; rank++)
        pthread_join(thread[rank], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    ranks_close(&ranks);
}

int main(void)
{
    ranks_prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_keep_their_order),
        cmocka_unit_test(events_order_collectives),
        cmocka_unit_test(other_streams_go_on),
        cmocka_unit_test(two_streams_of_one_communicator),
        cmocka_unit_test(a_thousand_that_wait_hold_nothing_up),
        cmocka_unit_test(a_thread_for_each_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
