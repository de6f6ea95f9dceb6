/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a function is given that says which dtypes the outputs have.
 */
#ifndef EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H
#define EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert
{
class InferDataTypeContext : public ExtendedKernelContext
{
  public:
    explicit InferDataTypeContext(belay_operator_call &of) : ExtendedKernelContext(of)
    {
    }
    void Deliver()
    {
        for (uint32_t i = 0; i < call.output_count; i++)
            call.output[i].dtype = outputs[i].desc.dtype;
    }

    ge::DataType GetInputDataType(size_t index) const
    {
        return dtype_of(at(inputs, index));
    }
    ge::DataType GetOptionalInputDataType(size_t parameter) const
    {
        return dtype_of(input_of(parameter, 0));
    }
    ge::DataType GetRequiredInputDataType(size_t parameter) const
    {
        return dtype_of(input_of(parameter, 0));
    }
    ge::DataType GetDynamicInputDataType(size_t parameter, size_t index) const
    {
        return dtype_of(input_of(parameter, index));
    }
    ge::DataType GetOutputDataType(size_t index) const
    {
        return dtype_of(at(outputs, index));
    }
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType dtype)
    {
        if (index >= outputs.size())
            return ge::GRAPH_FAILED;
        outputs[index].desc.dtype = dtype;
        return ge::GRAPH_SUCCESS;
    }

  private:
    static ge::DataType dtype_of(const Tensor *tensor)
    {
        return tensor ? tensor->desc.dtype : ge::DT_UNDEFINED;
    }
};
} // namespace gert

#endif
