/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A device, a stream and two tensors to copy between, for tests of executors. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_SUPPORT_COPY_FIXTURE_H
#define BELAY_TESTS_SUPPORT_COPY_FIXTURE_H

#include "acl/acl_rt.h"
#include "support/copy_operation.h"
#include "support/failure.h"
#include "support/open_stream.h"

enum { COUNT = 8 };

static float *from_memory; /* COUNT floats each */
static float *to_memory;
static aclTensor *from;
static aclTensor *to;

static inline int copy_again(const void *plan, void *const *address, void *scratch)
{
    return copy_run(plan, address, scratch);
}

/* Does the same, but is another operator. */
static const struct operation other_operation = {.name = "aclnnOther", .run = copy_again};

static inline void write_device(float *memory, float first)
{
    float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = first + (float)i;
    assert_int_equal(aclrtMemcpy(memory, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE), 0);
}

static inline float first_of(const float *memory)
{
    float value;
    assert_int_equal(aclrtMemcpy(&value, sizeof value, memory, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return value;
}

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
{
    (void)state;
    int status = aclrtSynchronizeStream(stream);
    (void)aclDestroyTensor(from);
    (void)aclDestroyTensor(to);
    return status | aclrtFree(from_memory) | aclrtFree(to_memory);
}

static inline aclOpExecutor *create(const struct executor_request *request)
{
    uint64_t workspace = 99;
    aclOpExecutor *executor = NULL;
    assert_int_equal(executor_create(request, &workspace, &executor), 0);
    assert_int_equal(workspace, request->workspace_bytes);
    assert_non_null(executor);
    return executor;
}

static inline aclOpExecutor *create_copy(void)
{
    struct copy_plan plan = {.count = COUNT};
    struct executor_request request = copy_request(from, to, &plan);
    return create(&request);
}

static inline aclnnStatus launch(aclOpExecutor *executor)
{
    return executor_launch(&copy_operation, NULL, 0, executor, stream);
}

/* The executor is gone: nothing runs it or destroys it again. */
static inline void assert_consumed(aclOpExecutor *executor)
{
    /* What was launched before may run late. */
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    unsigned runs = copy_runs;
    assert_failure(launch(executor), 161002, "aclnnCopy: executor was destroyed, has run");
    assert_failure(aclDestroyAclOpExecutor(executor), 561000,
                   "aclDestroyAclOpExecutor: executor was destroyed");
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, runs);
}

#endif
