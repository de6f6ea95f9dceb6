/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What vector instructions compute of an element: one formula each. Floats of 16 bits are computed in float and rounded
 * after each step; integers wrap. A NaN among two numbers is the greater and the lesser of them.
 */
#ifndef ASCENDC_FORMULA_H
#define ASCENDC_FORMULA_H

#include "ascendc/maths.h"
#include "ascendc/types.h"

namespace AscendC::formula
{
/* Integers are added without a sign, so that what does not fit wraps. */
template <typename T, bool integer> struct Step {
    using type = computed<T>;
};
template <typename T> struct Step<T, true> {
    using type = std::make_unsigned_t<std::conditional_t<sizeof(T) < 4, int32_t, T>>;
};
template <typename T> using step = typename Step<T, std::is_integral_v<T> && !std::is_same_v<T, bool>>::type;

/* Function objects of two numbers of one type. */
#define BELAY_FORMULA_OF_TWO(name, expression)                                      \
    struct name {                                                                   \
        static constexpr const char *instruction = #name;                           \
        template <typename T> T operator()(T u, T v) const                          \
        {                                                                           \
            const step<T> x = static_cast<step<T>>(u), y = static_cast<step<T>>(v); \
            return static_cast<T>(expression);                                      \
        }                                                                           \
    };
#define BELAY_FORMULA_OF_ORDER(name, comparison)                                                \
    struct name {                                                                               \
        static constexpr const char *instruction = #name;                                       \
        template <typename T> T operator()(T u, T v) const                                      \
        {                                                                                       \
            const computed<T> x = static_cast<computed<T>>(u), y = static_cast<computed<T>>(v); \
            return x comparison y || x != x ? u : v;                                            \
        }                                                                                       \
    };
BELAY_FORMULA_OF_TWO(Add, x + y)
BELAY_FORMULA_OF_TWO(Sub, x - y)
BELAY_FORMULA_OF_TWO(Mul, x *y)
BELAY_FORMULA_OF_TWO(And, x &y)
BELAY_FORMULA_OF_TWO(Or, x | y)
BELAY_FORMULA_OF_TWO(Xor, x ^ y)
BELAY_FORMULA_OF_ORDER(Max, >)
BELAY_FORMULA_OF_ORDER(Min, <)

/* An integer by 0 is left as it is: -1. */
struct Div {
    static constexpr const char *instruction = "Div";
    template <typename T> T operator()(T u, T v) const
    {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(v == 0                    ? -1
                                  : v == static_cast<T>(-1) ? static_cast<T>(0 - (step<T>)u)
                                                            : u / v);
        else
            return static_cast<T>(static_cast<computed<T>>(u) / static_cast<computed<T>>(v));
    }
};

struct AddRelu {
    static constexpr const char *instruction = "AddRelu";
    template <typename T> T operator()(T u, T v) const
    {
        const T sum = Add()(u, v);
        return sum < T(0) ? T(0) : sum;
    }
};

struct SubRelu {
    static constexpr const char *instruction = "SubRelu";
    template <typename T> T operator()(T u, T v) const
    {
        const T rest = Sub()(u, v);
        return rest < T(0) ? T(0) : rest;
    }
};

/* Of three: dst too. The product is rounded before the sum, but where the two are one step. */
struct MulAddDst {
    static constexpr const char *instruction = "MulAddDst";
    template <typename D, typename T> D operator()(D d, T u, T v) const
    {
        return Add()(d, static_cast<D>(Mul()(static_cast<D>(u), static_cast<D>(v))));
    }
};

template <typename T> T fused_sum(T product_of, T and_of, T more)
{
    if constexpr (std::is_same_v<T, float>)
        return static_cast<float>(static_cast<double>(product_of) * and_of + more);
    else
        return static_cast<T>(static_cast<computed<T>>(product_of) * static_cast<computed<T>>(and_of) +
                              static_cast<computed<T>>(more));
}

/* src0 * dst + src1 */
struct FusedMulAdd {
    static constexpr const char *instruction = "FusedMulAdd";
    template <typename T> T operator()(T d, T u, T v) const
    {
        return fused_sum(u, d, v);
    }
};

struct FusedMulAddRelu {
    static constexpr const char *instruction = "FusedMulAddRelu";
    template <typename T> T operator()(T d, T u, T v) const
    {
        const T sum = fused_sum(u, d, v);
        return sum < T(0) ? T(0) : sum;
    }
};

/* Of one number. */
struct Abs {
    static constexpr const char *instruction = "Abs";
    template <typename T> T operator()(T x) const
    {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(x < 0 ? 0 - (step<T>)x : (step<T>)x);
        else if constexpr (sizeof(T) == 2)
            return T::of_bits((uint16_t)(x.bits & 0x7fff));
        else
            return x < 0 || (x == 0 && __builtin_signbit(x)) ? -x : x;
    }
};

struct Relu {
    static constexpr const char *instruction = "Relu";
    template <typename T> T operator()(T x) const
    {
        return x < T(0) || x == T(0) ? T(0) : x;
    }
};

struct Not {
    static constexpr const char *instruction = "Not";
    template <typename T> T operator()(T x) const
    {
        return static_cast<T>(~x);
    }
};

struct Reciprocal {
    static constexpr const char *instruction = "Reciprocal";
    template <typename T> T operator()(T x) const
    {
        return static_cast<T>(computed<T>(1) / static_cast<computed<T>>(x));
    }
};

struct Neg {
    static constexpr const char *instruction = "Neg";
    template <typename T> T operator()(T x) const
    {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(0 - (step<T>)x);
        else
            return static_cast<T>(-static_cast<computed<T>>(x));
    }
};

/* Functions by Belay's own formulas, in pieces: one rounding of the widened value. */
template <typename T>
void in_floats(void (*function)(float *, const float *, size_t), T *to, int64_t count, const T *from)
{
    if constexpr (std::is_same_v<T, float>) {
        function(to, from, (size_t)count);
    } else {
        float piece[128];
        for (int64_t first = 0; first < count; first += 128) {
            const int64_t some = count - first < 128 ? count - first : 128;
            for (int64_t i = 0; i < some; i++)
                piece[i] = static_cast<float>(from[first + i]);
            function(piece, piece, (size_t)some);
            for (int64_t i = 0; i < some; i++)
                to[first + i] = static_cast<T>(piece[i]);
        }
    }
}

#define BELAY_FORMULA_OF_MATHS(name, function)                                      \
    struct name {                                                                   \
        static constexpr const char *instruction = #name;                           \
        template <typename T> static void many(T *to, int64_t count, const T *from) \
        {                                                                           \
            in_floats(belay_kernel_##function##_fp32s, to, count, from);            \
        }                                                                           \
    };
BELAY_FORMULA_OF_MATHS(Exp, exp)
BELAY_FORMULA_OF_MATHS(Ln, log)
BELAY_FORMULA_OF_MATHS(Log, log)
BELAY_FORMULA_OF_MATHS(Log2, log2)
BELAY_FORMULA_OF_MATHS(Log10, log10)
BELAY_FORMULA_OF_MATHS(Sqrt, sqrt)
BELAY_FORMULA_OF_MATHS(Rsqrt, rsqrt)
BELAY_FORMULA_OF_MATHS(Sin, sin)
BELAY_FORMULA_OF_MATHS(Cos, cos)
BELAY_FORMULA_OF_MATHS(Tan, tan)
BELAY_FORMULA_OF_MATHS(Asin, asin)
BELAY_FORMULA_OF_MATHS(Acos, acos)
BELAY_FORMULA_OF_MATHS(Atan, atan)
BELAY_FORMULA_OF_MATHS(Sinh, sinh)
BELAY_FORMULA_OF_MATHS(Cosh, cosh)
BELAY_FORMULA_OF_MATHS(Tanh, tanh)
BELAY_FORMULA_OF_MATHS(Asinh, asinh)
BELAY_FORMULA_OF_MATHS(Acosh, acosh)
BELAY_FORMULA_OF_MATHS(Atanh, atanh)
BELAY_FORMULA_OF_MATHS(Erf, erf)
BELAY_FORMULA_OF_MATHS(Erfc, erfc)
BELAY_FORMULA_OF_MATHS(Sigmoid, logistic)
BELAY_FORMULA_OF_MATHS(Silu, silu)

/* Of a number and a scalar, which has the tensor's type. */
template <typename F, typename T> struct WithScalar {
    T scalar;
    T operator()(T x) const
    {
        return F()(x, scalar);
    }
};

struct LeakyRelu {
    static constexpr const char *instruction = "LeakyRelu";
    template <typename T> T operator()(T x, T slope) const
    {
        return x >= T(0) ? x : Mul()(x, slope);
    }
};

struct ShiftLeft {
    static constexpr const char *instruction = "ShiftLeft";
    template <typename T> T operator()(T x, T by) const
    {
        using bits = std::make_unsigned_t<T>;
        return (int64_t)by >= (int64_t)sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<bits>(x) << by);
    }
};

struct ShiftRight {
    static constexpr const char *instruction = "ShiftRight";
    template <typename T> T operator()(T x, T by) const
    {
        const int64_t most = (int64_t)sizeof(T) * 8 - 1;
        return static_cast<T>(x >> ((int64_t)by > most ? most : (int64_t)by));
    }
};

/* src * scalar + dst: the product is rounded to the source's type first. */
template <typename D, typename T> struct Axpy {
    T scalar;
    D operator()(D d, T x) const
    {
        return Add()(d, static_cast<D>(static_cast<computed<T>>(Mul()(x, scalar))));
    }
};
} // namespace AscendC::formula

#endif
