/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory that a program frees while another thread submits work that uses it. The work is refused, or the
 * memory is not given out again before the work has ended. Meant to run under ThreadSanitizer too.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "runtime/streams/stream.h"
#include "support/copy_fixture.h"

/* Called between the moment when phase 2 looks the operands up and the one when it submits the work. */
static void (*between)(void);

static size_t work_bytes_between(const void *plan)
{
    (void)plan;
    between();
    return 0;
}

static const struct operation watched_operation = {
    .name = "aclnnWatched", .work_bytes = work_bytes_between, .run = copy_again};

static aclnnStatus launch_watched(uint64_t cost_ns)
{
    struct copy_plan plan = {.count = COUNT};
    struct executor_request request = copy_request(from, to, &plan);
    request.operation = &watched_operation;
    request.cost_ns = cost_ns;
    return executor_launch(&watched_operation, NULL, 0, create(&request), stream);
}

static void free_output(void)
{
    if (to_memory != NULL)
        assert_int_equal(aclrtFree(to_memory), 0);
    to_memory = NULL;
}

static void take_output(size_t bytes)
{
    assert_int_equal(aclrtMalloc((void **)&to_memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
}

static void an_operand_that_is_freed_before_the_work_is_queued_is_refused(void **state)
{
    (void)state;
    between = free_output;
    unsigned runs = copy_runs;
    assert_failure(launch_watched(TASK_NEVER_INLINE), 161002, "is device memory that was already freed");
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, runs);
    take_output(COUNT * sizeof(float));
}

static void *freed;

static void exchange_output(void)
{
    if (freed != NULL)
        return;
    freed = to_memory;
    free_output();
    take_output(COUNT * sizeof(float) - 1);
}

static void an_operand_that_is_a_smaller_block_by_then_is_refused(void **state)
{
    (void)state;
    between = exchange_output;
    freed = NULL;
    unsigned runs = copy_runs;
    assert_failure(launch_watched(TASK_NEVER_INLINE), 161002, "the view of to reaches element 7 of 4 bytes");
    assert_ptr_equal(to_memory, freed);
    assert_int_equal(copy_runs, runs);
}

/* Work that runs at once has claimed its stream before it looks its operands up. */
static void an_operand_that_is_freed_after_the_stream_is_claimed_is_not_given_out(void **state)
{
    (void)state;
    between = exchange_output;
    freed = NULL;
    int status = launch_watched(1);
    assert_true(status == 0 || status == 161002); /* not every schedule lets work run at once */
    assert_true(status == 0 ? to_memory != freed : to_memory == freed);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static const uint64_t costs[] = {1, TASK_NEVER_INLINE};

/* One thread uses a block of LONG bytes wherever it is; the other frees it and takes one of SHORT bytes,
 * which has room in the same place. */
enum { LONG = 512, SHORT = 500, ROUNDS = 2000, OPERATOR_MARK = 0xAA, OWNER_MARK = 0x55 };

static unsigned char *_Atomic shared;
static unsigned char *source;
static _Atomic bool is_over;
static _Atomic unsigned mistakes, accepted, refused;

static int mark_run(const void *plan, void *const *address, void *scratch)
{
    (void)plan;
    (void)scratch;
    memset(address[0], OPERATOR_MARK, LONG);
    return 0;
}

/* Set by the one thread between looking up and submitting, cleared by the other when it has freed the block.
 */
static _Atomic bool is_between;

/* Not for long: the other thread may have other things to do. */
static void wait_while_between_is(bool value)
{
    for (int i = 0; i < 50 && is_between == value; i++)
        sched_yield();
}

static size_t wait_for_free(const void *plan)
{
    (void)plan;
    is_between = true;
    wait_while_between_is(true);
    return 0;
}

static const struct operation mark_operation = {
    .name = "aclnnMark", .work_bytes = wait_for_free, .run = mark_run};

static int mark(aclTensor *tensor, void *block, unsigned round)
{
    if (aclSetRawTensorAddr(tensor, block) != 0)
        return -1;
    struct executor_request request = {.operation = &mark_operation,
                                       .operand_count = 1,
                                       .operand = {copy_operand(tensor, "out", true)},
                                       .cost_ns = costs[round / 4 % 2]};
    uint64_t workspace;
    aclOpExecutor *executor;
    if (executor_create(&request, &workspace, &executor) != 0)
        return -1;
    return executor_launch(&mark_operation, NULL, 0, executor, stream);
}

static void *use(void *argument)
{
    (void)argument;
    aclTensor *tensor = create_floats(LONG / sizeof(float), shared);
    if (aclrtSetDevice(0) != 0)
        atomic_fetch_add(&mistakes, 1);
    for (unsigned i = 0; !is_over; i++) {
        unsigned char *block = shared;
        if (block == NULL) {
            sched_yield();
            continue;
        }
        int status = 0, refusal = 107000;
        if (i % 4 == 0)
            status = aclrtMemsetAsync(block, LONG, OPERATOR_MARK, LONG, stream);
        else if (i % 4 == 1)
            status = aclrtMemcpyAsync(block, LONG, source, LONG, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        else {
            status = mark(tensor, block, i);
            refusal = 161002;
        }
        /* An idle stream is no reason to keep freed memory back. */
        if (aclrtSynchronizeStream(stream) != 0)
            status = -1;
        atomic_fetch_add(status == 0 ? &accepted : status == refusal ? &refused : &mistakes, 1);
    }
    if (aclDestroyTensor(tensor) != 0 || aclrtResetDevice(0) != 0)
        atomic_fetch_add(&mistakes, 1);
    return NULL;
}

static void work_never_touches_memory_that_was_given_out_again(void **state)
{
    (void)state;
    pthread_t user;
    void *block;
    assert_int_equal(aclrtMalloc((void **)&source, LONG, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemset(source, LONG, OPERATOR_MARK, LONG), 0);
    assert_int_equal(aclrtMalloc(&block, LONG, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    shared = block;
    assert_int_equal(pthread_create(&user, NULL, use, NULL), 0);
    unsigned damaged = 0;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned char *own;
        wait_while_between_is(false);
        block = shared;
        shared = NULL;
        assert_int_equal(aclrtFree(block), 0);
        assert_int_equal(aclrtMalloc((void **)&own, SHORT, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        memset(own, OWNER_MARK, SHORT);
        is_between = false;
        for (int k = 0; k < 10; k++)
            sched_yield();
        for (int k = 0; k < SHORT; k++)
            damaged += own[k] != OWNER_MARK;
        assert_int_equal(aclrtFree(own), 0);
        assert_int_equal(aclrtMalloc(&block, LONG, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        shared = block;
    }
    /* The other thread may not have come to anything yet; the last block stays. */
    while (accepted == 0 && mistakes == 0)
        sched_yield();
    is_over = true;
    assert_int_equal(pthread_join(user, NULL), 0);
    assert_int_equal(damaged, 0);
    assert_int_equal(mistakes, 0);
    assert_true(accepted > 0);
    assert_int_equal(aclrtFree(shared), 0);
    assert_int_equal(aclrtFree(source), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_operand_that_is_freed_before_the_work_is_queued_is_refused),
        TEST(an_operand_that_is_a_smaller_block_by_then_is_refused),
        TEST(an_operand_that_is_freed_after_the_stream_is_claimed_is_not_given_out),
        cmocka_unit_test(work_never_touches_memory_that_was_given_out_again),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
