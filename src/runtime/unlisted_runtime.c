/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions below the acl interface that clients of libruntime.so ask for, beside those of unlisted.c,
 * and that no header declares. What has a counterpart in acl is that; what belongs to device code refuses
 * with a sentence, so that no launch of a kernel that nobody could load passes in silence.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/product.h"
#include "base/settings.h"
#include "runtime/devices/device.h"
#include "runtime/streams/refusal.h"

#pragma GCC visibility push(default)
int rtSetDevice(int32_t device);
int rtGetDevice(int32_t *device);
int rtDeviceReset(int32_t device);
int rtDeviceSetLimit(int32_t device, uint32_t kind, uint32_t value);
int rtGetSocVersion(char *text, uint32_t bytes);
int rtGetAiCoreCount(uint32_t *count);
int rtStreamCreate(void **stream, int32_t priority);
int rtStreamDestroy(void *stream);
int rtStreamSynchronize(void *stream);
int rtMalloc(void **address, uint64_t bytes, uint32_t kind, uint16_t module);
int rtFree(void *address);
int rtMallocHost(void **address, uint64_t bytes, uint16_t module);
int rtFreeHost(void *address);
int rtMemcpy(void *to, uint64_t room, const void *from, uint64_t bytes, uint32_t kind);
int rtMemcpyAsync(void *to, uint64_t room, const void *from, uint64_t bytes, uint32_t kind, void *stream);
int rtLaunch(const void *stub);
int rtFunctionGetMetaInfo(void);
int rtFunctionGetMetaInfoSize(void);
#pragma GCC visibility pop

/* The parameters stand here only to agree with the callers. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int rtSetDevice(int32_t device)
{
    return aclrtSetDevice(device);
}

int rtGetDevice(int32_t *device)
{
    return aclrtGetDevice(device);
}

int rtDeviceReset(int32_t device)
{
    return aclrtResetDevice(device);
}

/* Limits are those of code on a device's cores, their stacks and queues, and there is none. */
int rtDeviceSetLimit(int32_t device, uint32_t kind, uint32_t value)
{
    return device_check(__func__, device);
}

int rtGetSocVersion(char *text, uint32_t bytes)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "version", text));
    const char *name = aclrtGetSocName();
    size_t length = strlen(name) + 1;
    if (length > bytes)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: argument maxLen is %u; at least %zu is expected",
                    __func__, bytes, length);
    memcpy(text, name, length);
    return 0;
}

/* Of the product: kernels of Triton cut their work by it, and their results are not to depend on the machine. */
int rtGetAiCoreCount(uint32_t *count)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    TRY(check_result(__func__, "aiCoreCnt", count));
    *count = product_cube_cores(settings->soc_name);
    return 0;
}

/* Streams have one priority here. */
int rtStreamCreate(void **stream, int32_t priority)
{
    return aclrtCreateStream(stream);
}

int rtStreamDestroy(void *stream)
{
    return aclrtDestroyStream(stream);
}

/* Launchers of kernels wait by it and drop what it says. */
int rtStreamSynchronize(void *stream)
{
    const int status = aclrtSynchronizeStream(stream);
    if (status == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION)
        refusal_tell_again(stream);
    return status;
}

int rtMalloc(void **address, uint64_t bytes, uint32_t kind, uint16_t module)
{
    return aclrtMalloc(address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
}

int rtFree(void *address)
{
    return aclrtFree(address);
}

int rtMallocHost(void **address, uint64_t bytes, uint16_t module)
{
    return aclrtMallocHost(address, bytes);
}

int rtFreeHost(void *address)
{
    return aclrtFreeHost(address);
}

/* The first four kinds are acl's; those that follow say the direction another time, which acl finds out
 * itself. */
static aclrtMemcpyKind kind_in_acl(uint32_t kind)
{
    return kind <= ACL_MEMCPY_DEVICE_TO_DEVICE ? (aclrtMemcpyKind)kind : ACL_MEMCPY_DEFAULT;
}

int rtMemcpy(void *to, uint64_t room, const void *from, uint64_t bytes, uint32_t kind)
{
    return aclrtMemcpy(to, room, from, bytes, kind_in_acl(kind));
}

int rtMemcpyAsync(void *to, uint64_t room, const void *from, uint64_t bytes, uint32_t kind, void *stream)
{
    return aclrtMemcpyAsync(to, room, from, bytes, kind_in_acl(kind), stream);
}

/* Refuses as the functions of unlisted.c do; no binary was registered, so that nothing can be taken back,
 * launched or asked about. */
static int refuse(const char *name)
{
    enum { RT_FEATURE_NOT_SUPPORTED = 0x17 };
    fail(ACL_ERROR_API_NOT_SUPPORT, "%s is not supported by this library: there is no device code here",
         name);
    return RT_FEATURE_NOT_SUPPORTED;
}

int rtLaunch(const void *stub)
{
    return refuse(__func__);
}

/* No more than the names of these two is known; the arguments are not looked at. */
int rtFunctionGetMetaInfo(void)
{
    return refuse(__func__);
}

int rtFunctionGetMetaInfoSize(void)
{
    return refuse(__func__);
}
