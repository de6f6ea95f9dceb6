/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Records of what a process runs on its devices, handed over to functions of its own (libmspti.so, or
 * libascendcl.so): what torch.profiler is fed by. While a kind is enabled every task costs some more.
 *
 * There are records of two kinds: MSPTI_ACTIVITY_KIND_KERNEL, of each operator and each collective, and,
 * where a thread has pushed a number, MSPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION of what it submits. Of the
 * other kinds, which may be enabled, there are none. All functions return 0, or what is said below;
 * aclGetRecentErrMsg has the sentence.
 */
#ifndef BELAY_MSPTI_MSPTI_H
#define BELAY_MSPTI_MSPTI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum msptiResult {
    MSPTI_SUCCESS = 0,
    MSPTI_ERROR_INVALID_PARAMETER = 1,
    MSPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 2,
    MSPTI_ERROR_MAX_LIMIT_REACHED = 3,
    MSPTI_ERROR_DEVICE_OFFLINE = 4,
    MSPTI_ERROR_QUEUE_EMPTY = 5,
    MSPTI_ERROR_INNER = 999,
} msptiResult;

typedef enum msptiActivityKind {
    MSPTI_ACTIVITY_KIND_INVALID = 0,
    MSPTI_ACTIVITY_KIND_MARKER = 1,
    MSPTI_ACTIVITY_KIND_KERNEL = 2,
    MSPTI_ACTIVITY_KIND_API = 3,
    MSPTI_ACTIVITY_KIND_HCCL = 4,
    MSPTI_ACTIVITY_KIND_MEMORY = 5,
    MSPTI_ACTIVITY_KIND_MEMSET = 6,
    MSPTI_ACTIVITY_KIND_MEMCPY = 7,
    MSPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 8,
    MSPTI_ACTIVITY_KIND_COMMUNICATION = 9,
    MSPTI_ACTIVITY_KIND_ACL_API = 10,
    MSPTI_ACTIVITY_KIND_NODE_API = 11,
    MSPTI_ACTIVITY_KIND_RUNTIME_API = 12,
    MSPTI_ACTIVITY_KIND_COUNT = 13,
} msptiActivityKind;

typedef int msptiExternalCorrelationKind;
typedef struct msptiSubscriber_st *msptiSubscriberHandle;
typedef void (*msptiCallbackFunc)(void *userdata, int domain, uint32_t callbackId, const void *data);
typedef void (*msptiBuffersCallbackRequestFunc)(uint8_t **buffer, size_t *size, size_t *maxNumRecords);
typedef void (*msptiBuffersCallbackCompleteFunc)(uint8_t *buffer, size_t size, size_t validSize);

/* Every record begins with its kind and takes a multiple of 8 bytes. */
#pragma pack(push, 4)
typedef struct msptiActivity {
    msptiActivityKind kind;
} msptiActivity;

typedef struct msptiActivityKernel {
    msptiActivityKind kind;
    uint64_t start, end; /* nanoseconds since 1970 */
    struct {
        uint32_t deviceId, streamId;
    } ds;
    uint64_t correlationId; /* the number of the task */
    const char *type;       /* AI_CORE, COMMUNICATION; static */
    const char *name;       /* of the function; static */
} msptiActivityKernel;

typedef struct msptiActivityExternalCorrelation {
    msptiActivityKind kind;
    msptiExternalCorrelationKind externalKind;
    uint64_t externalId; /* that was pushed */
    uint64_t correlationId;
} msptiActivityExternalCorrelation;
#pragma pack(pop)

/* There is one subscriber at a time, whose callback is never called. 1 for NULL, and for a handle that is not
 * the subscriber's; 2 where there is one already. */
msptiResult msptiSubscribe(msptiSubscriberHandle *subscriber, msptiCallbackFunc callback, void *userdata);
msptiResult msptiUnsubscribe(msptiSubscriberHandle subscriber);

/* Where records go: buffers that the program gives, and gets back with what is in them. 1 for NULL. */
msptiResult msptiActivityRegisterCallbacks(msptiBuffersCallbackRequestFunc request,
                                           msptiBuffersCallbackCompleteFunc complete);

/* 1 for a kind that is none. */
msptiResult msptiActivityEnable(msptiActivityKind kind);
msptiResult msptiActivityDisable(msptiActivityKind kind);

/* 1 while the kind is enabled, else 0. torch_npu 2.9 passes the kind alone. */
int msptiActivityIsEnabled(msptiActivityKind kind);

/* Hands over all records that there are, on the calling thread; synchronise before. 999 where records have
 * been lost, because there was no memory or no buffer for them. */
msptiResult msptiActivityFlushAll(uint32_t flag);

/* The record behind *record, or for NULL the first. 3 where there is none; 1 for NULL. */
msptiResult msptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes, msptiActivity **record);

/* The numbers of a thread, the last one pushed of all kinds being told of what it submits; up to 64. 3 for
 * more; 1 for a place that is NULL; 5 where there is none of the kind. */
msptiResult msptiActivityPushExternalCorrelationId(msptiExternalCorrelationKind kind, uint64_t id);
msptiResult msptiActivityPopExternalCorrelationId(msptiExternalCorrelationKind kind, uint64_t *lastId);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
