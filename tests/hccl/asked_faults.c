/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Faults of ranks that BELAY_FAULT asks for: of three processes rank 1 is killed, stopped, late, cut off, says
 * something else or fails, and what each of the others then is told.
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

enum { COUNT = 100, RANKS = 3, FAULTY = 1 };

/* What is asked for, for the ranks that are forked. */
static const char *faults;

struct own_part {
    HcclComm comm;
    aclrtStream stream;
    float *memory;
};

static int open_part(struct ranks *ranks, uint32_t rank, uint32_t timeout, struct own_part *own)
{
    HcclCommConfig config;
    setenv("BELAY_FAULT", faults, 1);
    HcclCommConfigInit(&config);
    config.hcclExecTimeOut = (int32_t)timeout;
    CALL(aclrtSetDevice(0));
    CALL(aclrtCreateStream(&own->stream));
    CALL(aclrtMalloc((void **)&own->memory, COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    if (rank == 0)
        atomic_store(&ranks->root_result, (int)HcclGetRootInfo(&ranks->root));
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    CALL(HcclCommInitRootInfoConfig(ranks->count, &ranks->root, rank, &config, &own->comm));
    return 0;
}

static int close_part(uint32_t rank, struct own_part *own)
{
    CALL(HcclCommDestroy(own->comm));
    CALL(aclrtFree(own->memory));
    CALL(aclrtDestroyStream(own->stream));
    CALL(aclrtResetDevice(0));
    return 0;
}

static int reduce(struct own_part *own)
{
    return (int)HcclAllReduce(own->memory, own->memory, COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                              own->comm, own->stream);
}

#define BEGIN(timeout)                                                  \
    struct own_part own = {.comm = NULL};                               \
    do {                                                                \
        int line_of_open = open_part(ranks, rank, (timeout), &own);     \
        if (line_of_open != 0)                                          \
            return line_of_open;                                        \
        CALL(aclrtMemset(own.memory, sizeof(float), 0, sizeof(float))); \
        CALL(reduce(&own));                                             \
        CALL(aclrtSynchronizeStream(own.stream));                       \
    } while (0)

/* "collective=2,rank=1:kill" */
static int with_one_killed(struct ranks *ranks, uint32_t rank)
{
    BEGIN(60);
    CALL(reduce(&own));
    (void)aclGetRecentErrMsg();
    const int status = aclrtSynchronizeStream(own.stream);
    const char *sentence = aclGetRecentErrMsg();
    RANK_CHECK(status == 507057 && sentence != NULL && strstr(sentence, "rank ") != NULL);
    return close_part(rank, &own);
}

/* "collective=2,rank=1:disagree": all are told who says what, the rank itself too. */
static int with_one_disagreeing(struct ranks *ranks, uint32_t rank)
{
    BEGIN(60);
    CALL(reduce(&own));
    CALL_FAILS(aclrtSynchronizeStream(own.stream), 507018,
               rank == FAULTY
                   ? "rank 1 called HcclAllReduce of 101 fp32, sum and rank 0 called HcclAllReduce of 100"
                   : "and rank 1 called HcclAllReduce of 101 fp32, sum as number 2");
    return close_part(rank, &own);
}

/* "collective=2,rank=1:disagree", where a barrier has no count. */
static int at_a_barrier(struct ranks *ranks, uint32_t rank)
{
    BEGIN(60);
    CALL(HcclBarrier(own.comm, own.stream));
    CALL_FAILS(aclrtSynchronizeStream(own.stream), 507018, "rank 1 called HcclAllReduce of 1 fp32, sum");
    return close_part(rank, &own);
}

/* "collective=2,rank=1:cut" */
static int with_one_cut_off(struct ranks *ranks, uint32_t rank)
{
    BEGIN(60);
    CALL(reduce(&own));
    if (rank == FAULTY) {
        CALL_FAILS(
            aclrtSynchronizeStream(own.stream), 507057,
            "the fault 'collective=2,rank=1:cut' was asked for (BELAY_FAULT): its connections are cut");
    } else {
        (void)aclGetRecentErrMsg();
        const int status = aclrtSynchronizeStream(own.stream);
        const char *sentence = aclGetRecentErrMsg();
        RANK_CHECK(status == 507057 && sentence != NULL && strstr(sentence, "rank ") != NULL);
    }
    meet(ranks, 0, RANKS);
    return close_part(rank, &own);
}

/* A rank that is late, or stopped for a while, is named when the time of who has come is over.
 * "collective=2,rank=1:slow=1200ms;collective=2,rank=2:stop=1200ms" */
static int with_some_late(struct ranks *ranks, uint32_t rank)
{
    BEGIN(1);
    CALL(reduce(&own));
    (void)aclGetRecentErrMsg();
    const int status = aclrtSynchronizeStream(own.stream);
    const char *sentence = aclGetRecentErrMsg();
    RANK_CHECK(sentence != NULL);
    if (rank == 0)
        RANK_CHECK(status == 107020 &&
                   strstr(sentence,
                          "did not: 1 (last seen at HcclAllReduce of 100 fp32, sum, number 1), 2 (last "
                          "seen at HcclAllReduce") != NULL);
    else
        RANK_CHECK(status == 507057);
    meet(ranks, 0, RANKS);
    return close_part(rank, &own);
}

/* A rank that is late by less than that is waited for: "collective=2,rank=1:slow=100ms" */
static int with_one_slow(struct ranks *ranks, uint32_t rank)
{
    BEGIN(60);
    CALL(reduce(&own));
    CALL(aclrtSynchronizeStream(own.stream));
    return close_part(rank, &own);
}

/* "collective=2,rank=1:507015": the code is the stream's; the others notice when the rank gives up. */
static int with_one_failing(struct ranks *ranks, uint32_t rank)
{
    BEGIN(60);
    CALL(reduce(&own));
    if (rank == FAULTY) {
        HcclResult error;
        CALL_FAILS(aclrtSynchronizeStream(own.stream), 507015,
                   "HcclAllReduce: HcclAllReduce, on rank 1 of 3: the fault");
        CALL(HcclGetCommAsyncError(own.comm, &error));
        RANK_CHECK(error == HCCL_E_REMOTE);
        return close_part(rank, &own);
    }
    RANK_CHECK(aclrtSynchronizeStream(own.stream) == 507057);
    return close_part(rank, &own);
}

/* "message=1,rank=1:cut" */
static int at_a_message(struct ranks *ranks, uint32_t rank)
{
    BEGIN(60);
    if (rank == 0)
        CALL(HcclRecv(own.memory, COUNT, HCCL_DATA_TYPE_FP32, FAULTY, own.comm, own.stream));
    if (rank == FAULTY)
        CALL(HcclSend(own.memory, COUNT, HCCL_DATA_TYPE_FP32, 0, own.comm, own.stream));
    RANK_CHECK(aclrtSynchronizeStream(own.stream) == (rank == 2 ? 0 : 507057));
    meet(ranks, 0, RANKS);
    return close_part(rank, &own);
}

static void play(const char *text, rank_body *body, uint32_t killed)
{
    faults = text;
    run_processes_killing(RANKS, body, killed);
}

static void a_rank_that_is_killed(void **state)
{
    (void)state;
    play("collective=2,rank=1:kill", with_one_killed, 1u << FAULTY);
}

static void a_rank_that_disagrees(void **state)
{
    (void)state;
    play("collective=2,rank=1:disagree", with_one_disagreeing, 0);
    play("collective=2,rank=1:disagree", at_a_barrier, 0);
}

static void a_rank_that_is_cut_off(void **state)
{
    (void)state;
    play("collective=2,rank=1:cut", with_one_cut_off, 0);
    play("message=1,rank=1:cut", at_a_message, 0);
}

static void a_rank_that_is_late(void **state)
{
    (void)state;
    play("collective=2,rank=1:slow=100ms", with_one_slow, 0);
    play("collective=2,rank=1:slow=1200ms;collective=2,rank=2:stop=1200ms", with_some_late, 0);
}

static void a_rank_that_fails(void **state)
{
    (void)state;
    play("collective=2,rank=1:507015", with_one_failing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_is_killed),  cmocka_unit_test(a_rank_that_disagrees),
        cmocka_unit_test(a_rank_that_is_cut_off), cmocka_unit_test(a_rank_that_is_late),
        cmocka_unit_test(a_rank_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
