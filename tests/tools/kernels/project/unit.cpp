// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The same kernel on the processor, without a device.
#include "tikicpulib.h"

#include <cstdio>
#include <cstring>

#include "scale_tiling.h"

extern "C" __global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling);

int main()
{
    constexpr uint32_t count = 100;
    auto *x = static_cast<uint8_t *>(AscendC::GmAlloc(count * sizeof(float)));
    auto *tiling = static_cast<uint8_t *>(AscendC::GmAlloc(sizeof(ScaleTiling)));
    const ScaleTiling told = {count, 2};
    float numbers[count];
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = float(i);
    std::memcpy(x, numbers, sizeof numbers);
    std::memcpy(tiling, &told, sizeof told);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(scale_custom, 8, x, x, nullptr, tiling);
    std::memcpy(numbers, x, sizeof numbers);
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != float(i) * 2 + 1)
            return std::printf("wrong: %g at %u\n", double(numbers[i]), i), 1;
    AscendC::GmFree(x);
    AscendC::GmFree(tiling);
    std::puts("right");
    return 0;
}
