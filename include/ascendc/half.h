/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * half and bfloat16_t, the floats of 16 bits that kernels compute with. Each step of half's arithmetic is rounded to
 * half, to the nearest and ties to even; a step in float and its rounding give that result, as float has more than
 * twice as many digits.
 */
#ifndef ASCENDC_HALF_H
#define ASCENDC_HALF_H

#include <cstdint>
#include <limits>
#include <type_traits>

namespace belay_kernel
{
constexpr uint32_t bits_of(float x)
{
    return __builtin_bit_cast(uint32_t, x);
}

constexpr float float_of(uint32_t bits)
{
    return __builtin_bit_cast(float, bits);
}

constexpr float half_to_float(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7fff;
    /* The exponent moves by 112; what was subnormal is a multiple of 2^-24. */
    const float normal = float_of((rest << 13) + (224u << 23)) * 0x1p-112f;
    const float subnormal = float_of(rest | 126u << 23) - 0.5f;
    return float_of(sign | bits_of(rest < 0x400 ? subnormal : normal));
}

constexpr uint16_t half_from_float(float x)
{
    const uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    const uint32_t normal = (rest + 0xfff + (rest >> 13 & 1) - (112u << 23)) >> 13;
    /* Adding 0.5 leaves the multiple of 2^-24 in the lowest bits, rounded. */
    const uint32_t subnormal = bits_of(float_of(rest < 0x38800000 ? rest : 0) + 0.5f) - 0x3f000000;
    const uint32_t finite = rest < 0x38800000 ? subnormal : rest >= 0x477ff000 ? 0x7c00 : normal;
    return (uint16_t)(sign | (rest > 0x7f800000 ? 0x7e00 | (rest >> 13 & 0x3ff) : finite));
}

constexpr float bfloat16_to_float(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

constexpr uint16_t bfloat16_from_float(float x)
{
    const uint32_t bits = bits_of(x);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16 | 0x40) : rounded);
}

template <typename T> using if_number = std::enable_if_t<std::is_arithmetic_v<T>, int>;
template <typename T> using if_integer = std::enable_if_t<std::is_integral_v<T>, int>;
template <typename T> using if_float = std::enable_if_t<std::is_floating_point_v<T>, int>;
} // namespace belay_kernel

struct bfloat16_t;

struct half {
    uint16_t bits;

    half() = default;
    template <typename T, belay_kernel::if_number<T> = 0>
    constexpr half(T x) : bits(belay_kernel::half_from_float(static_cast<float>(x)))
    {
    }
    constexpr explicit half(const bfloat16_t &x);
    constexpr operator float() const
    {
        return belay_kernel::half_to_float(bits);
    }
    constexpr half operator-() const
    {
        return of_bits((uint16_t)(bits ^ 0x8000));
    }
    constexpr half operator+() const
    {
        return *this;
    }
    static constexpr half of_bits(uint16_t bits)
    {
        half x{};
        x.bits = bits;
        return x;
    }
    template <typename T> constexpr half &operator+=(const T &y)
    {
        return *this = half((float)*this + (float)y);
    }
    template <typename T> constexpr half &operator-=(const T &y)
    {
        return *this = half((float)*this - (float)y);
    }
    template <typename T> constexpr half &operator*=(const T &y)
    {
        return *this = half((float)*this * (float)y);
    }
    template <typename T> constexpr half &operator/=(const T &y)
    {
        return *this = half((float)*this / (float)y);
    }
};

/* By converting explicitly as a device does; integers alone convert by themselves, as zeros in parameters do. */
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    template <typename T, belay_kernel::if_integer<T> = 0>
    constexpr bfloat16_t(T x) : bits(belay_kernel::bfloat16_from_float(static_cast<float>(x)))
    {
    }
    template <typename T, belay_kernel::if_float<T> = 0, int = 0>
    constexpr explicit bfloat16_t(T x) : bits(belay_kernel::bfloat16_from_float(static_cast<float>(x)))
    {
    }
    constexpr explicit bfloat16_t(const half &x) : bits(belay_kernel::bfloat16_from_float((float)x))
    {
    }
    constexpr operator float() const
    {
        return belay_kernel::bfloat16_to_float(bits);
    }
    static constexpr bfloat16_t of_bits(uint16_t bits)
    {
        bfloat16_t x{};
        x.bits = bits;
        return x;
    }
};

constexpr half::half(const bfloat16_t &x) : bits(belay_kernel::half_from_float((float)x))
{
}

/* Two halves give a half; a half and an integer too; a half and a wider float give that float. */
#define BELAY_HALF_ARITHMETIC(sign)                                                                      \
    constexpr half operator sign(half x, half y)                                                         \
    {                                                                                                    \
        return half((float)x sign(float) y);                                                             \
    }                                                                                                    \
    template <typename T, belay_kernel::if_integer<T> = 0> constexpr half operator sign(half x, T y)     \
    {                                                                                                    \
        return half((float)x sign(float) half(y));                                                       \
    }                                                                                                    \
    template <typename T, belay_kernel::if_integer<T> = 0> constexpr half operator sign(T x, half y)     \
    {                                                                                                    \
        return half((float)half(x) sign(float) y);                                                       \
    }                                                                                                    \
    template <typename T, belay_kernel::if_float<T> = 0, int = 0> constexpr T operator sign(half x, T y) \
    {                                                                                                    \
        return (float)x sign y;                                                                          \
    }                                                                                                    \
    template <typename T, belay_kernel::if_float<T> = 0, int = 0> constexpr T operator sign(T x, half y) \
    {                                                                                                    \
        return x sign(float) y;                                                                          \
    }
BELAY_HALF_ARITHMETIC(+)
BELAY_HALF_ARITHMETIC(-)
BELAY_HALF_ARITHMETIC(*)
BELAY_HALF_ARITHMETIC(/)
#undef BELAY_HALF_ARITHMETIC

#define BELAY_HALF_COMPARISON(sign)                                                                 \
    constexpr bool operator sign(half x, half y)                                                    \
    {                                                                                               \
        return (float)x sign(float) y;                                                              \
    }                                                                                               \
    template <typename T, belay_kernel::if_number<T> = 0> constexpr bool operator sign(half x, T y) \
    {                                                                                               \
        return (float)x sign y;                                                                     \
    }                                                                                               \
    template <typename T, belay_kernel::if_number<T> = 0> constexpr bool operator sign(T x, half y) \
    {                                                                                               \
        return x sign(float) y;                                                                     \
    }
BELAY_HALF_COMPARISON(<)
BELAY_HALF_COMPARISON(>)
BELAY_HALF_COMPARISON(<=)
BELAY_HALF_COMPARISON(>=)
BELAY_HALF_COMPARISON(==)
BELAY_HALF_COMPARISON(!=)
#undef BELAY_HALF_COMPARISON

namespace belay_kernel
{
/* What the two have in common; the last numbers are bits. */
template <typename T, int precision, int greatest_exponent, int least_exponent, uint16_t least,
          uint16_t greatest, uint16_t step, uint16_t infinite>
struct limits_of {
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
    static constexpr bool has_infinity = true, has_quiet_NaN = true;
    static constexpr int digits = precision, max_exponent = greatest_exponent, min_exponent = least_exponent;
    static constexpr T min()
    {
        return T::of_bits(least);
    }
    static constexpr T max()
    {
        return T::of_bits(greatest);
    }
    static constexpr T lowest()
    {
        return T::of_bits(0x8000 | greatest);
    }
    static constexpr T epsilon()
    {
        return T::of_bits(step);
    }
    static constexpr T infinity()
    {
        return T::of_bits(infinite);
    }
    /* The highest bit behind the exponent's. */
    static constexpr T quiet_NaN()
    {
        return T::of_bits((uint16_t)(infinite | 1 << (precision - 2)));
    }
};
} // namespace belay_kernel

template <>
struct std::numeric_limits<half>
    : belay_kernel::limits_of<half, 11, 16, -13, 0x0400, 0x7bff, 0x1400, 0x7c00> {
};
template <>
struct std::numeric_limits<bfloat16_t>
    : belay_kernel::limits_of<bfloat16_t, 8, 128, -125, 0x0080, 0x7f7f, 0x3c00, 0x7f80> {
};

#endif
