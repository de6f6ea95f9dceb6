/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What unit tests of kernels include, which run them on the processor: global memory, and a call that runs a kernel over
 * its blocks and returns when all have ended. A kernel that is wrong says so on standard error and ends the program.
 */
#ifndef TIKICPULIB_H
#define TIKICPULIB_H

#include <cstdlib>

#include "kernel_operator.h"

using AscendC::KernelMode;

namespace belay_kernel
{
inline std::uint32_t &kind_of_next_run()
{
    static thread_local std::uint32_t kind = BELAY_KERNEL_AUTO;
    return kind;
}
} // namespace belay_kernel

namespace AscendC
{
/* Zero, aligned to 512 bytes. */
inline void *GmAlloc(std::size_t bytes)
{
    return belay_kernel_memory(bytes);
}

inline void GmFree(void *memory)
{
    belay_kernel_memory_free(memory);
}

/* What the kernels that run from here on are. */
inline void SetKernelMode(KernelMode mode)
{
    belay_kernel::kind_of_next_run() = mode == KernelMode::AIC_MODE   ? BELAY_KERNEL_CUBE
                                       : mode == KernelMode::AIV_MODE ? BELAY_KERNEL_VECTOR
                                                                      : BELAY_KERNEL_MIXED_1_2;
}
} // namespace AscendC

/* The second parameter of the macro is the number of blocks. */
#define ICPU_RUN_KF(kernel, blocks, ...)                                                                 \
    do {                                                                                                 \
        if (::belay_kernel::run_here(                                                                    \
                #kernel, ::belay_kernel::kind_of_next_run(),                                             \
                [=](auto... belay_of_launch) { kernel(belay_of_launch...); }, blocks)(__VA_ARGS__) != 0) \
            ::std::abort();                                                                              \
    } while (0)
#define ICPU_SET_TILING_KEY(key) belay_kernel_set_tiling_key(key)

#endif
