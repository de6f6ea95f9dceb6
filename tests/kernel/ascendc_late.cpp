// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Loads that wait: whatever comes between a large load and what looks at it, the values are those of when it was loaded.
// Results that wait: whatever comes between an instruction and the store of what it leaves, they are the same.
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

TEST(a_load_is_added_and_stored)
{
    const auto is = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        DataCopy(t.b, t.x[TILE], TILE);
        t.wait();
        Add(t.c, t.a, t.b, TILE);
        Muls(t.d, t.a[64], 2.0f, TILE - 64); /* a part of what was loaded */
        t.wait();
        DataCopy(t.y, t.c, TILE);
        DataCopy(t.y[TILE], t.d, TILE - 64);
        DataCopy(t.y[2 * TILE], t.a, TILE); /* and all of it, as it came */
    });
    check_tile(is, [](auto &x, int i) { return x[i] + x[TILE + i]; });
    check_tile(
        is, [](auto &x, int i) { return i < TILE - 64 ? x[64 + i] * 2 : 0; }, TILE);
    check_tile(
        is, [](auto &x, int i) { return x[i]; }, 2 * TILE);
}

TEST(what_was_loaded_is_overwritten_in_global_memory)
{
    const auto stored = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        Duplicate(t.b, 5.0f, TILE);
        DataCopy(t.a, t.x, TILE);
        t.wait();
        DataCopy(t.x[TILE / 2], t.b, TILE); /* half of it */
        t.wait();
        Adds(t.c, t.a, 1.0f, TILE);
        t.wait();
        DataCopy(t.y, t.c, TILE);
    });
    check_tile(stored, [](auto &x, int i) { return x[i] + 1; });
    const auto set = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        t.wait();
        t.x.SetValue(7, 100.0f);
        Adds(t.c, t.a, 1.0f, TILE);
        t.wait();
        DataCopy(t.y, t.c, TILE);
    });
    check_tile(set, [](auto &x, int i) { return x[i] + 1; });
    const auto raw = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        t.wait();
        t.x.GetPhyAddr()[7] = 100.0f;
        Adds(t.c, t.a, 1.0f, TILE);
        t.wait();
        DataCopy(t.y, t.c, TILE);
    });
    check_tile(raw, [](auto &x, int i) { return x[i] + 1; });
    const auto atomic = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        Duplicate(t.b, 5.0f, TILE);
        DataCopy(t.a, t.x, TILE);
        t.wait();
        SetAtomicAdd<float>();
        DataCopy(t.x, t.b, TILE);
        SetAtomicNone();
        t.wait();
        Adds(t.c, t.a, 1.0f, TILE);
        t.wait();
        DataCopy(t.y, t.c, TILE);
    });
    check_tile(atomic, [](auto &x, int i) { return x[i] + 1; });
}

TEST(what_was_loaded_is_overwritten_on_the_chip)
{
    const auto part = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        t.wait();
        Duplicate(t.a[64], 5.0f, 64);
        Adds(t.a[128], t.a, 1.0f, 64); /* from the load and to it */
        Adds(t.c, t.a, 1.0f, TILE);
        t.wait();
        DataCopy(t.y, t.c, TILE);
    });
    check_tile(part, [](auto &x, int i) {
        return i >= 64 && i < 128 ? 6 : i >= 128 && i < 192 ? x[i - 128] + 1 + 1 : x[i] + 1;
    });
    const auto again = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        DataCopy(t.a, t.x[TILE], TILE);     /* all of it */
        DataCopy(t.a[TILE / 2], t.x, TILE); /* half of it and half of b */
        DataCopy(t.c, t.x[2 * TILE], TILE);
        t.wait();
        Add(t.d, t.a, t.c, TILE);
        t.wait();
        DataCopy(t.y, t.d, TILE);
        DataCopy(t.y[TILE], t.b, TILE / 2);
    });
    check_tile(again, [](auto &x, int i) {
        return (i < TILE / 2 ? x[TILE + i] : x[i - TILE / 2]) + x[2 * TILE + i];
    });
    for (int i = 0; i < TILE / 2; i++)
        CHECK(again[(size_t)(TILE + i)] == numbers(1)[(size_t)(TILE / 2 + i)]);
    const auto in_place = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        t.wait();
        Add(t.a, t.a, t.a, TILE);
        Mul(t.a, t.a, t.a, TILE);
        t.wait();
        DataCopy(t.y, t.a, TILE);
    });
    check_tile(in_place, [](auto &x, int i) { return 4 * x[i] * x[i]; });
}

TEST(loads_are_looked_at_in_other_ways)
{
    const auto is = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        DataCopy(t.b, t.x[TILE], TILE);
        t.wait();
        const float first = t.a.GetValue(3);
        t.a.SetValue(4, first);
        Add(t.c, t.a, t.b, 64, TILE / 64, {1, 1, 1, 8, 8, 0}); /* by repeats, of which one reads the same */
        t.wait();
        DataCopy(t.y, t.c, TILE);
    });
    check_tile(is, [](auto &x, int i) { return (i == 4 ? x[3] : x[i]) + x[TILE + i % 64]; });
    const auto across = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        DataCopy(t.b, t.x[2 * TILE], TILE);
        t.wait();
        Adds(t.c, t.a[TILE / 2], 0.0f, TILE); /* the end of one load and the start of the next */
        auto bits = t.a.ReinterpretCast<int32_t>();
        Adds(t.d.ReinterpretCast<int32_t>(), bits, 0, TILE);
        t.wait();
        DataCopy(t.y, t.c, TILE);
        DataCopy(t.y[TILE], t.d, TILE);
    });
    check_tile(across,
               [](auto &x, int i) { return i < TILE / 2 ? x[TILE / 2 + i] : x[2 * TILE + i - TILE / 2]; });
    check_tile(
        across, [](auto &x, int i) { return x[i]; }, TILE);
    const auto widened = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        GlobalTensor<half> narrow;
        narrow.SetGlobalBuffer((__gm__ half *)gx, 8 * TILE);
        DataCopy(t.a.ReinterpretCast<half>(), narrow, TILE);
        t.wait();
        Cast(t.c, t.a.ReinterpretCast<half>(), RoundMode::CAST_NONE, TILE);
        t.wait();
        DataCopy(t.y, t.c, TILE);
    });
    const auto x = numbers(1);
    for (int i = 0; i < TILE; i++) {
        half h;
        std::memcpy((void *)&h, (const char *)x.data() + 2 * i, 2);
        const float value = (float)h;
        CHECK(std::memcmp(&value, &widened[(size_t)i], 4) == 0 || value != value);
    }
    /* A raw address that was taken before. */
    const auto pointer = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        const float *raw = reinterpret_cast<const float *>(t.a.GetPhyAddr());
        DataCopy(t.a, t.x, TILE);
        t.wait();
        for (int i = 0; i < TILE; i++)
            t.y.SetValue((uint64_t)i, raw[i]);
    });
    check_tile(pointer, [](auto &v, int i) { return v[i]; });
}

/* More loads than can wait, each added to a sum by its turn. */
TEST(many_loads_wait)
{
    const auto is = after([](GM_ADDR gx, GM_ADDR gy) {
        TPipe pipe;
        TBuf<> buffer;
        pipe.InitBuffer(buffer, 17 * 1024);
        GlobalTensor<float> x, y;
        x.SetGlobalBuffer((__gm__ float *)gx, 4 * TILE);
        y.SetGlobalBuffer((__gm__ float *)gy, 4 * TILE);
        auto all = buffer.Get<float>();
        for (uint32_t i = 0; i < 16; i++)
            DataCopy(all[i * 256], x[i * 256], 256);
        Tiles::wait();
        auto sum = all[16 * 256];
        Duplicate(sum, 0.0f, 256);
        for (uint32_t i = 0; i < 16; i++)
            Add(sum, sum, all[i * 256], 256);
        Tiles::wait();
        DataCopy(y, sum, 256);
    });
    const auto x = numbers(1);
    for (int i = 0; i < 256; i++) {
        float sum = 0;
        for (int each = 0; each < 16; each++)
            sum += x[(size_t)(each * 256 + i)];
        CHECK(is[(size_t)i] == sum);
    }
}

/* Each block loads its neighbour's tile, and after they have met writes its own, which that one has loaded. */
TEST(others_write_what_was_loaded_when_they_may)
{
    Memory x(numbers(1)), y(std::vector<float>(4 * TILE));
    for (const bool flags : {false, true}) {
        std::memcpy(x.address, numbers(1).data(), 4 * TILE * sizeof(float));
        CHECK(launch(
                  4, BELAY_KERNEL_VECTOR,
                  [](GM_ADDR gx, GM_ADDR gy, bool by_flags) {
                      Tiles t(gx, gy);
                      const uint32_t own = (uint32_t)GetBlockIdx() * TILE,
                                     other = (uint32_t)(GetBlockIdx() + 1) % 4 * TILE;
                      Duplicate(t.b, 5.0f, TILE);
                      DataCopy(t.a, t.x[other], TILE);
                      t.wait();
                      if (by_flags) {
                          CrossCoreSetFlag<0, PIPE_MTE2>(2);
                          CrossCoreWaitFlag(2);
                      } else {
                          SyncAll();
                      }
                      DataCopy(t.x[own], t.b, TILE);
                      t.wait();
                      if (by_flags) {
                          CrossCoreSetFlag<0, PIPE_MTE3>(3);
                          CrossCoreWaitFlag(3);
                      } else {
                          SyncAll();
                      }
                      Adds(t.c, t.a, 1.0f, TILE);
                      t.wait();
                      DataCopy(t.y[own], t.c, TILE);
                  },
                  x.gm(), y.gm(), flags) == 0);
        const auto is = y.values<float>(), was = numbers(1);
        for (int i = 0; i < 4 * TILE; i++)
            CHECK(is[(size_t)i] == was[(size_t)((i + TILE) % (4 * TILE))] + 1);
    }
}

/* A queue's buffer that was freed keeps what it has until it is filled anew. */
TEST(queues_of_late_loads)
{
    const auto is = after([](GM_ADDR gx, GM_ADDR gy) {
        TPipe pipe;
        TQue<TPosition::VECIN, 2> in;
        TQue<TPosition::VECOUT, 2> out;
        GlobalTensor<float> x, y;
        x.SetGlobalBuffer((__gm__ float *)gx, 4 * TILE);
        y.SetGlobalBuffer((__gm__ float *)gy, 4 * TILE);
        pipe.InitBuffer(in, 2, TILE * sizeof(float));
        pipe.InitBuffer(out, 2, TILE * sizeof(float));
        const auto bring = [&](uint32_t at) {
            auto t = in.AllocTensor<float>();
            DataCopyPad(t, x[at], DataCopyExtParams(1, TILE * sizeof(float), 0, 0, 0),
                        DataCopyPadExtParams<float>(false, 0, 0, 0));
            in.EnQue(t);
        };
        bring(0);
        for (uint32_t at = 0; at < 4 * TILE; at += TILE) {
            if (at + TILE < 4 * TILE)
                bring(at + TILE);
            auto t = in.DeQue<float>();
            auto r = out.AllocTensor<float>();
            Muls(r, t, 3.0f, TILE);
            Add(r, r, t, TILE);
            out.EnQue(r);
            in.FreeTensor(t);
            r = out.DeQue<float>();
            DataCopyPad(y[at], r, DataCopyExtParams(1, TILE * sizeof(float), 0, 0, 0));
            DataCopyPad(x[at], r, DataCopyExtParams(1, TILE * sizeof(float), 0, 0, 0)); /* in place, too */
            out.FreeTensor(r);
        }
    });
    for (int tile = 0; tile < 4; tile++)
        check_tile(
            is, [=](auto &x, int i) { return x[tile * TILE + i] * 3 + x[tile * TILE + i]; }, tile * TILE);
}

/*
 * Two blocks that tell one another by words in global memory: the second overwrites what the first one has loaded. Where
 * they have no two threads neither waits for ever, and the first one does not see the other's word.
 */
TEST(others_write_what_was_loaded_when_a_word_says_so)
{
    Memory x(numbers(1)), y(std::vector<float>(4 * TILE)), words(std::vector<int32_t>(64));
    CHECK(launch(
              2, BELAY_KERNEL_VECTOR,
              [](GM_ADDR gx, GM_ADDR gy, GM_ADDR gw) {
                  Tiles t(gx, gy);
                  GlobalTensor<int32_t> word;
                  word.SetGlobalBuffer((__gm__ int32_t *)gw, 64);
                  const bool is_first = GetBlockIdx() == 0;
                  const auto says = [&](uint64_t at) {
                      for (int looks = 0; looks < 1000000; looks++)
                          if (word.GetValue(at))
                              return true;
                      return false;
                  };
                  Duplicate(t.b, 5.0f, TILE);
                  Duplicate(t.d.ReinterpretCast<int32_t>(), 1, 8);
                  if (is_first)
                      DataCopy(t.a, t.x, TILE);
                  t.wait();
                  if (is_first) {
                      DataCopy(word, t.d.ReinterpretCast<int32_t>(), 8);
                      says(32);
                      Adds(t.c, t.a, 1.0f, TILE);
                      t.wait();
                      DataCopy(t.y, t.c, TILE);
                  } else if (says(0)) {
                      DataCopy(t.x, t.b, TILE);
                      t.wait();
                      DataCopy(word[32], t.d.ReinterpretCast<int32_t>(), 8);
                  }
              },
              x.gm(), y.gm(), words.gm()) == 0);
    check_tile(y.values<float>(), [](auto &v, int i) { return v[i] + 1; });
}

/* Between an instruction over what was loaded and the store of what it leaves. */
TEST(results_wait_for_their_store)
{
    const auto loads = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        Duplicate(t.b, 5.0f, TILE);
        DataCopy(t.a, t.x, TILE);
        t.wait();
        Add(t.c, t.a, t.b, TILE);
        t.wait();
        DataCopy(t.a, t.x[TILE], TILE); /* over what it reads */
        t.wait();
        DataCopy(t.y, t.c, TILE);
        t.wait();
        Add(t.c, t.a, t.b, TILE);
        Duplicate(t.b, 7.0f, TILE); /* the same on the chip */
        t.wait();
        DataCopy(t.y[TILE], t.c, TILE);
        Duplicate(t.d, 9.0f, TILE);
        t.wait();
        Adds(t.c, t.a, 2.0f, TILE);
        t.wait();
        DataCopy(t.x[TILE], t.d, TILE); /* and in global memory */
        t.wait();
        DataCopy(t.y[2 * TILE], t.c, TILE);
        t.wait();
        Adds(t.c, t.a, 3.0f, TILE);
        t.wait();
        DataCopyPad(t.c, t.x[2 * TILE], DataCopyExtParams(1, 20, 0, 0, 0), /* over a part of it */
                    DataCopyPadExtParams<float>(true, 0, 3, 4.0f));
        t.wait();
        DataCopy(t.y[3 * TILE], t.c, TILE);
    });
    check_tile(loads, [](auto &x, int i) { return x[i] + 5; });
    check_tile(
        loads, [](auto &x, int i) { return x[TILE + i] + 5; }, TILE);
    check_tile(
        loads, [](auto &x, int i) { return x[TILE + i] + 2; }, 2 * TILE);
    check_tile(
        loads, [](auto &x, int i) { return i < 5   ? x[2 * TILE + i]
                                           : i < 8 ? 4
                                                   : x[TILE + i] + 3; },
        3 * TILE);
    const auto parts = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        DataCopy(t.b, t.x[TILE], TILE);
        t.wait();
        Sub(t.c, t.a, t.b, TILE);
        Mul(t.d, t.c, t.a, TILE); /* the next one reads it */
        t.wait();
        DataCopy(t.y, t.c, 2 * TILE); /* both */
        t.wait();
        const float by = t.c.GetValue(3); /* which looks at it */
        DataCopy(t.a, t.x, TILE);
        t.wait();
        Adds(t.d, t.a, by, TILE);
        t.wait();
        DataCopy(t.y[2 * TILE], t.d[TILE / 2], TILE / 2); /* the half of it */
        t.wait();
        Axpy(t.d, t.a, 2.0f, TILE); /* to what it reads */
        t.wait();
        DataCopy(t.y[3 * TILE], t.d, TILE);
        DataCopy(t.y[2 * TILE + TILE / 2], t.d, TILE / 2); /* once more */
    });
    check_tile(parts, [](auto &x, int i) { return x[i] - x[TILE + i]; });
    check_tile(
        parts, [](auto &x, int i) { return (x[i] - x[TILE + i]) * x[i]; }, TILE);
    check_tile(
        parts,
        [](auto &x, int i) {
            const float by = x[3] - x[TILE + 3];
            return i < TILE / 2 ? x[TILE / 2 + i] + by : x[i - TILE / 2] + by + x[i - TILE / 2] * 2;
        },
        2 * TILE);
    check_tile(
        parts, [](auto &x, int i) { return x[i] + (x[3] - x[TILE + 3]) + x[i] * 2; }, 3 * TILE);
}

TEST(results_are_stored_where_they_come_from)
{
    const auto shifted = after([](GM_ADDR gx, GM_ADDR gy) {
        Tiles t(gx, gy);
        DataCopy(t.a, t.x, TILE);
        t.wait();
        Adds(t.c, t.a, 1.0f, TILE);
        t.wait();
        DataCopy(t.x[64], t.c, TILE);
        t.wait();
        DataCopy(t.b, t.x[64], TILE);
        t.wait();
        DataCopy(t.y, t.b, TILE);
        SetAtomicAdd<float>();
        Adds(t.c, t.a, 2.0f, TILE);
        t.wait();
        DataCopy(t.y[TILE], t.c, TILE);
        DataCopy(t.y[TILE], t.c, TILE);
        SetAtomicNone();
    });
    check_tile(shifted, [](auto &x, int i) { return x[i] + 1; });
    check_tile(
        shifted, [](auto &x, int i) { return x[i] + 2 + (x[i] + 2); }, TILE);
}

/* Tensors so large that stores go past the caches, in parts, of elements of other sizes and counts. */
TEST(results_of_large_tensors)
{
    constexpr int COUNT = 3 << 20, SOME = 8 * TILE - 3;
    const auto numbers = drawn<float>(COUNT, 1);
    std::vector<half> narrow(COUNT);
    for (int i = 0; i < COUNT; i++)
        narrow[(size_t)i] = (half)numbers[(size_t)i];
    Memory x(narrow), y(COUNT * sizeof(float));
    CHECK(launch(
              1, BELAY_KERNEL_VECTOR,
              [](GM_ADDR gx, GM_ADDR gy) {
                  TPipe pipe;
                  TBuf<> buffer;
                  GlobalTensor<half> in;
                  GlobalTensor<float> out;
                  pipe.InitBuffer(buffer, 16 * TILE * sizeof(float));
                  auto h = buffer.Get<half>();
                  auto f = buffer.Get<float>()[8 * TILE];
                  in.SetGlobalBuffer((__gm__ half *)gx, COUNT);
                  out.SetGlobalBuffer((__gm__ float *)gy, COUNT);
                  for (int at = 0; at < COUNT; at += SOME + 3) {
                      DataCopy(h, in[at], SOME + 3);
                      Tiles::wait();
                      Cast(f, h, RoundMode::CAST_NONE, SOME);
                      Tiles::wait();
                      DataCopyPad(out[at], f, DataCopyExtParams(1, SOME * sizeof(float), 0, 0, 0));
                      Tiles::wait();
                  }
              },
              x.gm(), y.gm()) == 0);
    const auto is = y.values<float>();
    for (int i = 0; i < COUNT; i++)
        if (i % (SOME + 3) < SOME && is[(size_t)i] != (float)narrow[(size_t)i]) {
            std::fprintf(stderr, "element %d is %g; %g is expected\n", i, (double)is[(size_t)i],
                         (double)(float)narrow[(size_t)i]);
            Case::failures++;
            break;
        }
}
