/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Messages between two ranks: alone, in batches and in groups, in whatever order the ranks come.
 */
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>

#include "hccl/own_ranks.h"
#include "support/gate.h"

enum { LARGE = 300000 };

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
#define HAS_MALLINFO2
#endif
#endif

/* Element i of what a rank has. */
static int32_t element(uint32_t rank, uint32_t i)
{
    return (int32_t)(rank * 1000003 + i);
}

static void fill(struct ranks *ranks, uint32_t rank, int buffer, uint32_t count)
{
    int32_t *values = (int32_t *)malloc(count * sizeof *values + 1);
    for (uint32_t i = 0; i < count; i++)
        values[i] = element(rank, i);
    ranks_memory(ranks, rank, buffer, values, count * sizeof *values);
    free(values);
}

/* The buffer has so many elements of that rank, from its element first on. */
static void assert_from(struct ranks *ranks, uint32_t rank, int buffer, uint32_t from, uint32_t first,
                        uint32_t count)
{
    int32_t *values = (int32_t *)malloc(count * sizeof *values + 1);
    ranks_read(ranks, rank, buffer, values, count * sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(values[i], element(from, first + i));
    free(values);
}

static HcclSendRecvItem item(HcclSendRecvType kind, void *buffer, uint64_t count, uint32_t peer)
{
    return (HcclSendRecvItem){kind, buffer, count, HCCL_DATA_TYPE_INT32, peer};
}

static void a_message_arrives(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 1000, LARGE};
    struct ranks ranks;
    ranks_open(&ranks, 3);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (int receiver_first = 0; receiver_first < 2; receiver_first++) {
            fill(&ranks, 2, 0, counts[i]);
            ranks_memory(&ranks, 0, 1, NULL, counts[i] * 4);
            for (int step = 0; step < 2; step++)
                if ((step == 0) == (receiver_first != 0))
                    assert_int_equal(HcclRecv(ranks.buffer[0][1], counts[i], HCCL_DATA_TYPE_INT32, 2,
                                              ranks.comm[0], ranks.stream[0]),
                                     0);
                else
                    assert_int_equal(HcclSend(ranks.buffer[2][0], counts[i], HCCL_DATA_TYPE_INT32, 0,
                                              ranks.comm[2], ranks.stream[2]),
                                     0);
            ranks_wait(&ranks);
            assert_from(&ranks, 0, 1, 2, 0, counts[i]);
        }
    ranks_close(&ranks);
}

static void messages_of_a_pair_arrive_in_their_order(void **state)
{
    (void)state;
    enum { MESSAGES = 100, EACH = 10 };
    struct ranks ranks;
    ranks_open(&ranks, 2);
    fill(&ranks, 0, 0, MESSAGES * EACH);
    fill(&ranks, 1, 0, MESSAGES * EACH);
    for (uint32_t rank = 0; rank < 2; rank++)
        ranks_memory(&ranks, rank, 1, NULL, MESSAGES * EACH * 4);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        for (uint32_t rank = 0; rank < 2; rank++) {
            /* One rank sends first, the other receives first: both directions are numbered apart. */
            for (uint32_t step = 0; step < 2; step++) {
                int32_t *from = (int32_t *)ranks.buffer[rank][0] + i * EACH;
                int32_t *to = (int32_t *)ranks.buffer[rank][1] + i * EACH;
                if (step == rank)
                    assert_int_equal(HcclSend(from, EACH, HCCL_DATA_TYPE_INT32, !rank, ranks.comm[rank],
                                              ranks.stream[rank]),
                                     0);
                else
                    assert_int_equal(
                        HcclRecv(to, EACH, HCCL_DATA_TYPE_INT32, !rank, ranks.comm[rank], ranks.stream[rank]),
                        0);
            }
        }
    }
    ranks_wait(&ranks);
    assert_from(&ranks, 0, 1, 1, 0, MESSAGES * EACH);
    assert_from(&ranks, 1, 1, 0, 0, MESSAGES * EACH);
    ranks_close(&ranks);
}

/* Around a circle, everybody sending before anybody receives; and messages to oneself. */
static void a_batch_goes_round(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 5);
    for (uint32_t rank = 0; rank < ranks.count; rank++) {
        fill(&ranks, rank, 0, LARGE);
        ranks_memory(&ranks, rank, 1, NULL, LARGE * 4);
        ranks_memory(&ranks, rank, 2, NULL, 40);
    }
    for (uint32_t rank = 0; rank < ranks.count; rank++) {
        int32_t *own = (int32_t *)ranks.buffer[rank][2];
        HcclSendRecvItem items[] = {
            item(HCCL_SEND, ranks.buffer[rank][0], LARGE, (rank + 1) % 5),
            item(HCCL_RECV, own, 4, rank),
            item(HCCL_SEND, ranks.buffer[rank][0], 4, rank),
            item(HCCL_SEND, (int32_t *)ranks.buffer[rank][0] + 4, 6, rank),
            item(HCCL_RECV, ranks.buffer[rank][1], LARGE, (rank + 4) % 5),
            item(HCCL_RECV, own + 4, 6, rank),
        };
        assert_int_equal(HcclBatchSendRecv(items, 6, ranks.comm[rank], ranks.stream[rank]), 0);
        memset(items, 0xff, sizeof items); /* the caller's again */
    }
    ranks_wait(&ranks);
    for (uint32_t rank = 0; rank < ranks.count; rank++) {
        assert_from(&ranks, rank, 1, (rank + 4) % 5, 0, LARGE);
        assert_from(&ranks, rank, 2, rank, 0, 10);
    }
    ranks_close(&ranks);
}

/* Several messages of a pair in one batch, and the other side's in other batches, and in another order of
 * peers and directions. */
static void batches_need_not_match(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 3);
    for (uint32_t rank = 0; rank < 3; rank++) {
        fill(&ranks, rank, 0, 100);
        ranks_memory(&ranks, rank, 1, NULL, 400);
    }
    int32_t *from[3], *to[3];
    for (uint32_t rank = 0; rank < 3; rank++) {
        from[rank] = (int32_t *)ranks.buffer[rank][0];
        to[rank] = (int32_t *)ranks.buffer[rank][1];
    }
    HcclSendRecvItem all[] = {item(HCCL_SEND, from[0], 10, 1), item(HCCL_SEND, from[0] + 10, 20, 1),
                              item(HCCL_RECV, to[0], 30, 2), item(HCCL_RECV, to[0] + 30, 5, 1)};
    assert_int_equal(HcclBatchSendRecv(all, 4, ranks.comm[0], ranks.stream[0]), 0);
    assert_int_equal(HcclSend(from[1], 5, HCCL_DATA_TYPE_INT32, 0, ranks.comm[1], ranks.stream[1]), 0);
    HcclSendRecvItem some[] = {item(HCCL_RECV, to[1], 10, 0), item(HCCL_RECV, to[1] + 10, 20, 0)};
    assert_int_equal(HcclBatchSendRecv(some, 2, ranks.comm[1], ranks.stream[1]), 0);
    assert_int_equal(HcclSend(from[2], 30, HCCL_DATA_TYPE_INT32, 0, ranks.comm[2], ranks.stream[2]), 0);
    ranks_wait(&ranks);
    assert_from(&ranks, 1, 1, 0, 0, 30);
    assert_from(&ranks, 0, 1, 2, 0, 30);
    ranks_close(&ranks);
}

/* As frameworks nest them: a group for all, and one around each message. */
static void groups_start_together(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 4);
    for (uint32_t rank = 0; rank < 4; rank++) {
        fill(&ranks, rank, 0, LARGE);
        ranks_memory(&ranks, rank, 1, NULL, LARGE * 4);
    }
    assert_int_equal(HcclGroupStart(), 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_int_equal(HcclGroupStart(), 0);
        assert_int_equal(HcclSend(ranks.buffer[rank][0], LARGE, HCCL_DATA_TYPE_INT32, (rank + 1) % 4,
                                  ranks.comm[rank], ranks.stream[rank]),
                         0);
        assert_int_equal(HcclGroupEnd(), 0);
        assert_int_equal(HcclGroupStart(), 0);
        assert_int_equal(HcclRecv(ranks.buffer[rank][1], LARGE, HCCL_DATA_TYPE_INT32, (rank + 3) % 4,
                                  ranks.comm[rank], ranks.stream[rank]),
                         0);
        assert_int_equal(HcclGroupEnd(), 0);
    }
    /* Nothing has begun. */
    for (uint32_t rank = 0; rank < 4; rank++)
        assert_int_equal(aclrtSynchronizeStream(ranks.stream[rank]), 0);
    int32_t first;
    ranks_read(&ranks, 0, 1, &first, 4);
    assert_int_equal((uint32_t)first, 0xA5A5A5A5u);
    assert_int_equal(HcclGroupEnd(), 0);
    ranks_wait(&ranks);
    for (uint32_t rank = 0; rank < 4; rank++)
        assert_from(&ranks, rank, 1, (rank + 3) % 4, 0, LARGE);
    assert_failure(HcclGroupEnd(), HCCL_E_PARA, "HcclGroupStart is expected");
    ranks_close(&ranks);
}

/* Collectives and messages are numbered apart: ranks that take no part in messages need not know of them. */
/* NULL is the default stream of the context at the call, not at the end. */
static void a_group_of_default_streams(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        fill(&ranks, rank, 0, 10);
        ranks_memory(&ranks, rank, 1, NULL, 40);
    }
    assert_int_equal(HcclGroupStart(), 0);
    for (uint32_t rank = 0; rank < 2; rank++) {
        assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
        assert_int_equal(
            HcclSend(ranks.buffer[rank][0], 10, HCCL_DATA_TYPE_INT32, 1 - rank, ranks.comm[rank], NULL), 0);
        assert_int_equal(
            HcclRecv(ranks.buffer[rank][1], 10, HCCL_DATA_TYPE_INT32, 1 - rank, ranks.comm[rank], NULL), 0);
    }
    assert_int_equal(HcclGroupEnd(), 0);
    for (uint32_t rank = 0; rank < 2; rank++) {
        assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
        assert_int_equal(aclrtSynchronizeStream(NULL), 0);
        assert_from(&ranks, rank, 1, 1 - rank, 0, 10);
    }
    ranks_close(&ranks);
}

/* What one message receives is apart from all else of its batch: they move in any order. */
static void batches_that_overlap(void **state)
{
    (void)state;
    enum { MANY = 40 };
    struct ranks ranks;
    HcclSendRecvItem items[MANY];
    ranks_open(&ranks, 2);
    fill(&ranks, 0, 0, 1000);
    fill(&ranks, 0, 1, 1000);
    int32_t *a = (int32_t *)ranks.buffer[0][0], *b = (int32_t *)ranks.buffer[0][1];
    const struct {
        HcclSendRecvItem item[3];
        bool is_refused;
    } cases[] = {
        {{item(HCCL_SEND, a, 100, 1), item(HCCL_RECV, a, 100, 1), item(HCCL_SEND, b, 1, 1)}, true},
        {{item(HCCL_RECV, a + 99, 100, 1), item(HCCL_SEND, b, 1, 1), item(HCCL_SEND, a, 100, 1)}, true},
        {{item(HCCL_RECV, a, 100, 1), item(HCCL_RECV, a + 50, 10, 1), item(HCCL_SEND, b, 1, 1)}, true},
        {{item(HCCL_SEND, a, 1000, 1), item(HCCL_SEND, a + 1, 1, 1), item(HCCL_RECV, a + 999, 1, 1)}, true},
        {{item(HCCL_RECV, a, 1000, 1), item(HCCL_RECV, b, 1, 1), item(HCCL_SEND, a + 999, 1, 1)}, true},
        {{item(HCCL_RECV, a + 100, 100, 1), item(HCCL_SEND, a, 100, 1), item(HCCL_SEND, a, 50, 1)}, false},
        {{item(HCCL_RECV, a, 100, 1), item(HCCL_RECV, a + 5, 0, 1), item(HCCL_SEND, a + 5, 0, 1)}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy(items, cases[i].item, sizeof cases[i].item);
        if (cases[i].is_refused) {
            assert_failure(HcclBatchSendRecv(items, 3, ranks.comm[0], ranks.stream[0]), HCCL_E_PARA,
                           "a recvBuf apart from all else of a batch is expected");
            continue;
        }
        assert_int_equal(HcclBatchSendRecv(items, 3, ranks.comm[0], ranks.stream[0]), 0);
        HcclSendRecvItem answer[3];
        ranks_memory(&ranks, 1, 0, NULL, 4000);
        for (int j = 0; j < 3; j++)
            answer[j] = item(items[j].sendRecvType == HCCL_SEND ? HCCL_RECV : HCCL_SEND,
                             (int32_t *)ranks.buffer[1][0] + 200 * j, items[j].count, 0);
        assert_int_equal(HcclBatchSendRecv(answer, 3, ranks.comm[1], ranks.stream[1]), 0);
        ranks_wait(&ranks);
    }
    /* More than have room on the stack, and not in order. */
    for (int i = 0; i < MANY; i++)
        items[i] = item(HCCL_RECV, b + i * 7 % MANY * 10, 10, 1);
    items[MANY / 2].count = 11;
    assert_failure(HcclBatchSendRecv(items, MANY, ranks.comm[0], ranks.stream[0]), HCCL_E_PARA, "overlap");
    ranks_close(&ranks);
}

static int threads_of_process(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = -2; /* . and .. */
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* However many messages a batch has: two threads for each other rank. */
static void a_batch_of_many_messages(void **state)
{
    (void)state;
    enum { MANY = 600 };
    struct ranks ranks;
    static HcclSendRecvItem items[2][2 * MANY];
    ranks_open(&ranks, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        fill(&ranks, rank, 0, MANY);
        ranks_memory(&ranks, rank, 1, NULL, MANY * 4);
        for (int i = 0; i < MANY; i++) {
            items[rank][2 * i] = item(HCCL_SEND, (int32_t *)ranks.buffer[rank][0] + i, 1, 1 - rank);
            items[rank][2 * i + 1] = item(HCCL_RECV, (int32_t *)ranks.buffer[rank][1] + i, 1, 1 - rank);
        }
    }
    assert_int_equal(HcclBarrier(ranks.comm[0], ranks.stream[0]), 0);
    assert_int_equal(HcclBarrier(ranks.comm[1], ranks.stream[1]), 0);
    ranks_wait(&ranks);
    const int before = threads_of_process();
    assert_int_equal(HcclBatchSendRecv(items[0], 2 * MANY, ranks.comm[0], ranks.stream[0]), 0);
    int most = 0;
    /* The first may take a while to come; a hundred looks more for those that may be too many. */
    for (int look = 0, more = 0; look < 20000 && more < 100; look++) {
        const int now = threads_of_process();
        most = now > most ? now : most;
        more += most > before;
        pause_us(1000);
    }
    assert_in_range(most - before, 1, 8);
    assert_int_equal(HcclBatchSendRecv(items[1], 2 * MANY, ranks.comm[1], ranks.stream[1]), 0);
    ranks_wait(&ranks);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_from(&ranks, rank, 1, 1 - rank, 0, MANY);
    ranks_close(&ranks);
}

/* The End returns the first failure, with its sentence; a stream that is none is refused at once. */
static void failures_of_a_group(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 2);
    fill(&ranks, 0, 0, 10);
    aclrtStream other, gone;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(aclrtCreateStream(&gone), 0);
    assert_int_equal(HcclGroupStart(), 0);
    assert_failure(HcclSend(ranks.buffer[0][0], 10, HCCL_DATA_TYPE_INT32, 1, ranks.comm[0], ranks.stream[1]),
                   HCCL_E_PARA, "HcclSend: argument stream is of device 1");
    assert_int_equal(HcclSend(NULL, 10, HCCL_DATA_TYPE_INT32, 1, ranks.comm[0], ranks.stream[0]), 0);
    assert_int_equal(HcclSend(ranks.buffer[0][0], 10, HCCL_DATA_TYPE_INT32, 1, ranks.comm[0], gone), 0);
    assert_int_equal(HcclSend(ranks.buffer[0][0], 1000, HCCL_DATA_TYPE_INT32, 1, ranks.comm[0], other), 0);
    assert_int_equal(aclrtDestroyStream(gone), 0);
    assert_failure(HcclGroupEnd(), HCCL_E_PTR, "sendBuf is NULL");
    assert_int_equal(aclrtDestroyStream(other), 0);
    ranks_close(&ranks);
}

static void messages_between_collectives(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 3);
    for (uint32_t rank = 0; rank < 3; rank++) {
        fill(&ranks, rank, 0, 10);
        ranks_memory(&ranks, rank, 1, NULL, 40);
    }
    for (int turn = 0; turn < 20; turn++) {
        assert_int_equal(
            HcclSend(ranks.buffer[0][0], 10, HCCL_DATA_TYPE_INT32, 2, ranks.comm[0], ranks.stream[0]), 0);
        assert_int_equal(
            HcclRecv(ranks.buffer[2][1], 10, HCCL_DATA_TYPE_INT32, 0, ranks.comm[2], ranks.stream[2]), 0);
        for (uint32_t rank = 0; rank < 3; rank++)
            assert_int_equal(HcclBarrier(ranks.comm[rank], ranks.stream[rank]), 0);
    }
    ranks_wait(&ranks);
    assert_from(&ranks, 2, 1, 0, 0, 10);
    ranks_close(&ranks);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 2);
    void *own = ranks_memory(&ranks, 0, 0, NULL, 400);
    HcclComm comm = ranks.comm[0];
    aclrtStream stream = ranks.stream[0];
    assert_failure(HcclSend(NULL, 1, HCCL_DATA_TYPE_INT32, 1, comm, stream), HCCL_E_PTR, "sendBuf is NULL");
    assert_failure(HcclRecv(NULL, 1, HCCL_DATA_TYPE_INT32, 1, comm, stream), HCCL_E_PTR, "recvBuf is NULL");
    assert_failure(HcclSend(own, 1, HCCL_DATA_TYPE_INT32, 2, comm, stream), HCCL_E_PARA,
                   "the other rank is 2");
    assert_failure(HcclRecv(own, 1, (HcclDataType)13, 1, comm, stream), HCCL_E_PARA, "dataType is 13");
    assert_failure(HcclSend(own, UINT64_MAX / 2, HCCL_DATA_TYPE_INT32, 1, comm, stream), HCCL_E_PARA,
                   "count is");
    assert_failure(HcclSend(own, 100000, HCCL_DATA_TYPE_INT32, 1, comm, stream), HCCL_E_PARA,
                   "its block has");
    assert_failure(HcclSend(own, 1, HCCL_DATA_TYPE_INT32, 0, comm, stream), HCCL_E_PARA, "has no other side");
    assert_failure(HcclSend(own, 1, HCCL_DATA_TYPE_INT32, 1, NULL, stream), HCCL_E_PTR, "comm is NULL");
    assert_failure(HcclRecv(own, 1, HCCL_DATA_TYPE_INT32, 1, (HcclComm)own, stream), HCCL_E_PARA,
                   "comm is not a handle");
    assert_failure(HcclSend(own, 1, HCCL_DATA_TYPE_INT32, 1, comm, ranks.stream[1]), HCCL_E_PARA,
                   "stream is of device 1");
    assert_failure(HcclBatchSendRecv(NULL, 1, comm, stream), HCCL_E_PTR, "sendRecvInfo is NULL");
    HcclSendRecvItem items[] = {item(HCCL_SEND, own, 4, 0), item(HCCL_RECV, (int32_t *)own + 8, 5, 0)};
    assert_failure(HcclBatchSendRecv(items, 0, comm, stream), HCCL_E_PARA, "itemNum is 0");
    assert_failure(HcclBatchSendRecv(items, 2, comm, stream), HCCL_E_PARA,
                   "sends itself 4 int32 and receives 5");
    items[0].sendRecvType = HCCL_SEND_RECV_RESERVED;
    assert_failure(HcclBatchSendRecv(items, 2, comm, stream), HCCL_E_PARA, "sendRecvType is 2");
    assert_int_equal(HcclGroupStart(), 0);
    assert_failure(HcclSend(own, 1, HCCL_DATA_TYPE_INT32, 2, comm, stream), HCCL_E_PARA,
                   "the other rank is 2");
    assert_int_equal(HcclSend(NULL, 1, HCCL_DATA_TYPE_INT32, 1, comm, stream), 0);
    assert_failure(HcclGroupEnd(), HCCL_E_PTR, "sendBuf is NULL");
    /* None of these has taken a number. */
    fill(&ranks, 1, 0, 3);
    assert_int_equal(HcclRecv(own, 3, HCCL_DATA_TYPE_INT32, 1, comm, stream), 0);
    assert_int_equal(HcclSend(ranks.buffer[1][0], 3, HCCL_DATA_TYPE_INT32, 0, ranks.comm[1], ranks.stream[1]),
                     0);
    ranks_wait(&ranks);
    assert_from(&ranks, 0, 0, 1, 0, 3);
    ranks_close(&ranks);
}

static void both_sides_hear_of_a_difference(void **state)
{
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 2);
    fill(&ranks, 0, 0, 10);
    ranks_memory(&ranks, 1, 1, NULL, 40);
    assert_int_equal(
        HcclSend(ranks.buffer[0][0], 10, HCCL_DATA_TYPE_INT32, 1, ranks.comm[0], ranks.stream[0]), 0);
    assert_int_equal(HcclRecv(ranks.buffer[1][1], 9, HCCL_DATA_TYPE_INT32, 0, ranks.comm[1], ranks.stream[1]),
                     0);
    assert_failure(aclrtSynchronizeStream(ranks.stream[0]), 507018, "HcclSend: 10 int32 to rank 1");
    assert_failure(aclrtSynchronizeStream(ranks.stream[1]), 507018,
                   "the other side called HcclSend of 10 int32");
    int32_t first;
    ranks_read(&ranks, 1, 1, &first, 4);
    assert_int_equal((uint32_t)first, 0xA5A5A5A5u); /* nothing has moved */
    ranks_close(&ranks);
}

#ifdef HAS_MALLINFO2
static void *leave_a_group_open(void *context)
{
    const struct ranks *ranks = (const struct ranks *)context;
    assert_int_equal(HcclGroupStart(), 0);
    for (int i = 0; i < 200; i++)
        assert_int_equal(
            HcclSend(ranks->buffer[0][0], 1, HCCL_DATA_TYPE_INT32, 1, ranks->comm[0], ranks->stream[0]), 0);
    return NULL;
}

/* What threads have noted that end with a group open is kept no longer than they are. */
static void open_groups_end_with_their_threads(void **state)
{
    enum { THREADS = 64, LEAST = 200 * (int)sizeof(HcclSendRecvItem) };
    (void)state;
    struct ranks ranks;
    ranks_open(&ranks, 2);
    fill(&ranks, 0, 0, 1);
    size_t before = 0;
    for (int i = 0; i <= THREADS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, leave_a_group_open, &ranks), 0);
        pthread_join(thread, NULL);
        if (i == 0)
            before = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks < before + (size_t)THREADS * LEAST / 2);
    ranks_close(&ranks);
}
#endif

int main(void)
{
    ranks_prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives),
        cmocka_unit_test(messages_of_a_pair_arrive_in_their_order),
        cmocka_unit_test(a_batch_goes_round),
        cmocka_unit_test(batches_need_not_match),
        cmocka_unit_test(groups_start_together),
        cmocka_unit_test(messages_between_collectives),
        cmocka_unit_test(a_group_of_default_streams),
        cmocka_unit_test(failures_of_a_group),
        cmocka_unit_test(batches_that_overlap),
        cmocka_unit_test(a_batch_of_many_messages),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(both_sides_hear_of_a_difference),
#ifdef HAS_MALLINFO2
        cmocka_unit_test(open_groups_end_with_their_threads),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
