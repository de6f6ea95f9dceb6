/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that calls operators by name and no function of libopapi is not linked with it: the kinds are
 * there all the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "support/failure.h"

static void kinds_are_there_without_their_library(void **state)
{
    (void)state;
    const int64_t dims[] = {3};
    float x[] = {-1, 0, 2};
    void *memory;
    assert_null(dlopen("libopapi.so", RTLD_NOW | RTLD_NOLOAD));
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtMalloc(&memory, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemcpy(memory, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    aclDataBuffer *buffer = aclCreateDataBuffer(memory, sizeof x);
    const aclTensorDesc *const descs[] = {desc};
    const aclDataBuffer *const from[] = {buffer};
    aclDataBuffer *const to[] = {buffer};
    assert_int_equal(aclopCompile("Abs", 1, descs, 1, descs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL), 0);
    assert_int_equal(aclopCompileAndExecute("Relu", 1, descs, from, 1, descs, to, NULL, ACL_ENGINE_SYS,
                                            ACL_COMPILE_SYS, NULL, NULL),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtMemcpy(x, sizeof x, memory, sizeof x, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_true(x[0] == 0 && x[1] == 0 && x[2] == 2);
    assert_failure(aclopCompile("Rellu", 1, descs, 1, descs, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL),
                   100024, "the nearest kinds that it has by name are Relu");
    assert_int_equal(aclDestroyDataBuffer(buffer), 0);
    aclDestroyTensorDesc(desc);
    assert_int_equal(aclrtFree(memory), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_there_without_their_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
