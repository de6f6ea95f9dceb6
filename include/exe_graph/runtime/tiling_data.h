/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bytes that a tiling function leaves for the kernel.
 */
#ifndef EXE_GRAPH_RUNTIME_TILING_DATA_H
#define EXE_GRAPH_RUNTIME_TILING_DATA_H

#include <cstring>

#include "graph/types.h"
#include "register/belay_operator.h"

namespace gert
{
class TilingData
{
  public:
    explicit TilingData(belay_operator_call &of) : call(of)
    {
    }
    void *GetData()
    {
        return call.tiling;
    }
    const void *GetData() const
    {
        return call.tiling;
    }
    size_t GetCapacity() const
    {
        return call.tiling_room;
    }
    size_t GetDataSize() const
    {
        return call.tiling_bytes;
    }
    /* More than there is room for is remembered, and refused. */
    void SetDataSize(size_t bytes)
    {
        call.tiling_bytes = bytes;
    }
    template <typename T> ge::graphStatus Append(const T &value)
    {
        const uint64_t at = call.tiling_bytes;
        if (__builtin_add_overflow(at, sizeof value, &call.tiling_bytes))
            call.tiling_bytes = UINT64_MAX;
        if (call.tiling_bytes > call.tiling_room)
            return ge::GRAPH_FAILED;
        std::memcpy(call.tiling + at, &value, sizeof value);
        return ge::GRAPH_SUCCESS;
    }

  private:
    belay_operator_call &call;
};
} // namespace gert

#endif
