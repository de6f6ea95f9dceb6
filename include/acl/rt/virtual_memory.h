/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Device memory in two steps: an address range, and physical memory that is mapped into it. What is mapped is
 * device memory to copies and operators; neighbouring mappings in one range are one block to them. Everything
 * counts in units of 2 MiB. Sharing memory between processes is not supported.
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
 * Reserves size bytes of addresses, rounded up to 2 MiB, at a multiple of alignment (0, or a power of two up
 * to 1 GiB) and of 2 MiB, near expectPtr if that is not NULL and possible. Costs no memory. 100000: virPtr is
 * NULL, size is 0, or flags is not 0 or 1. 107000: another alignment. 107002: no current context. 207001:
 * over 64 TiB are reserved for a device, or the system has not that many addresses.
 */
aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
                                uint64_t flags);

/* 100000: virPtr is NULL. 107000: no reservation begins there, or something is still mapped in it. */
aclError aclrtReleaseMemAddress(void *virPtr);

/*
 * Takes size bytes, rounded up to 2 MiB, of the memory of the device prop->location.id; aclrtGetMemInfo
 * counts them. All kinds of prop->memAttr but DDR serve and mean the same. 100000: handle or prop is NULL,
 * size is 0, flags is not 0, or another handleType, allocationType, location type or memAttr. 107001: no such
 * device. 200001: a location on the host. 207001: the device has not that much left. 200000: no memory for
 * the handle.
 */
aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop,
                             uint64_t flags);

/*
 * Gives physical memory back, as soon as it is unmapped if it is mapped. 100000: handle is NULL. 107000:
 * destroyed before, also with its device, or foreign.
 */
aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/*
 * Maps all of a piece of physical memory at a multiple of 2 MiB in a reservation; it may be in one place at a
 * time. Its contents do not come along. 100000: virPtr or handle is NULL, size is 0, or flags is not 0.
 * 107000: offset is not 0, size is not the rounded size of the piece, handle is destroyed, foreign, or mapped
 * already, the piece does not fit into the reservation there, or something is mapped there. 200000: no memory
 * for it.
 */
aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags);

/*
 * Unmaps the piece that begins at virPtr, after the work that was queued before. 100000: virPtr is NULL.
 * 107000: no mapping begins there; or called by work, or for work, that is to end before.
 */
aclError aclrtUnmapMem(void *virPtr);

/*
 * 2 MiB, or 1 GiB for the names with HUGE1G, which device memory here does not insist on. 100000: prop or
 * granularity is NULL, or another option or memAttr.
 */
aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                          size_t *granularity);

/*
 * Physical memory that processes of one host and one user share. The first one makes a shareable handle of
 * it, any number that means nothing elsewhere; the second one imports it as physical memory of its own, maps
 * it, and frees it, and both see what either writes. The memory lives as long as one of them has it; the
 * handle is worth nothing once the first one has freed its piece or ended. With flags 0 the processes that
 * aclrtMemSetPidToShareableHandle names may import it, with 1 all. The first export of a piece waits until the process's queued work has ended, at most five seconds.
 * What is imported does not count against the memory of a device.
 * 100000: a pointer is NULL, handleType is not ACL_MEM_HANDLE_TYPE_NONE (0), flags is not 0 or 1, pidNum is
 * 0. 107000: handle is destroyed, foreign or imported, no such handle is shared any more. 107001: deviceId.
 * 107020: work did not end in time. 107039: over 512 processes. 200000: no memory for it. 207000: under
 * BELAY_CHECK=mem. 207005: the system refuses. 207006: this process is none of those that were named.
 */
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
