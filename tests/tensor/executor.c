/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "tensor/executor.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "support/copy_operation.h"
#include "support/failure.h"

enum { COUNT = 8 };

static aclrtStream stream;
static float *from_memory; /* COUNT floats each */
static float *to_memory;
static aclTensor *from;
static aclTensor *to;

static int copy_again(const void *plan, void *const *address, void *scratch)
{
    return copy_run(plan, address, scratch);
}

/* Does the same, but is another operator. */
static const struct operation other_operation = {.name = "aclnnOther", .run = copy_again};

static int open_device(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0)
        return -1;
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) | aclrtResetDevice(0);
}

static void write_device(float *memory, float first)
{
    float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = first + (float)i;
    assert_int_equal(aclrtMemcpy(memory, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE), 0);
}

static float first_of(const float *memory)
{
    float value;
    assert_int_equal(aclrtMemcpy(&value, sizeof value, memory, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return value;
}

static int set_up(void **state)
{
    (void)state;
    size_t bytes = COUNT * sizeof(float);
    if (aclrtMalloc((void **)&from_memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMalloc((void **)&to_memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    write_device(from_memory, 10);
    write_device(to_memory, 0);
    from = create_floats(COUNT, from_memory);
    to = create_floats(COUNT, to_memory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    int status = aclrtSynchronizeStream(stream);
    (void)aclDestroyTensor(from);
    (void)aclDestroyTensor(to);
    return status | aclrtFree(from_memory) | aclrtFree(to_memory);
}

static aclOpExecutor *create(const struct executor_request *request)
{
    uint64_t workspace = 99;
    aclOpExecutor *executor = NULL;
    assert_int_equal(executor_create(request, &workspace, &executor), 0);
    assert_int_equal(workspace, request->workspace_bytes);
    assert_non_null(executor);
    return executor;
}

static aclOpExecutor *create_copy(void)
{
    struct copy_plan plan = {.count = COUNT};
    struct executor_request request = copy_request(from, to, &plan);
    return create(&request);
}

static aclnnStatus launch(aclOpExecutor *executor)
{
    return executor_launch(&copy_operation, NULL, 0, executor, stream);
}

/* The executor is gone: nothing runs it or destroys it again. */
static void assert_consumed(aclOpExecutor *executor)
{
    unsigned runs = copy_runs;
    assert_failure(launch(executor), 161002, "aclnnCopy: executor was destroyed, has run");
    assert_failure(aclDestroyAclOpExecutor(executor), 561000,
                   "aclDestroyAclOpExecutor: executor was destroyed");
    assert_int_equal(copy_runs, runs);
}

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

static aclnnStatus launch_with(void *workspace, uint64_t bytes)
{
    struct copy_plan plan = {.count = COUNT};
    struct executor_request request = copy_request(from, to, &plan);
    request.workspace_bytes = 1024;
    return executor_launch(&copy_operation, workspace, bytes, create(&request), stream);
}

static void a_workspace_must_be_large_enough_live_and_apart_from_the_operands(void **state)
{
    (void)state;
    void *workspace;
    char *host[2048 / sizeof(char *)];
    unsigned runs = copy_runs;
    assert_int_equal(aclrtMalloc(&workspace, 2048, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_failure(launch_with(NULL, 0), 161002, "workspaceSize is 0; the 1024 bytes that phase 1 asked for");
    assert_failure(launch_with(workspace, 1023), 161002, "workspaceSize is 1023");
    assert_failure(launch_with(host, 1024), 161002, "is not live device memory");
    assert_failure(launch_with((char *)workspace + 1025, 1024), 161002, "workspaceSize is 1024, but");
    assert_failure(launch_with(workspace, UINT64_MAX), 161002, "workspaceSize is 18446744073709551615, but");
    assert_int_equal(copy_runs, runs);
    assert_int_equal(launch_with(workspace, 1024), 0);
    assert_int_equal(launch_with((char *)workspace + 1024, 1024), 0);
    assert_int_equal(launch_with(workspace, 2048), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, runs + 3);

    aclTensor *inside = create_floats(COUNT, (char *)workspace + 1020);
    aclTensor *kept = from;
    from = inside;
    assert_failure(launch_with(workspace, 1024), 161002, "bytes overlaps from");
    assert_failure(launch_with((char *)workspace + 1024, 1024), 161002, "bytes overlaps from");
    assert_int_equal(aclSetRawTensorAddr(inside, (char *)workspace + 1024), 0);
    assert_int_equal(launch_with(workspace, 1024), 0);
    from = kept;
    assert_int_equal(aclDestroyTensor(inside), 0);

    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtFree(workspace), 0);
    assert_failure(launch_with(workspace, 1024), 161002, "is not live device memory");
}

static void pinned_host_memory_is_an_operand_but_no_workspace(void **state)
{
    (void)state;
    void *pinned;
    assert_int_equal(aclrtMallocHost(&pinned, 2048), 0);
    assert_int_equal(aclSetRawTensorAddr(to, pinned), 0);
    assert_int_equal(launch(create_copy()), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(*(float *)pinned == 10);
    assert_failure(launch_with((char *)pinned + 1024, 1024), 161002, "is not live device memory");
    assert_int_equal(aclrtFreeHost(pinned), 0);
    assert_failure(launch(create_copy()), 161002, "to at");
}

static void a_stream_must_be_live(void **state)
{
    (void)state;
    int other;
    unsigned runs = copy_runs;
    aclrtStream dead;
    assert_int_equal(aclrtCreateStream(&dead), 0);
    assert_int_equal(aclrtDestroyStream(dead), 0);
    aclOpExecutor *executor = create_copy();
    assert_failure(executor_launch(&copy_operation, NULL, 0, executor, dead), 361001,
                   "aclnnCopy: stream is not a live stream");
    assert_consumed(executor);
    assert_failure(executor_launch(&copy_operation, NULL, 0, create_copy(), &other), 361001,
                   "aclnnCopy: stream");
    assert_failure(executor_launch(&copy_operation, NULL, 0, create_copy(), from), 361001,
                   "aclnnCopy: stream");
    assert_int_equal(copy_runs, runs);
}

static void *launch_without_context(void *argument)
{
    (void)argument;
    static aclnnStatus status;
    status = executor_launch(&copy_operation, NULL, 0, create_copy(), NULL);
    if (strstr(aclGetRecentErrMsg(), "aclnnCopy: this thread has no current context") == NULL)
        status = -1;
    return &status;
}

static void the_default_stream_needs_a_context(void **state)
{
    (void)state;
    pthread_t thread;
    void *status;
    assert_int_equal(pthread_create(&thread, NULL, launch_without_context, NULL), 0);
    assert_int_equal(pthread_join(thread, &status), 0);
    assert_int_equal(*(aclnnStatus *)status, 361001);
}

/* Phase 2 with the input at this address. */
static aclnnStatus launch_from(void *data)
{
    aclTensor *tensor = create_floats(COUNT, data);
    struct copy_plan plan = {.count = COUNT};
    struct executor_request request = copy_request(tensor, to, &plan);
    aclOpExecutor *executor = create(&request);
    aclnnStatus status = launch(executor);
    assert_int_equal(aclDestroyTensor(tensor), 0);
    if (status != 0) {
        const char *sentence = aclGetRecentErrMsg();
        assert_non_null(sentence);
        assert_non_null(strstr(sentence, "from"));
        assert_consumed(executor);
    }
    return status;
}

static void an_operand_must_lie_in_live_device_memory(void **state)
{
    (void)state;
    static float host[COUNT];
    unsigned runs = copy_runs;
    char *block;
    assert_int_equal(aclrtMalloc((void **)&block, 2 * COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(launch_from(NULL), 161002);
    assert_int_equal(launch_from(host), 161002);
    assert_int_equal(launch_from(block + 2), 161002);
    assert_int_equal(launch_from(block + COUNT * sizeof(float) + 4), 161002);
    assert_int_equal(launch_from((void *)-4), 161002);
    assert_int_equal(launch_from((void *)4), 161002);
    assert_int_equal(copy_runs, runs);
    assert_int_equal(launch_from(block), 0);
    assert_int_equal(launch_from(block + 4), 0);
    assert_int_equal(launch_from(block + COUNT * sizeof(float)), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtFree(block), 0);
    assert_int_equal(launch_from(block), 161002);
}

static void a_view_must_stay_in_its_block(void **state)
{
    (void)state;
    static const struct {
        int64_t shape, stride, offset;
        aclnnStatus status;
    } cases[] = {
        {COUNT, 1, 0, 0},
        {1, 1, COUNT - 1, 0},
        {1, 1, COUNT, 161002},
        {2, COUNT - 1, 0, 0},
        {2, COUNT, 0, 161002},
        {2, COUNT - 1, 1, 161002},
        {1, INT64_MAX, 0, 0},
        {1, 1, INT64_MAX, 161002},
        {1, 1, INT64_C(1) << 62, 161002}, /* 2^62 elements of 4 bytes are 0 in 64 bits */
        {2, INT64_C(1) << 62, 0, 161002},
        {INT64_MAX, 0, 0, 0},
        {0, 1, INT64_MAX, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        aclTensor *tensor = aclCreateTensor(&cases[i].shape, 1, ACL_FLOAT, &cases[i].stride, cases[i].offset,
                                            ACL_FORMAT_ND, NULL, 0, from_memory);
        struct copy_plan plan = {.count = 1};
        struct executor_request request = copy_request(tensor, to, &plan);
        assert_int_equal(aclDestroyTensor(tensor), 0);
        assert_int_equal(launch(create(&request)), cases[i].status);
        if (cases[i].status != 0)
            assert_sentence("the view of from reaches element");
    }
}

static void the_offset_is_added_to_the_address(void **state)
{
    (void)state;
    int64_t shape = 2;
    aclTensor *tensor = aclCreateTensor(&shape, 1, ACL_FLOAT, NULL, 3, ACL_FORMAT_ND, NULL, 0, from_memory);
    struct copy_plan plan = {.count = 2};
    struct executor_request request = copy_request(tensor, to, &plan);
    assert_int_equal(launch(create(&request)), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(first_of(to_memory) == 13);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void an_empty_operand_may_lie_anywhere(void **state)
{
    (void)state;
    aclTensor *empty = create_floats(0, (void *)3);
    struct copy_plan plan = {.count = 1, .status = 507015};
    struct executor_request request = copy_request(empty, to, &plan);
    unsigned runs = copy_runs;
    copy_address[0] = &request;
    assert_int_equal(launch(create(&request)), 0);
    assert_int_not_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, runs + 1);
    assert_null(copy_address[0]);
    assert_ptr_equal(copy_address[1], to_memory);
    assert_int_equal(aclDestroyTensor(empty), 0);
}

static void an_idle_executor_runs_nothing_but_checks_all_the_same(void **state)
{
    (void)state;
    int other;
    unsigned runs = copy_runs;
    struct copy_plan plan = {.count = 0};
    struct executor_request request = copy_request(from, to, &plan);
    request.is_idle = true;
    request.operand[0].data = NULL;
    request.operand[0].tensor = NULL;
    aclOpExecutor *executor = create(&request);
    assert_int_equal(launch(executor), 0);
    assert_consumed(executor);
    assert_failure(executor_launch(&copy_operation, NULL, 0, create(&request), &other), 361001, "stream");
    assert_failure(executor_launch(&other_operation, NULL, 0, create(&request), stream), 161002, "made by");
    assert_failure(executor_launch(&copy_operation, NULL, 8, create(&request), stream), 161001, "workspace");
    executor = create(&request);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    assert_int_equal(launch(executor), 0);
    assert_int_equal(launch(executor), 0);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_int_equal(copy_runs, runs);
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

static void scratch_memory_is_given_aligned_or_the_launch_fails(void **state)
{
    (void)state;
    unsigned runs = copy_runs;
    struct copy_plan plan = {.count = COUNT, .scratch_bytes = 1000};
    struct executor_request request = copy_request(from, to, &plan);
    assert_int_equal(launch(create(&request)), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_non_null(copy_scratch);
    assert_int_equal((uintptr_t)copy_scratch % 64, 0);
    plan.scratch_bytes = SIZE_MAX;
    assert_failure(launch(create(&request)), 361001,
                   "aclnnCopy: there is no memory for 18446744073709551615");
    assert_int_equal(copy_runs, runs + 1);
}

static void a_failure_of_the_work_is_reported_by_the_stream(void **state)
{
    (void)state;
    struct copy_plan plan = {.count = COUNT, .status = 507015};
    struct executor_request request = copy_request(from, to, &plan);
    assert_int_equal(launch(create(&request)), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 507015);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
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
    return (uintptr_t)plan % 16 == 0 ? 0 : 507015;
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
    status = aclrtSetDevice(0) | launch(create_copy()) | aclrtResetDevice(0);
    return &status;
}

static void threads_that_end_leave_no_slots_behind(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        void *status;
        assert_int_equal(pthread_create(&thread, NULL, run_one, NULL), 0);
        assert_int_equal(pthread_join(thread, &status), 0);
        assert_int_equal(*(aclnnStatus *)status, 0);
    }
    aclOpExecutor *executor = create_copy();
    assert_true(((uintptr_t)executor & 0xffffff) < 64);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
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
        TEST(a_workspace_must_be_large_enough_live_and_apart_from_the_operands),
        TEST(pinned_host_memory_is_an_operand_but_no_workspace),
        TEST(a_stream_must_be_live),
        TEST(the_default_stream_needs_a_context),
        TEST(an_operand_must_lie_in_live_device_memory),
        TEST(a_view_must_stay_in_its_block),
        TEST(the_offset_is_added_to_the_address),
        TEST(an_empty_operand_may_lie_anywhere),
        TEST(an_idle_executor_runs_nothing_but_checks_all_the_same),
        TEST(a_repeatable_executor_runs_until_it_is_destroyed),
        TEST(a_repeatable_executor_survives_failures),
        TEST(a_live_tensor_gives_its_address_and_a_dead_one_what_was_copied),
        TEST(scratch_memory_is_given_aligned_or_the_launch_fails),
        TEST(a_failure_of_the_work_is_reported_by_the_stream),
        TEST(the_whole_plan_is_copied_and_aligned),
        TEST(finished_executors_make_room_for_others),
        TEST(threads_that_end_leave_no_slots_behind),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_device, close_device);
}
