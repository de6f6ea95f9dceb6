/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Device memory in two steps: an address range, and physical memory that is mapped into it.
 */
#ifndef BELAY_ACL_RT_VIRTUAL_MEMORY_H
#define BELAY_ACL_RT_VIRTUAL_MEMORY_H

#include "acl/acl_base.h"
#include "acl/rt/memory.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef void *aclrtDrvMemHandle;

typedef enum aclrtMemAllocationType {
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
} aclrtMemAllocationType;

typedef enum aclrtMemHandleType {
    ACL_MEM_HANDLE_TYPE_NONE = 0,
    ACL_MEM_HANDLE_TYPE_POSIX = 2,
} aclrtMemHandleType;

typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF,
} aclrtMemGranularityOptions;

typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType;
    aclrtMemAllocationType allocationType;
    aclrtMemAttr memAttr;
    aclrtMemLocation location;
    uint64_t reserve;
} aclrtPhysicalMemProp;

/*
 * Reserves size bytes of address space; release them with the function after it. 100000: virPtr is NULL, size
 * is 0, or flags is neither 0 nor 1. 207001: no such range is free.
 */
aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
                                uint64_t flags);

/* Unmap first. 100000: virPtr is NULL. 107000: no reserved range begins there, or something is mapped in it.
 */
aclError aclrtReleaseMemAddress(void *virPtr);

/*
 * Physical memory of size bytes, a multiple of the granularity. 100000: a pointer is NULL, size is 0, flags
 * is not 0, or a member of prop other than NONE, PINNED, a device or host location and a memory kind that the
 * location has. 207001: not enough memory.
 */
aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop,
                             uint64_t flags);

/* While mapped, the memory stays until it is unmapped. 100000: handle is NULL. 107017: not a live one. */
aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/*
 * Maps all of a physical allocation at virPtr, inside a reserved range. 100000: a pointer is NULL, size is 0,
 * or flags is not 0. 107000: size is not the allocation's, offset is not 0, or the range is not free.
 */
aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/* 100000: virPtr is NULL. 107000: nothing is mapped there. */
aclError aclrtUnmapMem(void *virPtr);

/* The granularity of sizes, in bytes. 100000: a pointer is NULL, or no such option. */
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                          size_t *granularity);

/* Not supported: memory that several processes share. */
aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                         uint64_t flags, uint64_t *shareableHandle);
aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle *handle);
aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
