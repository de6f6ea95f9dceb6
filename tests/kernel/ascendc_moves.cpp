// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Copies, casts and gathers of AscendC, against the same on the host.
#include "ascendc_support.h"

using namespace AscendC;

TEST(blocks_are_copied_with_their_gaps)
{
    std::vector<float> a(128), d(128, -1);
    for (int i = 0; i < 128; i++)
        a[i] = (float)i;
    Memory from(a), to(d);
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](uint8_t *source, uint8_t *target) {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 1024);
                  auto x = buffer.Get<float>();
                  GlobalTensor<float> in, out;
                  in.SetGlobalBuffer((__gm__ float *)source, 128);
                  out.SetGlobalBuffer((__gm__ float *)target, 128);
                  Duplicate(x, 0.0f, 256);
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(x, in, {3, 1, 2, 1});
                  PipeBarrier<PIPE_ALL>(); /* blocks 0, 3, 6 to blocks 0, 2, 4 */
                  DataCopy(x[128], x, 128);
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(out, x[128], {3, 1, 1, 0});
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(out[64], x, 40);
                  PipeBarrier<PIPE_ALL>();
              },
              from.gm(), to.gm()) == 0);
    const auto is = to.values<float>();
    for (int i = 0; i < 24; i++)
        CHECK(is[i] == (float)(i / 8 * 24 + i % 8));
    for (int i = 0; i < 40; i++)
        CHECK(is[64 + i] == (i / 8 % 2 ? 0 : (float)(i / 16 * 24 + i % 8)));
    CHECK(is[24] == -1 && is[63] == -1 && is[104] == -1);
}

TEST(bytes_are_copied_with_padding_and_without)
{
    std::vector<half> a(64), d(64, half(-1));
    for (int i = 0; i < 64; i++)
        a[i] = half(i);
    Memory from(a), to(d);
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](uint8_t *source, uint8_t *target) {
                  TPipe pipe;
                  TBuf<> buffer;
                  pipe.InitBuffer(buffer, 512);
                  auto x = buffer.Get<half>();
                  GlobalTensor<half> in, out;
                  in.SetGlobalBuffer((__gm__ half *)source, 64);
                  out.SetGlobalBuffer((__gm__ half *)target, 64);
                  DataCopyPad(x, in, {2, 6, 4, 1}, {true, 1, 2, (uint64_t)half(7).bits});
                  PipeBarrier<PIPE_ALL>(); /* 3 of 5 elements, twice */
                  DataCopyPad(out, x, {2, 12, 1, 2});
                  PipeBarrier<PIPE_ALL>();
                  DataCopyPad(x, in, DataCopyExtParams{1, 10, 0, 0, 0},
                              DataCopyPadExtParams<half>{true, 0, 11, 9});
                  PipeBarrier<PIPE_ALL>();
                  DataCopyPad(out[32], x, DataCopyExtParams{1, 32, 0, 0, 0});
                  PipeBarrier<PIPE_ALL>();
                  DataCopyPad(x, in, DataCopyExtParams{1, 10, 0, 0, 0}, {false, 0, 0, 0});
                  PipeBarrier<PIPE_ALL>();
                  DataCopyPad(out[48], x, DataCopyExtParams{1, 10, 0, 0, 0});
                  PipeBarrier<PIPE_ALL>();
              },
              from.gm(), to.gm()) == 0);
    const auto is = to.values<half>();
    const float expected[] = {7, 0, 1, 2, 7, 7, -1, 7, 5, 6, 7, 7, 7};
    for (int i = 0; i < 13; i++)
        CHECK(is[i] == expected[i]);
    for (int i = 0; i < 16; i++)
        CHECK(is[32 + i] == (i < 5 ? i : 9));
    for (int i = 0; i < 16; i++)
        CHECK(is[48 + i] == (i < 5 ? i : -1));
}

TEST(slices_of_matrices_are_copied)
{
    std::vector<float> a(16 * 4), d(64, -1);
    for (int i = 0; i < 64; i++)
        a[i] = (float)i;
    Memory from(a), to(d);
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](uint8_t *source, uint8_t *target) {
                  TPipe pipe;
                  TBuf<> buffer;
                  pipe.InitBuffer(buffer, 512);
                  auto x = buffer.Get<float>();
                  GlobalTensor<float> in, out;
                  in.SetGlobalBuffer((__gm__ float *)source, 64);
                  out.SetGlobalBuffer((__gm__ float *)target, 64);
                  SliceInfo of[] = {{8, 15, 0, 1, 16}, {1, 3, 1, 1, 4}},
                            packed[] = {{0, 7, 0, 1, 8}, {0, 1, 0, 1, 2}};
                  DataCopy(x, in, packed, of, 2);
                  PipeBarrier<PIPE_ALL>(); /* the right half of rows 1 and 3 */
                  DataCopy(out, x, of, packed, 2);
                  PipeBarrier<PIPE_ALL>();
              },
              from.gm(), to.gm()) == 0);
    const auto is = to.values<float>();
    for (int i = 0; i < 64; i++)
        CHECK(is[i] == (i % 16 >= 8 && (i / 16 == 1 || i / 16 == 3) ? (float)i : -1));
}

TEST(atomics_change_what_stores_do)
{
    std::vector<float> d(64, 1);
    std::vector<int32_t> whole(8, 5);
    Memory to(d), integers(whole);
    CHECK(launch(
              4, BELAY_KERNEL_VECTOR,
              [](uint8_t *target, uint8_t *numbers) {
                  TPipe pipe;
                  TBuf<> buffer;
                  pipe.InitBuffer(buffer, 256);
                  auto x = buffer.Get<float>();
                  GlobalTensor<float> out;
                  GlobalTensor<int32_t> most;
                  out.SetGlobalBuffer((__gm__ float *)target, 64);
                  most.SetGlobalBuffer((__gm__ int32_t *)numbers, 8);
                  Duplicate(x, (float)(GetBlockIdx() + 1), 64);
                  PipeBarrier<PIPE_ALL>();
                  SetAtomicAdd<float>();
                  DataCopy(out, x, 32);
                  PipeBarrier<PIPE_ALL>();
                  SetAtomicNone();
                  SetAtomicMax<float>();
                  DataCopy(out[32], x, 16);
                  PipeBarrier<PIPE_ALL>();
                  SetAtomicMin<float>();
                  DataCopy(out[48], x, 16);
                  PipeBarrier<PIPE_ALL>();
                  SetAtomicNone();
                  Duplicate(x.ReinterpretCast<int32_t>(), (int32_t)GetBlockIdx() + 4, 8);
                  PipeBarrier<PIPE_ALL>();
                  SetAtomicMax<int32_t>();
                  DataCopy(most, x.ReinterpretCast<int32_t>(), 8);
                  PipeBarrier<PIPE_ALL>();
                  SetAtomicType<int32_t>();
                  SetAtomicNone();
              },
              to.gm(), integers.gm()) == 0);
    const auto is = to.values<float>();
    CHECK(is[0] == 11 && is[31] == 11 && is[32] == 4 && is[47] == 4 && is[48] == 1);
    CHECK(integers.values<int32_t>()[3] == 7);
}

TEST(casts_by_every_way_of_rounding)
{
    const std::vector<float> a = {-2.5f, -1.5f, -1.2f, 0.5f, 1.5f, 1.7f, 3e10f, -3e10f, NAN};
    const std::vector<int32_t> none(9);
    const auto whole = [&](auto f, std::vector<int32_t> expected) {
        CHECK_SAME(on_chip(none, a, none, f), expected);
    };
    const int32_t most = 2147483647, least = -2147483647 - 1;
    whole([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_RINT, 9); },
          {-2, -2, -1, 0, 2, 2, most, least, 0});
    whole([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_NONE, 9); },
          {-2, -2, -1, 0, 2, 2, most, least, 0});
    whole([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_FLOOR, 9); },
          {-3, -2, -2, 0, 1, 1, most, least, 0});
    whole([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_CEIL, 9); },
          {-2, -1, -1, 1, 2, 2, most, least, 0});
    whole([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_ROUND, 9); },
          {-3, -2, -1, 1, 2, 2, most, least, 0});
    whole([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_TRUNC, 9); },
          {-2, -1, -1, 0, 1, 1, most, least, 0});
    /* Half between 2048 and 4096 has the even numbers, and from 65504 nothing up to infinity. */
    const std::vector<float> b = {2049, 2051, -2049, 2049.5f, 65519, 65535, 1e-9f, -1e-9f, 2050};
    const std::vector<half> halves(9);
    const auto rounded = [&](auto f, std::vector<float> expected) {
        CHECK_SAME(on_chip(halves, b, none, f), mapped<half>(expected, [](float x) { return half(x); }));
    };
    const float tiny = 0x1p-24f, inf = INFINITY;
    rounded([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_RINT, 9); },
            {2048, 2052, -2048, 2050, 65504, inf, 0, -0.0f, 2050});
    rounded([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_FLOOR, 9); },
            {2048, 2050, -2050, 2048, 65504, 65504, 0, -tiny, 2050});
    rounded([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_CEIL, 9); },
            {2050, 2052, -2048, 2050, inf, inf, tiny, -0.0f, 2050});
    rounded([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_TRUNC, 9); },
            {2048, 2050, -2048, 2048, 65504, 65504, 0, -0.0f, 2050});
    rounded([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_ROUND, 9); },
            {2050, 2052, -2050, 2050, 65504, inf, 0, -0.0f, 2050});
    rounded([](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_ODD, 9); },
            {2050, 2050, -2050, 2050, 65504, 65504, tiny, -tiny, 2050});
}

template <typename D, typename S> static void check_cast(double greatest)
{
    auto a = drawn<S>(200, 21, (int)greatest);
    for (S &x : a)
        if constexpr (std::is_unsigned_v<D> && !std::is_unsigned_v<S>)
            x = x < S(0) ? S(0) : x;
    const auto f = [](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_TRUNC, 200); };
    CHECK_SAME(on_chip(std::vector<D>(200), a, a, f), mapped<D>(a, [](S x) {
                   return (D)(std::is_integral_v<D> ? (double)(int64_t)(float)x : (double)(float)x);
               }));
}

TEST(casts_of_every_pair_of_types)
{
    check_cast<float, half>(1000);
    check_cast<float, bfloat16_t>(1000);
    check_cast<bfloat16_t, float>(100);
    check_cast<half, float>(1000);
    check_cast<float, int16_t>(1000);
    check_cast<float, int32_t>(1000);
    check_cast<float, int64_t>(1000);
    check_cast<int16_t, float>(1000);
    check_cast<int64_t, float>(1000);
    check_cast<half, int8_t>(100);
    check_cast<half, uint8_t>(100);
    check_cast<half, int16_t>(100);
    check_cast<int8_t, half>(500);
    check_cast<uint8_t, half>(1000);
    check_cast<int16_t, half>(1000);
    check_cast<int32_t, half>(1000);
    check_cast<int32_t, bfloat16_t>(100);
    check_cast<int64_t, int32_t>(1000);
    check_cast<int32_t, int64_t>(1000);
    check_cast<int16_t, int32_t>(1000);
    CHECK_SAME(on_chip(std::vector<int8_t>(2), std::vector<half>{half(1000), half(-1000)},
                       std::vector<half>(),
                       [](auto &d, auto &u, auto &) { Cast(d, u, RoundMode::CAST_RINT, 2); }),
               std::vector<int8_t>{127, -128});
}

TEST(casts_by_repeats_and_factors)
{
    const auto a = drawn<half>(256, 22);
    const auto is = on_chip(std::vector<float>(256), a, a, [](auto &d, auto &u, auto &) {
        Cast(d, u, RoundMode::CAST_NONE, 64, 4, {1, 1, 8, 4});
    });
    CHECK_SAME(is, mapped<float>(a, [](half x) { return (float)x; }));
    const std::vector<int32_t> whole = {100, -7, 3};
    CHECK_SAME(on_chip(std::vector<half>(3), whole, a,
                       [](auto &d, auto &u, auto &) {
                           SetDeqScale(half(0.5));
                           CastDeq(d, u, 3);
                       }),
               std::vector<half>{half(50), half(-3.5), half(1.5)});
    const std::vector<half> small = {half(1), half(-2), half(7.5), half(-9)};
    const auto packed = on_chip(std::vector<uint8_t>(2), small, a, [](auto &d, auto &u, auto &) {
        LocalTensor<int4b_t> nibbles = d.template ReinterpretCast<int4b_t>();
        Cast(nibbles, u, RoundMode::CAST_RINT, 4);
    });
    CHECK(packed[0] == 0xe1 && packed[1] == 0x87);
    const auto again = on_chip(small, packed, a, [](auto &d, auto &u, auto &) {
        LocalTensor<int4b_t> nibbles = u.template ReinterpretCast<int4b_t>();
        Cast(d, nibbles, RoundMode::CAST_NONE, 4);
    });
    CHECK_SAME(again, std::vector<half>{half(1), half(-2), half(7), half(-8)});
    const std::vector<float> u = {1, -3}, v = {0.5f, 1};
    const auto fused = [&](auto f, std::vector<half> expected) {
        CHECK_SAME(on_chip(std::vector<half>(2), u, v, f), expected);
    };
    fused([](auto &d, auto &x, auto &y) { AddReluCast(d, x, y, 2); }, {half(1.5), half(0)});
    fused([](auto &d, auto &x, auto &y) { SubReluCast(d, x, y, 2); }, {half(0.5), half(0)});
    fused([](auto &d, auto &x, auto &y) { MulCast(d, x, y, 2); }, {half(0.5), half(-3)});
    CHECK_SAME(on_chip(std::vector<int8_t>(2), u, v,
                       [](auto &d, auto &x, auto &) { AscendQuant(d, x, 30.0f, 1.5f, 2); }),
               std::vector<int8_t>{32, -88});
    CHECK_SAME(on_chip(std::vector<half>(2), std::vector<int32_t>{4, -6}, v,
                       [](auto &d, auto &x, auto &y) { AscendDequant(d, x, y, LocalTensor<uint8_t>(), 2); }),
               std::vector<half>{half(2), half(-6)});
}

TEST(gathers_and_scatters_by_offsets)
{
    const auto a = drawn<float>(128, 30);
    std::vector<uint32_t> offsets(128);
    for (int i = 0; i < 128; i++)
        offsets[i] = (uint32_t)(i * 37 % 127) * 4;
    const std::vector<float> none(128);
    const auto is = on_chip(none, a, offsets, [](auto &d, auto &u, auto &v) { Gather(d, u, v, 4, 100); });
    const auto masked =
        on_chip(none, a, offsets, [](auto &d, auto &u, auto &v) { Gather(d, u, v, 0, 10, 2, 8); });
    const auto spread =
        on_chip(none, a, offsets, [](auto &d, auto &u, auto &v) { Scatter(d, u, v, 0, 100); });
    for (int i = 0; i < 128; i++) {
        CHECK(is[i] == (i < 100 ? a[i * 37 % 127 + 1] : 0));
        CHECK(masked[i] == (i % 64 < 10 ? a[i * 37 % 127] : 0));
    }
    for (int i = 0; i < 100; i++)
        CHECK(spread[i * 37 % 127] == a[i]);
    const std::vector<uint32_t> blocks = {32, 0, 96, 64, 160, 128, 224, 192};
    const auto moved = on_chip(none, a, blocks, [](auto &d, auto &u, auto &v) {
        Gatherb(d, u, v, 1, {1, 8});
    });
    for (int i = 0; i < 64; i++)
        CHECK(moved[i] == a[(i / 8 ^ 1) * 8 + i % 8]);
}

TEST(masks_pack_what_they_take)
{
    const auto a = drawn<float>(128, 31);
    const std::vector<float> none(128);
    Memory count(std::vector<uint64_t>(4));
    for (int pattern = 1; pattern <= 7; pattern++) {
        Memory from(a), to(none);
        CHECK(launch(
                  1, BELAY_KERNEL_VECTOR,
                  [](uint8_t *source, uint8_t *target, uint8_t *counted, int which) {
                      TPipe pipe;
                      TBuf<> buffers[2];
                      pipe.InitBuffer(buffers[0], 512);
                      pipe.InitBuffer(buffers[1], 512);
                      auto x = loaded<float>(buffers[0], source, 128),
                           y = loaded<float>(buffers[1], target, 128);
                      PipeBarrier<PIPE_ALL>();
                      uint64_t taken = 0;
                      GatherMask(y, x, (uint8_t)which, false, 0, {1, 2, 8, 0}, taken);
                      PipeBarrier<PIPE_ALL>();
                      GlobalTensor<float> out;
                      out.SetGlobalBuffer((float *)target);
                      DataCopy(out, y, 128);
                      GlobalTensor<uint64_t> n;
                      n.SetGlobalBuffer((uint64_t *)counted);
                      n.SetValue(0, taken);
                      n.SetValue(1, GetGatherMaskRemainCount());
                  },
                  from.gm(), to.gm(), count.gm(), pattern) == 0);
        const auto is = to.values<float>();
        size_t next = 0;
        for (int i = 0; i < 128; i++)
            if (pattern == 7 || (pattern < 3 ? i % 2 == pattern - 1 : i % 4 == pattern - 3))
                CHECK(is[next++] == a[i]);
        CHECK(count.values<uint64_t>()[0] == next && count.values<uint64_t>()[1] == next);
    }
    const std::vector<uint32_t> bits = {0xff, 0, 0, 0, 0, 0, 0, 0, 0x3};
    const auto is = on_chip(none, a, bits, [](auto &d, auto &u, auto &v) {
        uint64_t taken;
        GatherMask(d, u, v, true, 20, {1, 2, 8, 1}, taken);
    });
    for (int i = 0; i < 10; i++)
        CHECK(is[i] == a[i < 8 ? i : 64 + i - 8]);
    CHECK(is[10] == 0);
}

TEST(blocks_of_one_number_rows_that_count_and_transposes)
{
    const auto a = drawn<half>(256, 32);
    const std::vector<half> none(256);
    const auto is = on_chip(none, a, none, [](auto &d, auto &u, auto &) { Brcb(d, u, 2, {1, 8}); });
    for (int i = 0; i < 256; i++)
        CHECK(is[i] == a[i / 16]);
    const auto swapped = on_chip(none, a, none, [](auto &d, auto &u, auto &) { Transpose(d, u); });
    const auto again = on_chip(none, a, none, [](auto &d, auto &u, auto &) {
        LocalTensor<half> to[16], from[16];
        for (int row = 0; row < 16; row++) {
            to[row] = d[row * 16];
            from[row] = u[row * 16];
        }
        TransDataTo5HD(to, from, {false, false, 1, 0, 0});
    });
    for (int i = 0; i < 256; i++)
        CHECK(swapped[i] == a[i % 16 * 16 + i / 16] && again[i] == swapped[i]);
    const std::vector<int32_t> whole(100);
    const auto counted =
        on_chip(whole, whole, whole, [](auto &d, auto &, auto &) { CreateVecIndex(d, 5, 100); });
    const auto steps =
        on_chip(whole, whole, whole, [](auto &d, auto &, auto &) { ArithProgression(d, 5, -3, 100); });
    const auto range = on_chip(whole, whole, whole, [](auto &d, auto &, auto &) { Arange(d, 1, 2, 100); });
    const auto masked =
        on_chip(whole, whole, whole, [](auto &d, auto &, auto &) { CreateVecIndex(d, 0, 10, 1, 1, 8); });
    for (int i = 0; i < 100; i++)
        CHECK(counted[i] == 5 + i && steps[i] == 5 - 3 * i && range[i] == 1 + 2 * i &&
              masked[i] == (i < 10 ? i : 0));
    const auto row = drawn<float>(8, 33);
    const std::vector<float> matrix(32);
    const auto down = on_chip(matrix, row, row, [](auto &d, auto &u, auto &) {
        const uint32_t to[] = {4, 8}, from[] = {1, 8};
        Broadcast<float, 2, 0>(d, u, to, from);
    });
    const auto across = on_chip(matrix, row, row, [](auto &d, auto &u, auto &) {
        const uint32_t to[] = {4, 8}, from[] = {4, 1};
        Broadcast<float, 2, 1>(d, u, to, from, LocalTensor<uint8_t>());
    });
    for (int i = 0; i < 32; i++)
        CHECK(down[i] == row[i % 8] && across[i] == row[i / 8]);
}

TEST(words_of_four_bytes_are_transposed_in_halves)
{
    const auto a = drawn<float>(128, 34);
    const auto is = on_chip(std::vector<float>(128), a, a, [](auto &d, auto &u, auto &) {
        uint64_t to[16], from[16];
        for (int row = 0; row < 16; row++) {
            to[row] = d[row * 8].GetPhyAddr();
            from[row] = u[row * 8].GetPhyAddr();
        }
        TransDataTo5HD<float>(to, from, {false, false, 1, 0, 0});
    });
    for (int column = 0; column < 8; column++)
        for (int row = 0; row < 16; row++)
            CHECK(is[column * 16 + row] == a[row * 8 + column]);
}
