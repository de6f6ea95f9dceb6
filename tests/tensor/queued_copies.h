/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies that wait in a stream, of floats of known values in places of device memory. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_TENSOR_QUEUED_COPIES_H
#define BELAY_TESTS_TENSOR_QUEUED_COPIES_H

#include "acl/acl_rt.h"
#include "support/copy_operation.h"

enum { COUNT = 4 };

static aclrtStream stream;
static float *memory; /* four places of COUNT floats */

static inline float *place(int index)
{
    return memory + COUNT * index;
}

static inline int set_up(void **state)
{
    (void)state;
    float values[4 * COUNT];
    for (int i = 0; i < 4 * COUNT; i++)
        values[i] = (float)i;
    atomic_store(&copy_runs, 0);
    return aclrtSetDevice(0) | aclrtCreateStream(&stream) |
           aclrtMalloc((void **)&memory, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST) |
           aclrtMemcpy(memory, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
}

static inline int tear_down(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) | aclrtFree(memory) | aclrtResetDevice(0);
}

static inline aclOpExecutor *create(const aclTensor *from, const aclTensor *to, size_t scratch_bytes)
{
    struct copy_plan plan = {.count = COUNT, .scratch_bytes = scratch_bytes};
    struct executor_request request = copy_request(from, to, &plan);
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    return executor;
}

static inline void launch(aclOpExecutor *executor)
{
    assert_int_equal(executor_launch(&copy_operation, NULL, 0, executor, stream), 0);
}

#endif
