/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How many cores of a kind a device, a stream or a thread may use. The figures are kept and given back, and
 * change nothing: BELAY_THREADS says how many threads compute.
 */
#include <stdatomic.h>

#include "acl/acl_rt.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/settings.h"
#include "runtime/streams/stream_queue.h"

_Static_assert(CORE_KINDS == ACL_RT_DEV_RES_VECTOR_CORE + 1, "one for each enumerator");

/* 0: not set. */
static _Atomic uint32_t of_device[DEVICES_MAX][CORE_KINDS];

/* The stream whose figures are the thread's; a stale one counts as none. */
static _Thread_local uint64_t stream_of_thread;

static int check_kind(const char *api, aclrtDevResLimitType type)
{
    if ((int)type >= 0 && (int)type < CORE_KINDS)
        return 0;
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: type is %d; ACL_RT_DEV_RES_CUBE_CORE (0) or ACL_RT_DEV_RES_VECTOR_CORE (1) is expected",
                api, (int)type);
}

static int check_value(const char *api, uint32_t value)
{
    return value > 0 ? 0
                     : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: value is 0; at least 1 core is expected", api);
}

static uint32_t limit_of_device(int32_t device, aclrtDevResLimitType type)
{
    uint32_t limit = atomic_load_explicit(&of_device[device][type], memory_order_relaxed);
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    return limit != 0 || settings == NULL ? limit : settings->thread_count;
}

static uint32_t limit_of_stream(const struct stream *stream, aclrtDevResLimitType type)
{
    uint32_t limit = atomic_load_explicit(&stream->resource_limit[type], memory_order_relaxed);
    int32_t device = atomic_load_explicit(&stream->device, memory_order_relaxed);
    return limit != 0 ? limit : limit_of_device(device, type);
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "value", value));
    TRY(check_kind(__func__, type));
    TRY(device_check(__func__, deviceId));
    *value = limit_of_device(deviceId, type);
    return 0;
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_kind(__func__, type));
    TRY(check_value(__func__, value));
    TRY(device_check(__func__, deviceId));
    atomic_store_explicit(&of_device[deviceId][type], value, memory_order_relaxed);
    return 0;
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
    TRY(device_check(__func__, deviceId));
    for (int kind = 0; kind < CORE_KINDS; kind++)
        atomic_store_explicit(&of_device[deviceId][kind], 0, memory_order_relaxed);
    return 0;
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
    const struct settings *settings;
    struct stream *object;
    uint64_t identity;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "value", value));
    TRY(check_kind(__func__, type));
    TRY(stream_resolve(__func__, stream, &object, &identity));
    *value = limit_of_stream(object, type);
    return 0;
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
{
    const struct settings *settings;
    struct stream *object;
    uint64_t identity;
    TRY(settings_get(&settings));
    TRY(check_kind(__func__, type));
    TRY(check_value(__func__, value));
    TRY(stream_resolve(__func__, stream, &object, &identity));
    atomic_store_explicit(&object->resource_limit[type], value, memory_order_relaxed);
    return 0;
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    for (int kind = 0; kind < CORE_KINDS; kind++)
        atomic_store_explicit(&object->resource_limit[kind], 0, memory_order_relaxed);
    return 0;
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
    struct stream *object;
    TRY(stream_resolve(__func__, stream, &object, &stream_of_thread));
    return 0;
}

/* The thread goes back to the device's figures, whichever stream it used. */
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
    struct stream *object;
    uint64_t identity;
    TRY(stream_resolve(__func__, stream, &object, &identity));
    stream_of_thread = 0;
    return 0;
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "value", value));
    TRY(check_kind(__func__, type));
    const struct stream *stream = (const struct stream *)handle_find(&stream_table, stream_of_thread);
    int32_t device;
    if (stream != NULL) {
        *value = limit_of_stream(stream, type);
        return 0;
    }
    TRY(context_device(__func__, &device));
    *value = limit_of_device(device, type);
    return 0;
}
