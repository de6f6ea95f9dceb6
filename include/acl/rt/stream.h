/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams: queues of work. What is queued on one stream runs in order; streams run beside each other. A
 * stream may be used by several threads at a time. Where a function takes a stream, NULL is the default
 * stream of the current context: an ordinary stream, which waits for no other.
 */
#ifndef BELAY_ACL_RT_STREAM_H
#define BELAY_ACL_RT_STREAM_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Flags of aclrtCreateStreamWithConfig. FAST_LAUNCH, FAST_SYNC and HUGE are hints without effect; a
 * synchronise does not wait for a stream with one of the others. */
#define ACL_STREAM_FAST_LAUNCH     0x00000001u
#define ACL_STREAM_FAST_SYNC       0x00000002u
#define ACL_STREAM_PERSISTENT      0x00000004u
#define ACL_STREAM_HUGE            0x00000008u
#define ACL_STREAM_CPU_SCHEDULE    0x00000010u
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020u

/* Modes of aclrtSetStreamFailureMode. */
#define ACL_CONTINUE_ON_FAILURE 0x00000000u
#define ACL_STOP_ON_FAILURE     0x00000001u

typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED = 0xFFFF,
} aclrtStreamStatus;

typedef enum aclrtStreamConfigAttr {
    ACL_RT_STREAM_WORK_ADDR_PTR = 0, /* void * */
    ACL_RT_STREAM_WORK_SIZE = 1,     /* size_t, bytes */
    ACL_RT_STREAM_FLAG = 2,          /* size_t, the flags above */
    ACL_RT_STREAM_PRIORITY = 3,      /* uint32_t, 0 is the highest */
} aclrtStreamConfigAttr;

typedef enum aclrtStreamAttr {
    ACL_STREAM_ATTR_FAILURE_MODE = 1,
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
    ACL_STREAM_ATTR_PRIORITY = 5,
} aclrtStreamAttr;

typedef union aclrtStreamAttrValue {
    uint64_t failureMode;
    uint32_t overflowSwitch;
    uint32_t userCustomTag;
    uint32_t cacheOpInfoSwitch;
    uint32_t streamPriority;
    uint32_t reserve[4];
} aclrtStreamAttrValue;

typedef struct aclrtStreamConfigHandle {
    void *workptr;
    size_t workSize;
    size_t flag;
    uint32_t priority;
} aclrtStreamConfigHandle;

/*
 * Makes a stream in the current context; end it with aclrtDestroyStream. 100000: stream is NULL. 107002: no
 * current context. 207008: the device has 1,984 streams. 207005: the system refuses a thread.
 */
aclError aclrtCreateStream(aclrtStream *stream);

/*
 * The same with a priority (0 to 7, 0 the highest, larger ones count as 7) and flags of the list above. Also
 * 107000: a flag that is not in the list.
 */
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag);

/* The same with a configuration, which may be destroyed afterwards. Also 100000: handle is NULL or
 * was destroyed. */
aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle);

/* A configuration with default values; NULL when memory runs out. Free it with the function after it. */
aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);

/* 100000: handle is NULL, or not a live configuration. */
aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/*
 * Sets one attribute: valueSize bytes, as the attribute's type has them, at attrValue. 100000: handle or
 * attrValue is NULL, handle is not a live configuration, no such attr, or another valueSize.
 */
aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr,
                                 const void *attrValue, size_t valueSize);

/*
 * Waits for what is queued, then ends the stream. 100000: stream is NULL (a default stream cannot be
 * destroyed). 107017: a destroyed or foreign stream. 107003: a stream of another context. 107002: no current
 * context. 107000: called by a callback of this stream, which would wait for itself.
 */
aclError aclrtDestroyStream(aclrtStream stream);

/*
 * The same without waiting: what has not begun to run is discarded, and what runs goes on to its end, so that
 * its operands are in use until then. A callback of the stream may call it.
 */
aclError aclrtDestroyStreamForce(aclrtStream stream);

/*
 * Waits until everything queued on the stream before the call has run. Any context's stream will do. The
 * results of the work are then visible to the caller.
 * 107002: stream is NULL, or any, and no context is current. 107017: a destroyed or foreign stream. 107000:
 * called by a callback of this stream, or by the thread that is to process a callback for which this stream
 * waits. Otherwise the first error of work that has ended since the last
 * synchronise; 107023 when the stream was aborted since.
 */
aclError aclrtSynchronizeStream(aclrtStream stream);

/*
 * The same for at most timeout milliseconds, -1 for ever. 107000: timeout is 0 or below -1. 507046: the time
 * is over; the work goes on.
 */
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/*
 * *status tells whether everything queued has run; never waits. 100000: status is NULL. 107002: no current
 * context. 107017: a destroyed or foreign stream. When all has run, also the errors of a synchronise.
 */
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

/*
 * Has the stream wait for the event's last aclrtRecordEvent before this call; an event that was never
 * recorded is not waited for. The call does not block. 100000: event is NULL. 107002: no current context.
 * 107017: a destroyed or foreign stream or event.
 */
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/*
 * The same for at most timeout seconds, 0 for ever; the next synchronise then returns 107019. 107000: timeout
 * is negative.
 */
aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout);

/*
 * A number that no other live stream of the device has; the priority; the flags that the stream was made
 * with. 100000: the pointer is NULL. 107002: no current context. 107017: a destroyed or foreign stream.
 */
aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);
aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);
aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/*
 * Discards what is queued and has not begun to run. The next synchronise returns 107023, once; then the
 * stream may be used again. 100000: stream is NULL. 107002: no current context. 107017: a destroyed or
 * foreign stream.
 */
aclError aclrtStreamAbort(aclrtStream stream);
aclError aclrtStreamStop(aclrtStream stream);

/*
 * What happens to work behind a task that fails while it runs: it runs (ACL_CONTINUE_ON_FAILURE, the
 * default), or it is discarded until a synchronise or a query has told of the failure (ACL_STOP_ON_FAILURE);
 * events that were to be recorded count as recorded. 107000: no such mode, or stream is NULL with no current
 * context. 107002: no current context for another stream. 107017: a destroyed or foreign stream. 207000: back
 * from stop to continue.
 */
aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/*
 * One attribute of a stream, in the member of *value that belongs to it. The failure mode follows
 * aclrtSetStreamFailureMode; the others are remembered. 100000: value is NULL, or no such stmAttrType.
 * 107002: no current context. 107017: a destroyed or foreign stream.
 */
aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value);
aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue *value);

/*
 * Whether overflow is watched for: remembered and without effect. 100000: flag is NULL. 107002: no current
 * context. 107017: a destroyed or foreign stream.
 */
aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);
aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag);

/* Not supported: overflow flags. */
aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream);
aclError aclrtResetOverflowStatus(aclrtStream stream);

/* The number of the last task that this thread queued, 0 at first. 100000: taskId is NULL. */
aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
