/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The public functions of collectives that only move data: what each takes, and which bytes of it go where.
 */
#include <string.h>

#include "hccl/request.h"
#include "runtime/streams/refusal.h"
#include "runtime/timeline/trace.h"

static HcclResult broadcast(const char *api, void *buf, uint64_t count, HcclDataType dataType, uint32_t root,
                            HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = request_open(
        &(struct request){
            .api = api, .kind = CALL_BROADCAST, .data_type = dataType, .has_root = true, .root = root},
        comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!request_count_bytes(collective, "count", count, &bytes))
        return collective_refuse(collective, HCCL_E_PARA);
    const struct communicator *communicator = collective->work.communicator;
    const bool is_root = communicator->rank == root;
    collective->call.count = count;
    collective->reads = collective->writes = buf;
    if (!is_root)
        collective->receives[root].bytes = bytes;
    for (uint32_t rank = 0; is_root && rank < communicator->rank_count; rank++)
        collective->sends[rank].bytes = rank != root ? bytes : 0;
    return collective_submit(collective, "buf", is_root ? bytes : 0, "buf", is_root ? 0 : bytes, stream);
}

HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(__func__, stream,
                                  (int)broadcast(__func__, buf, count, dataType, root, comm, stream));
}

static HcclResult scatter(const char *api, void *sendBuf, void *recvBuf, uint64_t recvCount,
                          HcclDataType dataType, uint32_t root, HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = request_open(
        &(struct request){
            .api = api, .kind = CALL_SCATTER, .data_type = dataType, .has_root = true, .root = root},
        comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    const struct communicator *communicator = collective->work.communicator;
    const bool is_root = communicator->rank == root;
    const uint32_t ranks = communicator->rank_count;
    if (!request_count_bytes(collective, "recvCount", recvCount, &bytes) ||
        (is_root && recvBuf != request_at(sendBuf, root * bytes) &&
         request_overlaps(collective, sendBuf, ranks * bytes, recvBuf, bytes,
                          "the own part of sendBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->call.count = recvCount;
    collective->reads = is_root ? sendBuf : NULL;
    collective->writes = recvBuf;
    collective->receives[root].bytes = bytes;
    if (is_root)
        request_line_up(collective, collective->sends, bytes);
    return collective_submit(collective, "sendBuf", is_root ? ranks * bytes : 0, "recvBuf", bytes, stream);
}

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(
        __func__, stream, (int)scatter(__func__, sendBuf, recvBuf, recvCount, dataType, root, comm, stream));
}

static HcclResult all_gather(const char *api, void *sendBuf, void *recvBuf, uint64_t sendCount,
                             HcclDataType dataType, HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = request_open(
        &(struct request){.api = api, .kind = CALL_ALL_GATHER, .data_type = dataType}, comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    const struct communicator *communicator = collective->work.communicator;
    const uint32_t ranks = communicator->rank_count;
    if (!request_count_bytes(collective, "sendCount", sendCount, &bytes) ||
        (sendBuf != request_at(recvBuf, communicator->rank * bytes) &&
         request_overlaps(collective, sendBuf, bytes, recvBuf, ranks * bytes,
                          "the own part of recvBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->call.count = sendCount;
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    for (uint32_t rank = 0; rank < ranks; rank++)
        collective->sends[rank].bytes = bytes;
    request_line_up(collective, collective->receives, bytes);
    return collective_submit(collective, "sendBuf", bytes, "recvBuf", ranks * bytes, stream);
}

HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(
        __func__, stream, (int)all_gather(__func__, sendBuf, recvBuf, sendCount, dataType, comm, stream));
}

static HcclResult all_gather_parts(const char *api, void *sendBuf, uint64_t sendCount, void *recvBuf,
                                   const void *recvCounts, const void *recvDispls, HcclDataType dataType,
                                   HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    uint64_t reach;
    HcclResult opened = request_open(
        &(struct request){.api = api, .kind = CALL_ALL_GATHER_V, .data_type = dataType}, comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!request_lay_out(collective, collective->receives, "recvBuf", recvCounts, recvDispls, &reach,
                         &opened))
        return collective_refuse(collective, opened);
    const struct communicator *communicator = collective->work.communicator;
    const struct span own = collective->receives[communicator->rank];
    if (!request_is_own_count(collective, collective->receives, "sendCount", sendCount) ||
        request_parts_overlap(collective, collective->receives, "recvBuf") ||
        (sendBuf != request_at(recvBuf, own.offset) &&
         request_overlaps(collective, sendBuf, own.bytes, recvBuf, reach,
                          "the own part of recvBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++)
        collective->sends[rank].bytes = own.bytes;
    return collective_submit(collective, "sendBuf", own.bytes, "recvBuf", reach, stream);
}

HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(__func__, stream,
                                  (int)all_gather_parts(__func__, sendBuf, sendCount, recvBuf, recvCounts,
                                                        recvDispls, dataType, comm, stream));
}

/* All-to-all takes a dtype for each direction, which must be the same. */
static bool is_one_type(const char *api, HcclDataType sends, HcclDataType receives)
{
    if (sends == receives)
        return true;
    fail(HCCL_E_PARA, "%s: argument sendType is %d and recvType is %d; the same dtype is expected", api,
         (int)sends, (int)receives);
    return false;
}

/* Queues an all-to-all whose parts have been laid out. */
static HcclResult exchange_parts(struct collective *collective, const void *sendBuf, uint64_t sends_reach,
                                 const void *recvBuf, uint64_t receives_reach, aclrtStream stream)
{
    const uint32_t rank = collective->work.communicator->rank;
    if (request_overlaps(collective, sendBuf, sends_reach, recvBuf, receives_reach,
                         "buffers apart from one another are"))
        return collective_refuse(collective, HCCL_E_PARA);
    if (collective->sends[rank].bytes != collective->receives[rank].bytes) {
        fail(HCCL_E_PARA,
             "%s: the caller's own part is %llu bytes in sendBuf and %llu in recvBuf; the same is expected",
             collective->work.api, (unsigned long long)collective->sends[rank].bytes,
             (unsigned long long)collective->receives[rank].bytes);
        return collective_refuse(collective, HCCL_E_PARA);
    }
    /* The public signature says const of what is written. */
    memcpy(&collective->reads, &sendBuf, sizeof sendBuf);
    memcpy(&collective->writes, &recvBuf, sizeof recvBuf);
    return collective_submit(collective, "sendBuf", sends_reach, "recvBuf", receives_reach, stream);
}

static HcclResult all_to_all(const char *api, const void *sendBuf, uint64_t sendCount, HcclDataType sendType,
                             const void *recvBuf, uint64_t recvCount, HcclDataType recvType, HcclComm comm,
                             aclrtStream stream)
{
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = request_open(
        &(struct request){.api = api, .kind = CALL_ALL_TO_ALL, .data_type = sendType}, comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!is_one_type(api, sendType, recvType) ||
        !request_count_bytes(collective, "sendCount", sendCount, &bytes))
        return collective_refuse(collective, HCCL_E_PARA);
    if (sendCount != recvCount) {
        fail(HCCL_E_PARA, "%s: argument recvCount is %llu; sendCount, %llu, is expected", api,
             (unsigned long long)recvCount, (unsigned long long)sendCount);
        return collective_refuse(collective, HCCL_E_PARA);
    }
    const uint64_t all = bytes * collective->work.communicator->rank_count;
    collective->call.count = sendCount;
    request_line_up(collective, collective->sends, bytes);
    request_line_up(collective, collective->receives, bytes);
    return exchange_parts(collective, sendBuf, all, recvBuf, all, stream);
}

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(
        __func__, stream,
        (int)all_to_all(__func__, sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, comm, stream));
}

static HcclResult all_to_all_parts(const char *api, const void *sendBuf, const void *sendCounts,
                                   const void *sdispls, HcclDataType sendType, const void *recvBuf,
                                   const void *recvCounts, const void *rdispls, HcclDataType recvType,
                                   HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    uint64_t sends_reach, receives_reach;
    HcclResult opened = request_open(
        &(struct request){.api = api, .kind = CALL_ALL_TO_ALL_V, .data_type = sendType}, comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!is_one_type(api, sendType, recvType))
        return collective_refuse(collective, HCCL_E_PARA);
    if (!request_lay_out(collective, collective->sends, "sendBuf", sendCounts, sdispls, &sends_reach,
                         &opened) ||
        !request_lay_out(collective, collective->receives, "recvBuf", recvCounts, rdispls, &receives_reach,
                         &opened))
        return collective_refuse(collective, opened);
    if (request_parts_overlap(collective, collective->receives, "recvBuf"))
        return collective_refuse(collective, HCCL_E_PARA);
    return exchange_parts(collective, sendBuf, sends_reach, recvBuf, receives_reach, stream);
}

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls,
                         HcclDataType sendType, const void *recvBuf, const void *recvCounts,
                         const void *rdispls, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(__func__, stream,
                                  (int)all_to_all_parts(__func__, sendBuf, sendCounts, sdispls, sendType,
                                                        recvBuf, recvCounts, rdispls, recvType, comm,
                                                        stream));
}

static HcclResult all_to_all_matrix(const char *api, const void *sendBuf, const void *sendCountMatrix,
                                    HcclDataType sendType, const void *recvBuf, HcclDataType recvType,
                                    HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    HcclResult opened = request_open(
        &(struct request){.api = api, .kind = CALL_ALL_TO_ALL_VC, .data_type = sendType}, comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!is_one_type(api, sendType, recvType))
        return collective_refuse(collective, HCCL_E_PARA);
    if (sendCountMatrix == NULL) {
        fail(HCCL_E_PTR, "%s: argument sendCountMatrix is NULL; a count for each pair of ranks is expected",
             api);
        return collective_refuse(collective, HCCL_E_PTR);
    }
    const struct communicator *communicator = collective->work.communicator;
    const uint64_t ranks = communicator->rank_count, own = communicator->rank;
    const uint64_t *counts = (const uint64_t *)sendCountMatrix;
    uint64_t sends_reach = 0, receives_reach = 0, sent, received;
    for (uint64_t rank = 0; rank < ranks; rank++) {
        if (!request_count_bytes(collective, "sendCountMatrix", counts[own * ranks + rank], &sent) ||
            !request_count_bytes(collective, "sendCountMatrix", counts[rank * ranks + own], &received))
            return collective_refuse(collective, HCCL_E_PARA);
        collective->sends[rank] = (struct span){sends_reach, sent};
        collective->receives[rank] = (struct span){receives_reach, received};
        sends_reach += sent;
        receives_reach += received;
    }
    return exchange_parts(collective, sendBuf, sends_reach, recvBuf, receives_reach, stream);
}

HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,
                          const void *recvBuf, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(__func__, stream,
                                  (int)all_to_all_matrix(__func__, sendBuf, sendCountMatrix, sendType,
                                                         recvBuf, recvType, comm, stream));
}

static HcclResult meet(const char *api, HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    HcclResult opened = request_open(&(struct request){.api = api, .kind = CALL_BARRIER}, comm, &collective);
    return opened == HCCL_SUCCESS ? collective_submit(collective, "none", 0, "none", 0, stream) : opened;
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(__func__, stream, (int)meet(__func__, comm, stream));
}
