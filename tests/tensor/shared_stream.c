/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams on which two threads run short work: each piece of it runs alone, and whoever waits for it finds it
 * done. Each round takes a new stream, which the second thread meets in use. Meant to run under
 * ThreadSanitizer too.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "support/copy_operation.h"
#include "support/failure.h"
#include "support/open_device.h"

enum { ROUNDS = 400, CALLS = 200 };

static float *memory;
static aclrtStream _Atomic shared;
static _Atomic unsigned met; /* rounds in which the other thread has come */
static _Atomic bool is_over;
static _Atomic unsigned launched; /* of the round, by either thread, when phase 2 has returned */
static unsigned long ran;         /* plain: the stream orders its writers, and who waits for them */

static int count_run(const void *plan, void *const *address, void *scratch)
{
    (void)plan;
    (void)address;
    (void)scratch;
    volatile unsigned long *place = &ran;
    unsigned long value = *place;
    for (volatile int i = 0; i < 20; i++) /* long enough to be met */
        ;
    *place = value + 1;
    return 0;
}

static const struct operation count_operation = {.name = "aclnnCount", .run = count_run};

static int launch(const aclTensor *tensor, aclrtStream stream)
{
    struct executor_request request = {.operation = &count_operation,
                                       .operand_count = 1,
                                       .operand = {copy_operand(tensor, "out", true)},
                                       .cost_ns = 1};
    uint64_t workspace;
    aclOpExecutor *executor;
    int status = executor_create(&request, &workspace, &executor);
    if (status == 0)
        status = executor_launch(&count_operation, NULL, 0, executor, stream);
    if (status == 0)
        atomic_fetch_add(&launched, 1);
    return status;
}

enum way { SYNCHRONIZES, LAUNCHES, ASKS, WAITS_FOR_DEVICE, WAYS };
static _Atomic unsigned mistakes;

static int meet(enum way way, const aclTensor *tensor, aclrtStream stream)
{
    aclrtStreamStatus state;
    return way == SYNCHRONIZES ? aclrtSynchronizeStream(stream)
           : way == LAUNCHES   ? launch(tensor, stream)
           : way == ASKS       ? aclrtStreamQuery(stream, &state)
                               : aclrtSynchronizeDevice();
}

static void *come(void *argument)
{
    (void)argument;
    aclTensor *tensor = create_floats(1, memory);
    if (aclrtSetDevice(0) != 0)
        atomic_fetch_add(&mistakes, 1);
    for (unsigned round = 0; !is_over;) {
        aclrtStream stream = shared;
        if (stream == NULL) {
            sched_yield();
            continue;
        }
        for (volatile unsigned i = 0; i < round * 37 % 1000; i++)
            ;
        for (int k = 0; k < 3; k++)
            if (meet((enum way)(round % WAYS), tensor, stream) != 0)
                atomic_fetch_add(&mistakes, 1);
        shared = NULL;
        atomic_store(&met, ++round);
    }
    if (aclDestroyTensor(tensor) != 0 || aclrtResetDevice(0) != 0)
        atomic_fetch_add(&mistakes, 1);
    return NULL;
}

static void work_of_two_threads_runs_one_by_one(void **state)
{
    (void)state;
    static aclrtStream streams[ROUNDS];
    pthread_t other;
    assert_int_equal(aclrtMalloc((void **)&memory, sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    aclTensor *tensor = create_floats(1, memory);
    assert_int_equal(pthread_create(&other, NULL, come, NULL), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        assert_int_equal(aclrtCreateStream(&streams[round]), 0);
        launched = 0;
        ran = 0;
        shared = streams[round];
        for (int i = 0; i < CALLS || met == round; i++)
            assert_int_equal(launch(tensor, streams[round]), 0);
        assert_int_equal(aclrtSynchronizeStream(streams[round]), 0);
        assert_int_equal(ran, launched);
    }
    is_over = true;
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(mistakes, 0);
    for (unsigned round = 0; round < ROUNDS; round++)
        assert_int_equal(aclrtDestroyStream(streams[round]), 0);
    assert_int_equal(aclDestroyTensor(tensor), 0);
    assert_int_equal(aclrtFree(memory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_two_threads_runs_one_by_one),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
