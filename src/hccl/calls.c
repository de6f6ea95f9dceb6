/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The public functions of collectives: what each takes, and which bytes of it go where.
 */
#include <string.h>

#include "hccl/collective.h"
#include "runtime/trace.h"

/* Reductions of so much are sent whole to whoever needs them: one exchange where two would be needed. */
enum { WHOLE_BYTES = 64 << 10 };

/* What is asked for beside the kind. */
struct request {
    const char *api;
    enum call_kind kind;
    HcclDataType data_type;
    bool reduces, has_root;
    HcclReduceOp reduction;
    uint32_t root;
};

/* Makes the collective, with a reference to its communicator. */
static HcclResult open_call(const struct request *request, HcclComm comm, struct collective **collective)
{
    struct communicator *communicator;
    HcclResult found = communicator_find_working(request->api, comm, &communicator);
    if (found != HCCL_SUCCESS)
        return found;
    const uint32_t element_bytes = data_type_bytes((uint32_t)request->data_type);
    HcclResult result = HCCL_SUCCESS;
    if (element_bytes == 0)
        result =
            (HcclResult)fail(HCCL_E_PARA, "%s: argument dataType is %d; 0 to 12 or 14 to 17 are expected",
                             request->api, (int)request->data_type);
    else if (request->reduces && reduction_name((uint32_t)request->reduction) == NULL)
        result = (HcclResult)fail(HCCL_E_PARA, "%s: argument op is %d; 0 (sum) to 3 (minimum) are expected",
                                  request->api, (int)request->reduction);
    else if (request->reduces && !data_type_can_be_reduced((uint32_t)request->data_type))
        result = (HcclResult)fail(
            HCCL_E_NOT_SUPPORT, "%s: argument dataType is %s, which cannot be reduced; 0 to 11 are expected",
            request->api, data_type_name((uint32_t)request->data_type));
    else if (request->has_root && request->root >= communicator->rank_count)
        result = (HcclResult)fail(HCCL_E_PARA, "%s: argument root is %u; a rank below %u is expected",
                                  request->api, (unsigned)request->root, (unsigned)communicator->rank_count);
    struct collective *made = NULL;
    if (result == HCCL_SUCCESS) {
        made = collective_create(request->api, request->kind, communicator);
        result = made != NULL ? HCCL_SUCCESS : HCCL_E_MEMORY;
    }
    if (result != HCCL_SUCCESS) {
        communicator_drop(communicator);
        return result;
    }
    made->call.data_type = (uint32_t)request->data_type;
    made->call.reduction = request->reduces ? (uint32_t)request->reduction : 0;
    made->call.root = request->has_root ? request->root : 0;
    made->element_bytes = element_bytes;
    made->reduces = request->reduces;
    made->has_root = request->has_root;
    *collective = made;
    return HCCL_SUCCESS;
}

/* So many elements for each rank, in bytes of one; false leaves a sentence. */
static bool count_bytes(const struct collective *collective, const char *parameter, uint64_t count,
                        uint64_t *bytes)
{
    const uint64_t most = (uint64_t)INT64_MAX / collective->element_bytes / collective->work.communicator->rank_count;
    *bytes = count * collective->element_bytes;
    if (count <= most)
        return true;
    fail(HCCL_E_PARA, "%s: argument %s is %llu; at most %llu elements are expected", collective->work.api,
         parameter, (unsigned long long)count, (unsigned long long)most);
    return false;
}

/* Whether the two overlap; in that case a sentence. */
static bool overlap(const struct collective *collective, const void *a, uint64_t a_bytes, const void *b,
                    uint64_t b_bytes, const char *allowed)
{
    uintptr_t a_at = (uintptr_t)a, b_at = (uintptr_t)b;
    if (a_bytes == 0 || b_bytes == 0 || a == NULL || b == NULL ||
        (a_at < b_at ? b_at - a_at >= a_bytes : a_at - b_at >= b_bytes))
        return false;
    fail(HCCL_E_PARA, "%s: sendBuf, %llu bytes at %p, and recvBuf, %llu at %p, overlap; %s expected",
         collective->work.api, (unsigned long long)a_bytes, a, (unsigned long long)b_bytes, b, allowed);
    return true;
}

static const char *const apart = "buffers apart from one another are";

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

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = open_call(&(struct request){.api = __func__,
                                                    .kind = CALL_ALL_REDUCE,
                                                    .data_type = dataType,
                                                    .reduces = true,
                                                    .reduction = op},
                                  comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!count_bytes(collective, "count", count, &bytes) ||
        (sendBuf != recvBuf &&
         overlap(collective, sendBuf, bytes, recvBuf, bytes, "one buffer, or two apart, are")))
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

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = open_call(&(struct request){.api = __func__,
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
    if (!count_bytes(collective, "count", count, &bytes) ||
        (is_root && sendBuf != recvBuf &&
         overlap(collective, sendBuf, bytes, recvBuf, bytes, "one buffer, or two apart, are")))
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

/* Parts of equal length, one behind the other. */
static void line_up(const struct collective *collective, struct span *spans, uint64_t bytes)
{
    for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++)
        spans[rank] = (struct span){rank * bytes, bytes};
}

/* Parts as two arrays of the program say, in elements. *reach is where the last one ends; false leaves a
 * sentence, and *result says which failure it is. */
static bool lay_out(const struct collective *collective, struct span *spans, const char *parameter,
                    const void *counts, const void *offsets, uint64_t *reach, HcclResult *result)
{
    const uint64_t most = (uint64_t)INT64_MAX / collective->element_bytes;
    *reach = 0;
    *result = HCCL_E_PTR;
    if (counts == NULL || offsets == NULL) {
        fail(HCCL_E_PTR, "%s: the counts or displacements of %s are NULL; one for each rank is expected",
             collective->work.api, parameter);
        return false;
    }
    *result = HCCL_E_PARA;
    for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++) {
        const uint64_t count = ((const uint64_t *)counts)[rank], offset = ((const uint64_t *)offsets)[rank];
        if (count > most || offset > most - count) {
            fail(HCCL_E_PARA,
                 "%s: the part of %s for rank %u is %llu elements from %llu on; at most %llu in all are "
                 "expected",
                 collective->work.api, parameter, (unsigned)rank, (unsigned long long)count,
                 (unsigned long long)offset, (unsigned long long)most);
            return false;
        }
        spans[rank] = (struct span){offset * collective->element_bytes, count * collective->element_bytes};
        if (count > 0 && spans[rank].offset + spans[rank].bytes > *reach)
            *reach = spans[rank].offset + spans[rank].bytes;
    }
    return true;
}

/* Whether the count is what the arrays have for the caller; else a sentence. */
static bool is_own_count(const struct collective *collective, const struct span *spans, const char *parameter,
                         uint64_t count)
{
    const uint32_t rank = collective->work.communicator->rank;
    const uint64_t own = spans[rank].bytes / collective->element_bytes;
    if (own == count)
        return true;
    fail(HCCL_E_PARA, "%s: argument %s is %llu; the count for rank %u, %llu, is expected",
         collective->work.api, parameter, (unsigned long long)count, (unsigned)rank, (unsigned long long)own);
    return false;
}

/* A place in a buffer, which may be NULL. */
static const void *at(const void *buffer, uint64_t offset)
{
    return (const void *)((uintptr_t)buffer + offset);
}

HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType,
                             HcclReduceOp op, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = open_call(&(struct request){.api = __func__,
                                                    .kind = CALL_REDUCE_SCATTER,
                                                    .data_type = dataType,
                                                    .reduces = true,
                                                    .reduction = op},
                                  comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    const struct communicator *communicator = collective->work.communicator;
    const uint32_t ranks = communicator->rank_count, rank = communicator->rank;
    if (!count_bytes(collective, "recvCount", recvCount, &bytes) ||
        (recvBuf != at(sendBuf, rank * bytes) && overlap(collective, sendBuf, ranks * bytes, recvBuf, bytes,
                                                         "the own part of sendBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->call.count = recvCount;
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    line_up(collective, collective->sends, bytes);
    return collective_submit(collective, "sendBuf", ranks * bytes, "recvBuf", bytes, stream);
}

HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls, void *recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t reach;
    HcclResult opened = open_call(&(struct request){.api = __func__,
                                                    .kind = CALL_REDUCE_SCATTER_V,
                                                    .data_type = dataType,
                                                    .reduces = true,
                                                    .reduction = op},
                                  comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!lay_out(collective, collective->sends, "sendBuf", sendCounts, sendDispls, &reach, &opened))
        return collective_refuse(collective, opened);
    const struct span own = collective->sends[collective->work.communicator->rank];
    if (!is_own_count(collective, collective->sends, "recvCount", recvCount) ||
        (recvBuf != at(sendBuf, own.offset) && overlap(collective, sendBuf, reach, recvBuf, own.bytes,
                                                       "the own part of sendBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    return collective_submit(collective, "sendBuf", reach, "recvBuf", own.bytes, stream);
}

HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = open_call(
        &(struct request){
            .api = __func__, .kind = CALL_BROADCAST, .data_type = dataType, .has_root = true, .root = root},
        comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!count_bytes(collective, "count", count, &bytes))
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

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened = open_call(
        &(struct request){
            .api = __func__, .kind = CALL_SCATTER, .data_type = dataType, .has_root = true, .root = root},
        comm, &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    const struct communicator *communicator = collective->work.communicator;
    const bool is_root = communicator->rank == root;
    const uint32_t ranks = communicator->rank_count;
    if (!count_bytes(collective, "recvCount", recvCount, &bytes) ||
        (is_root && recvBuf != at(sendBuf, root * bytes) &&
         overlap(collective, sendBuf, ranks * bytes, recvBuf, bytes,
                 "the own part of sendBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->call.count = recvCount;
    collective->reads = is_root ? sendBuf : NULL;
    collective->writes = recvBuf;
    collective->receives[root].bytes = bytes;
    if (is_root)
        line_up(collective, collective->sends, bytes);
    return collective_submit(collective, "sendBuf", is_root ? ranks * bytes : 0, "recvBuf", bytes, stream);
}

HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType,
                         HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened =
        open_call(&(struct request){.api = __func__, .kind = CALL_ALL_GATHER, .data_type = dataType}, comm,
                  &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    const struct communicator *communicator = collective->work.communicator;
    const uint32_t ranks = communicator->rank_count;
    if (!count_bytes(collective, "sendCount", sendCount, &bytes) ||
        (sendBuf != at(recvBuf, communicator->rank * bytes) &&
         overlap(collective, sendBuf, bytes, recvBuf, ranks * bytes,
                 "the own part of recvBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->call.count = sendCount;
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    for (uint32_t rank = 0; rank < ranks; rank++)
        collective->sends[rank].bytes = bytes;
    line_up(collective, collective->receives, bytes);
    return collective_submit(collective, "sendBuf", bytes, "recvBuf", ranks * bytes, stream);
}

HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
                          const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t reach;
    HcclResult opened =
        open_call(&(struct request){.api = __func__, .kind = CALL_ALL_GATHER_V, .data_type = dataType}, comm,
                  &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!lay_out(collective, collective->receives, "recvBuf", recvCounts, recvDispls, &reach, &opened))
        return collective_refuse(collective, opened);
    const struct communicator *communicator = collective->work.communicator;
    const struct span own = collective->receives[communicator->rank];
    if (!is_own_count(collective, collective->receives, "sendCount", sendCount) ||
        (sendBuf != at(recvBuf, own.offset) && overlap(collective, sendBuf, own.bytes, recvBuf, reach,
                                                       "the own part of recvBuf, or a buffer apart, is")))
        return collective_refuse(collective, HCCL_E_PARA);
    collective->reads = sendBuf;
    collective->writes = recvBuf;
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++)
        collective->sends[rank].bytes = own.bytes;
    return collective_submit(collective, "sendBuf", own.bytes, "recvBuf", reach, stream);
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
    if (overlap(collective, sendBuf, sends_reach, recvBuf, receives_reach, apart))
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

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t bytes;
    HcclResult opened =
        open_call(&(struct request){.api = __func__, .kind = CALL_ALL_TO_ALL, .data_type = sendType}, comm,
                  &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!is_one_type(__func__, sendType, recvType) ||
        !count_bytes(collective, "sendCount", sendCount, &bytes))
        return collective_refuse(collective, HCCL_E_PARA);
    if (sendCount != recvCount) {
        fail(HCCL_E_PARA, "%s: argument recvCount is %llu; sendCount, %llu, is expected", __func__,
             (unsigned long long)recvCount, (unsigned long long)sendCount);
        return collective_refuse(collective, HCCL_E_PARA);
    }
    const uint64_t all = bytes * collective->work.communicator->rank_count;
    collective->call.count = sendCount;
    line_up(collective, collective->sends, bytes);
    line_up(collective, collective->receives, bytes);
    return exchange_parts(collective, sendBuf, all, recvBuf, all, stream);
}

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls,
                         HcclDataType sendType, const void *recvBuf, const void *recvCounts,
                         const void *rdispls, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    uint64_t sends_reach, receives_reach;
    HcclResult opened =
        open_call(&(struct request){.api = __func__, .kind = CALL_ALL_TO_ALL_V, .data_type = sendType}, comm,
                  &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!is_one_type(__func__, sendType, recvType))
        return collective_refuse(collective, HCCL_E_PARA);
    if (!lay_out(collective, collective->sends, "sendBuf", sendCounts, sdispls, &sends_reach, &opened) ||
        !lay_out(collective, collective->receives, "recvBuf", recvCounts, rdispls, &receives_reach, &opened))
        return collective_refuse(collective, opened);
    return exchange_parts(collective, sendBuf, sends_reach, recvBuf, receives_reach, stream);
}

HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType,
                          const void *recvBuf, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    HcclResult opened =
        open_call(&(struct request){.api = __func__, .kind = CALL_ALL_TO_ALL_VC, .data_type = sendType}, comm,
                  &collective);
    if (opened != HCCL_SUCCESS)
        return opened;
    if (!is_one_type(__func__, sendType, recvType))
        return collective_refuse(collective, HCCL_E_PARA);
    if (sendCountMatrix == NULL) {
        fail(HCCL_E_PTR, "%s: argument sendCountMatrix is NULL; a count for each pair of ranks is expected",
             __func__);
        return collective_refuse(collective, HCCL_E_PTR);
    }
    const struct communicator *communicator = collective->work.communicator;
    const uint64_t ranks = communicator->rank_count, own = communicator->rank;
    const uint64_t *counts = (const uint64_t *)sendCountMatrix;
    uint64_t sends_reach = 0, receives_reach = 0, sent, received;
    for (uint64_t rank = 0; rank < ranks; rank++) {
        if (!count_bytes(collective, "sendCountMatrix", counts[own * ranks + rank], &sent) ||
            !count_bytes(collective, "sendCountMatrix", counts[rank * ranks + own], &received))
            return collective_refuse(collective, HCCL_E_PARA);
        collective->sends[rank] = (struct span){sends_reach, sent};
        collective->receives[rank] = (struct span){receives_reach, received};
        sends_reach += sent;
        receives_reach += received;
    }
    return exchange_parts(collective, sendBuf, sends_reach, recvBuf, receives_reach, stream);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct collective *collective;
    HcclResult opened =
        open_call(&(struct request){.api = __func__, .kind = CALL_BARRIER}, comm, &collective);
    return opened == HCCL_SUCCESS ? collective_submit(collective, "none", 0, "none", 0, stream) : opened;
}
