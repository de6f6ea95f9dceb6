// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Names that kernels write out where the other tests use braces and defaults: parameters, constants and modes. As for the
// product whose instructions take elements of one byte too.
#define __NPU_ARCH__ 3510
#include "ascendc_support.h"
#include "tikicpulib.h"

using namespace AscendC;

namespace
{
const std::vector<float> none = {0};

__simt_vf__ __aicore__ inline int twice(int x)
{
    return 2 * x;
}
} // namespace

/* Lanes of one byte are 256, in four words: what is not meant stays. */
TEST(elements_of_one_byte_by_masks)
{
    const std::vector<int8_t> before(600, 1);
    const auto first =
        on_chip(before, none, none, [](auto &d, auto &, auto &) { Duplicate(d, 7, (uint64_t)200, 2, 1, 8); });
    const auto bits = on_chip(before, none, none, [](auto &d, auto &, auto &) {
        uint64_t mask[4] = {1, 0, 2, (uint64_t)1 << 63};
        Duplicate(d, 7, mask, 2, 1, 8);
    });
    const auto set = on_chip(before, none, none, [](auto &d, auto &, auto &) {
        ResetMask();
        Duplicate<int8_t, false>(d, 7, MASK_PLACEHOLDER, 1, 1, 8);
        SetVectorMask<int8_t>(0, 3);
        Duplicate<int8_t, false>(d[256], 9, MASK_PLACEHOLDER, 1, 1, 8);
        ResetMask();
    });
    for (int i = 0; i < 600; i++) {
        const int lane = i % 256;
        CHECK(first[i] == (i < 512 && lane < 200 ? 7 : 1));
        CHECK(bits[i] == (i < 512 && (lane == 0 || lane == 129 || lane == 255) ? 7 : 1));
        CHECK(set[i] == (i < 256 ? 7 : i < 258 ? 9 : 1));
    }
}

TEST(parameters_of_vector_instructions)
{
    const auto a = drawn<float>(256, 101), b = drawn<float>(256, 102);
    BinaryRepeatParams both;
    both.dstRepStride = both.src0RepStride = 8;
    both.src1RepStride = 0;
    CHECK(both.dstBlkStride == 1 && DEFAULT_REPEAT_STRIDE == 8);
    const auto sums = on_chip(std::vector<float>(256), a, b, [=](auto &d, auto &u, auto &v) {
        Add(d, u, v, (uint64_t)ONE_REPEAT_BYTE_SIZE / 4, 4, both);
    });
    const auto copied = on_chip(std::vector<float>(256), a, b, [](auto &d, auto &u, auto &) {
        Copy(d, u, (uint64_t)64, 2, CopyRepeatParams(1, 1, 16, DEFAULT_REPEAT_STRIDE));
    });
    const auto filled = on_chip(std::vector<float>(256), a, b,
                                [](auto &d, auto &u, auto &) { Brcb(d, u, 2, BrcbRepeatParams(1, 8)); });
    for (int i = 0; i < 256; i++) {
        CHECK(sums[i] == a[i] + b[i % 64]);
        CHECK(copied[i] == (i < 64 ? a[i] : i >= 128 && i < 192 ? a[i - 64] : 0));
        CHECK(filled[i] == (i < 128 ? a[i / 8] : 0));
    }
    std::vector<uint32_t> offsets = {96, 64, 32, 0, 96, 64, 32, 0};
    const auto blocks = on_chip(std::vector<float>(64), a, offsets, [](auto &d, auto &u, auto &v) {
        Gatherb(d, u, v, 1, GatherRepeatParams(1, 8));
    });
    const auto odd = on_chip(std::vector<float>(64), a, none, [](auto &d, auto &u, auto &) {
        uint64_t taken = 0;
        GatherMask(d, u, 2, false, 0, GatherMaskParams(1, 1, 8, 0), taken);
        CHECK(taken == 32);
    });
    for (int i = 0; i < 64; i++) {
        CHECK(blocks[i] == a[(3 - i / 8 % 4) * 8 + i % 8]);
        CHECK(odd[i] == (i < 32 ? a[2 * i + 1] : 0));
    }
    const auto halves = drawn<half>(256, 103);
    const auto swapped = on_chip(std::vector<half>(256), halves, none, [](auto &d, auto &u, auto &) {
        LocalTensor<half> to[16], from[16];
        for (int row = 0; row < 16; row++) {
            to[row] = d[row * 16];
            from[row] = u[row * 16];
        }
        TransDataTo5HD(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
    });
    for (int i = 0; i < 256; i++)
        CHECK(swapped[i] == halves[i % 16 * 16 + i / 16]);
}

TEST(lists_that_are_merged_by_name)
{
    std::vector<float> entries(8);
    const float values[] = {9, 4, 7, 5};
    for (int i = 0; i < 4; i++)
        entries[2 * i] = values[i];
    const auto is = on_chip(std::vector<float>(8), entries, none, [](auto &d, auto &u, auto &) {
        const MrgSortSrcList<float> lists(u, u[4], u, u);
        const uint16_t lengths[] = {2, 2, 0, 0};
        MrgSort(d, lists, MrgSort4Info(lengths, false, 3, 1));
    });
    CHECK(is[0] == 9 && is[2] == 7 && is[4] == 5 && is[6] == 4);
}

/* Two rows of three halves, each with one element before and two behind. */
TEST(parameters_of_copies)
{
    const auto a = drawn<half>(16, 104);
    Memory x(a), y(std::vector<half>(32)), z(std::vector<half>(16));
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](GM_ADDR gx, GM_ADDR gy, GM_ADDR gz) {
                  TPipe pipe;
                  LocalMemAllocator<Hardware::UB> memory;
                  auto rows = memory.Alloc<half>(32), block = memory.Alloc<half>(ONE_BLK_SIZE / 2);
                  GlobalTensor<half> from, to, same;
                  from.SetGlobalBuffer((__gm__ half *)gx, 16);
                  to.SetGlobalBuffer((__gm__ half *)gy, 32);
                  same.SetGlobalBuffer((__gm__ half *)gz, 16);
                  from.SetL2CacheHint<CacheRwMode::READ>(CacheMode::CACHE_MODE_NORMAL);
                  GlobalTensor<uint64_t> line;
                  line.SetGlobalBuffer((__gm__ uint64_t *)gx, 4);
                  DataCachePreload(line, CACHE_LINE_SIZE);
                  DataCopyPad(rows, from, DataCopyParams(2, 6, 2, 0),
                              DataCopyPadParams(true, 1, 2, half(7).bits));
                  DataCopyEnhancedParams plain;
                  plain.blockMode = BlockMode::BLOCK_MODE_NORMAL;
                  DataCopy(block, from, DataCopyParams(1, 1, 0, 0), plain);
                  const TEventID event = GetTPipePtr()->FetchEventID(HardEvent::MTE2_MTE3);
                  SetFlag<HardEvent::MTE2_MTE3>(event);
                  WaitFlag<HardEvent::MTE2_MTE3>(event);
                  DataCopy(to, rows, 32);
                  DataCopy(same, block, DataCopyParams(1, 1, 0, 0), plain);
              },
              x.gm(), y.gm(), z.gm()) == 0);
    const auto is = y.values<half>();
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < 6; i++)
            CHECK(is[row * 16 + i] == (i < 1 || i > 3 ? half(7) : a[row * 4 + i - 1]));
    CHECK_SAME(z.values<half>(), a);
}

namespace
{
constexpr FixpipeConfig by_rows = {CO2Layout::ROW_MAJOR, false};
}

/* A kernel of the cube core that a unit test runs, which takes a product out by a configuration of its own. */
TEST(modes_and_constants)
{
    CHECK(BLOCK_CUBE == 16 && DEFAULT_C0_SIZE == 32 && twice(21) == 42);
    const uint32_t extents[] = {2, 8};
    CHECK(ShapeInfo(2, extents, DataFormat::NZ).dataFormat == DataFormat::NZ);
    auto *x = (half *)GmAlloc(512), *c = (half *)GmAlloc(1024);
    for (int i = 0; i < BLOCK_CUBE; i++)
        x[i * BLOCK_CUBE + i] = half(3);
    SetKernelMode(KernelMode::AIC_MODE);
    const auto kernel = [](half *gx, half *gc) {
        if (g_coreType != AscendC::AIC)
            Trap();
        TPipe pipe;
        TBuf<TPosition::A2> l0a;
        TBuf<TPosition::B2> l0b;
        TBuf<TPosition::CO1> l0c;
        pipe.InitBuffer(l0a, 512);
        pipe.InitBuffer(l0b, 512);
        pipe.InitBuffer(l0c, 1024);
        GlobalTensor<half> from;
        GlobalTensor<float> to;
        from.SetGlobalBuffer((__gm__ half *)gx, 256);
        to.SetGlobalBuffer((__gm__ float *)gc, 256);
        LoadData(l0a.Get<half>(), from, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        LoadData(l0b.Get<half>(), from, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        PipeBarrier<PIPE_ALL>();
        Mmad(l0c.Get<float>(), l0a.Get<half>(), l0b.Get<half>(), MmadParams(16, 16, 16, 0, false, true));
        PipeBarrier<PIPE_ALL>();
        Fixpipe<float, float, by_rows>(to, l0c.Get<float>(), FixpipeParamsV220(16, 16, 16, 16, false));
    };
    ICPU_RUN_KF(kernel, 1, x, c);
    SetKernelMode(KernelMode::AIV_MODE);
    for (int i = 0; i < 256; i++)
        CHECK(((float *)c)[i] == (i % 17 == 0 ? 9 : 0));
    GmFree(x);
    GmFree(c);
}

/* A vector core waits by the older name for what its cube core has set. */
TEST(an_event_by_its_older_name)
{
    Memory x(std::vector<float>(16));
    CHECK(launch(
              1, BELAY_KERNEL_MIXED_1_1,
              [](GM_ADDR gx) {
                  GlobalTensor<float> cell;
                  cell.SetGlobalBuffer((__gm__ float *)gx, 16);
                  if ASCEND_IS_AIC {
                      cell.SetValue(0, 5.0f);
                      CrossCoreSetFlag<2, PIPE_FIX>(3);
                  } else {
                      WaitEvent(3);
                      cell.SetValue(1, cell.GetValue(0) + 1);
                  }
              },
              x.gm()) == 0);
    CHECK(x.values<float>()[1] == 6);
}
