/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* All that is stored, in its order, by the format that the kernel was compiled for. */
#include "kernel_operator.h"
using namespace AscendC;

#if FORMAT_X == FORMAT_FRACTAL_NZ && FORMAT_Y == FORMAT_FRACTAL_NZ
constexpr float factor = 3;
#elif FORMAT_X == FORMAT_ND && FORMAT_W == FORMAT_FRACTAL_NZ
constexpr float factor = 2;
#endif

extern "C" __global__ __aicore__ void in_blocks(GM_ADDR x, GM_ADDR w, GM_ADDR y, GM_ADDR workspace,
                                                GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    GlobalTensor<float> from, weight, to;
    from.SetGlobalBuffer((__gm__ float *)x, data.count);
    to.SetGlobalBuffer((__gm__ float *)y, data.count);
    if (data.hasWeight)
        weight.SetGlobalBuffer((__gm__ float *)w, data.count);
    for (uint32_t i = 0; i < data.count; i++)
        to.SetValue(i, factor * from.GetValue(i) + (data.hasWeight ? weight.GetValue(i) : 0.0f));
}
