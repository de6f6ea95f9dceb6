/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libplatform.so: classes of C++ by which programs for the device ask for its memories and cores, so that they
 * divide their work by them. There are no such programs here; vllm-ascend's library is linked with these names,
 * and cannot be loaded without them. Each fails, and says so.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#pragma GCC visibility push(default)
void *manager(void) __asm__("_ZN2fe19PlatformInfoManager8InstanceEv");
uint32_t initialise(void *self,
                    const void *soc) __asm__("_ZN2fe19PlatformInfoManager24InitRuntimePlatformInfosERKSs");
uint32_t of_device(void *self, const uint32_t *device, void *infos, bool is_needed) __asm__(
    "_ZN2fe19PlatformInfoManager31GetRuntimePlatformInfosByDeviceERKjRNS_13PlatFormInfosEb");
uint32_t core_count(const void *self) __asm__("_ZNK2fe13PlatFormInfos10GetCoreNumEv");
void set_core_count(void *self, const void *kind) __asm__("_ZN2fe13PlatFormInfos20SetCoreNumByCoreTypeERKSs");
void memory_bytes(void *self, const int *kind,
                  uint64_t *bytes) __asm__("_ZN2fe13PlatFormInfos15GetLocalMemSizeERKNS_12LocalMemTypeERm");
void memory_rate(void *self, const int *kind,
                 uint64_t *rate) __asm__("_ZN2fe13PlatFormInfos13GetLocalMemBwERKNS_12LocalMemTypeERm");
bool resource(void *self, const void *label, const void *key,
              void *value) __asm__("_ZN2fe13PlatFormInfos22GetPlatformResWithLockERKSsS2_RSs");
#pragma GCC visibility pop

enum { FAILED = 1 };

static void refuse(const char *name)
{
    fail(ACL_ERROR_API_NOT_SUPPORT,
         "fe::%s is not supported by this library: there is no code for the device here", name);
}

/* An object that has nothing in it. */
void *manager(void)
{
    static uint64_t nothing[8];
    return nothing;
}

uint32_t initialise(void *self, const void *soc)
{
    (void)self, (void)soc;
    refuse("PlatformInfoManager::InitRuntimePlatformInfos");
    return FAILED;
}

uint32_t of_device(void *self, const uint32_t *device, void *infos, bool is_needed)
{
    (void)self, (void)device, (void)infos, (void)is_needed;
    refuse("PlatformInfoManager::GetRuntimePlatformInfosByDevice");
    return FAILED;
}

uint32_t core_count(const void *self)
{
    (void)self;
    refuse("PlatFormInfos::GetCoreNum");
    return 0;
}

void set_core_count(void *self, const void *kind)
{
    (void)self, (void)kind;
    refuse("PlatFormInfos::SetCoreNumByCoreType");
}

void memory_bytes(void *self, const int *kind, uint64_t *bytes)
{
    (void)self, (void)kind;
    refuse("PlatFormInfos::GetLocalMemSize");
    if (bytes != NULL)
        *bytes = 0;
}

void memory_rate(void *self, const int *kind, uint64_t *rate)
{
    (void)self, (void)kind;
    refuse("PlatFormInfos::GetLocalMemBw");
    if (rate != NULL)
        *rate = 0;
}

bool resource(void *self, const void *label, const void *key, void *value)
{
    (void)self, (void)label, (void)key, (void)value;
    refuse("PlatFormInfos::GetPlatformResWithLock");
    return false;
}
