/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions made of instructions: of one number by Belay's own formulas, in float and rounded once; each with and
 * without a count and a buffer, which is not used.
 */
#ifndef ASCENDC_FUNCTIONS_H
#define ASCENDC_FUNCTIONS_H

#include "ascendc/cast.h"
#include "ascendc/reduce.h"

namespace AscendC
{
namespace formula
{
/* A function of a float, one at a time. */
template <typename F> struct InFloat {
    template <typename T> T operator()(T x) const
    {
        return static_cast<T>(F::of(static_cast<float>(x)));
    }
};

struct Round : InFloat<Round> {
    static float of(float x)
    {
        return whole_of(x, RoundMode::CAST_RINT);
    }
};
struct Trunc : InFloat<Trunc> {
    static float of(float x)
    {
        return whole_of(x, RoundMode::CAST_TRUNC);
    }
};
struct Floor : InFloat<Floor> {
    static float of(float x)
    {
        return whole_of(x, RoundMode::CAST_FLOOR);
    }
};
struct Ceil : InFloat<Ceil> {
    static float of(float x)
    {
        return whole_of(x, RoundMode::CAST_CEIL);
    }
};
struct Frac : InFloat<Frac> {
    static float of(float x)
    {
        return x - whole_of(x, RoundMode::CAST_TRUNC);
    }
};
struct Sign : InFloat<Sign> {
    static float of(float x)
    {
        return x > 0 ? 1.0f : x < 0 ? -1.0f : x;
    }
};

/* x / (1 + e^-f(x)) */
template <typename T, typename F> void gated(T *to, int64_t count, const T *from, F f)
{
    for (int64_t first = 0; first < count; first += 128) {
        const int64_t some = count - first < 128 ? count - first : 128;
        float x[128], gate[128];
        for (int64_t i = 0; i < some; i++) {
            x[i] = static_cast<float>(from[first + i]);
            gate[i] = f(x[i]);
        }
        belay_kernel_logistic_fp32s(gate, gate, (size_t)some);
        for (int64_t i = 0; i < some; i++)
            to[first + i] = static_cast<T>(x[i] * gate[i]);
    }
}

/* By the hyperbolic tangent: x / (1 + e^(-sqrt(8 / pi) (x + 0.044715 x^3))). */
struct Gelu {
    template <typename T> static void many(T *to, int64_t count, const T *from)
    {
        gated(to, count, from, [](float x) { return 1.5957691216f * (x + 0.044715f * x * x * x); });
    }
};
struct FasterGelu {
    template <typename T> static void many(T *to, int64_t count, const T *from)
    {
        gated(to, count, from, [](float x) { return 1.702f * x; });
    }
};
} // namespace formula

#define BELAY_FUNCTION_WITH_COUNT(name)                                                           \
    template <typename T, bool isReuseSource = false>                                             \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count,               \
              const Where &at = BELAY_HERE)                                                       \
    {                                                                                             \
        BELAY_TAKES(name, T, FLOATS);                                                             \
        run(at.of(#name), lanes_of_count(count), formula::name(), plain(dst), plain(src));        \
    }                                                                                             \
    template <typename T, bool isReuseSource = false>                                             \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &, \
              uint32_t count, const Where &at = BELAY_HERE)                                       \
    {                                                                                             \
        name<T, isReuseSource>(dst, src, count, at);                                              \
    }                                                                                             \
    template <typename T, bool isReuseSource = false>                                             \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &, \
              const Where &at = BELAY_HERE)                                                       \
    {                                                                                             \
        name<T, isReuseSource>(dst, src, src.count, at);                                          \
    }                                                                                             \
    template <typename T, bool isReuseSource = false>                                             \
    void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Where &at = BELAY_HERE) \
    {                                                                                             \
        name<T, isReuseSource>(dst, src, src.count, at);                                          \
    }
BELAY_FUNCTION_WITH_COUNT(Log)
BELAY_FUNCTION_WITH_COUNT(Log2)
BELAY_FUNCTION_WITH_COUNT(Log10)
BELAY_FUNCTION_WITH_COUNT(Sin)
BELAY_FUNCTION_WITH_COUNT(Cos)
BELAY_FUNCTION_WITH_COUNT(Tan)
BELAY_FUNCTION_WITH_COUNT(Asin)
BELAY_FUNCTION_WITH_COUNT(Acos)
BELAY_FUNCTION_WITH_COUNT(Atan)
BELAY_FUNCTION_WITH_COUNT(Sinh)
BELAY_FUNCTION_WITH_COUNT(Cosh)
BELAY_FUNCTION_WITH_COUNT(Tanh)
BELAY_FUNCTION_WITH_COUNT(Asinh)
BELAY_FUNCTION_WITH_COUNT(Acosh)
BELAY_FUNCTION_WITH_COUNT(Atanh)
BELAY_FUNCTION_WITH_COUNT(Erf)
BELAY_FUNCTION_WITH_COUNT(Erfc)
BELAY_FUNCTION_WITH_COUNT(Sigmoid)
BELAY_FUNCTION_WITH_COUNT(Silu)
BELAY_FUNCTION_WITH_COUNT(Gelu)
BELAY_FUNCTION_WITH_COUNT(FasterGelu)
BELAY_FUNCTION_WITH_COUNT(Round)
BELAY_FUNCTION_WITH_COUNT(Trunc)
BELAY_FUNCTION_WITH_COUNT(Floor)
BELAY_FUNCTION_WITH_COUNT(Ceil)
BELAY_FUNCTION_WITH_COUNT(Frac)
BELAY_FUNCTION_WITH_COUNT(Sign)
#undef BELAY_FUNCTION_WITH_COUNT

/* With a scalar: the lesser, or the greater. */
template <typename T, bool isReuseSource = false, typename S>
void ClampMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
              const S scalar, uint32_t count, const Where &at = BELAY_HERE)
{
    Mins(dst, src, scalar, (int32_t)count, at);
}

template <typename T, bool isReuseSource = false, typename S>
void ClampMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
              const S scalar, uint32_t count, const Where &at = BELAY_HERE)
{
    Maxs(dst, src, scalar, (int32_t)count, at);
}

/* x^y; either may be a number. */
template <typename T> struct PowerOf {
    static constexpr const char *instruction = "Power";
    static void many(T *to, int64_t count, const T *from, const T *exponents)
    {
        for (int64_t first = 0; first < count; first += 128) {
            const int64_t some = count - first < 128 ? count - first : 128;
            float x[128], y[128];
            for (int64_t i = 0; i < some; i++) {
                x[i] = static_cast<float>(from[first + i]);
                y[i] = static_cast<float>(exponents[first + i]);
            }
            belay_kernel_power_fp32s(x, x, y, (size_t)some);
            for (int64_t i = 0; i < some; i++)
                to[first + i] = static_cast<T>(x[i]);
        }
    }
};

template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T> &dst, const LocalTensor<T> &base, const LocalTensor<T> &exponent,
           uint32_t count, const Where &at = BELAY_HERE)
{
    run(at.of("Power"), lanes_of_count(count), PowerOf<T>(), plain(dst), plain(base), plain(exponent));
}

template <typename T> struct PowerBy {
    T exponent;
    T operator()(T x) const
    {
        T result;
        PowerOf<T>::many(&result, 1, &x, &exponent);
        return result;
    }
};

template <typename T, bool isReuseSource = false>
void Power(const LocalTensor<T> &dst, const LocalTensor<T> &base, const T &exponent, uint32_t count,
           const Where &at = BELAY_HERE)
{
    run(at.of("Power"), lanes_of_count(count), PowerBy<T>{exponent}, plain(dst), plain(base));
}

/* Of two: src0 * src1 / (1 + e^(-beta src1)). */
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
            const float &beta, uint32_t count, const Where &at = BELAY_HERE)
{
    const auto f = [beta](T u, T v) {
        float gate = beta * static_cast<float>(v);
        belay_kernel_logistic_fp32s(&gate, &gate, 1);
        return static_cast<T>(static_cast<float>(u) * static_cast<float>(v) * gate);
    };
    run(at.of("SwiGLU"), lanes_of_count(count), f, plain(dst), plain(src0), plain(src1));
}

template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
            const float &beta, const LocalTensor<uint8_t> &, uint32_t count, const Where &at = BELAY_HERE)
{
    SwiGLU<T, isReuseSource>(dst, src0, src1, beta, count, at);
}

/* To int8: round to even of x * scale + offset. */
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const float scale,
                 const float offset, uint32_t count, const Where &at = BELAY_HERE)
{
    const auto f = [=](T x) {
        return saturated<int8_t>(whole_of(static_cast<float>(x) * scale + offset, RoundMode::CAST_RINT));
    };
    run(at.of("AscendQuant"), lanes_of_count(count), f, plain(dst), plain(src));
}

template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
                 const float scale, const float offset, uint32_t count, const Where &at = BELAY_HERE)
{
    AscendQuant<T, isReuseSource>(dst, src, scale, offset, count, at);
}

template <typename D, bool isReuseSource = false>
void AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src,
                   const LocalTensor<float> &scale, const LocalTensor<uint8_t> &, uint32_t count,
                   const Where &at = BELAY_HERE)
{
    const auto f = [](int32_t x, float factor) { return static_cast<D>(static_cast<float>(x) * factor); };
    run(at.of("AscendDequant"), lanes_of_count(count), f, plain(dst), plain(src), plain(scale));
}

/* x / (1 + e^(-beta x)) */
template <typename T, bool isReuseSource = false, typename S>
void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, const S beta,
           const Where &at = BELAY_HERE)
{
    const auto f = [beta](T x) {
        float gate = static_cast<float>(beta) * static_cast<float>(x);
        belay_kernel_logistic_fp32s(&gate, &gate, 1);
        return static_cast<T>(static_cast<float>(x) * gate);
    };
    run(at.of("Swish"), lanes_of_count(count), f, plain(dst), plain(src));
}
} // namespace AscendC

#endif
