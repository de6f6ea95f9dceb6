/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void untiled(GM_ADDR x, GM_ADDR n, GM_ADDR y, GM_ADDR workspace,
                                              GM_ADDR tiling)
{
}
