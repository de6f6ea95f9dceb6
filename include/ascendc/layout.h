/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Shapes, strides and coordinates as tuples of numbers, which may be known to the compiler, and layouts: what place a
 * coordinate has. Std has what kernels take of C++'s library.
 */
#ifndef ASCENDC_LAYOUT_H
#define ASCENDC_LAYOUT_H

#include "ascendc/types.h"

#include <tuple>

namespace AscendC
{
namespace Std
{
using std::add_const;
using std::add_lvalue_reference;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::declval;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::get;
using std::index_sequence;
using std::index_sequence_for;
using std::integer_sequence;
using std::integral_constant;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_integral;
using std::is_integral_v;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::is_void_v;
using std::make_index_sequence;
using std::make_integer_sequence;
using std::make_tuple;
using std::move;
using std::remove_const;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_cvref_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::tie;
using std::true_type;
using std::tuple;
using std::tuple_cat;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;
using std::void_t;

template <size_t value> using Int = std::integral_constant<size_t, value>;

/* Of numbers of two types, as the first one has it. */
template <typename T, typename U> constexpr T min(const T x, const U y)
{
    return x < static_cast<T>(y) ? x : static_cast<T>(y);
}

template <typename T, typename U> constexpr T max(const T x, const U y)
{
    return x < static_cast<T>(y) ? static_cast<T>(y) : x;
}

template <typename T> constexpr T abs(const T x)
{
    return x < T(0) ? static_cast<T>(-x) : x;
}

template <typename T> void swap(T &x, T &y)
{
    const T first = x;
    x = y;
    y = first;
}
} // namespace Std

template <typename... T> using Shape = std::tuple<T...>;
template <typename... T> using Stride = std::tuple<T...>;
template <typename... T> using Coord = std::tuple<T...>;
template <typename... T> using Tile = std::tuple<T...>;

template <typename... T> constexpr Shape<T...> MakeShape(const T &...extent)
{
    return {extent...};
}

template <typename... T> constexpr Stride<T...> MakeStride(const T &...step)
{
    return {step...};
}

template <typename... T> constexpr Coord<T...> MakeCoord(const T &...index)
{
    return {index...};
}

template <typename... T> constexpr Tile<T...> MakeTile(const T &...extent)
{
    return {extent...};
}

template <typename T> struct IsTuple : std::false_type {
};
template <typename... T> struct IsTuple<std::tuple<T...>> : std::true_type {
};

/* The product of all that stands in a shape, which may be nested. */
template <typename S> constexpr uint64_t elements_of(const S &shape)
{
    if constexpr (IsTuple<S>::value)
        return std::apply([](const auto &...extent) { return (uint64_t(1) * ... * elements_of(extent)); },
                          shape);
    else
        return static_cast<uint64_t>(shape);
}

/* A coordinate's place: nested ones by their own strides; a number where the shape is a tuple counts through it, the
 * first dim fastest. */
template <typename C, typename S, typename D>
constexpr uint64_t place_of(const C &coord, const S &shape, const D &stride);

template <typename C, typename S, typename D, size_t... at>
constexpr uint64_t place_of_dims(const C &coord, const S &shape, const D &stride, std::index_sequence<at...>)
{
    if constexpr (IsTuple<C>::value) {
        return (uint64_t(0) + ... + place_of(std::get<at>(coord), std::get<at>(shape), std::get<at>(stride)));
    } else {
        uint64_t rest = static_cast<uint64_t>(coord), sum = 0;
        const auto next = [&](const auto &extent, const auto &step, bool last) {
            const uint64_t size = elements_of(extent);
            sum += place_of(last ? rest : rest % size, extent, step);
            rest /= size;
        };
        (next(std::get<at>(shape), std::get<at>(stride), at + 1 == sizeof...(at)), ...);
        return sum;
    }
}

template <typename C, typename S, typename D>
constexpr uint64_t place_of(const C &coord, const S &shape, const D &stride)
{
    if constexpr (IsTuple<S>::value)
        return place_of_dims(coord, shape, stride, std::make_index_sequence<std::tuple_size_v<S>>());
    else
        return static_cast<uint64_t>(coord) * static_cast<uint64_t>(stride);
}

template <typename ShapeType, typename StrideType> struct Layout {
    ShapeType extents{};
    StrideType steps{};

    constexpr Layout(const ShapeType &shape = {}, const StrideType &stride = {})
        : extents(shape), steps(stride)
    {
    }
    constexpr decltype(auto) layout() const
    {
        return *this;
    }
    constexpr const ShapeType &GetShape() const
    {
        return extents;
    }
    constexpr const StrideType &GetStride() const
    {
        return steps;
    }
    constexpr ShapeType &GetShape()
    {
        return extents;
    }
    constexpr StrideType &GetStride()
    {
        return steps;
    }
    template <typename C> constexpr uint64_t operator()(const C &coord) const
    {
        return place_of(coord, extents, steps);
    }
};

template <typename S, typename D> constexpr Layout<S, D> MakeLayout(const S &shape, const D &stride)
{
    return {shape, stride};
}

template <typename C, typename S, typename D>
constexpr uint64_t Crd2Idx(const C &coord, const Layout<S, D> &layout)
{
    return layout(coord);
}

template <typename C, typename S, typename D>
constexpr uint64_t Crd2Idx(const C &coord, const S &shape, const D &stride)
{
    return place_of(coord, shape, stride);
}

template <size_t at, typename... T> constexpr decltype(auto) Get(const std::tuple<T...> &of)
{
    return std::get<at>(of);
}
template <size_t at, typename... T> constexpr decltype(auto) Get(std::tuple<T...> &of)
{
    return std::get<at>(of);
}

/* How many units of b it takes for a. */
constexpr int32_t CeilDivision(int32_t a, int32_t b)
{
    return b == 0 ? 0 : (a + b - 1) / b;
}

constexpr uint32_t GetDataBlockSizeInBytes()
{
    return ONE_BLK_SIZE;
}

/* Elements of a block. */
template <typename T> constexpr int32_t AuxGetC0Size()
{
    return static_cast<int32_t>(ONE_BLK_SIZE / sizeof(T));
}
} // namespace AscendC

#endif
