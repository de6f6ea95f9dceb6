/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers of an attribute that is a list.
 */
#ifndef EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H
#define EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H

#include <cstddef>

namespace gert
{
class ContinuousVector
{
  public:
    size_t GetSize() const
    {
        return count;
    }
    size_t GetCapacity() const
    {
        return count;
    }
    const void *GetData() const
    {
        return values;
    }

    const void *values = nullptr;
    size_t count = 0;
};

template <typename T> class TypedContinuousVector : public ContinuousVector
{
  public:
    const T *GetData() const
    {
        return static_cast<const T *>(values);
    }
};
} // namespace gert

#endif
