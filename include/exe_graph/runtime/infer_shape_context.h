/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a function is given that says which dims the outputs have.
 */
#ifndef EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H
#define EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert
{
class InferShapeContext : public ExtendedKernelContext
{
  public:
    explicit InferShapeContext(belay_operator_call &of) : ExtendedKernelContext(of)
    {
    }
    /* What was set goes into the call. */
    void Deliver()
    {
        for (uint32_t i = 0; i < call.output_count; i++) {
            const Shape &shape = outputs[i].shape.GetOriginShape();
            call.output[i].rank = shape.rank;
            for (int32_t k = 0; k < shape.rank; k++)
                call.output[i].dim[k] = shape.dim[k];
        }
    }

    const Shape *GetInputShape(size_t index) const
    {
        return shape_of(at(inputs, index));
    }
    const Shape *GetOptionalInputShape(size_t parameter) const
    {
        return shape_of(input_of(parameter, 0));
    }
    const Shape *GetRequiredInputShape(size_t parameter) const
    {
        return shape_of(input_of(parameter, 0));
    }
    const Shape *GetDynamicInputShape(size_t parameter, size_t index) const
    {
        return shape_of(input_of(parameter, index));
    }
    using ExtendedKernelContext::GetDynamicInputTensor;
    using ExtendedKernelContext::GetInputTensor;
    using ExtendedKernelContext::GetOptionalInputTensor;
    using ExtendedKernelContext::GetRequiredInputTensor;
    Shape *GetOutputShape(size_t index)
    {
        return index < outputs.size() ? &outputs[index].shape.MutableOriginShape() : nullptr;
    }

  private:
    static const Shape *shape_of(const Tensor *tensor)
    {
        return tensor ? &tensor->GetOriginShape() : nullptr;
    }
};
} // namespace gert

#endif
