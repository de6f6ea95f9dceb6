// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The type of every function of libhccl, see prototypes.cpp, and where the members of its structures lie.
#include <cstddef>

#include "api/prototypes.h"
#include "hccl/hccl.h"

namespace
{

using Result = HcclResult;
using Type = HcclDataType;
using Op = HcclReduceOp;
using Comm = HcclComm;
using Stream = aclrtStream;
using Const = const void *;

static_assert(sizeof(HcclResult) == 4 && sizeof(HcclConfigValue) == 4, "results and settings are ints");
static_assert(sizeof(HcclRootInfo) == 4108, "programs carry so many bytes");
static_assert(sizeof(HcclSendRecvItem) == 32 && offsetof(HcclSendRecvItem, buf) == 8 &&
                  offsetof(HcclSendRecvItem, count) == 16 && offsetof(HcclSendRecvItem, dataType) == 24 &&
                  offsetof(HcclSendRecvItem, remoteRank) == 28,
              "the layout of a message");
static_assert(
    offsetof(HcclCommConfig, hcclBufferSize) == 24 && offsetof(HcclCommConfig, hcclDeterministic) == 28 &&
        offsetof(HcclCommConfig, hcclCommName) == 32 && offsetof(HcclCommConfig, hcclUdi) == 160 &&
        offsetof(HcclCommConfig, hcclOpExpansionMode) == 288 &&
        offsetof(HcclCommConfig, hcclRdmaTrafficClass) == 292 &&
        offsetof(HcclCommConfig, hcclRdmaServiceLevel) == 296 &&
        offsetof(HcclCommConfig, hcclWorldRankID) == 300 && offsetof(HcclCommConfig, hcclJobID) == 304 &&
        offsetof(HcclCommConfig, aclGraphZeroCopyEnable) == 312 &&
        offsetof(HcclCommConfig, hcclExecTimeOut) == 316 && offsetof(HcclCommConfig, hcclAlgo) == 320 &&
        offsetof(HcclCommConfig, hcclRetryEnable) == 1920 &&
        offsetof(HcclCommConfig, hcclRetryParams) == 1970 &&
        offsetof(HcclCommConfig, hcclBufferName) == 2098 && offsetof(HcclCommConfig, hcclQos) == 2228 &&
        offsetof(HcclCommConfig, hcclSymWinMaxMemSizePerRank) == 2232 && sizeof(HcclCommConfig) == 2240,
    "the layout of a configuration");
static_assert(HCCL_E_TIMEOUT == 9 && HCCL_E_TCP_CONNECT == 11 && HCCL_E_RUNTIME == 15 &&
                  HCCL_E_REMOTE == 21 && HCCL_E_SUSPENDING == 22 && HCCL_E_RESERVED == 25,
              "the numbers of results");
static_assert(HCCL_DATA_TYPE_FP32 == 4 && HCCL_DATA_TYPE_INT64 == 5 && HCCL_DATA_TYPE_BFP16 == 11 &&
                  HCCL_DATA_TYPE_INT128 == 12 && HCCL_DATA_TYPE_HIF8 == 14 && HCCL_DATA_TYPE_FP8E8M0 == 17 &&
                  HCCL_DATA_TYPE_RESERVED == 255 && HCCL_REDUCE_MIN == 3 && HCCL_REDUCE_RESERVED == 255,
              "the numbers of dtypes and reductions");

void expect_communicators()
{
    expect<Result(HcclRootInfo *)>(HcclGetRootInfo);
    expect<Result(uint32_t, const HcclRootInfo *, uint32_t, Comm *)>(HcclCommInitRootInfo);
    expect<Result(uint32_t, const HcclRootInfo *, uint32_t, const HcclCommConfig *, Comm *)>(
        HcclCommInitRootInfoConfig);
    expect<Result(const char *, uint32_t, Comm *)>(HcclCommInitClusterInfo);
    expect<Result(const char *, uint32_t, HcclCommConfig *, Comm *)>(HcclCommInitClusterInfoConfig);
    expect<Result(uint32_t, int32_t *, Comm *)>(HcclCommInitAll);
    expect<Result(Comm *, uint32_t, uint32_t *, uint64_t, uint32_t, HcclCommConfig *, Comm *)>(
        HcclCreateSubCommConfig);
    expect<Result(Comm)>(HcclCommDestroy);
    expect<Result(Comm, uint32_t *)>(HcclGetRankSize);
    expect<Result(Comm, uint32_t *)>(HcclGetRankId);
    expect<Result(Comm, char *)>(HcclGetCommName);
    expect<Result(Comm, HcclResult *)>(HcclGetCommAsyncError);
    expect<uint32_t()>(HcclGetCommConfigCapability);
    expect<const char *(HcclResult)>(HcclGetErrorString);
    expect<Result(HcclConfig, HcclConfigValue)>(HcclSetConfig);
    expect<Result(HcclConfig, HcclConfigValue *)>(HcclGetConfig);
    expect<Result(Comm, HcclConfig, HcclConfigValue)>(HcclSetCommConfig);
    expect<Result(Comm, HcclConfig, HcclConfigValue *)>(HcclGetCommConfig);
    expect<void(HcclCommConfig *)>(HcclCommConfigInit);
}

void expect_collectives()
{
    expect<Result(void *, void *, uint64_t, Type, Op, Comm, Stream)>(HcclAllReduce);
    expect<Result(void *, void *, uint64_t, Type, Op, uint32_t, Comm, Stream)>(HcclReduce);
    expect<Result(void *, void *, uint64_t, Type, Op, Comm, Stream)>(HcclReduceScatter);
    expect<Result(void *, Const, Const, void *, uint64_t, Type, Op, Comm, Stream)>(HcclReduceScatterV);
    expect<Result(void *, uint64_t, Type, uint32_t, Comm, Stream)>(HcclBroadcast);
    expect<Result(void *, void *, uint64_t, Type, uint32_t, Comm, Stream)>(HcclScatter);
    expect<Result(void *, void *, uint64_t, Type, Comm, Stream)>(HcclAllGather);
    expect<Result(void *, uint64_t, void *, Const, Const, Type, Comm, Stream)>(HcclAllGatherV);
    expect<Result(Const, uint64_t, Type, Const, uint64_t, Type, Comm, Stream)>(HcclAlltoAll);
    expect<Result(Const, Const, Const, Type, Const, Const, Const, Type, Comm, Stream)>(HcclAlltoAllV);
    expect<Result(Const, Const, Type, Const, Type, Comm, Stream)>(HcclAlltoAllVC);
    expect<Result(Comm, Stream)>(HcclBarrier);
    expect<Result(void *, uint64_t, Type, uint32_t, Comm, Stream)>(HcclSend);
    expect<Result(void *, uint64_t, Type, uint32_t, Comm, Stream)>(HcclRecv);
    expect<Result(HcclSendRecvItem *, uint32_t, Comm, Stream)>(HcclBatchSendRecv);
    expect<Result()>(HcclGroupStart);
    expect<Result()>(HcclGroupEnd);
}

void expect_what_is_not_supported()
{
    expect<Result(Comm)>(HcclCommSuspend);
    expect<Result(Comm)>(HcclCommResume);
    expect<Result(Comm, uint32_t *, bool *, uint32_t)>(HcclCommWorkingDevNicSet);
    expect<Result(Comm, void *, uint64_t, void **, uint32_t)>(HcclCommRegister);
    expect<Result(Comm, void *)>(HcclCommDeregister);
    expect<Result(Comm, void *, uint32_t *, uint32_t)>(HcclCommExchangeMem);
    expect<Result(Comm, void *, uint64_t, void **, uint32_t)>(HcclCommSymWinRegister);
    expect<Result(void *)>(HcclCommSymWinDeregister);
    expect<Result(Comm, void *, size_t, size_t, uint64_t)>(HcclCommSetMemoryRange);
    expect<Result(Comm, void *)>(HcclCommUnsetMemoryRange);
    expect<Result(Comm, void *, size_t, size_t, aclrtDrvMemHandle, uint64_t)>(HcclCommActivateCommMemory);
    expect<Result(Comm, void *)>(HcclCommDeactivateCommMemory);
}

} // namespace

void expect_hccl()
{
    expect_communicators();
    expect_collectives();
    expect_what_is_not_supported();
}
