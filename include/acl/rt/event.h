/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Events: marks in a stream that others can wait for, query and take the time between.
 *
 * There are two kinds. Those of aclrtCreateEvent and aclrtCreateEventWithFlag are bound to one record at a
 * time; those of aclrtCreateEventExWithFlag may be recorded again and again.
 */
#ifndef BELAY_ACL_RT_EVENT_H
#define BELAY_ACL_RT_EVENT_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Flags of events; at least one is needed. */
#define ACL_EVENT_SYNC                    0x00000001u /* streams may wait for it */
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002u
#define ACL_EVENT_TIME_LINE               0x00000008u /* it has a timestamp */
#define ACL_EVENT_DEVICE_USE_ONLY         0x00000010u
#define ACL_EVENT_EXTERNAL                0x00000020u
#define ACL_EVENT_IPC                     0x00000040u

#define ACL_IPC_EVENT_HANDLE_SIZE 64

/* Of aclrtQueryEvent. Mind that aclrtEventRecordedStatus has the opposite values. */
typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE = 0,
    ACL_EVENT_STATUS_NOT_READY = 1,
    ACL_EVENT_STATUS_RESERVED = 2,
} aclrtEventStatus;

/* Of aclrtQueryEventStatus. */
typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;

/* Of aclrtQueryEventWaitStatus. */
typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF,
} aclrtEventWaitStatus;

typedef struct aclrtIpcEventHandle {
    char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

/*
 * Makes an event that streams can wait for and that has a timestamp; end it with aclrtDestroyEvent. 100000:
 * event is NULL. 107002: no current context. 207007: there are 65,536 events.
 */
aclError aclrtCreateEvent(aclrtEvent *event);

/* The same with a choice of flags. Also 107000: flag is 0 or has bits that are not listed above. */
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/* An event of the second kind; the same codes. */
aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/*
 * Ends the event at once; streams that wait for it and records that are queued are not disturbed. 100000:
 * event is NULL. 107017: a destroyed or foreign event.
 */
aclError aclrtDestroyEvent(aclrtEvent event);

/*
 * Queues a mark: the event is complete when everything queued on the stream before has run. 100000: event is
 * NULL. 107002: no current context. 107003: the event or the stream is of another context than the current
 * one. 107017: a destroyed or foreign event or stream.
 */
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/*
 * Queues the event's return to the state of one that was never recorded. The codes of aclrtRecordEvent, and
 * 207000: an event of the second kind.
 */
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/*
 * Three ways to ask, without waiting, whether the event is complete; they differ in their enumerations and in
 * what they say of an event that was never recorded. aclrtQueryEvent and aclrtQueryEventWaitStatus: complete.
 * aclrtQueryEventStatus: not ready for the first kind, complete for the second. 100000: an argument is NULL.
 * 107017: a destroyed or foreign event. 207000: the second kind in the first or the third function.
 */
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status);
aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status);

/*
 * Waits until the event is complete; returns at once when it was never recorded. 100000: event is NULL.
 * 107002: no current context. 107017: a destroyed or foreign event. 107000: called by work that the event
 * comes after.
 */
aclError aclrtSynchronizeEvent(aclrtEvent event);

/*
 * The same for at most timeout milliseconds, -1 for ever. 107000: timeout is 0 or below -1. 507047: the time
 * is over.
 */
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/*
 * Milliseconds from one event to another, negative when endEvent came first. 100000: an argument is NULL.
 * 107017: a destroyed or foreign event. 507000: an event was never recorded. 107006: an event is not complete
 * yet or has no ACL_EVENT_TIME_LINE.
 */
aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent);

/*
 * When the event was reached, in microseconds of a steady clock. 100000: an argument is NULL. The other codes
 * of aclrtEventElapsedTime.
 */
aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/*
 * What other processes of the host and user find an event by that was made with ACL_EVENT_IPC, as long as it
 * lives. 100000: an argument is NULL. 107000: the event was made without that flag, or by another process.
 * 107017: a destroyed or foreign event. 207005: the system gives no memory for it.
 */
aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle);

/*
 * An event that stands for one of another process: either may record it and wait for what the other has
 * recorded, and aclrtDestroyEvent ends it here. A wait for work of a process that has ended before is 507022.
 * 100000: event is NULL. 107000: handle names no event that lives. 107002: no current context. 200000.
 * 207006: the process is of another user. 207007: too many events.
 */
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
