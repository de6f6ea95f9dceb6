/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators that meet other ranks, whose ranks are processes: results, and what becomes of the others where
 * one differs, fails by itself, is killed, or does not come.
 */
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hccl/mesh_ranks.h"
#include "hccl/rank_calls.h"
#include "ops/rank_case.h"

static char group[COMM_NAME_MAX_LENGTH];
static HcclComm comm;

static int join(struct ranks *ranks, uint32_t rank)
{
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    strcpy(config.hcclCommName, "experts");
    CALL(aclrtSetDevice(0));
    CALL(aclrtCreateStream(&stream));
    if (rank == 0)
        atomic_store(&ranks->root_result, (int)HcclGetRootInfo(&ranks->root));
    while (atomic_load(&ranks->root_result) == 100)
        sleep_ms(1);
    CALL(HcclCommInitRootInfoConfig(ranks->count, &ranks->root, rank, &config, &comm));
    CALL(HcclGetCommName(comm, group));
    return 0;
}

static int leave(uint32_t rank)
{
    CALL(HcclCommDestroy(comm));
    CALL(aclrtDestroyStream(stream));
    CALL(aclrtResetDevice(0));
    return 0;
}

/* MatmulAllReduce of ones by the rank's number and one. */
static struct named_call multiply_ones(uint32_t rank, int64_t n)
{
    struct named_call call = call_begin_named("aclnnMatmulAllReduce");
    const struct layout *x1 = GIVE(&call, "x1", ACL_FLOAT16, 2, 3),
                        *x2 = GIVE(&call, "x2", ACL_FLOAT16, 3, n);
    for (int64_t i = 0; i < x1->count; i++)
        set_element(x1, i, 1);
    for (int64_t i = 0; i < x2->count; i++)
        set_element(x2, i, rank + 1);
    GIVE(&call, "output", ACL_FLOAT16, 2, n);
    give_text(&call, "group", group);
    give_text(&call, "reduceOp", "sum");
    return call;
}

static int launch(struct named_call *call)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    const int status = function_plan_anew(call->function, call->argument, &bytes, &executor);
    return status != 0 ? status : call->function->launch(NULL, 0, executor, stream);
}

static int multiply(struct ranks *ranks, uint32_t rank)
{
    RANK_CHECK(join(ranks, rank) == 0);
    for (int64_t n = 1; n < 40000; n = n * 7 + 1) { /* with the calls, and behind them */
        struct named_call call = multiply_ones(rank, n);
        CALL(launch(&call));
        CALL(launch(&call));
        CALL(aclrtSynchronizeStream(stream));
        for (int64_t i = 0; i < 2 * n; i++)
            RANK_CHECK(element_of(tensor_named(&call, "output"), i) ==
                       3 * ranks->count * (ranks->count + 1) / 2);
        end_named(&call);
    }
    return leave(rank);
}

static int differ(struct ranks *ranks, uint32_t rank)
{
    RANK_CHECK(join(ranks, rank) == 0);
    struct named_call call = multiply_ones(rank, rank == 1 ? 5 : 4);
    CALL(launch(&call));
    CALL_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICPU_EXCEPTION,
               rank == 1 ? "aclnnMatmulAllReduce of 8 fp32, sum" : "aclnnMatmulAllReduce of 10 fp32, sum");
    end_named(&call);
    return leave(rank);
}

static int miss(struct ranks *ranks, uint32_t rank)
{
    RANK_CHECK(join(ranks, rank) == 0);
    struct named_call call = multiply_ones(rank, 4);
    if (rank != 1) {
        CALL(launch(&call));
        CALL_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_TIMEOUT, "; did not: 1 (never seen)");
    }
    meet(ranks, 0, ranks->count);
    end_named(&call);
    return leave(rank);
}

static int die(struct ranks *ranks, uint32_t rank)
{
    RANK_CHECK(join(ranks, rank) == 0);
    struct named_call call = multiply_ones(rank, 4);
    meet(ranks, 0, ranks->count);
    if (rank == 1)
        raise(SIGKILL);
    CALL(launch(&call));
    CALL_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, "aclnnMatmulAllReduce");
    end_named(&call);
    return leave(rank);
}

static void results_are_those_of_one_process(void **state)
{
    (void)state;
    for (uint32_t count = 2; count <= 3; count++)
        run_processes(count, multiply);
}

static void processes_that_differ_fail(void **state)
{
    (void)state;
    run_processes(2, differ);
}

static void a_process_that_does_not_come_is_named(void **state)
{
    (void)state;
    run_processes(2, miss);
}

static void a_process_that_dies_ends_the_others(void **state)
{
    (void)state;
    run_processes_killing(3, die, 1U << 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_one_process),
        cmocka_unit_test(processes_that_differ_fail),
        cmocka_unit_test(a_process_that_does_not_come_is_named),
        cmocka_unit_test(a_process_that_dies_ends_the_others),
    };
    setenv("HCCL_EXEC_TIMEOUT", "4", 1);
    setenv("HCCL_IF_IP", "127.0.0.1", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
