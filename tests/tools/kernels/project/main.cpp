// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The host's side: launches by the generated headers.
#include <cstdio>

#include "acl/acl.h"
#include "aclrtlaunch_add_custom.h"
#include "aclrtlaunch_scale_custom.h"

#include "parts/scale_tiling.h"
#include "tiling/platform/platform_ascendc.h"

extern void add_do(uint32_t blocks, void *l2, void *stream, float *x, uint32_t count, float by);

int main()
{
    constexpr uint32_t count = 1000;
    constexpr size_t bytes = count * sizeof(float);
    float host[count];
    float *x, *y;
    void *tiling;
    aclrtStream stream;
    const ScaleTiling told = {count, 3};
    for (uint32_t i = 0; i < count; i++)
        host[i] = float(i);
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc((void **)&x, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void **)&y, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&tiling, sizeof told, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(tiling, sizeof told, &told, sizeof told, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpyAsync(x, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    const auto *platform = platform_ascendc::PlatformAscendCManager::GetInstance();
    uint64_t room = 0;
    platform->GetCoreMemSize(platform_ascendc::CoreMemType::UB, room);
    if (platform->GetCoreNumAiv() != 2 * platform->GetCoreNumAic() || room < (128u << 10) ||
        platform->CalcTschBlockDim(41, 20, 40) != 21)
        return std::printf("wrong: %u cores, %llu bytes\n", platform->GetCoreNumAic(),
                           (unsigned long long)room),
               1;
    uint32_t status =
        ACLRT_LAUNCH_KERNEL(scale_custom)(platform->GetCoreNumAiv(), stream, x, y, nullptr, tiling);
    status |= aclrtlaunch_add_custom(4, stream, y, count, 2);
    add_do(3, nullptr, stream, y, count, 4);
    aclrtMemcpyAsync(host, bytes, y, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    status |= uint32_t(aclrtSynchronizeStream(stream));
    for (uint32_t i = 0; i < count; i++)
        if (host[i] != float(i) * 3 + 5 + 2 + 4)
            return std::printf("wrong: %g at %u\n", double(host[i]), i), 1;
    std::printf("right: %u\n", status);
    return int(status);
}
