/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Recording what is queued on streams, in a graph, and running it again.
 *
 * Between aclmdlRICaptureBegin and aclmdlRICaptureEnd nothing runs that is queued on the stream. Recorded are
 * phase 2 of operators (the executor is consumed as ever), aclrtMemcpyAsync, aclrtMemcpy2dAsync,
 * aclrtMemcpyBatchAsync, aclrtMemsetAsync, aclrtLaunchHostFunc, aclrtValueWrite and aclrtValueWait, with the
 * addresses, scalars and sizes that they were given; what lies in device memory is read by each run anew.
 * aclrtRecordEvent and aclrtStreamWaitEvent order the streams of a capture: a stream joins it by waiting for
 * an event that was recorded in it, and must have been joined back at the end. Such an event is not recorded
 * for others, neither then nor by a run.
 *
 * What cannot be recorded is refused with one of the codes below, and the capture is lost (the status
 * INVALIDATED): all later calls for its streams, and its end, return 507903.
 *
 *   107024  a wait for an event that was recorded outside of the capture
 *   107030  aclrtLaunchCallback, aclrtResetEvent, and aclmdlRIExecuteAsync on a stream that is being
 *           recorded; blocking copies and sets, where the mode forbids them to the calling thread
 *   107031  work on the default stream of the context, where the mode forbids the thread blocking copies
 *   107032  a wait of a stream of one capture for an event of another one; both are lost
 *   107003  a stream of another device that waits for an event of the capture
 *   107041  copies and sets in stream order of host memory that is not from aclrtMallocHost
 *   200000  there is no memory for it
 *
 * Also refused, while the capture goes on: 107027 for synchronising, querying, aborting or destroying a
 * stream that is being recorded, and for synchronising its device where the mode forbids blocking copies;
 * 107028 for asking after or waiting for an event that the capture has recorded.
 *
 * The end of a stream with its context or device loses its capture.
 *
 * Tasks may be recorded as groups, which get other arguments later: see aclmdlRICaptureTaskGrpBegin.
 */
#ifndef BELAY_ACL_RT_CAPTURE_H
#define BELAY_ACL_RT_CAPTURE_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef void *aclmdlRI;
typedef void *aclmdlRICondHandle;

typedef enum aclmdlRICaptureMode {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2,
} aclmdlRICaptureMode;

typedef enum aclmdlRICaptureStatus {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
} aclmdlRICaptureStatus;

/*
 * Whether a stream, NULL being the default one, is being recorded, and into which graph (NULL if it is not).
 * Either pointer may be NULL. 107002: no current context. 107017: a destroyed or foreign stream.
 */
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI);

/*
 * Gives the calling thread another mode, and the old one back; a thread begins with GLOBAL. A capture forbids
 * a thread blocking copies and sets where neither mode is RELAXED, and the thread has begun it or both modes
 * are GLOBAL. 100000: mode is NULL. 107000: *mode is none.
 */
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/*
 * From here on the stream's work is recorded; what was queued before goes on. 100000: stream is NULL. 107000:
 * mode is none. 107002: no current context. 107017: a destroyed or foreign stream. 107027: the stream is
 * being recorded already. 107031: it is the default stream. 200000: no memory.
 */
aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/*
 * Ends the capture that was begun on the stream, on all its streams, and gives its graph, to be destroyed by
 * aclmdlRIDestroy. The first three change nothing: 107029: the stream is not being recorded. 107036: it has
 * joined the capture of another one. 107038: the mode is THREAD_LOCAL and another thread has begun it. Behind
 * the next three there is no capture and no graph, and *modelRI is NULL: 107025: work of a stream was not
 * joined back. 107034: a stream is in a
 * group of tasks. 507903: the capture was lost. 200000: no memory. 100000: stream or modelRI is NULL. 107002,
 * 107017: as above.
 */
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);

/*
 * Runs the graph as one task of the stream, NULL being the default one; it fails as its tasks would. Runs of
 * one graph wait for each other, in the order of the calls, whatever their streams. 100000: modelRI is NULL.
 * 107000: memory that the graph uses was freed. 107002: no current context. 107004: the graph was recorded on
 * another device. 107017: a destroyed or foreign graph or stream. 107026: the graph is still being recorded.
 * 107030: the stream is being recorded; its capture is lost. 200000, 207005: no memory, no thread. 507002:
 * the queue is full.
 */
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/*
 * Runs the graph on the default stream and waits for it, for so many milliseconds at most, or -1 for as long
 * as it takes. The codes of aclmdlRIExecuteAsync and of aclrtSynchronizeStream; 107000 also where timeout is
 * 0 or below -1. 507046: the time was over; the graph goes on.
 */
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/*
 * Waits for the runs of the graph and frees it. 100000: modelRI is NULL. 107000: the calling callback belongs
 * to a run. 107017: a destroyed or foreign graph. 107026: it is still being recorded.
 */
aclError aclmdlRIDestroy(aclmdlRI modelRI);

/* A number that no other graph of the process has. 100000: a pointer is NULL. 107017: a destroyed or foreign
 * graph. */
aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *id);

/*
 * The recorded steps: to the log at its level INFO, or as JSON to a file, which is made or written over;
 * flags is not looked at. A step is a task, with the function that queued it, or a wait for another stream.
 * 100000: a pointer is NULL. 107009, 107010: the file cannot be opened, or written. 107017, 107026: as above.
 */
aclError aclmdlRIDebugPrint(aclmdlRI modelRI);
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags);

/*
 * What the stream records from here on is a group of tasks, up to the end, which gives a handle. It belongs
 * to the graph and ends with it. Waits for events lie in no group; a group may be empty. 100000: a pointer is
 * NULL. 107002: no current context. 107017: a destroyed or foreign stream. 107029: the stream is not being
 * recorded. 107033: it is in a group already; at the end, in none. 507903: the capture is lost. 200000: no
 * memory.
 */
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);

/*
 * Gives the tasks of a group other arguments. What is queued on the stream, NULL being the default one, from
 * here to the end does not run but takes the place of the group's tasks: as many, by the same functions, in
 * the same order. The exchange is work of the stream, behind what it has before; no task of the group runs
 * meanwhile. Runs that come to the group later, also such as have begun, do what the update says; whoever
 * needs a run to wait for it has the run wait for a number (aclrtValueWait) that the stream writes behind.
 * The memory of the old tasks, and of the new ones, must live as long as the graph is run.
 *
 * Begin: 100000: handle is NULL. 107002: no current context. 107004: the graph was recorded on another
 * device. 107017: a destroyed or foreign stream or group, or a destroyed graph. 107026: the graph is still
 * being recorded. 107027: the stream is being recorded itself. 107033: it updates a group already. 200000: no
 * memory.
 * Meanwhile the stream refuses what cannot be recorded: 107030, 107041 for memory of the host that is not
 * from aclrtMallocHost, 107033 for joining or beginning a capture. The update goes on. End: 107000: other
 * functions, or another number of tasks. 107002. 107017: a destroyed or foreign stream, or the graph was
 * destroyed meanwhile. 107033: the stream updates no group. 200000, 207005: no memory, no thread. 107031,
 * 507002: as other work of the stream. The update has ended in any case, and the group stays as it is unless
 * the status is 0.
 */
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/* Not supported: recording into a graph that exists, and what runs on a condition. */
aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode);
aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, unsigned defaultValue, uint32_t flag,
                                  aclmdlRICondHandle *handle);
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **condPtr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
