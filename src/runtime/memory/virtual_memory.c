/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Device memory in two steps: the checks of aclrtReserveMemAddress and its relatives.
 */
#include "acl/acl_rt.h"
#include "runtime/devices/context.h"
#include "runtime/devices/device.h"
#include "base/error.h"
#include "runtime/memory/physical_memory.h"
#include "runtime/memory/reservation.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"

static const size_t ALIGNMENT_MOST = (size_t)1 << 30;

static int check_address(const char *api, const char *argument, const void *address)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return address != NULL ? 0
                           : fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                                  "%s: %s is NULL; an address or a handle is expected", api, argument);
}

static int check_size(const char *api, size_t size)
{
    return size != 0 ? 0 : fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; at least 1 byte is expected", api);
}

static int check_flags(const char *api, uint64_t flags, uint64_t most)
{
    return flags <= most ? 0
                         : fail(ACL_ERROR_INVALID_PARAM, "%s: flags is %llu; %s is expected", api,
                                (unsigned long long)flags, most == 0 ? "0" : "0 or 1");
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtReserveMemAddress";
    TRY(check_address(api, "virPtr", virPtr));
    TRY(check_size(api, size));
    TRY(check_flags(api, flags, 1));
    if ((alignment & (alignment - 1)) != 0 || alignment > ALIGNMENT_MOST)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: alignment is %zu; 0 or a power of two up to 2^30 is expected", api, alignment);
    int32_t device;
    TRY(context_device(api, &device));
    return reservation_create(api, device, size, alignment, expectPtr, virPtr);
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
    TRACE_THIS_CALL;
    TRY(check_address("aclrtReleaseMemAddress", "virPtr", virPtr));
    return reservation_destroy("aclrtReleaseMemAddress", virPtr);
}

static int check_attribute(const char *api, aclrtMemAttr attribute)
{
    return (int)attribute >= ACL_DDR_MEM && (int)attribute <= ACL_MEM_P2P_HUGE1G
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM, "%s: prop->memAttr is %d; 0 to %d are expected", api,
                      (int)attribute, (int)ACL_MEM_P2P_HUGE1G);
}

static bool is_ddr(aclrtMemAttr attribute)
{
    return attribute == ACL_DDR_MEM || attribute == ACL_DDR_MEM_HUGE || attribute == ACL_DDR_MEM_NORMAL ||
           attribute == ACL_DDR_MEM_P2P_HUGE || attribute == ACL_DDR_MEM_P2P_NORMAL;
}

static int check_properties(const char *api, const aclrtPhysicalMemProp *prop)
{
    if (prop->handleType != ACL_MEM_HANDLE_TYPE_NONE)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: prop->handleType is %d; ACL_MEM_HANDLE_TYPE_NONE (0) is expected", api,
                    (int)prop->handleType);
    if (prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: prop->allocationType is %d; ACL_MEM_ALLOCATION_TYPE_PINNED (0) is expected", api,
                    (int)prop->allocationType);
    if (prop->location.type == ACL_MEM_LOCATION_TYPE_HOST ||
        prop->location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA)
        return fail(ACL_ERROR_API_NOT_SUPPORT,
                    "%s: prop->location is the host; memory of a device is supported", api);
    if (prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: prop->location.type is %d; ACL_MEM_LOCATION_TYPE_DEVICE (1) is expected", api,
                    (int)prop->location.type);
    TRY(check_attribute(api, prop->memAttr));
    if (is_ddr(prop->memAttr))
        return fail(
            ACL_ERROR_INVALID_PARAM,
            "%s: prop->memAttr is %d, a kind of memory that no device has; one of the names with HBM or "
            "without a kind is expected",
            api, (int)prop->memAttr);
    return device_check(api, prop->location.id);
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop,
                             uint64_t flags)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMallocPhysical";
    TRY(check_address(api, "handle", handle));
    TRY(check_address(api, "prop", prop));
    TRY(check_size(api, size));
    TRY(check_flags(api, flags, 0));
    TRY(check_properties(api, prop));
    uint64_t memory;
    TRY(physical_memory_create(api, (int32_t)prop->location.id, size, &memory));
    *handle = (aclrtDrvMemHandle)(uintptr_t)memory;
    return 0;
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    TRACE_THIS_CALL;
    TRY(check_address("aclrtFreePhysical", "handle", handle));
    return physical_memory_destroy("aclrtFreePhysical", (uintptr_t)handle);
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMapMem";
    TRY(check_address(api, "virPtr", virPtr));
    TRY(check_address(api, "handle", handle));
    TRY(check_size(api, size));
    TRY(check_flags(api, flags, 0));
    if (offset != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: offset is %zu; 0 is expected", api, offset);
    return reservation_map(api, virPtr, size, (uintptr_t)handle);
}

aclError aclrtUnmapMem(void *virPtr)
{
    TRACE_THIS_CALL;
    TRY(check_address("aclrtUnmapMem", "virPtr", virPtr));
    return reservation_unmap("aclrtUnmapMem", virPtr);
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                         uint64_t flags, uint64_t *shareableHandle)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemExportToShareableHandle";
    TRY(check_address(api, "handle", handle));
    TRY(check_result(api, "shareableHandle", shareableHandle));
    if (handleType != ACL_MEM_HANDLE_TYPE_NONE)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: handleType is %d; ACL_MEM_HANDLE_TYPE_NONE (0) is expected",
                    api, (int)handleType);
    TRY(check_flags(api, flags, 1));
    return physical_memory_export(api, (uintptr_t)handle, flags == 0, shareableHandle);
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle *handle)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemImportFromShareableHandle";
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, "handle", handle));
    TRY(device_check(api, deviceId));
    uint64_t memory;
    TRY(physical_memory_import(api, shareableHandle, deviceId, &memory));
    *handle = (aclrtDrvMemHandle)(uintptr_t)memory;
    return 0;
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemSetPidToShareableHandle";
    TRY(check_address(api, "pid", pid));
    if (pidNum == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: pidNum is 0; at least one process is expected", api);
    return physical_memory_allow(api, shareableHandle, pid, pidNum);
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                          size_t *granularity)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemGetAllocationGranularity";
    TRY(check_address(api, "prop", prop));
    TRY(check_result(api, "granularity", granularity));
    if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: option is %d; ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM (0) or "
                    "ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED (1) is expected",
                    api, (int)option);
    TRY(check_attribute(api, prop->memAttr));
    bool is_huge_1g = prop->memAttr == ACL_HBM_MEM_HUGE1G || prop->memAttr == ACL_HBM_MEM_P2P_HUGE1G ||
                      prop->memAttr == ACL_MEM_HUGE1G || prop->memAttr == ACL_MEM_P2P_HUGE1G;
    *granularity = is_huge_1g ? (size_t)1 << 30 : (size_t)MAPPING_BYTES;
    return 0;
}
