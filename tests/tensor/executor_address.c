/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "support/executor_request.h"
#include "support/failure.h"
#include "tensor/executor.h"

typedef aclnnStatus set_address(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
typedef aclnnStatus set_dynamic(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                aclTensorList *tensors, void *addr);

static char *memory;
static void *seen[4]; /* the addresses of the last run */

static int remember(const void *plan, void *const *address, void *scratch)
{
    (void)plan;
    (void)scratch;
    for (int i = 0; i < 4; i++)
        seen[i] = address[i];
    return 0;
}

/* Two inputs, an output, a third input: the order in which some operators have them. */
static const struct operation operation = {.name = "aclnnMixed", .run = remember};
static aclTensor *tensors[4];

static struct executor_operand operand_of(int i, void *data, int input, int output)
{
    return (struct executor_operand){.tensor = tensors[i],
                                     .data = data,
                                     .element_bytes = 4,
                                     .parameter = (uint16_t)i,
                                     .input = (uint16_t)input,
                                     .output = (uint16_t)output};
}

static aclOpExecutor *create(void)
{
    static const int input[4] = {0, 1, -1, 2}, output[4] = {-1, -1, 0, -1};
    struct executor_request request = {.operation = &operation, .operand_count = 4};
    for (int i = 0; i < 4; i++) {
        void *data;
        assert_true(tensor_address(tensors[i], &data));
        request.operand[i] = operand_of(i, data, input[i], output[i]);
    }
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    return executor;
}

static void run(aclOpExecutor *executor)
{
    assert_int_equal(executor_launch(&operation, NULL, 0, executor, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static int set_up(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtMalloc((void **)&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    for (int i = 0; i < 4; i++)
        tensors[i] = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, memory + 64 * i);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        (void)aclDestroyTensor(tensors[i]);
    return aclrtFree(memory) | aclrtResetDevice(0);
}

static void an_index_counts_inputs_outputs_or_all(void **state)
{
    (void)state;
    static const struct {
        set_address *set[2];
        size_t count;
        int operand[4];
    } sets[] = {
        {{aclSetInputTensorAddr, AclSetInputTensorAddr}, 3, {0, 1, 3}},
        {{aclSetOutputTensorAddr, AclSetOutputTensorAddr}, 1, {2}},
        {{aclSetTensorAddr, AclSetTensorAddr}, 4, {0, 1, 2, 3}},
    };
    aclOpExecutor *executor = create();
    char *next = memory + 1024;
    for (size_t i = 0; i < 3; i++)
        for (size_t spelling = 0; spelling < 2; spelling++) {
            for (size_t index = 0; index < sets[i].count; index++) {
                int operand = sets[i].operand[index];
                next += 16;
                assert_int_equal(sets[i].set[spelling](executor, index, tensors[operand], next), 0);
                run(executor);
                assert_ptr_equal(seen[operand], next);
                void *address;
                assert_int_equal(aclGetRawTensorAddr(tensors[operand], &address), 0);
                assert_ptr_equal(address, next);
            }
            assert_failure(sets[i].set[spelling](executor, sets[i].count, tensors[0], memory), 161002,
                           "index is");
            assert_failure(sets[i].set[spelling](executor, SIZE_MAX, tensors[0], memory), 161002,
                           "aclnnMixed has");
        }
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

static void a_tensor_that_is_worked_on_in_place_counts_as_input_and_output(void **state)
{
    (void)state;
    struct executor_request request = {.operation = &operation, .operand_count = 2};
    for (int i = 0; i < 2; i++) {
        void *data;
        assert_true(tensor_address(tensors[i], &data));
        request.operand[i] = operand_of(i, data, i, i == 1 ? 0 : -1);
    }
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    assert_int_equal(aclSetInputTensorAddr(executor, 1, tensors[1], memory + 512), 0);
    run(executor);
    assert_ptr_equal(seen[1], memory + 512);
    assert_int_equal(aclSetOutputTensorAddr(executor, 0, tensors[1], memory + 640), 0);
    run(executor);
    assert_ptr_equal(seen[1], memory + 640);
    assert_failure(aclSetInputTensorAddr(executor, 2, tensors[1], memory), 161002, "has 2 inputs");
    assert_failure(aclSetOutputTensorAddr(executor, 1, tensors[1], memory), 161002, "has 1 outputs");
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

static void an_update_works_on_a_single_use_executor_before_it_runs(void **state)
{
    (void)state;
    struct executor_request request = {.operation = &operation, .operand_count = 4};
    for (int i = 0; i < 4; i++)
        request.operand[i] = operand_of(i, memory, i, -1);
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    assert_int_equal(aclSetInputTensorAddr(executor, 1, tensors[1], memory + 2048), 0);
    run(executor);
    assert_ptr_equal(seen[1], memory + 2048);
    assert_failure(aclSetInputTensorAddr(executor, 1, tensors[1], memory), 561000, "executor was destroyed");
}

static void an_operand_follows_the_tensor_it_was_given_last(void **state)
{
    (void)state;
    aclOpExecutor *executor = create();
    aclTensor *other = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    assert_int_equal(aclSetInputTensorAddr(executor, 0, other, memory + 512), 0);
    run(executor);
    assert_ptr_equal(seen[0], memory + 512);
    assert_int_equal(aclSetRawTensorAddr(other, memory + 516), 0);
    assert_int_equal(aclSetRawTensorAddr(tensors[0], memory + 8), 0);
    run(executor);
    assert_ptr_equal(seen[0], memory + 516);
    assert_int_equal(aclDestroyTensor(other), 0);
    run(executor);
    assert_ptr_equal(seen[0], memory + 512);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

/* What is known of a tensor's place is no more than what it was asked for. */
static void every_view_is_held_against_the_memory_of_its_tensor(void **state)
{
    (void)state;
    aclrtStream stream;
    void *small;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtMalloc(&small, 8, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    aclTensor *other = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, small);
    struct tensor_view view;
    assert_true(tensor_read(other, &view));
    struct executor_request request = {.operation = &operation, .operand_count = 1};
    uint64_t workspace;
    aclOpExecutor *executor;
    for (int64_t reach = 0; reach <= 2; reach++) {
        request.operand[0] = (struct executor_operand){
            .tensor = other, .data = small, .element_bytes = 4, .reach = reach, .version = view.version};
        assert_int_equal(executor_create(&request, &workspace, &executor), 0);
        if (reach < 2)
            assert_int_equal(executor_launch(&operation, NULL, 0, executor, stream), 0);
        else
            assert_failure(executor_launch(&operation, NULL, 0, executor, stream), 161002, "has 8 bytes");
    }
    assert_int_equal(aclDestroyTensor(other), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtFree(small), 0);
}

static void null_stale_and_foreign_arguments_are_told_apart(void **state)
{
    (void)state;
    static set_address *const all[] = {aclSetInputTensorAddr,  AclSetInputTensorAddr, aclSetOutputTensorAddr,
                                       AclSetOutputTensorAddr, aclSetTensorAddr,      AclSetTensorAddr};
    static const char *const names[] = {
        "aclSetInputTensorAddr: ",  "AclSetInputTensorAddr: ", "aclSetOutputTensorAddr: ",
        "AclSetOutputTensorAddr: ", "aclSetTensorAddr: ",      "AclSetTensorAddr: "};
    aclOpExecutor *executor = create();
    aclOpExecutor *dead_executor = create();
    assert_int_equal(aclDestroyAclOpExecutor(dead_executor), 0);
    aclTensor *dead = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    assert_int_equal(aclDestroyTensor(dead), 0);
    for (int i = 0; i < 6; i++) {
        assert_failure(all[i](executor, 0, NULL, memory), 561103, "tensor is NULL");
        assert_failure(all[i](executor, 0, dead, memory), 161002, "tensor was destroyed");
        assert_failure(all[i](dead_executor, 0, tensors[0], memory), 561000, "executor was destroyed");
        assert_failure(all[i]((aclOpExecutor *)(void *)tensors[0], 0, tensors[0], memory), 561000,
                       "is a tensor");
        /* The tensor has its address before the executor is looked at. */
        assert_failure(all[i](NULL, 0, tensors[0], memory + 640 + i), 561103, names[i]);
        void *address;
        assert_int_equal(aclGetRawTensorAddr(tensors[0], &address), 0);
        assert_ptr_equal(address, memory + 640 + i);
    }
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

static void dynamic_forms_set_the_element_and_find_no_list_parameter(void **state)
{
    (void)state;
    static set_dynamic *const all[] = {aclSetDynamicInputTensorAddr,  AclSetDynamicInputTensorAddr,
                                       aclSetDynamicOutputTensorAddr, AclSetDynamicOutputTensorAddr,
                                       aclSetDynamicTensorAddr,       AclSetDynamicTensorAddr};
    aclOpExecutor *executor = create();
    const aclTensor *element = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    const aclTensor *dead = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    const aclTensor *elements[] = {element, NULL, dead};
    aclTensorList *list = aclCreateTensorList(elements, 3);
    aclTensorList *empty = aclCreateTensorList(NULL, 0);
    aclTensorList *gone = aclCreateTensorList(NULL, 0);
    assert_int_equal(aclDestroyTensorList(gone), 0);
    assert_int_equal(aclDestroyTensor(dead), 0);
    for (int i = 0; i < 6; i++) {
        void *address;
        assert_failure(all[i](executor, 0, 0, NULL, memory), 561103, "tensors is NULL");
        assert_failure(all[i](executor, 0, 0, gone, memory), 161002, "tensors was destroyed");
        assert_failure(all[i](executor, 0, 0, empty, memory), 161002, "relativeIndex is 0");
        assert_failure(all[i](executor, 0, 3, list, memory), 161002, "relativeIndex is 3");
        assert_failure(all[i](executor, 0, SIZE_MAX, list, memory), 161002, "relativeIndex is");
        assert_failure(all[i](executor, 0, 1, list, memory), 561103, "element 1 of tensors is NULL");
        assert_failure(all[i](executor, 0, 2, list, memory), 161002, "tensor was destroyed");
        assert_failure(all[i](NULL, 0, 0, list, memory + i), 561103, "executor is NULL");
        assert_int_equal(aclGetRawTensorAddr(element, &address), 0);
        assert_ptr_equal(address, memory + i);
        assert_failure(all[i](executor, 0, 0, list, memory + 32 + i), 161002,
                       i / 2 == 1 ? "irIndex is 0, which in aclnnMixed is the parameter, a tensor; a list"
                                  : "irIndex is 0, which in aclnnMixed");
        assert_int_equal(aclGetRawTensorAddr(element, &address), 0);
        assert_ptr_equal(address, memory + 32 + i);
    }
    run(executor);
    assert_ptr_equal(seen[0], memory);
    assert_int_equal(aclDestroyTensorList(list), 0);
    assert_int_equal(aclDestroyTensorList(empty), 0);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_index_counts_inputs_outputs_or_all),
        TEST(a_tensor_that_is_worked_on_in_place_counts_as_input_and_output),
        TEST(an_update_works_on_a_single_use_executor_before_it_runs),
        TEST(an_operand_follows_the_tensor_it_was_given_last),
        TEST(every_view_is_held_against_the_memory_of_its_tensor),
        TEST(null_stale_and_foreign_arguments_are_told_apart),
        TEST(dynamic_forms_set_the_element_and_find_no_list_parameter),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
