/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Collectives whose ranks are processes: the same bits as within one, and what becomes of the others where
 * one differs, is killed, or does not come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "hccl/mesh_ranks.h"
#include "hccl/rank_calls.h"
#include "hccl/reference.h"
#include "support/failure.h"

/* One process's part. */
struct own_part {
    HcclComm comm;
    aclrtStream stream;
    unsigned char *from, *to; /* of SPACE bytes each */
};
enum { SPACE = 20 << 20 };

static int open_part(struct ranks *ranks, uint32_t rank, const HcclCommConfig *config, struct own_part *own)
{
    CALL(aclrtSetDevice(0));
    CALL(aclrtCreateStream(&own->stream));
    CALL(aclrtMalloc((void **)&own->from, SPACE, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMalloc((void **)&own->to, SPACE, ACL_MEM_MALLOC_HUGE_FIRST));
    if (rank == 0)
        atomic_store(&ranks->root_result, (int)HcclGetRootInfo(&ranks->root));
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    CALL(HcclCommInitRootInfoConfig(ranks->count, &ranks->root, rank, config, &own->comm));
    return 0;
}

static int close_part(uint32_t rank, struct own_part *own)
{
    CALL(HcclCommDestroy(own->comm));
    CALL(aclrtFree(own->from));
    CALL(aclrtFree(own->to));
    CALL(aclrtDestroyStream(own->stream));
    CALL(aclrtResetDevice(0));
    return 0;
}

#define OPEN(config)                      \
    struct own_part own = {.comm = NULL}; \
    HcclCommConfig config;                \
    HcclCommConfigInit(&config)
#define JOIN(config)                                              \
    do {                                                          \
        int line_of_join = open_part(ranks, rank, &config, &own); \
        if (line_of_join != 0)                                    \
            return line_of_join;                                  \
    } while (0)

/* The elements from first on are the reduction of what the ranks have. */
static bool is_reduced(const struct ranks *ranks, const unsigned char *found, HcclDataType type,
                       HcclReduceOp reduction, uint64_t first, uint64_t count, unsigned char *const *inputs)
{
    const size_t bytes = reference_bytes(type);
    for (uint64_t i = 0; i<count; i += count> 20000 ? 61 : 1) {
        const void *element[RANKS_OF_TEST];
        unsigned char expected[8];
        for (uint32_t other = 0; other < ranks->count; other++)
            element[other] = inputs[other] + (first + i) * bytes;
        reference_reduce(type, reduction, element, ranks->count, expected);
        if (memcmp(expected, found + i * bytes, bytes) != 0)
            return false;
    }
    return true;
}

static int check_reductions(struct ranks *ranks, uint32_t rank, struct own_part *own, HcclDataType type,
                            HcclReduceOp reduction, uint64_t count)
{
    const size_t bytes = reference_bytes(type);
    unsigned char *inputs[RANKS_OF_TEST], *found = (unsigned char *)malloc(count * bytes * ranks->count + 1);
    for (uint32_t other = 0; other < ranks->count; other++) {
        inputs[other] = (unsigned char *)malloc(count * bytes * ranks->count + 1);
        reference_fill(type, inputs[other], count * ranks->count, 500 + other);
    }
    const size_t all = count * bytes * ranks->count;
    if (all > 0)
        CALL(aclrtMemcpy(own->from, SPACE, inputs[rank], all, ACL_MEMCPY_HOST_TO_DEVICE));
    CALL(HcclReduceScatter(own->from, own->to, count, type, reduction, own->comm, own->stream));
    CALL(HcclAllReduce(own->from, own->from, count, type, reduction, own->comm, own->stream));
    CALL(aclrtSynchronizeStream(own->stream));
    CALL(aclrtMemcpy(found, all + 1, own->to, count * bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    RANK_CHECK(is_reduced(ranks, found, type, reduction, rank * count, count, inputs));
    CALL(aclrtMemcpy(found, all + 1, own->from, count * bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    RANK_CHECK(is_reduced(ranks, found, type, reduction, 0, count, inputs));
    for (uint32_t other = 0; other < ranks->count; other++)
        free(inputs[other]);
    free(found);
    return 0;
}

static int reduce_all(struct ranks *ranks, uint32_t rank)
{
    static const uint64_t counts[] = {0, 1, 7, 1000};
    OPEN(config);
    JOIN(config);
    for (int type = 0; type < REDUCED_TYPES; type++)
        for (int reduction = 0; reduction < REDUCTIONS; reduction++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                RANK_CHECK(check_reductions(ranks, rank, &own, (HcclDataType)type, (HcclReduceOp)reduction,
                                            counts[i]) == 0);
    static const uint64_t lengths[] = {16383, 16385, 65535, 65536, 600001};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        RANK_CHECK(check_reductions(ranks, rank, &own, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, lengths[i]) ==
                   0);
    return close_part(rank, &own);
}

/* Moves of bytes that name their sender and place. */
static unsigned char byte_of(uint32_t sender, uint64_t place)
{
    return (unsigned char)(sender * 37 + place * 11 + (place >> 8));
}

static int move_all(struct ranks *ranks, uint32_t rank)
{
    static const uint64_t counts[] = {0, 1, 1000, 65536, 2000003};
    const uint32_t n = ranks->count, root = n - 1;
    OPEN(config);
    strcpy(config.hcclCommName, "movers");
    JOIN(config);
    char name[COMM_NAME_MAX_LENGTH];
    CALL(HcclGetCommName(own.comm, name));
    RANK_CHECK(strcmp(name, "movers") == 0);
    unsigned char *host = (unsigned char *)malloc(SPACE);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const uint64_t count = counts[c];
        for (uint64_t i = 0; i < count * n; i++)
            host[i] = byte_of(rank, i);
        if (count > 0)
            CALL(aclrtMemcpy(own.from, SPACE, host, count * n, ACL_MEMCPY_HOST_TO_DEVICE));
        for (int what = 0; what < 5; what++) {
            if (what == 0)
                CALL(HcclAllGather(own.from, own.to, count, HCCL_DATA_TYPE_UINT8, own.comm, own.stream));
            else if (what == 1)
                CALL(HcclAlltoAll(own.from, count, HCCL_DATA_TYPE_UINT8, own.to, count, HCCL_DATA_TYPE_UINT8,
                                  own.comm, own.stream));
            else if (what == 2)
                CALL(HcclScatter(own.from, own.to, count, HCCL_DATA_TYPE_UINT8, root, own.comm, own.stream));
            else if (what == 3)
                CALL(HcclBroadcast(rank == root ? own.from : own.to, count, HCCL_DATA_TYPE_UINT8, root,
                                   own.comm, own.stream));
            else {
                HcclSendRecvItem items[] = {
                    {HCCL_SEND, own.from, count, HCCL_DATA_TYPE_UINT8, (rank + 1) % n},
                    {HCCL_RECV, own.to, count, HCCL_DATA_TYPE_UINT8, (rank + n - 1) % n}};
                CALL(HcclBatchSendRecv(items, 2, own.comm, own.stream));
            }
            CALL(aclrtSynchronizeStream(own.stream));
            CALL(aclrtMemcpy(host, SPACE, what == 3 && rank == root ? own.from : own.to, count * n,
                             ACL_MEMCPY_DEVICE_TO_HOST));
            for (uint64_t i = 0; i < (what < 2 ? count * n : count); i++) {
                const uint32_t part = (uint32_t)(i / count);
                const unsigned char expected = what == 0   ? byte_of(part, i % count)
                                               : what == 1 ? byte_of(part, rank * count + i % count)
                                               : what == 2 ? byte_of(root, rank * count + i)
                                               : what == 3 ? byte_of(root, i)
                                                           : byte_of((rank + n - 1) % n, i);
                if (host[i] != expected) {
                    fprintf(stderr, "rank %u, move %d, byte %llu of %llu\n", rank, what,
                            (unsigned long long)i, (unsigned long long)count);
                    return __LINE__;
                }
            }
        }
    }
    free(host);
    return close_part(rank, &own);
}

/* Those of even rank among themselves, by way of the communicator of all. */
static int make_sub_communicator(struct ranks *ranks, uint32_t rank)
{
    OPEN(config);
    JOIN(config);
    uint32_t even[] = {0, 2};
    HcclComm sub = NULL;
    if (rank % 2 == 0) {
        const int32_t value = 10 + (int32_t)rank;
        int32_t values[2];
        CALL(HcclCreateSubCommConfig(&own.comm, 2, even, 77, rank / 2, &config, &sub));
        CALL(aclrtMemcpy(own.from, SPACE, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
        CALL(HcclAllGather(own.from, own.to, 1, HCCL_DATA_TYPE_INT32, sub, own.stream));
        CALL(aclrtSynchronizeStream(own.stream));
        CALL(aclrtMemcpy(values, 8, own.to, 8, ACL_MEMCPY_DEVICE_TO_HOST));
        RANK_CHECK(values[0] == 10 && values[1] == 12);
        CALL(HcclCommDestroy(sub));
    } else {
        CALL(HcclCreateSubCommConfig(&own.comm, 2, NULL, 0xFFFFFFFFu, 0, &config, &sub));
        RANK_CHECK(sub == NULL);
    }
    CALL(HcclBarrier(own.comm, own.stream));
    CALL(aclrtSynchronizeStream(own.stream));
    return close_part(rank, &own);
}

/* Ranks that name the communicator, or its ranks, differently are told at once, and the old one goes on. */
static int make_differently(struct ranks *ranks, uint32_t rank)
{
    struct own_part own;
    HcclCommConfig config;
    HcclComm sub;
    uint32_t in_order[] = {0, 1}, turned[] = {1, 0};
    HcclCommConfigInit(&config);
    snprintf(config.hcclCommName, sizeof config.hcclCommName, "name %u", rank);
    (void)aclGetRecentErrMsg();
    CALL(aclrtSetDevice(0));
    if (rank == 0)
        atomic_store(&ranks->root_result, (int)HcclGetRootInfo(&ranks->root));
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    CALL_FAILS(HcclCommInitRootInfoConfig(2, &ranks->root, rank, &config, &sub), HCCL_E_PARA,
               rank == 0 ? "rank 0 calls the communicator 'name 0' and rank 1 'name 1'"
                         : "rank 1 calls the communicator 'name 1' and rank 0 'name 0'");
    meet(ranks, 0, 2);
    atomic_store(&ranks->root_result, 100);
    meet(ranks, 1, 2);
    HcclCommConfigInit(&config);
    JOIN(config);
    CALL_FAILS(HcclCreateSubCommConfig(&own.comm, 2, rank == 0 ? in_order : turned, 5, 0, &config, &sub),
               HCCL_E_PARA, "the same rankIds in the same order");
    CALL(HcclCreateSubCommConfig(&own.comm, 2, in_order, 5, rank, &config, &sub));
    CALL(HcclBarrier(sub, own.stream));
    CALL(HcclBarrier(own.comm, own.stream));
    CALL(aclrtSynchronizeStream(own.stream));
    CALL(HcclCommDestroy(sub));
    return close_part(rank, &own);
}

static int call_differently(struct ranks *ranks, uint32_t rank)
{
    OPEN(config);
    JOIN(config);
    if (rank == 1)
        CALL(HcclBroadcast(own.from, 12, HCCL_DATA_TYPE_INT64, 0, own.comm, own.stream));
    else
        CALL(HcclAllGather(own.from, own.to, 64, HCCL_DATA_TYPE_INT64, own.comm, own.stream));
    CALL_FAILS(aclrtSynchronizeStream(own.stream), 507018, "rank 1 called HcclBroadcast of 12 int64, root 0");
    HcclResult error;
    CALL(HcclGetCommAsyncError(own.comm, &error));
    RANK_CHECK(error == HCCL_E_PARA);
    return close_part(rank, &own);
}

static int lose_a_rank(struct ranks *ranks, uint32_t rank)
{
    OPEN(config);
    JOIN(config);
    CALL(HcclAllReduce(own.from, own.to, 100, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, own.comm, own.stream));
    CALL(aclrtSynchronizeStream(own.stream));
    meet(ranks, 0, ranks->count);
    if (rank == 1)
        kill(getpid(), SIGKILL);
    CALL(HcclAllReduce(own.from, own.to, 100, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, own.comm, own.stream));
    (void)aclGetRecentErrMsg();
    int status = aclrtSynchronizeStream(own.stream);
    const char *sentence = aclGetRecentErrMsg();
    RANK_CHECK(status == 507057 || status == 507018);
    RANK_CHECK(sentence != NULL && strstr(sentence, "HcclAllReduce: 100 fp32, sum, number 2") != NULL);
    HcclResult error;
    CALL(HcclGetCommAsyncError(own.comm, &error));
    RANK_CHECK(error == HCCL_E_REMOTE || error == HCCL_E_TCP_TRANSFER);
    RANK_CHECK((HcclResult)HcclBarrier(own.comm, own.stream) == error);
    return close_part(rank, &own);
}

/* Rank 1 does not come; the timeout is the configuration's. */
static int wait_in_vain(struct ranks *ranks, uint32_t rank)
{
    OPEN(config);
    config.hcclExecTimeOut = 1;
    JOIN(config);
    if (rank != 1) {
        CALL(
            HcclAllReduce(own.from, own.to, 100, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, own.comm, own.stream));
        CALL_FAILS(aclrtSynchronizeStream(own.stream), 107020, "did not: 1 (never seen)");
        HcclResult error;
        CALL(HcclGetCommAsyncError(own.comm, &error));
        RANK_CHECK(error == HCCL_E_TIMEOUT);
    }
    meet(ranks, 1, ranks->count);
    return close_part(rank, &own);
}

/* One of the two is the first whose time is up; the other finds that it has given up. */
static int send_to_one_another(struct ranks *ranks, uint32_t rank)
{
    OPEN(config);
    config.hcclExecTimeOut = 1;
    JOIN(config);
    CALL(HcclSend(own.from, 10, HCCL_DATA_TYPE_FP32, 1 - rank, own.comm, own.stream));
    (void)aclGetRecentErrMsg();
    int status = aclrtSynchronizeStream(own.stream);
    const char *sentence = aclGetRecentErrMsg();
    RANK_CHECK(sentence != NULL);
    if (status == 107020)
        RANK_CHECK(strstr(sentence, "did not call HcclRecv for it in time") != NULL);
    else
        RANK_CHECK(status == 507057 && strstr(sentence, "has gone, or given up") != NULL &&
                   strstr(sentence, ".cc:") == NULL);
    meet(ranks, 1, ranks->count);
    return close_part(rank, &own);
}

static int leave_without_a_word(struct ranks *ranks, uint32_t rank)
{
    OPEN(config);
    JOIN(config);
    CALL(HcclAllReduce(own.from, own.to, 100, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, own.comm, own.stream));
    if (rank == 0)
        CALL(aclrtSynchronizeStream(own.stream));
    CALL(aclFinalize());
    exit(0); /* and not _exit: with all destructors, and the communicator alive */
}

/* What torch.distributed does with few collectives: destroy behind queued work, and at once. */
static int destroy_at_once(struct ranks *ranks, uint32_t rank)
{
    OPEN(config);
    JOIN(config);
    for (int i = 0; i < 30; i++)
        CALL(HcclAllReduce(own.from, own.to, 3000, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, own.comm,
                           own.stream));
    CALL(HcclCommDestroy(own.comm));
    CALL(aclrtSynchronizeStream(own.stream));
    return 0;
}

static void bits_are_those_of_the_formula(void **state)
{
    (void)state;
    run_processes(1, reduce_all);
    run_processes(2, reduce_all);
    run_processes(3, reduce_all);
}

static void bytes_arrive(void **state)
{
    (void)state;
    run_processes(2, move_all);
    run_processes(4, move_all);
}

static void sub_communicators(void **state)
{
    (void)state;
    run_processes(4, make_sub_communicator);
    run_processes(2, make_differently);
}

static void mistakes_and_losses(void **state)
{
    (void)state;
    run_processes(3, call_differently);
    run_processes_killing(2, lose_a_rank, 1u << 1);
    run_processes(2, wait_in_vain);
    run_processes(2, send_to_one_another);
}

static void the_end_of_processes(void **state)
{
    (void)state;
    run_processes(2, leave_without_a_word);
    for (int turn = 0; turn < 5; turn++)
        run_processes(2, destroy_at_once);
}

int main(void)
{
    setenv("HCCL_EXEC_TIMEOUT", "60", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_formula),
        cmocka_unit_test(bytes_arrive),
        cmocka_unit_test(sub_communicators),
        cmocka_unit_test(mistakes_and_losses),
        cmocka_unit_test(the_end_of_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
