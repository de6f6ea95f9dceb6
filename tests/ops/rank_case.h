/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One call of a function by each rank of a group, whose ranks are devices of this process: tensors of their
 * own, all queued before any is waited for. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_RANK_CASE_H
#define BELAY_TESTS_OPS_RANK_CASE_H

#include "hccl/hccl.h"
#include "ops/named_call.h"

enum { RANKS_AT_MOST = 4 };

struct rank_case {
    uint32_t count;
    HcclComm comm[RANKS_AT_MOST];
    char name[COMM_NAME_MAX_LENGTH];
    aclrtStream streams[RANKS_AT_MOST];
    struct named_call call[RANKS_AT_MOST];
    int status[RANKS_AT_MOST];
    char sentence[RANKS_AT_MOST][512];
};

/* The set-up and the end of a test's main function. */
static inline int open_devices(void **state)
{
    (void)state;
    return aclInit(NULL) != 0 || aclrtSetDevice(0) != 0;
}

static inline int close_devices(void **state)
{
    (void)state;
    int status = 0;
    for (int32_t device = 0; device < RANKS_AT_MOST; device++)
        status |= aclrtResetDevice(device);
    return status | aclFinalize();
}

static inline void open_ranks(struct rank_case *ranks, uint32_t count)
{
    int32_t device[RANKS_AT_MOST] = {0, 1, 2, 3};
    memset(ranks, 0, sizeof *ranks);
    ranks->count = count;
    for (uint32_t rank = 0; rank < count; rank++) {
        assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
        assert_int_equal(aclrtCreateStream(&ranks->streams[rank]), 0);
    }
    assert_int_equal(HcclCommInitAll(count, device, ranks->comm), HCCL_SUCCESS);
    assert_int_equal(HcclGetCommName(ranks->comm[0], ranks->name), HCCL_SUCCESS);
}

static inline void close_ranks(struct rank_case *ranks)
{
    for (uint32_t rank = 0; rank < ranks->count; rank++) {
        assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
        assert_int_equal(HcclCommDestroy(ranks->comm[rank]), HCCL_SUCCESS);
        assert_int_equal(aclrtDestroyStream(ranks->streams[rank]), 0);
    }
    assert_int_equal(aclrtSetDevice(0), 0);
}

/* The rank's device is current from here on, for its tensors. */
static inline struct named_call *begin_rank(struct rank_case *ranks, uint32_t rank, const char *function)
{
    assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
    struct named_call *call = &ranks->call[rank];
    *call = call_begin_named(function);
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == PARAMETER_STRING)
            call->argument[i] = argument_of_pointer(call->function->parameter[i].usual);
    give_text(call, "group", ranks->name);
    give_text(call, "groupEp", ranks->name);
    return call;
}

/* Queues the call; its status, with the sentence recorded. */
static inline int queue_rank(struct rank_case *ranks, uint32_t rank)
{
    const struct named_call *call = &ranks->call[rank];
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
    const int status = function_plan_anew(call->function, call->argument, &bytes, &executor);
    return status != 0 ? status : call->function->launch(NULL, 0, executor, ranks->streams[rank]);
}

/* Waits for all, and keeps what they say. */
static inline void wait_for_ranks(struct rank_case *ranks)
{
    for (uint32_t rank = 0; rank < ranks->count; rank++) {
        assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
        (void)aclGetRecentErrMsg();
        ranks->status[rank] = aclrtSynchronizeStream(ranks->streams[rank]);
        const char *sentence = aclGetRecentErrMsg();
        snprintf(ranks->sentence[rank], sizeof ranks->sentence[rank], "%s", sentence != NULL ? sentence : "");
    }
}

static inline void run_ranks(struct rank_case *ranks)
{
    for (uint32_t rank = 0; rank < ranks->count; rank++)
        if (queue_rank(ranks, rank) != 0)
            fail_msg("rank %u: %s", rank, aclGetRecentErrMsg());
    wait_for_ranks(ranks);
    for (uint32_t rank = 0; rank < ranks->count; rank++)
        if (ranks->status[rank] != 0)
            fail_msg("rank %u: %d, %s", rank, ranks->status[rank], ranks->sentence[rank]);
}

static inline void end_ranks(struct rank_case *ranks)
{
    for (uint32_t rank = 0; rank < ranks->count; rank++) {
        assert_int_equal(aclrtSetDevice((int32_t)rank), 0);
        end_named(&ranks->call[rank]);
    }
}

static inline void assert_rank_failed(const struct rank_case *ranks, uint32_t rank, int status,
                                      const char *text)
{
    if (ranks->status[rank] != status || strstr(ranks->sentence[rank], text) == NULL)
        fail_msg("rank %u: %d, %s; %d, with \"%s\", is expected", rank, ranks->status[rank],
                 ranks->sentence[rank], status, text);
}

static inline void fill_small(const struct layout *layout)
{
    for (int64_t i = 0; layout != NULL && i < layout->count; i++)
        set_whole(layout, i, random_below(255) - 127);
}

#endif
