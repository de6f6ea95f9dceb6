/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * mspti: what is handed over of operators that ran, the numbers that threads push, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_abs.h"
#include "mspti/mspti.h"
#include "support/failure.h"

enum { KERNELS_MOST = 64 };

static msptiActivityKernel kernel[KERNELS_MOST];
static msptiActivityExternalCorrelation correlation[KERNELS_MOST];
static size_t kernel_count, correlation_count, buffer_count, buffer_bytes = 4096, records_most;
static _Alignas(8) uint8_t buffer[4096];

static void request(uint8_t **given, size_t *size, size_t *most)
{
    *given = buffer_bytes > 0 ? buffer : NULL;
    *size = buffer_bytes;
    *most = records_most;
}

static void complete(uint8_t *given, size_t size, size_t valid)
{
    msptiActivity *record = NULL;
    assert_ptr_equal(given, buffer);
    assert_true(size == buffer_bytes && valid <= size);
    buffer_count++;
    while (msptiActivityGetNextRecord(given, valid, &record) == MSPTI_SUCCESS) {
        if (record->kind == MSPTI_ACTIVITY_KIND_KERNEL)
            memcpy(&kernel[kernel_count++], record, sizeof kernel[0]);
        else
            memcpy(&correlation[correlation_count++], record, sizeof correlation[0]);
    }
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int set_device(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static int reset_device(void **state)
{
    (void)state;
    return aclrtResetDevice(0);
}

/* An operator, on the default stream. */
static void run(void *memory)
{
    const int64_t shape[] = {4}, stride[] = {1};
    aclTensor *self = aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 1, memory);
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_int_equal(aclnnAbsGetWorkspaceSize(self, self, &bytes, &executor), 0);
    assert_int_equal(aclnnAbs(NULL, 0, executor, NULL), 0);
    aclDestroyTensor(self);
}

static void operators_are_handed_over(void **state)
{
    (void)state;
    void *memory;
    uint64_t id = 0;
    assert_int_equal(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemset(memory, 16, 0, 16), 0);
    run(memory); /* before anybody looks */
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(msptiActivityRegisterCallbacks(request, complete), MSPTI_SUCCESS);
    assert_int_equal(msptiActivityEnable(MSPTI_ACTIVITY_KIND_KERNEL), MSPTI_SUCCESS);
    assert_int_equal(msptiActivityEnable(MSPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION), MSPTI_SUCCESS);
    assert_int_equal(msptiActivityPushExternalCorrelationId(2, 7), MSPTI_SUCCESS);
    uint64_t begin = now();
    run(memory);
    assert_int_equal(msptiActivityPopExternalCorrelationId(2, &id), MSPTI_SUCCESS);
    assert_int_equal(id, 7);
    for (int i = 0; i < 3; i++)
        run(memory);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    uint64_t end = now();
    records_most = 2; /* several buffers */
    assert_int_equal(msptiActivityFlushAll(1), MSPTI_SUCCESS);
    assert_int_equal(buffer_count, 3);
    assert_int_equal(kernel_count, 4);
    assert_int_equal(correlation_count, 1);
    for (size_t i = 0; i < kernel_count; i++) {
        assert_string_equal(kernel[i].name, "aclnnAbs");
        assert_string_equal(kernel[i].type, "AI_CORE");
        assert_int_equal(kernel[i].ds.deviceId, 0);
        assert_int_not_equal(kernel[i].correlationId, 0);
        assert_true(kernel[i].start <= kernel[i].end && kernel[i].start + 1000000 >= begin &&
                    kernel[i].end <= end + 1000000);
    }
    assert_int_equal(correlation[0].externalId, 7);
    assert_int_equal(correlation[0].externalKind, 2);
    assert_true(correlation[0].correlationId == kernel[0].correlationId);
    assert_int_equal(msptiActivityFlushAll(1), MSPTI_SUCCESS); /* nothing is left */
    assert_int_equal(kernel_count, 4);
    run(memory); /* what finds no buffer is told as lost */
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    buffer_bytes = 0;
    assert_failure((int)msptiActivityFlushAll(1), MSPTI_ERROR_INNER,
                   "msptiActivityFlushAll: records have been lost");
    buffer_bytes = sizeof buffer;
    assert_int_equal(msptiActivityDisable(MSPTI_ACTIVITY_KIND_KERNEL), MSPTI_SUCCESS);
    assert_int_equal(msptiActivityDisable(MSPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION), MSPTI_SUCCESS);
    run(memory);
    assert_int_equal(msptiActivityFlushAll(1), MSPTI_SUCCESS);
    assert_int_equal(kernel_count, 4);
    assert_int_equal(aclrtFree(memory), 0);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    msptiSubscriberHandle subscriber = NULL, second = NULL;
    uint64_t id;
    msptiActivity *record = NULL;
    assert_failure((int)msptiSubscribe(NULL, NULL, NULL), 1, "msptiSubscribe: subscriber is NULL");
    assert_int_equal(msptiSubscribe(&subscriber, NULL, NULL), 0);
    assert_failure((int)msptiSubscribe(&second, NULL, NULL), 2, "msptiSubscribe: there is a subscriber");
    assert_failure((int)msptiUnsubscribe(second), 1, "msptiUnsubscribe: subscriber is not the one");
    assert_int_equal(msptiUnsubscribe(subscriber), 0);
    assert_failure((int)msptiUnsubscribe(subscriber), 1, "msptiUnsubscribe");
    assert_failure((int)msptiActivityRegisterCallbacks(NULL, complete), 1, "request is NULL");
    assert_failure((int)msptiActivityRegisterCallbacks(request, NULL), 1, "complete is NULL");
    assert_failure((int)msptiActivityEnable((msptiActivityKind)0), 1, "msptiActivityEnable: kind is 0");
    assert_failure((int)msptiActivityDisable((msptiActivityKind)13), 1, "msptiActivityDisable: kind is 13");
    assert_int_equal(msptiActivityIsEnabled(MSPTI_ACTIVITY_KIND_MEMCPY), 0);
    assert_int_equal(msptiActivityEnable(MSPTI_ACTIVITY_KIND_MEMCPY), 0);
    assert_int_equal(msptiActivityIsEnabled(MSPTI_ACTIVITY_KIND_MEMCPY), 1);
    assert_int_equal(msptiActivityIsEnabled((msptiActivityKind)-1), 0);
    assert_int_equal(msptiActivityIsEnabled((msptiActivityKind)13), 0);
    assert_int_equal(msptiActivityDisable(MSPTI_ACTIVITY_KIND_MEMCPY), 0);
    assert_failure((int)msptiActivityGetNextRecord(NULL, 0, &record), 1, "buffer is NULL");
    assert_failure((int)msptiActivityGetNextRecord(buffer, 0, NULL), 1, "record is NULL");
    assert_int_equal(msptiActivityGetNextRecord(buffer, 0, &record), 3);
    assert_failure((int)msptiActivityPopExternalCorrelationId(2, NULL), 1, "lastId is NULL");
    assert_failure((int)msptiActivityPopExternalCorrelationId(2, &id), 5, "has pushed no number of kind 2");
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(msptiActivityPushExternalCorrelationId((int)(i % 2), i), 0);
    assert_failure((int)msptiActivityPushExternalCorrelationId(0, 64), 3, "at most 64 are expected");
    for (uint64_t i = 32; i-- > 0;) { /* each kind is a stack of its own */
        assert_int_equal(msptiActivityPopExternalCorrelationId(0, &id), 0);
        assert_int_equal(id, 2 * i);
    }
    for (uint64_t i = 32; i-- > 0;) {
        assert_int_equal(msptiActivityPopExternalCorrelationId(1, &id), 0);
        assert_int_equal(id, 2 * i + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_handed_over),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, set_device, reset_device);
}
