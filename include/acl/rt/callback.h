/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of the program that run in stream order, and those that hear of failures.
 *
 * A callback must not wait for its own stream, nor for one that waits for the callback in the end: such a
 * call returns 107000 to the callback instead of hanging.
 */
#ifndef BELAY_ACL_RT_CALLBACK_H
#define BELAY_ACL_RT_CALLBACK_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct rtExceptionInfo aclrtExceptionInfo;

typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);

/* exceptionInfo is valid during the call only. */
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);

typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK = 0, /* the stream goes on while the callback runs */
    ACL_CALLBACK_BLOCK = 1,    /* the stream waits until it has returned */
} aclrtCallbackBlockType;

/*
 * Queues fn(args). It runs on a thread of the library, which has a stack of 4 MiB, in stream order; the
 * stream waits for it. 107000: fn is NULL. 107002: no current context. 107017: a destroyed or foreign stream.
 */
aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);

/*
 * Makes a thread the one that runs the stream's callbacks: threadId is its pthread_self(). One thread may
 * serve several streams. 107002: no current context. 107011: the stream has a subscriber. 107017: a destroyed
 * or foreign stream.
 */
aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/*
 * Queues a callback: when its turn comes, it is handed to the stream's subscriber, who runs it inside
 * aclrtProcessReport. In a stream that is being recorded it is recorded as a host function, which each run of
 * the graph calls. 100000: no such blockType. 107000: fn is NULL. 107002: no current context. 107015: the
 * stream has no subscriber. 107017: a destroyed or foreign stream.
 */
aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream);

/*
 * Waits at most timeout milliseconds (-1: for ever) for a callback and runs it on this thread. 100000:
 * timeout is 0 or below -1. 107012: no stream has this thread as its subscriber, and no callback of an
 * earlier subscription is left. 507012: none came in time, which is an answer and leaves no message.
 */
aclError aclrtProcessReport(int32_t timeout);

/*
 * Ends a subscription. 107002: no current context. 107011: the stream has no subscriber. 107012: it has
 * another one. 107017: a destroyed or foreign stream.
 */
aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/* The same three functions for host functions of operators. No operator here has any. */
aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);
aclError aclrtProcessHostFunc(int32_t timeout);
aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/*
 * Names a function to be called when work fails while it runs (507035: an index out of range, for instance);
 * NULL takes it back. It is called once for each failure, on a thread of the library, before a synchronise
 * tells of the failure.
 */
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/* The same for up to 64 functions; one more is 200000. 107000: callback is NULL, or not registered. */
aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);
aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/*
 * What failed, and where: the task is the number that aclrtGetThreadLastTaskId had for the thread that
 * submitted it. 0xFFFFFFFF when info is not what a callback was given that runs on this thread.
 */
uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
