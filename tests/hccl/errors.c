/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What goes wrong: arguments, ranks that do not call the same, ranks that do not come, and ranks that leave.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hccl/own_ranks.h"

static const HcclDataType fp32 = HCCL_DATA_TYPE_FP32;

/* The stream of the rank fails with this code, and the sentence has both texts. */
static void assert_stream_fails(const struct ranks *ranks, uint32_t rank, int code, const char *text,
                                const char *other_text, int line)
{
    (void)aclGetRecentErrMsg();
    int status = aclrtSynchronizeStream(ranks->stream[rank]);
    const char *sentence = aclGetRecentErrMsg();
    if (status == code && sentence != NULL && strstr(sentence, text) != NULL &&
        strstr(sentence, other_text) != NULL)
        return;
    print_error("line %d: rank %u: %d, %s\n", line, rank, status, sentence != NULL ? sentence : "(none)");
    _fail(__FILE__, line);
}
#define ASSERT_STREAM_FAILS(rank, code, text, other_text) \
    assert_stream_fails(&ranks, (rank), (code), (text), (other_text), __LINE__)

static void assert_error(const struct ranks *ranks, uint32_t rank, HcclResult expected)
{
    HcclResult error = HCCL_E_RESERVED;
    assert_int_equal(HcclGetCommAsyncError(ranks->comm[rank], &error), 0);
    assert_int_equal(error, expected);
}

static void open_with_memory(struct ranks *ranks, uint32_t count)
{
    ranks_open(ranks, count);
    for (uint32_t rank = 0; rank < count; rank++) {
        ranks_memory(ranks, rank, 0, NULL, 4000);
        ranks_memory(ranks, rank, 1, NULL, 4000);
    }
}

static void ranks_that_call_different_collectives(void **state)
{
    (void)state;
    struct ranks ranks;
    open_with_memory(&ranks, 3);
    for (uint32_t rank = 0; rank < 3; rank++) {
        void *own = ranks.buffer[rank][0];
        assert_int_equal(rank != 2 ? HcclAllReduce(own, own, 12, fp32, HCCL_REDUCE_SUM, ranks.comm[rank],
                                                   ranks.stream[rank])
                                   : HcclBroadcast(own, 12, fp32, 1, ranks.comm[rank], ranks.stream[rank]),
                         0);
    }
    ASSERT_STREAM_FAILS(0, 507018, "rank 0 called HcclAllReduce of 12 fp32, sum",
                        "rank 2 called HcclBroadcast of 12 fp32, root 1 as number 1");
    ASSERT_STREAM_FAILS(1, 507018, "rank 1 called HcclAllReduce", "rank 2 called HcclBroadcast");
    ASSERT_STREAM_FAILS(2, 507018, "rank 2 called HcclBroadcast", "rank 0 called HcclAllReduce");
    for (uint32_t rank = 0; rank < 3; rank++) {
        uint32_t first;
        ranks_read(&ranks, rank, 0, &first, 4);
        assert_int_equal(first, 0xA5A5A5A5); /* nothing has moved */
        assert_error(&ranks, rank, HCCL_E_PARA);
        /* The order is lost: the communicator can do nothing more. */
        assert_failure(HcclBarrier(ranks.comm[rank], ranks.stream[rank]), HCCL_E_PARA,
                       "HcclBarrier: the communicator has failed before");
    }
    ranks_close(&ranks);
}

/* One thing differs at a time. */
static void each_difference_is_named(void **state)
{
    (void)state;
    static const struct {
        uint64_t count;
        HcclDataType type;
        HcclReduceOp reduction;
        uint32_t root;
        const char *text;
    } others[] = {
        {13, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, 0, "HcclReduce of 13 fp32, sum, root 0"},
        {12, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, 0, "HcclReduce of 12 int32, sum, root 0"},
        {12, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_PROD, 0, "HcclReduce of 12 fp32, product, root 0"},
        {12, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, 1, "HcclReduce of 12 fp32, sum, root 1"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct ranks ranks;
        open_with_memory(&ranks, 2);
        assert_int_equal(HcclReduce(ranks.buffer[0][0], ranks.buffer[0][1], 12, fp32, HCCL_REDUCE_SUM, 0,
                                    ranks.comm[0], ranks.stream[0]),
                         0);
        assert_int_equal(HcclReduce(ranks.buffer[1][0], ranks.buffer[1][1], others[i].count, others[i].type,
                                    others[i].reduction, others[i].root, ranks.comm[1], ranks.stream[1]),
                         0);
        ASSERT_STREAM_FAILS(0, 507018, "rank 0 called HcclReduce of 12 fp32, sum, root 0", others[i].text);
        ASSERT_STREAM_FAILS(1, 507018, "rank 0 called HcclReduce of 12 fp32, sum, root 0", others[i].text);
        ranks_close(&ranks);
    }
    struct ranks ranks;
    open_with_memory(&ranks, 2);
    const uint64_t sends[2][2] = {{1, 5}, {2, 3}}, receives[2][2] = {{1, 2}, {6, 3}}, offsets[2] = {0, 10};
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(HcclAlltoAllV(ranks.buffer[rank][0], sends[rank], offsets, fp32,
                                       ranks.buffer[rank][1], receives[rank], offsets, fp32, ranks.comm[rank],
                                       ranks.stream[rank]),
                         0);
    ASSERT_STREAM_FAILS(0, 507018, "rank 0 sends 20 bytes to rank 1, which expects 24", "HcclAlltoAllV");
    ASSERT_STREAM_FAILS(1, 507018, "rank 0 sends 20 bytes to rank 1, which expects 24", "HcclAlltoAllV");
    ranks_close(&ranks);
}

static void a_rank_that_does_not_come(void **state)
{
    (void)state;
    struct ranks ranks;
    setenv("HCCL_EXEC_TIMEOUT", "1", 1);
    open_with_memory(&ranks, 3);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    for (uint32_t rank = 0; rank < 3; rank++)
        assert_int_equal(
            HcclBroadcast(ranks.buffer[rank][0], 7, fp32, 0, ranks.comm[rank], ranks.stream[rank]), 0);
    ranks_wait(&ranks);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(HcclAllGather(ranks.buffer[rank][0], ranks.buffer[rank][1], 5, fp32,
                                       ranks.comm[rank], ranks.stream[rank]),
                         0);
    /* One of the two is late first, and the other sees it go. */
    int late = 0, left = 0;
    for (uint32_t rank = 0; rank < 2; rank++) {
        int status = aclrtSynchronizeStream(ranks.stream[rank]);
        const char *sentence = aclGetRecentErrMsg();
        assert_non_null(sentence);
        assert_non_null(strstr(sentence, "HcclAllGather: 5 fp32, number 2 of belay_process_"));
        assert_non_null(
            strstr(sentence, "did not: 2 (last seen at HcclBroadcast of 7 fp32, root 0, number 1)"));
        late += status == 107020;
        left += status == 507057;
        HcclResult error;
        assert_int_equal(HcclGetCommAsyncError(ranks.comm[rank], &error), 0);
        assert_int_equal(error, status == 107020 ? HCCL_E_TIMEOUT : HCCL_E_REMOTE);
    }
    assert_true(late >= 1 && late + left == 2);
    ranks_close(&ranks);
}

static void a_rank_that_leaves(void **state)
{
    (void)state;
    struct ranks ranks;
    open_with_memory(&ranks, 2);
    assert_int_equal(
        HcclAllGather(ranks.buffer[0][0], ranks.buffer[0][1], 5, fp32, ranks.comm[0], ranks.stream[0]), 0);
    assert_int_equal(HcclCommDestroy(ranks.comm[1]), 0);
    ranks.comm[1] = NULL;
    ASSERT_STREAM_FAILS(0, 507057, "HcclAllGather: 5 fp32", "rank 1 has left the communicator");
    assert_error(&ranks, 0, HCCL_E_REMOTE);
    assert_failure(HcclBarrier(ranks.comm[0], ranks.stream[0]), HCCL_E_REMOTE, "has failed before");
    ranks_close(&ranks);
}

/* What fails behind the first failure says so. */
static void work_behind_a_failure(void **state)
{
    (void)state;
    struct ranks ranks;
    open_with_memory(&ranks, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        void *own = ranks.buffer[rank][0];
        assert_int_equal(HcclBroadcast(own, 7 + rank, fp32, 0, ranks.comm[rank], ranks.stream[rank]), 0);
    }
    HcclResult queued = HcclBarrier(ranks.comm[0], ranks.stream[0]); /* or the failure is known already */
    ASSERT_STREAM_FAILS(0, 507018, "HcclBroadcast: rank 0 called HcclBroadcast of 7", "");
    assert_true(queued == HCCL_SUCCESS || queued == HCCL_E_PARA);
    assert_int_equal(aclrtSynchronizeStream(ranks.stream[0]), 0); /* told once */
    ASSERT_STREAM_FAILS(1, 507018, "rank 1 called HcclBroadcast of 8", "");
    ranks_close(&ranks);
}

#define REFUSED(call, result, text) assert_failure(call, result, text)

/* Every collective with the same kinds of wrong arguments. */
static void what_every_collective_refuses(void **state)
{
    (void)state;
    struct ranks ranks;
    open_with_memory(&ranks, 2);
    HcclComm comm = ranks.comm[0], gone = ranks.comm[1];
    aclrtStream own_stream = ranks.stream[0], other_stream = ranks.stream[1];
    char *a = (char *)ranks.buffer[0][0], *b = (char *)ranks.buffer[0][1],
         *foreign = (char *)ranks.buffer[1][0];
    char host[4000], *pinned;
    assert_int_equal(aclrtMallocHost((void **)&pinned, 4000), 0);
    const uint64_t counts[] = {10, 10}, offsets[] = {0, 10}, wide[] = {10, UINT64_MAX},
                   matrix[] = {10, 10, 10, 10};
    const HcclReduceOp sum = HCCL_REDUCE_SUM;
    assert_int_equal(HcclCommDestroy(gone), 0);
    ranks.comm[1] = NULL;

#define EVERY(comm, stream, type, from, to, result, text)                                                    \
    do {                                                                                                     \
        REFUSED(HcclAllReduce(from, to, 10, type, sum, comm, stream), result, text);                         \
        REFUSED(HcclReduce(from, to, 10, type, sum, 0, comm, stream), result, text);                         \
        REFUSED(HcclReduceScatter(from, to, 10, type, sum, comm, stream), result, text);                     \
        REFUSED(HcclReduceScatterV(from, counts, offsets, to, 10, type, sum, comm, stream), result, text);   \
        REFUSED(HcclScatter(from, to, 10, type, 0, comm, stream), result, text);                             \
        REFUSED(HcclAllGather(from, to, 10, type, comm, stream), result, text);                              \
        REFUSED(HcclAllGatherV(from, 10, to, counts, offsets, type, comm, stream), result, text);            \
        REFUSED(HcclAlltoAll(from, 10, type, to, 10, type, comm, stream), result, text);                     \
        REFUSED(HcclAlltoAllV(from, counts, offsets, type, to, counts, offsets, type, comm, stream), result, \
                text);                                                                                       \
        REFUSED(HcclAlltoAllVC(from, matrix, type, to, type, comm, stream), result, text);                   \
    } while (0)
    EVERY(NULL, own_stream, fp32, a, b, HCCL_E_PTR, "comm is NULL");
    EVERY(gone, own_stream, fp32, a, b, HCCL_E_PARA, "comm was destroyed");
    EVERY((HcclComm)own_stream, own_stream, fp32, a, b, HCCL_E_PARA, "comm is a stream");
    EVERY((HcclComm)host, own_stream, fp32, a, b, HCCL_E_PARA, "comm is not a handle");
    EVERY(comm, other_stream, fp32, a, b, HCCL_E_PARA, "stream is of device 1");
    EVERY(comm, (aclrtStream)comm, fp32, a, b, HCCL_E_RUNTIME, "stream is a communicator");
    EVERY(comm, own_stream, (HcclDataType)13, a, b, HCCL_E_PARA, "dataType is 13");
    EVERY(comm, own_stream, HCCL_DATA_TYPE_RESERVED, a, b, HCCL_E_PARA, "dataType is 255");
    EVERY(comm, own_stream, fp32, NULL, b, HCCL_E_PTR, "sendBuf is NULL");
    EVERY(comm, own_stream, fp32, a, NULL, HCCL_E_PTR, "recvBuf is NULL");
    EVERY(comm, own_stream, fp32, host, b, HCCL_E_PARA, "device 0 is expected");
    EVERY(comm, own_stream, fp32, a, host, HCCL_E_PARA, "device 0 is expected");
    EVERY(comm, own_stream, fp32, foreign, b, HCCL_E_PARA,
          "device memory of device 1; memory of the communicator's device 0 is expected");
    EVERY(comm, own_stream, fp32, pinned, b, HCCL_E_PARA, "pinned host memory; memory of the");
    EVERY(comm, own_stream, fp32, a, pinned, HCCL_E_PARA, "pinned host memory; memory of the");
    EVERY(comm, own_stream, fp32, a + 4040, b, HCCL_E_PARA, "its block has 24 from there on");
    EVERY(comm, own_stream, fp32, a + 1, b, HCCL_E_PARA, "is not a multiple");
    EVERY(comm, own_stream, fp32, a, a + 4, HCCL_E_PARA, "overlap");

    REFUSED(HcclBroadcast(a, 10, fp32, 0, NULL, own_stream), HCCL_E_PTR, "comm is NULL");
    REFUSED(HcclBroadcast(a, 10, fp32, 0, gone, own_stream), HCCL_E_PARA, "comm was destroyed");
    REFUSED(HcclBroadcast(a, 10, fp32, 0, comm, other_stream), HCCL_E_PARA, "stream is of device 1");
    REFUSED(HcclBroadcast(NULL, 10, fp32, 0, comm, own_stream), HCCL_E_PTR, "buf is NULL");
    REFUSED(HcclBroadcast(host, 10, fp32, 1, comm, own_stream), HCCL_E_PARA, "device 0 is expected");
    REFUSED(HcclBroadcast(a, 10, (HcclDataType)18, 0, comm, own_stream), HCCL_E_PARA, "dataType is 18");
    REFUSED(HcclBarrier(gone, own_stream), HCCL_E_PARA, "comm was destroyed");
    REFUSED(HcclBarrier(comm, other_stream), HCCL_E_PARA, "stream is of device 1");

    REFUSED(HcclBroadcast(a, 10, fp32, 2, comm, own_stream), HCCL_E_PARA, "root is 2");
    REFUSED(HcclScatter(a, b, 10, fp32, 2, comm, own_stream), HCCL_E_PARA, "root is 2");
    REFUSED(HcclReduce(a, b, 10, fp32, sum, 2, comm, own_stream), HCCL_E_PARA, "root is 2");
    REFUSED(HcclAllReduce(a, b, 10, fp32, (HcclReduceOp)4, comm, own_stream), HCCL_E_PARA, "op is 4");
    REFUSED(HcclReduce(a, b, 10, fp32, HCCL_REDUCE_RESERVED, 0, comm, own_stream), HCCL_E_PARA, "op is 255");
    REFUSED(HcclReduceScatter(a, b, 10, HCCL_DATA_TYPE_FP8E4M3, sum, comm, own_stream), HCCL_E_NOT_SUPPORT,
            "fp8e4m3, which cannot be reduced");
    REFUSED(HcclAllReduce(a, b, 10, HCCL_DATA_TYPE_INT128, sum, comm, own_stream), HCCL_E_NOT_SUPPORT,
            "int128");
    REFUSED(HcclAllReduce(a, b, UINT64_MAX / 4, fp32, sum, comm, own_stream), HCCL_E_PARA, "count is");
    REFUSED(HcclAllGather(a, b, UINT64_MAX / 8, fp32, comm, own_stream), HCCL_E_PARA, "sendCount is");
    REFUSED(HcclAlltoAll(a, 10, fp32, b, 9, fp32, comm, own_stream), HCCL_E_PARA, "recvCount is 9");
    REFUSED(HcclAlltoAll(a, 10, fp32, b, 10, HCCL_DATA_TYPE_INT32, comm, own_stream), HCCL_E_PARA,
            "same dtype");
    REFUSED(HcclAlltoAllV(a, NULL, offsets, fp32, b, counts, offsets, fp32, comm, own_stream), HCCL_E_PTR,
            "sendBuf are NULL");
    REFUSED(HcclAlltoAllV(a, counts, offsets, fp32, b, counts, NULL, fp32, comm, own_stream), HCCL_E_PTR,
            "recvBuf are NULL");
    REFUSED(HcclAlltoAllV(a, counts, wide, fp32, b, counts, offsets, fp32, comm, own_stream), HCCL_E_PARA,
            "sendBuf for rank 1");
    REFUSED(HcclAlltoAllV(a, counts, offsets, fp32, b, wide, offsets, fp32, comm, own_stream), HCCL_E_PARA,
            "recvBuf for rank 1");
    REFUSED(HcclAlltoAllV(a, counts, offsets, fp32, b, counts + 1, wide + 1, fp32, comm, own_stream),
            HCCL_E_PARA, "recvBuf for rank 0");
    REFUSED(HcclAlltoAllVC(a, NULL, fp32, b, fp32, comm, own_stream), HCCL_E_PTR, "sendCountMatrix is NULL");
    const uint64_t near[] = {9, 0}, apart[] = {10, 0};
    REFUSED(HcclAllGatherV(a, 10, b, counts, near, fp32, comm, own_stream), HCCL_E_PARA,
            "recvBuf for rank 1, 40 bytes from 0 on, and for rank 0, 40 from 36 on, overlap");
    REFUSED(HcclAlltoAllV(a, counts, near, fp32, b, counts, near, fp32, comm, own_stream), HCCL_E_PARA,
            "overlap; parts apart");
    REFUSED(HcclAlltoAllV(a, counts, near, fp32, b, counts, apart, fp32, comm, other_stream), HCCL_E_PARA,
            "stream is of device 1");
    REFUSED(HcclAllGatherV(a, 9, b, counts, offsets, fp32, comm, own_stream), HCCL_E_PARA, "sendCount is 9");
    REFUSED(HcclReduceScatterV(a, counts, offsets, b, 11, fp32, sum, comm, own_stream), HCCL_E_PARA,
            "recvCount is 11");
    assert_error(&ranks, 0, HCCL_SUCCESS); /* all this was refused, and nothing has failed */
    assert_int_equal(aclrtFreeHost(pinned), 0);
    ranks_close(&ranks);
}

/* Nothing that was refused has taken a number. */
static void a_refusal_changes_nothing(void **state)
{
    (void)state;
    struct ranks ranks;
    open_with_memory(&ranks, 2);
    assert_failure(HcclBroadcast(NULL, 10, fp32, 0, ranks.comm[0], ranks.stream[0]), HCCL_E_PTR,
                   "buf is NULL");
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(
            HcclBroadcast(ranks.buffer[rank][0], 10, fp32, 0, ranks.comm[rank], ranks.stream[rank]), 0);
    ranks_wait(&ranks);
    /* A stream that is being recorded takes none, and what it has refused counts for nothing either. */
    aclmdlRI recorded = NULL;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclmdlRICaptureBegin(ranks.stream[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED), 0);
    assert_failure(HcclBroadcast(ranks.buffer[0][0], 10, fp32, 0, ranks.comm[0], ranks.stream[0]),
                   HCCL_E_NOT_SUPPORT, "the stream is being recorded");
    assert_int_not_equal(aclmdlRICaptureEnd(ranks.stream[0], &recorded), 0);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(
            HcclBroadcast(ranks.buffer[rank][0], 10, fp32, 0, ranks.comm[rank], ranks.stream[rank]), 0);
    ranks_wait(&ranks);
    ranks_close(&ranks);
}

/* Once: what one of the functions answers that is called with something wrong. */
static HcclResult call_wrongly(const struct ranks *ranks, int which)
{
    const HcclComm comm = ranks->comm[0];
    const aclrtStream stream = ranks->stream[0];
    void *a = ranks->buffer[0][0], *b = ranks->buffer[0][1];
    const uint64_t counts[] = {10, 10}, offsets[] = {0, 10};
    const HcclDataType none = (HcclDataType)13;
    HcclSendRecvItem item = {HCCL_SEND, a, 10, none, 1};
    HcclResult result, ended;
    switch (which) {
    case 0:
        return HcclBroadcast(a, 10, none, 0, comm, stream);
    case 1:
        return HcclScatter(a, b, 10, none, 0, comm, stream);
    case 2:
        return HcclAllGather(a, b, 10, none, comm, stream);
    case 3:
        return HcclAllGatherV(a, 10, b, counts, offsets, none, comm, stream);
    case 4:
        return HcclAlltoAll(a, 10, none, b, 10, none, comm, stream);
    case 5:
        return HcclAlltoAllV(a, counts, offsets, none, b, counts, offsets, none, comm, stream);
    case 6:
        return HcclAlltoAllVC(a, counts, none, b, none, comm, stream);
    case 7:
        return HcclBarrier(NULL, stream);
    case 8:
        return HcclAllReduce(a, b, 10, none, HCCL_REDUCE_SUM, comm, stream);
    case 9:
        return HcclReduce(a, b, 10, none, HCCL_REDUCE_SUM, 0, comm, stream);
    case 10:
        return HcclReduceScatter(a, b, 10, none, HCCL_REDUCE_SUM, comm, stream);
    case 11:
        return HcclReduceScatterV(a, counts, offsets, b, 10, none, HCCL_REDUCE_SUM, comm, stream);
    case 12:
        return HcclSend(a, 10, none, 1, comm, stream);
    case 13:
        return HcclRecv(a, 10, none, 1, comm, stream);
    case 14:
        return HcclBatchSendRecv(&item, 1, comm, stream);
    default:
        result = HcclGroupStart();
        if (result == HCCL_SUCCESS)
            result = HcclSend(a, 10, none, 1, comm, stream);
        ended = HcclGroupEnd();
        return result != HCCL_SUCCESS ? result : ended;
    }
}

static const char *const wrong_calls[] = {
    "HcclBroadcast: ", "HcclScatter: ",   "HcclAllGather: ",     "HcclAllGatherV: ",
    "HcclAlltoAll: ",  "HcclAlltoAllV: ", "HcclAlltoAllVC: ",    "HcclBarrier: ",
    "HcclAllReduce: ", "HcclReduce: ",    "HcclReduceScatter: ", "HcclReduceScatterV: ",
    "HcclSend: ",      "HcclRecv: ",      "HcclBatchSendRecv: ", "HcclSend: "};
enum { WRONG_CALLS = sizeof wrong_calls / sizeof wrong_calls[0] };

/* On a thread of the name that torch_npu gives its queue; the number of calls that were not as expected. */
static void *call_all_wrongly(void *argument)
{
    const struct ranks *ranks = argument;
    intptr_t unexpected = 0;
    if (pthread_setname_np(pthread_self(), "acl_thread") != 0 || aclrtSetDevice(0) != 0)
        return (void *)(intptr_t)-1;
    for (int which = 0; which < WRONG_CALLS; which++) {
        const int answer = (int)call_wrongly(ranks, which), ended = aclrtSynchronizeStream(ranks->stream[0]);
        const char *sentence = aclGetRecentErrMsg();
        if (answer == 0 && ended == 507035 && sentence != NULL &&
            strstr(sentence, wrong_calls[which]) != NULL)
            continue;
        print_error("%s%d, %d, %s\n", wrong_calls[which], answer, ended, sentence != NULL ? sentence : "");
        unexpected++;
    }
    return (void *)unexpected;
}

static void on_the_queue_of_torch_npu_calls_fail_in_the_stream(void **state)
{
    (void)state;
    struct ranks ranks;
    pthread_t thread;
    void *unexpected;
    open_with_memory(&ranks, 2);
    assert_int_equal(pthread_create(&thread, NULL, call_all_wrongly, &ranks), 0);
    assert_int_equal(pthread_join(thread, &unexpected), 0);
    assert_int_equal((intptr_t)unexpected, 0);
    for (uint32_t rank = 0; rank < 2; rank++)
        assert_int_equal(
            HcclBroadcast(ranks.buffer[rank][0], 10, fp32, 0, ranks.comm[rank], ranks.stream[rank]), 0);
    ranks_wait(&ranks);
    ranks_close(&ranks);
}

int main(void)
{
    ranks_prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_call_different_collectives),
        cmocka_unit_test(each_difference_is_named),
        cmocka_unit_test(a_rank_that_does_not_come),
        cmocka_unit_test(a_rank_that_leaves),
        cmocka_unit_test(work_behind_a_failure),
        cmocka_unit_test(what_every_collective_refuses),
        cmocka_unit_test(a_refusal_changes_nothing),
        cmocka_unit_test(on_the_queue_of_torch_npu_calls_fail_in_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
