// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The cube unit of AscendC: products of matrices in each type, from rows in global memory by fractals and back; mixed
// kernels in which vector cores go on with what the cube core left in a workspace.
#include "ascendc_support.h"

using namespace AscendC;

namespace
{
/* x [m, k] by y [n, k], or by y [k, n] where the fractals are transposed on their way to L0B. */
template <typename T, typename C, typename D, bool transposes> struct Product {
    uint16_t m, n, k;

    void operator()(GM_ADDR gx, GM_ADDR gy, GM_ADDR gz) const
    {
        constexpr uint16_t c0 = 32 / sizeof(T);
        TPipe pipe;
        TQue<TPosition::A1, 1> in_a;
        TQue<TPosition::B1, 1> in_b;
        TQue<TPosition::A2, 1> queue_a;
        TQue<TPosition::B2, 1> queue_b;
        TQue<TPosition::CO1, 1> queue_c;
        pipe.InitBuffer(in_a, 1, m * k * sizeof(T));
        pipe.InitBuffer(in_b, 1, n * k * sizeof(T));
        pipe.InitBuffer(queue_a, 1, m * k * sizeof(T));
        pipe.InitBuffer(queue_b, 1, n * k * sizeof(T));
        pipe.InitBuffer(queue_c, 1, m * n * sizeof(C));
        GlobalTensor<T> x, y;
        GlobalTensor<D> z;
        x.SetGlobalBuffer((__gm__ T *)gx, m * k);
        y.SetGlobalBuffer((__gm__ T *)gy, n * k);
        z.SetGlobalBuffer((__gm__ D *)gz, m * n);

        auto a1 = in_a.template AllocTensor<T>();
        DataCopy(a1, x, Nd2NzParams(1, m, k, 0, k, m, 1, 0));
        in_a.EnQue(a1);
        auto b1 = in_b.template AllocTensor<T>();
        if (transposes)
            DataCopy(b1, y, Nd2NzParams(1, k, n, 0, n, k, 1, 0));
        else
            DataCopy(b1, y, Nd2NzParams(1, n, k, 0, k, n, 1, 0));
        in_b.EnQue(b1);

        a1 = in_a.template DeQue<T>();
        auto a2 = queue_a.template AllocTensor<T>();
        for (uint16_t row = 0; row < m / 16; row++)
            LoadData(a2[row * 16 * k], a1, LoadData2DParams(row, (uint8_t)(k / c0), m / 16, 0, 0, false, 0));
        queue_a.EnQue(a2);
        in_a.FreeTensor(a1);
        b1 = in_b.template DeQue<T>();
        auto b2 = queue_b.template AllocTensor<T>();
        for (uint16_t depth = 0; depth < k / c0; depth++) {
            LoadData2DParams params;
            params.startIndex = transposes ? depth : depth * (n / 16);
            params.repeatTimes = (uint8_t)(n / 16);
            params.srcStride = transposes ? k / 16 : 1;
            params.ifTranspose = transposes;
            LoadData(b2[depth * n * c0], b1, params);
        }
        queue_b.EnQue(b2);
        in_b.FreeTensor(b1);

        a2 = queue_a.template DeQue<T>();
        b2 = queue_b.template DeQue<T>();
        auto c = queue_c.template AllocTensor<C>();
        MmadParams params;
        params.m = m;
        params.n = n;
        params.k = k;
        Mmad(c, a2, b2, params);
        params.cmatrixInitVal = false;
        Mmad(c, a2, b2, params); /* once more on top */
        queue_c.EnQue(c);
        queue_a.FreeTensor(a2);
        queue_b.FreeTensor(b2);
        c = queue_c.template DeQue<C>();
        FixpipeParamsV220 out(n, m, m, n, false);
        out.quantPre = std::is_same_v<D, half> && std::is_same_v<C, float> ? QuantMode_t::F322F16
                       : std::is_same_v<D, bfloat16_t>                     ? QuantMode_t::F322BF16
                                                                           : QuantMode_t::NoQuant;
        Fixpipe<D, C, CFG_ROW_MAJOR>(z, c, out);
        queue_c.FreeTensor(c);
    }
};

template <typename T, typename C, typename D, bool transposes> void check_product()
{
    constexpr uint16_t m = 32, n = 48, k = 64;
    const auto a = drawn<T>(m * k, 50, 10), b = drawn<T>(n * k, 51, 10);
    Memory x(a), y(b), z(std::vector<D>(m * n));
    CHECK(launch(1, BELAY_KERNEL_CUBE, Product<T, C, D, transposes>{m, n, k}, x.gm(), y.gm(), z.gm()) == 0);
    const auto is = z.template values<D>();
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            C sum = 0;
            for (int twice = 0; twice < 2; twice++)
                for (int i = 0; i < k; i++)
                    sum += (C)a[row * k + i] * (C)(transposes ? b[i * n + column] : b[column * k + i]);
            if ((double)is[row * n + column] != (double)(D)sum) {
                std::fprintf(stderr, "%d %d: %g, %g is expected\n", row, column, (double)is[row * n + column],
                             (double)(D)sum);
                Case::failures++;
                return;
            }
        }
}
} // namespace

TEST(products_of_matrices_in_each_type)
{
    check_product<half, float, float, false>();
    check_product<half, float, float, true>();
    check_product<half, float, half, true>();
    check_product<bfloat16_t, float, float, true>();
    check_product<bfloat16_t, float, bfloat16_t, false>();
    check_product<float, float, float, false>();
    check_product<int8_t, int32_t, int32_t, false>();
}

/* The cube core multiplies by one, its vector cores add to halves of what it left. */
TEST(a_mixed_kernel_with_a_workspace)
{
    constexpr int side = 16;
    std::vector<half> a = drawn<half>(side * side, 52, 10), b(side * side);
    for (int i = 0; i < side; i++)
        b[i * side + i] = half(1);
    Memory x(a), y(b), work(std::vector<float>(side * side)), z(std::vector<float>(side * side));
    CHECK(launch(
              1, BELAY_KERNEL_MIXED_1_2,
              [](GM_ADDR gx, GM_ADDR gy, GM_ADDR workspace, GM_ADDR gz) {
                  if ASCEND_IS_AIC {
                      Product<half, float, float, false>{side, side, side}(gx, gy, workspace);
                      CrossCoreSetFlag<2, PIPE_FIX>(0);
                  }
                  if ASCEND_IS_AIV {
                      CrossCoreWaitFlag(0);
                      TPipe pipe;
                      TBuf<> buffer;
                      pipe.InitBuffer(buffer, 512);
                      GlobalTensor<float> from, to;
                      const int half_of_it = side * side / 2;
                      from.SetGlobalBuffer((__gm__ float *)workspace + half_of_it * GetSubBlockIdx(),
                                           half_of_it);
                      to.SetGlobalBuffer((__gm__ float *)gz + half_of_it * GetSubBlockIdx(), half_of_it);
                      auto t = buffer.Get<float>();
                      DataCopy(t, from, half_of_it);
                      SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
                      WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
                      Adds(t, t, 100.0f, half_of_it);
                      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
                      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
                      DataCopy(to, t, half_of_it);
                  }
              },
              x.gm(), y.gm(), work.gm(), z.gm()) == 0);
    const auto is = z.values<float>();
    for (int i = 0; i < side * side; i++)
        CHECK(is[i] == 2 * (float)a[i] + 100);
}

/* Two matrices behind one another in L0C, relu on their way; fractals as they are, of halves. */
TEST(the_ways_out_of_l0c)
{
    const auto a = drawn<half>(32 * 16, 54, 10);
    std::vector<half> one(16 * 16);
    for (int i = 0; i < 16; i++)
        one[i * 16 + i] = half(1);
    Memory x(a), y(one), rows(std::vector<float>(32 * 16)), fractals(std::vector<half>(32 * 16)),
        scaled(std::vector<half>(32 * 16));
    const auto kernel = [](GM_ADDR gx, GM_ADDR gy, GM_ADDR grows, GM_ADDR gfractals, GM_ADDR gscaled) {
        TPipe pipe;
        TBuf<TPosition::A2> l0a;
        TBuf<TPosition::B2> l0b;
        TBuf<TPosition::CO1> l0c;
        TBuf<TPosition::A1> l1;
        pipe.InitBuffer(l0a, 1024);
        pipe.InitBuffer(l0b, 512);
        pipe.InitBuffer(l0c, 2048);
        pipe.InitBuffer(l1, 1024);
        GlobalTensor<half> xs, ys, nz, out;
        GlobalTensor<float> zs;
        xs.SetGlobalBuffer((__gm__ half *)gx, 512);
        ys.SetGlobalBuffer((__gm__ half *)gy, 256);
        zs.SetGlobalBuffer((__gm__ float *)grows, 512);
        nz.SetGlobalBuffer((__gm__ half *)gfractals, 512);
        out.SetGlobalBuffer((__gm__ half *)gscaled, 512);
        auto in = l0a.Get<half>(), unit = l0b.Get<half>();
        auto c = l0c.Get<float>();
        LoadData(in, xs, LoadData2dParams(0, 2, 1, 0, 0, false, 0));
        LoadData(unit, ys, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        PipeBarrier<PIPE_ALL>();
        SetHF32Mode(true);
        SetHF32TransMode(false);
        SetMMLayoutTransform(false);
        Mmad(c, in, unit, MmadParams(32, 16, 16, 0, false, true));
        PipeBarrier<PIPE_ALL>();
        SetFixpipeNz2ndFlag(2, 1, 256); /* rows 0 to 15, and 16 to 31 */
        DataCopy(zs, c, DataCopyCO12DstParams(16, 16, 16, 32, QuantMode_t::NoQuant, 1, false, true));
        FixpipeParamsV220 params(16, 32, 32, 32, false);
        params.quantPre = QuantMode_t::F322F16;
        Fixpipe<half, float, CFG_NZ>(nz, c, params);
        auto next = l1.Get<half>();
        params.quantPre = QuantMode_t::DEQF16;
        params.deqScalar = belay_kernel::bits_of(0.5f);
        Fixpipe<half, float, CFG_NZ>(next, c, params);
        PipeBarrier<PIPE_ALL>();
        DataCopy(out, next, 512);
    };
    CHECK(launch(1, BELAY_KERNEL_CUBE, kernel, x.gm(), y.gm(), rows.gm(), fractals.gm(), scaled.gm()) == 0);
    CHECK_SAME(fractals.values<half>(), a);
    CHECK_SAME(rows.values<float>(), mapped<float>(a, [](half v) { return v > 0 ? (float)v : 0; }));
    CHECK_SAME(scaled.values<half>(), mapped<half>(a, [](half v) { return v / 2; }));
}

TEST(squares_are_transposed_and_matrices_filled)
{
    const auto a = drawn<int8_t>(1024, 53);
    Memory x(a), z(std::vector<int8_t>(1024)), w(std::vector<half>(1024));
    CHECK(launch(
              1, BELAY_KERNEL_CUBE,
              [](GM_ADDR gx, GM_ADDR gz, GM_ADDR gw) {
                  TPipe pipe;
                  TBuf<TPosition::A1> l1;
                  TBuf<TPosition::B2> l0b;
                  TBuf<TPosition::B1> out;
                  pipe.InitBuffer(l1, 1024);
                  pipe.InitBuffer(l0b, 1024);
                  pipe.InitBuffer(out, 2048);
                  GlobalTensor<int8_t> from, to;
                  GlobalTensor<half> filled;
                  from.SetGlobalBuffer((__gm__ int8_t *)gx, 1024);
                  to.SetGlobalBuffer((__gm__ int8_t *)gz, 1024);
                  filled.SetGlobalBuffer((__gm__ half *)gw, 1024);
                  DataCopy(l1.Get<int8_t>(), from, 1024);
                  PipeBarrier<PIPE_ALL>();
                  LoadDataWithTranspose(l0b.Get<int8_t>(), l1.Get<int8_t>(),
                                        LoadData2dTransposeParams(0, 1, 1, 0, 0));
                  InitConstValue(out.Get<half>(), InitConstValueParams<half>{2, 16, 32, half(3)});
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(filled, out.Get<half>(), 256);
                  for (int i = 0; i < 1024; i++)
                      to.SetValue(i, l0b.Get<int8_t>().GetValue(i));
              },
              x.gm(), z.gm(), w.gm()) == 0);
    const auto is = z.values<int8_t>();
    for (int row = 0; row < 32; row++)
        for (int column = 0; column < 32; column++)
            CHECK(is[row * 32 + column] == a[column * 32 + row]);
    CHECK(w.values<half>()[0] == 3 && w.values<half>()[255] == 3);
}
