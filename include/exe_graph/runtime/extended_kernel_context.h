/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A call as the functions of op_host see it. Inputs and outputs have two numbers: that of the tensor, and that of the
 * parameter in the definition, which may have no tensor, or a list of them.
 */
#ifndef EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H
#define EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H

#include <vector>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"

namespace gert
{
/* Where the tensors of a parameter are. */
class AnchorInstanceInfo
{
  public:
    size_t GetInstanceStart() const
    {
        return first;
    }
    size_t GetInstanceNum() const
    {
        return count;
    }

    size_t first = 0, count = 0;
};

class ExtendedKernelContext
{
  public:
    explicit ExtendedKernelContext(belay_operator_call &of) : call(of), attrs(of)
    {
        read(of.input, of.input_count, inputs);
        read(of.output, of.output_count, outputs);
    }
    ExtendedKernelContext(const ExtendedKernelContext &) = delete;
    ExtendedKernelContext &operator=(const ExtendedKernelContext &) = delete;

    const char *GetNodeName() const
    {
        return call.name;
    }
    const char *GetNodeType() const
    {
        return call.name;
    }
    const RuntimeAttrs *GetAttrs() const
    {
        return &attrs;
    }
    size_t GetComputeNodeInputNum() const
    {
        return inputs.size();
    }
    size_t GetComputeNodeOutputNum() const
    {
        return outputs.size();
    }
    const CompileTimeTensorDesc *GetInputDesc(size_t index) const
    {
        const Tensor *tensor = at(inputs, index);
        return tensor ? &tensor->desc : nullptr;
    }
    const CompileTimeTensorDesc *GetOutputDesc(size_t index) const
    {
        const Tensor *tensor = at(outputs, index);
        return tensor ? &tensor->desc : nullptr;
    }
    const CompileTimeTensorDesc *GetOptionalInputDesc(size_t parameter) const
    {
        return GetDynamicInputDesc(parameter, 0);
    }
    const CompileTimeTensorDesc *GetRequiredInputDesc(size_t parameter) const
    {
        return GetDynamicInputDesc(parameter, 0);
    }
    const CompileTimeTensorDesc *GetDynamicInputDesc(size_t parameter, size_t index) const
    {
        const Tensor *tensor = input_of(parameter, index);
        return tensor ? &tensor->desc : nullptr;
    }
    const CompileTimeTensorDesc *GetRequiredOutputDesc(size_t parameter) const
    {
        return GetDynamicOutputDesc(parameter, 0);
    }
    const CompileTimeTensorDesc *GetDynamicOutputDesc(size_t parameter, size_t index) const
    {
        const Tensor *tensor = output_of(parameter, index);
        return tensor ? &tensor->desc : nullptr;
    }
    const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t parameter) const
    {
        return instance(call.first_input, parameter, info);
    }
    const AnchorInstanceInfo *GetIrOutputInstanceInfo(size_t parameter) const
    {
        return instance(call.first_output, parameter, info);
    }
    /* The same object, of which public code asks for the numbers of inputs and outputs. */
    const ExtendedKernelContext *GetComputeNodeInfo() const
    {
        return this;
    }
    size_t GetInputsNum() const
    {
        return inputs.size();
    }
    size_t GetOutputsNum() const
    {
        return outputs.size();
    }
    size_t GetIrInputsNum() const
    {
        return count_of(call.first_input);
    }

    belay_operator_call &call;

  protected:
    const Tensor *input_of(size_t parameter, size_t index) const
    {
        return of(call.first_input, inputs, parameter, index);
    }
    const Tensor *output_of(size_t parameter, size_t index) const
    {
        return of(call.first_output, outputs, parameter, index);
    }
    static const Tensor *at(const std::vector<Tensor> &list, size_t index)
    {
        return index < list.size() ? &list[index] : nullptr;
    }
    /* What contexts with the tensors' values have, which say so. */
    const Tensor *GetInputTensor(size_t index) const
    {
        return at(inputs, index);
    }
    const Tensor *GetOptionalInputTensor(size_t parameter) const
    {
        return input_of(parameter, 0);
    }
    const Tensor *GetRequiredInputTensor(size_t parameter) const
    {
        return input_of(parameter, 0);
    }
    const Tensor *GetDynamicInputTensor(size_t parameter, size_t index) const
    {
        return input_of(parameter, index);
    }

    RuntimeAttrs attrs;
    std::vector<Tensor> inputs, outputs;

  private:
    /* An end is behind the last parameter's, of which the number is the list's own. */
    static size_t count_of(const uint32_t *first)
    {
        size_t count = 0;
        while (first[count] != UINT32_MAX)
            count++;
        return count - 1;
    }
    static const Tensor *of(const uint32_t *first, const std::vector<Tensor> &list, size_t parameter,
                            size_t index)
    {
        if (parameter >= count_of(first) || index >= first[parameter + 1] - first[parameter])
            return nullptr;
        return at(list, first[parameter] + index);
    }
    static const AnchorInstanceInfo *instance(const uint32_t *first, size_t parameter, AnchorInstanceInfo &to)
    {
        if (parameter >= count_of(first))
            return nullptr;
        to.first = first[parameter];
        to.count = first[parameter + 1] - first[parameter];
        return &to;
    }
    static void read_shape(int32_t rank, const int64_t *dim, Shape &shape)
    {
        shape.rank = rank;
        for (int32_t i = 0; i < rank; i++)
            shape.dim[i] = dim[i];
    }
    static void read(const belay_operator_tensor *from, uint32_t count, std::vector<Tensor> &to)
    {
        to.resize(count);
        for (uint32_t i = 0; i < count; i++) {
            read_shape(from[i].rank, from[i].dim, to[i].shape.MutableOriginShape());
            read_shape(from[i].storage_rank, from[i].storage_dim, to[i].shape.MutableStorageShape());
            to[i].desc.dtype = static_cast<ge::DataType>(from[i].dtype);
            to[i].desc.origin_format = static_cast<ge::Format>(from[i].format);
            to[i].desc.storage_format = static_cast<ge::Format>(from[i].storage_format);
            to[i].data = from[i].data;
        }
    }

    mutable AnchorInstanceInfo info;
};
} // namespace gert

#endif
