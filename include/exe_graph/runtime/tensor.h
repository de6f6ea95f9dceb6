/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor of a call: dims, dtype, format, and the numbers of one whose values the host knows.
 */
#ifndef EXE_GRAPH_RUNTIME_TENSOR_H
#define EXE_GRAPH_RUNTIME_TENSOR_H

#include "exe_graph/runtime/storage_shape.h"
#include "graph/types.h"

namespace gert
{
/* What a tensor is before there is one. */
class CompileTimeTensorDesc
{
  public:
    ge::DataType GetDataType() const
    {
        return dtype;
    }
    void SetDataType(ge::DataType value)
    {
        dtype = value;
    }
    ge::Format GetOriginFormat() const
    {
        return origin_format;
    }
    ge::Format GetStorageFormat() const
    {
        return storage_format;
    }
    struct BothFormats {
        ge::Format origin, storage;
        ge::Format GetOriginFormat() const
        {
            return origin;
        }
        ge::Format GetStorageFormat() const
        {
            return storage;
        }
    };
    BothFormats GetFormat() const
    {
        return {origin_format, storage_format};
    }

    ge::DataType dtype = ge::DT_UNDEFINED;
    ge::Format origin_format = ge::FORMAT_ND, storage_format = ge::FORMAT_ND;
};

class Tensor
{
  public:
    const Shape &GetOriginShape() const
    {
        return shape.GetOriginShape();
    }
    const Shape &GetStorageShape() const
    {
        return shape.GetStorageShape();
    }
    const StorageShape &GetShape() const
    {
        return shape;
    }
    ge::DataType GetDataType() const
    {
        return desc.dtype;
    }
    ge::Format GetOriginFormat() const
    {
        return desc.origin_format;
    }
    ge::Format GetStorageFormat() const
    {
        return desc.storage_format;
    }
    int64_t GetShapeSize() const
    {
        return shape.GetStorageShape().GetShapeSize();
    }
    size_t GetSize() const
    {
        const int64_t count = GetShapeSize();
        const int bytes = ge::GetSizeByDataType(desc.dtype);
        return count > 0 && bytes > 0 ? static_cast<size_t>(count) * static_cast<size_t>(bytes) : 0;
    }
    /* NULL but for an input of which ValueDepend says that the host has its numbers. */
    template <typename T> const T *GetData() const
    {
        return static_cast<const T *>(data);
    }
    template <typename T> T *GetData()
    {
        return static_cast<T *>(data);
    }
    const void *GetAddr() const
    {
        return data;
    }

    StorageShape shape;
    CompileTimeTensorDesc desc;
    void *data = nullptr;
};
} // namespace gert

#endif
