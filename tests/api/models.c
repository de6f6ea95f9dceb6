/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Offline models: each function says by its name that there are none, and what to use instead; descriptions
 * and data sets are real objects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

static void expect_refusal(long long result, long long expected, const char *name)
{
    if (result != expected)
        fail_msg("%s returned %lld; %lld is expected", name, result, expected);
    const char *message = aclGetRecentErrMsg();
    if (message == NULL || strstr(message, name) == NULL || strstr(message, "aclnn functions") == NULL)
        fail_msg("%s left the message %s", name, message != NULL ? message : "(none)");
}

/* arguments: the call's, in parentheses. */
#define STATUS(name, arguments)   expect_refusal(name arguments, ACL_ERROR_API_NOT_SUPPORT, #name)
#define OBJECT(name, arguments)   expect_refusal((intptr_t)name arguments, 0, #name)
#define NUMBER(name, arguments)   expect_refusal((long long)name arguments, 0, #name)
#define NEGATIVE(name, arguments) expect_refusal((long long)name arguments, -1, #name)

static void models_are_not_supported(void **state)
{
    (void)state;
    STATUS(aclmdlLoadFromFile, (NULL, NULL));
    STATUS(aclmdlLoadFromMem, (NULL, 0, NULL));
    STATUS(aclmdlLoadFromFileWithMem, (NULL, NULL, NULL, 0, NULL, 0));
    STATUS(aclmdlLoadFromMemWithMem, (NULL, 0, NULL, NULL, 0, NULL, 0));
    STATUS(aclmdlLoadFromFileWithQ, (NULL, NULL, NULL, 0, NULL, 0));
    STATUS(aclmdlLoadFromMemWithQ, (NULL, 0, NULL, NULL, 0, NULL, 0));
    STATUS(aclmdlLoadWithConfig, (NULL, NULL));
    STATUS(aclmdlUnload, (0));
    STATUS(aclmdlQuerySize, (NULL, NULL, NULL));
    STATUS(aclmdlQuerySizeFromMem, (NULL, 0, NULL, NULL));
    OBJECT(aclmdlCreateConfigHandle, ());
    STATUS(aclmdlDestroyConfigHandle, (NULL));
    STATUS(aclmdlSetConfigOpt, (NULL, (aclmdlConfigAttr)0, NULL, 0));
    STATUS(aclmdlSetExternalWeightAddress, (NULL, NULL, NULL, 0));
    STATUS(aclmdlBundleLoadFromFile, (NULL, NULL));
    STATUS(aclmdlBundleLoadFromMem, (NULL, 0, NULL));
    STATUS(aclmdlBundleUnload, (0));
    STATUS(aclmdlBundleGetModelNum, (0, NULL));
    STATUS(aclmdlBundleGetModelId, (0, 0, NULL));
    STATUS(aclmdlExecute, (0, NULL, NULL));
    STATUS(aclmdlExecuteV2, (0, NULL, NULL, NULL, NULL));
    STATUS(aclmdlExecuteAsync, (0, NULL, NULL, NULL));
    STATUS(aclmdlExecuteAsyncV2, (0, NULL, NULL, NULL, NULL));
    OBJECT(aclmdlCreateExecConfigHandle, ());
    STATUS(aclmdlDestroyExecConfigHandle, (NULL));
    STATUS(aclmdlSetExecConfigOpt, (NULL, (aclmdlExecConfigAttr)0, NULL, 0));
    STATUS(aclmdlSetDynamicBatchSize, (0, NULL, 0, 0));
    STATUS(aclmdlSetDynamicHWSize, (0, NULL, 0, 0, 0));
    STATUS(aclmdlSetInputDynamicDims, (0, NULL, 0, NULL));
    STATUS(aclmdlGetDesc, (NULL, 0));
    STATUS(aclmdlGetDescFromFile, (NULL, NULL));
    STATUS(aclmdlGetDescFromMem, (NULL, NULL, 0));
    NUMBER(aclmdlGetNumInputs, (NULL));
    NUMBER(aclmdlGetNumOutputs, (NULL));
    NUMBER(aclmdlGetInputSizeByIndex, (NULL, 0));
    NUMBER(aclmdlGetOutputSizeByIndex, (NULL, 0));
    STATUS(aclmdlGetInputDims, (NULL, 0, NULL));
    STATUS(aclmdlGetInputDimsV2, (NULL, 0, NULL));
    STATUS(aclmdlGetInputDimsRange, (NULL, 0, NULL));
    STATUS(aclmdlGetOutputDims, (NULL, 0, NULL));
    STATUS(aclmdlGetCurOutputDims, (NULL, 0, NULL));
    OBJECT(aclmdlGetInputNameByIndex, (NULL, 0));
    OBJECT(aclmdlGetOutputNameByIndex, (NULL, 0));
    NEGATIVE(aclmdlGetInputFormat, (NULL, 0));
    NEGATIVE(aclmdlGetOutputFormat, (NULL, 0));
    NEGATIVE(aclmdlGetInputDataType, (NULL, 0));
    NEGATIVE(aclmdlGetOutputDataType, (NULL, 0));
    STATUS(aclmdlGetInputIndexByName, (NULL, NULL, NULL));
    STATUS(aclmdlGetOutputIndexByName, (NULL, NULL, NULL));
    STATUS(aclmdlGetDynamicBatch, (NULL, NULL));
    STATUS(aclmdlGetDynamicHW, (NULL, 0, NULL));
    STATUS(aclmdlGetInputDynamicGearCount, (NULL, 0, NULL));
    STATUS(aclmdlGetInputDynamicDims, (NULL, 0, NULL, 0));
    OBJECT(aclmdlGetOpAttr, (NULL, NULL, NULL));
    OBJECT(aclmdlGetTensorRealName, (NULL, NULL));
    STATUS(aclmdlCreateAndGetOpDesc, (0, 0, 0, NULL, 0, NULL, NULL, NULL, NULL));
    OBJECT(aclmdlCreateAIPP, (0));
    STATUS(aclmdlDestroyAIPP, (NULL));
    STATUS(aclmdlGetAippDataSize, (0, NULL));
    STATUS(aclmdlSetAIPPInputFormat, (NULL, (aclAippInputFormat)0));
    STATUS(aclmdlSetAIPPCscParams, (NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    STATUS(aclmdlSetAIPPRbuvSwapSwitch, (NULL, 0));
    STATUS(aclmdlSetAIPPAxSwapSwitch, (NULL, 0));
    STATUS(aclmdlSetAIPPSrcImageSize, (NULL, 0, 0));
    STATUS(aclmdlSetAIPPScfParams, (NULL, 0, 0, 0, 0, 0, 0));
    STATUS(aclmdlSetAIPPCropParams, (NULL, 0, 0, 0, 0, 0, 0));
    STATUS(aclmdlSetAIPPPaddingParams, (NULL, 0, 0, 0, 0, 0, 0));
    STATUS(aclmdlSetAIPPDtcPixelMean, (NULL, 0, 0, 0, 0, 0));
    STATUS(aclmdlSetAIPPDtcPixelMin, (NULL, 0, 0, 0, 0, 0));
    STATUS(aclmdlSetAIPPPixelVarReci, (NULL, 0, 0, 0, 0, 0));
    STATUS(aclmdlSetInputAIPP, (0, NULL, 0, NULL));
    STATUS(aclmdlSetAIPPByInputIndex, (0, NULL, 0, NULL));
    STATUS(aclmdlGetAippType, (0, 0, NULL, NULL));
    STATUS(aclmdlGetFirstAippInfo, (0, 0, NULL));
}

static void a_description_is_made_and_destroyed_once(void **state)
{
    (void)state;
    aclmdlDesc *desc = aclmdlCreateDesc(), *other = aclmdlCreateDesc();
    assert_true(desc != NULL && other != NULL && desc != other);
    assert_failure(aclmdlGetDesc(desc, 1), 200001, "aclnn functions");
    assert_int_equal(aclmdlDestroyDesc(desc), 0);
    assert_failure(aclmdlDestroyDesc(desc), 100000, "was destroyed");
    assert_failure(aclmdlDestroyDesc(NULL), 100000, "modelDesc is NULL");
    assert_failure(aclmdlDestroyDesc((aclmdlDesc *)&desc), 100000, "not a handle");
    assert_int_equal(aclmdlDestroyDesc(other), 0);
}

static void a_data_set_holds_buffers_and_descriptions(void **state)
{
    (void)state;
    enum { BUFFERS = 100 };
    const int64_t dims[] = {2, 3};
    aclDataBuffer *buffer[BUFFERS];
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    aclmdlDataset *set = aclmdlCreateDataset();
    assert_non_null(set);
    assert_int_equal(aclmdlGetDatasetNumBuffers(set), 0);
    for (size_t i = 0; i < BUFFERS; i++) {
        buffer[i] = aclCreateDataBuffer(NULL, i);
        assert_int_equal(aclmdlAddDatasetBuffer(set, buffer[i]), 0);
        assert_int_equal(aclmdlGetDatasetNumBuffers(set), i + 1);
    }
    for (size_t i = 0; i < BUFFERS; i++)
        assert_true(aclmdlGetDatasetBuffer(set, i) == buffer[i] &&
                    aclmdlGetDatasetTensorDesc(set, i) == NULL);
    assert_int_equal(aclmdlSetDatasetTensorDesc(set, desc, 7), 0);
    assert_true(aclmdlGetDatasetTensorDesc(set, 7) == desc && aclmdlGetDatasetTensorDesc(set, 8) == NULL);
    assert_int_equal(aclmdlSetDatasetTensorDesc(set, NULL, 7), 0); /* none */
    assert_null(aclmdlGetDatasetTensorDesc(set, 7));
    assert_failure(aclmdlExecute(1, set, set), 200001, "aclnn functions");

    assert_failure(aclmdlAddDatasetBuffer(set, NULL), 100000, "NULL");
    assert_failure(aclmdlAddDatasetBuffer(NULL, buffer[0]), 100000, "dataset is NULL");
    assert_failure(aclmdlSetDatasetTensorDesc(set, desc, BUFFERS), 100000, "index is 100");
    (void)aclGetRecentErrMsg();
    assert_null(aclmdlGetDatasetBuffer(set, BUFFERS));
    assert_sentence("index is 100");
    assert_null(aclmdlGetDatasetTensorDesc(set, SIZE_MAX));
    assert_sentence("index is");
    assert_null(aclmdlGetDatasetBuffer(NULL, 0));
    assert_sentence("dataset is NULL");
    assert_int_equal(aclmdlGetDatasetNumBuffers((const aclmdlDataset *)desc), 0); /* of another kind */
    assert_sentence("dataset");
    assert_int_equal(aclmdlDestroyDataset(set), 0);
    assert_failure(aclmdlDestroyDataset(set), 100000, "was destroyed");
    assert_failure(aclmdlAddDatasetBuffer(set, buffer[0]), 100000, "was destroyed");
    assert_failure(aclmdlDestroyDataset(NULL), 100000, "dataset is NULL");
    for (size_t i = 0; i < BUFFERS; i++)
        assert_int_equal(aclDestroyDataBuffer(buffer[i]), 0); /* the set left them alone */
    aclDestroyTensorDesc(desc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_not_supported),
        cmocka_unit_test(a_description_is_made_and_destroyed_once),
        cmocka_unit_test(a_data_set_holds_buffers_and_descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
