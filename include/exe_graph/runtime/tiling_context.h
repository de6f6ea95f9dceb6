/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a tiling function is given, and says: blocks, key, data, workspaces.
 */
#ifndef EXE_GRAPH_RUNTIME_TILING_CONTEXT_H
#define EXE_GRAPH_RUNTIME_TILING_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"
#include "platform/platform_infos_def.h"

namespace gert
{
class TilingContext : public ExtendedKernelContext
{
  public:
    TilingContext(belay_operator_call &of, const void *compiled, fe::PlatFormInfos *product)
        : ExtendedKernelContext(of), compile_info(compiled), platform(product), raw(of)
    {
    }
    ~TilingContext()
    {
        call.workspace_bytes = 0;
        for (size_t bytes : workspaces) /* more than can be counted is remembered, and refused */
            if (__builtin_add_overflow(call.workspace_bytes, bytes, &call.workspace_bytes)) {
                call.workspace_bytes = UINT64_MAX;
                break;
            }
    }

    const StorageShape *GetInputShape(size_t index) const
    {
        return shape_of(at(inputs, index));
    }
    const StorageShape *GetOutputShape(size_t index) const
    {
        return shape_of(at(outputs, index));
    }
    const StorageShape *GetOptionalInputShape(size_t parameter) const
    {
        return shape_of(input_of(parameter, 0));
    }
    const StorageShape *GetRequiredInputShape(size_t parameter) const
    {
        return shape_of(input_of(parameter, 0));
    }
    const StorageShape *GetDynamicInputShape(size_t parameter, size_t index) const
    {
        return shape_of(input_of(parameter, index));
    }
    const StorageShape *GetRequiredOutputShape(size_t parameter) const
    {
        return shape_of(output_of(parameter, 0));
    }
    const StorageShape *GetDynamicOutputShape(size_t parameter, size_t index) const
    {
        return shape_of(output_of(parameter, index));
    }
    using ExtendedKernelContext::GetDynamicInputTensor;
    using ExtendedKernelContext::GetInputTensor;
    using ExtendedKernelContext::GetOptionalInputTensor;
    using ExtendedKernelContext::GetRequiredInputTensor;
    template <typename T> const T *GetCompileInfo() const
    {
        return static_cast<const T *>(compile_info);
    }
    const void *GetCompileInfo() const
    {
        return compile_info;
    }
    fe::PlatFormInfos *GetPlatformInfo() const
    {
        return platform;
    }

    ge::graphStatus SetTilingKey(uint64_t key)
    {
        call.tiling_key = key;
        return ge::GRAPH_SUCCESS;
    }
    uint64_t GetTilingKey() const
    {
        return call.tiling_key;
    }
    ge::graphStatus SetBlockDim(uint32_t blocks)
    {
        call.blocks = blocks;
        return ge::GRAPH_SUCCESS;
    }
    uint32_t GetBlockDim() const
    {
        return call.blocks;
    }
    ge::graphStatus SetNeedAtomic(bool is_atomic)
    {
        call.is_atomic = is_atomic;
        return ge::GRAPH_SUCCESS;
    }
    bool NeedAtomic() const
    {
        return call.is_atomic != 0;
    }
    /* How a device starts the blocks changes nothing here: all of a launch are there. */
    ge::graphStatus SetScheduleMode(uint32_t mode)
    {
        schedule = mode;
        return ge::GRAPH_SUCCESS;
    }
    uint32_t GetScheduleMode() const
    {
        return schedule;
    }
    ge::graphStatus SetTilingCond(int32_t value)
    {
        condition = value;
        return ge::GRAPH_SUCCESS;
    }
    int32_t GetTilingCond() const
    {
        return condition;
    }
    ge::graphStatus SetAicpuBlockDim(uint32_t)
    {
        return ge::GRAPH_SUCCESS;
    }
    ge::graphStatus SetLocalMemorySize(uint32_t)
    {
        return ge::GRAPH_SUCCESS;
    }
    /* The same bits everywhere, whatever is asked for. */
    int32_t GetDeterministic() const
    {
        return 1;
    }
    size_t *GetWorkspaceSizes(size_t count)
    {
        workspaces.resize(count);
        return workspaces.data();
    }
    size_t GetWorkspaceNum() const
    {
        return workspaces.size();
    }
    TilingData *GetRawTilingData()
    {
        return &raw;
    }
    /* A struct that lies in the bytes of the tiling data; NULL where there is no room for it. */
    template <typename T> T *GetTilingData()
    {
        raw.SetDataSize(sizeof(T));
        return sizeof(T) <= raw.GetCapacity() ? static_cast<T *>(raw.GetData()) : nullptr;
    }

  private:
    static const StorageShape *shape_of(const Tensor *tensor)
    {
        return tensor ? &tensor->shape : nullptr;
    }

    const void *compile_info;
    fe::PlatFormInfos *platform;
    TilingData raw;
    std::vector<size_t> workspaces;
    uint32_t schedule = 0;
    int32_t condition = 0;
};
} // namespace gert

#endif
