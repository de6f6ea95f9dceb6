/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSleep, which no header declares: a stream is kept busy, alone or in a graph, and others are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "support/failure.h"

aclnnStatus aclnnSleepGetWorkspaceSize(const aclIntArray *cycles, uint64_t *workspaceSize,
                                       aclOpExecutor **executor);
aclnnStatus aclnnSleep(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

static const int64_t CYCLES_PER_MS = 1650000;
static aclrtStream stream, other;

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void sleep_on(aclrtStream where, int64_t cycles)
{
    uint64_t bytes = 1;
    aclOpExecutor *executor = NULL;
    aclIntArray *array = aclCreateIntArray(&cycles, 1);
    assert_int_equal(aclnnSleepGetWorkspaceSize(array, &bytes, &executor), 0);
    assert_int_equal(aclDestroyIntArray(array), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(aclnnSleep(NULL, 0, executor, where), 0);
}

static void the_stream_sleeps_and_others_do_not(void **state)
{
    (void)state;
    double begin = now_ms();
    for (int i = 0; i < 3; i++) /* more streams than there are threads */
        sleep_on(i == 2 ? NULL : stream, 20 * CYCLES_PER_MS);
    aclrtStreamStatus status;
    assert_int_equal(aclrtStreamQuery(stream, &status), 0);
    if (now_ms() - begin < 40) /* else it may be done */
        assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    sleep_on(other, 1);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(now_ms() - begin >= 40);
    assert_int_equal(aclrtSynchronizeDevice(), 0);
}

static void a_graph_sleeps_at_each_run(void **state)
{
    (void)state;
    aclmdlRI graph;
    assert_int_equal(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    sleep_on(stream, 10 * CYCLES_PER_MS + 7);
    assert_int_equal(aclmdlRICaptureEnd(stream, &graph), 0);
    for (int i = 0; i < 2; i++) {
        double begin = now_ms();
        assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_true(now_ms() - begin >= 10);
    }
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void what_is_no_time_is_refused(void **state)
{
    (void)state;
    uint64_t bytes = 5;
    aclOpExecutor *executor = NULL;
    const int64_t values[] = {0, -3, INT64_MAX};
    aclIntArray *zero = aclCreateIntArray(values, 1), *less = aclCreateIntArray(values + 1, 1),
                *two = aclCreateIntArray(values + 1, 2), *none = aclCreateIntArray(NULL, 0),
                *most = aclCreateIntArray(values + 2, 1);
    assert_failure(aclnnSleepGetWorkspaceSize(zero, &bytes, &executor), 161002, "first is 0");
    assert_failure(aclnnSleepGetWorkspaceSize(less, &bytes, &executor), 161002, "first is -3");
    assert_failure(aclnnSleepGetWorkspaceSize(two, &bytes, &executor), 161002, "2 elements");
    assert_failure(aclnnSleepGetWorkspaceSize(none, &bytes, &executor), 161002, "0 elements");
    assert_int_equal(aclDestroyIntArray(none), 0);
    assert_failure(aclnnSleepGetWorkspaceSize(none, &bytes, &executor), 161002, "was destroyed");
    assert_failure(aclnnSleepGetWorkspaceSize((aclIntArray *)&bytes, &bytes, &executor), 161002,
                   "is not a handle");
    assert_failure(aclnnSleepGetWorkspaceSize(NULL, &bytes, &executor), 161001, "cycles is NULL");
    assert_failure(aclnnSleepGetWorkspaceSize(most, NULL, &executor), 161001, "workspaceSize is NULL");
    assert_failure(aclnnSleepGetWorkspaceSize(most, &bytes, NULL), 161001, "executor is NULL");
    assert_int_equal(bytes, 5);
    assert_failure(aclnnSleep(NULL, 0, NULL, stream), 161001, "executor");
    assert_int_equal(aclnnSleepGetWorkspaceSize(most, &bytes, &executor), 0);
    assert_failure(aclnnSleep(NULL, 0, executor, (aclrtStream)&bytes), 361001, "stream");
    assert_failure(aclnnSleep(NULL, 0, executor, stream), 161002, "executor");
    assert_int_equal(aclDestroyIntArray(zero), 0);
    assert_int_equal(aclDestroyIntArray(less), 0);
    assert_int_equal(aclDestroyIntArray(two), 0);
    assert_int_equal(aclDestroyIntArray(most), 0);
}

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 || aclrtCreateStream(&other) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) != 0 || aclrtDestroyStream(other) != 0 || aclrtResetDevice(0) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_sleeps_and_others_do_not),
        cmocka_unit_test(a_graph_sleeps_at_each_run),
        cmocka_unit_test(what_is_no_time_is_refused),
    };
    setenv("BELAY_THREADS", "2", 1);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
