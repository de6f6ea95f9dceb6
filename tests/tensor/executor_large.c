/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Executors with more operands, arguments and plan than their slots have room for, with lists of tensors, and
 * with tensors that were not given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#include "acl/acl_rt.h"
#include "support/executor_request.h"
#include "support/failure.h"
#include "support/open_stream.h"
#include "tensor/executor.h"

/* A scale, a list that is read, an optional tensor, a list that is written: out[i] = scale * in[i]. */
enum { ELEMENTS = 500, SCALE = 0, IN = 1, OPTIONAL = IN + ELEMENTS, OUT = OPTIONAL + 1 };
enum { OPERANDS = OUT + ELEMENTS, PLAN_BYTES = 100000 };

static float *memory; /* scale, in, and out of all elements, 16 bytes apart */
static aclTensor *tensors[OPERANDS];
static aclTensorList *in_list, *out_list;
static unsigned runs;

static float *place(int operand)
{
    return memory + 4 * operand;
}

/* The plan is as long as it says in its first word, and has its last byte set. */
static int run_scale(const void *plan, void *const *address, void *scratch)
{
    (void)scratch;
    size_t bytes;
    memcpy(&bytes, plan, sizeof bytes);
    if ((uintptr_t)plan % EXECUTOR_PLAN_ALIGNMENT != 0 || ((const unsigned char *)plan)[bytes - 1] != 77 ||
        address[OPTIONAL] != NULL)
        return 507015;
    for (int i = 0; i < ELEMENTS; i++)
        *(float *)address[OUT + i] = *(const float *)address[SCALE] * *(const float *)address[IN + i];
    runs++;
    return 0;
}

static const struct operation operation = {.name = "aclnnScaleAll", .run = run_scale};

static struct executor_operand operand_of(int i)
{
    struct tensor_view view = {.data = NULL};
    if (tensors[i] != NULL)
        assert_true(tensor_read(tensors[i], &view));
    bool is_out = i >= OUT, is_list = i != SCALE && i != OPTIONAL;
    return (struct executor_operand){
        .tensor = tensors[i],
        .data = view.data,
        .reach = view.reach,
        .element_bytes = 4,
        .version = view.version,
        .name = i == SCALE      ? "scale"
                : i == OPTIONAL ? "bias"
                : is_out        ? "out"
                                : "in",
        .list_length = is_list ? ELEMENTS : 0,
        .element = (uint32_t)(is_out    ? i - OUT
                              : is_list ? i - IN
                                        : 0),
        .parameter = is_out          ? 3
                     : i == SCALE    ? 0
                     : i == OPTIONAL ? 2
                                     : 1,
        .input = is_out          ? OPERAND_IN_NO_PLACE
                 : i == SCALE    ? 0
                 : i == OPTIONAL ? 2
                                 : 1,
        .output = is_out ? 0 : OPERAND_IN_NO_PLACE,
    };
}

static aclOpExecutor *create(uint64_t cost_ns)
{
    static struct executor_operand operands[OPERANDS];
    static unsigned char plan[PLAN_BYTES];
    size_t bytes = sizeof plan;
    memcpy(plan, &bytes, sizeof bytes);
    plan[PLAN_BYTES - 1] = 77;
    for (int i = 0; i < OPERANDS; i++)
        operands[i] = operand_of(i);
    const struct executor_request request = {.operation = &operation,
                                             .operand_count = OPERANDS,
                                             .operands = operands,
                                             .cost_ns = cost_ns,
                                             .plan = plan,
                                             .plan_bytes = sizeof plan};
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    memset(plan, 0, sizeof plan);
    memset(operands, 0, sizeof operands);
    return executor;
}

static aclnnStatus launch(aclOpExecutor *executor)
{
    return executor_launch(&operation, NULL, 0, executor, stream);
}

/* Under every schedule there is a cost at which work is queued, and under the eager one another one at which
 * it is not. */
static const uint64_t costs[] = {100, 1000000000};

static aclTensor *create_number(void *data)
{
    return aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, data);
}

static int set_up(void **state)
{
    (void)state;
    size_t bytes = (size_t)16 * OPERANDS;
    float *values = (float *)calloc(1, bytes);
    if (values == NULL || aclrtMalloc((void **)&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    for (int i = 0; i < OPERANDS; i++) {
        values[(size_t)4 * (size_t)i] = i < OUT ? (float)(i + 3) : 0;
        tensors[i] = i == OPTIONAL ? NULL : create_number(place(i));
    }
    int status = aclrtMemcpy(memory, bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    free(values);
    in_list = aclCreateTensorList((const aclTensor *const *)&tensors[IN], ELEMENTS);
    out_list = aclCreateTensorList((const aclTensor *const *)&tensors[OUT], ELEMENTS);
    runs = 0;
    return status;
}

static int tear_down(void **state)
{
    (void)state;
    int status = aclrtSynchronizeStream(stream);
    (void)aclDestroyTensorList(in_list);
    (void)aclDestroyTensorList(out_list);
    (void)aclDestroyTensor(tensors[SCALE]);
    return status | aclrtFree(memory);
}

static float read_device(const float *address)
{
    float value;
    assert_int_equal(aclrtMemcpy(&value, sizeof value, address, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return value;
}

static void work_on_hundreds_of_tensors_runs_at_once_and_queued(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(launch(create(costs[k])), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(runs, k + 1);
        for (int i = 0; i < ELEMENTS; i += 7)
            assert_true(read_device(place(OUT + i)) == 3.0f * (float)(IN + i + 3));
        assert_int_equal(aclrtMemset(place(OUT), 16 * ELEMENTS, 0, 16 * ELEMENTS), 0);
    }
}

static void queued_runs_of_a_repeatable_executor_have_addresses_of_their_own(void **state)
{
    (void)state;
    aclOpExecutor *executor = create(costs[1]);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(aclSetDynamicOutputTensorAddr(executor, 0, 1, out_list, place(OUT) + i), 0);
        assert_int_equal(launch(executor), 0);
    }
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int i = 0; i < 4; i++) /* the first of them is the address of element 0, too */
        assert_true(read_device(place(OUT) + i) == 3.0f * (IN + 1 + 3) || i == 0);
    assert_true(read_device(place(OUT + 1)) == 0);
}

static void elements_of_lists_get_addresses_by_their_parameter_and_place(void **state)
{
    (void)state;
    aclOpExecutor *executor = create(costs[0]);
    float *last = place(IN + ELEMENTS - 1);
    const aclTensor *others[] = {create_number(NULL), create_number(NULL), create_number(NULL)};
    aclTensorList *other_list = aclCreateTensorList(others, 3);
    assert_int_equal(aclSetDynamicInputTensorAddr(executor, 1, 0, other_list, last), 0);
    assert_int_equal(aclSetDynamicTensorAddr(executor, 1, 2, other_list, last), 0);
    assert_int_equal(aclSetInputTensorAddr(executor, 0, tensors[SCALE], place(IN)), 0);

    assert_failure(aclSetDynamicInputTensorAddr(executor, 0, 0, in_list, last), 161002,
                   "irIndex is 0, which in aclnnScaleAll is scale, a tensor; a list of tensors is expected");
    assert_failure(aclSetTensorAddr(executor, 3, tensors[SCALE], place(IN)), 161002,
                   "index is 3, which in aclnnScaleAll is out, a list of tensors; a tensor is expected");
    assert_failure(aclSetDynamicInputTensorAddr(executor, 3, 0, in_list, last), 161002,
                   "irIndex is 3; aclnnScaleAll has 3 inputs");
    assert_failure(aclSetDynamicOutputTensorAddr(executor, OPERAND_IN_NO_PLACE, 0, in_list, last), 161002,
                   "aclnnScaleAll has 1 outputs");
    assert_failure(aclSetTensorAddr(executor, 2, tensors[SCALE], place(IN)), 161002,
                   "bias of aclnnScaleAll was not given");

    assert_int_equal(launch(executor), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    float scale = IN + 3;
    assert_true(read_device(place(OUT)) == scale * (IN + ELEMENTS - 1 + 3));
    assert_true(read_device(place(OUT + 1)) == scale * (IN + 1 + 3));
    assert_true(read_device(place(OUT + 2)) == scale * (IN + ELEMENTS - 1 + 3));
    assert_int_equal(aclDestroyTensorList(other_list), 0);
}

static void a_list_of_another_length_has_elements_that_the_executor_lacks(void **state)
{
    (void)state;
    const aclTensor *elements[ELEMENTS + 1];
    for (int i = 0; i <= ELEMENTS; i++)
        elements[i] = create_number(NULL);
    aclTensorList *longer = aclCreateTensorList(elements, ELEMENTS + 1);
    aclOpExecutor *executor = create(costs[0]);
    assert_failure(aclSetDynamicOutputTensorAddr(executor, 0, ELEMENTS, longer, memory), 161002,
                   "relativeIndex is 500; out of aclnnScaleAll has 500 tensors");
    assert_int_equal(aclSetDynamicOutputTensorAddr(executor, 0, ELEMENTS - 1, longer, memory), 0);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_int_equal(aclDestroyTensorList(longer), 0);
}

static void a_fault_of_an_element_names_the_list_and_the_place(void **state)
{
    (void)state;
    int other;
    for (size_t k = 0; k < 2; k++) {
        aclOpExecutor *executor = create(costs[k]);
        assert_int_equal(aclSetRawTensorAddr(tensors[OUT + 321], &other), 0);
        assert_failure(launch(executor), 161002, "aclnnScaleAll: element 321 of out 0x");
        assert_int_equal(aclSetRawTensorAddr(tensors[OUT + 321], place(OUT + 321)), 0);
    }
    assert_int_equal(runs, 0);
}

static void what_no_memory_can_hold_is_refused_and_the_next_call_succeeds(void **state)
{
    (void)state;
    struct executor_content *content;
    assert_failure(executor_begin(&operation, 2, 3, SIZE_MAX - 5, &content), 561101, "no memory for another");
    assert_failure(executor_begin(&operation, 2, 3, PTRDIFF_MAX, &content), 561101, "aclnnScaleAllGetWork");
    assert_int_equal(launch(create(costs[0])), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(runs, 1);
}

/* One object of each kind that a call may have, and numbers around them. */
enum { ARGUMENTS = 12, HANDLES = 6 };
static const int position[HANDLES] = {0, 2, 3, 5, 7, 11};
static const uint8_t kind[HANDLES] = {HANDLE_SCALAR,     HANDLE_INT_ARRAY,   HANDLE_FLOAT_ARRAY,
                                      HANDLE_BOOL_ARRAY, HANDLE_TENSOR_LIST, HANDLE_SCALAR_LIST};

static aclScalar *create_one(void)
{
    float one = 1;
    return aclCreateScalar(&one, ACL_FLOAT);
}

static void create_objects(uint64_t argument[ARGUMENTS], aclScalar **element)
{
    const int64_t integer = 1;
    const float number = 1;
    const bool truth = true;
    const aclTensor *tensor = create_number(memory);
    *element = create_one();
    for (uint64_t i = 0; i < ARGUMENTS; i++)
        argument[i] = i;
    argument[position[0]] = (uint64_t)(uintptr_t)create_one();
    argument[position[1]] = (uint64_t)(uintptr_t)aclCreateIntArray(&integer, 1);
    argument[position[2]] = (uint64_t)(uintptr_t)aclCreateFloatArray(&number, 1);
    argument[position[3]] = (uint64_t)(uintptr_t)aclCreateBoolArray(&truth, 1);
    argument[position[4]] = (uint64_t)(uintptr_t)aclCreateTensorList(&tensor, 1);
    argument[position[5]] = (uint64_t)(uintptr_t)aclCreateScalarList((const aclScalar *const *)element, 1);
}

static void destroy_object(const uint64_t *argument, int object)
{
    const void *handle = (const void *)(uintptr_t)argument[position[object]];
    aclnnStatus status = object == 0   ? aclDestroyScalar((const aclScalar *)handle)
                         : object == 1 ? aclDestroyIntArray((const aclIntArray *)handle)
                         : object == 2 ? aclDestroyFloatArray((const aclFloatArray *)handle)
                         : object == 3 ? aclDestroyBoolArray((const aclBoolArray *)handle)
                         : object == 4 ? aclDestroyTensorList((const aclTensorList *)handle)
                                       : aclDestroyScalarList((const aclScalarList *)handle);
    assert_int_equal(status, 0);
}

/* Makes an executor that is the result of this call, and ends it. */
static void pass(const uint64_t *argument)
{
    struct executor_content *content;
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_begin(&operation, 0, ARGUMENTS, 0, &content), 0);
    content->is_idle = true;
    for (int i = 0, object = 0; i < ARGUMENTS; i++) {
        bool is_object = object < HANDLES && position[object] == i;
        executor_remember(content, (uint32_t)i, argument[i], is_object ? kind[object++] : 0);
    }
    executor_finish(content, &workspace, &executor);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

static bool repeats(const uint64_t *argument)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    if (!executor_repeat(&operation, argument, ARGUMENTS, &workspace, &executor))
        return false;
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    return true;
}

static void a_call_is_repeated_while_every_object_of_it_is_live(void **state)
{
    (void)state;
    /* One more round: an element of the scalar list goes, the list stays. */
    for (int gone = 0; gone <= HANDLES; gone++) {
        uint64_t argument[ARGUMENTS], other[ARGUMENTS];
        aclScalar *element;
        create_objects(argument, &element);
        pass(argument);
        assert_true(repeats(argument));
        for (int i = 0; i < ARGUMENTS; i++) {
            memcpy(other, argument, sizeof other);
            other[i]++;
            assert_false(repeats(other));
        }
        assert_true(repeats(argument));
        if (gone < HANDLES)
            destroy_object(argument, gone);
        else
            assert_int_equal(aclDestroyScalar(element), 0);
        assert_false(repeats(argument));
        for (int i = 0; i < HANDLES; i++)
            if (i != gone)
                destroy_object(argument, i);
    }
}

static void a_call_with_no_remembered_arguments_is_never_repeated(void **state)
{
    (void)state;
    uint64_t workspace, nothing = 0;
    aclOpExecutor *executor;
    assert_int_equal(aclDestroyAclOpExecutor(create(costs[0])), 0);
    assert_false(executor_repeat(&operation, &nothing, 0, &workspace, &executor));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(work_on_hundreds_of_tensors_runs_at_once_and_queued),
        TEST(queued_runs_of_a_repeatable_executor_have_addresses_of_their_own),
        TEST(elements_of_lists_get_addresses_by_their_parameter_and_place),
        TEST(a_list_of_another_length_has_elements_that_the_executor_lacks),
        TEST(a_fault_of_an_element_names_the_list_and_the_place),
        TEST(what_no_memory_can_hold_is_refused_and_the_next_call_succeeds),
        TEST(a_call_is_repeated_while_every_object_of_it_is_live),
        TEST(a_call_with_no_remembered_arguments_is_never_repeated),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
