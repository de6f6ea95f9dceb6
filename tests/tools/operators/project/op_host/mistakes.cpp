/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Operators that are wrong, each in the way that `kind` says; kind 0 is right: var is doubled in place. */
#include <cstdint>
#include <stdexcept>

#include "../op_kernel/mistakes_tiling.h"
#include "register/op_def_registry.h"

namespace optiling
{
static ge::graphStatus MistakesTiling(gert::TilingContext *context)
{
    const int64_t kind = *context->GetAttrs()->GetInt(0);
    MistakesTilingData *data = context->GetTilingData<MistakesTilingData>();
    data->count = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    context->SetBlockDim(kind == 1 ? 0 : 1);
    context->SetTilingKey(kind == 2 ? 77 : 5);
    if (kind == 3)
        context->GetRawTilingData()->SetDataSize(size_t(1) << 30);
    if (kind == 4)
        throw std::runtime_error("tiles are out");
    if (kind == 5)
        context->GetRawTilingData()->SetDataSize(2);
    if (kind == 9)
        *context->GetWorkspaceSizes(1) = SIZE_MAX;
    if (kind == 10) {
        size_t *bytes = context->GetWorkspaceSizes(2);
        bytes[0] = bytes[1] = size_t(1) << 63;
    }
    if (kind == 11) {
        context->GetRawTilingData()->SetDataSize(SIZE_MAX - 2);
        context->GetRawTilingData()->Append(kind);
    }
    return kind == 6 ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
}
} // namespace optiling

namespace ge
{
static graphStatus MistakesShape(gert::InferShapeContext *context)
{
    if (*context->GetAttrs()->GetInt(0) == 7)
        return GRAPH_FAILED;
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
static graphStatus MistakesDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, *context->GetAttrs()->GetInt(0) == 8 ? DT_INT8
                                                                              : context->GetInputDataType(0));
}
} // namespace ge

namespace ops
{
class Mistakes : public OpDef
{
  public:
    explicit Mistakes(const char *name) : OpDef(name)
    {
        this->Input("var")
            .ParamType(REQUIRED)
            .DataTypeList({ge::DT_FLOAT, ge::DT_INT32})
            .FormatList({ge::FORMAT_ND});
        this->Output("var").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Follow("var");
        this->Attr("kind").AttrType(OPTIONAL).Int(0);
        this->SetInferShape(ge::MistakesShape).SetInferDataType(ge::MistakesDataType);
        this->AICore().SetTiling(optiling::MistakesTiling).AddConfig("ascend910b");
    }
};
OP_ADD(Mistakes);

/* Nobody says how its work is cut; and what the product has says nothing of n but its dtype. */
class Untiled : public OpDef
{
  public:
    explicit Untiled(const char *name) : OpDef(name)
    {
        this->Input("x").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("n").ParamType(OPTIONAL).DataType({ge::DT_INT64}).ValueDepend(OPTIONAL);
        this->Output("y").DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        OpAICoreConfig config;
        config.Input("n").DataType({ge::DT_INT64});
        this->AICore().AddConfig("ascend310p").AddConfig("ascend910b", config);
    }
};
OP_ADD(Untiled);
} // namespace ops
