/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMalloc and its relatives, aclrtFree.
 */
#include "acl/acl_rt.h"

#include "runtime/devices/context.h"
#include "runtime/devices/device.h"
#include "runtime/memory/device_memory.h"
#include "base/error.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"

/*
 * The size that the device would use: rounded up to 32, and 32 more, so that a size at which that overflows
 * is refused. The blocks here have their slack anyway.
 */
static int check_size(const char *api, size_t size, size_t extra)
{
    if (size == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; at least 1 byte is expected", api);
    if (size > SIZE_MAX - 31 - extra)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: size is %zu; rounded up to 32 bytes%s it must not exceed %zu", api, size,
                    extra != 0 ? " with 32 more" : "", SIZE_MAX);
    return 0;
}

static bool is_huge_1g(aclrtMemMallocPolicy policy)
{
    uint32_t kind = (uint32_t)policy & 0xff;
    return kind == ACL_MEM_MALLOC_HUGE1G_ONLY || kind == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

static bool wants_huge_pages(aclrtMemMallocPolicy policy)
{
    uint32_t kind = (uint32_t)policy & 0xff;
    return kind != ACL_MEM_MALLOC_NORMAL_ONLY && kind != ACL_MEM_MALLOC_NORMAL_ONLY_P2P;
}

/* The checks in the order of the contract; cfg may name another device than the current one. */
static int allocate(const char *api, void **devPtr, size_t size, aclrtMemMallocPolicy policy, bool has_extra,
                    const aclrtMallocConfig *cfg)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(api, "devPtr", devPtr));
    bool adds = has_extra && settings->product != PRODUCT_950 && !is_huge_1g(policy);
    TRY(check_size(api, size, adds ? 32 : 0));
    int32_t device;
    TRY(context_device(api, &device));
    if (cfg != NULL) {
        if (cfg->numAttrs != 0 && cfg->attrs == NULL)
            return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                        "%s: cfg->attrs is NULL with numAttrs %zu", api, cfg->numAttrs);
        for (size_t i = 0; i < cfg->numAttrs; i++) {
            const aclrtMallocAttribute *attribute = &cfg->attrs[i];
            if ((uint32_t)attribute->attr > ACL_RT_MEM_ATTR_VA_FLAG)
                return fail(ACL_ERROR_INVALID_PARAM,
                            "%s: attribute %zu of cfg is of kind %u; 0 to 3 are expected", api, i,
                            (unsigned)attribute->attr);
            if (attribute->attr != ACL_RT_MEM_ATTR_DEVICE_ID)
                continue;
            TRY(device_check(api, attribute->value.deviceId));
            device = (int32_t)attribute->value.deviceId;
        }
    }
    if (size > SIZE_MAX / 2) /* the allocator adds slack and rounds */
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: size is %zu; no device has that much memory", api,
                    size);
    struct memory_request request = {.api = api,
                                     .place = MEMORY_DEVICE,
                                     .device = device,
                                     .bytes = size,
                                     .huge_pages = wants_huge_pages(policy)};
    return memory_allocate(&request, devPtr);
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    TRACE_THIS_CALL;
    return allocate("aclrtMalloc", devPtr, size, policy, true, NULL);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    TRACE_THIS_CALL;
    return allocate("aclrtMallocAlign32", devPtr, size, policy, false, NULL);
}

/* The memory of this machine needs no flushing: cached is the only kind. */
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    TRACE_THIS_CALL;
    return allocate("aclrtMallocCached", devPtr, size, policy, true, NULL);
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
    TRACE_THIS_CALL;
    return allocate("aclrtMallocWithCfg", devPtr, size, policy, true, cfg);
}

aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                                     aclrtMallocConfig *cfg)
{
    TRACE_THIS_CALL;
    return allocate("aclrtMallocForTaskScheduler", devPtr, size, policy, true, cfg);
}

aclError aclrtFree(void *devPtr)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (devPtr == NULL)
        return report_misuse(RULE_FREE, ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                             "aclrtFree: devPtr is NULL; the address of a block is expected");
    return memory_free("aclrtFree", MEMORY_DEVICE, devPtr);
}
