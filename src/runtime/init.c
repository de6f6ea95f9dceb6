/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclInit, aclFinalize and the callbacks by which other libraries take part in them. Nothing else requires
 * aclInit: programs rely on that.
 */
#include "base/cancellation.h"
#include "runtime/init.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/order.h"
#include "runtime/devices/context.h"
#include "base/error.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"

enum { CALLBACKS_MAX = 64 };

struct callback {
    aclRegisterCallbackType type;
    aclInitCallbackFunc on_init; /* one of these two is NULL */
    aclFinalizeCallbackFunc on_finalize;
    void *user_data;
};

/* lock guards all of these. It is recursive because callbacks may call the functions below. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static uint64_t reference_count;                 /* successful aclInit since the last finalize */
static bool is_finalized;                        /* a second aclFinalize in a row is an error */
static bool has_first_text;                      /* an aclInit has succeeded; never taken back */
static uint64_t first_hash;                      /* of its configuration; 0 when it had none */
static struct callback callbacks[CALLBACKS_MAX]; /* the first callback_count, in the order of registration */
static uint32_t callback_count;

static int load_configuration(const char *path, const struct settings *settings, char **text, size_t *length,
                              struct configuration *configuration)
{
    *configuration = (struct configuration){.default_device = -1};
    if (path == NULL || *path == '\0')
        return 0;
    TRY(configuration_load(path, text, length));
    return configuration_parse(*text, *length, settings, configuration);
}

static void apply(const struct configuration *configuration)
{
    error_share_between_threads(configuration->messages_are_shared);
    context_set_default_device(configuration->default_device, aclrtSetDevice);
}

/* lock is held. Runs the callbacks for aclInit; the first failure ends it. */
static int call_on_init(const char *text, size_t length)
{
    struct callback list[CALLBACKS_MAX];
    uint32_t count = callback_count;
    memcpy(list, callbacks, count * sizeof list[0]);
    for (uint32_t i = 0; i < count; i++) {
        int code = list[i].on_init != NULL ? list[i].on_init(text, length, list[i].user_data) : 0;
        if (code != 0)
            return fail(code, "aclInit: the callback registered for type %d returned %d; 0 is expected",
                        (int)list[i].type, code);
    }
    return 0;
}

/* lock is held. Runs all callbacks for aclFinalize, the latest first; returns the first failure. */
static int call_on_finalize(const char *function)
{
    struct callback list[CALLBACKS_MAX];
    uint32_t count = callback_count;
    int result = 0;
    memcpy(list, callbacks, count * sizeof list[0]);
    for (uint32_t i = count; i-- > 0;) {
        int code = list[i].on_finalize != NULL ? list[i].on_finalize(list[i].user_data) : 0;
        if (code != 0 && result == 0)
            result = fail(code, "%s: the callback registered for type %d returned %d; 0 is expected",
                          function, (int)list[i].type, code);
    }
    return result;
}

/* lock is held. From here on the library is not initialised. */
static void end(void)
{
    is_finalized = true;
    reference_count = 0;
    apply(&(struct configuration){.default_device = -1});
}

/*
 * Behind end. lock is free while queued work ends, because work may call aclInit or aclFinalize too; what the
 * callbacks give back is used no more afterwards.
 */
static int finalize(const char *function)
{
    int cancellation = cancellation_hold();
    order_end(function, -1);
    streams_drain_all();
    pthread_mutex_lock(&lock);
    int code = call_on_finalize(function);
    pthread_mutex_unlock(&lock);
    cancellation_allow(cancellation);
    return code;
}

/* lock is held; text is NULL without a configuration. */
static int initialize(const char *text, size_t length, const struct configuration *configuration)
{
    if (text != NULL && has_first_text && configuration->hash != first_hash)
        return fail(ACL_ERROR_INVALID_PARAM, "aclInit: the configuration differs from that of the first "
                                             "aclInit of this process; the same text is "
                                             "expected");
    if (reference_count > 0) {
        reference_count++;
        return fail_unreported(
            ACL_ERROR_REPEAT_INITIALIZE | ANSWER_IS_POLLED,
            "aclInit: the library is initialised already, now %llu times; one aclInit before each "
            "aclFinalize is "
            "expected",
            (unsigned long long)reference_count);
    }
    /* Counted before the callbacks run: one that calls aclInit must not start them again. */
    reference_count = 1;
    apply(configuration);
    int code = call_on_init(text != NULL ? text : "", length);
    if (code != 0) {
        reference_count = 0;
        apply(&(struct configuration){.default_device = -1});
        return code;
    }
    is_finalized = false;
    if (!has_first_text)
        first_hash = configuration->hash;
    has_first_text = true;
    return 0;
}

aclError aclInit(const char *configPath)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    struct configuration configuration;
    char *text = NULL;
    size_t length = 0;
    TRY(settings_get(&settings));
    int cancellation = cancellation_hold(); /* callbacks of the program run with the lock held */
    int code = load_configuration(configPath, settings, &text, &length, &configuration);
    if (code == 0) {
        pthread_mutex_lock(&lock);
        code = initialize(text, length, &configuration);
        pthread_mutex_unlock(&lock);
    }
    free(text);
    cancellation_allow(cancellation);
    return code;
}

aclError aclFinalize(void)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    bool is_last = !is_finalized;
    if (is_last)
        end();
    pthread_mutex_unlock(&lock);
    if (is_last)
        return finalize("aclFinalize");
    return fail_unreported(
        ACL_ERROR_REPEAT_FINALIZE | ANSWER_IS_POLLED,
        "aclFinalize: the library is finalised already; aclInit is expected before another aclFinalize");
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    uint64_t before = reference_count;
    if (before == 1)
        end();
    else if (before > 1)
        reference_count--;
    if (refCount != NULL)
        *refCount = reference_count;
    pthread_mutex_unlock(&lock);
    if (before == 1)
        return finalize("aclFinalizeReference");
    if (before == 0)
        return fail_unreported(
            ACL_ERROR_REPEAT_FINALIZE | ANSWER_IS_POLLED,
            "aclFinalizeReference: the reference count is 0 already; one aclInit for each call is expected");
    return ACL_SUCCESS;
}

/* type is a label of the program's: any will do. */
static int check_callback(const char *function, bool has_function)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (!has_function)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: cbFunc is NULL; a function is expected",
                    function);
    return 0;
}

static bool is_same(const struct callback *a, const struct callback *b)
{
    return a->type == b->type && a->on_init == b->on_init && a->on_finalize == b->on_finalize;
}

/* Registering the same function for the same type again only changes its user data. */
static int add(const char *function, struct callback callback)
{
    pthread_mutex_lock(&lock);
    uint32_t i = 0;
    while (i < callback_count && !is_same(&callbacks[i], &callback))
        i++;
    bool has_room = i < CALLBACKS_MAX;
    if (has_room) {
        callbacks[i] = callback;
        callback_count += i == callback_count;
    }
    pthread_mutex_unlock(&lock);
    if (!has_room)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: %d callbacks are registered; at most %d are expected", function,
                    CALLBACKS_MAX, CALLBACKS_MAX);
    return 0;
}

static int drop(const char *function, struct callback callback)
{
    pthread_mutex_lock(&lock);
    uint32_t i = 0;
    while (i < callback_count && !is_same(&callbacks[i], &callback))
        i++;
    bool is_known = i < callback_count;
    if (is_known)
        memmove(&callbacks[i], &callbacks[i + 1], (--callback_count - i) * sizeof callbacks[0]);
    pthread_mutex_unlock(&lock);
    if (!is_known)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: cbFunc is not registered for type %d; a registered one is expected", function,
                    (int)callback.type);
    return 0;
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData)
{
    TRACE_THIS_CALL;
    TRY(check_callback("aclInitCallbackRegister", cbFunc != NULL));
    return add("aclInitCallbackRegister", (struct callback){type, cbFunc, NULL, userData});
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData)
{
    TRACE_THIS_CALL;
    (void)userData; /* the function and its type name the entry */
    TRY(check_callback("aclInitCallbackUnRegister", cbFunc != NULL));
    return drop("aclInitCallbackUnRegister", (struct callback){type, cbFunc, NULL, NULL});
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                     void *userData)
{
    TRACE_THIS_CALL;
    TRY(check_callback("aclFinalizeCallbackRegister", cbFunc != NULL));
    return add("aclFinalizeCallbackRegister", (struct callback){type, NULL, cbFunc, userData});
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                       void *userData)
{
    TRACE_THIS_CALL;
    (void)userData; /* the function and its type name the entry */
    TRY(check_callback("aclFinalizeCallbackUnRegister", cbFunc != NULL));
    return drop("aclFinalizeCallbackUnRegister", (struct callback){type, NULL, cbFunc, NULL});
}
