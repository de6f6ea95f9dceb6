/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a fuzzed program: the functions that the library does not have.
 */
#include <string.h>

#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "fuzz/world.h"

enum { ARGUMENTS_MOST = 12, NOT_SUPPORTED = 200001 };

static void demand_refusal(const char *name, long long result, long long expected)
{
    const char *message = aclGetRecentErrMsg();
    DEMAND(result == expected, "%s gave %lld and not %lld", name, result, expected);
    DEMAND(message != NULL && strstr(message, name) != NULL, "%s is not in: %s", name,
           message != NULL ? message : "(no message)");
}

/* arguments: the call's, in parentheses. */
#define ANSWER(code, name, arguments) demand_refusal(#name, name arguments, code)
#define STATUS(name, arguments)       ANSWER(NOT_SUPPORTED, name, arguments)
#define OBJECT(name, arguments)       demand_refusal(#name, (intptr_t)name arguments, 0)
#define NUMBER(name, arguments)       demand_refusal(#name, (long long)name arguments, 0)
#define NEGATIVE(name, arguments)     demand_refusal(#name, (long long)name arguments, -1)
#define NOTHING(name, arguments)      (name arguments, demand_refusal(#name, 0, 0))

static void refuse_device_binaries(void *const at[ARGUMENTS_MOST], const uint64_t word[ARGUMENTS_MOST])
{
    OBJECT(aclrtCreateBinary, (at[0], word[1]));
    STATUS(aclrtDestroyBinary, (at[0]));
    STATUS(aclrtBinaryLoad, (at[0], at[1]));
    STATUS(aclrtBinaryLoadFromFile, (at[0], at[1], at[2]));
    STATUS(aclrtBinaryLoadFromData, (at[0], word[1], at[2], at[3]));
    STATUS(aclrtBinaryUnLoad, (at[0]));
    STATUS(aclrtBinaryGetFunction, (at[0], at[1], at[2]));
    STATUS(aclrtBinaryGetFunctionByEntry, (at[0], word[1], at[2]));
    STATUS(aclrtGetFunctionAddr, (at[0], at[1], at[2]));
    STATUS(aclrtKernelArgsGetHandleMemSize, (at[0], at[1]));
    STATUS(aclrtKernelArgsGetMemSize, (at[0], word[1], at[2]));
    STATUS(aclrtKernelArgsInit, (at[0], at[1]));
    STATUS(aclrtKernelArgsInitByUserMem, (at[0], at[1], at[2], word[3]));
    STATUS(aclrtKernelArgsAppend, (at[0], at[1], word[2], at[3]));
    STATUS(aclrtKernelArgsAppendPlaceHolder, (at[0], at[1]));
    STATUS(aclrtKernelArgsGetPlaceHolderBuffer, (at[0], at[1], word[2], at[3]));
    STATUS(aclrtKernelArgsParaUpdate, (at[0], at[1], at[2], word[3]));
    STATUS(aclrtKernelArgsFinalize, (at[0]));
    /* To no stream: one that there is, as NULL stands for, fails when it comes to the launch. */
    const aclrtStream none = (aclrtStream)(uintptr_t)at;
    STATUS(aclrtLaunchKernel, (at[0], (uint32_t)word[1], at[2], word[3], none));
    STATUS(aclrtLaunchKernelWithConfig, (at[0], (uint32_t)word[1], none, at[3], at[4], at[5]));
}

static void refuse_captured_work(void *const at[ARGUMENTS_MOST], const uint64_t word[ARGUMENTS_MOST])
{
    /* Without a stream or a graph; race.c has graphs that run. A stream is asked for where there is a context. */
    aclrtContext context;
    const int without_stream = aclrtGetCurrentContext(&context) == 0 ? 107017 : 107002;
    ANSWER(100000, aclmdlRICaptureBegin, (NULL, (aclmdlRICaptureMode)word[1]));
    ANSWER(100000, aclmdlRICaptureEnd, (NULL, at[1]));
    ANSWER(100000, aclmdlRICaptureTaskGrpBegin, (NULL));
    ANSWER(100000, aclmdlRICaptureTaskGrpEnd, (NULL, at[1]));
    ANSWER(100000, aclmdlRICaptureTaskUpdateBegin, (at[0], NULL));
    ANSWER(without_stream, aclmdlRICaptureTaskUpdateEnd, ((aclrtStream)(uintptr_t)at));
    ANSWER(100000, aclmdlRIExecuteAsync, (NULL, at[1]));
    ANSWER(100000, aclmdlRIExecute, (NULL, (int32_t)word[1]));
    ANSWER(100000, aclmdlRIDestroy, (NULL));
    ANSWER(100000, aclmdlRIGetId, (NULL, at[1]));
    ANSWER(100000, aclmdlRIDebugPrint, (NULL));
    ANSWER(100000, aclmdlRIDebugJsonPrint, (NULL, at[1], (uint32_t)word[2]));
    STATUS(aclmdlRICaptureToModelRIBegin, (at[0], at[1], (aclmdlRICaptureMode)word[2]));
    STATUS(aclmdlRICondHandleCreate, (at[0], (unsigned)word[1], (uint32_t)word[2], at[3]));
    STATUS(aclmdlRICondHandleGetCondPtr, (at[0], at[1]));
}

static void refuse_models(void *const at[ARGUMENTS_MOST], const uint64_t word[ARGUMENTS_MOST])
{
    STATUS(aclmdlLoadFromFile, (at[0], at[1]));
    STATUS(aclmdlLoadFromMem, (at[0], word[1], at[2]));
    STATUS(aclmdlLoadFromFileWithMem, (at[0], at[1], at[2], word[3], at[4], word[5]));
    STATUS(aclmdlLoadFromMemWithMem, (at[0], word[1], at[2], at[3], word[4], at[5], word[6]));
    STATUS(aclmdlLoadFromFileWithQ, (at[0], at[1], at[2], word[3], at[4], word[5]));
    STATUS(aclmdlLoadFromMemWithQ, (at[0], word[1], at[2], at[3], word[4], at[5], word[6]));
    STATUS(aclmdlLoadWithConfig, (at[0], at[1]));
    STATUS(aclmdlUnload, ((uint32_t)word[0]));
    STATUS(aclmdlQuerySize, (at[0], at[1], at[2]));
    STATUS(aclmdlQuerySizeFromMem, (at[0], word[1], at[2], at[3]));
    OBJECT(aclmdlCreateConfigHandle, ());
    STATUS(aclmdlDestroyConfigHandle, (at[0]));
    STATUS(aclmdlSetConfigOpt, (at[0], (aclmdlConfigAttr)word[1], at[2], word[3]));
    STATUS(aclmdlSetExternalWeightAddress, (at[0], at[1], at[2], word[3]));
    STATUS(aclmdlBundleLoadFromFile, (at[0], at[1]));
    STATUS(aclmdlBundleLoadFromMem, (at[0], word[1], at[2]));
    STATUS(aclmdlBundleUnload, ((uint32_t)word[0]));
    STATUS(aclmdlBundleGetModelNum, ((uint32_t)word[0], at[1]));
    STATUS(aclmdlBundleGetModelId, ((uint32_t)word[0], word[1], at[2]));
    STATUS(aclmdlExecute, ((uint32_t)word[0], at[1], at[2]));
    STATUS(aclmdlExecuteV2, ((uint32_t)word[0], at[1], at[2], at[3], at[4]));
    STATUS(aclmdlExecuteAsync, ((uint32_t)word[0], at[1], at[2], at[3]));
    STATUS(aclmdlExecuteAsyncV2, ((uint32_t)word[0], at[1], at[2], at[3], at[4]));
    OBJECT(aclmdlCreateExecConfigHandle, ());
    STATUS(aclmdlDestroyExecConfigHandle, (at[0]));
    STATUS(aclmdlSetExecConfigOpt, (at[0], (aclmdlExecConfigAttr)word[1], at[2], word[3]));
    STATUS(aclmdlSetDynamicBatchSize, ((uint32_t)word[0], at[1], word[2], word[3]));
    STATUS(aclmdlSetDynamicHWSize, ((uint32_t)word[0], at[1], word[2], word[3], word[4]));
    STATUS(aclmdlSetInputDynamicDims, ((uint32_t)word[0], at[1], word[2], at[3]));
    STATUS(aclmdlGetDesc, (at[0], (uint32_t)word[1]));
    STATUS(aclmdlGetDescFromFile, (at[0], at[1]));
    STATUS(aclmdlGetDescFromMem, (at[0], at[1], word[2]));
    NUMBER(aclmdlGetNumInputs, (at[0]));
    NUMBER(aclmdlGetNumOutputs, (at[0]));
    NUMBER(aclmdlGetInputSizeByIndex, (at[0], word[1]));
    NUMBER(aclmdlGetOutputSizeByIndex, (at[0], word[1]));
    STATUS(aclmdlGetInputDims, (at[0], word[1], at[2]));
    STATUS(aclmdlGetInputDimsV2, (at[0], word[1], at[2]));
    STATUS(aclmdlGetInputDimsRange, (at[0], word[1], at[2]));
    STATUS(aclmdlGetOutputDims, (at[0], word[1], at[2]));
    STATUS(aclmdlGetCurOutputDims, (at[0], word[1], at[2]));
    OBJECT(aclmdlGetInputNameByIndex, (at[0], word[1]));
    OBJECT(aclmdlGetOutputNameByIndex, (at[0], word[1]));
    NEGATIVE(aclmdlGetInputFormat, (at[0], word[1]));
    NEGATIVE(aclmdlGetOutputFormat, (at[0], word[1]));
    NEGATIVE(aclmdlGetInputDataType, (at[0], word[1]));
    NEGATIVE(aclmdlGetOutputDataType, (at[0], word[1]));
    STATUS(aclmdlGetInputIndexByName, (at[0], at[1], at[2]));
    STATUS(aclmdlGetOutputIndexByName, (at[0], at[1], at[2]));
    STATUS(aclmdlGetDynamicBatch, (at[0], at[1]));
    STATUS(aclmdlGetDynamicHW, (at[0], word[1], at[2]));
    STATUS(aclmdlGetInputDynamicGearCount, (at[0], word[1], at[2]));
    STATUS(aclmdlGetInputDynamicDims, (at[0], word[1], at[2], word[3]));
    OBJECT(aclmdlGetOpAttr, (at[0], at[1], at[2]));
    OBJECT(aclmdlGetTensorRealName, (at[0], at[1]));
    STATUS(aclmdlCreateAndGetOpDesc, ((uint32_t)word[0], (uint32_t)word[1], (uint32_t)word[2], at[3], word[4],
                                      at[5], at[6], at[7], at[8]));
    OBJECT(aclmdlCreateAIPP, (word[0]));
    STATUS(aclmdlDestroyAIPP, (at[0]));
    STATUS(aclmdlGetAippDataSize, (word[0], at[1]));
    STATUS(aclmdlSetAIPPInputFormat, (at[0], (aclAippInputFormat)word[1]));
    STATUS(aclmdlSetAIPPCscParams,
           (at[0], (int8_t)word[1], (int16_t)word[2], (int16_t)word[3], (int16_t)word[4], (int16_t)word[5],
            (int16_t)word[6], (int16_t)word[7], (int16_t)word[8], (int16_t)word[9], (int16_t)word[10],
            (uint8_t)word[11], (uint8_t)word[0], (uint8_t)word[1], (uint8_t)word[2], (uint8_t)word[3],
            (uint8_t)word[4]));
    STATUS(aclmdlSetAIPPRbuvSwapSwitch, (at[0], (int8_t)word[1]));
    STATUS(aclmdlSetAIPPAxSwapSwitch, (at[0], (int8_t)word[1]));
    STATUS(aclmdlSetAIPPSrcImageSize, (at[0], (int32_t)word[1], (int32_t)word[2]));
    STATUS(aclmdlSetAIPPScfParams, (at[0], (int8_t)word[1], (int32_t)word[2], (int32_t)word[3],
                                    (int32_t)word[4], (int32_t)word[5], word[6]));
    STATUS(aclmdlSetAIPPCropParams, (at[0], (int8_t)word[1], (int32_t)word[2], (int32_t)word[3],
                                     (int32_t)word[4], (int32_t)word[5], word[6]));
    STATUS(aclmdlSetAIPPPaddingParams, (at[0], (int8_t)word[1], (int32_t)word[2], (int32_t)word[3],
                                        (int32_t)word[4], (int32_t)word[5], word[6]));
    STATUS(aclmdlSetAIPPDtcPixelMean,
           (at[0], (int16_t)word[1], (int16_t)word[2], (int16_t)word[3], (int16_t)word[4], word[5]));
    STATUS(aclmdlSetAIPPDtcPixelMin,
           (at[0], (float)word[1], (float)word[2], (float)word[3], (float)word[4], word[5]));
    STATUS(aclmdlSetAIPPPixelVarReci,
           (at[0], (float)word[1], (float)word[2], (float)word[3], (float)word[4], word[5]));
    STATUS(aclmdlSetInputAIPP, ((uint32_t)word[0], at[1], word[2], at[3]));
    STATUS(aclmdlSetAIPPByInputIndex, ((uint32_t)word[0], at[1], word[2], at[3]));
    STATUS(aclmdlGetAippType, ((uint32_t)word[0], word[1], at[2], at[3]));
    STATUS(aclmdlGetFirstAippInfo, ((uint32_t)word[0], word[1], at[2]));
}

static void refuse_single_operators(void *const at[ARGUMENTS_MOST], const uint64_t word[ARGUMENTS_MOST])
{
    STATUS(aclopLoad, (at[0], word[1]));
    STATUS(aclopInferShape, (at[0], (int)word[1], at[2], at[3], (int)word[4], at[5], at[6]));
    STATUS(aclopCreateKernel, (at[0], at[1], at[2], at[3], (int)word[4], (aclopEngineType)word[5],
                               (aclDataDeallocator)(uintptr_t)word[6]));
    STATUS(aclopRegisterCompileFunc, (at[0], (aclopCompileFunc)(uintptr_t)word[1]));
    STATUS(aclopUnregisterCompileFunc, (at[0]));
    STATUS(aclopSetKernelArgs, (at[0], at[1], (uint32_t)word[2], at[3], (uint32_t)word[4]));
    STATUS(aclopSetKernelWorkspaceSizes, (at[0], (int)word[1], at[2]));
    STATUS(aclopStartDumpArgs, ((uint32_t)word[0], at[1]));
    STATUS(aclopStopDumpArgs, ((uint32_t)word[0]));
}

static void refuse_the_compiler(void *const at[ARGUMENTS_MOST], const uint64_t word[ARGUMENTS_MOST])
{
    ANSWER(100000, aclopCompile,
           (NULL, (int)word[1], at[2], (int)word[3], at[4], at[5], (aclopEngineType)word[6],
            (aclopCompileType)word[0], at[1]));
    OBJECT(aclCreateGraphDumpOpt, ());
    STATUS(aclDestroyGraphDumpOpt, (at[0]));
    STATUS(aclGenGraphAndDumpForOp, (at[0], (int)word[1], at[2], at[3], (int)word[4], at[5], at[6], at[7],
                                     (aclopEngineType)word[8], at[9], at[10]));
}

static void refuse_profiling(void *const at[ARGUMENTS_MOST], const uint64_t word[ARGUMENTS_MOST])
{
    OBJECT(aclprofCreateSubscribeConfig, ((int8_t)word[0], (aclprofAicoreMetrics)word[1], at[2]));
    STATUS(aclprofDestroySubscribeConfig, (at[0]));
    STATUS(aclprofModelSubscribe, ((uint32_t)word[0], at[1]));
    STATUS(aclprofModelUnSubscribe, ((uint32_t)word[0]));
    NUMBER(aclprofGetModelId, (at[0], word[1], (uint32_t)word[2]));
}

static void refuse_records(void *const at[ARGUMENTS_MOST], const uint64_t word[ARGUMENTS_MOST])
{
    STATUS(aclprofGetOpDescSize, (at[0]));
    STATUS(aclprofGetOpNum, (at[0], word[1], at[2]));
    STATUS(aclprofGetOpTypeLen, (at[0], word[1], (uint32_t)word[2], at[3]));
    STATUS(aclprofGetOpType, (at[0], word[1], (uint32_t)word[2], at[3], word[4]));
    STATUS(aclprofGetOpNameLen, (at[0], word[1], (uint32_t)word[2], at[3]));
    STATUS(aclprofGetOpName, (at[0], word[1], (uint32_t)word[2], at[3], word[4]));
    NUMBER(aclprofGetOpStart, (at[0], word[1], (uint32_t)word[2]));
    NUMBER(aclprofGetOpEnd, (at[0], word[1], (uint32_t)word[2]));
    NUMBER(aclprofGetOpDuration, (at[0], word[1], (uint32_t)word[2]));
}

static void refuse_the_rest(void *const at[ARGUMENTS_MOST], const uint64_t word[ARGUMENTS_MOST])
{
    STATUS(aclrtSetGroup, ((int32_t)word[0]));
    STATUS(aclrtGetGroupCount, (at[0]));
    OBJECT(aclrtCreateGroupInfo, ());
    STATUS(aclrtDestroyGroupInfo, (at[0]));
    STATUS(aclrtGetAllGroupInfo, (at[0]));
    STATUS(aclrtGetGroupInfoDetail,
           (at[0], (int32_t)word[1], (aclrtGroupAttr)word[2], at[3], word[4], at[5]));
    STATUS(aclrtGetOverflowStatus, (at[0], word[1], at[2]));
    STATUS(aclrtResetOverflowStatus, (at[0]));
    STATUS(aclrtGetMemUceInfo, ((int32_t)word[0], at[1], word[2], at[3]));
    STATUS(aclrtMemUceRepair, ((int32_t)word[0], at[1], word[2]));
    STATUS(aclrtGetMemcpyDescSize, ((aclrtMemcpyKind)word[0], at[1]));
    STATUS(aclrtSetMemcpyDesc, (at[0], (aclrtMemcpyKind)word[1], at[2], at[3], word[4], at[5]));
    STATUS(aclrtMemcpyAsyncWithDesc, (at[0], (aclrtMemcpyKind)word[1], at[2]));
    ANSWER(561000, aclDumpOpTensors, (at[0], at[1], at[2], word[3], word[4], at[5]));
}

/*
 * Whatever they are given, which is NULL, garbage, or places that must stay as they are. All from one word,
 * so that a step does not take the whole program.
 */
void step_refused(struct world *world)
{
    static void (*const refuse[])(void *const *, const uint64_t *) = {
        refuse_device_binaries, refuse_captured_work, refuse_single_operators, refuse_the_compiler,
        refuse_profiling,       refuse_records,       refuse_the_rest,         refuse_models};
    void *at[ARGUMENTS_MOST];
    uint64_t word[ARGUMENTS_MOST], place[ARGUMENTS_MOST], before[ARGUMENTS_MOST];
    const uint32_t group = draw(world, sizeof refuse / sizeof refuse[0]);
    uint64_t state = draw_word(world);
    for (uint32_t i = 0; i < ARGUMENTS_MOST; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t choice = state >> 60 & 7;
        word[i] = choice < 3 ? choice : choice < 5 ? UINT64_MAX - choice : state;
        place[i] = before[i] = state >> 8; /* as a string it ends */
        at[i] = choice == 0 ? NULL : choice < 4 ? (void *)(uintptr_t)(state | 1) : (void *)&place[i];
    }
    refuse[group](at, word);
    DEMAND(memcmp(place, before, sizeof place) == 0, "group %u wrote something", group);
}
