/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The dims of a tensor as the program has it, and as it lies in memory.
 */
#ifndef EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H
#define EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H

#include "exe_graph/runtime/shape.h"

namespace gert
{
class StorageShape
{
  public:
    StorageShape() = default;
    StorageShape(const std::initializer_list<int64_t> &origin, const std::initializer_list<int64_t> &storage)
        : origin_shape(origin), storage_shape(storage)
    {
    }
    const Shape &GetOriginShape() const
    {
        return origin_shape;
    }
    const Shape &GetStorageShape() const
    {
        return storage_shape;
    }
    Shape &MutableOriginShape()
    {
        return origin_shape;
    }
    Shape &MutableStorageShape()
    {
        return storage_shape;
    }
    bool operator==(const StorageShape &other) const
    {
        return origin_shape == other.origin_shape && storage_shape == other.storage_shape;
    }

  private:
    Shape origin_shape, storage_shape;
};
} // namespace gert

#endif
