/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Device memory, pinned host memory, and copies. Sizes are bytes.
 *
 * Device memory of Belay is memory of this process, so that reading it directly would work; a program that
 * does so fails on a device. The synchronous copies and sets do not wait for streams: synchronise first.
 */
#ifndef BELAY_ACL_RT_MEMORY_H
#define BELAY_ACL_RT_MEMORY_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Where an allocation should lie. There is one kind of memory here; every value means that one. */
typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000U,
} aclrtMemMallocPolicy;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4, /* taken from the addresses */
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7,
} aclrtMemcpyKind;

typedef enum aclrtMemAttr {
    ACL_DDR_MEM = 0,
    ACL_HBM_MEM = 1,
    ACL_DDR_MEM_HUGE = 2,
    ACL_DDR_MEM_NORMAL = 3,
    ACL_HBM_MEM_HUGE = 4,
    ACL_HBM_MEM_NORMAL = 5,
    ACL_DDR_MEM_P2P_HUGE = 6,
    ACL_DDR_MEM_P2P_NORMAL = 7,
    ACL_HBM_MEM_P2P_HUGE = 8,
    ACL_HBM_MEM_P2P_NORMAL = 9,
    ACL_HBM_MEM_HUGE1G = 10,
    ACL_HBM_MEM_P2P_HUGE1G = 11,
    ACL_MEM_NORMAL = 12,
    ACL_MEM_HUGE = 13,
    ACL_MEM_HUGE1G = 14,
    ACL_MEM_P2P_NORMAL = 15,
    ACL_MEM_P2P_HUGE = 16,
    ACL_MEM_P2P_HUGE1G = 17,
} aclrtMemAttr;

typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST = 0, /* pinned or registered host memory */
    ACL_MEM_LOCATION_TYPE_DEVICE = 1,
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2, /* any other memory of the process */
    ACL_MEM_LOCATION_TYPE_MANAGED = 3,
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
} aclrtMemLocationType;

typedef enum aclrtHostRegisterType {
    ACL_HOST_REGISTER_MAPPED = 0,
    ACL_HOST_REGISTER_IOMEMORY = 0x04,
    ACL_HOST_REGISTER_READONLY = 0x08,
} aclrtHostRegisterType;

typedef enum aclrtMallocAttrType {
    ACL_RT_MEM_ATTR_RSV = 0,
    ACL_RT_MEM_ATTR_MODULE_ID = 1,
    ACL_RT_MEM_ATTR_DEVICE_ID = 2,
    ACL_RT_MEM_ATTR_VA_FLAG = 3,
} aclrtMallocAttrType;

typedef enum aclrtCmoType {
    ACL_RT_CMO_TYPE_PREFETCH = 0,
    ACL_RT_CMO_TYPE_WRITEBACK = 1,
    ACL_RT_CMO_TYPE_INVALID = 2,
    ACL_RT_CMO_TYPE_FLUSH = 3,
} aclrtCmoType;

typedef union aclrtMallocAttrValue {
    uint16_t moduleId;
    uint32_t deviceId;
    uint32_t vaFlag;
    uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
    aclrtMallocAttrType attr;
    aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct aclrtMallocConfig {
    aclrtMallocAttribute *attrs;
    size_t numAttrs;
} aclrtMallocConfig;

typedef struct aclrtMemLocation {
    uint32_t id; /* of the device; 0 for host memory */
    aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
    aclrtMemLocation location;
    uint32_t pageSize; /* bytes */
    uint32_t rsv[4];
} aclrtPtrAttributes;

typedef struct aclrtMemUsageInfo {
    char name[32];
    uint64_t curMemSize;  /* bytes now */
    uint64_t memPeakSize; /* bytes at most so far */
    size_t reserved[8];
} aclrtMemUsageInfo;

typedef struct aclrtMemcpyBatchAttr {
    aclrtMemLocation dstLoc;
    aclrtMemLocation srcLoc;
    uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

#define UCE_INFO_RESERVED_SIZE 14

typedef struct aclrtMemUceInfo {
    void *addr;
    size_t len;
    size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

/*
 * Memory of the current context's device: at least size bytes and 32 more, aligned to 512 bytes, contents
 * unspecified. Free it with aclrtFree. 100000: devPtr is NULL, size is 0 or so large that rounding overflows.
 * 107002: no current context. 207001: the device (BELAY_MEMORY) or the machine has not that much left.
 */
aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* aclrtMalloc; on a device they differ in padding, which says from which size on rounding overflows, and in
 * caching. The codes of aclrtMalloc. */
aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy);
aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/*
 * aclrtMalloc with attributes: a device other than the current one; the others change nothing. cfg may be
 * NULL. Also 100000: no attributes at attrs, or an unknown one. 107001: no such device.
 */
aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);
aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
                                     aclrtMallocConfig *cfg);

/*
 * Gives device memory back; needs no context. Work that is queued and uses it must have ended. 100000: devPtr
 * is NULL. 107000: no live allocation begins there: an unknown address, one inside an allocation, one freed
 * already or with its device.
 */
aclError aclrtFree(void *devPtr);

/*
 * Pinned host memory, aligned to 512 bytes: copies to and from it can be asynchronous, and operators take it
 * like device memory. Free it with aclrtFreeHost. 100000: hostPtr is NULL, or size is 0. 107002: no current
 * context. 207001: the machine has not that much left.
 */
aclError aclrtMallocHost(void **hostPtr, size_t size);

/* The same with attributes, which change nothing here; cfg may be NULL. Also 100000: none at attrs. */
aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg);

/* 100000: hostPtr is NULL. 107000: no live pinned allocation begins there. Needs no context. */
aclError aclrtFreeHost(void *hostPtr);

/*
 * Treats size bytes of the program's own memory as pinned until aclrtHostUnregister; *devPtr, if devPtr is
 * not NULL, is the address under which operators reach it: the same one. 100000: ptr is NULL, size is 0 or
 * reaches beyond the last address, or no such type. 107000: memory that aclrtMalloc gave, or more than a block
 * of aclrtMallocHost. 107002: no current context. 507910: part of it is registered already. What aclrtMallocHost
 * gave is pinned as it is: to register it, and to unregister it, changes nothing.
 */
aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr);

/* The same with the types' values combined in flag. */
aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag);

/* 100000: ptr is NULL. 507911: no registered memory begins there. */
aclError aclrtHostUnregister(void *ptr);

/* What kind of memory an address lies in. 100000: an argument is NULL. */
aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes);

/*
 * Bytes of device memory free and in all; there is one kind of memory, whatever attr says. 100000: free or
 * total is NULL. 107002: no current context. 107016: attr is unknown.
 */
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/*
 * How much device memory is in use: one entry, named APP, and 1 in *outputNum. 100000: an argument is NULL,
 * or inputNum is 0. 107001: no such device.
 */
aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum,
                              size_t *outputNum);

/*
 * Cache maintenance: nothing is left to do. 100000: devPtr is NULL, or size is 0. 107002: no current context.
 * 107000: neither device memory nor registered memory, or beyond its end.
 */
aclError aclrtMemFlush(void *devPtr, size_t size);
aclError aclrtMemInvalidate(void *devPtr, size_t size);

/*
 * Copies count bytes before it returns; dst has room for destMax. The kind is corrected from where the
 * addresses really lie. In this order: 0 when count is 0; 100000: dst or src is NULL, or kind is over 5;
 * 107000: count is over destMax; 0 when dst is src; 107002: no current context; 107000: dead memory, or a
 * range that leaves the allocation that it begins in.
 */
aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind);

/*
 * The same in stream order. Where host memory is not pinned, the call waits for the stream and copies before
 * it returns. In the order above; then 107000: kind does not agree with the addresses; 207000: from host to
 * host. 107017: a destroyed or foreign stream.
 */
aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream);

/* aclrtMemcpyAsync under another name. */
aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream);

/*
 * Copies height rows of width bytes; rows begin dpitch and spitch bytes apart. In this order: 0 when width or
 * height is 0; 100000: dst or src is NULL, width is over a pitch, or a kind that is not host to device,
 * device to host, device to device or default; 107002: no current context; 107000: rows that leave an
 * allocation; 207000: not between host and device.
 */
aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind);

/*
 * The same in stream order, with the rules of aclrtMemcpyAsync; also between two places of the device.
 */
aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream);

/*
 * numBatches copies before it returns: sizes[i] bytes from srcs[i] to dsts[i], which has room for
 * destMaxs[i]. All are checked before the first is made; *failIndex is the one that is refused, SIZE_MAX when
 * none is. attrs[k] says where the copies from attrsIndexes[k] on lie, as a hint. 100000: an array is NULL, a
 * count 0, numAttrs is over numBatches, a location of no known type, or attrsIndexes do not rise from 0 or
 * reach numBatches. The other codes of aclrtMemcpy, also for a copy of a place to itself.
 */
aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
                          size_t *failIndex);

/*
 * numBatches copies in stream order, each as aclrtMemcpyAsync makes it with ACL_MEMCPY_DEFAULT. The first
 * that is refused ends the call with its code and its index in *failIndex; those before it are queued.
 * *failIndex is SIZE_MAX when none is refused. attrs are not looked at and may be NULL. 100000: one of the
 * other arrays or failIndex is NULL, or numBatches is 0.
 */
aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
                               size_t *failIndex, aclrtStream stream);

/*
 * Sets count bytes to the low byte of value before it returns; devPtr has room for maxCount. 0 when count is
 * 0. 100000: devPtr is NULL. 107002: no current context. 107000: count is over maxCount, dead memory, or a
 * range that leaves the allocation.
 */
aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count);

/* The same in stream order. Also 107017: a destroyed or foreign stream. */
aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream);

/*
 * A hint about caches, in stream order; there is nothing to do here. 100000: src is NULL or size is 0.
 * 107000: no such cmoType. 107002: no current context. 107017: a destroyed or foreign stream.
 */
aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream);

/*
 * Stores 64 bits in device memory, in stream order and behind everything that the work before it stores.
 * 100000: devAddr is NULL. 107000: flag is not 0, devAddr is no multiple of 8, or not 8 bytes of device
 * memory. 107002: no current context. 107017: a destroyed or foreign stream.
 */
aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/* What a stream waits for at an address with the number n: */
#define ACL_STREAM_WAIT_VALUE_GEQ 0x0u /* n - value is not negative as a signed number */
#define ACL_STREAM_WAIT_VALUE_EQ  0x1u /* n is value */
#define ACL_STREAM_WAIT_VALUE_AND 0x2u /* n and value have a bit in common */
#define ACL_STREAM_WAIT_VALUE_NOR 0x3u /* some bit is in neither */

/*
 * Has a stream wait, in its order, until the 64 bits at devAddr are as flag says, whoever stores them. A
 * stream that waits for what nobody stores waits for ever, and with it who waits for the stream. The codes of
 * aclrtValueWrite; 107000: flag is none of the four.
 */
aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/* Not supported: reports of memory cells that broke. */
aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize,
                            size_t *retSize);
aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize);

/*
 * Device memory that processes of one host and one user share. The memory stays until the process that
 * exported it and all that imported it have given it up: a key is worth nothing when the block was freed or
 * the process has ended, but what was imported stays readable and writable. All these functions: 207000 under
 * the check of memory, which guards each block.
 */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT                0x0UL /* only processes that are named may import */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL /* any process of the user may */
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT                0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS     0x1UL /* no difference: each device reaches all */

/*
 * Writes 64 characters and a 0 to key, by which another process finds size bytes at devPtr, which lie in one
 * block of aclrtMalloc or its relatives. The first export of a block waits until no work of the process is
 * queued or running. 100000: devPtr or key is NULL, size is 0, len is below 65 or flag is neither. 107000:
 * devPtr is not such memory. 107020: work had not ended within five seconds. 207005: the system gives no
 * memory for it.
 */
aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flag);

/*
 * Maps the memory of a key, which counts as device memory of the device that the key says until it is closed
 * as often as it was imported; aclrtFree refuses it. A key that is imported already gives the same address.
 * 100000: an argument is NULL or flag is neither. 107000: not a key, or what it names is not shared any more.
 * 107002: no current context. 200000. 207005: the system refuses. 207006: this process is not named, or of
 * another user.
 */
aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flag);

/*
 * Names processes that may import a key which this process has exported with the flag 0. 100000: an argument
 * is NULL, or num 0. 107000: not a key of this process. 107039: more than 512 in all.
 */
aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num);

/*
 * In a process that has imported the key: gives up one import, and with the last one the address, once queued
 * work has ended. In the one that has exported it: nobody can import it any more. 100000: key is NULL.
 * 107000: neither.
 */
aclError aclrtIpcMemClose(const char *key);

/* Not supported: copies described by an object in device memory. */
aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize);
aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count,
                            void *config);
aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
