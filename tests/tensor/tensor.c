/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "tensor/tensor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "aclnn/aclnn_base.h"
#include "support/failure.h"
#include "support/release.h"
#include "tensor/tensor_slot.h"

static const int64_t dims[] = {2, 3, 4};

/* Nobody looks at what lies there. */
static char memory[64];

static aclTensor *create(void)
{
    return aclCreateTensor(dims, 3, ACL_FLOAT, NULL, 5, ACL_FORMAT_ND, dims, 3, memory);
}

/* A handle of an object that never existed, as a wild value would be. */
static void *foreign(void)
{
    static int object;
    return &object;
}

static void everything_is_copied_at_creation(void **state)
{
    (void)state;
    int64_t shape[] = {2, 3};
    int64_t stride[] = {10, 2};
    int64_t storage[] = {7, 8, 9};
    aclTensor *tensor = aclCreateTensor(shape, 2, ACL_BF16, stride, 4, ACL_FORMAT_NHWC, storage, 3, memory);
    assert_non_null(tensor);
    memset(shape, 0xff, sizeof shape);
    memset(stride, 0xff, sizeof stride);
    memset(storage, 0xff, sizeof storage);

    struct tensor_view view;
    assert_true(tensor_read(tensor, &view));
    assert_int_equal(view.dtype, ACL_BF16);
    assert_int_equal(view.rank, 2);
    assert_int_equal(view.shape[0], 2);
    assert_int_equal(view.shape[1], 3);
    assert_int_equal(view.stride[0], 10);
    assert_int_equal(view.stride[1], 2);
    assert_int_equal(view.offset, 4);
    assert_int_equal(view.count, 6);
    assert_int_equal(view.reach, 4 + 10 + 4);
    assert_true(view.is_possible);
    assert_ptr_equal(view.data, memory);

    int64_t *values;
    uint64_t count;
    assert_int_equal(aclGetStorageShape(tensor, &values, &count), 0);
    assert_int_equal(count, 3);
    assert_int_equal(values[0], 7);
    assert_int_equal(values[2], 9);
    release_array(values);
    aclFormat format;
    assert_int_equal(aclGetFormat(tensor, &format), 0);
    assert_int_equal(format, ACL_FORMAT_NHWC);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void strides_are_row_major_when_none_are_given(void **state)
{
    (void)state;
    aclTensor *tensor = create();
    int64_t *values;
    uint64_t count;
    assert_int_equal(aclGetViewStrides(tensor, &values, &count), 0);
    assert_int_equal(count, 3);
    assert_int_equal(values[0], 12);
    assert_int_equal(values[1], 4);
    assert_int_equal(values[2], 1);
    release_array(values);
    assert_int_equal(aclGetViewShape(tensor, &values, &count), 0);
    assert_int_equal(count, 3);
    assert_memory_equal(values, dims, sizeof dims);
    release_array(values);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void a_tensor_of_rank_0_has_one_element(void **state)
{
    (void)state;
    aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    assert_non_null(tensor);
    struct tensor_view view;
    assert_true(tensor_read(tensor, &view));
    assert_int_equal(view.rank, 0);
    assert_int_equal(view.count, 1);
    assert_int_equal(view.reach, 0);
    int64_t *values = NULL;
    uint64_t count = 9;
    assert_int_equal(aclGetViewShape(tensor, &values, &count), 0);
    assert_int_equal(count, 0);
    assert_non_null(values);
    release_array(values);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void creation_refuses_null_dims_and_too_many(void **state)
{
    (void)state;
    int64_t many[26];
    for (int i = 0; i < 26; i++)
        many[i] = 1;
    assert_null(aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 3, memory));
    assert_sentence("aclCreateTensor: viewDims is NULL");
    assert_null(aclCreateTensor(dims, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 3, memory));
    assert_sentence("aclCreateTensor: storageDims is NULL");
    assert_null(aclCreateTensor(many, 26, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 3, memory));
    assert_sentence("viewDimsNum is 26; at most 25");
    assert_null(aclCreateTensor(many, UINT64_MAX, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 3, memory));
    assert_sentence("viewDimsNum is 18446744073709551615");
    assert_null(aclCreateTensor(dims, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, many, 26, memory));
    assert_sentence("storageDimsNum is 26");

    aclTensor *tensor = aclCreateTensor(many, 25, ACL_FLOAT, many, 0, ACL_FORMAT_ND, many, 25, memory);
    struct tensor_view view;
    assert_true(tensor_read(tensor, &view));
    assert_int_equal(view.rank, 25);
    assert_int_equal(view.count, 1);
    assert_true(view.is_possible);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void creation_takes_absurd_descriptions_and_marks_impossible_views(void **state)
{
    (void)state;
    static const struct {
        int64_t shape[2];
        int64_t stride[2];
        int64_t offset;
        bool is_possible;
    } cases[] = {
        {{-1, 2}, {1, 1}, 0, false},
        {{2, 2}, {-1, 1}, 0, false},
        {{2, 2}, {2, 1}, -1, false},
        {{INT64_MAX, 2}, {0, 0}, 0, false},
        {{INT64_MAX, 1}, {INT64_MAX, 0}, 0, false},
        {{2, 2}, {INT64_MAX, 1}, 0, false},
        {{INT64_MIN, INT64_MIN}, {INT64_MIN, INT64_MIN}, INT64_MIN, false},
        {{INT64_MAX, 1}, {1, 1}, 1, true},
        {{0, INT64_MAX}, {INT64_MAX, INT64_MAX}, INT64_MAX, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        aclTensor *tensor = aclCreateTensor(cases[i].shape, 2, (aclDataType)77, cases[i].stride,
                                            cases[i].offset, (aclFormat)-5, NULL, 0, NULL);
        assert_non_null(tensor);
        struct tensor_view view;
        assert_true(tensor_read(tensor, &view));
        assert_int_equal(view.is_possible, cases[i].is_possible);
        assert_int_equal(view.dtype, 77);
        assert_int_equal(aclDestroyTensor(tensor), 0);
    }
    int64_t huge[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    aclTensor *tensor = aclCreateTensor(huge, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    struct tensor_view view;
    assert_true(tensor_read(tensor, &view));
    assert_false(view.is_possible);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void destroying_null_is_fine_and_anything_else_must_be_a_live_tensor(void **state)
{
    (void)state;
    assert_int_equal(aclDestroyTensor(NULL), 0);
    aclTensor *tensor = create();
    assert_int_equal(aclDestroyTensor(tensor), 0);
    assert_failure(aclDestroyTensor(tensor), 161002, "aclDestroyTensor: tensor was destroyed");
    assert_failure(aclDestroyTensor((aclTensor *)foreign()), 161002, "is not a handle of this library");
    float value = 1;
    aclScalar *scalar = aclCreateScalar(&value, ACL_FLOAT);
    assert_failure(aclDestroyTensor((aclTensor *)scalar), 161002, "is a scalar");
    struct scalar_value copy;
    assert_true(scalar_read(scalar, &copy));
    assert_int_equal(aclDestroyScalar(scalar), 0);
    /* The next tensor in the slot is not the old one. */
    aclTensor *next = create();
    assert_ptr_not_equal(next, tensor);
    assert_failure(aclDestroyTensor(tensor), 161002, "was destroyed");
    assert_int_equal(aclDestroyTensor(next), 0);
}

static void slots_of_destroyed_tensors_are_used_again(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        aclTensor *tensor = create();
        assert_true(((uintptr_t)tensor & 0xffffff) < 64);
        assert_int_equal(aclDestroyTensor(tensor), 0);
    }
}

static void reading_a_dead_tensor_fails(void **state)
{
    (void)state;
    struct tensor_view view;
    void *data;
    aclTensor *tensor = create();
    assert_int_equal(aclDestroyTensor(tensor), 0);
    assert_false(tensor_read(tensor, &view));
    assert_false(tensor_read(NULL, &view));
    assert_false(tensor_read((aclTensor *)foreign(), &view));
    assert_false(tensor_address(tensor, &data));
    assert_string_equal(tensor_fault(tensor), "was destroyed");
    assert_string_equal(tensor_fault(NULL), "is NULL");
}

static void getters_tell_null_from_dead(void **state)
{
    (void)state;
    aclTensor *live = create();
    aclTensor *dead = create();
    assert_int_equal(aclDestroyTensor(dead), 0);
    int64_t *values;
    uint64_t count;
    int64_t offset;
    aclFormat format;
    aclDataType dtype;
    void *address;
    assert_failure(aclGetViewShape(NULL, &values, &count), 161001, "aclGetViewShape: tensor is NULL");
    assert_failure(aclGetViewShape(live, NULL, &count), 161001, "viewDims is NULL");
    assert_failure(aclGetViewShape(live, &values, NULL), 161001, "viewDimsNum is NULL");
    assert_failure(aclGetViewShape(dead, &values, &count), 161002, "was destroyed");
    assert_failure(aclGetStorageShape(NULL, &values, &count), 161001, "aclGetStorageShape");
    assert_failure(aclGetStorageShape(live, NULL, &count), 161001, "storageDims is NULL");
    assert_failure(aclGetStorageShape(live, &values, NULL), 161001, "storageDimsNum is NULL");
    assert_failure(aclGetStorageShape(dead, &values, &count), 161002, "was destroyed");
    assert_failure(aclGetViewStrides(NULL, &values, &count), 161001, "aclGetViewStrides");
    assert_failure(aclGetViewStrides(live, NULL, &count), 161001, "stridesValue is NULL");
    assert_failure(aclGetViewStrides(live, &values, NULL), 161001, "stridesNum is NULL");
    assert_failure(aclGetViewStrides(dead, &values, &count), 161002, "was destroyed");
    assert_failure(aclGetViewOffset(NULL, &offset), 161001, "aclGetViewOffset");
    assert_failure(aclGetViewOffset(live, NULL), 161001, "offset is NULL");
    assert_failure(aclGetViewOffset(dead, &offset), 161002, "was destroyed");
    assert_failure(aclGetFormat(NULL, &format), 161001, "aclGetFormat");
    assert_failure(aclGetFormat(live, NULL), 161001, "format is NULL");
    assert_failure(aclGetFormat(dead, &format), 161002, "was destroyed");
    assert_failure(aclGetDataType(NULL, &dtype), 161001, "aclGetDataType");
    assert_failure(aclGetDataType(live, NULL), 161001, "dataType is NULL");
    assert_failure(aclGetDataType(dead, &dtype), 161002, "was destroyed");
    assert_failure(aclGetRawTensorAddr(NULL, &address), 161001, "aclGetRawTensorAddr");
    assert_failure(aclGetRawTensorAddr(live, NULL), 161001, "addr is NULL");
    assert_failure(aclGetRawTensorAddr(dead, &address), 161002, "was destroyed");
    assert_failure(aclSetRawTensorAddr(NULL, memory), 161001, "aclSetRawTensorAddr");
    assert_failure(aclSetRawTensorAddr(live, NULL), 161001, "addr is NULL");
    assert_failure(aclSetRawTensorAddr(dead, memory), 161002, "was destroyed");

    assert_int_equal(aclGetViewOffset(live, &offset), 0);
    assert_int_equal(offset, 5);
    assert_int_equal(aclGetDataType(live, &dtype), 0);
    assert_int_equal(dtype, ACL_FLOAT);
    assert_int_equal(aclDestroyTensor(live), 0);
}

static void the_raw_address_can_be_changed_and_excludes_the_offset(void **state)
{
    (void)state;
    aclTensor *tensor = create();
    void *address = NULL;
    assert_int_equal(aclGetRawTensorAddr(tensor, &address), 0);
    assert_ptr_equal(address, memory);
    assert_int_equal(aclSetRawTensorAddr(tensor, memory + 16), 0);
    assert_int_equal(aclGetRawTensorAddr(tensor, &address), 0);
    assert_ptr_equal(address, memory + 16);
    struct tensor_view view;
    assert_true(tensor_read(tensor, &view));
    assert_ptr_equal(view.data, memory + 16);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void initialising_again_replaces_what_is_given_and_keeps_the_rest(void **state)
{
    (void)state;
    aclTensor *tensor = create();
    int64_t shape[] = {6};
    struct tensor_view view;
    assert_int_equal(aclInitTensor(tensor, shape, 1, ACL_INT8, NULL, 2, ACL_FORMAT_NC, shape, 1, memory + 8),
                     0);
    assert_true(tensor_read(tensor, &view));
    assert_int_equal(view.dtype, ACL_INT8);
    assert_int_equal(view.rank, 1);
    assert_int_equal(view.stride[0], 1);
    assert_int_equal(view.count, 6);
    assert_int_equal(view.reach, 7);
    assert_ptr_equal(view.data, memory + 8);

    int64_t wide[] = {3};
    assert_int_equal(aclInitTensor(tensor, NULL, 1, ACL_FLOAT, wide, 1, ACL_FORMAT_ND, NULL, 0, NULL), 0);
    assert_true(tensor_read(tensor, &view));
    assert_int_equal(view.dtype, ACL_FLOAT);
    assert_int_equal(view.shape[0], 6);
    assert_int_equal(view.stride[0], 3);
    assert_int_equal(view.reach, 1 + 15);
    assert_ptr_equal(view.data, memory + 8);
    assert_int_equal(aclInitTensor(tensor, NULL, 0, ACL_FLOAT, NULL, -1, ACL_FORMAT_ND, NULL, 0, NULL), 0);
    assert_true(tensor_read(tensor, &view));
    assert_int_equal(view.stride[0], 3);
    assert_false(view.is_possible);

    int64_t many[26] = {0};
    assert_failure(aclInitTensor(NULL, dims, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 3, memory), 161001,
                   "aclInitTensor: tensor is NULL");
    assert_failure(aclInitTensor(tensor, many, 26, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 3, memory),
                   161002, "viewDimsNum is 26");
    assert_failure(aclInitTensor(tensor, dims, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, many, 26, memory),
                   161002, "storageDimsNum is 26");
    assert_int_equal(aclDestroyTensor(tensor), 0);
    assert_failure(aclInitTensor(tensor, dims, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 3, memory), 161002,
                   "aclInitTensor: tensor was destroyed");
}

static void initialising_and_finalising_the_operators_succeeds_and_ignores_the_file(void **state)
{
    (void)state;
    assert_int_equal(aclnnInit(NULL), 0);
    assert_int_equal(aclnnInit("/nowhere/at/all.json"), 0);
    aclTensor *tensor = create();
    assert_int_equal(aclnnFinalize(), 0);
    assert_int_equal(aclnnFinalize(), 0);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

/* What a reader finds, then the writings that come between its first and its last look. */
static void a_place_that_is_written_again_is_another_one(void **state)
{
    (void)state;
    static struct tensor tensor;
    static _Atomic uint64_t record[2];
    const struct tensor_place small = {&record[0], 1, 100}, large = {&record[1], 2, 200};
    struct tensor_place place;
    assert_false(tensor_slot_place(&tensor, 0, &place));
    for (uint32_t version = 0; version < 4; version += 2) {
        for (int i = 0; i < 3; i++) {
            uint64_t before = tensor.known;
            tensor_slot_set_place(&tensor, version, i % 2 == 0 ? &small : &large);
            assert_true(tensor.known != before);
            assert_true(tensor_slot_place(&tensor, version, &place));
            assert_ptr_equal(place.record, &record[i % 2]);
            assert_int_equal(place.found, i % 2 + 1);
            assert_int_equal(place.bytes_left, i % 2 == 0 ? 100 : 200);
            assert_false(tensor_slot_place(&tensor, version + 2, &place));
        }
    }
    tensor.known |= 1; /* a writer is at work */
    assert_false(tensor_slot_place(&tensor, 2, &place));
    tensor_slot_set_place(&tensor, 2, &large);
    assert_int_equal(tensor.found, 1);
    tensor.known = UINT64_C(2) << 32 | (UINT32_MAX - 1); /* the number begins anew, at none */
    tensor_slot_set_place(&tensor, 2, &large);
    assert_false(tensor_slot_place(&tensor, 2, &place));
    tensor_slot_set_place(&tensor, 2, &large);
    assert_true(tensor_slot_place(&tensor, 2, &place));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_copied_at_creation),
        cmocka_unit_test(strides_are_row_major_when_none_are_given),
        cmocka_unit_test(a_tensor_of_rank_0_has_one_element),
        cmocka_unit_test(creation_refuses_null_dims_and_too_many),
        cmocka_unit_test(creation_takes_absurd_descriptions_and_marks_impossible_views),
        cmocka_unit_test(destroying_null_is_fine_and_anything_else_must_be_a_live_tensor),
        cmocka_unit_test(slots_of_destroyed_tensors_are_used_again),
        cmocka_unit_test(reading_a_dead_tensor_fails),
        cmocka_unit_test(getters_tell_null_from_dead),
        cmocka_unit_test(the_raw_address_can_be_changed_and_excludes_the_offset),
        cmocka_unit_test(initialising_again_replaces_what_is_given_and_keeps_the_rest),
        cmocka_unit_test(a_place_that_is_written_again_is_another_one),
        cmocka_unit_test(initialising_and_finalising_the_operators_succeeds_and_ignores_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
