/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Cast: of every type to every other one that an instruction has, by every way of rounding. CAST_NONE is exact, or
 * else to the nearest and ties to even. What does not fit an integer becomes the nearest one that does; NaN is 0.
 */
#ifndef ASCENDC_CAST_H
#define ASCENDC_CAST_H

#include "ascendc/elementwise.h"

namespace AscendC
{
/* Below 2^23 adding and taking away 1.5 * 2^23 leaves whole numbers; from there on all are. */
inline float whole_of(float x, RoundMode mode)
{
    const float size = x < 0 ? -x : x;
    if (!(size < 0x1p23f))
        return x;
    const float even = (x + 0x1.8p23f) - 0x1.8p23f, away = x < 0 ? -1.0f : 1.0f;
    const float below = even - (even > x ? 1.0f : 0.0f), above = even + (even < x ? 1.0f : 0.0f);
    const float cut = x < 0 ? above : below, rest = x - cut, left = rest < 0 ? -rest : rest;
    float result = even;
    switch (mode) {
    case RoundMode::CAST_FLOOR:
        result = below;
        break;
    case RoundMode::CAST_CEIL:
        result = above;
        break;
    case RoundMode::CAST_TRUNC:
        result = cut;
        break;
    case RoundMode::CAST_ROUND:
        result = left >= 0.5f ? cut + away : cut;
        break;
    case RoundMode::CAST_ODD:
        result = left != 0 && (int32_t)cut % 2 == 0 ? cut + away : cut;
        break;
    default:
        break;
    }
    return result == 0 ? __builtin_copysignf(0.0f, x) : result;
}

template <typename D> D narrowed(float x, RoundMode mode)
{
    const D nearest = static_cast<D>(x);
    const float value = static_cast<float>(nearest);
    if (mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_HYBRID ||
        value == x || x != x)
        return nearest;
    const double size = x < 0 ? -(double)x : (double)x, rounded = value < 0 ? -(double)value : (double)value;
    const uint16_t sign = (uint16_t)(nearest.bits & 0x8000), bits = (uint16_t)(nearest.bits & 0x7fff);
    const uint16_t cut = (uint16_t)(rounded > size ? bits - 1 : bits);
    const double low = (double)(float)D::of_bits(cut);
    /* The next number, where there is one: what is infinite counts as one more step. */
    const double high = 2 * low - (cut ? (double)(float)D::of_bits((uint16_t)(cut - 1)) : 0);
    const double next = (float)D::of_bits((uint16_t)(cut + 1)) - low < 1e300
                            ? (double)(float)D::of_bits((uint16_t)(cut + 1))
                            : high;
    bool up = false;
    switch (mode) {
    case RoundMode::CAST_FLOOR:
        up = x < 0;
        break;
    case RoundMode::CAST_CEIL:
        up = x > 0;
        break;
    case RoundMode::CAST_ROUND:
        up = size - low >= next - size;
        break;
    case RoundMode::CAST_ODD:
        up = cut % 2 == 0;
        break;
    default:
        break;
    }
    return D::of_bits((uint16_t)(sign | (cut + up)));
}

template <typename D, typename V> D saturated(V x)
{
    using limits = std::numeric_limits<D>;
    if (x != x)
        return 0;
    if constexpr (std::is_floating_point_v<V>) {
        /* 2^63 and its like are floats, the greatest integers are none. */
        if (x >= -(V)limits::min() && std::is_signed_v<D>)
            return limits::max();
        if (x >= (V)limits::max() && !std::is_signed_v<D>)
            return limits::max();
        return x <= (V)limits::min() ? limits::min() : static_cast<D>(x);
    } else {
        return x < (int64_t)limits::min()                       ? limits::min()
               : x > 0 && (uint64_t)x > (uint64_t)limits::max() ? limits::max()
                                                                : static_cast<D>(x);
    }
}

template <typename D, typename S> struct Conversion {
    RoundMode mode;
    float scale;

    D operator()(S x) const
    {
        if constexpr (std::is_integral_v<D> && is_float<S>) {
            return saturated<D>(whole_of(static_cast<float>(x), mode));
        } else if constexpr (std::is_integral_v<D>) {
            return saturated<D>((int64_t)x);
        } else if constexpr (std::is_same_v<D, float> && std::is_same_v<S, float>) {
            return whole_of(x, mode == RoundMode::CAST_NONE ? RoundMode::CAST_RINT : mode);
        } else if constexpr (std::is_same_v<D, float> && std::is_same_v<S, int64_t>) {
            /* Through a double: exact to 2^53, and rounded once more beyond. */
            return static_cast<float>(static_cast<double>(x));
        } else if constexpr (std::is_same_v<D, float>) {
            return static_cast<float>(x);
        } else if constexpr (std::is_same_v<S, int32_t> && std::is_same_v<D, half>) {
            return narrowed<D>(static_cast<float>(x) * scale, mode);
        } else {
            return narrowed<D>(static_cast<float>(x), mode);
        }
    }
};

template <typename T, typename U, RoundMode mode> U ScalarCast(T value)
{
    return Conversion<U, T>{mode, 1.0f}(value);
}

/* To the nearest, without a look at the mode for each element. */
template <typename D, typename S> struct NearestConversion {
    D operator()(S x) const
    {
        return Conversion<D, S>{RoundMode::CAST_RINT, 1.0f}(x);
    }
};

template <typename D, typename S>
void cast(const belay_chip_place &place, const Lanes &l, RoundMode mode, const Side<D> &d, const Side<S> &s)
{
    constexpr bool scaled = std::is_same_v<S, int32_t> && std::is_same_v<D, half>;
    if ((mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT) && !scaled)
        run(place, l, NearestConversion<D, S>(), d, s);
    else
        run(place, l, Conversion<D, S>{mode, belay_chip_now()->scale}, d, s);
}

template <typename D, typename S>
void Cast(const LocalTensor<D> &dst, const LocalTensor<S> &src, const RoundMode &roundMode, uint32_t count,
          const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Cast");
    if constexpr (std::is_same_v<D, int4b_t>) {
        belay_chip *chip = belay_chip_now();
        issue(chip, PIPE_V);
        access_tensor(place, chip, PIPE_V, src, (uint64_t)count * sizeof(S), false);
        access_tensor(place, chip, PIPE_V, dst, (count + 1) / 2, true);
        for (uint32_t i = 0; i < count; i++) {
            const int whole = saturated<int8_t>(whole_of(static_cast<float>(*src.at(i)), roundMode));
            const int nibble = (whole < -8 ? -8 : whole > 7 ? 7 : whole) & 15;
            uint8_t &both = dst.address[i / 2];
            both = (uint8_t)(i % 2 ? (both & 15) | nibble << 4 : (both & 0xf0) | nibble);
        }
    } else if constexpr (std::is_same_v<S, int4b_t>) {
        belay_chip *chip = belay_chip_now();
        issue(chip, PIPE_V);
        access_tensor(place, chip, PIPE_V, src, (count + 1) / 2, false);
        access_tensor(place, chip, PIPE_V, dst, (uint64_t)count * sizeof(D), true);
        for (uint32_t i = count; i-- > 0;) {
            const int nibble = src.address[i / 2] >> (i % 2 ? 4 : 0) & 15;
            *dst.at(i) = static_cast<D>(nibble >= 8 ? nibble - 16 : nibble);
        }
    } else {
        cast(place, lanes_of_count(count), roundMode, plain(dst), plain(src));
    }
}

template <typename D, typename S, bool isSetMask = true>
void Cast(const LocalTensor<D> &dst, const LocalTensor<S> &src, const RoundMode &roundMode, uint64_t mask,
          int64_t repeatTimes, const UnaryRepeatParams &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Cast");
    cast(place, lanes_of_mask(place, mask, repeatTimes, lanes_for<D, S>, isSetMask), roundMode,
         Side<D>{dst, p.dstBlkStride, p.dstRepStride}, Side<S>{src, p.srcBlkStride, p.srcRepStride});
}

template <typename D, typename S, bool isSetMask = true>
void Cast(const LocalTensor<D> &dst, const LocalTensor<S> &src, const RoundMode &roundMode, uint64_t mask[],
          int64_t repeatTimes, const UnaryRepeatParams &p, const Where &at = BELAY_HERE)
{
    const belay_chip_place place = at.of("Cast");
    cast(place, lanes_of_bits(place, mask, repeatTimes, lanes_for<D, S>, isSetMask), roundMode,
         Side<D>{dst, p.dstBlkStride, p.dstRepStride}, Side<S>{src, p.srcBlkStride, p.srcRepStride});
}

/* The factor of casts of int32 to half. */
inline void SetDeqScale(float scale)
{
    belay_chip_now()->scale = scale;
}

inline void SetDeqScale(half scale)
{
    belay_chip_now()->scale = (float)scale;
}

/* int32 to half by that factor. */
template <typename D, typename S>
void CastDeq(const LocalTensor<D> &dst, const LocalTensor<S> &src, uint32_t count,
             const Where &at = BELAY_HERE)
{
    Cast(dst, src, RoundMode::CAST_NONE, count, at);
}

/* Two instructions in one: what the first one gives is rounded to the source's type, and cast. */
template <typename F, typename D, typename S>
void cast_of_two(const belay_chip_place &place, const LocalTensor<D> &dst, const LocalTensor<S> &src0,
                 const LocalTensor<S> &src1, uint32_t count)
{
    const auto f = [](S x, S y) { return NearestConversion<D, S>()(F()(x, y)); };
    run(place, lanes_of_count(count), f, plain(dst), plain(src0), plain(src1));
}

template <typename D, typename S>
void AddReluCast(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,
                 uint32_t count, const Where &at = BELAY_HERE)
{
    cast_of_two<formula::AddRelu>(at.of("AddReluCast"), dst, src0, src1, count);
}

template <typename D, typename S>
void SubReluCast(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,
                 uint32_t count, const Where &at = BELAY_HERE)
{
    cast_of_two<formula::SubRelu>(at.of("SubReluCast"), dst, src0, src1, count);
}

template <typename D, typename S, bool isSetMask = true>
void MulCast(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1,
             uint32_t count, const Where &at = BELAY_HERE)
{
    cast_of_two<formula::Mul>(at.of("MulCast"), dst, src0, src1, count);
}
} // namespace AscendC

#endif
