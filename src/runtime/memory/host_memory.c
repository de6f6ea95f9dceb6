/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pinned host memory, host memory that the program registers, and what an address is.
 */
#include "acl/acl_rt.h"

#include <unistd.h>

#include "base/watch.h"
#include "runtime/devices/context.h"
#include "runtime/memory/device_memory.h"
#include "base/error.h"
#include "runtime/addresses/memory.h"
#include "runtime/memory/memory_side.h"
#include "runtime/memory/registered_memory.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/memory/size_class.h"
#include "runtime/timeline/trace.h"

static int allocate(const char *api, const char *parameter, void **pointer, uint64_t size,
                    const aclrtMallocConfig *cfg)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, parameter, pointer));
    if (size == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; at least 1 byte is expected", api);
    int32_t device;
    TRY(context_device(api, &device));
    if (cfg != NULL && cfg->numAttrs != 0 && cfg->attrs == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: cfg->attrs is NULL with numAttrs %zu",
                    api, cfg->numAttrs);
    if (size > SIZE_MAX / 2) /* the allocator adds slack and rounds */
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: size is %llu; no machine has that much memory", api,
                    (unsigned long long)size);
    struct memory_request request = {
        .api = api, .place = MEMORY_PINNED_HOST, .bytes = size, .huge_pages = true};
    return memory_allocate(&request, pointer);
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    TRACE_THIS_CALL;
    return allocate("aclrtMallocHost", "hostPtr", hostPtr, size, NULL);
}

/* The attributes choose among kinds of memory of which there is one here. */
aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    TRACE_THIS_CALL;
    return allocate("aclrtMallocHostWithCfg", "ptr", ptr, size, cfg);
}

aclError aclrtFreeHost(void *hostPtr)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (hostPtr == NULL)
        return report_misuse(RULE_FREE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "aclrtFreeHost: hostPtr is NULL; the address of a block is expected");
    return memory_free("aclrtFreeHost", MEMORY_PINNED_HOST, hostPtr);
}

/* Memory from aclrtMallocHost is pinned and mapped as it is, so that to register it changes nothing. */
static bool is_ours(const void *ptr, uint64_t size)
{
    struct memory_block block;
    return memory_find(ptr, &block) && block.place == MEMORY_PINNED_HOST && !block.is_registered &&
           size <= block.bytes - ((uintptr_t)ptr - block.base);
}

static int register_memory(const char *api, void *ptr, uint64_t size, uint32_t type, bool is_combined)
{
    const uint32_t all = ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (ptr == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: ptr is NULL; an address is expected",
                    api);
    if (size == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; at least 1 byte is expected", api);
    if ((type & ~all) != 0 || (type == all && !is_combined))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the type is %u; 0, 4 or 8%s is expected", api, type,
                    is_combined ? ", or both," : "");
    int32_t device;
    TRY(context_device(api, &device));
    return is_ours(ptr, size) ? 0 : memory_register(api, ptr, size);
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    TRACE_THIS_CALL;
    TRY(register_memory("aclrtHostRegister", ptr, size, (uint32_t)type, false));
    if (devPtr != NULL)
        *devPtr = ptr;
    return 0;
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
    TRACE_THIS_CALL;
    return register_memory("aclrtHostRegisterV2", ptr, size, flag, true);
}

aclError aclrtHostUnregister(void *ptr)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (ptr == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclrtHostUnregister: ptr is NULL; the address of registered memory is expected");
    if (is_ours(ptr, 1))
        return 0;
    watch_unregister("aclrtHostUnregister", ptr);
    return memory_unregister("aclrtHostUnregister", ptr);
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (ptr == NULL || attributes == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "aclrtPointerGetAttributes: %s is NULL; an address is expected",
                    ptr == NULL ? "ptr" : "attributes");
    struct memory_block block;
    *attributes = (aclrtPtrAttributes){.location = {.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED},
                                       .pageSize = (uint32_t)sysconf(_SC_PAGESIZE)};
    if (!memory_find(ptr, &block))
        return 0;
    attributes->location.type =
        block.place == MEMORY_DEVICE ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
    if (block.place == MEMORY_DEVICE)
        attributes->location.id = (uint32_t)block.device;
    if (memory_is_reserved(ptr) && granules_of(block.bytes) > SMALL_GRANULES)
        attributes->pageSize = CHUNK_BYTES;
    return 0;
}

/* Processor caches are coherent, so that nothing is left to do behind the checks. */
static int maintain_cache(const char *api, const void *address, size_t size)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (address == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: devPtr is NULL; an address is expected",
                    api);
    if (size == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; at least 1 byte is expected", api);
    int32_t device;
    TRY(context_device(api, &device));
    struct memory_side side;
    TRY(memory_side_find(api, "devPtr", address, size, &side));
    if (side.place != MEMORY_DEVICE && !side.is_mapped && !settings->host_pointers_allowed)
        return report_misuse(RULE_PLACE, ACL_ERROR_RT_PARAM_INVALID,
                             "%s: devPtr %p is host memory; device memory is expected", api, address);
    return 0;
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
    TRACE_THIS_CALL;
    return maintain_cache("aclrtMemFlush", devPtr, size);
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    TRACE_THIS_CALL;
    return maintain_cache("aclrtMemInvalidate", devPtr, size);
}
