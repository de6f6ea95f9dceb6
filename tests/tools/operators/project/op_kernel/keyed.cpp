/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* y = x * FACTOR, negated where NEGATE is. */
#include "kernel_operator.h"
#include "keyed_key.h"
using namespace AscendC;

template <int D_T_X, uint32_t FACTOR, bool NEGATE>
__global__ __aicore__ void keyed(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    using T = std::conditional_t<D_T_X == C_DT_FLOAT, float, int32_t>;
    static_assert(FACTOR > 0 && (D_T_X == C_DT_FLOAT || NEGATE), "what is selected alone is compiled");
    GET_TILING_DATA(data, tiling);
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T *)x, data.count);
    to.SetGlobalBuffer((__gm__ T *)y, data.count);
    for (uint32_t i = 0; i < data.count; i++) {
        const T value = static_cast<T>(FACTOR) * from.GetValue(i);
        to.SetValue(i, NEGATE ? -value : value);
    }
}
