/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclTensorDesc: what goes in comes out, sizes are computed without overflow, other handles are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

static aclTensorDesc *create(aclDataType type, int rank, const int64_t *dims)
{
    aclTensorDesc *desc = aclCreateTensorDesc(type, rank, dims, ACL_FORMAT_ND);
    assert_non_null(desc);
    return desc;
}

static void what_it_was_made_of_comes_back(void **state)
{
    (void)state;
    int64_t dims[] = {2, 3, 5}, dimension = 0;
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_NCHW);
    dims[0] = 99; /* the shape was copied */
    assert_int_equal(aclGetTensorDescType(desc), ACL_FLOAT16);
    assert_int_equal(aclGetTensorDescFormat(desc), ACL_FORMAT_NCHW);
    assert_int_equal(aclGetTensorDescNumDims(desc), 3);
    assert_int_equal(aclGetTensorDescDim(desc, 0), 2);
    assert_int_equal(aclGetTensorDescDimV2(desc, 2, &dimension), 0);
    assert_int_equal(dimension, 5);
    assert_int_equal(aclGetTensorDescElementCount(desc), 30);
    assert_int_equal(aclGetTensorDescSize(desc), 60);
    assert_string_equal(aclGetTensorDescName(desc), "");
    assert_null(aclGetTensorDescAddress(desc));
    assert_ptr_equal(aclGetTensorDescByIndex(desc, 0), desc);
    aclDestroyTensorDesc(desc);
}

static void numbers_beyond_the_last_enumerator_are_refused(void **state)
{
    (void)state;
    static const int64_t dims[] = {1};
    int64_t ranges[1][ACL_TENSOR_VALUE_RANGE_NUM] = {{0, 1}};
    aclTensorDesc *desc = create(ACL_FLOAT, 1, dims);
    for (int place = ACL_MEMTYPE_DEVICE; place <= ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT; place++)
        assert_int_equal(aclSetTensorPlaceMent(desc, (aclMemType)place), 0);
    assert_failure(aclSetTensorPlaceMent(desc, (aclMemType)3), 100000, "memType is 3");
    assert_failure(aclSetTensorPlaceMent(desc, (aclMemType)-1), 100000, "memType is -1");
    assert_int_equal(aclSetTensorValueRange(desc, 0, NULL), 0);
    assert_int_equal(aclSetTensorValueRange(desc, 1, ranges), 0);
    assert_failure(aclSetTensorValueRange(desc, 1, NULL), 100000, "valueRange is NULL; 1 ranges");
    /* A first dim of -2 says that the rank is unknown, where it is the only one. */
    static const int64_t other[] = {-1};
    assert_int_equal(aclGetTensorDescNumDims(desc), 1);
    assert_int_equal(aclSetTensorShape(desc, 1, other), 0);
    assert_int_equal(aclGetTensorDescNumDims(desc), 1);
    aclDestroyTensorDesc(desc);
}

static void bad_shapes_make_no_description(void **state)
{
    (void)state;
    static const int64_t dims[26] = {0};
    assert_null(aclCreateTensorDesc(ACL_FLOAT, -1, dims, ACL_FORMAT_ND));
    assert_sentence("numDims is -1");
    assert_null(aclCreateTensorDesc(ACL_FLOAT, 1, NULL, ACL_FORMAT_ND));
    assert_sentence("dims is NULL");
    assert_null(aclCreateTensorDesc(ACL_FLOAT, 26, dims, ACL_FORMAT_ND));
    assert_sentence("numDims is 26");
    aclTensorDesc *largest = aclCreateTensorDesc(ACL_FLOAT, 25, dims, ACL_FORMAT_ND);
    assert_non_null(largest);
    aclDestroyTensorDesc(largest);
}

static void sizes_of_special_shapes_are_right(void **state)
{
    (void)state;
    static const int64_t huge[] = {INT64_MAX, INT64_MAX, 0}, wide[] = {INT64_MAX, INT64_MAX};
    static const int64_t unknown_dim[] = {2, -1}, unknown_rank[] = {-2};
    aclTensorDesc *scalar = create(ACL_DOUBLE, 0, NULL);
    assert_int_equal(aclGetTensorDescElementCount(scalar), 1);
    assert_int_equal(aclGetTensorDescSize(scalar), 8);
    aclDestroyTensorDesc(scalar);

    aclTensorDesc *empty = create(ACL_FLOAT, 3, huge);
    assert_int_equal(aclGetTensorDescElementCount(empty), 0);
    assert_int_equal(aclGetTensorDescSize(empty), 0);
    aclDestroyTensorDesc(empty);

    aclTensorDesc *overflowing = create(ACL_FLOAT, 2, wide);
    (void)aclGetRecentErrMsg();
    assert_int_equal(aclGetTensorDescElementCount(overflowing), 0);
    assert_sentence("2^64");
    assert_int_equal(aclGetTensorDescSize(overflowing), 0);
    assert_sentence("2^64");
    aclDestroyTensorDesc(overflowing);

    aclTensorDesc *dynamic = create(ACL_FLOAT, 2, unknown_dim);
    assert_int_equal(aclGetTensorDescElementCount(dynamic), 0);
    assert_sentence("dimension 1 of desc is -1");
    assert_int_equal(aclGetTensorDescDim(dynamic, 1), -1);
    aclDestroyTensorDesc(dynamic);

    aclTensorDesc *unranked = create(ACL_FLOAT, 1, unknown_rank);
    assert_true(aclGetTensorDescNumDims(unranked) == ACL_UNKNOWN_RANK);
    aclDestroyTensorDesc(unranked);

    aclTensorDesc *string = create(ACL_STRING, 0, NULL);
    assert_int_equal(aclGetTensorDescSize(string), 0);
    aclDestroyTensorDesc(string);
}

static void setters_replace_what_getters_return(void **state)
{
    (void)state;
    static const int64_t dims[] = {4, 6};
    int64_t ranges[][2] = {{1, 4}, {2, -1}}, range[2] = {0, 0};
    int data = 0;
    aclTensorDesc *desc = create(ACL_INT8, 0, NULL);
    assert_int_equal(aclSetTensorShape(desc, 2, dims), 0);
    assert_int_equal(aclGetTensorDescElementCount(desc), 24);
    assert_int_equal(aclSetTensorShape(desc, 0, NULL), 0);
    assert_int_equal(aclGetTensorDescNumDims(desc), 0);
    assert_int_equal(aclSetTensorFormat(desc, ACL_FORMAT_NHWC), 0);
    assert_int_equal(aclGetTensorDescFormat(desc), ACL_FORMAT_NHWC);
    assert_int_equal(aclSetTensorStorageFormat(desc, ACL_FORMAT_FRACTAL_NZ), 0);
    assert_int_equal(aclSetTensorStorageShape(desc, 2, dims), 0);
    assert_int_equal(aclSetTensorOriginFormat(desc, ACL_FORMAT_ND), 0);
    assert_int_equal(aclSetTensorOriginShape(desc, 2, dims), 0);
    assert_int_equal(aclGetTensorDescFormat(desc), ACL_FORMAT_NHWC);
    assert_int_equal(aclGetTensorDescNumDims(desc), 0);

    assert_int_equal(aclSetTensorShapeRange(desc, 2, ranges), 0);
    assert_int_equal(aclGetTensorDescDimRange(desc, 1, 2, range), 0);
    assert_int_equal(range[0], 2);
    assert_int_equal(range[1], -1);
    assert_int_equal(aclSetTensorShapeRange(desc, 0, NULL), 0);
    assert_failure(aclGetTensorDescDimRange(desc, 0, 2, range), 100000, "index is 0; less than the 0 ranges");
    assert_int_equal(aclSetTensorValueRange(desc, 2, ranges), 0);

    aclSetTensorDescName(desc, "weights");
    assert_string_equal(aclGetTensorDescName(desc), "weights");
    aclSetTensorDescName(desc, NULL);
    assert_string_equal(aclGetTensorDescName(desc), "");
    assert_int_equal(aclSetTensorConst(desc, &data, sizeof data), 0);
    assert_ptr_equal(aclGetTensorDescAddress(desc), &data);
    assert_int_equal(aclSetTensorDynamicInput(desc, "x"), 0);
    assert_int_equal(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST), 0);
    aclDestroyTensorDesc(desc);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char name[1000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    aclTensorDesc *desc = create(ACL_INT8, 0, NULL);
    aclSetTensorDescName(desc, name);
    assert_int_equal(strlen(aclGetTensorDescName(desc)), 255);
    aclDestroyTensorDesc(desc);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    static const int64_t dims[26] = {0};
    int64_t ranges[26][2] = {{0, 0}}, range[2], dimension;
    int data = 0;
    aclTensorDesc *desc = create(ACL_INT8, 2, dims), *made;
    assert_failure(aclSetTensorShape(desc, -1, dims), 100000, "numDims is -1");
    assert_failure(aclSetTensorShape(desc, 26, dims), 100000, "numDims is 26");
    assert_failure(aclSetTensorShape(desc, 1, NULL), 100000, "dims is NULL");
    assert_failure(aclSetTensorStorageShape(desc, 1, NULL), 100000, "dims is NULL");
    assert_failure(aclSetTensorOriginShape(desc, 1, NULL), 100000, "dims is NULL");
    assert_int_equal(aclGetTensorDescNumDims(desc), 2);
    assert_failure(aclSetTensorShapeRange(desc, 1, NULL), 100000, "dimsRange is NULL");
    assert_failure(aclSetTensorShapeRange(desc, 26, ranges), 100000, "dimsCount is 26");
    assert_failure(aclSetTensorValueRange(desc, 1, NULL), 100000, "valueRange is NULL");
    assert_failure(aclGetTensorDescDimV2(desc, 2, &dimension), 100000, "index is 2");
    assert_failure(aclGetTensorDescDimV2(desc, 0, NULL), 100000, "dimSize is NULL");
    assert_int_equal(aclGetTensorDescDim(desc, SIZE_MAX), -1);
    assert_sentence("less than the rank 2 is expected");
    assert_failure(aclGetTensorDescDimRange(desc, 0, 2, NULL), 100000, "dimRange is NULL");
    assert_failure(aclGetTensorDescDimRange(desc, 0, 1, range), 100000, "dimRangeNum is 1");
    assert_failure(aclSetTensorDynamicInput(desc, NULL), 100000, "dynamicInputName is NULL");
    assert_failure(aclSetTensorConst(desc, NULL, 4), 100000, "dataBuffer is NULL");
    assert_failure(aclSetTensorConst(desc, &data, 0), 100000, "length is 0");
    assert_failure(aclSetTensorPlaceMent(desc, (aclMemType)3), 100000, "memType is 3");
    assert_failure(aclTransTensorDescFormat(desc, ACL_FORMAT_ND, NULL), 100000, "dstDesc is NULL");
    assert_failure(aclTransTensorDescFormat(desc, ACL_FORMAT_NCHW, &made), 100027, "dstFormat is 0");
    assert_null(aclGetTensorDescByIndex(desc, 1));
    assert_sentence("index is 1");
    aclDestroyTensorDesc(desc);
}

static void formats_with_the_same_axes_reorder_the_shape(void **state)
{
    (void)state;
    static const int64_t nchw[] = {2, 3, 5, 7}, ncdhw[] = {2, 3, 5, 7, 11};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 4, nchw, ACL_FORMAT_NCHW), *made = NULL;
    assert_int_equal(aclTransTensorDescFormat(desc, ACL_FORMAT_NHWC, &made), 0);
    assert_int_equal(aclGetTensorDescFormat(made), ACL_FORMAT_NHWC);
    assert_int_equal(aclGetTensorDescDim(made, 1), 5);
    assert_int_equal(aclGetTensorDescDim(made, 3), 3);
    aclDestroyTensorDesc(made);
    assert_int_equal(aclTransTensorDescFormat(desc, ACL_FORMAT_HWCN, &made), 0);
    assert_int_equal(aclGetTensorDescDim(made, 0), 5);
    assert_int_equal(aclGetTensorDescDim(made, 3), 2);
    aclDestroyTensorDesc(made);
    assert_int_equal(aclTransTensorDescFormat(desc, ACL_FORMAT_NCHW, &made), 0);
    assert_int_equal(aclGetTensorDescDim(made, 3), 7);
    aclDestroyTensorDesc(made);
    assert_failure(aclTransTensorDescFormat(desc, ACL_FORMAT_NDHWC, &made), 100027, "same axes");
    assert_failure(aclTransTensorDescFormat(desc, ACL_FORMAT_FRACTAL_NZ, &made), 100027, "same axes");
    /* The shape is the one it was made with, whatever is said of its storage. */
    assert_int_equal(aclSetTensorStorageFormat(desc, ACL_FORMAT_NC1HWC0), 0);
    assert_int_equal(aclSetTensorOriginShape(desc, 1, nchw), 0);
    assert_int_equal(aclTransTensorDescFormat(desc, ACL_FORMAT_NHWC, &made), 0);
    assert_int_equal(aclGetTensorDescNumDims(made), 4);
    assert_int_equal(aclGetTensorDescDim(made, 1), 5);
    aclDestroyTensorDesc(made);
    /* The rank has to be that of the axes. */
    assert_int_equal(aclSetTensorShape(desc, 3, nchw), 0);
    assert_failure(aclTransTensorDescFormat(desc, ACL_FORMAT_NHWC, &made), 100027, "rank 3");
    aclDestroyTensorDesc(desc);

    desc = aclCreateTensorDesc(ACL_FLOAT, 5, ncdhw, ACL_FORMAT_NCDHW);
    assert_int_equal(aclTransTensorDescFormat(desc, ACL_FORMAT_NDHWC, &made), 0);
    assert_int_equal(aclGetTensorDescDim(made, 1), 5);
    assert_int_equal(aclGetTensorDescDim(made, 4), 3);
    aclDestroyTensorDesc(made);
    aclDestroyTensorDesc(desc);
}

static void assert_refused(aclTensorDesc *desc, const char *why)
{
    int64_t range[2], dimension;
    int data = 0;
    aclTensorDesc *made;
    assert_failure(aclSetTensorShape(desc, 0, NULL), 100000, why);
    assert_failure(aclSetTensorStorageShape(desc, 0, NULL), 100000, why);
    assert_failure(aclSetTensorOriginShape(desc, 0, NULL), 100000, why);
    assert_failure(aclSetTensorFormat(desc, ACL_FORMAT_ND), 100000, why);
    assert_failure(aclSetTensorStorageFormat(desc, ACL_FORMAT_ND), 100000, why);
    assert_failure(aclSetTensorOriginFormat(desc, ACL_FORMAT_ND), 100000, why);
    assert_failure(aclSetTensorShapeRange(desc, 0, NULL), 100000, why);
    assert_failure(aclSetTensorValueRange(desc, 0, NULL), 100000, why);
    assert_failure(aclSetTensorDynamicInput(desc, "x"), 100000, why);
    assert_failure(aclSetTensorConst(desc, &data, 4), 100000, why);
    assert_failure(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST), 100000, why);
    assert_failure(aclGetTensorDescDimV2(desc, 0, &dimension), 100000, why);
    assert_failure(aclGetTensorDescDimRange(desc, 0, 2, range), 100000, why);
    assert_failure(aclTransTensorDescFormat(desc, ACL_FORMAT_ND, &made), 100000, why);
    assert_int_equal(aclGetTensorDescType(desc), ACL_DT_UNDEFINED);
    assert_sentence(why);
    assert_int_equal(aclGetTensorDescFormat(desc), ACL_FORMAT_UNDEFINED);
    assert_sentence(why);
    assert_int_equal(aclGetTensorDescSize(desc), 0);
    assert_sentence(why);
    assert_int_equal(aclGetTensorDescElementCount(desc), 0);
    assert_sentence(why);
    assert_int_equal(aclGetTensorDescNumDims(desc), 0);
    assert_sentence(why);
    assert_int_equal(aclGetTensorDescDim(desc, 0), -1);
    assert_sentence(why);
    assert_string_equal(aclGetTensorDescName(desc), "");
    assert_sentence(why);
    aclSetTensorDescName(desc, "x");
    assert_sentence(why);
    assert_null(aclGetTensorDescByIndex(desc, 0));
    assert_sentence(why);
    assert_null(aclGetTensorDescAddress(desc));
    assert_sentence(why);
}

static void handles_that_are_not_descriptions_are_refused(void **state)
{
    (void)state;
    int object = 0;
    aclTensorDesc *desc = create(ACL_FLOAT, 0, NULL);
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);
    aclDestroyTensorDesc(desc);
    assert_refused(NULL, "desc is NULL");
    assert_refused(desc, "desc was destroyed");
    assert_refused((aclTensorDesc *)(void *)&object, "is not a handle");
    assert_refused((aclTensorDesc *)(void *)buffer, "is a data buffer");
    aclDestroyTensorDesc(desc);
    assert_sentence("desc was destroyed");
    aclDestroyTensorDesc(NULL);
    assert_null(aclGetRecentErrMsg());
    assert_int_equal(aclDestroyDataBuffer(buffer), 0);
}

static void a_slot_used_again_starts_clean(void **state)
{
    (void)state;
    int data = 0;
    int64_t ranges[][2] = {{1, 1}};
    aclTensorDesc *first = create(ACL_FLOAT, 0, NULL);
    aclSetTensorDescName(first, "old");
    assert_int_equal(aclSetTensorConst(first, &data, 4), 0);
    assert_int_equal(aclSetTensorShapeRange(first, 1, ranges), 0);
    aclDestroyTensorDesc(first);
    aclTensorDesc *second = create(ACL_FLOAT, 0, NULL);
    int64_t range[2];
    assert_ptr_not_equal(second, first);
    assert_string_equal(aclGetTensorDescName(second), "");
    assert_null(aclGetTensorDescAddress(second));
    assert_int_equal(aclGetTensorDescDimRange(second, 0, 2, range), 100000);
    aclDestroyTensorDesc(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_was_made_of_comes_back),
        cmocka_unit_test(numbers_beyond_the_last_enumerator_are_refused),
        cmocka_unit_test(bad_shapes_make_no_description),
        cmocka_unit_test(sizes_of_special_shapes_are_right),
        cmocka_unit_test(setters_replace_what_getters_return),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(formats_with_the_same_axes_reorder_the_shape),
        cmocka_unit_test(handles_that_are_not_descriptions_are_refused),
        cmocka_unit_test(a_slot_used_again_starts_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
