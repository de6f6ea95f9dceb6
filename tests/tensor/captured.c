/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 on a stream that is being recorded: what the graph keeps of a call, and what its runs use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/captured.h"
#include "support/copy_operation.h"
#include "support/failure.h"
#include "tensor/executor_claim.h"

enum { COUNT = 4, MANY = 40 };

static float *place(int index)
{
    return (float *)(void *)(cells) + COUNT * index;
}

static aclOpExecutor *create(const aclTensor *from, const aclTensor *to, size_t scratch_bytes)
{
    struct copy_plan plan = {.count = COUNT, .scratch_bytes = scratch_bytes};
    struct executor_request request = copy_request(from, to, &plan);
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    return executor;
}

static void launch(aclOpExecutor *executor)
{
    assert_int_equal(executor_launch(&copy_operation, NULL, 0, executor, stream), 0);
}

static void fill(int index, float first)
{
    for (int i = 0; i < COUNT; i++)
        place(index)[i] = first + (float)i;
}

static void assert_place(int index, float first)
{
    for (int i = 0; i < COUNT; i++)
        assert_true(place(index)[i] == first + (float)i);
}

static void a_graph_keeps_what_phase_2_has_consumed(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0)), *to = create_floats(COUNT, place(1));
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    atomic_store(&copy_runs, 0);
    aclOpExecutor *executor = create(from, to, 0);
    launch(executor);
    assert_int_equal(executor_launch(&copy_operation, NULL, 0, executor, stream), 161002); /* it is gone */
    aclmdlRI graph = end();
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
    /* These take the slots of what was destroyed, and the executor's if it were free. */
    aclTensor *others[8];
    for (int i = 0; i < 8; i++)
        others[i] = create_floats(1, place(3));
    for (int i = 0; i < 8; i++)
        assert_int_equal(aclDestroyAclOpExecutor(create(others[i], others[7 - i], 0)), 0);
    assert_int_equal(copy_runs, 0);
    for (int i = 1; i < 4; i++) {
        fill(0, (float)i);
        run(graph, stream);
        assert_place(1, (float)i);
        assert_int_equal(copy_runs, (unsigned)i);
    }
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(aclDestroyTensor(others[i]), 0);
}

static void a_repeatable_executor_goes_on_apart_from_the_graph(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0)), *to = create_floats(COUNT, place(1));
    aclOpExecutor *executor = create(from, to, 64);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    launch(executor);
    assert_int_equal(aclSetOutputTensorAddr(executor, 0, to, place(2)), 0);
    launch(executor);
    aclmdlRI graph = end();
    assert_int_equal(aclSetOutputTensorAddr(executor, 0, to, place(3)), 0);
    memset(cells, 0, CELLS);
    fill(0, 1);
    launch(executor);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_true(place(1)[0] == 0 && place(2)[0] == 0);
    assert_place(3, 1);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    fill(0, 5);
    run(graph, stream);
    assert_place(1, 5);
    assert_place(2, 5);
    assert_place(3, 1);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

/* The temporary memory of a graph is that of the task that needs most: it does not grow with their number. */
static void tasks_of_a_graph_share_their_temporary_memory(void **state)
{
    (void)state;
    enum { LARGE = 1 << 20 };
    aclTensor *from = create_floats(COUNT, place(0)), *to = create_floats(COUNT, place(1));
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    for (int i = 0; i < 3; i++)
        launch(create(from, to, i == 1 ? LARGE : 100));
    aclmdlRI graph = end();
    fill(0, 1);
    copy_scratch = NULL;
    run(graph, stream);
    const void *scratch = copy_scratch;
    assert_non_null(scratch);
    assert_int_equal((uintptr_t)scratch % 64, 0);
    run(graph, other);
    assert_ptr_equal(copy_scratch, scratch);
    assert_place(1, 1);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

static void work_without_its_temporary_memory_is_not_recorded(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0)), *to = create_floats(COUNT, place(1));
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_failure(executor_launch(&copy_operation, NULL, 0, create(from, to, SIZE_MAX), stream), 361001,
                   "temporary bytes");
    assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(aclmdlRIDestroy(end()), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

static void a_lost_capture_refuses_operators(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0)), *to = create_floats(COUNT, place(1));
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    launch(create(from, to, 0));
    assert_failure(aclrtMemset(cells, 1, 1, 1), 107030, "forbids blocking");
    assert_failure(executor_launch(&copy_operation, NULL, 0, create(from, to, 64), stream), 361001, "lost");
    end_without(507903);
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_failure(executor_launch(&copy_operation, NULL, 0, create(from, to, 64), NULL), 361001,
                   "default stream");
    end_without(507903);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

/* Operands in a block of their own, and one of them freed: a graph of memory that is gone does not run. */
static void freed_operands_are_found(void **state)
{
    (void)state;
    float *lost;
    struct executor_operand operands[MANY];
    aclTensor *tensor[MANY];
    assert_int_equal(aclrtMalloc((void **)&lost, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (int i = 0; i < MANY; i++) {
        tensor[i] = create_floats(COUNT, i == MANY - 1 ? lost : place(i % 8));
        operands[i] = copy_operand(tensor[i], "operand", i > 0);
    }
    struct copy_plan plan = {.count = COUNT};
    struct executor_request request = copy_request(tensor[0], tensor[1], &plan);
    request.operands = operands;
    request.operand_count = MANY;
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    launch(executor);
    aclmdlRI graph = end();
    fill(0, 3);
    run(graph, stream);
    assert_place(1, 3);
    assert_int_equal(aclrtFree(lost), 0);
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107000,
                   "step 0 of the graph, aclnnCopy, uses memory");
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(aclDestroyTensor(tensor[i]), 0);
}

/* Registered memory is looked up like a block, and a free of other memory is no reason to refuse. */
static void unregistered_operands_are_found(void **state)
{
    (void)state;
    static _Alignas(4096) float host[1024];
    void *registered, *unused;
    assert_int_equal(aclrtHostRegister(host, sizeof host, ACL_HOST_REGISTER_MAPPED, &registered), 0);
    aclTensor *from = create_floats(COUNT, registered), *to = create_floats(COUNT, place(1));
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    launch(create(from, to, 0));
    aclmdlRI graph = end();
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < COUNT; k++)
            host[k] = (float)(i + k);
        run(graph, stream);
        assert_place(1, (float)i);
        assert_int_equal(aclrtMalloc(&unused, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(aclrtFree(unused), 0);
    }
    run(graph, stream);
    assert_int_equal(aclrtHostUnregister(host), 0);
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107000, "aclnnCopy, uses memory");
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

static void failing_work_is_told_with_its_name(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, place(0)), *to = create_floats(COUNT, place(1));
    struct copy_plan plan = {.count = COUNT, .status = 507035};
    struct executor_request request = copy_request(from, to, &plan);
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    launch(executor);
    aclmdlRI graph = end();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
        assert_failure(aclrtSynchronizeStream(stream), 507035, "aclnnCopy");
    }
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_keeps_what_phase_2_has_consumed),
        cmocka_unit_test(a_repeatable_executor_goes_on_apart_from_the_graph),
        cmocka_unit_test(tasks_of_a_graph_share_their_temporary_memory),
        cmocka_unit_test(work_without_its_temporary_memory_is_not_recorded),
        cmocka_unit_test(a_lost_capture_refuses_operators),
        cmocka_unit_test(freed_operands_are_found),
        cmocka_unit_test(unregistered_operands_are_found),
        cmocka_unit_test(failing_work_is_told_with_its_name),
    };
    return cmocka_run_group_tests(tests, captured_set_up, captured_tear_down);
}
