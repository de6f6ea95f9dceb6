/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Callbacks for tasks that fail while they run. Failures are rare: for the first one a thread is made that
 * calls what was registered then, for one failure after the other, until there is none left, and ends. So a
 * callback runs alone, may do what any thread of the program may, and holds up no work; but whoever is about
 * to be told of a failure waits until all of them have returned.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/detached_thread.h"
#include "base/error.h"
#include "runtime/streams/fault.h"
#include "base/settings.h"

enum { CALLBACKS_MAX = 64 };
static const uint32_t NO_ID = 0xFFFFFFFFu;

/* lock guards all of these; the first callback_count entries of callbacks are registered ones. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static aclrtExceptionInfoCallback single_callback; /* aclrtSetExceptionInfoCallback */
static aclrtExceptionInfoCallback callbacks[CALLBACKS_MAX];
static uint32_t callback_count;
static struct exception *first, *last; /* failures in their order; the first one's callbacks may be running */
static pthread_cond_t has_ended = PTHREAD_COND_INITIALIZER;

struct rtExceptionInfo {
    struct fault_place place;
    int code;
};

/* One failure on its way to the callbacks; owned by the list. */
struct exception {
    struct exception *next;
    struct rtExceptionInfo info;
    uint32_t count;
    aclrtExceptionInfoCallback callbacks[CALLBACKS_MAX + 1];
};

/* What the callback that this thread is in was given, or NULL. */
static _Thread_local const struct rtExceptionInfo *info_of_thread;

/* The list is not empty, and nobody else takes anything off it. */
static void *call_callbacks(void *unused)
{
    pthread_mutex_lock(&lock);
    while (first != NULL) {
        struct exception *exception = first;
        pthread_mutex_unlock(&lock);
        info_of_thread = &exception->info;
        for (uint32_t i = 0; i < exception->count; i++)
            exception->callbacks[i](&exception->info);
        info_of_thread = NULL;
        pthread_mutex_lock(&lock);
        first = exception->next;
        free(exception);
    }
    pthread_cond_broadcast(&has_ended);
    pthread_mutex_unlock(&lock);
    return unused;
}

/* A copy of what is registered, for this failure; NULL when there is no memory. Lock held. */
static struct exception *exception_create(const struct fault_place *place, int code)
{
    struct exception *exception = (struct exception *)malloc(sizeof *exception);
    if (exception == NULL)
        return NULL;
    exception->next = NULL;
    exception->info = (struct rtExceptionInfo){*place, code};
    memcpy(exception->callbacks, callbacks, callback_count * sizeof callbacks[0]);
    exception->count = callback_count;
    if (single_callback != NULL)
        exception->callbacks[exception->count++] = single_callback;
    return exception;
}

void exception_raise(const struct fault_place *place, int code)
{
    pthread_mutex_lock(&lock);
    bool has_callback = single_callback != NULL || callback_count > 0;
    struct exception *exception = has_callback ? exception_create(place, code) : NULL;
    /* A thread that is made now waits for the lock. */
    bool is_served =
        exception != NULL && (first != NULL || detached_thread_start(call_callbacks, NULL, 0) == 0);
    if (is_served && first != NULL)
        last->next = exception;
    else if (is_served)
        first = exception;
    if (is_served)
        last = exception;
    pthread_mutex_unlock(&lock);
    if (is_served || !has_callback)
        return;
    free(exception);
    error_log(code,
              "there is no memory for a thread that calls the exception callbacks; they are not called");
}

void exceptions_wait(void)
{
    if (info_of_thread != NULL)
        return;
    pthread_mutex_lock(&lock);
    while (first != NULL)
        pthread_cond_wait(&has_ended, &lock);
    pthread_mutex_unlock(&lock);
}

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

/* Whether a callback of this thread has been given it, and has not returned. Otherwise it is not read. */
static bool is_given(const char *function, const aclrtExceptionInfo *info)
{
    const struct settings *settings;
    if (info != NULL && info == info_of_thread)
        return true;
    if (settings_get(&settings) == 0)
        fail(ACL_ERROR_INVALID_PARAM | (info == NULL ? ARGUMENT_IS_NULL : 0),
             "%s: info %s; what a callback was given is expected", function,
             info == NULL ? "is NULL" : "was given to no callback that runs on this thread");
    return false;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return is_given(__func__, info) ? info->place.task : NO_ID;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return is_given(__func__, info) ? info->place.stream : NO_ID;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return is_given(__func__, info) ? info->place.thread : NO_ID;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return is_given(__func__, info) ? (uint32_t)info->place.device : NO_ID;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return is_given(__func__, info) ? (uint32_t)info->code : NO_ID;
}
