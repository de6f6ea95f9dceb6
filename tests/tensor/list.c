/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/failure.h"
#include "tensor/tensor.h"

static aclTensor *create_tensor(void)
{
    return aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
}

static aclScalar *create_scalar(void)
{
    float value = 2;
    return aclCreateScalar(&value, ACL_FLOAT);
}

static void destroying_a_list_destroys_its_elements(void **state)
{
    (void)state;
    const aclTensor *tensors[] = {create_tensor(), NULL, create_tensor()};
    aclTensorList *list = aclCreateTensorList(tensors, 3);
    uint64_t size;
    assert_int_equal(aclGetTensorListSize(list, &size), 0);
    assert_int_equal(size, 3);
    assert_int_equal(aclDestroyTensorList(list), 0);
    assert_failure(aclDestroyTensor(tensors[0]), 161002, "was destroyed");
    assert_failure(aclDestroyTensor(tensors[2]), 161002, "was destroyed");

    const aclScalar *scalars[] = {create_scalar(), create_scalar(), NULL};
    aclScalarList *scalar_list = aclCreateScalarList(scalars, 3);
    assert_int_equal(aclGetScalarListSize(scalar_list, &size), 0);
    assert_int_equal(size, 3);
    assert_int_equal(aclDestroyScalarList(scalar_list), 0);
    assert_failure(aclDestroyScalar(scalars[1]), 161002, "was destroyed");
}

static void elements_that_are_gone_or_something_else_are_passed_over(void **state)
{
    (void)state;
    int other;
    const aclTensor *tensors[] = {create_tensor(), create_tensor(), (const aclTensor *)(const void *)&other,
                                  (const aclTensor *)create_scalar()};
    aclTensorList *list = aclCreateTensorList(tensors, 4);
    for (int i = 0; i < 2; i++)
        assert_int_equal(aclDestroyTensor(tensors[i]), 0);
    assert_int_equal(aclDestroyTensorList(list), 0);
    assert_int_equal(aclDestroyScalar((const aclScalar *)tensors[3]), 0);

    /* A tensor that has taken the slot of a destroyed element is not the element. */
    const aclTensor *element = create_tensor();
    list = aclCreateTensorList(&element, 1);
    assert_int_equal(aclDestroyTensor(element), 0);
    aclTensor *next = create_tensor();
    assert_int_equal(aclDestroyTensorList(list), 0);
    struct tensor_view view;
    assert_true(tensor_read(next, &view));
    assert_int_equal(aclDestroyTensor(next), 0);
}

static void one_tensor_may_be_in_two_lists_and_twice_in_one(void **state)
{
    (void)state;
    const aclTensor *tensor = create_tensor();
    const aclTensor *twice[] = {tensor, tensor};
    aclTensorList *first = aclCreateTensorList(twice, 2);
    aclTensorList *second = aclCreateTensorList(&tensor, 1);
    assert_int_equal(aclDestroyTensorList(first), 0);
    assert_int_equal(aclDestroyTensorList(second), 0);
}

static void null_or_no_elements_give_an_empty_list(void **state)
{
    (void)state;
    uint64_t size = 9;
    aclTensorList *list = aclCreateTensorList(NULL, 0);
    assert_int_equal(aclGetTensorListSize(list, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(aclDestroyTensorList(list), 0);
    aclScalarList *scalars = aclCreateScalarList(NULL, 4);
    size = 9;
    assert_int_equal(aclGetScalarListSize(scalars, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(aclDestroyScalarList(scalars), 0);
}

static void null_stale_foreign_and_wrong_kind_lists_are_told_apart(void **state)
{
    (void)state;
    uint64_t size;
    int other;
    const aclTensor *tensor = create_tensor();
    aclTensorList *list = aclCreateTensorList(&tensor, 1);
    assert_int_equal(aclDestroyTensorList(NULL), 0);
    assert_int_equal(aclDestroyScalarList(NULL), 0);
    assert_failure(aclGetTensorListSize(NULL, &size), 161001, "aclGetTensorListSize");
    assert_failure(aclGetTensorListSize(list, NULL), 161001, "size is NULL");
    assert_failure(aclGetScalarListSize(NULL, &size), 161001, "aclGetScalarListSize");
    assert_failure(aclDestroyScalarList((aclScalarList *)(void *)list), 161002, "is a tensor list");
    assert_failure(aclGetScalarListSize((aclScalarList *)(void *)list, &size), 161002, "is a tensor list");
    assert_failure(aclDestroyTensor((aclTensor *)(void *)list), 161002, "is a tensor list");
    assert_failure(aclDestroyTensorList((aclTensorList *)(void *)&other), 161002, "is not a handle");
    assert_int_equal(aclDestroyTensorList(list), 0);
    assert_failure(aclDestroyTensorList(list), 161002, "aclDestroyTensorList: array was destroyed");
    assert_failure(aclGetTensorListSize(list, &size), 161002, "was destroyed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(destroying_a_list_destroys_its_elements),
        cmocka_unit_test(elements_that_are_gone_or_something_else_are_passed_over),
        cmocka_unit_test(one_tensor_may_be_in_two_lists_and_twice_in_one),
        cmocka_unit_test(null_or_no_elements_give_an_empty_list),
        cmocka_unit_test(null_stale_foreign_and_wrong_kind_lists_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
