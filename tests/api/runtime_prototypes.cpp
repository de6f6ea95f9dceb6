// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The type of every function of libascendcl: see prototypes.cpp.
#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/acl_tdt.h"
#include "mspti/mspti.h"
#include "mstx/ms_tools_ext.h"
#include "api/prototypes.h"

static void expect_acl()
{
    expect<aclError(const char *)>(aclInit);
    expect<aclError()>(aclFinalize);
    expect<aclError(int32_t *, int32_t *, int32_t *)>(aclrtGetVersion);
    expect<const char *()>(aclGetRecentErrMsg);
    expect<aclError(aclCANNPackageName, aclCANNPackageVersion *)>(aclsysGetCANNVersion);
}

static void expect_acl_tdt()
{
    expect<acltdtDataItem *(acltdtTensorType, const int64_t *, size_t, aclDataType, void *, size_t)>(
        acltdtCreateDataItem);
    expect<aclError(acltdtDataItem *)>(acltdtDestroyDataItem);
    expect<acltdtTensorType(const acltdtDataItem *)>(acltdtGetTensorTypeFromItem);
    expect<aclDataType(const acltdtDataItem *)>(acltdtGetDataTypeFromItem);
    expect<void *(const acltdtDataItem *)>(acltdtGetDataAddrFromItem);
    expect<size_t(const acltdtDataItem *)>(acltdtGetDataSizeFromItem);
    expect<size_t(const acltdtDataItem *)>(acltdtGetDimNumFromItem);
    expect<aclError(const acltdtDataItem *, int64_t *, size_t)>(acltdtGetDimsFromItem);
    expect<aclError(const acltdtDataItem *, size_t *, size_t *)>(acltdtGetSliceInfoFromItem);
    expect<acltdtDataset *()>(acltdtCreateDataset);
    expect<aclError(acltdtDataset *)>(acltdtDestroyDataset);
    expect<aclError(acltdtDataset *, acltdtDataItem *)>(acltdtAddDataItem);
    expect<acltdtDataItem *(const acltdtDataset *, size_t)>(acltdtGetDataItem);
    expect<size_t(const acltdtDataset *)>(acltdtGetDatasetSize);
    expect<const char *(const acltdtDataset *)>(acltdtGetDatasetName);
    expect<acltdtChannelHandle *(uint32_t, const char *)>(acltdtCreateChannel);
    expect<acltdtChannelHandle *(uint32_t, const char *, size_t)>(acltdtCreateChannelWithCapacity);
    expect<aclError(acltdtChannelHandle *)>(acltdtDestroyChannel);
    expect<aclError(acltdtChannelHandle *)>(acltdtStopChannel);
    expect<aclError(acltdtChannelHandle *)>(acltdtCleanChannel);
    expect<aclError(const acltdtChannelHandle *, size_t *)>(acltdtQueryChannelSize);
    expect<aclError(const acltdtChannelHandle *, const acltdtDataset *, int32_t)>(acltdtSendTensor);
    expect<aclError(const acltdtChannelHandle *, acltdtDataset *, int32_t)>(acltdtReceiveTensor);
}

static void expect_allocator()
{
    expect<aclrtAllocatorDesc()>(aclrtAllocatorCreateDesc);
    expect<aclError(aclrtAllocatorDesc)>(aclrtAllocatorDestroyDesc);
    expect<aclError(aclrtAllocatorDesc, aclrtAllocator)>(aclrtAllocatorSetObjToDesc);
    expect<aclError(aclrtAllocatorDesc, aclrtAllocatorAllocFunc)>(aclrtAllocatorSetAllocFuncToDesc);
    expect<aclError(aclrtAllocatorDesc, aclrtAllocatorFreeFunc)>(aclrtAllocatorSetFreeFuncToDesc);
    expect<aclError(aclrtAllocatorDesc, aclrtAllocatorAllocAdviseFunc)>(
        aclrtAllocatorSetAllocAdviseFuncToDesc);
    expect<aclError(aclrtAllocatorDesc, aclrtAllocatorGetAddrFromBlockFunc)>(
        aclrtAllocatorSetGetAddrFromBlockFuncToDesc);
    expect<aclError(aclrtStream, aclrtAllocatorDesc)>(aclrtAllocatorRegister);
    expect<aclError(aclrtStream, aclrtAllocatorDesc *, aclrtAllocator *, aclrtAllocatorAllocFunc *,
                    aclrtAllocatorFreeFunc *, aclrtAllocatorAllocAdviseFunc *,
                    aclrtAllocatorGetAddrFromBlockFunc *)>(aclrtAllocatorGetByStream);
    expect<aclError(aclrtStream)>(aclrtAllocatorUnregister);
}

static void expect_acl_base()
{
    expect<float(aclFloat16)>(aclFloat16ToFloat);
    expect<aclFloat16(float)>(aclFloatToFloat16);
    expect<aclDataBuffer *(void *, size_t)>(aclCreateDataBuffer);
    expect<aclError(const aclDataBuffer *)>(aclDestroyDataBuffer);
    expect<aclError(aclDataBuffer *, void *, size_t)>(aclUpdateDataBuffer);
    expect<void *(const aclDataBuffer *)>(aclGetDataBufferAddr);
    expect<uint32_t(const aclDataBuffer *)>(aclGetDataBufferSize);
    expect<size_t(const aclDataBuffer *)>(aclGetDataBufferSizeV2);
    expect<size_t(aclDataType)>(aclDataTypeSize);
    expect<aclTensorDesc *(aclDataType, int, const int64_t *, aclFormat)>(aclCreateTensorDesc);
    expect<void(const aclTensorDesc *)>(aclDestroyTensorDesc);
    expect<aclError(aclTensorDesc *, size_t, int64_t(*)[ACL_TENSOR_SHAPE_RANGE_NUM])>(aclSetTensorShapeRange);
    expect<aclError(aclTensorDesc *, size_t, int64_t(*)[ACL_TENSOR_VALUE_RANGE_NUM])>(aclSetTensorValueRange);
    expect<aclDataType(const aclTensorDesc *)>(aclGetTensorDescType);
    expect<aclFormat(const aclTensorDesc *)>(aclGetTensorDescFormat);
    expect<size_t(const aclTensorDesc *)>(aclGetTensorDescSize);
    expect<size_t(const aclTensorDesc *)>(aclGetTensorDescElementCount);
    expect<size_t(const aclTensorDesc *)>(aclGetTensorDescNumDims);
    expect<int64_t(const aclTensorDesc *, size_t)>(aclGetTensorDescDim);
    expect<aclError(const aclTensorDesc *, size_t, int64_t *)>(aclGetTensorDescDimV2);
    expect<aclError(const aclTensorDesc *, size_t, size_t, int64_t *)>(aclGetTensorDescDimRange);
    expect<void(aclTensorDesc *, const char *)>(aclSetTensorDescName);
    expect<const char *(aclTensorDesc *)>(aclGetTensorDescName);
    expect<aclError(const aclTensorDesc *, aclFormat, aclTensorDesc **)>(aclTransTensorDescFormat);
    expect<aclError(aclTensorDesc *, aclFormat)>(aclSetTensorStorageFormat);
    expect<aclError(aclTensorDesc *, int, const int64_t *)>(aclSetTensorStorageShape);
    expect<aclError(aclTensorDesc *, aclFormat)>(aclSetTensorFormat);
    expect<aclError(aclTensorDesc *, int, const int64_t *)>(aclSetTensorShape);
    expect<aclError(aclTensorDesc *, aclFormat)>(aclSetTensorOriginFormat);
    expect<aclError(aclTensorDesc *, int, const int64_t *)>(aclSetTensorOriginShape);
    expect<aclTensorDesc *(aclTensorDesc *, size_t)>(aclGetTensorDescByIndex);
    expect<void *(const aclTensorDesc *)>(aclGetTensorDescAddress);
    expect<aclError(aclTensorDesc *, const char *)>(aclSetTensorDynamicInput);
    expect<aclError(aclTensorDesc *, void *, size_t)>(aclSetTensorConst);
    expect<aclError(aclTensorDesc *, aclMemType)>(aclSetTensorPlaceMent);
    expect<void(aclLogLevel, const char *, const char *, uint32_t, const char *, ...)>(aclAppLog);
    expect<const char *()>(aclrtGetSocName);
    expect<aclError(const aclCannAttr **, size_t *)>(aclGetCannAttributeList);
    expect<aclError(aclCannAttr, int32_t *)>(aclGetCannAttribute);
    expect<aclError(uint32_t, aclDeviceInfo, int64_t *)>(aclGetDeviceCapability);
}

static void expect_acl_rt()
{
    expect<aclError(aclrtLastErrLevel)>(aclrtPeekAtLastError);
    expect<aclError(aclrtLastErrLevel)>(aclrtGetLastError);
    expect<aclError(aclrtExceptionInfoCallback)>(aclrtSetExceptionInfoCallback);
    expect<uint32_t(const aclrtExceptionInfo *)>(aclrtGetTaskIdFromExceptionInfo);
    expect<uint32_t(const aclrtExceptionInfo *)>(aclrtGetStreamIdFromExceptionInfo);
    expect<uint32_t(const aclrtExceptionInfo *)>(aclrtGetThreadIdFromExceptionInfo);
    expect<uint32_t(const aclrtExceptionInfo *)>(aclrtGetDeviceIdFromExceptionInfo);
    expect<uint32_t(const aclrtExceptionInfo *)>(aclrtGetErrorCodeFromExceptionInfo);
    expect<aclError(uint64_t, aclrtStream)>(aclrtSubscribeReport);
    expect<aclError(aclrtCallback, void *, aclrtCallbackBlockType, aclrtStream)>(aclrtLaunchCallback);
    expect<aclError(int32_t)>(aclrtProcessReport);
    expect<aclError(uint64_t, aclrtStream)>(aclrtUnSubscribeReport);
    expect<aclError(aclrtContext *, int32_t)>(aclrtCreateContext);
    expect<aclError(aclrtContext)>(aclrtDestroyContext);
    expect<aclError(aclrtContext)>(aclrtSetCurrentContext);
    expect<aclError(aclrtContext *)>(aclrtGetCurrentContext);
    expect<aclError(aclSysParamOpt, int64_t *)>(aclrtCtxGetSysParamOpt);
    expect<aclError(aclSysParamOpt, int64_t)>(aclrtCtxSetSysParamOpt);
    expect<aclError(aclSysParamOpt, int64_t *)>(aclrtGetSysParamOpt);
    expect<aclError(aclSysParamOpt, int64_t)>(aclrtSetSysParamOpt);
    expect<aclError(int32_t)>(aclrtSetDevice);
    expect<aclError(int32_t)>(aclrtResetDevice);
    expect<aclError(int32_t)>(aclrtResetDeviceForce);
    expect<aclError(int32_t *)>(aclrtGetDevice);
    expect<aclError(aclrtStream, uint64_t)>(aclrtSetStreamFailureMode);
    expect<aclError(aclrtRunMode *)>(aclrtGetRunMode);
    expect<aclError()>(aclrtSynchronizeDevice);
    expect<aclError(int32_t)>(aclrtSynchronizeDeviceWithTimeout);
    expect<aclError(aclrtTsId)>(aclrtSetTsDevice);
    expect<aclError(int32_t, aclrtUtilizationInfo *)>(aclrtGetDeviceUtilizationRate);
    expect<aclError(uint32_t *)>(aclrtGetDeviceCount);
    expect<aclError(aclrtEvent *)>(aclrtCreateEvent);
    expect<aclError(aclrtEvent *, uint32_t)>(aclrtCreateEventWithFlag);
    expect<aclError(aclrtEvent *, uint32_t)>(aclrtCreateEventExWithFlag);
    expect<aclError(aclrtEvent)>(aclrtDestroyEvent);
    expect<aclError(aclrtEvent, aclrtStream)>(aclrtRecordEvent);
    expect<aclError(aclrtEvent, aclrtStream)>(aclrtResetEvent);
    expect<aclError(aclrtEvent, aclrtEventStatus *)>(aclrtQueryEvent);
    expect<aclError(aclrtEvent, aclrtEventRecordedStatus *)>(aclrtQueryEventStatus);
    expect<aclError(aclrtEvent, aclrtEventWaitStatus *)>(aclrtQueryEventWaitStatus);
    expect<aclError(aclrtEvent)>(aclrtSynchronizeEvent);
    expect<aclError(aclrtEvent, int32_t)>(aclrtSynchronizeEventWithTimeout);
    expect<aclError(float *, aclrtEvent, aclrtEvent)>(aclrtEventElapsedTime);
    expect<aclError(aclrtEvent, uint64_t *)>(aclrtEventGetTimestamp);
    expect<aclError(void **, size_t, aclrtMemMallocPolicy)>(aclrtMalloc);
    expect<aclError(void **, size_t, aclrtMemMallocPolicy)>(aclrtMallocAlign32);
    expect<aclError(void **, size_t, aclrtMemMallocPolicy)>(aclrtMallocCached);
    expect<aclError(void **, size_t, aclrtMemMallocPolicy, aclrtMallocConfig *)>(aclrtMallocWithCfg);
    expect<aclError(void **, size_t, aclrtMemMallocPolicy, aclrtMallocConfig *)>(aclrtMallocForTaskScheduler);
    expect<aclError(void **, uint64_t, aclrtMallocConfig *)>(aclrtMallocHostWithCfg);
    expect<aclError(const void *, aclrtPtrAttributes *)>(aclrtPointerGetAttributes);
    expect<aclError(void *, uint64_t, aclrtHostRegisterType, void **)>(aclrtHostRegister);
    expect<aclError(void *)>(aclrtHostUnregister);
    expect<aclError(uint32_t *)>(aclrtGetThreadLastTaskId);
    expect<aclError(aclrtStream, int32_t *)>(aclrtStreamGetId);
    expect<aclError(void *, size_t)>(aclrtMemFlush);
    expect<aclError(void *, size_t)>(aclrtMemInvalidate);
    expect<aclError(void *)>(aclrtFree);
    expect<aclError(void **, size_t)>(aclrtMallocHost);
    expect<aclError(void *)>(aclrtFreeHost);
    expect<aclError(void *, size_t, const void *, size_t, aclrtMemcpyKind)>(aclrtMemcpy);
    expect<aclError(void *, size_t, int32_t, size_t)>(aclrtMemset);
    expect<aclError(void *, size_t, const void *, size_t, aclrtMemcpyKind, aclrtStream)>(aclrtMemcpyAsync);
    expect<aclError(void *, size_t, const void *, size_t, aclrtMemcpyKind, aclrtStream)>(
        aclrtMemcpyAsyncWithCondition);
    expect<aclError(void *, size_t, const void *, size_t, size_t, size_t, aclrtMemcpyKind)>(aclrtMemcpy2d);
    expect<aclError(void *, size_t, const void *, size_t, size_t, size_t, aclrtMemcpyKind, aclrtStream)>(
        aclrtMemcpy2dAsync);
    expect<aclError(void *, size_t, int32_t, size_t, aclrtStream)>(aclrtMemsetAsync);
    expect<aclError(void **, size_t, size_t, void *, uint64_t)>(aclrtReserveMemAddress);
    expect<aclError(void *)>(aclrtReleaseMemAddress);
    expect<aclError(aclrtDrvMemHandle *, size_t, const aclrtPhysicalMemProp *, uint64_t)>(
        aclrtMallocPhysical);
    expect<aclError(aclrtDrvMemHandle)>(aclrtFreePhysical);
    expect<aclError(void *, size_t, size_t, aclrtDrvMemHandle, uint64_t)>(aclrtMapMem);
    expect<aclError(void *)>(aclrtUnmapMem);
    expect<aclrtStreamConfigHandle *()>(aclrtCreateStreamConfigHandle);
    expect<aclError(aclrtStreamConfigHandle *)>(aclrtDestroyStreamConfigHandle);
    expect<aclError(aclrtStreamConfigHandle *, aclrtStreamConfigAttr, const void *, size_t)>(
        aclrtSetStreamConfigOpt);
    expect<aclError(aclrtStream *)>(aclrtCreateStream);
    expect<aclError(aclrtStream *, const aclrtStreamConfigHandle *)>(aclrtCreateStreamV2);
    expect<aclError(aclrtStream *, uint32_t, uint32_t)>(aclrtCreateStreamWithConfig);
    expect<aclError(aclrtStream)>(aclrtDestroyStream);
    expect<aclError(aclrtStream)>(aclrtDestroyStreamForce);
    expect<aclError(aclrtStream)>(aclrtSynchronizeStream);
    expect<aclError(aclrtStream, int32_t)>(aclrtSynchronizeStreamWithTimeout);
    expect<aclError(aclrtStream, aclrtStreamStatus *)>(aclrtStreamQuery);
    expect<aclError(aclrtStream, aclrtEvent)>(aclrtStreamWaitEvent);
    expect<aclError(int32_t)>(aclrtSetGroup);
    expect<aclError(uint32_t *)>(aclrtGetGroupCount);
    expect<aclrtGroupInfo *()>(aclrtCreateGroupInfo);
    expect<aclError(aclrtGroupInfo *)>(aclrtDestroyGroupInfo);
    expect<aclError(aclrtGroupInfo *)>(aclrtGetAllGroupInfo);
    expect<aclError(const aclrtGroupInfo *, int32_t, aclrtGroupAttr, void *, size_t, size_t *)>(
        aclrtGetGroupInfoDetail);
    expect<aclError(int32_t *, int32_t, int32_t)>(aclrtDeviceCanAccessPeer);
    expect<aclError(int32_t, uint32_t)>(aclrtDeviceEnablePeerAccess);
    expect<aclError(int32_t)>(aclrtDeviceDisablePeerAccess);
    expect<aclError(aclrtMemAttr, size_t *, size_t *)>(aclrtGetMemInfo);
    expect<aclError(uint32_t)>(aclrtSetOpWaitTimeout);
    expect<aclError(uint32_t)>(aclrtSetOpExecuteTimeOut);
    expect<aclError(uint32_t)>(aclrtSetOpExecuteTimeOutWithMs);
    expect<aclError(aclrtStream, uint32_t)>(aclrtSetStreamOverflowSwitch);
    expect<aclError(aclrtStream, uint32_t *)>(aclrtGetStreamOverflowSwitch);
    expect<aclError(aclrtFloatOverflowMode)>(aclrtSetDeviceSatMode);
    expect<aclError(aclrtFloatOverflowMode *)>(aclrtGetDeviceSatMode);
    expect<aclError(void *, size_t, aclrtStream)>(aclrtGetOverflowStatus);
    expect<aclError(aclrtStream)>(aclrtResetOverflowStatus);
    expect<aclError(uint64_t, aclrtStream)>(aclrtSubscribeHostFunc);
    expect<aclError(int32_t)>(aclrtProcessHostFunc);
    expect<aclError(uint64_t, aclrtStream)>(aclrtUnSubscribeHostFunc);
    expect<aclError(int32_t, aclrtDeviceStatus *)>(aclrtQueryDeviceStatus);
    expect<aclrtBinary(const void *, size_t)>(aclrtCreateBinary);
    expect<aclError(aclrtBinary)>(aclrtDestroyBinary);
    expect<aclError(const aclrtBinary, aclrtBinHandle *)>(aclrtBinaryLoad);
    expect<aclError(aclrtBinHandle)>(aclrtBinaryUnLoad);
    expect<aclError(const aclrtBinHandle, const char *, aclrtFuncHandle *)>(aclrtBinaryGetFunction);
    expect<aclError(aclrtFuncHandle, uint32_t, const void *, size_t, aclrtStream)>(aclrtLaunchKernel);
    expect<aclError(aclrtDrvMemHandle, aclrtMemHandleType, uint64_t, uint64_t *)>(
        aclrtMemExportToShareableHandle);
    expect<aclError(uint64_t, int32_t, aclrtDrvMemHandle *)>(aclrtMemImportFromShareableHandle);
    expect<aclError(uint64_t, int32_t *, size_t)>(aclrtMemSetPidToShareableHandle);
    expect<aclError(aclrtPhysicalMemProp *, aclrtMemGranularityOptions, size_t *)>(
        aclrtMemGetAllocationGranularity);
    expect<aclError(int32_t *)>(aclrtDeviceGetBareTgid);
    expect<aclError(void *, size_t, aclrtCmoType, aclrtStream)>(aclrtCmoAsync);
    expect<aclError(int32_t, aclrtMemUceInfo *, size_t, size_t *)>(aclrtGetMemUceInfo);
    expect<aclError(int32_t, uint32_t)>(aclrtDeviceTaskAbort);
    expect<aclError(int32_t, aclrtMemUceInfo *, size_t)>(aclrtMemUceRepair);
    expect<aclError(aclrtStream)>(aclrtStreamAbort);
    expect<aclError(const char *, aclrtBinaryLoadOptions *, aclrtBinHandle *)>(aclrtBinaryLoadFromFile);
    expect<aclError(aclrtBinHandle, uint64_t, aclrtFuncHandle *)>(aclrtBinaryGetFunctionByEntry);
    expect<aclError(aclrtFuncHandle, void **, void **)>(aclrtGetFunctionAddr);
    expect<aclError(aclrtMemcpyKind, size_t *)>(aclrtGetMemcpyDescSize);
    expect<aclError(void *, aclrtMemcpyKind, void *, void *, size_t, void *)>(aclrtSetMemcpyDesc);
    expect<aclError(void *, aclrtMemcpyKind, aclrtStream)>(aclrtMemcpyAsyncWithDesc);
    expect<aclError(aclrtFuncHandle, size_t *)>(aclrtKernelArgsGetHandleMemSize);
    expect<aclError(aclrtFuncHandle, size_t, size_t *)>(aclrtKernelArgsGetMemSize);
    expect<aclError(aclrtFuncHandle, aclrtArgsHandle *)>(aclrtKernelArgsInit);
    expect<aclError(aclrtFuncHandle, aclrtArgsHandle, void *, size_t)>(aclrtKernelArgsInitByUserMem);
    expect<aclError(aclrtArgsHandle, void *, size_t, aclrtParamHandle *)>(aclrtKernelArgsAppend);
    expect<aclError(aclrtArgsHandle, aclrtParamHandle *)>(aclrtKernelArgsAppendPlaceHolder);
    expect<aclError(aclrtArgsHandle, aclrtParamHandle, size_t, void **)>(aclrtKernelArgsGetPlaceHolderBuffer);
    expect<aclError(aclrtArgsHandle, aclrtParamHandle, void *, size_t)>(aclrtKernelArgsParaUpdate);
    expect<aclError(aclrtFuncHandle, uint32_t, aclrtStream, aclrtLaunchKernelCfg *, aclrtArgsHandle, void *)>(
        aclrtLaunchKernelWithConfig);
    expect<aclError(aclrtArgsHandle)>(aclrtKernelArgsFinalize);
}

static void expect_acl_prof()
{
    expect<aclError(const char *, size_t)>(aclprofInit);
    expect<aclError(aclprofConfigType, const char *, size_t)>(aclprofSetConfig);
    expect<aclError()>(aclprofFinalize);
    expect<aclError(const aclprofConfig *)>(aclprofStart);
    expect<aclprofConfig *(uint32_t *, uint32_t, aclprofAicoreMetrics, const aclprofAicoreEvents *,
                           uint64_t)>(aclprofCreateConfig);
    expect<aclError(const aclprofConfig *)>(aclprofDestroyConfig);
    expect<aclError(const aclprofConfig *)>(aclprofStop);
    expect<aclError(uint32_t, const aclprofSubscribeConfig *)>(aclprofModelSubscribe);
    expect<aclError(uint32_t)>(aclprofModelUnSubscribe);
    expect<aclprofSubscribeConfig *(int8_t, aclprofAicoreMetrics, void *)>(aclprofCreateSubscribeConfig);
    expect<aclError(const aclprofSubscribeConfig *)>(aclprofDestroySubscribeConfig);
    expect<aclError(size_t *)>(aclprofGetOpDescSize);
    expect<aclError(const void *, size_t, uint32_t *)>(aclprofGetOpNum);
    expect<aclError(const void *, size_t, uint32_t, size_t *)>(aclprofGetOpTypeLen);
    expect<aclError(const void *, size_t, uint32_t, char *, size_t)>(aclprofGetOpType);
    expect<aclError(const void *, size_t, uint32_t, size_t *)>(aclprofGetOpNameLen);
    expect<aclError(const void *, size_t, uint32_t, char *, size_t)>(aclprofGetOpName);
    expect<uint64_t(const void *, size_t, uint32_t)>(aclprofGetOpStart);
    expect<uint64_t(const void *, size_t, uint32_t)>(aclprofGetOpEnd);
    expect<uint64_t(const void *, size_t, uint32_t)>(aclprofGetOpDuration);
    expect<size_t(const void *, size_t, uint32_t)>(aclprofGetModelId);
    expect<aclError(aclprofStepInfo *, aclprofStepTag, aclrtStream)>(aclprofGetStepTimestamp);
    expect<aclprofStepInfo *()>(aclprofCreateStepInfo);
    expect<void(aclprofStepInfo *)>(aclprofDestroyStepInfo);
    expect<void *()>(aclprofCreateStamp);
    expect<void(void *)>(aclprofDestroyStamp);
    expect<aclError(void *)>(aclprofPush);
    expect<aclError()>(aclprofPop);
    expect<aclError(void *, uint32_t *)>(aclprofRangeStart);
    expect<aclError(uint32_t)>(aclprofRangeStop);
    expect<aclError(void *, const char *, uint32_t)>(aclprofSetStampTraceMessage);
    expect<aclError(void *)>(aclprofMark);
    expect<aclError(const char *, size_t, aclrtStream)>(aclprofMarkEx);
    expect<aclError(const aclprofConfig *)>(aclprofWarmup);
    expect<aclError()>(aclprofRegisterDeviceCallback);
}

static void expect_marks()
{
    expect<void(const char *, aclrtStream)>(mstxMarkA);
    expect<mstxRangeId(const char *, aclrtStream)>(mstxRangeStartA);
    expect<void(mstxRangeId)>(mstxRangeEnd);
    expect<mstxDomainHandle_t(const char *)>(mstxDomainCreateA);
    expect<void(mstxDomainHandle_t)>(mstxDomainDestroy);
    expect<void(mstxDomainHandle_t, const char *, aclrtStream)>(mstxDomainMarkA);
    expect<mstxRangeId(mstxDomainHandle_t, const char *, aclrtStream)>(mstxDomainRangeStartA);
    expect<void(mstxDomainHandle_t, mstxRangeId)>(mstxDomainRangeEnd);
    expect<mstxMemHeapHandle_t(mstxDomainHandle_t, const mstxMemHeapDesc_t *)>(mstxMemHeapRegister);
    expect<void(mstxDomainHandle_t, mstxMemHeapHandle_t)>(mstxMemHeapUnregister);
    expect<void(mstxDomainHandle_t, const mstxMemRegionsRegisterBatch_t *)>(mstxMemRegionsRegister);
    expect<void(mstxDomainHandle_t, const mstxMemRegionsUnregisterBatch_t *)>(mstxMemRegionsUnregister);
}

static void expect_activities()
{
    expect<msptiResult(msptiSubscriberHandle *, msptiCallbackFunc, void *)>(msptiSubscribe);
    expect<msptiResult(msptiSubscriberHandle)>(msptiUnsubscribe);
    expect<msptiResult(msptiBuffersCallbackRequestFunc, msptiBuffersCallbackCompleteFunc)>(
        msptiActivityRegisterCallbacks);
    expect<msptiResult(msptiActivityKind)>(msptiActivityEnable);
    expect<msptiResult(msptiActivityKind)>(msptiActivityDisable);
    expect<int(msptiActivityKind)>(msptiActivityIsEnabled);
    expect<msptiResult(uint32_t)>(msptiActivityFlushAll);
    expect<msptiResult(uint8_t *, size_t, msptiActivity **)>(msptiActivityGetNextRecord);
    expect<msptiResult(msptiExternalCorrelationKind, uint64_t)>(msptiActivityPushExternalCorrelationId);
    expect<msptiResult(msptiExternalCorrelationKind, uint64_t *)>(msptiActivityPopExternalCorrelationId);
}

static void expect_acl_op()
{
    expect<aclError(const char *)>(aclopSetModelDir);
    expect<aclError(const void *, size_t)>(aclopLoad);
    expect<aclopAttr *()>(aclopCreateAttr);
    expect<void(const aclopAttr *)>(aclopDestroyAttr);
    expect<aclError(aclopAttr *, const char *, uint8_t)>(aclopSetAttrBool);
    expect<aclError(aclopAttr *, const char *, int64_t)>(aclopSetAttrInt);
    expect<aclError(aclopAttr *, const char *, float)>(aclopSetAttrFloat);
    expect<aclError(aclopAttr *, const char *, const char *)>(aclopSetAttrString);
    expect<aclError(aclopAttr *, const char *, aclDataType)>(aclopSetAttrDataType);
    expect<aclError(aclopAttr *, const char *, int, const aclDataType *)>(aclopSetAttrListDataType);
    expect<aclError(aclopAttr *, const char *, int, const uint8_t *)>(aclopSetAttrListBool);
    expect<aclError(aclopAttr *, const char *, int, const int64_t *)>(aclopSetAttrListInt);
    expect<aclError(aclopAttr *, const char *, int, const float *)>(aclopSetAttrListFloat);
    expect<aclError(aclopAttr *, const char *, int, const char **)>(aclopSetAttrListString);
    expect<aclError(aclopAttr *, const char *, int, const int *, const int64_t *const *)>(
        aclopSetAttrListListInt);
    expect<aclError(const char *, int, const aclTensorDesc *const *, const aclDataBuffer *const *, int,
                    const aclTensorDesc *const *, aclDataBuffer *const *, const aclopAttr *, aclrtStream)>(
        aclopExecute);
    expect<aclError(const char *, int, aclTensorDesc **, aclDataBuffer **, int, aclTensorDesc **,
                    aclDataBuffer **, aclopAttr *, aclrtStream)>(aclopExecuteV2);
    expect<aclError(const char *, int, const aclTensorDesc *const *, int, const aclTensorDesc *const *,
                    const aclopAttr *, aclopHandle **)>(aclopCreateHandle);
    expect<void(aclopHandle *)>(aclopDestroyHandle);
    expect<aclError(aclopHandle *, int, const aclDataBuffer *const *, int, aclDataBuffer *const *,
                    aclrtStream)>(aclopExecWithHandle);
    expect<aclError(const aclTensorDesc *, const aclDataBuffer *, const aclTensorDesc *, aclDataBuffer *,
                    uint8_t, aclrtStream)>(aclopCast);
    expect<aclError(aclTensorDesc *, aclTensorDesc *, uint8_t, aclopHandle **)>(aclopCreateHandleForCast);
    expect<aclError(const char *, const char *, const char *, void *, int, aclopEngineType,
                    aclDataDeallocator)>(aclopCreateKernel);
    expect<aclError(const char *, aclopCompileFunc)>(aclopRegisterCompileFunc);
    expect<aclError(const char *)>(aclopUnregisterCompileFunc);
    expect<aclError(aclopKernelDesc *, const char *, uint32_t, const void *, uint32_t)>(aclopSetKernelArgs);
    expect<aclError(aclopKernelDesc *, int, size_t *)>(aclopSetKernelWorkspaceSizes);
    expect<aclError(const char *, int, const aclTensorDesc *const *, int, const aclTensorDesc *const *,
                    const aclopAttr *)>(aclopUpdateParams);
    expect<aclError(uint64_t)>(aclopSetMaxOpQueueNum);
    expect<aclError(const char *, int, aclTensorDesc **, aclDataBuffer **, int, aclTensorDesc **,
                    aclopAttr *)>(aclopInferShape);
    expect<aclError(uint32_t, const char *)>(aclopStartDumpArgs);
    expect<aclError(uint32_t)>(aclopStopDumpArgs);
}

static void expect_acl_op_compiler()
{
    expect<aclError(const char *, int, const aclTensorDesc *const *, int, const aclTensorDesc *const *,
                    const aclopAttr *, aclopEngineType, aclopCompileType, const char *)>(aclopCompile);
    expect<aclError(const char *, int, const aclTensorDesc *const *, const aclDataBuffer *const *, int,
                    const aclTensorDesc *const *, aclDataBuffer *const *, const aclopAttr *, aclopEngineType,
                    aclopCompileType, const char *, aclrtStream)>(aclopCompileAndExecute);
    expect<aclError(const char *, int, aclTensorDesc **, aclDataBuffer **, int, aclTensorDesc **,
                    aclDataBuffer **, aclopAttr *, aclopEngineType, aclopCompileType, const char *,
                    aclrtStream)>(aclopCompileAndExecuteV2);
    expect<aclError(aclCompileOpt, const char *)>(aclSetCompileopt);
    expect<size_t(aclCompileOpt)>(aclGetCompileoptSize);
    expect<aclError(aclCompileOpt, char *, size_t)>(aclGetCompileopt);
    expect<aclError(aclOpCompileFlag)>(aclopSetCompileFlag);
    expect<aclError(const char *, int, const aclTensorDesc *const *, const aclDataBuffer *const *, int,
                    const aclTensorDesc *const *, aclDataBuffer *const *, const aclopAttr *, aclopEngineType,
                    const char *, const aclGraphDumpOption *)>(aclGenGraphAndDumpForOp);
    expect<aclGraphDumpOption *()>(aclCreateGraphDumpOpt);
    expect<aclError(const aclGraphDumpOption *)>(aclDestroyGraphDumpOpt);
}

static void expect_newer()
{
    expect<aclError(uint64_t *)>(aclFinalizeReference);
    expect<aclError(char *, char *)>(aclsysGetVersionStr);
    expect<aclError(char *, int32_t *)>(aclsysGetVersionNum);
    expect<aclError(aclrtExceptionInfoCallback)>(aclrtExceptionInfoCallbackRegister);
    expect<aclError(aclrtStream, uint32_t *)>(aclrtStreamGetPriority);
    expect<aclError(aclrtStream, uint32_t *)>(aclrtStreamGetFlags);
    expect<aclError(aclrtStream, aclrtEvent, int32_t)>(aclrtStreamWaitEventWithTimeout);
    expect<aclError(int32_t, aclrtMemUsageInfo *, size_t, size_t *)>(aclrtGetMemUsageInfo);
    expect<aclError(void *, uint64_t, uint32_t, aclrtStream)>(aclrtValueWait);
    expect<aclError(aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue *)>(aclrtSetStreamAttribute);
    expect<aclError(uint32_t, aclrtDevAttr, int64_t *)>(aclrtGetDeviceInfo);
    expect<aclError(int32_t, aclrtUuid *)>(aclrtDeviceGetUuid);
    expect<aclError(aclrtStream *)>(aclrtCtxGetCurrentDefaultStream);
    expect<aclError(int32_t, uint32_t *, int32_t *)>(aclrtGetPrimaryCtxState);
    expect<aclError(void **, size_t *, void **, size_t *, size_t, aclrtMemcpyBatchAttr *, size_t *, size_t,
                    size_t *)>(aclrtMemcpyBatch);
    expect<aclError(aclrtStream, aclmdlRICaptureMode)>(aclmdlRICaptureBegin);
    expect<aclError(aclrtStream, aclmdlRI *)>(aclmdlRICaptureEnd);
    expect<aclError(aclmdlRI, aclrtStream)>(aclmdlRIExecuteAsync);
    expect<aclError(aclmdlRI, int32_t)>(aclmdlRIExecute);
    expect<aclError(aclmdlRI)>(aclmdlRIDestroy);
    expect<aclError(aclRegisterCallbackType, aclInitCallbackFunc, void *)>(aclInitCallbackRegister);
    expect<aclError(aclRegisterCallbackType, aclFinalizeCallbackFunc, void *)>(aclFinalizeCallbackRegister);
    expect<aclError(aclrtStream, aclrtHostFunc, void *)>(aclrtLaunchHostFunc);
    expect<aclError(aclrtStream)>(aclrtStreamStop);
    expect<aclError(aclRegisterCallbackType, aclInitCallbackFunc, void *)>(aclInitCallbackUnRegister);
    expect<aclError(aclRegisterCallbackType, aclFinalizeCallbackFunc, void *)>(aclFinalizeCallbackUnRegister);
    expect<aclError(aclrtExceptionInfoCallback)>(aclrtExceptionInfoCallbackUnregister);
    expect<aclError(void *, uint64_t, uint32_t)>(aclrtHostRegisterV2);
    expect<aclError(aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue *)>(aclrtGetStreamAttribute);
}

/* Those that frameworks look up. */
static void expect_looked_up()
{
    expect<aclError(aclrtStream, aclmdlRICaptureStatus *, aclmdlRI *)>(aclmdlRICaptureGetInfo);
    expect<aclError(aclmdlRICaptureMode *)>(aclmdlRICaptureThreadExchangeMode);
    expect<aclError(aclmdlRI, uint32_t *)>(aclmdlRIGetId);
    expect<aclError(aclmdlRI)>(aclmdlRIDebugPrint);
    expect<aclError(aclmdlRI, const char *, uint32_t)>(aclmdlRIDebugJsonPrint);
    expect<aclError(aclrtStream)>(aclmdlRICaptureTaskGrpBegin);
    expect<aclError(aclrtStream, aclrtTaskGrp *)>(aclmdlRICaptureTaskGrpEnd);
    expect<aclError(aclrtStream, aclrtTaskGrp)>(aclmdlRICaptureTaskUpdateBegin);
    expect<aclError(aclrtStream)>(aclmdlRICaptureTaskUpdateEnd);
    expect<aclError(aclrtStream, aclmdlRI, aclmdlRICaptureMode)>(aclmdlRICaptureToModelRIBegin);
    expect<aclError(aclmdlRI, unsigned, uint32_t, aclmdlRICondHandle *)>(aclmdlRICondHandleCreate);
    expect<aclError(aclmdlRICondHandle, uint64_t **)>(aclmdlRICondHandleGetCondPtr);
    expect<aclmdlDesc *()>(aclmdlCreateDesc);
    expect<aclError(aclmdlDesc *)>(aclmdlDestroyDesc);
    expect<aclmdlDataset *()>(aclmdlCreateDataset);
    expect<aclError(const aclmdlDataset *)>(aclmdlDestroyDataset);
    expect<aclError(aclmdlDataset *, aclDataBuffer *)>(aclmdlAddDatasetBuffer);
    expect<size_t(const aclmdlDataset *)>(aclmdlGetDatasetNumBuffers);
    expect<aclDataBuffer *(const aclmdlDataset *, size_t)>(aclmdlGetDatasetBuffer);
    expect<aclError(aclmdlDataset *, aclTensorDesc *, size_t)>(aclmdlSetDatasetTensorDesc);
    expect<aclTensorDesc *(const aclmdlDataset *, size_t)>(aclmdlGetDatasetTensorDesc);
    expect<aclError(const char *, uint32_t *)>(aclmdlLoadFromFile);
    expect<aclError(const void *, size_t, uint32_t *)>(aclmdlLoadFromMem);
    expect<aclError(const char *, uint32_t *, void *, size_t, void *, size_t)>(aclmdlLoadFromFileWithMem);
    expect<aclError(const void *, size_t, uint32_t *, void *, size_t, void *, size_t)>(
        aclmdlLoadFromMemWithMem);
    expect<aclError(const char *, uint32_t *, const uint32_t *, size_t, const uint32_t *, size_t)>(
        aclmdlLoadFromFileWithQ);
    expect<aclError(const void *, size_t, uint32_t *, const uint32_t *, size_t, const uint32_t *, size_t)>(
        aclmdlLoadFromMemWithQ);
    expect<aclError(const aclmdlConfigHandle *, uint32_t *)>(aclmdlLoadWithConfig);
    expect<aclError(uint32_t)>(aclmdlUnload);
    expect<aclError(const char *, size_t *, size_t *)>(aclmdlQuerySize);
    expect<aclError(const void *, size_t, size_t *, size_t *)>(aclmdlQuerySizeFromMem);
    expect<aclmdlConfigHandle *()>(aclmdlCreateConfigHandle);
    expect<aclError(aclmdlConfigHandle *)>(aclmdlDestroyConfigHandle);
    expect<aclError(aclmdlConfigHandle *, aclmdlConfigAttr, const void *, size_t)>(aclmdlSetConfigOpt);
    expect<aclError(aclmdlConfigHandle *, const char *, void *, size_t)>(aclmdlSetExternalWeightAddress);
    expect<aclError(const char *, uint32_t *)>(aclmdlBundleLoadFromFile);
    expect<aclError(const void *, size_t, uint32_t *)>(aclmdlBundleLoadFromMem);
    expect<aclError(uint32_t)>(aclmdlBundleUnload);
    expect<aclError(uint32_t, size_t *)>(aclmdlBundleGetModelNum);
    expect<aclError(uint32_t, size_t, uint32_t *)>(aclmdlBundleGetModelId);
    expect<aclError(uint32_t, const aclmdlDataset *, aclmdlDataset *)>(aclmdlExecute);
    expect<aclError(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream,
                    const aclmdlExecConfigHandle *)>(aclmdlExecuteV2);
    expect<aclError(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream)>(aclmdlExecuteAsync);
    expect<aclError(uint32_t, const aclmdlDataset *, aclmdlDataset *, aclrtStream,
                    const aclmdlExecConfigHandle *)>(aclmdlExecuteAsyncV2);
    expect<aclmdlExecConfigHandle *()>(aclmdlCreateExecConfigHandle);
    expect<aclError(const aclmdlExecConfigHandle *)>(aclmdlDestroyExecConfigHandle);
    expect<aclError(aclmdlExecConfigHandle *, aclmdlExecConfigAttr, const void *, size_t)>(
        aclmdlSetExecConfigOpt);
    expect<aclError(uint32_t, aclmdlDataset *, size_t, uint64_t)>(aclmdlSetDynamicBatchSize);
    expect<aclError(uint32_t, aclmdlDataset *, size_t, uint64_t, uint64_t)>(aclmdlSetDynamicHWSize);
    expect<aclError(uint32_t, aclmdlDataset *, size_t, const aclmdlIODims *)>(aclmdlSetInputDynamicDims);
    expect<aclError(aclmdlDesc *, uint32_t)>(aclmdlGetDesc);
    expect<aclError(aclmdlDesc *, const char *)>(aclmdlGetDescFromFile);
    expect<aclError(aclmdlDesc *, const void *, size_t)>(aclmdlGetDescFromMem);
    expect<size_t(aclmdlDesc *)>(aclmdlGetNumInputs);
    expect<size_t(aclmdlDesc *)>(aclmdlGetNumOutputs);
    expect<size_t(aclmdlDesc *, size_t)>(aclmdlGetInputSizeByIndex);
    expect<size_t(aclmdlDesc *, size_t)>(aclmdlGetOutputSizeByIndex);
    expect<aclError(const aclmdlDesc *, size_t, aclmdlIODims *)>(aclmdlGetInputDims);
    expect<aclError(const aclmdlDesc *, size_t, aclmdlIODims *)>(aclmdlGetInputDimsV2);
    expect<aclError(const aclmdlDesc *, size_t, aclmdlIODimsRange *)>(aclmdlGetInputDimsRange);
    expect<aclError(const aclmdlDesc *, size_t, aclmdlIODims *)>(aclmdlGetOutputDims);
    expect<aclError(const aclmdlDesc *, size_t, aclmdlIODims *)>(aclmdlGetCurOutputDims);
    expect<const char *(const aclmdlDesc *, size_t)>(aclmdlGetInputNameByIndex);
    expect<const char *(const aclmdlDesc *, size_t)>(aclmdlGetOutputNameByIndex);
    expect<aclFormat(const aclmdlDesc *, size_t)>(aclmdlGetInputFormat);
    expect<aclFormat(const aclmdlDesc *, size_t)>(aclmdlGetOutputFormat);
    expect<aclDataType(const aclmdlDesc *, size_t)>(aclmdlGetInputDataType);
    expect<aclDataType(const aclmdlDesc *, size_t)>(aclmdlGetOutputDataType);
    expect<aclError(const aclmdlDesc *, const char *, size_t *)>(aclmdlGetInputIndexByName);
    expect<aclError(const aclmdlDesc *, const char *, size_t *)>(aclmdlGetOutputIndexByName);
    expect<aclError(const aclmdlDesc *, aclmdlBatch *)>(aclmdlGetDynamicBatch);
    expect<aclError(const aclmdlDesc *, size_t, aclmdlHW *)>(aclmdlGetDynamicHW);
    expect<aclError(const aclmdlDesc *, size_t, size_t *)>(aclmdlGetInputDynamicGearCount);
    expect<aclError(const aclmdlDesc *, size_t, aclmdlIODims *, size_t)>(aclmdlGetInputDynamicDims);
    expect<const char *(aclmdlDesc *, const char *, const char *)>(aclmdlGetOpAttr);
    expect<const char *(const aclmdlDesc *, const char *)>(aclmdlGetTensorRealName);
    expect<aclError(uint32_t, uint32_t, uint32_t, char *, size_t, aclTensorDesc **, size_t *,
                    aclTensorDesc **, size_t *)>(aclmdlCreateAndGetOpDesc);
    expect<aclmdlAIPP *(uint64_t)>(aclmdlCreateAIPP);
    expect<aclError(const aclmdlAIPP *)>(aclmdlDestroyAIPP);
    expect<aclError(uint64_t, size_t *)>(aclmdlGetAippDataSize);
    expect<aclError(aclmdlAIPP *, aclAippInputFormat)>(aclmdlSetAIPPInputFormat);
    expect<aclError(aclmdlAIPP *, int8_t, int16_t, int16_t, int16_t, int16_t, int16_t, int16_t, int16_t,
                    int16_t, int16_t, uint8_t, uint8_t, uint8_t, uint8_t, uint8_t, uint8_t)>(
        aclmdlSetAIPPCscParams);
    expect<aclError(aclmdlAIPP *, int8_t)>(aclmdlSetAIPPRbuvSwapSwitch);
    expect<aclError(aclmdlAIPP *, int8_t)>(aclmdlSetAIPPAxSwapSwitch);
    expect<aclError(aclmdlAIPP *, int32_t, int32_t)>(aclmdlSetAIPPSrcImageSize);
    expect<aclError(aclmdlAIPP *, int8_t, int32_t, int32_t, int32_t, int32_t, uint64_t)>(
        aclmdlSetAIPPScfParams);
    expect<aclError(aclmdlAIPP *, int8_t, int32_t, int32_t, int32_t, int32_t, uint64_t)>(
        aclmdlSetAIPPCropParams);
    expect<aclError(aclmdlAIPP *, int8_t, int32_t, int32_t, int32_t, int32_t, uint64_t)>(
        aclmdlSetAIPPPaddingParams);
    expect<aclError(aclmdlAIPP *, int16_t, int16_t, int16_t, int16_t, uint64_t)>(aclmdlSetAIPPDtcPixelMean);
    expect<aclError(aclmdlAIPP *, float, float, float, float, uint64_t)>(aclmdlSetAIPPDtcPixelMin);
    expect<aclError(aclmdlAIPP *, float, float, float, float, uint64_t)>(aclmdlSetAIPPPixelVarReci);
    expect<aclError(uint32_t, aclmdlDataset *, size_t, const aclmdlAIPP *)>(aclmdlSetInputAIPP);
    expect<aclError(uint32_t, aclmdlDataset *, size_t, const aclmdlAIPP *)>(aclmdlSetAIPPByInputIndex);
    expect<aclError(uint32_t, size_t, aclmdlInputAippType *, size_t *)>(aclmdlGetAippType);
    expect<aclError(uint32_t, size_t, aclAippInfo *)>(aclmdlGetFirstAippInfo);
    expect<aclError(int32_t, aclrtDevResLimitType, uint32_t *)>(aclrtGetDeviceResLimit);
    expect<aclError(int32_t, aclrtDevResLimitType, uint32_t)>(aclrtSetDeviceResLimit);
    expect<aclError(int32_t)>(aclrtResetDeviceResLimit);
    expect<aclError(aclrtStream, aclrtDevResLimitType, uint32_t *)>(aclrtGetStreamResLimit);
    expect<aclError(aclrtStream, aclrtDevResLimitType, uint32_t)>(aclrtSetStreamResLimit);
    expect<aclError(aclrtStream)>(aclrtResetStreamResLimit);
    expect<aclError(aclrtStream)>(aclrtUseStreamResInCurrentThread);
    expect<aclError(aclrtStream)>(aclrtUnuseStreamResInCurrentThread);
    expect<aclError(aclrtDevResLimitType, uint32_t *)>(aclrtGetResInCurrentThread);
    expect<aclError(int32_t, int32_t *)>(aclrtGetLogicDevIdByUserDevId);
    expect<aclError(void **, size_t *, void **, size_t *, size_t, aclrtMemcpyBatchAttr *, size_t *, size_t,
                    size_t *, aclrtStream)>(aclrtMemcpyBatchAsync);
    expect<aclError(uint64_t, uint64_t *)>(aclrtSetOpExecuteTimeOutV2);
    expect<aclError(void *, uint64_t, uint32_t, aclrtStream)>(aclrtValueWrite);
    expect<aclError(aclrtEvent, aclrtIpcEventHandle *)>(aclrtIpcGetEventHandle);
    expect<aclError(aclrtIpcEventHandle, aclrtEvent *)>(aclrtIpcOpenEventHandle);
    expect<aclError(void *, size_t, char *, size_t, uint64_t)>(aclrtIpcMemGetExportKey);
    expect<aclError(void **, const char *, uint64_t)>(aclrtIpcMemImportByKey);
    expect<aclError(const char *, int32_t *, size_t)>(aclrtIpcMemSetImportPid);
    expect<aclError(const char *)>(aclrtIpcMemClose);
    expect<aclError(const void *, size_t, const aclrtBinaryLoadOptions *, aclrtBinHandle *)>(
        aclrtBinaryLoadFromData);
    expect<aclError()>(aclmdlInitDump);
    expect<aclError(const char *)>(aclmdlSetDump);
    expect<aclError()>(aclmdlFinalizeDump);
    expect<aclError()>(aclprofRegisterDeviceCallback);
    /* The tags, which C++ programs write. */
    expect<aclError(const char *, int, const aclTensorDesc *const *, const aclDataBuffer *const *, int,
                    const aclTensorDesc *const *, aclDataBuffer *const *, const aclopAttr *,
                    enum aclEngineType, enum aclCompileType, const char *, aclrtStream)>(
        aclopCompileAndExecute);
}

void expect_runtime()
{
    expect_acl();
    expect_acl_tdt();
    expect_allocator();
    expect_acl_base();
    expect_acl_rt();
    expect_acl_prof();
    expect_marks();
    expect_activities();
    expect_acl_op();
    expect_acl_op_compiler();
    expect_newer();
    expect_looked_up();
}
