/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The dims of a tensor, as the host side of operators sees and sets them.
 */
#ifndef EXE_GRAPH_RUNTIME_SHAPE_H
#define EXE_GRAPH_RUNTIME_SHAPE_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "register/belay_operator.h"

namespace gert
{
class Shape
{
  public:
    static constexpr size_t kMaxDimNum = BELAY_OPERATOR_DIMS;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() : rank(0), dim()
    {
    }
    Shape(const std::initializer_list<int64_t> &dims) : Shape()
    {
        for (int64_t each : dims)
            AppendDim(each);
    }

    size_t GetDimNum() const
    {
        return rank > 0 ? static_cast<size_t>(rank) : 0;
    }
    void SetDimNum(size_t count)
    {
        rank = count <= kMaxDimNum ? static_cast<int32_t>(count) : static_cast<int32_t>(kMaxDimNum);
    }
    int64_t GetDim(size_t index) const
    {
        return index < GetDimNum() ? dim[index] : kInvalidDimValue;
    }
    int64_t operator[](size_t index) const
    {
        return GetDim(index);
    }
    int64_t &operator[](size_t index)
    {
        return dim[index < kMaxDimNum ? index : kMaxDimNum - 1];
    }
    void SetDim(size_t index, int64_t value)
    {
        if (index < kMaxDimNum)
            dim[index] = value;
    }
    Shape &AppendDim(int64_t value)
    {
        const size_t at = GetDimNum();
        if (at < kMaxDimNum) {
            rank = static_cast<int32_t>(at) + 1;
            dim[at] = value;
        }
        return *this;
    }
    void SetScalar()
    {
        rank = 0;
    }
    bool IsScalar() const
    {
        return rank == 0;
    }
    /* Of a scalar 1; negative where a dim is not known. */
    int64_t GetShapeSize() const
    {
        int64_t count = 1;
        for (size_t i = 0; i < GetDimNum(); i++) {
            if (dim[i] < 0)
                return -1;
            if (__builtin_mul_overflow(count, dim[i], &count))
                return -1;
        }
        return count;
    }
    bool operator==(const Shape &other) const
    {
        if (rank != other.rank)
            return false;
        for (size_t i = 0; i < GetDimNum(); i++)
            if (dim[i] != other.dim[i])
                return false;
        return true;
    }
    bool operator!=(const Shape &other) const
    {
        return !(*this == other);
    }

    /* -1 until something is set in an output whose dims are asked for. */
    int32_t rank;
    int64_t dim[kMaxDimNum];
};
} // namespace gert

#endif
