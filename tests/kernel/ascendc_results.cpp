// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Results that wait: whatever comes between an instruction and the store of what it leaves, they are the same.
#include "ascendc_tiles.h"

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

/* A program whose steps are drawn by a number. UB and both tensors have rows, which most steps are about. */
struct Drawn {
    static constexpr uint32_t ROW = 2048, STRIDE = ROW + 512, ROWS = 6, ALL = ROWS * STRIDE;
    uint32_t seed;
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<int32_t> ub;
    GlobalTensor<int32_t> x, y;
    LocalTensor<int32_t> result;
    uint32_t result_count = 0; /* 0: the last instruction left none */

    Drawn(GM_ADDR gx, GM_ADDR gy, uint32_t number) : seed(number)
    {
        pipe.InitBuffer(buffer, ALL * sizeof(int32_t));
        ub = buffer.Get<int32_t>();
        x.SetGlobalBuffer((__gm__ int32_t *)gx, ALL);
        y.SetGlobalBuffer((__gm__ int32_t *)gy, 2 * ALL);
        Duplicate(ub, 3, ALL);
        Tiles::wait();
    }
    uint32_t below(uint32_t count)
    {
        seed = seed * 1664525u + 1013904223u;
        return (seed >> 8) % count;
    }
    /* Mostly where a row begins. */
    uint32_t at()
    {
        const uint32_t row = below(ROWS) * STRIDE;
        return row + (below(3) == 0 ? below(64) * 8 : 0);
    }
    uint32_t some()
    {
        return below(3) == 0 ? 8 + below(ROW - 8) : ROW;
    }
    GlobalTensor<int32_t> global()
    {
        return (below(2) ? x : y)[at()];
    }
    static void pad_out(const GlobalTensor<int32_t> &to, const LocalTensor<int32_t> &from, uint32_t count)
    {
        DataCopyPad(to, from, DataCopyExtParams(1, count * (uint32_t)sizeof(int32_t), 0, 0, 0));
    }
    void compute()
    {
        const uint32_t count = some();
        result = ub[at()];
        result_count = count;
        const auto a = ub[at()], b = ub[at()];
        const auto narrow = result.ReinterpretCast<int16_t>();
        switch (below(7)) {
        case 0:
        case 1:
            Add(result, a, b, (int32_t)count);
            break;
        case 2:
            Adds(result, a, (int32_t)below(9), (int32_t)count);
            break;
        case 3:
            Muls(result, result, (int32_t)below(9), (int32_t)count);
            break;
        case 4: /* elements that become half as wide, and twice */
            Cast(narrow, a, RoundMode::CAST_NONE, count);
            result_count = count / 2;
            break;
        case 5:
            Cast(result, b.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, count);
            break;
        default: /* by a mask and repeats, of which some are whole */
            result_count = 64 * (1 + below(ROW / 64));
            Add(result, a, b, (uint64_t)(below(2) ? 64 : 1 + below(64)), result_count / 64,
                {1, 1, 1, 8, 8, 8});
            break;
        }
    }
    void store()
    {
        switch (below(5)) {
        case 0: /* something else */
            DataCopy(global(), ub[at()], some() / 8 * 8);
            break;
        case 1:
            SetAtomicAdd<int32_t>();
            pad_out(global(), result, result_count);
            SetAtomicNone();
            break;
        case 2: /* in two parts */
            DataCopy(global(), result, DataCopyParams(2, (uint16_t)(result_count / 16), 0, 0));
            break;
        default:
            pad_out(global(), result, result_count);
        }
    }
    void look()
    {
        const uint32_t where = below(ALL);
        switch (below(6)) {
        case 0:
            ub.SetValue(where, ub.GetValue(below(ALL)) + 1);
            break;
        case 1:
            x.SetValue(where, y.GetValue(below(ALL)) + 1);
            break;
        case 2:
            Duplicate(ub[at()], (int32_t)below(9), (int32_t)some());
            break;
        case 3:
            DataCopy(ub[below(3) * STRIDE], ub[(3 + below(3)) * STRIDE], some() / 8 * 8);
            break;
        case 4: /* over a part, and what fills it up */
            DataCopyPad(ub[at()], global(), DataCopyExtParams(1, 20, 0, 0, 0),
                        DataCopyPadExtParams<int32_t>(true, 0, 3, 4));
            break;
        default:
            DataCopy(ub[at()], global(), DataCopyParams(2, (uint16_t)(some() / 16), 0, 0));
        }
    }
    void run(int steps)
    {
        for (int step = 0; step < steps; step++) {
            switch (below(8)) {
            case 0:
            case 1:
            case 2:
                DataCopy(ub[at()], global(), some() / 8 * 8);
                break;
            case 3:
            case 4:
            case 5:
                compute();
                Tiles::wait();
                if (below(3) == 0)
                    look();
                break;
            case 6:
                look();
                break;
            default:
                break;
            }
            Tiles::wait();
            if (result_count >= 16)
                store();
            Tiles::wait();
            if (below(2))
                result_count = 0;
        }
        DataCopy(y[ALL], ub, ALL);
    }
};

/* Nothing waits where a kernel has taken an address. */
TEST(whatever_is_drawn_gives_the_same_where_nothing_waits)
{
    constexpr uint32_t ALL = Drawn::ALL, LARGE = 3 << 20; /* past the caches */
    const auto given = drawn<int32_t>(2 * ALL, 1);
    Memory x(LARGE * sizeof(int32_t)), y(LARGE * sizeof(int32_t));
    for (uint32_t number = 0; number < 100; number++) {
        std::vector<int32_t> left[2];
        for (int waits = 0; waits < 2; waits++) {
            std::memcpy(x.address, given.data(), ALL * sizeof(int32_t));
            std::memcpy(y.address, given.data() + ALL, ALL * sizeof(int32_t));
            CHECK(launch(
                      1, BELAY_KERNEL_VECTOR,
                      [](GM_ADDR gx, GM_ADDR gy, uint32_t seed, int may_wait) {
                          Drawn program(gx, gy, seed);
                          if (!may_wait)
                              program.x.GetPhyAddr();
                          program.run(24);
                      },
                      x.gm(), y.gm(), number, waits) == 0);
            left[waits].resize(3 * ALL);
            std::memcpy(left[waits].data(), x.address, ALL * sizeof(int32_t));
            std::memcpy(left[waits].data() + ALL, y.address, 2 * ALL * sizeof(int32_t));
        }
        CHECK_SAME(left[1], left[0]);
        if (left[1] != left[0]) {
            std::fprintf(stderr, "program %u\n", number);
            return;
        }
    }
}
