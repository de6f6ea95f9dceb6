/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Devices begin and end here: setting and resetting them, with their contexts, streams and memory, and waiting
 * for all their work.
 */
#include "runtime/devices/device.h"

#include <stddef.h>

#include "acl/acl_rt.h"
#include "base/made.h"
#include "base/order.h"
#include "runtime/capture/capture.h"
#include "runtime/context_lifetime.h"
#include "runtime/devices/context.h"
#include "base/error.h"
#include "base/futex.h"
#include "runtime/faults/strike.h"
#include "runtime/memory/device_memory.h"
#include "base/report.h"
#include "base/settings_peek.h"
#include "runtime/streams/ceasing.h"
#include "runtime/streams/device_streams.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"

aclError aclrtSetDevice(int32_t deviceId)
{
    TRACE_THIS_CALL;
    TRY(device_check(__func__, deviceId));
    struct device *device = device_at(deviceId);
    pthread_mutex_lock(&device->lock);
    while (device->is_resetting) {
        uint32_t seen = atomic_load_explicit(&device->reset_count, memory_order_relaxed);
        pthread_mutex_unlock(&device->lock);
        if (stream_frame_of_thread != NULL)
            return report_misuse(
                RULE_STATE, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                "%s: device %d is being reset, which waits for the calling callback; a device that is "
                "not being reset is expected",
                __func__, deviceId);
        futex_wait(&device->reset_count, seen, FUTEX_FOREVER);
        pthread_mutex_lock(&device->lock);
    }
    int status = 0;
    if (device->set_count == 0)
        status = context_create(__func__, deviceId, true, &device->primary);
    if (status == 0) {
        device->set_count++;
        context_of_thread = device->primary;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* Waits for all work of a device, whatever its context; nothing is reported. */
static void finish_work(struct device *device)
{
    uint32_t count = atomic_load_explicit(&device->place_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t identity;
        struct stream *stream = device_stream_at(device, i, &identity);
        if (stream != NULL && !stream_caller_runs_in(stream, identity))
            stream_wait_all(NULL, stream, identity, FUTEX_FOREVER, 0);
    }
}

static int reset(const char *api, int32_t deviceId, bool is_forced)
{
    TRY(device_check(api, deviceId));
    struct device *device = device_at(deviceId);
    pthread_mutex_lock(&device->lock);
    if (device->set_count == 0) {
        pthread_mutex_unlock(&device->lock);
        return fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                    "%s: device %d has not been set; aclrtSetDevice is expected before", api, deviceId);
    }
    if (device->set_count > 1 && !is_forced) {
        device->set_count--;
        pthread_mutex_unlock(&device->lock);
        return 0;
    }
    if (device_caller_runs_on(deviceId)) {
        pthread_mutex_unlock(&device->lock);
        return device_waits_for_caller(api, deviceId);
    }
    order_end(api, deviceId);
    made_device_ends(api, deviceId);
    uint64_t primary = device->primary;
    device->set_count = 0;
    device->primary = 0;
    device->is_resetting = true;
    struct context *context = (struct context *)handle_find(&context_table, primary);
    handle_retire(context, primary);
    pthread_mutex_unlock(&device->lock);

    streams_start_queued();
    device_end_what_waits(deviceId);
    context_release(context, primary, is_forced);
    finish_work(device);
    memory_reset_device(deviceId);
    if (fault_is_awaited(FAULT_DEVICE_LOST))
        fault_device_was_reset(deviceId);

    pthread_mutex_lock(&device->lock);
    device->is_resetting = false;
    atomic_fetch_add_explicit(&device->reset_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&device->lock);
    futex_wake_all(&device->reset_count);
    return 0;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    TRACE_THIS_CALL;
    return reset(__func__, deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    TRACE_THIS_CALL;
    return reset(__func__, deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "deviceId", deviceId));
    struct context *context;
    TRY(context_ask(__func__, &context));
    *deviceId = atomic_load_explicit(&context->device, memory_order_relaxed);
    return 0;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "count", count));
    if (settings->visible_devices_are_bad)
        return fail(
            ACL_ERROR_RT_NO_DEVICE,
            "%s: ASCEND_RT_VISIBLE_DEVICES is not a list of existing devices, each once, in ascending "
            "order; such a list is expected",
            __func__);
    *count = (uint32_t)settings->device_count;
    return 0;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "runMode", runMode));
    *runMode = ACL_HOST;
    return 0;
}

static int synchronize_device(const char *api, uint64_t deadline_ns)
{
    int32_t id;
    TRY(context_device(api, &id));
    error_forget_polled();
    if (fault_is_awaited(FAULT_DEVICE_LOST))
        TRY(fault_at_wait(api, id));
    if (device_caller_runs_on(id))
        return device_waits_for_caller(api, id);
    TRY(capture_refuse_device_wait(api, id));
    streams_start_queued();
    struct device *device = device_at(id);
    int first = 0;
    uint32_t count = atomic_load_explicit(&device->place_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t identity;
        struct stream *stream = device_stream_at(device, i, &identity);
        if (stream == NULL)
            continue;
        int status = stream_wait_all(api, stream, identity, deadline_ns, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        if (status == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
            return fail_unreported(
                status | ANSWER_IS_POLLED,
                "%s: work of device %d had not ended when the time was over; a longer timeout, "
                "or -1 for none, is expected",
                api, id);
        if (status == 0)
            status = stream_take_fault(api, stream, identity, 0);
        if (first == 0)
            first = status;
    }
    order_waited();
    return first;
}

aclError aclrtSynchronizeDevice(void)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    return synchronize_device(__func__, FUTEX_FOREVER);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (timeout < -1 || timeout == 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument timeout is %d; milliseconds above 0, or -1 for no limit, are expected",
                    __func__, timeout);
    return synchronize_device(__func__,
                              timeout < 0 ? FUTEX_FOREVER : clock_after_ns((uint64_t)timeout * 1000000));
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "utilizationInfo", utilizationInfo));
    TRY(device_check(__func__, deviceId));
    if (utilizationInfo->utilizationExtend != NULL)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: utilizationInfo->utilizationExtend is not NULL; NULL is expected", __func__);
    uint64_t live_bytes, peak_bytes;
    memory_usage(deviceId, &live_bytes, &peak_bytes);
    /* A device is computing or it is not: there is nothing that would be sampled in between. */
    utilizationInfo->cubeUtilization = 0;
    utilizationInfo->vectorUtilization = device_is_busy(deviceId) ? 100 : 0;
    utilizationInfo->aicpuUtilization = 0;
    utilizationInfo->memoryUtilization =
        settings->memory_bytes >= 100 ? (int32_t)(live_bytes / (settings->memory_bytes / 100)) : 0;
    return 0;
}
