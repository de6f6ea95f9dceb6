/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions below the acl interface that frameworks are linked with, so that they cannot be loaded without
 * them. No header declares them. Those of the profiler take what they are told and forget it; those that
 * would load and launch device code refuse, as aclrtBinaryLoad does.
 */
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/hash.h"
#include "runtime/streams/refusal.h"

#pragma GCC visibility push(default)
struct MsprofApi;
int32_t MsprofRegisterCallback(uint32_t module, int32_t (*callback)(uint32_t, void *, uint32_t));
int32_t MsprofReportApi(uint32_t nonPersistent, const struct MsprofApi *api);
int32_t MsprofReportCompactInfo(uint32_t nonPersistent, const void *data, uint32_t length);
int32_t MsprofReportAdditionalInfo(uint32_t nonPersistent, const void *data, uint32_t length);
uint64_t MsprofGetHashId(const char *text, size_t length);
uint64_t MsprofStr2Id(const char *text, size_t length);
uint64_t MsprofSysCycleTime(void);

int aclmdlRIAddCondTask(void);
int aclrtGetHardwareSyncAddr(void **address);
int aclrtRegStreamStateCallback(const char *name, void *callback, void *argument);
int aclrtLaunchKernelWithHostArgs(void *function, uint32_t blocks, void *stream, void *configuration,
                                  void *arguments, size_t bytes, void *places, size_t place_count);
#pragma GCC visibility pop

/* The parameters stand here only to agree with the callers. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int32_t MsprofRegisterCallback(uint32_t module, int32_t (*callback)(uint32_t, void *, uint32_t))
{
    return 0;
}

int32_t MsprofReportApi(uint32_t nonPersistent, const struct MsprofApi *api)
{
    return 0;
}

int32_t MsprofReportCompactInfo(uint32_t nonPersistent, const void *data, uint32_t length)
{
    return 0;
}

int32_t MsprofReportAdditionalInfo(uint32_t nonPersistent, const void *data, uint32_t length)
{
    return 0;
}

/* A number that is the same for the same text in every process, which is all that is asked of it. */
uint64_t MsprofGetHashId(const char *text, size_t length)
{
    return hash_add(HASH_START, text, text != NULL ? length : 0);
}

uint64_t MsprofStr2Id(const char *text, size_t length)
{
    return MsprofGetHashId(text, length);
}

uint64_t MsprofSysCycleTime(void)
{
    return clock_now_ns();
}

/* Takes a structure by value of which no more is known than its size at most; it is not looked at. */
int aclmdlRIAddCondTask(void)
{
    fail(ACL_ERROR_API_NOT_SUPPORT, "aclmdlRIAddCondTask is not supported by this library");
    return ACL_ERROR_API_NOT_SUPPORT;
}

/* What code for the device is launched with. Who asks for it does so when it is loaded, or before a launch. */
static int refuse_in_acl(const char *name, int how)
{
    return fail(ACL_ERROR_API_NOT_SUPPORT | how,
                "%s is not supported by this library: there is no code for the device here", name);
}

int aclrtGetHardwareSyncAddr(void **address)
{
    return refuse_in_acl("aclrtGetHardwareSyncAddr", ANSWER_IS_POLLED);
}

int aclrtRegStreamStateCallback(const char *name, void *callback, void *argument)
{
    return refuse_in_acl("aclrtRegStreamStateCallback", ANSWER_IS_POLLED);
}

int aclrtLaunchKernelWithHostArgs(void *function, uint32_t blocks, void *stream, void *configuration,
                                  void *arguments, size_t bytes, void *places, size_t place_count)
{
    refusal_of_launch("aclrtLaunchKernelWithHostArgs", stream);
    return refuse_in_acl("aclrtLaunchKernelWithHostArgs", 0);
}
