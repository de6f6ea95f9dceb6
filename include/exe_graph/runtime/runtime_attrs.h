/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The attributes of a call, by their places in the definition.
 */
#ifndef EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H
#define EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H

#include <type_traits>
#include <vector>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tensor.h"

namespace gert
{
class RuntimeAttrs
{
  public:
    /* Where the value lies: an INT64, a float, a bool, the first character of a text, a ContinuousVector. */
    template <typename T> const T *GetAttrPointer(size_t index) const
    {
        return static_cast<const T *>(find(index));
    }
    const int64_t *GetInt(size_t index) const
    {
        return static_cast<const int64_t *>(find(index, BELAY_ATTRIBUTE_INT));
    }
    const float *GetFloat(size_t index) const
    {
        return static_cast<const float *>(find(index, BELAY_ATTRIBUTE_FLOAT));
    }
    const bool *GetBool(size_t index) const
    {
        return static_cast<const bool *>(find(index, BELAY_ATTRIBUTE_BOOL));
    }
    const char *GetStr(size_t index) const
    {
        return static_cast<const char *>(find(index, BELAY_ATTRIBUTE_STRING));
    }
    const TypedContinuousVector<int64_t> *GetListInt(size_t index) const
    {
        return static_cast<const TypedContinuousVector<int64_t> *>(list_at(index, BELAY_ATTRIBUTE_INTS));
    }
    const TypedContinuousVector<float> *GetListFloat(size_t index) const
    {
        return static_cast<const TypedContinuousVector<float> *>(list_at(index, BELAY_ATTRIBUTE_FLOATS));
    }
    const TypedContinuousVector<bool> *GetListBool(size_t index) const
    {
        return static_cast<const TypedContinuousVector<bool> *>(list_at(index, BELAY_ATTRIBUTE_BOOLS));
    }
    size_t GetAttrNum() const
    {
        return count;
    }

    RuntimeAttrs() = default;
    explicit RuntimeAttrs(const belay_operator_call &call)
        : value(call.attribute), count(call.attribute_count), lists(call.attribute_count)
    {
        for (size_t i = 0; i < count; i++) {
            lists[i].values = value[i].list;
            lists[i].count = value[i].count;
        }
    }

  private:
    const void *find(size_t index) const
    {
        if (index >= count)
            return nullptr;
        switch (value[index].kind) {
        case BELAY_ATTRIBUTE_INT:
            return &value[index].integer;
        case BELAY_ATTRIBUTE_FLOAT:
            return &value[index].number;
        case BELAY_ATTRIBUTE_BOOL:
            return &value[index].truth;
        case BELAY_ATTRIBUTE_STRING:
            return value[index].text;
        default:
            return &lists[index];
        }
    }
    const void *find(size_t index, uint32_t kind) const
    {
        return index < count && value[index].kind == kind ? find(index) : nullptr;
    }
    const ContinuousVector *list_at(size_t index, uint32_t kind) const
    {
        return static_cast<const ContinuousVector *>(find(index, kind));
    }

    const belay_operator_value *value = nullptr;
    size_t count = 0;
    std::vector<ContinuousVector> lists;
};
} // namespace gert

#endif
