/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * HcclSend, HcclRecv and HcclBatchSendRecv, and groups, in which the first two are only noted.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/made.h"
#include "hccl/point_to_point.h"
#include "runtime/streams/refusal.h"
#include "runtime/timeline/trace.h"

/* Noted between HcclGroupStart and HcclGroupEnd. */
struct noted {
    HcclComm comm;
    aclrtStream stream; /* not NULL: the default one is that of the context which is current at the call */
    HcclSendRecvItem item;
    bool is_queued;
};

/* The group that this thread has open. */
static _Thread_local struct group {
    uint32_t depth, count, capacity;
    struct noted *noted; /* owned */
    uint64_t made;       /* what the checker keeps it by, or 0 */
} group;

/* What a thread has noted that ends with its group open goes with it. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t noted_of_thread;

static void prepare(void)
{
    pthread_key_create(&noted_of_thread, free);
}

static HcclResult note(const char *api, const struct noted *noted)
{
    if (group.count == group.capacity) {
        uint32_t capacity = group.capacity == 0 ? 16 : group.capacity * 2;
        struct noted *more = (struct noted *)realloc(group.noted, capacity * sizeof *more);
        if (more == NULL)
            return (HcclResult)fail(HCCL_E_MEMORY, "%s: there is no memory for %u messages of a group", api,
                                    (unsigned)capacity);
        pthread_once(&once, prepare);
        pthread_setspecific(noted_of_thread, more);
        group.noted = more;
        group.capacity = capacity;
    }
    group.noted[group.count++] = *noted;
    return HCCL_SUCCESS;
}

static HcclResult send_or_receive(const char *api, HcclComm comm, aclrtStream stream,
                                  const HcclSendRecvItem *item)
{
    struct communicator *communicator;
    HcclResult result = communicator_find_working(api, comm, &communicator);
    if (result != HCCL_SUCCESS)
        return result;
    if (group.depth == 0)
        return batch_submit(api, communicator, item, 1, stream);
    struct stream_target target;
    result = batch_check_item(api, communicator, item);
    if (result == HCCL_SUCCESS)
        result = work_find_stream(api, communicator, stream, &target);
    communicator_drop(communicator);
    if (result != HCCL_SUCCESS)
        return result;
    memcpy(&stream, &target.identity, sizeof stream);
    return note(api, &(struct noted){comm, stream, *item, false});
}

HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(
        __func__, stream,
        (int)send_or_receive(__func__, comm, stream,
                             &(HcclSendRecvItem){HCCL_SEND, sendBuf, count, dataType, destRank}));
}

HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(
        __func__, stream,
        (int)send_or_receive(__func__, comm, stream,
                             &(HcclSendRecvItem){HCCL_RECV, recvBuf, count, dataType, srcRank}));
}

static HcclResult send_and_receive(const char *api, HcclSendRecvItem *sendRecvInfo, uint32_t itemNum,
                                   HcclComm comm, aclrtStream stream)
{
    struct communicator *communicator;
    HcclResult result = communicator_find_working(api, comm, &communicator);
    if (result != HCCL_SUCCESS)
        return result;
    if (sendRecvInfo != NULL && itemNum > 0)
        return batch_submit(api, communicator, sendRecvInfo, itemNum, stream);
    communicator_drop(communicator);
    if (sendRecvInfo == NULL)
        return (HcclResult)fail(HCCL_E_PTR, "%s: argument sendRecvInfo is NULL; messages are expected", api);
    return (HcclResult)fail(HCCL_E_PARA, "%s: argument itemNum is 0; at least 1 is expected", api);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm,
                             aclrtStream stream)
{
    TRACE_THIS_CALL;
    return (HcclResult)refusal_or(__func__, stream,
                                  (int)send_and_receive(__func__, sendRecvInfo, itemNum, comm, stream));
}

HcclResult HcclGroupStart(void)
{
    TRACE_THIS_CALL;
    HcclResult usable = communicator_check_process();
    if (usable == HCCL_SUCCESS && group.depth++ == 0)
        group.made = made_group(__func__);
    return usable;
}

/* Queues what was noted for the communicator and the stream of the first that is not queued yet; items has
 * room for all. */
static HcclResult queue_batch(const char *api, struct group *own, uint32_t first, HcclSendRecvItem *items)
{
    uint32_t count = 0;
    const HcclComm comm = own->noted[first].comm;
    const aclrtStream stream = own->noted[first].stream;
    for (uint32_t i = first; i < own->count; i++) {
        if (own->noted[i].comm != comm || own->noted[i].stream != stream)
            continue;
        own->noted[i].is_queued = true;
        items[count++] = own->noted[i].item;
    }
    struct communicator *communicator;
    HcclResult result = communicator_find_working(api, comm, &communicator);
    if (result == HCCL_SUCCESS)
        result = batch_submit(api, communicator, items, count, stream);
    return (HcclResult)refusal_or(api, stream, (int)result);
}

HcclResult HcclGroupEnd(void)
{
    TRACE_THIS_CALL;
    HcclResult result = communicator_check_process();
    if (result != HCCL_SUCCESS)
        return result;
    if (group.depth == 0)
        return (HcclResult)fail(HCCL_E_PARA, "%s: no group is open; HcclGroupStart is expected before",
                                __func__);
    if (--group.depth > 0)
        return HCCL_SUCCESS;
    struct group own = group;
    char sentence[ERROR_SENTENCE_BYTES] = ""; /* of the first failure */
    bool is_last = true;
    group = (struct group){.depth = 0};
    if (own.noted != NULL)
        pthread_setspecific(noted_of_thread, NULL);
    made_end(own.made);
    HcclSendRecvItem *items = (HcclSendRecvItem *)malloc((own.count + 1) * sizeof *items);
    if (items == NULL)
        result = (HcclResult)fail(HCCL_E_MEMORY, "%s: there is no memory for %u messages", __func__,
                                  (unsigned)own.count);
    for (uint32_t i = 0; items != NULL && i < own.count; i++) {
        HcclResult queued = own.noted[i].is_queued ? HCCL_SUCCESS : queue_batch(__func__, &own, i, items);
        if (queued == HCCL_SUCCESS)
            continue;
        is_last = result == HCCL_SUCCESS;
        if (!is_last)
            continue;
        result = queued;
        snprintf(sentence, sizeof sentence, "%s", error_last_sentence());
    }
    if (!is_last)
        fail_unreported((int)result, "%s", sentence);
    free(items);
    free(own.noted);
    return result;
}
