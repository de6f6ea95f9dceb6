/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions that are declared so that programs link, but that this library does not have. Each records
 * its name and answers ACL_ERROR_API_NOT_SUPPORT, or NULL or 0 where it returns no status.
 */
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "base/error.h"
#include "base/settings.h"
#include "runtime/streams/refusal.h"

/* The parameters stand here only to agree with the headers. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static int refuse(const char *name)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return fail(ACL_ERROR_API_NOT_SUPPORT, "%s is not supported by this library", name);
}

/*
 * Libraries with code for the device offer it when they are loaded, look at no status, and may never be asked
 * for a kernel: the sentence stays until another failure has one.
 */
static int refuse_code(const char *name)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return fail(ACL_ERROR_API_NOT_SUPPORT | ANSWER_IS_POLLED,
                "%s is not supported by this library: there is no code for the device here", name);
}

static int refuse_launch(const char *name, aclrtStream stream)
{
    refusal_of_launch(name, stream);
    return refuse(name);
}

/* Each ends in a declaration, which takes the semicolon behind its use. */
#define UNSUPPORTED(name, ...) \
    aclError name(__VA_ARGS__) \
    {                          \
        return refuse(#name);  \
    }                          \
    aclError name(__VA_ARGS__)
#define UNSUPPORTED_VALUE(type, name, ...) \
    type name(__VA_ARGS__)                 \
    {                                      \
        refuse(#name);                     \
        return 0;                          \
    }                                      \
    type name(__VA_ARGS__)
#define UNSUPPORTED_VOID(name, ...) \
    void name(__VA_ARGS__)          \
    {                               \
        refuse(#name);              \
    }                               \
    void name(__VA_ARGS__)

#define UNSUPPORTED_CODE(name, ...) \
    aclError name(__VA_ARGS__)      \
    {                               \
        return refuse_code(#name);  \
    }                               \
    aclError name(__VA_ARGS__)
#define UNSUPPORTED_LAUNCH(name, ...)        \
    aclError name(__VA_ARGS__)               \
    {                                        \
        return refuse_launch(#name, stream); \
    }                                        \
    aclError name(__VA_ARGS__)

/* Device binaries. */
UNSUPPORTED_VALUE(aclrtBinary, aclrtCreateBinary, const void *data, size_t dataLen);
UNSUPPORTED(aclrtDestroyBinary, aclrtBinary binary);
UNSUPPORTED_CODE(aclrtBinaryLoad, const aclrtBinary binary, aclrtBinHandle *binHandle);
UNSUPPORTED_CODE(aclrtBinaryLoadFromFile, const char *binPath, aclrtBinaryLoadOptions *options,
                 aclrtBinHandle *binHandle);
UNSUPPORTED_CODE(aclrtBinaryLoadFromData, const void *data, size_t length,
                 const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);
UNSUPPORTED_CODE(aclrtBinaryUnLoad, aclrtBinHandle binHandle);
UNSUPPORTED_CODE(aclrtBinaryGetFunction, const aclrtBinHandle binHandle, const char *kernelName,
                 aclrtFuncHandle *funcHandle);
UNSUPPORTED_CODE(aclrtBinaryGetFunctionByEntry, aclrtBinHandle binHandle, uint64_t funcEntry,
                 aclrtFuncHandle *funcHandle);
UNSUPPORTED(aclrtGetFunctionAddr, aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr);
UNSUPPORTED(aclrtKernelArgsGetHandleMemSize, aclrtFuncHandle funcHandle, size_t *memSize);
UNSUPPORTED(aclrtKernelArgsGetMemSize, aclrtFuncHandle funcHandle, size_t userArgsSize,
            size_t *actualArgsSize);
UNSUPPORTED(aclrtKernelArgsInit, aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle);
UNSUPPORTED(aclrtKernelArgsInitByUserMem, aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle,
            void *userHostMem, size_t actualArgsSize);
UNSUPPORTED(aclrtKernelArgsAppend, aclrtArgsHandle argsHandle, void *param, size_t paramSize,
            aclrtParamHandle *paramHandle);
UNSUPPORTED(aclrtKernelArgsAppendPlaceHolder, aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle);
UNSUPPORTED(aclrtKernelArgsGetPlaceHolderBuffer, aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
            size_t dataSize, void **bufferAddr);
UNSUPPORTED(aclrtKernelArgsParaUpdate, aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param,
            size_t paramSize);
UNSUPPORTED(aclrtKernelArgsFinalize, aclrtArgsHandle argsHandle);
UNSUPPORTED_LAUNCH(aclrtLaunchKernel, aclrtFuncHandle funcHandle, uint32_t blockDim, const void *argsData,
                   size_t argsSize, aclrtStream stream);
UNSUPPORTED_LAUNCH(aclrtLaunchKernelWithConfig, aclrtFuncHandle funcHandle, uint32_t blockDim,
                   aclrtStream stream, aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve);

/* Captured work that runs on a condition. */
UNSUPPORTED(aclmdlRICaptureToModelRIBegin, aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode);
UNSUPPORTED(aclmdlRICondHandleCreate, aclmdlRI modelRI, unsigned defaultValue, uint32_t flag,
            aclmdlRICondHandle *handle);
UNSUPPORTED(aclmdlRICondHandleGetCondPtr, aclmdlRICondHandle handle, uint64_t **condPtr);

/* Single operators by name. */
UNSUPPORTED(aclopLoad, const void *model, size_t modelSize);
UNSUPPORTED(aclopInferShape, const char *opType, int numInputs, aclTensorDesc *inputDesc[],
            aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[], aclopAttr *attr);
UNSUPPORTED(aclopCreateKernel, const char *opType, const char *kernelId, const char *kernelName,
            void *binData, int binSize, aclopEngineType enginetype, aclDataDeallocator deallocator);
UNSUPPORTED(aclopRegisterCompileFunc, const char *opType, aclopCompileFunc func);
UNSUPPORTED(aclopUnregisterCompileFunc, const char *opType);
UNSUPPORTED(aclopSetKernelArgs, aclopKernelDesc *kernelDesc, const char *kernelId, uint32_t blockDim,
            const void *args, uint32_t argSize);
UNSUPPORTED(aclopSetKernelWorkspaceSizes, aclopKernelDesc *kernelDesc, int numWorkspaces,
            size_t *workspaceSizes);
UNSUPPORTED(aclopStartDumpArgs, uint32_t dumpType, const char *path);
UNSUPPORTED(aclopStopDumpArgs, uint32_t dumpType);

/* The compiler of operators. */
UNSUPPORTED_VALUE(aclGraphDumpOption *, aclCreateGraphDumpOpt, void);
UNSUPPORTED(aclDestroyGraphDumpOpt, const aclGraphDumpOption *graphDumpOpt);
UNSUPPORTED(aclGenGraphAndDumpForOp, const char *opType, int numInputs,
            const aclTensorDesc *const inputDesc[], const aclDataBuffer *const inputs[], int numOutputs,
            const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[], const aclopAttr *attr,
            aclopEngineType engineType, const char *graphDumpPath, const aclGraphDumpOption *graphDumpOpt);

/* What subscribers to an offline model are told of its operators; there are no offline models. */
UNSUPPORTED_VALUE(aclprofSubscribeConfig *, aclprofCreateSubscribeConfig, int8_t timeInfoSwitch,
                  aclprofAicoreMetrics aicoreMetrics, void *fd);
UNSUPPORTED(aclprofDestroySubscribeConfig, const aclprofSubscribeConfig *profSubscribeConfig);
UNSUPPORTED(aclprofModelSubscribe, uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);
UNSUPPORTED(aclprofModelUnSubscribe, uint32_t modelId);
UNSUPPORTED(aclprofGetOpDescSize, size_t *opDescSize);
UNSUPPORTED(aclprofGetOpNum, const void *opInfo, size_t opInfoLen, uint32_t *opNumber);
UNSUPPORTED(aclprofGetOpTypeLen, const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen);
UNSUPPORTED(aclprofGetOpType, const void *opInfo, size_t opInfoLen, uint32_t index, char *opType,
            size_t opTypeLen);
UNSUPPORTED(aclprofGetOpNameLen, const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen);
UNSUPPORTED(aclprofGetOpName, const void *opInfo, size_t opInfoLen, uint32_t index, char *opName,
            size_t opNameLen);
UNSUPPORTED_VALUE(uint64_t, aclprofGetOpStart, const void *opInfo, size_t opInfoLen, uint32_t index);
UNSUPPORTED_VALUE(uint64_t, aclprofGetOpEnd, const void *opInfo, size_t opInfoLen, uint32_t index);
UNSUPPORTED_VALUE(uint64_t, aclprofGetOpDuration, const void *opInfo, size_t opInfoLen, uint32_t index);
UNSUPPORTED_VALUE(size_t, aclprofGetModelId, const void *opInfo, size_t opInfoLen, uint32_t index);

/* Groups of cores. */
UNSUPPORTED(aclrtSetGroup, int32_t groupId);
UNSUPPORTED(aclrtGetGroupCount, uint32_t *count);
UNSUPPORTED_VALUE(aclrtGroupInfo *, aclrtCreateGroupInfo, void);
UNSUPPORTED(aclrtDestroyGroupInfo, aclrtGroupInfo *groupInfo);
UNSUPPORTED(aclrtGetAllGroupInfo, aclrtGroupInfo *groupInfo);
UNSUPPORTED(aclrtGetGroupInfoDetail, const aclrtGroupInfo *groupInfo, int32_t groupIndex, aclrtGroupAttr attr,
            void *attrValue, size_t valueLen, size_t *paramRetSize);

/* Overflow flags. */
UNSUPPORTED(aclrtGetOverflowStatus, void *outputAddr, size_t outputSize, aclrtStream stream);
UNSUPPORTED(aclrtResetOverflowStatus, aclrtStream stream);

/* Memory cells that broke, copies described by an object. */
UNSUPPORTED(aclrtGetMemUceInfo, int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize,
            size_t *retSize);
UNSUPPORTED(aclrtMemUceRepair, int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize);
UNSUPPORTED(aclrtGetMemcpyDescSize, aclrtMemcpyKind kind, size_t *descSize);
UNSUPPORTED(aclrtSetMemcpyDesc, void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count,
            void *config);
UNSUPPORTED(aclrtMemcpyAsyncWithDesc, void *desc, aclrtMemcpyKind kind, aclrtStream stream);
