/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What programs can ask about a device before they use it. The answers describe this device: its cores are
 * the threads that compute (BELAY_THREADS), its cache is the processor's. What has no counterpart here is
 * refused rather than made up.
 */
#include <string.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "base/settings_peek.h"

static int64_t cache_bytes(void)
{
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes <= 0)
        bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? bytes : 1 << 20; /* where the system does not know */
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result("aclGetDeviceCapability", "value", value));
    TRY(device_ask_as("aclGetDeviceCapability", deviceId, ACL_ERROR_INVALID_PARAM));
    switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = settings->thread_count;
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
        *value = cache_bytes();
        return ACL_SUCCESS;
    default:
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclGetDeviceCapability: deviceInfo is %d; ACL_DEVICE_INFO_AI_CORE_NUM (0) to "
                    "ACL_DEVICE_INFO_L2_SIZE "
                    "(2) is expected",
                    (int)deviceInfo);
    }
}

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
    static const aclCannAttr all[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result("aclGetCannAttributeList", "cannAttrList", cannAttrList));
    TRY(check_result("aclGetCannAttributeList", "num", num));
    *cannAttrList = all;
    *num = sizeof all / sizeof all[0];
    return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result("aclGetCannAttribute", "value", value));
    switch (cannAttr) {
    case ACL_CANN_ATTR_INF_NAN:
        *value = 1; /* infinities and NaN are computed with, never saturated, under every profile */
        return ACL_SUCCESS;
    case ACL_CANN_ATTR_BF16:
        *value = settings->product != PRODUCT_910A;
        return ACL_SUCCESS;
    case ACL_CANN_ATTR_JIT_COMPILE:
        *value = 0; /* operators are compiled into the library */
        return ACL_SUCCESS;
    default:
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclGetCannAttribute: cannAttr is %d; ACL_CANN_ATTR_INF_NAN (0) to "
                    "ACL_CANN_ATTR_JIT_COMPILE (2) is "
                    "expected",
                    (int)cannAttr);
    }
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result("aclrtGetDeviceInfo", "value", value));
    TRY(device_ask("aclrtGetDeviceInfo", deviceId));
    switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        *value = settings->thread_count;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        *value = (int64_t)settings->memory_bytes;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        *value = cache_bytes();
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
        *value = deviceId;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_IS_VIRTUAL:
        *value = 1;
        return ACL_SUCCESS;
    case ACL_DEV_ATTR_WARP_SIZE:
    case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_MAX_GRID_DIM_X:
    case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
    case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
    case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID:
    case ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_X:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_Y:
    case ACL_DEV_ATTR_MAX_BLOCK_DIM_Z:
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
    case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
    case ACL_DEV_ATTR_SUPER_POD_ID:
    case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
    case ACL_DEV_ATTR_MAINBOARD_ID:
    case ACL_DEV_ATTR_HD_CONNECT_TYPE:
    case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
    case ACL_DEV_ATTR_NPU_ARCH:
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "aclrtGetDeviceInfo: attr is %d, which has no counterpart on this device; core numbers, "
                    "memory, cache, "
                    "chip number or whether it is virtual is expected",
                    (int)attr);
    default:
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtGetDeviceInfo: attr is %d; an enumerator of aclrtDevAttr is expected", (int)attr);
    }
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
    /* Version 8, which leaves the bits to whoever makes it: a constant, and the device in the last byte. */
    static const unsigned char base[sizeof uuid->bytes] = {'B',  'e', 'l', 'a', 'y', 0, 0x80, 0,
                                                           0x80, 0,   'd', 'e', 'v', 0, 0,    0};
    const struct settings *settings;
    TRY(settings_peek(&settings));
    TRY(check_result("aclrtDeviceGetUuid", "uuid", uuid));
    TRY(device_ask("aclrtDeviceGetUuid", deviceId));
    memcpy(uuid->bytes, base, sizeof base);
    uuid->bytes[sizeof base - 1] = (char)deviceId;
    return ACL_SUCCESS;
}
