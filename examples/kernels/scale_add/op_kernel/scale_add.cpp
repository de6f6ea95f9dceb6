/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The kernel of ScaleAdd, compiled for each dtype; the key says whether copies are whole blocks of 32 bytes. */
#include "kernel_operator.h"
using namespace AscendC;

template <typename T, bool isWhole> class ScaleAddKernel
{
  public:
    __aicore__ inline ScaleAddKernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, const ScaleAddTilingData &data)
        : tiling(data)
    {
        const uint64_t begin = GetBlockIdx() * data.perBlock;
        count = begin >= data.total ? 0 : min(data.perBlock, data.total - begin);
        inX.SetGlobalBuffer((__gm__ T *)x + begin, count);
        inY.SetGlobalBuffer((__gm__ T *)y + begin, count);
        outZ.SetGlobalBuffer((__gm__ T *)z + begin, count);
        pipe.InitBuffer(queueX, 1, data.perTile * sizeof(T));
        pipe.InitBuffer(queueY, 1, data.perTile * sizeof(T));
        pipe.InitBuffer(queueZ, 1, data.perTile * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        for (uint64_t at = 0; at < count; at += tiling.perTile)
            Tile(at, static_cast<uint32_t>(min((uint64_t)tiling.perTile, count - at)));
    }

  private:
    __aicore__ inline void In(const LocalTensor<T> &to, const GlobalTensor<T> &from, uint32_t length)
    {
        if constexpr (isWhole)
            DataCopy(to, from, length);
        else
            DataCopyPad(to, from, {1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0}, {false, 0, 0, 0});
    }

    __aicore__ inline void Tile(uint64_t at, uint32_t length)
    {
        LocalTensor<T> x = queueX.template AllocTensor<T>(), y = queueY.template AllocTensor<T>();
        In(x, inX[at], length);
        In(y, inY[at], length);
        queueX.EnQue(x);
        queueY.EnQue(y);
        x = queueX.template DeQue<T>();
        y = queueY.template DeQue<T>();
        LocalTensor<T> z = queueZ.template AllocTensor<T>();
        Muls(z, x, static_cast<T>(tiling.scale), length);
        Add(z, z, y, length);
        queueZ.EnQue(z);
        queueX.FreeTensor(x);
        queueY.FreeTensor(y);
        z = queueZ.template DeQue<T>();
        if constexpr (isWhole)
            DataCopy(outZ[at], z, length);
        else
            DataCopyPad(outZ[at], z, {1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0});
        queueZ.FreeTensor(z);
    }

    const ScaleAddTilingData &tiling;
    uint64_t count;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queueX, queueY;
    TQue<TPosition::VECOUT, 1> queueZ;
    GlobalTensor<T> inX, inY, outZ;
};

extern "C" __global__ __aicore__ void scale_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    if (TILING_KEY_IS(1)) {
        ScaleAddKernel<DTYPE_X, true> kernel(x, y, z, data);
        kernel.Process();
    } else if (TILING_KEY_IS(2)) {
        ScaleAddKernel<DTYPE_X, false> kernel(x, y, z, data);
        kernel.Process();
    }
}
