/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How much device memory there is and how much of it is in use.
 */
#include "acl/acl_rt.h"

#include "runtime/devices/context.h"
#include "runtime/devices/device.h"
#include "runtime/memory/device_memory.h"
#include "base/error.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"

/* A device has one kind of memory here, so that every attribute asks for the same figures. */
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtGetMemInfo";
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, "free", free));
    TRY(check_result(api, "total", total));
    int32_t device;
    TRY(context_device(api, &device));
    if ((uint32_t)attr > ACL_MEM_P2P_HUGE1G)
        return fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "%s: attr is %d; 0 to %d are expected", api, (int)attr,
                    (int)ACL_MEM_P2P_HUGE1G);
    uint64_t live_bytes, peak_bytes;
    memory_usage(device, &live_bytes, &peak_bytes);
    *free = settings->memory_bytes - live_bytes;
    *total = settings->memory_bytes;
    return 0;
}

/* One entry: memory is not counted by the parts of a program that ask for it. */
aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum,
                              size_t *outputNum)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtGetMemUsageInfo";
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, "memUsageInfo", memUsageInfo));
    TRY(check_result(api, "outputNum", outputNum));
    if (inputNum == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: inputNum is 0; at least 1 is expected", api);
    TRY(device_check(api, deviceId));
    aclrtMemUsageInfo info = {.name = "APP"};
    memory_usage(deviceId, &info.curMemSize, &info.memPeakSize);
    memUsageInfo[0] = info;
    *outputNum = 1;
    return 0;
}
