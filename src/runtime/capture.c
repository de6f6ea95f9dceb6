/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What programs ask about recording streams. Nothing is recorded (unsupported.c), so that no stream ever is.
 */
#include <stddef.h>

#include "acl/acl_rt.h"
#include "runtime/error.h"
#include "runtime/settings.h"
#include "runtime/stream_queue.h"

/* What the thread's calls may do while a stream is being recorded. */
static _Thread_local aclmdlRICaptureMode mode_of_thread;

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI)
{
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    if (status != NULL)
        *status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (modelRI != NULL)
        *modelRI = NULL;
    return 0;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "mode", mode));
    if ((int)*mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || (int)*mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: *mode is %d; ACL_MODEL_RI_CAPTURE_MODE_GLOBAL (0) to "
                    "ACL_MODEL_RI_CAPTURE_MODE_RELAXED (2) is expected",
                    __func__, (int)*mode);
    aclmdlRICaptureMode old = mode_of_thread;
    mode_of_thread = *mode;
    *mode = old;
    return 0;
}
