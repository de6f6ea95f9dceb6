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

/* Rows of a matrix: how many there are, and columns as they lie and as they count. */
struct SoftMaxShapeInfo {
    uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
};

/* A row's number fills a block of 32 bytes. */
template <typename T> void fill_block(const LocalTensor<T> &tensor, uint32_t row, T value)
{
    constexpr uint32_t each = 32 / sizeof(T);
    for (uint32_t i = 0; i < each && tensor.address; i++)
        *tensor.at((uint64_t)row * each + i) = value;
}

/* e^(x - max) / sum of each row; with what rows before had: `before` scales those to the new maximum. */
template <typename T, typename S>
void softmax_rows(const belay_chip_place &place, const LocalTensor<T> &dst, const LocalTensor<S> &sums,
                  const LocalTensor<S> &maxima, const LocalTensor<T> &src, const LocalTensor<T> *before,
                  const LocalTensor<S> *old_sums, const LocalTensor<S> *old_maxima, bool divides,
                  const SoftMaxShapeInfo &shape)
{
    belay_chip *chip = belay_chip_now();
    issue(chip, PIPE_V);
    const uint64_t bytes = (uint64_t)shape.srcM * shape.srcK * sizeof(T);
    access_tensor(place, chip, PIPE_V, src, bytes, false);
    access_tensor(place, chip, PIPE_V, dst, bytes, true);
    for (const LocalTensor<S> *each : {&sums, &maxima})
        if (each->address)
            access_tensor(place, chip, PIPE_V, *each, shape.srcM * 32ull, true);
    const uint32_t columns = shape.oriSrcK ? shape.oriSrcK : shape.srcK;
    if (columns > shape.srcK)
        belay_chip_fault(&place, "oriSrcK is %u; at most srcK, %u, is expected", columns, shape.srcK);
    for (uint32_t row = 0; row < shape.srcM; row++) {
        float values[CHIP_UB_BYTES / sizeof(T)];
        const T *from = src.at((uint64_t)row * shape.srcK);
        T *to = dst.at((uint64_t)row * shape.srcK);
        float maximum = static_cast<float>(from[0]);
        for (uint32_t i = 1; i < columns; i++)
            maximum = static_cast<float>(from[i]) > maximum ? static_cast<float>(from[i]) : maximum;
        constexpr uint32_t each = 32 / sizeof(S);
        const float old = old_maxima ? static_cast<float>(*old_maxima->at((uint64_t)row * each)) : maximum;
        maximum = old > maximum ? old : maximum;
        for (uint32_t i = 0; i < columns; i++)
            values[i] = static_cast<float>(from[i]) - maximum;
        belay_kernel_exp_fp32s(values, values, columns);
        for (uint32_t i = 0; i < columns && !divides; i++)
            to[i] = static_cast<T>(values[i]);
        float sum = reduced(values, columns, formula::Add());
        for (uint32_t i = 0; i < columns && divides; i++)
            to[i] = static_cast<T>(values[i] / sum);
        if (old_sums) {
            float factor = old - maximum;
            belay_kernel_exp_fp32s(&factor, &factor, 1);
            fill_block(*before, row, static_cast<T>(factor));
            sum += factor * static_cast<float>(*old_sums->at((uint64_t)row * each));
        }
        fill_block(sums, row, static_cast<S>(sum));
        fill_block(maxima, row, static_cast<S>(maximum));
    }
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename Tiling>
void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
             const Tiling &, const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    const LocalTensor<float> none;
    softmax_rows<T, float>(at.of("SoftMax"), dst, none, none, src, nullptr, nullptr, nullptr, true, shape);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename S, typename Tiling>
void SoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
             const LocalTensor<T> &src, const LocalTensor<uint8_t> &, const Tiling &,
             const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    softmax_rows<T, S>(at.of("SoftMax"), dst, sum, max, src, nullptr, nullptr, nullptr, true, shape);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          auto configuration = 0, typename S, typename Tiling>
void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
                    const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<S> &inSum,
                    const LocalTensor<S> &inMax, const LocalTensor<uint8_t> &, const Tiling &,
                    const SoftMaxShapeInfo &shape = {}, const Where &at = BELAY_HERE)
{
    if constexpr (isUpdate)
        softmax_rows<T, S>(at.of("SoftmaxFlashV2"), dst, sum, max, src, &expMax, &inSum, &inMax, false,
                           shape);
    else
        softmax_rows<T, S>(at.of("SoftmaxFlashV2"), dst, sum, max, src, nullptr, nullptr, nullptr, false,
                           shape);
}
} // namespace AscendC

#endif
