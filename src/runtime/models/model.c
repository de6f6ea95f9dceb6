/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of offline models, which are there so that programs link. Each records its name and what to
 * use instead.
 */
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_mdl.h"
#include "base/error.h"
#include "base/settings.h"

/* The parameters stand here only to agree with the header. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static int refuse(const char *name)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return fail(
        ACL_ERROR_API_NOT_SUPPORT,
        "%s is not supported: an offline model (.om) holds code for a device; aclnn functions, or the "
        "model's source by PyTorch for Ascend (docs/pytorch.md), are expected",
        name);
}

/* Each ends in a declaration, which takes the semicolon behind its use. */
#define UNSUPPORTED(name, ...) \
    aclError name(__VA_ARGS__) \
    {                          \
        return refuse(#name);  \
    }                          \
    aclError name(__VA_ARGS__)
#define UNSUPPORTED_VALUE(type, value, name, ...) \
    type name(__VA_ARGS__)                        \
    {                                             \
        refuse(#name);                            \
        return value;                             \
    }                                             \
    type name(__VA_ARGS__)

/* Models, from files and from memory, and what they take. */
UNSUPPORTED(aclmdlLoadFromFile, const char *modelPath, uint32_t *modelId);
UNSUPPORTED(aclmdlLoadFromMem, const void *model, size_t modelSize, uint32_t *modelId);
UNSUPPORTED(aclmdlLoadFromFileWithMem, const char *modelPath, uint32_t *modelId, void *workPtr,
            size_t workSize, void *weightPtr, size_t weightSize);
UNSUPPORTED(aclmdlLoadFromMemWithMem, const void *model, size_t modelSize, uint32_t *modelId, void *workPtr,
            size_t workSize, void *weightPtr, size_t weightSize);
UNSUPPORTED(aclmdlLoadFromFileWithQ, const char *modelPath, uint32_t *modelId, const uint32_t *inputQ,
            size_t inputQNum, const uint32_t *outputQ, size_t outputQNum);
UNSUPPORTED(aclmdlLoadFromMemWithQ, const void *model, size_t modelSize, uint32_t *modelId,
            const uint32_t *inputQ, size_t inputQNum, const uint32_t *outputQ, size_t outputQNum);
UNSUPPORTED(aclmdlLoadWithConfig, const aclmdlConfigHandle *handle, uint32_t *modelId);
UNSUPPORTED(aclmdlUnload, uint32_t modelId);
UNSUPPORTED(aclmdlQuerySize, const char *fileName, size_t *workSize, size_t *weightSize);
UNSUPPORTED(aclmdlQuerySizeFromMem, const void *model, size_t modelSize, size_t *workSize,
            size_t *weightSize);
UNSUPPORTED_VALUE(aclmdlConfigHandle *, NULL, aclmdlCreateConfigHandle, void);
UNSUPPORTED(aclmdlDestroyConfigHandle, aclmdlConfigHandle *handle);
UNSUPPORTED(aclmdlSetConfigOpt, aclmdlConfigHandle *handle, aclmdlConfigAttr attr, const void *attrValue,
            size_t valueSize);
UNSUPPORTED(aclmdlSetExternalWeightAddress, aclmdlConfigHandle *handle, const char *weightFileName,
            void *devPtr, size_t size);
UNSUPPORTED(aclmdlBundleLoadFromFile, const char *modelPath, uint32_t *bundleId);
UNSUPPORTED(aclmdlBundleLoadFromMem, const void *model, size_t modelSize, uint32_t *bundleId);
UNSUPPORTED(aclmdlBundleUnload, uint32_t bundleId);
UNSUPPORTED(aclmdlBundleGetModelNum, uint32_t bundleId, size_t *modelNum);
UNSUPPORTED(aclmdlBundleGetModelId, uint32_t bundleId, size_t index, uint32_t *modelId);
/* Running them. */
UNSUPPORTED(aclmdlExecute, uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output);
UNSUPPORTED(aclmdlExecuteV2, uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
            aclrtStream stream, const aclmdlExecConfigHandle *handle);
UNSUPPORTED(aclmdlExecuteAsync, uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
            aclrtStream stream);
UNSUPPORTED(aclmdlExecuteAsyncV2, uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
            aclrtStream stream, const aclmdlExecConfigHandle *handle);
UNSUPPORTED_VALUE(aclmdlExecConfigHandle *, NULL, aclmdlCreateExecConfigHandle, void);
UNSUPPORTED(aclmdlDestroyExecConfigHandle, const aclmdlExecConfigHandle *handle);
UNSUPPORTED(aclmdlSetExecConfigOpt, aclmdlExecConfigHandle *handle, aclmdlExecConfigAttr attr,
            const void *attrValue, size_t valueSize);
UNSUPPORTED(aclmdlSetDynamicBatchSize, uint32_t modelId, aclmdlDataset *dataset, size_t index,
            uint64_t batchSize);
UNSUPPORTED(aclmdlSetDynamicHWSize, uint32_t modelId, aclmdlDataset *dataset, size_t index, uint64_t height,
            uint64_t width);
UNSUPPORTED(aclmdlSetInputDynamicDims, uint32_t modelId, aclmdlDataset *dataset, size_t index,
            const aclmdlIODims *dims);
/* What a model expects and gives. */
UNSUPPORTED(aclmdlGetDesc, aclmdlDesc *modelDesc, uint32_t modelId);
UNSUPPORTED(aclmdlGetDescFromFile, aclmdlDesc *modelDesc, const char *modelPath);
UNSUPPORTED(aclmdlGetDescFromMem, aclmdlDesc *modelDesc, const void *model, size_t modelSize);
UNSUPPORTED_VALUE(size_t, 0, aclmdlGetNumInputs, aclmdlDesc *modelDesc);
UNSUPPORTED_VALUE(size_t, 0, aclmdlGetNumOutputs, aclmdlDesc *modelDesc);
UNSUPPORTED_VALUE(size_t, 0, aclmdlGetInputSizeByIndex, aclmdlDesc *modelDesc, size_t index);
UNSUPPORTED_VALUE(size_t, 0, aclmdlGetOutputSizeByIndex, aclmdlDesc *modelDesc, size_t index);
UNSUPPORTED(aclmdlGetInputDims, const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims);
UNSUPPORTED(aclmdlGetInputDimsV2, const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims);
UNSUPPORTED(aclmdlGetInputDimsRange, const aclmdlDesc *modelDesc, size_t index, aclmdlIODimsRange *dimsRange);
UNSUPPORTED(aclmdlGetOutputDims, const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims);
UNSUPPORTED(aclmdlGetCurOutputDims, const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims);
UNSUPPORTED_VALUE(const char *, NULL, aclmdlGetInputNameByIndex, const aclmdlDesc *modelDesc, size_t index);
UNSUPPORTED_VALUE(const char *, NULL, aclmdlGetOutputNameByIndex, const aclmdlDesc *modelDesc, size_t index);
UNSUPPORTED_VALUE(aclFormat, ACL_FORMAT_UNDEFINED, aclmdlGetInputFormat, const aclmdlDesc *modelDesc,
                  size_t index);
UNSUPPORTED_VALUE(aclFormat, ACL_FORMAT_UNDEFINED, aclmdlGetOutputFormat, const aclmdlDesc *modelDesc,
                  size_t index);
UNSUPPORTED_VALUE(aclDataType, ACL_DT_UNDEFINED, aclmdlGetInputDataType, const aclmdlDesc *modelDesc,
                  size_t index);
UNSUPPORTED_VALUE(aclDataType, ACL_DT_UNDEFINED, aclmdlGetOutputDataType, const aclmdlDesc *modelDesc,
                  size_t index);
UNSUPPORTED(aclmdlGetInputIndexByName, const aclmdlDesc *modelDesc, const char *name, size_t *index);
UNSUPPORTED(aclmdlGetOutputIndexByName, const aclmdlDesc *modelDesc, const char *name, size_t *index);
UNSUPPORTED(aclmdlGetDynamicBatch, const aclmdlDesc *modelDesc, aclmdlBatch *batch);
UNSUPPORTED(aclmdlGetDynamicHW, const aclmdlDesc *modelDesc, size_t index, aclmdlHW *hw);
UNSUPPORTED(aclmdlGetInputDynamicGearCount, const aclmdlDesc *modelDesc, size_t index, size_t *gearCount);
UNSUPPORTED(aclmdlGetInputDynamicDims, const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims,
            size_t gearCount);
UNSUPPORTED_VALUE(const char *, NULL, aclmdlGetOpAttr, aclmdlDesc *modelDesc, const char *opName,
                  const char *attr);
UNSUPPORTED_VALUE(const char *, NULL, aclmdlGetTensorRealName, const aclmdlDesc *modelDesc, const char *name);
UNSUPPORTED(aclmdlCreateAndGetOpDesc, uint32_t deviceId, uint32_t streamId, uint32_t taskId, char *opName,
            size_t opNameLen, aclTensorDesc **inputDesc, size_t *numInputs, aclTensorDesc **outputDesc,
            size_t *numOutputs);
/* The preprocessing of pictures that a model may begin with. */
UNSUPPORTED_VALUE(aclmdlAIPP *, NULL, aclmdlCreateAIPP, uint64_t batchSize);
UNSUPPORTED(aclmdlDestroyAIPP, const aclmdlAIPP *aippParmsSet);
UNSUPPORTED(aclmdlGetAippDataSize, uint64_t batchSize, size_t *size);
UNSUPPORTED(aclmdlSetAIPPInputFormat, aclmdlAIPP *aippParmsSet, aclAippInputFormat inputFormat);
UNSUPPORTED(aclmdlSetAIPPCscParams, aclmdlAIPP *aippParmsSet, int8_t cscSwitch, int16_t cscMatrixR0C0,
            int16_t cscMatrixR0C1, int16_t cscMatrixR0C2, int16_t cscMatrixR1C0, int16_t cscMatrixR1C1,
            int16_t cscMatrixR1C2, int16_t cscMatrixR2C0, int16_t cscMatrixR2C1, int16_t cscMatrixR2C2,
            uint8_t cscOutputBiasR0, uint8_t cscOutputBiasR1, uint8_t cscOutputBiasR2, uint8_t cscInputBiasR0,
            uint8_t cscInputBiasR1, uint8_t cscInputBiasR2);
UNSUPPORTED(aclmdlSetAIPPRbuvSwapSwitch, aclmdlAIPP *aippParmsSet, int8_t rbuvSwapSwitch);
UNSUPPORTED(aclmdlSetAIPPAxSwapSwitch, aclmdlAIPP *aippParmsSet, int8_t axSwapSwitch);
UNSUPPORTED(aclmdlSetAIPPSrcImageSize, aclmdlAIPP *aippParmsSet, int32_t srcImageSizeW,
            int32_t srcImageSizeH);
UNSUPPORTED(aclmdlSetAIPPScfParams, aclmdlAIPP *aippParmsSet, int8_t scfSwitch, int32_t scfInputSizeW,
            int32_t scfInputSizeH, int32_t scfOutputSizeW, int32_t scfOutputSizeH, uint64_t batchIndex);
UNSUPPORTED(aclmdlSetAIPPCropParams, aclmdlAIPP *aippParmsSet, int8_t cropSwitch, int32_t cropStartPosW,
            int32_t cropStartPosH, int32_t cropSizeW, int32_t cropSizeH, uint64_t batchIndex);
UNSUPPORTED(aclmdlSetAIPPPaddingParams, aclmdlAIPP *aippParmsSet, int8_t paddingSwitch,
            int32_t paddingSizeTop, int32_t paddingSizeBottom, int32_t paddingSizeLeft,
            int32_t paddingSizeRight, uint64_t batchIndex);
UNSUPPORTED(aclmdlSetAIPPDtcPixelMean, aclmdlAIPP *aippParmsSet, int16_t dtcPixelMeanChn0,
            int16_t dtcPixelMeanChn1, int16_t dtcPixelMeanChn2, int16_t dtcPixelMeanChn3,
            uint64_t batchIndex);
UNSUPPORTED(aclmdlSetAIPPDtcPixelMin, aclmdlAIPP *aippParmsSet, float dtcPixelMinChn0, float dtcPixelMinChn1,
            float dtcPixelMinChn2, float dtcPixelMinChn3, uint64_t batchIndex);
UNSUPPORTED(aclmdlSetAIPPPixelVarReci, aclmdlAIPP *aippParmsSet, float dtcPixelVarReciChn0,
            float dtcPixelVarReciChn1, float dtcPixelVarReciChn2, float dtcPixelVarReciChn3,
            uint64_t batchIndex);
UNSUPPORTED(aclmdlSetInputAIPP, uint32_t modelId, aclmdlDataset *dataset, size_t index,
            const aclmdlAIPP *aippParmsSet);
UNSUPPORTED(aclmdlSetAIPPByInputIndex, uint32_t modelId, aclmdlDataset *dataset, size_t index,
            const aclmdlAIPP *aippParmsSet);
UNSUPPORTED(aclmdlGetAippType, uint32_t modelId, size_t index, aclmdlInputAippType *type,
            size_t *dynamicAttachedDataIndex);
UNSUPPORTED(aclmdlGetFirstAippInfo, uint32_t modelId, size_t index, aclAippInfo *aippInfo);
