/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Collectives: communication between ranks, each of which is a process with a device, or one device of a
 * process with several.
 *
 * A communicator is made by all its ranks together. A collective is called by all of them, in the same order,
 * with the same kind, count, dtype, reduction and root. The call checks its arguments and queues the work on
 * a stream: it starts when all before it on the stream is done and the other ranks' work has started too, and
 * what is behind it on the stream follows. Counts are numbers of elements; 0 is allowed. Buffers are device
 * memory, and must stay as they are until the work is done.
 *
 * Before data move, ranks compare what they were asked to do. Where that differs, the work of each fails with
 * a sentence that names both. A failure of work is an error of its stream, which the next synchronise
 * returns, with the sentence: 107020 when ranks did not come in time, 507057 when one has gone, 507018 for
 * all else. The communicator remembers the first one: later calls return it, and so does
 * HcclGetCommAsyncError.
 *
 * Reductions of fp16, bf16 and fp32 take the ranks' elements in the order of the ranks, in fp64, and round
 * once. fp64 is added up in the order of ranks, integers wrap. MAX and MIN: a NaN wins, -0 is less than +0.
 * So all ranks get the same bits, whatever the number of elements, the connections and the number of threads.
 *
 * All functions may be called from any thread. Calls on one communicator from several threads need an order
 * that the program makes: it is the order of the collectives.
 *
 * What every function with a communicator may return besides: HCCL_E_PTR: comm is NULL. HCCL_E_PARA: comm was
 * destroyed, or is none. Every function but HcclGetErrorString and HcclGetCommConfigCapability also returns
 * HCCL_E_UNAVAIL: this process is a fork() of one that has used the library; HCCL_E_RUNTIME: a variable
 * BELAY_* is not understood.
 */
#ifndef BELAY_HCCL_HCCL_H
#define BELAY_HCCL_HCCL_H

#include <stdbool.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Communicators. They belong to the device that is current when they are made.
 */

/*
 * Opens the place where the ranks of one new communicator meet. One of them calls it, once for each
 * communicator, and hands what it writes to all, by means of its own: whoever has it can take part.
 * HCCL_E_PTR: rootInfo is NULL. HCCL_E_RUNTIME: no device is current. HCCL_E_PARA: a variable HCCL_* is not
 * understood. HCCL_E_SYSCALL, HCCL_E_TCP_CONNECT: no socket, or no such address.
 */
HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);

/*
 * Joins as one of nRanks; returns when all have come. HCCL_E_PTR: rootInfo or comm is NULL. HCCL_E_PARA: rank
 * is nRanks or more, nRanks is 0 or above 1024, rootInfo is not what HcclGetRootInfo wrote, or another rank
 * named another nRanks or the same rank. HCCL_E_TIMEOUT: not all ranks came within HCCL_CONNECT_TIMEOUT (120)
 * seconds. HCCL_E_TCP_CONNECT: no connection. HCCL_E_RUNTIME: no device is current. HCCL_E_UNAVAIL: there are
 * 4,096 communicators. HCCL_E_NOT_SUPPORT: the part of Belay that speaks to other processes, or libgloo, is
 * not installed; one rank alone needs neither.
 */
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm);

/* The same with a configuration. Also HCCL_E_PTR: config is NULL; HCCL_E_PARA: its size is below 32 or its
 * magic word is another, the name does not end within 128 bytes or is not that of all ranks, or the timeout
 * is below -1. */
HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                      const HcclCommConfig *config, HcclComm *comm);

/*
 * Joins as the rank of that number in a rank table, a file of JSON that names the ranks and their hosts.
 * All ranks have the same file, byte for byte. They meet at rank 0's host, whose address is what its server
 * has as container_ip, host_ip or server_id, on the port that HCCL_IF_BASE_PORT says, else 60000, and wait
 * for rank 0 there; one communicator at a time is made of a host and port. HCCL_E_PTR: clusterInfo, config or
 * comm is NULL. HCCL_E_OPEN_FILE_FAILURE: the file cannot be read. HCCL_E_PARA: it is no rank table,
 * or a device has no rank or several.
 * HCCL_E_NOT_FOUND: rank is not in it. HCCL_E_NOT_SUPPORT also: several servers, and rank 0's has no address.
 * HCCL_E_TCP_CONNECT: its address is not of this host, or the port is taken. Others as
 * HcclCommInitRootInfoConfig.
 */
HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm);
HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank, HcclCommConfig *config,
                                         HcclComm *comm);

/*
 * Makes the communicators of ndev ranks in this process, rank i on devices[i], and writes them to comms.
 * Nothing is current afterwards that was not before. HCCL_E_PTR: devices or comms is NULL. HCCL_E_PARA: ndev
 * is 0, or a device does not exist or is named twice.
 */
HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms);

/*
 * Makes a communicator of some ranks of another, which each of them calls with the same rankIds, rankNum,
 * subCommId and name; rankIds[subRank] is the caller. Whoever does not take part may call with rankIds NULL
 * and subCommId 0xFFFFFFFF, and gets NULL. HCCL_E_PTR: a pointer is NULL. HCCL_E_PARA: a rank does not exist
 * or is named twice, rankIds[subRank] is not the caller, or another rank named other ranks, another order or
 * another name: none of them joins, and the old communicator is as before. HCCL_E_TIMEOUT: one of them has
 * not come within HCCL_CONNECT_TIMEOUT; HCCL_E_REMOTE: one has gone: then the old communicator has failed,
 * too. Others as HcclCommInitRootInfoConfig.
 */
HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
                                   uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm);

/*
 * Ends the communicator; other ranks may do so at other times. Work that is queued is waited for as long as
 * some of it ends within the timeout of a collective, or, once the communicator has failed, every five
 * seconds; what is left then fails with HCCL_E_SUSPENDING. A reset of the device and aclFinalize do not wait
 * for longer than five seconds, for a destroy of another thread either. HCCL_E_PARA also: another thread
 * destroys it already.
 */
HcclResult HcclCommDestroy(HcclComm comm);

/* The number of ranks, and which the caller is. HCCL_E_PTR also: the place for the result is NULL. */
HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);
HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank);

/* The communicator's name, 128 bytes at commName at most: that of the configuration, or one of Belay's. */
HcclResult HcclGetCommName(HcclComm comm, char *commName);

/* The first error of the communicator's work, or HCCL_SUCCESS. Waits for nothing. */
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult *asyncError);

/* Of how many features HcclCommConfig has fields, counted from the first: 12. */
uint32_t HcclGetCommConfigCapability(void);

/* The name of a result; never NULL. */
const char *HcclGetErrorString(HcclResult code);

/* Settings of the process and of a communicator: HCCL_DETERMINISTIC, 0 to 2. They are kept; results are the
 * same with all. HCCL_E_PARA: another setting or value. HCCL_E_PTR: the place for the value is NULL. */
HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);
HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue);
HcclResult HcclSetCommConfig(HcclComm comm, HcclConfig config, HcclConfigValue configValue);
HcclResult HcclGetCommConfig(HcclComm comm, HcclConfig config, HcclConfigValue *configValue);

/*
 * Collectives. What each may return besides: HCCL_E_PTR: a buffer is NULL that has elements. HCCL_E_PARA: an
 * unknown dtype or reduction, a root or peer that is no rank, a buffer that is not device memory or too
 * short, buffers that overlap otherwise than said, or a stream of another device. HCCL_E_NOT_SUPPORT: a
 * reduction of a dtype that has none, or a stream that is being recorded. HCCL_E_RUNTIME: the stream was
 * destroyed, or takes no work. HCCL_E_MEMORY: there is no memory for the work. Otherwise the error that the
 * communicator has.
 */

/* recvBuf[i] of every rank is the reduction of all sendBuf[i]. The buffers may be one. */
HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream);

/* The same for the root alone; the recvBuf of others is not looked at. */
HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream);

/* Rank r gets elements r * recvCount and on of the reduction. sendBuf has ranks * recvCount elements; recvBuf
 * may be the caller's own part of it. */
HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
                             HcclReduceOp op, HcclComm comm, aclrtStream stream);

/* The same with a part of its own length and place for each rank: sendCounts and sendDispls are
 * uint64_t[ranks], read during the call. */
HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls, void *recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream);

/* The root's elements for everybody, in place. */
HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream);

/* Rank r gets elements r * recvCount and on of the root's sendBuf; that of others is not looked at. The
 * root's recvBuf may be its own part of sendBuf. */
HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream);

/* All sendBufs one after the other for everybody: recvBuf has ranks * sendCount elements; sendBuf may be the
 * caller's own part of it. */
HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream);

/* The same with a length and a place for each: recvCounts and recvDispls are uint64_t[ranks], read during the
 * call; all ranks name the same counts. Parts of recvBuf do not overlap. */
HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream);

/* Part r of sendBuf goes to rank r, and part r of recvBuf comes from there. Counts are of one part, and the
 * same for both directions. The buffers do not overlap. */
HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream);

/* The same with a length and a place for each part: uint64_t[ranks] each, read during the call. Rank r's
 * sendCounts[s] is rank s's recvCounts[r]. Parts of recvBuf do not overlap. */
HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls,
                         HcclDataType sendType, const void *recvBuf, const void *recvCounts,
                         const void *rdispls, HcclDataType recvType, HcclComm comm, aclrtStream stream);

/* The same; sendCountMatrix is uint64_t[ranks * ranks], the same on all ranks, a row for each sender, and
 * parts lie one behind the other. */
HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,
                          const void *recvBuf, HcclDataType recvType, HcclComm comm, aclrtStream stream);

/* Ends when all ranks have come to it. */
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

/*
 * Point to point. The k-th message from one rank to another is received by the k-th receive there; both name
 * the same count and dtype. A message to oneself needs its receive in the same batch or group. A send may
 * wait for its receive.
 */
HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream);
HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream);

/* itemNum messages at once, in any order; the items are read during the call. What one receives overlaps no
 * other buffer. HCCL_E_PTR also: sendRecvInfo is NULL. HCCL_E_PARA also: itemNum is 0. */
HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream);

/*
 * HcclSend and HcclRecv of this thread between the two start together, with the outermost end: those of one
 * communicator and one stream are one batch; NULL is the default stream of the context that is current at
 * their call. Groups nest. The End may return whatever a batch returns: the first failure, and the batches
 * without one are queued. HCCL_E_PARA: an End without its Start.
 */
HcclResult HcclGroupStart(void);
HcclResult HcclGroupEnd(void);

/*
 * Not supported: HCCL_E_NOT_SUPPORT. Suspending, other network cards and registered windows are of hardware.
 */
HcclResult HcclCommSuspend(HcclComm comm);
HcclResult HcclCommResume(HcclComm comm);
HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t *ranks, bool *useBackup, uint32_t nRanks);
HcclResult HcclCommRegister(HcclComm comm, void *addr, uint64_t size, void **handle, uint32_t flag);
HcclResult HcclCommDeregister(HcclComm comm, void *handle);
HcclResult HcclCommExchangeMem(HcclComm comm, void *windowHandle, uint32_t *peerRanks, uint32_t peerRankNum);
HcclResult HcclCommSymWinRegister(HcclComm comm, void *addr, uint64_t size, void **winHandle, uint32_t flag);
HcclResult HcclCommSymWinDeregister(void *winHandle);
HcclResult HcclCommSetMemoryRange(HcclComm comm, void *baseVirPtr, size_t size, size_t alignment,
                                  uint64_t flags);
HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void *baseVirPtr);
HcclResult HcclCommActivateCommMemory(HcclComm comm, void *virPtr, size_t size, size_t offset,
                                      aclrtDrvMemHandle handle, uint64_t flags);
HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void *virPtr);

#pragma GCC visibility pop

/* Fills a configuration with defaults, under the size and version of this header. */
static inline void HcclCommConfigInit(HcclCommConfig *config)
{
    const size_t size = sizeof *config;
    const uint32_t head[2] = {HCCL_COMM_CONFIG_MAGIC_WORD, HCCL_COMM_CONFIG_VERSION};
    memset(config, 0, sizeof *config);
    memcpy(config->reserved, &size, sizeof size);
    memcpy(config->reserved + sizeof size, head, sizeof head);
    config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
    config->hcclDeterministic = 0xffffffffu;
    config->hcclRdmaTrafficClass = 0xffffffffu;
    config->hcclRdmaServiceLevel = 0xffffffffu;
    config->hcclExecTimeOut = -1;
    config->hcclQos = 0xffffffffu;
    config->hcclSymWinMaxMemSizePerRank = 16;
}

#ifdef __cplusplus
}
#endif

#endif
