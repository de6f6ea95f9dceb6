/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the environment and a fork do to the functions of libnnopbase. Every test is a process of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "aclnn/aclnn_base.h"
#include "support/child.h"
#include "support/copy_operation.h"

/* All creators answer NULL, all others 361001, before they look at their arguments. */
static int nothing_works(void)
{
    int64_t number = 1;
    float real = 1;
    bool truth = true;
    uint64_t workspace = 77;
    void *address;
    aclOpExecutor *executor = (aclOpExecutor *)(void *)&number;
    const aclTensor *tensor = (const aclTensor *)(const void *)&number;
    const aclScalar *scalar = (const aclScalar *)(const void *)&number;
    struct executor_request request = {.operation = &copy_operation};
    CHILD_CHECK(aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL) == NULL);
    CHILD_CHECK(aclGetRecentErrMsg() != NULL);
    CHILD_CHECK(aclCreateScalar(&real, ACL_FLOAT) == NULL);
    CHILD_CHECK(aclCreateIntArray(&number, 1) == NULL);
    CHILD_CHECK(aclCreateFloatArray(&real, 1) == NULL);
    CHILD_CHECK(aclCreateBoolArray(&truth, 1) == NULL);
    CHILD_CHECK(aclCreateTensorList(&tensor, 1) == NULL);
    CHILD_CHECK(aclCreateScalarList(&scalar, 1) == NULL);
    CHILD_CHECK(aclnnInit(NULL) == 361001);
    CHILD_CHECK(aclnnFinalize() == 361001);
    CHILD_CHECK(aclDestroyTensor(tensor) == 361001);
    CHILD_CHECK(aclDestroyScalar(scalar) == 361001);
    CHILD_CHECK(aclGetRawTensorAddr(tensor, &address) == 361001);
    CHILD_CHECK(aclDestroyTensor(NULL) == 0);
    CHILD_CHECK(executor_create(&request, &workspace, &executor) == 361001);
    CHILD_CHECK(workspace == 77 && executor == (aclOpExecutor *)(void *)&number);
    CHILD_CHECK(executor_launch(&copy_operation, NULL, 0, executor, NULL) == 361001);
    CHILD_CHECK(executor_launch(&copy_operation, NULL, 0, NULL, NULL) == 361001);
    CHILD_CHECK(aclDestroyAclOpExecutor(executor) == 361001);
    CHILD_CHECK(aclSetAclOpExecutorRepeatable(executor) == 361001);
    CHILD_CHECK(aclSetTensorAddr(executor, 0, NULL, NULL) == 361001);
    return 0;
}

static void an_environment_that_is_not_understood_stops_every_function(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_THREADS", "many", nothing_works), 0);
}

static int use_and_fork(void)
{
    CHILD_CHECK(aclnnInit(NULL) == 0);
    CHILD_CHECK(create_floats(1, NULL) != NULL);
    return run_in_child(NULL, NULL, nothing_works);
}

static void nothing_works_in_a_child_of_a_process_that_has_used_the_library(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, use_and_fork), 0);
}

static aclOpExecutor *create(const aclTensor *from, const aclTensor *to, uint64_t *workspace, uint64_t need)
{
    struct copy_plan plan = {.count = 4};
    struct executor_request request = copy_request(from, to, &plan);
    aclOpExecutor *executor = NULL;
    request.workspace_bytes = need;
    return executor_create(&request, workspace, &executor) == 0 ? executor : NULL;
}

static int workspace_is_raised(void)
{
    float *memory;
    void *workspace;
    uint64_t bytes;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtMalloc((void **)&memory, 32, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHILD_CHECK(aclrtMalloc(&workspace, 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    aclTensor *from = create_floats(4, memory);
    aclTensor *to = create_floats(4, memory + 4);
    aclOpExecutor *executor = create(from, to, &bytes, 100);
    CHILD_CHECK(bytes == 4096);
    CHILD_CHECK(executor_launch(&copy_operation, workspace, 4095, executor, NULL) == 161002);
    executor = create(from, to, &bytes, 100);
    CHILD_CHECK(executor_launch(&copy_operation, workspace, 4096, executor, NULL) == 0);
    CHILD_CHECK(create(from, to, &bytes, 5000) != NULL && bytes == 5000);
    CHILD_CHECK(aclrtSynchronizeStream(NULL) == 0);
    return 0;
}

static void a_workspace_can_be_demanded(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_WORKSPACE", "4096", workspace_is_raised), 0);
}

static int host_memory_works(void)
{
    static float memory[8] = {1, 2, 3, 4};
    static char workspace[256];
    uint64_t bytes;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    aclTensor *from = create_floats(4, memory);
    aclTensor *to = create_floats(4, memory + 4);
    CHILD_CHECK(executor_launch(&copy_operation, workspace, 256, create(from, to, &bytes, 256), NULL) == 0);
    CHILD_CHECK(aclrtSynchronizeStream(NULL) == 0);
    CHILD_CHECK(memory[7] == 4);
    /* The rules that need no registry stay. */
    CHILD_CHECK(executor_launch(&copy_operation, memory, 32, create(from, to, &bytes, 0), NULL) == 161002);
    CHILD_CHECK(executor_launch(&copy_operation, workspace, UINT64_MAX, create(from, to, &bytes, 0), NULL) ==
                161002);
    CHILD_CHECK(aclSetRawTensorAddr(from, (char *)memory + 1) == 0);
    CHILD_CHECK(executor_launch(&copy_operation, NULL, 0, create(from, to, &bytes, 0), NULL) == 161002);
    CHILD_CHECK(aclSetRawTensorAddr(from, (void *)(UINTPTR_MAX - 7)) == 0);
    CHILD_CHECK(executor_launch(&copy_operation, NULL, 0, create(from, to, &bytes, 0), NULL) == 161002);
    /* And memory that is known is held against its bounds. */
    float *block;
    CHILD_CHECK(aclrtMalloc((void **)&block, 12, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHILD_CHECK(aclSetRawTensorAddr(from, block) == 0);
    CHILD_CHECK(executor_launch(&copy_operation, NULL, 0, create(from, to, &bytes, 0), NULL) == 161002);
    return 0;
}

static void host_memory_is_accepted_when_the_environment_says_so(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_HOST_POINTERS", "allow", host_memory_works), 0);
}

static int memory_of_another_device_is_refused(void)
{
    float *memory[2];
    void *workspace;
    uint64_t bytes;
    for (int i = 0; i < 2; i++) {
        CHILD_CHECK(aclrtSetDevice(i) == 0);
        CHILD_CHECK(aclrtMalloc((void **)&memory[i], 32, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
        CHILD_CHECK(aclrtMalloc(&workspace, 32, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    }
    aclTensor *from = create_floats(4, memory[0]);
    aclTensor *to = create_floats(4, memory[0] + 4);
    CHILD_CHECK(executor_launch(&copy_operation, NULL, 0, create(from, to, &bytes, 0), NULL) == 161002);
    CHILD_CHECK(strstr(aclGetRecentErrMsg(), "is memory of device 0") != NULL);
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(executor_launch(&copy_operation, NULL, 0, create(from, to, &bytes, 0), NULL) == 0);
    CHILD_CHECK(executor_launch(&copy_operation, workspace, 32, create(from, to, &bytes, 0), NULL) == 161002);
    CHILD_CHECK(strstr(aclGetRecentErrMsg(),
                       "is memory of device 1; memory of the stream's device 0 is expected") != NULL);
    return 0;
}

static void every_device_works_on_its_own_memory(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_DEVICES", "2", memory_of_another_device_is_refused), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_environment_that_is_not_understood_stops_every_function),
        cmocka_unit_test(nothing_works_in_a_child_of_a_process_that_has_used_the_library),
        cmocka_unit_test(a_workspace_can_be_demanded),
        cmocka_unit_test(host_memory_is_accepted_when_the_environment_says_so),
        cmocka_unit_test(every_device_works_on_its_own_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
