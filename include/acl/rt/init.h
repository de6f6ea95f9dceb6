/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Beginning and end, error messages, versions and system options.
 */
#ifndef BELAY_ACL_RT_INIT_H
#define BELAY_ACL_RT_INIT_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define ACL_PKG_VERSION_MAX_SIZE       128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

typedef enum aclRegisterCallbackType {
    ACL_REG_TYPE_ACL_MODEL = 0,
    ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
    ACL_REG_TYPE_ACL_OP_CBLAS = 2,
    ACL_REG_TYPE_ACL_OP_COMPILER = 3,
    ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
    ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
    ACL_REG_TYPE_ACL_DVPP = 6,
    ACL_REG_TYPE_ACL_RETR = 7,
    ACL_REG_TYPE_OTHER = 0xFFFF,
} aclRegisterCallbackType;

typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN = 0,
    ACL_PKG_NAME_RUNTIME = 1,
    ACL_PKG_NAME_COMPILER = 2,
    ACL_PKG_NAME_HCCL = 3,
    ACL_PKG_NAME_TOOLKIT = 4,
    ACL_PKG_NAME_OPP = 5,
    ACL_PKG_NAME_OPP_KERNEL = 6,
    ACL_PKG_NAME_DRIVER = 7,
} aclCANNPackageName;

/* Zero-terminated strings: the whole version, and its parts. */
typedef struct aclCANNPackageVersion {
    char version[ACL_PKG_VERSION_MAX_SIZE];
    char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

typedef enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0,
} aclrtLastErrLevel;

typedef enum aclSysParamOpt {
    ACL_OPT_DETERMINISTIC = 0, /* 0 or 1. Belay's results are deterministic either way */
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
    ACL_OPT_STRONG_CONSISTENCY = 2,
    ACL_OPT_ENABLE_KERNEL_EARLY_START = 3,
} aclSysParamOpt;

/* configStr holds len bytes of the text that aclInit read; not zero-terminated, gone after the call. */
typedef aclError (*aclInitCallbackFunc)(const char *configStr, size_t len, void *userData);
typedef aclError (*aclFinalizeCallbackFunc)(void *userData);

/*
 * Starts using the library; calls are counted. configPath names a JSON file, NULL and "" mean none. Keys that
 * matter here: defaultDevice.default_device ("0": threads without a context get one of that device) and
 * err_msg_mode ("0": messages per thread, "1": per process); others are accepted. Other functions work
 * without aclInit too.
 * 100003: the file cannot be read. 100000: it is not a regular file, over 1 MiB, not JSON, nested deeper than
 * 10, has an invalid value or a known key twice, or its text differs from that of the first successful call
 * of this process. 100002: initialised already; the call counts all the same. In this order.
 */
aclError aclInit(const char *configPath);

/*
 * Waits for all queued work and ends, whatever the count; work that waits for aclrtProcessReport is
 * discarded. aclInit may follow. 100037: everything was finalised already. A callback's code, when one fails.
 */
aclError aclFinalize(void);

/*
 * Takes back one aclInit; the last one finalises as aclFinalize does. *refCount, unless refCount is NULL,
 * gets what remains. 100037: the count was 0.
 */
aclError aclFinalizeReference(uint64_t *refCount);

/*
 * Has cbFunc(..., userData) called by every later aclInit that really initialises, and by every finalise that
 * really finalises, on the thread that makes the call; a code other than 0 is what that call returns. type is
 * a label. The same function and type again change userData only. 100000: cbFunc is NULL. 200000: 64 are
 * registered.
 */
aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData);
aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                     void *userData);

/* Takes back what was registered with the same type and cbFunc. 100000: cbFunc is NULL, or nothing was. */
aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData);
aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                       void *userData);

/*
 * The sentences that failed calls of this thread recorded (of all threads with err_msg_mode "1"), newest
 * first, and clears them; NULL when there are none. At most 4 KiB: older text is cut. The string stays as it
 * is until the thread calls this function again. Never fails, also in a forked child.
 */
const char *aclGetRecentErrMsg(void);

/*
 * The code of the last function that failed on this thread with one of the runtime (107..., 207..., 507...)
 * or of operators (161..., 361..., 561...), 0 if none; Get clears it, Peek does not. 100000: level is not
 * ACL_RT_THREAD_LEVEL.
 */
aclError aclrtGetLastError(aclrtLastErrLevel level);
aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/* The version of the interface, 1.17.0; not that of a toolkit release. 100000: an argument is NULL. */
aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);

/*
 * The version of an installed package, from the line Version= of
 * $ASCEND_HOME_PATH/share/info/PACKAGE/version.info. 100000: an argument is NULL, or no such name. 100003:
 * there is no such file, or no such line in it.
 */
aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version);

/* The same for a package given by name; versionStr needs ACL_PKG_VERSION_MAX_SIZE bytes. */
aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/*
 * The same as a number: major * 10000000 + minor * 100000 + patch * 1000, less 300, 200 or 100 for an alpha,
 * a beta or a release candidate, plus that one's ordinal. Also 100003: more than an int32_t holds.
 */
aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);

/*
 * A system option of the process. It is remembered and changes nothing here. 107000: no such opt, or a value
 * that opt cannot have. 100000: value is NULL. What was never set is 0.
 */
aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);
aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* The same of the current context. Also 107002: the thread has none. */
aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
