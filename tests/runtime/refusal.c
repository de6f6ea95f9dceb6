/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What torch_npu's queue calls and is refused fails in the stream, with its sentence, and leaves what is
 * behind it right; the same calls of other threads fail at the call.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

enum { BYTES = 64 };

static aclrtStream stream;
static unsigned char *memory, *freed;
static aclrtEvent destroyed;

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 || aclrtCreateEvent(&destroyed) != 0 ||
           aclrtDestroyEvent(destroyed) != 0 ||
           aclrtMalloc((void **)&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
           aclrtMalloc((void **)&freed, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0 || aclrtFree(freed) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFree(memory) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

static int copy(void)
{
    return aclrtMemcpyAsync(memory, BYTES, freed, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static int copy_with_condition(void)
{
    return aclrtMemcpyAsyncWithCondition(memory, BYTES, freed, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static int copy_too_much(void)
{
    return aclrtMemcpyAsync(memory, 1, memory, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static int set(void)
{
    return aclrtMemsetAsync(freed, BYTES, 1, BYTES, stream);
}

static int record(void)
{
    return aclrtRecordEvent(destroyed, stream);
}

static int reset(void)
{
    return aclrtResetEvent(destroyed, stream);
}

static int wait_for(void)
{
    return aclrtStreamWaitEvent(stream, destroyed);
}

static int wait_for_a_time(void)
{
    return aclrtStreamWaitEventWithTimeout(stream, destroyed, 5);
}

static const struct {
    int (*call)(void);
    const char *sentence;
} refused[] = {
    {copy, "aclrtMemcpyAsync: src"},
    {copy_with_condition, "aclrtMemcpyAsyncWithCondition: src"},
    {copy_too_much, "aclrtMemcpyAsync: count is 64"},
    {set, "aclrtMemsetAsync: devPtr"},
    {record, "aclrtRecordEvent: argument event"},
    {reset, "aclrtResetEvent: argument event"},
    {wait_for, "aclrtStreamWaitEvent: argument event"},
    {wait_for_a_time, "aclrtStreamWaitEventWithTimeout: argument event"},
};
enum { REFUSED = sizeof refused / sizeof refused[0] };

/* On a thread of the name that torch_npu gives its queue: what each call answers. */
static void *call_all(void *answers)
{
    if (pthread_setname_np(pthread_self(), "acl_thread") != 0 || aclrtSetDevice(0) != 0)
        return NULL;
    int *answer = answers;
    unsigned char host[BYTES];
    for (int i = 0; i < REFUSED; i++) {
        answer[i] = refused[i].call();
        /* What is behind it. */
        if (aclrtMemsetAsync(memory, BYTES, i + 1, BYTES, stream) != 0)
            answer[i] = -1;
        aclrtSynchronizeStream(stream);
        const char *sentence = aclGetRecentErrMsg();
        if (sentence == NULL || strstr(sentence, refused[i].sentence) == NULL)
            answer[i] = -2;
        if (aclrtMemcpy(host, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST) != 0 || host[0] != i + 1 ||
            host[BYTES - 1] != i + 1)
            answer[i] = -3;
    }
    return answers;
}

static void on_the_queue_of_torch_npu_calls_fail_in_the_stream(void **state)
{
    (void)state;
    int answers[REFUSED];
    pthread_t thread;
    void *ended;
    memset(answers, 0x7F, sizeof answers);
    assert_int_equal(pthread_create(&thread, NULL, call_all, answers), 0);
    assert_int_equal(pthread_join(thread, &ended), 0);
    assert_ptr_equal(ended, answers);
    for (int i = 0; i < REFUSED; i++)
        assert_int_equal(answers[i], 0);
}

static void on_other_threads_they_fail_at_the_call(void **state)
{
    (void)state;
    for (int i = 0; i < REFUSED; i++) {
        assert_int_not_equal(refused[i].call(), 0);
        assert_sentence(refused[i].sentence);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_queue_of_torch_npu_calls_fail_in_the_stream),
        cmocka_unit_test(on_other_threads_they_fail_at_the_call),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
