/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * An operator with parameters of every kind: a list of tensors, one that may be left out, numbers that the host knows,
 * attributes of each kind, two outputs, a workspace, and a kernel on a cube core with a vector core.
 *
 *     total[i] = scale * (sum of xs[k][i] for k in picks) + bias[i] (unless it is left out), negated where negate is set
 *     told = what the attributes are, one number for each
 */
#include <cstring>

#include "parts_tiling.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"

namespace optiling
{
struct PartsCompileInfo {
    uint32_t cores = 0;
};

static ge::graphStatus Prepare(gert::TilingParseContext *context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    context->GetCompiledInfo<PartsCompileInfo>()->cores = platform.GetCoreNumAic();
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus PartsTiling(gert::TilingContext *context)
{
    const auto *info = context->GetCompileInfo<PartsCompileInfo>();
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    OPS_LOG_E_IF_NULL(context, info, return ge::GRAPH_FAILED);
    const size_t lists = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
    const gert::Tensor *picks = context->GetRequiredInputTensor(2);
    OPS_LOG_E_IF_NULL(context, picks, return ge::GRAPH_FAILED);
    OPS_CHECK(picks->GetShapeSize() > 8,
              OPS_LOG_E(context->GetNodeName(), "%ld picks are too many", (long)picks->GetShapeSize()),
              return ge::GRAPH_FAILED);

    PartsTilingData tiling;
    int32_t chosen[8] = {};
    for (int64_t i = 0; i < picks->GetShapeSize(); i++) {
        chosen[i] = static_cast<int32_t>(picks->GetData<int64_t>()[i]);
        OPS_CHECK(chosen[i] < 0 || static_cast<size_t>(chosen[i]) >= lists,
                  OPS_LOG_E(context, "pick %d is no tensor of xs, which has %zu", chosen[i], lists),
                  return ge::GRAPH_FAILED);
    }
    tiling.set_chosen(chosen);
    tiling.set_chosenCount(static_cast<uint8_t>(picks->GetShapeSize()));
    tiling.set_count(
        static_cast<uint32_t>(context->GetDynamicInputShape(0, 0)->GetStorageShape().GetShapeSize()));
    tiling.set_hasBias(context->GetOptionalInputShape(1) != nullptr);
    tiling.words.set_scale(*attrs->GetFloat(0));
    tiling.words.set_negate(*attrs->GetBool(1));
    float told[8] = {static_cast<float>(*attrs->GetInt(2)),
                     static_cast<float>(std::strlen(attrs->GetStr(3))),
                     static_cast<float>(attrs->GetListInt(4)->GetSize()),
                     attrs->GetListFloat(5)->GetSize() ? attrs->GetListFloat(5)->GetData()[0] : 0,
                     attrs->GetListBool(6)->GetSize() && attrs->GetListBool(6)->GetData()[0] ? 1.0f : 0.0f,
                     static_cast<float>(info->cores),
                     static_cast<float>(context->GetComputeNodeInfo()->GetInputsNum()),
                     context->GetInputDesc(0)->GetFormat().GetStorageFormat() == ge::FORMAT_ND ? 1.0f : 0.0f};
    tiling.words.set_told(told);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(2);
    context->SetTilingKey(1000000007);
    size_t *workspaces = context->GetWorkspaceSizes(1);
    workspaces[0] = 4096 + tiling.get_count() * sizeof(float);
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Parts).Tiling(PartsTiling).TilingParse<PartsCompileInfo>(Prepare);
} // namespace optiling

namespace ge
{
static graphStatus PartsShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetDynamicInputShape(0, 0);
    context->GetOutputShape(1)->SetDimNum(0);
    context->GetOutputShape(1)->AppendDim(8);
    return GRAPH_SUCCESS;
}
static graphStatus PartsDataType(gert::InferDataTypeContext *context)
{
    context->SetOutputDataType(0, context->GetDynamicInputDataType(0, 0));
    context->SetOutputDataType(1, DT_FLOAT);
    return GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(Parts).InferShape(PartsShape).InferDataType(PartsDataType);
} // namespace ge

namespace ops
{
class Parts : public OpDef
{
  public:
    explicit Parts(const char *name) : OpDef(name)
    {
        this->Input("xs").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("bias")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("picks")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64})
            .Format({ge::FORMAT_ND})
            .ValueDepend(REQUIRED);
        this->Output("total")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("told").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("scale").Float();
        this->Attr("negate").AttrType(OPTIONAL).Bool(false);
        this->Attr("an_int").AttrType(OPTIONAL).Int(7);
        this->Attr("a_text").AttrType(OPTIONAL).String("four");
        this->Attr("some_ints").AttrType(OPTIONAL).ListInt({1, 2, 3});
        this->Attr("some_floats").AttrType(OPTIONAL).ListFloat({0.5f, 1.5f});
        this->Attr("some_bools").AttrType(OPTIONAL).ListBool({true});
        OpAICoreConfig config;
        config.DynamicCompileStaticFlag(true).DynamicFormatFlag(true).ExtendCfgInfo("opFile.value",
                                                                                    "parts_of_it");
        this->AICore().AddConfig("ascend910b", config);
    }
};
OP_ADD(Parts);
} // namespace ops
