/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every function refused once by torch_npu's queue, in phase 1 and in phase 2: it fails in the stream, with
 * its name, and a sum behind it is right.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "ops/function.h"

static aclrtStream stream;
static float *memory; /* two numbers and their sum */
static aclTensor *tensor[3], *outside;
static aclScalar *one;
static char fault[256];

static int add(const aclTensor *first)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    const int status = aclnnAddGetWorkspaceSize(first, tensor[1], one, tensor[2], &bytes, &executor);
    return status != 0 ? status : aclnnAdd(NULL, bytes, executor, stream);
}

/* The stream has failed with that name; and then a sum is right. */
static int see_failure_and_sum(const char *name, float number)
{
    float values[3] = {number, 2 * number, -1};
    const int status = aclrtSynchronizeStream(stream);
    const char *sentence = aclGetRecentErrMsg();
    if (status != ACL_ERROR_RT_VECTOR_CORE_EXCEPTION || sentence == NULL || strstr(sentence, name) == NULL)
        return snprintf(fault, sizeof fault, "%s: status %d, %.100s", name, status,
                        sentence != NULL ? sentence : "no sentence");
    if (aclrtMemcpy(memory, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE) != 0 ||
        add(tensor[0]) != 0 || aclrtSynchronizeStream(stream) != 0 ||
        aclrtMemcpy(values, sizeof values, memory, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST) != 0 ||
        values[2] != 3 * number)
        return snprintf(fault, sizeof fault, "%s: the sum behind it is %g", name, (double)values[2]);
    return 0;
}

static void *refuse_all(void *unused)
{
    size_t count;
    const struct function *const *all = functions(&count);
    if (pthread_setname_np(pthread_self(), "acl_thread") != 0 || aclrtSetDevice(0) != 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *name = all[i]->operation.name;
        const union argument nothing[PARAMETERS_MAX] = {{NULL}};
        uint64_t bytes = 0;
        aclOpExecutor *executor = NULL;
        const int planned = function_plan(all[i], nothing, &bytes, &executor);
        const int launched = planned == 0 ? all[i]->launch(NULL, bytes, executor, stream) : planned;
        if (launched != 0) {
            snprintf(fault, sizeof fault, "%s: phase 1 answers %d, phase 2 %d", name, planned, launched);
            return NULL;
        }
        if (see_failure_and_sum(name, (float)(i + 1)) != 0)
            return NULL;
    }
    /* An address that phase 2 refuses. */
    if (add(outside) != 0)
        snprintf(fault, sizeof fault, "phase 2 fails at the call");
    else
        see_failure_and_sum("aclnnAdd: self", 7);
    return unused;
}

static void every_function_fails_in_the_stream_and_the_sum_behind_it_is_right(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, refuse_all, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(fault, "");
}

/* What other threads are answered is no other than it was. */
static void on_other_threads_it_fails_at_the_call(void **state)
{
    (void)state;
    assert_int_equal(add(outside), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(add(NULL), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static int set_up(void **state)
{
    const int64_t shape[] = {1}, stride[] = {1};
    float alpha = 1;
    static float host;
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc((void **)&memory, 3 * sizeof *memory, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    for (int i = 0; i < 3; i++)
        tensor[i] = aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 1, memory + i);
    outside = aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 1, &host);
    one = aclCreateScalar(&alpha, ACL_FLOAT);
    return tensor[0] == NULL || outside == NULL || one == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        aclDestroyTensor(tensor[i]);
    aclDestroyTensor(outside);
    aclDestroyScalar(one);
    return aclrtFree(memory) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_fails_in_the_stream_and_the_sum_behind_it_is_right),
        cmocka_unit_test(on_other_threads_it_fails_at_the_call),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
