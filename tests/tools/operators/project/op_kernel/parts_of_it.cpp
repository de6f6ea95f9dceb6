/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The first block's vector core sums in the workspace; the second one tells. Its cube cores let them begin. */
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void parts_of_it(GM_ADDR xs, GM_ADDR bias, GM_ADDR picks, GM_ADDR total,
                                                  GM_ADDR told, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    GET_TILING_DATA(data, tiling);
    if (!TILING_KEY_IS(1000000007))
        return;
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(3);
        return;
    }
    CrossCoreWaitFlag(3);
    if (GetBlockIdx() == 1) {
        GlobalTensor<DTYPE_TOLD> out;
        out.SetGlobalBuffer((__gm__ DTYPE_TOLD *)told, 8);
        for (int i = 0; i < 8; i++)
            out.SetValue(i, data.words.told[i]);
        return;
    }
    GlobalTensor<float> sum, out, offset;
    GlobalTensor<int64_t> picked;
    sum.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace), data.count);
    out.SetGlobalBuffer((__gm__ float *)total, data.count);
    picked.SetGlobalBuffer((__gm__ int64_t *)picks, data.chosenCount);
    ListTensorDesc list((__gm__ void *)xs);
    for (uint32_t i = 0; i < data.count; i++)
        sum.SetValue(i, 0);
    for (uint32_t k = 0; k < data.chosenCount; k++) {
        GlobalTensor<float> one;
        one.SetGlobalBuffer(list.GetDataPtr<float>(data.chosen[k]), data.count);
        for (uint32_t i = 0; i < data.count && picked.GetValue(k) == data.chosen[k]; i++)
            sum.SetValue(i, sum.GetValue(i) + one.GetValue(i));
    }
    if (data.hasBias)
        offset.SetGlobalBuffer((__gm__ float *)bias, data.count);
    for (uint32_t i = 0; i < data.count; i++) {
        float value = data.words.scale * sum.GetValue(i) + (data.hasBias ? offset.GetValue(i) : 0.0f);
        out.SetValue(i, data.words.negate ? -value : value);
    }
}
