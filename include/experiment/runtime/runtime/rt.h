/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions below the acl interface that triton-ascend compiles its driver against (libruntime.so). What has
 * a counterpart in acl is that, with its status codes; what belongs to device code answers 0x17, with a sentence
 * in aclGetRecentErrMsg(), as there is no device code here. Programs are written against acl/acl.h.
 */
#ifndef BELAY_EXPERIMENT_RUNTIME_RUNTIME_RT_H
#define BELAY_EXPERIMENT_RUNTIME_RUNTIME_RT_H

#include <stddef.h>
#include <stdint.h>

#include "profile_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t rtError_t;
typedef void *rtStream_t;

enum { RT_ERROR_NONE = 0 };

/* What a binary begins with, by the kind of core that it is for. */
#define RT_DEV_BINARY_MAGIC_ELF        0x43554245U
#define RT_DEV_BINARY_MAGIC_ELF_AIVEC  0x41415246U
#define RT_DEV_BINARY_MAGIC_ELF_AICUBE 0x41494343U

typedef struct rtDevBinary_t {
    uint32_t magic;
    uint32_t version;
    const void *data;
    uint64_t length;
} rtDevBinary_t;

typedef uint32_t rtMemType_t;
enum { RT_MEMORY_DEFAULT = 0, RT_MEMORY_HBM = 2, RT_MEMORY_HOST = 4 };

typedef enum rtMemcpyKind_t {
    RT_MEMCPY_HOST_TO_HOST = 0,
    RT_MEMCPY_HOST_TO_DEVICE = 1,
    RT_MEMCPY_DEVICE_TO_HOST = 2,
    RT_MEMCPY_DEVICE_TO_DEVICE = 3
} rtMemcpyKind_t;

typedef enum rtLimitType_t {
    RT_LIMIT_TYPE_LOW_POWER_TIMEOUT = 0,
    RT_LIMIT_TYPE_SIMT_WARP_STACK_SIZE = 1,
    RT_LIMIT_TYPE_SIMT_DVG_WARP_STACK_SIZE = 2,
    RT_LIMIT_TYPE_STACK_SIZE = 3
} rtLimitType_t;

rtError_t rtSetDevice(int32_t device);
rtError_t rtGetDevice(int32_t *device);
rtError_t rtDeviceReset(int32_t device);
/* Accepted, without effect: limits are those of code on a device's cores. */
rtError_t rtDeviceSetLimit(int32_t device, rtLimitType_t type, uint32_t value);
/* The product's name, and its cores, which are the threads that compute. */
rtError_t rtGetSocVersion(char *version, uint32_t length);
rtError_t rtGetAiCoreCount(uint32_t *count);

rtError_t rtStreamCreate(rtStream_t *stream, int32_t priority);
rtError_t rtStreamDestroy(rtStream_t stream);
rtError_t rtStreamSynchronize(rtStream_t stream);

rtError_t rtMalloc(void **address, uint64_t size, rtMemType_t type, uint16_t module);
rtError_t rtFree(void *address);
#ifdef __cplusplus
/* The module that asks is left out by those who write C++. */
rtError_t rtMallocHost(void **address, uint64_t size, uint16_t module = 0);
#else
rtError_t rtMallocHost(void **address, uint64_t size, uint16_t module);
#endif
rtError_t rtFreeHost(void *address);
rtError_t rtMemcpy(void *destination, uint64_t room, const void *source, uint64_t count, rtMemcpyKind_t kind);
rtError_t rtMemcpyAsync(void *destination, uint64_t room, const void *source, uint64_t count,
                        rtMemcpyKind_t kind, rtStream_t stream);

/* Code for a device is taken, too; its launch answers 0x17, and the stream's next synchronise 507035, with a
 * sentence that names the function. */
rtError_t rtDevBinaryRegister(const rtDevBinary_t *binary, void **handle);
rtError_t rtDevBinaryUnRegister(void *handle);
rtError_t rtFunctionRegister(void *handle, const void *stub, const char *name, const void *device,
                             uint32_t mode);
rtError_t rtKernelLaunch(const void *stub, uint32_t blocks, void *arguments, uint32_t size, void *description,
                         rtStream_t stream);
rtError_t rtGetC2cCtrlAddr(uint64_t *address, uint32_t *length);

#ifdef __cplusplus
}
#endif

#endif
