/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMemcpy: blocking copies between any two places.
 */
#include "acl/acl_rt.h"

#include "runtime/device_memory.h"
#include "runtime/device_operations.h"
#include "runtime/error.h"
#include "runtime/memory_side.h"
#include "runtime/settings.h"

/* The checks that blocking and asynchronous copies share, up to the context. count is not 0. */
static int check_copy(const char *api, const void *dst, size_t destMax, const void *src, size_t count,
                      aclrtMemcpyKind kind)
{
    if (dst == NULL || src == NULL)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s is NULL; an address is expected", api,
                    dst == NULL ? "dst" : "src");
    if ((uint32_t)kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: kind is %d; 0 to %d are expected", api, (int)kind,
                    (int)ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE);
    if (count > destMax)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count is %zu; at most destMax, %zu, is expected", api,
                    count, destMax);
    return 0;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    static const char api[] = "aclrtMemcpy";
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (count == 0)
        return 0;
    TRY(check_copy(api, dst, destMax, src, count, kind));
    if (dst == src)
        return 0;
    int32_t device;
    TRY(context_device(api, &device));
    struct memory_side to, from;
    TRY(memory_side_find(api, "dst", dst, count, &to));
    TRY(memory_side_find(api, "src", src, count, &from));
    host_device.copy(dst, src, count);
    return 0;
}
