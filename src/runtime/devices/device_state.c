/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What programs ask of and set on devices and contexts besides their work.
 */
#include <stddef.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/devices/context.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/settings_peek.h"
#include "runtime/timeline/trace.h"

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
    TRACE_THIS_CALL;
    TRY(device_ask(__func__, deviceId));
    struct device *device = device_at(deviceId);
    pthread_mutex_lock(&device->lock);
    bool is_active = device->set_count > 0;
    pthread_mutex_unlock(&device->lock);
    if (flags != NULL)
        *flags = 0;
    if (active != NULL)
        *active = is_active ? 1 : 0;
    return 0;
}

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    if (deviceId == peerDeviceId)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: both devices are %d; two different ones are expected",
                    __func__, deviceId);
    if (canAccessPeer == NULL)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: argument canAccessPeer is NULL; a place for the result is expected", __func__);
    TRY(device_ask(__func__, deviceId));
    TRY(device_ask(__func__, peerDeviceId));
    *canAccessPeer = 1;
    return 0;
}

/* All that enabling and disabling do: any device reaches any other's memory here. */
static int check_peer(const char *api, int32_t peer)
{
    struct context *context;
    TRY(context_current(api, &context));
    if (peer == atomic_load(&context->device))
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: argument peerDeviceId is %d, the current device; another device is expected", api,
                    peer);
    return device_check(api, peer);
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (flags != 0)
        return fail(ACL_ERROR_FEATURE_UNSUPPORTED, "%s: argument flags is %u; 0 is expected", __func__,
                    flags);
    return check_peer(__func__, peerDeviceId);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    return check_peer(__func__, peerDeviceId);
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    struct context *context;
    TRY(settings_get(&settings));
    if (tsId != ACL_TS_ID_AICORE && tsId != ACL_TS_ID_AIVECTOR)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: argument tsId is %d; ACL_TS_ID_AICORE (0) or ACL_TS_ID_AIVECTOR (1) is expected",
                    __func__, (int)tsId);
    return context_current(__func__, &context);
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "deviceStatus", deviceStatus));
    TRY(device_ask(__func__, deviceId));
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return 0;
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "pid", pid));
    *pid = (int32_t)getpid();
    return 0;
}

/* Programs choose the mode of a device before they set one, too. As devices have one mode alone, none is
 * needed. */
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: argument mode is %d; ACL_RT_OVERFLOW_MODE_INFNAN (1) is expected", __func__,
                    (int)mode);
    if (mode != ACL_RT_OVERFLOW_MODE_INFNAN)
        return fail(
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "%s: argument mode is ACL_RT_OVERFLOW_MODE_SATURATION (0), which the device does not have; "
            "ACL_RT_OVERFLOW_MODE_INFNAN (1) is expected",
            __func__);
    return 0;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "mode", mode));
    *mode = ACL_RT_OVERFLOW_MODE_INFNAN;
    return 0;
}

/* Limits for kernels that hang. Work here ends by itself, so that there is nothing to interrupt. */
static int accept_timeout(void)
{
    const struct settings *settings;
    return settings_get(&settings);
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    TRACE_THIS_CALL;
    (void)timeout;
    return accept_timeout();
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    TRACE_THIS_CALL;
    (void)timeout;
    return accept_timeout();
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
    TRACE_THIS_CALL;
    TRY(accept_timeout());
    TRY(check_result(__func__, "actualTimeout", actualTimeout));
    *actualTimeout = timeout;
    return 0;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
    TRACE_THIS_CALL;
    (void)timeout;
    return accept_timeout();
}

/* Devices are numbered in one way here; the vendor's toolkit knows several. */
aclError aclrtGetLogicDevIdByUserDevId(int32_t userDevId, int32_t *logicDevId)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result(__func__, "logicDevId", logicDevId));
    TRY(device_ask(__func__, userDevId));
    *logicDevId = userDevId;
    return 0;
}
