/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What programs ask of communicators, and what Belay has not.
 */
#include <string.h>

#include "hccl/communicator.h"
#include "runtime/timeline/trace.h"

static HcclResult find_for_result(const char *api, HcclComm comm, const char *argument, const void *place,
                                  struct communicator **communicator)
{
    HcclResult result = communicator_find(api, comm, communicator);
    if (result != HCCL_SUCCESS || place != NULL)
        return result;
    communicator_drop(*communicator);
    return (HcclResult)fail(HCCL_E_PTR, "%s: argument %s is NULL; a place for the result is expected", api,
                            argument);
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize)
{
    TRACE_THIS_CALL;
    struct communicator *communicator;
    HcclResult result = find_for_result(__func__, comm, "rankSize", rankSize, &communicator);
    if (result != HCCL_SUCCESS)
        return result;
    *rankSize = communicator->rank_count;
    communicator_drop(communicator);
    return HCCL_SUCCESS;
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank)
{
    TRACE_THIS_CALL;
    struct communicator *communicator;
    HcclResult result = find_for_result(__func__, comm, "rank", rank, &communicator);
    if (result != HCCL_SUCCESS)
        return result;
    *rank = communicator->rank;
    communicator_drop(communicator);
    return HCCL_SUCCESS;
}

HcclResult HcclGetCommName(HcclComm comm, char *commName)
{
    TRACE_THIS_CALL;
    struct communicator *communicator;
    HcclResult result = find_for_result(__func__, comm, "commName", commName, &communicator);
    if (result != HCCL_SUCCESS)
        return result;
    memcpy(commName, communicator->name, strlen(communicator->name) + 1);
    communicator_drop(communicator);
    return HCCL_SUCCESS;
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError)
{
    TRACE_THIS_CALL;
    struct communicator *communicator;
    HcclResult result = find_for_result(__func__, comm, "asyncError", asyncError, &communicator);
    if (result != HCCL_SUCCESS)
        return result;
    *asyncError = (HcclResult)atomic_load_explicit(&communicator->error, memory_order_acquire);
    communicator_drop(communicator);
    return HCCL_SUCCESS;
}

/* How many features, counted from the first, the configuration has fields for that are read or may be set
 * without effect: all twelve that are known. */
uint32_t HcclGetCommConfigCapability(void)
{
    return 12;
}

const char *HcclGetErrorString(HcclResult code)
{
    static const char *const names[] = {
        "HCCL_SUCCESS",
        "HCCL_E_PARA",
        "HCCL_E_PTR",
        "HCCL_E_MEMORY",
        "HCCL_E_INTERNAL",
        "HCCL_E_NOT_SUPPORT",
        "HCCL_E_NOT_FOUND",
        "HCCL_E_UNAVAIL",
        "HCCL_E_SYSCALL",
        "HCCL_E_TIMEOUT",
        "HCCL_E_OPEN_FILE_FAILURE",
        "HCCL_E_TCP_CONNECT",
        "HCCL_E_ROCE_CONNECT",
        "HCCL_E_TCP_TRANSFER",
        "HCCL_E_ROCE_TRANSFER",
        "HCCL_E_RUNTIME",
        "HCCL_E_DRV",
        "HCCL_E_PROFILING",
        "HCCL_E_CCE",
        "HCCL_E_NETWORK",
        "HCCL_E_AGAIN",
        "HCCL_E_REMOTE",
        "HCCL_E_SUSPENDING",
        "HCCL_E_OPRETRY_FAIL",
        "HCCL_E_OOM",
        "HCCL_E_RESERVED",
    };
    uint32_t number = (uint32_t)code;
    return number < sizeof names / sizeof names[0] ? names[number] : "unknown HcclResult";
}

HcclResult HcclSetCommConfig(HcclComm comm, HcclConfig config, HcclConfigValue configValue)
{
    TRACE_THIS_CALL;
    struct communicator *communicator;
    HcclResult result = communicator_find(__func__, comm, &communicator);
    if (result != HCCL_SUCCESS)
        return result;
    if (config == HCCL_DETERMINISTIC && configValue.value >= 0 && configValue.value <= 2)
        atomic_store_explicit(&communicator->determinism, configValue.value, memory_order_relaxed);
    else
        result =
            (HcclResult)fail(HCCL_E_PARA,
                             "%s: argument config is %d with the value %d; HCCL_DETERMINISTIC (0) with 0 "
                             "to 2 is expected",
                             __func__, (int)config, (int)configValue.value);
    communicator_drop(communicator);
    return result;
}

HcclResult HcclGetCommConfig(HcclComm comm, HcclConfig config, HcclConfigValue *configValue)
{
    TRACE_THIS_CALL;
    struct communicator *communicator;
    HcclResult result = find_for_result(__func__, comm, "configValue", configValue, &communicator);
    if (result != HCCL_SUCCESS)
        return result;
    if (config == HCCL_DETERMINISTIC)
        configValue->value = atomic_load_explicit(&communicator->determinism, memory_order_relaxed);
    else
        result =
            (HcclResult)fail(HCCL_E_PARA, "%s: argument config is %d; HCCL_DETERMINISTIC (0) is expected",
                             __func__, (int)config);
    communicator_drop(communicator);
    return result;
}

static HcclResult refuse(const char *api)
{
    HcclResult usable = communicator_check_process();
    return usable != HCCL_SUCCESS
               ? usable
               : (HcclResult)fail(HCCL_E_NOT_SUPPORT,
                                  "%s is not supported: it is about hardware that Belay has not", api);
}

#define NOT_SUPPORTED(name, ...) \
    HcclResult name(__VA_ARGS__) \
    {                            \
        TRACE_THIS_CALL;         \
        return refuse(__func__); \
    }
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-parameter"
#else
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

NOT_SUPPORTED(HcclCommSuspend, HcclComm comm)
NOT_SUPPORTED(HcclCommResume, HcclComm comm)
NOT_SUPPORTED(HcclCommWorkingDevNicSet, HcclComm comm, uint32_t *ranks, bool *useBackup, uint32_t nRanks)
NOT_SUPPORTED(HcclCommRegister, HcclComm comm, void *addr, uint64_t size, void **handle, uint32_t flag)
NOT_SUPPORTED(HcclCommDeregister, HcclComm comm, void *handle)
NOT_SUPPORTED(HcclCommExchangeMem, HcclComm comm, void *windowHandle, uint32_t *peerRanks,
              uint32_t peerRankNum)
NOT_SUPPORTED(HcclCommSymWinRegister, HcclComm comm, void *addr, uint64_t size, void **winHandle,
              uint32_t flag)
NOT_SUPPORTED(HcclCommSymWinDeregister, void *winHandle)
NOT_SUPPORTED(HcclCommSetMemoryRange, HcclComm comm, void *baseVirPtr, size_t size, size_t alignment,
              uint64_t flags)
NOT_SUPPORTED(HcclCommUnsetMemoryRange, HcclComm comm, void *baseVirPtr)
NOT_SUPPORTED(HcclCommActivateCommMemory, HcclComm comm, void *virPtr, size_t size, size_t offset,
              aclrtDrvMemHandle handle, uint64_t flags)
NOT_SUPPORTED(HcclCommDeactivateCommMemory, HcclComm comm, void *virPtr)
