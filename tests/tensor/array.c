/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "tensor/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/failure.h"

static void values_are_copied(void **state)
{
    (void)state;
    int64_t values[] = {1, -2, INT64_MAX};
    aclIntArray *array = aclCreateIntArray(values, 3);
    assert_non_null(array);
    memset(values, 0, sizeof values);
    uint64_t size = 0;
    assert_int_equal(aclGetIntArraySize(array, &size), 0);
    assert_int_equal(size, 3);
    int64_t copy[4] = {9, 9, 9, 9};
    assert_true(array_read(HANDLE_INT_ARRAY, array, 0, 2, copy, &size));
    assert_int_equal(size, 3);
    assert_int_equal(copy[0], 1);
    assert_int_equal(copy[1], -2);
    assert_int_equal(copy[2], 9);
    assert_true(array_read(HANDLE_INT_ARRAY, array, 2, 4, copy, &size));
    assert_true(copy[0] == INT64_MAX);
    assert_int_equal(copy[1], -2);
    assert_true(array_read(HANDLE_INT_ARRAY, array, UINT64_MAX, 4, copy, &size));
    assert_int_equal(aclDestroyIntArray(array), 0);
    assert_false(array_read(HANDLE_INT_ARRAY, array, 0, 1, copy, &size));

    float real[] = {0.5f, -1.5f};
    aclFloatArray *floats = aclCreateFloatArray(real, 2);
    float real_copy[2];
    assert_true(array_read(HANDLE_FLOAT_ARRAY, floats, 0, 2, real_copy, &size));
    assert_memory_equal(real, real_copy, sizeof real);
    assert_int_equal(aclGetFloatArraySize(floats, &size), 0);
    assert_int_equal(size, 2);
    assert_int_equal(aclDestroyFloatArray(floats), 0);

    bool truth[] = {true, false, true, true, false};
    aclBoolArray *bools = aclCreateBoolArray(truth, 5);
    bool truth_copy[5];
    assert_true(array_read(HANDLE_BOOL_ARRAY, bools, 0, 5, truth_copy, &size));
    assert_memory_equal(truth, truth_copy, sizeof truth);
    assert_int_equal(aclGetBoolArraySize(bools, &size), 0);
    assert_int_equal(size, 5);
    assert_int_equal(aclDestroyBoolArray(bools), 0);
}

static void null_or_no_values_give_an_empty_array(void **state)
{
    (void)state;
    int64_t value = 1;
    uint64_t size = 7;
    aclIntArray *empty = aclCreateIntArray(&value, 0);
    assert_non_null(empty);
    assert_int_equal(aclGetIntArraySize(empty, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(aclDestroyIntArray(empty), 0);
    aclFloatArray *none = aclCreateFloatArray(NULL, 5);
    size = 7;
    assert_int_equal(aclGetFloatArraySize(none, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(aclDestroyFloatArray(none), 0);
    aclBoolArray *bools = aclCreateBoolArray(NULL, 0);
    assert_non_null(bools);
    assert_int_equal(aclDestroyBoolArray(bools), 0);
}

static void slots_of_destroyed_arrays_are_used_again(void **state)
{
    (void)state;
    float value = 1;
    for (int i = 0; i < 1000; i++) {
        aclFloatArray *object = aclCreateFloatArray(&value, 1);
        assert_true(((uintptr_t)object & 0xffffff) < 64);
        assert_int_equal(aclDestroyFloatArray(object), 0);
    }
}

static void a_size_that_no_memory_can_have_is_refused(void **state)
{
    (void)state;
    int64_t value = 1;
    assert_null(aclCreateIntArray(&value, UINT64_MAX));
    assert_sentence("aclCreateIntArray: size is 18446744073709551615");
    assert_null(
        aclCreateIntArray(&value, UINT64_MAX / 8)); /* as many bytes as 64 bits count, but no memory */
    assert_sentence("aclCreateIntArray: size is 2305843009213693951");
    assert_null(aclCreateIntArray(&value, UINT64_MAX / 8 + 2));
    assert_sentence("aclCreateIntArray: size is ");
}

static void null_stale_foreign_and_wrong_kind_arrays_are_told_apart(void **state)
{
    (void)state;
    int64_t value = 1;
    uint64_t size;
    aclIntArray *array = aclCreateIntArray(&value, 1);
    assert_int_equal(aclDestroyIntArray(NULL), 0);
    assert_int_equal(aclDestroyFloatArray(NULL), 0);
    assert_int_equal(aclDestroyBoolArray(NULL), 0);
    assert_failure(aclGetIntArraySize(NULL, &size), 161001, "aclGetIntArraySize");
    assert_failure(aclGetIntArraySize(array, NULL), 161001, "size is NULL");
    assert_failure(aclGetFloatArraySize(NULL, &size), 161001, "aclGetFloatArraySize");
    assert_failure(aclGetBoolArraySize(NULL, &size), 161001, "aclGetBoolArraySize");
    assert_failure(aclDestroyFloatArray((aclFloatArray *)(void *)array), 161002, "is an int array");
    assert_failure(aclDestroyBoolArray((aclBoolArray *)(void *)array), 161002, "is an int array");
    assert_failure(aclGetBoolArraySize((aclBoolArray *)(void *)array, &size), 161002, "is an int array");
    assert_failure(aclDestroyIntArray((aclIntArray *)(void *)&value), 161002, "is not a handle");
    assert_int_equal(aclDestroyIntArray(array), 0);
    assert_failure(aclDestroyIntArray(array), 161002, "aclDestroyIntArray: array was destroyed");
    assert_failure(aclGetIntArraySize(array, &size), 161002, "was destroyed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_copied),
        cmocka_unit_test(null_or_no_values_give_an_empty_array),
        cmocka_unit_test(slots_of_destroyed_arrays_are_used_again),
        cmocka_unit_test(a_size_that_no_memory_can_have_is_refused),
        cmocka_unit_test(null_stale_foreign_and_wrong_kind_arrays_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
