/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What tests of loads and of results that wait share: tiles of UB and of global memory, and what they are to have.
 */
#ifndef TESTS_KERNEL_ASCENDC_TILES_H
#define TESTS_KERNEL_ASCENDC_TILES_H

#include "ascendc_support.h"

using namespace AscendC;

namespace
{
constexpr int TILE = 1024;

/* Tiles a to d of UB, and of global memory x and y, with the numbers of a kernel that is given them. */
struct Tiles {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> a, b, c, d;
    GlobalTensor<float> x, y;

    Tiles(GM_ADDR gx, GM_ADDR gy)
    {
        pipe.InitBuffer(buffer, 4 * TILE * sizeof(float));
        a = buffer.Get<float>()[0];
        b = buffer.Get<float>()[TILE];
        c = buffer.Get<float>()[2 * TILE];
        d = buffer.Get<float>()[3 * TILE];
        x.SetGlobalBuffer((__gm__ float *)gx, 4 * TILE);
        y.SetGlobalBuffer((__gm__ float *)gy, 4 * TILE);
    }
    /* For a check, which sees races: pipes in order. */
    static void wait()
    {
        PipeBarrier<PIPE_ALL>();
    }
};

std::vector<float> numbers(int seed)
{
    return drawn<float>(4 * TILE, (uint32_t)seed);
}

/* What y has when the kernel has run; x has numbers(1). */
template <typename Kernel> std::vector<float> after(Kernel kernel)
{
    Memory x(numbers(1)), y(std::vector<float>(4 * TILE));
    CHECK(launch(1, BELAY_KERNEL_VECTOR, kernel, x.gm(), y.gm()) == 0);
    return y.values<float>();
}

template <typename F> void check_tile(const std::vector<float> &is, F expected, int first = 0)
{
    const auto x = numbers(1);
    for (int i = 0; i < TILE; i++)
        if (is[(size_t)(first + i)] != expected(x, i)) {
            std::fprintf(stderr, "element %d is %g; %g is expected\n", i, (double)is[(size_t)(first + i)],
                         (double)expected(x, i));
            Case::failures++;
            return;
        }
}
} // namespace

#endif
