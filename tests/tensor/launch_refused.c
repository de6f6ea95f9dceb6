/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A stream that takes no work although it was fine a moment before: nothing of the launch may be left behind.
 * The program's own stream_launch stands before the library's.
 */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "runtime/streams/stream.h"
#include "support/copy_operation.h"
#include "support/failure.h"

static int answer;
static struct task kept; /* what was queued last, where answer is 0 */

int stream_launch(const char *api, const struct stream_target *target, struct task *task)
{
    (void)target;
    if (answer == 0)
        kept = *task;
    return answer != 0 ? (fail)(answer, "%s: the reason is %d", api, answer) : 0;
}

static aclOpExecutor *create(bool is_repeatable)
{
    static float *memory;
    if (memory == NULL)
        assert_int_equal(aclrtMalloc((void **)&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    aclTensor *from = create_floats(4, memory);
    aclTensor *to = create_floats(4, memory + 4);
    struct copy_plan plan = {.count = 4, .scratch_bytes = 1000};
    struct executor_request request = copy_request(from, to, &plan);
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    if (is_repeatable)
        assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
    return executor;
}

static aclnnStatus launch(aclOpExecutor *executor)
{
    return executor_launch(&copy_operation, NULL, 0, executor, NULL);
}

static void every_refusal_is_361001_with_its_reason(void **state)
{
    (void)state;
    answer = ACL_ERROR_RT_INVALID_HANDLE;
    assert_failure(launch(create(false)), 361001, "aclnnCopy: stream is not a live stream");
    answer = ACL_ERROR_RT_CONTEXT_NULL;
    assert_failure(launch(create(false)), 361001, "aclnnCopy: this thread has no current context");
    static const int others[] = {ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, ACL_ERROR_RT_STREAM_TASK_FULL};
    for (int i = 0; i < 2; i++) {
        char reason[64];
        answer = others[i];
        snprintf(reason, sizeof reason, "aclnnCopy: the reason is %d", answer);
        assert_int_equal(launch(create(false)), 361001);
        const char *sentence = aclGetRecentErrMsg();
        assert_non_null(sentence);
        sentence = strstr(sentence, "aclnnCopy");
        assert_non_null(sentence);
        assert_memory_equal(sentence, reason, strlen(reason));
        assert_null(strstr(sentence + 1, "aclnnCopy")); /* nothing was put before it or behind it */
    }
}

static void a_refused_single_use_executor_is_gone(void **state)
{
    (void)state;
    answer = ACL_ERROR_BAD_ALLOC;
    for (int i = 0; i < 1000; i++) {
        aclOpExecutor *executor = create(false);
        assert_true(((uintptr_t)executor & 0xffffff) < 64);
        assert_int_equal(launch(executor), 361001);
        assert_int_equal(aclDestroyAclOpExecutor(executor), 561000);
    }
}

static void a_refused_repeatable_executor_lives_on(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        aclOpExecutor *executor = create(true);
        assert_true(((uintptr_t)executor & 0xffffff) < 64);
        answer = ACL_ERROR_BAD_ALLOC;
        assert_int_equal(launch(executor), 361001);
        answer = 0;
        assert_int_equal(launch(executor), 0);
        assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
        unsigned runs = copy_runs;
        assert_int_equal(kept.run(&kept), 0);
        kept.release(&kept);
        assert_int_equal(copy_runs, runs + 1);
    }
}

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_is_361001_with_its_reason),
        cmocka_unit_test(a_refused_single_use_executor_is_gone),
        cmocka_unit_test(a_refused_repeatable_executor_lives_on),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
