/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions that are there so that programs link, and not supported: each says so with its name, whatever
 * it is given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "aclnn/acl_meta.h"

static void expect_name(const char *name)
{
    const char *message = aclGetRecentErrMsg();
    if (message == NULL || strstr(message, name) == NULL || strstr(message, "is not supported") == NULL)
        fail_msg("%s left the message %s", name, message != NULL ? message : "(none)");
}

static void expect_refusal(long long result, long long expected, const char *name)
{
    if (result != expected)
        fail_msg("%s returned %lld; %lld is expected", name, result, expected);
    expect_name(name);
}

/* arguments: the call's, in parentheses. */
#define STATUS(name, arguments)  expect_refusal(name arguments, ACL_ERROR_API_NOT_SUPPORT, #name)
#define OBJECT(name, arguments)  expect_refusal((intptr_t)name arguments, 0, #name)
#define NUMBER(name, arguments)  expect_refusal((long long)name arguments, 0, #name)
#define NOTHING(name, arguments) (name arguments, expect_name(#name))

static void device_binaries_are_not_supported(void **state)
{
    (void)state;
    STATUS(aclrtDestroyBinary, (NULL));
    STATUS(aclrtBinaryLoad, (NULL, NULL));
    STATUS(aclrtBinaryLoadFromFile, (NULL, NULL, NULL));
    STATUS(aclrtBinaryLoadFromData, (NULL, 0, NULL, NULL));
    STATUS(aclrtBinaryUnLoad, (NULL));
    STATUS(aclrtBinaryGetFunction, (NULL, NULL, NULL));
    STATUS(aclrtBinaryGetFunctionByEntry, (NULL, 0, NULL));
    STATUS(aclrtGetFunctionAddr, (NULL, NULL, NULL));
    STATUS(aclrtKernelArgsGetHandleMemSize, (NULL, NULL));
    STATUS(aclrtKernelArgsGetMemSize, (NULL, 0, NULL));
    STATUS(aclrtKernelArgsInit, (NULL, NULL));
    STATUS(aclrtKernelArgsInitByUserMem, (NULL, NULL, NULL, 0));
    STATUS(aclrtKernelArgsAppend, (NULL, NULL, 0, NULL));
    STATUS(aclrtKernelArgsAppendPlaceHolder, (NULL, NULL));
    STATUS(aclrtKernelArgsGetPlaceHolderBuffer, (NULL, NULL, 0, NULL));
    STATUS(aclrtKernelArgsParaUpdate, (NULL, NULL, NULL, 0));
    STATUS(aclrtKernelArgsFinalize, (NULL));
    STATUS(aclrtLaunchKernel, (NULL, 0, NULL, 0, NULL));
    STATUS(aclrtLaunchKernelWithConfig, (NULL, 0, NULL, NULL, NULL, NULL));
}

static void capture_is_not_supported(void **state)
{
    (void)state;
    STATUS(aclmdlRICaptureToModelRIBegin, (NULL, NULL, (aclmdlRICaptureMode)0));
    STATUS(aclmdlRICondHandleCreate, (NULL, 0, 0, NULL));
    STATUS(aclmdlRICondHandleGetCondPtr, (NULL, NULL));
}

static void single_operators_are_not_supported(void **state)
{
    (void)state;
    STATUS(aclopLoad, (NULL, 0));
    STATUS(aclopInferShape, (NULL, 0, NULL, NULL, 0, NULL, NULL));
    STATUS(aclopCreateKernel, (NULL, NULL, NULL, NULL, 0, (aclopEngineType)0, NULL));
    STATUS(aclopRegisterCompileFunc, (NULL, NULL));
    STATUS(aclopUnregisterCompileFunc, (NULL));
    STATUS(aclopSetKernelArgs, (NULL, NULL, 0, NULL, 0));
    STATUS(aclopSetKernelWorkspaceSizes, (NULL, 0, NULL));
    STATUS(aclopStartDumpArgs, (0, NULL));
    STATUS(aclopStopDumpArgs, (0));
}

static void compiling_operators_is_not_supported(void **state)
{
    (void)state;
    STATUS(aclDestroyGraphDumpOpt, (NULL));
    STATUS(aclGenGraphAndDumpForOp,
           (NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, (aclopEngineType)0, NULL, NULL));
}

static void subscribing_to_offline_models_is_not_supported(void **state)
{
    (void)state;
    STATUS(aclprofDestroySubscribeConfig, (NULL));
    STATUS(aclprofModelSubscribe, (0, NULL));
    STATUS(aclprofModelUnSubscribe, (0));
    STATUS(aclprofGetOpDescSize, (NULL));
    STATUS(aclprofGetOpNum, (NULL, 0, NULL));
    STATUS(aclprofGetOpTypeLen, (NULL, 0, 0, NULL));
    STATUS(aclprofGetOpType, (NULL, 0, 0, NULL, 0));
    STATUS(aclprofGetOpNameLen, (NULL, 0, 0, NULL));
    STATUS(aclprofGetOpName, (NULL, 0, 0, NULL, 0));
}

static void the_rest_of_the_runtime_is_not_supported(void **state)
{
    (void)state;
    STATUS(aclrtSetGroup, (0));
    STATUS(aclrtGetGroupCount, (NULL));
    STATUS(aclrtDestroyGroupInfo, (NULL));
    STATUS(aclrtGetAllGroupInfo, (NULL));
    STATUS(aclrtGetGroupInfoDetail, (NULL, 0, (aclrtGroupAttr)0, NULL, 0, NULL));
    STATUS(aclrtGetOverflowStatus, (NULL, 0, NULL));
    STATUS(aclrtResetOverflowStatus, (NULL));
    STATUS(aclrtGetMemUceInfo, (0, NULL, 0, NULL));
    STATUS(aclrtMemUceRepair, (0, NULL, 0));
    STATUS(aclrtGetMemcpyDescSize, ((aclrtMemcpyKind)0, NULL));
    STATUS(aclrtSetMemcpyDesc, (NULL, (aclrtMemcpyKind)0, NULL, NULL, 0, NULL));
    STATUS(aclrtMemcpyAsyncWithDesc, (NULL, (aclrtMemcpyKind)0, NULL));
}

static void what_makes_objects_returns_null(void **state)
{
    (void)state;
    OBJECT(aclrtCreateBinary, (NULL, 0));
    OBJECT(aclCreateGraphDumpOpt, ());
    OBJECT(aclprofCreateSubscribeConfig, (0, (aclprofAicoreMetrics)0, NULL));
    OBJECT(aclrtCreateGroupInfo, ());
}

static void what_returns_a_number_returns_0(void **state)
{
    (void)state;
    NUMBER(aclprofGetOpStart, (NULL, 0, 0));
    NUMBER(aclprofGetOpEnd, (NULL, 0, 0));
    NUMBER(aclprofGetOpDuration, (NULL, 0, 0));
    NUMBER(aclprofGetModelId, (NULL, 0, 0));
}

static void what_returns_nothing_leaves_a_message(void **state)
{
    (void)state;
}

static void dumping_tensors_is_not_supported(void **state)
{
    (void)state;
    expect_refusal(aclDumpOpTensors(NULL, NULL, NULL, 0, 0, NULL), ACLNN_ERR_INNER, "aclDumpOpTensors");
}

static void a_model_folder_is_accepted_and_NULL_refused(void **state)
{
    (void)state;
    assert_int_equal(aclopSetModelDir("op_models"), ACL_SUCCESS);
    assert_int_equal(aclopSetModelDir(NULL), ACL_ERROR_INVALID_PARAM);
}

static void a_cache_hint_checks_its_arguments(void **state)
{
    char byte = 0;
    (void)state;
    assert_int_equal(aclrtCmoAsync(&byte, 1, ACL_RT_CMO_TYPE_PREFETCH, NULL), ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
    assert_int_equal(aclrtCmoAsync(&byte, 1, ACL_RT_CMO_TYPE_PREFETCH, NULL), ACL_SUCCESS);
    assert_int_equal(aclrtCmoAsync(&byte, 1, ACL_RT_CMO_TYPE_FLUSH, NULL), ACL_SUCCESS);
    assert_int_equal(aclrtCmoAsync(NULL, 1, ACL_RT_CMO_TYPE_PREFETCH, NULL), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclrtCmoAsync(&byte, 0, ACL_RT_CMO_TYPE_PREFETCH, NULL), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclrtCmoAsync(&byte, 1, (aclrtCmoType)4, NULL), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtCmoAsync(&byte, 1, (aclrtCmoType)-1, NULL), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtCmoAsync(&byte, 1, ACL_RT_CMO_TYPE_PREFETCH, &byte), ACL_ERROR_RT_INVALID_HANDLE);
    assert_int_equal(aclrtResetDevice(0), ACL_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_binaries_are_not_supported),
        cmocka_unit_test(capture_is_not_supported),
        cmocka_unit_test(single_operators_are_not_supported),
        cmocka_unit_test(compiling_operators_is_not_supported),
        cmocka_unit_test(subscribing_to_offline_models_is_not_supported),
        cmocka_unit_test(the_rest_of_the_runtime_is_not_supported),
        cmocka_unit_test(what_makes_objects_returns_null),
        cmocka_unit_test(what_returns_a_number_returns_0),
        cmocka_unit_test(what_returns_nothing_leaves_a_message),
        cmocka_unit_test(dumping_tensors_is_not_supported),
        cmocka_unit_test(a_model_folder_is_accepted_and_NULL_refused),
        cmocka_unit_test(a_cache_hint_checks_its_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
