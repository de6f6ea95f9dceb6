/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The public functions of collectives that reduce: what each takes, and which bytes of it go where.
 */
#include "hccl/request.h"
#include "runtime/streams/refusal.h"
#include "runtime/timeline/trace.h"

/* Reductions of so much are sent whole to whoever needs them: one exchange where two would be needed. */
enum { WHOLE_BYTES = 64 << 10 };

/* Parts of nearly equal length, one for each rank to reduce. */
static void divide(struct collective *collective, uint64_t count)
{
    const uint32_t ranks = collective->work.communicator->rank_count;
    uint64_t first = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t own = count / ranks + (rank < count % ranks);
        collective->sends[rank] =
            (struct span){first * collective->element_bytes, own * collective->element_bytes};
        first += own;
    }
}

static bool is_short(const struct collective *collective, uint64_t bytes)
{
    return bytes * (collective->work.communicator->rank_count - 1) <= WHOLE_BYTES;
}

static HcclResult all_reduce(const char *api, void *sendBuf, void *recvBuf, uint64_t count,
                             HcclDataType dataType, HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = request_open(
        &(struct request){
            .api = api, .kind = CALL_ALL_REDUCE, .data_type = dataType, .reduces = true, .reduction = op},
        comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!request_count_bytes(collective, "count", count, &bytes) ||
        (sendBuf != recvBuf &&
         request_overlaps(collective, sendBuf, bytes, recvBuf, bytes, "one buffer, or two apart, are")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->call.count = count;
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    collective->gathers = !is_short(collective, bytes);
    if (collective->gathers)
        divide(collective, count);
    else
        for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++)
            collective->sends[rank].bytes = bytes;
    return collective_submit(collective, "sendBuf", bytes, "recvBuf", bytes, stream);
}

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(
        __func__, stream, (int)all_reduce(__func__, sendBuf, recvBuf, count, dataType, op, comm, stream));
}

static HcclResult reduce_to_root(const char *api, void *sendBuf, void *recvBuf, uint64_t count,
                                 HcclDataType dataType, HcclReduceOp op, uint32_t root, HcclComm comm,
                                 aclrtStream stream)
{
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = request_open(&(struct request){.api = api,
                                                       .kind = CALL_REDUCE,
                                                       .data_type = dataType,
                                                       .reduces = true,
                                                       .reduction = op,
                                                       .has_root = true,
                                                       .root = root},
                                     comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    const bool is_root = collective->work.communicator->rank == root;
    if (!request_count_bytes(collective, "count", count, &bytes) ||
        (is_root && sendBuf != recvBuf &&
         request_overlaps(collective, sendBuf, bytes, recvBuf, bytes, "one buffer, or two apart, are")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->call.count = count;
    collective->reads = sendBuf;
    collective->writes = is_root ? recvBuf : NULL;
    collective->gathers = !is_short(collective, bytes);
    if (collective->gathers)
        divide(collective, count);
    else
        collective->sends[root].bytes = bytes;
    return collective_submit(collective, "sendBuf", bytes, "recvBuf", is_root ? bytes : 0, stream);
}

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(
        __func__, stream,
        (int)reduce_to_root(__func__, sendBuf, recvBuf, count, dataType, op, root, comm, stream));
}

static HcclResult reduce_scatter(const char *api, void *sendBuf, void *recvBuf, uint64_t recvCount,
                                 HcclDataType dataType, HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = request_open(
        &(struct request){
            .api = api, .kind = CALL_REDUCE_SCATTER, .data_type = dataType, .reduces = true, .reduction = op},
        comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    const struct communicator *communicator = collective->work.communicator;
    const uint32_t ranks = communicator->rank_count, rank = communicator->rank;
    if (!request_count_bytes(collective, "recvCount", recvCount, &bytes) ||
        (recvBuf != request_at(sendBuf, rank * bytes) &&
         request_overlaps(collective, sendBuf, ranks * bytes, recvBuf, bytes,
                          "the own part of sendBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->call.count = recvCount;
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    request_line_up(collective, collective->sends, bytes);
    return collective_submit(collective, "sendBuf", ranks * bytes, "recvBuf", bytes, stream);
}

HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
                             HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(
        __func__, stream,
        (int)reduce_scatter(__func__, sendBuf, recvBuf, recvCount, dataType, op, comm, stream));
}

static HcclResult reduce_scatter_parts(const char *api, void *sendBuf, const void *sendCounts,
                                       const void *sendDispls, void *recvBuf, uint64_t recvCount,
                                       HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                                       aclrtStream stream)
{
    struct collective *collective;
    uint64_t reach;
    HcclResult opened = request_open(&(struct request){.api = api,
                                                       .kind = CALL_REDUCE_SCATTER_V,
                                                       .data_type = dataType,
                                                       .reduces = true,
                                                       .reduction = op},
                                     comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!request_lay_out(collective, collective->sends, "sendBuf", sendCounts, sendDispls, &reach, &opened))
        return collective_refuse(collective, opened);
    const struct span own = collective->sends[collective->work.communicator->rank];
    if (!request_is_own_count(collective, collective->sends, "recvCount", recvCount) ||
        (recvBuf != request_at(sendBuf, own.offset) &&
         request_overlaps(collective, sendBuf, reach, recvBuf, own.bytes,
                          "the own part of sendBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    return collective_submit(collective, "sendBuf", reach, "recvBuf", own.bytes, stream);
}

HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls, void *recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(__func__, stream,
                                  (int)reduce_scatter_parts(__func__, sendBuf, sendCounts, sendDispls,
                                                            recvBuf, recvCount, dataType, op, comm, stream));
}
