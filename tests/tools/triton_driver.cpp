/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What triton-ascend's driver does with rt.h and libruntime.so, in the way in which it does it: it is compiled on
 * the user's machine, with the user's compiler.
 */
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>

#include "runtime/runtime/rt.h"
#include "tiling/platform/platform_ascendc.h"

static const std::unordered_map<std::string, rtLimitType_t> limits = {
    {"LOW_POWER_TIMEOUT", rtLimitType_t::RT_LIMIT_TYPE_LOW_POWER_TIMEOUT},
    {"WARP_STACK_SIZE", rtLimitType_t::RT_LIMIT_TYPE_SIMT_WARP_STACK_SIZE},
    {"DVG_WARP_STACK_SIZE", rtLimitType_t::RT_LIMIT_TYPE_SIMT_DVG_WARP_STACK_SIZE},
    {"STACK_SIZE", rtLimitType_t::RT_LIMIT_TYPE_STACK_SIZE},
};

#define CHECK(condition)                                           \
    if (!(condition)) {                                            \
        printf("line %d: %s is expected\n", __LINE__, #condition); \
        return 1;                                                  \
    }

int main()
{
    char name[64] = {'\0'};
    uint32_t cores = 0;
    rtStream_t stream = nullptr;
    void *host = nullptr, *device = nullptr, *handle = nullptr;
    rtDevBinary_t binary;
    rtMemcpyKind_t direction = RT_MEMCPY_HOST_TO_DEVICE;
    binary.data = name;
    binary.length = sizeof name;
    binary.magic = RT_DEV_BINARY_MAGIC_ELF_AIVEC;
    binary.version = 0;
    CHECK(rtSetDevice(0) == RT_ERROR_NONE);
    CHECK(rtGetSocVersion(name, sizeof name) == RT_ERROR_NONE && strncmp(name, "Ascend", 6) == 0);
    /* Of the product, on any number of threads. */
    CHECK(rtGetAiCoreCount(&cores) == RT_ERROR_NONE);
    CHECK(cores == platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic());
    CHECK(rtStreamCreate(&stream, 0) == RT_ERROR_NONE && stream != nullptr);
    CHECK(rtMallocHost(&host, 16, RT_MEMORY_HOST) == RT_ERROR_NONE);
    CHECK(rtMalloc(&device, 16, RT_MEMORY_HBM, 0) == RT_ERROR_NONE);
    memset(host, 7, 16);
    CHECK(rtMemcpy(device, 16, host, 16, direction) == RT_ERROR_NONE);
    memset(host, 0, 16);
    direction = RT_MEMCPY_DEVICE_TO_HOST;
    CHECK(rtMemcpy(host, 16, device, 16, direction) == RT_ERROR_NONE && static_cast<char *>(host)[15] == 7);
    for (const auto &limit : limits)
        CHECK(rtDeviceSetLimit(0, limit.second, 1024) == RT_ERROR_NONE);
    CHECK(rtDevBinaryRegister(&binary, &handle) == RT_ERROR_NONE && handle != nullptr);
    CHECK(rtFunctionRegister(handle, &binary, "kernel_0", name, 0) == RT_ERROR_NONE);
    CHECK(rtKernelLaunch(&binary, 1, nullptr, 0, nullptr, stream) != RT_ERROR_NONE);
    CHECK(rtStreamSynchronize(stream) != RT_ERROR_NONE && rtDevBinaryUnRegister(handle) == RT_ERROR_NONE);
    CHECK(rtFree(device) == RT_ERROR_NONE && rtFreeHost(host) == RT_ERROR_NONE);
    CHECK(rtStreamDestroy(stream) == RT_ERROR_NONE);
    return 0;
}
