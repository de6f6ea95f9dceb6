/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Contexts: made, with their default stream, made current, and ended, with all their streams.
 */
#include "runtime/context_lifetime.h"

#include <stddef.h>

#include "acl/acl_rt.h"
#include "base/made.h"
#include "runtime/devices/device.h"
#include "runtime/devices/device_use.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/report.h"
#include "base/settings_peek.h"
#include "runtime/streams/device_streams.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"

int context_create(const char *api, int32_t device, bool is_primary, uint64_t *handle)
{
    struct context *context = (struct context *)handle_acquire(&context_table);
    if (context == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another context", api);
    atomic_store(&context->device, device);
    atomic_store(&context->is_primary, is_primary);
    for (int i = 0; i < OPTIONS; i++)
        atomic_store(&context->options.value[i], 0);
    atomic_store(&context->default_handle, 0);
    uint64_t context_handle = handle_publish(&context_table, context);

    struct stream_options options = {.is_default = true};
    struct stream *stream;
    uint64_t stream_handle;
    int status = stream_create(api, context, context_handle, &options, &stream, &stream_handle);
    if (status != 0) {
        if (handle_retire(context, context_handle))
            handle_release(&context_table, context);
        return status;
    }
    atomic_store(&context->default_stream, stream);
    atomic_store(&context->default_handle, stream_handle);
    device_use_begin(device);
    *handle = context_handle;
    return 0;
}

void context_release(struct context *context, uint64_t handle, bool abandons)
{
    struct device *device = device_at(atomic_load(&context->device));
    uint32_t count = atomic_load_explicit(&device->place_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t identity;
        struct stream *stream = device_stream_at(device, i, &identity);
        if (stream == NULL || atomic_load(&stream->context_handle) != handle)
            continue;
        if (handle_retire(stream, identity))
            stream_release(stream, identity, abandons);
        else if (!stream_caller_runs_in(stream, identity))
            stream_wait_all(NULL, stream, identity, FUTEX_FOREVER, 0); /* another thread destroys it */
    }
    device_use_end(atomic_load(&context->device));
    handle_release(&context_table, context);
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "context", context));
    TRY(device_check(__func__, deviceId));
    uint64_t handle;
    TRY(context_create(__func__, deviceId, false, &handle));
    context_of_thread = handle;
    *context = (aclrtContext)(uintptr_t)handle;
    made(HANDLE_CONTEXT, handle, 0, -1, __func__);
    return 0;
}

/* True when a task that the caller is inside of belongs to the context. */
static bool caller_runs_in(uint64_t handle)
{
    for (const struct stream_frame *frame = stream_frame_of_thread; frame != NULL; frame = frame->outer)
        if (atomic_load(&frame->stream->context_handle) == handle)
            return true;
    return false;
}

aclError aclrtDestroyContext(aclrtContext context)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    uint64_t handle = (uint64_t)(uintptr_t)context;
    if (context == NULL)
        return report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "%s: argument context is NULL; a context is expected", __func__);
    struct context *object = (struct context *)handle_find(&context_table, handle);
    if (object == NULL)
        return report_misuse(handle_rule(&context_table, handle), ACL_ERROR_RT_CONTEXT_NULL,
                             "%s: argument context %s; a live context is expected", __func__,
                             handle_fault(&context_table, handle));
    if (atomic_load(&object->is_primary))
        return report_misuse(
            RULE_OWNER, ACL_ERROR_RT_CONTEXT_NULL,
            "%s: argument context is the primary context of device %d; one made by aclrtCreateContext "
            "is expected, aclrtResetDevice ends this one",
            __func__, atomic_load(&object->device));
    if (caller_runs_in(handle))
        return report_misuse(
            RULE_STATE, ACL_ERROR_RT_PARAM_INVALID,
            "%s: the calling callback belongs to work of the context, for which the call waits; a call "
            "from outside of it is expected",
            __func__);
    if (!handle_retire(object, handle))
        return report_misuse(
            RULE_HANDLE, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
            "%s: argument context is being destroyed by another thread; one destroy is expected", __func__);
    streams_start_queued();
    context_release(object, handle, false);
    return 0;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    uint64_t handle = (uint64_t)(uintptr_t)context;
    if (context == NULL)
        return report_misuse(RULE_HANDLE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "%s: argument context is NULL; a context is expected", __func__);
    if (handle_find(&context_table, handle) == NULL)
        return report_misuse(handle_rule(&context_table, handle), ACL_ERROR_RT_PARAM_INVALID,
                             "%s: argument context %s; a live context is expected", __func__,
                             handle_fault(&context_table, handle));
    context_of_thread = handle;
    return 0;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "context", context));
    struct context *object;
    TRY(context_ask(__func__, &object));
    *context = (aclrtContext)(uintptr_t)context_of_thread;
    return 0;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "stream", stream));
    struct context *context;
    TRY(context_ask(__func__, &context));
    *stream = (aclrtStream)(uintptr_t)atomic_load(&context->default_handle);
    return 0;
}
