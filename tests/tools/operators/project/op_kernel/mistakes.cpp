/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "kernel_operator.h"
#include "mistakes_tiling.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void mistakes(GM_ADDR var, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(MistakesTilingData);
    GET_TILING_DATA_WITH_STRUCT(MistakesTilingData, data, tiling);
#if ORIG_DTYPE_VAR == DT_INT32
    using T = int32_t;
#else
    using T = DTYPE_VAR;
#endif
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T *)var, data.count);
    to.SetGlobalBuffer((__gm__ T *)out, data.count);
    if (TILING_KEY_IS(5))
        for (uint32_t i = 0; i < data.count; i++)
            to.SetValue(i, from.GetValue(i) + from.GetValue(i));
    else if (TILING_KEY_IS(6))
        to.SetValue(0, 0);
}
