/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Recording what is queued on a stream and running it again. Not supported: but for the two questions below,
 * each function returns 200001 and changes nothing, so that a program can fall back to queueing its work
 * every time.
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
typedef void *aclrtTaskGrp;

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
 * Whether a stream, NULL being the default one, is being recorded, and into what: never, and NULL. Either
 * pointer may be NULL. 107002: no current context. 107017: a destroyed or foreign stream.
 */
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI);

/*
 * Gives the calling thread another mode, and the old one back. 100000: mode is NULL. 107000: *mode is none.
 */
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/* Not supported: recording and replaying. */
aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);
aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);
aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);
aclError aclmdlRIDestroy(aclmdlRI modelRI);
aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *id);
aclError aclmdlRIDebugPrint(aclmdlRI modelRI);
aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags);

/* Not supported: changing what was recorded, and recording what runs on a condition. */
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);
aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode);
aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, unsigned defaultValue, uint32_t flag,
                                  aclmdlRICondHandle *handle);
aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **condPtr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
