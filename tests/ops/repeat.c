/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls that repeat the one before: phase 1 takes a short way then, which must lead to the same end, and must
 * not be taken when anything about the call has changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "ops/host_side.h"
#include "support/failure.h"

enum { COUNT = 5 };

static aclrtStream stream;
static float *memory[4];
static aclTensor *gradient, *self, *out;
static aclScalar *half, *minus;

/* What is in memory k. */
static float *at(int k)
{
    return (float *)memory_reach(memory[k]);
}

/* The check of memory gives no address out again so soon. */
static void need_the_same_address(void)
{
    if (getenv("BELAY_CHECK") != NULL)
        skip();
}

static aclTensor *create_floats(int64_t count, void *data)
{
    return aclCreateTensor(&count, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &count, 1, data);
}

static int set_up(void **state)
{
    (void)state;
    float halved = 0.5f, negative = -1;
    half = aclCreateScalar(&halved, ACL_FLOAT);
    minus = aclCreateScalar(&negative, ACL_FLOAT);
    gradient = create_floats(COUNT, memory[0]);
    self = create_floats(COUNT, memory[1]);
    out = create_floats(COUNT, memory[2]);
    for (int i = 0; i < COUNT; i++) {
        at(0)[i] = (float)(i + 1);
        at(1)[i] = i % 2 == 0 ? -1 : 1;
        at(2)[i] = at(3)[i] = 77;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    aclDestroyTensor(gradient);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    return aclDestroyScalar(half) | aclDestroyScalar(minus);
}

static aclnnStatus plan_with(const aclScalar *slope, bool self_is_result, aclOpExecutor **executor)
{
    uint64_t workspace = 77;
    aclnnStatus status = aclnnLeakyReluBackwardGetWorkspaceSize(gradient, self, slope, self_is_result, out,
                                                                &workspace, executor);
    assert_int_equal(workspace, status == 0 ? 0 : 77);
    return status;
}

static aclnnStatus plan(aclOpExecutor **executor)
{
    return plan_with(half, false, executor);
}

static aclOpExecutor *planned(void)
{
    aclOpExecutor *executor;
    assert_int_equal(plan(&executor), 0);
    return executor;
}

/* An executor like the one that a call makes, kept for the next one although it never ran. */
static void plan_in_vain(void)
{
    assert_int_equal(aclDestroyAclOpExecutor(planned()), 0);
}

/* Phase 2, and the result in memory k with this slope. */
static void run(aclOpExecutor *executor, int k, float slope)
{
    assert_int_equal(aclnnLeakyReluBackward(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int i = 0; i < COUNT; i++) {
        assert_true(at(k)[i] == (i % 2 == 0 ? slope : 1) * at(0)[i]);
        at(k)[i] = 77;
    }
}

static void the_same_call_does_the_same_each_time(void **state)
{
    (void)state;
    uintptr_t last = 0;
    for (int i = 0; i < 4; i++) {
        aclOpExecutor *executor = planned();
        assert_true((uintptr_t)executor != last);
        last = (uintptr_t)executor;
        run(executor, 2, 0.5f);
    }
}

static void each_executor_runs_once_all_the_same(void **state)
{
    (void)state;
    run(planned(), 2, 0.5f);
    aclOpExecutor *first = planned(), *second = planned();
    assert_ptr_not_equal(first, second);
    run(first, 2, 0.5f);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, first, stream), 161002, "executor");
    run(second, 2, 0.5f);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, second, stream), 161002, "executor");
}

static void another_attribute_is_another_call(void **state)
{
    (void)state;
    aclOpExecutor *executor;
    run(planned(), 2, 0.5f);
    assert_int_equal(plan_with(minus, false, &executor), 0);
    run(executor, 2, -1);
    assert_failure(plan_with(minus, true, &executor), 161002, "negativeSlope is negative");
    run(planned(), 2, 0.5f);
    assert_int_equal(plan_with(half, true, &executor), 0);
    run(executor, 2, 0.5f);
}

static void a_destroyed_argument_is_found(void **state)
{
    (void)state;
    aclOpExecutor *executor;
    run(planned(), 2, 0.5f);
    assert_int_equal(aclDestroyScalar(half), 0);
    assert_failure(plan(&executor), 161002, "negativeSlope was destroyed");
    float halved = 0.5f;
    half = aclCreateScalar(&halved, ACL_FLOAT);
    run(planned(), 2, 0.5f);
    assert_int_equal(aclDestroyTensor(self), 0);
    assert_failure(plan(&executor), 161002, "self was destroyed");
    self = create_floats(COUNT, memory[1]);
    run(planned(), 2, 0.5f);
}

static void a_tensor_that_was_described_anew_is_checked_anew(void **state)
{
    (void)state;
    aclOpExecutor *executor;
    int64_t shape = COUNT, less = COUNT - 1;
    run(planned(), 2, 0.5f);
    assert_int_equal(aclInitTensor(self, &shape, 1, ACL_INT32, NULL, 0, ACL_FORMAT_ND, &shape, 1, memory[1]),
                     0);
    assert_failure(plan(&executor), 161002, "self has dtype INT32");
    assert_int_equal(aclInitTensor(self, &shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &shape, 1, memory[1]),
                     0);
    run(planned(), 2, 0.5f);
    assert_int_equal(aclInitTensor(out, &less, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &less, 1, memory[2]), 0);
    assert_failure(plan(&executor), 161002, "out has shape [4]");
}

static void a_call_after_one_that_never_ran_looks_at_its_tensors(void **state)
{
    (void)state;
    aclOpExecutor *executor;
    plan_in_vain();
    int64_t count = COUNT;
    aclInitTensor(out, &count, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &count, 1, memory[3]);
    run(planned(), 3, 0.5f);
    assert_true(at(2)[0] == 77);
    plan_in_vain();
    assert_int_equal(aclDestroyTensor(out), 0);
    assert_failure(plan(&executor), 161002, "out");
    out = create_floats(COUNT, memory[2]);
    run(planned(), 2, 0.5f);
}

static void addresses_are_those_of_the_moment(void **state)
{
    (void)state;
    run(planned(), 2, 0.5f);
    assert_int_equal(aclInitTensor(out, NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, memory[3]), 0);
    run(planned(), 3, 0.5f);
    run(planned(), 3, 0.5f);
    assert_true(at(2)[0] == 77);
    aclOpExecutor *executor = planned();
    assert_int_equal(aclInitTensor(out, NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, memory[2]), 0);
    run(executor, 2, 0.5f);
    assert_true(at(3)[0] == 77);
}

static void memory_that_was_freed_meanwhile_is_found(void **state)
{
    (void)state;
    need_the_same_address();
    size_t bytes = COUNT * sizeof(float);
    void *old = memory[2];
    run(planned(), 2, 0.5f);
    assert_int_equal(aclrtFree(old), 0);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, planned(), stream), 161002, "already freed");
    assert_int_equal(aclrtMalloc((void **)&memory[2], bytes - 1, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_ptr_equal(memory[2], old);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, planned(), stream), 161002, "the view of out reaches");
    assert_int_equal(aclrtFree(old), 0);
    assert_int_equal(aclrtMalloc((void **)&memory[2], bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_ptr_equal(memory[2], old);
    run(planned(), 2, 0.5f);
}

/* Tensors remember which block they lie in, for calls that are new. */
static void a_new_call_finds_what_became_of_the_memory(void **state)
{
    (void)state;
    need_the_same_address();
    aclrtStream other;
    aclOpExecutor *executor;
    size_t bytes = COUNT * sizeof(float);
    void *old = memory[2];
    run(planned(), 2, 0.5f);
    assert_int_equal(aclrtFree(old), 0);
    assert_int_equal(plan_with(minus, false, &executor), 0);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, executor, stream), 161002, "already freed");
    assert_int_equal(aclrtMalloc((void **)&memory[2], bytes - 1, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_ptr_equal(memory[2], old);
    assert_int_equal(plan_with(minus, false, &executor), 0);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, executor, stream), 161002, "the view of out reaches");
    assert_int_equal(aclrtFree(old), 0);
    assert_int_equal(aclrtMalloc((void **)&memory[2], bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    run(planned(), 2, 0.5f);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(plan_with(minus, false, &executor), 0);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, executor, other), 161002, "is memory of device 0");
    assert_int_equal(aclrtDestroyStream(other), 0);
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
    run(planned(), 2, 0.5f);
}

static void a_stream_of_another_device_is_found(void **state)
{
    (void)state;
    aclrtStream other;
    run(planned(), 2, 0.5f);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, planned(), other), 161002, "is memory of device 0");
    assert_int_equal(aclrtDestroyStream(other), 0);
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
    run(planned(), 2, 0.5f);
}

/* Each result overwrites what the next element needs, unless the input is copied first. */
static void an_output_that_comes_to_overlap_an_input_is_computed_as_if_it_did_not(void **state)
{
    (void)state;
    float *place;
    assert_int_equal(aclrtMalloc((void **)&place, (COUNT + 1) * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    run(planned(), 2, 0.5f);
    aclOpExecutor *executor = planned();
    assert_int_equal(aclSetRawTensorAddr(gradient, place), 0);
    assert_int_equal(aclSetRawTensorAddr(out, place + 1), 0);
    memcpy(host_side(place, (COUNT + 1) * sizeof(float)), at(0), COUNT * sizeof(float));
    for (int round = 0; round < 2; round++) {
        assert_int_equal(aclnnLeakyReluBackward(NULL, 0, executor, stream), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        for (int i = 0; i < COUNT; i++)
            assert_true(((float *)memory_reach(place))[i + 1] == (i % 2 == 0 ? 0.5f : 1) * at(0)[i]);
        memcpy(memory_reach(place), at(0), COUNT * sizeof(float));
        executor = planned();
    }
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_int_equal(aclrtFree(place), 0);
}

static void what_an_executor_was_told_to_use_is_not_kept(void **state)
{
    (void)state;
    run(planned(), 2, 0.5f);
    aclTensor *other = create_floats(COUNT, memory[3]);
    aclOpExecutor *executor = planned();
    assert_int_equal(aclSetOutputTensorAddr(executor, 0, other, memory[3]), 0);
    run(executor, 3, 0.5f);
    run(planned(), 2, 0.5f);
    assert_true(at(3)[0] == 77);
    assert_int_equal(aclDestroyTensor(other), 0);
}

static void a_repeatable_executor_is_not_passed_on_as_one(void **state)
{
    (void)state;
    aclOpExecutor *executor = planned();
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    run(executor, 2, 0.5f);
    run(executor, 2, 0.5f);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    executor = planned();
    run(executor, 2, 0.5f);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, executor, stream), 161002, "executor");
}

static void results_need_a_place(void **state)
{
    (void)state;
    uint64_t workspace;
    aclOpExecutor *executor;
    run(planned(), 2, 0.5f);
    assert_failure(aclnnLeakyReluBackwardGetWorkspaceSize(gradient, self, half, false, out, NULL, &executor),
                   161001, "workspaceSize is NULL");
    assert_failure(aclnnLeakyReluBackwardGetWorkspaceSize(gradient, self, half, false, out, &workspace, NULL),
                   161001, "executor is NULL");
    run(planned(), 2, 0.5f);
}

static uint32_t slot_of(const aclOpExecutor *executor)
{
    return (uint32_t)(uintptr_t)executor & 0xffffff;
}

/* Whether this thread finishes what it submits. Where a stream's own thread does, that one keeps the
 * executor, and which slot the next call gets is a matter of who was first. */
static bool submitter_finishes(void)
{
    const char *schedule = getenv("BELAY_SCHEDULE");
    return schedule == NULL || strcmp(schedule, "eager") == 0;
}

/* Each takes its own executor again, so that it has nothing to look up; and so does one with a new address.
 */
static void calls_that_take_turns_have_an_executor_each(void **state)
{
    (void)state;
    aclTensor *other = create_floats(COUNT, memory[3]);
    uint64_t workspace;
    uint32_t slots[3] = {0};
    for (int round = 0; round < 8; round++) {
        aclOpExecutor *executors[3];
        executors[0] = planned();
        run(executors[0], 2, 0.5f);
        assert_int_equal(plan_with(minus, false, &executors[1]), 0);
        run(executors[1], 2, -1);
        assert_int_equal(aclSetRawTensorAddr(other, memory[3 - round % 2]), 0);
        assert_int_equal(aclnnLeakyReluBackwardGetWorkspaceSize(gradient, self, half, false, other,
                                                                &workspace, &executors[2]),
                         0);
        run(executors[2], 3 - round % 2, 0.5f);
        if (!submitter_finishes())
            continue;
        for (int i = 0; i < 3; i++) {
            if (round >= 4)
                assert_int_equal(slot_of(executors[i]), slots[i]);
            slots[i] = slot_of(executors[i]);
        }
        assert_true(slots[0] != slots[1] && slots[1] != slots[2] && slots[2] != slots[0]);
    }
    assert_int_equal(aclDestroyTensor(other), 0);
}

static void an_operator_does_not_repeat_another(void **state)
{
    (void)state;
    uint64_t workspace;
    aclOpExecutor *executor;
    run(planned(), 2, 0.5f);
    assert_int_equal(aclnnSiluBackwardGetWorkspaceSize(gradient, self, out, &workspace, &executor), 0);
    assert_failure(aclnnLeakyReluBackward(NULL, 0, executor, stream), 161002, "aclnnSiluBackward");
    assert_int_equal(aclnnSiluBackwardGetWorkspaceSize(gradient, self, out, &workspace, &executor), 0);
    assert_int_equal(aclnnSiluBackward(NULL, 0, executor, stream), 0);
    run(planned(), 2, 0.5f);
}

static int open_device(void **state)
{
    (void)state;
    int status = aclrtSetDevice(0) | aclrtCreateStream(&stream);
    for (int i = 0; i < 4; i++)
        status |= aclrtMalloc((void **)&memory[i], COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
    for (int i = 0; i < 4; i++)
        (void)host_side(memory[i], COUNT * sizeof(float));
    return status;
}

static int close_device(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) | aclrtResetDevice(0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_same_call_does_the_same_each_time),
        TEST(each_executor_runs_once_all_the_same),
        TEST(another_attribute_is_another_call),
        TEST(a_destroyed_argument_is_found),
        TEST(a_tensor_that_was_described_anew_is_checked_anew),
        TEST(a_call_after_one_that_never_ran_looks_at_its_tensors),
        TEST(addresses_are_those_of_the_moment),
        TEST(memory_that_was_freed_meanwhile_is_found),
        TEST(a_new_call_finds_what_became_of_the_memory),
        TEST(a_stream_of_another_device_is_found),
        TEST(an_output_that_comes_to_overlap_an_input_is_computed_as_if_it_did_not),
        TEST(what_an_executor_was_told_to_use_is_not_kept),
        TEST(a_repeatable_executor_is_not_passed_on_as_one),
        TEST(results_need_a_place),
        TEST(calls_that_take_turns_have_an_executor_each),
        TEST(an_operator_does_not_repeat_another),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_device, close_device);
}
