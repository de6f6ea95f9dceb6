/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What phase 2 checks before it queues anything: workspace, stream and operands; and the order of what it
 * runs at once.
 */
#include "tensor/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "runtime/streams/stream_queue.h"
#include "support/child.h"
#include "support/copy_fixture.h"
#include "support/thread.h"

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
    assert_failure(launch_with(host, 1024), 161002, "is not memory of this library; memory from aclrtMalloc");
    assert_failure(launch_with((char *)workspace + 1025, 1024), 161002, "workspaceSize is 1024, but");
    assert_failure(launch_with(workspace, UINT64_MAX), 161002, "workspaceSize is 18446744073709551615, but");
    assert_int_equal(copy_runs, runs);
    for (int i = 1; i < 64; i++)
        if (i != 32)
            assert_failure(launch_with((char *)workspace + i, 1024), 161002,
                           "is not aligned; a multiple of 32 bytes");
    assert_int_equal(launch_with(workspace, 1024), 0);
    assert_int_equal(launch_with((char *)workspace + 32, 1024), 0);
    assert_int_equal(launch_with((char *)workspace + 1024, 1024), 0);
    assert_int_equal(launch_with(workspace, 2048), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, runs + 4);

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
    assert_failure(launch_with(workspace, 1024), 161002, "is device memory that was already freed");
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
    assert_failure(launch_with((char *)pinned + 1024, 1024), 161002,
                   "is 1024 bytes inside a block of 2048 bytes of pinned host memory");
    assert_int_equal(aclrtFreeHost(pinned), 0);
    assert_failure(launch(create_copy()), 161002, "is pinned host memory that was already freed");
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
    const aclnnStatus *status = (const aclnnStatus *)run_in_thread(launch_without_context, NULL);
    assert_int_equal(*status, 361001);
}

static void *launch_on_named_stream(void *stream_to_use)
{
    static aclnnStatus status;
    status = executor_launch(&copy_operation, NULL, 0, create_copy(), (aclrtStream)stream_to_use);
    return &status;
}

static void a_stream_that_is_named_needs_no_context(void **state)
{
    (void)state;
    unsigned runs = copy_runs;
    aclrtStream named;
    assert_int_equal(aclrtCreateStream(&named), 0);
    const aclnnStatus *status = (const aclnnStatus *)run_in_thread(launch_on_named_stream, named);
    assert_int_equal(*status, 0);
    assert_int_equal(aclrtSynchronizeStream(named), 0);
    assert_int_equal(copy_runs, runs + 1);
    assert_int_equal(aclrtDestroyStream(named), 0);
    run_in_thread(launch_on_named_stream, named);
    assert_int_equal(*status, 361001);
    assert_int_equal(copy_runs, runs + 1);
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

/* Also where no operand is aligned, on a stream that could run the work at once. */
static void operands_must_be_aligned(void **state)
{
    (void)state;
    for (int odd = 1; odd <= 3; odd++) {
        aclTensor *source = create_floats(COUNT - 1, (char *)from_memory + (odd & 1));
        aclTensor *target = create_floats(COUNT - 1, (char *)to_memory + (odd >> 1));
        struct copy_plan plan = {.count = COUNT - 1};
        struct executor_request request = copy_request(source, target, &plan);
        assert_failure(launch(create(&request)), 161002, "not a multiple of its element size of 4");
        assert_int_equal(aclDestroyTensor(source), 0);
        assert_int_equal(aclDestroyTensor(target), 0);
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

static int do_nothing(struct task *task)
{
    (void)task;
    return 0;
}

/* Even on the thread that made the stream, while nobody has taken up the other work. */
static void short_work_stays_behind_what_is_queued(void **state)
{
    (void)state;
    struct stream *object = (struct stream *)handle_find(&stream_table, (uint64_t)(uintptr_t)stream);
    struct task task = {.run = do_nothing, .cost_ns = TASK_NEVER_INLINE};
    unsigned runs = copy_runs;
    assert_non_null(object);
    pthread_mutex_lock(&object->lock);
    uint64_t released = object->released;
    object->released = 0; /* nothing of the ring runs */
    pthread_mutex_unlock(&object->lock);
    assert_int_equal(stream_submit("test", stream, &task), 0);
    assert_int_equal(launch(create_copy()), 0);
    assert_int_equal(copy_runs, runs);
    pthread_mutex_lock(&object->lock);
    object->released = released;
    pthread_mutex_unlock(&object->lock);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, runs + 1);
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
    request = copy_request(from, to, &plan); /* every operand is where it could run at once */
    request.is_idle = true;
    assert_int_equal(launch(create(&request)), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, runs);
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

static int host_pointers(void)
{
    void *pinned;
    static float plain[COUNT];
    CHILD_CHECK(open_stream(NULL) == 0 && set_up(NULL) == 0);
    CHILD_CHECK(aclrtMallocHost(&pinned, 2048) == 0);
    CHILD_CHECK(launch_with(pinned, 2048) == 0);
    CHILD_CHECK(launch_with((char *)pinned + 1536, 1024) == 161002); /* its end is known all the same */
    CHILD_CHECK(aclSetRawTensorAddr(from, plain) == 0 && launch_with(pinned, 1024) == 0);
    CHILD_CHECK(launch_with((void *)(UINTPTR_MAX - 100), 1024) == 161002);
    return tear_down(NULL) | close_stream(NULL);
}

static void the_names_of_operands_may_be_missing(void **state)
{
    (void)state;
    struct copy_plan plan = {.count = COUNT};
    float outside[COUNT];
    assert_int_equal(aclSetRawTensorAddr(to, outside), 0);
    struct executor_request request = copy_request(from, to, &plan);
    request.operand[1].name = NULL;
    assert_failure(launch(create(&request)), 161002, "tensor 1 0x");
    assert_int_equal(aclSetRawTensorAddr(to, to_memory), 0);
}

int main(void)
{
    /* Before the first use here, which a forked child would see. */
    if (run_in_child("BELAY_HOST_POINTERS", "allow", host_pointers) != 0)
        return 1;
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_workspace_must_be_large_enough_live_and_apart_from_the_operands),
        TEST(pinned_host_memory_is_an_operand_but_no_workspace),
        TEST(the_names_of_operands_may_be_missing),
        TEST(a_stream_must_be_live),
        TEST(the_default_stream_needs_a_context),
        TEST(a_stream_that_is_named_needs_no_context),
        TEST(an_operand_must_lie_in_live_device_memory),
        TEST(a_view_must_stay_in_its_block),
        TEST(operands_must_be_aligned),
        TEST(the_offset_is_added_to_the_address),
        TEST(an_empty_operand_may_lie_anywhere),
        TEST(short_work_stays_behind_what_is_queued),
        TEST(an_idle_executor_runs_nothing_but_checks_all_the_same),
        TEST(scratch_memory_is_given_aligned_or_the_launch_fails),
        TEST(a_failure_of_the_work_is_reported_by_the_stream),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
