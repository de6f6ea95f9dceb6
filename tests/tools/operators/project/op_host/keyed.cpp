/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* An operator whose kernel is a template: its key is made of the template's arguments. */
#include "../op_kernel/keyed_key.h"
#include "keyed_tiling.h"
#include "register/op_def_registry.h"

namespace optiling
{
static ge::graphStatus KeyedTiling(gert::TilingContext *context)
{
    KeyedTilingData tiling;
    tiling.set_count(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(1);
    const uint32_t dtype = static_cast<uint32_t>(context->GetInputDesc(0)->GetDataType());
    const int64_t factor = *context->GetAttrs()->GetInt(0);
    const bool negate = *context->GetAttrs()->GetBool(1);
    ASCENDC_TPL_SEL_PARAM(context, dtype, factor, negate);
    return context->GetTilingKey() == GET_TPL_TILING_KEY(dtype, factor, negate) ? ge::GRAPH_SUCCESS
                                                                                : ge::GRAPH_FAILED;
}
} // namespace optiling

namespace ops
{
class Keyed : public OpDef
{
  public:
    explicit Keyed(const char *name) : OpDef(name)
    {
        for (bool is_output : {false, true})
            (is_output ? this->Output("y") : this->Input("x"))
                .ParamType(REQUIRED)
                .DataType({ge::DT_FLOAT, ge::DT_INT32})
                .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("factor").Int();
        this->Attr("negate").AttrType(OPTIONAL).Bool(false);
        this->SetInferShape([](gert::InferShapeContext *context) -> ge::graphStatus {
            *context->GetOutputShape(0) = *context->GetInputShape(0);
            return ge::GRAPH_SUCCESS;
        });
        this->AICore().SetTiling(optiling::KeyedTiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Keyed);
} // namespace ops
