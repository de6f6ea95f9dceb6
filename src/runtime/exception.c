/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Callbacks for tasks that fail on the device. The registry is kept and checked, but nothing calls it: what
 * would make a task fail is found when it is queued, and the call that queues it fails instead.
 */
#include <pthread.h>

#include "acl/acl_rt.h"
#include "runtime/error.h"
#include "runtime/settings.h"

enum { CALLBACKS_MAX = 64 };
static const uint32_t NO_ID = 0xFFFFFFFFu;

/* lock guards all of these; the first callback_count entries of callbacks are registered ones. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static aclrtExceptionInfoCallback single_callback; /* aclrtSetExceptionInfoCallback */
static aclrtExceptionInfoCallback callbacks[CALLBACKS_MAX];
static uint32_t callback_count;

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    single_callback = callback;
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

static uint32_t position_of(aclrtExceptionInfoCallback callback)
{
    uint32_t position = 0;
    while (position < callback_count && callbacks[position] != callback)
        position++;
    return position;
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (callback == NULL)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtExceptionInfoCallbackRegister: callback is NULL; a function is expected");
    pthread_mutex_lock(&lock);
    bool is_known = position_of(callback) < callback_count;
    bool has_room = is_known || callback_count < CALLBACKS_MAX;
    if (!is_known && has_room)
        callbacks[callback_count++] = callback;
    pthread_mutex_unlock(&lock);
    if (!has_room)
        return fail(
            ACL_ERROR_BAD_ALLOC,
            "aclrtExceptionInfoCallbackRegister: %d callbacks are registered; at most %d are expected",
            CALLBACKS_MAX, CALLBACKS_MAX);
    return ACL_SUCCESS;
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (callback == NULL)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtExceptionInfoCallbackUnregister: callback is NULL; a function is expected");
    pthread_mutex_lock(&lock);
    uint32_t position = position_of(callback);
    bool is_known = position < callback_count;
    if (is_known)
        callbacks[position] = callbacks[--callback_count];
    pthread_mutex_unlock(&lock);
    if (!is_known)
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "aclrtExceptionInfoCallbackUnregister: callback is not registered; a registered one is expected");
    return ACL_SUCCESS;
}

/* No exception is ever handed out, so that whatever a program passes is not one. It is not read. */
static uint32_t no_exception(const char *function, const aclrtExceptionInfo *info)
{
    const struct settings *settings;
    if (settings_get(&settings) == 0)
        fail(ACL_ERROR_INVALID_PARAM, "%s: info %s; what a callback was given is expected", function,
             info == NULL ? "is NULL" : "was given to no callback");
    return NO_ID;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return no_exception("aclrtGetTaskIdFromExceptionInfo", info);
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return no_exception("aclrtGetStreamIdFromExceptionInfo", info);
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return no_exception("aclrtGetThreadIdFromExceptionInfo", info);
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return no_exception("aclrtGetDeviceIdFromExceptionInfo", info);
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return no_exception("aclrtGetErrorCodeFromExceptionInfo", info);
}
