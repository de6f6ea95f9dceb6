/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Devices and contexts. Device ids are 0 .. count - 1 (BELAY_DEVICES, ASCEND_RT_VISIBLE_DEVICES).
 *
 * Each thread has a current context or none. Each device has a primary context, which all threads share that
 * set the device; further contexts are made by aclrtCreateContext. Each context has a default stream, which
 * NULL stands for wherever a stream is asked for.
 */
#ifndef BELAY_ACL_RT_DEVICE_H
#define BELAY_ACL_RT_DEVICE_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;
typedef struct tagRtGroupInfo aclrtGroupInfo;

typedef enum aclrtRunMode {
    ACL_DEVICE = 0,
    ACL_HOST = 1,
} aclrtRunMode;

typedef enum aclrtTsId {
    ACL_TS_ID_AICORE = 0,
    ACL_TS_ID_AIVECTOR = 1,
    ACL_TS_ID_RESERVED = 2,
} aclrtTsId;

typedef enum aclrtDeviceStatus {
    ACL_RT_DEVICE_STATUS_NORMAL = 0,
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
    ACL_RT_DEVICE_STATUS_END = 0xFFFF,
} aclrtDeviceStatus;

typedef enum aclrtDevAttr {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
    ACL_DEV_ATTR_WARP_SIZE = 202,
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
    ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
    ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
    ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
    ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301, /* bytes */
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302,         /* bytes */
    ACL_DEV_ATTR_SMP_ID = 401U,
    ACL_DEV_ATTR_PHY_CHIP_ID = 402U,
    ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403U,
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403U,
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404U,
    ACL_DEV_ATTR_SUPER_POD_ID = 405U,
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406U,
    ACL_DEV_ATTR_MAINBOARD_ID = 407U,
    ACL_DEV_ATTR_HD_CONNECT_TYPE = 408U,
    ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409U,
    ACL_DEV_ATTR_IS_VIRTUAL = 501U,
    ACL_DEV_ATTR_NPU_ARCH = 601U,
} aclrtDevAttr;

typedef enum aclrtDevResLimitType {
    ACL_RT_DEV_RES_CUBE_CORE = 0,
    ACL_RT_DEV_RES_VECTOR_CORE = 1,
} aclrtDevResLimitType;

typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    ACL_RT_OVERFLOW_MODE_INFNAN = 1,
    ACL_RT_OVERFLOW_MODE_UNDEF = 2,
} aclrtFloatOverflowMode;

typedef enum aclrtGroupAttr {
    ACL_GROUP_AICORE_INT = 0,
    ACL_GROUP_AIV_INT = 1,
    ACL_GROUP_AIC_INT = 2,
    ACL_GROUP_SDMANUM_INT = 3,
    ACL_GROUP_ASQNUM_INT = 4,
    ACL_GROUP_GROUPID_INT = 5,
} aclrtGroupAttr;

/* Percent. utilizationExtend must be NULL. */
typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization;
    int32_t vectorUtilization;
    int32_t aicpuUtilization;
    int32_t memoryUtilization;
    aclrtUtilizationExtendInfo *utilizationExtend;
} aclrtUtilizationInfo;

typedef struct aclrtUuid {
    char bytes[16];
} aclrtUuid;

/*
 * Makes the device's primary context the current one of this thread, creating it (with its default stream) if
 * need be, and counts the call. 107001: no such device. 207008: it has 1,024 contexts already. 507007: called
 * by a callback while another thread resets the device, which waits for the callback.
 */
aclError aclrtSetDevice(int32_t deviceId);

/*
 * Takes back one aclrtSetDevice. The last one waits for the device's work, then releases its primary context,
 * streams and memory. 107001: no such device. 507007: the device is not set. 107000: called by a callback of
 * the device, which would wait for itself.
 */
aclError aclrtResetDevice(int32_t deviceId);

/* aclrtResetDevice as if it were the last one; work that has not begun is discarded. The same codes. */
aclError aclrtResetDeviceForce(int32_t deviceId);

/* The device of the current context. 100000: deviceId is NULL. 107002: no current context. */
aclError aclrtGetDevice(int32_t *deviceId);

/*
 * The number of devices; needs no context. 100000: count is NULL. 207004: ASCEND_RT_VISIBLE_DEVICES is not an
 * ascending list of different devices.
 */
aclError aclrtGetDeviceCount(uint32_t *count);

/* Always ACL_HOST: the program runs beside the device, not on it. 100000: runMode is NULL. */
aclError aclrtGetRunMode(aclrtRunMode *runMode);

/*
 * Waits until all streams of the current context's device are idle. 107002: no current context. 107000:
 * called by a callback of the device. Otherwise the first error of a stream, as aclrtSynchronizeStream has
 * it.
 */
aclError aclrtSynchronizeDevice(void);

/*
 * The same for at most timeout milliseconds, -1 for ever. 107000: timeout is 0 or below -1. 507046: the time
 * is over; the work goes on.
 */
aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/* Chooses a task scheduler; nothing depends on it. 100000: no such tsId. 107002: no current context. */
aclError aclrtSetTsDevice(aclrtTsId tsId);

/*
 * Makes a context with a default stream of its own, which becomes the current one of this thread; end it with
 * aclrtDestroyContext. 100000: context is NULL. 107001: no such device. 207008: it has 1,024 contexts.
 */
aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/*
 * Waits for the context's streams and ends them. Memory allocated under it stays. 100000: context is NULL.
 * 107002: a primary context, a destroyed or a foreign one. 507007: another thread is destroying it. 107000:
 * called by a callback of the context, which would wait for itself.
 */
aclError aclrtDestroyContext(aclrtContext context);

/* Makes context current on this thread. 100000: context is NULL. 107000: a destroyed or foreign context. */
aclError aclrtSetCurrentContext(aclrtContext context);

/* 100000: context is NULL. 107002: the thread has no current context. */
aclError aclrtGetCurrentContext(aclrtContext *context);

/* The default stream of the current context. 100000: stream is NULL. 107002: no current context. */
aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/*
 * *active is 1 while the device's primary context exists, else 0; *flags is 0. Either may be NULL. Needs no
 * context. 107001: no such device.
 */
aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active);

/*
 * *canAccessPeer is 1: all devices here share one memory. 107000: canAccessPeer is NULL. 100000: both ids are
 * the same. 107001: no such device.
 */
aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId);

/*
 * Lets the current device reach the peer's memory, or no longer; copies between devices work either way.
 * 200006: flags is not 0. 107002: no current context. 100000: the current device itself. 107001: no such
 * device.
 */
aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/*
 * A figure of this device: its cores are the threads that compute, its cache is the processor's. 100000:
 * value is NULL. 107000: attr is unknown. 107001: no such device. 207000: attr has no counterpart here.
 */
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value);

/*
 * How busy the device is: vector cores 100 or 0 percent, memory by what is allocated. 100000: the pointer is
 * NULL, or utilizationExtend is not. 107001: no such device.
 */
aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo);

/* Always normal. 100000: deviceStatus is NULL. 107001: no such device. */
aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus);

/* Sixteen bytes, others for each device of a process. 100000: uuid is NULL. 107001: no such device. */
aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid);

/* The id of this process as a device would see it. 100000: pid is NULL. */
aclError aclrtDeviceGetBareTgid(int32_t *pid);

/*
 * Discards what has not begun to run on the device and waits at most timeout milliseconds for the rest. The
 * next synchronise of each of its streams returns 107022, also where there was nothing to discard. 107001: no
 * such device. 107020: work is still running.
 */
aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/*
 * How overflowing values are treated. Belay computes with infinities and NaN, so INFNAN is the mode and the
 * only one that can be set, before a device is set too. 100000: mode is NULL or no such mode. 207000:
 * SATURATION.
 */
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/*
 * Time limits of kernels that wait or run on a real device, in seconds (milliseconds for the last). They are
 * accepted and change nothing: work here ends by itself.
 */
aclError aclrtSetOpWaitTimeout(uint32_t timeout);
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/* The same in microseconds; *actualTimeout is timeout. 100000: actualTimeout is NULL. */
aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout);

/*
 * The number of a device in calls for the one that the user gave it: the same. 100000: logicDevId is NULL.
 * 107001: no such device.
 */
aclError aclrtGetLogicDevIdByUserDevId(int32_t userDevId, int32_t *logicDevId);

/*
 * How many cores of a kind work of a device may use: kept, given back, and without effect. Where none was set
 * the answer is what aclGetDeviceCapability says. 100000: value is NULL. 107000: no such type, or a limit of
 * 0. 107001: no such device.
 */
aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value);
aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);
aclError aclrtResetDeviceResLimit(int32_t deviceId);

/*
 * The same for a stream, NULL being the default one; where none was set the answer is the device's. Also
 * 107002: no current context. 107017: a destroyed or foreign stream.
 */
aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value);
aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);
aclError aclrtResetStreamResLimit(aclrtStream stream);

/*
 * The calling thread has the limits of a stream, or no longer has them; aclrtGetResInCurrentThread says what
 * it has, the current device's without a stream. The codes above.
 */
aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);
aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/* Not supported: groups of cores. aclrtCreateGroupInfo returns NULL. */
aclError aclrtSetGroup(int32_t groupId);
aclError aclrtGetGroupCount(uint32_t *count);
aclrtGroupInfo *aclrtCreateGroupInfo(void);
aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo);
aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo);
aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo, int32_t groupIndex, aclrtGroupAttr attr,
                                 void *attrValue, size_t valueLen, size_t *paramRetSize);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
