/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The life of an executor: what makes, runs, keeps and ends it.
 */
#include "tensor/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/copy_fixture.h"
#include "support/thread.h"

static void phase_2_does_what_phase_1_planned(void **state)
{
    (void)state;
    assert_int_equal(launch(create_copy()), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(first_of(to_memory) == 10);
    assert_true(first_of(to_memory + COUNT - 1) == 10 + COUNT - 1);
}

static void the_default_stream_works_too(void **state)
{
    (void)state;
    assert_int_equal(executor_launch(&copy_operation, NULL, 0, create_copy(), NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_true(first_of(to_memory) == 10);
}

static void an_executor_runs_once(void **state)
{
    (void)state;
    aclOpExecutor *executor = create_copy();
    assert_int_equal(launch(executor), 0);
    assert_consumed(executor);
}

static void null_foreign_and_wrong_kind_executors_are_refused(void **state)
{
    (void)state;
    int other;
    assert_failure(launch(NULL), 161001, "aclnnCopy: executor is NULL");
    assert_failure(launch((aclOpExecutor *)(void *)&other), 161002, "is not a handle of this library");
    assert_failure(launch((aclOpExecutor *)(void *)from), 161002, "is a tensor");
    assert_failure(aclDestroyAclOpExecutor(NULL), 561103, "aclDestroyAclOpExecutor: executor is NULL");
    assert_failure(aclDestroyAclOpExecutor((aclOpExecutor *)(void *)&other), 561000, "is not a handle");
    assert_failure(aclDestroyAclOpExecutor((aclOpExecutor *)(void *)from), 561000, "is a tensor");
    assert_failure(aclSetAclOpExecutorRepeatable(NULL), 561103, "executor is NULL");
    assert_failure(aclSetAclOpExecutorRepeatable((aclOpExecutor *)(void *)&other), 561000, "is not a handle");
}

static void an_executor_that_never_ran_can_be_destroyed_once(void **state)
{
    (void)state;
    aclOpExecutor *executor = create_copy();
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_consumed(executor);
    assert_failure(aclSetAclOpExecutorRepeatable(executor), 561000, "was destroyed");
}

static void another_operator_cannot_run_it(void **state)
{
    (void)state;
    aclOpExecutor *executor = create_copy();
    assert_failure(executor_launch(&other_operation, NULL, 0, executor, stream), 161002,
                   "aclnnOther: executor was made by aclnnCopyGetWorkspaceSize");
    assert_consumed(executor);
    assert_true(first_of(to_memory) == 0);
}

static void a_missing_workspace_destroys_even_a_repeatable_executor(void **state)
{
    (void)state;
    aclOpExecutor *executor = create_copy();
    assert_failure(executor_launch(&copy_operation, NULL, 1, executor, stream), 161001,
                   "aclnnCopy: workspace is NULL, but workspaceSize is 1");
    assert_consumed(executor);
    executor = create_copy();
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    assert_failure(executor_launch(&copy_operation, NULL, 1, executor, stream), 161001, "workspace is NULL");
    assert_consumed(executor);
}

static void a_repeatable_executor_runs_until_it_is_destroyed(void **state)
{
    (void)state;
    unsigned runs = copy_runs;
    aclOpExecutor *executor = create_copy();
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(launch(executor), 0);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, runs + 5);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_consumed(executor);
}

static void a_repeatable_executor_survives_failures(void **state)
{
    (void)state;
    int other;
    aclOpExecutor *executor = create_copy();
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    assert_failure(executor_launch(&other_operation, NULL, 0, executor, stream), 161002, "made by");
    assert_failure(executor_launch(&copy_operation, NULL, 0, executor, &other), 361001, "stream");
    assert_failure(executor_launch(&copy_operation, &other, 8, executor, stream), 161002, "workspace");
    assert_int_equal(aclSetRawTensorAddr(from, &other), 0);
    assert_failure(launch(executor), 161002, "from");
    assert_int_equal(aclSetRawTensorAddr(from, from_memory), 0);
    assert_int_equal(launch(executor), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(first_of(to_memory) == 10);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

static void a_live_tensor_gives_its_address_and_a_dead_one_what_was_copied(void **state)
{
    (void)state;
    float *elsewhere;
    assert_int_equal(aclrtMalloc((void **)&elsewhere, COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    write_device(elsewhere, 50);
    aclOpExecutor *executor = create_copy();
    assert_int_equal(aclSetRawTensorAddr(from, elsewhere), 0);
    assert_int_equal(launch(executor), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(first_of(to_memory) == 50);

    assert_int_equal(aclSetRawTensorAddr(from, from_memory), 0);
    executor = create_copy();
    assert_int_equal(aclSetRawTensorAddr(from, elsewhere), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(launch(executor), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(first_of(to_memory) == 10);
    assert_int_equal(aclrtFree(elsewhere), 0);
}

static int sum_run(const void *plan, void *const *address, void *scratch)
{
    const unsigned char *bytes = (const unsigned char *)plan;
    (void)address;
    (void)scratch;
    unsigned sum = 0;
    for (int i = 0; i < EXECUTOR_PLAN_BYTES; i++)
        sum += bytes[i];
    atomic_store(&copy_runs, sum);
    return (uintptr_t)plan % EXECUTOR_PLAN_ALIGNMENT == 0 ? 0 : 507015;
}

static void the_whole_plan_is_copied_and_aligned(void **state)
{
    (void)state;
    static const struct operation sum = {.name = "aclnnSum", .run = sum_run};
    unsigned char plan[EXECUTOR_PLAN_BYTES];
    memset(plan, 7, sizeof plan);
    struct executor_request request = {.operation = &sum, .plan = plan, .plan_bytes = sizeof plan};
    aclOpExecutor *executor = create(&request);
    memset(plan, 0, sizeof plan);
    assert_int_equal(executor_launch(&sum, NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, 7 * EXECUTOR_PLAN_BYTES);
}

static void finished_executors_make_room_for_others(void **state)
{
    (void)state;
    uint32_t greatest = 0;
    for (int i = 0; i < 20000; i++) {
        aclOpExecutor *executor = create_copy();
        uint32_t index = (uint32_t)(uintptr_t)executor & 0xffffff;
        greatest = index > greatest ? index : greatest;
        if (i % 3 == 0)
            assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
        assert_int_equal(launch(executor), 0);
        if (i % 3 == 0)
            assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
        if (i % 8 == 0)
            assert_int_equal(aclrtSynchronizeStream(stream), 0);
    }
    assert_true(greatest < 64);
}

static void *run_one(void *argument)
{
    (void)argument;
    static aclnnStatus status;
    /* Work that is still queued has its slot for good reason. */
    status = aclrtSetDevice(0) | launch(create_copy()) | aclrtSynchronizeStream(stream) | aclrtResetDevice(0);
    return &status;
}

static void threads_that_end_leave_no_slots_behind(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        const aclnnStatus *status = (const aclnnStatus *)run_in_thread(run_one, NULL);
        assert_int_equal(*status, 0);
    }
    aclOpExecutor *executor = create_copy();
    assert_true(((uintptr_t)executor & 0xffffff) < 64);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

/* Begins and ends an executor in the one slot that a thread has; with a call that it is the result of, or
 * not. */
static bool pass_slot(const uint64_t *call)
{
    struct executor_content *content;
    uint64_t workspace;
    aclOpExecutor *executor;
    if (executor_begin(&copy_operation, 0, call != NULL ? 1 : 0, 0, &content) != 0)
        return false;
    content->is_idle = true;
    if (call != NULL)
        executor_remember(content, 0, *call, 0);
    executor_finish(content, &workspace, &executor);
    return aclDestroyAclOpExecutor(executor) == 0;
}

static void *repeat_calls(void *is_right)
{
    const uint64_t call = 123, another = 124;
    uint64_t workspace;
    aclOpExecutor *executor;
    bool is_kept = pass_slot(&call) && executor_repeat(&copy_operation, &call, 1, &workspace, &executor) &&
                   aclDestroyAclOpExecutor(executor) == 0;
    bool is_forgotten = pass_slot(NULL) && !executor_repeat(&copy_operation, &call, 1, &workspace, &executor);
    *(bool *)is_right = is_kept && is_forgotten && pass_slot(&call) &&
                        !executor_repeat(&copy_operation, &another, 1, &workspace, &executor) &&
                        !executor_repeat(&other_operation, &call, 1, &workspace, &executor);
    return NULL;
}

static void only_the_call_that_made_an_executor_repeats_it(void **state)
{
    (void)state;
    bool is_right = false;
    (void)run_in_thread(repeat_calls, &is_right); /* which begins without executors */
    assert_true(is_right);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(phase_2_does_what_phase_1_planned),
        TEST(the_default_stream_works_too),
        TEST(an_executor_runs_once),
        TEST(null_foreign_and_wrong_kind_executors_are_refused),
        TEST(an_executor_that_never_ran_can_be_destroyed_once),
        TEST(another_operator_cannot_run_it),
        TEST(a_missing_workspace_destroys_even_a_repeatable_executor),
        TEST(a_repeatable_executor_runs_until_it_is_destroyed),
        TEST(a_repeatable_executor_survives_failures),
        TEST(a_live_tensor_gives_its_address_and_a_dead_one_what_was_copied),
        TEST(the_whole_plan_is_copied_and_aligned),
        TEST(finished_executors_make_room_for_others),
        TEST(threads_that_end_leave_no_slots_behind),
        TEST(only_the_call_that_made_an_executor_repeats_it),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
