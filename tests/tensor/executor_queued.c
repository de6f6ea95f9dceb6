/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a program may do while the work is still queued. Runs under BELAY_SCHEDULE=lazy: nothing runs before a
 * synchronise, so that the order is certain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/failure.h"
#include "tensor/executor_claim.h"
#include "tensor/queued_copies.h"

static void assert_place(int index, float first)
{
    float values[COUNT];
    assert_int_equal(
        aclrtMemcpy(values, sizeof values, place(index), sizeof values, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (int i = 0; i < COUNT; i++)
        assert_true(values[i] == first + (float)i);
}

static void descriptors_may_be_destroyed_and_their_slots_used_again(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0));
    aclTensor *to = create_floats(COUNT, place(1));
    launch(create(from, to, 300));
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
    /* These take the slots of what was just destroyed, and the executor's if it were free. */
    aclTensor *others[8];
    aclOpExecutor *executors[8];
    for (int i = 0; i < 8; i++)
        others[i] = create_floats(1, place(3));
    for (int i = 0; i < 8; i++)
        executors[i] = create(others[i], others[7 - i], 0);
    assert_int_equal(copy_runs, 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, 1);
    assert_place(1, 0);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(aclDestroyTensor(others[i]), 0);
        assert_int_equal(aclDestroyAclOpExecutor(executors[i]), 0);
    }
}

static void a_repeatable_executor_may_be_destroyed(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0));
    aclTensor *to = create_floats(COUNT, place(1));
    aclOpExecutor *executor = create(from, to, 0);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    launch(executor);
    launch(executor);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    aclOpExecutor *next = create(to, from, 0);
    assert_int_not_equal((uintptr_t)next & 0xffffff, (uintptr_t)executor & 0xffffff);
    assert_int_equal(aclDestroyAclOpExecutor(next), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, 2);
    assert_place(1, 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

static void every_run_keeps_the_addresses_it_was_launched_with(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0));
    aclTensor *to = create_floats(COUNT, place(1));
    aclOpExecutor *executor = create(from, to, 64);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    launch(executor);
    assert_int_equal(aclSetOutputTensorAddr(executor, 0, to, place(2)), 0);
    launch(executor);
    assert_int_equal(AclSetInputTensorAddr(executor, 0, from, place(2)), 0);
    assert_int_equal(aclSetRawTensorAddr(to, place(3)), 0);
    launch(executor);
    assert_int_equal(aclSetRawTensorAddr(to, &executor), 0);
    assert_int_equal(copy_runs, 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(copy_runs, 3);
    assert_place(1, 0);
    assert_place(2, 0);
    assert_place(3, 0);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

static uint32_t index_of(const aclOpExecutor *executor)
{
    return (uint32_t)(uintptr_t)executor & 0xffffff;
}

static void work_that_is_dropped_with_its_stream_gives_everything_back(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0));
    aclTensor *to = create_floats(COUNT, place(1));
    uint32_t slots = 64; /* that exist: tables grow by 64, 128, 256, ... */
    for (int round = 0; round < 50; round++) {
        aclrtStream doomed;
        assert_int_equal(aclrtCreateStream(&doomed), 0);
        for (int i = 0; i < 10; i++) {
            aclOpExecutor *executor = create(from, to, 128);
            while (index_of(executor) >= slots)
                slots = 2 * slots + 64;
            assert_int_equal(executor_launch(&copy_operation, NULL, 0, executor, doomed), 0);
        }
        assert_int_equal(aclrtDestroyStreamForce(doomed), 0);
    }
    /* The last reset of the device waits for all of them. */
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
    /* Each worker may keep a few slots for itself. */
    enum { KEPT = 8 * EXECUTORS_KEPT };
    aclOpExecutor *executors[64 * 15];
    assert_in_range(slots, 64, 64 * 15);
    for (uint32_t i = 0; i < slots - KEPT; i++) {
        executors[i] = create(from, to, 0);
        assert_true(index_of(executors[i]) < slots); /* else one of them is still taken */
    }
    for (uint32_t i = 0; i < slots - KEPT; i++)
        assert_int_equal(aclDestroyAclOpExecutor(executors[i]), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
    assert_int_equal(set_up(NULL), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(descriptors_may_be_destroyed_and_their_slots_used_again),
        TEST(a_repeatable_executor_may_be_destroyed),
        TEST(every_run_keeps_the_addresses_it_was_launched_with),
        TEST(work_that_is_dropped_with_its_stream_gives_everything_back),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
