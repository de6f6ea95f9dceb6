// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Kernels that are launched by generated headers, and one that the file launches itself.
#include "ascendc/launch.h"
#include "ascendc/qualifiers.h"

#include "scale_tiling.h"

extern "C" __global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    const ScaleTiling *given = reinterpret_cast<const ScaleTiling *>(tiling);
    const struct belay_kernel_block *block = belay_kernel_block();
    (void)workspace;
    for (uint32_t i = block->index; i < given->count; i += block->count)
        reinterpret_cast<float *>(y)[i] = reinterpret_cast<float *>(x)[i] * given->by + OFFSET;
}

extern "C" __global__ __aicore__ void add_custom(__gm__ float *x, const uint32_t count, float by = 1)
{
    const struct belay_kernel_block *block = belay_kernel_block();
    for (uint32_t i = block->index; i < count; i += block->count)
        x[i] += by;
}

#ifndef ASCENDC_CPU_DEBUG
void add_do(uint32_t blocks, void *l2, void *stream, float *x, uint32_t count, float by)
{
    add_custom<<<blocks, l2, stream>>>(x, count, by);
}
#endif
