/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclDataBuffer: what goes in comes out; NULL, destroyed, foreign and forged handles are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

static void address_and_size_come_back(void **state)
{
    (void)state;
    int object;
    aclDataBuffer *buffer = aclCreateDataBuffer(&object, sizeof object);
    assert_non_null(buffer);
    assert_ptr_equal(aclGetDataBufferAddr(buffer), &object);
    assert_int_equal(aclGetDataBufferSize(buffer), sizeof object);
    assert_int_equal(aclGetDataBufferSizeV2(buffer), sizeof object);
    assert_int_equal(aclDestroyDataBuffer(buffer), 0);
}

static void an_update_replaces_both(void **state)
{
    (void)state;
    int object;
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);
    assert_non_null(buffer);
    assert_null(aclGetDataBufferAddr(buffer));
    assert_int_equal(aclUpdateDataBuffer(buffer, &object, 17), 0);
    assert_ptr_equal(aclGetDataBufferAddr(buffer), &object);
    assert_int_equal(aclGetDataBufferSizeV2(buffer), 17);
    assert_int_equal(aclDestroyDataBuffer(buffer), 0);
}

static void a_size_beyond_32_bits_is_whole_in_the_second_version(void **state)
{
    (void)state;
    aclDataBuffer *buffer = aclCreateDataBuffer(NULL, ((size_t)5 << 32) + 1);
    assert_true(aclGetDataBufferSizeV2(buffer) == ((size_t)5 << 32) + 1);
    assert_true(aclGetDataBufferSize(buffer) == UINT32_MAX);
    assert_int_equal(aclDestroyDataBuffer(buffer), 0);
}

static void assert_refused(aclDataBuffer *buffer, const char *why)
{
    assert_failure(aclUpdateDataBuffer(buffer, NULL, 0), 100000, why);
    assert_null(aclGetDataBufferAddr(buffer));
    assert_sentence(why);
    assert_int_equal(aclGetDataBufferSize(buffer), 0);
    assert_sentence(why);
    assert_int_equal(aclGetDataBufferSizeV2(buffer), 0);
    assert_sentence(why);
    assert_failure(aclDestroyDataBuffer(buffer), 100000, why);
}

static void handles_that_are_not_buffers_are_refused(void **state)
{
    (void)state;
    int object = 0;
    aclDataBuffer *buffer = aclCreateDataBuffer(&object, 4);
    aclDataBuffer *kept = aclCreateDataBuffer(&object, 5);
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 0, NULL, ACL_FORMAT_ND);
    assert_int_equal(aclDestroyDataBuffer(buffer), 0);
    assert_refused(NULL, "dataBuffer is NULL");
    assert_refused(buffer, "was destroyed");
    assert_refused((aclDataBuffer *)(void *)&object, "is not a handle");
    assert_refused((aclDataBuffer *)(void *)desc, "is a tensor description");
    assert_int_equal(aclGetDataBufferSizeV2(kept), 5);
    aclDestroyTensorDesc(desc);
    assert_int_equal(aclDestroyDataBuffer(kept), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_and_size_come_back),
        cmocka_unit_test(an_update_replaces_both),
        cmocka_unit_test(a_size_beyond_32_bits_is_whole_in_the_second_version),
        cmocka_unit_test(handles_that_are_not_buffers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
