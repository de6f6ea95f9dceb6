// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Loads that wait: whatever comes between a large load and what looks at it, the values are those of when it was loaded.
#include "ascendc_tiles.h"

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
