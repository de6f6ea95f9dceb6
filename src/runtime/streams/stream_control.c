/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What programs ask of and set on a stream, and how they abort its work.
 */
#include <stddef.h>

#include "acl/acl_rt.h"
#include "base/watch.h"
#include "runtime/streams/device_streams.h"
#include "runtime/streams/recording.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/report.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"

/* Checks the place for the result and finds the stream. */
static int ask(const char *api, aclrtStream handle, const void *result, const char *argument,
               struct stream **stream)
{
    const struct settings *settings;
    uint64_t identity;
    TRY(settings_get(&settings));
    TRY(check_result(api, argument, result));
    return stream_resolve(api, handle, stream, &identity);
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    TRACE_THIS_CALL;
    struct stream *object;
    TRY(ask(__func__, stream, streamId, "streamId", &object));
    *streamId = (int32_t)object->place;
    return 0;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    TRACE_THIS_CALL;
    struct stream *object;
    TRY(ask(__func__, stream, priority, "priority", &object));
    *priority = object->priority;
    return 0;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    TRACE_THIS_CALL;
    struct stream *object;
    TRY(ask(__func__, stream, flags, "flags", &object));
    *flags = object->flags;
    return 0;
}

static int abort_stream(const char *api, aclrtStream handle)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (handle == NULL)
        return report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "%s: argument stream is NULL; a stream is expected", api);
    struct stream *stream;
    uint64_t identity;
    TRY(stream_resolve(api, handle, &stream, &identity));
    TRY(capture_refuse_wait(api, stream));
    stream_drop(stream, identity, ACL_ERROR_RT_STREAM_ABORT);
    watch_waited(identity); /* nothing will run that has been queued so far */
    return 0;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
    TRACE_THIS_CALL;
    return abort_stream(__func__, stream);
}

aclError aclrtStreamStop(aclrtStream stream)
{
    TRACE_THIS_CALL;
    return abort_stream(__func__, stream);
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
    TRACE_THIS_CALL;
    TRY(device_check(__func__, deviceId));
    struct device *device = device_at(deviceId);
    uint64_t deadline_ns = clock_after_ns((uint64_t)timeout * 1000000);
    uint32_t count = atomic_load_explicit(&device->place_count, memory_order_acquire);
    uint64_t identity;
    for (uint32_t i = 0; i < count; i++) {
        struct stream *stream = device_stream_at(device, i, &identity);
        if (stream != NULL)
            stream_drop(stream, identity, ACL_ERROR_RT_DEVICE_TASK_ABORT);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct stream *stream = device_stream_at(device, i, &identity);
        if (stream == NULL || stream_caller_runs_in(stream, identity))
            continue;
        if (stream_wait_all(NULL, stream, identity, deadline_ns, ACL_ERROR_RT_TASK_TIMEOUT) != 0)
            return fail_unreported(
                ACL_ERROR_RT_TASK_TIMEOUT,
                "%s: a task of device %d was still running after %u ms; a longer timeout is expected",
                __func__, deviceId, timeout);
    }
    return 0;
}

static int set_failure_mode(const char *api, struct stream *stream, uint64_t mode)
{
    if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE)
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: the mode is %llu; ACL_CONTINUE_ON_FAILURE (0) or ACL_STOP_ON_FAILURE (1) is expected", api,
            (unsigned long long)mode);
    pthread_mutex_lock(&stream->lock);
    bool goes_back = stream->stops_on_failure && mode == ACL_CONTINUE_ON_FAILURE;
    stream->stops_on_failure = stream->stops_on_failure || mode == ACL_STOP_ON_FAILURE;
    pthread_mutex_unlock(&stream->lock);
    if (goes_back)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "%s: the mode is ACL_CONTINUE_ON_FAILURE, but the stream stops on failure already; going "
                    "back is not supported",
                    api);
    return 0;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    struct stream *object;
    struct context *context;
    uint64_t identity;
    if (stream == NULL && context_ask(__func__, &context) != 0)
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
            "%s: argument stream is NULL and the calling thread has no current context; a stream is "
            "expected",
            __func__);
    TRY(stream_resolve(__func__, stream, &object, &identity));
    return set_failure_mode(__func__, object, mode);
}

static int check_attribute(const char *api, aclrtStreamAttr attribute)
{
    if ((int)attribute >= ACL_STREAM_ATTR_FAILURE_MODE && (int)attribute <= ACL_STREAM_ATTR_PRIORITY)
        return 0;
    return fail(ACL_ERROR_INVALID_PARAM,
                "%s: argument stmAttrType is %d; an attribute of aclrtStreamAttr (1 to 5) is expected", api,
                (int)attribute);
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "value", value));
    TRY(check_attribute(__func__, stmAttrType));
    if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE)
        return aclrtSetStreamFailureMode(stream, value->failureMode);
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    pthread_mutex_lock(&object->lock);
    if (stmAttrType == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK)
        object->overflow_switch = value->overflowSwitch;
    else if (stmAttrType == ACL_STREAM_ATTR_USER_CUSTOM_TAG)
        object->custom_tag = value->userCustomTag;
    else if (stmAttrType == ACL_STREAM_ATTR_CACHE_OP_INFO)
        object->cache_switch = value->cacheOpInfoSwitch;
    else
        object->priority = value->streamPriority > 7 ? 7 : value->streamPriority;
    pthread_mutex_unlock(&object->lock);
    return 0;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "value", value));
    TRY(check_attribute(__func__, stmAttrType));
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    *value = (aclrtStreamAttrValue){0};
    pthread_mutex_lock(&object->lock);
    if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE)
        value->failureMode = object->stops_on_failure ? ACL_STOP_ON_FAILURE : ACL_CONTINUE_ON_FAILURE;
    else if (stmAttrType == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK)
        value->overflowSwitch = object->overflow_switch;
    else if (stmAttrType == ACL_STREAM_ATTR_USER_CUSTOM_TAG)
        value->userCustomTag = object->custom_tag;
    else if (stmAttrType == ACL_STREAM_ATTR_CACHE_OP_INFO)
        value->cacheOpInfoSwitch = object->cache_switch;
    else
        value->streamPriority = object->priority;
    pthread_mutex_unlock(&object->lock);
    return 0;
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
    TRACE_THIS_CALL;
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    pthread_mutex_lock(&object->lock);
    object->overflow_switch = flag;
    pthread_mutex_unlock(&object->lock);
    return 0;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
    TRACE_THIS_CALL;
    struct stream *object;
    TRY(ask(__func__, stream, flag, "flag", &object));
    pthread_mutex_lock(&object->lock);
    *flag = object->overflow_switch;
    pthread_mutex_unlock(&object->lock);
    return 0;
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "taskId", taskId));
    *taskId = stream_tasks_of_thread;
    return 0;
}
