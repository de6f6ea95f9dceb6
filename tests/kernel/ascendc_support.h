/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tests of AscendC's instructions: a kernel of one block copies two arrays to UB, does something, and copies a third
 * one back. What the functions are given is captured by nothing: kernels are called with plain bytes.
 */
#ifndef TESTS_KERNEL_ASCENDC_SUPPORT_H
#define TESTS_KERNEL_ASCENDC_SUPPORT_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "kernel_operator.h"

struct Case {
    const char *name;
    void (*run)();
    Case *next;
    static Case *first;
    static int failures;

    Case(const char *title, void (*function)()) : name(title), run(function), next(first)
    {
        first = this;
    }
};

#define TEST(name)                           \
    static void name();                      \
    static Case case_of_##name(#name, name); \
    static void name()

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

inline void check(bool holds, const char *what, const char *file, int line)
{
    if (!holds) {
        std::fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
        Case::failures++;
    }
}

template <typename T> double number(T x)
{
    return (double)x;
}

template <typename T>
void check_same(const std::vector<T> &is, const std::vector<T> &expected, const char *file, int line)
{
    check(is.size() == expected.size(), "as many elements", file, line);
    for (size_t i = 0; i < is.size() && i < expected.size(); i++) {
        if (std::memcmp(&is[i], &expected[i], sizeof(T)) == 0)
            continue;
        std::fprintf(stderr, "%s:%d: element %zu is %.9g; %.9g is expected\n", file, line, i, number(is[i]),
                     number(expected[i]));
        Case::failures++;
        return;
    }
}
#define CHECK_SAME(is, ...) check_same(is, __VA_ARGS__, __FILE__, __LINE__)

/* Global memory that a kernel may use. */
struct Memory {
    void *address;
    size_t bytes;

    explicit Memory(size_t size) : address(belay_kernel_memory(size ? size : 1)), bytes(size)
    {
        if (!address)
            std::abort();
    }
    template <typename T> explicit Memory(const std::vector<T> &x) : Memory(x.size() * sizeof(T))
    {
        if (bytes)
            std::memcpy(address, (const void *)x.data(), bytes);
    }
    Memory(const Memory &) = delete;
    ~Memory()
    {
        belay_kernel_memory_free(address);
    }
    template <typename T> std::vector<T> values() const
    {
        std::vector<T> x(bytes / sizeof(T));
        if (!x.empty())
            std::memcpy((void *)x.data(), address, x.size() * sizeof(T));
        return x;
    }
    uint8_t *gm() const
    {
        return (uint8_t *)address;
    }
};

template <typename Kernel, typename... Arguments>
int launch(uint32_t blocks, uint32_t kind, Kernel kernel, Arguments... arguments)
{
    return belay_kernel::run_here("tested", kind, kernel, blocks)(arguments...);
}

template <typename T> AscendC::LocalTensor<T> loaded(AscendC::TBuf<> &buffer, uint8_t *from, uint32_t count)
{
    auto tensor = buffer.Get<T>();
    AscendC::GlobalTensor<T> global;
    global.SetGlobalBuffer((T *)from, count);
    AscendC::DataCopyExtParams params{1, (uint32_t)(count * sizeof(T)), 0, 0, 0};
    if (count)
        AscendC::DataCopyPad(tensor, global, params, AscendC::DataCopyPadExtParams<T>{false, 0, 0, T{}});
    return tensor;
}

/* f(dst, a, b): dst has what d has before. */
template <typename D, typename A, typename B, typename F>
std::vector<D> on_chip(const std::vector<D> &d, const std::vector<A> &a, const std::vector<B> &b, F f)
{
    Memory to(d), first(a), second(b);
    const int status = launch(
        1, BELAY_KERNEL_VECTOR,
        [](uint8_t *dst, uint32_t dst_count, uint8_t *src0, uint32_t count0, uint8_t *src1, uint32_t count1,
           F step) {
            using namespace AscendC;
            TPipe pipe;
            TBuf<> buffers[3];
            pipe.InitBuffer(buffers[0], 60 * 1024);
            pipe.InitBuffer(buffers[1], 60 * 1024);
            pipe.InitBuffer(buffers[2], 60 * 1024);
            auto x = loaded<A>(buffers[1], src0, count0);
            auto y = loaded<B>(buffers[2], src1, count1);
            auto result = loaded<D>(buffers[0], dst, dst_count);
            SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
            WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
            step(result, x, y);
            SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
            WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
            GlobalTensor<D> global;
            global.SetGlobalBuffer((D *)dst, dst_count);
            DataCopyPad(global, result, DataCopyExtParams{1, (uint32_t)(dst_count * sizeof(D)), 0, 0, 0});
        },
        to.gm(), (uint32_t)d.size(), first.gm(), (uint32_t)a.size(), second.gm(), (uint32_t)b.size(), f);
    CHECK(status == 0);
    return to.values<D>();
}

/* Numbers of either sign and all sizes that are exact in every type. */
template <typename T> std::vector<T> drawn(size_t count, uint32_t seed, int greatest = 100)
{
    std::vector<T> x(count);
    for (T &each : x) {
        seed = seed * 1664525u + 1013904223u;
        const int whole = (int)(seed >> 9) % (2 * greatest + 1) - greatest;
        if constexpr (AscendC::is_float<T>)
            each = T((float)whole / 8);
        else if constexpr (std::is_unsigned_v<T>)
            each = T(whole < 0 ? -whole : whole);
        else
            each = T(whole);
    }
    return x;
}

template <typename D, typename A, typename F> std::vector<D> mapped(const std::vector<A> &a, F f)
{
    std::vector<D> result;
    for (const A &x : a)
        result.push_back(f(x));
    return result;
}

template <typename D, typename A, typename B, typename F>
std::vector<D> mapped(const std::vector<A> &a, const std::vector<B> &b, F f)
{
    std::vector<D> result;
    for (size_t i = 0; i < a.size(); i++)
        result.push_back(f(a[i], b[i]));
    return result;
}

#endif
